//! Who of a fleet may work (§2): few loops at once, and whoever has least comes first, so that no repository and no person keeps the
//! others waiting.

use crate::loop_key::LoopKey;
use collie_core::ids::{EffectId, Login, RepoName};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

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

    /// How many loops have a slot.
    pub fn working(&self) -> usize {
        self.working_keys().len()
    }

    fn working_keys(&self) -> BTreeSet<&LoopKey> {
        self.working.values().map(|wish| &wish.key).collect()
    }

    /// The loops that wait, in the order in which they would begin if one slot after the other became free, and nobody else came or went.
    pub fn order(&self) -> Vec<LoopKey> {
        let mut busy = BusyLoops::of(self.working.values());
        let mut seen = self.working_keys();
        // Of those who have as much at work, whoever came first; so only the first of each line can be next.
        let mut lines: BTreeMap<(&Login, &RepoName), VecDeque<(usize, &SlotWish)>> =
            BTreeMap::new();
        for (at, wish) in self.waiting.iter().enumerate() {
            if seen.insert(&wish.key) {
                let line = lines.entry((&wish.person, &wish.repo)).or_default();
                line.push_back((at, wish));
            }
        }
        let mut order = Vec::new();
        loop {
            let fronts = lines.values().filter_map(VecDeque::front);
            let next = fronts.min_by_key(|(at, wish)| (busy.beside(wish), *at));
            let Some((_, wish)) = next.copied() else {
                return order;
            };
            busy.count(wish);
            order.push(wish.key.clone());
            if let Some(line) = lines.get_mut(&(&wish.person, &wish.repo)) {
                line.pop_front();
            }
        }
    }

    /// The next work that may begin, with so many slots; counted as begun.
    pub fn next(&mut self, slots: usize) -> Option<SlotWish> {
        let busy = BusyLoops::of(self.working.values());
        let working = self.working_keys();
        let is_free = working.len() < slots.max(1);
        let waiting = self.waiting.iter().enumerate();
        // A loop that works already takes no further slot.
        let may = waiting.filter(|(_, wish)| is_free || working.contains(&wish.key));
        let (at, _) = may.min_by_key(|(at, wish)| (busy.beside(wish), *at))?;
        let wish = self.waiting.remove(at);
        self.working.insert(wish.effect.clone(), wish.clone());
        Some(wish)
    }
}

/// Which loops of whom, and of which repository, are at work.
struct BusyLoops<'a> {
    of_person: BTreeMap<&'a Login, BTreeSet<&'a LoopKey>>,
    of_repo: BTreeMap<&'a RepoName, BTreeSet<&'a LoopKey>>,
}

impl<'a> BusyLoops<'a> {
    fn of(working: impl Iterator<Item = &'a SlotWish>) -> Self {
        let mut busy = Self {
            of_person: BTreeMap::new(),
            of_repo: BTreeMap::new(),
        };
        working.for_each(|wish| busy.count(wish));
        busy
    }

    fn count(&mut self, wish: &'a SlotWish) {
        self.of_person
            .entry(&wish.person)
            .or_default()
            .insert(&wish.key);
        self.of_repo
            .entry(&wish.repo)
            .or_default()
            .insert(&wish.key);
    }

    /// How many loops of the same person are at work, and of the same repository: whoever has least comes first.
    fn beside(&self, wish: &SlotWish) -> (usize, usize) {
        let of_person = self.of_person.get(&wish.person).map_or(0, BTreeSet::len);
        let of_repo = self.of_repo.get(&wish.repo).map_or(0, BTreeSet::len);
        (of_person, of_repo)
    }
}

#[cfg(test)]
mod tests {
    use super::{SlotQueue, SlotWish};
    use collie_core::ids::{EffectId, Login, RepoName};
    use std::collections::BTreeSet;

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

    /// What people are shown is what happens, as long as nobody else comes or goes.
    #[test]
    fn those_who_wait_are_told_in_the_order_in_which_they_begin() {
        let mut queue = SlotQueue::default();
        let second = SlotWish {
            effect: EffectId::new("second"),
            ..wish("kim api 3")
        };
        queue.enqueue(wish("kim api 1"));
        assert_eq!(begun(&mut queue, 1), ["kim api 1"]);
        for text in [
            "kim api 2",
            "kim api 3",
            "kim web 2",
            "ana api 4",
            "ana web 5",
            "ben api 6",
        ] {
            queue.enqueue(wish(text));
        }
        queue.enqueue(second);
        let order = queue.order();
        assert_eq!(queue.working(), 1);
        let (mut then, mut seen) = (queue.clone(), BTreeSet::new());
        let wishes = std::iter::from_fn(|| then.next(usize::MAX));
        let begun: Vec<_> = wishes
            .map(|wish| wish.key)
            .filter(|key| seen.insert(key.clone()))
            .collect();
        assert_eq!(order, begun);
        assert_eq!(order.len(), 6, "a loop queues once: {order:?}");
        let first: Vec<_> = order.iter().map(ToString::to_string).take(3).collect();
        assert_eq!(
            first,
            ["github.com/web/5", "github.com/api/6", "github.com/web/2"]
        );
    }
}
