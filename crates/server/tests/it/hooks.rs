//! The forge's webhooks, sent as GitHub sends them, drive the server: polls have no part in it.

use crate::fixture::*;
use collie_testkit::repository::{PullContent, PullFixture, RepositoryFixture};
use collie_testkit::wait::wait_until;
use serde_json::{Value, json};

/// Who owns the repository.
const OWNER: &str = "demo";

/// A server that starts the pull requests of its repository by itself, and polls every hour.
async fn server() -> TestServer {
    let mut settings = Settings::default();
    settings
        .config
        .push_str("[[repositories]]\nname = \"demo/app\"\nauto_pr_review_enabled = true\n");
    TestServer::start(&RepositoryFixture::unchanged(), settings).await
}

async fn make_hook(server: &TestServer) -> Value {
    let hook = json!({
        "name": "web",
        "events": ["*"],
        "config": {
            "url": format!("{}/webhooks/github", server.url),
            "content_type": "json",
            "secret": SECRET,
        },
    });
    let made = server.repo_call(OWNER, "POST", "/hooks", Some(hook)).await;
    assert_eq!(made["config"]["secret"], "********");
    made["id"].clone()
}

async fn deliveries(server: &TestServer, hook: &Value) -> Vec<Value> {
    let path = format!("/hooks/{hook}/deliveries?per_page=100");
    let all = server.repo_call(OWNER, "GET", &path, None).await;
    all.as_array().unwrap().clone()
}

async fn set_state(server: &TestServer, number: u64, state: &str) {
    let path = format!("/pulls/{number}");
    server
        .repo_call(OWNER, "PATCH", &path, Some(json!({"state": state})))
        .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pull_request_gets_from_opened_to_ready_by_deliveries_alone() {
    let mut server = server().await;
    let hook = make_hook(&server).await;
    wait_until("the ping", async || {
        let all = deliveries(&server, &hook).await;
        all.iter()
            .any(|one| one["event"] == "ping" && one["status_code"] == 202)
    })
    .await;
    let pull = PullFixture::new("change").with_file("app.js", PullContent::Clean.text());
    let number = server.open_pull(pull).await;
    server.wait_for_state(number, "pr_ready_to_merge").await;
    // The proof is posted once it is ready.
    let events = ["pull_request", "check_run", "check_suite", "issue_comment"];
    let all = wait_until("each kind of delivery", async || {
        let all = deliveries(&server, &hook).await;
        let has = |event: &&str| all.iter().any(|one| one["event"] == **event);
        events.iter().all(has).then_some(all)
    })
    .await;
    let refused: Vec<&Value> = all.iter().filter(|one| one["status_code"] != 202).collect();
    assert!(refused.is_empty(), "{refused:#?}");
    set_state(&server, number, "closed").await;
    server.wait_for_state(number, "closed").await;
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_delivery_that_found_nobody_is_sent_again_and_taken_once() {
    let mut server = server().await;
    server.start_loop(1).await;
    let hook = make_hook(&server).await;
    server.wait_for_state(1, "pr_ready_to_merge").await;
    server.stop().await;
    set_state(&server, 1, "closed").await;
    let lost = wait_until("the lost delivery", async || {
        let all = deliveries(&server, &hook).await;
        all.into_iter()
            .find(|one| one["action"] == "closed" && one["event"] == "pull_request")
    })
    .await;
    assert_eq!(lost["status_code"], 502, "{lost}");
    server.start_again().await;
    let moved = json!({"config": {"url": format!("{}/webhooks/github", server.url), "content_type": "json"}});
    server
        .repo_call(OWNER, "PATCH", &format!("/hooks/{hook}"), Some(moved))
        .await;
    let path = format!("/hooks/{hook}/deliveries/{}/attempts", lost["id"]);
    let mut outcomes = Vec::new();
    for times in 1..=2 {
        server
            .repo_call(OWNER, "POST", &path, Some(json!({})))
            .await;
        let again = wait_until("the redelivery", async || {
            let all = deliveries(&server, &hook).await;
            let mut own = all
                .into_iter()
                .filter(|one| one["guid"] == lost["guid"] && one["redelivery"] == true);
            own.nth(times - 1)
        });
        again.await;
    }
    for one in deliveries(&server, &hook).await {
        if one["redelivery"] == true {
            let path = format!("/hooks/{hook}/deliveries/{}", one["id"]);
            let whole = server.repo_call(OWNER, "GET", &path, None).await;
            let signature = &whole["request"]["headers"]["x-hub-signature-256"];
            assert!(
                signature.as_str().unwrap().starts_with("sha256="),
                "{whole}"
            );
            let said: Value =
                serde_json::from_str(whole["response"]["payload"].as_str().unwrap()).unwrap();
            outcomes.push(said["outcome"].as_str().unwrap().to_owned());
        }
    }
    outcomes.sort();
    assert_eq!(outcomes, ["repeated", "woken"]);
    server.wait_for_state(1, "closed").await;
    server.stop().await;
}
