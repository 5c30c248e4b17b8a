//! Who of a fleet may work (§2): few loops at once, and whoever has least comes first, so that no repository and no person keeps the
//! others waiting.

use crate::loop_key::LoopKey;
use collie_core::ids::{EffectId, Login, RepoName};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Work that wants to begin.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SlotWish {
    pub key: LoopKey,
    pub effect: EffectId,
    pub repo: RepoName,
    /// For whom the loop runs.
    pub person: Login,
}

/// Who works, and who waits, in the order in which they came.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SlotQueue {
    working: BTreeMap<EffectId, SlotWish>,
    waiting: Vec<SlotWish>,
}

impl SlotQueue {
    /// Lines work up.
    pub fn enqueue(&mut self, wish: SlotWish) {
        let is_known = self.working.contains_key(&wish.effect)
            || self.waiting.iter().any(|other| other.effect == wish.effect);
        if !is_known {
            self.waiting.push(wish);
        }
    }

    /// Work that has ended, or is not wanted any more.
    pub fn release(&mut self, effect: &EffectId) {
        self.working.remove(effect);
        self.waiting.retain(|wish| wish.effect != *effect);
    }

    /// The next work that may begin, with so many slots; counted as begun.
    pub fn next(&mut self, slots: usize) -> Option<SlotWish> {
        let busy = |of: &dyn Fn(&SlotWish) -> bool| {
            let mut keys: Vec<_> = self
                .working
                .values()
                .filter(|wish| of(wish))
                .map(|wish| &wish.key)
                .collect();
            keys.sort_unstable();
            keys.dedup();
            keys.len()
        };
        let is_free = busy(&|_| true) < slots.max(1);
        let works = |key: &LoopKey| self.working.values().any(|wish| wish.key == *key);
        let waiting = self.waiting.iter().enumerate();
        // A loop that works already takes no further slot.
        let may = waiting.filter(|(_, wish)| is_free || works(&wish.key));
        let (at, _) = may.min_by_key(|(at, wish)| {
            let of_person = busy(&|other| other.person == wish.person);
            let of_repo = busy(&|other| other.repo == wish.repo);
            (of_person, of_repo, *at)
        })?;
        let wish = self.waiting.remove(at);
        self.working.insert(wish.effect.clone(), wish.clone());
        Some(wish)
    }
}

#[cfg(test)]
mod tests {
    use super::{SlotQueue, SlotWish};
    use collie_core::ids::{EffectId, Login, RepoName};

    /// Work of a loop, called `person repo number`.
    fn wish(text: &str) -> SlotWish {
        let [person, repo, number] = text.split(' ').collect::<Vec<_>>()[..] else {
            panic!("three words");
        };
        SlotWish {
            key: format!("github.com/{repo}/{number}")
                .parse()
                .expect("a key"),
            effect: EffectId::new(text),
            repo: RepoName::parse(&format!("acme/{repo}")).expect("a name"),
            person: Login::new(person),
        }
    }

    fn begun(queue: &mut SlotQueue, slots: usize) -> Vec<String> {
        std::iter::from_fn(|| queue.next(slots))
            .map(|wish| wish.effect.to_string())
            .collect()
    }

    #[test]
    fn a_person_with_much_to_do_keeps_nobody_waiting() {
        let mut queue = SlotQueue::default();
        for number in 1..=5 {
            queue.enqueue(wish(&format!("kim api {number}")));
        }
        queue.enqueue(wish("ana web 1"));
        queue.enqueue(wish("kim web 2"));
        // Of what is alike, that which came first.
        assert_eq!(
            begun(&mut queue, 3),
            ["kim api 1", "ana web 1", "kim api 2"]
        );
        queue.enqueue(wish("ben api 9"));
        queue.release(&EffectId::new("kim api 1"));
        assert_eq!(begun(&mut queue, 3), ["ben api 9"]);
        // One person's work is shared out among repositories.
        queue.release(&EffectId::new("ana web 1"));
        assert_eq!(begun(&mut queue, 3), ["kim web 2"]);
    }

    #[test]
    fn a_loop_that_works_takes_no_further_slot_and_nothing_begins_twice() {
        let mut queue = SlotQueue::default();
        let second = SlotWish {
            effect: EffectId::new("second"),
            ..wish("kim api 1")
        };
        queue.enqueue(wish("kim api 1"));
        queue.enqueue(wish("kim api 2"));
        queue.enqueue(second.clone());
        queue.enqueue(second);
        assert_eq!(begun(&mut queue, 1), ["kim api 1", "second"]);
        queue.enqueue(wish("kim api 1"));
        queue.release(&EffectId::new("kim api 1"));
        assert_eq!(begun(&mut queue, 1), Vec::<String>::new());
        queue.release(&EffectId::new("second"));
        assert_eq!(begun(&mut queue, 1), ["kim api 2"]);
    }

    #[test]
    fn what_is_not_wanted_any_more_never_begins() {
        let mut queue = SlotQueue::default();
        queue.enqueue(wish("kim api 1"));
        queue.enqueue(wish("kim api 2"));
        queue.release(&EffectId::new("kim api 1"));
        assert_eq!(begun(&mut queue, 2), ["kim api 2"]);
    }
}
