//! What figures over many runs are made of: written with what it tells of, and taken over from older data.

use crate::support::*;
use crate::versions::run_sql;
use collie_core::blocker::{Stop, StopCode};
use collie_core::ids::{Fingerprint, RunId, Time};
use collie_core::insights::{LoopRun, RunEnd, RunRow, SpendRow};
use collie_core::lifecycle::State;
use collie_core::loop_state::LoopState;
use collie_core::note::Note;
use collie_core::post::Proof;
use collie_core::tracked_finding::TrackedFinding;
use collie_core::usage::Usage;
use collie_engine::ports::{
    AppliedStep, DaySpending, InsightRows, Journal, JournalReader, ModelSpending,
};
use collie_store::Store;
use serde_json::json;

async fn apply_at(store: &Store, before: &LoopState, after: &LoopState, at: Time) {
    apply_with_notes(store, before, after, at, vec![]).await;
}

async fn apply_with_notes(
    store: &Store,
    before: &LoopState,
    after: &LoopState,
    at: Time,
    notes: Vec<Note>,
) {
    let events = [(before.id.clone(), cancel())];
    let inbox = store.receive(&events, at).await.unwrap();
    let step = AppliedStep {
        at,
        notes,
        ..applied(&inbox, before, after.clone())
    };
    store.apply(&[step]).await.unwrap();
}

fn after_minutes(minutes: u64) -> Time {
    NOW.plus(minutes * 60_000)
}

fn in_state(before: &LoopState, to: State, at: Time) -> LoopState {
    let mut after = with_state(before, to);
    after.run.updated_at = at;
    after
}

fn with_finding(mut state: LoopState) -> LoopState {
    let found: TrackedFinding = serde_json::from_value(json!({
        "finding": {
            "id": "f", "priority": "P1", "category": "bug", "file": "a.rs", "line": 3, "title": "t",
            "description": "", "suggestion": null, "kind": "error", "confidence": 1.0, "evidence": null,
            "source": {"type": "agent", "name": "quinn", "reviewId": null, "timestamp": "2026-01-24T00:00:00Z"},
        },
        "fingerprint": "f", "status": "open", "introduced_by_fix": false, "first_round": 1, "last_round": 1,
        "fixed_in": [], "rejection": null, "in_diff": true,
    }))
    .unwrap();
    let findings = &mut state.run.review.findings;
    findings.insert(Fingerprint::new("f"), found);
    state
}

/// A run that was ready twice and stopped, and a second one that went on with it.
async fn write_two_runs(store: &Store) -> LoopState {
    let first = new_loop(1);
    store.create(&first, &login(), NOW).await.unwrap();
    let mut before = with_finding(first);
    for (minutes, to) in [
        (1, State::PrAwaitingChecks),
        (10, State::PrReadyToMerge),
        (20, State::PrReadyToMerge),
        (30, State::PrAwaitingChecks),
        (40, State::PrReadyToMerge),
    ] {
        let after = in_state(&before, to, after_minutes(minutes));
        apply_at(store, &before, &after, after_minutes(minutes)).await;
        before = after;
    }
    let mut stopped = in_state(&before, State::NeedsHuman, after_minutes(50));
    stopped.run.stop = Some(Stop::Stuck { count: 1 });
    apply_at(store, &before, &stopped, after_minutes(50)).await;
    let mut second = stopped.clone().next_run(
        RunId::new("run-2"),
        login(),
        collie_core::policy::Policy::default(),
        after_minutes(60),
    );
    second.run.review.findings = stopped.run.review.findings.clone();
    let begins = vec![Note::RunStarted {
        run: RunId::new("run-2"),
    }];
    apply_with_notes(store, &stopped, &second, after_minutes(60), begins).await;
    second
}

async fn runs(store: &Store) -> Vec<RunRow> {
    store.insights().await.unwrap().runs
}

