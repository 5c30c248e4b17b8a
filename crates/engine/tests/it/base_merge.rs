//! The base merged into the head branch, from a conflict to ready (§3.7).

use collie_config::{AgentSettings, FixerSettings};
use collie_core::blocker::Blocker;
use collie_core::error_code::ErrorCode;
use collie_core::lifecycle::State;
use collie_core::policy::{BaseMerging, Policy};
use collie_testkit::engine::{LoopFixture, PausePoint, TestContext, run_test};
use collie_testkit::git::git;
use collie_testkit::repository::RepositoryFixture;
use serde_json::{Value, json};
use std::path::Path;
use tempfile::TempDir;

const COMMON: &str = "one\ntwo\nthree\n";
const HEAD: &str = "one\ntwo of the head\nthree\n";
const BASE: &str = "one\ntwo of the base\nthree\n";
const BOTH: &str = "one\ntwo of the head\ntwo of the base\nthree\n";

/// Pull request 1 changes a line of `notes.txt`.
fn repository() -> RepositoryFixture {
    RepositoryFixture::unchanged()
        .with_base_file("notes.txt", COMMON)
        .with_head_file("notes.txt", HEAD)
}

fn merging(how: BaseMerging) -> LoopFixture {
    repository().with_layer(|layer| layer.merge_base = Some(how))
}

/// An agent that leaves a text in `notes.txt` each time it is asked, and says that.
fn with_agent(text: &str, description: &str) -> (TempDir, LoopFixture) {
    let folder = tempfile::tempdir().expect("a folder");
    let script = folder.path().join("script.json");
    let answer = json!({
        "fixedIssues": [{"findingId": "F1", "description": description}],
        "rejectedIssues": [],
    });
    let said: Value = json!({"edits": {"notes.txt": text}, "answer": answer.to_string()});
    std::fs::write(&script, said.to_string()).expect("it can be written");
    let command = [
        "env".to_owned(),
        format!("FAKE_AGENT_SCRIPT={}", script.display()),
        collie_fake_agent::program().display().to_string(),
    ];
    let agent = AgentSettings {
        command: command.to_vec(),
        readable: script.parent().map(Path::to_owned).into_iter().collect(),
        state: vec![".fake-agent".into()],
        ..AgentSettings::default()
    };
    let fixture = merging(BaseMerging::Agent).with_layer(|layer| {
        layer.agents.insert("scripted".into(), agent);
        // The rules review: the script is the fixer's.
        layer.stages = Some(Policy::default().stages);
        layer.fixer = Some(FixerSettings {
            runs_on: Some("scripted".into()),
            ..FixerSettings::default()
        });
    });
    (folder, fixture)
}

/// Somebody pushes to the base, so that it conflicts.
async fn push_base(ctx: &TestContext) -> String {
    ctx.push("main", &[("notes.txt", BASE)]).await
}

