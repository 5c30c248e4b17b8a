//! Opening and closing the store.

use crate::audit::AuditLog;
use crate::checkpoint::{self, Checkpoint, Standing};
use crate::db::{self, Database, Schema};
use crate::error::{OpenError, damaged, failed, from_io, from_sqlx};
use crate::folder::DataFolder;
use crate::lock::EngineLock;
use crate::persisted::read_state;
use crate::writer::{CheckpointWriter, Job};
use collie_core::ids::{LoopId, RepoName};
use collie_engine::ports::StoreError;
use sqlx::Row;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// What a process wants of the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpenMode {
    /// It runs the engine: it alone writes, until it ends.
    Engine,
    /// It reads, leaves requests and writes to the audit log, beside an engine or without one.
    Reader,
}

/// The journal and what belongs to it, opened. Implements [`collie_engine::ports::Journal`].
pub struct Store {
    pub(crate) folder: DataFolder,
    pub(crate) database: Database,
    pub(crate) audit: AuditLog,
    pub(crate) owner: Option<Owner>,
}

/// What only the process that runs the engine has.
pub(crate) struct Owner {
    /// Held while something is written, so that writes follow one another.
    pub(crate) known: tokio::sync::Mutex<BTreeMap<LoopId, Known>>,
    pub(crate) writer: CheckpointWriter,
    // Dropped last.
    _lock: Arc<EngineLock>,
}

/// What is remembered of a loop between two writes.
#[derive(Clone, Debug)]
pub(crate) struct Known {
    /// Its row.
    pub(crate) row: i64,
    /// The name its checkpoint's place was made from.
    pub(crate) repo: RepoName,
    /// The place of its checkpoint.
    pub(crate) place: String,
    /// A hash of what its checkpoint shows; none before that was looked at.
    pub(crate) visible: Option<u64>,
    /// The last journal entry that changed it.
    pub(crate) visible_seq: i64,
}

impl Store {
    /// Opens the journal of a data folder, which is made where it is missing.
    ///
    /// As engine it takes the folder's lock: [`OpenError::Owned`] when another process has it. A newer or
    /// damaged database is left as it is, [`StoreError::Newer`] or [`StoreError::Damaged`]; of a damaged one
    /// a copy is kept beside it.
    pub async fn open(folder: &DataFolder, mode: OpenMode) -> Result<Self, OpenError> {
        folder.create()?;
        let lock = match mode {
            OpenMode::Engine => Some(Arc::new(EngineLock::take(folder)?)),
            OpenMode::Reader => None,
        };
        let opened = open_database(folder, lock.as_deref()).await;
        let database = match opened {
            Err(OpenError::Store(error)) => return Err(keep_if_damaged(folder, error).into()),
            other => other?,
        };
        let owner = match lock {
            Some(lock) => Some(Owner::start(folder, &database, lock).await?),
            None => None,
        };
        let audit = AuditLog::new(folder.audit());
        Ok(Self {
            folder: folder.clone(),
            database,
            audit,
            owner,
        })
    }

    /// Waits until all checkpoints are written that were due when this was called; how many could not be.
    pub async fn checkpoints_written(&self) -> usize {
        match &self.owner {
            Some(owner) => wait(&owner.writer).await,
            None => 0,
        }
    }

    /// Writes what is due and lets go of everything. Dropping is as safe, and leaves more to the next start.
    pub async fn close(self) {
        if let Some(owner) = self.owner {
            wait(&owner.writer).await;
            self.database.close().await;
        } else {
            self.database.close().await;
        }
    }

    /// Keeps a copy of a database that turns out to be damaged.
    pub(crate) fn noting_damage<T>(&self, result: Result<T, StoreError>) -> Result<T, StoreError> {
        result.map_err(|error| keep_if_damaged(&self.folder, error))
    }

    pub(crate) fn owner(&self, tried: &str) -> Result<&Owner, StoreError> {
        self.owner.as_ref().ok_or_else(|| {
            failed(
                tried,
                "this process only reads; the one that runs the engine writes",
            )
        })
    }
}

async fn wait(writer: &CheckpointWriter) -> usize {
    // A thread that cannot be started or was stopped writes nothing; the next start does.
    tokio::task::spawn_blocking(writer.wait())
        .await
        .unwrap_or(0)
}

fn keep_if_damaged(folder: &DataFolder, error: StoreError) -> StoreError {
    if let StoreError::Damaged { .. } = error {
        match db::copy_aside(&folder.database()) {
            Ok(Some(kept)) => {
                tracing::error!(kept = %kept.display(), %error, "the journal is damaged")
            }
            Ok(None) => {}
            Err(aside) => tracing::error!(%aside, "the damaged journal could not be copied"),
        }
    }
    error
}

