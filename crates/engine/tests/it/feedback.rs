//! People talk back: each comment is heard once and answered once, whatever crashes when (§7; seed 002).

use crate::panel::{approving_review, serve_model, with_agent, write_script};
use collie_core::lifecycle::State;
use collie_core::loop_state::LoopState;
use collie_testkit::engine::{PausePoint, TestContext, run_test};
use collie_testkit::repository::RepositoryFixture;
use serde_json::{Value, json};
use std::path::Path;

const REASON: &str = "The standard calls it so.";
const QUESTION: &str = "Should it not be called `length`?";

/// What the agent says to one finding.
fn declining() -> Value {
    let account = json!({
        "fixedIssues": [],
        "rejectedIssues": [{"findingId": "F1", "reason": REASON}],
    });
    json!({"answer": account.to_string()})
}

/// A clean change, a model that approves, and the scripted agent as the fixer.
async fn with_fixer(script: &Path, test: impl AsyncFnOnce(&mut TestContext)) {
    let model = serve_model(vec![approving_review()], "100").await;
    let fixture = RepositoryFixture::clean().with_model(model.url());
    run_test(with_agent(fixture, script, "resume", "fixer"), test).await;
}

async fn comment(ctx: &TestContext, login: &str, words: &str) -> u64 {
    let said = json!({"body": words});
    let made = ctx
        .repo_call(login, "POST", "/issues/1/comments", Some(said))
        .await;
    made["id"].as_u64().expect("a number")
}

/// What Collie has answered in these words.
async fn answers(ctx: &TestContext, words: &str) -> usize {
    let bodies = ctx.posted_bodies(1).await;
    bodies.iter().filter(|body| body.contains(words)).count()
}

fn all_processed(state: &LoopState) -> bool {
    let mut heard = state.memory.feedback.values();
    heard.all(|heard| heard.processed_at.is_some())
}

