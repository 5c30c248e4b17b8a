//! What a repository says about itself is read from the base (§4.7, §9.3, §12).

use collie_core::blocker::Blocker;
use collie_core::lifecycle::State;
use collie_i18n::Localizer;
use collie_testkit::engine::run_test;
use collie_testkit::forge::COLLIE;
use collie_testkit::repository::{CLEAN_FILE, RepositoryFixture};

const RULE: &str = "id: no-sum\nlanguage: JavaScript\nmessage: The sum is not wanted here\n\
    rule:\n  pattern: return sum\nfix: return 0\nmetadata: { priority: P2, category: maintainability }\n";

#[tokio::test(flavor = "multi_thread")]
async fn a_broken_rules_file_is_reported_and_the_others_work() {
    let fixture = RepositoryFixture::unchanged()
        .with_base_file(".collie/rules/good.yml", RULE)
        .with_base_file(
            ".collie/rules/bad.yml",
            "id: bad\nlanguage: Klingon\nrule:\n  pattern: x\n",
        )
        .with_head_file("app.js", CLEAN_FILE);
    run_test(fixture, async |ctx| {
        let state = ctx.start_loop_until_ready().await;
        assert_eq!(state.run.fixing.iteration, 1);
        assert!(ctx.file("topic", "app.js").contains("return 0"));
        ctx.wait_until(1, "an empty outbox", |state| {
            state.outbox.effects.is_empty()
        })
        .await;
        let said = ctx.posted_bodies(1).await.join("\n");
        assert!(said.contains("bad.yml"), "{said}");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn rules_and_configuration_of_the_head_are_not_obeyed() {
    let fixture = RepositoryFixture::unchanged()
        .with_head_file(".collie/rules/mine.yml", RULE)
        .with_head_file(
            ".collie.toml",
            "slots = \"all of them\"\nmax_iterations = 0\n",
        )
        .with_head_file("app.js", CLEAN_FILE);
    run_test(fixture, async |ctx| {
        let state = ctx.start_loop_until_ready().await;
        assert_eq!(state.run.fixing.iteration, 0);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_configuration_is_named_with_line_and_key_until_the_base_is_mended() {
    let wrong = "# Collie\nmax_iteration = 3\npoll_interval = \"soon\"\n";
    let fixture = RepositoryFixture::clean().with_base_file(".collie.toml", wrong);
    run_test(fixture, async |ctx| {
        ctx.start_loop(1).await;
        let state = ctx.wait_for_blocker(1, "config_invalid").await;
        let Some(Blocker::ConfigInvalid { error }) = &state.run.blocker else {
            panic!("{:?}", state.run.blocker);
        };
        let message = Localizer::new("en").error_text(error);
        for expect in [
            ".collie.toml, line 2, `max_iteration`",
            "max_iterations",
            "line 3, `poll_interval`",
        ] {
            assert!(message.contains(expect), "{message}");
        }
        ctx.wait_for_observations(1, 3).await;
        ctx.wait_for_blocker(1, "config_invalid").await;
        ctx.push("main", &[(".collie.toml", "max_iterations = 3\n")])
            .await;
        let state = ctx.wait_for_state(1, State::PrReadyToMerge).await;
        assert_eq!(state.run.configuration.policy.max_iterations, 3);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_repository_may_not_widen_what_the_user_allows() {
    let fixture = RepositoryFixture::clean().with_base_file(
        ".collie.toml",
        "max_iterations = 50\nallowed_users = [\"octo\", \"mallory\"]\n",
    );
    run_test(fixture, async |ctx| {
        let state = ctx.start_loop_until_ready().await;
        assert_eq!(state.run.configuration.policy.max_iterations, 5);
        let allowed: Vec<_> = state
            .run
            .configuration
            .policy
            .allowed_users
            .iter()
            .collect();
        assert_eq!(allowed, [&collie_core::ids::Login::new(COLLIE)]);
    })
    .await;
}
