//! Where a review is checked out: in a place of the data folder that no engine uses, or in a temporary one.

use super::context::ReviewContext;
use super::error::ReviewError;
use crate::auth::GitCredentials;
use crate::engine_client::local::disk_limits;
use collie_config::{DataFolder, data_paths};
use collie_git::{DiskLimitsSource, GitOptions, Worktrees};
use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A folder for clones and worktrees that nobody else uses as long as this is there.
pub(super) enum ReviewCheckout {
    /// The data folder's own, with its lock: closing the file gives it back.
    DataFolder { folder: PathBuf, _lock: File },
    /// One that goes with this: another review is in the data folder's.
    Temporary(tempfile::TempDir),
}

impl ReviewCheckout {
    /// Takes the data folder's place, or a temporary one when that is taken.
    pub(super) fn acquire(data: &DataFolder) -> Result<Self, ReviewError> {
        let folder = data_paths::reviews_folder(data);
        let path = data.path().join("reviews.lock");
        let checkout_error = |what: &Path| {
            let what = what.display().to_string();
            |source: io::Error| ReviewError::Checkout { what, source }
        };
        let lock = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .open(&path)
            .map_err(checkout_error(&path))?;
        match lock.try_lock() {
            Ok(()) => Ok(ReviewCheckout::DataFolder {
                folder,
                _lock: lock,
            }),
            Err(TryLockError::WouldBlock) => tempfile::tempdir()
                .map(ReviewCheckout::Temporary)
                .map_err(checkout_error(&std::env::temp_dir())),
            Err(TryLockError::Error(error)) => Err(checkout_error(&path)(error)),
        }
    }

    /// Git in this place, signed in as whoever reviews.
    pub(super) fn worktrees(&self, context: &ReviewContext) -> Result<Worktrees, ReviewError> {
        let folder = match self {
            ReviewCheckout::DataFolder { folder, .. } => folder,
            ReviewCheckout::Temporary(folder) => folder.path(),
        };
        let credentials = Arc::new(GitCredentials(context.github.clone()));
        let options = GitOptions {
            known_secrets: context.known_secrets(),
            disk_limits: DiskLimitsSource::new({
                let disk = context.config.get().disk;
                move || disk_limits(disk)
            }),
            // A clone without old files is fetched faster; an agent would look for them.
            partial_clone: !context.config.get().may_ask_agents(),
            // An agent works in the files; all others read objects, or raise a shield first.
            lazy_checkout: !context.config.get().may_ask_agents(),
            ..GitOptions::default()
        };
        Worktrees::new(folder, credentials, None, options).map_err(|error| ReviewError::Git {
            pull: context.name.clone(),
            error: Box::new(error),
        })
    }
}
