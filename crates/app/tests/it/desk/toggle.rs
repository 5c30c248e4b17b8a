//! What the Auto-PR-Review toggle starts, and what it leaves alone.

use crate::desk::stage::{Change, ME, REPO, Stage, Table, find, key};
use collie_wire::rpc::Command;
use serde_json::{Value, json};

fn toggle(on: bool) -> Command {
    Command::SetAutoReview {
        repo: REPO.to_owned(),
        on,
    }
}

/// Waits until the list has been read once more than now.
async fn read_again(table: &Table) -> Value {
    let now = table
        .until_listing(REPO, "a list", |list| !list["read_at"].is_null())
        .await;
    table
        .run(Command::Refresh {
            repo: REPO.to_owned(),
        })
        .await;
    table
        .until_listing(REPO, "a later list", |list| {
            list["read_at"] != now["read_at"]
        })
        .await
}

#[tokio::test(flavor = "multi_thread")]
async fn the_toggle_starts_what_the_filters_allow_and_says_why_it_leaves_the_others() {
    let stage = Stage::set(&[Change::Sound]).await;
    let kims = stage.open_as("kim", "kims", Change::Sound, json!({})).await;
    let draft = stage
        .open_as("ana", "draft", Change::Sound, json!({"draft": true}))
        .await;
    let ignored = stage.open("ignored", Change::Sound).await;
    let other = stage.open("other", Change::Sound).await;
    let based = stage
        .open_as("ana", "based", Change::Sound, json!({"base": "topic-1"}))
        .await;
    for (number, labels) in [
        (1, json!(["fix"])),
        (kims, json!(["fix"])),
        (draft, json!(["fix"])),
        (ignored, json!(["fix", "collie:ignore"])),
        (based, json!(["fix"])),
    ] {
        let path = format!("/api/v3/repos/{REPO}/issues/{number}/labels");
        stage
            .call(ME, "POST", &path, json!({"labels": labels}))
            .await;
    }
    let table = stage
        .signed_in(&format!(
            "[[repositories]]\nname = \"{REPO}\"\nauthors = [\"ana\"]\nlabels = [\"fix\"]\nbase_branches = [\"main\"]\n"
        ))
        .await;
    let off = read_again(&table).await;
    for pull in off["pulls"].as_array().unwrap() {
        assert!(pull["passed_by"].is_null(), "the toggle is off: {pull:#}");
    }
    assert_eq!(table.run(Command::Loops).await, json!([]));
    table.run(toggle(true)).await;
    table.until_state(1, "pr_ready_to_merge").await;
    let on = read_again(&table).await;
    let speech = table.desk.speech();
    for (number, why) in [
        (kims, "author"),
        (draft, "draft"),
        (ignored, "ignored"),
        (other, "label"),
        (based, "base"),
    ] {
        let pull = find(&on["pulls"], "key", &key(number));
        assert_eq!(
            pull["passed_by"],
            speech.plain(&format!("passed-by-{why}")),
            "{pull:#}"
        );
    }
    assert!(find(&on["pulls"], "key", &key(1))["passed_by"].is_null());
    let loops = table.run(Command::Loops).await;
    assert_eq!(loops.as_array().unwrap().len(), 1, "{loops:#}");
    // One whose reason is gone is taken up.
    stage
        .mutate(
            "ana",
            draft,
            "markPullRequestReadyForReview(input: {pullRequestId: $id})",
        )
        .await;
    table
        .run(Command::Refresh {
            repo: REPO.to_owned(),
        })
        .await;
    table.until_state(draft, "pr_ready_to_merge").await;
    table.desk.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_toggle_switched_off_starts_nothing_new_and_running_loops_go_on() {
    let dir = tempfile::tempdir().unwrap();
    let gate = dir.path().join("open");
    let check = format!("while [ ! -e {} ]; do sleep 0.1; done", gate.display());
    let stage = Stage::with_check(&check, &[Change::Sound]).await;
    let table = stage.signed_in("").await;
    table.run(toggle(true)).await;
    let sidebar = table.run(Command::Repositories).await;
    assert_eq!(
        find(&sidebar, "name", REPO)["auto_review"],
        true,
        "{sidebar:#}"
    );
    table.until_state(1, "pr_awaiting_checks").await;
    table.run(toggle(false)).await;
    let late = stage.open("late", Change::Sound).await;
    let list = read_again(&table).await;
    assert!(
        find(&list["pulls"], "key", &key(late)).is_object(),
        "{list:#}"
    );
    std::fs::write(&gate, "").unwrap();
    table.until_state(1, "pr_ready_to_merge").await;
    read_again(&table).await;
    assert!(table.shown(&key(late)).await.is_null());
    table.desk.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cancelled_loop_stays_so_and_a_stopped_one_begins_anew_after_a_push_by_somebody_else() {
    let stage = Stage::set(&[Change::Hopeless, Change::Sound]).await;
    let table = stage.signed_in("").await;
    table.run(toggle(true)).await;
    let stopped = table.until_state(1, "needs_human").await;
    table.until_state(2, "pr_ready_to_merge").await;
    table.run(Command::Cancel { key: key(2) }).await;
    table.until_state(2, "cancelled").await;
    stage.push(REPO, "topic-2", "topic-2", "more.js", "export {};\n");
    let list = read_again(&table).await;
    let list = if find(&list["pulls"], "key", &key(2))["passed_by"].is_null() {
        read_again(&table).await
    } else {
        list
    };
    let speech = table.desk.speech();
    let why = |number, code: &str| {
        let pull = find(&list["pulls"], "key", &key(number));
        assert_eq!(
            pull["passed_by"],
            speech.plain(&format!("passed-by-{code}")),
            "{pull:#}"
        );
    };
    why(1, "nobody_pushed");
    why(2, "cancelled");
    assert_eq!(table.shown(&key(1)).await["run_id"], stopped["run_id"]);
    stage.push(REPO, "topic-1", "topic-1", "app.js", "export {};\n");
    table
        .run(Command::Refresh {
            repo: REPO.to_owned(),
        })
        .await;
    let ready = table.until_state(1, "pr_ready_to_merge").await;
    assert_ne!(ready["run_id"], stopped["run_id"]);
    assert_eq!(table.shown(&key(2)).await["state"], "cancelled");
    table.desk.close().await;
}
