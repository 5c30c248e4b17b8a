//! The forge misbehaves as it is told to, and counts what it is asked.

use std::time::{Duration, Instant};

use crate::fixture::{ForgeFixture, string_of};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

const COMMENTS: &str = "/api/v3/repos/demo/app/issues/1/comments";

async fn start_fixture() -> ForgeFixture {
    ForgeFixture::start(&[("a.txt", "one\n")], &[("a.txt", "two\n")]).await
}

/// Sets faults, and expects them to be taken.
async fn inject_faults(fixture: &ForgeFixture, faults: Value) -> Value {
    let answer = fixture
        .call("ana", "POST", "/_forge/faults", Some(faults))
        .await;
    assert_eq!(answer.status, 201, "{:?}", answer.body);
    answer.body
}

async fn post_comment(
    fixture: &ForgeFixture,
    body: &str,
) -> Result<crate::fixture::HttpResponse, reqwest::Error> {
    fixture
        .send("ana", "POST", COMMENTS, Some(json!({"body": body})))
        .await
}

/// The texts of all comments on the conversation.
async fn list_comments(fixture: &ForgeFixture) -> Vec<String> {
    let answer = fixture.call("ana", "GET", COMMENTS, None).await;
    let list = answer
        .body
        .as_array()
        .expect("comments come as a list")
        .clone();
    list.iter()
        .map(|comment| string_of(&comment["body"]))
        .collect()
}

#[tokio::test]
async fn a_dropped_connection_leaves_the_write_undone_or_done() {
    let fixture = start_fixture().await;
    inject_faults(
        &fixture,
        json!([
            {"route": "POST /repos/*/*/issues/*/comments", "kind": "drop_before", "count": 1},
            {"route": "POST /repos/{owner}/{repo}/issues/{issue_number}/comments", "kind": "drop_after", "count": 1},
        ]),
    )
    .await;
    let error = post_comment(&fixture, "lost")
        .await
        .expect_err("the connection is dropped");
    assert!(error.status().is_none(), "{error}");
    assert_eq!(list_comments(&fixture).await, Vec::<String>::new());
    let error = post_comment(&fixture, "kept")
        .await
        .expect_err("the connection is dropped");
    assert!(error.status().is_none(), "{error}");
    assert_eq!(list_comments(&fixture).await, ["kept"]);
    assert_eq!(
        post_comment(&fixture, "fine")
            .await
            .expect("the faults are used up")
            .status,
        201
    );
    assert_eq!(list_comments(&fixture).await, ["kept", "fine"]);
}

#[tokio::test]
async fn a_fault_of_one_login_spares_the_others() {
    let fixture = start_fixture().await;
    let fault =
        json!({"route": "/repos/**", "login": "Ben", "kind": "status", "code": 502, "count": 1});
    inject_faults(&fixture, fault).await;
    let pull = "/api/v3/repos/demo/app/pulls/1";
    let status = async |login| fixture.call(login, "GET", pull, None).await.status;
    assert_eq!(status("ana").await, 200);
    assert_eq!(status("nobody-known").await, 401);
    assert_eq!(status("ben").await, 502);
    assert_eq!(status("ben").await, 200, "it was to strike once");
}

#[tokio::test]
async fn not_one_byte_comes_over_a_dropped_connection() {
    let fixture = start_fixture().await;
    inject_faults(&fixture, json!({"kind": "drop_after"})).await;
    let address = fixture.running().addr();
    let mut stream = tokio::net::TcpStream::connect(address)
        .await
        .expect("the forge listens");
    let request = format!(
        "GET /api/v3/repos/demo/app HTTP/1.1\r\nhost: {address}\r\nauthorization: Bearer forge-ana\r\n\r\n"
    );
    stream
        .write_all(request.as_bytes())
        .await
        .expect("the forge reads");
    let mut answer = Vec::new();
    let closed = tokio::time::timeout(Duration::from_secs(5), stream.read_to_end(&mut answer))
        .await
        .expect("the connection is closed in time");
    if let Err(error) = closed {
        assert_eq!(error.kind(), std::io::ErrorKind::ConnectionReset);
    }
    assert_eq!(String::from_utf8_lossy(&answer), "");
}

