//! What the timeline tells beside comments, reviews and commits.

use crate::clock::now;
use crate::model::{AccountId, EventKind, RepoState, TimelineEvent};

/// Writes down what an account did to an issue or pull request; `id` is a new one.
pub(crate) fn record(
    state: &mut RepoState,
    id: u64,
    number: u64,
    actor: AccountId,
    kind: EventKind,
) {
    state.events.insert(TimelineEvent {
        id,
        number,
        actor,
        created_at: now(),
        kind,
    });
}
