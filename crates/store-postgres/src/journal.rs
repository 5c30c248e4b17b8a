//! The database as the journal of a server, and what that writes besides loops.

use crate::error::{answered, from_sqlx};
use async_trait::async_trait;
use collie_core::ids::{Login, Time};
use collie_core::pause::Pause;
use collie_core::user_error::UserError;
use collie_engine::ports::{JournalUpkeep, LoopRequest, ProjectionJournal, StoreError};
use collie_store::format::failed;
use sqlx::postgres::PgPool;
use sqlx::{PgConnection, Postgres, Transaction};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A database that is open, with the data folder of who opened it: a server writes it, with the folder that it holds; a command beside servers
/// has one that it only reads.
pub(crate) struct PostgresJournal<F: ?Sized = dyn ProjectionJournal> {
    pub(crate) pool: PgPool,
    /// Keeps the audit log, and the requests that other processes leave.
    pub(crate) folder: Arc<F>,
    /// Which database it was when it was opened.
    database_id: String,
    /// Whose loops this process shows; none before it has asked.
    claimed: Mutex<Option<Option<String>>>,
}

/// What the database says of itself.
#[derive(sqlx::FromRow)]
pub(crate) struct Identity {
    database_id: String,
    pub(crate) engine: Option<String>,
}

impl Identity {
    pub(crate) async fn read(pool: &PgPool, tried: &str) -> Result<Self, StoreError> {
        sqlx::query_as("SELECT database_id, engine FROM projection")
            .fetch_one(pool)
            .await
            .map_err(|error| from_sqlx(tried, &error))
    }
}

impl<F: ?Sized> PostgresJournal<F> {
    pub(crate) fn of(pool: PgPool, folder: Arc<F>, said: Identity) -> Self {
        Self {
            pool,
            folder,
            database_id: said.database_id,
            claimed: Mutex::default(),
        }
    }
}

impl PostgresJournal {
    pub(crate) fn lock_claimed(&self) -> MutexGuard<'_, Option<Option<String>>> {
        // Nothing can panic while the lock is held, so what a poisoned one holds is whole.
        self.claimed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins a transaction that no other can be beside, of any server, on the database that was opened.
    pub(crate) async fn begin(
        &self,
        tried: &str,
    ) -> Result<(Transaction<'static, Postgres>, Identity), StoreError> {
        let fail = |error: sqlx::Error| from_sqlx(tried, &error);
        let mut tx = self.pool.begin().await.map_err(fail)?;
        let said = sqlx::query_as("SELECT database_id, engine FROM projection FOR UPDATE");
        let identity: Identity = said.fetch_one(&mut *tx).await.map_err(fail)?;
        self.check_database(&identity, tried)?;
        Ok((tx, identity))
    }

    /// What is known of loops is known of one database: another may lack what this process has told it of.
    pub(crate) fn check_database(&self, said: &Identity, tried: &str) -> Result<(), StoreError> {
        match said.database_id == self.database_id {
            true => Ok(()),
            false => Err(failed(
                tried,
                "the database was replaced by another since this server began: start it again, and the new one is filled",
            )),
        }
    }

    async fn write_pause(&self, pause: Option<&Pause>) -> Result<(), StoreError> {
        let tried = "writing down the pause";
        let (mut tx, _) = self.begin(tried).await?;
        let written = async {
            sqlx::query("DELETE FROM pause").execute(&mut *tx).await?;
            if let Some(pause) = pause {
                let insert = sqlx::query("INSERT INTO pause (paused_by, since) VALUES ($1, $2)");
                let insert = insert.bind(pause.by.as_str()).bind(pause.since.0);
                insert.execute(&mut *tx).await?;
            }
            tx.commit().await
        };
        written.await.map_err(|error| from_sqlx(tried, &error))
    }
}

#[async_trait]
impl JournalUpkeep for PostgresJournal {
    async fn forget_recordings(&self, ended_before: Time) -> Result<u64, StoreError> {
        let tried = "letting go of recordings";
        let forgotten = sqlx::query(
            "DELETE FROM recordings USING runs
             WHERE runs.loop = recordings.loop AND runs.run = recordings.run AND runs.ended_at <= $1",
        )
        .bind(ended_before.0)
        .execute(&self.pool);
        let forgotten = async { forgotten.await.map_err(|error| from_sqlx(tried, &error)) };
        Ok(answered(tried, forgotten).await?.rows_affected())
    }

    async fn set_pause(&self, pause: Option<&Pause>) -> Result<(), StoreError> {
        answered("writing down the pause", self.write_pause(pause)).await
    }

    async fn requests(&self) -> Result<Vec<(u64, LoopRequest, Login)>, StoreError> {
        self.folder.requests().await
    }

    async fn finish_request(
        &self,
        request: u64,
        refusal: Option<&UserError>,
    ) -> Result<(), StoreError> {
        self.folder.finish_request(request, refusal).await
    }
}

/// Carries out a statement of a transaction.
pub(crate) async fn execute(
    connection: &mut PgConnection,
    statement: sqlx::query::Query<'_, Postgres, sqlx::postgres::PgArguments>,
) -> Result<u64, StoreError> {
    let done = statement.execute(connection).await;
    let done = done.map_err(|error| from_sqlx("writing what loops elsewhere told", &error))?;
    Ok(done.rows_affected())
}
