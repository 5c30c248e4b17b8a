//! Where the store keeps what: the files and folders of a data folder that are its own.

use crate::error::OpenError;
use std::fs;
use std::path::{Path, PathBuf};

/// The places of journal, lock, checkpoints and audit log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StorePaths {
    root: PathBuf,
}

impl StorePaths {
    /// The usual places below a data folder.
    pub fn below(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into() }
    }

    /// The folder that all of it lies in.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The journal's file.
    pub fn database(&self) -> PathBuf {
        self.root.join("collie.db")
    }

    /// The file whose lock says who runs the engine here (§10.2).
    pub fn engine_lock(&self) -> PathBuf {
        self.root.join("engine.lock")
    }

    /// Where the checkpoints are (§10.3).
    pub fn checkpoints(&self) -> PathBuf {
        self.root.join("state")
    }

    /// Where the audit log is (§9.6).
    pub fn audit(&self) -> PathBuf {
        self.root.join("audit")
    }

    /// Makes the folder, for its owner alone where the system knows owners.
    pub fn create(&self) -> Result<(), OpenError> {
        create_private(&self.root).map_err(|error| OpenError::folder(&self.root, "make", &error))
    }
}

/// Makes a folder and those above it; new ones are for their owner alone.
pub(crate) fn create_private(folder: &Path) -> std::io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    collie_platform::private_folder(&mut builder);
    builder.create(folder)
}
