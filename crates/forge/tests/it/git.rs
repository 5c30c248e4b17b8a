//! Real `git` against the forge: clone, push, and what is refused.

use std::path::Path;
use std::process::{Command, Output};

use crate::playground::{Playground, REPO, commit, git};
use collie_forge::{Forge, ForgeError};
use serde_json::json;

const BASE: &[(&str, &str)] = &[("a.txt", "one\ntwo\nthree\n")];
const HEAD: &[(&str, &str)] = &[("a.txt", "one\nzwei\nthree\n")];

fn url(p: &Playground, login: Option<&str>) -> String {
    let base = p.running.git_url();
    let base = match login {
        Some(login) => base.replace("http://", &format!("http://x:forge-{login}@")),
        None => base,
    };
    format!("{base}/{REPO}.git")
}

fn attempt(dir: &Path, args: &[&str]) -> Output {
    Command::new("git")
        .current_dir(dir)
        .args(args)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_TERMINAL_PROMPT", "0")
        .output()
        .expect("git is installed")
}

fn denied(dir: &Path, args: &[&str], words: &str) {
    let output = attempt(dir, args);
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success(), "git {args:?} went through");
    assert!(told.contains(words), "git {args:?}: {told}");
}

async fn pull(p: &Playground) -> serde_json::Value {
    let path = format!("/api/v3/repos/{REPO}/pulls/1");
    p.call("ana", "GET", &path, None).await.body
}

