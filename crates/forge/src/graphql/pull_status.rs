//! What checks and reviews come to, in GraphQL's words.

use super::enums::{MergeStateStatus, PullRequestReviewDecision, StatusState};
use crate::actions::merge::{self, CheckRollup, MergeState};
use crate::model::{PullRequest, RepoState, ReviewState, Sha};

/// GitHub's `reviewDecision`: the last words of those with write access against what the branch requires.
pub fn review_decision(state: &RepoState, pull: &PullRequest) -> Option<PullRequestReviewDecision> {
    let required = state
        .meta
        .protection
        .get(&pull.base_ref)
        .map_or(0, |rule| rule.required_reviews);
    let verdicts = merge::latest_verdicts(state, pull.number);
    let count = |wanted: ReviewState| {
        let matching = verdicts
            .iter()
            .filter(|(account, verdict)| {
                *verdict == wanted && state.meta.role(*account).may_write()
            })
            .count();
        u32::try_from(matching).unwrap_or(u32::MAX)
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
pub fn merge_state_status(state: &RepoState, pull: &PullRequest) -> MergeStateStatus {
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
pub fn status_rollup(state: &RepoState, sha: &Sha) -> Option<StatusState> {
    match merge::check_rollup(state, sha, None) {
        CheckRollup::Empty => None,
        CheckRollup::Pending => Some(StatusState::Pending),
        CheckRollup::Failed => Some(StatusState::Failure),
        CheckRollup::Passed => Some(StatusState::Success),
    }
}
