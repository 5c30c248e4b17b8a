//! What holds a pull request is named, nothing is written meanwhile, and the loop goes on by itself (§3.7, §11).

use crate::harness::holds::Point;
use crate::harness::scene::{COLLIE, FAULTY, SOUND, Scene};
use crate::harness::{Ctx, run_test};
use collie_core::lifecycle::State;
use serde_json::json;

/// Nothing was posted, resolved or pushed so far.
async fn assert_untouched(ctx: &Ctx) {
    let requests = ctx.requests().await;
    let routes = requests["routes"].as_object().expect("counts by name");
    let write = |route: &&String| {
        let writes = ["POST /repos", "PUT /repos", "PATCH /repos", "DELETE /repos"];
        writes.iter().any(|w| route.starts_with(w)) || route.contains("git-receive-pack")
    };
    let written: Vec<_> = routes.keys().filter(write).collect();
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

async fn held_by(ctx: &Ctx, code: &str) {
    ctx.forget_requests().await;
    ctx.start(1).await;
    ctx.until_blocked(1, code).await;
    ctx.until_read_again(1, 3).await;
    ctx.until_blocked(1, code).await;
    assert_untouched(ctx).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_draft_waits_until_it_is_none() {
    run_test(Scene::faulty(), async |ctx| {
        ctx.graphql(
            "ana",
            "mutation($id: ID!) { convertPullRequestToDraft(input: {pullRequestId: $id}) { pullRequest { isDraft } } }",
        )
        .await;
        held_by(ctx, "draft").await;
        ctx.graphql(
            "ana",
            "mutation($id: ID!) { markPullRequestReadyForReview(input: {pullRequestId: $id}) { pullRequest { isDraft } } }",
        )
        .await;
        ctx.until_state(1, State::PrReadyToMerge).await;
    })
    .await;
}

const AUTO: &str = "mutation($id: ID!) { enablePullRequestAutoMerge(input: {pullRequestId: $id}) { pullRequest { id } } }";
const NO_AUTO: &str = "mutation($id: ID!) { disablePullRequestAutoMerge(input: {pullRequestId: $id}) { pullRequest { id } } }";

#[tokio::test(flavor = "multi_thread")]
async fn auto_merge_keeps_the_hands_off_until_it_is_switched_off() {
    run_test(Scene::faulty(), async |ctx| {
        // An approval is missing, so that the forge accepts auto-merge, and waits.
        let rules =
            json!({"allow_auto_merge": true, "protection": {"main": {"required_reviews": 1}}});
        ctx.settings(rules).await;
        ctx.graphql("ana", AUTO).await;
        held_by(ctx, "auto_merge").await;
        assert_eq!(ctx.state(1).state, State::PrCreated);
        ctx.graphql("ana", NO_AUTO).await;
        ctx.settings(json!({"protection": {"main": null}})).await;
        ctx.until_state(1, State::PrReadyToMerge).await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn auto_merge_switched_on_in_the_middle_stops_the_next_write() {
    run_test(Scene::faulty(), async |ctx| {
        let rules =
            json!({"allow_auto_merge": true, "protection": {"main": {"required_reviews": 1}}});
        ctx.settings(rules).await;
        let hold = ctx.holds.arm(Point::Fix);
        ctx.start(1).await;
        hold.reached().await;
        ctx.until(1, "the report", |s| s.outbox.len() == 1).await;
        ctx.graphql("ana", AUTO).await;
        ctx.forget_requests().await;
        hold.release();
        ctx.until_blocked(1, "auto_merge").await;
        ctx.until_read_again(1, 3).await;
        assert_untouched(ctx).await;
        assert!(ctx.fixes("topic").is_empty());
        ctx.graphql("ana", NO_AUTO).await;
        ctx.settings(json!({"protection": {"main": null}})).await;
        ctx.until_state(1, State::PrReadyToMerge).await;
        assert_eq!(ctx.fixes("topic").len(), 1);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_merge_queue_keeps_the_hands_off_until_it_lets_go() {
    run_test(Scene::faulty(), async |ctx| {
        ctx.settings(json!({"merge_queue": {"main": true}})).await;
        ctx.graphql(
            "ana",
            "mutation($id: ID!) { enqueuePullRequest(input: {pullRequestId: $id}) { mergeQueueEntry { id } } }",
        )
        .await;
        held_by(ctx, "merge_queue").await;
        ctx.graphql(
            "ana",
            "mutation($id: ID!) { dequeuePullRequest(input: {id: $id}) { mergeQueueEntry { id } } }",
        )
        .await;
        ctx.until_state(1, State::PrReadyToMerge).await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_label_keeps_collie_away_until_it_is_taken_off() {
    run_test(Scene::faulty(), async |ctx| {
        let label = json!({"labels": ["collie:ignore"]});
        ctx.in_repo("ana", "POST", "/issues/1/labels", Some(label))
            .await;
        held_by(ctx, "ignore_label").await;
        ctx.in_repo("ana", "DELETE", "/issues/1/labels/collie:ignore", None)
            .await;
        ctx.until_state(1, State::PrReadyToMerge).await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_conflict_with_the_base_waits_until_it_is_resolved() {
    run_test(Scene::clean(), async |ctx| {
        ctx.push("main", &[("app.js", "export const other = 1;\n")]);
        held_by(ctx, "conflict").await;
        ctx.push("main", &[("app.js", "export {};\n")]);
        ctx.until_state(1, State::PrReadyToMerge).await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unsubmitted_review_of_the_posting_account_is_waited_for() {
    run_test(Scene::faulty(), async |ctx| {
        let draft =
            json!({"comments": [{"path": "app.js", "line": 1, "side": "RIGHT", "body": "hm"}]});
        let review = ctx
            .in_repo(COLLIE, "POST", "/pulls/1/reviews", Some(draft))
            .await;
        held_by(ctx, "pending_review").await;
        let path = format!("/pulls/1/reviews/{}", review["id"]);
        ctx.in_repo(COLLIE, "DELETE", &path, None).await;
        ctx.until_state(1, State::PrReadyToMerge).await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_branch_behind_a_base_that_must_be_up_to_date_is_not_ready() {
    run_test(Scene::clean(), async |ctx| {
        let strict = json!({"protection": {"main": {"strict": true, "required_checks": ["test"]}}});
        ctx.settings(strict).await;
        ctx.push("main", &[("other.txt", "more\n")]);
        ctx.start(1).await;
        ctx.until_blocked(1, "behind").await;
        ctx.in_repo("ana", "PUT", "/pulls/1/update-branch", Some(json!({})))
            .await;
        ctx.until_state(1, State::PrReadyToMerge).await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_review_that_the_rules_require_is_waited_for() {
    run_test(Scene::clean(), async |ctx| {
        ctx.settings(json!({"protection": {"main": {"required_reviews": 1}}}))
            .await;
        ctx.start(1).await;
        ctx.until_blocked(1, "review_required").await;
        let approve = json!({"event": "APPROVE"});
        ctx.in_repo("ben", "POST", "/pulls/1/reviews", Some(approve))
            .await;
        ctx.until_state(1, State::PrReadyToMerge).await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_person_who_asks_for_changes_is_asked_once_to_look_again() {
    run_test(Scene::faulty(), async |ctx| {
        let request = json!({"event": "REQUEST_CHANGES", "body": "Not yet.", "comments":
            [{"path": "app.js", "line": 3, "side": "RIGHT", "body": "Please take this out."}]});
        ctx.in_repo("ben", "POST", "/pulls/1/reviews", Some(request))
            .await;
        ctx.start(1).await;
        let state = ctx
            .until(1, "ben to be waited for", |s| {
                s.iteration == 1
                    && s.outbox.is_empty()
                    && s.blocker
                        .as_ref()
                        .is_some_and(|b| b.code() == "changes_requested")
            })
            .await;
        assert_eq!(state.state, State::PrReviewing);
        ctx.until_read_again(1, 4).await;
        let asked = ctx.said(1).await;
        let asked = asked
            .iter()
            .filter(|body| body.contains("Please look again"))
            .count();
        assert_eq!(asked, 1);
        assert_eq!(ctx.file("topic", "app.js").trim(), SOUND.trim());
        let approve = json!({"event": "APPROVE"});
        ctx.in_repo("ben", "POST", "/pulls/1/reviews", Some(approve))
            .await;
        ctx.until_state(1, State::PrReadyToMerge).await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn ready_is_left_when_the_base_changes_under_it_and_taken_again() {
    run_test(Scene::clean(), async |ctx| {
        ctx.start_until_ready().await;
        ctx.push("main", &[("app.js", "export const other = 1;\n")]);
        ctx.until_blocked(1, "conflict").await;
        assert_eq!(ctx.state(1).state, State::PrAwaitingChecks);
        ctx.push("main", &[("app.js", "export {};\n")]);
        ctx.until_state(1, State::PrReadyToMerge).await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_push_after_ready_is_reviewed_and_proven_anew() {
    run_test(Scene::clean(), async |ctx| {
        let first = ctx.start_until_ready().await;
        ctx.push("topic", &[("app.js", FAULTY)]);
        let state = ctx
            .until(1, "ready at the fix", |s| {
                s.state == State::PrReadyToMerge && s.iteration == 1
            })
            .await;
        assert_ne!(state.head, first.head);
        assert_eq!(ctx.fixes("topic").len(), 1);
    })
    .await;
}
