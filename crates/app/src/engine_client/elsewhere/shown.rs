//! What is shown of loops elsewhere: the loops as they were told last, and who works on them.

use super::work::ShownWork;
use crate::engine_client::origin::Origin;
use collie_core::effect::Effect;
use collie_core::error_code::ErrorCode;
use collie_core::ids::LoopId;
use collie_core::loop_state::LoopState;
use collie_core::pause::Pause;
use collie_core::queue_place::QueuePlace;
use collie_core::user_error::UserError;
use collie_engine::ports::{ProjectionJournal, StoreError};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// What is shown.
#[derive(Default)]
pub(super) struct Shown {
    pub loops: BTreeMap<LoopId, ShownLoop>,
    /// How many changes of the engine are known.
    pub position: Option<u64>,
    /// Which engine that is.
    pub engine: Option<String>,
    pub pause: Option<Pause>,
    /// Who works and who waits.
    pub work: ShownWork,
    pub problem: Option<UserError>,
}

pub(super) struct ShownLoop {
    pub version: Option<u64>,
    pub state: Arc<LoopState>,
}

impl Shown {
    /// What the journal has of loops of an engine.
    pub async fn read(journal: &dyn ProjectionJournal, origin: Origin) -> Result<Self, StoreError> {
        // How far it is first: of what another process writes in between more is shown than is known, and it is asked for again.
        let mut progress = journal.projection_progress().await?;
        let loops = journal.loops().await?.into_iter().map(|state| {
            let version = progress.versions.remove(&state.id);
            let state = Arc::new(state);
            (state.id.clone(), ShownLoop { version, state })
        });
        Ok(Self {
            loops: loops.collect(),
            position: progress.position,
            engine: origin.engine,
            pause: journal.pause().await?,
            work: ShownWork::default(),
            problem: Some(UserError::new(ErrorCode::Starting)),
        })
    }

    /// Whether it is to be asked who works: somebody may, or was shown to, or it was never asked.
    pub fn may_have_work(&self) -> bool {
        let mut loops = self.loops.values();
        !self.work.is_known_idle() || loops.any(|it| has_session(&it.state))
    }

    /// Takes over who works and who waits; the loops to be shown anew.
    pub fn take_work(&mut self, work: ShownWork) -> BTreeSet<LoopId> {
        let changed = work.changed_since(&self.work);
        self.work = work;
        changed
    }

    /// How a loop waits for work that could begin.
    pub fn queue_place(&self, id: &LoopId) -> Option<QueuePlace> {
        let place = self.work.place(id)?;
        // What its events say is newer than what was told of the queue.
        self.loops.get(id).filter(|it| has_session(&it.state))?;
        let branch_held_by = match &place.holder {
            Some(holder) => Some(self.loops.get(holder)?.state.pull_name()),
            None => None,
        };
        Some(QueuePlace {
            position: place.position,
            branch_held_by,
        })
    }

    /// The same of all loops that wait.
    pub fn queue_places(&self) -> BTreeMap<LoopId, QueuePlace> {
        let place = |id: &LoopId| Some((id.clone(), self.queue_place(id)?));
        self.loops.keys().filter_map(place).collect()
    }

    /// The names of the workers that have a loop's sessions, in order.
    pub fn workers(&self, id: &LoopId) -> Vec<String> {
        let has_work = self.loops.get(id).is_some_and(|it| has_session(&it.state));
        let workers = self.work.workers(id).filter(|_| has_work);
        workers.cloned().collect()
    }
}

/// Whether a loop has work that lasts: a worker has it, or it waits for one.
fn has_session(state: &LoopState) -> bool {
    state.outbox.effects.values().any(Effect::takes_slot)
}

#[cfg(test)]
mod tests {
    use super::*;
    use collie_core::effect::VerifyEffect;
    use collie_core::ids::{Login, RepoName, RunId, Sha, Time};
    use collie_core::loop_state::{NewLoop, PullRequest};
    use collie_core::policy::Policy;
    use collie_engine::SlotUsage;
    use collie_engine::ports::WorkElsewhere;

    fn id(number: u64) -> LoopId {
        LoopId {
            host: "github.com".into(),
            repo_id: "R_1".into(),
            number,
        }
    }

