//! What figures over many runs are made of (§13.8): a row a run, and what was spent on which model.

use crate::batch::Batch;
use crate::error::{JOURNAL_NAME, damaged, from_sqlx};
use crate::integers::{to_i64, to_u64};
use crate::persisted::{parse_state, read_json, read_state, to_json};
use crate::spending;
use collie_core::ids::{LoopId, RepoName, RunId, Time};
use collie_core::insights::{LoopRun, RunOutcome, RunRecord, RunRow, SpendRow};
use collie_core::lifecycle::State;
use collie_core::loop_state::LoopState;
use collie_core::note::Note;
use collie_core::usage::Usage;
use collie_engine::ports::{DaySpending, InsightRows, ModelSpending, StoreError};
use sqlx::sqlite::{SqlitePool, SqliteRow};
use sqlx::{FromRow as _, Row, SqliteConnection};
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};

/// The migration that began to keep them.
const MIGRATION: i64 = 5;

/// A run as it is written.
pub struct RunWrite<'a> {
    /// The row of its loop.
    pub row_id: i64,
    /// The loop.
    pub state: &'a LoopState,
    /// The state before.
    pub from: Option<State>,
    /// When.
    pub at: Time,
    record: RunRecord,
    outcome: RunOutcome,
    /// A hash of all that is written.
    pub(crate) hash: u64,
}

/// What of a run depends on where it stands.
pub struct RunColumns {
    /// When it became ready, if it just did.
    pub ready_at: Option<i64>,
    /// When it ended, if it has.
    pub ended_at: Option<i64>,
    /// A [`RunRecord`].
    pub record_json: String,
    /// A [`RunOutcome`].
    pub outcome_json: String,
}

impl<'a> RunWrite<'a> {
    /// The present run of a loop.
    pub fn of(row_id: i64, state: &'a LoopState, from: Option<State>, at: Time) -> Self {
        let record = RunRecord::of(state);
        let outcome = RunOutcome::of(state);
        let mut hasher = DefaultHasher::new();
        let run = &state.run;
        (&run.id, run.state, &state.pull.repo, &record, &outcome).hash(&mut hasher);
        Self {
            row_id,
            state,
            from,
            at,
            record,
            outcome,
            hash: hasher.finish(),
        }
    }

    /// Writes it with what led to it. The first time that it was ready or over stays.
    pub(crate) fn save(&self, batch: &mut Batch) -> Result<(), StoreError> {
        let state = self.state;
        let columns = self.columns()?;
        let statement = batch.add(
            "INSERT INTO runs (loop, run, host, repo_id, repo, number, started_at, ready_at, ended_at,
                               state, record_json, outcome_json)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
             ON CONFLICT (loop, run) DO UPDATE SET
                 repo = excluded.repo,
                 ready_at = coalesce(ready_at, excluded.ready_at),
                 ended_at = coalesce(ended_at, excluded.ended_at),
                 state = excluded.state,
                 record_json = excluded.record_json,
                 outcome_json = excluded.outcome_json",
        );
        statement
            .bind(self.row_id)
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
        Ok(())
    }

    /// As it is kept.
    ///
    /// # Errors
    /// It is no JSON.
    pub fn columns(&self) -> Result<RunColumns, StoreError> {
        let is = self.state.run.state;
        let becomes_ready = is == State::PrReadyToMerge && self.from != Some(is);
        Ok(RunColumns {
            ready_at: becomes_ready.then_some(self.at.0),
            ended_at: is.is_terminal().then_some(self.at.0),
            record_json: to_json(&self.record)?,
            outcome_json: to_json(&self.outcome)?,
        })
    }
}

/// Remembers that a run which just began has the findings of the one before, so that nobody counts them twice.
pub(crate) fn mark_continued(batch: &mut Batch, row_id: i64, state: &LoopState, notes: &[Note]) {
    if !continues(state, notes) {
        return;
    }
    batch
        .add(
            "UPDATE runs SET is_continued = 1 WHERE loop = ? AND run = (
                 SELECT run FROM runs WHERE loop = ? AND run <> ? ORDER BY started_at DESC, rowid DESC LIMIT 1)",
        )
        .bind(row_id)
        .bind(row_id)
        .bind(state.run.id.as_str());
}

/// Whether a run just began that has the findings of the one before.
pub fn continues(state: &LoopState, notes: &[Note]) -> bool {
    let begins = |note: &Note| matches!(note, Note::RunStarted { .. });
    notes.iter().any(begins) && !state.run.review.findings.is_empty()
}

