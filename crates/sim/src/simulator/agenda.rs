//! What will happen by itself, in order of time.

use collie_core::ids::Time;
use collie_core::post::RenderedPost;
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use tokio::sync::Notify;

/// Something that happens at a time.
#[derive(Clone, Debug)]
pub enum Happening {
    /// The move of the schedule at this place.
    Planned(usize),
    /// The bot has looked at a head.
    BotReviews {
        /// The place of the pull request.
        pull: usize,
        /// The head.
        head: u64,
    },
    /// The bot contradicts an answer.
    BotInsists {
        /// The place of the pull request.
        pull: usize,
        /// Its thread.
        talk: u64,
    },
    /// A post lands whose sender was told nothing.
    Lands {
        /// The place of the pull request.
        pull: usize,
        /// What.
        rendered: RenderedPost,
    },
    /// People do what a loop may wait for.
    PeopleHelp,
}

/// Everything that will happen.
#[derive(Debug, Default)]
pub struct Agenda {
    entries: Mutex<BTreeMap<(Time, u64), Happening>>,
    changed: Notify,
}

impl Agenda {
    fn entries(&self) -> MutexGuard<'_, BTreeMap<(Time, u64), Happening>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Plans something.
    pub fn add(&self, at: Time, what: Happening) {
        let mut entries = self.entries();
        let last = entries.range((at, 0)..=(at, u64::MAX)).next_back();
        let nth = last.map_or(0, |((_, nth), _)| nth + 1);
        entries.insert((at, nth), what);
        drop(entries);
        self.changed.notify_one();
    }

    /// Takes what is due.
    pub fn take_due(&self, now: Time) -> Option<Happening> {
        let mut entries = self.entries();
        let first = entries.first_entry()?;
        (first.key().0 <= now).then(|| first.remove())
    }

    /// When the next thing is due.
    pub fn next(&self) -> Option<Time> {
        self.entries().first_key_value().map(|((at, _), _)| *at)
    }

    /// Ends when something was planned.
    pub async fn changed(&self) {
        self.changed.notified().await;
    }

    /// Whether nothing but help is to come.
    pub fn is_done(&self) -> bool {
        let entries = self.entries();
        let mut left = entries.values();
        left.all(|what| matches!(what, Happening::PeopleHelp))
    }
}
