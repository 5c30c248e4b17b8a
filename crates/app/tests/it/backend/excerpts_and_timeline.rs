//! Code and history as they are shown.

use crate::backend::fixture::{BackendFixture, TestClient, pull_key};
use collie_core::error_code::ErrorCode;
use collie_testkit::repository::PullContent;
use collie_wire::rpc::Command;
use serde_json::{Value, json};
use std::collections::BTreeMap;

async fn excerpts(client: &TestClient, number: u64, fingerprint: &Value) -> Value {
    let fingerprint = fingerprint.as_str().unwrap().to_owned();
    client
        .run_command(Command::Excerpts {
            key: pull_key(number),
            fingerprint,
        })
        .await
}

fn line_kinds(lines: &Value, text: &str) -> Vec<String> {
    let with_text = |line: &&Value| line["text"].as_str().unwrap().contains(text);
    let lines = lines.as_array().unwrap().iter().filter(with_text);
    lines
        .map(|line| line["kind"].as_str().unwrap().to_owned())
        .collect()
}

fn marked_lines(lines: &Value) -> Vec<&str> {
    let lines = lines.as_array().unwrap().iter();
    lines
        .filter(|line| line["marked"] == true)
        .map(|line| line["text"].as_str().unwrap())
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_finding_is_shown_in_its_lines_with_what_fixed_it() {
    let fixture = BackendFixture::new(&[PullContent::Faulty, PullContent::Unfixable]).await;
    let client = fixture.open_signed_in("").await;
    client.start_loop(1).await;
    client.start_loop(2).await;
    let fixed = client.wait_for_state(1, "pr_ready_to_merge").await;
    let shown = excerpts(&client, 1, &fixed["findings"][0]["fingerprint"]).await;
    assert_eq!(
        marked_lines(&shown["finding"]),
        ["  debugger;"],
        "{shown:#}"
    );
    assert_eq!(line_kinds(&shown["finding"], "return sum"), ["added"]);
    assert_eq!(
        line_kinds(&shown["fix"], "debugger"),
        ["removed"],
        "{shown:#}"
    );
    assert_eq!(line_kinds(&shown["fix"], "return sum"), ["context"]);
    assert_eq!(marked_lines(&shown["fix"]), Vec::<&str>::new());
    assert_eq!(
        shown["fix_commit"], fixed["rounds"][0]["commit"],
        "{fixed:#}"
    );
    let open = client.wait_for_state(2, "needs_human").await;
    let shown = excerpts(&client, 2, &open["findings"][0]["fingerprint"]).await;
    assert_eq!(marked_lines(&shown["finding"]).len(), 1, "{shown:#}");
    assert!(marked_lines(&shown["finding"])[0].contains("glpat-"));
    assert_eq!(
        [&shown["fix"], &shown["fix_commit"]],
        [&json!([]), &Value::Null]
    );
    let ask = |number, fingerprint: &str| Command::Excerpts {
        key: pull_key(number),
        fingerprint: fingerprint.to_owned(),
    };
    assert_eq!(
        client.run_refused(ask(1, "none")).await.code,
        ErrorCode::NoFinding
    );
    assert_eq!(
        client.run_refused(ask(9, "none")).await.code,
        ErrorCode::NoLoop
    );
    client.backend.close().await;
}

fn assert_words(lines: &Value) {
    for line in lines.as_array().unwrap() {
        let notes = line["notes"].as_array().unwrap().iter();
        for text in notes.chain([&line["text"]]) {
            let text = text.as_str().unwrap();
            let missing = ["event-", "effect-", "note-", "No localization"];
            assert!(
                !text.is_empty() && missing.iter().all(|part| !text.contains(part)),
                "{text}"
            );
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_history_is_in_words_of_either_language() {
    let fixture = BackendFixture::new(&[PullContent::Faulty, PullContent::Unfixable]).await;
    let client = fixture.open_signed_in("").await;
    client.start_loop(1).await;
    client.start_loop(2).await;
    client.wait_for_state(1, "pr_ready_to_merge").await;
    client.wait_for_state(2, "needs_human").await;
    client
        .run_command(Command::Resume {
            key: pull_key(2),
            rounds: 0,
        })
        .await;
    client
        .run_command(Command::Cancel { key: pull_key(1) })
        .await;
    client.wait_for_state(1, "cancelled").await;
    client
        .run_command(Command::Retry { key: pull_key(1) })
        .await;
    client.wait_for_state(1, "pr_ready_to_merge").await;
    let ask = |number| Command::Timeline {
        key: pull_key(number),
    };
    let english = [
        client.run_command(ask(1)).await,
        client.run_command(ask(2)).await,
    ];
    let changes = BTreeMap::from([("language".to_owned(), json!("fr"))]);
    client.run_command(Command::SaveSettings { changes }).await;
    for (number, english) in [1, 2].into_iter().zip(english) {
        let french = client.run_command(ask(number)).await;
        for (line, autre) in english
            .as_array()
            .unwrap()
            .iter()
            .zip(french.as_array().unwrap())
        {
            assert_eq!(line["seq"], autre["seq"]);
            assert_ne!(line["text"], autre["text"], "{line:#}");
        }
        assert_words(&english);
        assert_words(&french);
        let first = &english[0];
        assert_eq!(
            [&first["event"], &first["from"], &first["to"]],
            ["created", "", "pr_created"]
                .map(|text| if text.is_empty() {
                    Value::Null
                } else {
                    json!(text)
                })
                .each_ref()
        );
        let ordered = english
            .as_array()
            .unwrap()
            .is_sorted_by_key(|line| line["seq"].as_u64());
        assert!(ordered, "oldest first");
    }
    client.backend.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_another_one_followed_keeps_its_proof() {
    let fixture = BackendFixture::new(&[PullContent::Faulty]).await;
    let client = fixture.open_signed_in("").await;
    client.start_loop(1).await;
    let first = client.wait_for_state(1, "pr_ready_to_merge").await;
    let ask = || Command::EarlierRuns { key: pull_key(1) };
    assert_eq!(client.run_command(ask()).await, json!([]));
    client
        .run_command(Command::Cancel { key: pull_key(1) })
        .await;
    client.wait_for_state(1, "cancelled").await;
    client
        .run_command(Command::Retry { key: pull_key(1) })
        .await;
    client.wait_for_state(1, "pr_ready_to_merge").await;
    let earlier = client.run_command(ask()).await;
    let [run] = &earlier.as_array().unwrap()[..] else {
        panic!("{earlier:#}")
    };
    assert_eq!(
        [&run["run_id"], &run["state"], &run["number"], &run["kept"]],
        [
            &first["run_id"],
            &json!("cancelled"),
            &json!(1),
            &json!(true)
        ]
    );
    assert_eq!(run["head_sha"], first["head_sha"]);
    assert_eq!(run["proof"], first["proof"], "as it was");
    assert!(
        run["proof"]["fixed"].as_array().unwrap().len() == 1,
        "{run:#}"
    );
    let none = client.run_refused(Command::EarlierRuns { key: pull_key(9) });
    assert_eq!(none.await.code, ErrorCode::NoLoop);
    client.backend.close().await;
}
