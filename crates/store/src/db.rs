//! The SQLite file: opening, version, migrations, keeping a damaged one aside.

use crate::batch::Batch;
use crate::error::{damaged, failed, from_io, from_sqlx};
use crate::time::file_stamp;
use crate::write_connection::{WriteConnection, Writing};
use collie_engine::ports::StoreError;
use sqlx::ConnectOptions;
use sqlx::migrate::Migrator;
use sqlx::query::Query;
use sqlx::sqlite::{
    SqliteArguments, SqliteConnectOptions, SqliteJournalMode, SqlitePool, SqlitePoolOptions,
    SqliteQueryResult, SqliteRow, SqliteSynchronous,
};
use sqlx::{Sqlite, SqliteConnection};
use std::path::{Path, PathBuf};
use std::time::Duration;

static MIGRATIONS: Migrator = sqlx::migrate!("./migrations");

/// How long a statement waits for another process's write.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// One connection that writes, and some that read beside it (WAL).
#[derive(Debug)]
pub(crate) struct Database {
    writer: WriteConnection,
    pub(crate) readers: SqlitePool,
}

/// What a file turns out to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SchemaState {
    /// Nothing in it yet.
    Empty,
    /// Older than this Collie: migrations are due.
    Older,
    /// As this Collie writes it.
    Current,
}

impl Database {
    /// Opens the file, which is made where it is missing. Nothing is written into an existing one.
    pub(crate) async fn open(file: &Path) -> Result<Self, StoreError> {
        let options = SqliteConnectOptions::new()
            .filename(file)
            .create_if_missing(true)
            .synchronous(SqliteSynchronous::Full)
            .foreign_keys(true)
            .busy_timeout(BUSY_TIMEOUT)
            .disable_statement_logging();
        let readers = options.clone().pragma("query_only", "ON");
        let writer = WriteConnection::open(options.journal_mode(SqliteJournalMode::Wal))
            .await
            .map_err(|error| from_sqlx("opening the journal", &error))?;
        Ok(Self {
            writer,
            readers: pool(4).connect_lazy_with(readers),
        })
    }

    /// Waits until nobody else in this process writes. `tried` is for errors.
    pub(crate) async fn writer(&self, tried: &str) -> Result<Writing<'_>, StoreError> {
        let taken = self.writer.take().await;
        taken.map_err(|error| from_sqlx(tried, &error))
    }

    /// Carries out one statement that writes. `tried` is for errors.
    pub(crate) async fn write(
        &self,
        tried: &str,
        statement: Query<'_, Sqlite, SqliteArguments>,
    ) -> Result<SqliteQueryResult, StoreError> {
        let mut writer = self.writer(tried).await?;
        let done = statement.execute(&mut *writer).await;
        writer
            .give_back(done)
            .map_err(|error| from_sqlx(tried, &error))
    }

    /// Carries out statements that write, as one transaction; their rows.
    pub(crate) async fn write_all(
        &self,
        tried: &str,
        batch: Batch,
    ) -> Result<Vec<SqliteRow>, StoreError> {
        let mut writer = self.writer(tried).await?;
        let done = batch.into_transaction().run(&mut writer).await;
        writer
            .give_back(done)
            .map_err(|error| from_sqlx(tried, &error))
    }

    /// Compares the file's version with the newest migration.
    pub(crate) async fn schema_state(&self) -> Result<SchemaState, StoreError> {
        let tried = "reading the journal's version";
        let fail = |error: sqlx::Error| from_sqlx(tried, &error);
        let mut writer = self.writer(tried).await?;
        let found = newest_migration(&mut writer).await;
        let found = writer.give_back(found).map_err(fail)?;
        let known = MIGRATIONS
            .iter()
            .map(|migration| migration.version)
            .max()
            .unwrap_or(0);
        match found {
            None => Ok(SchemaState::Empty),
            Some(found) if found < known => Ok(SchemaState::Older),
            Some(found) if found == known => Ok(SchemaState::Current),
            Some(found) => Err(StoreError::NewerVersion {
                what: crate::error::JOURNAL_NAME.into(),
                found: u32::try_from(found).unwrap_or(u32::MAX),
                known: u32::try_from(known).unwrap_or(u32::MAX),
            }),
        }
    }

    /// Brings the tables up to date.
    pub(crate) async fn migrate(&self) -> Result<(), StoreError> {
        let tried = "updating the journal's tables";
        let mut writer = self.writer(tried).await?;
        // `run` takes whatever gives a connection, of which the compiler does not see that it may go from thread to thread.
        let migrated = Box::pin(MIGRATIONS.run_direct(None, &mut *writer, false)).await;
        writer.give_back(migrated).map_err(|error| match error {
            sqlx::migrate::MigrateError::Execute(error)
            | sqlx::migrate::MigrateError::ExecuteMigration(error, _) => from_sqlx(tried, &error),
            other => failed(tried, other),
        })
    }

    /// Reads every page and says so when one is broken.
    pub(crate) async fn check_pages(&self) -> Result<(), StoreError> {
        let tried = "checking the journal";
        let mut writer = self.writer(tried).await?;
        let check = sqlx::query_scalar("PRAGMA quick_check(1)");
        let answer = check.fetch_one(&mut *writer).await;
        let answer: String = writer
            .give_back(answer)
            .map_err(|error| from_sqlx(tried, &error))?;
        if answer == "ok" {
            Ok(())
        } else {
            Err(damaged(crate::error::JOURNAL_NAME, answer))
        }
    }

    /// Ends all connections; the write-ahead log goes into the file.
    pub(crate) async fn close(&self) {
        self.readers.close().await;
        self.writer.close().await;
    }
}