fn parents(ctx: &TestContext) -> Vec<String> {
    let line = git(
        &ctx.bare_repository(),
        &["log", "-1", "--format=%P", "topic"],
    );
    line.split_whitespace().map(str::to_owned).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_conflict_is_resolved_pushed_reviewed_and_ready() {
    let (_script, fixture) = with_agent(BOTH, "Kept both.");
    run_test(fixture, async |ctx| {
        let head = ctx.sha("topic");
        let base = push_base(ctx).await;
        ctx.start_loop(1).await;
        let state = ctx.wait_for_state(1, State::PrReadyToMerge).await;
        assert_eq!(ctx.file("topic", "notes.txt").trim(), BOTH.trim());
        assert_eq!(parents(ctx), [head, base]);
        assert_eq!(state.run.fixing.iteration, 1);
        let merged = ctx.sha("topic");
        let reviewed = &state.run.review.stages[0].reviewers[0].head;
        assert_eq!(reviewed.as_ref().map(ToString::to_string), Some(merged));
        let message = &ctx.fix_commits("topic")[0];
        assert!(message.starts_with("Merge main into topic"), "{message}");
        let said = ctx.posted_bodies(1).await;
        let told = said.iter().filter(|body| body.contains("Kept both."));
        assert_eq!(told.count(), 1, "{said:#?}");
        assert!(said.iter().any(|body| body.contains("was merged into")));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_line_of_the_base_that_the_agent_drops_without_a_word_waits_for_a_person() {
    let (_script, fixture) = with_agent(HEAD, "Resolved.");
    run_test(fixture, async |ctx| {
        let head = ctx.sha("topic");
        push_base(ctx).await;
        ctx.start_loop(1).await;
        let state = ctx
            .wait_until(1, "the refused merge", |state| {
                matches!(
                    &state.run.blocker,
                    Some(Blocker::Conflict { error: Some(_), .. })
                )
            })
            .await;
        let Some(Blocker::Conflict {
            error: Some(error), ..
        }) = &state.run.blocker
        else {
            panic!("{:?}", state.run.blocker);
        };
        assert_eq!(error.code, ErrorCode::BaseMergeLinesLost);
        let lines = format!("{:?}", error.args["lines"]);
        assert!(lines.contains("notes.txt:2 two of the base"), "{lines}");
        assert!(state.is_settled());
        ctx.wait_for_observations(1, 3).await;
        assert_eq!(ctx.sha("topic"), head, "nothing is pushed");
        assert_eq!(ctx.state(1).run.fixing.turns, 1, "nor tried again");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_line_that_the_agent_leaves_out_with_a_reason_is_told_of() {
    let why = "Left out `two of the base`, since the head says the same better.";
    let (_script, fixture) = with_agent(HEAD, why);
    run_test(fixture, async |ctx| {
        push_base(ctx).await;
        let state = ctx.start_loop_until_ready().await;
        let [(_, merge)] = state.run.fixing.merges.as_slice() else {
            panic!("{:?}", state.run.fixing.merges);
        };
        assert_eq!(merge.lost[0].to_string(), "notes.txt:2 two of the base");
        let message = &ctx.fix_commits("topic")[0];
        assert!(
            message.contains("- notes.txt:2 two of the base"),
            "{message}"
        );
        let said = ctx.posted_bodies(1).await;
        let told = said.iter().filter(|body| body.contains("two of the base"));
        assert_eq!(told.count(), 2, "report and proof: {said:#?}");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_branch_that_is_behind_is_merged_by_git_alone() {
    run_test(merging(BaseMerging::Clean), async |ctx| {
        let protection = json!({"main": {"strict": true, "required_checks": ["test"]}});
        ctx.change_repository(json!({"protection": protection}))
            .await;
        let head = ctx.sha("topic");
        let base = ctx.push("main", &[("more.txt", "more\n")]).await;
        ctx.start_loop_until_ready().await;
        assert_eq!(parents(ctx), [head, base]);
        assert_eq!(ctx.file("topic", "more.txt").trim(), "more");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn git_alone_gives_a_conflict_up() {
    run_test(merging(BaseMerging::Clean), async |ctx| {
        let head = ctx.sha("topic");
        push_base(ctx).await;
        ctx.start_loop(1).await;
        let state = ctx
            .wait_until(1, "the refused merge", |state| {
                let code = match &state.run.blocker {
                    Some(Blocker::Conflict { error, .. }) => error.as_ref().map(|it| it.code),
                    _ => None,
                };
                code == Some(ErrorCode::BaseMergeConflicts)
            })
            .await;
        assert!(state.is_settled());
        assert_eq!(ctx.sha("topic"), head);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_merge_that_a_crash_interrupts_is_made_and_pushed_once() {
    for at in [PausePoint::Committed, PausePoint::Push, PausePoint::Pushed] {
        let (_script, fixture) = with_agent(BOTH, "Kept both.");
        run_test(fixture, async |ctx| {
            push_base(ctx).await;
            let hold = ctx.pause_points.pause_at(at);
            ctx.start_loop(1).await;
            hold.wait_reached().await;
            ctx.crash().await;
            ctx.start_engine().await;
            ctx.wait_for_state(1, State::PrReadyToMerge).await;
            assert_eq!(ctx.fix_commits("topic").len(), 1, "{at:?}");
            assert_eq!(ctx.file("topic", "notes.txt").trim(), BOTH.trim());
        })
        .await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_push_by_somebody_just_before_ours_has_the_merge_made_anew() {
    let (_script, fixture) = with_agent(BOTH, "Kept both.");
    run_test(fixture, async |ctx| {
        push_base(ctx).await;
        let hold = ctx.pause_points.pause_at(PausePoint::Push);
        ctx.start_loop(1).await;
        hold.wait_reached().await;
        let theirs = ctx.push("topic", &[("theirs.txt", "theirs\n")]).await;
        ctx.pause_points.clear();
        hold.release();
        ctx.wait_for_state(1, State::PrReadyToMerge).await;
        assert_eq!(parents(ctx)[0], theirs, "by a merge of what is there now");
        assert_eq!(ctx.fix_commits("topic").len(), 1);
    })
    .await;
}
