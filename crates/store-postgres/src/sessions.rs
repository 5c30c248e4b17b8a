//! Browsers that are signed in, at any of the servers, and requests from outside that any of them took.

use crate::error::from_sqlx;
use crate::journal::PostgresJournal;
use collie_core::ids::Time;
use collie_engine::ports::{BrowserSession, EndedSessions, StoreError};
use collie_store::format::{SessionRow, session_from_row};

impl<F: ?Sized> PostgresJournal<F> {
    pub(crate) async fn find_session(
        &self,
        id_hash: &str,
    ) -> Result<Option<BrowserSession>, StoreError> {
        let found: Option<SessionRow> = sqlx::query_as(
            "SELECT account, login, begun_at, expires_at, sealed FROM browser_sessions WHERE id_hash = $1",
        )
        .bind(id_hash)
        .fetch_optional(&self.pool)
        .await
        .map_err(|error| from_sqlx("looking for a session", &error))?;
        Ok(found.map(|row| session_from_row(id_hash, row)))
    }

    /// Adds a session, and takes those out that were over by `now`.
    pub(crate) async fn write_session(
        &self,
        session: &BrowserSession,
        now: Time,
    ) -> Result<(), StoreError> {
        let written = async {
            let mut tx = self.pool.begin().await?;
            sqlx::query("DELETE FROM browser_sessions WHERE expires_at <= $1")
                .bind(now.0)
                .execute(&mut *tx)
                .await?;
            sqlx::query(
                "INSERT INTO browser_sessions (id_hash, account, login, begun_at, expires_at, sealed)
                 VALUES ($1, $2, $3, $4, $5, $6)",
            )
            .bind(&session.id_hash)
            .bind(i64::try_from(session.account.0).unwrap_or(i64::MAX))
            .bind(session.login.as_str())
            .bind(session.begun_at.0)
            .bind(session.expires_at.0)
            .bind(&session.sealed)
            .execute(&mut *tx)
            .await?;
            tx.commit().await
        };
        let written = written.await;
        written.map_err(|error| from_sqlx("keeping a session", &error))
    }

    pub(crate) async fn delete_sessions(&self, which: &EndedSessions) -> Result<(), StoreError> {
        let delete = match which {
            EndedSessions::One(id_hash) => {
                sqlx::query("DELETE FROM browser_sessions WHERE id_hash = $1").bind(id_hash)
            }
            EndedSessions::OfAccount(account) => {
                sqlx::query("DELETE FROM browser_sessions WHERE account = $1")
                    .bind(i64::try_from(account.0).unwrap_or(i64::MAX))
            }
        };
        let done = delete.execute(&self.pool).await;
        done.map(drop)
            .map_err(|error| from_sqlx("ending a session", &error))
    }

    pub(crate) async fn is_seen(&self, id: &str) -> Result<bool, StoreError> {
        sqlx::query_scalar("SELECT EXISTS (SELECT 1 FROM seen WHERE id = $1)")
            .bind(id)
            .fetch_one(&self.pool)
            .await
            .map_err(|error| from_sqlx("looking for a request that was taken", &error))
    }

    pub(crate) async fn write_seen(
        &self,
        ids: &[String],
        at: Time,
        forget_before: Time,
    ) -> Result<(), StoreError> {
        let written = async {
            let mut tx = self.pool.begin().await?;
            for id in ids {
                sqlx::query(
                    "INSERT INTO seen (id, at) VALUES ($1, $2) ON CONFLICT (id) DO NOTHING",
                )
                .bind(id)
                .bind(at.0)
                .execute(&mut *tx)
                .await?;
            }
            sqlx::query("DELETE FROM seen WHERE at < $1")
                .bind(forget_before.0)
                .execute(&mut *tx)
                .await?;
            tx.commit().await
        };
        let written = written.await;
        written.map_err(|error| from_sqlx("remembering a request", &error))
    }
}
