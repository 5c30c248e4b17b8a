//! Checks that are missing, late, ignored or red (§3.3).

use crate::harness::run_test;
use crate::harness::scene::{CHECK, Scene};
use collie_core::blocker::Blocker;
use collie_core::lifecycle::State;
use serde_json::json;
use std::collections::BTreeSet;
use std::time::Duration;

#[tokio::test(flavor = "multi_thread")]
async fn a_repository_without_checks_passes_after_a_while() {
    run_test(Scene::faulty().without_checks(), async |ctx| {
        ctx.start(1).await;
        ctx.until_blocked(1, "no_checks_yet").await;
        let state = ctx.until_state(1, State::PrReadyToMerge).await;
        assert_eq!(state.iteration, 1);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_ignored_check_may_fail() {
    let checks = format!("{CHECK}[[check]]\nname = \"flaky\"\nrun = \"false\"\n");
    let scene = Scene::clean()
        .base(".forge.toml", checks)
        .told(|layer| layer.ignored_checks = Some(BTreeSet::from(["flaky".to_owned()])));
    run_test(scene, async |ctx| {
        ctx.start_until_ready().await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_required_check_that_has_not_reported_is_waited_for_by_name() {
    run_test(Scene::clean(), async |ctx| {
        ctx.settings(json!({"protection": {"main": {"required_checks": ["test", "deploy"]}}}))
            .await;
        ctx.start(1).await;
        let state = ctx
            .until(1, "deploy to be waited for alone", |s| {
                matches!(&s.blocker, Some(Blocker::ChecksRunning { names, .. }) if names == &["deploy"])
            })
            .await;
        assert_eq!(state.state, State::PrAwaitingChecks);
        let sha = ctx.sha("topic");
        let status = json!({"state": "success", "context": "deploy"});
        ctx.in_repo("ben", "POST", &format!("/statuses/{sha}"), Some(status))
            .await;
        ctx.until_state(1, State::PrReadyToMerge).await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_required_check_that_never_comes_ends_the_loop_as_timed_out() {
    run_test(Scene::clean(), async |ctx| {
        ctx.settings(json!({"protection": {"main": {"required_checks": ["deploy"]}}}))
            .await;
        ctx.start(1).await;
        ctx.until_blocked(1, "checks_running").await;
        ctx.clock.skip(Duration::from_secs(30 * 60 + 1));
        let state = ctx.until_state(1, State::Failed).await;
        assert_eq!(state.stop.as_ref().unwrap().code(), "ci_timeout");
        ctx.until(1, "an empty outbox", |s| s.outbox.is_empty())
            .await;
        assert!(ctx.said(1).await.join("\n").contains("deploy"));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_late_check_takes_ready_back_until_it_has_passed() {
    run_test(Scene::clean(), async |ctx| {
        ctx.start_until_ready().await;
        let path = format!("/statuses/{}", ctx.sha("topic"));
        let pending = json!({"state": "pending", "context": "late"});
        ctx.in_repo("ben", "POST", &path, Some(pending)).await;
        let state = ctx.until_blocked(1, "checks_running").await;
        assert_eq!(state.state, State::PrAwaitingChecks);
        let passed = json!({"state": "success", "context": "late"});
        ctx.in_repo("ben", "POST", &path, Some(passed)).await;
        ctx.until_state(1, State::PrReadyToMerge).await;
        let proofs = ctx.get("/issues/1/comments").await;
        assert_eq!(proofs.as_array().unwrap().len(), 1, "one proof a head");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_check_gone_red_after_ready_is_answered_for() {
    run_test(Scene::clean(), async |ctx| {
        ctx.start_until_ready().await;
        let path = format!("/statuses/{}", ctx.sha("topic"));
        let red = json!({"state": "failure", "context": "late", "description": "it broke"});
        ctx.in_repo("ben", "POST", &path, Some(red)).await;
        let state = ctx.until_state(1, State::NeedsHuman).await;
        assert_eq!(state.stop.as_ref().unwrap().code(), "upheld");
        ctx.until(1, "an empty outbox", |s| s.outbox.is_empty())
            .await;
        assert!(ctx.said(1).await.join("\n").contains("late"));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_red_check_that_a_rule_can_mend_is_mended() {
    let checks = "[[check]]\nname = \"no-debugger\"\nrun = \"! grep -n debugger app.js\"\n";
    let scene = Scene::faulty().base(".forge.toml", checks);
    run_test(scene, async |ctx| {
        let state = ctx.start_until_ready().await;
        assert_eq!(state.iteration, 1);
        assert_eq!(ctx.fixes("topic").len(), 1);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_round_waits_for_the_other_checks_before_it_answers_a_failure() {
    let checks = "[[check]]\nname = \"fast\"\nrun = \"! grep -n debugger app.js\"\n\
        [[check]]\nname = \"slow\"\nrun = \"sleep 1\"\n";
    let scene = Scene::faulty()
        .base(".forge.toml", checks)
        .told(|layer| layer.collect_failures_for = Some(60_000));
    run_test(scene, async |ctx| {
        ctx.start(1).await;
        let state = ctx.until_blocked(1, "collecting_failures").await;
        assert_eq!(state.state, State::PrAwaitingChecks);
        ctx.until_state(1, State::PrReadyToMerge).await;
        assert_eq!(ctx.fixes("topic").len(), 1);
    })
    .await;
}
