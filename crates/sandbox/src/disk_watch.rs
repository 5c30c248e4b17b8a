//! Ends a program that fills the disk: no limit of the kernel bounds what many files hold together.

use crate::policy::SandboxPolicy;
use collie_core::error_code::{ErrorCode, ErrorHint};
use collie_core::user_error::{TextArg, UserError};
use nix::sys::signal::{Signal, killpg};
use nix::sys::statvfs::statvfs;
use nix::unistd::Pid;
use std::collections::BTreeSet;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};
use tokio::task::JoinSet;

/// Between two looks at how much space is free.
const FREE_SPACE_INTERVAL: Duration = Duration::from_millis(200);
/// Between two walks through the folders there are at least this many times as long as the last one took.
const WALK_PAUSE_FACTOR: u32 = 10;
/// The folders are walked at once when so much of the limit has gone from the disk since.
const WALK_AT_SHARE: u64 = 20;
/// What always stays free, in bytes; half of what was free at the start where that was less.
const RESERVED_BYTES: u64 = 1 << 30;
/// What every file and folder takes at least, in bytes: an entry and its inode.
const ENTRY_BYTES: u64 = 1 << 10;
/// The unit of a file's blocks (stat(2)).
const BLOCK_BYTES: u64 = 512;

/// Why a program was ended for what it wrote.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DiskStop {
    /// Its folders hold more than they may.
    #[error("it had more than {bytes} bytes in its folders")]
    LimitPassed {
        /// [`crate::Limits::disk_bytes`].
        bytes: u64,
    },
    /// Hardly anything is free on the disk.
    #[error("the disk is nearly full")]
    DiskFull,
}

impl From<DiskStop> for UserError {
    fn from(stop: DiskStop) -> Self {
        match stop {
            DiskStop::LimitPassed { bytes } => UserError::new(ErrorCode::SandboxDiskLimit)
                .with_arg("mb", TextArg::Number(bytes.div_ceil(1 << 20)))
                .hint(ErrorHint::DiskLimits),
            DiskStop::DiskFull => UserError::new(ErrorCode::DiskFull).hint(ErrorHint::FreeSpace),
        }
    }
}

/// Watches what a program writes, until it is dropped.
#[derive(Debug)]
pub(crate) struct DiskWatch {
    stop: Arc<OnceLock<DiskStop>>,
    _task: JoinSet<()>,
}

impl DiskWatch {
    /// Kills the group once the folders that outlive it hold too much.
    pub(crate) fn start(policy: &SandboxPolicy, group: Pid) -> Self {
        let stop = Arc::new(OnceLock::new());
        let folders: Vec<PathBuf> = policy.disk_folders().collect();
        let limit = policy.limits.disk_bytes;
        let mut task = JoinSet::new();
        if !folders.is_empty() {
            let stop = stop.clone();
            task.spawn(async move {
                let why = wait_until_too_much(folders, limit).await;
                // It is told before anybody can see that the program has ended.
                let _ = stop.set(why);
                // It may be gone, and that is what is wanted.
                let _ = killpg(group, Signal::SIGKILL);
            });
        }
        Self { stop, _task: task }
    }

    /// Why the program was ended, if it was.
    pub(crate) fn stop(&self) -> Option<DiskStop> {
        self.stop.get().copied()
    }
}

async fn wait_until_too_much(folders: Vec<PathBuf>, limit: u64) -> DiskStop {
    let free_at_start = free_bytes(&folders);
    let reserved = RESERVED_BYTES.min(free_at_start / 2);
    loop {
        let begun = Instant::now();
        let walked = folders.clone();
        let used = tokio::task::spawn_blocking(move || disk_usage(&walked, limit)).await;
        // A walk does not panic; one that did says nothing.
        if used.is_ok_and(|used| used > limit) {
            return DiskStop::LimitPassed { bytes: limit };
        }
        let (walked_at, free_then) = (Instant::now(), free_bytes(&folders));
        let pause = begun.elapsed() * WALK_PAUSE_FACTOR;
        loop {
            tokio::time::sleep(FREE_SPACE_INTERVAL).await;
            let free = free_bytes(&folders);
            if free < reserved {
                return DiskStop::DiskFull;
            }
            let gone = free_then.saturating_sub(free);
            if walked_at.elapsed() >= pause || gone > limit / WALK_AT_SHARE {
                break;
            }
        }
    }
}

/// What is free to this user where the folders lie, in bytes; the least of them. What cannot be asked counts as free.
fn free_bytes(folders: &[PathBuf]) -> u64 {
    let free = folders.iter().filter_map(|folder| {
        let stat = statvfs(folder).ok()?;
        // The types differ between systems.
        #[allow(clippy::unnecessary_cast, reason = "u32 on macOS")]
        let free = (stat.blocks_available() as u64).saturating_mul(stat.fragment_size() as u64);
        Some(free)
    });
    free.min().unwrap_or(u64::MAX)
}

/// What folders hold on the disk together, in bytes; no more is counted once it is over `enough`. No link is followed; a file with
/// several names counts once, one with holes with its whole length. What cannot be read is left out.
pub fn disk_usage(folders: &[PathBuf], enough: u64) -> u64 {
    let mut used = 0_u64;
    let mut linked = BTreeSet::new();
    let mut waiting = folders.to_vec();
    while let Some(folder) = waiting.pop() {
        // It may go while it is looked at.
        let Ok(entries) = std::fs::read_dir(&folder) else {
            continue;
        };
        for entry in entries.flatten() {
            let Ok(metadata) = entry.metadata() else {
                continue;
            };
            if metadata.is_dir() {
                waiting.push(entry.path());
            } else if metadata.nlink() > 1 && !linked.insert((metadata.dev(), metadata.ino())) {
                continue;
            }
            // Blocks are known once they are written back, which may be half a minute later; until then the length counts.
            let bytes = metadata.len().max(metadata.blocks() * BLOCK_BYTES);
            used = used.saturating_add(bytes + ENTRY_BYTES);
            if used > enough {
                return used;
            }
        }
    }
    used
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn what_is_used_is_counted_once_and_no_link_is_followed() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("in");
        fs::create_dir_all(folder.join("deep")).unwrap();
        let large = vec![1; 1 << 20];
        fs::write(root.path().join("outside"), &large).unwrap();
        fs::write(folder.join("deep/file"), &large).unwrap();
        let used = |enough| disk_usage(std::slice::from_ref(&folder), enough);
        let one = used(u64::MAX);
        assert!((1 << 20..2 << 20).contains(&one), "{one}");
        fs::hard_link(folder.join("deep/file"), folder.join("again")).unwrap();
        std::os::unix::fs::symlink("../outside", folder.join("link")).unwrap();
        assert!(used(u64::MAX) < one + (1 << 19));
        fs::write(folder.join("more"), &large).unwrap();
        assert!(used(u64::MAX) > 2 << 20);
        assert!(used(1 << 20) > 1 << 20, "enough is still seen as passed");
        assert_eq!(disk_usage(&[root.path().join("gone")], 1), 0);
    }

    #[test]
    fn many_empty_files_count_too() {
        let root = tempfile::tempdir().unwrap();
        for file in 0..100 {
            fs::write(root.path().join(file.to_string()), "").unwrap();
        }
        let used = disk_usage(&[root.path().to_owned()], u64::MAX);
        assert!(used >= 100 * ENTRY_BYTES, "{used}");
    }
}
