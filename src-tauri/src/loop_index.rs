//! What the tray and the notifications need to know of every loop, kept from the stream of updates.

use crate::snoozes::Snoozes;
use collie_core::attention::Attention;
use collie_core::ids::Time;
use collie_core::lifecycle::State;
use collie_core::text::UntrustedText;
use collie_wire::LoopView;
use collie_wire::rpc::NotificationKind;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

/// How a loop looks from afar.
#[derive(Clone, Debug, PartialEq, Eq)]
struct LoopSummary {
    title: UntrustedText,
    state: State,
    attention: Attention,
    /// Nobody has read the change that is ready.
    unread: bool,
}

/// A loop that waits for a person, as the tray's menu shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WaitingLoop {
    /// `owner/repo#n`.
    pub key: String,
    /// Title of the pull request, as it can be shown.
    pub title: String,
    /// [`Attention::Ready`] or [`Attention::NeedsYou`].
    pub attention: Attention,
}

/// News that is worth a notification.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notification {
    /// `owner/repo#n`.
    pub key: String,
    /// Title of the pull request, as it can be shown.
    pub title: String,
    /// The state it came to: ready, needs_human or failed.
    pub state: State,
    /// It is ready, and nobody has read the change (§1.5).
    pub unread: bool,
}

/// Every loop from afar, by key, and which of them are out of the way.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LoopIndex {
    loops: BTreeMap<String, LoopSummary>,
    snoozes: Snoozes,
    muted: BTreeSet<NotificationKind>,
}

impl Notification {
    /// What it tells, as the page names it; none where no notification is made of the state.
    pub fn kind(&self) -> Option<NotificationKind> {
        match self.state {
            State::PrReadyToMerge => Some(NotificationKind::Ready),
            State::NeedsHuman => Some(NotificationKind::NeedsYou),
            State::Failed => Some(NotificationKind::Failed),
            State::PrCreated
            | State::PrAwaitingChecks
            | State::PrReviewing
            | State::PrFixing
            | State::Merged
            | State::Closed
            | State::Cancelled => None,
        }
    }
}

impl LoopIndex {
    /// Takes all loops as they are now. What was not known before is no news; what changed since is.
    pub fn replace(&mut self, loops: &[LoopView], at: Time) -> Vec<Notification> {
        let now: BTreeMap<String, LoopSummary> = loops
            .iter()
            .map(|view| (view.key.clone(), LoopSummary::from_view(view)))
            .collect();
        let before = std::mem::replace(&mut self.loops, now);
        let mut notifications = Vec::new();
        for (key, summary) in &self.loops {
            let Some(before) = before.get(key) else {
                continue;
            };
            if !before.stands_as(summary) {
                self.snoozes.end_at_change(key);
            }
            let news = notification(key, before.state, summary);
            notifications.extend(news.filter(|news| self.is_wanted(news, at)));
        }
        notifications
    }

    /// Takes which ones are out of the way now.
    pub fn snooze(&mut self, snoozes: Snoozes) {
        self.snoozes = snoozes;
    }

    /// Takes which kinds of notifications are off now.
    pub fn mute(&mut self, kinds: impl IntoIterator<Item = NotificationKind>) {
        self.muted = kinds.into_iter().collect();
    }

    /// When the next one comes back by itself.
    pub fn next_wake(&self, now: Time) -> Option<Time> {
        self.snoozes.next_end(now)
    }

    /// Takes what changed of one loop; all of it for a new one. Says when that is news.
    pub fn change(
        &mut self,
        key: &str,
        changed: &Map<String, Value>,
        at: Time,
    ) -> Option<Notification> {
        let Some(summary) = self.loops.get_mut(key) else {
            let summary = LoopSummary::from_changes(changed)?;
            self.loops.insert(key.to_owned(), summary);
            return None;
        };
        let before = summary.clone();
        summary.apply(changed);
        if !before.stands_as(summary) {
            self.snoozes.end_at_change(key);
        }
        let news = notification(key, before.state, summary);
        news.filter(|news| self.is_wanted(news, at))
    }

    fn is_wanted(&self, news: &Notification, at: Time) -> bool {
        let is_muted = news.kind().is_some_and(|kind| self.muted.contains(&kind));
        !is_muted && !self.snoozes.hide(&news.key, at)
    }

    /// The loops that wait for a person and are not snoozed: ready ones first, then by key.
    pub fn waiting(&self, now: Time) -> Vec<WaitingLoop> {
        let waits = |summary: &LoopSummary| {
            matches!(summary.attention, Attention::Ready | Attention::NeedsYou)
        };
        let mut waiting: Vec<WaitingLoop> = self
            .loops
            .iter()
            .filter(|(key, summary)| waits(summary) && !self.snoozes.hide(key, now))
            .map(|(key, summary)| WaitingLoop {
                key: key.clone(),
                title: summary.title.to_line().into_owned(),
                attention: summary.attention,
            })
            .collect();
        waiting.sort_by(|a, b| {
            a.attention
                .cmp(&b.attention)
                .then_with(|| a.key.cmp(&b.key))
        });
        waiting
    }
}

