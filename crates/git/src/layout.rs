//! Where clones and worktrees lie, and how they are made whole again after a crash or after an agent meddled.

use crate::Worktrees;
use crate::complete_commits::is_partial;
use crate::git_command::GitCommand;
use crate::io_error::io_error;
use collie_core::ids::{LoopId, Sha};
use collie_engine::ports::{CleanWorktree, GitError, WorktreePurpose};
use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The whole configuration of a clone. It is written anew before each use, so that nothing an agent adds to it counts.
const CLONE_CONFIG: &str =
    "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = true\n";
/// What a clone's own HEAD says: a branch that is never made.
const CLONE_HEAD: &str = "ref: refs/heads/collie\n";
/// Files go in and out byte for byte, and whether one is text its content says: these win over every `.gitattributes` (no filters, no line
/// end conversion, no diff drivers; macros included, since an attribute that is settled here is not looked up again).
const CLONE_ATTRIBUTES: &str =
    "* !text !eol !crlf !filter !ident !working-tree-encoding !merge !conflict-marker-size !diff\n";

/// The paths of one pull request's worktree.
pub(crate) struct WorktreePaths {
    /// The bare clone.
    pub(crate) clone_dir: PathBuf,
    /// The folder with the files.
    pub(crate) work_dir: PathBuf,
    /// git's own folder of the worktree, in the clone.
    pub(crate) git_dir: PathBuf,
    /// A copy of the index that no agent is told of: what the worktree is judged by.
    pub(crate) trusted_index: PathBuf,
}

impl WorktreePaths {
    /// A call that works on the worktree with its own index.
    pub(crate) fn command<const N: usize>(&self, args: [&str; N]) -> GitCommand {
        self.command_with_index(args, &self.git_dir.join("index"))
    }

    /// A call that works on the worktree with another index.
    pub(crate) fn command_with_index<const N: usize>(
        &self,
        args: [&str; N],
        index: &Path,
    ) -> GitCommand {
        GitCommand::new(args)
            .env("GIT_DIR", &self.git_dir)
            .env("GIT_COMMON_DIR", &self.clone_dir)
            .env("GIT_WORK_TREE", &self.work_dir)
            .env("GIT_INDEX_FILE", index)
            .in_folder(&self.work_dir, "the worktree")
    }

    /// What the worktree's `.git` file says.
    pub(crate) fn dot_git(&self) -> Vec<u8> {
        let mut text = b"gitdir: ".to_vec();
        text.extend_from_slice(self.git_dir.as_os_str().as_encoded_bytes());
        text.push(b'\n');
        text
    }
}

/// A folder name for any text, that differs for different texts and leads nowhere else. It has no `%`: agents that hand
/// paths on in URLs take it for an escape.
pub(crate) fn folder_name(text: &str) -> String {
    let mut name = String::new();
    for byte in text.bytes() {
        let plain = byte.is_ascii_alphanumeric()
            || matches!(byte, b'-' | b'_')
            || (byte == b'.' && !name.is_empty());
        if plain {
            name.push(char::from(byte));
        } else {
            name.push_str(&format!("~{byte:02X}"));
        }
    }
    if name.is_empty() { "~".into() } else { name }
}

/// Where the worktrees of a repository's pull requests are, below the same folder.
pub(crate) fn worktrees_dir(root: &Path, id: &LoopId) -> PathBuf {
    root.join("worktrees")
        .join(folder_name(&id.host))
        .join(folder_name(&id.repo_id))
}

/// How the names of a pull request's worktrees begin.
pub(crate) fn worktree_name_prefix(id: &LoopId) -> String {
    format!("pr-{}-", id.number)
}

/// Where the clone of a pull request's repository is, below the folder for clones.
pub(crate) fn clone_path_below(root: &Path, id: &LoopId) -> PathBuf {
    root.join("clones")
        .join(folder_name(&id.host))
        .join(format!("{}.git", folder_name(&id.repo_id)))
}

impl Worktrees {
    /// Where the clone of a pull request's repository is.
    pub(crate) fn clone_path(&self, id: &LoopId) -> PathBuf {
        clone_path_below(&self.root, id)
    }

