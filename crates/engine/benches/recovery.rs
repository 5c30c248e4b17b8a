//! What comes after an outage of GitHub (§3.2, §17): how long until all loops are read again, what that costs, and how many requests come
//! at once. The engine that ships, on the forge, by a clock that is put forward.
//!
//! `cargo bench -p collie-engine --bench recovery [-- LOOPS]`

use collie_engine::ports::Clock;
use collie_testkit::engine::{TestContext, run_test};
use collie_testkit::repository::{PullFixture, RepositoryFixture};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

const MINUTE: Duration = Duration::from_secs(60);
/// How far the clock is put forward at a time.
const STEP: Duration = Duration::from_secs(5);
const OUTAGE: Duration = Duration::from_secs(300);
/// Longer than any wait after an outage.
const LONGEST: Duration = Duration::from_secs(1_800);

/// What a stretch of time came to.
#[derive(Default)]
struct Passed {
    /// By the clock that is put forward.
    clock: Duration,
    /// By that of the machine.
    real: Duration,
    points: u64,
    rest: u64,
    requests: u64,
    /// The most requests of one step.
    most_requests: u64,
}

fn count_read_since(ctx: &TestContext, at: collie_core::ids::Time) -> usize {
    let loops = ctx.handle().loops();
    let read = loops
        .iter()
        .filter(|state| state.run.polling.last_snapshot.at >= Some(at));
    read.count()
}

/// Requests so far, once no more are coming.
async fn settled_counts(ctx: &TestContext) -> Value {
    let mut before = Value::Null;
    loop {
        let counts = ctx.request_counts().await;
        if counts["total"] == before["total"] {
            return counts;
        }
        before = counts;
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
}

/// Puts the clock forward until `is_over`, at most so far.
async fn pass(ctx: &TestContext, most: Duration, is_over: impl Fn() -> bool) -> Passed {
    let mut passed = Passed::default();
    let begin = Instant::now();
    while passed.clock < most && !is_over() {
        ctx.reset_request_counts().await;
        ctx.clock.skip(STEP);
        passed.clock += STEP;
        let counts = settled_counts(ctx).await;
        let number = |value: &Value| value.as_u64().unwrap_or(0);
        let requests = number(&counts["total"]);
        passed.points += number(&counts["charged"]["graphql"]);
        passed.rest += number(&counts["charged"]["core"]);
        passed.requests += requests;
        passed.most_requests = passed.most_requests.max(requests);
    }
    passed.real = begin.elapsed();
    passed
}

/// Puts the limits back, so that the bench counts and does not meet them.
async fn refill(ctx: &TestContext) {
    for resource in ["graphql", "core"] {
        let full = json!({"resource": resource, "remaining": 5_000, "reset_in": 3_600});
        ctx.call("ana", "PUT", "/_forge/rate_limit", Some(full))
            .await;
    }
}

fn print(what: &str, passed: &Passed) {
    println!(
        "{what:<28} {:>5} s by its clock, {:>6.1?} really: {:>5} points, {:>5} REST charged, {:>5} requests, at most {} in {} s",
        passed.clock.as_secs(),
        passed.real,
        passed.points,
        passed.rest,
        passed.requests,
        passed.most_requests,
        STEP.as_secs(),
    );
}

async fn measure(ctx: &TestContext, loops: u64) {
    for number in 1..=loops {
        // A start costs two points, and a thousand of them half of what an hour has.
        if number % 500 == 1 {
            refill(ctx).await;
        }
        ctx.start_loop(number).await;
    }
    let all = usize::try_from(loops).expect("so many fit into memory");
    let begin = ctx.clock.now();
    pass(ctx, LONGEST, || count_read_since(ctx, begin) == all).await;
    refill(ctx).await;
    // What is young is read whole once more.
    pass(ctx, 2 * MINUTE, || false).await;
    print(
        "two minutes as ever",
        &pass(ctx, 2 * MINUTE, || false).await,
    );

    ctx.set_faults(json!([{"kind": "status", "code": 503}]))
        .await;
    print("outage", &pass(ctx, OUTAGE, || false).await);
    ctx.clear_faults().await;
    refill(ctx).await;
    let over = ctx.clock.now();
    let recovery = pass(ctx, LONGEST, || count_read_since(ctx, over) == all).await;
    print("until all are read again", &recovery);
    print(
        "two minutes after it",
        &pass(ctx, 2 * MINUTE, || false).await,
    );
    let read = count_read_since(ctx, over);
    println!("{read} of {loops} loops were read after the outage");
}

fn main() {
    let mut numbers = std::env::args()
        .skip(1)
        .filter_map(|arg| arg.parse::<u64>().ok());
    let loops = numbers.next().unwrap_or(1_000);
    // Drafts wait without work.
    let repository = (1..=loops).fold(RepositoryFixture::new("demo/app"), |repository, number| {
        let pull = PullFixture::new(&format!("topic-{number}")).as_draft();
        repository.with_pull(pull.with_file(&format!("{number}.txt"), "x\n"))
    });
    let fixture = repository.with_layer(|layer| layer.poll_interval = Some(60_000));
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    runtime.block_on(run_test(fixture, async |ctx| measure(ctx, loops).await));
}
