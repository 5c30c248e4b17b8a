//! `collie doctor --rebuild`: a new journal from the checkpoints (§10.3), and from what the damaged one still tells of spending and runs.

use crate::apply;
use crate::checkpoint::{self, Checkpoint};
use crate::db::{self, Database, SchemaState};
use crate::error::{OpenError, failed, from_io, from_sqlx};
use crate::lock::EngineLock;
use crate::paths::StorePaths;
use crate::pause;
use crate::persisted::read_state;
use crate::salvage::{self, Restored, Salvage};
use collie_core::error_code::ErrorCode;
use collie_core::ids::{LoopId, Time};
use collie_core::loop_state::LoopState;
use collie_core::user_error::UserError;
use collie_engine::ports::StoreError;
use sqlx::{Connection as _, SqliteConnection};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// What a rebuild came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RebuildReport {
    /// The journal is sound: nothing was done.
    pub healthy: bool,
    /// Where the damaged database is now; none when there was none.
    pub kept_aside: Option<PathBuf>,
    /// The pull requests that came back, `owner/repo#n`.
    pub restored: Vec<String>,
    /// Days whose spending came back from the damaged database.
    pub spending_days: usize,
    /// Runs that came back from it, those that a checkpoint knows included.
    pub runs: usize,
    /// Some of its spending or of its runs could not be read.
    pub is_incomplete: bool,
    /// Checkpoints that were left alone: place below `state/`, and why.
    pub skipped: Vec<(String, UserError)>,
}

/// Makes a new journal from the checkpoints when the old one is lost or damaged; a sound one is left alone. What was spent, and runs that
/// loops no longer hold, come from the damaged one as far as it can be read.
///
/// Posts that were asked for are marked as in doubt, so that the engine first looks at what GitHub has.
/// Unapplied events and requests are lost with the database: readings repeat themselves, and so do effects.
/// Fails when another process runs the engine, and on a newer database, which is left as it is.
pub async fn rebuild(folder: &StorePaths) -> Result<RebuildReport, OpenError> {
    folder.create()?;
    let _lock = EngineLock::take(folder)?;
    match is_healthy(folder).await {
        Ok(true) => {
            return Ok(RebuildReport {
                healthy: true,
                ..RebuildReport::default()
            });
        }
        Ok(false) | Err(StoreError::Damaged { .. }) => {}
        Err(error) => return Err(error.into()),
    }
    let mut report = RebuildReport::default();
    let checkpoints = latest_checkpoints(folder, &mut report)?;
    let unfinished = folder.root().join("collie.db.rebuilding");
    db::remove_database(&unfinished)?;
    let mut salvage = salvage::read(&folder.database()).await;
    let restored = write_journal(&unfinished, &checkpoints, &mut salvage).await?;
    (report.spending_days, report.runs) = (restored.days, restored.runs);
    report.is_incomplete = salvage.is_incomplete && !checkpoints.is_empty();
    report.kept_aside = db::move_damaged(&folder.database())?;
    std::fs::rename(&unfinished, folder.database())
        .map_err(|error| from_io("putting the new journal in its place", &error))?;
    report.restored = checkpoints
        .values()
        .map(|(_, found)| found.pull.clone())
        .collect();
    report.restored.sort();
    Ok(report)
}

/// Whether the journal can be read whole; false when there is none, or an empty one beside checkpoints.
async fn is_healthy(folder: &StorePaths) -> Result<bool, StoreError> {
    let file = folder.database();
    if !file.metadata().is_ok_and(|data| data.len() > 0) {
        return Ok(false);
    }
    let database = Database::open(&file).await?;
    let outcome = read_all(&database).await;
    database.close().await;
    outcome
}

async fn read_all(database: &Database) -> Result<bool, StoreError> {
    database.check_pages().await?;
    match database.schema_state().await? {
        SchemaState::Empty => return Ok(false),
        SchemaState::Older => return Ok(true),
        SchemaState::Current => {}
    }
    let rows: Vec<(u32, String)> = sqlx::query_as("SELECT version, state_json FROM loops")
        .fetch_all(&database.readers)
        .await
        .map_err(|error| from_sqlx("reading the loops", &error))?;
    for (version, json) in rows {
        read_state(crate::error::JOURNAL_NAME, version, &json)?;
    }
    Ok(true)
}

