//! Where the database is, and how it is opened.

use crate::error::{answered, from_sqlx};
use crate::journal::{Identity, PostgresJournal};
use async_trait::async_trait;
use collie_engine::ports::{JournalReader, ProjectionJournal, ProjectionPlace, StoreError};
use collie_store::format::failed;
use sqlx::ConnectOptions as _;
use sqlx::migrate::{MigrateError, Migrator};
use sqlx::postgres::{PgConnectOptions, PgPool, PgPoolOptions};
use std::str::FromStr as _;
use std::sync::Arc;
use std::time::Duration;

/// The tables, in steps.
static MIGRATOR: Migrator = sqlx::migrate!();

/// What one server asks at once.
const CONNECTIONS: u32 = 8;
/// How long a connection may take.
const CONNECTS_WITHIN: Duration = Duration::from_secs(5);
/// The schemes of its addresses.
const SCHEMES: [&str; 2] = ["postgres://", "postgresql://"];

const TRIED: &str = "opening the database";

/// PostgreSQL's code where there is no such table (https://www.postgresql.org/docs/current/errcodes-appendix.html).
const UNDEFINED_TABLE: &str = "42P01";

/// An address that is none of PostgreSQL. What stands in it is not repeated: it may hold a password.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UrlError {
    /// It begins otherwise.
    #[error("it begins with neither postgres:// nor postgresql://")]
    Scheme,
    /// The rest cannot be understood.
    #[error("what follows its beginning cannot be understood")]
    Malformed,
}

/// A database of PostgreSQL.
#[derive(Clone)]
pub struct PostgresPlace {
    options: PgConnectOptions,
}

impl PostgresPlace {
    /// The database at `postgres://user:password@host:port/database?sslmode=…`.
    ///
    /// # Errors
    /// It is no such address.
    pub fn parse(url: &str) -> Result<Self, UrlError> {
        if !SCHEMES.iter().any(|scheme| url.starts_with(scheme)) {
            return Err(UrlError::Scheme);
        }
        let options = PgConnectOptions::from_str(url).map_err(|_| UrlError::Malformed)?;
        Ok(Self {
            options: options
                .disable_statement_logging()
                .application_name("collie"),
        })
    }

    async fn connect(&self) -> Result<PgPool, StoreError> {
        PgPoolOptions::new()
            .max_connections(CONNECTIONS)
            .acquire_timeout(CONNECTS_WITHIN)
            .connect_with(self.options.clone())
            .await
            .map_err(|error| from_sqlx(TRIED, &error))
    }

    async fn open_for_server(
        &self,
        folder: Arc<dyn ProjectionJournal>,
    ) -> Result<PostgresJournal, StoreError> {
        let pool = self.connect().await?;
        // It takes a lock in the database: of two servers that begin at once one makes the tables.
        let migrated = MIGRATOR.run(&pool).await;
        migrated.map_err(|error| from_migration(&error))?;
        let said = Identity::read(&pool, TRIED).await?;
        Ok(PostgresJournal::of(pool, folder, said))
    }

    async fn open_beside(
        &self,
        folder: Arc<dyn JournalReader>,
        engine: Option<&str>,
    ) -> Result<PostgresJournal<dyn JournalReader>, StoreError> {
        let pool = self.connect().await?;
        check_tables(&pool).await?;
        let said = Identity::read(&pool, TRIED).await?;
        // Neither knows which it is before there is a loop.
        match (&said.engine, engine) {
            (Some(shown), Some(engine)) if shown != engine => Err(StoreError::AnotherEngine),
            _ => Ok(PostgresJournal::of(pool, folder, said)),
        }
    }
}

/// Whether the tables are those that this Collie knows.
async fn check_tables(pool: &PgPool) -> Result<(), StoreError> {
    let found = sqlx::query_scalar("SELECT max(version) FROM _sqlx_migrations");
    let found: Option<i64> = match found.fetch_one(pool).await {
        Err(sqlx::Error::Database(error)) if error.code().as_deref() == Some(UNDEFINED_TABLE) => {
            None
        }
        found => found.map_err(|error| from_sqlx(TRIED, &error))?,
    };
    match (found, newest_tables()) {
        (Some(found), known) if found > known => Err(newer_tables(found)),
        (Some(found), known) if found == known => Ok(()),
        _ => Err(failed(
            TRIED,
            "no server of this version has made its tables there",
        )),
    }
}

#[async_trait]
impl ProjectionPlace for PostgresPlace {
    async fn open(
        &self,
        folder: Arc<dyn ProjectionJournal>,
    ) -> Result<Arc<dyn ProjectionJournal>, StoreError> {
        let journal = answered(TRIED, self.open_for_server(folder)).await?;
        Ok(Arc::new(journal))
    }

    async fn open_reader(
        &self,
        folder: Arc<dyn JournalReader>,
        engine: Option<&str>,
    ) -> Result<Arc<dyn JournalReader>, StoreError> {
        let journal = answered(TRIED, self.open_beside(folder, engine)).await?;
        Ok(Arc::new(journal))
    }
}

fn from_migration(error: &MigrateError) -> StoreError {
    match error {
        MigrateError::Execute(error) | MigrateError::ExecuteMigration(error, _) => {
            from_sqlx(TRIED, error)
        }
        MigrateError::VersionMissing(found) => newer_tables(*found),
        error => failed(TRIED, error),
    }
}

/// The version of the tables that this Collie makes.
fn newest_tables() -> i64 {
    let versions = MIGRATOR.iter().map(|step| step.version);
    versions.max().unwrap_or(0)
}

fn newer_tables(found: i64) -> StoreError {
    let as_u32 = |version: i64| u32::try_from(version).unwrap_or(u32::MAX);
    StoreError::NewerVersion {
        what: "the database".to_owned(),
        found: as_u32(found),
        known: as_u32(newest_tables()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_one_of_postgresql_and_no_error_tells_what_stands_in_it() {
        for url in [
            "postgres://localhost/collie",
            "postgresql://ana:secret@db.example:5433/collie?sslmode=require",
        ] {
            assert!(PostgresPlace::parse(url).is_ok(), "{url}");
        }
        for url in [
            "",
            "collie.db",
            "mysql://ana:secret@db/collie",
            "postgres://ana:secret@db:port/collie",
        ] {
            let error = PostgresPlace::parse(url).err().unwrap().to_string();
            assert!(
                !error.contains("secret") && !error.contains("ana"),
                "{error}"
            );
        }
    }
}