#[tokio::test(flavor = "multi_thread")]
async fn anyone_clones_a_public_repository_and_only_roles_push() {
    let p = Playground::start(BASE, HEAD).await;
    let work = p.dir.path().join("clone");
    git(p.dir.path(), &["clone", "-q", &url(&p, None), "clone"]);
    git(&work, &["checkout", "-q", "topic"]);
    let sha = commit(&work, &[("b.txt", "new\n")], "Add b");
    denied(
        &work,
        &["push", &url(&p, Some("mallory")), "topic"],
        "denied to mallory",
    );
    denied(
        &work,
        &["push", &url(&p, Some("nobody")), "topic"],
        "Authentication failed",
    );
    assert_ne!(pull(&p).await["head"]["sha"], sha);
    git(&work, &["push", "-q", &url(&p, Some("kim")), "topic"]);
    let after = pull(&p).await;
    assert_eq!(after["head"]["sha"], sha);
    assert_eq!(
        (&after["commits"], &after["changed_files"]),
        (&json!(2), &json!(2))
    );
    let head = git(&work, &["ls-remote", &url(&p, None), "refs/pull/1/head"]);
    assert!(head.starts_with(&sha), "{head}");
    denied(
        &work,
        &["push", &url(&p, Some("kim")), "topic:refs/pull/1/head"],
        "hidden ref",
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_private_repository_is_cloned_by_roles_only() {
    let p = Playground::start(BASE, HEAD).await;
    let path = format!("/_forge/repos/{REPO}");
    p.call("ana", "PATCH", &path, Some(json!({"private": true})))
        .await;
    denied(
        p.dir.path(),
        &["clone", &url(&p, None), "x"],
        "terminal prompts disabled",
    );
    denied(
        p.dir.path(),
        &["clone", &url(&p, Some("mallory")), "x"],
        "not found",
    );
    git(
        p.dir.path(),
        &["clone", "-q", &url(&p, Some("ben")), "mine"],
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_large_push_arrives_whole_and_compressed() {
    let p = Playground::start(BASE, HEAD).await;
    let many: String = (0..400_000u64)
        .map(|n| format!("{}\n", n * 7919 % 1_000_003))
        .collect();
    let sha = p.push(&[("big.txt", &many)], "Add much");
    assert_eq!(pull(&p).await["head"]["sha"], sha);
    let copy = p.dir.path().join("copy");
    git(
        p.dir.path(),
        &["clone", "-q", "-b", "topic", &url(&p, None), "copy"],
    );
    assert_eq!(
        std::fs::read_to_string(copy.join("big.txt")).expect("it is there"),
        many
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn protected_branches_refuse_to_be_rewritten() {
    let p = Playground::start(BASE, HEAD).await;
    let path = format!("/_forge/repos/{REPO}");
    p.call(
        "ana",
        "PATCH",
        &path,
        Some(json!({"protection": {"main": {}, "release": {}}})),
    )
    .await;
    let work = p.dir.path().join("source");
    git(&work, &["checkout", "-q", "main"]);
    commit(&work, &[("c.txt", "c\n")], "Add c");
    let to = url(&p, Some("octo"));
    git(&work, &["push", "-q", &to, "main", "main:release"]);
    git(&work, &["commit", "-q", "--amend", "-m", "Rewrite"]);
    denied(
        &work,
        &["push", "--force", &to, "main"],
        "Protected branch update failed",
    );
    denied(
        &work,
        &["push", &to, ":release"],
        "Protected branch update failed",
    );
    git(&work, &["checkout", "-q", "topic"]);
    git(&work, &["commit", "-q", "--amend", "-m", "Rewritten"]);
    git(&work, &["push", "-q", "--force", &to, "topic"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_moved_base_shows_as_behind_and_a_conflict_as_dirty() {
    let p = Playground::start(BASE, HEAD).await;
    let work = p.dir.path().join("source");
    let rules = json!({"protection": {"main": {"strict": true}}});
    p.call(
        "ana",
        "PATCH",
        &format!("/_forge/repos/{REPO}"),
        Some(rules),
    )
    .await;
    git(&work, &["checkout", "-q", "main"]);
    commit(&work, &[("c.txt", "c\n")], "Add c");
    git(&work, &["push", "-q", &url(&p, Some("octo")), "main"]);
    assert_eq!(pull(&p).await["mergeable_state"], "behind");
    let update = format!("/api/v3/repos/{REPO}/pulls/1/update-branch");
    assert_eq!(p.call("ana", "PUT", &update, None).await.status, 202);
    assert_eq!(pull(&p).await["mergeable_state"], "clean");
    commit(
        &work,
        &[("a.txt", "one\ndeux\nthree\n")],
        "Say it in French",
    );
    git(&work, &["push", "-q", &url(&p, Some("octo")), "main"]);
    let dirty = pull(&p).await;
    assert_eq!(
        (&dirty["mergeable"], &dirty["mergeable_state"]),
        (&json!(false), &json!("dirty"))
    );
    let merge = format!("/api/v3/repos/{REPO}/pulls/1/merge");
    assert_eq!(
        p.call("octo", "PUT", &merge, Some(json!({}))).await.status,
        405
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn threads_follow_their_lines_and_end_as_outdated() {
    let p = Playground::start(BASE, HEAD).await;
    let head = pull(&p).await["head"]["sha"].clone();
    let comments = format!("/api/v3/repos/{REPO}/pulls/1/comments");
    let body = json!({"path": "a.txt", "line": 2, "body": "Hm", "commit_id": head});
    let made = p.call("ben", "POST", &comments, Some(body)).await;
    assert_eq!(made.status, 201, "{}", made.body);
    p.push(&[("a.txt", "zero\none\nzwei\nthree\n")], "Add a line above");
    let moved = p.call("ben", "GET", &comments, None).await.body;
    assert_eq!(
        (&moved[0]["line"], &moved[0]["original_line"]),
        (&json!(3), &json!(2))
    );
    p.push(&[("a.txt", "zero\none\nto\nthree\n")], "Change the line");
    let gone = p.call("ben", "GET", &comments, None).await.body;
    assert_eq!(gone[0]["line"], json!(null));
    assert_eq!(gone[0]["position"], json!(null));
    assert_eq!(gone[0]["commit_id"], head);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_push_that_brings_the_head_to_the_base_merges_the_pull_request() {
    let p = Playground::start(BASE, HEAD).await;
    let work = p.dir.path().join("source");
    git(&work, &["push", "-q", &url(&p, Some("octo")), "topic:main"]);
    let merged = pull(&p).await;
    assert_eq!(
        (&merged["merged"], &merged["merged_by"]["login"]),
        (&json!(true), &json!("octo"))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deleted_head_branch_closes_the_pull_request() {
    let p = Playground::start(BASE, HEAD).await;
    let work = p.dir.path().join("source");
    git(&work, &["push", "-q", &url(&p, Some("ana")), ":topic"]);
    let closed = pull(&p).await;
    assert_eq!(
        (&closed["state"], &closed["merged"]),
        (&json!("closed"), &json!(false))
    );
    let path = format!("/api/v3/repos/{REPO}/pulls/1");
    let again = p
        .call("ana", "PATCH", &path, Some(json!({"state": "open"})))
        .await;
    assert_eq!(again.status, 422);
}

#[tokio::test(flavor = "multi_thread")]
async fn pull_requests_open_between_bare_commits_and_odd_file_names() {
    let dir = tempfile::tempdir().expect("the temporary folder is writable");
    let source = dir.path().join("source");
    std::fs::create_dir(&source).expect("the folder is writable");
    git(&source, &["init", "-q", "-b", "trunk"]);
    let first = commit(
        &source,
        &[
            ("a", "a\n"),
            ("gone \"quoted\".txt", "something else\nentirely\n"),
        ],
        "One",
    );
    std::fs::remove_file(source.join("gone \"quoted\".txt")).expect("it is there");
    let odd = [
        ("line\nbreak.txt", "x\r\ny"),
        ("tab\tand é.txt", "1\n"),
        ("bin", "\0\u{1}\0"),
    ];
    let second = commit(&source, &odd, "Two");
    let forge = Forge::open(&dir.path().join("root")).expect("the forge opens");
    let name = "real/odd".parse().expect("the name is well formed");
    forge.import(&name, &source).await.expect("it is imported");
    let number = forge
        .open_pr(&name, &first, &second, "Odd", "", "ana")
        .await
        .expect("it opens");
    let running = forge
        .serve("127.0.0.1:0".parse().expect("an address"))
        .await
        .expect("it listens");
    let p = Playground {
        dir,
        running,
        client: reqwest::Client::new(),
    };
    let path = format!("/api/v3/repos/real/odd/pulls/{number}/files");
    let files = p.call("ana", "GET", &path, None).await.body;
    let seen: Vec<_> = files
        .as_array()
        .expect("a list")
        .iter()
        .map(|f| {
            (
                f["filename"].as_str().expect("a name"),
                f["status"].as_str().expect("a status"),
                f.get("patch").is_some(),
            )
        })
        .collect();
    assert_eq!(
        seen,
        [
            ("bin", "added", false),
            ("gone \"quoted\".txt", "removed", true),
            ("line\nbreak.txt", "added", true),
            ("tab\tand é.txt", "added", true),
        ]
    );
    let pull = p
        .call(
            "ana",
            "GET",
            &format!("/api/v3/repos/real/odd/pulls/{number}"),
            None,
        )
        .await
        .body;
    assert_eq!(pull["base"]["ref"], "pr-1-base");
    assert_eq!(pull["head"]["ref"], "pr-1-head");
}

#[tokio::test]
async fn what_cannot_be_imported_or_served_is_told() {
    let dir = tempfile::tempdir().expect("the temporary folder is writable");
    let forge = Forge::open(&dir.path().join("root")).expect("the forge opens");
    let name = "a/b".parse().expect("the name is well formed");
    let missing = forge.import(&name, &dir.path().join("nothing")).await;
    assert!(matches!(missing, Err(ForgeError::Io { .. })), "{missing:?}");
    let empty = dir.path().join("empty");
    std::fs::create_dir(&empty).expect("the folder is writable");
    let no_git = forge.import(&name, &empty).await;
    assert!(matches!(no_git, Err(ForgeError::Git { .. })), "{no_git:?}");
    let open = forge.serve("0.0.0.0:0".parse().expect("an address")).await;
    assert!(matches!(open, Err(ForgeError::NotLoopback(_))));
    let second = Forge::open(&dir.path().join("root"));
    assert!(matches!(second, Err(ForgeError::RootInUse(_))));
    assert!("no-slash".parse::<collie_forge::model::RepoName>().is_err());
    let nobody = forge.open_pr(&name, "a", "b", "T", "", "ana").await;
    assert!(
        matches!(nobody, Err(ForgeError::NoSuchRepo(_))),
        "{nobody:?}"
    );
}
