//! How the engine and GitHub stand, as the window shows it.

use crate::backend::fixture::{BackendFixture, REPO, TestClient, assert_problem, pull_key};
use collie_testkit::forge::COLLIE;
use collie_testkit::repository::PullContent;
use collie_wire::rpc::Command;
use serde_json::{Value, json};
use std::collections::BTreeMap;

async fn wait_for_connection(client: &TestClient, status: &str) -> Value {
    client
        .wait_for_session(status, |session| session["connection"]["status"] == status)
        .await
}

/// A backend with a loop that rests and a list in sight.
async fn client_at_rest(fixture: &BackendFixture) -> TestClient {
    let client = fixture.open_signed_in("").await;
    client.start_loop(1).await;
    client.wait_for_state(1, "pr_ready_to_merge").await;
    let read = |list: &Value| !list["read_at"].is_null();
    client.wait_for_listing(REPO, "a list", read).await;
    assert_eq!(client.session().await["connection"]["status"], "ok");
    client
}

#[tokio::test(flavor = "multi_thread")]
async fn slots_and_the_quota_are_shown_and_more_slots_are_taken_at_once() {
    let fixture = BackendFixture::new(&[PullContent::Clean]).await;
    let client = fixture.open_signed_in("slots = 3\n").await;
    client.start_loop(1).await;
    client.wait_for_state(1, "pr_ready_to_merge").await;
    let session = client.session().await;
    assert_eq!(
        session["engine"],
        json!({"slots": 3, "working": 0, "queued": 0, "process": null, "elsewhere": false})
    );
    let quota = &session["quota"];
    assert!(
        quota["left"].as_u64().unwrap() < quota["limit"].as_u64().unwrap(),
        "{quota:#}"
    );
    assert!(quota["resets_at"].is_string());
    // The engine starts anew for it, with the token that was typed in.
    let changes = BTreeMap::from([("slots".to_owned(), json!(1))]);
    assert_eq!(
        client.run_command(Command::SaveSettings { changes }).await,
        json!([])
    );
    let session = client.session().await;
    assert_eq!(session["phase"], "running", "{session:#}");
    assert_eq!(session["engine"]["slots"], 1);
    assert_eq!(session["account"]["login"], COLLIE);
    assert_eq!(
        client.loop_view(&pull_key(1)).await["state"],
        "pr_ready_to_merge"
    );
    client.backend.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_that_is_revoked_in_the_middle_is_named_until_it_is_good_again() {
    let fixture = BackendFixture::new(&[PullContent::Clean]).await;
    let client = client_at_rest(&fixture).await;
    // Somebody else asks the forge: this one's token is no good any more.
    fixture
        .call(
            "ana",
            "POST",
            "/_forge/tokens",
            Some(json!({"login": COLLIE, "revoked": true})),
        )
        .await;
    let session = wait_for_connection(&client, "unauthorized").await;
    assert_problem(&session["problem"], "unauthorized");
    assert_eq!(session["phase"], "running");
    fixture
        .set_token_state(COLLIE, json!({"revoked": false}))
        .await;
    let session = wait_for_connection(&client, "ok").await;
    assert!(session["problem"].is_null(), "{session:#}");
    client.backend.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_without_scopes_is_named_with_what_it_lacks() {
    let fixture = BackendFixture::new(&[]).await;
    fixture
        .set_token_state(COLLIE, json!({"scopes": ["read:org"]}))
        .await;
    let client = fixture.open_signed_in("").await;
    let session = client
        .wait_for_session("missing scopes", |session| !session["problem"].is_null())
        .await;
    assert_problem(&session["problem"], "scopes");
    assert_eq!(session["account"]["missing_scopes"], json!(["repo"]));
    client.backend.close().await;
}

async fn check_interruption(fault: Value, status: &str) {
    let fixture = BackendFixture::new(&[PullContent::Clean]).await;
    let client = client_at_rest(&fixture).await;
    fixture.set_faults(fault).await;
    let session = wait_for_connection(&client, status).await;
    assert_eq!(session["phase"], "running");
    fixture.clear_faults().await;
    let session = wait_for_connection(&client, "ok").await;
    assert!(session["connection"]["until"].is_null(), "{session:#}");
    client.backend.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_github_that_answers_502_shows_as_unreachable_until_it_is_back() {
    check_interruption(json!({"kind": "status", "code": 502}), "unreachable").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_network_that_is_gone_shows_as_unreachable_until_it_is_back() {
    check_interruption(json!({"kind": "drop_before"}), "unreachable").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_used_up_quota_shows_as_such_until_it_is_there_again() {
    check_interruption(
        json!({"kind": "primary_rate_limit", "reset_in": 3}),
        "rate_limited",
    )
    .await;
}
