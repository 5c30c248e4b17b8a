//! Where a runner works: a folder for each session, which goes with it.

use collie_core::error_code::{ErrorCode, ErrorHint};
use collie_core::user_error::UserError;
use std::fs::{File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// The folder of one runner, held as long as this is.
pub(super) struct RunnerFolder {
    sessions: PathBuf,
    _lock: File,
}

impl RunnerFolder {
    /// Takes it; what a runner that was killed left in it is removed.
    pub(super) fn take(folder: &Path) -> Result<Self, UserError> {
        let unusable = |error: io::Error| {
            UserError::new(ErrorCode::CloneFailed)
                .with_aside("message", error.to_string())
                .hint(ErrorHint::DataFolder)
        };
        std::fs::create_dir_all(folder).map_err(unusable)?;
        let lock = File::create(folder.join("runner.lock")).map_err(unusable)?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(UserError::new(ErrorCode::RunnerFolderBusy));
            }
            Err(TryLockError::Error(error)) => return Err(unusable(error)),
        }
        let sessions = folder.join("sessions");
        match std::fs::remove_dir_all(&sessions) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(unusable(error)),
            _ => {}
        }
        std::fs::create_dir_all(&sessions).map_err(unusable)?;
        Ok(Self {
            sessions,
            _lock: lock,
        })
    }

    /// A folder for one session.
    pub(super) fn of_session(&self) -> io::Result<TempDir> {
        tempfile::Builder::new()
            .prefix("session-")
            .tempdir_in(&self.sessions)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_has_one_runner_and_is_cleaned_of_what_a_killed_one_left() {
        let folder = tempfile::tempdir().unwrap();
        let first = RunnerFolder::take(folder.path()).unwrap();
        let left = first.of_session().unwrap().keep();
        let busy = RunnerFolder::take(folder.path()).err().unwrap();
        assert_eq!(busy.code, ErrorCode::RunnerFolderBusy);
        assert!(left.exists());
        drop(first);
        RunnerFolder::take(folder.path()).unwrap();
        assert!(!left.exists());
    }
}
