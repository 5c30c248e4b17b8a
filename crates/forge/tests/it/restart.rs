//! State that survives a stop, whether asked for or not.

use std::io::Write as _;
use std::path::Path;

use crate::fixture::{ForgeFixture, REPO, git, wait_until};
use collie_forge::{Forge, ForgeError};
use serde_json::{Value, json};

fn repo_path(path: &str) -> String {
    format!("/api/v3/repos/{REPO}{path}")
}

async fn start_fixture() -> ForgeFixture {
    ForgeFixture::start(&[("a.txt", "1\n2\n3\n")], &[("a.txt", "1\nzwei\n3\n")]).await
}

fn log_path(fixture: &ForgeFixture) -> std::path::PathBuf {
    fixture.root().join("state").join(format!("{REPO}.jsonl"))
}

/// What clients see, without the port.
async fn read_everything(fixture: &ForgeFixture) -> Vec<Value> {
    let mut all = Vec::new();
    for path in [
        "",
        "/pulls/1",
        "/issues/1/comments",
        "/pulls/1/comments",
        "/pulls/1/reviews",
        "/issues?state=all",
    ] {
        let body = fixture
            .call("ana", "GET", &repo_path(path), None)
            .await
            .body;
        let text = body.to_string().replace(&fixture.git_url(), "");
        all.push(serde_json::from_str(&text).expect("it stays JSON"));
    }
    all
}

#[tokio::test(flavor = "multi_thread")]
async fn everything_is_there_after_a_restart() {
    let mut fixture = start_fixture().await;
    fixture
        .call_granted(
            "",
            "POST",
            "/_forge/accounts",
            Some(json!({"login": "zoe"})),
        )
        .await;
    let head = fixture
        .call("ana", "GET", &repo_path("/pulls/1"), None)
        .await
        .body["head"]["sha"]
        .clone();
    let comment = json!({"body": "hello"});
    let first = fixture
        .call(
            "zoe",
            "POST",
            &repo_path("/issues/1/comments"),
            Some(comment.clone()),
        )
        .await
        .body;
    let gone = fixture
        .call(
            "zoe",
            "POST",
            &repo_path("/issues/1/comments"),
            Some(comment.clone()),
        )
        .await
        .body;
    fixture
        .call_granted(
            "zoe",
            "DELETE",
            &repo_path(&format!("/issues/comments/{}", gone["id"])),
            None,
        )
        .await;
    let inline = json!({"path": "a.txt", "line": 2, "body": "Hm", "commit_id": head});
    fixture
        .call_granted("ben", "POST", &repo_path("/pulls/1/comments"), Some(inline))
        .await;
    fixture
        .call_granted(
            "kim",
            "POST",
            &repo_path("/pulls/1/reviews"),
            Some(json!({"event": "APPROVE"})),
        )
        .await;
    fixture
        .call_granted(
            "kim",
            "POST",
            &repo_path("/issues/1/labels"),
            Some(json!({"labels": ["x"]})),
        )
        .await;
    let issue = json!({"title": "Slow", "labels": ["x"]});
    fixture
        .call_granted("ben", "POST", &repo_path("/issues"), Some(issue))
        .await;
    let close = json!({"state": "closed", "state_reason": "not_planned"});
    fixture
        .call_granted("ben", "PATCH", &repo_path("/issues/2"), Some(close))
        .await;
    let before = read_everything(&fixture).await;
    fixture.restart().await;
    assert_eq!(read_everything(&fixture).await, before);
    let next = fixture
        .call(
            "zoe",
            "POST",
            &repo_path("/issues/1/comments"),
            Some(comment),
        )
        .await
        .body;
    assert!(
        next["id"].as_u64() > gone["id"].as_u64(),
        "no id is given out twice"
    );
    assert!(first["id"].as_u64() < gone["id"].as_u64());
}

