//! Where clones and worktrees lie, and how they are made whole again after a crash or after an agent meddled.

use crate::GitPlace;
use crate::call::Call;
use collie_core::ids::{LoopId, Sha};
use collie_engine::ports::{CleanWorktree, GitError, Purpose};
use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// The whole configuration of a clone. It is written anew before each use, so that nothing an agent adds to it counts.
const CONFIG: &str = "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = true\n";
/// What a clone's own HEAD says: a branch that is never made.
const HEAD: &str = "ref: refs/heads/collie\n";
/// Files go in and out byte for byte: these win over every `.gitattributes` (no filters, no line end conversion).
const ATTRIBUTES: &str = "* !text !eol !crlf !filter !ident !working-tree-encoding !merge\n";

/// The paths of one pull request's worktree.
pub(crate) struct Spot {
    /// The bare clone.
    pub(crate) clone: PathBuf,
    /// The folder with the files.
    pub(crate) tree: PathBuf,
    /// git's own folder of the worktree, in the clone.
    pub(crate) admin: PathBuf,
    /// A copy of the index that no agent is told of: what the worktree is judged by.
    pub(crate) index: PathBuf,
}

impl Spot {
    /// A call that works on the worktree with its own index.
    pub(crate) fn call<const N: usize>(&self, args: [&str; N]) -> Call {
        self.call_with_index(args, &self.admin.join("index"))
    }

    /// A call that works on the worktree with another index.
    pub(crate) fn call_with_index<const N: usize>(&self, args: [&str; N], index: &Path) -> Call {
        Call::new(args)
            .env("GIT_DIR", &self.admin)
            .env("GIT_COMMON_DIR", &self.clone)
            .env("GIT_WORK_TREE", &self.tree)
            .env("GIT_INDEX_FILE", index)
            .in_folder(&self.tree, "the worktree")
    }

    /// What the worktree's `.git` file says.
    pub(crate) fn dot_git(&self) -> Vec<u8> {
        let mut text = b"gitdir: ".to_vec();
        text.extend_from_slice(self.admin.as_os_str().as_encoded_bytes());
        text.push(b'\n');
        text
    }
}

/// A folder name for any text, that differs for different texts and leads nowhere else. It has no `%`: agents that hand
/// paths on in URLs take it for an escape.
pub(crate) fn segment(text: &str) -> String {
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

pub(crate) fn io_error(what: &str) -> impl FnOnce(io::Error) -> GitError + '_ {
    move |error| GitError::Io {
        what: what.to_string(),
        message: error.to_string(),
    }
}

/// Where the worktrees of a repository's pull requests are, below the same folder.
pub(crate) fn trees_below(root: &Path, id: &LoopId) -> PathBuf {
    root.join("worktrees")
        .join(segment(&id.host))
        .join(segment(&id.repo_id))
}

/// How the names of a pull request's worktrees begin.
pub(crate) fn names_of(id: &LoopId) -> String {
    format!("pr-{}-", id.number)
}

/// Where the clone of a pull request's repository is, below the folder for clones.
pub(crate) fn clone_below(root: &Path, id: &LoopId) -> PathBuf {
    root.join("clones")
        .join(segment(&id.host))
        .join(format!("{}.git", segment(&id.repo_id)))
}

impl GitPlace {
    /// Where the clone of a pull request's repository is.
    pub(crate) fn clone_of(&self, id: &LoopId) -> PathBuf {
        clone_below(&self.root, id)
    }

    /// Where a worktree of a pull request is.
    pub(crate) fn spot(&self, id: &LoopId, purpose: Purpose<'_>) -> Spot {
        let begin = names_of(id);
        self.spot_named(
            id,
            &match purpose {
                Purpose::Review(whose) => format!("{begin}review-{}", segment(whose)),
                Purpose::Fix => format!("{begin}fix"),
            },
        )
    }

