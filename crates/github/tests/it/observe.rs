//! Readings, from answers as GitHub gives them.

use crate::common::*;
use collie_core::ids::{PullName, RepoName, Time};
use collie_core::review::Association;
use collie_core::snapshot::{
    CheckConclusion, CheckStatus, FileChange, Mergeable, ObserveFailure, PushObstacle,
    ReviewVerdict,
};
use collie_engine::ports::{GitHub, GitHubError};
use serde_json::{Value, json};
use wiremock::matchers::{header, header_exists, method, path};
use wiremock::{Mock, MockServer, ResponseTemplate};

const NOW: i64 = 1_700_000_000_000;

fn json_response(body: Value) -> ResponseTemplate {
    ResponseTemplate::new(200).set_body_json(body)
}

pub async fn mount_response(server: &MockServer, operation: &'static str, body: Value) {
    Mock::given(GraphQlOperation(operation))
        .respond_with(json_response(body))
        .mount(server)
        .await;
}

async fn count_requests(server: &MockServer, part: &str) -> usize {
    let all = server.received_requests().await.expect("recorded");
    let is_match = |request: &&wiremock::Request| {
        request.url.path().contains(part) || String::from_utf8_lossy(&request.body).contains(part)
    };
    all.iter().filter(is_match).count()
}

#[tokio::test]
async fn one_pull_request_that_is_missing_fails_alone() {
    let server = MockServer::start().await;
    let mut body = observe_response(&[repository_json(), Value::Null, repository_json()]);
    body["errors"] = json!([{"type": "NOT_FOUND", "path": ["pull1"],
        "message": "Could not resolve to a Repository with the name 'acme/web'."}]);
    let mut third = body["data"]["pull2"].take();
    third["pullRequest"] = Value::Null;
    body["data"]["pull2"] = third;
    mount_response(&server, "Observe", body).await;
    mount_response(&server, "Confirm", confirm_response(&sha('a'), 0)).await;
    let client = client(&server.uri(), "t", ManualClock::at(NOW)).await;
    let found = client.observe(&[pull(1), pull(2), pull(3)]).await;
    assert_eq!(found[0].as_ref().expect("read").title, "Add a thing");
    assert_eq!(found[1], Err(ObserveFailure::NotFound));
    assert_eq!(found[2], Err(ObserveFailure::NotFound));
}

#[tokio::test]
async fn a_repository_that_took_the_name_of_another_is_not_it() {
    let server = MockServer::start().await;
    let mut other = repository_json();
    other["id"] = json!("R_2");
    mount_response(&server, "Observe", observe_response(&[other])).await;
    mount_response(&server, "Confirm", confirm_response(&sha('a'), 0)).await;
    let client = client(&server.uri(), "t", ManualClock::at(NOW)).await;
    assert_eq!(
        client.observe(&[pull(1)]).await,
        [Err(ObserveFailure::NotFound)]
    );
}

#[tokio::test]
async fn more_than_a_batch_is_read_in_several_queries_in_order() {
    let server = MockServer::start().await;
    mount_response(&server, "Observe", {
        let many: Vec<Value> = (0..50).map(|_| repository_json()).collect();
        observe_response(&many)
    })
    .await;
    let many = json!({"data": (0..50).map(|n| (format!("pull{n}"), confirm_response(&sha('a'), 0)["data"]["pull0"].clone()))
        .collect::<serde_json::Map<_, _>>()});
    mount_response(&server, "Confirm", many).await;
    let client = client(&server.uri(), "t", ManualClock::at(NOW)).await;
    let pulls: Vec<_> = (1..=60).map(pull).collect();
    let found = client.observe(&pulls).await;
    let numbers: Vec<u64> = found
        .iter()
        .map(|one| one.as_ref().expect("read").number)
        .collect();
    assert_eq!(numbers, (1..=60).collect::<Vec<u64>>());
    assert_eq!(count_requests(&server, "query Observe").await, 2);
    assert_eq!(count_requests(&server, "query Confirm").await, 2);
}

