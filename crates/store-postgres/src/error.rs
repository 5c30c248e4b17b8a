//! Errors of the database, in the words of the port.

use collie_engine::ports::StoreError;
use collie_store::format::failed;
use std::future::Future;
use std::time::Duration;

/// A database that took longer for something is as good as gone: a connection may hang for minutes where a machine has vanished.
const ANSWERS_WITHIN: Duration = Duration::from_secs(15);

/// Classes and codes (https://www.postgresql.org/docs/current/errcodes-appendix.html) that say: not now. Connections, resources, an operator
/// who stops it, a standby that only reads, and a database that is being replaced.
const NOT_NOW: [&str; 5] = ["08", "53", "57P", "25006", "3D000"];

/// Tells a database that cannot be reached from other failures.
pub(crate) fn from_sqlx(tried: &str, error: &sqlx::Error) -> StoreError {
    let not_now = match error {
        sqlx::Error::Io(_)
        | sqlx::Error::Tls(_)
        | sqlx::Error::PoolTimedOut
        | sqlx::Error::PoolClosed
        | sqlx::Error::WorkerCrashed => true,
        sqlx::Error::Database(told) => {
            let code = told.code().unwrap_or_default();
            NOT_NOW.iter().any(|class| code.starts_with(class))
        }
        _ => false,
    };
    match not_now {
        true => unreachable(tried, error),
        false => failed(tried, error),
    }
}

fn unreachable(tried: &str, error: impl std::fmt::Display) -> StoreError {
    StoreError::Unreachable {
        what: tried.to_owned(),
        message: error.to_string(),
    }
}

/// Waits for an answer of the database, but not for ever. What cannot be read there is no file: it is filled anew, not rebuilt.
pub(crate) async fn answered<T>(
    tried: &str,
    asked: impl Future<Output = Result<T, StoreError>>,
) -> Result<T, StoreError> {
    match tokio::time::timeout(ANSWERS_WITHIN, asked).await {
        Ok(Err(StoreError::Damaged { message, .. })) => Err(failed(
            tried,
            format!(
                "{message}: drop the database, create it anew and start again, and it is filled from the engine"
            ),
        )),
        Ok(answer) => answer,
        Err(_) => Err(unreachable(
            tried,
            format!("no answer within {} s", ANSWERS_WITHIN.as_secs()),
        )),
    }
}
