//! Answers of GitHub that the forge does not give.

use crate::common::{
    MemoryAudit, StillClock, confirmed_merge, consent_by_click, ready_loop, refusal_code,
};
use collie_core::ids::{LoopId, Sha};
use collie_core::loop_state::LoopState;
use collie_core::merge_method::MergeMethod;
use collie_github::{GitHubConfig, Token, TokenSource};
use collie_merge::MergeGate;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use wiremock::matchers::method;
use wiremock::{Mock, MockServer, ResponseTemplate};

fn head() -> Sha {
    Sha::parse(&"a".repeat(40)).expect("a SHA")
}

/// A plain open pull request, with changes to it as pairs of pointer and value.
fn pull_response(changes: &[(&str, Value)]) -> Value {
    let mut data = json!({"data": {
        "viewer": {"login": "octo"},
        "repository": {
            "id": "R_1", "nameWithOwner": "demo/renamed", "mergeCommitAllowed": true, "squashMergeAllowed": true,
            "rebaseMergeAllowed": true, "viewerPermission": "WRITE", "below": {"nodes": []},
            "pullRequest": {
                "state": "OPEN", "isDraft": false, "headRefOid": head(), "baseRefName": "main", "mergeable": "MERGEABLE",
                "mergeStateStatus": "CLEAN", "mergedAt": null, "mergedBy": null, "mergeCommit": null,
                "isInMergeQueue": false, "isMergeQueueEnabled": false, "autoMergeRequest": null,
                "commits": {"nodes": [{"commit": {"statusCheckRollup": null}}]},
            },
        },
    }});
    for (pointer, value) in changes {
        *data.pointer_mut(pointer).expect("it is there") = value.clone();
    }
    data
}

const PULL: &str = "/data/repository/pullRequest";

fn check_page(name: &str, conclusion: &str, next: Option<&str>) -> Value {
    let checks = format!("{PULL}/commits/nodes/0/commit/statusCheckRollup");
    pull_response(&[(
        checks.as_str(),
        json!({"contexts": {
            "nodes": [{"__typename": "CheckRun", "databaseId": 1, "name": name, "status": "COMPLETED",
                "conclusion": conclusion, "checkSuite": null}],
            "pageInfo": {"hasNextPage": next.is_some(), "endCursor": next},
        }}),
    )])
}

fn pull_with(field: &str, value: Value) -> Value {
    pull_response(&[(format!("{PULL}/{field}").as_str(), value)])
}

fn merged_response() -> ResponseTemplate {
    ResponseTemplate::new(200).set_body_json(json!({
        "sha": "b".repeat(40), "merged": true, "message": "Pull Request successfully merged",
    }))
}

/// One click while GitHub shows `looks` one after the other, the last one for ever, and answers a merge with `answer`.
async fn check(
    snapshots: Vec<Value>,
    merge_response: ResponseTemplate,
    expect: &str,
    merge_requests: usize,
) {
    let server = MockServer::start().await;
    let (last_snapshot, first_snapshots) = snapshots.split_last().expect("a look");
    for snapshot in first_snapshots {
        let answer = ResponseTemplate::new(200).set_body_json(snapshot);
        Mock::given(method("POST"))
            .respond_with(answer)
            .up_to_n_times(1)
            .mount(&server)
            .await;
    }
    let for_ever = ResponseTemplate::new(200).set_body_json(last_snapshot);
    Mock::given(method("POST"))
        .respond_with(for_ever)
        .mount(&server)
        .await;
    Mock::given(method("PUT"))
        .respond_with(merge_response)
        .mount(&server)
        .await;
    let state = loop_on(&server);
    let token = Token::new("forge-octo").expect("a token");
    let api = format!("{}/api/v3", server.uri());
    let mut config = GitHubConfig::new(api, TokenSource::Given(token));
    config.request_timeout = Duration::from_millis(500);
    let gate = MergeGate::new(&config, StillClock::new(), Arc::new(MemoryAudit::default()))
        .expect("a gate");
    let outcome = gate
        .merge(
            &state,
            consent_by_click(confirmed_merge(&state, MergeMethod::Rebase)),
        )
        .await;
    let outcome_code = if outcome.is_ok() {
        "merged"
    } else {
        refusal_code(outcome)
    };
    assert_eq!(outcome_code, expect);
    let requests = server.received_requests().await.expect("recorded");
    let puts: Vec<_> = requests
        .iter()
        .filter(|one| one.method.as_str() == "PUT")
        .collect();
    assert_eq!(puts.len(), merge_requests, "{expect}");
    for put in puts {
        assert_eq!(put.url.path(), "/api/v3/repos/demo/renamed/pulls/1/merge");
        let body: Value = serde_json::from_slice(&put.body).expect("JSON");
        assert_eq!(body, json!({"sha": head(), "merge_method": "rebase"}));
    }
}

