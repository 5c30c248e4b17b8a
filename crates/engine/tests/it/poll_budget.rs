//! Of each hour's budget a part stays for the person: near the limit polls stretch, say so, and are as before after the reset (§3.2).

use collie_core::lifecycle::State;
use collie_core::loop_state::LoopState;
use collie_core::poll_budget::{PollThrottle, RateResource};
use collie_testkit::engine::{PausePoint, TestContext, run_test};
use collie_testkit::repository::{PullFixture, RepositoryFixture};
use serde_json::json;
use std::time::Duration;

const HOUR: Duration = Duration::from_secs(3_600);

async fn set_points(ctx: &TestContext, remaining: u64) {
    let limit = json!({"resource": "graphql", "remaining": remaining, "reset_in": HOUR.as_secs()});
    ctx.call("ana", "PUT", "/_forge/rate_limit", Some(limit))
        .await;
}

async fn wait_for_throttle(ctx: &TestContext, number: u64) -> PollThrottle {
    let is_slow = |state: &LoopState| state.run.polling.throttle.is_some();
    let state = ctx.wait_until(number, "slower polls", is_slow).await;
    state.run.polling.throttle.clone().expect("it is slow")
}

/// How far apart the last reading and the next one are.
fn wait_ms(state: &LoopState) -> u64 {
    let polling = &state.run.polling;
    let last = polling.last_snapshot.at.expect("a reading");
    polling.next_at.expect("a next reading").since(last)
}

#[tokio::test(flavor = "multi_thread")]
async fn polls_stretch_near_the_limit_say_so_and_are_as_before_after_the_reset() {
    run_test(RepositoryFixture::clean(), async |ctx| {
        ctx.start_loop_until_ready().await;
        set_points(ctx, 1_000).await;
        let slow = wait_for_throttle(ctx, 1).await;
        assert_eq!((slow.resource, slow.limit), (RateResource::Graphql, 5_000));
        assert!((900..1_000).contains(&slow.remaining), "{slow:?}");
        let wait = wait_ms(&ctx.state(1));
        // 24,000 readings an hour as configured, 600 points for them.
        assert!((3_000..60_000).contains(&wait), "{wait}");
        set_points(ctx, 5_000).await;
        ctx.clock.skip(HOUR);
        let state = ctx
            .wait_until(1, "polls as configured", |state| {
                state.run.polling.throttle.is_none()
            })
            .await;
        assert!(wait_ms(&state) < 1_000, "{}", wait_ms(&state));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_person_asks_for_is_read_though_nothing_is_left_of_collie_s_share() {
    run_test(RepositoryFixture::clean(), async |ctx| {
        ctx.start_loop_until_ready().await;
        // One point is left after the next reading: none of it is Collie's.
        set_points(ctx, 2).await;
        let state = ctx
            .wait_until(1, "a reading that waits for the reset", |state| {
                let polling = &state.run.polling;
                polling.next_at > polling.last_snapshot.at.map(|at| at.plus(30 * 60_000))
            })
            .await;
        let before = state.run.polling.last_snapshot.at;
        // Enough for the person, of which Collie is not told before it asks.
        set_points(ctx, 40).await;
        ctx.handle().poll_now(&state.id);
        ctx.wait_until(1, "the reading that was asked for", |state| {
            state.run.polling.last_snapshot.at > before
        })
        .await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_person_asks_for_is_read_at_once_though_little_is_left() {
    run_test(RepositoryFixture::clean(), async |ctx| {
        let pull = PullFixture::new("other").with_file("README.md", "# Other\n");
        ctx.open_pull(pull).await;
        ctx.start_loop_until_ready().await;
        set_points(ctx, 40).await;
        wait_for_throttle(ctx, 1).await;
        let before = ctx.state(1).run.polling.last_snapshot.at;
        let id = ctx.state(1).id.clone();
        ctx.handle().poll_now(&id);
        ctx.wait_until(1, "the reading that was asked for", |state| {
            state.run.polling.last_snapshot.at > before
        })
        .await;
        ctx.start_loop(2).await;
        ctx.wait_until(2, "the first reading", |state| {
            state.run.polling.last_snapshot.at.is_some()
        })
        .await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reading_that_nothing_is_left_for_waits_for_the_reset_and_the_work_goes_on() {
    run_test(RepositoryFixture::clean(), async |ctx| {
        let hold = ctx.pause_points.pause_at(PausePoint::Review);
        ctx.start_loop(1).await;
        hold.wait_reached().await;
        // One point is left after the next reading: none of it is Collie's.
        set_points(ctx, 2).await;
        wait_for_throttle(ctx, 1).await;
        let read = ctx.state(1).run.polling.last_snapshot.at;
        ctx.reset_request_counts().await;
        hold.release();
        let state = ctx
            .wait_until(
                1,
                "a postponed reading of what the review came to",
                |state| {
                    let polling = &state.run.polling;
                    let asked = polling.ignore_snapshots_before;
                    asked.is_some_and(|asked| polling.next_at > Some(asked.plus(30 * 60_000)))
                },
            )
            .await;
        assert_eq!(state.run.state, State::PrReviewing);
        assert_eq!(state.run.polling.last_snapshot.at, read);
        assert_eq!(state.run.polling.failures, 0);
        let counts = ctx.request_counts().await;
        assert_eq!(
            counts["charged"]["graphql"].as_u64().unwrap_or(0),
            0,
            "{counts}"
        );
        set_points(ctx, 5_000).await;
        ctx.clock.skip(HOUR);
        ctx.wait_for_state(1, State::PrReadyToMerge).await;
    })
    .await;
}
