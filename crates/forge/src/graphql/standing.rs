//! What checks and reviews come to, in GraphQL's words.

use super::enums::{MergeStateStatus, PullRequestReviewDecision, StatusState};
use crate::acts::merge::{self, MergeState, Rollup};
use crate::model::{PullRequest, RepoState, ReviewState, Sha};

/// GitHub's `reviewDecision`: the last words of those with write access against what the branch requires.
pub fn decision(state: &RepoState, pull: &PullRequest) -> Option<PullRequestReviewDecision> {
    let required = state
        .meta
        .protection
        .get(&pull.base_ref)
        .map_or(0, |rule| rule.required_reviews);
    let verdicts = merge::verdicts(state, pull.number);
    let count = |wanted: ReviewState| {
        let said = verdicts
            .iter()
            .filter(|(account, verdict)| {
                *verdict == wanted && state.meta.role(*account).may_write()
            })
            .count();
        u32::try_from(said).unwrap_or(u32::MAX)
    };
    let approvals = count(ReviewState::Approved);
    if count(ReviewState::ChangesRequested) > 0 {
        Some(PullRequestReviewDecision::ChangesRequested)
    } else if approvals < required {
        Some(PullRequestReviewDecision::ReviewRequired)
    } else if approvals > 0 {
        Some(PullRequestReviewDecision::Approved)
    } else {
        None
    }
}

/// GitHub's `mergeStateStatus`.
pub fn merge_state(state: &RepoState, pull: &PullRequest) -> MergeStateStatus {
    match merge::merge_state(state, pull) {
        MergeState::Clean => MergeStateStatus::Clean,
        MergeState::Dirty => MergeStateStatus::Dirty,
        MergeState::Blocked => MergeStateStatus::Blocked,
        MergeState::Behind => MergeStateStatus::Behind,
        MergeState::Draft => MergeStateStatus::Draft,
        MergeState::Unstable => MergeStateStatus::Unstable,
        MergeState::Unknown => MergeStateStatus::Unknown,
    }
}

/// The state of everything that reported on a commit; nothing when nothing did.
pub fn rollup(state: &RepoState, sha: &Sha) -> Option<StatusState> {
    match merge::rollup(state, sha, None) {
        Rollup::Empty => None,
        Rollup::Pending => Some(StatusState::Pending),
        Rollup::Failed => Some(StatusState::Failure),
        Rollup::Passed => Some(StatusState::Success),
    }
}
