//! Everything is paused, or goes on (§15): sessions end, nothing begins and nothing is written; what was asked for stays asked for.

use super::Transition;
use crate::blocker::Blocker;
use crate::event::PauseChanged;
use crate::lifecycle::State;
use crate::note::Note;

impl Transition {
    pub(super) fn pause_changed(&mut self, PauseChanged { by, pause }: &PauseChanged) {
        if self.state.pause == *pause {
            return self.ignore("no_change");
        }
        let (was_paused, is_paused) = (self.state.pause.is_some(), pause.is_some());
        self.state.pause.clone_from(pause);
        if was_paused != is_paused {
            let (by, paused) = (by.clone(), is_paused);
            self.notes.push(Note::PauseChanged { by, paused });
        }
        if is_paused {
            self.restart_sessions();
        }
        self.show_pause();
    }

    /// Ends sessions under way and asks for the same again: the engine begins none while everything is paused, and what they had cost is
    /// counted when they have ended.
    fn restart_sessions(&mut self) {
        let outbox = &mut self.state.outbox;
        let sessions: Vec<_> = outbox
            .effects
            .extract_if(.., |_, effect| effect.takes_slot())
            .collect();
        for (_, effect) in sessions {
            outbox.ask(&self.state.run.id, effect);
        }
    }

    /// Says at once that it waits, and looks at once when it does not have to any more.
    fn show_pause(&mut self) {
        if self.state.run.state.is_terminal() {
            return;
        }
        let blocker = self.state.run.blocker.take();
        let waited = matches!(blocker, Some(Blocker::Paused { .. }));
        self.state.run.blocker = if waited && self.state.pause.is_none() {
            self.poll_now();
            Some(Blocker::Starting)
        } else {
            blocker.map(|blocker| self.blocker_of_pause(blocker))
        };
    }

    /// What it waits for where the pause is what keeps it from going on; else what it was. A pull request that is ready waits for its
    /// merge, whatever else is paused.
    pub(super) fn blocker_of_pause(&self, blocker: Blocker) -> Blocker {
        let waits = self.state.is_held_by_pause() && self.state.run.state != State::PrReadyToMerge;
        match &self.state.pause {
            Some(pause) if waits => Blocker::Paused {
                by: pause.by.clone(),
                since: pause.since,
            },
            Some(_) | None => blocker,
        }
    }
}
