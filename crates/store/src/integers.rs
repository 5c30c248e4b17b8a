//! Numbers on their way to SQLite and back.

use crate::error::{JOURNAL_NAME, damaged, failed};
use collie_engine::ports::StoreError;

/// SQLite's integers have a sign.
///
/// # Errors
/// It is larger.
pub fn to_i64(number: u64) -> Result<i64, StoreError> {
    i64::try_from(number).map_err(|error| failed("writing a number", error))
}

/// SQLite's integers have a sign, ours don't.
///
/// # Errors
/// It has one.
pub fn to_u64(number: i64) -> Result<u64, StoreError> {
    u64::try_from(number).map_err(|error| damaged(JOURNAL_NAME, error))
}
