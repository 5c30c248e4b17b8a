//! Whose reviews count, and for what (§4.2, §4.6).

use super::author_role::{AuthorRole, author_role};
use crate::ids::{AccountId, Login};
use crate::loop_state::LoopState;
use crate::snapshot::{Actor, Review, ReviewVerdict, Snapshot, Thread};
use std::collections::BTreeMap;

/// The reviews that stand: the latest approval or request for changes of each trusted person and of each person of the panel.
/// `commented` is ignored (§4.2).
pub fn latest_opinionated_reviews<'a>(
    state: &LoopState,
    snapshot: &'a Snapshot,
) -> Vec<&'a Review> {
    // By account: a login may pass from one to another.
    let mut latest: BTreeMap<AccountId, &Review> = BTreeMap::new();
    for review in &snapshot.reviews {
        let Some(author) = &review.author else {
            continue;
        };
        if !is_trusted_review(state, snapshot, review) && !is_panelist(state, snapshot, author) {
            continue;
        }
        match review.verdict {
            ReviewVerdict::Approved | ReviewVerdict::ChangesRequested => {
                latest.insert(author.id, review);
            }
            ReviewVerdict::Dismissed => {
                // GitHub turns the dismissed review itself into this; an older one does not stand up again.
                latest.remove(&author.id);
            }
            ReviewVerdict::Commented | ReviewVerdict::Pending => {}
        }
    }
    latest.into_values().collect()
}

pub(super) fn is_trusted_review(state: &LoopState, snapshot: &Snapshot, review: &Review) -> bool {
    author_role(state, snapshot, review.author.as_ref(), &review.body) == AuthorRole::Trusted
}

/// Whether somebody sits on the panel: the account that its name stands for, no later one of that name.
pub fn is_panelist(state: &LoopState, snapshot: &Snapshot, actor: &Actor) -> bool {
    use crate::policy::ReviewerKind;
    let mut seats = state
        .run
        .review
        .stages
        .iter()
        .flat_map(|stage| &stage.reviewers)
        .filter(|seat| seat.spec.kind == ReviewerKind::Human);
    seats.any(|seat| Login::new(&seat.spec.name) == actor.login)
        && snapshot.is_pinned(actor)
        && !snapshot.is_for_collie_alone(actor.id)
}

/// What a person of the panel says, if they have said it: a later account of that name is somebody else.
pub fn panelist_review<'a>(
    state: &LoopState,
    snapshot: &'a Snapshot,
    login: &Login,
) -> Option<&'a Review> {
    let by = |review: &&Review| {
        let author = review.author.as_ref();
        author.is_some_and(|a| a.login == *login && snapshot.is_pinned(a))
    };
    latest_opinionated_reviews(state, snapshot)
        .into_iter()
        .find(by)
}

/// Reviews that ask for changes and count by rule 0.
pub fn changes_requested<'a>(state: &LoopState, snapshot: &'a Snapshot) -> Vec<&'a Review> {
    latest_opinionated_reviews(state, snapshot)
        .into_iter()
        .filter(|r| r.verdict == ReviewVerdict::ChangesRequested)
        .collect()
}

/// Who of those that ask for changes is trusted: rule 0 goes by these (§4.6).
pub fn changes_requested_by_trusted(state: &LoopState, snapshot: &Snapshot) -> Vec<Login> {
    changes_requested(state, snapshot)
        .into_iter()
        .filter(|review| is_trusted_review(state, snapshot, review))
        .filter_map(|review| Some(review.author.as_ref()?.login.clone()))
        .collect()
}

/// Whether a review comes with threads of its own: then these say what is wanted, and its text introduces them.
pub(super) fn introduces_threads(snapshot: &Snapshot, review: &Review) -> bool {
    let id = |author: &Option<Actor>| author.as_ref().map(|a| a.id);
    // What was written up to the author's review before this one belongs to that one.
    let before = snapshot
        .reviews
        .iter()
        .filter(|r| r.id != review.id && id(&r.author) == id(&review.author))
        .filter_map(|r| r.submitted_at)
        .filter(|at| review.submitted_at.is_some_and(|own| *at < own))
        .max();
    let opened = |thread: &Thread| {
        let Some(first) = thread.comments.first() else {
            return false;
        };
        id(&first.author) == id(&review.author)
            && first.commit == review.commit
            && review.submitted_at.is_some_and(|at| first.created_at <= at)
            && before.is_none_or(|at| first.created_at > at)
    };
    snapshot.threads.iter().any(opened)
}
