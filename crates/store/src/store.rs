//! Opening and closing the store.

use crate::audit::AuditLog;
use crate::checkpoint::{self, Checkpoint, Freshness};
use crate::db::{self, Database, SchemaState};
use crate::error::{OpenError, damaged, failed, from_io, from_sqlx};
use crate::lock::EngineLock;
use crate::paths::StorePaths;
use crate::persisted::read_state;
use crate::recordings::Chain;
use crate::runs;
use crate::writer::{CheckpointJob, CheckpointWriter};
use collie_core::ids::{LoopId, RepoName};
use collie_engine::ports::StoreError;
use sqlx::{Connection as _, Row};
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
    pub(crate) folder: StorePaths,
    pub(crate) database: Database,
    pub(crate) audit: Arc<AuditLog>,
    pub(crate) engine: Option<EngineResources>,
}

/// What only the process that runs the engine has.
pub(crate) struct EngineResources {
    /// Held while something is written, so that writes follow one another.
    pub(crate) loop_records: tokio::sync::Mutex<BTreeMap<LoopId, LoopRecord>>,
    pub(crate) checkpoint_writer: CheckpointWriter,
    // Dropped last.
    _lock: Arc<EngineLock>,
}

/// What is remembered of a loop between two writes.
#[derive(Clone, Debug)]
pub(crate) struct LoopRecord {
    /// Its row.
    pub(crate) row_id: i64,
    /// The name its checkpoint's place was made from.
    pub(crate) repo: RepoName,
    /// The place of its checkpoint.
    pub(crate) checkpoint_path: String,
    /// A hash of what its checkpoint shows; none before that was looked at.
    pub(crate) visible_hash: Option<u64>,
    /// A hash of what is kept of its present run for figures; none before that was written.
    pub(crate) run_hash: Option<u64>,
    /// The last journal entry that changed it.
    pub(crate) visible_seq: i64,
    /// Where its chain of recordings stands; none where the next one begins it anew.
    pub(crate) chain: Option<Chain>,
}

impl Store {
    /// Opens the journal of a data folder, which is made where it is missing.
    ///
    /// As engine it takes the folder's lock: [`OpenError::Owned`] when another process has it. A newer or
    /// damaged database is left as it is, [`StoreError::Newer`] or [`StoreError::Damaged`]; of a damaged one
    /// a copy is kept beside it.
    pub async fn open(folder: &StorePaths, mode: OpenMode) -> Result<Self, OpenError> {
        folder.create()?;
        let lock = match mode {
            OpenMode::Engine => Some(Arc::new(EngineLock::take(folder)?)),
            OpenMode::Reader => None,
        };
        let opened = open_database(folder, lock.as_deref()).await;
        let database = match opened {
            Err(OpenError::Store(error)) => return Err(copy_if_damaged(folder, error).into()),
            other => other?,
        };
        let engine = match lock {
            Some(lock) => Some(EngineResources::start(folder, &database, lock).await?),
            None => None,
        };
        let audit = Arc::new(AuditLog::new(folder.audit()));
        Ok(Self {
            folder: folder.clone(),
            database,
            audit,
            engine,
        })
    }

    /// Waits until all checkpoints are written that were due when this was called; how many could not be.
    pub async fn wait_for_checkpoints(&self) -> usize {
        match &self.engine {
            Some(engine) => wait_until_idle(&engine.checkpoint_writer).await,
            None => 0,
        }
    }

    /// Writes what is due and lets go of everything. Dropping is as safe, and leaves more to the next start.
    pub async fn close(self) {
        if let Some(engine) = self.engine {
            wait_until_idle(&engine.checkpoint_writer).await;
            self.database.close().await;
        } else {
            self.database.close().await;
        }
    }

    /// Keeps a copy of a database that turns out to be damaged.
    pub(crate) fn copying_if_damaged<T>(
        &self,
        result: Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        result.map_err(|error| copy_if_damaged(&self.folder, error))
    }

    pub(crate) fn engine(&self, tried: &str) -> Result<&EngineResources, StoreError> {
        self.engine.as_ref().ok_or_else(|| {
            failed(
                tried,
                "this process only reads; the one that runs the engine writes",
            )
        })
    }
}

async fn wait_until_idle(writer: &CheckpointWriter) -> usize {
    // A thread that cannot be started or was stopped writes nothing; the next start does.
    tokio::task::spawn_blocking(writer.idle_waiter())
        .await
        .unwrap_or(0)
}