#[tokio::test]
async fn a_run_is_kept_with_its_times_its_reason_and_what_it_found() {
    let home = temp_home();
    let store = home.engine().await;
    write_two_runs(&store).await;
    let [first, second] = &runs(&store).await[..] else {
        panic!("two runs")
    };
    assert_eq!(
        (first.repo.to_string().as_str(), first.number),
        ("acme/web", 1)
    );
    let times = (first.started_at, first.ready_at, first.ended_at);
    let expected = (NOW, Some(after_minutes(10)), Some(after_minutes(50)));
    assert_eq!(times, expected, "the first time that it was ready stays");
    assert_eq!(first.end(), RunEnd::Stopped(StopCode::Stuck));
    let record = first.record.as_ref().unwrap();
    assert_eq!(
        (record.title.as_str(), record.findings[0].count),
        ("Mend the fence", 1)
    );
    assert!(first.is_continued && first.findings().is_empty());
    assert_eq!(second.started_at, after_minutes(60));
    assert_eq!((second.ready_at, second.ended_at), (None, None));
    assert_eq!((second.is_continued, second.findings().len()), (false, 1));
}

#[tokio::test]
async fn a_fresh_run_does_not_take_over_the_findings_of_the_one_before() {
    let home = temp_home();
    let store = home.engine().await;
    let second = write_two_runs(&store).await;
    let ended = in_state(&second, State::Cancelled, after_minutes(70));
    apply_at(&store, &second, &ended, after_minutes(70)).await;
    let run = RunId::new("run-3");
    let policy = collie_core::policy::Policy::default();
    let third = ended
        .clone()
        .next_run(run.clone(), login(), policy, after_minutes(80));
    let begins = vec![Note::RunStarted { run }];
    apply_with_notes(&store, &ended, &third, after_minutes(80), begins).await;
    let continued: Vec<_> = runs(&store)
        .await
        .iter()
        .map(|run| run.is_continued)
        .collect();
    assert_eq!(continued, [true, false, false]);
}

/// Makes the database what the version before left behind.
async fn take_back_migration(home: &TempHome) {
    run_sql(
        home,
        "DROP TABLE runs; DROP TABLE model_spending; DROP TABLE seen; DROP TABLE command_spending; DROP TABLE command_reservations; DROP TABLE browser_sessions; DROP TABLE own_accounts; DROP TABLE recordings; DROP TABLE projected_loops; DROP TABLE projection; DELETE FROM _sqlx_migrations WHERE version >= 5",
    )
    .await;
}

fn proof_of(head: &str) -> Box<Proof> {
    let proof = json!({
        "head": head, "checks": [["unit", "success"]], "verdicts": [], "threads": [], "iterations": 1, "fixed": [],
        "suggestions": [], "tokens": [100, 10], "cost_micros": 0, "elapsed_ms": 60_000,
    });
    serde_json::from_value(proof).unwrap()
}

/// Two runs, the first of which was ready at a head; and a third that has begun.
async fn write_proven_runs(store: &Store) -> LoopState {
    let second = write_two_runs(store).await;
    let mut ready = in_state(&second, State::PrReadyToMerge, after_minutes(65));
    ready.run.head.sha = Some(sha('c'));
    ready.run.head.proof = Some(proof_of(&sha('c').to_string()));
    apply_at(store, &second, &ready, after_minutes(65)).await;
    let cancelled = in_state(&ready, State::Cancelled, after_minutes(70));
    apply_at(store, &ready, &cancelled, after_minutes(70)).await;
    let run = RunId::new("run-3");
    let policy = collie_core::policy::Policy::default();
    let third = (cancelled.clone()).next_run(run.clone(), login(), policy, after_minutes(80));
    let begins = vec![Note::RunStarted { run }];
    apply_with_notes(store, &cancelled, &third, after_minutes(80), begins).await;
    third
}

