//! The one connection of this process that writes. It is no pool's: a pool asks a connection whether it lives each time that it comes back,
//! which costs as much as a statement.

use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use sqlx::{ConnectOptions as _, Connection as _};
use std::ops::{Deref, DerefMut};
use tokio::sync::{Mutex, MutexGuard};

/// Where the connection lies while nobody writes; nowhere before it is opened, and after a failure.
#[derive(Debug)]
pub(crate) struct WriteConnection {
    options: SqliteConnectOptions,
    connection: Mutex<Option<Box<SqliteConnection>>>,
}

/// The connection, for whoever writes alone.
///
/// What is dropped without [`Writing::give_back`] closes it, and what it had begun is rolled back: after an error nobody knows where the
/// connection stands. On a full disk SQLite may have rolled back by itself, of which sqlx does not learn.
pub(crate) struct Writing<'a> {
    place: MutexGuard<'a, Option<Box<SqliteConnection>>>,
    /// In a place of its own: it would lie in every future that writes.
    connection: Box<SqliteConnection>,
}

impl WriteConnection {
    /// Opens it.
    pub(crate) async fn open(options: SqliteConnectOptions) -> Result<Self, sqlx::Error> {
        let connection = options.connect().await?;
        Ok(Self {
            options,
            connection: Mutex::new(Some(Box::new(connection))),
        })
    }

    /// Waits until nobody else writes.
    pub(crate) async fn take(&self) -> Result<Writing<'_>, sqlx::Error> {
        let mut place = self.connection.lock().await;
        let connection = match place.take() {
            Some(connection) => connection,
            None => Box::new(self.options.connect().await?),
        };
        Ok(Writing { place, connection })
    }

    /// Ends it; whoever writes next opens it anew.
    pub(crate) async fn close(&self) {
        let connection = self.connection.lock().await.take();
        if let Some(connection) = connection {
            let closed = connection.close().await;
            if let Err(error) = closed {
                tracing::debug!(%error, "the journal's connection did not close");
            }
        }
    }
}

impl Writing<'_> {
    /// Gives it back, for the next one to write with, unless something failed; what came of it.
    pub(crate) fn give_back<T, E>(self, outcome: Result<T, E>) -> Result<T, E> {
        let Self {
            mut place,
            connection,
        } = self;
        if outcome.is_ok() {
            *place = Some(connection);
        }
        outcome
    }
}

impl Deref for Writing<'_> {
    type Target = SqliteConnection;

    fn deref(&self) -> &SqliteConnection {
        &self.connection
    }
}

impl DerefMut for Writing<'_> {
    fn deref_mut(&mut self) -> &mut SqliteConnection {
        &mut self.connection
    }
}
