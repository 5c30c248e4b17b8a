//! Fine-grained tokens, and a server that is older than GitHub.

use crate::fixture::{ForgeFixture, REPO};
use serde_json::{Value, json};

const BASE: &[(&str, &str)] = &[("a.txt", "one\n")];
const HEAD: &[(&str, &str)] = &[("a.txt", "two\n")];

async fn set_permissions(fixture: &ForgeFixture, permissions: Value) {
    let token = json!({"login": "ana", "permissions": permissions});
    let answer = fixture.call("demo", "POST", "/_forge/tokens", Some(token));
    assert_eq!(answer.await.status, 204);
}

/// What a write of ana's comes to: the status, and the permission that is named.
async fn write(fixture: &ForgeFixture, path: &str, body: Value) -> (u16, String) {
    let path = format!("/api/v3/repos/{REPO}{path}");
    let answer = fixture.call("ana", "POST", &path, Some(body)).await;
    let named = answer.header("x-accepted-github-permissions");
    (answer.status, named.to_owned())
}

#[tokio::test(flavor = "multi_thread")]
async fn the_permission_counts_before_what_was_sent() {
    let fixture = ForgeFixture::start(BASE, HEAD).await;
    let refused = |names: &str| (403, names.to_owned());
    let invalid = (422, String::new());
    set_permissions(&fixture, json!(["contents"])).await;
    let pull = write(&fixture, "/pulls", json!({})).await;
    assert_eq!(pull, refused("pull_requests=write"));
    let comment = write(&fixture, "/issues/1/comments", json!({"body": "x"})).await;
    assert_eq!(comment, refused("issues=write; pull_requests=write"));
    assert_eq!(write(&fixture, "/git/refs", json!({})).await, invalid);
    set_permissions(&fixture, json!(["pull_requests"])).await;
    assert_eq!(write(&fixture, "/pulls", json!({})).await, invalid);
    let creation = write(&fixture, "/git/refs", json!({})).await;
    assert_eq!(creation, refused("contents=write"));
    let comment = write(&fixture, "/issues/1/comments", json!({"body": "x"})).await;
    assert_eq!(comment.0, 201);
    // Any other token may do what its account may.
    set_permissions(&fixture, Value::Null).await;
    assert_eq!(write(&fixture, "/git/refs", json!({})).await, invalid);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_ref_is_created_once_and_at_a_commit_that_is_there() {
    let fixture = ForgeFixture::start(BASE, HEAD).await;
    let path = format!("/api/v3/repos/{REPO}/git/ref/heads/main");
    let main = fixture.call("ana", "GET", &path, None).await.body;
    let sha = main["object"]["sha"].as_str().expect("a commit").to_owned();
    let create = async |name: &str, sha: &str| {
        let body = json!({"ref": name, "sha": sha});
        write(&fixture, "/git/refs", body).await.0
    };
    assert_eq!(create("refs/heads/new", &sha).await, 201);
    assert_eq!(create("refs/heads/new", &sha).await, 422);
    assert_eq!(create("new", &sha).await, 422);
    assert_eq!(create("refs/heads/other", &"0".repeat(40)).await, 422);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_document_with_a_field_that_the_server_lacks_is_not_run() {
    let fixture = ForgeFixture::start(BASE, HEAD).await;
    let schema = json!({"without": ["PullRequest.isInMergeQueue"], "version": "3.5.2"});
    let answer = fixture.call("demo", "PUT", "/_forge/schema", Some(schema));
    assert_eq!(answer.await.status, 204);
    let query = "query Q($owner: String!) {\n  repository(owner: $owner, name: \"x\") { pullRequest(number: 1) { ...F } }\n}\nfragment F on PullRequest {\n  queued: isInMergeQueue\n}";
    let answer = fixture.graphql("ana", query, json!({"owner": "o"})).await;
    assert_eq!(
        answer.header("x-github-enterprise-version"),
        "enterprise-server@3.5.2"
    );
    let expected = json!({"errors": [{
        "path": ["fragment F", "queued"],
        "extensions": {"code": "undefinedField", "typeName": "PullRequest", "fieldName": "isInMergeQueue"},
        "locations": [{"line": 5, "column": 3}],
        "message": "Field 'isInMergeQueue' doesn't exist on type 'PullRequest'",
    }]});
    assert_eq!(answer.body, expected);
}
