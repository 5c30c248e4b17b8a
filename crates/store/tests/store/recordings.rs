//! What a replay needs of the journal: recorded whole, kept small, and let go of by the rule.

use crate::support::*;
use crate::versions::run_sql;
use collie_core::event::{Event, Observed};
use collie_core::ids::{RunId, Time};
use collie_core::lifecycle::State;
use collie_core::loop_state::LoopState;
use collie_core::replay::{Replay, Replayed};
use collie_core::step::step;
use collie_engine::ports::{AppliedStep, Journal, JournalReader, JournalUpkeep, RecordedEntry};
use collie_store::Store;
use sqlx::{ConnectOptions, Connection};

const MINUTE: u64 = 60_000;

/// A reading of a pull request whose text changes with every `nth`.
fn reading(nth: u64, at: Time) -> Event {
    let Event::Observed(Observed { mut snapshot, .. }) = observed(1) else {
        panic!("a reading")
    };
    snapshot.read_at = at;
    snapshot.title = format!("Mend the fence, part {nth}").as_str().into();
    Event::observed(*snapshot)
}

/// Takes an event in as the engine does: stored, decided, written.
async fn take(store: &Store, state: &mut LoopState, event: Event, at: Time) {
    let inbox = store
        .receive(&[(state.id.clone(), event.clone())], at)
        .await
        .unwrap();
    let done = step(state, &event, at);
    let effects = done.effects.iter();
    let effects = effects.map(|id| (id.clone(), done.state.outbox.effects[id].clone()));
    let one = AppliedStep {
        effects: effects.collect(),
        dropped: done.dropped.clone(),
        notes: done.notes.clone(),
        at,
        ..applied(&inbox, state, done.state.clone())
    };
    store.apply(&[one]).await.unwrap();
    *state = done.state;
}

/// A loop that is read `readings` times, each of which shows another title, and then cancelled.
async fn some_run(store: &Store, readings: u64) -> LoopState {
    let mut state = new_loop(1);
    store.create(&state, &login(), NOW).await.unwrap();
    for nth in 0..readings {
        let at = NOW.plus(nth * MINUTE);
        take(store, &mut state, reading(nth, at), at).await;
    }
    state
}

/// How many entries were folded to what was recorded, and how many could not be folded.
fn folded(entries: &[RecordedEntry]) -> (usize, usize) {
    let (mut same, mut unknown) = (0, 0);
    let mut replay = Replay::new();
    for entry in entries {
        match replay.next(entry.recorded.as_ref()) {
            Replayed::Begins(_)
            | Replayed::Stepped {
                difference: None, ..
            } => same += 1,
            Replayed::NotRecorded => unknown += 1,
            Replayed::Stepped {
                difference: Some(difference),
                ..
            } => panic!("{}: {difference:?}", entry.entry.seq),
        }
    }
    (same, unknown)
}

async fn sql_number(home: &TempHome, sql: &'static str) -> i64 {
    let options = sqlx::sqlite::SqliteConnectOptions::new().filename(home.folder.database());
    let mut connection = options.connect().await.unwrap();
    let number = sqlx::query_scalar(sql).fetch_one(&mut connection).await;
    connection.close().await.unwrap();
    number.unwrap()
}

#[tokio::test]
async fn every_event_that_was_decided_can_be_decided_again() {
    let home = temp_home();
    let store = home.engine().await;
    // Longer than a chain of differences.
    let mut state = some_run(&store, 100).await;
    take(&store, &mut state, cancel(), NOW.plus(100 * MINUTE)).await;
    let entries = store.recorded(&id(1)).await.unwrap();
    assert_eq!(entries.len(), 102);
    assert_eq!(folded(&entries), (102, 0));
    let last = entries.last().unwrap().recorded.as_ref().unwrap();
    assert_eq!(*last.after, state);
    let read = entries[50].recorded.as_ref().unwrap();
    assert_eq!(
        read.event.as_deref(),
        Some(&reading(49, NOW.plus(49 * MINUTE)))
    );
    let whole = entries.iter().filter_map(|entry| entry.recorded.as_ref());
    assert_eq!(whole.filter(|one| one.before.is_some()).count(), 1);
    // What it was is still told, without what was read.
    assert_eq!(store.timeline(&id(1)).await.unwrap().len(), 102);
    store.close().await;
    let readings = "SELECT count(event_json) FROM journal WHERE event = 'observed'";
    assert_eq!(sql_number(&home, readings).await, 0);
}

#[tokio::test]
async fn what_is_recorded_is_small() {
    let home = temp_home();
    some_run(&home.engine().await, 60).await;
    let text = serde_json::to_string(&reading(0, NOW)).unwrap().len();
    assert!(text > 3_000, "a reading has {text} bytes");
    let readings = "SELECT sum(length(reading)) FROM recordings";
    let states = "SELECT sum(length(after)) + sum(length(before)) FROM recordings";
    let (readings, states) = (
        sql_number(&home, readings).await,
        sql_number(&home, states).await,
    );
    assert!(readings < 60 * 120, "{readings} bytes of 60 readings");
    assert!(states < 60 * 200, "{states} bytes of 60 states");
}

