//! Where a push could do harm, is refused, or meets another one (§6.4).

use crate::harness::holds::Point;
use crate::harness::scene::{FAULTY, SOUND, Scene};
use crate::harness::{Ctx, run_test};
use collie_core::blocker::Stop;
use collie_core::lifecycle::State;
use serde_json::json;
use std::os::unix::fs::PermissionsExt;

/// The loop ends without a push, for that reason, with its findings told.
async fn not_pushed(ctx: &Ctx, branch: &str, reason: &str) -> String {
    let before = ctx.sha(branch);
    ctx.start(1).await;
    let state = ctx.until_state(1, State::NeedsHuman).await;
    let Some(Stop::CannotPush {
        reason: told,
        message,
    }) = &state.stop
    else {
        panic!("{:?}", state.stop);
    };
    assert_eq!(told, reason);
    ctx.until(1, "an empty outbox", |s| s.outbox.is_empty())
        .await;
    assert_eq!(ctx.sha(branch), before);
    let said = ctx.said(1).await;
    assert!(
        said.iter().any(|body| body.contains("debugger")),
        "the findings are posted: {said:#?}"
    );
    message.clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_pushed_to_the_default_branch() {
    run_test(Scene::faulty().branches("main", "release"), async |ctx| {
        not_pushed(ctx, "main", "default_branch").await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_pushed_to_a_protected_branch() {
    run_test(Scene::faulty(), async |ctx| {
        ctx.settings(json!({"protection": {"topic": {}}})).await;
        not_pushed(ctx, "topic", "protected").await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_pushed_to_the_base_of_another_pull_request() {
    run_test(Scene::faulty(), async |ctx| {
        ctx.push_from("topic", "on-top", &[("more.txt", "more\n")]);
        let new = json!({"title": "On top", "head": "on-top", "base": "topic"});
        ctx.in_repo("ben", "POST", "/pulls", Some(new)).await;
        not_pushed(ctx, "topic", "base_of_another").await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_push_that_a_hook_of_the_server_refuses_is_told_in_its_words() {
    run_test(Scene::faulty(), async |ctx| {
        let hook = ctx.bare().join("hooks/pre-receive");
        let script = "#!/bin/sh\necho 'commits must be signed by a badger' >&2\nexit 1\n";
        std::fs::write(&hook, script).unwrap();
        std::fs::set_permissions(&hook, std::fs::Permissions::from_mode(0o755)).unwrap();
        let message = not_pushed(ctx, "topic", "refused").await;
        assert!(message.contains("signed by a badger"), "{message}");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_push_by_somebody_just_before_ours_is_built_upon_once() {
    run_test(Scene::faulty(), async |ctx| {
        let hold = ctx.holds.arm(Point::Push);
        ctx.start(1).await;
        hold.reached().await;
        let theirs = ctx.push("topic", &[("app.js", &format!("// Totals.\n{FAULTY}"))]);
        hold.release();
        ctx.until_state(1, State::PrReadyToMerge).await;
        assert_eq!(ctx.fixes("topic").len(), 1);
        let expect = format!("// Totals.\n{SOUND}");
        assert_eq!(ctx.file("topic", "app.js").trim(), expect.trim());
        let history = crate::harness::scene::git(&ctx.bare(), &["log", "--format=%H", "topic"]);
        assert!(history.contains(&theirs), "nothing of theirs is lost");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_push_by_somebody_that_conflicts_with_ours_is_reviewed_anew() {
    run_test(Scene::faulty(), async |ctx| {
        let hold = ctx.holds.arm(Point::Push);
        ctx.start(1).await;
        hold.reached().await;
        let other = FAULTY.replace("  debugger;\n", "  debugger; // here it goes wrong\n");
        let theirs = ctx.push("topic", &[("app.js", &other)]);
        ctx.holds.disarm();
        hold.release();
        let state = ctx.until_state(1, State::PrReadyToMerge).await;
        assert_eq!(state.restarts, 1);
        assert_eq!(ctx.fixes("topic").len(), 1);
        assert!(!ctx.file("topic", "app.js").contains("debugger;"));
        let history = crate::harness::scene::git(&ctx.bare(), &["log", "--format=%H", "topic"]);
        assert!(history.contains(&theirs), "nothing of theirs is lost");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_push_by_somebody_during_the_fix_drops_it() {
    run_test(Scene::faulty(), async |ctx| {
        let hold = ctx.holds.arm(Point::Fix);
        ctx.start(1).await;
        hold.reached().await;
        ctx.push("topic", &[("app.js", SOUND)]);
        let state = ctx.until_state(1, State::PrReadyToMerge).await;
        assert_eq!((state.restarts, state.iteration), (1, 0));
        assert!(ctx.fixes("topic").is_empty());
    })
    .await;
}
