//! Reads commits, trees and files of a clone.

use crate::Worktrees;
use crate::cat_file::{FoundObject, ObjectPart};
use crate::git_command::{GitCommand, MAX_STDOUT_BYTES};
use crate::plumbing_output::{self, TreeChange, TreeEntry};
use collie_core::ids::Sha;
use collie_engine::ports::GitError;
use std::path::Path;

/// A folder whose listing is larger is not looked into.
const MAX_TREE_BYTES: u64 = 64 << 20;
/// No more files and folders than these are listed at once: a few objects may name each other's content without end.
const MAX_ENTRIES: usize = 100_000;

/// How many bytes an id has in a folder.
fn id_bytes(commit: &Sha) -> usize {
    commit.as_str().len() / 2
}

/// A clone that lacks what it should have.
pub(crate) fn damaged(message: &str) -> GitError {
    GitError::Failed {
        command: "cat-file".into(),
        location: "the clone".into(),
        message: message.into(),
    }
}

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
        let name = format!("{sha}^{{commit}}");
        Ok(self.resolve_revision(clone_dir, &name).await?.is_some())
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
        let found = self.read_object(clone_dir, name, ObjectPart::WholeUpTo(0));
        let found = found.await?;
        found
            .map(|object| parse_sha("cat-file", &object.id))
            .transpose()
    }

    /// A file of a commit, when it is a regular one of no more than `max` bytes. Folder by folder, so that no name is ever taken for anything
    /// but a name, and no link is followed.
    pub(crate) async fn read_file_of(
        &self,
        clone_dir: &Path,
        commit: &Sha,
        path: &str,
        max: u64,
    ) -> Result<Option<Vec<u8>>, GitError> {
        match self.entry_at(clone_dir, commit, path).await? {
            Some((mode, id)) if plumbing_output::is_file_mode(mode) => {
                let part = ObjectPart::WholeUpTo(max);
                let blob = self.read_object(clone_dir, &id, part).await?;
                Ok(blob.ok_or_else(|| damaged("an object is not there"))?.bytes)
            }
            Some(_) | None => Ok(None),
        }
    }

    /// Mode and id of what lies at a path of a commit.
    async fn entry_at(
        &self,
        clone_dir: &Path,
        commit: &Sha,
        path: &str,
    ) -> Result<Option<(u32, String)>, GitError> {
        let mut folder = format!("{commit}^{{tree}}");
        let mut parts = path.split('/').peekable();
        while let Some(part) = parts.next() {
            let tree = self.read_trees(clone_dir, &[folder]).await?;
            let tree = tree.into_iter().next().unwrap_or_default();
            let entry = plumbing_output::find_in_tree(&tree, id_bytes(commit), part);
            let entry = entry.map_err(|()| unexpected_output("cat-file"))?;
            match entry {
                Some(found) if parts.peek().is_none() => return Ok(Some(found)),
                Some((mode, id)) if plumbing_output::is_tree_mode(mode) => folder = id,
                Some(_) | None => return Ok(None),
            }
        }
        Ok(None)
    }

    /// All that lies at or below a path of a commit but folders, sorted by path; without sizes, which files that are not there do not have.
    /// Read object by object: a process for it would take longer than most such folders do.
    pub(crate) async fn entries_below(
        &self,
        clone_dir: &Path,
        commit: &Sha,
        path: &str,
    ) -> Result<Vec<TreeEntry>, GitError> {
        let entry = |path: Vec<u8>, mode: u32, id: String| TreeEntry {
            mode,
            id,
            size: 0,
            path,
        };
        let mut found = Vec::new();
        let mut folders: Vec<(Vec<u8>, String)> = Vec::new();
        match self.entry_at(clone_dir, commit, path).await? {
            None if path.is_empty() => folders.push((Vec::new(), format!("{commit}^{{tree}}"))),
            None => {}
            Some((mode, id)) if plumbing_output::is_tree_mode(mode) => {
                folders.push((format!("{path}/").into_bytes(), id));
            }
            Some((mode, id)) => found.push(entry(path.as_bytes().to_vec(), mode, id)),
        }
        while !folders.is_empty() {
            let ids: Vec<String> = folders.iter().map(|(_, id)| id.clone()).collect();
            let trees = self.read_trees(clone_dir, &ids).await?;
            let mut below = Vec::new();
            for ((prefix, _), tree) in folders.iter().zip(trees) {
                let entries = plumbing_output::tree_entries_of(&tree, id_bytes(commit));
                for (mode, name, id) in entries.ok_or_else(|| unexpected_output("cat-file"))? {
                    let path = [prefix.as_slice(), name].concat();
                    match plumbing_output::is_tree_mode(mode) {
                        true => below.push(([path.as_slice(), b"/"].concat(), id)),
                        false => found.push(entry(path, mode, id)),
                    }
                }
            }
            if found.len() + below.len() > MAX_ENTRIES {
                return Err(damaged("a folder has too many files"));
            }
            folders = below;
        }
        found.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        Ok(found)
    }

    /// The sizes of entries in bytes; none of one that is not in the clone.
    pub(crate) async fn object_sizes(
        &self,
        clone_dir: &Path,
        entries: &[TreeEntry],
    ) -> Result<Vec<Option<u64>>, GitError> {
        let ids: Vec<String> = entries.iter().map(|entry| entry.id.clone()).collect();
        let found = self
            .read_objects(clone_dir, &ids, ObjectPart::WholeUpTo(0))
            .await?;
        let sizes = found
            .into_iter()
            .map(|object| object.map(|object| object.size));
        Ok(sizes.collect())
    }

    /// Folders as git keeps them, in order.
    async fn read_trees(
        &self,
        clone_dir: &Path,
        names: &[String],
    ) -> Result<Vec<Vec<u8>>, GitError> {
        let part = ObjectPart::WholeUpTo(MAX_TREE_BYTES);
        let trees = self.read_objects(clone_dir, names, part).await?;
        let bytes = trees.into_iter().map(|tree| {
            let tree = tree.ok_or_else(|| damaged("an object is not there"))?;
            tree.bytes
                .ok_or_else(|| damaged("a folder has too many entries"))
        });
        bytes.collect()
    }

    /// What there is of these names, in order; none for a name that git does not know. A name has no line feed.
    pub(crate) async fn read_objects(
        &self,
        clone_dir: &Path,
        names: &[String],
        part: ObjectPart,
    ) -> Result<Vec<Option<FoundObject>>, GitError> {
        self.cat_files
            .read_objects(&self.git, clone_dir, names, part)
            .await
    }

    async fn read_object(
        &self,
        clone_dir: &Path,
        name: &str,
        part: ObjectPart,
    ) -> Result<Option<FoundObject>, GitError> {
        let names = [name.to_owned()];
        let found = self.read_objects(clone_dir, &names, part).await?;
        Ok(found.into_iter().next().flatten())
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
        let names: Vec<String> = ids.iter().map(|id| (*id).to_owned()).collect();
        let part = ObjectPart::WholeUpTo(MAX_STDOUT_BYTES as u64);
        let found = self.read_objects(clone_dir, &names, part).await?;
        let bytes = found
            .into_iter()
            .map(|object| object.and_then(|object| object.bytes));
        bytes
            .collect::<Option<Vec<_>>>()
            .ok_or_else(|| damaged("an object is not there, or too large"))
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
