//! Browsers that are signed in to a server: for a restart, and to end them.

use crate::batch::Batch;
use crate::error::from_sqlx;
use crate::store::Store;
use collie_core::ids::{AccountId, Login, Time};
use collie_engine::ports::{BrowserSession, EndedSessions, StoreError};

/// A row of `browser_sessions` as it is read: account, login, begin, end, and what is sealed.
pub type SessionRow = (i64, String, i64, i64, Vec<u8>);

/// The session of a row.
pub fn session_from_row(
    id_hash: &str,
    (account, login, begun_at, expires_at, sealed): SessionRow,
) -> BrowserSession {
    BrowserSession {
        id_hash: id_hash.to_owned(),
        account: AccountId(u64::try_from(account).unwrap_or_default()),
        login: Login::new(&login),
        begun_at: Time(begun_at),
        expires_at: Time(expires_at),
        sealed,
    }
}

impl Store {
    pub(crate) async fn find_browser_session(
        &self,
        id_hash: &str,
    ) -> Result<Option<BrowserSession>, StoreError> {
        let found: Option<SessionRow> = sqlx::query_as(
            "SELECT account, login, begun_at, expires_at, sealed FROM browser_sessions WHERE id_hash = ?",
        )
        .bind(id_hash)
        .fetch_optional(&self.database.readers)
        .await
        .map_err(|error| from_sqlx("looking for a session", &error))?;
        Ok(found.map(|row| session_from_row(id_hash, row)))
    }

    /// Adds a session, and takes those out that were over by `now`.
    pub(crate) async fn write_browser_session(
        &self,
        session: &BrowserSession,
        now: Time,
    ) -> Result<(), StoreError> {
        let mut batch = Batch::default();
        batch
            .add("DELETE FROM browser_sessions WHERE expires_at <= ?")
            .bind(now.0);
        batch
            .add("INSERT INTO browser_sessions (id_hash, account, login, begun_at, expires_at, sealed) VALUES (?, ?, ?, ?, ?, ?)")
            .bind(&session.id_hash)
            .bind(i64::try_from(session.account.0).unwrap_or(i64::MAX))
            .bind(session.login.as_str())
            .bind(session.begun_at.0)
            .bind(session.expires_at.0)
            .bind(&session.sealed);
        let done = self.database.write_all("keeping a session", batch).await;
        done.map(drop)
    }

    pub(crate) async fn delete_browser_sessions(
        &self,
        which: &EndedSessions,
    ) -> Result<(), StoreError> {
        let delete = match which {
            EndedSessions::One(id_hash) => {
                sqlx::query("DELETE FROM browser_sessions WHERE id_hash = ?").bind(id_hash.clone())
            }
            EndedSessions::OfAccount(account) => {
                sqlx::query("DELETE FROM browser_sessions WHERE account = ?")
                    .bind(i64::try_from(account.0).unwrap_or(i64::MAX))
            }
        };
        let done = self.database.write("ending a session", delete).await;
        done.map(drop)
    }
}
