//! What folders hold on the disk.

use collie_core::error_code::{ErrorCode, ErrorHint};
use collie_core::user_error::{TextArg, UserError};
use collie_platform::{bytes_on_disk, identity_of_shared};
use std::collections::BTreeSet;
use std::path::PathBuf;

/// What every file and folder takes at least, in bytes: an entry and its inode.
const ENTRY_BYTES: u64 = 1 << 10;

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
            } else if identity_of_shared(&metadata).is_some_and(|file| !linked.insert(file)) {
                continue;
            }
            used = used.saturating_add(bytes_on_disk(&metadata) + ENTRY_BYTES);
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
        #[cfg(unix)]
        {
            fs::hard_link(folder.join("deep/file"), folder.join("again")).unwrap();
            std::os::unix::fs::symlink("../outside", folder.join("link")).unwrap();
            assert!(used(u64::MAX) < one + (1 << 19));
        }
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