#[tokio::test(flavor = "multi_thread")]
async fn half_a_line_at_the_end_of_a_log_is_a_change_that_never_was() {
    let mut fixture = start_fixture().await;
    let before = read_everything(&fixture).await;
    fixture.stop().await;
    let mut file = std::fs::OpenOptions::new()
        .append(true)
        .open(log_path(&fixture))
        .expect("it is there");
    file.write_all(b"{\"last_id\":99999,\"put\":[[\"pull\",1,{\"id\"")
        .expect("it is writable");
    fixture.restart().await;
    assert_eq!(read_everything(&fixture).await, before);
    let body = json!({"body": "still writable"});
    assert_eq!(
        fixture
            .call("ana", "POST", &repo_path("/issues/1/comments"), Some(body))
            .await
            .status,
        201
    );
    let before = read_everything(&fixture).await;
    fixture.restart().await;
    assert_eq!(read_everything(&fixture).await, before);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_damaged_log_is_reported_with_its_place_and_left_alone() {
    let mut fixture = start_fixture().await;
    fixture.stop().await;
    let path = log_path(&fixture);
    let damaged = format!(
        "{}nonsense\n",
        std::fs::read_to_string(&path).expect("it is there")
    );
    std::fs::write(&path, &damaged).expect("it is writable");
    let lines = damaged.lines().count();
    match Forge::open(&fixture.root()) {
        Err(ForgeError::Corrupt { line, .. }) => assert_eq!(line, lines),
        other => panic!("{other:?}"),
    }
    assert_eq!(
        std::fs::read_to_string(&path).expect("it is there"),
        damaged
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_push_that_the_state_missed_is_found_at_the_start() {
    let mut fixture = start_fixture().await;
    fixture.stop().await;
    let bare = fixture.bare_repository();
    let tree = git(&bare, &["rev-parse", "topic^{tree}"]);
    let sha = git(
        &bare,
        &[
            "commit-tree",
            &tree,
            "-p",
            "topic",
            "-m",
            "Pushed just before the end",
        ],
    );
    git(&bare, &["update-ref", "refs/heads/topic", &sha]);
    fixture.restart().await;
    let pull = fixture
        .call("ana", "GET", &repo_path("/pulls/1"), None)
        .await
        .body;
    assert_eq!(pull["head"]["sha"], sha);
}

#[tokio::test(flavor = "multi_thread")]
async fn checks_that_a_stop_cut_off_run_again() {
    let dir = tempfile::tempdir().expect("the temporary folder is writable");
    let done = dir.path().join("done");
    let run = format!("test -e '{}' || sleep 60", done.display());
    let config = format!("[[check]]\nname = \"slow\"\nrun = {run:?}\n");
    let mut fixture = ForgeFixture::start(&[("a.txt", "a\n")], &[(".forge.toml", &config)]).await;
    let path = repo_path("/commits/topic/check-runs");
    let wait_for = async |fixture: &ForgeFixture, status: &str| {
        wait_until("the check", async || {
            let body = fixture.call("ana", "GET", &path, None).await.body;
            let run = body["check_runs"][0].clone();
            if run["status"] == status {
                Ok(run)
            } else {
                Err(run)
            }
        })
        .await
    };
    let cut_off = wait_for(&fixture, "in_progress").await;
    fixture.stop().await;
    std::fs::write(&done, "").expect("it is writable");
    fixture.restart().await;
    let ended = wait_for(&fixture, "completed").await;
    assert_eq!(
        (&ended["id"], &ended["conclusion"]),
        (&cut_off["id"], &json!("success"))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn reactions_assignees_and_events_are_there_after_a_restart() {
    let mut fixture = start_fixture().await;
    for (path, body) in [
        ("/issues/1/reactions", json!({"content": "heart"})),
        ("/issues/1/assignees", json!({"assignees": ["ana"]})),
        ("/issues/1/labels", json!(["x"])),
    ] {
        fixture
            .call_granted("ana", "POST", &repo_path(path), Some(body))
            .await;
    }
    let read = async |fixture: &ForgeFixture| {
        let mut all = Vec::new();
        for path in ["/issues/1", "/issues/1/reactions", "/issues/1/events"] {
            let answer = fixture.call("ana", "GET", &repo_path(path), None).await;
            all.push(answer.body.to_string().replace(&fixture.git_url(), ""));
        }
        all
    };
    let before = read(&fixture).await;
    for (at, word) in [
        (0, "assignee"),
        (1, "heart"),
        (2, "assigned"),
        (2, "labeled"),
    ] {
        assert!(before[at].contains(word), "{word}: {before:?}");
    }
    fixture.restart().await;
    assert_eq!(read(&fixture).await, before);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_an_app_runs_is_not_run_by_the_forge_after_a_restart() {
    let mut fixture = start_fixture().await;
    let head = fixture
        .call("ana", "GET", &repo_path("/pulls/1"), None)
        .await
        .body["head"]["sha"]
        .clone();
    let run = json!({"name": "Elsewhere", "head_sha": head, "status": "in_progress"});
    fixture
        .call_granted(
            "coderabbitai[bot]",
            "POST",
            &repo_path("/check-runs"),
            Some(run),
        )
        .await;
    let path = repo_path("/commits/topic/check-runs");
    let before = fixture.call("ana", "GET", &path, None).await.body["check_runs"][0].clone();
    assert_eq!(before["status"], "in_progress");
    fixture.restart().await;
    // What is taken up is taken up before the forge listens.
    let after = fixture.call("ana", "GET", &path, None).await.body["check_runs"][0].clone();
    assert_eq!(
        (&after["status"], &after["started_at"]),
        (&before["status"], &before["started_at"])
    );
}

/// Set in a child: it plays the second process, with this root.
const CHILD_ROOT_ENV: &str = "COLLIE_FORGE_TEST_ROOT";

/// What the second process does, which knows no more than the root: it finds the forge, imports and opens a pull request.
async fn open_pull_from_second_process(root: &Path) {
    let Some(address) = collie_forge::running_address(root) else {
        println!("\nno forge");
        return;
    };
    let client = reqwest::Client::new();
    let source = root.with_file_name("work").join(REPO);
    let imported = json!({"repo": "more/code", "path": source});
    let opened = json!({"repo": "more/code", "base": "main", "head": "topic", "title": "T", "author": "ana"});
    let mut said = vec![address.url.clone()];
    for (path, body) in [("import", imported), ("pulls", opened)] {
        let request = client.post(format!("{}/_forge/{path}", address.url));
        let request = request
            .header(collie_forge::SECRET_HEADER, &address.secret)
            .json(&body);
        let answer = request.send().await.expect("the forge answers");
        said.push(answer.status().as_u16().to_string());
    }
    println!("\n{}", said.join(" "));
}

/// Starts this very test in another process; what it says.
async fn second_process(root: &Path) -> String {
    let output = tokio::process::Command::new(std::env::current_exe().expect("a path"))
        .args([
            "--exact",
            "restart::a_second_process_finds_the_forge_that_has_the_root",
        ])
        .args(["--nocapture", "--test-threads", "1"])
        .env(CHILD_ROOT_ENV, root)
        .output()
        .await
        .expect("it runs");
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    let mut lines = text.lines();
    let said = lines.find(|line| line.starts_with("http") || *line == "no forge");
    said.expect("it says what it found").to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_process_finds_the_forge_that_has_the_root() {
    if let Some(root) = std::env::var_os(CHILD_ROOT_ENV) {
        return open_pull_from_second_process(Path::new(&root)).await;
    }
    let mut fixture = start_fixture().await;
    let root = fixture.root();
    let address = fixture.git_url();
    assert_eq!(second_process(&root).await, format!("{address} 201 201"));
    let mode = std::fs::metadata(root.join("address.json")).expect("it is there");
    let mode = std::os::unix::fs::PermissionsExt::mode(&mode.permissions());
    assert_eq!(mode & 0o077, 0, "others may read the secret");
    let opened = fixture.call("ana", "GET", "/api/v3/repos/more/code/pulls/1", None);
    assert_eq!(opened.await.body["number"], 1);
    fixture.stop().await;
    assert_eq!(second_process(&root).await, "no forge");
}
