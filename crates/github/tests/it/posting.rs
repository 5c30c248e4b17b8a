//! Writes, and looking for what was written.

use crate::common::*;
use collie_core::ids::{ActionToken, Sha, ThreadId, Time};
use collie_engine::ports::{GitHub, GitHubError, RenderedInlineComment, RenderedPost};
use serde_json::{Value, json};
use std::time::Duration;
use wiremock::matchers::{body_json, header, method, path, query_param};
use wiremock::{Mock, MockServer, ResponseTemplate};

const NOW: i64 = 1_700_000_000_000;
const COMMENTS: &str = "/api/v3/repos/acme/web/issues/1/comments";

fn comment() -> RenderedPost {
    RenderedPost::Comment {
        body: "words".into(),
    }
}

#[tokio::test]
async fn each_kind_of_post_goes_where_github_wants_it() {
    let check = async |rendered: RenderedPost, to: &str, body: Value| {
        let server = MockServer::start().await;
        Mock::given(method("POST"))
            .and(path(format!("/api/v3/repos/acme/web/{to}")))
            .and(header("authorization", "Bearer t"))
            .and(header(
                "user-agent",
                concat!("collie/", env!("CARGO_PKG_VERSION")),
            ))
            .and(body_json(body))
            .respond_with(
                ResponseTemplate::new(201).set_body_json(json!({"id": 30_000_000_001_u64})),
            )
            .expect(1)
            .mount(&server)
            .await;
        let client = client(&server.uri(), "t", ManualClock::at(NOW)).await;
        assert_eq!(
            client
                .post(&pull(1), &rendered, None)
                .await
                .expect("posted"),
            30_000_000_001
        );
    };
    check(comment(), "issues/1/comments", json!({"body": "words"})).await;
    let reply = RenderedPost::Reply {
        in_reply_to: 9,
        body: "so".into(),
    };
    check(reply, "pulls/1/comments/9/replies", json!({"body": "so"})).await;
    let inline = |start_line| RenderedInlineComment {
        path: "a b.rs".into(),
        start_line,
        line: 3,
        body: "here".into(),
    };
    let commit = Sha::parse(&sha('a')).expect("a sha");
    let review = RenderedPost::Review {
        event: collie_core::post::ReviewEvent::Comment,
        commit,
        body: "all".into(),
        comments: vec![inline(None), inline(Some(2)), inline(Some(3))],
    };
    // GitHub refuses a comment that starts on the line it ends on.
    let one = json!({"path": "a b.rs", "line": 3, "side": "RIGHT", "body": "here"});
    let several = json!({"path": "a b.rs", "line": 3, "side": "RIGHT", "body": "here",
        "start_line": 2, "start_side": "RIGHT"});
    let body = json!({"event": "COMMENT", "commit_id": sha('a'), "body": "all",
        "comments": [one, several, one]});
    check(review, "pulls/1/reviews", body).await;
}

#[tokio::test]
async fn a_write_is_sent_once_and_its_answer_decides() {
    let check = async |answer: ResponseTemplate, expect: fn(&GitHubError) -> bool| {
        let server = MockServer::start().await;
        Mock::given(path(COMMENTS))
            .respond_with(answer)
            .expect(1)
            .mount(&server)
            .await;
        let tokens =
            collie_github::TokenSource::Given(collie_github::Token::new("t").expect("a token"));
        let mut config =
            collie_github::GitHubConfig::new(format!("{}/api/v3", server.uri()), tokens);
        config.request_timeout = Duration::from_millis(300);
        let client = collie_github::GitHubClient::connect(config, ManualClock::at(NOW))
            .await
            .expect("connected");
        let error = client
            .post(&pull(1), &comment(), None)
            .await
            .expect_err("not posted");
        assert!(expect(&error), "{error:?}");
    };
    let refused = |error: &GitHubError| matches!(error, GitHubError::Refused { .. });
    let unclear = |error: &GitHubError| matches!(error, GitHubError::OutcomeUnknown { .. });
    let status = ResponseTemplate::new;
    check(status(401), |error| {
        matches!(error, GitHubError::Unauthorized { .. })
    })
    .await;
    for code in [403, 409, 422] {
        check(status(code), refused).await;
    }
    for code in [404, 410] {
        check(status(code), |error| {
            matches!(error, GitHubError::Undeliverable { .. })
        })
        .await;
    }
    let body = json!({"message": "Validation Failed", "errors": ["User can only have one pending review per pull request"]});
    check(status(422).set_body_json(body), |error| error.to_string()
        .ends_with("refused a comment on acme/web#1: Validation Failed: User can only have one pending review per pull request")).await;
    for code in [500, 502, 503, 504] {
        check(status(code), unclear).await;
    }
    check(status(201).set_body_string("<html>"), unclear).await;
    check(status(201).set_delay(Duration::from_secs(5)), unclear).await;
    check(
        status(429).insert_header("retry-after", "9"),
        |error| matches!(error, GitHubError::RetryLater { until, .. } if *until == Time(NOW + 9_000)),
    )
    .await;
    let slow = json!({"message": "You have exceeded a secondary rate limit"});
    check(status(403).set_body_json(slow), |error| {
        matches!(error, GitHubError::RetryLater { .. })
    })
    .await;
}

