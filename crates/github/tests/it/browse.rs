//! What the views read, from answers as GitHub gives them.

use crate::common::*;
use collie_core::ids::{PullName, RepoName, Time};
use collie_core::merging::MergeMethod;
use collie_engine::ports::{GitHub, GitHubError};
use collie_github::browse::{MergeState, Permission, Quota, SignInError};
use collie_github::{GitHubClient, GitHubConfig, Token, TokenSource};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use wiremock::matchers::{method, path};
use wiremock::{Mock, MockServer, Request, Respond, ResponseTemplate};

const NOW: i64 = 1_700_000_000_000;
const WHEN: &str = "2023-11-14T22:13:20Z";

fn ok(body: Value) -> ResponseTemplate {
    ResponseTemplate::new(200).set_body_json(body)
}

async fn answers(server: &MockServer, operation: &'static str, answer: impl Respond + 'static) {
    Mock::given(Operation(operation))
        .respond_with(answer)
        .mount(server)
        .await;
}

async fn served(operation: &'static str, answer: impl Respond + 'static) -> MockServer {
    let server = MockServer::start().await;
    answers(&server, operation, answer).await;
    server
}

fn names(of: &[&str]) -> Vec<RepoName> {
    of.iter()
        .map(|name| RepoName::parse(name).expect("a name"))
        .collect()
}

fn open_pull(number: u64) -> Value {
    json!({
        "number": number, "title": format!("Pull {number}"), "url": format!("https://ghe/acme/web/pull/{number}"),
        "isDraft": number == 2, "headRefName": "topic", "headRefOid": sha('a'), "baseRefName": "main",
        "isCrossRepository": false, "createdAt": WHEN, "updatedAt": WHEN, "author": person("ana", 7),
        "labels": {"nodes": [{"name": "bug", "color": "d73a4a"}]}, "autoMergeRequest": null,
    })
}

fn open_work(pulls: Value, pulls_total: u64, issues: Value) -> Value {
    let mut pulls = pulls;
    pulls["totalCount"] = json!(pulls_total);
    let total = issues.as_array().map_or(0, Vec::len);
    json!({"id": "R_1", "nameWithOwner": "acme/web", "pullRequests": pulls,
           "issues": {"totalCount": total, "nodes": issues}})
}

/// What `sign_in` makes of an answer, and what `viewer` says of it.
async fn signing_in(answer: ResponseTemplate) -> (SignInError, String) {
    let server = MockServer::start().await;
    Mock::given(method("POST"))
        .respond_with(answer)
        .mount(&server)
        .await;
    let client = client(&server.uri(), "t0ken", StillClock::at(NOW)).await;
    let error = client.sign_in().await.expect_err("not signed in");
    let viewer = client.viewer().await.expect_err("not signed in");
    let host = server.address().to_string();
    (error, viewer.to_string().replace(&host, "HOST"))
}

