//! What a host tells the UI without being asked.

use super::{ActivityView, Topic};
use crate::{ErrorCode, LoopView};
use serde::Serialize;
use serde_json::{Map, Value};
use ts_rs::TS;

/// One piece of news. Hosts send them in batches.
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Update {
    /// A loop changed: the fields of its [`LoopView`] that are different now; all of them for a new loop.
    Loop {
        /// `owner/repo#n`.
        key: String,
        /// By name.
        #[ts(type = "Partial<LoopView>")]
        changed: Map<String, Value>,
    },
    /// Who is at work on a loop now, and at what: all of them; nobody when it is empty. What was shown before is replaced.
    Activity(ActivityView),
    /// These have to be read anew where they are shown. An empty topic names everything.
    Stale {
        /// Prefixes of keys in the UI's cache.
        #[ts(type = "string[][]")]
        topics: Vec<Topic>,
    },
    /// A person asked from outside to see this.
    Show {
        /// `owner/repo#n`.
        key: String,
    },
    /// Something that a person should read and that belongs to no view, such as an argument nobody understands.
    Notice {
        /// What programs branch on.
        code: ErrorCode,
        /// In words.
        text: String,
    },
}

/// The fields in which a view differs from the one sent before; all of them when there was none. `elapsed_ms` alone is no change: the
/// UI counts for itself.
pub fn changed_fields(previous: Option<&LoopView>, current: &LoopView) -> Map<String, Value> {
    let fields = |view: &LoopView| match serde_json::to_value(view) {
        Ok(Value::Object(fields)) => fields,
        Ok(_) | Err(_) => Map::new(),
    };
    let mut changed = fields(current);
    if let Some(before) = previous {
        let previous_fields = fields(before);
        changed.retain(|name, value| previous_fields.get(name) != Some(value));
        if changed.keys().all(|name| name == "elapsed_ms") {
            changed.clear();
        }
    }
    changed
}
