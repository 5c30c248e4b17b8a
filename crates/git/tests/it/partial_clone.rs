//! Clones that leave the files of old commits out (0023): what is worked on is whole all the same, whatever the remote can do.

use crate::fixture::{GitFixture, git_in, open_worktrees, read_text, write_bytes, write_files};
use crate::recorder::Recorder;
use collie_core::code_context::WordSearch;
use collie_core::ids::Sha;
use collie_engine::ports::{CleanWorktree, DiskLimit, Git, GitError, WorktreePurpose};
use collie_git::{DiskLimits, DiskLimitsSource, GitOptions};
use std::path::Path;

const REVIEW: WorktreePurpose<'static> = WorktreePurpose::Review("quinn");

fn partial(options: GitOptions) -> GitOptions {
    GitOptions {
        partial_clone: true,
        ..options
    }
}

/// Text that does not compress.
fn noise(seed: u64) -> String {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        format!("{state:016x}\n")
    };
    (0..2_000).map(|_| next()).collect()
}

/// A repository with a history of large files, and a change of two others.
fn with_history(options: GitOptions, filters: bool) -> GitFixture {
    let mut fixture =
        GitFixture::with_options(&[("a", "1\n"), ("old", "o\n"), ("large", "")], options);
    if filters {
        fixture.git_in_origin(&["config", "uploadpack.allowFilter", "true"]);
    }
    fixture.git_as_author(&["checkout", "-q", "main"]);
    for seed in 0..20 {
        fixture.base =
            fixture.commit_as_author(|tree| write_files(tree, &[("large", &noise(seed))]));
    }
    fixture.git_as_author(&["checkout", "-q", "-B", "topic"]);
    fixture.commit_as_author(|tree| {
        write_files(tree, &[("a", "2\n"), ("new", "n\n")]);
        std::fs::rename(tree.join("old"), tree.join("moved")).unwrap();
    });
    // The base goes on, too.
    fixture.git_as_author(&["checkout", "-q", "main"]);
    fixture.base = fixture.commit_as_author(|tree| write_files(tree, &[("b", "base\n")]));
    fixture.git_as_author(&["checkout", "-q", "topic"]);
    fixture
}

fn pack_bytes(fixture: &GitFixture) -> u64 {
    let packs = std::fs::read_dir(fixture.clone_path().join("objects/pack")).unwrap();
    packs
        .map(|entry| entry.unwrap())
        .filter(|entry| entry.path().extension().is_some_and(|kind| kind == "pack"))
        .map(|entry| entry.metadata().unwrap().len())
        .sum()
}

/// Objects that commits of the clone name and that it does not have.
fn missing(fixture: &GitFixture) -> usize {
    let list = ["rev-list", "--objects", "--all", "--missing=print"];
    let listed = git_in(&fixture.clone_path(), &list);
    listed.lines().filter(|line| line.starts_with('?')).count()
}

/// Everything a review reads is there.
async fn read_all(fixture: &GitFixture, worktree: &CleanWorktree) {
    let git = &fixture.worktrees;
    let files = git.diff(worktree, &fixture.base).await.unwrap();
    let files: Vec<(&str, Option<&str>, bool)> = files
        .iter()
        .map(|file| {
            (
                file.path.as_str(),
                file.old_path.as_deref(),
                file.changed.is_empty(),
            )
        })
        .collect();
    assert_eq!(
        files,
        [
            ("a", None, false),
            ("moved", Some("old"), true),
            ("new", None, false)
        ]
    );
    for (commit, path, expect) in [
        (worktree.head(), "a", "2\n"),
        (worktree.merge_base(), "a", "1\n"),
        (worktree.merge_base(), "large", &noise(19)),
        (&fixture.base, "b", "base\n"),
    ] {
        let read = git.file_at(worktree, commit, path, 1 << 20).await.unwrap();
        assert_eq!(read.unwrap(), expect.as_bytes(), "{path} of {commit}");
    }
    assert_eq!(read_text(&worktree.path().join("large")), noise(19));
    assert_eq!(git_in(worktree.path(), &["status", "--porcelain"]), "");
}

#[tokio::test]
async fn files_of_old_commits_are_left_out_and_the_others_come_in_one_batch() {
    let recorder = Recorder::new("");
    let fixture = with_history(partial(recorder.options()), true);
    let worktree = fixture.try_prepare(&fixture.head(), REVIEW).await.unwrap();
    let fetches = recorder.take_calls_of("fetch");
    let batches = fetches.iter().filter(|call| call.args.contains("--stdin"));
    assert_eq!(
        (fetches.len(), batches.count()),
        (2, 1),
        "head and base, files"
    );
    read_all(&fixture, &worktree).await;
    assert!(recorder.take_calls_of("fetch").is_empty());
    assert_eq!(
        missing(&fixture),
        20,
        "every version of `large` but the last; the first is empty"
    );

    let whole = with_history(GitOptions::default(), true);
    whole.try_prepare(&whole.head(), REVIEW).await.unwrap();
    let (partial, whole) = (pack_bytes(&fixture), pack_bytes(&whole));
    assert!(partial * 8 < whole, "{partial} against {whole} bytes");
    let config = read_text(&fixture.clone_path().join("config"));
    assert!(
        !config.contains("promisor") && !config.contains("partial"),
        "{config}"
    );
}

