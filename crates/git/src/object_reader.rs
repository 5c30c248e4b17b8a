//! Reads commits, trees and files of a clone.

use crate::Worktrees;
use crate::git_command::GitCommand;
use crate::plumbing_output::{self, TreeChange, TreeEntry};
use collie_core::ids::Sha;
use collie_engine::ports::GitError;
use std::path::Path;

/// An output that is not what git prints.
pub(crate) fn unexpected_output(command: &str) -> GitError {
    GitError::Failed {
        command: command.into(),
        location: "the clone".into(),
        message: "its output was not understood: check the git version".into(),
    }
}

/// Reads a commit id that git printed.
pub(crate) fn parse_sha(command: &str, text: &str) -> Result<Sha, GitError> {
    Sha::parse(text.trim()).map_err(|_| unexpected_output(command))
}

impl Worktrees {
    /// Whether the clone has a commit.
    pub(crate) async fn has_commit(&self, clone_dir: &Path, sha: &Sha) -> Result<bool, GitError> {
        let git_command = GitCommand::new(["cat-file", "-e"])
            .arg(format!("{sha}^{{commit}}"))
            .in_clone(clone_dir);
        Ok(self
            .git
            .run_expecting(git_command, &[0, 1, 128])
            .await?
            .exit_code
            == 0)
    }

    /// Whether one commit is another or an ancestor of it. What the clone does not have is no ancestor.
    pub(crate) async fn is_ancestor(
        &self,
        clone_dir: &Path,
        old: &Sha,
        new: &Sha,
    ) -> Result<bool, GitError> {
        let git_command =
            GitCommand::new(["merge-base", "--is-ancestor", old.as_str(), new.as_str()])
                .in_clone(clone_dir);
        Ok(self
            .git
            .run_expecting(git_command, &[0, 1, 128])
            .await?
            .exit_code
            == 0)
    }

    /// The object that a name of git's means; none when there is no such.
    pub(crate) async fn resolve_revision(
        &self,
        clone_dir: &Path,
        name: &str,
    ) -> Result<Option<Sha>, GitError> {
        let git_command =
            GitCommand::new(["rev-parse", "--verify", "--quiet", "--end-of-options", name])
                .in_clone(clone_dir);
        let output = self.git.run_expecting(git_command, &[0, 1, 128]).await?;
        if output.exit_code == 0 {
            parse_sha("rev-parse", &output.stdout_line()).map(Some)
        } else {
            Ok(None)
        }
    }

    /// What lies at a path of a commit: the entry itself, or with `below` all files in it.
    pub(crate) async fn tree_entries(
        &self,
        clone_dir: &Path,
        commit: &Sha,
        path: &str,
        recursive: bool,
    ) -> Result<Vec<TreeEntry>, GitError> {
        let mut git_command = GitCommand::new(["ls-tree", "-z", "-l", "--full-tree"]);
        if recursive {
            git_command = git_command.arg("-r");
        }
        git_command = git_command.arg(commit.as_str());
        if !path.is_empty() {
            git_command = git_command.arg("--").arg(path);
        }
        let output = self.git.run(git_command.in_clone(clone_dir)).await?;
        plumbing_output::parse_entries(&output.stdout).ok_or_else(|| unexpected_output("ls-tree"))
    }

    /// Every path of a commit that is UTF-8, sorted.
    pub(crate) async fn list_paths_at(
        &self,
        clone_dir: &Path,
        commit: &Sha,
    ) -> Result<Vec<String>, GitError> {
        let git_command = GitCommand::new(["ls-tree", "-r", "-z", "--name-only", "--full-tree"])
            .arg(commit.as_str())
            .in_clone(clone_dir);
        let output = self.git.run(git_command).await?;
        let mut paths: Vec<String> = plumbing_output::nul_fields(&output.stdout)
            .filter_map(|path| std::str::from_utf8(path).ok())
            .map(str::to_string)
            .collect();
        paths.sort_unstable();
        Ok(paths)
    }

    /// The contents of blobs, in order.
    pub(crate) async fn read_blobs(
        &self,
        clone_dir: &Path,
        ids: &[&str],
    ) -> Result<Vec<Vec<u8>>, GitError> {
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let request: String = ids.iter().map(|id| format!("{id}\n")).collect();
        let git_command = GitCommand::new(["cat-file", "--batch"])
            .in_clone(clone_dir)
            .input(request.into_bytes());
        let out = self.git.run(git_command).await?.stdout;
        let mut rest = out.as_slice();
        let mut found = Vec::with_capacity(ids.len());
        for _ in ids {
            let (blob, after) = batch_record(rest).ok_or_else(|| unexpected_output("cat-file"))?;
            found.push(blob.to_vec());
            rest = after;
        }
        Ok(found)
    }

    /// What differs between two trees, without lines.
    pub(crate) async fn tree_changes(
        &self,
        clone_dir: &Path,
        old: &Sha,
        new: &Sha,
        renames: bool,
    ) -> Result<Vec<TreeChange>, GitError> {
        let git_command = GitCommand::new(["diff-tree", "-r", "--raw", "-z", "--no-abbrev"])
            .arg(if renames {
                "--find-renames"
            } else {
                "--no-renames"
            })
            .arg(old.as_str())
            .arg(new.as_str());
        let output = self.git.run(git_command.in_clone(clone_dir)).await?;
        plumbing_output::parse_changes(&output.stdout).ok_or_else(|| unexpected_output("diff-tree"))
    }
}

/// The first content of a `cat-file --batch` output, and what follows it.
fn batch_record(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = bytes.iter().position(|byte| *byte == b'\n')?;
    let head = std::str::from_utf8(&bytes[..end]).ok()?;
    let size: usize = head.rsplit(' ').next()?.parse().ok()?;
    let body = &bytes[end + 1..];
    let after = body.get(size..)?.strip_prefix(b"\n")?;
    Some((&body[..size], after))
}