#[tokio::test]
async fn what_each_run_came_to_is_kept_with_its_proof_when_another_one_follows() {
    let home = temp_home();
    let store = home.engine().await;
    let third = write_proven_runs(&store).await;
    assert_eq!(third.run.head.proof, None, "the new run has none yet");
    store.close().await;
    // After another start too.
    let store = home.engine().await;
    let kept = store.runs(&third.id).await.unwrap();
    let outcomes: Vec<_> = kept
        .iter()
        .map(|run| {
            let outcome = run.outcome.as_ref().unwrap();
            (
                run.row.run.as_str(),
                run.row.state,
                outcome.head.clone(),
                outcome.proof.clone(),
            )
        })
        .collect();
    let proof = proof_of(&sha('c').to_string());
    assert_eq!(outcomes[0].0, "run-1");
    assert_eq!(
        outcomes[1],
        ("run-2", State::Cancelled, Some(sha('c')), Some(proof))
    );
    assert_eq!((outcomes[2].0, &outcomes[2].3), ("run-3", &None));
    let stop = kept[0].outcome.as_ref().unwrap().stop.clone();
    assert_eq!(stop, Some(Stop::Stuck { count: 1 }));
    assert_eq!(store.runs(&id(9)).await.unwrap(), vec![]);
}

#[tokio::test]
async fn older_data_is_given_what_the_runs_came_to_that_its_loops_still_hold() {
    let home = temp_home();
    let store = home.engine().await;
    let second = write_two_runs(&store).await;
    let mut ready = in_state(&second, State::PrReadyToMerge, after_minutes(65));
    ready.run.head.proof = Some(proof_of(&sha('c').to_string()));
    apply_at(&store, &second, &ready, after_minutes(65)).await;
    store.close().await;
    run_sql(
        &home,
        "ALTER TABLE runs DROP COLUMN outcome_json; DROP TABLE projected_loops; DROP TABLE projection; DELETE FROM _sqlx_migrations WHERE version >= 12",
    )
    .await;
    let store = home.engine().await;
    let kept = store.runs(&second.id).await.unwrap();
    assert_eq!(kept[0].outcome, None, "nobody knows that any more");
    assert_eq!(kept[1].row.ready_at, Some(after_minutes(65)));
    let proof = kept[1].outcome.as_ref().unwrap().proof.clone();
    assert_eq!(proof, ready.run.head.proof);
}

#[tokio::test]
async fn a_rebuilt_journal_keeps_what_earlier_runs_came_to() {
    let home = temp_home();
    let store = home.engine().await;
    let third = write_proven_runs(&store).await;
    let before = store.runs(&third.id).await.unwrap();
    store.wait_for_checkpoints().await;
    store.close().await;
    collie_store::rebuild(&home.folder).await.unwrap();
    let store = home.engine().await;
    let after = store.runs(&third.id).await.unwrap();
    let outcomes =
        |runs: &[LoopRun]| -> Vec<_> { runs.iter().map(|run| run.outcome.clone()).collect() };
    assert_eq!(outcomes(&after), outcomes(&before));
}

#[tokio::test]
async fn older_data_has_the_times_of_all_runs_and_the_rest_of_those_it_still_holds() {
    let home = temp_home();
    let store = home.engine().await;
    let second = write_two_runs(&store).await;
    let merged = in_state(&second, State::Merged, after_minutes(70));
    apply_at(&store, &second, &merged, after_minutes(70)).await;
    let today = runs(&store).await;
    store.close().await;
    take_back_migration(&home).await;
    let store = home.engine().await;
    let taken_over = runs(&store).await;
    let expected: Vec<_> = today
        .into_iter()
        .map(|run| RunRow {
            record: run.record.filter(|_| run.run.as_str() == "run-2"),
            is_continued: false,
            ..run
        })
        .collect();
    assert_eq!(taken_over, expected);
    assert_eq!(taken_over[0].end(), RunEnd::Unrecorded);
    store.close().await;
    let again = home.engine().await;
    assert_eq!(
        runs(&again).await,
        expected,
        "another start changes nothing"
    );
}

