//! The persisted form of a loop's state, with its version (§10).

use crate::error::damaged;
use collie_core::event::Event;
use collie_core::lifecycle::State;
use collie_core::loop_state::{LoopState, STATE_VERSION};
use collie_engine::ports::StoreError;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use strum::VariantNames;

/// Refuses a version that this Collie does not know.
pub(crate) fn check_version(what: &str, found: u32) -> Result<(), StoreError> {
    match found {
        1..=STATE_VERSION => Ok(()),
        0 => Err(damaged(what, "it has version 0, which never was")),
        newer => Err(StoreError::NewerVersion {
            what: what.to_string(),
            found: newer,
            known: STATE_VERSION,
        }),
    }
}

/// Reads a state that the journal holds.
///
/// # Errors
/// It is of a newer Collie, or damaged.
pub fn read_state(what: &str, version: u32, json: &str) -> Result<LoopState, StoreError> {
    check_version(what, version)?;
    state_of(what, version, read_json(what, json)?)
}

/// A state from its JSON, in whichever version that is.
pub(crate) fn state_of(what: &str, version: u32, json: Value) -> Result<LoopState, StoreError> {
    let json = if version == 1 {
        group_state(json)
    } else {
        json
    };
    serde_json::from_value(json).map_err(|error| damaged(what, error))
}

/// Where the fields of a state of version 1, which were all side by side, are in one of version 2.
const GROUPS: [(&str, &[(&str, &str)]); 8] = [
    (
        "/pull",
        &[
            ("repo", "repo"),
            ("title", "title"),
            ("author", "author"),
            ("url", "url"),
            ("base_ref", "base_ref"),
            ("head_ref", "head_ref"),
        ],
    ),
    (
        "/run",
        &[
            ("run", "id"),
            ("run_ordinal", "ordinal"),
            ("started_by", "started_by"),
            ("started_at", "started_at"),
            ("updated_at", "updated_at"),
            ("state", "state"),
            ("blocker", "blocker"),
            ("stop", "stop"),
            ("merge_type", "merge_type"),
            ("usage", "usage"),
        ],
    ),
    (
        "/run/configuration",
        &[
            ("policy", "policy"),
            ("policy_base", "base"),
            ("config_error", "error"),
        ],
    ),
    (
        "/run/head",
        &[
            ("head", "sha"),
            ("head_seen_at", "seen_at"),
            ("base", "base"),
            ("head_repo", "repo"),
            ("first_failure_at", "first_failure_at"),
            ("ci_running_since", "ci_running_since"),
            ("only_missing_since", "only_missing_since"),
            ("absent_checks", "absent_checks"),
            ("replaced_heads", "replaced"),
            ("restarts", "restarts"),
            ("approved_head", "approved"),
            ("proof", "proof"),
        ],
    ),
    (
        "/run/review",
        &[
            ("stages", "stages"),
            ("current_stage", "current_stage"),
            ("reviews", "reports"),
            ("reported_head", "reported_head"),
            ("findings", "findings"),
        ],
    ),
    (
        "/run/fixing",
        &[
            ("iteration", "iteration"),
            ("turns", "turns"),
            ("rounds", "rounds"),
            ("pending_fix", "pending"),
        ],
    ),
    (
        "/run/polling",
        &[
            ("seen", "last_snapshot"),
            ("next_poll_at", "next_at"),
            ("look_since", "ignore_snapshots_before"),
            ("observe_failures", "failures"),
            ("gone_since", "gone_since"),
        ],
    ),
    (
        "/memory",
        &[
            ("own_commits", "own_commits"),
            ("feedback", "feedback"),
            ("dispositions", "thread_replies"),
            ("inlined", "inlined"),
            ("asked_again", "rereview_requested"),
            ("resolved", "resolved"),
            ("impostors", "impostors"),
            ("posted", "posted"),
            ("usage_before", "usage_before"),
        ],
    ),
];

/// A state of version 1 in the form of version 2. What a field held stays as it is; what is no object stays whole, for the error.
fn group_state(mut old: Value) -> Value {
    let Some(fields) = old.as_object_mut() else {
        return old;
    };
    let mut new = json!({
        "id": fields.remove("id"),
        "pull": {},
        "run": {"configuration": {}, "head": {}, "review": {}, "fixing": {}, "polling": {}},
        "memory": {},
        "outbox": {"effects": fields.remove("outbox"), "last_number": fields.remove("effect_seq")},
    });
    for (group, names) in GROUPS {
        for (before, now) in names {
            if let (Some(value), Some(Value::Object(group))) =
                (fields.remove(*before), new.pointer_mut(group))
            {
                group.insert((*now).to_owned(), value);
            }
        }
    }
    new
}

/// Reads an event that the journal holds.
///
/// # Errors
/// It is damaged.
pub fn read_event(what: &str, json: &str) -> Result<Event, StoreError> {
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
///
/// # Errors
/// It is none.
pub fn read_json<T: DeserializeOwned>(what: &str, json: &str) -> Result<T, StoreError> {
    serde_json::from_str(json).map_err(|error| damaged(what, error))
}

/// Writes JSON for the journal.
///
/// # Errors
/// It is none.
pub fn to_json<T: serde::Serialize + ?Sized>(value: &T) -> Result<String, StoreError> {
    serde_json::to_string(value).map_err(|error| crate::error::failed("writing JSON", error))
}

/// A state by its name.
///
/// # Errors
/// It is none.
pub fn parse_state(name: &str) -> Result<State, StoreError> {
    collie_core::lifecycle::STATES
        .into_iter()
        .find(|state| state.as_str() == name)
        .ok_or_else(|| damaged(crate::error::JOURNAL_NAME, format!("`{name}` is no state")))
}