/// Adds to what was spent, with what says so.
pub(crate) fn add_spending(
    batch: &mut Batch,
    id: &LoopId,
    spent: &DaySpending,
    spent_on: &[ModelSpending],
) -> Result<(), StoreError> {
    for ModelSpending { model, usage } in spent_on {
        let statement = batch.add(
            "INSERT INTO model_spending (day, host, repo_id, model, input_tokens, output_tokens, cost_micros,
                                         unpriced_tokens, unpriced)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
             ON CONFLICT (day, host, repo_id, model) DO UPDATE SET
                 input_tokens = input_tokens + excluded.input_tokens,
                 output_tokens = output_tokens + excluded.output_tokens,
                 cost_micros = cost_micros + excluded.cost_micros,
                 unpriced_tokens = unpriced_tokens + excluded.unpriced_tokens,
                 unpriced = max(unpriced, excluded.unpriced)",
        );
        statement
            .bind(spent.day.to_string())
            .bind(&id.host)
            .bind(&id.repo_id)
            .bind(model.as_deref().unwrap_or(""))
            .bind(to_i64(usage.input_tokens)?)
            .bind(to_i64(usage.output_tokens)?)
            .bind(to_i64(usage.cost_micros)?)
            .bind(to_i64(usage.unpriced_tokens)?)
            .bind(usage.unpriced);
    }
    Ok(())
}

/// The runs of one loop with what each came to, oldest first.
pub(crate) async fn of_loop(readers: &SqlitePool, id: &LoopId) -> Result<Vec<LoopRun>, StoreError> {
    let fail = |error: sqlx::Error| from_sqlx("reading the runs", &error);
    let rows = sqlx::query(
        "SELECT host, repo_id, repo, number, run, started_at, ready_at, ended_at, state, record_json,
                is_continued, outcome_json
         FROM runs WHERE host = ? AND repo_id = ? AND number = ? ORDER BY started_at, rowid",
    )
    .bind(&id.host)
    .bind(&id.repo_id)
    .bind(to_i64(id.number)?)
    .fetch_all(readers)
    .await
    .map_err(fail)?;
    let stored: Vec<(StoredRun, Option<String>)> = rows
        .iter()
        .map(|row| Ok((StoredRun::from_row(row)?, row.try_get("outcome_json")?)))
        .collect::<Result<_, _>>()
        .map_err(fail)?;
    loop_runs(stored)
}

/// The runs of one loop, oldest first, each with a `RunOutcome` in JSON.
///
/// # Errors
/// One cannot be read.
pub fn loop_runs(stored: Vec<(StoredRun, Option<String>)>) -> Result<Vec<LoopRun>, StoreError> {
    let last = stored.iter().rev().take(1);
    let names = present_names(last.map(|(stored, _)| stored))?;
    let run = |(stored, outcome): (StoredRun, Option<String>)| {
        let outcome = outcome.map(|json| read_json(JOURNAL_NAME, &json));
        Ok(LoopRun {
            row: run_from_stored(stored, &names)?,
            outcome: outcome.transpose()?,
        })
    };
    stored.into_iter().map(run).collect()
}

/// What repositories are called now: later runs know.
///
/// # Errors
/// One is no name.
pub fn present_names<'a>(stored: impl Iterator<Item = &'a StoredRun>) -> Result<Names, StoreError> {
    let mut latest: BTreeMap<(&str, &str), &str> = BTreeMap::new();
    for (host, repo_id, repo, ..) in stored {
        latest.insert((host, repo_id), repo);
    }
    let name = |((host, repo_id), repo): ((&str, &str), &str)| {
        let repo = RepoName::parse(repo).map_err(|error| damaged(JOURNAL_NAME, error))?;
        Ok(((host.to_owned(), repo_id.to_owned()), repo))
    };
    latest.into_iter().map(name).collect()
}

/// Completes the runs that loops still hold and that were written by an older Collie. One that cannot be read stays as it is: whoever
/// needs the loop says so.
pub(crate) async fn complete(tx: &mut SqliteConnection) -> Result<(), StoreError> {
    let fail = |error: sqlx::Error| from_sqlx("reading the loops", &error);
    let incomplete: Vec<i64> = sqlx::query_scalar(
        "SELECT loops.id FROM loops LEFT JOIN runs ON runs.loop = loops.id AND runs.run = loops.run
         WHERE runs.record_json IS NULL OR runs.outcome_json IS NULL",
    )
    .fetch_all(&mut *tx)
    .await
    .map_err(fail)?;
    for row_id in incomplete {
        let (version, json): (u32, String) =
            sqlx::query_as("SELECT version, state_json FROM loops WHERE id = ?")
                .bind(row_id)
                .fetch_one(&mut *tx)
                .await
                .map_err(fail)?;
        match read_state(JOURNAL_NAME, version, &json) {
            Ok(state) => {
                let run = &state.run;
                let write = RunWrite::of(row_id, &state, Some(run.state), run.updated_at);
                let mut batch = Batch::default();
                write.save(&mut batch)?;
                batch
                    .run(&mut *tx)
                    .await
                    .map_err(|error| from_sqlx("writing a run", &error))?;
            }
            Err(error) => tracing::warn!(%error, "a run is left out of the figures"),
        }
    }
    Ok(())
}

