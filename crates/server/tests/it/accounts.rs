//! Accounts of personas (§18.2): operators add tokens, and nobody reads one.

use crate::fixture::*;
use collie_testkit::forge::COLLIE;
use collie_testkit::repository::RepositoryFixture;
use reqwest::RequestBuilder;
use serde_json::{Value, json};

fn put(server: &TestServer, by: &str, login: &str, token: &str) -> RequestBuilder {
    let request = server.http.put(format!("{}/accounts/{login}", server.url));
    request
        .bearer_auth(format!("forge-{by}"))
        .json(&json!({"token": token}))
}

#[tokio::test(flavor = "multi_thread")]
async fn an_operator_adds_a_token_that_nobody_reads_back() {
    let mut server = TestServer::start(&RepositoryFixture::clean(), Settings::default()).await;
    let list = async |by: &str| server.send(server.get(by, "/accounts")).await;
    list(WRITER).await.check(403, "operator_only");
    server
        .send(put(&server, WRITER, "ben", "forge-ben"))
        .await
        .check(403, "operator_only");
    let anybody = server.http.get(format!("{}/accounts", server.url));
    assert_eq!(server.send(anybody).await.status, 401);
    // Not the account that merges, not another's, not a bad one.
    let main = put(&server, COLLIE, COLLIE, &format!("forge-{COLLIE}"));
    server.send(main).await.check(422, "account_is_main");
    server
        .send(put(&server, COLLIE, "ben", "forge-ana"))
        .await
        .check(422, "account_mismatch");
    server
        .send(put(&server, COLLIE, "ben", "forge-nobody"))
        .await
        .check(422, "account_unusable");
    assert_eq!(list(COLLIE).await.body, json!([]));
    let added = server.send(put(&server, COLLIE, "ben", "forge-ben")).await;
    assert_eq!(
        (added.status, &added.body["login"]),
        (200, &Value::from("ben"))
    );
    let told = list(COLLIE).await;
    assert_eq!(
        (told.status, &told.body[0]["login"]),
        (200, &Value::from("ben"))
    );
    assert_eq!(told.body[0]["usable"], true);
    let said = format!("{}{}", added.body, told.body);
    assert!(!said.contains("forge-"), "{said}");
    let delete = || {
        server
            .http
            .delete(format!("{}/accounts/ben", server.url))
            .bearer_auth(format!("forge-{COLLIE}"))
    };
    assert_eq!(server.send(delete()).await.status, 204);
    server.send(delete()).await.check(404, "account_unknown");
    server.stop().await;
}