    fn state(number: u64, has_work: bool) -> LoopState {
        let new = NewLoop {
            id: id(number),
            pull: PullRequest {
                repo: RepoName::parse("acme/api").unwrap(),
                title: "t".into(),
                author: None,
                url: String::new(),
                head_ref: "topic".into(),
                base_ref: "main".into(),
            },
            run: RunId::new("run"),
            started_by: Login::new("kim"),
            policy: Policy::default(),
        };
        let mut state = LoopState::new(new, Time(1));
        state.outbox.effects.clear();
        if has_work {
            let sha = |digit: &str| Sha::parse(&digit.repeat(40)).unwrap();
            let verify = VerifyEffect {
                commit: sha("a"),
                from: sha("b"),
                base: sha("c"),
                not_before: Time(1),
                failures: 0,
            };
            let run = state.run.id.clone();
            state.outbox.ask(&run, Effect::Verify(verify));
        }
        state
    }

    /// Loops 1 to 9, of which the first ones have work.
    fn shown(with_work: u64) -> Shown {
        let loops = (1..=9).map(|number| {
            let shown = ShownLoop {
                version: Some(1),
                state: Arc::new(state(number, number <= with_work)),
            };
            (id(number), shown)
        });
        Shown {
            loops: loops.collect(),
            ..Shown::default()
        }
    }

    fn work() -> WorkElsewhere {
        WorkElsewhere {
            revision: 4,
            slots: Some(1),
            working: 1,
            queue: vec![id(3), id(2)],
            branches: vec![(id(1), vec![id(4)])],
            workers: vec![
                (id(1), "two".into()),
                (id(1), "one".into()),
                (id(1), "two".into()),
            ],
        }
    }

    fn place(position: u32, held_by: Option<&LoopState>) -> Option<QueuePlace> {
        Some(QueuePlace {
            position,
            branch_held_by: held_by.map(LoopState::pull_name),
        })
    }

    #[test]
    fn who_waits_has_a_place_or_somebody_who_is_waited_for_and_who_works_a_worker() {
        let mut shown = shown(4);
        shown.take_work(ShownWork::told(work()));
        assert_eq!(shown.queue_place(&id(3)), place(1, None));
        assert_eq!(shown.queue_place(&id(2)), place(2, None));
        let holder = state(1, true);
        assert_eq!(shown.queue_place(&id(4)), place(1, Some(&holder)));
        assert_eq!(shown.queue_place(&id(1)), None);
        assert!(shown.queue_places().into_keys().eq([2, 3, 4].map(id)));
        assert_eq!(shown.workers(&id(1)), ["one", "two"]);
        assert_eq!(shown.workers(&id(2)), Vec::<String>::new());
        let slots = SlotUsage {
            slots: 1,
            working: 1,
            queued: 2,
        };
        assert_eq!(shown.work.slots, Some(slots));
    }

    #[test]
    fn a_loop_that_has_nothing_to_do_any_more_neither_waits_nor_works() {
        let mut shown = shown(0);
        shown.take_work(ShownWork::told(work()));
        assert_eq!(shown.queue_place(&id(3)), None);
        assert_eq!(shown.workers(&id(1)), Vec::<String>::new());
    }

    /// It is asked each half second: loops that wait for people or checks cost nothing.
    #[test]
    fn nobody_is_asked_while_nobody_works() {
        let mut idle = shown(0);
        assert!(idle.may_have_work(), "it was never asked");
        idle.take_work(ShownWork::told(WorkElsewhere::default()));
        assert!(!idle.may_have_work());
        idle.take_work(ShownWork::unknown());
        assert!(!idle.may_have_work());
        // Until it is told that the last one has ended.
        idle.take_work(ShownWork::told(work()));
        assert!(idle.may_have_work());
        let mut busy = shown(1);
        busy.take_work(ShownWork::told(WorkElsewhere::default()));
        assert!(busy.may_have_work(), "it may begin at any time");
    }

    #[test]
    fn loops_are_shown_anew_that_came_into_the_queue_or_went_to_another_worker() {
        let mut shown = shown(9);
        let changed = shown.take_work(ShownWork::told(work()));
        assert_eq!(changed, BTreeSet::from([1, 2, 3, 4].map(id)));
        let again = shown.take_work(ShownWork::told(work()));
        assert_eq!(again, BTreeSet::new());
        let mut next = work();
        next.queue.push(id(7));
        next.workers = vec![(id(3), "one".into())];
        let changed = shown.take_work(ShownWork::told(next));
        assert_eq!(changed, BTreeSet::from([1, 3, 7].map(id)));
    }
}
