//! What the token may write: asked before the first write, and again until it has what it lacks (§2).

use super::Transition;
use crate::autonomy::Autonomy;
use crate::blocker::Blocker;
use crate::effect::{CheckRightsEffect, Effect};
use crate::event::RightsChecked;
use crate::lifecycle::State;
use crate::note::Note;
use crate::snapshot::Snapshot;
use crate::token_right::RepositoryWrite;
use std::collections::BTreeSet;

impl Transition {
    /// Has GitHub asked what the token lacks, once a run; where it lacks something, at the pace of a loop that waits for a person.
    /// Where nothing is written, nothing is asked either.
    pub(super) fn ensure_rights(&mut self, snapshot: &Snapshot) -> Option<Blocker> {
        if self.state.autonomy() == Autonomy::Observe {
            return None;
        }
        let interval = self.state.run.configuration.policy.ready_poll_interval_ms;
        let rights = &self.state.run.rights;
        let lacking: Vec<_> = rights.lacking.iter().copied().collect();
        let is_due = rights.at.is_none_or(|at| self.now.since(at) >= interval);
        let blocker = match (rights.at, lacking.is_empty()) {
            (None, _) => Blocker::Starting,
            (Some(_), true) => return None,
            (Some(_), false) => Blocker::RightsLacking { rights: lacking },
        };
        if is_due {
            let needed = needed_writes(snapshot);
            self.enqueue(Effect::CheckRights(CheckRightsEffect { needed }));
        }
        Some(blocker)
    }

    pub(super) fn rights_checked(&mut self, checked: &RightsChecked) {
        let rights = &mut self.state.run.rights;
        rights.at = Some(self.now);
        let before = rights.lacking.clone();
        if !checked.unanswered {
            rights.lacking.clone_from(&checked.lacking);
        }
        let lacking = rights.lacking.clone();
        if !lacking.is_empty() {
            self.state.run.blocker = Some(Blocker::RightsLacking {
                rights: lacking.iter().copied().collect(),
            });
            if lacking != before {
                self.notes.push(Note::RightsLacking { rights: lacking });
            }
            return;
        }
        if !before.is_empty() {
            self.notes.push(Note::RightsGranted);
        }
        // The configuration's answer has it read as well.
        if !self.has_pending(|effect| matches!(effect, Effect::LoadConfig(_))) {
            self.poll_now();
        }
    }

    /// Whether the answer about the rights has the pull request read.
    pub(super) fn awaits_rights(&self) -> bool {
        self.state.run.state == State::PrCreated
            && self.has_pending(|effect| matches!(effect, Effect::CheckRights(_)))
    }
}

/// What Collie may have to write. To a fork, and by an account that may not write, GitHub lets it push for other reasons than the
/// token's rights, or not at all: that is told where it is pushed.
fn needed_writes(snapshot: &Snapshot) -> BTreeSet<RepositoryWrite> {
    let pushes = snapshot.head_repo.as_ref() == Some(&snapshot.repo)
        && snapshot.push_obstacles.is_empty()
        && snapshot.writers.contains(&snapshot.viewer.id);
    let pushes = pushes.then_some(RepositoryWrite::Pushes);
    pushes.into_iter().chain([RepositoryWrite::Posts]).collect()
}
