//! What a repository says about itself is read from the base (§4.7, §9.3, §12).

use crate::harness::run_test;
use crate::harness::scene::{COLLIE, SOUND, Scene};
use collie_core::blocker::Blocker;
use collie_core::lifecycle::State;

const RULE: &str = "id: no-sum\nlanguage: JavaScript\nmessage: The sum is not wanted here\n\
    rule:\n  pattern: return sum\nfix: return 0\nmetadata: { priority: P2, category: maintainability }\n";

#[tokio::test(flavor = "multi_thread")]
async fn a_broken_rules_file_is_told_and_the_others_work() {
    let scene = Scene::new()
        .base(".collie/rules/good.yml", RULE)
        .base(
            ".collie/rules/bad.yml",
            "id: bad\nlanguage: Klingon\nrule:\n  pattern: x\n",
        )
        .head("app.js", SOUND);
    run_test(scene, async |ctx| {
        let state = ctx.start_until_ready().await;
        assert_eq!(state.iteration, 1);
        assert!(ctx.file("topic", "app.js").contains("return 0"));
        ctx.until(1, "an empty outbox", |s| s.outbox.is_empty())
            .await;
        let said = ctx.said(1).await.join("\n");
        assert!(said.contains("bad.yml"), "{said}");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn rules_and_configuration_of_the_head_are_not_obeyed() {
    let scene = Scene::new()
        .head(".collie/rules/mine.yml", RULE)
        .head(
            ".collie.toml",
            "slots = \"all of them\"\nmax_iterations = 0\n",
        )
        .head("app.js", SOUND);
    run_test(scene, async |ctx| {
        let state = ctx.start_until_ready().await;
        assert_eq!(state.iteration, 0);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_configuration_is_named_with_line_and_key_until_the_base_is_mended() {
    let wrong = "# Collie\nmax_iteration = 3\npoll_interval = \"soon\"\n";
    let scene = Scene::clean().base(".collie.toml", wrong);
    run_test(scene, async |ctx| {
        ctx.start(1).await;
        let state = ctx.until_blocked(1, "config_invalid").await;
        let Some(Blocker::ConfigInvalid { message }) = &state.blocker else {
            panic!("{:?}", state.blocker);
        };
        for expect in [
            ".collie.toml, line 2, `max_iteration`",
            "max_iterations",
            "line 3, `poll_interval`",
        ] {
            assert!(message.contains(expect), "{message}");
        }
        ctx.until_read_again(1, 3).await;
        ctx.until_blocked(1, "config_invalid").await;
        ctx.push("main", &[(".collie.toml", "max_iterations = 3\n")]);
        let state = ctx.until_state(1, State::PrReadyToMerge).await;
        assert_eq!(state.policy.max_iterations, 3);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_repository_may_not_widen_what_the_user_allows() {
    let scene = Scene::clean().base(
        ".collie.toml",
        "max_iterations = 50\nallowed_users = [\"octo\", \"mallory\"]\n",
    );
    run_test(scene, async |ctx| {
        let state = ctx.start_until_ready().await;
        assert_eq!(state.policy.max_iterations, 5);
        let allowed: Vec<_> = state.policy.allowed_users.iter().collect();
        assert_eq!(allowed, [&collie_core::ids::Login::new(COLLIE)]);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_fix_that_the_repository_s_own_commands_refuse_is_not_pushed() {
    let verify = "[verify]\ncommands = [\"echo sum is missing; grep -q debugger app.js\"]\n";
    let scene = Scene::faulty().base(".collie.toml", verify);
    run_test(scene, async |ctx| {
        let before = ctx.sha("topic");
        ctx.start(1).await;
        let state = ctx.until_state(1, State::NeedsHuman).await;
        assert_eq!(state.stop.as_ref().unwrap().code(), "upheld");
        assert_eq!(ctx.sha("topic"), before);
        ctx.until(1, "an empty outbox", |s| s.outbox.is_empty())
            .await;
        let said = ctx.said(1).await.join("\n");
        assert!(said.contains("taken back"), "{said}");
        assert!(said.contains("sum is missing"), "{said}");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn commands_that_pass_let_the_fix_through_and_leave_nothing_in_it() {
    let verify = "[verify]\ncommands = [\"echo built > artefact.txt\", \"test ! -e ../escape\"]\n";
    let scene = Scene::faulty().base(".collie.toml", verify);
    run_test(scene, async |ctx| {
        ctx.start_until_ready().await;
        let files =
            crate::harness::scene::git(&ctx.bare(), &["ls-tree", "-r", "--name-only", "topic"]);
        assert!(!files.contains("artefact"), "{files}");
    })
    .await;
}
