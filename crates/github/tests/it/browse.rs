//! What the views read, from answers as GitHub gives them.

use crate::common::*;
use collie_core::ids::{PullName, RepoName, Time};
use collie_core::merge_method::MergeMethod;
use collie_engine::ports::{GitHub, GitHubError};
use collie_github::browse::{MergeState, Permission, Quota, SignInError};
use collie_github::{GitHubClient, GitHubConfig, Token, TokenSource};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use wiremock::matchers::{method, path};
use wiremock::{Mock, MockServer, Request, Respond, ResponseTemplate};

const NOW: i64 = 1_700_000_000_000;
const NOW_TEXT: &str = "2023-11-14T22:13:20Z";

fn json_response(body: Value) -> ResponseTemplate {
    ResponseTemplate::new(200).set_body_json(body)
}

async fn mount_response(
    server: &MockServer,
    operation: &'static str,
    answer: impl Respond + 'static,
) {
    Mock::given(GraphQlOperation(operation))
        .respond_with(answer)
        .mount(server)
        .await;
}

async fn serve_operation(operation: &'static str, answer: impl Respond + 'static) -> MockServer {
    let server = MockServer::start().await;
    mount_response(&server, operation, answer).await;
    server
}

fn repo_names(names: &[&str]) -> Vec<RepoName> {
    names
        .iter()
        .map(|name| RepoName::parse(name).expect("a name"))
        .collect()
}

fn pull_json(number: u64) -> Value {
    json!({
        "number": number, "title": format!("Pull {number}"), "url": format!("https://ghe/acme/web/pull/{number}"),
        "isDraft": number == 2, "headRefName": "topic", "headRefOid": sha('a'), "baseRefName": "main",
        "isCrossRepository": false, "createdAt": NOW_TEXT, "updatedAt": NOW_TEXT, "author": account_json("ana", 7),
        "labels": {"nodes": [{"name": "bug", "color": "d73a4a"}]}, "autoMergeRequest": null,
    })
}

fn open_work_json(pulls: Value, pulls_total: u64, issues: Value) -> Value {
    let mut pulls = pulls;
    pulls["totalCount"] = json!(pulls_total);
    let total = issues.as_array().map_or(0, Vec::len);
    json!({"id": "R_1", "nameWithOwner": "acme/web", "pullRequests": pulls,
           "issues": {"totalCount": total, "nodes": issues}})
}

/// What `sign_in` makes of an answer, and what `viewer` says of it.
async fn sign_in_and_read_viewer(answer: ResponseTemplate) -> (SignInError, String) {
    let server = MockServer::start().await;
    Mock::given(method("POST"))
        .respond_with(answer)
        .mount(&server)
        .await;
    let client = client(&server.uri(), "t0ken", ManualClock::at(NOW)).await;
    let error = client.sign_in().await.expect_err("not signed in");
    let viewer = client.viewer().await.expect_err("not signed in");
    let host = server.address().to_string();
    (error, viewer.to_string().replace(&host, "HOST"))
}