#[tokio::test]
async fn a_write_to_a_renamed_repository_follows_it_on_the_same_host_only() {
    let server = MockServer::start().await;
    let same_host_redirect = ResponseTemplate::new(307).insert_header(
        "location",
        format!("{}/api/v3/repositories/5/x", server.uri()),
    );
    Mock::given(path(COMMENTS))
        .respond_with(same_host_redirect)
        .up_to_n_times(1)
        .mount(&server)
        .await;
    let other_host_redirect =
        ResponseTemplate::new(307).insert_header("location", "https://elsewhere.example.com/x");
    Mock::given(path(COMMENTS))
        .respond_with(other_host_redirect)
        .mount(&server)
        .await;
    Mock::given(path("/api/v3/repositories/5/x"))
        .and(body_json(json!({"body": "words"})))
        .respond_with(ResponseTemplate::new(201).set_body_json(json!({"id": 5})))
        .expect(1)
        .mount(&server)
        .await;
    let client = client(&server.uri(), "t", ManualClock::at(NOW)).await;
    assert_eq!(
        client
            .post(&pull(1), &comment(), None)
            .await
            .expect("posted"),
        5
    );
    let error = client
        .post(&pull(1), &comment(), None)
        .await
        .expect_err("not followed");
    assert!(matches!(error, GitHubError::Refused { .. }), "{error:?}");
}

#[tokio::test]
async fn a_write_does_not_follow_a_redirect_that_makes_a_reading_of_it() {
    for status in [301, 302, 303] {
        let server = MockServer::start().await;
        let redirect =
            ResponseTemplate::new(status).insert_header("location", "/api/v3/repositories/5/x");
        Mock::given(path(COMMENTS))
            .respond_with(redirect)
            .expect(1)
            .mount(&server)
            .await;
        Mock::given(path("/api/v3/repositories/5/x"))
            .respond_with(ResponseTemplate::new(201).set_body_json(json!({"id": 5})))
            .expect(0)
            .mount(&server)
            .await;
        let client = client(&server.uri(), "t", ManualClock::at(NOW)).await;
        let outcome = client.post(&pull(1), &comment(), None).await;
        let error = outcome.expect_err("not followed");
        assert!(
            matches!(error, GitHubError::Refused { .. }),
            "{status}: {error:?}"
        );
    }
}

#[tokio::test]
async fn other_hosts_than_github_com_are_posted_to_without_a_pause() {
    let server = MockServer::start().await;
    let created = ResponseTemplate::new(201).set_body_json(json!({"id": 5}));
    Mock::given(path(COMMENTS))
        .respond_with(created)
        .expect(2)
        .mount(&server)
        .await;
    let clock = ManualClock::at(NOW);
    let client = client(&server.uri(), "t", clock.clone()).await;
    for _ in 0..2 {
        client
            .post(&pull(1), &comment(), None)
            .await
            .expect("posted");
    }
    assert!(
        clock
            .sleeps
            .lock()
            .expect("no test panics while it holds this")
            .is_empty()
    );
}

