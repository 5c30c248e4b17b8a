//! What nobody was shown, and a person's word that they have looked at it (§4.4).

use super::Transition;
use crate::blocker::Blocker;
use crate::comments;
use crate::coverage::{Coverage, UnseenFile};
use crate::event::FilesSeen;
use crate::ids::Login;
use crate::loop_state::LoopState;
use crate::note::Note;
use crate::panel_state::ReviewerState;
use crate::policy::{ReviewerKind, UnseenPolicy};
use crate::snapshot::{ReviewVerdict, Snapshot};

/// How many paths a blocker names.
const MAX_NAMES: usize = 3;

impl Transition {
    /// Text files of this head that nobody was shown, unless a person has looked at them or they are only to be told.
    pub(super) fn unseen_blocker(&self, snapshot: &Snapshot) -> Option<Blocker> {
        let told = match self.state.run.configuration.policy.unseen {
            UnseenPolicy::Block => self.state.memory.seen_heads.contains_key(&snapshot.head),
            UnseenPolicy::Tell => true,
        };
        if told {
            return None;
        }
        let known = coverage(&self.state, snapshot);
        let mut paths = known.needing_look().map(|file| file.path.clone());
        let names: Vec<String> = paths.by_ref().take(MAX_NAMES).collect();
        let count = names.len() + paths.count();
        (count > 0).then(|| Blocker::Unseen {
            count: u32::try_from(count).unwrap_or(u32::MAX),
            names,
        })
    }

    /// How many text files of this a person has to look at: none where they are only to be told.
    pub(super) fn needing_look(&self, coverage: &Coverage) -> u32 {
        match self.state.run.configuration.policy.unseen {
            UnseenPolicy::Block => {
                u32::try_from(coverage.needing_look().count()).unwrap_or(u32::MAX)
            }
            UnseenPolicy::Tell => 0,
        }
    }

    /// Remembers that a person has looked. Only at the head that they saw: another one is asked about anew.
    pub(super) fn files_seen(&mut self, seen: &FilesSeen) {
        if self.state.run.state.is_terminal() {
            return self.ignore("terminal");
        }
        if self.state.run.head.sha.as_ref() != Some(&seen.head) {
            return self.ignore("another_head");
        }
        let FilesSeen { by, head } = seen.clone();
        let count = self.state.run.head.coverage.needing_look().count();
        let count = u32::try_from(count).unwrap_or(u32::MAX);
        self.state
            .memory
            .seen_heads
            .insert(head.clone(), by.clone());
        self.notes.push(Note::FilesSeen { by, head, count });
        if matches!(self.state.run.blocker, Some(Blocker::Unseen { .. })) {
            self.state.run.blocker = Some(Blocker::Starting);
        }
        self.poll_now();
    }
}

/// What of a head nobody was shown: what all reviewers that looked at it were not shown. A person of the panel who approved it has looked
/// at all of it. Nothing where nobody has looked yet.
pub(super) fn coverage(state: &LoopState, snapshot: &Snapshot) -> Coverage {
    let seats = || {
        let stages = state.run.review.stages.iter();
        stages.flat_map(|stage| &stage.reviewers)
    };
    let approved = |seat: &ReviewerState| {
        seat.spec.kind == ReviewerKind::Human
            && comments::panelist_review(state, snapshot, &Login::new(&seat.spec.name)).is_some_and(
                |review| {
                    review.verdict == ReviewVerdict::Approved
                        && review.commit.as_ref() == Some(&snapshot.head)
                },
            )
    };
    if seats().any(approved) {
        let mut known = Coverage::of(looks_at(seats(), snapshot));
        known.rules_only.clear();
        known.unseen.retain(|file| !file.reason.needs_look());
        return known;
    }
    Coverage::of(looks_at(seats(), snapshot))
}

/// The looks of rules, models and agents at a head.
fn looks_at<'a>(
    seats: impl Iterator<Item = &'a ReviewerState>,
    snapshot: &Snapshot,
) -> impl Iterator<Item = (bool, &'a [UnseenFile])> {
    seats
        .filter(|seat| seat.head.as_ref() == Some(&snapshot.head))
        .filter_map(|seat| match seat.spec.kind {
            ReviewerKind::Rules => Some((true, seat.unseen.as_slice())),
            ReviewerKind::Agent => Some((false, seat.unseen.as_slice())),
            ReviewerKind::Human => None,
        })
}
