//! Events through the journal, from the inbox to the applied state, with `synchronous=FULL`: one at a time and
//! in batches; a start with 1,000 loops; and figures of 10,000 runs. Run with `cargo bench -p collie-store`.

use collie_core::event::Event;
use collie_core::event::RemoteHead;
use collie_core::ids::{Fingerprint, Login, LoopId, RepoName, RunId, Sha, Time};
use collie_core::insights::{InsightsRange, insights};
use collie_core::loop_state::{Feedback, LoopState, NewLoop, PullRequest};
use collie_core::policy::Policy;
use collie_engine::ports::{AppliedStep, Journal, JournalReader, JournalUpkeep};
use collie_store::{OpenMode, Store, StorePaths};
use divan::Bencher;
use divan::counter::ItemsCount;
use sqlx::{ConnectOptions, Connection};
use tokio::runtime::Runtime;

fn main() {
    divan::main();
}

const LOOPS: u64 = 64;

/// A loop in the middle of its work: about 20 KB as JSON.
fn some_loop(number: u64) -> LoopState {
    let new = NewLoop {
        id: LoopId {
            host: "github.com".into(),
            repo_id: "R_1".into(),
            number,
        },
        pull: PullRequest {
            repo: RepoName::parse("acme/web").expect("a good name"),
            title: "Mend the fence".into(),
            author: None,
            url: String::new(),
            base_ref: "main".into(),
            head_ref: "fence".into(),
        },
        run: RunId::new(format!("run-{number}")),
        started_by: Login::new("ana"),
        policy: Policy::default(),
    };
    let mut state = LoopState::new(new, Time(0));
    for nth in 0..100 {
        let key = format!("{number}:issue:{nth}:2026-01-01T00:00:00Z");
        let seen = Feedback {
            author: Login::new("ben"),
            seen_at: Time(0),
            processed_at: None,
        };
        state
            .memory
            .feedback
            .insert(collie_core::ids::EventKey::new(key), seen);
        state
            .memory
            .inlined
            .insert(Fingerprint::new(format!("{nth:064x}")));
    }
    state
}

struct BenchStore {
    runtime: Runtime,
    store: Store,
    _home: tempfile::TempDir,
}

fn store_with(loops: u64) -> BenchStore {
    let runtime = Runtime::new().expect("a runtime");
    let home = tempfile::tempdir().expect("a folder");
    let folder = StorePaths::below(home.path());
    let store = runtime.block_on(async {
        let store = Store::open(&folder, OpenMode::Engine)
            .await
            .expect("a store");
        for number in 1..=loops {
            let made = store
                .create(&some_loop(number), &Login::new("ana"), Time(0))
                .await;
            made.expect("a loop");
        }
        store.wait_for_checkpoints().await;
        store
    });
    BenchStore {
        runtime,
        store,
        _home: home,
    }
}

/// Every event changes what the checkpoint shows.
async fn receive_and_apply(store: &Store, round: u64, batch: u64, is_replayable: bool) {
    let event = || {
        Event::answered(
            collie_core::ids::EffectId::new("e"),
            RemoteHead {
                head: Sha::parse(&"a".repeat(40)).ok(),
            },
        )
    };
    let numbers = (0..batch).map(|nth| (round + nth) % LOOPS + 1);
    let events: Vec<_> = numbers
        .map(|number| (some_loop(number).id, event()))
        .collect();
    let inbox = store.receive(&events, Time(1)).await.expect("received");
    let applied: Vec<_> = inbox
        .iter()
        .zip(&events)
        .map(|(seq, (id, _))| {
            let mut state = some_loop(id.number);
            state.run.fixing.turns = u32::try_from(round).expect("few turns") + 1;
            AppliedStep {
                inbox: vec![*seq],
                from: Some(state.run.state),
                state,
                effects: vec![],
                dropped: vec![],
                notes: vec![],
                spent: None,
                spent_on: vec![],
                read_before: is_replayable.then(|| some_loop(id.number).reading_times()),
                at: Time(1),
            }
        })
        .collect();
    store.apply(&applied).await.expect("applied");
}

#[divan::bench(args = [1, 64], sample_count = 200, sample_size = 1)]
fn events_received_and_applied(bencher: Bencher<'_, '_>, batch: u64) {
    let bench = store_with(LOOPS);
    let mut round = 0;
    bencher.counter(ItemsCount::new(batch)).bench_local(|| {
        round += 1;
        bench
            .runtime
            .block_on(receive_and_apply(&bench.store, round, batch, true));
    });
}

