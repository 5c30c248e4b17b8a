//! What a pull request changes, by lines, and files as of a commit.

use crate::Worktrees;
use crate::git_command::command_error;
use crate::known_diffs::DiffKey;
use crate::layout::WorktreePaths;
use crate::object_reader::{damaged, unexpected_output};
use crate::patch::{FilePatch, PatchReader};
use crate::plumbing_output::{self, TreeChange};
use collie_core::ids::Sha;
use collie_engine::ports::{
    CleanWorktree, DiffFile, GitError, GitRemote, LineRange, PullRef, path_in_worktree,
};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// A file of the rules folder that is larger is left out.
const MAX_LISTED_FILE_BYTES: u64 = 1 << 20;
/// No more bytes than these are listed in all.
const MAX_LISTED_BYTES: u64 = 16 << 20;

impl Worktrees {
    /// See the port.
    pub(crate) async fn diff_worktree(
        &self,
        worktree: &CleanWorktree,
        base: &Sha,
    ) -> Result<Vec<DiffFile>, GitError> {
        let worktree_paths = self.prepared_worktree_paths(worktree)?;
        let commits = [base, worktree.merge_base(), worktree.head()];
        let cell = self
            .diffs
            .cell(DiffKey::new(&worktree_paths.clone_dir, commits));
        let diff = cell.get_or_try_init(|| self.read_diff(&worktree_paths, commits));
        diff.await.cloned()
    }

    async fn read_diff(
        &self,
        worktree_paths: &WorktreePaths,
        [base, merge_base, head]: [&Sha; 3],
    ) -> Result<Vec<DiffFile>, GitError> {
        let pairs = self.file_patches(worktree_paths, merge_base, head).await?;
        let reasons = self
            .unshown_reasons(&worktree_paths.clone_dir, base, &pairs)
            .await?;
        Ok(pairs
            .into_iter()
            .zip(reasons)
            .map(|((change, section), unshown)| DiffFile {
                unshown,
                ..diff_file(change, section)
            })
            .collect())
    }

    /// See the port.
    pub(crate) async fn read_changed_lines_since(
        &self,
        worktree: &CleanWorktree,
        since: &Sha,
    ) -> Result<Option<BTreeMap<String, Vec<LineRange>>>, GitError> {
        let worktree_paths = self.prepared_worktree_paths(worktree)?;
        if !self.has_commit(&worktree_paths.clone_dir, since).await? {
            return Ok(None);
        }
        self.complete_earlier(worktree, &worktree_paths.clone_dir, since)
            .await?;
        let pairs = self
            .file_patches(&worktree_paths, since, worktree.head())
            .await?;
        let files = pairs
            .into_iter()
            .map(|(change, section)| diff_file(change, section));
        Ok(Some(files.map(|file| (file.path, file.changed)).collect()))
    }

    /// See the port.
    pub(crate) async fn read_changed_paths_at(
        &self,
        worktree: &CleanWorktree,
        commit: &Sha,
        base: &Sha,
    ) -> Result<Option<BTreeSet<String>>, GitError> {
        let clone_dir = self.prepared_worktree_paths(worktree)?.clone_dir;
        if !self.has_commit(&clone_dir, commit).await? {
            return Ok(None);
        }
        let parted = self.merge_base(&clone_dir, base, commit).await?;
        let changes = self
            .tree_changes(&clone_dir, &parted, commit, false)
            .await?;
        let paths = changes.iter().filter_map(TreeChange::text_path);
        Ok(Some(paths.map(str::to_owned).collect()))
    }

    /// See the port.
    pub(crate) async fn read_patch_of(
        &self,
        worktree: &CleanWorktree,
        commit: &Sha,
        max: usize,
    ) -> Result<Option<String>, GitError> {
        let worktree_paths = self.prepared_worktree_paths(worktree)?;
        if !self.has_commit(&worktree_paths.clone_dir, commit).await? {
            return Ok(None);
        }
        self.complete_earlier(worktree, &worktree_paths.clone_dir, commit)
            .await?;
        if let Some(parent) = self
            .resolve_revision(&worktree_paths.clone_dir, &format!("{commit}^"))
            .await?
        {
            self.complete_earlier(worktree, &worktree_paths.clone_dir, &parent)
                .await?;
        }
        let git_command = worktree_paths.command([
            "diff-tree",
            "-r",
            "-p",
            "-U3",
            "--no-commit-id",
            "--no-color",
            "--no-ext-diff",
            "--no-textconv",
            commit.as_str(),
        ]);
        let mut patch = Vec::new();
        let mut keep = |bytes: &[u8]| {
            let room = max.saturating_sub(patch.len());
            patch.extend_from_slice(&bytes[..bytes.len().min(room)]);
        };
        let output = self.git.stream(git_command, &mut keep).await?;
        if output.exit_code != 0 {
            return Err(command_error("diff-tree", "the clone", &output.stderr));
        }
        Ok(Some(String::from_utf8_lossy(&patch).into_owned()))
    }

