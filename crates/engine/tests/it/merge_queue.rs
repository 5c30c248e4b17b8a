//! The merge queue: nothing is written while it holds a pull request, and each ejection is told apart (§3.3, §11).

use collie_core::blocker::Blocker;
use collie_core::effect::Effect;
use collie_core::lifecycle::State;
use collie_core::loop_state::LoopState;
use collie_core::merge_queue::EjectionCause;
use collie_testkit::engine::{PausePoint, TestContext, run_test};
use collie_testkit::repository::{PullFixture, RepositoryFixture};
use collie_testkit::wait::wait_until;
use serde_json::{Value, json};
use std::sync::Arc;

const ENQUEUE: &str = "mutation($id: ID!) { enqueuePullRequest(input: {pullRequestId: $id}) { mergeQueueEntry { headCommit { oid } } } }";
const DEQUEUE: &str =
    "mutation($id: ID!) { dequeuePullRequest(input: {id: $id}) { mergeQueueEntry { id } } }";

/// A check that fails where `debugger` stands in a repository that is strict about it.
const STRICT_CHECK: &str =
    "[[check]]\nname = \"test\"\nrun = \"! test -e strict || ! grep -Hn debugger app.js\"\n";
/// A check that fails where somebody has added `bad`.
const BAD_CHECK: &str = "[[check]]\nname = \"test\"\nrun = \"! test -e bad\"\n";

async fn use_queue(ctx: &TestContext) {
    ctx.change_repository(json!({"merge_queue": {"main": true}}))
        .await;
}

/// Queues a pull request, and waits until the checks of the queue's commit are done; none where it could not be built.
async fn enqueue(ctx: &TestContext, number: u64) -> Option<String> {
    let answer = ctx.graphql_about_pull("ana", number, ENQUEUE).await;
    let commit = &answer["enqueuePullRequest"]["mergeQueueEntry"]["headCommit"]["oid"];
    let commit = commit.as_str()?.to_owned();
    wait_until("the checks of the queue's commit", async || {
        let runs = ctx.repo_get(&format!("/commits/{commit}/check-runs")).await;
        let list = runs["check_runs"].as_array().expect("a list");
        let done = |run: &Value| run["status"] == "completed";
        match !list.is_empty() && list.iter().all(done) {
            true => Ok(()),
            false => Err(runs.to_string()),
        }
    })
    .await;
    Some(commit)
}

fn ejections(state: &LoopState) -> Vec<(EjectionCause, Vec<String>)> {
    let known = state.memory.ejections.iter();
    known
        .map(|ejection| (ejection.cause, ejection.checks.clone()))
        .collect()
}

/// Ready, queued, and taken out for a reason; the loop waits for a person, and says why.
async fn ejected_with(ctx: &TestContext, reason: &str) -> Arc<LoopState> {
    ctx.start_loop_until_ready().await;
    enqueue(ctx, 1).await;
    ctx.wait_for_blocker(1, "merge_queue").await;
    ctx.eject(1, reason).await;
    let state = ctx.wait_for_blocker(1, "queue_ejected").await;
    assert_eq!(state.run.fixing.turns, 0);
    // However often it is read, it is one ejection.
    ctx.wait_for_observations(1, 3).await;
    let state = ctx.state(1);
    assert_eq!(state.memory.ejections.len(), 1);
    state
}

