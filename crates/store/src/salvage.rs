//! What a damaged journal still tells of what was spent and of past runs: no checkpoint has that.
//!
//! Each table is read from its first row until one cannot be read, then from its last. What cannot be understood is left out. Nothing is
//! written into the damaged file.

use crate::batch::Batch;
use crate::error::from_sqlx;
use crate::integers::to_i64;
use crate::persisted::{parse_state, read_json};
use crate::spending;
use collie_core::budget::day_of;
use collie_core::ids::{Login, LoopId, RepoName, Time};
use collie_core::insights::{RunOutcome, RunRecord};
use collie_core::loop_state::LoopState;
use collie_core::pause::Pause;
use collie_core::usage::Usage;
use collie_engine::ports::{DaySpending, StoreError};
use futures::TryStreamExt as _;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use sqlx::sqlite::{SqliteConnectOptions, SqliteRow};
use sqlx::{ConnectOptions as _, Connection as _, Row as _, SqliteConnection};
use std::collections::BTreeMap;
use std::path::Path;

/// The migration that began to keep runs, whose time says since when.
const RUNS_MIGRATION: i64 = 5;

/// What came back.
#[derive(Debug, Default)]
pub(crate) struct Salvage {
    days: BTreeMap<Date, Usage>,
    models: Vec<ModelRow>,
    commands: Vec<CommandRow>,
    runs: Vec<RunRow>,
    pause: Option<Pause>,
    /// Since when runs are kept, as the migrations tell.
    recorded_since: Option<String>,
    /// Something could not be read, or not be understood.
    pub(crate) is_incomplete: bool,
}

/// What was spent in a repository on a model, on a day.
#[derive(Debug)]
struct ModelRow {
    day: Date,
    host: String,
    repo_id: String,
    model: String,
    usage: Usage,
}

/// What a command spent.
#[derive(Debug)]
struct CommandRow {
    of: ModelRow,
    number: i64,
    repo: String,
}

#[derive(Debug)]
struct RunRow {
    loop_id: LoopId,
    run: String,
    repo: String,
    started_at: i64,
    ready_at: Option<i64>,
    ended_at: Option<i64>,
    state: String,
    record_json: Option<String>,
    outcome_json: Option<String>,
    is_continued: bool,
}

/// A table, read from its first row on and from its last.
struct Table {
    forwards: &'static str,
    backwards: &'static str,
}

macro_rules! table {
    ($select:literal) => {
        Table {
            forwards: concat!($select, " ORDER BY rowid"),
            backwards: concat!($select, " ORDER BY rowid DESC"),
        }
    };
}

const DAYS: Table = table!("SELECT rowid AS place, * FROM spending");
const MODELS: Table = table!("SELECT rowid AS place, * FROM model_spending");
const COMMANDS: Table = table!("SELECT rowid AS place, * FROM command_spending");
const RUNS: Table = table!("SELECT rowid AS place, * FROM runs");

/// Reads what can be read of a journal, whatever state it is in.
pub(crate) async fn read(file: &Path) -> Salvage {
    let mut found = Salvage::default();
    if !file.metadata().is_ok_and(|data| data.len() > 0) {
        found.is_incomplete = true;
        return found;
    }
    let options = SqliteConnectOptions::new()
        .filename(file)
        .read_only(true)
        .disable_statement_logging();
    let mut connection = match options.connect().await {
        Ok(connection) => connection,
        Err(error) => {
            tracing::warn!(%error, "nothing of the damaged journal can be read");
            found.is_incomplete = true;
            return found;
        }
    };
    let whole = &mut found.is_incomplete;
    let days: Vec<DaySpending> = rows(&mut connection, &DAYS, whole, spending::day_from_row).await;
    found.days = days.into_iter().map(|one| (one.day, one.usage)).collect();
    found.models = rows(&mut connection, &MODELS, whole, model_row).await;
    found.commands = rows(&mut connection, &COMMANDS, whole, command_row).await;
    found.runs = rows(&mut connection, &RUNS, whole, run_row).await;
    let pause: Result<Option<(String, i64)>, _> =
        sqlx::query_as("SELECT paused_by, since FROM pause")
            .fetch_optional(&mut connection)
            .await;
    found.pause = pause.ok().flatten().map(|(by, since)| Pause {
        by: Login::new(by),
        since: Time(since),
    });
    let since = sqlx::query_scalar(
        "SELECT CAST(installed_on AS TEXT) FROM _sqlx_migrations WHERE version = ?",
    )
    .bind(RUNS_MIGRATION)
    .fetch_optional(&mut connection)
    .await;
    found.recorded_since = since.ok().flatten();
    // It is done with, whatever that comes to.
    let _ = connection.close().await;
    found
}

