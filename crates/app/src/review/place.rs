//! Where a review is checked out: in a place of the data folder that no engine uses, or in a temporary one.

use super::{ReviewError, Work};
use crate::home;
use collie_git::{GitPlace, Options};
use collie_store::DataFolder;
use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A folder for clones and worktrees that nobody else uses as long as this is there.
pub(super) enum Place {
    /// The data folder's own, with its lock: closing the file gives it back.
    Kept { folder: PathBuf, _lock: File },
    /// One that goes with this: another review is in the data folder's.
    Temporary(tempfile::TempDir),
}

impl Place {
    /// Takes the data folder's place, or a temporary one when that is taken.
    pub(super) fn take(data: &DataFolder) -> Result<Self, ReviewError> {
        let folder = home::reviews(data);
        let path = data.path().join("reviews.lock");
        let wrong = |what: &Path| {
            let what = what.display().to_string();
            |source: io::Error| ReviewError::Place { what, source }
        };
        let lock = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .open(&path)
            .map_err(wrong(&path))?;
        match lock.try_lock() {
            Ok(()) => Ok(Place::Kept {
                folder,
                _lock: lock,
            }),
            Err(TryLockError::WouldBlock) => tempfile::tempdir()
                .map(Place::Temporary)
                .map_err(wrong(&std::env::temp_dir())),
            Err(TryLockError::Error(error)) => Err(wrong(&path)(error)),
        }
    }

    /// Git in this place, signed in as whoever reviews.
    pub(super) fn git(&self, work: &Work) -> Result<GitPlace, ReviewError> {
        let folder = match self {
            Place::Kept { folder, .. } => folder,
            Place::Temporary(folder) => folder.path(),
        };
        let credentials = {
            let github = work.github.clone();
            Arc::new(move || Some(github.token().expose().to_owned()))
        };
        GitPlace::new(folder, credentials, None, Options::default()).map_err(|error| {
            ReviewError::Git {
                pull: work.name.clone(),
                error: Box::new(error),
            }
        })
    }
}
