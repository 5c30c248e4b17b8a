//! What is remembered from one reading to the next.

use crate::api_client::lock;
use crate::base_checks::BaseChecksCache;
use crate::branch_rules::BranchRulesCache;
use crate::check_evidence::{CheckEvidenceCache, awaits_log};
use crate::permissions::PermissionCache;
use crate::pull_digest::PullDigest;
use crate::pull_lists::{PullLists, QueueHistory};
use crate::query_batches::BatchSizes;
use crate::recent_checks::RecentChecksCache;
use collie_core::ids::{LoopId, Sha, Time};
use collie_core::snapshot::{Check, PullState, PushObstacle, Snapshot};
use collie_engine::ports::PullRef;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};

/// Names of checks of earlier heads that are remembered of one pull request.
const MAX_CHECK_NAMES: usize = 500;

/// GitHub takes an entry out of the queue before it says why: that is asked for at each poll for so long.
const QUEUE_RETRY_MS: u64 = 5 * 60_000;

/// What earlier readings taught, so that this one needs fewer requests.
#[derive(Default)]
pub(crate) struct ObservationCache {
    /// What checks said, and who reports them.
    pub check_evidence: CheckEvidenceCache,
    /// Who may write.
    pub permissions: PermissionCache,
    /// How checks stand on bases.
    pub base_checks: BaseChecksCache,
    /// Which repositories run checks on their pull requests.
    pub recent_checks: RecentChecksCache,
    /// Rules of branches.
    pub branch_rules: BranchRulesCache,
    /// How much the query that reads all may carry.
    pub full_read_sizes: Mutex<BatchSizes>,
    /// How much the query that reads heads again may carry.
    pub head_read_sizes: Mutex<BatchSizes>,
    /// How much the shallow query may carry.
    pub shallow_sizes: Mutex<BatchSizes>,
    /// The host does not know what the shallow query asks for: an older GitHub Enterprise.
    pub shallow_refused: AtomicBool,
    /// How many full readings may be made without a cause.
    pub routine_readings: Mutex<RoutineReadings>,
    /// By pull request.
    pub pulls: Mutex<BTreeMap<LoopId, CachedPull>>,
}

/// Full readings without a cause that a minute gives right to, and the most that are saved up.
const ROUTINE_READINGS: u64 = 35;

/// Rations full readings that nothing asks for, but which see what a shallow look cannot.
#[derive(Default)]
pub(crate) struct RoutineReadings {
    /// In thousandths.
    allowance: u64,
    counted_at: Option<Time>,
}

impl RoutineReadings {
    /// Takes as many as there are by now, at most `wanted`.
    pub fn take(&mut self, wanted: usize, now: Time) -> usize {
        let since = self.counted_at.map_or(0, |at| now.since(at));
        self.counted_at = Some(now);
        let earned = since.saturating_mul(ROUTINE_READINGS) / 60;
        self.allowance = (self.allowance.saturating_add(earned)).min(ROUTINE_READINGS * 1_000);
        let whole = usize::try_from(self.allowance / 1_000).unwrap_or(usize::MAX);
        let taken = wanted.min(whole);
        self.allowance -= u64::try_from(taken).unwrap_or(0) * 1_000;
        taken
    }
}

impl ObservationCache {
    /// How many of these were never read whole.
    pub fn unread<'a>(&self, pulls: impl Iterator<Item = &'a PullRef>) -> usize {
        let known = lock(&self.pulls);
        let is_read = |pull: &&PullRef| {
            let cached = known.get(&pull.id);
            cached.is_some_and(|cached| cached.last.is_some())
        };
        pulls.filter(|pull| !is_read(pull)).count()
    }
}

/// What is remembered of one pull request.
#[derive(Clone, Debug)]
pub(crate) struct CachedPull {
    /// Its head branch, so that the next query can ask in advance what builds on it.
    pub head_ref: String,
    /// The head that was seen last.
    pub head: Sha,
    /// The base branch that was seen last.
    pub base_ref: String,
    /// The names of that head's checks.
    pub check_names: BTreeSet<String>,
    /// The names of the checks of heads before it, also of those that were pushed away.
    pub earlier_check_names: BTreeSet<String>,
    /// The last full reading.
    pub last: Option<Arc<LastReading>>,
}

/// What a full reading found, so that a shallow look that shows no change is enough.
#[derive(Debug)]
pub(crate) struct LastReading {
    /// Its lists.
    pub lists: Arc<PullLists>,
    /// What shows whether they changed; none where that cannot be told.
    pub digest: Option<PullDigest>,
    /// Whether another pull request builds on it.
    pub stacked: bool,
    /// When it was made.
    pub read_at: Time,
    /// Something is still to come that a look does not show: the log of a check that failed, or how it left the merge queue.
    pub awaits_more: bool,
}

fn awaits_more(checks: &[Check], queue: &QueueHistory, now: Time) -> bool {
    let of_queue = queue
        .removal
        .iter()
        .flat_map(|removal| &removal.failed_checks);
    let mut checks = checks.iter().chain(of_queue);
    let is_told_soon = |since: Time| now.since(since) <= QUEUE_RETRY_MS;
    checks.any(|check| awaits_log(check, now)) || queue.untold_since.is_some_and(is_told_soon)
}

/// Keeps what the next reading can use; nothing of a pull request that is done.
pub(crate) fn update_cache(
    cache: &ObservationCache,
    pull: &PullRef,
    snapshot: &Snapshot,
    lists: Arc<PullLists>,
    digest: Option<PullDigest>,
) {
    let now = snapshot.read_at;
    let last = LastReading {
        digest,
        stacked: snapshot
            .push_obstacles
            .contains(&PushObstacle::BaseOfAnother),
        read_at: now,
        awaits_more: awaits_more(&snapshot.checks, &lists.queue, now),
        lists,
    };
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
    let base_ref = snapshot.base_ref.clone();
    pulls.insert(
        pull.id.clone(),
        CachedPull {
            head_ref,
            head,
            base_ref,
            check_names: names,
            earlier_check_names: earlier,
            last: Some(Arc::new(last)),
        },
    );
}