#[tokio::test]
async fn a_second_look_fetches_no_file_again() {
    let recorder = Recorder::new("");
    let fixture = with_history(partial(recorder.options()), true);
    for purpose in [REVIEW, WorktreePurpose::Review("rules"), REVIEW] {
        fixture.try_prepare(&fixture.head(), purpose).await.unwrap();
    }
    let fetches = recorder.take_calls_of("fetch");
    let batches = fetches.iter().filter(|call| call.args.contains("--stdin"));
    assert_eq!(batches.count(), 1);
    // Another process knows nothing of that, and finds everything there.
    let again = open_worktrees(&fixture.path("data"), partial(recorder.options()));
    again
        .prepare(
            &fixture.pull,
            &fixture.remote,
            &fixture.head(),
            &fixture.base,
            REVIEW,
        )
        .await
        .unwrap();
    let fetches = recorder.take_calls_of("fetch");
    assert!(fetches.iter().all(|call| !call.args.contains("--stdin")));
}

#[tokio::test]
async fn a_remote_that_leaves_nothing_out_gives_everything() {
    let recorder = Recorder::new("");
    let fixture = with_history(partial(recorder.options()), false);
    let worktree = fixture.try_prepare(&fixture.head(), REVIEW).await.unwrap();
    read_all(&fixture, &worktree).await;
    assert_eq!(missing(&fixture), 0);
    let fetches = recorder.take_calls_of("fetch").len();
    assert_eq!(fetches, 1, "head and base in one");
}

#[tokio::test]
async fn a_remote_that_gives_no_single_files_is_asked_for_everything() {
    let recorder = Recorder::new(
        r#"case "$*" in *--stdin*) case "$*" in fetch*) echo 'fatal: remote error: upload-pack: not our ref' >&2; exit 128;; esac;; esac"#,
    );
    let fixture = with_history(partial(recorder.options()), true);
    let worktree = fixture.try_prepare(&fixture.head(), REVIEW).await.unwrap();
    read_all(&fixture, &worktree).await;
}

#[tokio::test]
async fn a_remote_that_is_gone_in_between_is_no_refusal() {
    let recorder = Recorder::new(
        r#"case "$*" in *--stdin*) case "$*" in fetch*) [ -e "$0.up" ] || { echo 'fatal: unable to access: Could not resolve host: x' >&2; exit 128; };; esac;; esac"#,
    );
    let fixture = with_history(partial(recorder.options()), true);
    let error = fixture
        .try_prepare(&fixture.head(), REVIEW)
        .await
        .unwrap_err();
    assert!(matches!(error, GitError::Unreachable { .. }), "{error:?}");
    std::fs::write(format!("{}.up", recorder.binary().display()), "").unwrap();
    let worktree = fixture.try_prepare(&fixture.head(), REVIEW).await.unwrap();
    read_all(&fixture, &worktree).await;
}

#[tokio::test]
async fn the_files_of_a_fork_come_from_the_fork() {
    let mut fixture = with_history(partial(GitOptions::default()), true);
    let path = fixture.path("");
    git_in(&path, &["clone", "-q", "--bare", "origin.git", "fork.git"]);
    git_in(
        &path.join("fork.git"),
        &["config", "uploadpack.allowFilter", "true"],
    );
    fixture.git_as_author(&["push", "-q", "-d", "origin", "topic"]);
    fixture.git_in_origin(&["-c", "gc.reflogExpire=now", "gc", "-q", "--prune=now"]);
    fixture.git_in_origin(&["config", "uploadpack.allowAnySHA1InWant", "false"]);
    fixture.remote.head_url = format!("file://{}/fork.git", path.display());
    // The base goes on where the fork does not see it.
    fixture.git_as_author(&["checkout", "-q", "main"]);
    fixture.base = fixture.commit_as_author(|tree| write_files(tree, &[("c", "theirs\n")]));
    fixture.git_as_author(&["checkout", "-q", "topic"]);
    let worktree = fixture.try_prepare(&fixture.head(), REVIEW).await.unwrap();
    read_all(&fixture, &worktree).await;
    let read = fixture
        .worktrees
        .file_at(&worktree, &fixture.base, "c", 100)
        .await;
    assert_eq!(read.unwrap().unwrap(), b"theirs\n");
}