#[tokio::test(flavor = "multi_thread")]
async fn git_can_be_dropped_as_well() {
    let fixture = start_fixture().await;
    inject_faults(
        &fixture,
        json!({"route": "/**/git-upload-pack", "kind": "drop_before"}),
    )
    .await;
    let url = format!(
        "{}/demo/app.git",
        fixture.git_url().replace("://", "://ana:forge-ana@")
    );
    let target = fixture.dir.path().join("clone");
    let clone = || {
        let output = std::process::Command::new("git")
            .args(["clone", "-q", &url])
            .arg(&target)
            .output();
        output.expect("git is installed").status.success()
    };
    assert!(!tokio::task::block_in_place(clone));
    fixture
        .call_granted("ana", "DELETE", "/_forge/faults", None)
        .await;
    assert!(tokio::task::block_in_place(clone));
}

#[tokio::test]
async fn a_mutation_and_a_query_are_distinguished() {
    let fixture = start_fixture().await;
    let pull = fixture.pull_id().await;
    inject_faults(
        &fixture,
        json!([{"route": "mutation addComment", "kind": "drop_after", "count": 1}]),
    )
    .await;
    assert_eq!(fixture.pull_id().await, pull);
    let body = json!({
        "query": "mutation($id: ID!) { addComment(input: {subjectId: $id, body: \"kept\"}) { clientMutationId } }",
        "variables": {"id": pull},
    });
    let dropped = fixture
        .send("ana", "POST", "/api/graphql", Some(body))
        .await;
    assert!(dropped.is_err());
    assert_eq!(list_comments(&fixture).await, ["kept"]);
}

#[tokio::test]
async fn a_request_that_arrives_twice_is_carried_out_twice() {
    let fixture = start_fixture().await;
    let twice = json!({"route": "POST /repos", "kind": "twice", "count": 1});
    inject_faults(&fixture, twice).await;
    for body in ["again", "once"] {
        let answer = post_comment(&fixture, body).await;
        assert_eq!(answer.expect("there is an answer").status, 201);
    }
    assert_eq!(list_comments(&fixture).await, ["again", "again", "once"]);
}

#[tokio::test]
async fn answers_fail_late_slowly_or_after_the_write() {
    let fixture = start_fixture().await;
    inject_faults(
        &fixture,
        json!([
            {"route": "GET /repos/demo/app", "kind": "status", "code": 502, "after": 1, "count": 2},
            {"route": "POST /repos", "kind": "status", "code": 503, "after_write": true, "count": 1},
            {"route": "GET /repos/demo/app", "kind": "latency", "ms": 150, "count": 1},
        ]),
    )
    .await;
    let start = Instant::now();
    let mut statuses = Vec::new();
    for _ in 0..4 {
        statuses.push(
            fixture
                .call("ana", "GET", "/api/v3/repos/demo/app", None)
                .await
                .status,
        );
    }
    assert_eq!(statuses, [200, 502, 502, 200]);
    assert!(start.elapsed() >= Duration::from_millis(150));
    assert_eq!(
        post_comment(&fixture, "kept")
            .await
            .expect("there is an answer")
            .status,
        503
    );
    assert_eq!(list_comments(&fixture).await, ["kept"]);
    let faults = fixture
        .call("ana", "GET", "/_forge/faults", None)
        .await
        .body;
    // A plain path covers what is below it: the list of comments was the fifth.
    assert_eq!(
        (&faults[0]["seen"], &faults[0]["hit"]),
        (&json!(5), &json!(2)),
        "{faults:#}"
    );
    let refused = fixture
        .call(
            "ana",
            "POST",
            "/_forge/faults",
            Some(json!({"kind": "sulk"})),
        )
        .await;
    assert_eq!(refused.status, 422);
}