#[tokio::test]
async fn a_rebuilt_journal_knows_the_runs_of_its_checkpoints() {
    let home = temp_home();
    let store = home.engine().await;
    let second = write_two_runs(&store).await;
    let merged = in_state(&second, State::Merged, after_minutes(70));
    apply_at(&store, &second, &merged, after_minutes(70)).await;
    store.wait_for_checkpoints().await;
    store.close().await;
    std::fs::remove_file(home.folder.database()).unwrap();
    collie_store::rebuild(&home.folder).await.unwrap();
    let store = home.engine().await;
    let known = runs(&store).await;
    assert_eq!(known.len(), 1);
    let times = (known[0].started_at, known[0].ended_at);
    assert_eq!(times, (after_minutes(60), Some(after_minutes(70))));
    assert_eq!(known[0].findings().len(), 1);
}

fn usage(input_tokens: u64, cost_micros: u64) -> Usage {
    Usage {
        input_tokens,
        cost_micros,
        ..Usage::default()
    }
}

async fn spend(store: &Store, day: &str, spent_on: &[(Option<&str>, Usage)]) {
    let state = new_loop(1);
    let events = [(state.id.clone(), observed(1))];
    let inbox = store.receive(&events, NOW).await.unwrap();
    let mut all = Usage::default();
    for (_, usage) in spent_on {
        all += *usage;
    }
    let on = |(model, usage): &(Option<&str>, Usage)| ModelSpending {
        model: model.map(str::to_owned),
        usage: *usage,
    };
    let step = AppliedStep {
        spent: Some(DaySpending {
            day: day.parse().unwrap(),
            usage: all,
        }),
        spent_on: spent_on.iter().map(on).collect(),
        ..applied(&inbox, &state, state.clone())
    };
    store.apply(&[step]).await.unwrap();
}

fn told(rows: &[SpendRow]) -> Vec<(String, Option<String>, Option<String>, u64)> {
    let of = |row: &SpendRow| {
        let repo = row.repo.as_ref().map(ToString::to_string);
        let model = row.model.clone();
        (row.day.to_string(), repo, model, row.usage.cost_micros)
    };
    rows.iter().map(of).collect()
}

#[tokio::test]
async fn spending_is_kept_by_model_and_repository_and_what_came_before_is_told_apart() {
    let home = temp_home();
    let store = home.engine().await;
    store.create(&new_loop(1), &login(), NOW).await.unwrap();
    spend(&store, "2026-11-23", &[(Some("old/model"), usage(5, 50))]).await;
    store.close().await;
    take_back_migration(&home).await;
    let store = home.engine().await;
    let large = Some("openai/large");
    spend(&store, "2026-11-23", &[(large, usage(1, 10))]).await;
    spend(
        &store,
        "2026-11-24",
        &[(large, usage(2, 20)), (None, usage(1, 1))],
    )
    .await;
    spend(&store, "2026-11-24", &[(large, usage(2, 20))]).await;
    let InsightRows { spending, .. } = store.insights().await.unwrap();
    let web = || Some("acme/web".to_owned());
    let large = || Some("openai/large".to_owned());
    let day = |day: u32| format!("2026-11-{day}");
    let expected = [
        (day(23), web(), large(), 10),
        (day(24), web(), None, 1),
        (day(24), web(), large(), 40),
        (day(23), None, None, 50),
    ];
    assert_eq!(told(&spending), expected);
}

/// Days from 2024-01-01 on, a row each, and as many rows by model.
const MANY_DAYS: &str = "
    WITH RECURSIVE days (nth) AS (SELECT 0 UNION ALL SELECT nth + 1 FROM days WHERE nth < 999)
    INSERT INTO spending SELECT date('2024-01-01', '+' || nth || ' days'), 1, 0, 10, 0, 0 FROM days;
    INSERT INTO model_spending SELECT day, 'github.com', 'r', 'openai/large', 1, 0, 10, 0, 0 FROM spending;
    INSERT INTO command_spending SELECT day, '', '', 0, '', 'openai/small', 1, 0, 1, 0, 0 FROM spending LIMIT 3;";