fn loop_on(server: &MockServer) -> LoopState {
    let id = LoopId {
        host: server.address().to_string(),
        repo_id: "R_1".into(),
        number: 1,
    };
    ready_loop(id, &head())
}

#[tokio::test]
async fn github_gets_time_to_find_out_whether_it_merges() {
    let unknown = pull_with("mergeable", json!("UNKNOWN"));
    let undecided = pull_with("mergeStateStatus", json!("UNKNOWN"));
    check(
        vec![unknown.clone(), undecided, pull_response(&[])],
        merged_response(),
        "merged",
        1,
    )
    .await;
    check(vec![unknown], merged_response(), "mergeability_unknown", 0).await;
}

#[tokio::test]
async fn checks_are_read_to_the_end() {
    let first = || check_page("build", "SUCCESS", Some("100"));
    check(
        vec![first(), check_page("test", "SUCCESS", None)],
        merged_response(),
        "merged",
        1,
    )
    .await;
    check(
        vec![first(), check_page("test", "FAILURE", None)],
        merged_response(),
        "checks_not_green",
        0,
    )
    .await;
}

/// The draft state is named twice; one of the names is to go.
#[tokio::test]
async fn a_draft_is_not_merged_whatever_its_merge_state_is_called() {
    let draft = pull_with("isDraft", json!(true));
    check(vec![draft], merged_response(), "draft", 0).await;
    let draft = pull_with("mergeStateStatus", json!("DRAFT"));
    check(vec![draft], merged_response(), "draft", 0).await;
}

#[tokio::test]
async fn an_answer_that_is_too_large_is_not_read() {
    let with_name = |bytes: usize| {
        let mut look = pull_response(&[]);
        look["data"]["viewer"]["name"] = "x".repeat(bytes).into();
        look
    };
    let large = vec![with_name(9 << 20)];
    check(large, merged_response(), "unreachable", 0).await;
    check(vec![with_name(7 << 20)], merged_response(), "merged", 1).await;
}

#[tokio::test]
async fn another_repository_of_that_name_is_not_touched() {
    let other = pull_response(&[("/data/repository/id", json!("R_2"))]);
    check(vec![other], merged_response(), "not_found", 0).await;
    check(
        vec![pull_response(&[("/data/repository", Value::Null)])],
        merged_response(),
        "not_found",
        0,
    )
    .await;
    check(
        vec![pull_with("headRefOid", json!("b".repeat(40)))],
        merged_response(),
        "head_moved",
        0,
    )
    .await;
}

