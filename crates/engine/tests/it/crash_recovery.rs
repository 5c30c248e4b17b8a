//! The plug is pulled at any moment: the next start goes on, and nothing is there twice.

use collie_core::lifecycle::State;
use collie_testkit::engine::{PausePoint, TestContext, run_test};
use collie_testkit::repository::{CLEAN_FILE, RepositoryFixture};

/// Crashes at a point, starts again, and finds everything there once.
async fn check_crash_at(point: PausePoint) {
    run_test(RepositoryFixture::faulty(), async |ctx| {
        let hold = ctx.pause_points.pause_at(point);
        ctx.start_loop(1).await;
        hold.wait_reached().await;
        ctx.crash().await;
        ctx.start_engine().await;
        let state = ctx.wait_for_state(1, State::PrReadyToMerge).await;
        assert_eq!(state.run.fixing.iteration, 1);
        assert_whole(ctx).await;
    })
    .await;
}

async fn assert_whole(ctx: &TestContext) {
    assert_eq!(ctx.fix_commits("topic").len(), 1);
    assert_eq!(ctx.file("topic", "app.js").trim(), CLEAN_FILE.trim());
    let comments = ctx.repo_get("/issues/1/comments").await;
    let inline = ctx.repo_get("/pulls/1/comments").await;
    assert_eq!(
        comments.as_array().expect("a list").len(),
        3,
        "{comments:#}"
    );
    assert_eq!(inline.as_array().expect("a list").len(), 1, "{inline:#}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crash_during_a_review_repeats_the_review() {
    check_crash_at(PausePoint::Review).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crash_during_a_fix_repeats_the_fix() {
    check_crash_at(PausePoint::Fix).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crash_after_the_commit_and_before_it_is_known_makes_one_fix() {
    check_crash_at(PausePoint::Committed).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crash_between_commit_and_push_pushes_that_commit() {
    check_crash_at(PausePoint::Push).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crash_after_the_push_and_before_it_is_known_pushes_nothing_more() {
    check_crash_at(PausePoint::Pushed).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crash_before_a_stored_post_is_sent_sends_it_once() {
    check_crash_at(PausePoint::Post).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crash_after_a_post_is_sent_and_before_it_is_known_does_not_send_it_again() {
    check_crash_at(PausePoint::Posted).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn crashes_one_after_the_other_lose_nothing() {
    run_test(RepositoryFixture::faulty(), async |ctx| {
        let mut hold = ctx.pause_points.pause_at(PausePoint::Review);
        ctx.start_loop(1).await;
        for next in [
            PausePoint::Posted,
            PausePoint::Committed,
            PausePoint::Pushed,
        ] {
            hold.wait_reached().await;
            ctx.crash().await;
            hold = ctx.pause_points.pause_at(next);
            ctx.start_engine().await;
        }
        hold.wait_reached().await;
        ctx.crash().await;
        ctx.start_engine().await;
        ctx.wait_for_state(1, State::PrReadyToMerge).await;
        assert_whole(ctx).await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stop_in_the_middle_of_a_fix_is_gone_on_with() {
    run_test(RepositoryFixture::faulty(), async |ctx| {
        let hold = ctx.pause_points.pause_at(PausePoint::Fix);
        ctx.start_loop(1).await;
        hold.wait_reached().await;
        ctx.pause_points.clear();
        ctx.stop_engine().await;
        ctx.start_engine().await;
        ctx.wait_for_state(1, State::PrReadyToMerge).await;
        assert_whole(ctx).await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_start_after_ready_says_nothing_more() {
    run_test(RepositoryFixture::faulty(), async |ctx| {
        ctx.start_loop_until_ready().await;
        ctx.wait_until(1, "an empty outbox", |state| {
            state.outbox.effects.is_empty()
        })
        .await;
        ctx.crash().await;
        ctx.reset_request_counts().await;
        ctx.start_engine().await;
        ctx.wait_for_observations(1, 3).await;
        assert_eq!(ctx.state(1).run.state, State::PrReadyToMerge);
        let routes = ctx.request_counts().await["routes"].clone();
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
    run_test(RepositoryFixture::faulty(), async |ctx| {
        let fix = ctx.pause_points.pause_at(PausePoint::Fix);
        let clean_up = ctx.pause_points.pause_at(PausePoint::CleanUp);
        ctx.start_loop(1).await;
        fix.wait_reached().await;
        assert!(!ctx.worktrees().is_empty());
        ctx.cancel(1);
        clean_up.wait_reached().await;
        ctx.crash().await;
        ctx.start_engine().await;
        ctx.wait_until(1, "an empty outbox", |state| {
            state.outbox.effects.is_empty()
        })
        .await;
        assert_eq!(ctx.state(1).run.state, State::Cancelled);
        assert!(ctx.worktrees().is_empty());
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_happens_on_github_while_the_engine_is_down_is_seen_at_the_next_start() {
    run_test(RepositoryFixture::faulty(), async |ctx| {
        let hold = ctx.pause_points.pause_at(PausePoint::Push);
        ctx.start_loop(1).await;
        hold.wait_reached().await;
        ctx.crash().await;
        let merge = serde_json::json!({"merge_method": "merge"});
        ctx.repo_call("ana", "PUT", "/pulls/1/merge", Some(merge))
            .await;
        ctx.start_engine().await;
        ctx.wait_until(1, "the end", |state| state.run.state == State::Merged)
            .await;
        assert!(ctx.fix_commits("topic").is_empty());
    })
    .await;
}

/// The checkpoint is from before anything was said, as after a disk that was full: what the loop says again by that is there already.
#[tokio::test(flavor = "multi_thread")]
async fn a_journal_that_is_lost_beside_an_old_checkpoint_says_nothing_twice() {
    run_test(RepositoryFixture::clean(), async |ctx| {
        let hold = ctx.pause_points.pause_at(PausePoint::Review);
        ctx.start_loop(1).await;
        hold.wait_reached().await;
        let place = format!("state/{}/pr_1.json", ctx.state(1).pull.repo);
        ctx.crash().await;
        let checkpoint = ctx.data_folder().join(place);
        let old = std::fs::read(&checkpoint).expect("a checkpoint");
        ctx.pause_points.clear();
        ctx.start_engine().await;
        ctx.wait_until(1, "its proof said", |state| {
            state.run.state == State::PrReadyToMerge && state.outbox.effects.is_empty()
        })
        .await;
        let said = ctx.posted_bodies(1).await;
        assert_eq!(said.len(), 1, "{said:#?}");
        ctx.crash().await;
        std::fs::write(&checkpoint, old).expect("it can be written");
        ctx.lose_journal().await;
        ctx.start_engine().await;
        ctx.wait_until(1, "its proof said", |state| {
            state.run.state == State::PrReadyToMerge && state.outbox.effects.is_empty()
        })
        .await;
        assert_eq!(ctx.posted_bodies(1).await, said);
    })
    .await;
}
