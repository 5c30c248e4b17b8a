//! What a session works on goes to another machine as a bundle, and comes back as a patch.

use crate::fixture::{GitFixture, git_in};
use collie_engine::ports::{ChangeTransfer as _, CleanWorktree, GateRefusal, Git as _, GitError};
use collie_engine::ports::{GitRemote, WorktreePurpose};
use collie_git::{BUNDLE_HEAD, GitOptions, Worktrees};
use std::fs;
use std::path::Path;
use std::sync::Arc;

/// Another machine: a folder of its own that knows nothing but a bundle.
struct Elsewhere {
    _folder: tempfile::TempDir,
    worktrees: Worktrees,
    worktree: CleanWorktree,
}

fn options() -> GitOptions {
    GitOptions {
        allow_file_remotes: true,
        ..GitOptions::default()
    }
}

async fn fixture() -> (GitFixture, CleanWorktree) {
    let files = [("a.txt", "one\ntwo\n"), ("b.txt", "b\n")];
    let fixture = GitFixture::with_options(&files, options());
    fixture.commit_as_author(|tree| {
        fs::write(tree.join("a.txt"), "one\n2\n").unwrap();
        fs::write(tree.join("bytes"), [0, 159, 146, 150, 10]).unwrap();
    });
    let worktree = fixture.prepare().await;
    (fixture, worktree)
}

/// Takes a bundle of the worktree to another machine.
async fn elsewhere(fixture: &GitFixture, worktree: &CleanWorktree) -> Elsewhere {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().canonicalize().unwrap();
    let bundle = path.join("session.bundle");
    let made = fixture
        .worktrees
        .bundle(worktree, &fixture.base, &[], &bundle);
    made.await.unwrap();
    let worktrees = Worktrees::new(&path.join("git"), Arc::new(|| None), None, options()).unwrap();
    let remote = path.join("git/remote.git");
    worktrees
        .repository_of_bundle(&bundle, &remote)
        .await
        .unwrap();
    let url = format!("file://{}", remote.display());
    let remote = GitRemote {
        url: url.clone(),
        head_url: url,
        branch: BUNDLE_HEAD.into(),
        deleted_fork: None,
    };
    let prepared = worktrees.prepare(
        &fixture.pull,
        &remote,
        worktree.head(),
        &fixture.base,
        WorktreePurpose::Fix,
    );
    let worktree = prepared.await.unwrap();
    Elsewhere {
        _folder: folder,
        worktrees,
        worktree,
    }
}

#[tokio::test]
async fn a_session_is_worked_on_elsewhere_and_its_change_passes_the_gates_here() {
    let (fixture, worktree) = fixture().await;
    let there = elsewhere(&fixture, &worktree).await;
    assert_eq!(there.worktree.head(), worktree.head());
    assert_eq!(there.worktree.merge_base(), worktree.merge_base());
    let refs = git_in(
        &fixture.clone_path(),
        &["for-each-ref", "refs/heads/collie"],
    );
    assert_eq!(refs, "", "a name was left in the clone");

    let path = there.worktree.path();
    fs::write(path.join("a.txt"), "one\nzwei\n").unwrap();
    fs::write(path.join("bytes"), [0, 1, 159, 146, 10]).unwrap();
    let patch = there.worktrees.change_of(&there.worktree).await.unwrap();
    // What was tried before is taken back.
    fs::write(worktree.path().join("b.txt"), "tried\n").unwrap();
    fixture
        .worktrees
        .lay_change(&worktree, &patch)
        .await
        .unwrap();
    let read = |name: &str| fs::read(worktree.path().join(name)).unwrap();
    assert_eq!(read("a.txt"), b"one\nzwei\n");
    assert_eq!(read("bytes"), [0, 1, 159, 146, 10]);
    assert_eq!(read("b.txt"), b"b\n");
    let vetted = fixture.vet(&worktree).await.unwrap().unwrap();
    assert_eq!(vetted.paths(), ["a.txt", "bytes"]);
    assert_eq!(fixture.worktrees.change_of(&worktree).await.unwrap(), patch);
    let nothing = fixture.worktrees.lay_change(&worktree, b"").await;
    nothing.unwrap();
    assert_eq!(fixture.worktrees.change_of(&worktree).await.unwrap(), b"");
}

