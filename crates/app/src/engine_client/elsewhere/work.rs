//! Who works and who waits on loops elsewhere, as it was told last. Such changes are no events of loops: they are asked for beside them, with one
//! call for all, and only while there is work.

use collie_core::ids::LoopId;
use collie_engine::SlotUsage;
use collie_engine::ports::WorkElsewhere;
use std::collections::{BTreeMap, BTreeSet};

/// Who works and who waits.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct ShownWork {
    /// What is known; none where that is nothing.
    pub revision: Option<u64>,
    /// Slots of the fleet; none where work is not limited, or that is not known.
    pub slots: Option<SlotUsage>,
    places: BTreeMap<LoopId, Place>,
    workers: BTreeMap<LoopId, BTreeSet<String>>,
    was_asked: bool,
    is_idle: bool,
}

/// How a loop waits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub position: u32,
    /// The loop whose push it waits for; none where it waits for a slot.
    pub holder: Option<LoopId>,
}

fn numbered(ids: Vec<LoopId>) -> impl Iterator<Item = (u32, LoopId)> {
    (1..).zip(ids)
}

impl ShownWork {
    /// As it was told.
    pub fn told(work: WorkElsewhere) -> Self {
        let is_idle = work.is_idle();
        let queued = work.queue.len();
        let slots = work.slots.map(|slots| SlotUsage {
            slots,
            working: work.working,
            queued,
        });
        let mut places = BTreeMap::new();
        for (position, id) in numbered(work.queue) {
            let holder = None;
            places.insert(id, Place { position, holder });
        }
        for (holder, waiting) in work.branches {
            for (position, id) in numbered(waiting) {
                let holder = Some(holder.clone());
                places.insert(id, Place { position, holder });
            }
        }
        let mut workers = BTreeMap::<LoopId, BTreeSet<String>>::new();
        for (id, worker) in work.workers {
            workers.entry(id).or_default().insert(worker);
        }
        Self {
            revision: Some(work.revision),
            slots,
            places,
            workers,
            was_asked: true,
            is_idle,
        }
    }

    /// Where it could not be told, as by workers of an older version.
    pub fn unknown() -> Self {
        Self {
            was_asked: true,
            is_idle: true,
            ..Self::default()
        }
    }

    /// Whether it was asked, and nobody worked or waited then.
    pub fn is_known_idle(&self) -> bool {
        self.was_asked && self.is_idle
    }

    /// How a loop waits.
    pub fn place(&self, id: &LoopId) -> Option<&Place> {
        self.places.get(id)
    }

    /// The names of the workers that have a loop's sessions, in order.
    pub fn workers(&self, id: &LoopId) -> impl Iterator<Item = &String> {
        self.workers.get(id).into_iter().flatten()
    }

    /// The loops that are to be shown anew after `before`. Who was queued then is looked at anyway, as places move with each change.
    pub fn changed_since(&self, before: &Self) -> BTreeSet<LoopId> {
        let queued = self.places.keys();
        let queued = queued.filter(|id| !before.places.contains_key(*id));
        let workers = self.workers.keys().chain(before.workers.keys());
        let moved = workers.filter(|id| self.workers.get(*id) != before.workers.get(*id));
        queued.chain(moved).cloned().collect()
    }
}
