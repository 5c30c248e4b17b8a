//! Whether the worker of a session is still at it.

use crate::messages::Timer;
use crate::outgoing::Outgoing;
use collie_core::ids::EffectId;
use serde::{Deserialize, Serialize};

/// How often it is looked whether the worker of a session has said something: each of its heartbeats would be a timer of its own otherwise.
const LOOK_INTERVAL_MS: u64 = 5_000;
/// A session whose worker says nothing between so many looks is given to another one: 15 to 20 s after its last word.
const SILENT_LOOKS: u32 = 3;
/// A session that so many workers fell silent over is a failed one: it may be what ended them.
const MAX_ATTEMPTS: u32 = 4;

/// A session that workers are offered, as often as they fall silent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct WatchedSession {
    attempt: u32,
    /// Its worker has said something since it was last looked.
    was_heard: bool,
    /// So many looks in a row found that nothing was said. What an older worker kept has none.
    #[serde(default)]
    silent_looks: u32,
    /// What people call its worker; none until it has said so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    worker: Option<String>,
}

/// What a look at a session comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SessionLook {
    /// Its worker may have it still.
    Wait,
    /// Another worker is to have it, at this attempt.
    Offer(u32),
    /// Too many workers fell silent over it.
    GiveUp,
}

impl WatchedSession {
    /// One that is offered for the first time.
    pub fn new() -> Self {
        Self {
            attempt: 1,
            was_heard: false,
            silent_looks: 0,
            worker: None,
        }
    }

    pub fn attempt(&self) -> u32 {
        self.attempt
    }

    /// Whether it is known which worker has it.
    pub fn is_taken(&self) -> bool {
        self.worker.is_some()
    }

    /// Its worker says that it is at it. Gives the worker's name where it is a new one.
    pub fn hear(&mut self, worker: Option<&str>) -> Option<String> {
        self.was_heard = true;
        let new = worker.filter(|_| self.worker.as_deref() != worker)?;
        self.worker = Some(new.to_owned());
        self.worker.clone()
    }

    /// Looks whether something was said since the last look.
    pub fn look(&mut self) -> SessionLook {
        self.silent_looks = match std::mem::take(&mut self.was_heard) {
            true => 0,
            false => self.silent_looks + 1,
        };
        if self.silent_looks < SILENT_LOOKS {
            return SessionLook::Wait;
        }
        self.silent_looks = 0;
        self.attempt += 1;
        match self.attempt > MAX_ATTEMPTS {
            true => SessionLook::GiveUp,
            false => SessionLook::Offer(self.attempt),
        }
    }
}

/// The next look at an attempt of a session.
pub(crate) fn next_look(effect: &EffectId, attempt: u32) -> Outgoing {
    let effect = effect.clone();
    Outgoing::Timer {
        timer: Timer::Session { effect, attempt },
        after_ms: LOOK_INTERVAL_MS,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// So long it takes, by the looks, until something else is to be done than to wait.
    fn wait_for_end(session: &mut WatchedSession) -> (u64, SessionLook) {
        let mut waited_ms = 0;
        loop {
            waited_ms += LOOK_INTERVAL_MS;
            assert!(waited_ms < 60_000, "it is never offered again");
            match session.look() {
                SessionLook::Wait => {}
                end => return (waited_ms, end),
            }
        }
    }

    #[test]
    fn another_worker_has_it_15_to_20_seconds_after_the_last_word() {
        // Nobody takes it.
        let mut session = WatchedSession::new();
        assert_eq!(wait_for_end(&mut session), (15_000, SessionLook::Offer(2)));
        // The last word comes right after a look: no look is longer after it.
        session.hear(None);
        assert_eq!(wait_for_end(&mut session), (20_000, SessionLook::Offer(3)));
    }

    #[test]
    fn a_worker_that_is_heard_of_now_and_then_keeps_it() {
        let mut session = WatchedSession::new();
        for _ in 0..40 {
            for _ in 1..SILENT_LOOKS {
                assert_eq!(session.look(), SessionLook::Wait);
            }
            session.hear(None);
            assert_eq!(session.look(), SessionLook::Wait);
        }
    }

    #[test]
    fn it_is_given_up_after_as_many_workers_as_may_have_it() {
        let mut session = WatchedSession::new();
        for attempt in 2..=MAX_ATTEMPTS {
            // Each has as long to take it as the first.
            let end = (15_000, SessionLook::Offer(attempt));
            assert_eq!(wait_for_end(&mut session), end);
        }
        assert_eq!(wait_for_end(&mut session), (15_000, SessionLook::GiveUp));
    }

    #[test]
    fn what_an_older_worker_kept_is_read() {
        let kept = r#"{"attempt":2,"was_heard":true}"#;
        let session: WatchedSession = serde_json::from_str(kept).expect("read");
        assert_eq!((session.attempt, session.silent_looks), (2, 0));
    }
}