fn copy_if_damaged(folder: &StorePaths, error: StoreError) -> StoreError {
    if let StoreError::Damaged { .. } = error {
        match db::copy_damaged(&folder.database()) {
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
    folder: &StorePaths,
    lock: Option<&EngineLock>,
) -> Result<Database, OpenError> {
    let file = folder.database();
    let is_new = !file.metadata().is_ok_and(|data| data.len() > 0);
    if is_new {
        refuse_lost_journal(folder)?;
    }
    let database = Database::open(&file).await?;
    if lock.is_some() && !is_new {
        database.check_pages().await?;
    }
    match database.schema_state().await? {
        SchemaState::Current => {}
        SchemaState::Empty | SchemaState::Older => {
            // Two processes must not do this at once, and none under a running engine.
            let _lock = match lock {
                Some(_) => None,
                None => Some(EngineLock::take(folder)?),
            };
            match database.schema_state().await? {
                SchemaState::Current => {}
                SchemaState::Older => database.migrate().await?,
                SchemaState::Empty => {
                    refuse_lost_journal(folder)?;
                    database.migrate().await?;
                }
            }
        }
    }
    Ok(database)
}

/// Refuses to begin an empty journal where checkpoints tell of a lost one.
fn refuse_lost_journal(folder: &StorePaths) -> Result<(), StoreError> {
    let checkpoints = checkpoint::list(&folder.checkpoints())
        .map_err(|error| from_io("reading the folder of checkpoints", &error))?;
    if checkpoints.is_empty() {
        Ok(())
    } else {
        Err(damaged(
            crate::error::JOURNAL_NAME,
            "collie.db is empty or gone, though there are checkpoints",
        ))
    }
}

impl EngineResources {
    async fn start(
        folder: &StorePaths,
        database: &Database,
        lock: Arc<EngineLock>,
    ) -> Result<Self, OpenError> {
        complete_runs(database).await?;
        let records = load_loop_records(database).await?;
        let writer = CheckpointWriter::start(folder.checkpoints(), Arc::clone(&lock))
            .map_err(|error| OpenError::folder(folder.root(), "write to", &error))?;
        writer.enqueue(stale_checkpoint_jobs(folder, database, &records).await?);
        Ok(Self {
            loop_records: tokio::sync::Mutex::new(records),
            checkpoint_writer: writer,
            _lock: lock,
        })
    }
}

async fn complete_runs(database: &Database) -> Result<(), StoreError> {
    let tried = "writing the runs";
    let fail = |error: sqlx::Error| from_sqlx(tried, &error);
    let mut writer = database.writer(tried).await?;
    let completed = async {
        let mut tx = writer.begin().await.map_err(fail)?;
        runs::complete(&mut tx).await?;
        tx.commit().await.map_err(fail)
    };
    let completed = completed.await;
    writer.give_back(completed)
}

async fn load_loop_records(
    database: &Database,
) -> Result<BTreeMap<LoopId, LoopRecord>, StoreError> {
    let tried = "reading the loops";
    let fail = |error: sqlx::Error| from_sqlx(tried, &error);
    let mut writer = database.writer(tried).await?;
    let rows = sqlx::query(
        "SELECT id, host, repo_id, number, owner || '/' || name AS repo, checkpoint, visible_seq FROM loops",
    )
    .fetch_all(&mut *writer)
    .await;
    let rows = writer.give_back(rows).map_err(fail)?;
    rows.iter().map(loop_record_from_row).collect()
}

/// Reads `id, host, repo_id, number, repo, checkpoint, visible_seq`.
pub(crate) fn loop_record_from_row(
    row: &sqlx::sqlite::SqliteRow,
) -> Result<(LoopId, LoopRecord), StoreError> {
    let fail = |error: sqlx::Error| from_sqlx("reading a loop", &error);
    let number: i64 = row.try_get("number").map_err(fail)?;
    let repo: String = row.try_get("repo").map_err(fail)?;
    let id = LoopId {
        host: row.try_get("host").map_err(fail)?,
        repo_id: row.try_get("repo_id").map_err(fail)?,
        number: u64::try_from(number)
            .map_err(|error| damaged(crate::error::JOURNAL_NAME, error))?,
    };
    let record = LoopRecord {
        row_id: row.try_get("id").map_err(fail)?,
        repo: RepoName::parse(&repo).map_err(|error| damaged(crate::error::JOURNAL_NAME, error))?,
        checkpoint_path: row.try_get("checkpoint").map_err(fail)?,
        visible_hash: None,
        run_hash: None,
        visible_seq: row.try_get("visible_seq").map_err(fail)?,
        chain: None,
    };
    Ok((id, record))
}

/// The checkpoints that are not up to date: the process died before it wrote them.
async fn stale_checkpoint_jobs(
    folder: &StorePaths,
    database: &Database,
    records: &BTreeMap<LoopId, LoopRecord>,
) -> Result<Vec<CheckpointJob>, StoreError> {
    let root = folder.checkpoints();
    checkpoint::remove_unfinished(&root)
        .map_err(|error| from_io("tidying the folder of checkpoints", &error))?;
    let mut jobs = Vec::new();
    for (id, record) in records {
        let seq = u64::try_from(record.visible_seq).unwrap_or(0);
        match checkpoint::freshness(&root.join(&record.checkpoint_path), id, seq) {
            Freshness::UpToDate => continue,
            Freshness::Stale | Freshness::MustKeep(_) => {}
        }
        let (version, json): (u32, String) =
            sqlx::query_as("SELECT version, state_json FROM loops WHERE id = ?")
                .bind(record.row_id)
                .fetch_one(&database.readers)
                .await
                .map_err(|error| from_sqlx("reading a loop", &error))?;
        let state = read_state(crate::error::JOURNAL_NAME, version, &json)?;
        jobs.push(CheckpointJob {
            path: record.checkpoint_path.clone(),
            former_paths: BTreeSet::new(),
            checkpoint: Checkpoint::of(state, seq),
        });
    }
    Ok(jobs)
}