#[tokio::test]
async fn rate_limits_refuse_in_githubs_words() {
    let fixture = start_fixture().await;
    inject_faults(
        &fixture,
        json!([
            {"route": "/repos", "kind": "primary_rate_limit", "reset_in": 90, "count": 1},
            {"route": "/repos", "kind": "primary_rate_limit", "code": 429, "count": 1},
            {"route": "/repos", "kind": "secondary_rate_limit", "retry_after": 7, "count": 1},
            {"route": "query", "kind": "primary_rate_limit", "count": 1},
        ]),
    )
    .await;
    let path = "/api/v3/repos/demo/app";
    let first = fixture.call("ana", "GET", path, None).await;
    assert_eq!(
        (first.status, first.header("x-ratelimit-remaining")),
        (403, "0")
    );
    let reset: i64 = first
        .header("x-ratelimit-reset")
        .parse()
        .expect("the header is a number");
    let left = reset - jiff::Timestamp::now().as_second();
    assert!((85..=90).contains(&left), "{left}");
    assert_eq!(fixture.call("ana", "GET", path, None).await.status, 429);
    let secondary = fixture.call("ana", "GET", path, None).await;
    assert_eq!(
        (secondary.status, secondary.header("retry-after")),
        (403, "7")
    );
    assert!(string_of(&secondary.body["message"]).contains("secondary rate limit"));
    let query = fixture
        .graphql("ana", "{ viewer { login } }", json!({}))
        .await;
    assert_eq!(query.status, 200);
    assert_eq!(query.body["errors"][0]["type"], "RATE_LIMITED");
    assert_eq!(query.header("x-ratelimit-remaining"), "0");
}

#[tokio::test]
async fn a_used_up_limit_refuses_and_an_unchanged_answer_costs_nothing() {
    let fixture = start_fixture().await;
    let path = "/api/v3/repos/demo/app/pulls/1";
    let first = fixture.call("kim", "GET", path, None).await;
    assert_eq!(first.header("x-ratelimit-used"), "1");
    assert_eq!(first.header("x-ratelimit-resource"), "core");
    let unchanged = fixture
        .http()
        .get(format!("{}{path}", fixture.git_url()))
        .header("authorization", "Bearer forge-kim")
        .header("if-none-match", first.header("etag"))
        .send()
        .await
        .expect("the forge answers");
    assert_eq!(unchanged.status().as_u16(), 304);
    assert_eq!(unchanged.headers()["x-ratelimit-used"], "1");
    let limit = json!({"token": "forge-kim", "resource": "core", "remaining": 1, "reset_in": 60});
    assert_eq!(
        fixture
            .call("kim", "PUT", "/_forge/rate_limit", Some(limit))
            .await
            .status,
        204
    );
    assert_eq!(
        fixture
            .call("kim", "GET", path, None)
            .await
            .header("x-ratelimit-remaining"),
        "0"
    );
    assert_eq!(fixture.call("kim", "GET", path, None).await.status, 403);
    assert_eq!(fixture.call("ben", "GET", path, None).await.status, 200);
    let overview = fixture.call("kim", "GET", "/api/v3/rate_limit", None).await;
    assert_eq!(overview.status, 200);
    assert_eq!(overview.body["resources"]["core"]["remaining"], 0);
    assert_eq!(overview.body["resources"]["graphql"]["remaining"], 5000);
}

