//! What is remembered from one reading to the next.

use crate::api_client::lock;
use crate::branch_rules::BranchRulesCache;
use crate::check_evidence::CheckEvidenceCache;
use crate::permissions::PermissionCache;
use collie_core::ids::{LoopId, Sha};
use collie_core::snapshot::{PullState, Snapshot};
use collie_engine::ports::PullRef;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;

/// Names of checks of earlier heads that are remembered of one pull request.
const MAX_CHECK_NAMES: usize = 500;

/// What earlier readings taught, so that this one needs fewer requests.
#[derive(Default)]
pub(crate) struct ObservationCache {
    /// What checks said, and who reports them.
    pub check_evidence: CheckEvidenceCache,
    /// Who may write.
    pub permissions: PermissionCache,
    /// Rules of branches.
    pub branch_rules: BranchRulesCache,
    /// By pull request.
    pub pulls: Mutex<BTreeMap<LoopId, CachedPull>>,
}

/// What is remembered of one pull request.
#[derive(Clone, Debug)]
pub(crate) struct CachedPull {
    /// Its head branch, so that the next query can ask in advance what builds on it.
    pub head_ref: String,
    /// The head that was seen last.
    pub head: Sha,
    /// The names of that head's checks.
    pub check_names: BTreeSet<String>,
    /// The names of the checks of heads before it, also of those that were pushed away.
    pub earlier_check_names: BTreeSet<String>,
}

/// Keeps what the next reading can use; nothing of a pull request that is done.
pub(crate) fn update_cache(cache: &ObservationCache, pull: &PullRef, snapshot: &Snapshot) {
    let mut pulls = lock(&cache.pulls);
    if snapshot.state != PullState::Open {
        pulls.remove(&pull.id);
        return;
    }
    let names: BTreeSet<String> = snapshot
        .checks
        .iter()
        .map(|check| check.name.clone())
        .collect();
    let mut earlier = BTreeSet::new();
    if let Some(before) = pulls.remove(&pull.id) {
        earlier = before.earlier_check_names;
        if before.head != snapshot.head {
            earlier.extend(before.check_names);
            while earlier.len() > MAX_CHECK_NAMES {
                earlier.pop_last();
            }
        }
    }
    let head_ref = snapshot.head_ref.clone();
    let head = snapshot.head.clone();
    pulls.insert(
        pull.id.clone(),
        CachedPull {
            head_ref,
            head,
            check_names: names,
            earlier_check_names: earlier,
        },
    );
}
