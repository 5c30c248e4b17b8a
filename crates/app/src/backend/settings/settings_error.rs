//! Why `config.toml` could not be read or written.

use collie_core::error_code::{ErrorCode, ErrorHint};
use collie_core::user_error::UserError;
use std::io;
use std::path::PathBuf;

/// Why the file could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum SettingsError {
    /// It is there and cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// It cannot be written. What was there is there still.
    #[error("cannot write {}: {source}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Something else changes it faster than it can be saved.
    #[error("{} was changed by another program at every attempt to save it: close that program, then save again", path.display())]
    Busy {
        /// The file.
        path: PathBuf,
    },
}

impl From<SettingsError> for UserError {
    fn from(error: SettingsError) -> Self {
        let (code, path, reason) = match error {
            SettingsError::Read { path, source } => {
                (ErrorCode::SettingsUnreadable, path, Some(source))
            }
            SettingsError::Write { path, source } => {
                (ErrorCode::SettingsUnwritable, path, Some(source))
            }
            SettingsError::Busy { path } => (ErrorCode::SettingsBusy, path, None),
        };
        let problem = Self::new(code).with("file", path.display());
        match reason {
            Some(reason) => problem
                .with("message", reason)
                .hint(ErrorHint::SettingsRights),
            None => problem.hint(ErrorHint::SettingsBusy),
        }
    }
}