#[tokio::test]
async fn a_query_for_too_much_gets_an_apology_or_loses_what_was_too_much() {
    let fixture = start_fixture().await;
    let one = |alias: &str, number: u32| {
        format!(
            "{alias}: repository(owner: \"demo\", name: \"app\") {{ pullRequest(number: {number}) {{ title }} }}"
        )
    };
    let both =
        json!({"query": format!("{{ viewer {{ login }} {} {} }}", one("a", 1), one("b", 2))});
    let single = json!({"query": format!("{{ {} }}", one("a", 1))});
    let ask = async |body: &serde_json::Value| {
        fixture
            .call("ana", "POST", "/api/graphql", Some(body.clone()))
            .await
    };
    let clear = async || {
        let path = "/_forge/faults";
        fixture.call_granted("ana", "DELETE", path, None).await;
    };
    inject_faults(&fixture, json!({"kind": "heavy_query", "over": 1})).await;
    let gave_up = ask(&both).await;
    assert_eq!(gave_up.status, 502);
    assert_eq!(gave_up.body["data"], serde_json::Value::Null);
    assert_eq!(
        ask(&single).await.body["data"]["a"]["pullRequest"]["title"],
        "Change things"
    );
    clear().await;
    inject_faults(
        &fixture,
        json!({"kind": "heavy_query", "number": 1, "answer": "errors"}),
    )
    .await;
    let gave_up = ask(&single).await;
    assert_eq!(gave_up.status, 200);
    let words = string_of(&gave_up.body["errors"][0]["message"]);
    assert!(words.contains("a timeout"), "{words}");
    clear().await;
    inject_faults(
        &fixture,
        json!({"kind": "heavy_query", "over": 1, "answer": "resource_limits"}),
    )
    .await;
    let partial = ask(&both).await;
    assert_eq!(partial.status, 200);
    assert_eq!(
        partial.body["data"]["a"]["pullRequest"]["title"],
        "Change things"
    );
    assert_eq!(partial.body["data"]["b"], serde_json::Value::Null);
    let errors = partial.body["errors"].as_array().expect("errors").clone();
    let of_limits = |error: &&serde_json::Value| error["type"] == "RESOURCE_LIMITS_EXCEEDED";
    assert_eq!(
        errors.iter().find(of_limits).expect("named")["path"],
        json!(["b"])
    );
    // It was charged all the same.
    assert_eq!(partial.header("x-ratelimit-used"), "4");
}

#[tokio::test]
async fn requests_are_counted_by_route() {
    let fixture = start_fixture().await;
    fixture
        .call_granted("ana", "DELETE", "/_forge/requests", None)
        .await;
    for _ in 0..3 {
        let again = post_comment(&fixture, "again").await;
        assert_eq!(again.expect("the forge answers").status, 201);
    }
    fixture
        .call_granted("ana", "GET", "/api/v3/repos/demo/app/pulls/1", None)
        .await;
    let nothing = fixture.call("ana", "GET", "/api/v3/nothing/here", None);
    assert_eq!(nothing.await.status, 404);
    fixture.pull_id().await;
    let counts = fixture
        .call("ana", "GET", "/_forge/requests", None)
        .await
        .body;
    assert_eq!(
        counts,
        json!({
            "total": 6,
            "routes": {
                "GET /repos/{owner}/{repo}/pulls/{pull_number}": 1,
                "GET unmatched": 1,
                "POST /graphql": 1,
                "POST /repos/{owner}/{repo}/issues/{issue_number}/comments": 3,
            },
            "graphql": {"query repository": 1},
            "answers": {"200": 2, "201": 3, "404": 1},
            "refused": {},
            "charged": {"core": 5, "graphql": 1},
        })
    );
}

#[tokio::test]
async fn a_stale_answer_is_one_that_was_given_before() {
    let fixture = start_fixture().await;
    let stale = json!({"route": "GET /repos/*/*/issues/*/comments", "kind": "stale", "ago": 1, "after": 2, "count": 2});
    inject_faults(&fixture, stale).await;
    let post = async |text| {
        let posted = post_comment(&fixture, text).await;
        posted.expect("it is answered").body
    };
    post("one").await;
    assert_eq!(list_comments(&fixture).await, ["one"]);
    post("two").await;
    assert_eq!(list_comments(&fixture).await, ["one", "two"]);
    post("three").await;
    assert_eq!(list_comments(&fixture).await, ["one", "two"], "of before");
    assert_eq!(
        list_comments(&fixture).await,
        ["one", "two", "three"],
        "of before, which is by now as it is"
    );
    let writes = json!({"route": "/**", "kind": "stale", "ago": 9});
    inject_faults(&fixture, writes).await;
    let posted = post("four").await;
    assert_eq!(posted["body"], "four", "a write is never answered so");
}