impl LoopSummary {
    fn from_view(view: &LoopView) -> Self {
        Self {
            title: view.title.clone(),
            state: view.state,
            attention: view.attention,
            unread: view.proof.as_ref().is_some_and(|proof| proof.unread),
        }
    }

    /// A loop that was not known; none where the change does not say how it stands.
    fn from_changes(changed: &Map<String, Value>) -> Option<Self> {
        let mut summary = Self {
            title: UntrustedText::default(),
            state: field(changed, "state")?,
            attention: field(changed, "attention")?,
            unread: false,
        };
        summary.apply(changed);
        Some(summary)
    }

    /// Whether both wait for the same, as far as this tells.
    fn stands_as(&self, other: &Self) -> bool {
        (self.state, self.attention) == (other.state, other.attention)
    }

    fn apply(&mut self, changed: &Map<String, Value>) {
        if let Some(title) = field(changed, "title") {
            self.title = title;
        }
        if let Some(state) = field(changed, "state") {
            self.state = state;
        }
        if let Some(attention) = field(changed, "attention") {
            self.attention = attention;
        }
        if let Some(proof) = changed.get("proof") {
            self.unread = proof["unread"] == true;
        }
    }
}

fn field<T: DeserializeOwned>(changed: &Map<String, Value>, name: &str) -> Option<T> {
    serde_json::from_value(changed.get(name)?.clone()).ok()
}

fn notification(key: &str, before: State, now: &LoopSummary) -> Option<Notification> {
    let is_notable = match now.state {
        State::PrReadyToMerge | State::NeedsHuman | State::Failed => now.state != before,
        State::PrCreated
        | State::PrAwaitingChecks
        | State::PrReviewing
        | State::PrFixing
        | State::Merged
        | State::Closed
        | State::Cancelled => false,
    };
    is_notable.then(|| Notification {
        key: key.to_owned(),
        title: now.title.to_line().into_owned(),
        state: now.state,
        unread: now.unread && now.state == State::PrReadyToMerge,
    })
}

#[cfg(test)]
mod tests {
    use super::{LoopIndex, Notification};
    use crate::snoozes::Snoozes;
    use collie_core::attention::Attention;
    use collie_core::ids::Time;
    use collie_core::lifecycle::State;
    use collie_wire::rpc::{NotificationKind, Snooze};
    use serde_json::{Map, Value, json};

    const NOW: Time = Time(1_000);

    fn tell(
        loop_index: &mut LoopIndex,
        key: &str,
        changed: &Map<String, Value>,
    ) -> Option<Notification> {
        loop_index.change(key, changed, NOW)
    }

    fn change(value: Value) -> Map<String, Value> {
        value.as_object().expect("an object").clone()
    }

    fn loop_index_of(loops: &[(&str, &str)]) -> LoopIndex {
        let mut loop_index = LoopIndex::default();
        for (key, state) in loops {
            let title = format!("About {key}");
            let begun = change(json!({ "state": state, "attention": "working", "title": title }));
            assert_eq!(
                tell(&mut loop_index, key, &begun),
                None,
                "a start is no news"
            );
        }
        loop_index
    }

    #[test]
    fn coming_to_an_end_or_to_a_person_is_news_once() {
        for (word, state) in [
            ("pr_ready_to_merge", State::PrReadyToMerge),
            ("needs_human", State::NeedsHuman),
            ("failed", State::Failed),
        ] {
            let mut loop_index = loop_index_of(&[("a/b#1", "pr_reviewing")]);
            let news = tell(&mut loop_index, "a/b#1", &change(json!({ "state": word })));
            let news = news.expect(word);
            assert_eq!((news.state, news.title.as_str()), (state, "About a/b#1"));
            assert_eq!(
                tell(
                    &mut loop_index,
                    "a/b#1",
                    &change(json!({ "state": word, "iteration": 2 }))
                ),
                None
            );
            assert_eq!(
                tell(&mut loop_index, "a/b#1", &change(json!({ "title": "x" }))),
                None
            );
            // It goes on and comes back: that is news again.
            assert_eq!(
                tell(
                    &mut loop_index,
                    "a/b#1",
                    &change(json!({ "state": "pr_awaiting_checks" }))
                ),
                None
            );
            assert!(tell(&mut loop_index, "a/b#1", &change(json!({ "state": word }))).is_some());
        }
    }

    #[test]
    fn news_of_ready_says_whether_nobody_has_read_the_change() {
        for unread in [true, false] {
            let mut loop_index = loop_index_of(&[("a/b#1", "pr_reviewing")]);
            let ready = json!({ "state": "pr_ready_to_merge", "proof": { "unread": unread } });
            let news = tell(&mut loop_index, "a/b#1", &change(ready)).expect("news");
            assert_eq!(news.unread, unread);
            // A head that came after it says nothing of that.
            let failed = tell(
                &mut loop_index,
                "a/b#1",
                &change(json!({ "state": "failed" })),
            );
            assert!(!failed.expect("news").unread);
        }
    }