/// A patch as anybody may write it.
fn new_file(path: &str, mode: &str, text: &str) -> String {
    format!(
        "diff --git a/{path} b/{path}\nnew file mode {mode}\n--- /dev/null\n+++ b/{path}\n@@ -0,0 +1 @@\n+{text}\n\\ No newline at end of file\n"
    )
}

#[tokio::test]
async fn no_patch_leads_out_of_the_worktree_or_into_git() {
    let (fixture, worktree) = fixture().await;
    let git_dir = fs::read(worktree.path().join(".git")).unwrap();
    let out = fixture.path("data").join("out.txt");
    for path in [
        "../out.txt",
        "../../../../out.txt",
        ".git",
        ".git/hooks/pre-commit",
        ".GIT/config",
        "x/../../out.txt",
        "/tmp/collie-out.txt",
    ] {
        let patch = new_file(path, "100644", "out");
        let laid = fixture
            .worktrees
            .lay_change(&worktree, patch.as_bytes())
            .await;
        assert!(matches!(laid, Err(GitError::Diverged)), "{path}: {laid:?}");
    }
    let through = new_file("link", "120000", "..") + &new_file("link/out.txt", "100644", "out");
    let laid = fixture
        .worktrees
        .lay_change(&worktree, through.as_bytes())
        .await;
    assert!(matches!(laid, Err(GitError::Diverged)), "{laid:?}");
    assert!(!out.exists() && !Path::new("/tmp/collie-out.txt").exists());
    assert_eq!(fs::read(worktree.path().join(".git")).unwrap(), git_dir);
    assert_eq!(fixture.worktrees.change_of(&worktree).await.unwrap(), b"");
}

#[tokio::test]
async fn what_a_patch_may_not_change_the_gates_refuse_as_of_a_fixer_here() {
    let (fixture, worktree) = fixture().await;
    let workflow = ".github/workflows/ci.yml";
    for (path, mode, text) in [
        (workflow, "100644", "on: push"),
        ("other.txt", "100644", "x"),
        ("link", "120000", "/etc/passwd"),
    ] {
        let patch = new_file(path, mode, text);
        let laid = fixture.worktrees.lay_change(&worktree, patch.as_bytes());
        laid.await.unwrap();
        let refusal = fixture.vet(&worktree).await.unwrap_err();
        assert_eq!(
            refusal,
            GateRefusal::Scope {
                paths: vec![path.into()]
            }
        );
    }
}

#[tokio::test]
async fn a_patch_for_another_head_or_none_at_all_changes_nothing() {
    let (fixture, worktree) = fixture().await;
    let stale =
        "diff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n one\n-drei\n+3\n";
    for patch in [stale, "no patch", "diff --git a/a.txt b/a.txt\n"] {
        fs::write(worktree.path().join("a.txt"), "tried\n").unwrap();
        let laid = fixture
            .worktrees
            .lay_change(&worktree, patch.as_bytes())
            .await;
        assert!(matches!(laid, Err(GitError::Diverged)), "{patch}: {laid:?}");
        assert_eq!(fixture.worktrees.change_of(&worktree).await.unwrap(), b"");
    }
}

#[tokio::test]
async fn what_is_no_bundle_is_refused() {
    let (fixture, _) = fixture().await;
    let file = fixture.path("data").join("broken.bundle");
    fs::write(&file, "# v2 git bundle\nnonsense").unwrap();
    let folder = fixture.path("data").join("broken.git");
    let made = fixture.worktrees.repository_of_bundle(&file, &folder).await;
    assert!(matches!(made, Err(GitError::Failed { .. })), "{made:?}");
}