#[tokio::test]
async fn the_second_reading_needs_one_query_and_no_look_again() {
    let server = MockServer::start().await;
    mount_response(&server, "Observe", observe_response(&[repository_json()])).await;
    mount_response(&server, "Confirm", confirm_response(&sha('a'), 0)).await;
    let clock = ManualClock::at(NOW);
    let client = client(&server.uri(), "t", clock.clone()).await;
    client.observe(&[pull(1)]).await[0].as_ref().expect("read");
    let before = server.received_requests().await.expect("recorded").len();
    clock.advance(60_000);
    let again = client.observe(&[pull(1)]).await;
    assert_eq!(again[0].as_ref().expect("read").read_at, Time(NOW + 60_000));
    assert_eq!(
        server.received_requests().await.expect("recorded").len(),
        before + 1
    );
}

#[tokio::test]
async fn what_builds_on_the_head_branch_is_seen_at_once_and_later() {
    let server = MockServer::start().await;
    let mut stacked = repository_json();
    stacked["pullRequest"]["stackedOn"]["pullRequests"]["totalCount"] = json!(1);
    mount_response(&server, "Observe", observe_response(&[stacked])).await;
    mount_response(&server, "Confirm", confirm_response(&sha('a'), 1)).await;
    let client = client(&server.uri(), "t", ManualClock::at(NOW)).await;
    for _ in 0..2 {
        let found = client.observe(&[pull(1)]).await;
        let obstacles = &found[0].as_ref().expect("read").push_obstacles;
        assert!(
            obstacles.iter().eq([&PushObstacle::BaseOfAnother]),
            "{obstacles:?}"
        );
    }
}

#[tokio::test]
async fn a_head_that_moves_while_pages_are_read_throws_the_reading_away() {
    let server = MockServer::start().await;
    let mut long = repository_json();
    long["pullRequest"]["labels"] = partial_page(json!([{"name": "one"}]), "c1");
    mount_response(&server, "Observe", observe_response(&[long])).await;
    let rest = json!({"data": {"repository": {"pullRequest": {"page": last_page(json!([{"name": "two"}]))}}}});
    mount_response(&server, "Labels", rest).await;
    for head in ['c', 'a'] {
        Mock::given(GraphQlOperation("Confirm"))
            .respond_with(json_response(confirm_response(&sha(head), 0)))
            .up_to_n_times(1)
            .mount(&server)
            .await;
    }
    mount_response(&server, "Confirm", confirm_response(&sha('d'), 0)).await;
    let client = client(&server.uri(), "t", ManualClock::at(NOW)).await;
    assert_eq!(
        client.observe(&[pull(1)]).await,
        [Err(ObserveFailure::Moved)]
    );
    let found = client.observe(&[pull(1)]).await;
    let labels = &found[0].as_ref().expect("read").labels;
    assert!(labels.iter().eq(["one", "two"]), "{labels:?}");
    // What builds on the head branch is known by now: it is for its pages alone that the head is read again.
    assert_eq!(
        client.observe(&[pull(1)]).await,
        [Err(ObserveFailure::Moved)]
    );
}

/// A removal with no commit of the queue, as after a conflict, does not say which head it was of.
#[tokio::test]
async fn what_left_the_queue_before_the_head_was_made_was_another_head() {
    let check = async |committed: &str, is_told: bool| {
        let server = MockServer::start().await;
        let mut queued = repository_json();
        queued["pullRequest"]["isMergeQueueEnabled"] = json!(true);
        mount_response(&server, "Observe", observe_response(&[queued])).await;
        mount_response(&server, "Confirm", confirm_response(&sha('a'), 0)).await;
        let removed = json!({"__typename": "RemovedFromMergeQueueEvent", "beforeCommit": null,
            "createdAt": "2023-11-14T12:00:00Z", "reason": "merge_conflict"});
        let head = json!({"commit": {"oid": sha('a'), "committedDate": committed}});
        let events = json!({"data": {"repository": {"pullRequest": {
            "commits": {"nodes": [head]}, "timelineItems": {"nodes": [removed]}}}}});
        mount_response(&server, "QueueRemoval", events).await;
        let client = client(&server.uri(), "t", ManualClock::at(NOW)).await;
        let found = client.observe(&[pull(1)]).await.remove(0).expect("read");
        assert_eq!(found.queue_removal.is_some(), is_told, "{committed}");
    };
    check("2023-11-14T11:59:59Z", true).await;
    check("2023-11-14T12:00:01Z", false).await;
}

