//! What the playground remembers. The record is written last when a playground is made: without one it is half-made.

use crate::demo::DemoError;
use collie_core::ids::RepoName;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

const VERSION: u32 = 1;

/// `playground.json`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct PlaygroundRecord {
    version: u32,
    /// Where the forge listens on loopback.
    pub(super) port: u16,
    /// By the scenario's name.
    pub(super) pulls: BTreeMap<String, PlayedPull>,
}

/// A scenario's present pull request.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct PlayedPull {
    pub(super) repo: RepoName,
    pub(super) number: u64,
    pub(super) branch: String,
    /// Its head before anybody did anything.
    pub(super) first_head: String,
    /// 1 for the first pull request of the scenario.
    pub(super) take: u32,
}

impl PlaygroundRecord {
    pub(super) fn new(port: u16, pulls: BTreeMap<String, PlayedPull>) -> Self {
        Self {
            version: VERSION,
            port,
            pulls,
        }
    }

    /// Where it is kept.
    pub(super) fn path(root: &Path) -> PathBuf {
        root.join("playground.json")
    }

    /// Reads it; none when the playground is not there, or half-made.
    pub(super) fn read(root: &Path) -> Result<Option<Self>, DemoError> {
        let path = Self::path(root);
        let damaged = |why: String| DemoError::RecordDamaged {
            path: path.clone(),
            why,
        };
        let bytes = match std::fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(damaged(error.to_string())),
        };
        let record: Self = serde_json::from_slice(&bytes).map_err(|e| damaged(e.to_string()))?;
        if record.version == VERSION {
            Ok(Some(record))
        } else {
            Err(damaged(format!(
                "version {}, not {VERSION}",
                record.version
            )))
        }
    }

    /// Writes it whole or not at all.
    pub(super) fn write(&self, root: &Path) -> Result<(), DemoError> {
        let path = Self::path(root);
        let bytes = serde_json::to_vec_pretty(self).expect("names and numbers are JSON");
        let mut file = tempfile::NamedTempFile::new_in(root).map_err(DemoError::write(root))?;
        file.write_all(&bytes)
            .and_then(|()| file.as_file().sync_all())
            .map_err(DemoError::write(&path))?;
        file.persist(&path)
            .map_err(|error| DemoError::write(&path)(error.error))?;
        Ok(())
    }
}
