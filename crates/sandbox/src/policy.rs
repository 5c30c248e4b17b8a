//! What a sandboxed program may see, change and use up.

use crate::allowed_hosts::HostPattern;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::io;
use std::path::{Component, Path, PathBuf};

/// What one program may see, change and use up. Whatever is named nowhere here does not exist for it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SandboxPolicy {
    /// Folders that it may change: the worktree.
    pub writable: Vec<PathBuf>,
    /// Folders and files that it may read beside toolchains and system libraries: the clone behind the worktree.
    pub readable: Vec<PathBuf>,
    /// Folders that it must not see even where what is around them is shown: the data folder, wherever the user has put it.
    pub hidden: Vec<PathBuf>,
    /// What of its home folder outlives it: what one run has downloaded, compiled or remembered, the next one finds. The rest is in memory.
    pub kept: Option<KeptFolders>,
    /// The hosts that it reaches, through a proxy that its environment names; with none there is no network at all.
    pub hosts: Vec<HostPattern>,
    /// What it may use up.
    pub limits: Limits,
}

impl SandboxPolicy {
    /// The folders on the disk that it may fill.
    #[cfg(unix)]
    pub(crate) fn disk_folders(&self) -> impl Iterator<Item = PathBuf> {
        let kept = self.kept.iter().flat_map(KeptFolders::iter);
        let kept = kept.map(|(folder, _)| folder);
        self.writable.iter().cloned().chain(kept)
    }
}

/// Folders below a home that outlive the program which writes to them.
///
/// None lies in another, and nothing is mounted below one: a link that a program leaves there leads the next one's mounts nowhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptFolders {
    root: PathBuf,
    below_home: Vec<PathBuf>,
}

impl KeptFolders {
    /// Makes them below `root`, which nothing sandboxed may see.
    ///
    /// # Errors
    ///
    /// When one is not a relative path of plain names, or could not be made.
    pub fn create(root: &Path, below_home: &[PathBuf]) -> io::Result<Self> {
        let is_plain = |path: &PathBuf| {
            let mut parts = path.components();
            parts.clone().next().is_some() && parts.all(|part| matches!(part, Component::Normal(_)))
        };
        if let Some(other) = below_home.iter().find(|path| !is_plain(path)) {
            let message = format!("{} is no folder below a home", other.display());
            return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
        }
        let is_in_another = |path: &&PathBuf| {
            let mut others = below_home.iter().filter(|other| other != path);
            others.any(|other| path.starts_with(other))
        };
        let below_home: BTreeSet<PathBuf> = below_home
            .iter()
            .filter(|path| !is_in_another(path))
            .cloned()
            .collect();
        for folder in &below_home {
            std::fs::create_dir_all(root.join(folder))?;
        }
        Ok(Self {
            root: root.to_owned(),
            below_home: below_home.into_iter().collect(),
        })
    }

    /// Each with where it really lies, then its path below the home.
    #[cfg(any(unix, test))]
    pub(crate) fn iter(&self) -> impl Iterator<Item = (PathBuf, &Path)> {
        let folders = self.below_home.iter();
        folders.map(|folder| (self.root.join(folder), folder.as_path()))
    }
}

/// What a program and all that it starts may use up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Memory that one process may write to, in bytes.
    pub memory_bytes: u64,
    /// Memory of all processes together with what lies in folders in memory, in bytes; held only where there is a control group.
    pub tree_memory_bytes: u64,
    /// Processes and threads at a time.
    pub processes: u64,
    /// The largest file that may be written, in bytes.
    pub file_bytes: u64,
    /// What all folders in memory may hold together, in bytes: home, `/tmp`, `/var/tmp`, `/run`, `/dev/shm`.
    pub temp_bytes: u64,
    /// What the folders that outlive it may hold together, in bytes, with what was there before.
    pub disk_bytes: u64,
    /// Processor time of one process, in seconds.
    pub cpu_seconds: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            memory_bytes: 8 << 30,
            tree_memory_bytes: 16 << 30,
            processes: 4_096,
            file_bytes: 4 << 30,
            temp_bytes: 8 << 30,
            disk_bytes: 20 << 30,
            cpu_seconds: 3_600,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_kept_folder_lies_in_another_or_outside() {
        let root = tempfile::tempdir().unwrap();
        let folders = [".a/b/c", ".a/b", ".a/bc", ".a/b"].map(PathBuf::from);
        let kept = KeptFolders::create(root.path(), &folders).unwrap();
        let below: Vec<_> = kept.iter().map(|(_, below)| below.to_owned()).collect();
        assert_eq!(below, [".a/b", ".a/bc"].map(PathBuf::from));
        assert!(root.path().join(".a/bc").is_dir());
        for outside in ["/etc", "../up", "a/../../up", ""] {
            let kept = KeptFolders::create(root.path(), &[outside.into()]);
            assert!(kept.is_err(), "{outside}");
        }
    }
}
