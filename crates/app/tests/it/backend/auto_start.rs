//! What the Auto-PR-Review toggle starts, and what it leaves alone.

use crate::backend::fixture::{BackendFixture, REPO, TestClient, clean_pull, find_entry, pull_key};
use collie_testkit::forge::COLLIE;
use collie_testkit::repository::PullContent;
use collie_wire::rpc::Command;
use serde_json::{Value, json};

fn set_auto_review(on: bool) -> Command {
    Command::SetAutoReview {
        repo: REPO.to_owned(),
        on,
        plan: None,
    }
}

/// Waits until the list has been read once more than now.
async fn wait_for_next_listing(client: &TestClient) -> Value {
    let now = client
        .wait_for_listing(REPO, "a list", |list| !list["read_at"].is_null())
        .await;
    client
        .run_command(Command::Refresh {
            repo: REPO.to_owned(),
        })
        .await;
    client
        .wait_for_listing(REPO, "a later list", |list| {
            list["read_at"] != now["read_at"]
        })
        .await
}

#[tokio::test(flavor = "multi_thread")]
async fn the_toggle_starts_what_the_filters_allow_and_says_why_it_leaves_the_others() {
    let fixture = BackendFixture::new(&[PullContent::Clean]).await;
    let kims = fixture.open_pull(clean_pull("kims").by("kim")).await;
    let draft = fixture.open_pull(clean_pull("draft").as_draft()).await;
    let ignored = fixture.open_pull(clean_pull("ignored")).await;
    let other = fixture.open_pull(clean_pull("other")).await;
    let based = fixture
        .open_pull(clean_pull("based").into_base("topic-1"))
        .await;
    for (number, labels) in [
        (1, json!(["fix"])),
        (kims, json!(["fix"])),
        (draft, json!(["fix"])),
        (ignored, json!(["fix", "collie:ignore"])),
        (based, json!(["fix"])),
    ] {
        let path = format!("/api/v3/repos/{REPO}/issues/{number}/labels");
        fixture
            .call(COLLIE, "POST", &path, Some(json!({"labels": labels})))
            .await;
    }
    let client = fixture
        .open_signed_in(&format!(
            "[[repositories]]\nname = \"{REPO}\"\nauthors = [\"ana\"]\nlabels = [\"fix\"]\nbase_branches = [\"main\"]\n"
        ))
        .await;
    let off = wait_for_next_listing(&client).await;
    for pull in off["pulls"].as_array().unwrap() {
        assert!(pull["skip_reason"].is_null(), "the toggle is off: {pull:#}");
    }
    assert_eq!(client.run_command(Command::Loops).await, json!([]));
    client.run_command(set_auto_review(true)).await;
    client.wait_for_state(1, "pr_ready_to_merge").await;
    let on = wait_for_next_listing(&client).await;
    let speech = client.backend.localizer();
    for (number, why) in [
        (kims, "author"),
        (draft, "draft"),
        (ignored, "ignored"),
        (other, "label"),
        (based, "base"),
    ] {
        let pull = find_entry(&on["pulls"], "key", &pull_key(number));
        assert_eq!(
            pull["skip_reason"],
            speech.plain(&format!("passed-by-{why}")),
            "{pull:#}"
        );
    }
    assert!(find_entry(&on["pulls"], "key", &pull_key(1))["skip_reason"].is_null());
    let loops = client.run_command(Command::Loops).await;
    assert_eq!(loops.as_array().unwrap().len(), 1, "{loops:#}");
    // One whose reason is gone is taken up.
    fixture
        .mutate(
            "ana",
            draft,
            "markPullRequestReadyForReview(input: {pullRequestId: $id})",
        )
        .await;
    client
        .run_command(Command::Refresh {
            repo: REPO.to_owned(),
        })
        .await;
    client.wait_for_state(draft, "pr_ready_to_merge").await;
    client.backend.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_toggle_switched_off_starts_nothing_new_and_running_loops_go_on() {
    let dir = tempfile::tempdir().unwrap();
    let gate = dir.path().join("open");
    let check = format!("while [ ! -e {} ]; do sleep 0.1; done", gate.display());
    let fixture = BackendFixture::with_check(&check, &[PullContent::Clean]).await;
    let client = fixture.open_signed_in("").await;
    client.run_command(set_auto_review(true)).await;
    let sidebar = client.run_command(Command::Repositories).await;
    assert_eq!(
        find_entry(&sidebar, "name", REPO)["auto_review"],
        true,
        "{sidebar:#}"
    );
    client.wait_for_state(1, "pr_awaiting_checks").await;
    client.run_command(set_auto_review(false)).await;
    let late = fixture.open_pull(clean_pull("late")).await;
    let list = wait_for_next_listing(&client).await;
    assert!(
        find_entry(&list["pulls"], "key", &pull_key(late)).is_object(),
        "{list:#}"
    );
    std::fs::write(&gate, "").unwrap();
    client.wait_for_state(1, "pr_ready_to_merge").await;
    wait_for_next_listing(&client).await;
    assert!(client.loop_view(&pull_key(late)).await.is_null());
    client.backend.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cancelled_loop_stays_so_and_a_stopped_one_begins_anew_after_a_push_by_somebody_else() {
    let fixture = BackendFixture::new(&[PullContent::Unfixable, PullContent::Clean]).await;
    let client = fixture.open_signed_in("").await;
    client.run_command(set_auto_review(true)).await;
    let stopped = client.wait_for_state(1, "needs_human").await;
    client.wait_for_state(2, "pr_ready_to_merge").await;
    client
        .run_command(Command::Cancel { key: pull_key(2) })
        .await;
    client.wait_for_state(2, "cancelled").await;
    fixture
        .push("topic-2", &[("more.js", "export {};\n")])
        .await;
    let list = wait_for_next_listing(&client).await;
    let list = if find_entry(&list["pulls"], "key", &pull_key(2))["skip_reason"].is_null() {
        wait_for_next_listing(&client).await
    } else {
        list
    };
    let speech = client.backend.localizer();
    let why = |number, code: &str| {
        let pull = find_entry(&list["pulls"], "key", &pull_key(number));
        assert_eq!(
            pull["skip_reason"],
            speech.plain(&format!("passed-by-{code}")),
            "{pull:#}"
        );
    };
    why(1, "nobody_pushed");
    why(2, "cancelled");
    assert_eq!(
        client.loop_view(&pull_key(1)).await["run_id"],
        stopped["run_id"]
    );
    fixture.push("topic-1", &[("app.js", "export {};\n")]).await;
    client
        .run_command(Command::Refresh {
            repo: REPO.to_owned(),
        })
        .await;
    let ready = client.wait_for_state(1, "pr_ready_to_merge").await;
    assert_ne!(ready["run_id"], stopped["run_id"]);
    assert_eq!(client.loop_view(&pull_key(2)).await["state"], "cancelled");
    client.backend.close().await;
}
