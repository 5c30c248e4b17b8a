//! A remote, an author who pushes to it, and Collie's side; all in one temporary folder.

use collie_core::ids::{LoopId, RepoName, Sha};
use collie_engine::ports::{
    CleanWorktree, CommitMessage, DiffFile, Git, GitError, GitRemote, PullRef, SyntaxChecker,
    VettedChange, WorktreePurpose,
};
use collie_engine::ports::{SessionMeter, VerifyPlan, VerifyRun};
use collie_git::{CommitIdentity, GitOptions, Worktrees};
use collie_sandbox::SandboxRunner;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

pub struct GitFixture {
    pub folder: tempfile::TempDir,
    pub worktrees: Worktrees,
    pub pull: PullRef,
    pub remote: GitRemote,
    pub base: Sha,
}

/// Runs git as the author would, without anybody's configuration.
pub fn git_in(folder: &Path, args: &[&str]) -> String {
    let output = Command::new("git")
        .args(args)
        .current_dir(folder)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("HOME", folder)
        .env_remove("GIT_DIR")
        .envs([
            ("GIT_AUTHOR_NAME", "Ana"),
            ("GIT_AUTHOR_EMAIL", "ana@example.com"),
        ])
        .envs([
            ("GIT_COMMITTER_NAME", "Ana"),
            ("GIT_COMMITTER_EMAIL", "ana@example.com"),
        ])
        .output()
        .unwrap();
    let words = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "git {args:?}: {words}");
    String::from_utf8_lossy(&output.stdout).trim().to_string()
}

impl GitFixture {
    /// A remote whose `main` has these files; the branch `topic` is at the same commit.
    pub fn new(files: &[(&str, &str)]) -> Self {
        Self::with_options(files, GitOptions::default())
    }

    pub fn with_options(files: &[(&str, &str)], options: GitOptions) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().canonicalize().unwrap();
        git_in(&path, &["init", "-q", "--bare", "-b", "main", "origin.git"]);
        git_in(&path, &["init", "-q", "-b", "main", "author"]);
        git_in(
            &path.join("author"),
            &["remote", "add", "origin", "../origin.git"],
        );
        let url = format!("file://{}/origin.git", path.display());
        let mut fixture = Self {
            worktrees: open_worktrees(&path.join("data"), options),
            folder,
            pull: PullRef {
                id: LoopId {
                    host: "127.0.0.1:4000".into(),
                    repo_id: "R_kgDO=".into(),
                    number: 7,
                },
                repo: RepoName::parse("demo/x").unwrap(),
            },
            remote: GitRemote {
                url: url.clone(),
                head_url: url,
                branch: "topic".into(),
                deleted_fork: None,
            },
            base: Sha::parse(&"0".repeat(40)).unwrap(),
        };
        fixture.base = fixture.commit_as_author(|tree| write_files(tree, files));
        fixture.git_as_author(&["push", "-q", "origin", "main"]);
        fixture.git_as_author(&["checkout", "-q", "-b", "topic"]);
        fixture
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(name)
    }

    /// Runs git in the author's folder.
    pub fn git_as_author(&self, args: &[&str]) -> String {
        git_in(&self.path("author"), args)
    }

    /// Lets the author change files and commit and push all.
    pub fn commit_as_author(&self, change: impl FnOnce(&Path)) -> Sha {
        change(&self.path("author"));
        self.git_as_author(&["add", "-A"]);
        self.git_as_author(&["commit", "-q", "--allow-empty", "-m", "author's"]);
        self.git_as_author(&["push", "-q", "-f", "origin", "HEAD"]);
        self.head()
    }

    pub fn head(&self) -> Sha {
        Sha::parse(&self.git_as_author(&["rev-parse", "HEAD"])).unwrap()
    }

    pub fn git_in_origin(&self, args: &[&str]) -> String {
        git_in(&self.path("origin.git"), args)
    }

    pub fn remote_topic(&self) -> String {
        self.git_in_origin(&["rev-parse", "refs/heads/topic"])
    }

    pub async fn try_prepare(
        &self,
        head: &Sha,
        purpose: WorktreePurpose<'_>,
    ) -> Result<CleanWorktree, GitError> {
        self.worktrees
            .prepare(&self.pull, &self.remote, head, &self.base, purpose)
            .await
    }

    pub async fn prepare(&self) -> CleanWorktree {
        self.try_prepare(&self.head(), WorktreePurpose::Fix)
            .await
            .unwrap()
    }

    pub async fn diff(&self) -> Vec<DiffFile> {
        let worktree = self.prepare().await;
        self.worktrees.diff(&worktree, &self.base).await.unwrap()
    }

    pub async fn vet(
        &self,
        worktree: &CleanWorktree,
    ) -> Result<Option<VettedChange>, collie_engine::ports::GateRefusal> {
        self.vet_with(worktree, &[]).await.unwrap()
    }

    pub async fn vet_with(
        &self,
        worktree: &CleanWorktree,
        verify: &[&str],
    ) -> Result<Result<Option<VettedChange>, collie_engine::ports::GateRefusal>, GitError> {
        let verify = VerifyPlan {
            commands: verify.iter().map(|command| (*command).into()).collect(),
            ..VerifyPlan::default()
        };
        self.worktrees
            .vet(
                worktree,
                &OopsSyntaxChecker,
                VerifyRun {
                    plan: &verify,
                    meter: &SessionMeter::default(),
                },
                &CancellationToken::new(),
            )
            .await
    }

    /// Prepares, lets a fixer change files, vets and commits.
    pub async fn commit_fix(&self, change: impl FnOnce(&Path)) -> Sha {
        let worktree = self.prepare().await;
        change(worktree.path());
        let vetted = self.vet(&worktree).await.unwrap().unwrap();
        self.worktrees
            .commit(&vetted, &commit_message())
            .await
            .unwrap()
    }

    /// The contents of Collie's clone.
    pub fn clone_path(&self) -> PathBuf {
        self.path("data/clones/127.0.0.1~3A4000/R_kgDO~3D.git")
    }
}

