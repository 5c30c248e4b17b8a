//! Bots that play by a script.

use crate::Forge;
use crate::model::{RepoName, Sha};

/// Called whenever a pull request has a new head, its first one included.
pub(crate) fn on_new_head(_forge: &Forge, _repo: &RepoName, _number: u64, _sha: &Sha) {}