/// The rows of a table that can be read and understood, in order. A table that the journal's version did not have has none.
async fn rows<T>(
    connection: &mut SqliteConnection,
    table: &Table,
    is_incomplete: &mut bool,
    read: impl Fn(&SqliteRow) -> Result<T, StoreError>,
) -> Vec<T> {
    let mut found = BTreeMap::new();
    for order in [table.forwards, table.backwards] {
        let mut stream = sqlx::query(order).fetch(&mut *connection);
        loop {
            match stream.try_next().await {
                Ok(Some(row)) => match (row.try_get::<i64, _>("place"), read(&row)) {
                    (Ok(place), Ok(value)) => drop(found.insert(place, value)),
                    (Err(_), _) | (_, Err(_)) => *is_incomplete = true,
                },
                // Read to its end: the other way tells nothing new.
                Ok(None) => return found.into_values().collect(),
                Err(error) if error.to_string().contains("no such table") => return Vec::new(),
                Err(error) => {
                    tracing::warn!(%error, order, "a part of the damaged journal cannot be read");
                    *is_incomplete = true;
                    break;
                }
            }
        }
    }
    found.into_values().collect()
}

fn fail(error: sqlx::Error) -> StoreError {
    from_sqlx("reading the damaged journal", &error)
}

fn model_row(row: &SqliteRow) -> Result<ModelRow, StoreError> {
    let DaySpending { day, usage } = spending::day_from_row(row)?;
    Ok(ModelRow {
        day,
        usage,
        host: row.try_get("host").map_err(fail)?,
        repo_id: row.try_get("repo_id").map_err(fail)?,
        model: row.try_get("model").map_err(fail)?,
    })
}

fn command_row(row: &SqliteRow) -> Result<CommandRow, StoreError> {
    Ok(CommandRow {
        of: model_row(row)?,
        number: row.try_get("number").map_err(fail)?,
        repo: row.try_get("repo").map_err(fail)?,
    })
}

fn run_row(row: &SqliteRow) -> Result<RunRow, StoreError> {
    let what = crate::error::JOURNAL_NAME;
    let number: i64 = row.try_get("number").map_err(fail)?;
    let found = RunRow {
        loop_id: LoopId {
            host: row.try_get("host").map_err(fail)?,
            repo_id: row.try_get("repo_id").map_err(fail)?,
            number: crate::integers::to_u64(number)?,
        },
        run: row.try_get("run").map_err(fail)?,
        repo: row.try_get("repo").map_err(fail)?,
        started_at: row.try_get("started_at").map_err(fail)?,
        ready_at: row.try_get("ready_at").map_err(fail)?,
        ended_at: row.try_get("ended_at").map_err(fail)?,
        state: row.try_get("state").map_err(fail)?,
        record_json: row.try_get("record_json").map_err(fail)?,
        // A journal of an older version has no such column.
        outcome_json: row.try_get("outcome_json").unwrap_or_default(),
        is_continued: row.try_get("is_continued").map_err(fail)?,
    };
    // Whoever makes figures of them has to understand them.
    parse_state(&found.state)?;
    RepoName::parse(&found.repo).map_err(|error| crate::error::damaged(what, error))?;
    if let Some(json) = &found.record_json {
        read_json::<RunRecord>(what, json)?;
    }
    if let Some(json) = &found.outcome_json {
        read_json::<RunOutcome>(what, json)?;
    }
    Ok(found)
}

/// What was put into the new journal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Restored {
    pub(crate) days: usize,
    pub(crate) runs: usize,
}

impl Salvage {
    /// The pause of everything, as the journal had it.
    pub(crate) fn pause(&self) -> Option<&Pause> {
        self.pause.as_ref()
    }

    /// Writes it into the new journal, after the loops: a run whose loop did not come back is left out.
    pub(crate) async fn write(
        &mut self,
        tx: &mut SqliteConnection,
        loops: &[&LoopState],
    ) -> Result<Restored, StoreError> {
        let (days, runs) = (self.days.len(), self.write_runs(tx).await?);
        self.add_what_loops_know(loops);
        for (day, usage) in &self.days {
            let spent = DaySpending {
                day: *day,
                usage: *usage,
            };
            let mut batch = Batch::default();
            spending::add(&mut batch, &spent)?;
            batch.run(&mut *tx).await.map_err(write_failed)?;
        }
        for row in &self.models {
            write_model_row(tx, row).await?;
        }
        for row in &self.commands {
            write_command_row(tx, row).await?;
        }
        if let Some(since) = &self.recorded_since {
            sqlx::query("UPDATE _sqlx_migrations SET installed_on = ? WHERE version = ?")
                .bind(since)
                .bind(RUNS_MIGRATION)
                .execute(&mut *tx)
                .await
                .map_err(write_failed)?;
        }
        Ok(Restored { days, runs })
    }