#[tokio::test]
async fn signing_in_tells_the_token_the_host_and_the_network_apart() {
    let html =
        |code| ResponseTemplate::new(code).set_body_string("<html><body>Hello</body></html>");
    let said = |code, words| ResponseTemplate::new(code).set_body_json(json!({"message": words}));
    let cases = [
        ("bad token", said(401, "Bad credentials")),
        ("a page for people", html(200)),
        ("JSON of something else", ok(json!({"hello": "world"}))),
        ("no such page", html(404)),
        ("no queries here", html(405)),
        (
            "sent to a login",
            ResponseTemplate::new(302).insert_header("location", "/login"),
        ),
        ("down", html(502)),
        (
            "single sign-on",
            said(403, "Resource protected by organization SAML enforcement."),
        ),
        (
            "limited",
            ResponseTemplate::new(429).insert_header("retry-after", "9"),
        ),
    ];
    let mut lines = Vec::new();
    for (name, answer) in cases {
        let (error, viewer) = signing_in(answer).await;
        let kind = match error {
            SignInError::BadToken { .. } => "BadToken",
            SignInError::Unreachable { .. } => "Unreachable",
            SignInError::NotGitHub { .. } => "NotGitHub",
            SignInError::Wait { .. } => "Wait",
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
    let gone = format!("http://{}", listener.local_addr().expect("bound"));
    drop(listener);
    for uri in [gone.as_str(), "https://github.invalid"] {
        let tokens = TokenSource::Given(Token::new("t0ken").expect("a token"));
        let config = GitHubConfig::new(format!("{uri}/api/v3"), tokens);
        let client = GitHubClient::connect(config, StillClock::at(NOW))
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
        entry("acme/web", json!("WRITE"), json!(WHEN)),
        entry("acme/docs", json!("READ"), Value::Null),
        entry("acme/new", json!("EMPEROR"), json!(WHEN)),
    ]);
    let body = json!({"data": {"viewer": {"page": page(nodes)}}});
    let server = served("Repositories", ok(body)).await;
    let client = client(&server.uri(), "t", StillClock::at(NOW)).await;
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
    let line = |name: &str, push, at| (name.to_string(), true, push, 3, at);
    assert_eq!(
        lines,
        [
            line("acme/web", true, Some(Time(NOW))),
            line("acme/docs", false, None),
            line("acme/new", false, Some(Time(NOW))),
        ]
    );
}

#[tokio::test]
async fn one_query_lists_ten_repositories_and_one_that_vanished_fails_alone() {
    let listed = |request: &Request| {
        let body: Value = serde_json::from_slice(&request.body).expect("JSON");
        let asked = body["variables"].as_object().expect("variables").len() / 2;
        let mut data = json!({});
        for index in 0..asked {
            let mut issue = open_pull(9);
            issue["comments"] = json!({"totalCount": 4});
            issue["author"] = json!({"__typename": "Bot", "login": "renovate", "databaseId": 1});
            let mut pull = open_pull(1);
            pull["autoMergeRequest"] = json!({"enabledAt": WHEN});
            pull["author"] = Value::Null;
            data[format!("repo{index}")] =
                open_work(page(json!([pull, open_pull(2)])), 2, json!([issue]));
        }
        data["repo1"] = Value::Null;
        ok(
            json!({"data": data, "errors": [{"type": "NOT_FOUND", "path": ["repo1"], "message": "Gone"}]}),
        )
    };
    let server = served("Listing", listed).await;
    let client = client(&server.uri(), "t", StillClock::at(NOW)).await;
    let repos: Vec<String> = (0..12).map(|n| format!("acme/r{n}")).collect();
    let repos = names(&repos.iter().map(String::as_str).collect::<Vec<_>>());
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
    let by = issue.author.as_ref().expect("an author");
    assert_eq!(
        (issue.number, issue.comments, by.login.as_str(), by.is_bot),
        (9, 4, "renovate", true)
    );
    assert_eq!(
        (listing.pulls_total, listing.issues_total, listing.truncated),
        (2, 1, false)
    );
}

/// Lists a repository with `total` open pull requests: numbers listed, and whether more were told of.
async fn long_list(total: u64) -> (Vec<u64>, bool) {
    let hundred = move |from: u64| {
        let numbers: Vec<Value> = (from..(from + 100).min(total))
            .map(|n| open_pull(n + 1))
            .collect();
        if from + 100 < total {
            part(json!(numbers), &format!("{}", from + 100))
        } else {
            page(json!(numbers))
        }
    };
    let server = MockServer::start().await;
    let first = json!({"data": {"repo0": open_work(hundred(0), total, json!([]))}});
    answers(&server, "Listing", ok(first)).await;
    answers(&server, "ListedPulls", move |request: &Request| {
        let body: Value = serde_json::from_slice(&request.body).expect("JSON");
        let from = body["variables"]["cursor"].as_str().expect("a cursor");
        let from = from.parse().expect("a number");
        ok(json!({"data": {"repository": {"page": hundred(from)}}}))
    })
    .await;
    let client = client(&server.uri(), "t", StillClock::at(NOW)).await;
    let mut found = client.listing(&names(&["acme/web"])).await.expect("read");
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
        assert_eq!(long_list(total).await, (expect, truncated), "{total}");
    }
}

