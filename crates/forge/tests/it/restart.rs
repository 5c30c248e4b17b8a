//! State that survives a stop, whether asked for or not.

use std::io::Write as _;
use std::path::Path;

use crate::playground::{Playground, REPO, git, until};
use collie_forge::{Forge, ForgeError};
use serde_json::{Value, json};
use tempfile::TempDir;

fn api(path: &str) -> String {
    format!("/api/v3/repos/{REPO}{path}")
}

async fn playground() -> Playground {
    Playground::start(&[("a.txt", "1\n2\n3\n")], &[("a.txt", "1\nzwei\n3\n")]).await
}

async fn serve(dir: TempDir) -> Playground {
    let forge = Forge::open(&dir.path().join("root")).expect("the forge opens");
    let address = "127.0.0.1:0".parse().expect("an address");
    Playground {
        running: forge.serve(address).await.expect("it listens"),
        client: reqwest::Client::new(),
        dir,
    }
}

async fn restart(p: Playground) -> Playground {
    p.running.shutdown().await;
    serve(p.dir).await
}

fn log(root: &Path) -> std::path::PathBuf {
    root.join("root/state").join(format!("{REPO}.jsonl"))
}

/// What clients see, without the port.
async fn seen(p: &Playground) -> Vec<Value> {
    let mut all = Vec::new();
    for path in [
        "",
        "/pulls/1",
        "/issues/1/comments",
        "/pulls/1/comments",
        "/pulls/1/reviews",
        "/issues?state=all",
    ] {
        let body = p.call("ana", "GET", &api(path), None).await.body;
        let text = body.to_string().replace(&p.running.git_url(), "");
        all.push(serde_json::from_str(&text).expect("it stays JSON"));
    }
    all
}

#[tokio::test(flavor = "multi_thread")]
async fn everything_is_there_after_a_restart() {
    let p = playground().await;
    p.call(
        "",
        "POST",
        "/_forge/accounts",
        Some(json!({"login": "zoe"})),
    )
    .await;
    let head = p.call("ana", "GET", &api("/pulls/1"), None).await.body["head"]["sha"].clone();
    let comment = json!({"body": "hello"});
    let first = p
        .call(
            "zoe",
            "POST",
            &api("/issues/1/comments"),
            Some(comment.clone()),
        )
        .await
        .body;
    let gone = p
        .call(
            "zoe",
            "POST",
            &api("/issues/1/comments"),
            Some(comment.clone()),
        )
        .await
        .body;
    p.call(
        "zoe",
        "DELETE",
        &api(&format!("/issues/comments/{}", gone["id"])),
        None,
    )
    .await;
    let inline = json!({"path": "a.txt", "line": 2, "body": "Hm", "commit_id": head});
    p.call("ben", "POST", &api("/pulls/1/comments"), Some(inline))
        .await;
    p.call(
        "kim",
        "POST",
        &api("/pulls/1/reviews"),
        Some(json!({"event": "APPROVE"})),
    )
    .await;
    p.call(
        "kim",
        "POST",
        &api("/issues/1/labels"),
        Some(json!({"labels": ["x"]})),
    )
    .await;
    let issue = json!({"title": "Slow", "labels": ["x"]});
    p.call("ben", "POST", &api("/issues"), Some(issue)).await;
    let close = json!({"state": "closed", "state_reason": "not_planned"});
    p.call("ben", "PATCH", &api("/issues/2"), Some(close)).await;
    let before = seen(&p).await;
    let p = restart(p).await;
    assert_eq!(seen(&p).await, before);
    let next = p
        .call("zoe", "POST", &api("/issues/1/comments"), Some(comment))
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
    let p = playground().await;
    let before = seen(&p).await;
    p.running.shutdown().await;
    let dir = p.dir;
    let mut file = std::fs::OpenOptions::new()
        .append(true)
        .open(log(dir.path()))
        .expect("it is there");
    file.write_all(b"{\"last_id\":99999,\"put\":[[\"pull\",1,{\"id\"")
        .expect("it is writable");
    let p = serve(dir).await;
    assert_eq!(seen(&p).await, before);
    let body = json!({"body": "still writable"});
    assert_eq!(
        p.call("ana", "POST", &api("/issues/1/comments"), Some(body))
            .await
            .status,
        201
    );
    let before = seen(&p).await;
    let p = restart(p).await;
    assert_eq!(seen(&p).await, before);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_damaged_log_is_told_with_its_place_and_left_alone() {
    let p = playground().await;
    p.running.shutdown().await;
    let path = log(p.dir.path());
    let damaged = format!(
        "{}nonsense\n",
        std::fs::read_to_string(&path).expect("it is there")
    );
    std::fs::write(&path, &damaged).expect("it is writable");
    let lines = damaged.lines().count();
    match Forge::open(&p.dir.path().join("root")) {
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
    let p = playground().await;
    p.running.shutdown().await;
    let bare = p.dir.path().join("root/git").join(format!("{REPO}.git"));
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
    let p = serve(p.dir).await;
    let pull = p.call("ana", "GET", &api("/pulls/1"), None).await.body;
    assert_eq!(pull["head"]["sha"], sha);
}

#[tokio::test(flavor = "multi_thread")]
async fn checks_that_a_stop_cut_off_run_again() {
    let dir = tempfile::tempdir().expect("the temporary folder is writable");
    let done = dir.path().join("done");
    let run = format!("test -e '{}' || sleep 60", done.display());
    let config = format!("[[check]]\nname = \"slow\"\nrun = {run:?}\n");
    let p = Playground::start(&[("a.txt", "a\n")], &[(".forge.toml", &config)]).await;
    let path = api("/commits/topic/check-runs");
    let wait_for = |p: &Playground, status: &'static str| {
        let url = format!("{}{path}", p.running.git_url());
        let client = p.client.clone();
        until("the check", move || {
            let request = client.get(&url).header("authorization", "Bearer forge-ana");
            async move {
                let body: Value = request.send().await.ok()?.json().await.ok()?;
                let run = body["check_runs"][0].clone();
                (run["status"] == status).then_some(run)
            }
        })
    };
    let cut_off = wait_for(&p, "in_progress").await;
    p.running.shutdown().await;
    std::fs::write(&done, "").expect("it is writable");
    let p = serve(p.dir).await;
    let ended = wait_for(&p, "completed").await;
    assert_eq!(
        (&ended["id"], &ended["conclusion"]),
        (&cut_off["id"], &json!("success"))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_process_finds_the_forge_that_has_the_root() {
    let p = playground().await;
    let root = p.dir.path().join("root");
    assert_eq!(collie_forge::served_at(&root), Some(p.running.git_url()));
    let body = json!({"repo": "more/code", "path": p.dir.path().join("source")});
    let imported = p.call("", "POST", "/_forge/import", Some(body)).await;
    assert_eq!(imported.status, 201);
    let body = json!({"repo": "more/code", "base": "main", "head": "topic", "title": "T", "author": "ana"});
    let opened = p.call("", "POST", "/_forge/pulls", Some(body)).await;
    assert_eq!((opened.status, &opened.body["number"]), (201, &json!(1)));
    p.running.shutdown().await;
    assert_eq!(collie_forge::served_at(&root), None);
}
