//! What holds a pull request is named, nothing is written meanwhile, and the loop goes on by itself (§3.7, §11).

use collie_core::effect::Effect;
use collie_core::lifecycle::State;
use collie_testkit::engine::{PausePoint, TestContext, run_test};
use collie_testkit::forge::COLLIE;
use collie_testkit::repository::{CLEAN_FILE, FAULTY_FILE, RepositoryFixture};
use serde_json::json;

/// Nothing was posted, resolved or pushed so far.
async fn assert_untouched(ctx: &TestContext) {
    let requests = ctx.request_counts().await;
    let routes = requests["routes"].as_object().expect("counts by name");
    let write = |route: &&String| {
        let writes = ["POST /repos", "PUT /repos", "PATCH /repos", "DELETE /repos"];
        writes.iter().any(|w| route.starts_with(w)) || route.contains("git-receive-pack")
    };
    // What lacks what it must have creates nothing: each was refused.
    let refused = requests["refused"].as_object().expect("refusals by route");
    let was_refused = |route: &&String| refused.get(*route) == routes.get(*route);
    let written = routes.keys().filter(write);
    let written: Vec<_> = written.filter(|route| !was_refused(route)).collect();
    assert!(written.is_empty(), "{written:?}");
    let mutations: Vec<_> = requests["graphql"]
        .as_object()
        .expect("counts by name")
        .keys()
        .collect();
    assert!(
        !mutations.iter().any(|name| name.starts_with("mutation")),
        "{mutations:?}"
    );
}

