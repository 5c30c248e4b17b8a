//! What a sandboxed program may see, change and use up.

use crate::allowed_hosts::HostPattern;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// What one program may see, change and use up. Whatever is named nowhere here does not exist for it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SandboxPolicy {
    /// Folders that it may change: the worktree.
    pub writable: Vec<PathBuf>,
    /// Folders and files that it may read beside toolchains and system libraries: the clone behind the worktree.
    pub readable: Vec<PathBuf>,
    /// Folders that it must not see even where what is around them is shown: the data folder, wherever the user has put it.
    pub hidden: Vec<PathBuf>,
    /// A folder that outlives it, shown as its `~/.cache`: what one run has downloaded or compiled, the next one finds.
    pub cache: Option<PathBuf>,
    /// A folder that outlives it, shown as its home, with toolchains over it; an empty one in memory without it.
    pub home: Option<PathBuf>,
    /// The hosts that it reaches, through a proxy that its environment names; with none there is no network at all.
    pub hosts: Vec<HostPattern>,
    /// What it may use up.
    pub limits: Limits,
}

impl SandboxPolicy {
    /// The folders on the disk that it may fill.
    pub(crate) fn disk_folders(&self) -> impl Iterator<Item = &Path> {
        let folders = self.writable.iter().chain(&self.cache);
        folders.map(PathBuf::as_path)
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
