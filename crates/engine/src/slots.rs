//! Slots (§2): few loops work at once, the others queue; new work and feedback by turns.

use collie_core::ids::{EffectId, LoopId};
use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Which queue a piece of work belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum QueueKind {
    /// First reviews.
    New,
    /// Everything that follows from feedback: fixes, and reviews of them.
    Feedback,
}

/// How the slots stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SlotUsage {
    /// Slots there are.
    pub slots: usize,
    /// Loops that work.
    pub working: usize,
    /// Loops that queue.
    pub queued: usize,
}

/// Who works and who queues.
#[derive(Default, Debug)]
pub(crate) struct Slots {
    total: usize,
    working: BTreeMap<LoopId, BTreeSet<EffectId>>,
    new: VecDeque<(LoopId, EffectId)>,
    feedback: VecDeque<(LoopId, EffectId)>,
    last_was_new: bool,
    /// The queue by loop, until it changes: with every change of a loop all that queue are asked for.
    by_loop: OnceCell<BTreeMap<LoopId, QueuedLoop>>,
}

/// A loop in the queue.
#[derive(Debug)]
struct QueuedLoop {
    /// Its place, from 1.
    position: u32,
    /// Its work that has not begun.
    work: Vec<EffectId>,
}

impl Slots {
    /// Sets how many there are.
    pub fn set_total(&mut self, total: usize) {
        self.total = total.max(1);
    }

    /// Lines up.
    pub fn enqueue(&mut self, kind: QueueKind, id: LoopId, effect: EffectId) {
        self.by_loop.take();
        match kind {
            QueueKind::New => self.new.push_back((id, effect)),
            QueueKind::Feedback => self.feedback.push_back((id, effect)),
        }
    }

    /// The next piece of work that may begin. A loop that works already needs no further slot; what else may keep work from beginning is
    /// asked of it.
    pub fn next(
        &mut self,
        may_begin: impl Fn(&LoopId, &EffectId) -> bool,
    ) -> Option<(LoopId, EffectId)> {
        let free = self.working.len() < self.total;
        let may = |queue: &VecDeque<(LoopId, EffectId)>| {
            queue.iter().position(|(id, effect)| {
                (free || self.working.contains_key(id)) && may_begin(id, effect)
            })
        };
        let (new, feedback) = (may(&self.new), may(&self.feedback));
        let take_new = match (new, feedback) {
            (Some(_), Some(_)) => !self.last_was_new,
            (Some(_), None) => true,
            (None, Some(_)) => false,
            (None, None) => return None,
        };
        let taken = if take_new {
            self.new.remove(new.unwrap_or(0))
        } else {
            self.feedback.remove(feedback.unwrap_or(0))
        };
        let (id, effect) = taken?;
        self.by_loop.take();
        self.last_was_new = take_new;
        let begun = self.working.entry(id.clone()).or_default();
        begun.insert(effect.clone());
        Some((id, effect))
    }

    /// Not wanted any more, if it has not begun.
    pub fn remove_queued(&mut self, effect: &EffectId) {
        self.by_loop.take();
        self.new.retain(|(_, queued)| queued != effect);
        self.feedback.retain(|(_, queued)| queued != effect);
    }

    /// Whether a piece of work has begun and not ended.
    pub fn has_begun(&self, effect: &EffectId) -> bool {
        let mut begun = self.working.values();
        begun.any(|effects| effects.contains(effect))
    }

    /// Whether a loop has work that has not ended.
    pub fn is_working(&self, id: &LoopId) -> bool {
        self.working.contains_key(id)
    }

    /// Ended.
    pub fn release(&mut self, effect: &EffectId) {
        for effects in self.working.values_mut() {
            effects.remove(effect);
        }
        self.working.retain(|_, effects| !effects.is_empty());
    }

    /// How many there are, how many are taken, and how many loops queue for one.
    pub fn usage(&self) -> SlotUsage {
        let queued: BTreeSet<&LoopId> = self
            .new
            .iter()
            .chain(&self.feedback)
            .map(|(id, _)| id)
            .filter(|id| !self.working.contains_key(id))
            .collect();
        SlotUsage {
            slots: self.total,
            working: self.working.len(),
            queued: queued.len(),
        }
    }

    /// The work of a loop that has not begun.
    pub fn queued_work(&self, id: &LoopId) -> impl Iterator<Item = &EffectId> {
        let queued = self.by_loop().get(id);
        queued.into_iter().flat_map(|queued| &queued.work)
    }

    /// Place in the queue, from 1; none for a loop that does not queue.
    pub fn queue_position(&self, id: &LoopId) -> Option<u32> {
        if self.working.contains_key(id) {
            return None;
        }
        self.by_loop().get(id).map(|queued| queued.position)
    }

    /// Loops with work that has not begun; some may work on something else.
    pub fn queued_loops(&self) -> impl Iterator<Item = &LoopId> {
        self.by_loop().keys()
    }

    fn by_loop(&self) -> &BTreeMap<LoopId, QueuedLoop> {
        self.by_loop.get_or_init(|| self.order_by_loop())
    }

