//! What the tray and the notifications need to know of every loop, kept from the stream of updates.

use collie_core::lifecycle::State;
use collie_wire::{LoopView, Standing};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// How a loop looks from afar.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Member {
    title: String,
    state: State,
    standing: Standing,
}

/// A loop that waits for a person, as the tray's menu shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// `owner/repo#n`.
    pub key: String,
    /// Title of the pull request.
    pub title: String,
    /// [`Standing::Ready`] or [`Standing::NeedsYou`].
    pub standing: Standing,
}

/// News that is worth a notification.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct News {
    /// `owner/repo#n`.
    pub key: String,
    /// Title of the pull request.
    pub title: String,
    /// The state it came to: ready, needs_human or failed.
    pub state: State,
}

/// Every loop from afar, by key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Flock(BTreeMap<String, Member>);

impl Flock {
    /// Takes all loops as they are now. What was not known before is no news; what changed since is.
    pub fn replace(&mut self, loops: &[LoopView]) -> Vec<News> {
        let now: BTreeMap<String, Member> = loops
            .iter()
            .map(|view| (view.key.clone(), Member::of(view)))
            .collect();
        let before = std::mem::replace(&mut self.0, now);
        let changed = |(key, member): (&String, &Member)| {
            before
                .get(key)
                .and_then(|before| news(key, before.state, member))
        };
        self.0.iter().filter_map(changed).collect()
    }

    /// Takes what changed of one loop; all of it for a new one. Says when that is news.
    pub fn change(&mut self, key: &str, changed: &Map<String, Value>) -> Option<News> {
        let Some(member) = self.0.get_mut(key) else {
            let member = Member::begun(changed)?;
            self.0.insert(key.to_owned(), member);
            return None;
        };
        let before = member.state;
        member.take(changed);
        news(key, before, member)
    }

    /// The loops that wait for a person: ready ones first, then by key.
    pub fn waiting(&self) -> Vec<Waiting> {
        let mut waiting: Vec<Waiting> = self
            .0
            .iter()
            .filter(|(_, member)| matches!(member.standing, Standing::Ready | Standing::NeedsYou))
            .map(|(key, member)| Waiting {
                key: key.clone(),
                title: member.title.clone(),
                standing: member.standing,
            })
            .collect();
        waiting.sort_by(|a, b| a.standing.cmp(&b.standing).then_with(|| a.key.cmp(&b.key)));
        waiting
    }
}

impl Member {
    fn of(view: &LoopView) -> Self {
        Self {
            title: view.title.clone(),
            state: view.state,
            standing: view.standing,
        }
    }

    /// A loop that was not known; none where the change does not say how it stands.
    fn begun(changed: &Map<String, Value>) -> Option<Self> {
        let mut member = Self {
            title: String::new(),
            state: word(changed, "state")?,
            standing: word(changed, "standing")?,
        };
        member.take(changed);
        Some(member)
    }

    fn take(&mut self, changed: &Map<String, Value>) {
        if let Some(title) = word(changed, "title") {
            self.title = title;
        }
        if let Some(state) = word(changed, "state") {
            self.state = state;
        }
        if let Some(standing) = word(changed, "standing") {
            self.standing = standing;
        }
    }
}

fn word<T: DeserializeOwned>(changed: &Map<String, Value>, name: &str) -> Option<T> {
    serde_json::from_value(changed.get(name)?.clone()).ok()
}

fn news(key: &str, before: State, now: &Member) -> Option<News> {
    let told = match now.state {
        State::PrReadyToMerge | State::NeedsHuman | State::Failed => now.state != before,
        State::PrCreated
        | State::PrAwaitingChecks
        | State::PrReviewing
        | State::PrFixing
        | State::Merged
        | State::Closed
        | State::Cancelled => false,
    };
    told.then(|| News {
        key: key.to_owned(),
        title: now.title.clone(),
        state: now.state,
    })
}

#[cfg(test)]
mod tests {
    use super::Flock;
    use collie_core::lifecycle::State;
    use collie_wire::Standing;
    use serde_json::{Map, Value, json};

    fn change(value: Value) -> Map<String, Value> {
        value.as_object().expect("an object").clone()
    }

    fn flock(loops: &[(&str, &str)]) -> Flock {
        let mut flock = Flock::default();
        for (key, state) in loops {
            let title = format!("About {key}");
            let begun = change(json!({ "state": state, "standing": "working", "title": title }));
            assert_eq!(flock.change(key, &begun), None, "a start is no news");
        }
        flock
    }

    #[test]
    fn coming_to_an_end_or_to_a_person_is_news_once() {
        for (word, state) in [
            ("pr_ready_to_merge", State::PrReadyToMerge),
            ("needs_human", State::NeedsHuman),
            ("failed", State::Failed),
        ] {
            let mut flock = flock(&[("a/b#1", "pr_reviewing")]);
            let news = flock.change("a/b#1", &change(json!({ "state": word })));
            let news = news.expect(word);
            assert_eq!((news.state, news.title.as_str()), (state, "About a/b#1"));
            assert_eq!(
                flock.change("a/b#1", &change(json!({ "state": word, "iteration": 2 }))),
                None
            );
            assert_eq!(
                flock.change("a/b#1", &change(json!({ "title": "x" }))),
                None
            );
            // It goes on and comes back: that is news again.
            assert_eq!(
                flock.change("a/b#1", &change(json!({ "state": "pr_awaiting_checks" }))),
                None
            );
            assert!(
                flock
                    .change("a/b#1", &change(json!({ "state": word })))
                    .is_some()
            );
        }
    }

    #[test]
    fn other_ends_are_no_news() {
        for word in ["merged", "closed", "cancelled", "pr_fixing"] {
            let mut flock = flock(&[("a/b#1", "pr_reviewing")]);
            assert_eq!(
                flock.change("a/b#1", &change(json!({ "state": word }))),
                None
            );
        }
    }

    #[test]
    fn ready_ones_are_told_before_those_that_need_a_person() {
        let mut flock = flock(&[
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
            flock.change(key, &change(json!({ "standing": standing })));
        }
        let waiting: Vec<_> = flock
            .waiting()
            .into_iter()
            .map(|w| (w.key, w.standing))
            .collect();
        let expect = [
            ("a/b#2", Standing::Ready),
            ("a/b#1", Standing::NeedsYou),
            ("a/b#3", Standing::NeedsYou),
            ("a/b#4", Standing::NeedsYou),
        ];
        assert_eq!(
            waiting,
            expect.map(|(key, standing)| (key.to_owned(), standing))
        );
    }

    #[test]
    fn what_is_no_loop_is_left_out() {
        let mut flock = Flock::default();
        assert_eq!(
            flock.change("a/b#1", &change(json!({ "title": "x" }))),
            None
        );
        assert_eq!(flock.change("a/b#1", &change(json!({ "state": 7 }))), None);
        assert!(flock.waiting().is_empty());
    }
}
