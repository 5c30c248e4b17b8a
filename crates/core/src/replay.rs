//! The journal folded again: each event that was recorded goes through [`step`] once more, and what comes of it is held against what was
//! written down then (§10, §14). Pure, like all that is decided.

use crate::event::Event;
use crate::ids::{EffectId, Time};
use crate::loop_state::LoopState;
use crate::note::Note;
use crate::reading_times::ReadingTimes;
use crate::step::{Step, step};

/// An event as the journal has it, with what it came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedStep {
    /// When it was applied.
    pub at: Time,
    /// The state before it, where that was written down whole: at the first event of a run, after a start of the engine, and now and then.
    pub before: Option<Box<LoopState>>,
    /// The times of reading of the state before, where readings that showed nothing new had changed them.
    pub times: Option<ReadingTimes>,
    /// What happened; none for a loop that was made or restored, which begins with the state after it.
    pub event: Option<Box<Event>>,
    /// The state after it.
    pub after: Box<LoopState>,
    /// What was asked for, in order.
    pub effects: Vec<EffectId>,
    /// Remarks.
    pub notes: Vec<Note>,
}

/// In what the rules of today come to something else than was recorded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReplayDifference {
    /// The state after it.
    pub state: Option<StatePair>,
    /// Effects that were asked for then and are not now.
    pub effects_gone: Vec<EffectId>,
    /// Effects that are asked for now and were not then.
    pub effects_new: Vec<EffectId>,
    /// Remarks that were made then and are not now.
    pub notes_gone: Vec<Note>,
    /// Remarks that are made now and were not then.
    pub notes_new: Vec<Note>,
}

/// Two states that should be one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatePair {
    /// As it was written down.
    pub recorded: Box<LoopState>,
    /// As the rules of today have it.
    pub replayed: Box<LoopState>,
}

/// What became of one entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Replayed {
    /// The loop begins here: nothing is decided, its state is taken as it was written down.
    Begins(Box<LoopState>),
    /// It was decided again, with what it differs in from what was recorded.
    Stepped {
        /// What it comes to today.
        step: Box<Step>,
        /// None where that is what was recorded.
        difference: Option<Box<ReplayDifference>>,
    },
    /// Not enough of it was kept: what was read, or the state before it.
    NotRecorded,
}

/// Folds recorded events, in order.
#[derive(Clone, Debug, Default)]
pub struct Replay {
    state: Option<Box<LoopState>>,
}

impl Replay {
    /// One that knows no state yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// The state that it has come to.
    pub fn state(&self) -> Option<&LoopState> {
        self.state.as_deref()
    }

    /// Takes up the next entry; none where it was recorded without what a replay needs, which the fold cannot pass: it goes on where a
    /// state was written down whole.
    pub fn next(&mut self, recorded: Option<&RecordedStep>) -> Replayed {
        let Some(recorded) = recorded else {
            self.state = None;
            return Replayed::NotRecorded;
        };
        let Some(event) = &recorded.event else {
            self.state = Some(recorded.after.clone());
            return Replayed::Begins(recorded.after.clone());
        };
        let carried = self.state.take();
        let Some(mut before) = carried.or_else(|| recorded.before.clone()) else {
            return Replayed::NotRecorded;
        };
        if let Some(times) = &recorded.times {
            before.set_reading_times(times);
        }
        let step = step(&before, event, recorded.at);
        self.state = Some(Box::new(step.state.clone()));
        Replayed::Stepped {
            difference: difference(recorded, &step).map(Box::new),
            step: Box::new(step),
        }
    }
}

fn difference(recorded: &RecordedStep, step: &Step) -> Option<ReplayDifference> {
    let state = (*recorded.after != step.state).then(|| StatePair {
        recorded: recorded.after.clone(),
        replayed: Box::new(step.state.clone()),
    });
    let found = ReplayDifference {
        state,
        effects_gone: missing(&recorded.effects, &step.effects),
        effects_new: missing(&step.effects, &recorded.effects),
        notes_gone: missing(&recorded.notes, &step.notes),
        notes_new: missing(&step.notes, &recorded.notes),
    };
    (found != ReplayDifference::default()).then_some(found)
}

