//! Collie as a GitHub App (§18.2): its tokens end in the middle of a loop, its installation is suspended and taken away.

use collie_core::lifecycle::State;
use collie_testkit::engine::run_test;
use collie_testkit::repository::RepositoryFixture;
use serde_json::json;

const MAKE_TOKEN: &str = "POST /app/installations/{installation_id}/access_tokens";

#[tokio::test(flavor = "multi_thread")]
async fn a_loop_goes_on_while_the_tokens_of_its_app_end() {
    run_test(RepositoryFixture::faulty(), async |ctx| {
        ctx.expectations.refused_requests = true;
        ctx.stop_engine().await;
        // Each ends within what is kept as a margin, so it is renewed before each request.
        ctx.act_as_app(15).await;
        ctx.start_engine().await;
        let state = ctx.start_loop_until_ready().await;
        assert_eq!(state.run.fixing.iteration, 1, "it pushed");
        let counts = ctx.request_counts().await;
        let made = counts["routes"][MAKE_TOKEN].as_u64().unwrap_or_default();
        assert!(made > 2, "{made} in {counts:#}");
        let comments = ctx.repo_get("/issues/1/comments").await;
        let comments = comments.as_array().unwrap();
        assert!(!comments.is_empty());
        for comment in comments {
            assert_eq!(comment["user"]["login"], "collie-app[bot]");
        }
        // What it said is its own: one report, one fix report, one proof, and nobody's feedback.
        assert_eq!(comments.len(), 3, "{comments:#?}");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn one_token_serves_as_long_as_it_is_good() {
    run_test(RepositoryFixture::clean(), async |ctx| {
        ctx.expectations.refused_requests = true;
        ctx.stop_engine().await;
        ctx.act_as_app(3600).await;
        ctx.start_engine().await;
        ctx.start_loop_until_ready().await;
        let counts = ctx.request_counts().await;
        assert_eq!(counts["routes"][MAKE_TOKEN], 1, "{counts:#}");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_installation_that_is_suspended_or_gone_is_named_and_ends_once_it_is_back() {
    run_test(RepositoryFixture::clean(), async |ctx| {
        ctx.expectations.refused_requests = true;
        ctx.stop_engine().await;
        let app = ctx.act_as_app(3600).await;
        ctx.start_engine().await;
        ctx.start_loop_until_ready().await;
        for (gone, back, problem) in [
            (
                json!({"suspended": true}),
                json!({"suspended": false}),
                "suspended",
            ),
            (
                json!({"installed": false}),
                json!({"installed": true}),
                "not_installed",
            ),
        ] {
            ctx.change_app(app, gone).await;
            let state = ctx.wait_for_blocker(1, "app_unusable").await;
            let blocker = state.run.blocker.clone().unwrap();
            assert!(blocker.needs_person());
            let args = format!("{:?}", blocker.args());
            assert!(args.contains(problem), "{args}");
            ctx.change_app(app, back).await;
            ctx.wait_for_blocker(1, "awaiting_merge").await;
        }
        ctx.wait_for_state(1, State::PrReadyToMerge).await;
    })
    .await;
}