    #[test]
    fn other_ends_are_no_news() {
        for word in ["merged", "closed", "cancelled", "pr_fixing"] {
            let mut loop_index = loop_index_of(&[("a/b#1", "pr_reviewing")]);
            assert_eq!(
                tell(&mut loop_index, "a/b#1", &change(json!({ "state": word }))),
                None
            );
        }
    }

    #[test]
    fn ready_ones_are_reported_before_those_that_need_a_person() {
        let mut loop_index = loop_index_of(&[
            ("a/b#1", "needs_human"),
            ("a/b#2", "pr_ready_to_merge"),
            ("a/b#3", "pr_created"),
            ("a/b#4", "failed"),
            ("a/b#5", "merged"),
            ("a/b#6", "pr_awaiting_checks"),
        ]);
        for (key, standing) in [
            ("a/b#1", "needs_you"),
            ("a/b#2", "ready"),
            ("a/b#3", "needs_you"),
            ("a/b#4", "needs_you"),
            ("a/b#5", "over"),
            ("a/b#6", "needs_you"),
            ("a/b#6", "working"),
        ] {
            tell(
                &mut loop_index,
                key,
                &change(json!({ "attention": standing })),
            );
        }
        let waiting: Vec<_> = loop_index
            .waiting(NOW)
            .into_iter()
            .map(|waiting_loop| (waiting_loop.key, waiting_loop.attention))
            .collect();
        let expect = [
            ("a/b#2", Attention::Ready),
            ("a/b#1", Attention::NeedsYou),
            ("a/b#3", Attention::NeedsYou),
            ("a/b#4", Attention::NeedsYou),
        ];
        assert_eq!(
            waiting,
            expect.map(|(key, standing)| (key.to_owned(), standing))
        );
    }

    #[test]
    fn what_is_no_loop_is_left_out() {
        let mut loop_index = LoopIndex::default();
        assert_eq!(
            tell(&mut loop_index, "a/b#1", &change(json!({ "title": "x" }))),
            None
        );
        assert_eq!(
            tell(&mut loop_index, "a/b#1", &change(json!({ "state": 7 }))),
            None
        );
        assert!(loop_index.waiting(NOW).is_empty());
    }

    fn snooze(loop_index: &mut LoopIndex, key: &str, until_ms: Option<i64>) {
        let key = key.to_owned();
        loop_index.snooze(Snoozes::new(vec![Snooze { key, until_ms }]));
    }

    fn ready() -> Map<String, Value> {
        change(json!({ "state": "pr_ready_to_merge", "attention": "ready" }))
    }

    #[test]
    fn kinds_that_are_off_are_no_news_and_count_in_the_tray_all_the_same() {
        let mut loop_index = loop_index_of(&[("a/b#1", "pr_reviewing"), ("a/b#2", "pr_reviewing")]);
        loop_index.mute([NotificationKind::Ready]);
        assert_eq!(tell(&mut loop_index, "a/b#1", &ready()), None);
        assert_eq!(loop_index.waiting(NOW).len(), 1);
        let failed = change(json!({ "state": "failed" }));
        assert!(tell(&mut loop_index, "a/b#1", &failed).is_some());
        loop_index.mute([]);
        assert!(tell(&mut loop_index, "a/b#2", &ready()).is_some());
    }

    #[test]
    fn what_is_snoozed_until_a_time_is_no_news_and_does_not_count_until_then() {
        let mut loop_index = loop_index_of(&[("a/b#1", "pr_reviewing"), ("a/b#2", "pr_reviewing")]);
        snooze(&mut loop_index, "a/b#1", Some(2_000));
        assert_eq!(tell(&mut loop_index, "a/b#1", &ready()), None);
        assert!(tell(&mut loop_index, "a/b#2", &ready()).is_some());
        let keys = |loop_index: &LoopIndex, now| -> Vec<String> {
            let waiting = loop_index.waiting(now).into_iter();
            waiting.map(|waiting_loop| waiting_loop.key).collect()
        };
        assert_eq!(keys(&loop_index, NOW), ["a/b#2"]);
        assert_eq!(loop_index.next_wake(NOW), Some(Time(2_000)));
        assert_eq!(keys(&loop_index, Time(2_000)), ["a/b#1", "a/b#2"]);
    }

    #[test]
    fn what_is_snoozed_until_it_changes_is_news_when_it_does() {
        let mut loop_index = loop_index_of(&[("a/b#1", "needs_human")]);
        tell(
            &mut loop_index,
            "a/b#1",
            &change(json!({ "attention": "needs_you" })),
        );
        snooze(&mut loop_index, "a/b#1", None);
        let count = |loop_index: &LoopIndex| loop_index.waiting(NOW).len();
        // Another title is no change of what is waited for.
        tell(&mut loop_index, "a/b#1", &change(json!({ "title": "x" })));
        assert_eq!(count(&loop_index), 0);
        assert!(tell(&mut loop_index, "a/b#1", &ready()).is_some());
        assert_eq!(count(&loop_index), 1);
    }
}