/// A row of `runs` as it is read, by place: by name each would be looked up ten thousand times. Host, repository, its name, number, run,
/// begin, ready, end, state, `RunRecord` in JSON, and whether another run went on with its findings.
pub type StoredRun = (
    String,
    String,
    String,
    i64,
    String,
    i64,
    Option<i64>,
    Option<i64>,
    String,
    Option<String>,
    bool,
);

/// All rows.
pub(crate) async fn rows(readers: &SqlitePool) -> Result<InsightRows, StoreError> {
    let fail = |error: sqlx::Error| from_sqlx("reading the runs", &error);
    let stored: Vec<StoredRun> = sqlx::query_as(
        "SELECT host, repo_id, repo, number, run, started_at, ready_at, ended_at, state, record_json,
                is_continued
         FROM runs ORDER BY started_at, rowid",
    )
    .fetch_all(readers)
    .await
    .map_err(fail)?;
    let names = present_names(stored.iter())?;
    let runs: Result<_, _> = stored
        .into_iter()
        .map(|stored| run_from_stored(stored, &names))
        .collect();
    let since: i64 = sqlx::query_scalar(
        "SELECT CAST(strftime('%s', installed_on) AS INTEGER) * 1000 FROM _sqlx_migrations WHERE version = ?",
    )
    .bind(MIGRATION)
    .fetch_one(readers)
    .await
    .map_err(fail)?;
    Ok(InsightRows {
        runs: runs?,
        spending: spending_rows(readers, &names).await?,
        recorded_since: Time(since),
    })
}

/// Names of repositories by host and id.
pub type Names = BTreeMap<(String, String), RepoName>;

/// A run.
///
/// # Errors
/// It cannot be read, or its repository has no name.
pub fn run_from_stored(stored: StoredRun, names: &Names) -> Result<RunRow, StoreError> {
    let (host, repo_id, _, number, run, started_at, ready_at, ended_at, state, record, continued) =
        stored;
    let name = names.get(&(host, repo_id)).cloned();
    Ok(RunRow {
        repo: name.ok_or_else(|| damaged(JOURNAL_NAME, "a run of no repository"))?,
        number: to_u64(number)?,
        run: RunId::new(run),
        started_at: Time(started_at),
        ready_at: ready_at.map(Time),
        ended_at: ended_at.map(Time),
        state: parse_state(&state)?,
        record: record
            .map(|json| read_json(JOURNAL_NAME, &json))
            .transpose()?,
        is_continued: continued,
    })
}

fn repository_key(row: &SqliteRow) -> Result<(String, String), StoreError> {
    let fail = |error: sqlx::Error| from_sqlx("reading what was spent", &error);
    let text = |name| row.try_get::<String, _>(name).map_err(fail);
    Ok((text("host")?, text("repo_id")?))
}

/// What was spent by model, and what is in the days' sums beyond that.
async fn spending_rows(readers: &SqlitePool, names: &Names) -> Result<Vec<SpendRow>, StoreError> {
    let fail = |error: sqlx::Error| from_sqlx("reading what was spent", &error);
    let rows = sqlx::query("SELECT * FROM model_spending ORDER BY day, host, repo_id, model")
        .fetch_all(readers)
        .await
        .map_err(fail)?;
    let mut by_model = Vec::with_capacity(rows.len());
    let mut attributed: BTreeMap<_, Usage> = BTreeMap::new();
    for row in &rows {
        let DaySpending { day, usage } = spending::day_from_row(row)?;
        let model: String = row.try_get("model").map_err(fail)?;
        *attributed.entry(day).or_default() += usage;
        by_model.push(SpendRow {
            day,
            repo: names.get(&repository_key(row)?).cloned(),
            model: Some(model).filter(|model| !model.is_empty()),
            usage,
        });
    }
    for DaySpending { day, usage } in spending::days_of_loops(readers).await? {
        let rest = usage.since(&attributed.remove(&day).unwrap_or_default());
        if !rest.is_nothing() {
            by_model.push(SpendRow {
                day,
                repo: None,
                model: None,
                usage: rest,
            });
        }
    }
    by_model.extend(command_rows(readers, names).await?);
    Ok(by_model)
}

/// What commands spent beside the engine.
async fn command_rows(readers: &SqlitePool, names: &Names) -> Result<Vec<SpendRow>, StoreError> {
    let fail = |error: sqlx::Error| from_sqlx("reading what was spent", &error);
    let rows =
        sqlx::query("SELECT * FROM command_spending ORDER BY day, host, repo_id, number, model")
            .fetch_all(readers)
            .await
            .map_err(fail)?;
    let row = |row: &SqliteRow| {
        let DaySpending { day, usage } = spending::day_from_row(row)?;
        let model: String = row.try_get("model").map_err(fail)?;
        let own_name: String = row.try_get("repo").map_err(fail)?;
        // One that has runs goes by its present name there.
        let known = names.get(&repository_key(row)?).cloned();
        Ok(SpendRow {
            day,
            repo: known.or_else(|| RepoName::parse(&own_name).ok()),
            model: Some(model).filter(|model| !model.is_empty()),
            usage,
        })
    };
    rows.iter().map(row).collect()
}
