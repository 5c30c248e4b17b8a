//! What a replay comes to, entry by entry (§14, `collie replay`): the journal folded again through the rules that decide.

use collie_core::blocker::BlockerCode;
use collie_core::ids::{EffectId, RunId};
use collie_core::loop_state::LoopState;
use collie_core::replay::{Replay, ReplayDifference, Replayed};
use collie_core::step::Step;
use collie_engine::ports::{RecordedEntry, TimelineEffect, TimelineEntry};
use collie_wire::{ReplayChange, ReplayLine, ReplayResult, ReplayedEvent, note_text};
use serde_json::Value;
use std::collections::BTreeSet;

/// What is replayed of a loop.
#[derive(Clone, Copy, Debug, Default)]
pub struct ReplayRange {
    /// This run alone, counted from 1.
    pub run: Option<u32>,
    /// Up to this entry of the journal.
    pub to: Option<u64>,
}

/// A replay of some entries: its lines in order, as far as the first difference.
#[derive(Clone, Debug)]
pub struct LoopReplay {
    /// Each entry with how it would be told today, and its line.
    pub events: Vec<(TimelineEntry, ReplayedEvent)>,
    /// What it came to.
    pub result: ReplayResult,
}

impl LoopReplay {
    /// All of it as JSON is printed.
    pub fn lines(self) -> impl Iterator<Item = ReplayLine> {
        let events = self.events.into_iter();
        events
            .map(|(_, event)| ReplayLine::Event(Box::new(event)))
            .chain([ReplayLine::Replayed(self.result)])
    }
}

/// How many runs the journal has of a loop.
pub fn runs(entries: &[RecordedEntry]) -> Vec<RunId> {
    let mut runs: Vec<RunId> = Vec::new();
    for RecordedEntry { entry, .. } in entries {
        if !runs.contains(&entry.run) {
            runs.push(entry.run.clone());
        }
    }
    runs
}

/// Folds entries of a loop, which are all of its journal, through [`collie_core::step::step`].
pub fn replay(entries: &[RecordedEntry], range: ReplayRange) -> LoopReplay {
    let runs = runs(entries);
    let number_of = |run: &RunId| runs.iter().position(|known| known == run).unwrap_or(0) + 1;
    let mut fold = Replay::new();
    let mut found = LoopReplay {
        events: Vec::new(),
        result: ReplayResult {
            replayed: 0,
            not_recorded: 0,
            same: None,
            seq: None,
            changes: Vec::new(),
            state: None,
        },
    };
    for RecordedEntry { entry, recorded } in entries {
        let run = u32::try_from(number_of(&entry.run)).unwrap_or(u32::MAX);
        if range.run.is_some_and(|wanted| wanted != run) {
            continue;
        }
        if range.to.is_some_and(|last| entry.seq > last) {
            break;
        }
        let replayed = fold.next(recorded.as_ref());
        let difference = found.add(entry, run, replayed, fold.state());
        if let Some(difference) = difference {
            found.result.seq = Some(entry.seq);
            found.result.changes = changes(&difference);
            break;
        }
    }
    let result = &mut found.result;
    result.same = (result.replayed > 0).then_some(result.seq.is_none());
    let state = fold.state().filter(|_| range.to.is_some());
    result.state = state.map(json);
    found
}

impl LoopReplay {
    /// Takes an entry up; what it differs in from what was recorded.
    fn add(
        &mut self,
        entry: &TimelineEntry,
        run: u32,
        replayed: Replayed,
        state: Option<&LoopState>,
    ) -> Option<Box<ReplayDifference>> {
        let (told, dropped, difference) = match replayed {
            Replayed::NotRecorded => {
                self.result.not_recorded += 1;
                let line = event_line(entry, run, None);
                self.events.push((entry.clone(), line));
                return None;
            }
            Replayed::Begins(_) => (entry.clone(), 0, None),
            Replayed::Stepped { step, difference } => {
                (told_today(entry, &step), step.dropped.len(), difference)
            }
        };
        self.result.replayed += 1;
        let line = ReplayedEvent {
            dropped,
            same: Some(difference.is_none()),
            ..event_line(&told, run, state)
        };
        self.events.push((told, line));
        difference
    }
}