async fn open_database(
    folder: &DataFolder,
    lock: Option<&EngineLock>,
) -> Result<Database, OpenError> {
    let file = folder.database();
    let fresh = !file.metadata().is_ok_and(|data| data.len() > 0);
    if fresh {
        refuse_lost(folder)?;
    }
    let database = Database::open(&file).await?;
    if lock.is_some() && !fresh {
        database.check_pages().await?;
    }
    match database.schema().await? {
        Schema::Current => {}
        Schema::Empty | Schema::Older => {
            // Two processes must not do this at once, and none under a running engine.
            let _lock = match lock {
                Some(_) => None,
                None => Some(EngineLock::take(folder)?),
            };
            match database.schema().await? {
                Schema::Current => {}
                Schema::Older => database.migrate().await?,
                Schema::Empty => {
                    refuse_lost(folder)?;
                    database.migrate().await?;
                }
            }
        }
    }
    Ok(database)
}

/// Refuses to begin an empty journal where checkpoints tell of a lost one.
fn refuse_lost(folder: &DataFolder) -> Result<(), StoreError> {
    let checkpoints = checkpoint::all(&folder.checkpoints())
        .map_err(|error| from_io("reading the folder of checkpoints", &error))?;
    if checkpoints.is_empty() {
        Ok(())
    } else {
        Err(damaged(
            "the journal",
            "collie.db is empty or gone, though there are checkpoints",
        ))
    }
}

impl Owner {
    async fn start(
        folder: &DataFolder,
        database: &Database,
        lock: Arc<EngineLock>,
    ) -> Result<Self, OpenError> {
        let known = load_known(database).await?;
        let writer = CheckpointWriter::start(folder.checkpoints(), Arc::clone(&lock))
            .map_err(|error| OpenError::folder(folder.path(), "write to", &error))?;
        writer.add(lagging(folder, database, &known).await?);
        Ok(Self {
            known: tokio::sync::Mutex::new(known),
            writer,
            _lock: lock,
        })
    }
}

async fn load_known(database: &Database) -> Result<BTreeMap<LoopId, Known>, StoreError> {
    let fail = |error: sqlx::Error| from_sqlx("reading the loops", &error);
    let rows = sqlx::query(
        "SELECT id, host, repo_id, number, owner || '/' || name AS repo, checkpoint, visible_seq FROM loops",
    )
    .fetch_all(&database.writer)
    .await
    .map_err(fail)?;
    rows.iter().map(known_of_row).collect()
}

/// Reads `id, host, repo_id, number, repo, checkpoint, visible_seq`.
pub(crate) fn known_of_row(row: &sqlx::sqlite::SqliteRow) -> Result<(LoopId, Known), StoreError> {
    let fail = |error: sqlx::Error| from_sqlx("reading a loop", &error);
    let number: i64 = row.try_get("number").map_err(fail)?;
    let repo: String = row.try_get("repo").map_err(fail)?;
    let id = LoopId {
        host: row.try_get("host").map_err(fail)?,
        repo_id: row.try_get("repo_id").map_err(fail)?,
        number: u64::try_from(number).map_err(|error| damaged("the journal", error))?,
    };
    let known = Known {
        row: row.try_get("id").map_err(fail)?,
        repo: RepoName::parse(&repo).map_err(|error| damaged("the journal", error))?,
        place: row.try_get("checkpoint").map_err(fail)?,
        visible: None,
        visible_seq: row.try_get("visible_seq").map_err(fail)?,
    };
    Ok((id, known))
}

/// The checkpoints that are not up to date: the process died before it wrote them.
async fn lagging(
    folder: &DataFolder,
    database: &Database,
    known: &BTreeMap<LoopId, Known>,
) -> Result<Vec<Job>, StoreError> {
    let root = folder.checkpoints();
    checkpoint::sweep(&root)
        .map_err(|error| from_io("tidying the folder of checkpoints", &error))?;
    let mut jobs = Vec::new();
    for (id, known) in known {
        let seq = u64::try_from(known.visible_seq).unwrap_or(0);
        match checkpoint::standing(&root.join(&known.place), id, seq) {
            Standing::Current => continue,
            Standing::Behind | Standing::Precious(_) => {}
        }
        let (version, json): (u32, String) =
            sqlx::query_as("SELECT version, state_json FROM loops WHERE id = ?")
                .bind(known.row)
                .fetch_one(&database.writer)
                .await
                .map_err(|error| from_sqlx("reading a loop", &error))?;
        let state = read_state("the journal", version, &json)?;
        jobs.push(Job {
            place: known.place.clone(),
            left: BTreeSet::new(),
            checkpoint: Checkpoint::of(state, seq),
        });
    }
    Ok(jobs)
}