    /// Where a worktree of a pull request is.
    pub(crate) fn worktree_paths(
        &self,
        id: &LoopId,
        purpose: WorktreePurpose<'_>,
    ) -> WorktreePaths {
        let prefix = worktree_name_prefix(id);
        self.worktree_paths_named(
            id,
            &match purpose {
                WorktreePurpose::Review(whose) => format!("{prefix}review-{}", folder_name(whose)),
                WorktreePurpose::Fix => format!("{prefix}fix"),
            },
        )
    }

    fn worktree_paths_named(&self, id: &LoopId, name: &str) -> WorktreePaths {
        let clone_dir = self.clone_path(id);
        WorktreePaths {
            work_dir: worktrees_dir(&self.root, id).join(name),
            git_dir: clone_dir.join("worktrees").join(name),
            trusted_index: clone_dir.join("collie").join(format!("{name}.index")),
            clone_dir,
        }
    }

    /// All worktrees that there are of a pull request, also of reviewers that are on no panel any more and of earlier
    /// versions.
    pub(crate) fn all_worktree_paths(&self, id: &LoopId) -> Result<Vec<WorktreePaths>, GitError> {
        let clone_dir = self.clone_path(id);
        let mut found = BTreeSet::new();
        for (folder, end) in [
            (worktrees_dir(&self.root, id), ""),
            (clone_dir.join("worktrees"), ""),
            (clone_dir.join("collie"), ".index"),
        ] {
            let entries = match fs::read_dir(&folder) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                entries => entries.map_err(io_error("the worktrees could not be listed"))?,
            };
            for entry in entries.flatten() {
                let name = entry.file_name();
                let name = name.to_str().and_then(|name| name.strip_suffix(end));
                found.extend(
                    name.filter(|name| name.starts_with(&worktree_name_prefix(id)))
                        .map(str::to_string),
                );
            }
        }
        Ok(found
            .iter()
            .map(|name| self.worktree_paths_named(id, name))
            .collect())
    }

    /// The paths of a worktree that was prepared.
    pub(crate) fn prepared_worktree_paths(
        &self,
        worktree: &CleanWorktree,
    ) -> Result<WorktreePaths, GitError> {
        let id = &worktree.pull().id;
        let name = worktree.path().file_name().and_then(|name| name.to_str());
        let worktree_paths = name
            .filter(|name| name.starts_with(&worktree_name_prefix(id)))
            .map(|name| self.worktree_paths_named(id, name))
            .filter(|spot| spot.work_dir == worktree.path())
            .ok_or(GitError::WorktreeGone)?;
        restore_clone_config(&worktree_paths.clone_dir)?;
        Ok(worktree_paths)
    }

    /// Makes the clone when it is not there. It is made elsewhere and moved, so that it is whole or absent.
    pub(crate) async fn ensure_clone(&self, clone_dir: &Path) -> Result<(), GitError> {
        let is_whole = clone_dir.join("HEAD").is_file() && clone_dir.join("objects").is_dir();
        // One that lacks files is of no use where all are needed: for agents, which read the history, and for merges.
        let lacks_files = !self.git.options().partial_clone && is_partial(clone_dir);
        if !is_whole || lacks_files {
            self.cat_files.close(clone_dir).await;
            self.complete.forget(clone_dir);
            let what = "the clone could not be made";
            self.discard(clone_dir)?;
            let parent = clone_dir.parent().unwrap_or(&self.root);
            fs::create_dir_all(parent).map_err(io_error(what))?;
            let temp = tempfile::Builder::new()
                .prefix(".new-")
                .tempdir_in(self.trash_dir())
                .map_err(io_error(what))?;
            let bare = temp.path().join("bare.git");
            self.git
                .run(GitCommand::new(["init", "--bare", "--quiet", "--template="]).arg(&bare))
                .await?;
            fs::rename(&bare, clone_dir).map_err(io_error(what))?;
        }
        restore_clone_config(clone_dir)
    }

    /// Makes the folders of a worktree, or puts right what is wrong with them. The files come later.
    pub(crate) fn ensure_worktree(
        &self,
        worktree_paths: &WorktreePaths,
        head: &Sha,
    ) -> Result<(), GitError> {
        let what = "the worktree could not be made";
        if !is_real_dir(&worktree_paths.work_dir) {
            self.discard(&worktree_paths.work_dir)?;
            fs::create_dir_all(&worktree_paths.work_dir).map_err(io_error(what))?;
        }
        if !is_real_dir(&worktree_paths.git_dir) {
            self.discard(&worktree_paths.git_dir)?;
            fs::create_dir_all(&worktree_paths.git_dir).map_err(io_error(what))?;
        }
        remove_locks(&worktree_paths.git_dir);
        for leftover in [
            "CHERRY_PICK_HEAD",
            "REVERT_HEAD",
            "MERGE_HEAD",
            "MERGE_MSG",
            "rebase-merge",
            "rebase-apply",
            "sequencer",
            "config.worktree",
            "info",
            "locked",
        ] {
            self.discard(&worktree_paths.git_dir.join(leftover))?;
        }
        let mut gitdir = worktree_paths
            .work_dir
            .join(".git")
            .into_os_string()
            .into_encoded_bytes();
        gitdir.push(b'\n');
        self.write_plain_file(&worktree_paths.git_dir.join("commondir"), b"../..\n")
            .map_err(io_error(what))?;
        self.write_plain_file(&worktree_paths.git_dir.join("gitdir"), &gitdir)
            .map_err(io_error(what))?;
        self.write_plain_file(
            &worktree_paths.git_dir.join("HEAD"),
            format!("{head}\n").as_bytes(),
        )
        .map_err(io_error(what))?;
        self.write_plain_file(
            &worktree_paths.work_dir.join(".git"),
            &worktree_paths.dot_git(),
        )
        .map_err(io_error(what))?;
        self.discard(&worktree_paths.git_dir.join("index"))?;
        if worktree_paths.trusted_index.is_file() {
            copy_index(
                &worktree_paths.trusted_index,
                &worktree_paths.git_dir.join("index"),
            )
            .map_err(io_error(what))?;
        }
        Ok(())
    }

    /// Writes a file that nothing else may stand in for: not a link, not a folder.
    pub(crate) fn write_plain_file(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        let same = fs::symlink_metadata(path)
            .is_ok_and(|meta| meta.is_file() && meta.len() == bytes.len() as u64)
            && fs::read(path).is_ok_and(|found| found == bytes);
        if same {
            return Ok(());
        }
        self.discard(path).map_err(io::Error::other)?;
        fs::write(path, bytes)
    }

    /// Where things go to be deleted.
    pub(crate) fn trash_dir(&self) -> PathBuf {
        self.root.join("trash")
    }

    /// Removes a file or folder with all that is in it; it is gone at once, even if a process still writes to it.
    pub(crate) fn discard(&self, path: &Path) -> Result<(), GitError> {
        let what = "a leftover could not be removed";
        match fs::symlink_metadata(path) {
            Err(_) => return Ok(()),
            Ok(meta) if !meta.is_dir() => return fs::remove_file(path).map_err(io_error(what)),
            Ok(_) => {}
        }
        let trash_slot = tempfile::Builder::new()
            .prefix(".old-")
            .tempdir_in(self.trash_dir())
            .map_err(io_error(what))?;
        let moved = trash_slot.path().join("it");
        make_writable(path);
        fs::rename(path, &moved).map_err(io_error(what))?;
        if fs::remove_dir_all(&moved).is_err() {
            make_tree_writable(&moved);
            // What still resists is tried again at the next start.
            let _ = fs::remove_dir_all(&moved);
        }
        Ok(())
    }

    /// Empties the trash of an earlier process.
    pub(crate) fn empty_trash(root: &Path) -> Result<(), GitError> {
        let trash = root.join("trash");
        if trash.is_dir() && fs::remove_dir_all(&trash).is_err() {
            make_tree_writable(&trash);
            let _ = fs::remove_dir_all(&trash);
        }
        fs::create_dir_all(&trash).map_err(io_error("the folder for clones could not be made"))
    }
}

