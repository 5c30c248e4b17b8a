//! The state of a loop as its object keeps it, with its version.

use bytes::Bytes;
use collie_core::loop_state::{LoopState, STATE_VERSION};
use serde::{Deserialize, Serialize};

/// A state with its version.
#[derive(Serialize)]
struct WrittenState<'a> {
    version: u32,
    state: &'a LoopState,
}

/// The version, which is looked at before all else is read.
#[derive(Deserialize)]
struct StateVersion {
    version: u32,
}

/// A state of a version that is known.
#[derive(Deserialize)]
struct KnownState {
    state: LoopState,
}

/// A state that this worker cannot read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum UnreadableState {
    /// A newer worker wrote it, and has to take it.
    #[error("the loop was written by a newer worker (version {found}, this one knows {known})")]
    Newer { found: u32, known: u32 },
    /// It is damaged.
    #[error("the loop cannot be read: {0}")]
    Damaged(#[from] serde_json::Error),
}

/// A state as its object keeps it.
///
/// # Errors
/// It cannot be written as JSON.
pub(crate) fn write_state(state: &LoopState) -> Result<Bytes, serde_json::Error> {
    let version = STATE_VERSION;
    serde_json::to_vec(&WrittenState { version, state }).map(Bytes::from)
}

/// A state that was kept.
///
/// # Errors
/// A newer worker wrote it, or it is damaged: nothing is written over it.
pub(crate) fn read_state(stored: &[u8]) -> Result<LoopState, UnreadableState> {
    let StateVersion { version } = serde_json::from_slice(stored)?;
    if version > STATE_VERSION {
        return Err(UnreadableState::Newer {
            found: version,
            known: STATE_VERSION,
        });
    }
    let KnownState { state } = serde_json::from_slice(stored)?;
    Ok(state)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stored_loop::tests::state;

    #[test]
    fn a_newer_state_is_left_to_a_newer_worker() {
        let state = state();
        let stored = write_state(&state).expect("written");
        assert_eq!(read_state(&stored).expect("read"), state);
        let text = String::from_utf8(stored.to_vec()).expect("JSON");
        let version = format!("\"version\":{STATE_VERSION}");
        let newer = text.replacen(&version, "\"version\":999", 1);
        assert!(matches!(
            read_state(newer.as_bytes()),
            Err(UnreadableState::Newer { found: 999, .. })
        ));
    }
}