fn cause(state: &LoopState) -> EjectionCause {
    match &state.run.blocker {
        Some(Blocker::QueueEjected { cause, .. }) => *cause,
        other => panic!("{other:?}"),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_own_red_in_the_queue_is_mended_like_a_red_check() {
    let fixture = RepositoryFixture::faulty().with_base_file(".forge.toml", STRICT_CHECK);
    run_test(fixture, async |ctx| {
        use_queue(ctx).await;
        // The base becomes strict, so that the change passes alone and fails on top of it.
        ctx.push("main", &[("strict", "yes\n")]).await;
        enqueue(ctx, 1).await.expect("a commit to check");
        ctx.start_loop(1).await;
        ctx.wait_for_blocker(1, "merge_queue").await;
        ctx.eject(1, "failed_checks").await;
        let state = ctx.wait_for_state(1, State::PrReadyToMerge).await;
        let own = (EjectionCause::OwnChecks, vec!["test".to_owned()]);
        assert_eq!(ejections(&state), [own]);
        assert_eq!(state.run.fixing.iteration, 1);
        assert_eq!(ctx.fix_commits("topic").len(), 1);
        let said = ctx.posted_bodies(1).await.join("\n");
        assert!(said.contains("taken out: test failed there"), "{said}");
        assert!(said.contains("claims to fix that"), "{said}");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_neighbour_s_red_is_not_fixed_and_waits_for_a_person() {
    let neighbour = PullFixture::new("other").with_file("bad", "yes\n");
    let fixture = RepositoryFixture::clean()
        .with_base_file(".forge.toml", BAD_CHECK)
        .with_pull(neighbour);
    run_test(fixture, async |ctx| {
        use_queue(ctx).await;
        enqueue(ctx, 2).await.expect("a commit to check");
        let state = ejected_with(ctx, "failed_checks").await;
        let neighbour = (EjectionCause::NeighbourChecks, vec!["test".to_owned()]);
        assert_eq!(ejections(&state), [neighbour]);
        assert!(ctx.fix_commits("topic").is_empty());
        // Queued again by a person, it is held as before.
        ctx.eject(2, "failed_checks").await;
        enqueue(ctx, 1).await;
        ctx.wait_for_blocker(1, "merge_queue").await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_timeout_in_the_queue_is_said_as_one() {
    run_test(RepositoryFixture::clean(), async |ctx| {
        use_queue(ctx).await;
        let state = ejected_with(ctx, "checks_timed_out").await;
        assert_eq!(cause(&state), EjectionCause::Timeout);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_conflict_in_the_queue_waits_for_a_person() {
    let neighbour = PullFixture::new("other").with_file("app.js", "export const other = 1;\n");
    run_test(
        RepositoryFixture::clean().with_pull(neighbour),
        async |ctx| {
            use_queue(ctx).await;
            enqueue(ctx, 2).await.expect("a commit to check");
            let state = ejected_with(ctx, "merge_conflict").await;
            assert_eq!(cause(&state), EjectionCause::Conflict);
        },
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_person_takes_out_is_ready_as_before() {
    run_test(RepositoryFixture::clean(), async |ctx| {
        use_queue(ctx).await;
        ctx.start_loop_until_ready().await;
        enqueue(ctx, 1).await;
        ctx.wait_for_blocker(1, "merge_queue").await;
        ctx.graphql("ana", DEQUEUE).await;
        let state = ctx.wait_for_state(1, State::PrReadyToMerge).await;
        assert_eq!(ejections(&state), [(EjectionCause::Manual, Vec::new())]);
        assert_eq!(ctx.posted_bodies(1).await.len(), 1, "one proof a head");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_written_where_it_is_queued_between_the_decision_and_the_write() {
    run_test(RepositoryFixture::faulty(), async |ctx| {
        use_queue(ctx).await;
        let fix = ctx.pause_points.pause_at(PausePoint::Fix);
        ctx.start_loop(1).await;
        fix.wait_reached().await;
        // The report is out; what comes is the push.
        ctx.wait_until(1, "the report", |state| state.outbox.effects.len() == 1)
            .await;
        let write = ctx.pause_points.pause_at(PausePoint::WriteObstacle);
        fix.release();
        write.wait_reached().await;
        let is_push = |effect: &Effect| matches!(effect, Effect::Push(_));
        let state = ctx.state(1);
        assert!(state.outbox.effects.values().any(is_push));
        let said = ctx.posted_bodies(1).await;
        enqueue(ctx, 1).await;
        write.release();
        ctx.wait_for_blocker(1, "merge_queue").await;
        ctx.wait_for_observations(1, 3).await;
        assert!(ctx.fix_commits("topic").is_empty());
        assert_eq!(ctx.posted_bodies(1).await, said);
        ctx.graphql("ana", DEQUEUE).await;
        ctx.wait_for_state(1, State::PrReadyToMerge).await;
        assert_eq!(ctx.fix_commits("topic").len(), 1);
    })
    .await;
}

/// Waits until GitHub has refused a write for now.
async fn wait_for_refusal(ctx: &TestContext) {
    wait_until("the refused write", async || {
        let counts = ctx.request_counts().await;
        match counts["answers"]["403"].as_u64() {
            Some(1..) => Ok(()),
            Some(0) | None => Err(counts.to_string()),
        }
    })
    .await;
}

/// Longer than the limits of these tests last.
async fn outwait_limit() {
    tokio::time::sleep(std::time::Duration::from_secs(4)).await;
}

fn limit(route: &str) -> Value {
    json!({"kind": "secondary_rate_limit", "retry_after": 2, "route": route, "count": 1})
}

#[tokio::test(flavor = "multi_thread")]
async fn a_post_that_waits_out_a_limit_is_not_sent_once_it_is_queued() {
    run_test(RepositoryFixture::faulty(), async |ctx| {
        use_queue(ctx).await;
        ctx.set_faults(json!([limit("POST /repos/*/*/issues/*/comments")]))
            .await;
        ctx.start_loop(1).await;
        wait_for_refusal(ctx).await;
        enqueue(ctx, 1).await;
        ctx.wait_for_blocker(1, "merge_queue").await;
        outwait_limit().await;
        assert_eq!(ctx.repo_get("/issues/1/comments").await, json!([]));
        ctx.graphql("ana", DEQUEUE).await;
        ctx.wait_for_state(1, State::PrReadyToMerge).await;
        assert_ne!(ctx.repo_get("/issues/1/comments").await, json!([]));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_thread_that_waits_out_a_limit_is_not_resolved_once_it_is_queued() {
    run_test(RepositoryFixture::faulty(), async |ctx| {
        use_queue(ctx).await;
        ctx.set_faults(json!([limit("mutation resolveReviewThread")]))
            .await;
        ctx.start_loop(1).await;
        wait_for_refusal(ctx).await;
        enqueue(ctx, 1).await;
        ctx.wait_for_blocker(1, "merge_queue").await;
        outwait_limit().await;
        assert_eq!(resolved_threads(ctx).await, [false]);
        ctx.graphql("ana", DEQUEUE).await;
        ctx.wait_for_state(1, State::PrReadyToMerge).await;
        ctx.wait_until(1, "an empty outbox", |state| {
            state.outbox.effects.is_empty()
        })
        .await;
        assert_eq!(resolved_threads(ctx).await, [true]);
    })
    .await;
}

async fn resolved_threads(ctx: &TestContext) -> Vec<bool> {
    let query = "query($id: ID!) { node(id: $id) { ... on PullRequest {
        reviewThreads(first: 10) { nodes { isResolved } } } } }";
    let answer = ctx.graphql("ana", query).await;
    let threads = answer["node"]["reviewThreads"]["nodes"].as_array();
    let threads = threads.expect("a list").iter();
    threads.map(|thread| thread["isResolved"] == true).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_check_that_waits_out_a_limit_is_not_run_again_once_it_is_queued() {
    // It takes longer than it may, which says nothing of the change.
    let check = "[[check]]\nname = \"test\"\nrun = \"sleep 20\"\ntimeout = \"1s\"\n";
    let fixture = RepositoryFixture::clean().with_base_file(".forge.toml", check);
    run_test(fixture, async |ctx| {
        use_queue(ctx).await;
        ctx.set_faults(json!([limit("POST /repos/*/*/actions/jobs/*/rerun")]))
            .await;
        ctx.start_loop(1).await;
        wait_for_refusal(ctx).await;
        ctx.graphql("ana", ENQUEUE).await;
        ctx.wait_for_blocker(1, "merge_queue").await;
        outwait_limit().await;
        let runs = format!("/commits/{}/check-runs?filter=all", ctx.sha("topic"));
        assert_eq!(ctx.repo_get(&runs).await["total_count"], 1);
        ctx.graphql("ana", DEQUEUE).await;
        wait_until("the second run", async || {
            let runs = ctx.repo_get(&runs).await;
            match runs["total_count"].as_u64() {
                Some(2) => Ok(()),
                Some(_) | None => Err(runs.to_string()),
            }
        })
        .await;
    })
    .await;
}
