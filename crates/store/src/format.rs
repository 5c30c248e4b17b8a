//! How loops and what happened to them are written: the same in SQLite and in any other database.

pub use crate::apply::{OBSERVED_EVENT, effects_json, is_uneventful};
pub use crate::browser_sessions::{SessionRow, session_from_row};
pub use crate::error::{JOURNAL_NAME, damaged, failed};
pub use crate::integers::{to_i64, to_u64};
pub use crate::persisted::{parse_state, read_event, read_json, read_state, to_json};
pub use crate::recordings::{Chain, NewRecording, RecordedColumns, Recordings, former_state};
pub use crate::runs::{
    Names, RunColumns, RunWrite, StoredRun, continues, loop_runs, present_names, run_from_stored,
};
pub use crate::timeline_columns::TimelineColumns;