async fn wait_for_hold(ctx: &TestContext, code: &str) {
    ctx.reset_request_counts().await;
    ctx.start_loop(1).await;
    ctx.wait_for_blocker(1, code).await;
    ctx.wait_for_observations(1, 3).await;
    ctx.wait_for_blocker(1, code).await;
    assert_untouched(ctx).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_draft_waits_until_it_is_none() {
    run_test(RepositoryFixture::faulty(), async |ctx| {
        ctx.graphql(
            "ana",
            "mutation($id: ID!) { convertPullRequestToDraft(input: {pullRequestId: $id}) { pullRequest { isDraft } } }",
        )
        .await;
        wait_for_hold(ctx, "draft").await;
        ctx.graphql(
            "ana",
            "mutation($id: ID!) { markPullRequestReadyForReview(input: {pullRequestId: $id}) { pullRequest { isDraft } } }",
        )
        .await;
        ctx.wait_for_state(1, State::PrReadyToMerge).await;
    })
    .await;
}

const AUTO: &str = "mutation($id: ID!) { enablePullRequestAutoMerge(input: {pullRequestId: $id}) { pullRequest { id } } }";
const NO_AUTO: &str = "mutation($id: ID!) { disablePullRequestAutoMerge(input: {pullRequestId: $id}) { pullRequest { id } } }";

#[tokio::test(flavor = "multi_thread")]
async fn auto_merge_keeps_the_hands_off_until_it_is_switched_off() {
    run_test(RepositoryFixture::faulty(), async |ctx| {
        // An approval is missing, so that the forge accepts auto-merge, and waits.
        let rules =
            json!({"allow_auto_merge": true, "protection": {"main": {"required_reviews": 1}}});
        ctx.change_repository(rules).await;
        ctx.graphql("ana", AUTO).await;
        wait_for_hold(ctx, "auto_merge").await;
        assert_eq!(ctx.state(1).run.state, State::PrCreated);
        ctx.graphql("ana", NO_AUTO).await;
        ctx.change_repository(json!({"protection": {"main": null}}))
            .await;
        ctx.wait_for_state(1, State::PrReadyToMerge).await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn auto_merge_switched_on_in_the_middle_stops_the_next_write() {
    run_test(RepositoryFixture::faulty(), async |ctx| {
        let rules =
            json!({"allow_auto_merge": true, "protection": {"main": {"required_reviews": 1}}});
        ctx.change_repository(rules).await;
        let hold = ctx.pause_points.pause_at(PausePoint::Fix);
        ctx.start_loop(1).await;
        hold.wait_reached().await;
        ctx.wait_until(1, "the report", |state| state.outbox.effects.len() == 1)
            .await;
        ctx.graphql("ana", AUTO).await;
        ctx.reset_request_counts().await;
        hold.release();
        ctx.wait_for_blocker(1, "auto_merge").await;
        ctx.wait_for_observations(1, 3).await;
        assert_untouched(ctx).await;
        assert!(ctx.fix_commits("topic").is_empty());
        ctx.graphql("ana", NO_AUTO).await;
        ctx.change_repository(json!({"protection": {"main": null}}))
            .await;
        ctx.wait_for_state(1, State::PrReadyToMerge).await;
        assert_eq!(ctx.fix_commits("topic").len(), 1);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn auto_merge_switched_on_while_a_post_waits_out_a_limit_stops_it() {
    run_test(RepositoryFixture::faulty(), async |ctx| {
        let rules =
            json!({"allow_auto_merge": true, "protection": {"main": {"required_reviews": 1}}});
        ctx.change_repository(rules).await;
        let comments = "POST /repos/*/*/issues/*/comments";
        let limit = json!({"kind": "secondary_rate_limit", "retry_after": 2, "route": comments, "count": 1});
        ctx.set_faults(json!([limit])).await;
        ctx.start_loop(1).await;
        ctx.wait_until(1, "the report", |state| {
            let mut effects = state.outbox.effects.values();
            effects.any(|effect| matches!(effect, Effect::Post(_)))
        })
        .await;
        ctx.graphql("ana", AUTO).await;
        ctx.wait_for_blocker(1, "auto_merge").await;
        tokio::time::sleep(std::time::Duration::from_secs(4)).await;
        let said = ctx.repo_get("/issues/1/comments").await;
        assert_eq!(said, json!([]));
        ctx.graphql("ana", NO_AUTO).await;
        ctx.change_repository(json!({"protection": {"main": null}}))
            .await;
        ctx.wait_for_state(1, State::PrReadyToMerge).await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_merge_queue_keeps_the_hands_off_until_it_lets_go() {
    run_test(RepositoryFixture::faulty(), async |ctx| {
        ctx.change_repository(json!({"merge_queue": {"main": true}})).await;
        ctx.graphql(
            "ana",
            "mutation($id: ID!) { enqueuePullRequest(input: {pullRequestId: $id}) { mergeQueueEntry { id } } }",
        )
        .await;
        wait_for_hold(ctx, "merge_queue").await;
        ctx.graphql(
            "ana",
            "mutation($id: ID!) { dequeuePullRequest(input: {id: $id}) { mergeQueueEntry { id } } }",
        )
        .await;
        ctx.wait_for_state(1, State::PrReadyToMerge).await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_label_keeps_collie_away_until_it_is_taken_off() {
    run_test(RepositoryFixture::faulty(), async |ctx| {
        let label = json!({"labels": ["collie:ignore"]});
        ctx.repo_call("ana", "POST", "/issues/1/labels", Some(label))
            .await;
        wait_for_hold(ctx, "ignore_label").await;
        ctx.repo_call("ana", "DELETE", "/issues/1/labels/collie:ignore", None)
            .await;
        ctx.wait_for_state(1, State::PrReadyToMerge).await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_conflict_with_the_base_waits_until_it_is_resolved() {
    run_test(RepositoryFixture::clean(), async |ctx| {
        ctx.push("main", &[("app.js", "export const other = 1;\n")])
            .await;
        wait_for_hold(ctx, "conflict").await;
        ctx.push("main", &[("app.js", "export {};\n")]).await;
        ctx.wait_for_state(1, State::PrReadyToMerge).await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unsubmitted_review_of_the_posting_account_is_waited_for() {
    run_test(RepositoryFixture::faulty(), async |ctx| {
        let draft =
            json!({"comments": [{"path": "app.js", "line": 1, "side": "RIGHT", "body": "hm"}]});
        let review = ctx
            .repo_call(COLLIE, "POST", "/pulls/1/reviews", Some(draft))
            .await;
        wait_for_hold(ctx, "pending_review").await;
        let path = format!("/pulls/1/reviews/{}", review["id"]);
        ctx.repo_call(COLLIE, "DELETE", &path, None).await;
        ctx.wait_for_state(1, State::PrReadyToMerge).await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_branch_behind_a_base_that_must_be_up_to_date_is_not_ready() {
    run_test(RepositoryFixture::clean(), async |ctx| {
        let strict = json!({"protection": {"main": {"strict": true, "required_checks": ["test"]}}});
        ctx.change_repository(strict).await;
        ctx.push("main", &[("other.txt", "more\n")]).await;
        ctx.start_loop(1).await;
        ctx.wait_for_blocker(1, "behind").await;
        ctx.repo_call("ana", "PUT", "/pulls/1/update-branch", Some(json!({})))
            .await;
        ctx.wait_for_state(1, State::PrReadyToMerge).await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_review_that_the_rules_require_is_waited_for() {
    run_test(RepositoryFixture::clean(), async |ctx| {
        ctx.change_repository(json!({"protection": {"main": {"required_reviews": 1}}}))
            .await;
        ctx.start_loop(1).await;
        ctx.wait_for_blocker(1, "review_required").await;
        let approve = json!({"event": "APPROVE"});
        ctx.repo_call("ben", "POST", "/pulls/1/reviews", Some(approve))
            .await;
        ctx.wait_for_state(1, State::PrReadyToMerge).await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_person_who_asks_for_changes_is_asked_once_to_look_again() {
    run_test(RepositoryFixture::faulty(), async |ctx| {
        let request = json!({"event": "REQUEST_CHANGES", "body": "Not yet.", "comments":
            [{"path": "app.js", "line": 3, "side": "RIGHT", "body": "Please take this out."}]});
        ctx.repo_call("ben", "POST", "/pulls/1/reviews", Some(request))
            .await;
        ctx.start_loop(1).await;
        let state = ctx
            .wait_until(1, "ben to be waited for", |loop_state| {
                loop_state.run.fixing.iteration == 1
                    && loop_state.outbox.effects.is_empty()
                    && loop_state
                        .run
                        .blocker
                        .as_ref()
                        .is_some_and(|b| b.code() == "changes_requested")
            })
            .await;
        assert_eq!(state.run.state, State::PrReviewing);
        ctx.wait_for_observations(1, 4).await;
        let asked = ctx.posted_bodies(1).await;
        let asked = asked
            .iter()
            .filter(|body| body.contains("Please review it again"))
            .count();
        assert_eq!(asked, 1);
        assert_eq!(ctx.file("topic", "app.js").trim(), CLEAN_FILE.trim());
        let approve = json!({"event": "APPROVE"});
        ctx.repo_call("ben", "POST", "/pulls/1/reviews", Some(approve))
            .await;
        ctx.wait_for_state(1, State::PrReadyToMerge).await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn ready_is_left_when_the_base_changes_under_it_and_taken_again() {
    run_test(RepositoryFixture::clean(), async |ctx| {
        ctx.start_loop_until_ready().await;
        ctx.push("main", &[("app.js", "export const other = 1;\n")])
            .await;
        ctx.wait_for_blocker(1, "conflict").await;
        assert_eq!(ctx.state(1).run.state, State::PrAwaitingChecks);
        ctx.push("main", &[("app.js", "export {};\n")]).await;
        ctx.wait_for_state(1, State::PrReadyToMerge).await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_push_after_ready_is_reviewed_and_proven_anew() {
    run_test(RepositoryFixture::clean(), async |ctx| {
        let first = ctx.start_loop_until_ready().await;
        ctx.push("topic", &[("app.js", FAULTY_FILE)]).await;
        let state = ctx
            .wait_until(1, "ready at the fix", |loop_state| {
                loop_state.run.state == State::PrReadyToMerge
                    && loop_state.run.fixing.iteration == 1
            })
            .await;
        assert_ne!(state.run.head.sha, first.run.head.sha);
        assert_eq!(ctx.fix_commits("topic").len(), 1);
    })
    .await;
}