#[tokio::test]
async fn a_start_of_the_engine_begins_a_chain_of_its_own() {
    let home = temp_home();
    let store = home.engine().await;
    let mut state = some_run(&store, 3).await;
    store.close().await;
    let store = home.engine().await;
    for nth in 3..6 {
        let at = NOW.plus(nth * MINUTE);
        take(&store, &mut state, reading(nth, at), at).await;
    }
    let entries = store.recorded(&id(1)).await.unwrap();
    assert_eq!(folded(&entries), (7, 0));
    let begins = |entry: &RecordedEntry| entry.recorded.as_ref().unwrap().before.is_some();
    let whole: Vec<usize> = (0..7).filter(|nth| begins(&entries[*nth])).collect();
    assert_eq!(whole, [4]);
    // The second chain needs nothing of the first.
    assert_eq!(folded(&entries[4..]), (3, 0));
}

#[tokio::test]
async fn several_events_in_a_row_are_a_gap_that_the_next_chain_begins_after() {
    let home = temp_home();
    let store = home.engine().await;
    let mut state = some_run(&store, 2).await;
    let events = [(id(1), reading(8, NOW)), (id(1), cancel())];
    let inbox = store.receive(&events, NOW).await.unwrap();
    let done = with_state(&state, State::Cancelled);
    let both = applied(&inbox, &state, done.clone());
    store.apply(&[both]).await.unwrap();
    state = done;
    let at = NOW.plus(MINUTE);
    take(&store, &mut state, reading(9, at), at).await;
    let entries = store.recorded(&id(1)).await.unwrap();
    assert_eq!(folded(&entries), (4, 2));
}

#[tokio::test]
async fn a_reading_that_takes_the_place_of_another_leaves_no_broken_chain() {
    let home = temp_home();
    let store = home.engine().await;
    let mut state = some_run(&store, 2).await;
    // The same again: the store keeps the last of such a row, wherever they come from.
    for nth in 1..4 {
        let at = NOW.plus(10 * nth * MINUTE);
        take(&store, &mut state, reading(1, at), at).await;
    }
    let at = NOW.plus(50 * MINUTE);
    take(&store, &mut state, reading(5, at), at).await;
    let entries = store.recorded(&id(1)).await.unwrap();
    assert_eq!(entries.len(), 5);
    assert_eq!(folded(&entries), (5, 0));
}

/// Ends the run that the loop is in, and begins another.
async fn next_run(store: &Store, state: &mut LoopState, ended: Time) {
    take(store, state, cancel(), ended).await;
    let next = collie_core::event::NextRun {
        by: login(),
        run: RunId::new("run-1b"),
        policy: Box::new(state.run.configuration.policy.clone()),
        extra_rounds: 0,
    };
    take(store, state, Event::Retry(next), ended.plus(MINUTE)).await;
    take(
        store,
        state,
        reading(70, ended.plus(2 * MINUTE)),
        ended.plus(2 * MINUTE),
    )
    .await;
}

#[tokio::test]
async fn a_run_that_ended_long_ago_is_let_go_of_and_what_happened_stays() {
    let home = temp_home();
    let store = home.engine().await;
    let mut state = some_run(&store, 3).await;
    let ended = NOW.plus(10 * MINUTE);
    next_run(&store, &mut state, ended).await;
    let told = store.timeline(&id(1)).await.unwrap();

    // Not yet, and never what is live.
    assert_eq!(
        store.forget_recordings(NOW.plus(9 * MINUTE)).await.unwrap(),
        0
    );
    assert_eq!(folded(&store.recorded(&id(1)).await.unwrap()), (7, 0));
    let far = NOW.plus(1_000_000 * MINUTE);
    assert_eq!(store.forget_recordings(far).await.unwrap(), 5);
    assert_eq!(store.forget_recordings(far).await.unwrap(), 0);

    assert_eq!(store.timeline(&id(1)).await.unwrap(), told);
    let at = ended.plus(3 * MINUTE);
    take(&store, &mut state, reading(71, at), at).await;
    let entries = store.recorded(&id(1)).await.unwrap();
    assert_eq!(folded(&entries), (3, 5));
    assert_eq!(entries[5].entry.run, RunId::new("run-1b"));
}

#[tokio::test]
async fn a_run_that_is_still_read_after_it_ended_builds_on_nothing_that_is_gone() {
    let home = temp_home();
    let store = home.engine().await;
    let mut state = some_run(&store, 3).await;
    take(&store, &mut state, cancel(), NOW.plus(10 * MINUTE)).await;
    let far = NOW.plus(1_000_000 * MINUTE);
    assert_eq!(store.forget_recordings(far).await.unwrap(), 5);
    let at = NOW.plus(20 * MINUTE);
    take(&store, &mut state, reading(80, at), at).await;
    take(&store, &mut state, cancel(), at).await;
    assert_eq!(folded(&store.recorded(&id(1)).await.unwrap()), (2, 5));
}

#[tokio::test]
async fn a_journal_from_before_is_told_as_it_is_and_recorded_from_then_on() {
    let home = temp_home();
    let store = home.engine().await;
    let mut state = some_run(&store, 2).await;
    store.close().await;
    run_sql(&home, "DELETE FROM recordings").await;
    let store = home.engine().await;
    let at = NOW.plus(9 * MINUTE);
    take(&store, &mut state, reading(9, at), at).await;
    let entries = store.recorded(&id(1)).await.unwrap();
    assert_eq!(folded(&entries), (1, 3));
    assert_eq!(entries[0].entry.event, "created");
}

#[tokio::test]
async fn a_damaged_recording_is_an_error_that_says_so() {
    let home = temp_home();
    let store = home.engine().await;
    some_run(&store, 3).await;
    store.close().await;
    run_sql(&home, "UPDATE recordings SET after = x'00' WHERE seq = 3").await;
    let store = home.engine().await;
    let refused = store.recorded(&id(1)).await.unwrap_err();
    assert!(refused.to_string().contains("damaged"), "{refused}");
}