/// The version of the last migration; none before there was one.
async fn newest_migration(connection: &mut SqliteConnection) -> Result<Option<i64>, sqlx::Error> {
    let tables: i64 =
        sqlx::query_scalar("SELECT count(*) FROM sqlite_schema WHERE name = '_sqlx_migrations'")
            .fetch_one(&mut *connection)
            .await?;
    if tables == 0 {
        return Ok(None);
    }
    sqlx::query_scalar("SELECT max(version) FROM _sqlx_migrations WHERE success")
        .fetch_one(connection)
        .await
}

fn pool(connections: u32) -> SqlitePoolOptions {
    SqlitePoolOptions::new()
        .max_connections(connections)
        .idle_timeout(None)
        .max_lifetime(None)
        .test_before_acquire(false)
}

/// The file and what SQLite keeps beside it.
fn database_files(file: &Path) -> impl Iterator<Item = (&'static str, PathBuf)> + '_ {
    ["", "-wal", "-shm"]
        .into_iter()
        .map(|suffix| (suffix, with_suffix(file, suffix)))
}

fn with_suffix(file: &Path, suffix: &str) -> PathBuf {
    let mut name = file.as_os_str().to_os_string();
    name.push(suffix);
    PathBuf::from(name)
}

/// Where a damaged database is kept. The name holds when it was last written, so that seeing the same damage
/// twice does not keep it twice.
fn damaged_copy_path(file: &Path) -> std::io::Result<PathBuf> {
    let written =
        jiff::Timestamp::try_from(file.metadata()?.modified()?).map_err(std::io::Error::other)?;
    Ok(with_suffix(
        file,
        &format!(".damaged-{}", file_stamp(written)),
    ))
}

/// Copies a damaged database; the original stays where it is. None when there is nothing to keep.
pub(crate) fn copy_damaged(file: &Path) -> Result<Option<PathBuf>, StoreError> {
    let fail = |error: std::io::Error| from_io("keeping the damaged journal aside", &error);
    if !file.metadata().is_ok_and(|data| data.len() > 0) {
        return Ok(None);
    }
    let aside = damaged_copy_path(file).map_err(fail)?;
    if aside.exists() {
        return Ok(Some(aside));
    }
    for (suffix, part) in
        database_files(file).filter(|(suffix, part)| *suffix != "-shm" && part.exists())
    {
        std::fs::copy(part, with_suffix(&aside, suffix)).map_err(fail)?;
    }
    Ok(Some(aside))
}

/// Moves a damaged database away. None when there is nothing to move.
pub(crate) fn move_damaged(file: &Path) -> Result<Option<PathBuf>, StoreError> {
    let fail = |error: std::io::Error| from_io("keeping the damaged journal aside", &error);
    if !file.exists() {
        remove_database(file)?;
        return Ok(None);
    }
    let mut aside = damaged_copy_path(file).map_err(fail)?;
    let mut count = 1;
    while aside.exists() && !same_content(file, &aside) {
        count += 1;
        aside = with_suffix(
            &damaged_copy_path(file).map_err(fail)?,
            &format!("-{count}"),
        );
    }
    for (suffix, part) in database_files(file).filter(|(_, part)| part.exists()) {
        std::fs::rename(part, with_suffix(&aside, suffix)).map_err(fail)?;
    }
    Ok(Some(aside))
}

fn same_content(one: &Path, other: &Path) -> bool {
    matches!((std::fs::read(one), std::fs::read(other)), (Ok(one), Ok(other)) if one == other)
}

/// Removes a database that is not wanted any more, with what is beside it.
pub(crate) fn remove_database(file: &Path) -> Result<(), StoreError> {
    for (_, part) in database_files(file) {
        match std::fs::remove_file(part) {
            Ok(()) => {}
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(error) => return Err(from_io("removing an unfinished journal", &error)),
        }
    }
    Ok(())
}