/// The entry as it would be written today.
fn told_today(entry: &TimelineEntry, step: &Step) -> TimelineEntry {
    let named = |id: &EffectId| {
        let effect = step.state.outbox.effects.get(id);
        let known = entry.effects.iter().find(|asked| asked.id == *id);
        TimelineEffect {
            id: id.clone(),
            effect: match (effect, known) {
                (Some(effect), _) => effect.name().to_owned(),
                (None, Some(known)) => known.effect.clone(),
                (None, None) => String::new(),
            },
        }
    };
    TimelineEntry {
        to: step.state.run.state,
        effects: step.effects.iter().map(named).collect(),
        notes: step.notes.clone(),
        ..entry.clone()
    }
}

fn event_line(entry: &TimelineEntry, run: u32, state: Option<&LoopState>) -> ReplayedEvent {
    let blocker = state.and_then(|state| state.run.blocker.as_ref());
    let effects = entry.effects.iter().map(|asked| asked.effect.clone());
    ReplayedEvent {
        seq: entry.seq,
        run,
        at: entry.at.rfc3339(),
        event: entry.event.clone(),
        state: state.map(|state| state.run.state),
        blocker: blocker.map(BlockerCode::from),
        effects: effects.collect(),
        dropped: 0,
        notes: entry.notes.iter().map(note_text).collect(),
        same: None,
    }
}

fn json<T: serde::Serialize>(value: &T) -> Value {
    serde_json::to_value(value).expect("a state is plain data")
}

/// Everything that a difference is in.
fn changes(difference: &ReplayDifference) -> Vec<ReplayChange> {
    let mut found = Vec::new();
    if let Some(pair) = &difference.state {
        let (recorded, replayed) = (json(&pair.recorded), json(&pair.replayed));
        compare("/state", Some(&recorded), Some(&replayed), &mut found);
    }
    let ReplayDifference {
        effects_gone,
        effects_new,
        notes_gone,
        notes_new,
        state: _,
    } = difference;
    let effect = |id: &EffectId| ("/effects", json(id));
    let note = |note| ("/notes", json(note));
    let gone = effects_gone.iter().map(effect);
    let gone = gone.chain(notes_gone.iter().map(note));
    let gone = gone.map(|(path, value)| (path, Some(value), None));
    let new = effects_new.iter().map(effect);
    let new = new.chain(notes_new.iter().map(note));
    let new = new.map(|(path, value)| (path, None, Some(value)));
    found.extend(
        gone.chain(new)
            .map(|(path, recorded, replayed)| ReplayChange {
                path: path.to_owned(),
                recorded,
                replayed,
            }),
    );
    found
}

/// Goes down two JSON values side by side and adds where they part.
fn compare(
    path: &str,
    recorded: Option<&Value>,
    replayed: Option<&Value>,
    found: &mut Vec<ReplayChange>,
) {
    match (recorded, replayed) {
        (Some(one), Some(other)) if one == other => {}
        (Some(Value::Object(one)), Some(Value::Object(other))) => {
            let keys: BTreeSet<&String> = one.keys().chain(other.keys()).collect();
            for key in keys {
                // As RFC 6901 writes them.
                let name = key.replace('~', "~0").replace('/', "~1");
                let path = format!("{path}/{name}");
                compare(&path, one.get(key), other.get(key), found);
            }
        }
        (Some(Value::Array(one)), Some(Value::Array(other))) => {
            for nth in 0..one.len().max(other.len()) {
                let path = format!("{path}/{nth}");
                compare(&path, one.get(nth), other.get(nth), found);
            }
        }
        (recorded, replayed) => found.push(ReplayChange {
            path: path.to_owned(),
            recorded: recorded.cloned(),
            replayed: replayed.cloned(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_differs_is_named_by_where_it_is() {
        let mut found = Vec::new();
        let recorded =
            json!({"run": {"state": "a", "a/b": [1, 2]}, "gone": true, "same": {"x": 1}});
        let replayed =
            json!({"run": {"state": "b", "a/b": [1, 3, 4]}, "new": {}, "same": {"x": 1}});
        compare("/state", Some(&recorded), Some(&replayed), &mut found);
        let told: Vec<_> = found
            .iter()
            .map(|change| (change.path.as_str(), &change.recorded, &change.replayed))
            .collect();
        let expect = [
            ("/state/gone", Some(json!(true)), None),
            ("/state/new", None, Some(json!({}))),
            ("/state/run/a~1b/1", Some(json!(2)), Some(json!(3))),
            ("/state/run/a~1b/2", None, Some(json!(4))),
            ("/state/run/state", Some(json!("a")), Some(json!("b"))),
        ];
        let expect: Vec<_> = expect
            .iter()
            .map(|(path, one, other)| (*path, one, other))
            .collect();
        assert_eq!(told, expect);
    }
}
