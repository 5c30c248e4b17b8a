//! Clones without the files of old commits: those of the commits that are worked on are fetched in one batch (0023).
//!
//! The clone's own configuration says nothing of this, so no call but these fetches ever asks a remote for what is missing.

use crate::Worktrees;
use crate::fetch_command::{FETCH, without_blobs};
use crate::git_command::{GitCommand, GitOutput, command_error};
use crate::io_error::io_error;
use crate::plumbing_output::{is_file_mode, is_link_mode};
use collie_core::ids::Sha;
use collie_engine::ports::{CleanWorktree, DiskLimit, GitError};
use std::io::Write as _;
use std::path::Path;
use tokio_util::sync::CancellationToken;

impl Worktrees {
    /// Fetches the files of these commits that a partial clone lacks, in one batch; its lock is held. Nothing is done in a whole clone.
    pub(crate) async fn complete_commits(
        &self,
        clone_dir: &Path,
        url: &str,
        commits: &[&Sha],
    ) -> Result<(), GitError> {
        let is_known = |commit: &&Sha| self.complete.has(clone_dir, commit);
        if !self.git.options().partial_clone || commits.iter().all(is_known) {
            return Ok(());
        }
        let missing = self.missing_blobs(clone_dir, commits).await?;
        self.fetch_blobs(clone_dir, url, commits, &missing).await?;
        self.complete.add(clone_dir, commits);
        Ok(())
    }

    /// As [`Worktrees::complete_commits`], for a commit of the branch that was looked at before. Takes the clone's lock.
    pub(crate) async fn complete_earlier(
        &self,
        worktree: &CleanWorktree,
        clone_dir: &Path,
        commit: &Sha,
    ) -> Result<(), GitError> {
        if !self.git.options().partial_clone || self.complete.has(clone_dir, commit) {
            return Ok(());
        }
        let lock = self.clone_lock(clone_dir);
        let mut intact = lock.lock().await;
        let remote = worktree.remote();
        let url = match remote.deleted_fork {
            Some(_) => &remote.url,
            None => &remote.head_url,
        };
        // Should this be dropped half-way, what it leaves is removed before the clone is written to again.
        *intact = false;
        self.complete_commits(clone_dir, url, &[commit]).await?;
        *intact = true;
        Ok(())
    }

    /// As [`Worktrees::complete_commits`], for one path of a commit.
    pub(crate) async fn complete_path(
        &self,
        clone_dir: &Path,
        url: &str,
        commit: &Sha,
        path: &str,
    ) -> Result<(), GitError> {
        if !self.git.options().partial_clone || self.complete.has(clone_dir, commit) {
            return Ok(());
        }
        let mut entries = self.entries_below(clone_dir, commit, path).await?;
        // The commit of a submodule is in no repository of ours.
        entries.retain(|entry| is_file_mode(entry.mode) || is_link_mode(entry.mode));
        let sizes = self.object_sizes(clone_dir, &entries).await?;
        let missing = entries
            .into_iter()
            .zip(sizes)
            .filter(|(_, size)| size.is_none());
        let missing: Vec<String> = missing.map(|(entry, _)| entry.id).collect();
        self.fetch_blobs(clone_dir, url, &[commit], &missing).await
    }

    /// The files of commits that are not in the clone. Each counts once, however often folders name it.
    async fn missing_blobs(
        &self,
        clone_dir: &Path,
        commits: &[&Sha],
    ) -> Result<Vec<String>, GitError> {
        let limit = self.git.options().disk_limits.now().checkout_files;
        let mut list = GitCommand::new(["rev-list", "--objects", "--no-walk", "--missing=print"]);
        for commit in commits {
            list = list.arg(commit.as_str());
        }
        let mut lines = MissingLines::default();
        let enough = CancellationToken::new();
        let mut sink = |bytes: &[u8]| {
            lines.feed(bytes);
            if lines.ids.len() as u64 > limit {
                enough.cancel();
            }
        };
        let list = list.in_clone(clone_dir);
        let listed = self.git.stream_until(list, &mut sink, Some(&enough)).await;
        if lines.ids.len() as u64 > limit {
            let limit = DiskLimit::CheckoutFiles(limit);
            return Err(GitError::CheckoutTooLarge { limit });
        }
        match listed? {
            GitOutput { exit_code: 0, .. } => Ok(lines.ids),
            GitOutput { stderr, .. } => Err(command_error("rev-list", "the clone", &stderr)),
        }
    }

    /// Fetches files in one batch, or everything from a remote that gives no single ones.
    pub(crate) async fn fetch_blobs(
        &self,
        clone_dir: &Path,
        url: &str,
        commits: &[&Sha],
        ids: &[String],
    ) -> Result<(), GitError> {
        if ids.is_empty() {
            return Ok(());
        }
        match self.fetch_batch(clone_dir, url, ids).await {
            Err(GitError::Failed { message, .. }) => {
                tracing::info!(
                    message,
                    "the remote gives no single files; everything is fetched"
                );
                self.fetch_everything(clone_dir, url, commits).await
            }
            fetched => fetched,
        }
    }

    async fn fetch_batch(
        &self,
        clone_dir: &Path,
        url: &str,
        ids: &[String],
    ) -> Result<(), GitError> {
        let what = "the list of files to fetch could not be written";
        let mut list =
            tempfile::NamedTempFile::new_in(clone_dir.join("collie")).map_err(io_error(what))?;
        for id in ids {
            writeln!(list, "{id}").map_err(io_error(what))?;
        }
        list.flush().map_err(io_error(what))?;
        // The files are named one by one: what is there says nothing about them.
        let fetch = without_blobs(FETCH.iter().copied().chain(["--stdin"]), url)
            .setting("fetch.negotiationAlgorithm", "noop")
            .input_file(list.path());
        self.run_fetch(clone_dir, url, fetch, &[]).await?;
        Ok(())
    }
}

/// Picks the lines of missing objects out of what `rev-list --missing=print` prints.
#[derive(Default)]
struct MissingLines {
    line: Vec<u8>,
    ids: Vec<String>,
}

impl MissingLines {
    fn feed(&mut self, bytes: &[u8]) {
        for byte in bytes {
            match byte {
                b'\n' => {
                    if let Some(id) = self.line.strip_prefix(b"?") {
                        self.ids.push(String::from_utf8_lossy(id).into_owned());
                    }
                    self.line.clear();
                }
                // An id is no longer; what follows one is a path.
                byte if self.line.len() <= 64 => self.line.push(*byte),
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_files_are_told_from_all_others_wherever_the_output_is_cut() {
        let long = "x".repeat(500);
        let output = format!("aa\nbb a/?b {long}\n?cc\ndd ?ee\n?ff\n");
        for step in [1, 3, 1_000] {
            let mut lines = MissingLines::default();
            for piece in output.as_bytes().chunks(step) {
                lines.feed(piece);
            }
            assert_eq!(lines.ids, ["cc", "ff"]);
        }
    }
}