/// Scribbles over each page that says this.
fn damage_pages_with(home: &TempHome, words: &str) {
    const PAGE: usize = 4096;
    let file = home.folder.database();
    let mut bytes = std::fs::read(&file).unwrap();
    let mut damaged = 0;
    for page in bytes.chunks_mut(PAGE).skip(1) {
        let says = page
            .windows(words.len())
            .any(|part| part == words.as_bytes());
        if says {
            page.fill(0xEE);
            damaged += 1;
        }
    }
    assert_ne!(damaged, 0);
    std::fs::write(&file, bytes).unwrap();
}

#[tokio::test]
async fn a_rebuild_keeps_what_was_spent_and_past_runs_from_around_the_damage() {
    let home = temp_home();
    let store = home.engine().await;
    write_two_runs(&store).await;
    let before = runs(&store).await;
    let since = store.insights().await.unwrap().recorded_since;
    store.wait_for_checkpoints().await;
    store.close().await;
    run_sql(&home, MANY_DAYS).await;
    run_sql(
        &home,
        "UPDATE _sqlx_migrations SET installed_on = datetime(installed_on, '-100 days') WHERE version = 5",
    )
    .await;
    damage_pages_with(&home, "2025-03-15");
    let report = collie_store::rebuild(&home.folder).await.unwrap();
    assert!(
        report.is_incomplete && report.kept_aside.is_some(),
        "{report:?}"
    );
    assert_eq!(report.runs, 2);
    assert!((500..1_000).contains(&report.spending_days), "{report:?}");
    let store = home.engine().await;
    assert_eq!(
        runs(&store).await,
        before,
        "with its times and what it found"
    );
    let rows = store.insights().await.unwrap();
    let days = 100 * 24 * 3_600_000;
    assert_eq!(rows.recorded_since, Time(since.0 - days));
    let spent = store.spending().await.unwrap();
    let of = |day: &str| {
        let found = spent.iter().find(|one| one.day.to_string() == day);
        found.map(|one| one.usage.cost_micros)
    };
    // Before the damage, in it, and behind it; the first also by a command.
    let told = ["2024-01-01", "2025-03-15", "2026-09-26"].map(of);
    assert_eq!(told, [Some(11), None, Some(10)]);
    let by_model = told_by_model(&rows.spending);
    assert!(by_model.contains("openai/large") && by_model.contains("openai/small"));
}

fn told_by_model(rows: &[SpendRow]) -> std::collections::BTreeSet<&str> {
    rows.iter().filter_map(|row| row.model.as_deref()).collect()
}

#[tokio::test]
async fn what_loops_have_spent_counts_where_nothing_else_tells_of_it() {
    let home = temp_home();
    let store = home.engine().await;
    let mut state = new_loop(1);
    state.run.usage = usage(7, 700);
    store.create(&state, &login(), NOW).await.unwrap();
    store.wait_for_checkpoints().await;
    store.close().await;
    std::fs::remove_file(home.folder.database()).unwrap();
    let report = collie_store::rebuild(&home.folder).await.unwrap();
    assert!(
        report.is_incomplete && report.spending_days == 0,
        "{report:?}"
    );
    let store = home.engine().await;
    let spent = store.spending().await.unwrap();
    assert_eq!(spent.len(), 1);
    assert_eq!(spent[0].usage, usage(7, 700));
    // The same once more comes from the journal, and is not counted twice.
    store.close().await;
    damage_pages_with(&home, "\"findings\"");
    collie_store::rebuild(&home.folder).await.unwrap();
    assert_eq!(home.engine().await.spending().await.unwrap(), spent);
}