    fn spot_named(&self, id: &LoopId, name: &str) -> Spot {
        let clone = self.clone_of(id);
        Spot {
            tree: trees_below(&self.root, id).join(name),
            admin: clone.join("worktrees").join(name),
            index: clone.join("collie").join(format!("{name}.index")),
            clone,
        }
    }

    /// All worktrees that there are of a pull request, also of reviewers that are on no panel any more and of earlier
    /// versions.
    pub(crate) fn spots(&self, id: &LoopId) -> Result<Vec<Spot>, GitError> {
        let clone = self.clone_of(id);
        let mut found = BTreeSet::new();
        for (folder, end) in [
            (trees_below(&self.root, id), ""),
            (clone.join("worktrees"), ""),
            (clone.join("collie"), ".index"),
        ] {
            let entries = match fs::read_dir(&folder) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                entries => entries.map_err(io_error("the worktrees could not be listed"))?,
            };
            for entry in entries.flatten() {
                let name = entry.file_name();
                let name = name.to_str().and_then(|name| name.strip_suffix(end));
                found.extend(
                    name.filter(|name| name.starts_with(&names_of(id)))
                        .map(str::to_string),
                );
            }
        }
        Ok(found.iter().map(|name| self.spot_named(id, name)).collect())
    }

    /// The paths of a worktree that was prepared.
    pub(crate) fn spot_of(&self, worktree: &CleanWorktree) -> Result<Spot, GitError> {
        let id = &worktree.pull.id;
        let name = worktree.path.file_name().and_then(|name| name.to_str());
        let spot = name
            .filter(|name| name.starts_with(&names_of(id)))
            .map(|name| self.spot_named(id, name))
            .filter(|spot| spot.tree == worktree.path)
            .ok_or_else(|| GitError::Io {
                what: "the worktree was not found".into(),
                message: "it is none of this data folder: prepare it again".into(),
            })?;
        guard_clone(&spot.clone)?;
        Ok(spot)
    }

    /// Makes the clone when it is not there. It is made elsewhere and moved, so that it is whole or absent.
    pub(crate) async fn ensure_clone(&self, clone: &Path) -> Result<(), GitError> {
        if !clone.join("HEAD").is_file() || !clone.join("objects").is_dir() {
            let what = "the clone could not be made";
            self.discard(clone)?;
            let parent = clone.parent().unwrap_or(&self.root);
            fs::create_dir_all(parent).map_err(io_error(what))?;
            let made = tempfile::Builder::new()
                .prefix(".new-")
                .tempdir_in(self.trash())
                .map_err(io_error(what))?;
            let bare = made.path().join("bare.git");
            self.caller
                .run(Call::new(["init", "--bare", "--quiet", "--template="]).arg(&bare))
                .await?;
            fs::rename(&bare, clone).map_err(io_error(what))?;
        }
        guard_clone(clone)
    }

    /// Makes the folders of a worktree, or puts right what is wrong with them. The files come later.
    pub(crate) fn ensure_worktree(&self, spot: &Spot, head: &Sha) -> Result<(), GitError> {
        let what = "the worktree could not be made";
        if !is_real_folder(&spot.tree) {
            self.discard(&spot.tree)?;
            fs::create_dir_all(&spot.tree).map_err(io_error(what))?;
        }
        if !is_real_folder(&spot.admin) {
            self.discard(&spot.admin)?;
            fs::create_dir_all(&spot.admin).map_err(io_error(what))?;
        }
        remove_locks(&spot.admin);
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
            self.discard(&spot.admin.join(leftover))?;
        }
        let mut gitdir = spot.tree.join(".git").into_os_string().into_encoded_bytes();
        gitdir.push(b'\n');
        self.put(&spot.admin.join("commondir"), b"../..\n")
            .map_err(io_error(what))?;
        self.put(&spot.admin.join("gitdir"), &gitdir)
            .map_err(io_error(what))?;
        self.put(&spot.admin.join("HEAD"), format!("{head}\n").as_bytes())
            .map_err(io_error(what))?;
        self.put(&spot.tree.join(".git"), &spot.dot_git())
            .map_err(io_error(what))?;
        self.discard(&spot.admin.join("index"))?;
        if spot.index.is_file() {
            copy_index(&spot.index, &spot.admin.join("index")).map_err(io_error(what))?;
        }
        Ok(())
    }

    /// Writes a file that nothing else may stand in for: not a link, not a folder.
    pub(crate) fn put(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
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
    pub(crate) fn trash(&self) -> PathBuf {
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
        let bin = tempfile::Builder::new()
            .prefix(".old-")
            .tempdir_in(self.trash())
            .map_err(io_error(what))?;
        let moved = bin.path().join("it");
        make_writable(path);
        fs::rename(path, &moved).map_err(io_error(what))?;
        if fs::remove_dir_all(&moved).is_err() {
            open_up(&moved);
            // What still resists is tried again at the next start.
            let _ = fs::remove_dir_all(&moved);
        }
        Ok(())
    }

    /// Empties the trash of an earlier process.
    pub(crate) fn empty_trash(root: &Path) -> Result<(), GitError> {
        let trash = root.join("trash");
        if trash.is_dir() && fs::remove_dir_all(&trash).is_err() {
            open_up(&trash);
            let _ = fs::remove_dir_all(&trash);
        }
        fs::create_dir_all(&trash).map_err(io_error("the folder for clones could not be made"))
    }
}

