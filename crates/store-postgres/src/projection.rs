//! What loops elsewhere tell, written down once by whichever server hears it first.

use crate::error::{answered, from_sqlx};
use crate::journal::{Identity, PostgresJournal, execute};
use crate::write;
use async_trait::async_trait;
use collie_core::ids::LoopId;
use collie_engine::ports::{ProjectedStep, ProjectionJournal, ProjectionProgress, StoreError};
use collie_store::format::{failed, to_i64, to_u64};

const TRIED: &str = "writing what loops elsewhere told";
const READING: &str = "reading how far loops elsewhere are known";

#[async_trait]
impl ProjectionJournal for PostgresJournal {
    async fn claim_for(&self, engine: Option<&str>) -> Result<bool, StoreError> {
        answered("asking whose loops the database shows", self.claim(engine)).await
    }

    async fn projection_progress(&self) -> Result<ProjectionProgress, StoreError> {
        answered(READING, self.read_progress()).await
    }

    async fn project(&self, steps: &[ProjectedStep]) -> Result<usize, StoreError> {
        answered(TRIED, self.write_steps(steps)).await
    }

    async fn set_projection_position(&self, position: u64) -> Result<(), StoreError> {
        answered(TRIED, self.write_position(position)).await
    }
}

impl PostgresJournal {
    async fn claim(&self, engine: Option<&str>) -> Result<bool, StoreError> {
        let tried = "asking whose loops the database shows";
        let said = Identity::read(&self.pool, tried).await?;
        self.check_database(&said, tried)?;
        let shows = match (said.engine, engine) {
            (None, Some(engine)) => self.claim_first(engine).await?,
            (shows, _) => shows,
        };
        let is_it = shows.as_deref() == engine;
        *self.lock_claimed() = is_it.then_some(shows);
        Ok(is_it)
    }

    /// The engine that the database shows; this one, if no other server was faster.
    async fn claim_first(&self, engine: &str) -> Result<Option<String>, StoreError> {
        let (mut tx, said) = self.begin(TRIED).await?;
        if said.engine.is_none() {
            let claim = sqlx::query("UPDATE projection SET engine = $1").bind(engine);
            execute(&mut tx, claim).await?;
            commit(tx).await?;
            return Ok(Some(engine.to_owned()));
        }
        Ok(said.engine)
    }

    async fn read_progress(&self) -> Result<ProjectionProgress, StoreError> {
        let fail = |error: sqlx::Error| from_sqlx(READING, &error);
        // The position first: what is written after it is asked for again.
        let position: Option<i64> = sqlx::query_scalar("SELECT position FROM projection")
            .fetch_one(&self.pool)
            .await
            .map_err(fail)?;
        let rows: Vec<(String, String, i64, i64)> =
            sqlx::query_as("SELECT host, repo_id, number, projected_version FROM loops")
                .fetch_all(&self.pool)
                .await
                .map_err(fail)?;
        let version = |(host, repo_id, number, version)| {
            let number = to_u64(number)?;
            let id = LoopId {
                host,
                repo_id,
                number,
            };
            Ok((id, to_u64(version)?))
        };
        Ok(ProjectionProgress {
            position: position.map(to_u64).transpose()?,
            versions: rows
                .into_iter()
                .map(version)
                .collect::<Result<_, StoreError>>()?,
        })
    }

    async fn write_steps(&self, steps: &[ProjectedStep]) -> Result<usize, StoreError> {
        let (mut tx, said) = self.begin(TRIED).await?;
        if self.lock_claimed().as_ref() != Some(&said.engine) {
            return Err(failed(
                TRIED,
                "it is not known that the database shows loops of this engine",
            ));
        }
        let mut new = 0;
        for step in steps {
            new += usize::from(write::write_step(&mut tx, step).await?);
        }
        commit(tx).await?;
        Ok(new)
    }

    /// Another server may be further: what one has written both have.
    async fn write_position(&self, position: u64) -> Result<(), StoreError> {
        let (mut tx, _) = self.begin(TRIED).await?;
        let set = sqlx::query("UPDATE projection SET position = greatest(position, $1)")
            .bind(to_i64(position)?);
        execute(&mut tx, set).await?;
        commit(tx).await
    }
}

async fn commit(tx: sqlx::Transaction<'_, sqlx::Postgres>) -> Result<(), StoreError> {
    let done = tx.commit().await;
    done.map_err(|error| from_sqlx(TRIED, &error))
}