#[tokio::test]
async fn errors_within_an_answer_of_graphql_count() {
    let error = |kind: &str| json!({"data": null, "errors": [{"type": kind, "message": "no"}]});
    check(
        vec![error("RATE_LIMITED")],
        merged_response(),
        "rate_limited",
        0,
    )
    .await;
    check(vec![error("NOT_FOUND")], merged_response(), "not_found", 0).await;
    check(vec![error("FORBIDDEN")], merged_response(), "refused", 0).await;
    check(
        vec![error("SERVICE_UNAVAILABLE")],
        merged_response(),
        "unreachable",
        0,
    )
    .await;
    check(vec![json!("what?")], merged_response(), "unreachable", 0).await;
    check(
        vec![json!({"data": "what?"})],
        merged_response(),
        "unreachable",
        0,
    )
    .await;
    // What comes beside data may be about any field: here, whether somebody else merges it.
    let mut partial = pull_response(&[]);
    partial["errors"] = json!([{
        "type": "FORBIDDEN", "message": "no", "path": ["repository", "pullRequest", "autoMergeRequest"],
    }]);
    check(vec![partial], merged_response(), "refused", 0).await;
    // No commit means that its checks are not known, which is not the same as none.
    for commits in [json!({"nodes": []}), json!({"nodes": [null]}), Value::Null] {
        check(
            vec![pull_with("commits", commits)],
            merged_response(),
            "unreachable",
            0,
        )
        .await;
    }
}

#[tokio::test]
async fn a_layer_of_a_stack_is_not_merged_into_the_one_below() {
    let below = |cross: bool| {
        let nodes = json!([{"number": 3, "isCrossRepository": cross}]);
        pull_response(&[("/data/repository/below/nodes", nodes)])
    };
    check(vec![below(false)], merged_response(), "stack_layer", 0).await;
    // A fork's branch of that name is no layer.
    check(vec![below(true)], merged_response(), "merged", 1).await;
    let retargeted = pull_with("baseRefName", json!("next"));
    check(vec![retargeted], merged_response(), "base_changed", 0).await;
}

#[tokio::test]
async fn what_is_set_between_the_look_and_the_merge_explains_the_refusal() {
    let refused = || ResponseTemplate::new(405).set_body_json(json!({"message": "Not mergeable"}));
    let queue = pull_with("isMergeQueueEnabled", json!(true));
    check(
        vec![pull_response(&[]), queue],
        refused(),
        "queue_required",
        1,
    )
    .await;
    let auto = pull_with("autoMergeRequest", json!({"enabledBy": null}));
    check(
        vec![pull_response(&[]), auto],
        refused(),
        "auto_merge_on",
        1,
    )
    .await;
    let busy = pull_with("mergeable", json!("UNKNOWN"));
    check(vec![pull_response(&[]), busy], refused(), "refused", 1).await;
}

/// The pull request once this account has merged it at that head.
fn merged_pull(login: &str, head: &Sha) -> Value {
    let mut merged = pull_response(&[]);
    let pull = merged.pointer_mut(PULL).expect("it is there");
    pull["state"] = json!("MERGED");
    pull["headRefOid"] = json!(head);
    pull["mergedBy"] = json!({"login": login});
    pull["mergedAt"] = json!("2026-02-02T03:04:05Z");
    merged
}

#[tokio::test]
async fn what_another_merged_or_at_another_head_is_not_told_as_ones_own() {
    let other_head = Sha::parse(&"c".repeat(40)).expect("a SHA");
    let others = [
        merged_pull("ben", &head()),
        merged_pull("octo", &other_head),
    ];
    for merged in others {
        let garbled = ResponseTemplate::new(200).set_body_string("<html>");
        let looks = vec![pull_response(&[]), merged];
        check(looks, garbled, "already_merged", 1).await;
    }
}

#[tokio::test]
async fn an_answer_that_says_nothing_is_settled_by_looking() {
    let merged = merged_pull("octo", &head());
    let garbled = || ResponseTemplate::new(200).set_body_string("<html>");
    check(
        vec![pull_response(&[]), pull_response(&[]), merged.clone()],
        garbled(),
        "merged",
        1,
    )
    .await;
    check(vec![pull_response(&[])], garbled(), "not_merged", 1).await;
    let silent = || merged_response().set_delay(Duration::from_secs(20));
    check(vec![pull_response(&[]), merged], silent(), "merged", 1).await;
    // It may be at work on it yet.
    check(vec![pull_response(&[])], silent(), "outcome_unknown", 1).await;
    let closed = pull_with("state", json!("CLOSED"));
    check(vec![pull_response(&[]), closed], silent(), "closed", 1).await;
}
