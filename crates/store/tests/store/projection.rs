//! Loops that live elsewhere: what they tell is written down once, however often and in whatever order it comes.

use crate::support::*;
use collie_core::event::{Cancel, Event};
use collie_core::loop_state::LoopState;
use collie_engine::ports::{
    AppliedStep, Journal, JournalReader, ProjectedChange, ProjectedStep, ProjectionJournal,
};
use collie_engine::{HistoryEntry, apply_event};
use collie_store::Store;
use jiff::tz::TimeZone;

/// A loop as it stands.
fn standing(state: &LoopState) -> AppliedStep {
    AppliedStep {
        inbox: Vec::new(),
        from: None,
        state: state.clone(),
        effects: Vec::new(),
        dropped: Vec::new(),
        notes: Vec::new(),
        at: NOW,
        spent: None,
        spent_on: Vec::new(),
        read_before: None,
    }
}

fn step(version: u64, change: ProjectedChange, applied: AppliedStep) -> ProjectedStep {
    ProjectedStep {
        version,
        change,
        applied,
    }
}

/// The beginning of a loop, and its end by a person.
fn begun_and_cancelled() -> [ProjectedStep; 2] {
    let state = new_loop(1);
    let cancel = Event::Cancel(Cancel { by: login() });
    let done = apply_event(&state, &cancel, NOW.plus(1));
    let entry = HistoryEntry::applied((&state, &cancel), &done, (2, NOW.plus(1)));
    let applied = entry.step_from(&state, &TimeZone::UTC).unwrap();
    [
        step(1, ProjectedChange::Begun, standing(&state)),
        step(2, ProjectedChange::Event(Box::new(cancel)), applied),
    ]
}

async fn events(store: &Store) -> Vec<String> {
    let timeline = store.timeline(&id(1)).await.unwrap();
    timeline.into_iter().map(|entry| entry.event).collect()
}

#[tokio::test]
async fn what_is_told_twice_or_late_changes_nothing() {
    let home = temp_home();
    let store = home.engine().await;
    let [begun, cancelled] = begun_and_cancelled();
    let both = [begun.clone(), cancelled.clone()];
    assert_eq!(store.project(&both).await.unwrap(), 2);
    let shown = store.loops().await.unwrap();
    assert_eq!(shown, std::slice::from_ref(&cancelled.applied.state));
    let seq = store.last_journal_seq().await.unwrap();
    assert_eq!(events(&store).await, ["created", "cancel"]);
    for again in [&both[..], &both[1..], &both[..1]] {
        assert_eq!(store.project(again).await.unwrap(), 0);
    }
    // Also as it stood before, which is older than what is known.
    let older = step(1, ProjectedChange::Replaced, begun.applied.clone());
    assert_eq!(store.project(&[older]).await.unwrap(), 0);
    assert_eq!(store.loops().await.unwrap(), shown);
    assert_eq!(store.last_journal_seq().await.unwrap(), seq);
    assert!(store.unapplied().await.unwrap().is_empty());
    store.set_projection_position(7).await.unwrap();
    store.close().await;
    // After a restart it is known as well.
    let store = home.engine().await;
    let progress = store.projection_progress().await.unwrap();
    assert_eq!(progress.position, Some(7));
    assert_eq!(progress.versions, [(id(1), 2)].into());
    assert_eq!(store.project(&both).await.unwrap(), 0);
    // What happened can be replayed as any journal can.
    let recorded = store.recorded(&id(1)).await.unwrap();
    assert!(recorded.iter().all(|entry| entry.recorded.is_some()));
}

#[tokio::test]
async fn a_loop_whose_beginning_is_not_known_says_so_and_one_that_was_missed_goes_on() {
    let home = temp_home();
    let store = home.engine().await;
    let [begun, cancelled] = begun_and_cancelled();
    let joined = step(5, ProjectedChange::Joined, begun.applied);
    assert_eq!(store.project(&[joined]).await.unwrap(), 1);
    let replaced = step(9, ProjectedChange::Replaced, cancelled.applied);
    assert_eq!(store.project(&[replaced]).await.unwrap(), 1);
    assert_eq!(events(&store).await, ["joined", "engine"]);
    let progress = store.projection_progress().await.unwrap();
    assert_eq!(progress.versions, [(id(1), 9)].into());
}

#[tokio::test]
async fn of_steps_that_cannot_all_be_written_none_is() {
    let home = temp_home();
    let store = home.engine().await;
    let [begun, mut cancelled] = begun_and_cancelled();
    // No such number fits into the database.
    cancelled.version = u64::MAX;
    assert!(store.project(&[begun.clone(), cancelled]).await.is_err());
    assert!(store.loops().await.unwrap().is_empty());
    assert_eq!(store.project(&[begun]).await.unwrap(), 1);
}