/// Puts the clone's settings back to what they must be.
fn restore_clone_config(clone_dir: &Path) -> Result<(), GitError> {
    let what = "the clone's settings could not be written";
    for folder in ["info", "collie", "refs", "objects/pack"] {
        fs::create_dir_all(clone_dir.join(folder)).map_err(io_error(what))?;
    }
    for gone in [
        "config.worktree",
        "info/exclude",
        "info/grafts",
        "info/sparse-checkout",
    ] {
        match fs::remove_file(clone_dir.join(gone)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(io_error(what)(error));
            }
            Err(_) | Ok(()) => {}
        }
    }
    for (name, text) in [
        ("HEAD", CLONE_HEAD),
        ("config", CLONE_CONFIG),
        ("info/attributes", CLONE_ATTRIBUTES),
    ] {
        let path = clone_dir.join(name);
        if fs::read(&path).ok().as_deref() != Some(text.as_bytes()) {
            let temp = clone_dir
                .join("collie")
                .join(format!("{}.new", folder_name(name)));
            fs::write(&temp, text)
                .and_then(|()| fs::rename(&temp, &path))
                .map_err(io_error(what))?;
        }
    }
    Ok(())
}

/// Removes what a killed git left in a clone: locks, and packs that were being received. Nobody else works in it now.
pub(crate) fn remove_crash_leftovers(clone_dir: &Path) {
    remove_locks(clone_dir);
    let mut folders = vec![clone_dir.join("refs")];
    while let Some(folder) = folders.pop() {
        remove_locks(&folder);
        let Ok(entries) = fs::read_dir(&folder) else {
            continue;
        };
        folders.extend(
            entries
                .flatten()
                .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
                .map(|entry| entry.path()),
        );
    }
    remove_files(&clone_dir.join("objects").join("pack"), |name| {
        name.starts_with("tmp_")
    });
}

