//! What a commit changes, as people are shown it.

use crate::fixture::{GitFixture, git_in, write_bytes, write_files};
use collie_core::changes::FileStatus;
use collie_core::coverage::UnseenReason;
use collie_core::ids::Sha;
use collie_engine::ports::GitError;
use collie_git::{CloneReader, CommitPatch, GitOptions, PatchedFile, RemotePatches};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::Arc;

fn numbered(count: usize) -> String {
    (1..=count).map(|n| format!("line {n}\n")).collect()
}

async fn patch_of(fixture: &GitFixture, commit: &Sha, only: Option<&[String]>) -> CommitPatch {
    let reader = CloneReader::new(&fixture.path("data"));
    let patch = reader.commit_patch(&fixture.pull.id, commit, only).await;
    patch.unwrap().expect("the clone has it")
}

fn patched<'a>(patch: &'a CommitPatch, path: &str) -> &'a PatchedFile {
    let mut files = patch.files.iter();
    files
        .find(|file| file.path == path)
        .unwrap_or_else(|| panic!("{path:?} is not in {patch:?}"))
}

#[tokio::test]
async fn a_commit_is_shown_file_by_file_against_its_parent() {
    let fixture = GitFixture::new(&[
        ("a", &numbered(30)),
        ("gone", "1\n"),
        ("old", &numbered(20)),
        ("picture", "1\n"),
        ("becomes-link", "1\n"),
    ]);
    let commit = fixture.commit_as_author(|tree| {
        let text = numbered(30).replace("line 10\n", "new 10\nnew 11\n");
        write_files(
            tree,
            &[
                ("a", &text),
                ("b", "alpha\nbeta"),
                ("new", &(numbered(20) + "more\n")),
            ],
        );
        write_bytes(tree, "picture", b"\0\x01");
        write_bytes(tree, "huge", &b"x\n".repeat(1 << 20));
        for path in ["gone", "old", "becomes-link"] {
            fs::remove_file(tree.join(path)).unwrap();
        }
        symlink("/etc/passwd", tree.join("becomes-link")).unwrap();
    });
    fixture.prepare().await;
    let patch = patch_of(&fixture, &commit, None).await;
    let told = |path: &str| {
        let file = patched(&patch, path);
        (file.status, file.added, file.removed, file.unshown)
    };
    assert_eq!(told("a"), (FileStatus::Modified, 2, 1, None));
    assert_eq!(told("b"), (FileStatus::Added, 2, 0, None));
    assert_eq!(told("gone"), (FileStatus::Removed, 0, 1, None));
    assert_eq!(told("new"), (FileStatus::Renamed, 1, 0, None));
    assert_eq!(patched(&patch, "new").old_path.as_deref(), Some("old"));
    assert_eq!(told("picture").3, Some(UnseenReason::Binary));
    assert_eq!(told("huge").3, Some(UnseenReason::TooLarge));
    assert_eq!(told("becomes-link").3, Some(UnseenReason::Link));
    assert_eq!(told("becomes-link").0, FileStatus::Retyped);
    let hunk = &patched(&patch, "a").hunks[0];
    assert_eq!(
        (hunk.old_start, hunk.new_start, hunk.lines.len()),
        (7, 7, 9)
    );
    assert!(patched(&patch, "b").hunks[0].lines[1].unended);
    let only = patch_of(&fixture, &commit, Some(&["b".to_owned()])).await;
    assert_eq!(only.files.len(), 1, "{only:?}");
}

#[tokio::test]
async fn nothing_that_the_repository_says_hides_a_change_or_runs_a_program() {
    let fixture = GitFixture::new(&[("a.js", "one\n")]);
    let ran = fixture.path("ran");
    let commit = fixture.commit_as_author(|tree| {
        write_files(
            tree,
            &[
                (
                    ".gitattributes",
                    "* -diff binary diff=evil\n*.js linguist-generated\n",
                ),
                ("a.js", "two\n"),
            ],
        );
    });
    fixture.prepare().await;
    let program = format!("touch {}; cat", ran.display());
    let clone = fixture.clone_path();
    git_in(&clone, &["config", "diff.evil.textconv", &program]);
    git_in(&clone, &["config", "diff.evil.command", &program]);
    git_in(&clone, &["config", "diff.external", &program]);
    let patch = patch_of(&fixture, &commit, None).await;
    let file = patched(&patch, "a.js");
    assert_eq!((file.added, file.removed, file.unshown), (1, 1, None));
    assert!(!ran.exists());
}

#[tokio::test]
async fn what_is_on_the_branch_is_told_from_what_is_not() {
    let fixture = GitFixture::new(&[("a", "1\n")]);
    let on = fixture.commit_as_author(|tree| write_files(tree, &[("a", "2\n")]));
    let head = fixture.commit_as_author(|tree| write_files(tree, &[("a", "3\n")]));
    let own = fixture
        .commit_fix(|tree| write_files(tree, &[("a", "4\n")]))
        .await;
    let nowhere = Sha::parse(&"5".repeat(40)).unwrap();
    let reader = CloneReader::new(&fixture.path("data"));
    let asked = [on.clone(), own.clone(), nowhere.clone()];
    let known = reader.commit_facts(&fixture.pull.id, &asked, Some(&head));
    let known = known.await.unwrap();
    assert_eq!(known.len(), 2, "{known:?}");
    assert_eq!(known[&on].on_branch, Some(true));
    assert_eq!(known[&own].on_branch, Some(false));
    assert_eq!(known[&own].subject, "fix: a thing");
    assert!(known[&own].at.0 > 1_000_000_000_000, "{known:?}");
    let unsure = reader.commit_facts(&fixture.pull.id, &asked, Some(&nowhere));
    assert_eq!(unsure.await.unwrap()[&on].on_branch, None);
    fs::remove_dir_all(fixture.clone_path()).unwrap();
    let nothing = reader.commit_facts(&fixture.pull.id, &asked, Some(&head));
    assert!(nothing.await.unwrap().is_empty());
}

fn remote_patches(root: &Path) -> RemotePatches {
    let options = GitOptions {
        allow_file_remotes: true,
        ..GitOptions::default()
    };
    RemotePatches::new(root, Arc::new(|| None), options)
}

#[tokio::test]
async fn a_commit_that_the_clone_lacks_is_asked_of_the_remote_and_leaves_nothing_behind() {
    let fixture = GitFixture::new(&[("a", "1\n"), ("b", "1\n")]);
    let commit = fixture.commit_as_author(|tree| write_files(tree, &[("a", "2\n")]));
    fixture.commit_as_author(|tree| write_files(tree, &[("b", "2\n")]));
    let root = fixture.path("data");
    let id = &fixture.pull.id;
    let reader = CloneReader::new(&root);
    assert_eq!(reader.commit_patch(id, &commit, None).await.unwrap(), None);
    let remote = remote_patches(&root);
    let asked = remote.commit_patch(&fixture.pull, &fixture.remote, &commit, None);
    let patch = asked.await.unwrap().expect("the remote has it");
    assert_eq!(patch.files.len(), 1, "{patch:?}");
    assert_eq!((patch.files[0].added, patch.files[0].removed), (1, 1));
    assert!(!fixture.clone_path().exists());
    assert_eq!(fs::read_dir(root.join("trash")).unwrap().count(), 0);
    let nowhere = Sha::parse(&"5".repeat(40)).unwrap();
    let asked = remote.commit_patch(&fixture.pull, &fixture.remote, &nowhere, None);
    let refused = asked.await.unwrap_err();
    assert!(matches!(refused, GitError::Failed { .. }), "{refused:?}");
}
