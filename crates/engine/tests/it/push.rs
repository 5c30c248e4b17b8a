//! Where a push could do harm, is refused, or meets another one (§6.4).

use collie_core::blocker::Stop;
use collie_core::effect::Effect;
use collie_core::lifecycle::State;
use collie_core::loop_state::LoopState;
use collie_core::note::Note;
use collie_core::queue_place::QueuePlace;
use collie_testkit::engine::{PausePoint, TestContext, run_test};
use collie_testkit::program::write_program;
use collie_testkit::repository::{CLEAN_FILE, FAULTY_FILE, PullFixture, RepositoryFixture};
use serde_json::json;
use std::collections::BTreeMap;
use std::time::Duration;

/// The loop ends without a push, for that reason, with its findings told.
async fn assert_not_pushed(ctx: &TestContext, branch: &str, reason: &str) -> String {
    let before = ctx.sha(branch);
    ctx.start_loop(1).await;
    let state = ctx.wait_for_state(1, State::NeedsHuman).await;
    let Some(Stop::CannotPush {
        reason: told,
        message,
    }) = &state.run.stop
    else {
        panic!("{:?}", state.run.stop);
    };
    assert_eq!(told, reason);
    ctx.wait_until(1, "an empty outbox", |state| {
        state.outbox.effects.is_empty()
    })
    .await;
    assert_eq!(ctx.sha(branch), before);
    let said = ctx.posted_bodies(1).await;
    assert!(
        said.iter().any(|body| body.contains("debugger")),
        "the findings are posted: {said:#?}"
    );
    message.clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_pushed_to_the_default_branch() {
    run_test(
        RepositoryFixture::faulty().with_branches("main", "release"),
        async |ctx| {
            assert_not_pushed(ctx, "main", "default_branch").await;
        },
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_pushed_to_a_protected_branch() {
    run_test(RepositoryFixture::faulty(), async |ctx| {
        ctx.change_repository(json!({"protection": {"topic": {}}}))
            .await;
        assert_not_pushed(ctx, "topic", "protected").await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_pushed_to_the_base_of_another_pull_request() {
    run_test(RepositoryFixture::faulty(), async |ctx| {
        ctx.push_from("topic", "on-top", &[("more.txt", "more\n")])
            .await;
        let new = json!({"title": "On top", "head": "on-top", "base": "topic"});
        ctx.repo_call("ben", "POST", "/pulls", Some(new)).await;
        assert_not_pushed(ctx, "topic", "base_of_another").await;
    })
    .await;
}

/// A hook of the server refuses every push.
fn refuse_pushes(ctx: &TestContext) {
    let hook = ctx.bare_repository().join("hooks/pre-receive");
    let script = "#!/bin/sh\necho 'commits must be signed by a badger' >&2\nexit 1\n";
    write_program(&hook, script);
}

/// Report and inline comments wait for a right that the token lacks when the push is refused: the run has only its last word to say.
#[tokio::test(flavor = "multi_thread")]
async fn what_waited_to_be_said_is_not_said_once_a_person_has_to_take_over() {
    run_test(RepositoryFixture::faulty(), async |ctx| {
        refuse_pushes(ctx);
        let refused = |route: &str| json!({"kind": "saml", "route": route});
        let routes = ["issues/*/comments", "pulls/*/reviews"];
        let faults = routes.map(|what| refused(&format!("POST /repos/*/*/{what}")));
        ctx.set_faults(json!(faults)).await;
        ctx.start_loop(1).await;
        ctx.wait_until(1, "the refused push", |state| {
            state.run.state == State::NeedsHuman && state.outbox.effects.len() >= 3
        })
        .await;
        ctx.clear_faults().await;
        ctx.wait_until(1, "an empty outbox", |state| {
            state.outbox.effects.is_empty()
        })
        .await;
        let said = ctx.posted_bodies(1).await;
        assert_eq!(said.len(), 1, "{said:#?}");
        assert!(said[0].contains("signed by a badger"), "{said:#?}");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_push_that_a_hook_of_the_server_refuses_is_reported_in_its_words() {
    run_test(RepositoryFixture::faulty(), async |ctx| {
        refuse_pushes(ctx);
        let message = assert_not_pushed(ctx, "topic", "refused").await;
        assert!(message.contains("signed by a badger"), "{message}");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_push_by_somebody_just_before_ours_is_built_upon_once() {
    run_test(RepositoryFixture::faulty(), async |ctx| {
        let hold = ctx.pause_points.pause_at(PausePoint::Push);
        ctx.start_loop(1).await;
        hold.wait_reached().await;
        let theirs = ctx
            .push(
                "topic",
                &[("app.js", &format!("// Totals.\n{FAULTY_FILE}"))],
            )
            .await;
        hold.release();
        ctx.wait_for_state(1, State::PrReadyToMerge).await;
        assert_eq!(ctx.fix_commits("topic").len(), 1);
        let expect = format!("// Totals.\n{CLEAN_FILE}");
        assert_eq!(ctx.file("topic", "app.js").trim(), expect.trim());
        let history =
            collie_testkit::git::git(&ctx.bare_repository(), &["log", "--format=%H", "topic"]);
        assert!(history.contains(&theirs), "nothing of theirs is lost");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_push_by_somebody_that_conflicts_with_ours_is_reviewed_anew() {
    run_test(RepositoryFixture::faulty(), async |ctx| {
        let hold = ctx.pause_points.pause_at(PausePoint::Push);
        ctx.start_loop(1).await;
        hold.wait_reached().await;
        let other = FAULTY_FILE.replace("  debugger;\n", "  debugger; // here it goes wrong\n");
        let theirs = ctx.push("topic", &[("app.js", &other)]).await;
        ctx.pause_points.clear();
        hold.release();
        let state = ctx.wait_for_state(1, State::PrReadyToMerge).await;
        assert_eq!(state.run.head.restarts, 1);
        let notes = ctx.notes(1).await;
        let told = |note: &&Note| matches!(note, Note::PushConflicted { .. });
        assert_eq!(notes.iter().filter(told).count(), 1, "{notes:?}");
        assert_eq!(ctx.fix_commits("topic").len(), 1);
        assert!(!ctx.file("topic", "app.js").contains("debugger;"));
        let history =
            collie_testkit::git::git(&ctx.bare_repository(), &["log", "--format=%H", "topic"]);
        assert!(history.contains(&theirs), "nothing of theirs is lost");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_push_by_somebody_during_the_fix_drops_it() {
    run_test(RepositoryFixture::faulty(), async |ctx| {
        let hold = ctx.pause_points.pause_at(PausePoint::Fix);
        ctx.start_loop(1).await;
        hold.wait_reached().await;
        ctx.push("topic", &[("app.js", CLEAN_FILE)]).await;
        let state = ctx.wait_for_state(1, State::PrReadyToMerge).await;
        assert_eq!(
            (state.run.head.restarts, state.run.fixing.iteration),
            (1, 0)
        );
        assert!(ctx.fix_commits("topic").is_empty());
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn of_two_loops_on_one_branch_one_at_a_time_makes_and_pushes_a_commit() {
    run_test(RepositoryFixture::faulty(), async |ctx| {
        ctx.push_from("main", "release", &[("NOTES.md", "# Notes\n")])
            .await;
        let other = PullFixture::new("topic").into_base("release");
        assert_eq!(ctx.open_imported_pull("demo/app", &other).await, 2);
        let fix = ctx.pause_points.pause_at(PausePoint::Fix);
        let push = ctx.pause_points.pause_at(PausePoint::Push);
        ctx.start_loop(1).await;
        fix.wait_reached().await;
        ctx.start_loop(2).await;
        let asks_for_a_fix = |state: &LoopState| {
            let mut effects = state.outbox.effects.values();
            // Slots are free: what it waits for is the other one.
            let place = QueuePlace {
                position: 1,
                branch_held_by: Some(ctx.state(1).pull_name()),
            };
            effects.any(|effect| matches!(effect, Effect::Fix(_)))
                && ctx.handle().queue_place(&state.id).as_ref() == Some(&place)
                && ctx.handle().queue_places() == BTreeMap::from([(state.id.clone(), place)])
        };
        ctx.wait_until(2, "to queue for its fix", asks_for_a_fix)
            .await;
        fix.release();
        push.wait_reached().await;
        let second = ctx.state(2);
        assert!(asks_for_a_fix(&second), "{:?}", second.outbox.effects);
        push.release();
        ctx.wait_for_state(1, State::PrReadyToMerge).await;
        let second = ctx.wait_for_state(2, State::PrReadyToMerge).await;
        assert_eq!(ctx.fix_commits("topic").len(), 1);
        assert_eq!(second.run.fixing.iteration, 0);
    })
    .await;
}

/// No reading shows the merge before the push is made: what is asked right before each write does.
#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_pushed_to_what_was_merged_a_moment_ago() {
    run_test(RepositoryFixture::faulty(), async |ctx| {
        let committed = ctx.pause_points.pause_at(PausePoint::Committed);
        ctx.start_loop(1).await;
        committed.wait_reached().await;
        // All that is left to be written is the push.
        ctx.wait_until(1, "posts to be sent", |state| {
            let mut effects = state.outbox.effects.values();
            !effects.any(|effect| matches!(effect, Effect::Post(_)))
        })
        .await;
        let write = ctx.pause_points.pause_at(PausePoint::WriteObstacle);
        committed.release();
        write.wait_reached().await;
        let reading = ctx.pause_points.pause_at(PausePoint::Poll);
        reading.wait_reached().await;
        let merge = json!({"merge_method": "merge"});
        ctx.repo_call("ana", "PUT", "/pulls/1/merge", Some(merge))
            .await;
        ctx.pause_points.clear();
        write.release();
        // Longer than a push takes here.
        tokio::time::sleep(Duration::from_secs(2)).await;
        assert!(ctx.fix_commits("topic").is_empty());
        reading.release();
        ctx.wait_for_state(1, State::Merged).await;
        assert!(ctx.fix_commits("topic").is_empty());
    })
    .await;
}
