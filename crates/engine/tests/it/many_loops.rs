//! Many loops side by side: slots, queue, and what watching costs (§2, §3.2).

use collie_core::lifecycle::State;
use collie_testkit::engine::{PausePoint, run_test};
use collie_testkit::repository::{FAULTY_FILE, PullFixture, RepositoryFixture};
use std::time::Duration;

#[tokio::test(flavor = "multi_thread")]
async fn never_more_than_three_loops_work_and_the_others_see_their_place() {
    run_test(RepositoryFixture::faulty(), async |ctx| {
        for n in 2..=5 {
            let pull = PullFixture::new(&format!("branch{n}"));
            ctx.open_pull(pull.with_file("app.js", FAULTY_FILE)).await;
        }
        let hold = ctx.pause_points.pause_at(PausePoint::Review);
        for number in 1..=5 {
            ctx.start_loop(number).await;
        }
        let places = || {
            let place = |number| Some(ctx.handle().queue_place(&ctx.state(number).id)?.position);
            (1..=5).filter_map(place).collect::<Vec<_>>()
        };
        ctx.wait_until(1, "two loops to queue", |_| {
            let mut places = places();
            places.sort_unstable();
            places == [1, 2] && ctx.pause_points.max_concurrent() == 3
        })
        .await;
        ctx.pause_points.clear();
        hold.release();
        for number in 1..=5 {
            ctx.wait_for_state(number, State::PrReadyToMerge).await;
        }
        assert_eq!(ctx.pause_points.max_concurrent(), 3);
        assert!(places().is_empty());
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn loops_that_are_due_together_are_read_with_one_request() {
    let fixture =
        RepositoryFixture::clean().with_layer(|layer| layer.ready_poll_interval = Some(60_000));
    run_test(fixture, async |ctx| {
        for n in 2..=8 {
            let readme = format!("# App {n}\n");
            let pull = PullFixture::new(&format!("branch{n}"));
            ctx.open_pull(pull.with_file("README.md", readme)).await;
        }
        for number in 1..=8 {
            ctx.start_loop(number).await;
        }
        for number in 1..=8 {
            let what = "ready, with nothing left to say";
            ctx.wait_until(number, what, |state| {
                state.run.state == State::PrReadyToMerge && state.outbox.effects.is_empty()
            })
            .await;
        }
        let mut totals = Vec::new();
        for _ in 0..4 {
            let seen: Vec<_> = (1..=8)
                .map(|n| ctx.state(n).run.polling.last_snapshot.at)
                .collect();
            ctx.reset_request_counts().await;
            ctx.clock.skip(Duration::from_secs(61));
            for (number, seen) in (1..=8).zip(seen) {
                ctx.wait_until(number, "another reading", |state| {
                    state.run.polling.last_snapshot.at > seen
                })
                .await;
            }
            totals.push(ctx.request_counts().await["total"].clone());
        }
        // The first reading may still learn whose checks were reported late.
        assert_eq!(totals[1..], [1, 1, 1], "requests a poll: {totals:?}");
    })
    .await;
}