#[tokio::test]
async fn what_github_adds_later_is_never_good_news() {
    let server = MockServer::start().await;
    let mut strange = repository_json();
    let pull_json = &mut strange["pullRequest"];
    pull_json["mergeable"] = json!("PERHAPS");
    pull_json["files"] = last_page(json!([{"path": "a", "changeType": "TRANSMUTED"}]));
    pull_json["reviews"] = last_page(
        json!([{"fullDatabaseId": "5", "author": null, "authorAssociation": "EMPEROR",
        "state": "ADMIRED", "body": "", "submittedAt": null, "updatedAt": "2024-01-01T00:00:00Z", "commit": null}]),
    );
    let run = |status: &str, conclusion: Value| {
        json!({"__typename": "CheckRun", "databaseId": null, "name": "n",
        "status": status, "conclusion": conclusion, "completedAt": null, "detailsUrl": null,
        "url": "https://ghe/acme/web/runs/30000000001", "title": null, "summary": null, "checkSuite": null})
    };
    pull_json["latest"]["nodes"][0]["commit"]["statusCheckRollup"]["contexts"] = last_page(json!([
        run("COMPLETED", json!("ACCLAIMED")),
        run("COMPLETED", Value::Null),
        run("DREAMING", json!("SUCCESS")),
        {"__typename": "StatusContext", "context": "s", "state": "MAYBE", "description": "", "targetUrl": "",
         "createdAt": "2024-01-01T00:00:00Z", "creator": null},
        {"__typename": "Oracle"},
    ]));
    mount_response(&server, "Observe", observe_response(&[strange])).await;
    mount_response(&server, "Confirm", confirm_response(&sha('a'), 0)).await;
    let client = client(&server.uri(), "t", ManualClock::at(NOW)).await;
    let found = client.observe(&[pull(1)]).await.remove(0).expect("read");
    assert_eq!(found.mergeable, Mergeable::Unknown);
    assert_eq!(found.files[0].change, FileChange::Changed);
    assert_eq!(found.reviews[0].verdict, ReviewVerdict::Commented);
    assert_eq!(found.reviews[0].association, Association::None);
    let checks: Vec<_> = found
        .checks
        .iter()
        .map(|check| (check.status, check.conclusion))
        .collect();
    assert_eq!(
        checks,
        [
            (
                CheckStatus::Completed,
                Some(CheckConclusion::ActionRequired)
            ),
            (CheckStatus::Pending, None),
            (CheckStatus::Pending, None),
            (CheckStatus::Pending, None),
            (CheckStatus::Pending, None),
        ]
    );
    assert_eq!(found.checks[0].id, 30_000_000_001);
}

#[tokio::test]
async fn an_answer_that_lacks_a_part_is_no_reading() {
    let server = MockServer::start().await;
    let mut body = observe_response(&[repository_json()]);
    body["data"]["pull0"]["pullRequest"]["comments"]["nodes"] = json!([null]);
    body["errors"] = json!([{"message": "Something went wrong",
        "path": ["pull0", "pullRequest", "comments", "nodes", 0]}]);
    mount_response(&server, "Observe", body).await;
    let client = client(&server.uri(), "t", ManualClock::at(NOW)).await;
    let message = "Something went wrong".to_string();
    assert_eq!(
        client.observe(&[pull(1)]).await,
        [Err(ObserveFailure::Unreachable { message })]
    );
}

#[tokio::test]
async fn a_protection_that_the_token_may_not_see_does_not_spoil_the_reading() {
    let server = MockServer::start().await;
    let mut body = observe_response(&[repository_json()]);
    body["errors"] = json!([{"type": "FORBIDDEN", "message": "Resource not accessible by integration",
        "path": ["pull0", "pullRequest", "baseRef", "branchProtectionRule"]}]);
    mount_response(&server, "Observe", body).await;
    mount_response(&server, "Confirm", confirm_response(&sha('a'), 0)).await;
    let client = client(&server.uri(), "t", ManualClock::at(NOW)).await;
    client.observe(&[pull(1)]).await[0].as_ref().expect("read");
}

