//! The data folder: where everything Collie keeps lies (§14: `COLLIE_HOME` moves it).

use collie_core::error_code::{ErrorCode, ErrorHint};
use collie_core::user_error::UserError;
use etcetera::BaseStrategy;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

/// A data folder that cannot be used.
#[derive(Clone, Debug, thiserror::Error)]
pub enum DataFolderError {
    /// It cannot be found or made.
    #[error("cannot {tried} the data folder {}: {message}; check its permissions, or set COLLIE_HOME to another folder", folder.display())]
    Unusable {
        /// The folder.
        folder: PathBuf,
        /// What was tried: a verb.
        tried: &'static str,
        /// The system's words.
        message: String,
    },
    /// The disk is full.
    #[error(
        "the disk that holds the data folder is full: free some space, then start again; nothing was lost"
    )]
    DiskFull,
    /// The platform names no home folder.
    #[error("there is no home folder to keep data in: set COLLIE_HOME")]
    NoHomeFolder,
}

impl From<DataFolderError> for UserError {
    fn from(error: DataFolderError) -> Self {
        match error {
            DataFolderError::Unusable {
                folder, message, ..
            } => UserError::new(ErrorCode::Folder)
                .with("folder", folder.display())
                .with("message", message)
                .hint(ErrorHint::DataFolder),
            DataFolderError::DiskFull => {
                UserError::new(ErrorCode::DiskFull).hint(ErrorHint::FreeSpace)
            }
            DataFolderError::NoHomeFolder => {
                UserError::new(ErrorCode::NoHome).hint(ErrorHint::DataFolder)
            }
        }
    }
}

impl DataFolderError {
    fn unusable(folder: &Path, tried: &'static str, error: &io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Self::DiskFull,
            _ => Self::Unusable {
                folder: folder.to_path_buf(),
                tried,
                message: error.to_string(),
            },
        }
    }
}

/// The folder that holds journal, checkpoints and audit log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataFolder {
    root: PathBuf,
}

impl DataFolder {
    /// Finds it: `$COLLIE_HOME`, or `collie` in the platform's folder for data. Makes nothing.
    pub fn locate() -> Result<Self, DataFolderError> {
        Self::locate_with(std::env::var_os("COLLIE_HOME"))
    }

    /// As [`DataFolder::locate`], with the value of `COLLIE_HOME` handed over; an empty one counts as none.
    pub fn locate_with(collie_home: Option<OsString>) -> Result<Self, DataFolderError> {
        match collie_home.filter(|home| !home.is_empty()) {
            Some(home) => Self::at(home),
            None => {
                let base = etcetera::base_strategy::choose_native_strategy()
                    .map_err(|_| DataFolderError::NoHomeFolder)?;
                Self::at(base.data_dir().join("collie"))
            }
        }
    }

    /// Takes a folder by its path; a relative one counts from the current folder.
    pub fn at(root: impl AsRef<Path>) -> Result<Self, DataFolderError> {
        let root = root.as_ref();
        let root = std::path::absolute(root)
            .map_err(|error| DataFolderError::unusable(root, "find", &error))?;
        Ok(Self { root })
    }

    /// The folder itself.
    pub fn path(&self) -> &Path {
        &self.root
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn collie_home_decides_and_an_empty_one_counts_as_none() {
        let named = DataFolder::locate_with(Some("some/where".into())).unwrap();
        assert!(named.path().is_absolute() && named.path().ends_with("some/where"));
        for none in [None, Some(OsString::new())] {
            assert!(
                DataFolder::locate_with(none)
                    .unwrap()
                    .path()
                    .ends_with("collie")
            );
        }
    }
}
