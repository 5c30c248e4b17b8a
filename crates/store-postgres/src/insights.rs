//! Runs, and what each came to (§13.8).

use crate::error::from_sqlx;
use crate::journal::execute;
use crate::spending;
use collie_core::ids::{LoopId, Time};
use collie_core::insights::LoopRun;
use collie_engine::ports::{AppliedStep, InsightRows, StoreError};
use collie_store::format::{
    RunWrite, StoredRun, continues, loop_runs, present_names, run_from_stored, to_i64,
};
use sqlx::postgres::{PgPool, PgRow};
use sqlx::{FromRow as _, PgConnection, Row as _};

const READING: &str = "reading the runs";

/// Writes a loop's present run down. The first time that it was ready or over stays.
pub(crate) async fn save_run(
    tx: &mut PgConnection,
    row_id: i64,
    applied: &AppliedStep,
) -> Result<(), StoreError> {
    let state = &applied.state;
    let columns = RunWrite::of(row_id, state, applied.from, applied.at).columns()?;
    let insert = sqlx::query(
        "INSERT INTO runs AS kept (loop, run, host, repo_id, repo, number, started_at, ready_at, ended_at, state,
                                  record_json, outcome_json)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
         ON CONFLICT (loop, run) DO UPDATE SET
             repo = excluded.repo,
             ready_at = coalesce(kept.ready_at, excluded.ready_at),
             ended_at = coalesce(kept.ended_at, excluded.ended_at),
             state = excluded.state,
             record_json = excluded.record_json,
             outcome_json = excluded.outcome_json",
    )
    .bind(row_id)
    .bind(state.run.id.as_str())
    .bind(&state.id.host)
    .bind(&state.id.repo_id)
    .bind(state.pull.repo.to_string())
    .bind(to_i64(state.id.number)?)
    .bind(state.run.started_at.0)
    .bind(columns.ready_at)
    .bind(columns.ended_at)
    .bind(state.run.state.as_str())
    .bind(columns.record_json)
    .bind(columns.outcome_json);
    execute(tx, insert).await?;
    if continues(state, &applied.notes) {
        let update = sqlx::query(
            "UPDATE runs SET is_continued = TRUE WHERE loop = $1 AND run = (
                 SELECT run FROM runs WHERE loop = $1 AND run <> $2 ORDER BY started_at DESC, ord DESC LIMIT 1)",
        );
        execute(tx, update.bind(row_id).bind(state.run.id.as_str())).await?;
    }
    Ok(())
}

/// The runs of one loop, oldest first.
pub(crate) async fn of_loop(pool: &PgPool, id: &LoopId) -> Result<Vec<LoopRun>, StoreError> {
    let fail = |error: sqlx::Error| from_sqlx(READING, &error);
    let rows = sqlx::query(
        "SELECT host, repo_id, repo, number, run, started_at, ready_at, ended_at, state, record_json,
                is_continued, outcome_json
         FROM runs WHERE host = $1 AND repo_id = $2 AND number = $3 ORDER BY started_at, ord",
    )
    .bind(&id.host)
    .bind(&id.repo_id)
    .bind(i64::try_from(id.number).unwrap_or(i64::MAX))
    .fetch_all(pool)
    .await
    .map_err(fail)?;
    let stored = |row: &PgRow| Ok((StoredRun::from_row(row)?, row.try_get("outcome_json")?));
    let stored: Result<Vec<_>, sqlx::Error> = rows.iter().map(stored).collect();
    loop_runs(stored.map_err(fail)?)
}

/// Every run, and what was spent.
pub(crate) async fn rows(pool: &PgPool) -> Result<InsightRows, StoreError> {
    let fail = |error: sqlx::Error| from_sqlx(READING, &error);
    let stored: Vec<StoredRun> = sqlx::query_as(
        "SELECT host, repo_id, repo, number, run, started_at, ready_at, ended_at, state, record_json,
                is_continued
         FROM runs ORDER BY started_at, ord",
    )
    .fetch_all(pool)
    .await
    .map_err(fail)?;
    let names = present_names(stored.iter())?;
    let runs: Result<_, _> = stored
        .into_iter()
        .map(|stored| run_from_stored(stored, &names))
        .collect();
    let since: i64 = sqlx::query_scalar(
        "SELECT CAST(floor(extract(epoch FROM min(installed_on))) AS BIGINT) * 1000 FROM _sqlx_migrations",
    )
    .fetch_one(pool)
    .await
    .map_err(fail)?;
    Ok(InsightRows {
        runs: runs?,
        spending: spending::by_model(pool, &names).await?,
        recorded_since: Time(since),
    })
}
