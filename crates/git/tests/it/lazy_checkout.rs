//! One review at one head: fetched once, and without files on disk until somebody needs them there.

use crate::fixture::{GitFixture, write_files};
use crate::recorder::Recorder;
use collie_engine::ports::{
    CleanWorktree, DiskLimit, Git, GitError, ShieldedConfig, WorktreePurpose,
};
use collie_git::{DiskLimits, DiskLimitsSource, GitOptions};
use std::fs;
use std::path::Path;

const QUINN: WorktreePurpose<'static> = WorktreePurpose::Review("quinn");
const RULES: WorktreePurpose<'static> = WorktreePurpose::Review("rules");

fn lazy(options: GitOptions) -> GitOptions {
    GitOptions {
        partial_clone: true,
        lazy_checkout: true,
        ..options
    }
}

/// A pull request that changes one file of three.
fn fixture(options: GitOptions) -> GitFixture {
    let files = [
        ("a", "1\n"),
        ("rules/x/one.yml", "o\n"),
        ("rules/two.yml", "t\n"),
    ];
    let fixture = GitFixture::with_options(&files, options);
    fixture.git_in_origin(&["config", "uploadpack.allowFilter", "true"]);
    fixture.commit_as_author(|tree| write_files(tree, &[("a", "2\n")]));
    fixture
}

/// What lies in a folder, but git's own.
fn names_in(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.filter(|name| name != ".git").collect();
    names.sort();
    names
}

async fn changed_paths(fixture: &GitFixture, worktree: &CleanWorktree) -> Vec<String> {
    let diff = fixture
        .worktrees
        .diff(worktree, &fixture.base)
        .await
        .unwrap();
    diff.into_iter().map(|file| file.path).collect()
}

#[tokio::test]
async fn reviewers_of_one_head_fetch_once_and_lay_no_file() {
    let recorder = Recorder::new("");
    let fixture = fixture(lazy(recorder.options()));
    let (head, git) = (fixture.head(), &fixture.worktrees);
    let (one, two) = tokio::join!(
        fixture.try_prepare(&head, QUINN),
        fixture.try_prepare(&head, RULES)
    );
    let (one, two) = (one.unwrap(), two.unwrap());
    for worktree in [&one, &two] {
        assert_eq!(changed_paths(&fixture, worktree).await, ["a"]);
        let read = git
            .file_at(worktree, worktree.head(), "a", 100)
            .await
            .unwrap();
        assert_eq!(read.as_deref(), Some(&b"2\n"[..]));
        assert_eq!(names_in(worktree.path()), [""; 0]);
    }
    let rules = git.files_at(&fixture.pull, &fixture.remote, &fixture.base, "rules");
    let files = |text: &str, path: &str| (path.to_owned(), text.as_bytes().to_vec());
    let expected = [
        files("t\n", "rules/two.yml"),
        files("o\n", "rules/x/one.yml"),
    ];
    assert_eq!(rules.await.unwrap(), expected);
    for (path, expected) in [
        ("a", vec![files("1\n", "a")]),
        ("rules/two.yml", vec![files("t\n", "rules/two.yml")]),
        ("rules/none", Vec::new()),
        ("a/none", Vec::new()),
        ("..", Vec::new()),
    ] {
        let found = git.files_at(&fixture.pull, &fixture.remote, &fixture.base, path);
        assert_eq!(found.await.unwrap(), expected, "{path}");
    }
    let calls = recorder.take();
    let of = |name: &str| {
        let of = calls
            .iter()
            .filter(|call| call.args.split(' ').next() == Some(name));
        of.count()
    };
    assert_eq!(of("fetch"), 2, "head and base, then files");
    assert_eq!(
        (of("reset"), of("clean"), of("ls-tree")),
        (0, 0, 1),
        "{}",
        calls.len()
    );
    assert_eq!(of("diff-tree"), 2, "one diff for both");
}

#[tokio::test]
async fn a_shield_lays_the_files_first() {
    let fixture = fixture(lazy(GitOptions::default()));
    let worktree = fixture.try_prepare(&fixture.head(), RULES).await.unwrap();
    let git = &fixture.worktrees;
    let shield = git.shield(&worktree, &fixture.base, ShieldedConfig::Linters);
    let shield = shield.await.unwrap();
    assert_eq!(names_in(worktree.path()), ["a", "rules"]);
    assert_eq!(
        fs::read_to_string(worktree.path().join("a")).unwrap(),
        "2\n"
    );
    git.unshield(&worktree, shield).await.unwrap();
    git.clean_up(&fixture.pull).await.unwrap();
    assert!(!worktree.path().exists());
}

#[tokio::test]
async fn a_checkout_that_is_too_large_is_refused_before_it_is_laid() {
    let limits = DiskLimits {
        checkout_files: 2,
        ..DiskLimits::default()
    };
    let fixture = fixture(GitOptions {
        partial_clone: false,
        disk_limits: DiskLimitsSource::new(move || limits),
        ..lazy(GitOptions::default())
    });
    let worktree = fixture.try_prepare(&fixture.head(), RULES).await.unwrap();
    let shield = fixture
        .worktrees
        .shield(&worktree, &fixture.base, ShieldedConfig::Linters);
    let Err(GitError::CheckoutTooLarge { limit }) = shield.await else {
        panic!("it is too large");
    };
    assert_eq!(limit, DiskLimit::CheckoutFiles(2));
    assert_eq!(names_in(worktree.path()), [""; 0]);
}

#[tokio::test]
async fn what_an_earlier_review_left_is_gone() {
    let fixture = fixture(lazy(GitOptions::default()));
    let worktree = fixture.try_prepare(&fixture.head(), QUINN).await.unwrap();
    write_files(worktree.path(), &[("left", "x\n")]);
    let worktree = fixture.try_prepare(&fixture.head(), QUINN).await.unwrap();
    assert_eq!(names_in(worktree.path()), [""; 0]);
}

#[tokio::test]
async fn a_head_that_is_not_that_of_the_branch_is_noticed() {
    let fixture = fixture(lazy(GitOptions::default()));
    let before = fixture.head();
    fixture.commit_as_author(|tree| write_files(tree, &[("a", "3\n")]));
    let prepared = fixture.try_prepare(&before, QUINN).await;
    assert!(
        matches!(prepared, Err(GitError::HeadMismatch { .. })),
        "{prepared:?}"
    );
}

#[tokio::test]
async fn a_remote_that_gives_no_base_beside_the_head_is_asked_for_each() {
    let refusal = r#"case "$*" in
*"refs/collie/pr/7/head "*refs/collie/pr/7/base*) echo "fatal: remote error: upload-pack: not our ref" >&2; exit 128;;
esac"#;
    let recorder = Recorder::new(refusal);
    let fixture = fixture(lazy(recorder.options()));
    let worktree = fixture.try_prepare(&fixture.head(), QUINN).await.unwrap();
    assert_eq!(changed_paths(&fixture, &worktree).await, ["a"]);
    let fetches = recorder.take_calls_of("fetch");
    assert_eq!(fetches.len(), 3, "both, the head with all before it, files");
}
