//! How far Collie goes by itself: what is written at each level, and what stands behind that (§13.7).

use collie_core::autonomy::Autonomy;
use collie_core::effect::Effect;
use collie_core::ids::Sha;
use collie_core::lifecycle::State;
use collie_core::loop_state::LoopState;
use collie_engine::CommandError;
use collie_testkit::engine::{LoopFixture, PausePoint, TestContext, run_test};
use collie_testkit::repository::RepositoryFixture;
use serde_json::json;

fn at_level(repository: RepositoryFixture, level: Autonomy) -> LoopFixture {
    LoopFixture::from(repository).with_layer(|layer| {
        layer.repositories = Some(vec![collie_config::WatchedRepository {
            autonomy: Some(level),
            ..collie_config::WatchedRepository::new(
                collie_core::ids::RepoName::parse("demo/app").unwrap(),
            )
        }]);
    })
}

/// The commit that waits for a person.
async fn waiting_commit(ctx: &TestContext) -> Sha {
    let state = ctx.wait_for_blocker(1, "awaiting_approval").await;
    let push = state.held_push().expect("a commit waits");
    push.commit.clone()
}

fn has_post(state: &LoopState) -> bool {
    let mut asked = state.outbox.effects.values();
    asked.any(|effect| matches!(effect, Effect::Post(_)))
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_observed_is_sent_once_a_person_raises_the_level() {
    run_test(
        at_level(RepositoryFixture::faulty(), Autonomy::Observe),
        async |ctx| {
            let before = ctx.sha("topic");
            ctx.start_loop(1).await;
            let state = ctx.wait_for_blocker(1, "observing").await;
            assert!(state.held_push().is_some() && !state.outbox.held.is_empty());
            assert!(ctx.posted_bodies(1).await.is_empty());
            assert_eq!(ctx.sha("topic"), before);
            ctx.set_autonomy(1, Autonomy::Push).await;
            let state = ctx.wait_for_state(1, State::PrReadyToMerge).await;
            assert_eq!(state.run.fixing.iteration, 1);
            assert_ne!(ctx.sha("topic"), before);
        },
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_repository_that_nobody_has_set_up_is_only_observed() {
    let fixture = LoopFixture::from(RepositoryFixture::clean()).with_layer(|layer| {
        layer.autonomy = None;
    });
    run_test(fixture, async |ctx| {
        ctx.start_loop(1).await;
        ctx.wait_for_state(1, State::PrReadyToMerge).await;
        assert_eq!(ctx.state(1).autonomy(), Autonomy::Observe);
        assert!(ctx.posted_bodies(1).await.is_empty());
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_label_makes_it_observe_and_its_end_lets_it_write() {
    run_test(RepositoryFixture::clean(), async |ctx| {
        let labels = json!({"labels": ["collie:observe"]});
        ctx.repo_call("ana", "POST", "/issues/1/labels", Some(labels))
            .await;
        ctx.start_loop(1).await;
        ctx.wait_for_state(1, State::PrReadyToMerge).await;
        assert!(ctx.posted_bodies(1).await.is_empty());
        ctx.repo_call("ana", "DELETE", "/issues/1/labels/collie:observe", None)
            .await;
        ctx.wait_until(1, "the proof to be posted", |state| {
            state.outbox.held.is_empty() && !state.memory.posted.is_empty()
        })
        .await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_push_is_made_when_its_commit_is_approved_and_not_before() {
    run_test(
        at_level(RepositoryFixture::faulty(), Autonomy::Ask),
        async |ctx| {
            let before = ctx.sha("topic");
            ctx.start_loop(1).await;
            let commit = waiting_commit(ctx).await;
            assert!(!ctx.posted_bodies(1).await.is_empty(), "it posts");
            assert_eq!(ctx.sha("topic"), before);
            let other = Sha::parse(&before).unwrap();
            let refused = ctx.approve(1, &other).await;
            assert!(matches!(refused, Err(CommandError::AnotherPush { .. })));
            ctx.approve(1, &commit).await.expect("it waits");
            ctx.wait_for_state(1, State::PrReadyToMerge).await;
            assert_eq!(ctx.sha("topic"), commit.as_str());
            let refused = ctx.approve(1, &commit).await;
            assert!(matches!(refused, Err(CommandError::NoPushWaits { .. })));
        },
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rejected_push_is_never_made() {
    run_test(
        at_level(RepositoryFixture::faulty(), Autonomy::Ask),
        async |ctx| {
            let before = ctx.sha("topic");
            ctx.start_loop(1).await;
            let commit = waiting_commit(ctx).await;
            ctx.reject(1, &commit, "not like this")
                .await
                .expect("it waits");
            let state = ctx.wait_for_state(1, State::NeedsHuman).await;
            assert_eq!(ctx.sha("topic"), before);
            let mut findings = state.run.review.findings.values();
            assert!(findings.any(|tracked| {
                tracked.rejection.as_deref() == Some("push_rejected:not like this")
            }));
        },
    )
    .await;
}

/// The second wall: `core` has asked for the write by the time that the level is lowered.
#[tokio::test(flavor = "multi_thread")]
async fn a_post_that_was_asked_for_is_not_sent_once_it_only_observes() {
    run_test(RepositoryFixture::clean(), async |ctx| {
        let pause = ctx.pause_points.pause_at(PausePoint::WriteObstacle);
        ctx.start_loop(1).await;
        pause.wait_reached().await;
        assert!(has_post(&ctx.state(1)));
        ctx.set_autonomy(1, Autonomy::Observe).await;
        ctx.wait_until(1, "the level", |state| {
            state.autonomy() == Autonomy::Observe
        })
        .await;
        ctx.reset_request_counts().await;
        ctx.pause_points.clear();
        pause.release();
        // Reading goes on meanwhile, so that what would be sent has had its time.
        ctx.wait_for_observations(1, 3).await;
        let state = ctx.state(1);
        assert!(has_post(&state) && state.held_count() > 0 && state.is_settled());
        assert!(ctx.posted_bodies(1).await.is_empty());
        ctx.set_autonomy(1, Autonomy::Push).await;
        ctx.wait_until(1, "an empty outbox", |state| !has_post(state))
            .await;
        assert!(!ctx.posted_bodies(1).await.is_empty());
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_push_that_was_asked_for_is_not_made_once_it_only_observes() {
    run_test(RepositoryFixture::faulty(), async |ctx| {
        let fixed = ctx.pause_points.pause_at(PausePoint::Committed);
        let before = ctx.sha("topic");
        ctx.start_loop(1).await;
        fixed.wait_reached().await;
        // All that is left to be written is the push.
        ctx.wait_until(1, "posts to be sent", |state| !has_post(state))
            .await;
        let pause = ctx.pause_points.pause_at(PausePoint::WriteObstacle);
        fixed.release();
        pause.wait_reached().await;
        ctx.set_autonomy(1, Autonomy::Observe).await;
        ctx.wait_until(1, "the level", |state| {
            state.autonomy() == Autonomy::Observe
        })
        .await;
        ctx.pause_points.clear();
        pause.release();
        ctx.wait_for_observations(1, 3).await;
        assert_eq!(ctx.sha("topic"), before);
        assert!(ctx.state(1).is_settled());
        ctx.set_autonomy(1, Autonomy::Push).await;
        ctx.wait_for_state(1, State::PrReadyToMerge).await;
        assert_ne!(ctx.sha("topic"), before);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn loops_are_told_what_the_settings_say_at_the_next_start() {
    let fixture = LoopFixture::from(RepositoryFixture::clean()).with_layer(|layer| {
        layer.autonomy = None;
    });
    run_test(fixture, async |ctx| {
        ctx.start_loop(1).await;
        ctx.wait_for_state(1, State::PrReadyToMerge).await;
        ctx.stop_engine().await;
        ctx.edit_config(|layer| layer.autonomy = Some(Autonomy::Push));
        ctx.start_engine().await;
        ctx.wait_until(1, "what was held to be posted", |state| {
            state.autonomy() == Autonomy::Push
                && state.outbox.held.is_empty()
                && !state.memory.posted.is_empty()
        })
        .await;
        ctx.set_autonomy(1, Autonomy::Observe).await;
        ctx.wait_until(1, "a person's word", |state| {
            state.autonomy() == Autonomy::Observe
        })
        .await;
        ctx.stop_engine().await;
        ctx.start_engine().await;
        // The settings have said so before: a person has said otherwise since.
        assert_eq!(ctx.state(1).autonomy(), Autonomy::Observe);
    })
    .await;
}
