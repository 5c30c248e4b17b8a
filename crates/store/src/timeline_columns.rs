//! An entry of the journal as a row of either database has it.

use crate::error::JOURNAL_NAME;
use crate::persisted::{parse_state, read_json};
use collie_core::ids::{RunId, Time};
use collie_engine::ports::{StoreError, TimelineEffect, TimelineEntry};

/// The columns of an entry that a timeline shows.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct TimelineColumns {
    seq: i64,
    run: String,
    at: i64,
    event: String,
    from_state: Option<String>,
    to_state: String,
    effects_json: String,
    notes_json: String,
}

impl TimelineColumns {
    /// The entry.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn into_entry(self) -> Result<TimelineEntry, StoreError> {
        let from = self.from_state.as_deref().map(parse_state);
        Ok(TimelineEntry {
            seq: u64::try_from(self.seq).unwrap_or(0),
            run: RunId::new(self.run),
            at: Time(self.at),
            event: self.event,
            from: from.transpose()?,
            to: parse_state(&self.to_state)?,
            effects: effects(&self.effects_json)?,
            notes: read_json(JOURNAL_NAME, &self.notes_json)?,
        })
    }
}

fn effects(json: &str) -> Result<Vec<TimelineEffect>, StoreError> {
    let mut effects: Vec<TimelineEffect> = read_json(JOURNAL_NAME, json)?;
    for effect in &mut effects {
        // As version 1 named them.
        match effect.effect.as_str() {
            "say" => effect.effect = "post".into(),
            "resolve" => effect.effect = "resolve_thread".into(),
            _ => {}
        }
    }
    Ok(effects)
}