    fn order_by_loop(&self) -> BTreeMap<LoopId, QueuedLoop> {
        let mut queued: BTreeMap<LoopId, QueuedLoop> = BTreeMap::new();
        let (mut a, mut b) = if self.last_was_new {
            (self.feedback.iter(), self.new.iter())
        } else {
            (self.new.iter(), self.feedback.iter())
        };
        loop {
            let pair = [a.next(), b.next()];
            if pair.iter().all(Option::is_none) {
                break;
            }
            for (id, effect) in pair.into_iter().flatten() {
                let position = u32::try_from(queued.len() + 1).unwrap_or(u32::MAX);
                let of_loop = queued.entry(id.clone()).or_insert_with(|| QueuedLoop {
                    position,
                    work: Vec::new(),
                });
                of_loop.work.push(effect.clone());
            }
        }
        queued
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(number: u64) -> LoopId {
        LoopId {
            host: "h".into(),
            repo_id: "r".into(),
            number,
        }
    }

    fn effect(name: &str) -> EffectId {
        EffectId::new(name)
    }

    /// So many loops that queue for their first review, each with work of its number.
    fn queueing(count: u64) -> Slots {
        let mut slots = Slots::default();
        for n in 1..=count {
            slots.enqueue(QueueKind::New, id(n), effect(&n.to_string()));
        }
        slots
    }

    fn next(slots: &mut Slots) -> Option<EffectId> {
        slots.next(|_, _| true).map(|(_, effect)| effect)
    }

    #[test]
    fn three_loops_work_and_the_others_see_their_place() {
        let mut slots = queueing(5);
        slots.set_total(3);
        let begun: Vec<_> = std::iter::from_fn(|| next(&mut slots)).collect();
        assert_eq!(begun, [effect("1"), effect("2"), effect("3")]);
        assert_eq!(
            [1, 4, 5].map(|n| slots.queue_position(&id(n))),
            [None, Some(1), Some(2)]
        );
        slots.release(&effect("2"));
        assert_eq!(next(&mut slots), Some(effect("4")));
        assert_eq!(next(&mut slots), None);
    }

    #[test]
    fn places_move_with_whatever_happens_before_them() {
        let mut slots = queueing(4);
        slots.set_total(1);
        let places = |slots: &Slots| [1, 2, 3, 4].map(|n| slots.queue_position(&id(n)));
        assert_eq!(places(&slots), [Some(1), Some(2), Some(3), Some(4)]);
        assert_eq!(next(&mut slots), Some(effect("1")));
        assert_eq!(places(&slots), [None, Some(1), Some(2), Some(3)]);
        slots.remove_queued(&effect("2"));
        assert_eq!(places(&slots), [None, None, Some(1), Some(2)]);
        slots.enqueue(QueueKind::Feedback, id(2), effect("fed"));
        assert_eq!(places(&slots), [None, Some(1), Some(2), Some(3)]);
        slots.release(&effect("1"));
        assert_eq!(places(&slots), [None, Some(1), Some(2), Some(3)]);
    }

    /// Each that queues is asked for its place with every change. Counted anew for each, this would not end.
    #[test]
    fn thousands_that_queue_have_their_places() {
        let slots = queueing(20_000);
        let places = (1..=20_000).map(|n| slots.queue_position(&id(n)));
        assert!(places.eq((1..=20_000).map(Some)));
    }

    #[test]
    fn a_loop_that_works_takes_no_second_slot() {
        let mut slots = Slots::default();
        slots.set_total(1);
        slots.enqueue(QueueKind::New, id(1), effect("a"));
        slots.enqueue(QueueKind::New, id(2), effect("c"));
        slots.enqueue(QueueKind::New, id(1), effect("b"));
        assert_eq!(next(&mut slots), Some(effect("a")));
        assert_eq!(next(&mut slots), Some(effect("b")));
        assert_eq!(next(&mut slots), None);
        let standing = SlotUsage {
            slots: 1,
            working: 1,
            queued: 1,
        };
        assert_eq!(slots.usage(), standing);
    }

    #[test]
    fn new_work_and_feedback_take_turns() {
        let mut slots = Slots::default();
        slots.set_total(4);
        for n in 1..=2 {
            slots.enqueue(QueueKind::New, id(n), effect(&format!("new{n}")));
            slots.enqueue(QueueKind::Feedback, id(10 + n), effect(&format!("fed{n}")));
        }
        let begun: Vec<_> = std::iter::from_fn(|| next(&mut slots)).collect();
        assert_eq!(begun, ["new1", "fed1", "new2", "fed2"].map(effect));
    }

    #[test]
    fn what_may_not_begin_holds_up_nobody_behind_it() {
        let mut slots = Slots::default();
        slots.set_total(2);
        for n in 1..=2 {
            slots.enqueue(QueueKind::Feedback, id(n), effect(&n.to_string()));
        }
        let not_the_first = |id: &LoopId, _: &EffectId| id.number != 1;
        assert_eq!(slots.next(not_the_first), Some((id(2), effect("2"))));
        assert_eq!(slots.next(not_the_first), None);
        assert_eq!(slots.queue_position(&id(1)), Some(1));
        assert!(slots.has_begun(&effect("2")) && !slots.has_begun(&effect("1")));
        assert_eq!(next(&mut slots), Some(effect("1")));
    }
}
