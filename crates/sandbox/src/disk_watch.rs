//! Ends a program that fills the disk: no limit of the kernel bounds what many files hold together.

use crate::disk_usage::{DiskStop, disk_usage};
use crate::policy::SandboxPolicy;
use nix::sys::signal::{Signal, killpg};
use nix::sys::statvfs::statvfs;
use nix::unistd::Pid;
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