    /// Each changed path with its lines. Two outputs are laid side by side, since one names paths exactly and the
    /// other has the lines; their order is the same.
    async fn file_patches(
        &self,
        worktree_paths: &WorktreePaths,
        old: &Sha,
        new: &Sha,
    ) -> Result<Vec<(TreeChange, FilePatch)>, GitError> {
        let changes = self
            .tree_changes(&worktree_paths.clone_dir, old, new, true)
            .await?;
        let git_command = worktree_paths.command([
            "diff-tree",
            "-r",
            "--find-renames",
            "-p",
            "-U3",
            "--inter-hunk-context=0",
            "--diff-algorithm=myers",
            "--no-color",
            "--no-ext-diff",
            "--no-textconv",
            "--submodule=short",
            "--ignore-submodules=none",
            old.as_str(),
            new.as_str(),
        ]);
        let mut reader = PatchReader::default();
        let output = self
            .git
            .stream(git_command, &mut |bytes| reader.feed(bytes))
            .await?;
        if output.exit_code != 0 {
            return Err(command_error("diff-tree", "the clone", &output.stderr));
        }
        let mut sections = reader
            .finish()
            .ok_or_else(|| unexpected_output("diff-tree"))?
            .into_iter();
        let mut pairs = Vec::with_capacity(changes.len());
        for change in changes {
            // A file that became a link, or the other way round, is shown as removed and added.
            let first = sections.next();
            let section = if change.status == b'T' {
                sections.next()
            } else {
                first
            };
            pairs.push((
                change,
                section.ok_or_else(|| unexpected_output("diff-tree"))?,
            ));
        }
        if sections.next().is_some() {
            Err(unexpected_output("diff-tree"))
        } else {
            Ok(pairs)
        }
    }

    /// See the port.
    pub(crate) async fn read_file_at(
        &self,
        clone_dir: &Path,
        commit: &Sha,
        path: &str,
        max: u64,
    ) -> Result<Option<Vec<u8>>, GitError> {
        if path_in_worktree(Path::new("/"), path).is_none() || path.ends_with('/') {
            return Ok(None);
        }
        self.read_file_of(clone_dir, commit, path, max).await
    }

    /// See the port.
    pub(crate) async fn read_files_at(
        &self,
        pull: &PullRef,
        remote: &GitRemote,
        commit: &Sha,
        folder: &str,
    ) -> Result<Vec<(String, Vec<u8>)>, GitError> {
        let folder = folder.trim_matches('/');
        if !folder.is_empty() && path_in_worktree(Path::new("/"), folder).is_none() {
            return Ok(Vec::new());
        }
        let clone_dir = self.clone_path(&pull.id);
        {
            let lock = self.clone_lock(&clone_dir);
            let mut intact = lock.lock().await;
            self.open_clone(&clone_dir, &mut intact).await?;
            self.fetch_commit(&clone_dir, pull, remote, commit).await?;
            self.complete_path(&clone_dir, &remote.url, commit, folder)
                .await?;
            *intact = true;
        }
        let mut bytes_left = MAX_LISTED_BYTES;
        let mut names = Vec::new();
        let mut ids = Vec::new();
        let entries = self.entries_below(&clone_dir, commit, folder).await?;
        let sizes = self.object_sizes(&clone_dir, &entries).await?;
        for (entry, size) in entries.iter().zip(sizes) {
            let Ok(path) = std::str::from_utf8(&entry.path) else {
                continue;
            };
            if !plumbing_output::is_file_mode(entry.mode) {
                continue;
            }
            let size = size.ok_or_else(|| damaged("an object is not there"))?;
            if size <= MAX_LISTED_FILE_BYTES && size <= bytes_left {
                bytes_left -= size;
                names.push(path.to_string());
                ids.push(entry.id.as_str());
            }
        }
        Ok(names
            .into_iter()
            .zip(self.read_blobs(&clone_dir, &ids).await?)
            .collect())
    }
}

fn diff_file(change: TreeChange, section: FilePatch) -> DiffFile {
    let plain_name = std::str::from_utf8(&change.path).is_ok();
    let opaque = section.binary || !change.is_regular() || !plain_name;
    let lines = |ranges: Vec<LineRange>| if opaque { Vec::new() } else { ranges };
    DiffFile {
        path: String::from_utf8_lossy(&change.path).into_owned(),
        old_path: change
            .old_path
            .as_deref()
            .map(|path| String::from_utf8_lossy(path).into_owned()),
        deleted: change.status == b'D',
        added: change.status == b'A',
        opaque,
        unshown: None,
        changed: lines(section.changed),
        shown: lines(section.shown),
    }
}
