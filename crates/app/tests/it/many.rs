//! Many loops side by side: slots, queue, and what watching costs (§2, §3.2).

use crate::harness::holds::Point;
use crate::harness::run_test;
use crate::harness::scene::{FAULTY, Scene};
use collie_core::lifecycle::State;
use std::time::Duration;

#[tokio::test(flavor = "multi_thread")]
async fn never_more_than_three_loops_work_and_the_others_see_their_place() {
    run_test(Scene::faulty(), async |ctx| {
        for n in 2..=5 {
            ctx.open(&format!("branch{n}"), &[("app.js", FAULTY)]).await;
        }
        let hold = ctx.holds.arm(Point::Review);
        for number in 1..=5 {
            ctx.start(number).await;
        }
        let places = || {
            let place = |number| ctx.handle().queue_position(&ctx.state(number).id);
            (1..=5).filter_map(place).collect::<Vec<_>>()
        };
        ctx.until(1, "two loops to queue", |_| {
            let mut places = places();
            places.sort_unstable();
            places == [1, 2] && ctx.holds.most_at_once() == 3
        })
        .await;
        ctx.holds.disarm();
        hold.release();
        for number in 1..=5 {
            ctx.until_state(number, State::PrReadyToMerge).await;
        }
        assert_eq!(ctx.holds.most_at_once(), 3);
        assert!(places().is_empty());
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn loops_that_are_due_together_are_read_with_one_request() {
    let scene = Scene::clean().told(|layer| layer.ready_poll_interval = Some(60_000));
    run_test(scene, async |ctx| {
        for n in 2..=8 {
            let readme = format!("# App {n}\n");
            ctx.open(&format!("branch{n}"), &[("README.md", &readme)])
                .await;
        }
        for number in 1..=8 {
            ctx.start(number).await;
        }
        for number in 1..=8 {
            let what = "ready, with nothing left to say";
            ctx.until(number, what, |s| {
                s.state == State::PrReadyToMerge && s.outbox.is_empty()
            })
            .await;
        }
        let mut totals = Vec::new();
        for _ in 0..4 {
            let seen: Vec<_> = (1..=8).map(|n| ctx.state(n).seen.at).collect();
            ctx.forget_requests().await;
            ctx.clock.skip(Duration::from_secs(61));
            for (number, seen) in (1..=8).zip(seen) {
                ctx.until(number, "another reading", |s| s.seen.at > seen)
                    .await;
            }
            totals.push(ctx.requests().await["total"].clone());
        }
        // The first reading may still learn whose checks were reported late.
        assert_eq!(totals[1..], [1, 1, 1], "requests a poll: {totals:?}");
    })
    .await;
}