#[tokio::test]
async fn a_failed_check_brings_its_annotations_and_log_which_are_fetched_once() {
    let server = MockServer::start().await;
    let elsewhere = MockServer::start().await;
    let mut red = repository_json();
    let run = |id: u64, conclusion: &str| {
        json!({"__typename": "CheckRun", "databaseId": id, "name": format!("run {id}"),
        "status": "COMPLETED", "conclusion": conclusion, "completedAt": "2023-11-14T22:13:00Z", "detailsUrl": null,
        "url": null, "title": "Two tests failed", "summary": " ", "checkSuite": {"app": {"slug": "github-actions"}}})
    };
    red["pullRequest"]["latest"]["nodes"][0]["commit"]["statusCheckRollup"]["contexts"] =
        last_page(json!([
            run(11, "FAILURE"),
            run(12, "SUCCESS"),
            run(13, "TIMED_OUT")
        ]));
    mount_response(&server, "Observe", observe_response(&[red])).await;
    mount_response(&server, "Confirm", confirm_response(&sha('a'), 0)).await;
    let at = |text: &str| format!("/api/v3/repos/acme/web/{text}");
    let user = json!({"id": 41898282, "login": "github-actions[bot]"});
    Mock::given(path("/api/v3/users/github-actions%5Bbot%5D"))
        .respond_with(json_response(user))
        .mount(&server)
        .await;
    let notes = json!([{"path": "a.py", "start_line": 3, "message": "assert 1 == 2", "title": "test_a"},
        {"path": "b.py", "start_line": 0, "message": "broken", "title": null, "annotation_level": "failure"},
        {"path": "c.py", "start_line": 4, "message": "unused", "title": null, "annotation_level": "warning"},
        {"path": "d.py", "start_line": 5, "message": "cached", "title": null, "annotation_level": "notice"}]);
    Mock::given(path(at("check-runs/11/annotations")))
        .respond_with(json_response(notes))
        .mount(&server)
        .await;
    let there = ResponseTemplate::new(302)
        .insert_header("location", format!("{}/log?sig=x", elsewhere.uri()));
    Mock::given(path(at("actions/jobs/11/logs")))
        .respond_with(there)
        .mount(&server)
        .await;
    let log: String = (1..=700).map(|n| format!("line {n}\n")).collect();
    Mock::given(header_exists("authorization"))
        .respond_with(ResponseTemplate::new(500))
        .mount(&elsewhere)
        .await;
    Mock::given(path("/log"))
        .respond_with(ResponseTemplate::new(200).set_body_string(log))
        .mount(&elsewhere)
        .await;
    let clock = ManualClock::at(NOW + 3_600_000);
    let client = client(&server.uri(), "t", clock.clone()).await;
    for _ in 0..2 {
        let found = client.observe(&[pull(1)]).await.remove(0).expect("read");
        let failed = &found.checks[0];
        let said: Vec<_> = failed
            .annotations
            .iter()
            .map(|one| (one.line, one.message.as_str()))
            .collect();
        assert_eq!(said, [(3, "test_a: assert 1 == 2"), (1, "broken")]);
        let lines: Vec<&str> = failed.log_tail.as_deref().expect("a log").lines().collect();
        assert_eq!(
            (lines.len(), lines[0], lines[499]),
            (500, "line 201", "line 700")
        );
        assert_eq!(
            failed.reporter.as_ref().map(|bot| bot.id.0),
            Some(41_898_282)
        );
        assert_eq!(failed.summary.as_deref(), Some("Two tests failed"));
        assert_eq!(
            (&found.checks[1].log_tail, &found.checks[2].log_tail),
            (&None, &None)
        );
    }
    for once in [
        "/jobs/11/",
        "/check-runs/11/",
        "/jobs/13/",
        "/check-runs/13/",
        "/users/",
    ] {
        assert_eq!(count_requests(&server, once).await, 1, "{once}");
    }
    assert_eq!(count_requests(&server, "/jobs/12/").await, 0);
}

