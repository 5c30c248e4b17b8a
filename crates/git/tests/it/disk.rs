//! What a pull request may write to the disk: bounded before it is checked out, and while its commands run (§9.5).

use crate::fixture::{GitFixture, git_in, list_files, write_files};
use collie_core::error_code::{ErrorCode, ErrorHint};
use collie_core::ids::Sha;
use collie_core::user_error::TextArg;
use collie_engine::ports::{DiskLimit, Git, GitError, WorktreePurpose};
use collie_git::{DiskLimits, DiskLimitsSource, GitOptions};
use std::io::Write;
use std::process::{Command, Stdio};

/// Runs git as the author on an input.
fn git_on(fixture: &GitFixture, args: &[&str], input: &[u8]) -> String {
    let mut child = Command::new("git")
        .args(args)
        .current_dir(fixture.path("author"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "git {args:?}");
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

/// A tree in which every name refers to the same object.
fn tree_of(fixture: &GitFixture, kind: &str, object: &str, names: usize) -> String {
    let mode = if kind == "tree" { "040000" } else { "100644" };
    let entries: String = (0..names)
        .map(|name| format!("{mode} {kind} {object}\tf{name:03}\n"))
        .collect();
    git_on(fixture, &["mktree"], entries.as_bytes())
}

/// Puts a commit of this tree on the head branch.
fn push_tree(fixture: &GitFixture, tree: &str) -> Sha {
    let commit = git_in(
        &fixture.path("author"),
        &["commit-tree", tree, "-p", "HEAD", "-m", "large"],
    );
    fixture.git_as_author(&[
        "push",
        "-q",
        "-f",
        "origin",
        &format!("{commit}:refs/heads/topic"),
    ]);
    Sha::parse(&commit).unwrap()
}

async fn refused(fixture: &GitFixture, head: &Sha) -> DiskLimit {
    match fixture.try_prepare(head, WorktreePurpose::Fix).await {
        Err(GitError::CheckoutTooLarge { limit }) => limit,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_checkout_that_is_too_large_is_refused_before_it_is_written() {
    let fixture = GitFixture::new(&[("a", "1\n")]);
    let head = fixture.commit_as_author(|tree| write_files(tree, &[("a", "2\n")]));
    fixture
        .try_prepare(&head, WorktreePurpose::Fix)
        .await
        .unwrap();
    let blob = git_on(
        &fixture,
        &["hash-object", "-w", "--stdin"],
        &vec![0; 100 << 20],
    );
    let large = push_tree(&fixture, &tree_of(&fixture, "blob", &blob, 30));
    let limits = DiskLimits::default();
    assert_eq!(
        refused(&fixture, &large).await,
        DiskLimit::CheckoutBytes(limits.checkout_bytes)
    );
    // The worktree of the head before is as it was.
    let worktree = fixture.path("data/worktrees");
    let files: Vec<_> = list_files(&worktree);
    assert!(
        files.iter().all(|file| !file.ends_with("f000")),
        "{files:?}"
    );
}

#[tokio::test]
async fn a_tree_that_refers_to_itself_ten_levels_deep_is_refused() {
    let fixture = GitFixture::new(&[("a", "1\n")]);
    let blob = git_on(&fixture, &["hash-object", "-w", "--stdin"], b"x");
    let mut tree = tree_of(&fixture, "blob", &blob, 10);
    for _ in 0..10 {
        tree = tree_of(&fixture, "tree", &tree, 10);
    }
    let bomb = push_tree(&fixture, &tree);
    let limits = DiskLimits::default();
    assert_eq!(
        refused(&fixture, &bomb).await,
        DiskLimit::CheckoutFiles(limits.checkout_files)
    );
}

#[tokio::test]
async fn the_limits_of_a_checkout_are_the_users_and_hold_from_the_next_one_on() {
    let limits = std::sync::Arc::new(std::sync::Mutex::new(DiskLimits {
        checkout_files: 2,
        ..DiskLimits::default()
    }));
    let read = limits.clone();
    let options = GitOptions {
        disk_limits: DiskLimitsSource::new(move || *read.lock().unwrap()),
        ..GitOptions::default()
    };
    let fixture = GitFixture::with_options(&[("a", "1\n")], options);
    let head = fixture.commit_as_author(|tree| write_files(tree, &[("b", "2\n"), ("c", "3\n")]));
    assert_eq!(refused(&fixture, &head).await, DiskLimit::CheckoutFiles(2));
    limits.lock().unwrap().checkout_files = 3;
    fixture
        .try_prepare(&head, WorktreePurpose::Fix)
        .await
        .unwrap();
}

#[tokio::test]
async fn a_merge_that_is_larger_than_its_head_is_refused_before_it_is_written() {
    let limits = DiskLimits {
        checkout_files: 3,
        ..DiskLimits::default()
    };
    let options = GitOptions {
        disk_limits: DiskLimitsSource::new(move || limits),
        ..GitOptions::default()
    };
    let fixture = GitFixture::with_options(&[("a", "1\n")], options);
    fixture.git_as_author(&["checkout", "-q", "main"]);
    let base = fixture.commit_as_author(|tree| write_files(tree, &[("b", "2\n"), ("c", "3\n")]));
    fixture.git_as_author(&["checkout", "-q", "topic"]);
    let head = fixture.commit_as_author(|tree| write_files(tree, &[("d", "4\n")]));
    let (worktrees, pull) = (&fixture.worktrees, &fixture.pull);
    let merged = worktrees.merge_base_in(pull, &fixture.remote, &head, &base);
    let Err(GitError::CheckoutTooLarge { limit }) = merged.await else {
        panic!("not refused")
    };
    assert_eq!(limit, DiskLimit::CheckoutFiles(3));
    let written = list_files(&fixture.path("data/worktrees"));
    let has = |name: &str| written.iter().any(|path| path.ends_with(name));
    assert!(has("/d") && !has("/b") && !has("/c"), "{written:?}");
}

fn with_sandbox_limit(bytes: u64) -> GitFixture {
    let limits = DiskLimits {
        sandbox_bytes: bytes,
        ..DiskLimits::default()
    };
    let options = GitOptions {
        disk_limits: DiskLimitsSource::new(move || limits),
        ..GitOptions::default()
    };
    let fixture = GitFixture::with_options(&[("a", "1\n")], options);
    fixture.commit_as_author(|tree| write_files(tree, &[("a", "2\n")]));
    fixture
}

#[tokio::test]
async fn a_verify_command_that_fills_the_disk_is_ended_and_the_limit_is_named() {
    let fill = "for i in $(seq 30); do head -c 1000000 /dev/zero > f$i || exit 1; done; sleep 3";
    for (megabytes, ended) in [(20, true), (200, false)] {
        let fixture = with_sandbox_limit(megabytes << 20);
        let worktree = fixture.prepare().await;
        write_files(worktree.path(), &[("a", "3\n")]);
        let vetted = fixture.vet_with(&worktree, &[fill]).await;
        match vetted {
            Err(GitError::SandboxStopped { error }) if ended => {
                assert_eq!(error.code, ErrorCode::SandboxDiskLimit);
                assert_eq!(error.args["mb"], TextArg::Number(megabytes));
                assert_eq!(error.hints, [ErrorHint::DiskLimits]);
            }
            Ok(Ok(Some(_))) if !ended => {}
            other => panic!("{megabytes} MB: {other:?}"),
        }
    }
}

#[tokio::test]
async fn a_cache_that_has_grown_too_large_is_emptied_before_the_next_command() {
    let fixture = with_sandbox_limit(20 << 20);
    let worktree = fixture.prepare().await;
    write_files(worktree.path(), &[("a", "3\n")]);
    let run = async |command: &str| fixture.vet_with(&worktree, &[command]).await.unwrap();
    let keep = |megabytes: u32| format!("head -c {megabytes}000000 /dev/zero > ~/.cache/kept");
    assert!(run(&keep(5)).await.is_ok());
    assert!(run("test -e ~/.cache/kept").await.is_ok());
    assert!(run(&keep(12)).await.is_ok());
    assert!(run("test ! -e ~/.cache/kept").await.is_ok());
}