    /// What loops have spent beyond the days that came back counts for the day on which each last changed: what a limit holds for must not
    /// become less by a damaged file.
    fn add_what_loops_know(&mut self, loops: &[&LoopState]) {
        let (mut known, mut kept) = (Usage::default(), Usage::default());
        loops.iter().for_each(|state| known += state.spent());
        self.days.values().for_each(|usage| kept += *usage);
        let mut missing = known.since(&kept);
        let zone = TimeZone::system();
        let mut latest: Vec<&&LoopState> = loops.iter().collect();
        latest.sort_by_key(|state| std::cmp::Reverse(state.run.updated_at));
        for state in latest {
            let part = lesser(&state.spent(), &missing);
            if part.is_nothing() {
                continue;
            }
            missing = missing.since(&part);
            let (day, _) = day_of(state.run.updated_at, &zone);
            *self.days.entry(day).or_default() += part;
        }
    }

    async fn write_runs(&self, tx: &mut SqliteConnection) -> Result<usize, StoreError> {
        let mut written = 0;
        for run in &self.runs {
            let LoopId {
                host,
                repo_id,
                number,
            } = &run.loop_id;
            let number = to_i64(*number)?;
            // A run that its checkpoint knows is as that says; when it was ready, only the journal knew.
            let done = sqlx::query(
                "INSERT INTO runs (loop, run, host, repo_id, repo, number, started_at, ready_at, ended_at,
                                   state, record_json, outcome_json, is_continued)
                 SELECT id, ?, host, repo_id, ?, number, ?, ?, ?, ?, ?, ?, ?
                 FROM loops WHERE host = ? AND repo_id = ? AND number = ?
                 ON CONFLICT (loop, run) DO UPDATE SET
                     ready_at = coalesce(excluded.ready_at, ready_at),
                     ended_at = CASE WHEN ended_at IS NULL THEN NULL
                                     ELSE coalesce(excluded.ended_at, ended_at) END,
                     is_continued = excluded.is_continued",
            )
            .bind(&run.run)
            .bind(&run.repo)
            .bind(run.started_at)
            .bind(run.ready_at)
            .bind(run.ended_at)
            .bind(&run.state)
            .bind(&run.record_json)
            .bind(&run.outcome_json)
            .bind(run.is_continued)
            .bind(host)
            .bind(repo_id)
            .bind(number)
            .execute(&mut *tx)
            .await
            .map_err(write_failed)?;
            written += usize::try_from(done.rows_affected()).unwrap_or(usize::MAX);
        }
        Ok(written)
    }
}

/// Of each number the lesser.
fn lesser(one: &Usage, other: &Usage) -> Usage {
    Usage {
        input_tokens: one.input_tokens.min(other.input_tokens),
        output_tokens: one.output_tokens.min(other.output_tokens),
        cost_micros: one.cost_micros.min(other.cost_micros),
        unpriced: one.unpriced && other.unpriced,
        unpriced_tokens: one.unpriced_tokens.min(other.unpriced_tokens),
    }
}

fn write_failed(error: sqlx::Error) -> StoreError {
    from_sqlx("writing the new journal", &error)
}

async fn write_model_row(tx: &mut SqliteConnection, row: &ModelRow) -> Result<(), StoreError> {
    let query = sqlx::query(
        "INSERT INTO model_spending (day, host, repo_id, model, input_tokens, output_tokens, cost_micros,
                                     unpriced_tokens, unpriced)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
    )
    .bind(row.day.to_string())
    .bind(&row.host)
    .bind(&row.repo_id)
    .bind(&row.model);
    let done = bind_usage(query, &row.usage)?.execute(tx).await;
    done.map(drop).map_err(write_failed)
}

async fn write_command_row(tx: &mut SqliteConnection, row: &CommandRow) -> Result<(), StoreError> {
    let of = &row.of;
    let query = sqlx::query(
        "INSERT INTO command_spending (day, host, repo_id, number, repo, model, input_tokens, output_tokens,
                                       cost_micros, unpriced_tokens, unpriced)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    )
    .bind(of.day.to_string())
    .bind(&of.host)
    .bind(&of.repo_id)
    .bind(row.number)
    .bind(&row.repo)
    .bind(&of.model);
    let done = bind_usage(query, &of.usage)?.execute(tx).await;
    done.map(drop).map_err(write_failed)
}

type Query<'q> = sqlx::query::Query<'q, sqlx::Sqlite, sqlx::sqlite::SqliteArguments>;

/// Binds what was spent, in the order of the columns.
fn bind_usage<'q>(query: Query<'q>, usage: &Usage) -> Result<Query<'q>, StoreError> {
    Ok(query
        .bind(to_i64(usage.input_tokens)?)
        .bind(to_i64(usage.output_tokens)?)
        .bind(to_i64(usage.cost_micros)?)
        .bind(to_i64(usage.unpriced_tokens)?)
        .bind(usage.unpriced))
}