#[tokio::test]
async fn a_log_that_is_not_there_yet_is_asked_for_again() {
    let server = MockServer::start().await;
    let mut red = repository_json();
    red["pullRequest"]["latest"]["nodes"][0]["commit"]["statusCheckRollup"]["contexts"] = last_page(
        json!([
        {"__typename": "CheckRun", "databaseId": 11, "name": "build", "status": "COMPLETED", "conclusion": "FAILURE",
         "completedAt": "2023-11-14T22:13:20Z", "detailsUrl": null, "url": null, "title": null, "summary": null,
         "checkSuite": null}]),
    );
    mount_response(&server, "Observe", observe_response(&[red])).await;
    mount_response(&server, "Confirm", confirm_response(&sha('a'), 0)).await;
    let logs = "/api/v3/repos/acme/web/actions/jobs/11/logs";
    Mock::given(path(logs))
        .respond_with(ResponseTemplate::new(404))
        .up_to_n_times(1)
        .mount(&server)
        .await;
    Mock::given(path(logs))
        .respond_with(ResponseTemplate::new(200).set_body_string("boom"))
        .mount(&server)
        .await;
    let clock = ManualClock::at(NOW);
    let client = client(&server.uri(), "t", clock.clone()).await;
    let mut tails = Vec::new();
    for _ in 0..2 {
        tails.push(
            client
                .observe(&[pull(1)])
                .await
                .remove(0)
                .expect("read")
                .checks
                .remove(0)
                .log_tail,
        );
        clock.advance(60_000);
    }
    assert_eq!(tails, [None, Some("boom".to_string())]);
}

#[tokio::test]
async fn checks_of_earlier_heads_are_known_also_after_a_force_push() {
    let server = MockServer::start().await;
    let name = |name: &str| json!({"__typename": "CheckRun", "name": name});
    let commit = |oid: char, names: Value| json!({"commit": {"oid": sha(oid), "statusCheckRollup": {"contexts": {"nodes": names}}}});
    let context = json!({"__typename": "StatusContext", "context": "mine", "state": "PENDING", "description": null,
        "targetUrl": null, "createdAt": null, "creator": null});
    let mut first = repository_json();
    first["pullRequest"]["earlier"]["nodes"] = json!([
        commit('9', json!([name("old")])),
        commit('a', json!([name("mine")]))
    ]);
    first["pullRequest"]["latest"]["nodes"][0]["commit"]["statusCheckRollup"]["contexts"] =
        last_page(json!([context]));
    let mut forced = repository_json();
    forced["pullRequest"]["headRefOid"] = json!(sha('d'));
    forced["pullRequest"]["latest"]["nodes"][0]["commit"]["oid"] = json!(sha('d'));
    Mock::given(GraphQlOperation("Observe"))
        .respond_with(json_response(observe_response(&[first])))
        .up_to_n_times(1)
        .mount(&server)
        .await;
    mount_response(&server, "Observe", observe_response(&[forced])).await;
    mount_response(&server, "Confirm", confirm_response(&sha('a'), 0)).await;
    let client = client(&server.uri(), "t", ManualClock::at(NOW)).await;
    let mut known = Vec::new();
    for _ in 0..3 {
        let found = client.observe(&[pull(1)]).await.remove(0).expect("read");
        known.push(found.known_checks.into_iter().collect::<Vec<_>>().join(" "));
    }
    assert_eq!(known, ["old", "mine", "mine"]);
}

