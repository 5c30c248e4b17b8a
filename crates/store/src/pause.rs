//! The pause of everything.

use crate::error::from_sqlx;
use collie_core::ids::{Login, Time};
use collie_core::pause::Pause;
use collie_engine::ports::StoreError;
use sqlx::sqlite::{SqliteExecutor, SqlitePool};

/// Writes it down, or takes it back.
pub(crate) async fn set(
    executor: impl SqliteExecutor<'_>,
    pause: Option<&Pause>,
) -> Result<(), StoreError> {
    let written = match pause {
        Some(pause) => {
            let insert =
                "INSERT OR REPLACE INTO pause (only_row, paused_by, since) VALUES (1, ?, ?)";
            let query = sqlx::query(insert)
                .bind(pause.by.as_str())
                .bind(pause.since.0);
            query.execute(executor).await
        }
        None => sqlx::query("DELETE FROM pause").execute(executor).await,
    };
    written
        .map(|_| ())
        .map_err(|error| from_sqlx("writing down the pause", &error))
}

/// What is written down.
pub(crate) async fn get(readers: &SqlitePool) -> Result<Option<Pause>, StoreError> {
    let row: Option<(String, i64)> = sqlx::query_as("SELECT paused_by, since FROM pause")
        .fetch_optional(readers)
        .await
        .map_err(|error| from_sqlx("reading the pause", &error))?;
    Ok(row.map(|(by, since)| Pause {
        by: Login::new(by),
        since: Time(since),
    }))
}