pub fn open_worktrees(folder: &Path, options: GitOptions) -> Worktrees {
    let identity = CommitIdentity {
        name: "Col Lie".into(),
        email: "col@example.com".into(),
    };
    let options = GitOptions {
        allow_file_remotes: true,
        sandbox: SandboxRunner::new(collie_testkit::sandbox::supervisor()),
        ..options
    };
    Worktrees::new(
        folder,
        Arc::new(|| Some("s3cret".into())),
        Some(identity),
        options,
    )
    .unwrap()
}

pub fn commit_message() -> CommitMessage {
    CommitMessage {
        by: None,
        subject: "fix: a thing".into(),
        body: String::new(),
        trailers: vec![("Collie-Run".into(), "r-1".into())],
    }
}

/// Takes `OOPS` for a syntax error.
pub struct OopsSyntaxChecker;

impl SyntaxChecker for OopsSyntaxChecker {
    fn first_broken_line(&self, _path: &str, before: Option<&[u8]>, after: &[u8]) -> Option<u32> {
        let line = |text: &[u8]| {
            String::from_utf8_lossy(text)
                .lines()
                .position(|line| line.contains("OOPS"))
        };
        match (before.and_then(line), line(after)) {
            (None, Some(at)) => Some(at as u32 + 1),
            (Some(_), _) | (None, None) => None,
        }
    }
}

pub fn write_files(tree: &Path, files: &[(&str, &str)]) {
    for (path, text) in files {
        write_bytes(tree, path, text.as_bytes());
    }
}

pub fn write_bytes(tree: &Path, path: &str, bytes: &[u8]) {
    let path = tree.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, bytes).unwrap();
}

pub fn read_text(path: &Path) -> String {
    fs::read_to_string(path).unwrap()
}

/// All paths below a folder but `.git`, sorted.
pub fn list_files(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            let name = path
                .strip_prefix(folder)
                .unwrap()
                .to_string_lossy()
                .into_owned();
            if name == ".git" {
                continue;
            }
            if fs::symlink_metadata(&path).unwrap().is_dir() {
                folders.push(path);
            } else {
                found.push(name);
            }
        }
    }
    found.sort();
    found
}
