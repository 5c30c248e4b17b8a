//! Objects are read by one process a clone, which may end, hang or talk nonsense at any moment.

use crate::fixture::{GitFixture, write_files};
use crate::recorder::Recorder;
use collie_engine::ports::{CleanWorktree, Git, GitError};
use collie_git::GitOptions;
use collie_testkit::wait::wait_until;
use std::time::Duration;

const NAMES: [&str; 4] = ["a", "d/b", "d/e/c", "f"];

/// A change of four files, prepared.
async fn changed_files(options: GitOptions) -> (GitFixture, CleanWorktree) {
    let files = NAMES.map(|name| (name, "1\n"));
    let fixture = GitFixture::with_options(&files, options);
    fixture.commit_as_author(|tree| write_files(tree, &NAMES.map(|name| (name, "2\n"))));
    let worktree = fixture.prepare().await;
    (fixture, worktree)
}

async fn text_of(
    fixture: &GitFixture,
    worktree: &CleanWorktree,
    name: &str,
) -> Result<String, GitError> {
    let git = &fixture.worktrees;
    let read = git.file_at(worktree, worktree.head(), name, 100).await?;
    Ok(String::from_utf8(read.unwrap()).unwrap())
}

fn is_alive(pid: i32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let state = stat
        .rsplit(") ")
        .next()
        .and_then(|rest| rest.chars().next());
    state.is_some_and(|state| state != 'Z')
}

async fn wait_until_gone(pid: i32) {
    wait_until("the process is gone", async || !is_alive(pid)).await;
}

#[tokio::test]
async fn both_sides_of_all_files_are_read_by_one_process() {
    let recorder = Recorder::new("");
    let (fixture, worktree) = changed_files(recorder.options()).await;
    let git = &fixture.worktrees;
    git.diff(&worktree, &fixture.base).await.unwrap();
    let so_far = recorder.take();
    let readers = so_far
        .iter()
        .filter(|call| call.args.starts_with("cat-file"));
    assert_eq!(readers.count(), 1, "for commits, trees and blobs alike");
    for name in NAMES {
        for (commit, expect) in [(worktree.merge_base(), "1\n"), (worktree.head(), "2\n")] {
            let read = git.file_at(&worktree, commit, name, 100).await.unwrap();
            assert_eq!(read.unwrap(), expect.as_bytes(), "{name}");
        }
    }
    let more: Vec<String> = recorder.take().into_iter().map(|call| call.args).collect();
    assert!(more.is_empty(), "{more:?}");
}

#[tokio::test]
async fn folders_links_and_what_is_too_large_or_not_there_are_no_files() {
    let fixture = GitFixture::new(&[("d/b", "1\n"), ("big", &"x".repeat(101))]);
    fixture.commit_as_author(|tree| std::os::unix::fs::symlink("d", tree.join("l")).unwrap());
    let worktree = fixture.prepare().await;
    let git = &fixture.worktrees;
    for path in [
        "d",
        "l",
        "l/b",
        "big",
        "no",
        "d/no",
        "d/b/c",
        "",
        "/",
        "d/",
        "/d/b",
        "d//b",
        "./d/b",
        "../d/b",
        "d/../d/b",
        ".git/config",
        "d/b\n",
        ":0:d/b",
    ] {
        let read = git.file_at(&worktree, worktree.head(), path, 100).await;
        assert_eq!(read.unwrap(), None, "{path:?}");
    }
    assert_eq!(text_of(&fixture, &worktree, "d/b").await.unwrap(), "1\n");
}

#[tokio::test]
async fn a_reader_that_was_killed_is_started_anew() {
    let recorder = Recorder::new("");
    let (fixture, worktree) = changed_files(recorder.options()).await;
    assert_eq!(text_of(&fixture, &worktree, "a").await.unwrap(), "2\n");
    let reader = recorder.take_calls_of("cat-file").pop().unwrap().pid;
    for (round, name) in NAMES.into_iter().enumerate() {
        let reader = match round {
            0 => reader,
            _ => recorder.take_calls_of("cat-file").pop().unwrap().pid,
        };
        let pid = nix::unistd::Pid::from_raw(reader);
        nix::sys::signal::kill(pid, nix::sys::signal::Signal::SIGKILL).unwrap();
        wait_until_gone(reader).await;
        assert_eq!(text_of(&fixture, &worktree, name).await.unwrap(), "2\n");
    }
}