#[tokio::test]
async fn signing_in_distinguishes_the_token_the_host_and_the_network() {
    let html =
        |code| ResponseTemplate::new(code).set_body_string("<html><body>Hello</body></html>");
    let error_response =
        |code, words| ResponseTemplate::new(code).set_body_json(json!({"message": words}));
    let cases = [
        ("bad token", error_response(401, "Bad credentials")),
        ("a page for people", html(200)),
        (
            "JSON of something else",
            json_response(json!({"hello": "world"})),
        ),
        ("no such page", html(404)),
        ("no queries here", html(405)),
        (
            "sent to a login",
            ResponseTemplate::new(302).insert_header("location", "/login"),
        ),
        ("down", html(502)),
        (
            "single sign-on",
            error_response(403, "Resource protected by organization SAML enforcement."),
        ),
        (
            "limited",
            ResponseTemplate::new(429).insert_header("retry-after", "9"),
        ),
    ];
    let mut lines = Vec::new();
    for (name, answer) in cases {
        let (error, viewer) = sign_in_and_read_viewer(answer).await;
        let kind = match error {
            SignInError::BadToken { .. } => "BadToken",
            SignInError::App { .. } => "App",
            SignInError::Unreachable { .. } => "Unreachable",
            SignInError::NotGitHub { .. } => "NotGitHub",
            SignInError::Wait { .. } => "Wait",
            SignInError::OtherAccount { .. } => "OtherAccount",
            SignInError::Refused { .. } => "Refused",
        };
        assert!(!viewer.contains("t0ken"), "{viewer}");
        lines.push(format!("{name}: {kind}; {viewer}"));
    }
    insta::assert_snapshot!(lines.join("\n"), @r"
    bad token: BadToken; HOST does not accept the token: sign in again, with `gh auth login` or a new GITHUB_TOKEN
    a page for people: NotGitHub; HOST refused the signed-in account: it does not answer as GitHub does (what came back is no GraphQL answer)
    JSON of something else: NotGitHub; HOST refused the signed-in account: it does not answer as GitHub does (what came back is no GraphQL answer)
    no such page: NotGitHub; HOST refused the signed-in account: it does not answer as GitHub does (HTTP status 404)
    no queries here: NotGitHub; HOST refused the signed-in account: it does not answer as GitHub does (HTTP status 405)
    sent to a login: NotGitHub; HOST refused the signed-in account: it does not answer as GitHub does (HTTP status 302)
    down: Unreachable; the signed-in account on HOST got no clear answer: HTTP status 502
    single sign-on: Refused; HOST refused the signed-in account: Resource protected by organization SAML enforcement.
    limited: Wait; HOST asks to wait before the next call
    ");
}

#[tokio::test]
async fn a_host_that_cannot_be_reached_is_no_bad_token_and_is_asked_anew_each_time() {
    // Nothing listens there any more.
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let dead_uri = format!("http://{}", listener.local_addr().expect("bound"));
    drop(listener);
    for uri in [dead_uri.as_str(), "https://github.invalid"] {
        let tokens = TokenSource::Given(Token::new("t0ken").expect("a token"));
        let config = GitHubConfig::new(format!("{uri}/api/v3"), tokens);
        let client = GitHubClient::connect(config, ManualClock::at(NOW))
            .await
            .expect("set up");
        for _ in 0..4 {
            let error = client.sign_in().await.expect_err("unreachable");
            assert!(
                matches!(error, SignInError::Unreachable { .. }),
                "{error:?}"
            );
            assert!(!error.to_string().contains("t0ken"), "{error}");
        }
    }
}

#[tokio::test]
async fn repositories_are_listed_with_what_the_account_may_do() {
    let entry = |name: &str, permission: Value, pushed: Value| {
        json!({"nameWithOwner": name, "isPrivate": true, "isArchived": false, "viewerPermission": permission,
               "pushedAt": pushed, "pullRequests": {"totalCount": 3}})
    };
    let nodes = json!([
        entry("acme/web", json!("WRITE"), json!(NOW_TEXT)),
        entry("acme/docs", json!("READ"), Value::Null),
        entry("acme/new", json!("EMPEROR"), json!(NOW_TEXT)),
    ]);
    let body = json!({"data": {"viewer": {"page": last_page(nodes)}}});
    let server = serve_operation("Repositories", json_response(body)).await;
    let client = client(&server.uri(), "t", ManualClock::at(NOW)).await;
    let found = client.repositories().await.expect("read");
    let lines: Vec<_> = found
        .iter()
        .map(|one| {
            (
                one.name.to_string(),
                one.private,
                one.can_push,
                one.open_pulls,
                one.pushed_at,
            )
        })
        .collect();
    let expected_line = |name: &str, push, at| (name.to_string(), true, push, 3, at);
    assert_eq!(
        lines,
        [
            expected_line("acme/web", true, Some(Time(NOW))),
            expected_line("acme/docs", false, None),
            expected_line("acme/new", false, Some(Time(NOW))),
        ]
    );
}

#[tokio::test]
async fn one_query_lists_ten_repositories_and_one_that_vanished_fails_alone() {
    let respond_listing = |request: &Request| {
        let body: Value = serde_json::from_slice(&request.body).expect("JSON");
        let asked = body["variables"].as_object().expect("variables").len() / 2;
        let mut data = json!({});
        for index in 0..asked {
            let mut issue = pull_json(9);
            issue["comments"] = json!({"totalCount": 4});
            issue["author"] = json!({"__typename": "Bot", "login": "renovate", "databaseId": 1});
            let mut pull = pull_json(1);
            pull["autoMergeRequest"] = json!({"enabledAt": NOW_TEXT});
            pull["author"] = Value::Null;
            data[format!("repo{index}")] =
                open_work_json(last_page(json!([pull, pull_json(2)])), 2, json!([issue]));
        }
        data["repo1"] = Value::Null;
        json_response(
            json!({"data": data, "errors": [{"type": "NOT_FOUND", "path": ["repo1"], "message": "Gone"}]}),
        )
    };
    let server = serve_operation("Listing", respond_listing).await;
    let client = client(&server.uri(), "t", ManualClock::at(NOW)).await;
    let repos: Vec<String> = (0..12).map(|n| format!("acme/r{n}")).collect();
    let repos = repo_names(&repos.iter().map(String::as_str).collect::<Vec<_>>());
    let found = client.listing(&repos).await.expect("read");
    assert_eq!(server.received_requests().await.expect("recorded").len(), 2);
    assert_eq!(found.len(), 12);
    assert!(matches!(
        found[&repos[1]],
        Err(GitHubError::NotFound { .. })
    ));
    let listing = found[&repos[0]].as_ref().expect("listed");
    let (pull, issue) = (&listing.pulls[0], &listing.issues[0]);
    assert_eq!((pull.id.number, pull.id.repo_id.as_str()), (1, "R_1"));
    assert_eq!(pull.id.host, client.host());
    assert_eq!(
        (pull.auto_merge, pull.draft, &pull.author),
        (true, false, &None)
    );
    assert_eq!(
        (pull.labels[0].name.as_str(), pull.created_at),
        ("bug", Time(NOW))
    );
    assert!(listing.pulls[1].draft && !listing.pulls[1].auto_merge);
    let author = issue.author.as_ref().expect("an author");
    assert_eq!(
        (
            issue.number,
            issue.comments,
            author.login.as_str(),
            author.is_bot
        ),
        (9, 4, "renovate", true)
    );
    assert_eq!(
        (listing.pulls_total, listing.issues_total, listing.truncated),
        (2, 1, false)
    );
}

/// Lists a repository with `total` open pull requests: numbers listed, and whether more were told of.
async fn list_pulls(total: u64) -> (Vec<u64>, bool) {
    let hundred_from = move |from: u64| {
        let numbers: Vec<Value> = (from..(from + 100).min(total))
            .map(|n| pull_json(n + 1))
            .collect();
        if from + 100 < total {
            partial_page(json!(numbers), &format!("{}", from + 100))
        } else {
            last_page(json!(numbers))
        }
    };
    let server = MockServer::start().await;
    let first = json!({"data": {"repo0": open_work_json(hundred_from(0), total, json!([]))}});
    mount_response(&server, "Listing", json_response(first)).await;
    mount_response(&server, "ListedPulls", move |request: &Request| {
        let body: Value = serde_json::from_slice(&request.body).expect("JSON");
        let from = body["variables"]["cursor"].as_str().expect("a cursor");
        let from = from.parse().expect("a number");
        json_response(json!({"data": {"repository": {"page": hundred_from(from)}}}))
    })
    .await;
    let client = client(&server.uri(), "t", ManualClock::at(NOW)).await;
    let mut found = client
        .listing(&repo_names(&["acme/web"]))
        .await
        .expect("read");
    let listing = found.pop_first().expect("one").1.expect("listed");
    assert_eq!(listing.pulls_total, total);
    let numbers = listing.pulls.iter().map(|pull| pull.id.number).collect();
    (numbers, listing.truncated)
}

#[tokio::test]
async fn pull_requests_are_listed_to_the_end_or_to_five_hundred() {
    for (total, listed, truncated) in [
        (100, 100, false),
        (250, 250, false),
        (500, 500, false),
        (620, 500, true),
    ] {
        let expect: Vec<u64> = (1..=listed).collect();
        assert_eq!(list_pulls(total).await, (expect, truncated), "{total}");
    }
}

#[tokio::test]
async fn an_outage_fails_the_list_as_a_whole_and_opens_the_breaker_for_all_readings() {
    let server = serve_operation("Listing", ResponseTemplate::new(503)).await;
    let clock = ManualClock::at(NOW);
    let client = client(&server.uri(), "t", clock.clone()).await;
    let repos = repo_names(&["acme/web"]);
    for _ in 0..3 {
        let error = client.listing(&repos).await.expect_err("down");
        assert!(
            matches!(error, GitHubError::OutcomeUnknown { .. }),
            "{error:?}"
        );
    }
    let error = client.repositories().await.expect_err("held");
    let until = Time(NOW + 300_000);
    assert!(
        matches!(error, GitHubError::RetryLater { until: then, .. } if then == until),
        "{error:?}"
    );
    assert_eq!(server.received_requests().await.expect("recorded").len(), 3);
    clock.advance(300_000);
    client.listing(&repos).await.expect_err("down");
    assert_eq!(server.received_requests().await.expect("recorded").len(), 4);
}

#[tokio::test]
async fn the_facts_for_a_merge_name_the_accounts_method_first() {
    let body = json!({"data": {"repository": {
        "mergeCommitAllowed": true, "squashMergeAllowed": true, "rebaseMergeAllowed": false,
        "viewerDefaultMergeMethod": "SQUASH", "viewerPermission": "MAINTAIN",
        "pullRequest": {
            "state": "OPEN", "isDraft": false, "headRefOid": sha('a'), "baseRefName": "main",
            "mergeable": "MERGEABLE", "mergeStateStatus": "HAS_HOOKS", "isInMergeQueue": false,
            "isMergeQueueEnabled": true, "autoMergeRequest": {"enabledBy": null},
        },
    }}});
    let server = serve_operation("MergeFacts", json_response(body)).await;
    let client = client(&server.uri(), "t", ManualClock::at(NOW)).await;
    let pull = PullName::parse("acme/web#1").expect("a name");
    let facts = client.merge_facts(&pull).await.expect("read");
    assert_eq!(facts.methods, [MergeMethod::Squash, MergeMethod::Merge]);
    assert_eq!(
        (facts.permission, facts.merge_state),
        (Permission::Maintain, MergeState::HasHooks)
    );
    assert!(facts.base_has_queue && !facts.in_merge_queue && facts.permission.can_push());
    assert_eq!(facts.auto_merge.expect("switched on").as_str(), "");
}

#[track_caller]
fn scope_set(scopes: &[&str]) -> Option<BTreeSet<String>> {
    Some(scopes.iter().map(ToString::to_string).collect())
}

#[tokio::test]
async fn a_token_without_scopes_is_distinguished_from_one_that_has_none_to_tell() {
    let cases = [
        (
            "ghp_a",
            Some("repo, read:org"),
            scope_set(&["repo", "read:org"]),
            vec![],
        ),
        (
            "ghp_a",
            Some("public_repo"),
            scope_set(&["public_repo"]),
            vec!["repo"],
        ),
        ("ghp_a", Some(""), scope_set(&[]), vec!["repo"]),
        ("github_pat_a", Some(""), None, vec![]),
        ("ghu_a", None, None, vec![]),
        ("forge-octo", None, None, vec![]),
    ];
    for (token, header, granted, lacks) in cases {
        let server = MockServer::start().await;
        let mut answer = json_response(json!({}));
        if let Some(header) = header {
            answer = answer.insert_header("x-oauth-scopes", header);
        }
        Mock::given(path("/api/v3/"))
            .respond_with(answer)
            .mount(&server)
            .await;
        let client = client(&server.uri(), token, ManualClock::at(NOW)).await;
        let found = client.token_scopes().await.expect("read");
        assert_eq!(
            (found.granted, found.missing),
            (granted, lacks.into_iter().map(String::from).collect()),
            "{token} {header:?}"
        );
    }
}

#[tokio::test]
async fn the_quota_is_what_the_last_answers_reported_and_costs_no_request() {
    let with_quota = |answer: ResponseTemplate, left: &str| {
        answer
            .insert_header("x-ratelimit-limit", "5000")
            .insert_header("x-ratelimit-remaining", left)
            .insert_header("x-ratelimit-reset", "1700000060")
            .insert_header("date", "Tue, 14 Nov 2023 22:13:20 GMT")
    };
    let server = MockServer::start().await;
    let viewer = json_response(json!({"data": {"viewer": account_json("ana", 7)}}));
    mount_response(&server, "Viewer", with_quota(viewer, "4990")).await;
    Mock::given(path("/api/v3/"))
        .respond_with(with_quota(json_response(json!({})), "12"))
        .mount(&server)
        .await;
    let client = client(&server.uri(), "t", ManualClock::at(NOW)).await;
    assert_eq!(client.quotas(), Default::default());
    client.sign_in().await.expect("signed in");
    client.token_scopes().await.expect("read");
    let quota = |remaining| {
        Some(Quota {
            remaining,
            limit: 5000,
            resets_at: Time(NOW + 60_000),
        })
    };
    let found = client.quotas();
    assert_eq!(
        (found.graphql, found.rest, found.paused_until),
        (quota(4990), quota(12), None)
    );
    assert_eq!(server.received_requests().await.expect("recorded").len(), 2);
}

#[tokio::test]
async fn a_limit_holds_the_views_too_and_is_shown() {
    let limited = ResponseTemplate::new(429).insert_header("retry-after", "30");
    let server = serve_operation("Repositories", limited).await;
    let clock = ManualClock::at(NOW);
    let client = client(&server.uri(), "t", clock.clone()).await;
    client.repositories().await.expect_err("limited");
    let error = client
        .listing(&repo_names(&["acme/web"]))
        .await
        .expect_err("held");
    assert!(matches!(error, GitHubError::RetryLater { .. }), "{error:?}");
    assert_eq!(client.quotas().paused_until, Some(Time(NOW + 30_000)));
    assert_eq!(server.received_requests().await.expect("recorded").len(), 1);
    clock.advance(30_000);
    assert_eq!(client.quotas().paused_until, None);
}
