//! Cancel, retry, resume (§2, §10.5).

use collie_core::lifecycle::State;
use collie_core::loop_state::LoopState;
use collie_engine::{CommandError, StartError};
use collie_testkit::engine::{PausePoint, TestContext, run_test};
use collie_testkit::repository::{CLEAN_FILE, RepositoryFixture};
use serde_json::json;
use std::time::{Duration, Instant};

/// How long a cancel may take in all.
const LIMIT: Duration = Duration::from_secs(10);

/// Cancels once the loop is as wanted: soon it is over, and nothing of it is left.
async fn cancel_when(ctx: &TestContext, what: &str, is: impl Fn(&LoopState) -> bool) {
    ctx.wait_until(1, what, is).await;
    let since = Instant::now();
    ctx.cancel(1);
    ctx.wait_until(1, "the end", |state| {
        state.run.state == State::Cancelled && state.outbox.effects.is_empty()
    })
    .await;
    assert!(since.elapsed() < LIMIT, "took {:?}", since.elapsed());
    assert!(ctx.worktrees().is_empty(), "{:?}", ctx.worktrees());
    collie_testkit::engine::check_processes(&ctx.data_folder()).await;
    assert!(since.elapsed() < LIMIT, "took {:?}", since.elapsed());
}

fn is_in_state(state: State) -> impl Fn(&LoopState) -> bool {
    move |loop_state| loop_state.run.state == state
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cancel_while_checks_run_ends_the_loop_and_a_retry_begins_anew() {
    let slow = "[[check]]\nname = \"slow\"\nrun = \"test -f go || sleep 600\"\n";
    run_test(
        RepositoryFixture::faulty().with_base_file(".forge.toml", slow),
        async |ctx| {
            ctx.start_loop(1).await;
            cancel_when(ctx, "running checks", |state| {
                state
                    .run
                    .blocker
                    .as_ref()
                    .is_some_and(|b| b.code() == "checks_running")
            })
            .await;
            ctx.push("topic", &[("go", "")]).await;
            ctx.retry(1).await.expect("a cancelled run can be retried");
            let state = ctx
                .wait_until(1, "ready", is_in_state(State::PrReadyToMerge))
                .await;
            assert_eq!((state.run.ordinal, state.run.fixing.iteration), (2, 1));
        },
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cancel_during_a_review_ends_it() {
    run_test(RepositoryFixture::faulty(), async |ctx| {
        let hold = ctx.pause_points.pause_at(PausePoint::Review);
        ctx.start_loop(1).await;
        hold.wait_reached().await;
        cancel_when(ctx, "the review", is_in_state(State::PrReviewing)).await;
        assert!(ctx.posted_bodies(1).await.is_empty());
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cancel_during_a_fix_ends_it_and_a_retry_ends_ready() {
    run_test(RepositoryFixture::faulty(), async |ctx| {
        let hold = ctx.pause_points.pause_at(PausePoint::Fix);
        ctx.start_loop(1).await;
        hold.wait_reached().await;
        cancel_when(ctx, "the fix", is_in_state(State::PrFixing)).await;
        assert!(ctx.fix_commits("topic").is_empty());
        ctx.pause_points.clear();
        ctx.retry(1).await.expect("a cancelled run can be retried");
        ctx.wait_until(1, "ready", is_in_state(State::PrReadyToMerge))
            .await;
        assert_eq!(ctx.fix_commits("topic").len(), 1);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_waits_to_be_said_when_it_is_cancelled_is_not_said() {
    run_test(RepositoryFixture::faulty(), async |ctx| {
        let write = ctx.pause_points.pause_at(PausePoint::WriteObstacle);
        ctx.start_loop(1).await;
        write.wait_reached().await;
        ctx.cancel(1);
        ctx.wait_until(1, "the cancel", is_in_state(State::Cancelled))
            .await;
        write.release();
        ctx.wait_until(1, "an empty outbox", |state| {
            state.outbox.effects.is_empty()
        })
        .await;
        assert_eq!(ctx.posted_bodies(1).await, Vec::<String>::new());
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_may_not_start_loops_begins_no_other_run() {
    run_test(RepositoryFixture::unfixable(), async |ctx| {
        ctx.start_loop(1).await;
        ctx.wait_for_state(1, State::NeedsHuman).await;
        ctx.restart_engine_as("forge-mallory").await;
        for refused in [ctx.retry(1).await, ctx.resume(1).await] {
            let denied = matches!(refused, Err(CommandError::Start(StartError::Denied { .. })));
            assert!(denied, "{refused:?}");
        }
        assert_eq!(ctx.state(1).run.ordinal, 1);
        ctx.restart_engine_as("forge-octo").await;
        ctx.retry(1).await.expect("octo may");
        ctx.wait_until(1, "the second run", |state| state.run.ordinal == 2)
            .await;
        ctx.wait_for_state(1, State::NeedsHuman).await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cancel_ends_the_command_that_verifies_a_fix_with_all_its_children() {
    let verify = vec!["sh -c 'sleep 613 & sleep 613; true'".to_owned()];
    let fixture = RepositoryFixture::faulty().with_layer(|layer| layer.verify = Some(verify));
    run_test(fixture, async |ctx| {
        ctx.start_loop(1).await;
        let data = ctx.data_folder();
        let runs = move |_: &LoopState| {
            collie_testkit::engine::processes_of(&data)
                .iter()
                .any(|process| process.contains("sleep 613"))
        };
        cancel_when(ctx, "the command", runs).await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cancel_while_the_push_hangs_ends_the_loop_and_its_git() {
    run_test(RepositoryFixture::faulty(), async |ctx| {
        let route = "POST /**/git-receive-pack";
        ctx.set_faults(json!({"kind": "latency", "ms": 60_000, "route": route}))
            .await;
        ctx.start_loop(1).await;
        let data = ctx.data_folder();
        let pushes = move |_: &LoopState| {
            collie_testkit::engine::processes_of(&data)
                .iter()
                .any(|process| process.contains(" push "))
        };
        cancel_when(ctx, "the push", pushes).await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cancel_during_a_fetch_that_hangs_ends_the_loop_and_its_git() {
    run_test(RepositoryFixture::faulty(), async |ctx| {
        let route = "POST /**/git-upload-pack";
        ctx.set_faults(json!({"kind": "latency", "ms": 60_000, "route": route}))
            .await;
        ctx.start_loop(1).await;
        let data = ctx.data_folder();
        let fetches = move |_: &LoopState| {
            collie_testkit::engine::processes_of(&data)
                .iter()
                .any(|process| process.contains(" fetch "))
        };
        cancel_when(ctx, "the fetch", fetches).await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cancel_of_what_is_ready_ends_it_and_a_second_one_is_refused() {
    run_test(RepositoryFixture::clean(), async |ctx| {
        ctx.start_loop_until_ready().await;
        cancel_when(ctx, "ready", is_in_state(State::PrReadyToMerge)).await;
        let pull = collie_core::ids::PullName::parse("demo/app#1").unwrap();
        let by = collie_core::ids::Login::new("ana");
        let error = ctx.handle().cancel(&pull, &by).unwrap_err();
        assert!(matches!(error, CommandError::HasEnded { .. }), "{error}");
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
    run_test(RepositoryFixture::unfixable(), async |ctx| {
        ctx.start_loop(1).await;
        let stopped = ctx.wait_for_state(1, State::NeedsHuman).await;
        assert_eq!(stopped.run.stop.as_ref().unwrap().code(), "upheld");
        assert!(
            !ctx.worktrees().is_empty(),
            "the worktree stays for the person"
        );
        // Resumed without a change it stops again, and says so once more.
        let said = ctx.posted_bodies(1).await.len();
        ctx.resume(1).await.expect("it can be resumed");
        ctx.wait_until(1, "the second run", |state| state.run.ordinal == 2)
            .await;
        ctx.wait_for_state(1, State::NeedsHuman).await;
        ctx.wait_until(1, "an empty outbox", |state| {
            state.outbox.effects.is_empty()
        })
        .await;
        assert!(ctx.posted_bodies(1).await.len() > said);
        ctx.push("topic", &[("app.js", CLEAN_FILE)]).await;
        ctx.resume(1).await.expect("it can be resumed");
        let state = ctx
            .wait_until(1, "ready", is_in_state(State::PrReadyToMerge))
            .await;
        assert_eq!(state.run.ordinal, 3);
        assert!(
            !state.run.review.findings.is_empty(),
            "the findings are carried over"
        );
    })
    .await;
}