#[tokio::test]
async fn rules_of_both_branches_count_and_are_asked_conditionally() {
    let server = MockServer::start().await;
    let mut ruled = repository_json();
    ruled["pullRequest"]["baseRef"]["branchProtectionRule"] =
        json!({"requiresStatusChecks": true, "requiredStatusCheckContexts": ["classic"]});
    ruled["pullRequest"]["mergeStateStatus"] = json!("BEHIND");
    ruled["pullRequest"]["reviewDecision"] = json!("REVIEW_REQUIRED");
    mount_response(&server, "Observe", observe_response(&[ruled])).await;
    mount_response(&server, "Confirm", confirm_response(&sha('a'), 0)).await;
    let rules = |branch: &str| path(format!("/api/v3/repos/acme/web/rules/branches/{branch}"));
    Mock::given(rules("main"))
        .and(header("if-none-match", "\"v1\""))
        .respond_with(ResponseTemplate::new(304))
        .expect(1)
        .mount(&server)
        .await;
    let body = json!([{"type": "required_status_checks",
        "parameters": {"required_status_checks": [{"context": "ruleset"}]}}]);
    Mock::given(rules("main"))
        .respond_with(json_response(body).insert_header("etag", "\"v1\""))
        .expect(1)
        .mount(&server)
        .await;
    Mock::given(rules("feature"))
        .respond_with(json_response(json!([{"type": "update"}])))
        .mount(&server)
        .await;
    let clock = ManualClock::at(NOW);
    let client = client(&server.uri(), "t", clock.clone()).await;
    for _ in 0..2 {
        for _ in 0..2 {
            let found = client.observe(&[pull(1)]).await.remove(0).expect("read");
            assert!(
                found
                    .required_checks
                    .iter()
                    .map(|check| check.name.as_str())
                    .eq(["classic", "ruleset"]),
                "{:?}",
                found.required_checks
            );
            assert!(
                found.push_obstacles.iter().eq([&PushObstacle::Protected]),
                "{:?}",
                found.push_obstacles
            );
            assert!(found.behind && found.review_required);
        }
        clock.advance(6 * 60_000);
    }
}

#[tokio::test]
async fn every_reason_not_to_push_is_reported() {
    let check = async |change: fn(&mut Value), expect: &[PushObstacle]| {
        let server = MockServer::start().await;
        let mut one = repository_json();
        change(&mut one["pullRequest"]);
        mount_response(&server, "Observe", observe_response(&[one])).await;
        mount_response(&server, "Confirm", confirm_response(&sha('a'), 0)).await;
        let client = client(&server.uri(), "t", ManualClock::at(NOW)).await;
        let found = client.observe(&[pull(1)]).await.remove(0).expect("read");
        assert!(
            found.push_obstacles.iter().eq(expect),
            "{:?} {expect:?}",
            found.push_obstacles
        );
    };
    check(|_| {}, &[]).await;
    check(
        |pull| pull["headRefName"] = json!("main"),
        &[PushObstacle::DefaultBranch],
    )
    .await;
    check(
        |pull| pull["headRef"]["branchProtectionRule"] = json!({"pattern": "f*"}),
        &[PushObstacle::Protected],
    )
    .await;
    check(
        |pull| pull["isCrossRepository"] = json!(true),
        &[PushObstacle::ForkReadOnly],
    )
    .await;
    let allow_maintainer_edits = |pull: &mut Value| {
        pull["isCrossRepository"] = json!(true);
        pull["maintainerCanModify"] = json!(true);
    };
    check(allow_maintainer_edits, &[]).await;
    check(
        |pull| pull["headRepository"] = Value::Null,
        &[PushObstacle::ForkReadOnly],
    )
    .await;
}

#[tokio::test]
async fn a_bot_is_known_by_its_number_and_an_unpublished_review_stays_ignored() {
    let server = MockServer::start().await;
    let mut one = repository_json();
    let comment_json = |author: Value, state: Value| {
        json!({"fullDatabaseId": "30000000002", "author": author,
        "authorAssociation": "NONE", "body": "b", "createdAt": "2024-01-01T00:00:00Z",
        "updatedAt": "2024-01-01T00:00:00Z", "state": state, "originalCommit": null})
    };
    let bot = json!({"__typename": "Bot", "login": "coderabbitai", "databaseId": 136622811});
    let thread = |comments: Value| {
        json!({"id": "T", "isResolved": false, "isOutdated": false, "path": "a.rs",
        "line": 3, "comments": last_page(comments)})
    };
    one["pullRequest"]["comments"] = last_page(json!([
        comment_json(bot, Value::Null),
        comment_json(Value::Null, Value::Null)
    ]));
    one["pullRequest"]["reviewThreads"] = last_page(json!([
        thread(json!([comment_json(
            account_json("ana", 7),
            json!("SUBMITTED")
        )])),
        thread(json!([comment_json(
            account_json("collie-user", 42),
            json!("PENDING")
        )])),
    ]));
    let review = |id: u64, state: &str| {
        json!({"fullDatabaseId": "6", "author": account_json("x", id), "state": state,
        "authorAssociation": "OWNER", "body": "", "submittedAt": null, "updatedAt": "2024-01-01T00:00:00Z", "commit": null})
    };
    one["pullRequest"]["reviews"] = last_page(json!([review(42, "PENDING")]));
    mount_response(&server, "Observe", observe_response(&[one])).await;
    mount_response(&server, "Confirm", confirm_response(&sha('a'), 0)).await;
    let client = client(&server.uri(), "t", ManualClock::at(NOW)).await;
    let found = client.observe(&[pull(1)]).await.remove(0).expect("read");
    let author = found.comments[0].author.as_ref().expect("an author");
    assert_eq!(
        (author.id.0, author.login.as_str(), author.is_bot),
        (136_622_811, "coderabbitai", true)
    );
    assert_eq!(
        (found.comments[0].id, &found.comments[1].author),
        (30_000_000_002, &None)
    );
    assert_eq!(found.threads.len(), 1);
    assert!(found.pending_review);
}