#[tokio::test]
async fn a_reader_that_ends_at_once_says_why() {
    let recorder = Recorder::new(
        r#"case "$*" in cat-file*) [ -e "$0.broken" ] && { echo 'fatal: it is broken' >&2; exit 1; };; esac"#,
    );
    let (fixture, worktree) = changed_files(recorder.options()).await;
    fixture.worktrees.clean_up(&fixture.pull).await.unwrap();
    std::fs::write(format!("{}.broken", recorder.binary().display()), "").unwrap();
    let error = text_of(&fixture, &worktree, "a").await.unwrap_err();
    assert!(
        matches!(&error, GitError::Failed { command, message, .. } if command == "cat-file" && message == "fatal: it is broken"),
        "{error:?}"
    );
}

#[tokio::test]
async fn a_reader_that_hangs_is_given_up_and_gone() {
    let recorder = Recorder::new(r#"case "$*" in cat-file*) exec sleep 300;; esac"#);
    let options = GitOptions {
        local_timeout: Duration::from_secs(2),
        ..recorder.options()
    };
    let fixture = GitFixture::with_options(&[("a", "1\n")], options);
    fixture.commit_as_author(|_| ());
    let error = fixture
        .try_prepare(&fixture.head(), collie_engine::ports::WorktreePurpose::Fix)
        .await
        .unwrap_err();
    assert!(
        matches!(&error, GitError::Failed { message, .. } if message.contains("no answer after 2 s")),
        "{error:?}"
    );
    for call in recorder.take_calls_of("cat-file") {
        assert!(!is_alive(call.pid));
    }
}

#[tokio::test]
async fn what_is_no_answer_is_an_error() {
    for nonsense in [
        "echo nonsense",
        "echo 'a blob x'",
        "yes x",
        "tr '\\n' x </dev/zero | head -c 200000",
        "echo 'aa blob 5'",
    ] {
        let recorder = Recorder::new(&format!(
            r#"case "$*" in cat-file*) [ -e "$0.broken" ] && {{ {nonsense}; exit; }};; esac"#
        ));
        let (fixture, worktree) = changed_files(recorder.options()).await;
        fixture.worktrees.clean_up(&fixture.pull).await.unwrap();
        std::fs::write(format!("{}.broken", recorder.binary().display()), "").unwrap();
        let error = text_of(&fixture, &worktree, "a").await.unwrap_err();
        assert!(
            matches!(error, GitError::Failed { .. }),
            "{nonsense}: {error:?}"
        );
    }
}

#[tokio::test]
async fn no_reader_stays_behind() {
    let recorder = Recorder::new("");
    let (fixture, worktree) = changed_files(recorder.options()).await;
    text_of(&fixture, &worktree, "a").await.unwrap();
    let reader = recorder.take_calls_of("cat-file").pop().unwrap().pid;
    assert!(is_alive(reader), "it is kept for the next reading");
    fixture.worktrees.clean_up(&fixture.pull).await.unwrap();
    assert!(!is_alive(reader));

    let worktree = fixture.prepare().await;
    text_of(&fixture, &worktree, "a").await.unwrap();
    let reader = recorder.take_calls_of("cat-file").pop().unwrap().pid;
    assert!(is_alive(reader));
    drop(fixture.worktrees);
    wait_until_gone(reader).await;
}

#[tokio::test]
async fn a_reading_that_is_broken_off_spoils_no_later_one() {
    let fixture = GitFixture::new(&[("a", &"x".repeat(8 << 20)), ("b", "1\n")]);
    fixture.commit_as_author(|_| ());
    let worktree = fixture.prepare().await;
    let git = &fixture.worktrees;
    for micros in [0, 50, 200, 1_000, 3_000, 10_000] {
        let large = git.file_at(&worktree, worktree.head(), "a", 1 << 30);
        // Whether it was in time does not matter.
        let _ = tokio::time::timeout(Duration::from_micros(micros), large).await;
        assert_eq!(text_of(&fixture, &worktree, "b").await.unwrap(), "1\n");
    }
}
