//! The network and GitHub misbehave: nothing is said twice, nothing is lost, and the wait is named.

use collie_core::event::Delivery;
use collie_core::lifecycle::State;
use collie_testkit::engine::{TestContext, run_test};
use collie_testkit::repository::RepositoryFixture;
use collie_testkit::wait::wait_until;
use serde_json::{Value, json};
use std::time::Duration;

const COMMENTS: &str = "POST /repos/*/*/issues/*/comments";
const REVIEWS: &str = "POST /repos/*/*/pulls/*/reviews";

/// Runs a whole loop with a fault on each first write; the report, the inline review, the fix and the proof are there once.
async fn check_fault_on_first_writes(fault: Value) {
    run_test(RepositoryFixture::faulty(), async |ctx| {
        let aimed = |route: &str| {
            let mut fault = fault.clone();
            fault["route"] = route.into();
            fault["count"] = 1.into();
            fault
        };
        ctx.set_faults(json!([aimed(COMMENTS), aimed(REVIEWS)]))
            .await;
        let state = ctx.start_loop_until_ready().await;
        assert_eq!(state.run.fixing.iteration, 1);
        assert_whole(ctx).await;
    })
    .await;
}

/// One fix and everything that is said about it, each once: two reports, one inline comment in its review, the proof.
async fn assert_whole(ctx: &TestContext) {
    assert_eq!(ctx.fix_commits("topic").len(), 1);
    let comments = ctx.repo_get("/issues/1/comments").await;
    let inline = ctx.repo_get("/pulls/1/comments").await;
    assert_eq!(
        comments.as_array().expect("a list").len(),
        3,
        "{comments:#}"
    );
    assert_eq!(inline.as_array().expect("a list").len(), 1, "{inline:#}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_post_whose_answer_is_lost_is_there_once() {
    check_fault_on_first_writes(json!({"kind": "drop_after"})).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_post_that_never_arrived_is_sent_again() {
    check_fault_on_first_writes(json!({"kind": "drop_before"})).await;
}

/// The first attempt gets no answer and arrives late, the second meets a limit: the third would say it twice.
#[tokio::test(flavor = "multi_thread")]
async fn a_post_that_lands_late_is_not_sent_again_after_a_rate_limit() {
    run_test(RepositoryFixture::faulty(), async |ctx| {
        let late = json!({"kind": "late_write", "ms": 3_000, "route": COMMENTS, "count": 1});
        let limit = json!({"kind": "secondary_rate_limit", "retry_after": 4, "route": COMMENTS, "count": 1});
        ctx.set_faults(json!([late, limit])).await;
        ctx.start_loop_until_ready().await;
        assert_whole(ctx).await;
    })
    .await;
}

/// The first comment arrives and its answer is lost; the first looks for it are answered by a replica that has not heard of it yet.
async fn lose_answer_and_lag(ctx: &TestContext, looks: u64, then: &[Value]) {
    let lost = json!({"kind": "drop_after", "route": COMMENTS, "count": 1});
    let list = "GET /repos/*/*/issues/*/comments";
    let lag = json!({"kind": "stale", "ago": 64, "route": list, "after": 1, "count": looks});
    let faults = [&[lost, lag], then].concat();
    ctx.set_faults(json!(faults)).await;
    // What the replica goes on saying.
    let empty = ctx.repo_get("/issues/1/comments?per_page=100&page=1").await;
    assert_eq!(empty, json!([]));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_post_that_the_first_look_misses_is_found_by_the_second() {
    run_test(RepositoryFixture::faulty(), async |ctx| {
        lose_answer_and_lag(ctx, 1, &[]).await;
        ctx.start_loop_until_ready().await;
        assert_whole(ctx).await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_post_that_arrived_is_found_though_a_later_attempt_is_refused_for_good() {
    run_test(RepositoryFixture::faulty(), async |ctx| {
        let gone = json!({"kind": "status", "code": 404, "route": COMMENTS, "count": 1});
        lose_answer_and_lag(ctx, 2, &[gone]).await;
        let state = ctx.start_loop_until_ready().await;
        let posted = state.memory.posted.values();
        let lost = posted.filter(|delivery| matches!(delivery, Delivery::Undeliverable { .. }));
        assert_eq!(lost.count(), 0);
        assert_whole(ctx).await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_written_while_github_does_not_say_whether_auto_merge_is_on() {
    run_test(RepositoryFixture::faulty(), async |ctx| {
        ctx.set_faults(json!([{"kind": "drop_before", "route": "query MergeFacts"}]))
            .await;
        ctx.start_loop(1).await;
        wait_until("the question to be asked again", async || {
            let faults = ctx.call("octo", "GET", "/_forge/faults", None).await;
            match faults[0]["hit"].as_u64() {
                Some(2..) => Ok(()),
                Some(_) | None => Err(faults.to_string()),
            }
        })
        .await;
        assert_eq!(ctx.posted_bodies(1).await, Vec::<String>::new());
        ctx.clear_faults().await;
        ctx.wait_for_state(1, State::PrReadyToMerge).await;
        assert_whole(ctx).await;
    })
    .await;
}

/// Each refuses every comment until it is lifted: the loop says so in GitHub's words, is not ready without its report, and goes on.
async fn check_refused_until_lifted(kind: &str, words: &str) {
    run_test(RepositoryFixture::faulty(), async |ctx| {
        ctx.set_faults(json!([{"kind": kind, "route": COMMENTS}]))
            .await;
        ctx.start_loop(1).await;
        ctx.wait_for_blocker(1, "forbidden").await;
        let state = ctx.state(1);
        assert_ne!(state.run.state, State::PrReadyToMerge);
        let refused = state.run.refused_post.clone().expect("what was refused");
        assert!(refused.message.contains(words), "{}", refused.message);
        ctx.clear_faults().await;
        ctx.wait_for_state(1, State::PrReadyToMerge).await;
        ctx.wait_until(1, "all was said", |state| state.outbox.effects.is_empty())
            .await;
        assert_whole(ctx).await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_that_single_sign_on_keeps_out_loses_no_post() {
    check_refused_until_lifted("saml", "x-github-sso: required").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_without_the_permission_loses_no_post() {
    check_refused_until_lifted("missing_permission", "pull_requests=write").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_post_answered_with_502_though_it_was_written_is_there_once() {
    check_fault_on_first_writes(json!({"kind": "status", "code": 502, "after_write": true})).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_post_refused_with_502_is_sent_again() {
    check_fault_on_first_writes(json!({"kind": "status", "code": 502})).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_post_that_meets_the_secondary_limit_is_sent_once_it_has_passed() {
    check_fault_on_first_writes(json!({"kind": "secondary_rate_limit", "retry_after": 1})).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_post_that_meets_the_primary_limit_is_sent_once_it_is_reset() {
    check_fault_on_first_writes(json!({"kind": "primary_rate_limit", "reset_in": 2, "code": 429}))
        .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn slow_answers_change_nothing() {
    run_test(RepositoryFixture::faulty(), async |ctx| {
        ctx.set_faults(json!({"kind": "latency", "ms": 150})).await;
        ctx.start_loop_until_ready().await;
        assert_whole(ctx).await;
    })
    .await;
}

/// Readings come late, twice and out of order, as replicas that lag behind give them.
#[tokio::test(flavor = "multi_thread")]
async fn readings_that_are_stale_or_out_of_order_change_nothing_in_the_end() {
    run_test(RepositoryFixture::faulty(), async |ctx| {
        let stale = |ago: u64| json!({"kind": "stale", "ago": ago, "probability": 0.3});
        ctx.set_faults(json!([stale(1), stale(3)])).await;
        let state = ctx.start_loop_until_ready().await;
        assert_eq!(state.run.fixing.iteration, 1);
        let faults = ctx.call("octo", "GET", "/_forge/faults", None).await;
        let faults = faults.as_array().expect("a list");
        let hits = faults.iter().map(|fault| fault["hit"].as_u64());
        assert!(hits.flatten().sum::<u64>() > 0, "{faults:?}");
        ctx.clear_faults().await;
        assert_whole(ctx).await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_push_whose_answer_is_lost_is_one_commit() {
    run_test(RepositoryFixture::faulty(), async |ctx| {
        let route = "POST /**/git-receive-pack";
        ctx.set_faults(json!({"kind": "drop_after", "route": route, "count": 1}))
            .await;
        let state = ctx.start_loop_until_ready().await;
        assert_eq!(state.run.fixing.iteration, 1);
        assert_whole(ctx).await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_push_that_never_arrived_is_sent_again() {
    run_test(RepositoryFixture::faulty(), async |ctx| {
        let route = "POST /**/git-receive-pack";
        ctx.set_faults(json!([
            {"kind": "drop_before", "route": route, "count": 1},
            {"kind": "status", "code": 503, "route": route, "after": 1, "count": 1},
        ]))
        .await;
        ctx.start_loop_until_ready().await;
        assert_whole(ctx).await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_resolved_thread_whose_answer_is_lost_stays_resolved() {
    run_test(RepositoryFixture::faulty(), async |ctx| {
        let route = "mutation resolveReviewThread";
        ctx.set_faults(json!({"kind": "drop_after", "route": route, "count": 1}))
            .await;
        ctx.start_loop_until_ready().await;
        ctx.wait_until(1, "an empty outbox", |state| {
            state.outbox.effects.is_empty()
        })
        .await;
        let query = "query($id: ID!) { node(id: $id) { ... on PullRequest {
            reviewThreads(first: 10) { nodes { isResolved } } } } }";
        let threads = ctx.graphql("ana", query).await["node"]["reviewThreads"]["nodes"].clone();
        assert_eq!(threads, json!([{"isResolved": true}]));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_outage_is_named_opens_the_breaker_and_is_got_over() {
    run_test(RepositoryFixture::faulty(), async |ctx| {
        let hold = ctx
            .pause_points
            .pause_at(collie_testkit::engine::PausePoint::Review);
        ctx.start_loop(1).await;
        hold.wait_reached().await;
        ctx.set_faults(json!({"kind": "drop_before", "route": "query"}))
            .await;
        ctx.wait_for_blocker(1, "unreachable").await;
        // Three failures in a row: from then on nothing is asked for 300 s.
        let open = ctx
            .wait_until(1, "the open breaker", |state| {
                state.run.polling.next_at > Some(state.run.updated_at.plus(60_000))
            })
            .await;
        assert_eq!(open.run.blocker.as_ref().unwrap().code(), "unreachable");
        ctx.reset_request_counts().await;
        ctx.clear_faults().await;
        hold.release();
        ctx.wait_until(1, "the review", |state| {
            !state.run.review.findings.is_empty()
        })
        .await;
        ctx.clock.skip(Duration::from_secs(301));
        ctx.wait_for_state(1, State::PrReadyToMerge).await;
        assert_whole(ctx).await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn readings_that_meet_the_secondary_limit_wait_as_long_as_they_are_reported_and_say_so() {
    run_test(RepositoryFixture::clean(), async |ctx| {
        let fault = json!({"kind": "secondary_rate_limit", "retry_after": 600, "route": "query", "after": 3, "count": 1});
        ctx.set_faults(fault).await;
        ctx.start_loop(1).await;
        let state = ctx.wait_for_blocker(1, "rate_limited").await;
        assert!(state.run.polling.next_at > Some(state.run.updated_at.plus(590_000)));
        ctx.clock.skip(Duration::from_secs(601));
        ctx.wait_for_state(1, State::PrReadyToMerge).await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_used_up_quota_is_named_and_waited_for() {
    run_test(RepositoryFixture::clean(), async |ctx| {
        let used = json!({"resource": "graphql", "remaining": 0, "reset_in": 3});
        let hold = ctx
            .pause_points
            .pause_at(collie_testkit::engine::PausePoint::Review);
        ctx.start_loop(1).await;
        hold.wait_reached().await;
        ctx.call("ana", "PUT", "/_forge/rate_limit", Some(used))
            .await;
        ctx.wait_for_blocker(1, "rate_limited").await;
        hold.release();
        ctx.wait_for_state(1, State::PrReadyToMerge).await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn work_that_begins_while_git_does_not_answer_waits_and_goes_on_by_itself() {
    run_test(RepositoryFixture::clean(), async |ctx| {
        let fault = json!({"kind": "status", "code": 503, "route": "/**/info/refs", "after": 1});
        ctx.set_faults(fault).await;
        ctx.start_loop(1).await;
        let state = ctx.wait_for_blocker(1, "unreachable").await;
        assert_eq!(state.run.state, State::PrReviewing);
        // Longer than the retries of a session that fails by itself.
        for _ in 0..5 {
            ctx.clock.skip(Duration::from_secs(61));
            ctx.wait_for_blocker(1, "unreachable").await;
        }
        ctx.clear_faults().await;
        ctx.clock.skip(Duration::from_secs(61));
        ctx.wait_for_state(1, State::PrReadyToMerge).await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_that_is_withdrawn_is_a_blocker_and_nothing_is_lost() {
    run_test(RepositoryFixture::clean(), async |ctx| {
        let fault = json!({"kind": "status", "code": 401, "route": "query", "after": 4});
        ctx.set_faults(fault).await;
        ctx.start_loop(1).await;
        ctx.wait_for_blocker(1, "unauthorized").await;
        ctx.clear_faults().await;
        ctx.wait_for_state(1, State::PrReadyToMerge).await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pull_request_that_stays_gone_ends_the_loop_as_failed() {
    run_test(RepositoryFixture::clean(), async |ctx| {
        let fault = json!({"kind": "status", "code": 404, "route": "query", "after": 4});
        ctx.set_faults(fault).await;
        ctx.start_loop(1).await;
        ctx.wait_for_blocker(1, "not_found").await;
        ctx.clock.skip(Duration::from_secs(301));
        let state = ctx
            .wait_until(1, "the end", |state| state.run.state == State::Failed)
            .await;
        assert_eq!(state.run.stop.as_ref().unwrap().code(), "access_lost");
    })
    .await;
}