/// What of the first list is not in the second.
fn missing<T: Clone + PartialEq>(of: &[T], within: &[T]) -> Vec<T> {
    of.iter()
        .filter(|one| !within.contains(one))
        .cloned()
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::Cancel;
    use crate::ids::Login;
    use crate::step::is_quiet;
    use crate::test_support::LoopFixture;

    /// Some events of a loop as a journal has them: a reading that shows nothing new has no entry.
    struct Recorder {
        state: LoopState,
        recorded: Vec<RecordedStep>,
    }

    impl Recorder {
        fn begin(state: &LoopState, at: Time) -> Self {
            let begins = RecordedStep {
                at,
                before: None,
                times: None,
                event: None,
                after: Box::new(state.clone()),
                effects: vec![],
                notes: vec![],
            };
            Self {
                state: state.clone(),
                recorded: vec![begins],
            }
        }

        fn apply(&mut self, event: Event, at: Time) -> &mut Self {
            let step = step(&self.state, &event, at);
            let before = std::mem::replace(&mut self.state, step.state.clone());
            if !is_quiet(&before, &step) {
                self.recorded.push(RecordedStep {
                    at,
                    before: None,
                    times: Some(before.reading_times()),
                    event: Some(Box::new(event)),
                    after: Box::new(step.state),
                    effects: step.effects,
                    notes: step.notes,
                });
            }
            self
        }
    }

    fn some_run() -> Vec<RecordedStep> {
        let mut w = LoopFixture::new();
        let mut run = Recorder::begin(&w.state, w.now);
        for minute in 0..6_u64 {
            w.snapshot.read_at = w.now;
            if minute == 3 {
                w.snapshot.draft = true;
            }
            run.apply(Event::observed(w.snapshot.clone()), w.now);
            w.advance(60_000);
        }
        let by = Login::new("kim");
        run.apply(Event::Cancel(Cancel { by }), w.now);
        run.recorded
    }

    fn differences(recorded: &[RecordedStep]) -> Vec<Option<Box<ReplayDifference>>> {
        let mut replay = Replay::new();
        recorded
            .iter()
            .map(|one| match replay.next(Some(one)) {
                Replayed::Stepped { difference, .. } => difference,
                Replayed::Begins(_) => None,
                Replayed::NotRecorded => panic!("{one:?} was recorded"),
            })
            .collect()
    }

    #[test]
    fn what_was_recorded_comes_to_the_same_again() {
        let run = some_run();
        assert!(run.len() > 2, "{} entries", run.len());
        assert!(differences(&run).iter().all(Option::is_none));
        let mut replay = Replay::new();
        run.iter().for_each(|one| {
            replay.next(Some(one));
        });
        assert_eq!(replay.state(), run.last().map(|last| &*last.after));
    }

    #[test]
    fn readings_that_showed_nothing_new_are_made_up_for_by_their_times() {
        let mut run = some_run();
        let last = run.last_mut().unwrap();
        let carried = last.times.take();
        assert!(carried.is_some());
        // The cancelled run keeps when it was last read, and that was a reading without an entry.
        assert!(differences(&run).last().unwrap().is_some());
    }

    #[test]
    fn the_first_difference_names_state_effects_and_remarks() {
        let mut run = some_run();
        let asked = run[1].effects.clone();
        assert!(!asked.is_empty());
        run[1].after.run.fixing.iteration += 1;
        run[1].effects = vec![EffectId::new("other")];
        run[1].notes = vec![Note::RightsGranted];
        let found = differences(&run);
        let first = found[1].as_ref().expect("a difference");
        let pair = first.state.as_ref().expect("of the state");
        assert_eq!(
            pair.recorded.run.fixing.iteration,
            pair.replayed.run.fixing.iteration + 1
        );
        assert_eq!(first.effects_gone, [EffectId::new("other")]);
        assert_eq!(first.effects_new, asked);
        assert_eq!(first.notes_gone, [Note::RightsGranted]);
        // What follows goes on from what the rules say, not from what was written down.
        assert!(found[2..].iter().all(Option::is_none));
    }

    #[test]
    fn after_a_gap_it_goes_on_where_a_state_was_written_down_whole() {
        let mut run = some_run();
        let mut replay = Replay::new();
        replay.next(Some(&run[0]));
        assert_eq!(replay.next(None), Replayed::NotRecorded);
        assert_eq!(replay.next(Some(&run[2])), Replayed::NotRecorded);
        run[2].before = Some(run[1].after.clone());
        let gone_on = replay.next(Some(&run[2]));
        assert!(
            matches!(
                gone_on,
                Replayed::Stepped {
                    difference: None,
                    ..
                }
            ),
            "{gone_on:?}"
        );
    }
}
