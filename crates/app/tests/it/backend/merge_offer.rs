//! What a merge is offered with, and that the backend itself never merges.

use crate::backend::fixture::{BackendFixture, REPO, TestClient, as_value, clean_pull, pull_key};
use collie_core::error_code::ErrorCode;
use collie_core::ids::Sha;
use collie_core::merge_method::MergeMethod;
use collie_testkit::forge::COLLIE;
use collie_testkit::repository::PullContent;
use collie_wire::rpc::Command;
use serde_json::{Value, json};

async fn merge_offer(client: &TestClient, number: u64) -> Value {
    client
        .run_command(Command::MergeOffer {
            key: pull_key(number),
        })
        .await
}

#[tokio::test(flavor = "multi_thread")]
async fn an_offer_names_the_head_the_methods_and_what_stands_in_the_way() {
    // A check that fails keeps a pull request from being merged at once when auto-merge is switched on.
    let fixture = BackendFixture::with_check(
        "false",
        &[PullContent::Clean, PullContent::Clean, PullContent::Clean],
    )
    .await;
    let draft = fixture.open_pull(clean_pull("draft").as_draft()).await;
    fixture
        .change_repository(json!({"allow_rebase_merge": false, "allow_auto_merge": true}))
        .await;
    let pull = |number: u64| format!("/api/v3/repos/{REPO}/pulls/{number}");
    fixture
        .call(COLLIE, "PATCH", &pull(2), Some(json!({"state": "closed"})))
        .await;
    let order = "enablePullRequestAutoMerge(input: {pullRequestId: $id})";
    // Its check has to have failed first.
    let client = fixture.open_signed_in("").await;
    client.start_loop(3).await;
    client.wait_for_state(3, "needs_human").await;
    fixture.mutate(COLLIE, 3, order).await;
    let fine = merge_offer(&client, 1).await;
    let head = fixture.repo_get("/pulls/1").await["head"]["sha"].clone();
    assert_eq!(
        [&fine["head_sha"], &fine["base_ref"], &fine["refusal"]],
        [&head, &json!("main"), &Value::Null],
        "{fine:#}"
    );
    let mut methods: Vec<_> = fine["methods"]
        .as_array()
        .unwrap()
        .iter()
        .map(Value::to_string)
        .collect();
    methods.sort();
    assert_eq!(methods, ["\"merge\"", "\"squash\""]);
    for (number, code) in [
        (2, "merge_closed"),
        (3, "merge_auto"),
        (draft, "merge_draft"),
    ] {
        let offered = merge_offer(&client, number).await;
        assert_eq!(offered["refusal"]["code"], code, "{offered:#}");
        let message = offered["refusal"]["message"].as_str().unwrap();
        assert!(!message.contains("problem-"), "{message}");
    }
    fixture
        .change_repository(json!({"merge_queue": {"main": true}}))
        .await;
    assert_eq!(
        merge_offer(&client, 1).await["refusal"]["code"],
        "merge_by_queue"
    );
    let missing = client
        .run_refused(Command::MergeOffer { key: pull_key(999) })
        .await;
    assert_eq!(missing.code, ErrorCode::NotFound, "{}", as_value(&missing));
    client.backend.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_backend_refuses_to_merge_even_what_is_ready() {
    let fixture = BackendFixture::new(&[PullContent::Clean]).await;
    let client = fixture.open_signed_in("").await;
    client.start_loop(1).await;
    let ready = client.wait_for_state(1, "pr_ready_to_merge").await;
    assert_eq!(ready["can_merge"], true);
    let error = client
        .run_refused(Command::Merge {
            key: pull_key(1),
            head_sha: Sha::parse(ready["head_sha"].as_str().unwrap()).unwrap(),
            method: MergeMethod::Merge,
        })
        .await;
    assert_eq!(error.code, ErrorCode::MergeElsewhere);
    assert!(!error.hints.is_empty());
    assert_eq!(fixture.repo_get("/pulls/1").await["merged"], false);
    client.backend.close().await;
}
