//! The configuration file of a data folder.

use super::layer::{ConfigFileKind, ConfigLayer};
use super::problem::ConfigError;
use crate::data_folder::DataFolder;
use crate::data_paths;
use collie_core::error_code::{ErrorCode, ErrorHint};
use collie_core::user_error::UserError;
use std::io;
use std::path::PathBuf;

/// Why a folder's `config.toml` says nothing.
#[derive(Debug, thiserror::Error)]
pub enum ConfigFileError {
    /// It is there and cannot be read.
    #[error("{}: {source}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// What it says is wrong.
    #[error(transparent)]
    Invalid(#[from] ConfigError),
}

impl From<ConfigFileError> for UserError {
    fn from(error: ConfigFileError) -> Self {
        match error {
            ConfigFileError::Unreadable { path, source } => {
                UserError::new(ErrorCode::SettingsUnreadable)
                    .with("file", path.display())
                    .with("message", source)
                    .hint(ErrorHint::SettingsRights)
            }
            ConfigFileError::Invalid(error) => error.into(),
        }
    }
}

impl ConfigLayer {
    /// Reads a folder's `config.toml`; silence when there is none.
    pub fn from_folder(folder: &DataFolder) -> Result<Self, ConfigFileError> {
        let path = data_paths::config_file(folder);
        let read = data_paths::read_config(folder)
            .and_then(|bytes| String::from_utf8(bytes).map_err(io::Error::other));
        match read {
            Ok(text) => Ok(Self::from_toml(
                &path.display().to_string(),
                &text,
                ConfigFileKind::User,
            )?),
            Err(source) => Err(ConfigFileError::Unreadable { path, source }),
        }
    }
}
