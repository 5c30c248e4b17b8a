//! The log of requests: who asked for what, and how it was answered.

use crate::fixture::ForgeFixture;
use serde_json::{Value, json};

const COMMENTS: &str = "/api/v3/repos/demo/app/issues/1/comments";
const COMMENTS_ROUTE: &str = "/repos/{owner}/{repo}/issues/{issue_number}/comments";

async fn log_after(fixture: &ForgeFixture, seq: u64) -> Value {
    let path = format!("/_forge/log?after={seq}");
    fixture.call_granted("ana", "GET", &path, None).await
}

/// What a line of the log says, without numbers and times.
fn said(entry: &Value) -> Value {
    json!([
        entry["login"],
        entry["method"],
        entry["route"],
        entry["graphql"],
        entry["status"],
        entry["dropped"]
    ])
}

#[tokio::test]
async fn each_request_is_logged_with_who_asked_and_what_came_of_it() {
    let fixture = ForgeFixture::start(&[("a.txt", "one\n")], &[("a.txt", "two\n")]).await;
    let start = log_after(&fixture, 0).await["last_seq"]
        .as_u64()
        .expect("a number");
    let fault = json!({"route": "POST /repos/*/*/issues/*/comments", "kind": "drop_after"});
    let set = fixture.call("ana", "POST", "/_forge/faults", Some(fault));
    assert_eq!(set.await.status, 201);
    let lost = fixture
        .send("ben", "POST", COMMENTS, Some(json!({"body": "lost"})))
        .await;
    assert!(lost.is_err(), "the answer is dropped");
    let read = fixture.call("kim", "GET", COMMENTS, None).await;
    // A merge that is refused was tried all the same.
    let merge = "/api/v3/repos/demo/app/pulls/1/merge";
    let refused = fixture.call("kim", "PUT", merge, Some(json!({}))).await;
    let query = "{ viewer { login } }";
    let asked = fixture.graphql("ana", query, json!({})).await;
    let unknown = fixture.call("nobody-known", "GET", COMMENTS, None).await;
    assert_eq!((read.status, asked.status, unknown.status), (200, 200, 401));
    let log = log_after(&fixture, start).await;
    let entries = log["requests"].as_array().expect("a list");
    let found: Vec<Value> = entries.iter().map(said).collect();
    let expected = [
        json!(["ben", "POST", COMMENTS_ROUTE, [], null, true]),
        json!(["kim", "GET", COMMENTS_ROUTE, [], 200, false]),
        json!([
            "kim",
            "PUT",
            "/repos/{owner}/{repo}/pulls/{pull_number}/merge",
            [],
            refused.status,
            false
        ]),
        json!(["ana", "POST", "/graphql", ["query viewer"], 200, false]),
        json!([null, "GET", COMMENTS_ROUTE, [], 401, false]),
    ];
    assert_eq!(found, expected);
    assert_eq!(entries[0]["path"], "/repos/demo/app/issues/1/comments");
    assert_eq!(log["last_seq"], start + 5);
    assert_eq!(log["forgotten"], 0);
    let times = |entry: &Value| entry["answered_ms"].as_i64() >= entry["at_ms"].as_i64();
    assert!(entries.iter().all(times), "{entries:?}");
    let rest = log_after(&fixture, start + 3).await;
    let seqs = rest["requests"].as_array().expect("a list").iter();
    let seqs: Vec<&Value> = seqs.map(|entry| &entry["seq"]).collect();
    assert_eq!(seqs, [&json!(start + 4), &json!(start + 5)]);
}

#[tokio::test]
async fn a_push_is_logged_as_its_pushers() {
    let fixture = ForgeFixture::start(&[("a.txt", "one\n")], &[("a.txt", "two\n")]).await;
    fixture.push(&[("a.txt", "three\n")]).await;
    let log = log_after(&fixture, 0).await;
    let entries = log["requests"].as_array().expect("a list");
    let pushed = entries
        .iter()
        .find(|entry| entry["route"] == "/{owner}/{name}/git-receive-pack");
    let pushed = pushed.expect("the push is logged");
    assert_eq!(pushed["login"], "ana");
    assert_eq!(pushed["status"], 200);
}

#[tokio::test]
async fn every_head_is_listed_with_who_pushed_it() {
    let fixture = ForgeFixture::start(&[("a.txt", "one\n")], &[("a.txt", "two\n")]).await;
    let pushed = fixture.push(&[("a.txt", "three\n")]).await;
    let heads = "/_forge/repos/demo/app/pulls/1/heads";
    let heads = fixture.call_granted("ben", "GET", heads, None).await;
    let heads = heads.as_array().expect("a list");
    assert_eq!(heads.len(), 2, "{heads:?}");
    let last = &heads[1];
    assert_eq!(
        (&last["sha"], &last["by"], &last["forced"]),
        (&json!(pushed), &json!("ana"), &json!(false))
    );
    let none = "/_forge/repos/demo/app/pulls/2/heads";
    assert_eq!(fixture.call("ben", "GET", none, None).await.status, 404);
}
