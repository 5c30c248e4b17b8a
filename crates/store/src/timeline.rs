//! What the journal tells people: the timeline of a loop, the answer to a request.

use crate::error::from_sqlx;
use crate::persisted::read_json;
use crate::store::Store;
use collie_core::ids::{EffectId, LoopId, RunId, Time};
use collie_core::lifecycle::State;
use collie_core::loop_state::LoopState;
use collie_core::note::Note;
use collie_engine::ports::StoreError;
use serde::{Deserialize, Serialize};
use sqlx::Row;
use sqlx::sqlite::SqliteRow;

/// One event of a loop's history (§14, `collie log`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TimelineEntry {
    /// Its number in the journal; of a row of readings that changed nothing only the last is kept.
    pub seq: u64,
    /// The run it happened in.
    pub run: RunId,
    /// When it was applied.
    pub at: Time,
    /// What happened: the name of the event as it is persisted; `created` and `rebuilt` come from the store,
    /// `engine` is a change that no event led to.
    pub event: String,
    /// The state before; none for the first entry. Of events applied together the last shows the move.
    pub from: Option<State>,
    /// The state after.
    pub to: State,
    /// What was asked for.
    pub effects: Vec<TimelineEffect>,
    /// Remarks.
    pub notes: Vec<Note>,
}

/// An effect as the timeline shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimelineEffect {
    /// Its id.
    pub id: EffectId,
    /// Its name as it is persisted: `review`, `say`, …
    pub effect: String,
}

/// What became of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RequestStatus {
    /// No engine has taken it yet.
    Pending,
    /// Done.
    Done,
    /// Refused, with the words for people.
    Refused(String),
}

impl Store {
    /// What happened to a loop, oldest first; empty when it is not known.
    pub async fn timeline(&self, id: &LoopId) -> Result<Vec<TimelineEntry>, StoreError> {
        let rows = sqlx::query(
            "SELECT seq, journal.run, at, event, from_state, to_state, effects_json, notes_json
             FROM journal JOIN loops ON loops.id = journal.loop
             WHERE host = ? AND repo_id = ? AND number = ? ORDER BY seq",
        )
        .bind(&id.host)
        .bind(&id.repo_id)
        .bind(i64::try_from(id.number).unwrap_or(i64::MAX))
        .fetch_all(&self.database.readers)
        .await
        .map_err(|error| from_sqlx("reading the timeline", &error));
        self.copying_if_damaged(rows.and_then(|rows| rows.iter().map(timeline_entry).collect()))
    }

    /// The present state of one loop.
    pub async fn find(&self, id: &LoopId) -> Result<Option<LoopState>, StoreError> {
        let row: Result<Option<(u32, String)>, _> = sqlx::query_as(
            "SELECT version, state_json FROM loops WHERE host = ? AND repo_id = ? AND number = ?",
        )
        .bind(&id.host)
        .bind(&id.repo_id)
        .bind(i64::try_from(id.number).unwrap_or(i64::MAX))
        .fetch_optional(&self.database.readers)
        .await
        .map_err(|error| from_sqlx("reading a loop", &error));
        self.copying_if_damaged(row.and_then(|row| {
            row.map(|(version, json)| crate::persisted::read_state("the journal", version, &json))
                .transpose()
        }))
    }

    /// What became of a request that was left for the engine; none when there is no such request.
    pub async fn request_status(&self, request: u64) -> Result<Option<RequestStatus>, StoreError> {
        let row: Result<Option<(bool, Option<String>)>, _> =
            sqlx::query_as("SELECT answered, refusal FROM requests WHERE id = ?")
                .bind(i64::try_from(request).unwrap_or(i64::MAX))
                .fetch_optional(&self.database.readers)
                .await
                .map_err(|error| from_sqlx("reading a request", &error));
        let row = self.copying_if_damaged(row)?;
        Ok(row.map(|row| match row {
            (false, _) => RequestStatus::Pending,
            (true, None) => RequestStatus::Done,
            (true, Some(refusal)) => RequestStatus::Refused(refusal),
        }))
    }

    /// The number of the last journal entry, 0 when there is none: it grows whenever anything happens.
    pub async fn last_journal_seq(&self) -> Result<u64, StoreError> {
        let seq: Result<i64, _> = sqlx::query_scalar("SELECT coalesce(max(seq), 0) FROM journal")
            .fetch_one(&self.database.readers)
            .await
            .map_err(|error| from_sqlx("reading the journal", &error));
        self.copying_if_damaged(seq)
            .map(|seq| u64::try_from(seq).unwrap_or(0))
    }
}

fn timeline_entry(row: &SqliteRow) -> Result<TimelineEntry, StoreError> {
    let fail = |error: sqlx::Error| from_sqlx("reading the timeline", &error);
    let text = |name: &str| row.try_get::<String, _>(name).map_err(fail);
    let from: Option<String> = row.try_get("from_state").map_err(fail)?;
    let seq: i64 = row.try_get("seq").map_err(fail)?;
    Ok(TimelineEntry {
        seq: u64::try_from(seq).unwrap_or(0),
        run: RunId::new(text("run")?),
        at: Time(row.try_get("at").map_err(fail)?),
        event: text("event")?,
        from: from.map(|from| parse_state(&from)).transpose()?,
        to: parse_state(&text("to_state")?)?,
        effects: effects(&text("effects_json")?)?,
        notes: read_json("the journal", &text("notes_json")?)?,
    })
}

fn effects(json: &str) -> Result<Vec<TimelineEffect>, StoreError> {
    let mut effects: Vec<TimelineEffect> = read_json("the journal", json)?;
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

fn parse_state(name: &str) -> Result<State, StoreError> {
    collie_core::lifecycle::STATES
        .into_iter()
        .find(|state| state.as_str() == name)
        .ok_or_else(|| crate::error::damaged("the journal", format!("`{name}` is no state")))
}