/// Puts the clone's settings back to what they must be.
fn guard_clone(clone: &Path) -> Result<(), GitError> {
    let what = "the clone's settings could not be written";
    for folder in ["info", "collie", "refs", "objects/pack"] {
        fs::create_dir_all(clone.join(folder)).map_err(io_error(what))?;
    }
    for gone in [
        "config.worktree",
        "info/exclude",
        "info/grafts",
        "info/sparse-checkout",
    ] {
        match fs::remove_file(clone.join(gone)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(io_error(what)(error));
            }
            Err(_) | Ok(()) => {}
        }
    }
    for (name, text) in [
        ("HEAD", HEAD),
        ("config", CONFIG),
        ("info/attributes", ATTRIBUTES),
    ] {
        let path = clone.join(name);
        if fs::read(&path).ok().as_deref() != Some(text.as_bytes()) {
            let fresh = clone.join("collie").join(format!("{}.new", segment(name)));
            fs::write(&fresh, text)
                .and_then(|()| fs::rename(&fresh, &path))
                .map_err(io_error(what))?;
        }
    }
    Ok(())
}

/// Removes what a killed git left in a clone: locks, and packs that were being received. Nobody else works in it now.
pub(crate) fn heal_clone(clone: &Path) {
    remove_locks(clone);
    let mut folders = vec![clone.join("refs")];
    while let Some(folder) = folders.pop() {
        remove_locks(&folder);
        let Ok(entries) = fs::read_dir(&folder) else {
            continue;
        };
        folders.extend(
            entries
                .flatten()
                .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
                .map(|e| e.path()),
        );
    }
    remove_files(&clone.join("objects").join("pack"), |name| {
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
    let mut fresh = tempfile::NamedTempFile::new_in(folder)?;
    io::copy(&mut fs::File::open(from)?, &mut fresh)?;
    fresh.as_file().set_modified(time)?;
    fresh.persist(to)?;
    Ok(())
}

pub(crate) fn is_real_folder(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|meta| meta.is_dir())
}

/// Gives the owner all rights on a folder: moving it needs them.
pub(crate) fn make_writable(folder: &Path) {
    if let Ok(meta) = fs::symlink_metadata(folder) {
        let mut rights = meta.permissions();
        rights.set_mode(rights.mode() | 0o700);
        // Where it cannot be done, the removal says so.
        let _ = fs::set_permissions(folder, rights);
    }
}

/// Gives the owner all rights on every folder below, links not followed: tools leave read-only ones behind.
fn open_up(folder: &Path) {
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
                .map(|e| e.path()),
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
            assert_eq!(segment(text), expect);
        }
    }
}