#[tokio::test]
async fn what_an_earlier_head_had_and_what_comes_back_from_history_is_there() {
    let recorder = Recorder::new("");
    let fixture = with_history(partial(recorder.options()), true);
    fixture.try_prepare(&fixture.head(), REVIEW).await.unwrap();
    let marked = fixture.commit_as_author(|tree| write_files(tree, &[("m.txt", "a marker\n")]));
    let earlier = fixture.commit_as_author(|tree| {
        write_files(tree, &[("a", "3\n"), ("new", "m\n"), ("m.txt", "none\n")])
    });
    // A file of long ago, which nobody has fetched.
    fixture.commit_as_author(|tree| write_files(tree, &[("a", "4\n"), ("large", &noise(3))]));
    let worktree = fixture.try_prepare(&fixture.head(), REVIEW).await.unwrap();
    assert_eq!(read_text(&worktree.path().join("large")), noise(3));
    let git = &fixture.worktrees;
    let lines = git
        .changed_lines_since(&worktree, &earlier)
        .await
        .unwrap()
        .unwrap();
    assert_eq!(lines.keys().collect::<Vec<_>>(), ["a", "large"]);
    let read = git.file_at(&worktree, &earlier, "a", 100).await.unwrap();
    assert_eq!(read.unwrap(), b"3\n");
    let hits = |commit: Sha| {
        let search = WordSearch {
            words: vec!["marker".into()],
            extensions: vec!["txt".into()],
        };
        let (git, worktree) = (&fixture.worktrees, &worktree);
        async move {
            git.search_words(worktree, &commit, &search)
                .await
                .unwrap()
                .hits
                .len()
        }
    };
    assert_eq!(hits(fixture.head()).await, 0);
    assert_eq!(hits(marked).await, 1);
    let long_ago = Sha::parse(&fixture.git_as_author(&["rev-parse", "main~15"])).unwrap();
    let patch = git
        .patch_of(&worktree, &long_ago, 1 << 20)
        .await
        .unwrap()
        .unwrap();
    assert!(
        patch.contains(&format!("+{}", noise(5).lines().next().unwrap())),
        "{}",
        &patch[..200]
    );
}

#[tokio::test]
async fn a_clone_that_lacks_files_is_made_anew_where_all_are_needed() {
    let mut fixture = with_history(partial(GitOptions::default()), true);
    fixture.try_prepare(&fixture.head(), REVIEW).await.unwrap();
    assert!(missing(&fixture) > 0);
    fixture.worktrees = open_worktrees(&fixture.path("data"), GitOptions::default());
    let worktree = fixture.try_prepare(&fixture.head(), REVIEW).await.unwrap();
    assert_eq!(missing(&fixture), 0);
    read_all(&fixture, &worktree).await;
}

#[tokio::test]
async fn files_of_a_folder_come_without_those_beside_it() {
    let recorder = Recorder::new("");
    let mut fixture = with_history(partial(recorder.options()), true);
    fixture.git_as_author(&["checkout", "-q", "main"]);
    fixture.base = fixture.commit_as_author(|tree: &Path| {
        write_files(
            tree,
            &[
                (".collie.toml", "x = 1\n"),
                (".collie/rules/r.yml", "id: r\n"),
            ],
        );
    });
    fixture.git_as_author(&["checkout", "-q", "topic"]);
    let git = &fixture.worktrees;
    for (folder, path, text) in [
        (".collie.toml", ".collie.toml", "x = 1\n"),
        (".collie/rules", ".collie/rules/r.yml", "id: r\n"),
    ] {
        let read = git
            .files_at(&fixture.pull, &fixture.remote, &fixture.base, folder)
            .await;
        assert_eq!(read.unwrap(), [(path.to_owned(), text.as_bytes().to_vec())]);
    }
    let none = git
        .files_at(&fixture.pull, &fixture.remote, &fixture.base, "no")
        .await;
    assert!(none.unwrap().is_empty());
    assert!(pack_bytes(&fixture) < 20_000, "{}", pack_bytes(&fixture));
}

#[tokio::test]
async fn a_tree_of_too_many_files_is_refused_before_they_are_fetched() {
    let recorder = Recorder::new("");
    let limits = DiskLimits {
        checkout_files: 50,
        ..DiskLimits::default()
    };
    let options = GitOptions {
        disk_limits: DiskLimitsSource::new(move || limits),
        ..partial(recorder.options())
    };
    let fixture = with_history(options, true);
    fixture.commit_as_author(|tree| {
        for n in 0..100 {
            write_bytes(tree, &format!("f{n}"), format!("{n}").as_bytes());
        }
    });
    let refused = fixture.try_prepare(&fixture.head(), REVIEW).await;
    assert!(
        matches!(
            refused,
            Err(GitError::CheckoutTooLarge {
                limit: DiskLimit::CheckoutFiles(50)
            })
        ),
        "{refused:?}"
    );
    let fetches = recorder.take_calls_of("fetch");
    assert!(fetches.iter().all(|call| !call.args.contains("--stdin")));
}
