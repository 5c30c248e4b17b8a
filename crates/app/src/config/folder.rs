//! The configuration file of a data folder.

use super::layer::{FileKind, Layer};
use super::problem::ConfigError;
use crate::home;
use collie_store::DataFolder;
use std::io;
use std::path::PathBuf;

/// Why a folder's `config.toml` says nothing.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
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
    Wrong(#[from] ConfigError),
}

impl Layer {
    /// Reads a folder's `config.toml`; silence when there is none.
    pub fn of_folder(folder: &DataFolder) -> Result<Self, FileError> {
        let path = home::config_file(folder);
        let read = home::read_config(folder)
            .and_then(|bytes| String::from_utf8(bytes).map_err(io::Error::other));
        match read {
            Ok(text) => Ok(Self::from_toml(
                &path.display().to_string(),
                &text,
                FileKind::User,
            )?),
            Err(source) => Err(FileError::Unreadable { path, source }),
        }
    }
}
