//! The lists of a pull request.

use collie_core::ids::Time;
use collie_core::snapshot::{ChangedFile, Check, Comment, QueueRemoval, Review, Thread};
use std::collections::BTreeSet;

/// The lists of a pull request, read to their ends.
#[derive(Clone, Debug)]
pub(crate) struct PullLists {
    /// Names of checks of earlier heads, as they were when this head was first read.
    pub head_check_names: BTreeSet<String>,
    /// The same with what earlier readings taught.
    pub known_checks: BTreeSet<String>,
    pub checks: Vec<Check>,
    pub files: Vec<ChangedFile>,
    pub labels: BTreeSet<String>,
    pub reviews: Vec<Review>,
    pub comments: Vec<Comment>,
    pub threads: Vec<Thread>,
    /// How it left the merge queue last.
    pub queue: QueueHistory,
}

/// What GitHub told last of a pull request that is in no queue now.
#[derive(Clone, Debug, Default)]
pub(crate) struct QueueHistory {
    /// It was taken out, and not merged.
    pub removal: Option<QueueRemoval>,
    /// It was queued, and GitHub does not say yet how it left: since when that is so.
    pub untold_since: Option<Time>,
}
