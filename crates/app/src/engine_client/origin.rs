//! Where the loops live that a data folder shows: `elsewhere.json`. It keeps an engine of this machine's own from running them as well.

use super::journal::OpenError;
use collie_config::{DataFolder, data_paths};
use collie_engine::ports::StoreError;
use serde::{Deserialize, Serialize};
use std::fs;
use std::io::{self, ErrorKind, Write};

/// The version of the file that this Collie writes.
const VERSION: u32 = 1;

/// The file as it is written.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub(crate) struct Origin {
    version: u32,
    /// Which engine it is; none before that has any loop.
    pub engine: Option<String>,
    /// What is shown of them lies in a database, and not in the folder's journal.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub views_in_database: bool,
    /// They are being moved, which has not ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub moving: Option<Moving>,
}

/// A move of loops that has begun.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub(crate) struct Moving {
    /// Which way.
    pub to: Direction,
    /// Tells it from every other move.
    pub name: String,
}

/// Which way loops are moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Direction {
    /// To the engine elsewhere.
    There,
    /// To this folder.
    Back,
}

impl Origin {
    /// Of an engine that has not said yet which it is.
    pub fn unknown() -> Self {
        Self::of(None)
    }

    /// Of an engine.
    pub fn of(engine: Option<String>) -> Self {
        Self {
            version: VERSION,
            engine,
            views_in_database: false,
            moving: None,
        }
    }

    /// The same with what is shown in a database, or in the folder's journal.
    pub fn with_views_in_database(self, views_in_database: bool) -> Self {
        Self {
            views_in_database,
            ..self
        }
    }

    /// The same while loops are moved.
    pub fn moving(self, to: Direction) -> Self {
        let name = uuid::Uuid::new_v4().to_string();
        let moving = Some(Moving { to, name });
        Self { moving, ..self }
    }

    /// That of a data folder; none where its loops are its own.
    ///
    /// # Errors
    /// The file cannot be read, or is none of ours.
    pub fn read(folder: &DataFolder) -> Result<Option<Self>, OpenError> {
        let path = data_paths::elsewhere_file(folder);
        let unusable = |message: String| StoreError::Failed {
            what: format!("reading {}", path.display()),
            message,
        };
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            // Of a folder that is none, what opens its journal says so.
            Err(error)
                if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) =>
            {
                return Ok(None);
            }
            Err(error) => return Err(unusable(error.to_string()).into()),
        };
        let origin: Self =
            serde_json::from_slice(&bytes).map_err(|error| unusable(error.to_string()))?;
        match origin.version {
            VERSION => Ok(Some(origin)),
            newer => Err(unusable(format!("version {newer}")).into()),
        }
    }

    /// Takes it away: the folder's loops are its own from now on.
    ///
    /// # Errors
    /// The system's.
    pub fn remove(folder: &DataFolder) -> Result<(), StoreError> {
        let path = data_paths::elsewhere_file(folder);
        match fs::remove_file(&path) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(StoreError::Failed {
                what: format!("removing {}", path.display()),
                message: error.to_string(),
            }),
            _ => Ok(()),
        }
    }

    /// Writes it, whole or not at all; durable on return.
    ///
    /// # Errors
    /// The system's.
    pub fn write(&self, folder: &DataFolder) -> Result<(), StoreError> {
        let path = data_paths::elsewhere_file(folder);
        let written = self.write_to(&path);
        written.map_err(|error| StoreError::Failed {
            what: format!("writing {}", path.display()),
            message: error.to_string(),
        })
    }

    fn write_to(&self, path: &std::path::Path) -> io::Result<()> {
        let folder = path.parent().unwrap_or(std::path::Path::new("."));
        let mut fresh = tempfile::NamedTempFile::new_in(folder)?;
        serde_json::to_writer_pretty(&mut fresh, self)?;
        fresh.write_all(b"\n")?;
        fresh.as_file().sync_all()?;
        fresh.persist(path)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_says_where_its_loops_live_and_a_file_of_others_is_no_answer() {
        let temp = tempfile::tempdir().unwrap();
        let folder = DataFolder::at(temp.path()).unwrap();
        assert_eq!(Origin::read(&folder).unwrap(), None);
        let moving = Origin::unknown().moving(Direction::Back);
        let one = || Origin::of(Some("one".into()));
        let in_database = one().with_views_in_database(true);
        for origin in [Origin::unknown(), one(), in_database, moving] {
            origin.write(&folder).unwrap();
            assert_eq!(Origin::read(&folder).unwrap(), Some(origin));
        }
        Origin::remove(&folder).unwrap();
        Origin::remove(&folder).unwrap();
        assert_eq!(Origin::read(&folder).unwrap(), None);
        for text in ["{", r#"{"version": 2, "engine": null}"#] {
            fs::write(data_paths::elsewhere_file(&folder), text).unwrap();
            assert!(Origin::read(&folder).is_err(), "{text}");
        }
    }
}