#[tokio::test]
async fn an_outage_fails_the_list_as_a_whole_and_opens_the_breaker_for_all_readings() {
    let server = served("Listing", ResponseTemplate::new(503)).await;
    let clock = StillClock::at(NOW);
    let client = client(&server.uri(), "t", clock.clone()).await;
    let repos = names(&["acme/web"]);
    for _ in 0..3 {
        let error = client.listing(&repos).await.expect_err("down");
        assert!(matches!(error, GitHubError::Unclear { .. }), "{error:?}");
    }
    let error = client.repositories().await.expect_err("held");
    let until = Time(NOW + 300_000);
    assert!(
        matches!(error, GitHubError::Wait { until: then, .. } if then == until),
        "{error:?}"
    );
    assert_eq!(server.received_requests().await.expect("recorded").len(), 3);
    clock.forward(300_000);
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
    let server = served("MergeFacts", ok(body)).await;
    let client = client(&server.uri(), "t", StillClock::at(NOW)).await;
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
fn set(scopes: &[&str]) -> Option<BTreeSet<String>> {
    Some(scopes.iter().map(ToString::to_string).collect())
}

#[tokio::test]
async fn a_token_without_scopes_is_told_from_one_that_has_none_to_tell() {
    let cases = [
        (
            "ghp_a",
            Some("repo, read:org"),
            set(&["repo", "read:org"]),
            vec![],
        ),
        (
            "ghp_a",
            Some("public_repo"),
            set(&["public_repo"]),
            vec!["repo"],
        ),
        ("ghp_a", Some(""), set(&[]), vec!["repo"]),
        ("github_pat_a", Some(""), None, vec![]),
        ("ghu_a", None, None, vec![]),
        ("forge-octo", None, None, vec![]),
    ];
    for (token, header, granted, lacks) in cases {
        let server = MockServer::start().await;
        let mut answer = ok(json!({}));
        if let Some(header) = header {
            answer = answer.insert_header("x-oauth-scopes", header);
        }
        Mock::given(path("/api/v3/"))
            .respond_with(answer)
            .mount(&server)
            .await;
        let client = client(&server.uri(), token, StillClock::at(NOW)).await;
        let found = client.token_scopes().await.expect("read");
        assert_eq!(
            (found.granted, found.lacks),
            (granted, lacks.into_iter().map(String::from).collect()),
            "{token} {header:?}"
        );
    }
}

#[tokio::test]
async fn the_quota_is_what_the_last_answers_told_and_costs_no_request() {
    let told = |answer: ResponseTemplate, left: &str| {
        answer
            .insert_header("x-ratelimit-limit", "5000")
            .insert_header("x-ratelimit-remaining", left)
            .insert_header("x-ratelimit-reset", "1700000060")
            .insert_header("date", "Tue, 14 Nov 2023 22:13:20 GMT")
    };
    let server = MockServer::start().await;
    let viewer = ok(json!({"data": {"viewer": person("ana", 7)}}));
    answers(&server, "Viewer", told(viewer, "4990")).await;
    Mock::given(path("/api/v3/"))
        .respond_with(told(ok(json!({})), "12"))
        .mount(&server)
        .await;
    let client = client(&server.uri(), "t", StillClock::at(NOW)).await;
    assert_eq!(client.quota(), Default::default());
    client.sign_in().await.expect("signed in");
    client.token_scopes().await.expect("read");
    let quota = |left| {
        Some(Quota {
            left,
            limit: 5000,
            resets_at: Time(NOW + 60_000),
        })
    };
    let found = client.quota();
    assert_eq!(
        (found.graphql, found.rest, found.held_until),
        (quota(4990), quota(12), None)
    );
    assert_eq!(server.received_requests().await.expect("recorded").len(), 2);
}

#[tokio::test]
async fn a_limit_holds_the_views_too_and_is_shown() {
    let limited = ResponseTemplate::new(429).insert_header("retry-after", "30");
    let server = served("Repositories", limited).await;
    let clock = StillClock::at(NOW);
    let client = client(&server.uri(), "t", clock.clone()).await;
    client.repositories().await.expect_err("limited");
    let error = client
        .listing(&names(&["acme/web"]))
        .await
        .expect_err("held");
    assert!(matches!(error, GitHubError::Wait { .. }), "{error:?}");
    assert_eq!(client.quota().held_until, Some(Time(NOW + 30_000)));
    assert_eq!(server.received_requests().await.expect("recorded").len(), 1);
    clock.forward(30_000);
    assert_eq!(client.quota().held_until, None);
}