type LatestCheckpoints = BTreeMap<LoopId, (String, Checkpoint)>;

/// The latest checkpoint of each loop.
fn latest_checkpoints(
    folder: &StorePaths,
    report: &mut RebuildReport,
) -> Result<LatestCheckpoints, StoreError> {
    let files = checkpoint::list(&folder.checkpoints())
        .map_err(|error| from_io("reading the folder of checkpoints", &error))?;
    let mut latest = LatestCheckpoints::new();
    for (checkpoint_path, path) in files {
        match checkpoint::read(&path, &checkpoint_path) {
            Ok(Some(found)) => {
                let id = found.state.id.clone();
                let older = match latest.get(&id) {
                    Some((_, kept)) if kept.journal_seq >= found.journal_seq => {
                        Some(checkpoint_path)
                    }
                    Some(_) | None => latest
                        .insert(id, (checkpoint_path, found))
                        .map(|(place, _)| place),
                };
                report
                    .skipped
                    .extend(older.map(|place| (place, UserError::new(ErrorCode::CheckpointOlder))));
            }
            Ok(None) => {}
            Err(StoreError::Damaged { message, .. }) => {
                report.skipped.push((
                    checkpoint_path,
                    UserError::new(ErrorCode::CheckpointUnreadable).with("message", message),
                ));
            }
            Err(error) => report.skipped.push((checkpoint_path, error.into())),
        }
    }
    Ok(latest)
}

async fn write_journal(
    file: &std::path::Path,
    checkpoints: &LatestCheckpoints,
    salvage: &mut Salvage,
) -> Result<Restored, StoreError> {
    let database = Database::open(file).await?;
    database.migrate().await?;
    let outcome = restore_loops(&database, checkpoints, salvage).await;
    database.close().await;
    outcome
}

async fn restore_loops(
    database: &Database,
    checkpoints: &LatestCheckpoints,
    salvage: &mut Salvage,
) -> Result<Restored, StoreError> {
    let mut writer = database.writer("writing the new journal").await?;
    let restored = write_loops(&mut writer, checkpoints, salvage).await;
    writer.give_back(restored)
}

async fn write_loops(
    connection: &mut SqliteConnection,
    checkpoints: &LatestCheckpoints,
    salvage: &mut Salvage,
) -> Result<Restored, StoreError> {
    let tried = "writing the new journal";
    let fail = |error: sqlx::Error| from_sqlx(tried, &error);
    let last = checkpoints
        .values()
        .map(|(_, found)| found.journal_seq)
        .max()
        .unwrap_or(0);
    let last = i64::try_from(last).map_err(|error| failed(tried, error))?;
    let at = Time(jiff::Timestamp::now().as_millisecond());
    let mut tx = connection.begin().await.map_err(fail)?;
    // The numbers go on where the checkpoints stopped, so that these are seen to lag.
    sqlx::query("INSERT INTO sqlite_sequence (name, seq) VALUES ('journal', ?)")
        .bind(last)
        .execute(&mut *tx)
        .await
        .map_err(fail)?;
    for (checkpoint_path, found) in checkpoints.values() {
        apply::restore(&mut tx, &found.state, checkpoint_path, at).await?;
    }
    let states: Vec<&LoopState> = checkpoints
        .values()
        .map(|(_, found)| &found.state)
        .collect();
    let restored = salvage.write(&mut tx, &states).await?;
    // What a person stopped stays stopped: each loop was told, and the journal knew where there is none.
    let latest = checkpoints
        .values()
        .max_by_key(|(_, found)| found.journal_seq);
    let told = latest.and_then(|(_, found)| found.state.pause.as_ref());
    if let Some(pause) = told.or_else(|| salvage.pause()) {
        pause::set(&mut *tx, Some(pause)).await?;
    }
    tx.commit().await.map_err(fail)?;
    Ok(restored)
}
