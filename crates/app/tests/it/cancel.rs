//! Cancel, retry, resume (§2, §10.5).

use crate::harness::holds::Point;
use crate::harness::scene::{SOUND, Scene};
use crate::harness::{Ctx, run_test};
use collie_core::lifecycle::State;
use collie_core::model::LoopState;
use collie_engine::CommandError;
use serde_json::json;
use std::time::{Duration, Instant};

/// How long a cancel may take in all.
const LIMIT: Duration = Duration::from_secs(10);

/// Cancels once the loop is as wanted: soon it is over, and nothing of it is left.
async fn cancel_when(ctx: &Ctx, what: &str, is: impl Fn(&LoopState) -> bool) {
    ctx.until(1, what, is).await;
    let since = Instant::now();
    ctx.cancel(1);
    ctx.until(1, "the end", |s| {
        s.state == State::Cancelled && s.outbox.is_empty()
    })
    .await;
    assert!(since.elapsed() < LIMIT, "took {:?}", since.elapsed());
    assert!(ctx.worktrees().is_empty(), "{:?}", ctx.worktrees());
    crate::harness::check_processes(&ctx.data()).await;
    assert!(since.elapsed() < LIMIT, "took {:?}", since.elapsed());
}

fn in_state(state: State) -> impl Fn(&LoopState) -> bool {
    move |s| s.state == state
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cancel_while_checks_run_ends_the_loop_and_a_retry_begins_anew() {
    let slow = "[[check]]\nname = \"slow\"\nrun = \"test -f go || sleep 600\"\n";
    run_test(Scene::faulty().base(".forge.toml", slow), async |ctx| {
        ctx.start(1).await;
        cancel_when(ctx, "running checks", |s| {
            s.blocker
                .as_ref()
                .is_some_and(|b| b.code() == "checks_running")
        })
        .await;
        ctx.push("topic", &[("go", "")]);
        ctx.retry(1).await.expect("a cancelled run can be retried");
        let state = ctx.until(1, "ready", in_state(State::PrReadyToMerge)).await;
        assert_eq!((state.run_ordinal, state.iteration), (2, 1));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cancel_during_a_review_ends_it() {
    run_test(Scene::faulty(), async |ctx| {
        let hold = ctx.holds.arm(Point::Review);
        ctx.start(1).await;
        hold.reached().await;
        cancel_when(ctx, "the review", in_state(State::PrReviewing)).await;
        assert!(ctx.said(1).await.is_empty());
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cancel_during_a_fix_ends_it_and_a_retry_ends_ready() {
    run_test(Scene::faulty(), async |ctx| {
        let hold = ctx.holds.arm(Point::Fix);
        ctx.start(1).await;
        hold.reached().await;
        cancel_when(ctx, "the fix", in_state(State::PrFixing)).await;
        assert!(ctx.fixes("topic").is_empty());
        ctx.holds.disarm();
        ctx.retry(1).await.expect("a cancelled run can be retried");
        ctx.until(1, "ready", in_state(State::PrReadyToMerge)).await;
        assert_eq!(ctx.fixes("topic").len(), 1);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cancel_ends_the_command_that_verifies_a_fix_with_all_its_children() {
    let verify = vec!["sh -c 'sleep 613 & sleep 613; true'".to_owned()];
    let scene = Scene::faulty().told(|layer| layer.verify = Some(verify));
    run_test(scene, async |ctx| {
        ctx.start(1).await;
        let data = ctx.data();
        let runs = move |_: &LoopState| {
            crate::harness::processes(&data)
                .iter()
                .any(|process| process.contains("sleep 613"))
        };
        cancel_when(ctx, "the command", runs).await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cancel_while_the_push_hangs_ends_the_loop_and_its_git() {
    run_test(Scene::faulty(), async |ctx| {
        let route = "POST /**/git-receive-pack";
        ctx.faults(json!({"kind": "latency", "ms": 60_000, "route": route}))
            .await;
        ctx.start(1).await;
        let data = ctx.data();
        let pushes = move |_: &LoopState| {
            crate::harness::processes(&data)
                .iter()
                .any(|process| process.contains(" push "))
        };
        cancel_when(ctx, "the push", pushes).await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cancel_during_a_fetch_that_hangs_ends_the_loop_and_its_git() {
    run_test(Scene::faulty(), async |ctx| {
        let route = "POST /**/git-upload-pack";
        ctx.faults(json!({"kind": "latency", "ms": 60_000, "route": route}))
            .await;
        ctx.start(1).await;
        let data = ctx.data();
        let fetches = move |_: &LoopState| {
            crate::harness::processes(&data)
                .iter()
                .any(|process| process.contains(" fetch "))
        };
        cancel_when(ctx, "the fetch", fetches).await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cancel_of_what_is_ready_ends_it_and_a_second_one_is_refused() {
    run_test(Scene::clean(), async |ctx| {
        ctx.start_until_ready().await;
        cancel_when(ctx, "ready", in_state(State::PrReadyToMerge)).await;
        let pull = collie_core::ids::PullName::parse("demo/app#1").unwrap();
        let by = collie_core::ids::Login::new("ana");
        let error = ctx.handle().cancel(&pull, &by).unwrap_err();
        assert!(matches!(error, CommandError::Over { .. }), "{error}");
        let error = ctx.resume(1).await.unwrap_err();
        assert!(
            matches!(error, CommandError::NotResumable { .. }),
            "{error}"
        );
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_nobody_here_can_fix_is_left_to_a_person_and_a_resume_goes_on_with_it() {
    run_test(Scene::hopeless(), async |ctx| {
        ctx.start(1).await;
        let stopped = ctx.until_state(1, State::NeedsHuman).await;
        assert_eq!(stopped.stop.as_ref().unwrap().code(), "upheld");
        assert!(
            !ctx.worktrees().is_empty(),
            "the worktree stays for the person"
        );
        // Resumed without a change it stops again, and says so once more.
        let said = ctx.said(1).await.len();
        ctx.resume(1).await.expect("it can be resumed");
        ctx.until(1, "the second run", |s| s.run_ordinal == 2).await;
        ctx.until_state(1, State::NeedsHuman).await;
        ctx.until(1, "an empty outbox", |s| s.outbox.is_empty())
            .await;
        assert!(ctx.said(1).await.len() > said);
        ctx.push("topic", &[("app.js", SOUND)]);
        ctx.resume(1).await.expect("it can be resumed");
        let state = ctx.until(1, "ready", in_state(State::PrReadyToMerge)).await;
        assert_eq!(state.run_ordinal, 3);
        assert!(!state.findings.is_empty(), "the findings are carried over");
    })
    .await;
}
