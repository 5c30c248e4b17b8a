//! The store as the journal of loops that live elsewhere.

use crate::apply::{self, FirstLine, find_loop};
use crate::batch::Batch;
use crate::error::from_sqlx;
use crate::integers::{to_i64, to_u64};
use crate::journal::{BEGIN, loop_id};
use crate::store::{LoopRecord, Store};
use crate::writer::CheckpointJob;
use async_trait::async_trait;
use collie_core::event::Event;
use collie_core::ids::LoopId;
use collie_engine::ports::{
    AppliedStep, ProjectedChange, ProjectedStep, ProjectionJournal, ProjectionProgress, StoreError,
};
use sqlx::{Row, SqliteConnection};
use std::collections::BTreeMap;

const TRIED: &str = "writing down what loops elsewhere told";

#[async_trait]
impl ProjectionJournal for Store {
    async fn projection_progress(&self) -> Result<ProjectionProgress, StoreError> {
        self.copying_if_damaged(self.read_progress().await)
    }

    async fn claim_for(&self, _: Option<&str>) -> Result<bool, StoreError> {
        Ok(true)
    }

    async fn project(&self, steps: &[ProjectedStep]) -> Result<usize, StoreError> {
        self.copying_if_damaged(self.write_projected(steps).await)
    }

    async fn set_projection_position(&self, position: u64) -> Result<(), StoreError> {
        self.engine(TRIED)?;
        let set =
            sqlx::query("INSERT OR REPLACE INTO projection (only_row, position) VALUES (1, ?)")
                .bind(to_i64(position)?);
        let written = self.database.write(TRIED, set).await;
        self.copying_if_damaged(written).map(drop)
    }
}

/// What was written in a transaction that may still fail.
#[derive(Default)]
struct Written {
    records: BTreeMap<LoopId, LoopRecord>,
    jobs: Vec<CheckpointJob>,
    new: usize,
}

impl Store {
    async fn read_progress(&self) -> Result<ProjectionProgress, StoreError> {
        let fail =
            |error: sqlx::Error| from_sqlx("reading how far loops elsewhere are known", &error);
        let position: Option<i64> = sqlx::query_scalar("SELECT position FROM projection")
            .fetch_optional(&self.database.readers)
            .await
            .map_err(fail)?;
        let rows = sqlx::query(
            "SELECT host, repo_id, number, projected_loops.version AS version
             FROM projected_loops JOIN loops ON loops.id = loop",
        )
        .fetch_all(&self.database.readers)
        .await
        .map_err(fail)?;
        let versions = rows.iter().map(|row| {
            let version = row.try_get("version").map_err(fail)?;
            Ok((loop_id(row)?, to_u64(version)?))
        });
        Ok(ProjectionProgress {
            position: position.map(to_u64).transpose()?,
            versions: versions.collect::<Result<_, StoreError>>()?,
        })
    }

    async fn write_projected(&self, steps: &[ProjectedStep]) -> Result<usize, StoreError> {
        let engine = self.engine(TRIED)?;
        let mut records = engine.loop_records.lock().await;
        let mut writer = self.database.writer(TRIED).await?;
        let outcome = async {
            let mut written = Written::default();
            run(&mut writer, BEGIN).await?;
            for step in steps {
                let id = &step.applied.state.id;
                let record = written.records.get(id).or_else(|| records.get(id)).cloned();
                write_step(&mut writer, record, step, &mut written).await?;
            }
            run(&mut writer, "COMMIT").await?;
            Ok(written)
        };
        let outcome = outcome.await;
        // Nothing is remembered before it is committed.
        let written = writer.give_back(outcome)?;
        records.extend(written.records);
        engine.checkpoint_writer.enqueue(written.jobs);
        Ok(written.new)
    }
}

/// Writes a step down, unless it is known.
async fn write_step(
    connection: &mut SqliteConnection,
    record: Option<LoopRecord>,
    step: &ProjectedStep,
    written: &mut Written,
) -> Result<(), StoreError> {
    let id = &step.applied.state.id;
    let record = match record {
        Some(record) => Some(record),
        None => find_loop(connection, id).await?,
    };
    let known = known_version(connection, record.as_ref()).await?;
    if known.is_some_and(|known| known >= step.version) {
        return Ok(());
    }
    let outcome = match (record, &step.change) {
        (None, ProjectedChange::Begun) => first(connection, step, FirstLine::Created).await?,
        (None, _) => first(connection, step, FirstLine::Joined).await?,
        (Some(record), ProjectedChange::Event(event)) => {
            let applied = receive(connection, &record, event, &step.applied).await?;
            let mut batch = Batch::default();
            let outcome = apply::apply(connection, &mut batch, Some(record), &applied).await?;
            run_batch(connection, batch).await?;
            Some(outcome)
        }
        (Some(record), _) => {
            let mut batch = Batch::default();
            let applied = &step.applied;
            let outcome = apply::apply(connection, &mut batch, Some(record), applied).await?;
            run_batch(connection, batch).await?;
            Some(outcome)
        }
    };
    let Some(outcome) = outcome else {
        return Ok(());
    };
    let mut batch = Batch::default();
    batch
        .add("INSERT OR REPLACE INTO projected_loops (loop, version) VALUES (?, ?)")
        .bind(outcome.record.row_id)
        .bind(to_i64(step.version)?);
    run_batch(connection, batch).await?;
    written.records.insert(id.clone(), outcome.record);
    written.jobs.extend(outcome.checkpoint_job);
    written.new += 1;
    Ok(())
}

async fn first(
    connection: &mut SqliteConnection,
    step: &ProjectedStep,
    line: FirstLine,
) -> Result<Option<apply::WriteOutcome>, StoreError> {
    let AppliedStep { state, at, .. } = &step.applied;
    apply::create(connection, state, line, (&state.run.started_by, *at)).await
}

async fn known_version(
    connection: &mut SqliteConnection,
    record: Option<&LoopRecord>,
) -> Result<Option<u64>, StoreError> {
    let Some(record) = record else {
        return Ok(None);
    };
    let version: Option<i64> =
        sqlx::query_scalar("SELECT version FROM projected_loops WHERE loop = ?")
            .bind(record.row_id)
            .fetch_optional(connection)
            .await
            .map_err(|error| from_sqlx(TRIED, &error))?;
    version.map(to_u64).transpose()
}

/// An event passes through the inbox as each does, and is in it for as long as the transaction lasts.
async fn receive(
    connection: &mut SqliteConnection,
    record: &LoopRecord,
    event: &Event,
    applied: &AppliedStep,
) -> Result<AppliedStep, StoreError> {
    let mut batch = Batch::default();
    let of = (&applied.state.id, event);
    apply::receive(connection, &mut batch, Some(record), of, applied.at).await?;
    let rows = run_batch(connection, batch).await?;
    let fail = |error: sqlx::Error| from_sqlx(TRIED, &error);
    let numbers = rows
        .iter()
        .map(|row| to_u64(row.try_get("seq").map_err(fail)?));
    Ok(AppliedStep {
        inbox: numbers.collect::<Result<_, StoreError>>()?,
        ..applied.clone()
    })
}

async fn run(connection: &mut SqliteConnection, statement: &'static str) -> Result<(), StoreError> {
    let mut batch = Batch::default();
    batch.add(statement);
    run_batch(connection, batch).await.map(drop)
}

async fn run_batch(
    connection: &mut SqliteConnection,
    batch: Batch,
) -> Result<Vec<sqlx::sqlite::SqliteRow>, StoreError> {
    let ran = batch.run(connection).await;
    ran.map_err(|error| from_sqlx(TRIED, &error))
}
