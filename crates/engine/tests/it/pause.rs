//! Everything is paused at once, and goes on together (§15).

use crate::panel::{approving_review, fixture_with_typo, serve_model};
use collie_core::lifecycle::State;
use collie_testkit::engine::{PausePoint, run_test};
use collie_testkit::repository::RepositoryFixture;
use collie_testkit::wait::wait_until;

#[tokio::test(flavor = "multi_thread")]
async fn a_review_under_way_is_stopped_none_begins_and_it_is_made_once_the_pause_ends() {
    let model = serve_model(vec![approving_review()], "100").await;
    run_test(fixture_with_typo().with_model(model.url()), async |ctx| {
        let review = ctx.pause_points.pause_at(PausePoint::Review);
        ctx.start_loop(1).await;
        review.wait_reached().await;
        ctx.set_paused(true).await;
        review.release();
        let state = ctx.wait_for_blocker(1, "paused").await;
        assert!(state.is_settled() && ctx.handle().slot_usage().queued == 0);
        // The session has ended, and asked nothing on its way.
        wait_until("the slot to be free", async || {
            ctx.handle().slot_usage().working == 0
        })
        .await;
        assert_eq!(model.requests().len(), 0, "the model was not asked");
        // A restart does not end it, nor does a loop that begins meanwhile.
        ctx.crash().await;
        ctx.start_engine().await;
        let state = ctx.wait_for_blocker(1, "paused").await;
        assert_eq!(state.run.state, State::PrReviewing);
        assert_eq!(model.requests().len(), 0, "the model was not asked");
        assert!(ctx.posted_bodies(1).await.is_empty());
        ctx.set_paused(false).await;
        ctx.wait_for_state(1, State::PrReadyToMerge).await;
        assert_eq!(model.requests().len(), 1);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_push_that_was_asked_for_waits() {
    run_test(RepositoryFixture::faulty(), async |ctx| {
        let before = ctx.sha("topic");
        let committed = ctx.pause_points.pause_at(PausePoint::WriteObstacle);
        ctx.start_loop(1).await;
        committed.wait_reached().await;
        ctx.set_paused(true).await;
        committed.release();
        ctx.wait_for_blocker(1, "paused").await;
        assert_eq!(ctx.sha("topic"), before);
        assert!(ctx.posted_bodies(1).await.is_empty());
        ctx.set_paused(false).await;
        ctx.wait_for_state(1, State::PrReadyToMerge).await;
        assert_ne!(ctx.sha("topic"), before);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_loop_that_is_made_while_everything_is_paused_waits() {
    run_test(RepositoryFixture::clean(), async |ctx| {
        ctx.set_paused(true).await;
        ctx.start_loop(1).await;
        ctx.wait_for_blocker(1, "paused").await;
        assert!(ctx.posted_bodies(1).await.is_empty());
        ctx.set_paused(false).await;
        ctx.wait_for_state(1, State::PrReadyToMerge).await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lost_journal_does_not_end_it() {
    run_test(RepositoryFixture::clean(), async |ctx| {
        ctx.set_paused(true).await;
        ctx.start_loop(1).await;
        ctx.wait_for_blocker(1, "paused").await;
        ctx.stop_engine().await;
        ctx.lose_journal().await;
        ctx.start_engine().await;
        assert!(ctx.handle().pause().is_some());
        ctx.wait_for_blocker(1, "paused").await;
        assert!(ctx.posted_bodies(1).await.is_empty());
    })
    .await;
}
