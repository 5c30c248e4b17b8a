//! The persisted form of a loop's state, with its version (invariant 5).

use crate::error::damaged;
use collie_core::event::Event;
use collie_core::loop_state::LoopState;
use collie_engine::ports::StoreError;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use strum::VariantNames;

/// The version of a state as it is written today, in the journal and in checkpoints.
pub(crate) const STATE_VERSION: u32 = 1;

/// Refuses a version that this Collie does not know.
pub(crate) fn check_version(what: &str, found: u32) -> Result<(), StoreError> {
    match found {
        STATE_VERSION => Ok(()),
        0 => Err(damaged(what, "it has version 0, which never was")),
        newer => Err(StoreError::NewerVersion {
            what: what.to_string(),
            found: newer,
            known: STATE_VERSION,
        }),
    }
}

/// Reads a state that the journal holds.
pub(crate) fn read_state(what: &str, version: u32, json: &str) -> Result<LoopState, StoreError> {
    check_version(what, version)?;
    read_json(what, json)
}

/// Reads an event that the journal holds.
pub(crate) fn read_event(what: &str, json: &str) -> Result<Event, StoreError> {
    let written: Value = read_json(what, json)?;
    serde_json::from_value(upgrade_event(written)).map_err(|error| damaged(what, error))
}

/// Until version 2 each outcome was an event of its own, with the effect that it answers among its fields.
fn upgrade_event(mut written: Value) -> Value {
    let Some(fields) = written.as_object_mut() else {
        return written;
    };
    let known = |tag: &Value| Event::VARIANTS.iter().any(|name| tag == name);
    let Some(tag) = fields.get("event").filter(|tag| !known(tag)).cloned() else {
        return written;
    };
    fields.remove("event");
    let effect = fields.remove("effect");
    fields.insert("outcome".to_owned(), tag);
    json!({"event": "answered", "effect": effect, "outcome": written})
}

/// Reads some other JSON that the journal holds.
pub(crate) fn read_json<T: DeserializeOwned>(what: &str, json: &str) -> Result<T, StoreError> {
    serde_json::from_str(json).map_err(|error| damaged(what, error))
}

/// Writes JSON for the journal.
pub(crate) fn to_json<T: serde::Serialize + ?Sized>(value: &T) -> Result<String, StoreError> {
    serde_json::to_string(value).map_err(|error| crate::error::failed("writing JSON", error))
}