#[tokio::test]
async fn only_a_token_at_the_end_of_a_body_of_our_account_counts() {
    const MARK: &str = "<!-- collie-action:abc -->";
    let check = async |list: &str, row: Value, expect: Option<u64>| {
        let server = MockServer::start().await;
        let viewer = json!({"data": {"viewer": account_json("collie-user", 42)}});
        Mock::given(GraphQlOperation("Viewer"))
            .respond_with(ResponseTemplate::new(200).set_body_json(viewer))
            .mount(&server)
            .await;
        // The row is on the second page: a full first one has to be gone through.
        let full_page: Vec<Value> = (0..100)
            .map(|n| json!({"id": n, "user": null, "body": null}))
            .collect();
        for one in ["issues/1/comments", "pulls/1/comments", "pulls/1/reviews"] {
            let list_path = || path(format!("/api/v3/repos/acme/web/{one}"));
            if one == list {
                Mock::given(list_path())
                    .and(query_param("page", "1"))
                    .respond_with(
                        ResponseTemplate::new(200)
                            .set_body_json(&full_page)
                            .insert_header("etag", "\"e\""),
                    )
                    .mount(&server)
                    .await;
            }
            let rows = if one == list {
                json!([row.clone()])
            } else {
                json!([])
            };
            Mock::given(list_path())
                .respond_with(ResponseTemplate::new(200).set_body_json(rows))
                .mount(&server)
                .await;
        }
        let client = client(&server.uri(), "t", ManualClock::at(NOW)).await;
        for _ in 0..2 {
            let found = client
                .find_post(&pull(1), &ActionToken::new("abc"))
                .await
                .expect("read");
            assert_eq!(found, expect, "{list} {row}");
        }
        let all = server.received_requests().await.expect("recorded");
        assert!(
            all.iter()
                .all(|request| !request.headers.contains_key("if-none-match")),
            "read afresh"
        );
    };
    let row = |id: u64, body: String| json!({"id": 7, "user": {"id": id}, "body": body});
    for list in ["issues/1/comments", "pulls/1/comments", "pulls/1/reviews"] {
        check(list, row(42, format!("words\n\n{MARK} \r\n")), Some(7)).await;
    }
    check("issues/1/comments", row(43, format!("words {MARK}")), None).await;
    check(
        "issues/1/comments",
        row(42, format!("> {MARK}\n\nwho wrote this?")),
        None,
    )
    .await;
    check(
        "issues/1/comments",
        row(42, "<!-- collie-action:abcd -->".into()),
        None,
    )
    .await;
    let draft = json!({"id": 7, "user": {"id": 42}, "body": MARK, "state": "PENDING"});
    check("pulls/1/reviews", draft, None).await;
}

#[tokio::test]
async fn a_search_that_breaks_off_finds_nothing_out() {
    let server = MockServer::start().await;
    let viewer = json!({"data": {"viewer": account_json("collie-user", 42)}});
    Mock::given(GraphQlOperation("Viewer"))
        .respond_with(ResponseTemplate::new(200).set_body_json(viewer))
        .mount(&server)
        .await;
    Mock::given(path(COMMENTS))
        .respond_with(ResponseTemplate::new(200).set_body_json(json!([])))
        .mount(&server)
        .await;
    Mock::given(path("/api/v3/repos/acme/web/pulls/1/comments"))
        .respond_with(ResponseTemplate::new(500))
        .mount(&server)
        .await;
    let client = client(&server.uri(), "t", ManualClock::at(NOW)).await;
    let error = client
        .find_post(&pull(1), &ActionToken::new("abc"))
        .await
        .expect_err("not known");
    assert!(
        matches!(error, GitHubError::OutcomeUnknown { .. }),
        "{error:?}"
    );
}

#[tokio::test]
async fn a_thread_is_resolved_and_one_that_is_gone_is_a_refusal() {
    let server = MockServer::start().await;
    let done =
        json!({"data": {"resolveReviewThread": {"thread": {"id": "T", "isResolved": true}}}});
    Mock::given(GraphQlOperation("ResolveThread"))
        .respond_with(ResponseTemplate::new(200).set_body_json(done))
        .up_to_n_times(2)
        .mount(&server)
        .await;
    let gone = json!({"data": {"resolveReviewThread": null}, "errors": [{"type": "NOT_FOUND",
        "path": ["resolveReviewThread"], "message": "Could not resolve to a node with the global id of 'T'"}]});
    Mock::given(GraphQlOperation("ResolveThread"))
        .respond_with(ResponseTemplate::new(200).set_body_json(gone))
        .mount(&server)
        .await;
    let client = client(&server.uri(), "t", ManualClock::at(NOW)).await;
    for _ in 0..2 {
        client
            .resolve_thread(&pull(1), &ThreadId::new("T"))
            .await
            .expect("resolved");
    }
    let error = client
        .resolve_thread(&pull(1), &ThreadId::new("T"))
        .await
        .expect_err("gone");
    assert!(
        matches!(error, GitHubError::Undeliverable { .. }),
        "{error:?}"
    );
}