/// The same without what a replay needs: what that costs is the ratio of the two.
#[divan::bench(args = [1, 64], sample_count = 200, sample_size = 1)]
fn events_received_and_applied_without_recordings(bencher: Bencher<'_, '_>, batch: u64) {
    let bench = store_with(LOOPS);
    let mut round = 0;
    bencher.counter(ItemsCount::new(batch)).bench_local(|| {
        round += 1;
        bench
            .runtime
            .block_on(receive_and_apply(&bench.store, round, batch, false));
    });
}

/// Ended runs, each with what four reviewers found in two rounds, and a year of spending on three models.
async fn fill_with_runs(store: Store, folder: &StorePaths, runs: u64) -> Store {
    let one = some_loop(1);
    store
        .create(&one, &Login::new("ana"), Time(0))
        .await
        .expect("made");
    store.close().await;
    let finding = |round: u32, name: &str, status: &str| {
        format!(
            r#"{{"round":{round},"source":"agent","name":"{name}","status":"{status}","count":2}}"#
        )
    };
    let findings: Vec<String> = ["quinn", "sage", "ada", "kim"]
        .iter()
        .flat_map(|name| [finding(1, name, "fixed"), finding(2, name, "dismissed")])
        .collect();
    let record = format!(
        r#"{{"title":"Mend the fence","author":"ben","pushes":2,"usage":{{"input_tokens":9,"output_tokens":9,"cost_micros":9}},"findings":[{}]}}"#,
        findings.join(",")
    );
    let options = sqlx::sqlite::SqliteConnectOptions::new().filename(folder.database());
    let mut connection = options.connect().await.expect("the file");
    sqlx::query(
        "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
         INSERT INTO runs (loop, run, host, repo_id, repo, number, started_at, ready_at, ended_at, state, record_json)
         SELECT 1, 'past-' || i, 'github.com', 'R_' || (i % 7), 'acme/r' || (i % 7), i,
                1764000000000 + i * 3000000, 1764000000000 + i * 3000000 + 600000 + (i * 7919) % 9000000,
                1764000000000 + i * 3000000 + 20000000, 'merged', ? FROM n",
    )
    .bind(i64::try_from(runs).expect("few"))
    .bind(record)
    .execute(&mut connection)
    .await
    .expect("written");
    sqlx::query(
        "WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 7664)
         INSERT INTO model_spending
         SELECT date('2025-11-25', '+' || (i / 21) || ' days'), 'github.com', 'R_' || (i % 7), 'm/' || (i / 7 % 3),
                9, 9, 9, 0, 0 FROM n",
    )
    .execute(&mut connection)
    .await
    .expect("written");
    connection.close().await.expect("closed");
    Store::open(folder, OpenMode::Engine)
        .await
        .expect("a store")
}

/// What the page asks for: rows out of the journal, and figures of them.
#[divan::bench(args = [1_000, 10_000], sample_count = 30, sample_size = 1)]
fn figures_of_runs(bencher: Bencher<'_, '_>, runs: u64) {
    let BenchStore {
        runtime,
        store,
        _home,
    } = store_with(0);
    let folder = StorePaths::below(_home.path());
    let store = runtime.block_on(fill_with_runs(store, &folder, runs));
    let now = Time(1_795_478_400_000);
    bencher.bench_local(|| {
        let rows = runtime.block_on(store.insights()).expect("rows");
        let zone = jiff::tz::TimeZone::UTC;
        let range = InsightsRange::All;
        let figures = insights(&rows.runs, &rows.spending, &range, None, now, &zone);
        assert!(u64::from(figures.totals.ready) == runs);
    });
}

#[divan::bench(sample_count = 10, sample_size = 1)]
fn start_with_1000_loops(bencher: Bencher<'_, '_>) {
    let BenchStore {
        runtime,
        store,
        _home,
    } = store_with(1_000);
    runtime.block_on(store.close());
    let folder = StorePaths::below(_home.path());
    bencher.bench_local(|| {
        runtime.block_on(async {
            let store = Store::open(&folder, OpenMode::Engine)
                .await
                .expect("a store");
            let loops = store.loops().await.expect("loops");
            let rest = (
                store.unapplied().await,
                store.outbox().await,
                store.requests().await,
            );
            assert!(loops.len() == 1_000 && rest.0.is_ok() && rest.1.is_ok() && rest.2.is_ok());
        });
    });
}
