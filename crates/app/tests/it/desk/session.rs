//! How the engine and GitHub stand, as the window shows it.

use crate::desk::stage::{Change, ME, REPO, Stage, Table, assert_problem, key};
use collie_wire::rpc::Command;
use serde_json::{Value, json};
use std::collections::BTreeMap;

async fn until_connection(table: &Table, status: &str) -> Value {
    table
        .until_session(status, |session| session["connection"]["status"] == status)
        .await
}

/// A desk with a loop that rests and a list in sight.
async fn at_rest(stage: &Stage) -> Table {
    let table = stage.signed_in("").await;
    table.start(1).await;
    table.until_state(1, "pr_ready_to_merge").await;
    let read = |list: &Value| !list["read_at"].is_null();
    table.until_listing(REPO, "a list", read).await;
    assert_eq!(table.session().await["connection"]["status"], "ok");
    table
}

#[tokio::test(flavor = "multi_thread")]
async fn slots_and_the_quota_are_shown_and_more_slots_are_taken_at_once() {
    let stage = Stage::set(&[Change::Sound]).await;
    let table = stage.signed_in("slots = 3\n").await;
    table.start(1).await;
    table.until_state(1, "pr_ready_to_merge").await;
    let session = table.session().await;
    assert_eq!(
        session["engine"],
        json!({"slots": 3, "working": 0, "queued": 0, "process": null})
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
        table.run(Command::SaveSettings { changes }).await,
        json!([])
    );
    let session = table.session().await;
    assert_eq!(session["phase"], "running", "{session:#}");
    assert_eq!(session["engine"]["slots"], 1);
    assert_eq!(session["account"]["login"], ME);
    assert_eq!(table.shown(&key(1)).await["state"], "pr_ready_to_merge");
    table.desk.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_that_is_revoked_in_the_middle_is_named_until_it_is_good_again() {
    let stage = Stage::set(&[Change::Sound]).await;
    let table = at_rest(&stage).await;
    // Somebody else asks the forge: this one's token is no good any more.
    stage
        .call(
            "ana",
            "POST",
            "/_forge/tokens",
            json!({"login": ME, "revoked": true}),
        )
        .await;
    let session = until_connection(&table, "unauthorized").await;
    assert_problem(&session["problem"], "unauthorized");
    assert_eq!(session["phase"], "running");
    stage.token(ME, json!({"revoked": false})).await;
    let session = until_connection(&table, "ok").await;
    assert!(session["problem"].is_null(), "{session:#}");
    table.desk.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_without_scopes_is_named_with_what_it_lacks() {
    let stage = Stage::set(&[]).await;
    stage.token(ME, json!({"scopes": ["read:org"]})).await;
    let table = stage.signed_in("").await;
    let session = table
        .until_session("missing scopes", |session| !session["problem"].is_null())
        .await;
    assert_problem(&session["problem"], "scopes");
    assert_eq!(session["account"]["missing_scopes"], json!(["repo"]));
    table.desk.close().await;
}

async fn an_interruption_shows_as(fault: Value, status: &str) {
    let stage = Stage::set(&[Change::Sound]).await;
    let table = at_rest(&stage).await;
    stage.fault(fault).await;
    let session = until_connection(&table, status).await;
    assert_eq!(session["phase"], "running");
    stage.clear_faults().await;
    let session = until_connection(&table, "ok").await;
    assert!(session["connection"]["until"].is_null(), "{session:#}");
    table.desk.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_github_that_answers_502_shows_as_unreachable_until_it_is_back() {
    an_interruption_shows_as(json!({"kind": "status", "code": 502}), "unreachable").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_network_that_is_gone_shows_as_unreachable_until_it_is_back() {
    an_interruption_shows_as(json!({"kind": "drop_before"}), "unreachable").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_used_up_quota_shows_as_such_until_it_is_there_again() {
    an_interruption_shows_as(
        json!({"kind": "primary_rate_limit", "reset_in": 3}),
        "rate_limited",
    )
    .await;
}
