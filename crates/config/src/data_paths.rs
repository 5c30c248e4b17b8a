//! The parts of the data folder that the store does not own.

use crate::data_folder::DataFolder;
use std::io::{self, ErrorKind};
use std::path::PathBuf;

/// The user's configuration file.
pub fn config_file(folder: &DataFolder) -> PathBuf {
    folder.path().join("config.toml")
}

/// The bytes of the user's configuration file; none when there is no file, or no folder: whoever opens the folder tells that.
pub fn read_config(folder: &DataFolder) -> io::Result<Vec<u8>> {
    match std::fs::read(config_file(folder)) {
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            Ok(Vec::new())
        }
        read => read,
    }
}

/// Diagnostics, one file a day.
pub fn logs_folder(folder: &DataFolder) -> PathBuf {
    folder.path().join("logs")
}

/// Whom the logins of the configuration stand for.
pub fn accounts_file(folder: &DataFolder) -> PathBuf {
    folder.path().join("accounts.json")
}

/// Where the loops live that the folder shows, where that is elsewhere.
pub fn elsewhere_file(folder: &DataFolder) -> PathBuf {
    folder.path().join("elsewhere.json")
}

/// Which session of which agent goes on with a pull request.
pub fn agent_sessions_folder(folder: &DataFolder) -> PathBuf {
    folder.path().join("agents")
}

/// Clones and checkouts of single reviews, which no engine uses.
pub fn reviews_folder(folder: &DataFolder) -> PathBuf {
    folder.path().join("reviews")
}

/// Clones and worktrees.
pub fn git_folder(folder: &DataFolder) -> PathBuf {
    folder.path().join("git")
}

/// Who may take sessions: names of runners, with hashes of their secrets.
pub fn runners_file(folder: &DataFolder) -> PathBuf {
    folder.path().join("runners.json")
}

/// Bundles of sessions that are offered to runners, while they are.
pub fn offers_folder(folder: &DataFolder) -> PathBuf {
    folder.path().join("offers")
}

/// Where a runner works: a clone for each session, while it lasts.
pub fn runner_folder(folder: &DataFolder) -> PathBuf {
    folder.path().join("runner")
}