/// Removes the lock files of a folder, not of those below it.
pub(crate) fn remove_locks(folder: &Path) {
    remove_files(folder, |name| name.ends_with(".lock"));
}

fn remove_files(folder: &Path, which: impl Fn(&str) -> bool) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        if which(&entry.file_name().to_string_lossy()) {
            tracing::info!(file = %entry.file_name().to_string_lossy(), "removed a leftover of a killed git");
            // Where it cannot be removed, git will say so.
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Copies an index with its time, by which git tells files that changed in the instant it was written.
pub(crate) fn copy_index(from: &Path, to: &Path) -> io::Result<()> {
    let time = fs::metadata(from)?.modified()?;
    let folder = to
        .parent()
        .ok_or_else(|| io::Error::other("an index lies in a folder"))?;
    let mut temp = tempfile::NamedTempFile::new_in(folder)?;
    io::copy(&mut fs::File::open(from)?, &mut temp)?;
    temp.as_file().set_modified(time)?;
    temp.persist(to)?;
    Ok(())
}

pub(crate) fn is_real_dir(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|meta| meta.is_dir())
}

pub(crate) use collie_platform::make_owner_writable as make_writable;

/// Gives the owner all rights on every folder below, links not followed: tools leave read-only ones behind.
fn make_tree_writable(folder: &Path) {
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        make_writable(&folder);
        let Ok(entries) = fs::read_dir(&folder) else {
            continue;
        };
        folders.extend(
            entries
                .flatten()
                .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
                .map(|entry| entry.path()),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_text_becomes_one_safe_folder_name() {
        for (text, expect) in [
            ("github.com", "github.com"),
            ("127.0.0.1:4000", "127.0.0.1~3A4000"),
            ("R_kgDO=", "R_kgDO~3D"),
            ("..", "~2E."),
            (".git", "~2Egit"),
            ("a/../b", "a~2F..~2Fb"),
            ("a%b~", "a~25b~7E"),
            ("é", "~C3~A9"),
            ("", "~"),
        ] {
            assert_eq!(folder_name(text), expect);
        }
    }
}