#[tokio::test]
async fn each_way_to_fail_has_its_name_and_the_token_is_in_none() {
    let check_requests = async |requests: u64, answer: ResponseTemplate, expect: ObserveFailure| {
        let server = MockServer::start().await;
        Mock::given(method("POST"))
            .respond_with(answer)
            .expect(requests)
            .mount(&server)
            .await;
        let client = client(&server.uri(), "s3cret", ManualClock::at(NOW)).await;
        let found = client.observe(&[pull(1), pull(2)]).await;
        assert_eq!(found, [Err(expect.clone()), Err(expect)]);
        assert!(!format!("{found:?}").contains("s3cret"));
    };
    let check = async |answer, expect| check_requests(1, answer, expect).await;
    let status = ResponseTemplate::new;
    let until = Time(NOW + 60_000);
    check(status(401), ObserveFailure::Unauthorized).await;
    let no = json!({"message": "Resource protected by organization SAML enforcement"});
    check(
        status(403).set_body_json(&no),
        ObserveFailure::Forbidden {
            message: no["message"].as_str().expect("a text").into(),
        },
    )
    .await;
    let second = json!({"message": "You have exceeded a secondary rate limit."});
    check(
        status(403).set_body_json(second),
        ObserveFailure::RateLimited { until },
    )
    .await;
    let spent = json!({"data": null, "errors": [{"type": "RATE_LIMITED", "message": "API rate limit exceeded"}]});
    let spent = json_response(spent)
        .insert_header("x-ratelimit-remaining", "0")
        .insert_header("x-ratelimit-reset", "1700000060")
        .insert_header("date", "Tue, 14 Nov 2023 22:13:20 GMT");
    check(spent, ObserveFailure::RateLimited { until }).await;
    check(
        status(503),
        ObserveFailure::Unreachable {
            message: "HTTP status 503".into(),
        },
    )
    .await;
    // It may have been too much: one question that is not tells.
    check_requests(
        2,
        status(502),
        ObserveFailure::Unreachable {
            message: "HTTP status 502".into(),
        },
    )
    .await;
    let slow = json!({"errors": [{"message": "Something went wrong while executing your query."}]});
    check_requests(
        2,
        json_response(slow),
        ObserveFailure::Unreachable {
            message: "Something went wrong while executing your query.".into(),
        },
    )
    .await;
}

#[tokio::test]
async fn nothing_is_sent_before_a_rate_limit_is_over() {
    let server = MockServer::start().await;
    let limited = ResponseTemplate::new(429).insert_header("retry-after", "30");
    Mock::given(GraphQlOperation("Observe"))
        .respond_with(limited)
        .up_to_n_times(1)
        .mount(&server)
        .await;
    mount_response(&server, "Observe", observe_response(&[repository_json()])).await;
    mount_response(&server, "Confirm", confirm_response(&sha('a'), 0)).await;
    let clock = ManualClock::at(NOW);
    let client = client(&server.uri(), "t", clock.clone()).await;
    let until = Time(NOW + 30_000);
    for _ in 0..2 {
        assert_eq!(
            client.observe(&[pull(1)]).await,
            [Err(ObserveFailure::RateLimited { until })]
        );
    }
    let waits = client.viewer().await.expect_err("no call");
    assert!(
        matches!(waits, GitHubError::RetryLater { until: then, .. } if then == until),
        "{waits:?}"
    );
    assert_eq!(server.received_requests().await.expect("recorded").len(), 1);
    clock.advance(30_000);
    client.observe(&[pull(1)]).await[0].as_ref().expect("read");
}

