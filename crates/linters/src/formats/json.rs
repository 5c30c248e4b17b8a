//! Output that is JSON.

use crate::diagnostic::ParseError;

/// The output as a value.
pub(super) fn from_json<'a, T: serde::Deserialize<'a>>(output: &'a [u8]) -> Result<T, ParseError> {
    serde_json::from_slice(output).map_err(ParseError::new)
}
