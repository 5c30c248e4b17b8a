//! Where the database is, and how it is opened.

use crate::error::{answered, from_sqlx};
use crate::journal::PostgresJournal;
use async_trait::async_trait;
use collie_engine::ports::{ProjectionJournal, ProjectionPlace, StoreError};
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
        let pool = PgPoolOptions::new()
            .max_connections(CONNECTIONS)
            .acquire_timeout(CONNECTS_WITHIN)
            .connect_with(self.options.clone())
            .await
            .map_err(|error| from_sqlx(TRIED, &error))?;
        // It takes a lock in the database: of two servers that begin at once one makes the tables.
        let migrated = MIGRATOR.run(&pool).await;
        migrated.map_err(|error| from_migration(&error))?;
        Ok(pool)
    }
}

#[async_trait]
impl ProjectionPlace for PostgresPlace {
    async fn open(
        &self,
        folder: Arc<dyn ProjectionJournal>,
    ) -> Result<Arc<dyn ProjectionJournal>, StoreError> {
        let pool = answered(TRIED, self.connect()).await?;
        let journal = answered(TRIED, PostgresJournal::of(pool, folder)).await?;
        Ok(Arc::new(journal))
    }
}

fn from_migration(error: &MigrateError) -> StoreError {
    let known = MIGRATOR.iter().map(|step| step.version).max();
    let as_u32 = |version: i64| u32::try_from(version).unwrap_or(u32::MAX);
    match error {
        MigrateError::Execute(error) | MigrateError::ExecuteMigration(error, _) => {
            from_sqlx(TRIED, error)
        }
        MigrateError::VersionMissing(found) => StoreError::NewerVersion {
            what: "the database".to_owned(),
            found: as_u32(*found),
            known: as_u32(known.unwrap_or(0)),
        },
        error => collie_store::format::failed(TRIED, error),
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
