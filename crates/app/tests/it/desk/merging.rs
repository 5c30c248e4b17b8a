//! What a merge is offered with, and that the desk itself never merges.

use crate::desk::stage::{AUTHOR, Change, ME, REPO, Stage, Table, as_value, key};
use collie_core::ids::Sha;
use collie_core::merging::MergeMethod;
use collie_wire::rpc::Command;
use serde_json::{Value, json};

async fn offer(table: &Table, number: u64) -> Value {
    table.run(Command::MergeOffer { key: key(number) }).await
}

#[tokio::test(flavor = "multi_thread")]
async fn an_offer_names_the_head_the_methods_and_what_stands_in_the_way() {
    // A check that fails keeps a pull request from being merged at once when auto-merge is switched on.
    let stage = Stage::with_check("false", &[Change::Sound, Change::Sound, Change::Sound]).await;
    let draft = stage
        .open_as(AUTHOR, "draft", Change::Sound, json!({"draft": true}))
        .await;
    stage
        .settings(
            REPO,
            json!({"allow_rebase_merge": false, "allow_auto_merge": true}),
        )
        .await;
    let pull = |number: u64| format!("/api/v3/repos/{REPO}/pulls/{number}");
    stage
        .call(ME, "PATCH", &pull(2), json!({"state": "closed"}))
        .await;
    let order = "enablePullRequestAutoMerge(input: {pullRequestId: $id})";
    // Its check has to have failed first.
    let table = stage.signed_in("").await;
    table.start(3).await;
    table.until_state(3, "needs_human").await;
    stage.mutate(ME, 3, order).await;
    let fine = offer(&table, 1).await;
    let head = stage.get("/pulls/1").await["head"]["sha"].clone();
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
        let offered = offer(&table, number).await;
        assert_eq!(offered["refusal"]["code"], code, "{offered:#}");
        let message = offered["refusal"]["message"].as_str().unwrap();
        assert!(!message.contains("problem-"), "{message}");
    }
    stage
        .settings(REPO, json!({"merge_queue": {"main": true}}))
        .await;
    assert_eq!(offer(&table, 1).await["refusal"]["code"], "merge_by_queue");
    let missing = table.refused(Command::MergeOffer { key: key(999) }).await;
    assert_eq!(missing.code, "not_found", "{}", as_value(&missing));
    table.desk.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_desk_refuses_to_merge_even_what_is_ready() {
    let stage = Stage::set(&[Change::Sound]).await;
    let table = stage.signed_in("").await;
    table.start(1).await;
    let ready = table.until_state(1, "pr_ready_to_merge").await;
    assert_eq!(ready["can_merge"], true);
    let error = table
        .refused(Command::Merge {
            key: key(1),
            head_sha: Sha::parse(ready["head_sha"].as_str().unwrap()).unwrap(),
            method: MergeMethod::Merge,
        })
        .await;
    assert_eq!(error.code, "merge_elsewhere");
    assert!(!error.hints.is_empty());
    assert_eq!(stage.get("/pulls/1").await["merged"], false);
    table.desk.close().await;
}
