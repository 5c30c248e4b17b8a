//! Many loops side by side: slots, queue, and what watching costs (§2, §3.2).

use crate::harness::holds::Point;
use crate::harness::run_test;
use crate::harness::scene::{FAULTY, Scene};
use collie_core::lifecycle::State;

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
async fn watching_many_costs_one_request_a_poll() {
    let scene = Scene::clean().told(|layer| layer.poll_interval = Some(300));
    run_test(
        scene.told(|layer| layer.ready_poll_interval = Some(300)),
        async |ctx| {
            for n in 2..=8 {
                ctx.open(
                    &format!("branch{n}"),
                    &[("README.md", &format!("# App {n}\n"))],
                )
                .await;
            }
            for number in 1..=8 {
                ctx.start(number).await;
            }
            for number in 1..=8 {
                ctx.until_state(number, State::PrReadyToMerge).await;
            }
            ctx.until_read_again(1, 2).await;
            ctx.forget_requests().await;
            let polls = 5;
            ctx.until_read_again(1, polls).await;
            let requests = ctx.requests().await;
            let total = requests["total"].as_u64().unwrap();
            assert!(
                total <= 8 * u64::from(polls),
                "{total} requests for 8 loops and {polls} polls: {requests:#}"
            );
            println!("requests for 8 loops and {polls} polls: {requests:#}");
        },
    )
    .await;
}
