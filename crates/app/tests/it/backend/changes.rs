//! What Collie pushed or would push, as it is shown.

use crate::backend::fixture::{BackendFixture, REPO, TestClient, pull_key};
use collie_core::error_code::ErrorCode;
use collie_core::ids::Sha;
use collie_testkit::repository::{PullContent, RepositoryFixture};
use collie_wire::rpc::Command;
use serde_json::{Value, json};
use std::fs;

fn changes_of(number: u64) -> Command {
    Command::Changes {
        key: pull_key(number),
    }
}

fn diff_of(number: u64, sha: &str) -> Command {
    Command::CommitDiff {
        key: pull_key(number),
        sha: Sha::parse(sha).unwrap(),
    }
}

async fn diff(client: &TestClient, number: u64, commit: &Value) -> Value {
    let sha = commit["sha"].as_str().unwrap();
    client.run_command(diff_of(number, sha)).await
}

fn totals(view: &Value) -> [&Value; 4] {
    ["files", "added", "removed", "incomplete"].map(|field| &view[field])
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_pushed_is_told_by_round_with_the_finding_beside_its_hunk() {
    let fixture = BackendFixture::new(&[PullContent::Faulty, PullContent::Clean]).await;
    let client = fixture.open_signed_in("").await;
    client.start_loop(1).await;
    client.start_loop(2).await;
    let ready = client.wait_for_state(1, "pr_ready_to_merge").await;
    let view = client.run_command(changes_of(1)).await;
    assert_eq!(
        totals(&view),
        [&json!(1), &json!(0), &json!(1), &json!(false)],
        "{view:#}"
    );
    let rounds = view["rounds"].as_array().unwrap();
    assert_eq!(
        (rounds.len(), &rounds[0]["round"]),
        (1, &json!(1)),
        "{view:#}"
    );
    let commit = &rounds[0]["commits"][0];
    assert_eq!(commit["sha"], ready["rounds"][0]["commit"]);
    assert_eq!(
        [&commit["standing"], &commit["missing"]],
        [&json!("pushed"), &Value::Null]
    );
    assert!(
        commit["subject"].as_str().unwrap().starts_with("fix: "),
        "{commit:#}"
    );
    assert_eq!(commit["findings"], 1);
    assert_eq!(commit["files"][0]["path"], "app.js");

    let shown = diff(&client, 1, commit).await;
    let hunk = &shown["files"][0]["hunks"][0];
    let lines = hunk["lines"].as_array().unwrap();
    assert!(lines.contains(&json!("-  debugger;")), "{shown:#}");
    assert!(lines.contains(&json!("   return sum;")), "{shown:#}");
    assert_eq!(hunk["answers"], json!([{ "finding": 0, "exact": true }]));
    let finding = &shown["findings"][0];
    assert_eq!(finding["fingerprint"], ready["findings"][0]["fingerprint"]);
    assert_eq!(
        [&finding["line"], &shown["elsewhere"]],
        [&json!(3), &json!([])]
    );

    // Nothing was to be changed in the other.
    client.wait_for_state(2, "pr_ready_to_merge").await;
    let nothing = client.run_command(changes_of(2)).await;
    assert_eq!(nothing["rounds"], json!([]));
    // A commit of somebody else's is not Collie's to show.
    let others = fixture.pull_head(2);
    let refused = client.run_refused(diff_of(2, &others)).await;
    assert_eq!(refused.code, ErrorCode::NoOwnCommit);
    assert!(refused.message.contains(&others[..7]), "{refused:?}");
    assert_eq!(
        client.run_refused(changes_of(9)).await.code,
        ErrorCode::NoLoop
    );
    client.backend.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_clone_no_longer_has_is_asked_of_github_and_said_where_it_does_not_answer() {
    let fixture = BackendFixture::new(&[PullContent::Faulty]).await;
    let client = fixture.open_signed_in("").await;
    client.start_loop(1).await;
    client.wait_for_state(1, "pr_ready_to_merge").await;
    let before = client.run_command(changes_of(1)).await;
    let commit = before["rounds"][0]["commits"][0].clone();
    let shown = diff(&client, 1, &commit).await;
    client.backend.close().await;

    let clones = fixture.data_folder().join("git/clones");
    fs::remove_dir_all(&clones).unwrap();
    let client = fixture.open_signed_in("").await;
    client.wait_for_state(1, "pr_ready_to_merge").await;
    let fetched = client.run_command(changes_of(1)).await;
    assert_eq!(totals(&fetched), totals(&before), "{fetched:#}");
    assert_eq!(fetched["rounds"][0]["commits"][0]["subject"], Value::Null);
    assert_eq!(diff(&client, 1, &commit).await, shown);
    client.backend.close().await;

    let _ = fs::remove_dir_all(&clones);
    let bare = fixture.bare_repository();
    let moved = bare.with_extension("moved");
    fs::rename(&bare, &moved).unwrap();
    let client = fixture.open_signed_in("").await;
    let there = |loops: &Value| loops[0]["key"] == pull_key(1);
    client.wait_until("the loop", Command::Loops, there).await;
    let unread = client.run_command(changes_of(1)).await;
    let missing = &unread["rounds"][0]["commits"][0]["missing"];
    assert_eq!(missing, "unreachable", "{unread:#}");
    assert_eq!(unread["incomplete"], true);
    let empty = diff(&client, 1, &commit).await;
    assert_eq!(
        [&empty["missing"], &empty["files"]],
        [&json!("unreachable"), &json!([])]
    );
    // Only who looks at the commit asks once more.
    fs::rename(&moved, &bare).unwrap();
    assert_eq!(client.run_command(changes_of(1)).await, unread);
    assert_eq!(diff(&client, 1, &commit).await, shown);
    let read = client.run_command(changes_of(1)).await;
    assert_eq!(totals(&read), totals(&before));
    client.backend.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_would_be_pushed_is_shown_before_it_is() {
    let repository = RepositoryFixture::new(REPO)
        .with_check("true")
        .with_base_file(".collie.toml", "[verify]\ncommands = [\"true\"]\n")
        .with_topics(&[PullContent::Faulty]);
    let fixture = BackendFixture::on(&repository).await;
    let client = fixture.open_signed_in("").await;
    client.start_loop(1).await;
    let waits = |loops: &Value| loops[0]["blocker"]["code"] == "verify_untrusted";
    client
        .wait_until("a fix that waits", Command::Loops, waits)
        .await;
    let view = client.run_command(changes_of(1)).await;
    let commit = &view["rounds"][0]["commits"][0];
    assert_eq!(
        [&commit["standing"], &commit["findings"]],
        [&json!("pending"), &json!(1)],
        "{view:#}"
    );
    let shown = diff(&client, 1, commit).await;
    let hunk = &shown["files"][0]["hunks"][0];
    assert_eq!(
        hunk["answers"],
        json!([{ "finding": 0, "exact": true }]),
        "{shown:#}"
    );
    client.backend.close().await;
}
