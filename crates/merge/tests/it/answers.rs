//! Answers of GitHub that the forge does not give.

use crate::common::{Remembered, StillClock, click, code, confirmed, ready};
use collie_core::ids::{LoopId, Sha};
use collie_core::merging::MergeMethod;
use collie_core::model::LoopState;
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
fn shown(changes: &[(&str, Value)]) -> Value {
    let mut data = json!({"data": {
        "viewer": {"login": "octo"},
        "repository": {
            "id": "R_1", "nameWithOwner": "demo/renamed", "mergeCommitAllowed": true, "squashMergeAllowed": true,
            "rebaseMergeAllowed": true, "viewerPermission": "WRITE",
            "pullRequest": {
                "state": "OPEN", "isDraft": false, "headRefOid": head(), "mergeable": "MERGEABLE",
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

fn page(name: &str, conclusion: &str, next: Option<&str>) -> Value {
    let checks = format!("{PULL}/commits/nodes/0/commit/statusCheckRollup");
    shown(&[(
        checks.as_str(),
        json!({"contexts": {
            "nodes": [{"__typename": "CheckRun", "databaseId": 1, "name": name, "status": "COMPLETED",
                "conclusion": conclusion, "checkSuite": null}],
            "pageInfo": {"hasNextPage": next.is_some(), "endCursor": next},
        }}),
    )])
}

fn pull(field: &str, value: Value) -> Value {
    shown(&[(format!("{PULL}/{field}").as_str(), value)])
}

fn ok() -> ResponseTemplate {
    ResponseTemplate::new(200).set_body_json(json!({
        "sha": "b".repeat(40), "merged": true, "message": "Pull Request successfully merged",
    }))
}

/// One click while GitHub shows `looks` one after the other, the last one for ever, and answers a merge with `answer`.
async fn check(looks: Vec<Value>, answer: ResponseTemplate, expect: &str, asked: usize) {
    let server = MockServer::start().await;
    let (last, first) = looks.split_last().expect("a look");
    for look in first {
        let answer = ResponseTemplate::new(200).set_body_json(look);
        Mock::given(method("POST"))
            .respond_with(answer)
            .up_to_n_times(1)
            .mount(&server)
            .await;
    }
    let for_ever = ResponseTemplate::new(200).set_body_json(last);
    Mock::given(method("POST"))
        .respond_with(for_ever)
        .mount(&server)
        .await;
    Mock::given(method("PUT"))
        .respond_with(answer)
        .mount(&server)
        .await;
    let state = loop_on(&server);
    let token = Token::new("forge-octo").expect("a token");
    let api = format!("{}/api/v3", server.uri());
    let mut config = GitHubConfig::new(api, TokenSource::Given(token));
    config.request_timeout = Duration::from_millis(500);
    let gate = MergeGate::new(&config, StillClock::new(), Arc::new(Remembered::default()))
        .expect("a gate");
    let outcome = gate
        .merge(&state, click(confirmed(&state, MergeMethod::Rebase)))
        .await;
    let told = if outcome.is_ok() {
        "merged"
    } else {
        code(outcome)
    };
    assert_eq!(told, expect);
    let requests = server.received_requests().await.expect("recorded");
    let puts: Vec<_> = requests
        .iter()
        .filter(|one| one.method.as_str() == "PUT")
        .collect();
    assert_eq!(puts.len(), asked, "{expect}");
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
    ready(id, &head())
}

#[tokio::test]
async fn github_gets_time_to_find_out_whether_it_merges() {
    let unknown = pull("mergeable", json!("UNKNOWN"));
    let undecided = pull("mergeStateStatus", json!("UNKNOWN"));
    check(
        vec![unknown.clone(), undecided, shown(&[])],
        ok(),
        "merged",
        1,
    )
    .await;
    check(vec![unknown], ok(), "mergeability_unknown", 0).await;
}

#[tokio::test]
async fn checks_are_read_to_the_end() {
    let first = || page("build", "SUCCESS", Some("100"));
    check(
        vec![first(), page("test", "SUCCESS", None)],
        ok(),
        "merged",
        1,
    )
    .await;
    check(
        vec![first(), page("test", "FAILURE", None)],
        ok(),
        "checks_not_green",
        0,
    )
    .await;
}

#[tokio::test]
async fn another_repository_of_that_name_is_not_touched() {
    let other = shown(&[("/data/repository/id", json!("R_2"))]);
    check(vec![other], ok(), "not_found", 0).await;
    check(
        vec![shown(&[("/data/repository", Value::Null)])],
        ok(),
        "not_found",
        0,
    )
    .await;
    check(
        vec![pull("headRefOid", json!("b".repeat(40)))],
        ok(),
        "head_moved",
        0,
    )
    .await;
}

#[tokio::test]
async fn errors_within_an_answer_of_graphql_count() {
    let error = |kind: &str| json!({"data": null, "errors": [{"type": kind, "message": "no"}]});
    check(vec![error("RATE_LIMITED")], ok(), "rate_limited", 0).await;
    check(vec![error("NOT_FOUND")], ok(), "not_found", 0).await;
    check(vec![error("FORBIDDEN")], ok(), "refused", 0).await;
    check(vec![error("SERVICE_UNAVAILABLE")], ok(), "unreachable", 0).await;
    check(vec![json!("what?")], ok(), "unreachable", 0).await;
    check(vec![json!({"data": "what?"})], ok(), "unreachable", 0).await;
    // No commit means that its checks are not known, which is not the same as none.
    for commits in [json!({"nodes": []}), json!({"nodes": [null]}), Value::Null] {
        check(vec![pull("commits", commits)], ok(), "unreachable", 0).await;
    }
}

#[tokio::test]
async fn what_is_set_between_the_look_and_the_merge_explains_the_refusal() {
    let refused = || ResponseTemplate::new(405).set_body_json(json!({"message": "Not mergeable"}));
    let queue = pull("isMergeQueueEnabled", json!(true));
    check(vec![shown(&[]), queue], refused(), "queue_required", 1).await;
    let auto = pull("autoMergeRequest", json!({"enabledBy": null}));
    check(vec![shown(&[]), auto], refused(), "auto_merge_on", 1).await;
    let busy = pull("mergeable", json!("UNKNOWN"));
    check(vec![shown(&[]), busy], refused(), "refused", 1).await;
}

#[tokio::test]
async fn an_answer_that_says_nothing_is_settled_by_looking() {
    let merged = shown(&[
        (format!("{PULL}/state").as_str(), json!("MERGED")),
        (
            format!("{PULL}/mergedBy").as_str(),
            json!({"login": "octo"}),
        ),
        (
            format!("{PULL}/mergedAt").as_str(),
            json!("2026-02-02T03:04:05Z"),
        ),
    ]);
    let garbled = || ResponseTemplate::new(200).set_body_string("<html>");
    check(
        vec![shown(&[]), shown(&[]), merged.clone()],
        garbled(),
        "merged",
        1,
    )
    .await;
    check(vec![shown(&[])], garbled(), "not_merged", 1).await;
    let silent = || ok().set_delay(Duration::from_secs(20));
    check(vec![shown(&[]), merged], silent(), "merged", 1).await;
    // It may be at work on it yet.
    check(vec![shown(&[])], silent(), "outcome_unknown", 1).await;
    let closed = pull("state", json!("CLOSED"));
    check(vec![shown(&[]), closed], silent(), "closed", 1).await;
}
