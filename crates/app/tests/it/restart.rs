//! The plug is pulled at any moment: the next start goes on, and nothing is there twice.

use crate::harness::holds::Point;
use crate::harness::scene::{SOUND, Scene};
use crate::harness::{Ctx, run_test};
use collie_core::lifecycle::State;

/// Crashes at a point, starts again, and finds everything there once.
async fn crash_at(point: Point) {
    run_test(Scene::faulty(), async |ctx| {
        let hold = ctx.holds.arm(point);
        ctx.start(1).await;
        hold.reached().await;
        ctx.crash().await;
        ctx.start_engine().await;
        let state = ctx.until_state(1, State::PrReadyToMerge).await;
        assert_eq!(state.iteration, 1);
        assert_whole(ctx).await;
    })
    .await;
}

async fn assert_whole(ctx: &Ctx) {
    assert_eq!(ctx.fixes("topic").len(), 1);
    assert_eq!(ctx.file("topic", "app.js").trim(), SOUND.trim());
    let comments = ctx.get("/issues/1/comments").await;
    let inline = ctx.get("/pulls/1/comments").await;
    assert_eq!(
        comments.as_array().expect("a list").len(),
        3,
        "{comments:#}"
    );
    assert_eq!(inline.as_array().expect("a list").len(), 1, "{inline:#}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crash_during_a_review_repeats_the_review() {
    crash_at(Point::Review).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crash_during_a_fix_repeats_the_fix() {
    crash_at(Point::Fix).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crash_after_the_commit_and_before_it_is_known_makes_one_fix() {
    crash_at(Point::Committed).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crash_between_commit_and_push_pushes_that_commit() {
    crash_at(Point::Push).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crash_after_the_push_and_before_it_is_known_pushes_nothing_more() {
    crash_at(Point::Pushed).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crash_before_a_stored_post_is_sent_sends_it_once() {
    crash_at(Point::Post).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crash_after_a_post_is_sent_and_before_it_is_known_does_not_send_it_again() {
    crash_at(Point::Posted).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn crashes_one_after_the_other_lose_nothing() {
    run_test(Scene::faulty(), async |ctx| {
        let mut hold = ctx.holds.arm(Point::Review);
        ctx.start(1).await;
        for next in [Point::Posted, Point::Committed, Point::Pushed] {
            hold.reached().await;
            ctx.crash().await;
            hold = ctx.holds.arm(next);
            ctx.start_engine().await;
        }
        hold.reached().await;
        ctx.crash().await;
        ctx.start_engine().await;
        ctx.until_state(1, State::PrReadyToMerge).await;
        assert_whole(ctx).await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stop_in_the_middle_of_a_fix_is_gone_on_with() {
    run_test(Scene::faulty(), async |ctx| {
        let hold = ctx.holds.arm(Point::Fix);
        ctx.start(1).await;
        hold.reached().await;
        ctx.holds.disarm();
        ctx.stop_engine().await;
        ctx.start_engine().await;
        ctx.until_state(1, State::PrReadyToMerge).await;
        assert_whole(ctx).await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_start_after_ready_says_nothing_more() {
    run_test(Scene::faulty(), async |ctx| {
        ctx.start_until_ready().await;
        ctx.until(1, "an empty outbox", |s| s.outbox.is_empty())
            .await;
        ctx.crash().await;
        ctx.forget_requests().await;
        ctx.start_engine().await;
        ctx.until_read_again(1, 3).await;
        assert_eq!(ctx.state(1).state, State::PrReadyToMerge);
        let routes = ctx.requests().await["routes"].clone();
        let writes: Vec<_> = routes
            .as_object()
            .unwrap()
            .keys()
            .filter(|route| route.starts_with("POST /repos"))
            .collect();
        assert!(writes.is_empty(), "{writes:?}");
        assert_whole(ctx).await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crash_before_the_worktree_of_a_cancelled_run_is_removed_leaves_none_behind() {
    run_test(Scene::faulty(), async |ctx| {
        let fix = ctx.holds.arm(Point::Fix);
        let clean_up = ctx.holds.arm(Point::CleanUp);
        ctx.start(1).await;
        fix.reached().await;
        assert!(!ctx.worktrees().is_empty());
        ctx.cancel(1);
        clean_up.reached().await;
        ctx.crash().await;
        ctx.start_engine().await;
        ctx.until(1, "an empty outbox", |s| s.outbox.is_empty())
            .await;
        assert_eq!(ctx.state(1).state, State::Cancelled);
        assert!(ctx.worktrees().is_empty());
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_happens_on_github_while_the_engine_is_down_is_seen_at_the_next_start() {
    run_test(Scene::faulty(), async |ctx| {
        let hold = ctx.holds.arm(Point::Push);
        ctx.start(1).await;
        hold.reached().await;
        ctx.crash().await;
        let merge = serde_json::json!({"merge_method": "merge"});
        ctx.in_repo("ana", "PUT", "/pulls/1/merge", Some(merge))
            .await;
        ctx.start_engine().await;
        ctx.until(1, "the end", |s| s.state == State::Merged).await;
        assert!(ctx.fixes("topic").is_empty());
    })
    .await;
}
