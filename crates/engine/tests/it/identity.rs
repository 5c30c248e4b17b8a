//! What a token lacks is named before anything is written, and an older server is understood.

use collie_core::lifecycle::State;
use collie_testkit::engine::run_test;
use collie_testkit::forge::COLLIE;
use collie_testkit::repository::RepositoryFixture;
use serde_json::{Value, json};
use std::time::Duration;

/// What a token lacks is asked again after a minute at the earliest.
const ASKED_AGAIN: Duration = Duration::from_secs(61);

/// Every request that creates or changes something, but those that lack what they must have.
fn writes(counts: &Value) -> Vec<String> {
    let routes = counts["routes"].as_object().expect("routes");
    let is_write = |route: &&String| {
        let is_question = route.ends_with("/{repo}/pulls") || route.ends_with("/git/refs");
        let reads = route.starts_with("GET ") || route.ends_with("/graphql");
        let is_fetch = route.ends_with("/git-upload-pack");
        !reads && !is_fetch && !is_question
    };
    let mutations = counts["graphql"].as_object().expect("operations");
    let mutations = mutations.keys().filter(|name| name.starts_with("mutation"));
    let routes = routes.keys().filter(is_write);
    routes.chain(mutations).cloned().collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_fine_grained_token_is_told_what_it_lacks_before_the_first_write() {
    run_test(RepositoryFixture::faulty(), async |ctx| {
        let set_permissions = async |permissions: Value| {
            let token = json!({"login": COLLIE, "permissions": permissions});
            ctx.call("demo", "POST", "/_forge/tokens", Some(token))
                .await;
        };
        set_permissions(json!(["issues"])).await;
        ctx.reset_request_counts().await;
        ctx.start_loop(1).await;
        let state = ctx.wait_for_blocker(1, "rights_lacking").await;
        assert_eq!(state.run.state, State::PrCreated);
        let lacking: Vec<&str> = (state.run.rights.lacking.iter())
            .map(|right| right.name())
            .collect();
        assert_eq!(lacking, ["pull_requests=write", "contents=write"]);
        // Many looks later nothing was written, and each question was refused.
        ctx.wait_for_observations(1, 3).await;
        let counts = ctx.request_counts().await;
        assert_eq!(writes(&counts), [""; 0]);
        assert_eq!(counts["answers"]["403"], json!(2), "{counts}");
        assert_eq!(counts["refused"], json!({}));
        let denied = ctx.audit_entries().into_iter().find(|entry| {
            entry["action"] == "permission_check_denied" && !entry["token_lacks"].is_null()
        });
        let denied = denied.expect("the audit says so");
        assert_eq!(denied["token_lacks"], "pull_requests=write, contents=write");
        // One of both is not enough; both are, and the loop goes on by itself.
        set_permissions(json!(["issues", "pull_requests"])).await;
        ctx.clock.skip(ASKED_AGAIN);
        ctx.wait_until(1, "one right less", |state| {
            state.run.rights.lacking.len() == 1
        })
        .await;
        assert_eq!(writes(&ctx.request_counts().await), [""; 0]);
        set_permissions(json!(["issues", "pull_requests", "contents"])).await;
        ctx.clock.skip(ASKED_AGAIN);
        ctx.wait_for_state(1, State::PrReadyToMerge).await;
        assert_eq!(ctx.fix_commits("topic").len(), 1);
        let pulls = ctx.repo_get("/pulls?state=all").await;
        let branches = ctx.repo_get("/branches").await;
        let count = |list: &Value| list.as_array().expect("a list").len();
        assert_eq!((count(&pulls), count(&branches)), (1, 2));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_classic_token_without_the_scope_waits_without_a_question() {
    run_test(RepositoryFixture::clean(), async |ctx| {
        let set_scopes = async |scopes: Value| {
            let token = json!({"login": COLLIE, "scopes": scopes});
            ctx.call("demo", "POST", "/_forge/tokens", Some(token))
                .await;
        };
        set_scopes(json!(["read:org"])).await;
        ctx.start_loop(1).await;
        let state = ctx.wait_for_blocker(1, "rights_lacking").await;
        let lacking = state.run.rights.lacking.iter().map(|right| right.name());
        assert_eq!(lacking.collect::<Vec<_>>(), ["repo"]);
        set_scopes(json!(["repo"])).await;
        ctx.clock.skip(ASKED_AGAIN);
        ctx.wait_for_state(1, State::PrReadyToMerge).await;
        assert_eq!(ctx.request_counts().await["refused"], json!({}));
    })
    .await;
}

/// As GitHub Enterprise Server 3.5 has it: no merge queue, no counts of checks, no event of a workflow, and more.
const OLD_SERVER: [&str; 10] = [
    "PullRequest.isInMergeQueue",
    "PullRequest.isMergeQueueEnabled",
    "PullRequest.autoMergeRequest",
    "Ref.refUpdateRule",
    "StatusCheckRollupContextConnection.checkRunCountsByState",
    "StatusCheckRollupContextConnection.statusContextCountsByState",
    "WorkflowRun.event",
    "IssueComment.fullDatabaseId",
    "PullRequestReview.fullDatabaseId",
    "PullRequestReviewComment.fullDatabaseId",
];

#[tokio::test(flavor = "multi_thread")]
async fn a_loop_becomes_ready_on_a_server_that_lacks_new_fields() {
    run_test(RepositoryFixture::faulty(), async |ctx| {
        let schema = json!({"without": OLD_SERVER, "version": "3.5.2"});
        ctx.call("demo", "PUT", "/_forge/schema", Some(schema))
            .await;
        let state = ctx.start_loop_until_ready().await;
        assert_eq!(state.run.fixing.iteration, 1);
    })
    .await;
}

/// Without it nobody could say whether GitHub would merge: nothing is made ready.
#[tokio::test(flavor = "multi_thread")]
async fn a_server_without_an_essential_field_is_named_until_it_is_updated() {
    run_test(RepositoryFixture::clean(), async |ctx| {
        let set_schema = async |without: Value| {
            let schema = json!({"without": without, "version": "3.2.1"});
            ctx.call("demo", "PUT", "/_forge/schema", Some(schema))
                .await;
        };
        set_schema(json!(["PullRequest.mergeStateStatus"])).await;
        ctx.start_loop(1).await;
        let state = ctx.wait_for_blocker(1, "server_too_old").await;
        let blocker = format!("{:?}", state.run.blocker);
        assert!(
            blocker.contains("PullRequest.mergeStateStatus"),
            "{blocker}"
        );
        assert!(blocker.contains("3.2.1"), "{blocker}");
        set_schema(json!([])).await;
        ctx.wait_for_state(1, State::PrReadyToMerge).await;
    })
    .await;
}