#[tokio::test]
async fn three_failures_open_the_breaker_and_after_300_s_one_good_answer_closes_it() {
    let server = MockServer::start().await;
    Mock::given(GraphQlOperation("Observe"))
        .respond_with(ResponseTemplate::new(503))
        .up_to_n_times(3)
        .mount(&server)
        .await;
    mount_response(&server, "Observe", observe_response(&[repository_json()])).await;
    mount_response(&server, "Confirm", confirm_response(&sha('a'), 0)).await;
    let clock = ManualClock::at(NOW);
    let client = client(&server.uri(), "t", clock.clone()).await;
    for _ in 0..3 {
        let found = client.observe(&[pull(1)]).await;
        assert!(
            matches!(found[0], Err(ObserveFailure::Unreachable { .. })),
            "{found:?}"
        );
    }
    let until = Time(NOW + 300_000);
    assert_eq!(
        client.observe(&[pull(1)]).await,
        [Err(ObserveFailure::BreakerOpen { until })]
    );
    assert_eq!(server.received_requests().await.expect("recorded").len(), 3);
    clock.advance(300_000);
    client.observe(&[pull(1)]).await[0].as_ref().expect("read");
}

#[tokio::test]
async fn names_are_resolved_and_open_pull_requests_listed_to_the_end() {
    let server = MockServer::start().await;
    let found = json!({"data": {"repository": {"id": "R_1", "nameWithOwner": "acme/renamed", "pullRequest": {
        "title": "T", "url": "u", "headRefName": "h", "baseRefName": "b", "author": account_json("ana", 7)}}}});
    mount_response(&server, "Resolve", found).await;
    let list = |part: Value| json!({"data": {"repository": {"page": part}}});
    Mock::given(GraphQlOperation("OpenPulls"))
        .respond_with(json_response(list(partial_page(
            json!([{"number": 1, "isDraft": false}, {"number": 3, "isDraft": true}, {"number": 4, "isDraft": false}]),
            "c1",
        ))))
        .up_to_n_times(1)
        .mount(&server)
        .await;
    let last = json!([{"number": 9, "isDraft": false}]);
    mount_response(&server, "OpenPulls", list(last_page(last))).await;
    let client = client(&server.uri(), "t", ManualClock::at(NOW)).await;
    let name = PullName::parse("acme/web#1").expect("a name");
    let resolved = client.resolve_pull(&name).await.expect("found");
    assert_eq!(resolved.pull.repo.to_string(), "acme/renamed");
    assert_eq!(format!("http://{}", resolved.pull.id.host), server.uri());
    let repo = RepoName::parse("acme/web").expect("a name");
    assert_eq!(client.open_pulls(&repo).await.expect("listed"), [1, 4, 9]);
}

#[tokio::test]
async fn a_name_that_github_does_not_know_is_not_found_in_plain_words() {
    let server = MockServer::start().await;
    let missing = json!({"data": {"repository": null}, "errors": [{"type": "NOT_FOUND", "path": ["repository"],
        "message": "Could not resolve"}]});
    mount_response(&server, "Resolve", missing.clone()).await;
    mount_response(&server, "OpenPulls", missing).await;
    let client = client(&server.uri(), "t", ManualClock::at(NOW)).await;
    let error = client
        .resolve_pull(&PullName::parse("acme/nope#1").expect("a name"))
        .await
        .expect_err("missing");
    let host = client.host();
    assert_eq!(
        error.to_string(),
        format!(
            "acme/nope#1 was not found on {host}: check the name, and that the token may see it"
        )
    );
    let error = client
        .open_pulls(&RepoName::parse("acme/nope").expect("a name"))
        .await
        .expect_err("missing");
    assert!(matches!(error, GitHubError::NotFound { .. }), "{error:?}");
}
