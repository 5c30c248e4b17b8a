//! Real `git` against the forge: clone, push, and what is refused.

use std::path::Path;
use std::process::{Command, Output};

use crate::fixture::{ForgeFixture, REPO, commit_files, git};
use collie_forge::{Forge, ForgeError};
use serde_json::json;

const BASE: &[(&str, &str)] = &[("a.txt", "one\ntwo\nthree\n")];
const HEAD: &[(&str, &str)] = &[("a.txt", "one\nzwei\nthree\n")];

fn git_url(fixture: &ForgeFixture, login: Option<&str>) -> String {
    let base = fixture.git_url();
    let base = match login {
        Some(login) => base.replace("http://", &format!("http://x:forge-{login}@")),
        None => base,
    };
    format!("{base}/{REPO}.git")
}

fn run_git(dir: &Path, args: &[&str]) -> Output {
    Command::new("git")
        .current_dir(dir)
        .args(args)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_TERMINAL_PROMPT", "0")
        .output()
        .expect("git is installed")
}

fn assert_git_denied(dir: &Path, args: &[&str], expected_message: &str) {
    let output = run_git(dir, args);
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success(), "git {args:?} went through");
    assert!(told.contains(expected_message), "git {args:?}: {told}");
}

async fn read_pull(fixture: &ForgeFixture) -> serde_json::Value {
    let path = format!("/api/v3/repos/{REPO}/pulls/1");
    fixture.call("ana", "GET", &path, None).await.body
}