/// Waits until so many pieces of feedback were heard, all of them processed, and it is ready again.
async fn wait_until_answered(ctx: &TestContext, heard: usize) {
    ctx.wait_until(1, "the answer", |state| {
        state.memory.feedback.len() >= heard
            && all_processed(state)
            && state.run.state == State::PrReadyToMerge
            && state.is_settled()
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_comment_on_a_ready_pull_request_is_answered_by_the_agent_and_it_is_ready_again() {
    let (_folder, path) = write_script(declining());
    with_fixer(&path, async |ctx| {
        ctx.start_loop_until_ready().await;
        comment(ctx, "ana", QUESTION).await;
        wait_until_answered(ctx, 1).await;
        assert_eq!(answers(ctx, REASON).await, 1);
        let state = ctx.state(1);
        let session = state.memory.fixer_session.as_ref().expect("it goes on");
        assert_eq!(session.agent, "scripted");
        // The turn can be followed through the audit log.
        let turn = |line: &Value| {
            line["action"] == "pr_fixer_started"
                && line["turn_key"].as_str().is_some_and(|key| key.len() == 64)
        };
        assert!(ctx.audit_entries().iter().any(turn));
        // Read again and again: nothing more is said.
        ctx.wait_for_observations(1, 3).await;
        assert_eq!(answers(ctx, REASON).await, 1);
        assert_eq!(ctx.state(1).run.fixing.turns, 1);
        // A second question goes on with the session of the first.
        comment(ctx, "ben", "And is `total` a good name?").await;
        wait_until_answered(ctx, 2).await;
        assert_eq!(answers(ctx, REASON).await, 2);
        let after = ctx.state(1).memory.fixer_session.clone();
        assert_eq!(
            after.map(|session| session.session),
            Some(session.session.clone())
        );
    })
    .await;
}

/// Crashes while a comment is answered, starts again, and finds one answer.
async fn check_crash_while_answering(point: PausePoint) {
    let (_folder, path) = write_script(declining());
    with_fixer(&path, async |ctx| {
        ctx.start_loop_until_ready().await;
        let hold = ctx.pause_points.pause_at(point);
        comment(ctx, "ana", QUESTION).await;
        hold.wait_reached().await;
        assert!(!all_processed(&ctx.state(1)), "its answer is not confirmed");
        ctx.crash().await;
        ctx.start_engine().await;
        wait_until_answered(ctx, 1).await;
        assert_eq!(answers(ctx, REASON).await, 1);
        assert_eq!(ctx.state(1).run.fixing.turns, 1);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crash_while_the_agent_answers_makes_one_turn_and_one_answer() {
    check_crash_while_answering(PausePoint::Fix).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crash_before_the_answer_is_sent_sends_it_once() {
    check_crash_while_answering(PausePoint::Post).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crash_after_the_answer_is_sent_does_not_send_it_again() {
    check_crash_while_answering(PausePoint::Posted).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_edit_while_it_is_answered_is_heard_and_answered_too() {
    let (_folder, path) = write_script(declining());
    with_fixer(&path, async |ctx| {
        ctx.start_loop_until_ready().await;
        let hold = ctx.pause_points.pause_at(PausePoint::Fix);
        let id = comment(ctx, "ana", QUESTION).await;
        hold.wait_reached().await;
        let edited = json!({"body": format!("{QUESTION} And tested?")});
        let path = format!("/issues/comments/{id}");
        ctx.repo_call("ana", "PATCH", &path, Some(edited)).await;
        ctx.pause_points.clear();
        hold.release();
        wait_until_answered(ctx, 2).await;
        assert_eq!(answers(ctx, REASON).await, 2);
        assert_eq!(answers(ctx, "And tested?").await, 1);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_model_a_person_is_asked_once_and_settles_it() {
    run_test(RepositoryFixture::clean(), async |ctx| {
        ctx.start_loop_until_ready().await;
        comment(ctx, "ana", QUESTION).await;
        ctx.wait_for_blocker(1, "comments_open").await;
        comment(ctx, "ben", "I wonder too.").await;
        ctx.wait_until(1, "both to be left", |state| {
            state.memory.answers.len() == 2 && state.is_settled()
        })
        .await;
        let said = ctx.posted_bodies(1).await;
        assert_eq!(answers(ctx, "/collie done").await, 1, "{said:#?}");
        comment(ctx, "ben", "/collie done").await;
        ctx.wait_for_state(1, State::PrReadyToMerge).await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn commands_of_people_are_obeyed_once_and_those_of_strangers_never() {
    run_test(RepositoryFixture::clean(), async |ctx| {
        ctx.start_loop_until_ready().await;
        let first = ctx.state(1).run.id.clone();
        comment(ctx, "mallory", "/collie stop").await;
        comment(
            ctx,
            "ana",
            "> /collie stop\n\nOne could write `/collie stop` here.",
        )
        .await;
        ctx.wait_for_observations(1, 3).await;
        assert!(!ctx.state(1).run.state.is_terminal());
        comment(ctx, "ben", "/collie stop").await;
        ctx.wait_until(1, "the stop", |state| {
            state.run.state == State::Cancelled && state.outbox.effects.is_empty()
        })
        .await;
        assert_eq!(answers(ctx, "Stopped.").await, 1);
        // It listens on, over a restart too.
        ctx.crash().await;
        ctx.start_engine().await;
        comment(ctx, "ben", "/collie retry").await;
        ctx.wait_until(1, "another run", |state| state.run.id != first)
            .await;
        ctx.wait_for_observations(1, 3).await;
        assert_eq!(ctx.state(1).run.ordinal, 2);
        assert_eq!(answers(ctx, "Stopped.").await, 1);
        assert_eq!(answers(ctx, "A new run has begun.").await, 1);
        let audited = ctx.audit_entries();
        let of = |action: &str, command: &str| {
            let same = |line: &&Value| line["action"] == action && line["command"] == command;
            audited.iter().filter(same).count()
        };
        assert_eq!(of("command_obeyed", "stop"), 1);
        assert_eq!(of("command_obeyed", "retry"), 1);
        assert_eq!(of("permission_check_denied", "stop"), 1);
    })
    .await;
}
