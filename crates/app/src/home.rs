//! The parts of the data folder that the store does not own.

use collie_store::DataFolder;
use std::path::PathBuf;

/// The user's configuration file.
pub fn config_file(folder: &DataFolder) -> PathBuf {
    folder.path().join("config.toml")
}

/// Diagnostics, one file a day.
pub fn logs(folder: &DataFolder) -> PathBuf {
    folder.path().join("logs")
}

/// Clones and worktrees.
pub fn git(folder: &DataFolder) -> PathBuf {
    folder.path().join("git")
}