#[tokio::test(flavor = "multi_thread")]
async fn anyone_clones_a_public_repository_and_only_roles_push() {
    let fixture = ForgeFixture::start(BASE, HEAD).await;
    let work = fixture.dir.path().join("clone");
    git(
        fixture.dir.path(),
        &["clone", "-q", &git_url(&fixture, None), "clone"],
    );
    git(&work, &["checkout", "-q", "topic"]);
    let sha = commit_files(&work, &[("b.txt", "new\n")], "Add b");
    assert_git_denied(
        &work,
        &["push", &git_url(&fixture, Some("mallory")), "topic"],
        "denied to mallory",
    );
    assert_git_denied(
        &work,
        &["push", &git_url(&fixture, Some("nobody")), "topic"],
        "Authentication failed",
    );
    assert_ne!(read_pull(&fixture).await["head"]["sha"], sha);
    git(
        &work,
        &["push", "-q", &git_url(&fixture, Some("kim")), "topic"],
    );
    let after = read_pull(&fixture).await;
    assert_eq!(after["head"]["sha"], sha);
    assert_eq!(
        (&after["commits"], &after["changed_files"]),
        (&json!(2), &json!(2))
    );
    let head = git(
        &work,
        &["ls-remote", &git_url(&fixture, None), "refs/pull/1/head"],
    );
    assert!(head.starts_with(&sha), "{head}");
    assert_git_denied(
        &work,
        &[
            "push",
            &git_url(&fixture, Some("kim")),
            "topic:refs/pull/1/head",
        ],
        "hidden ref",
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_private_repository_is_cloned_by_roles_only() {
    let fixture = ForgeFixture::start(BASE, HEAD).await;
    let path = format!("/_forge/repos/{REPO}");
    fixture
        .call_granted("ana", "PATCH", &path, Some(json!({"private": true})))
        .await;
    assert_git_denied(
        fixture.dir.path(),
        &["clone", &git_url(&fixture, None), "x"],
        "terminal prompts disabled",
    );
    assert_git_denied(
        fixture.dir.path(),
        &["clone", &git_url(&fixture, Some("mallory")), "x"],
        "not found",
    );
    git(
        fixture.dir.path(),
        &["clone", "-q", &git_url(&fixture, Some("ben")), "mine"],
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_large_push_arrives_whole_and_compressed() {
    let fixture = ForgeFixture::start(BASE, HEAD).await;
    let many: String = (0..400_000u64)
        .map(|n| format!("{}\n", n * 7919 % 1_000_003))
        .collect();
    let sha = fixture.push(&[("big.txt", &many)]).await;
    assert_eq!(read_pull(&fixture).await["head"]["sha"], sha);
    let copy = fixture.dir.path().join("copy");
    git(
        fixture.dir.path(),
        &[
            "clone",
            "-q",
            "-b",
            "topic",
            &git_url(&fixture, None),
            "copy",
        ],
    );
    assert_eq!(
        std::fs::read_to_string(copy.join("big.txt")).expect("it is there"),
        many
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn protected_branches_refuse_to_be_rewritten() {
    let fixture = ForgeFixture::start(BASE, HEAD).await;
    let path = format!("/_forge/repos/{REPO}");
    fixture
        .call_granted(
            "ana",
            "PATCH",
            &path,
            Some(json!({"protection": {"main": {}, "release": {}}})),
        )
        .await;
    let work = fixture.working_copy(REPO);
    git(&work, &["checkout", "-q", "main"]);
    commit_files(&work, &[("c.txt", "c\n")], "Add c");
    let to = git_url(&fixture, Some("octo"));
    git(&work, &["push", "-q", &to, "main", "main:release"]);
    git(&work, &["commit", "-q", "--amend", "-m", "Rewrite"]);
    assert_git_denied(
        &work,
        &["push", "--force", &to, "main"],
        "Protected branch update failed",
    );
    assert_git_denied(
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
    let fixture = ForgeFixture::start(BASE, HEAD).await;
    let work = fixture.working_copy(REPO);
    let rules = json!({"protection": {"main": {"strict": true}}});
    fixture
        .call_granted(
            "ana",
            "PATCH",
            &format!("/_forge/repos/{REPO}"),
            Some(rules),
        )
        .await;
    git(&work, &["checkout", "-q", "main"]);
    commit_files(&work, &[("c.txt", "c\n")], "Add c");
    git(
        &work,
        &["push", "-q", &git_url(&fixture, Some("octo")), "main"],
    );
    assert_eq!(read_pull(&fixture).await["mergeable_state"], "behind");
    let update = format!("/api/v3/repos/{REPO}/pulls/1/update-branch");
    assert_eq!(fixture.call("ana", "PUT", &update, None).await.status, 202);
    assert_eq!(read_pull(&fixture).await["mergeable_state"], "clean");
    commit_files(
        &work,
        &[("a.txt", "one\ndeux\nthree\n")],
        "Say it in French",
    );
    git(
        &work,
        &["push", "-q", &git_url(&fixture, Some("octo")), "main"],
    );
    let dirty = read_pull(&fixture).await;
    assert_eq!(
        (&dirty["mergeable"], &dirty["mergeable_state"]),
        (&json!(false), &json!("dirty"))
    );
    let merge = format!("/api/v3/repos/{REPO}/pulls/1/merge");
    assert_eq!(
        fixture
            .call("octo", "PUT", &merge, Some(json!({})))
            .await
            .status,
        405
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn threads_follow_their_lines_and_end_as_outdated() {
    let fixture = ForgeFixture::start(BASE, HEAD).await;
    let head = read_pull(&fixture).await["head"]["sha"].clone();
    let comments = format!("/api/v3/repos/{REPO}/pulls/1/comments");
    let body = json!({"path": "a.txt", "line": 2, "body": "Hm", "commit_id": head});
    let made = fixture.call("ben", "POST", &comments, Some(body)).await;
    assert_eq!(made.status, 201, "{}", made.body);
    fixture.push(&[("a.txt", "zero\none\nzwei\nthree\n")]).await;
    let moved = fixture.call("ben", "GET", &comments, None).await.body;
    assert_eq!(
        (&moved[0]["line"], &moved[0]["original_line"]),
        (&json!(3), &json!(2))
    );
    fixture.push(&[("a.txt", "zero\none\nto\nthree\n")]).await;
    let gone = fixture.call("ben", "GET", &comments, None).await.body;
    assert_eq!(gone[0]["line"], json!(null));
    assert_eq!(gone[0]["position"], json!(null));
    assert_eq!(gone[0]["commit_id"], head);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_push_that_brings_the_head_to_the_base_merges_the_pull_request() {
    let fixture = ForgeFixture::start(BASE, HEAD).await;
    let work = fixture.working_copy(REPO);
    git(
        &work,
        &["push", "-q", &git_url(&fixture, Some("octo")), "topic:main"],
    );
    let merged = read_pull(&fixture).await;
    assert_eq!(
        (&merged["merged"], &merged["merged_by"]["login"]),
        (&json!(true), &json!("octo"))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deleted_head_branch_closes_the_pull_request() {
    let fixture = ForgeFixture::start(BASE, HEAD).await;
    let work = fixture.working_copy(REPO);
    git(
        &work,
        &["push", "-q", &git_url(&fixture, Some("ana")), ":topic"],
    );
    let closed = read_pull(&fixture).await;
    assert_eq!(
        (&closed["state"], &closed["merged"]),
        (&json!("closed"), &json!(false))
    );
    let path = format!("/api/v3/repos/{REPO}/pulls/1");
    let again = fixture
        .call("ana", "PATCH", &path, Some(json!({"state": "open"})))
        .await;
    assert_eq!(again.status, 422);
}

#[tokio::test(flavor = "multi_thread")]
async fn pull_requests_open_between_bare_commits_and_odd_file_names() {
    let fixture = ForgeFixture::start(BASE, HEAD).await;
    let source = fixture.working_copy("real/odd");
    std::fs::create_dir_all(&source).expect("the folder is writable");
    git(&source, &["init", "-q", "-b", "trunk"]);
    let first = commit_files(
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
    let second = commit_files(&source, &odd, "Two");
    fixture.import("real/odd", &source).await;
    let name = "real/odd".parse().expect("the name is well formed");
    let number = fixture
        .forge()
        .open_pr(&name, &first, &second, "Odd", "", "ana")
        .await
        .expect("it opens");
    let path = format!("/api/v3/repos/real/odd/pulls/{number}/files");
    let files = fixture.call("ana", "GET", &path, None).await.body;
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
    let pull = fixture
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
async fn what_cannot_be_imported_or_served_is_reported() {
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
