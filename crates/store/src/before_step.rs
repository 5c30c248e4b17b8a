//! What the journal has of a loop before events are applied to it.

use crate::error::{failed, from_sqlx};
use crate::integers::to_i64;
use crate::recordings::{Chain, former_state};
use crate::store::LoopRecord;
use collie_engine::ports::StoreError;
use sqlx::sqlite::SqliteRow;
use sqlx::{Row, SqliteConnection};

/// What is read before events are applied. Nobody but this process's engine writes any of it, and that one at a time.
pub(crate) struct BeforeStep {
    /// The state, as JSON of today's version.
    pub(crate) state: String,
    /// The reading that the next ones are compared with, where the last event is a reading.
    pub(crate) reading: Option<Vec<u8>>,
    /// The last number of the journal.
    pub(crate) seq: i64,
    /// The events of the inbox that are to be applied: names and texts.
    pub(crate) events: Vec<(String, String)>,
}

impl BeforeStep {
    /// Reads it, for events of the inbox.
    pub(crate) async fn read(
        connection: &mut SqliteConnection,
        record: &LoopRecord,
        inbox: &[u64],
    ) -> Result<Self, StoreError> {
        let fail = |error: sqlx::Error| from_sqlx("writing the journal", &error);
        let (last, earlier) = match inbox.split_last() {
            Some((last, earlier)) => (Some(*last), earlier),
            None => (None, inbox),
        };
        let mut events = Vec::with_capacity(inbox.len());
        for inbox in earlier {
            let event =
                sqlx::query("SELECT event, event_json FROM inbox WHERE seq = ? AND loop = ?")
                    .bind(to_i64(*inbox)?)
                    .bind(record.row_id)
                    .fetch_optional(&mut *connection)
                    .await
                    .map_err(fail)?;
            let event = event.map(|row| inbox_event(&row)).transpose()?;
            events.push(event.flatten().ok_or_else(|| not_in_inbox(*inbox))?);
        }
        let row = sqlx::query(
            "SELECT version, state_json, event, event_json,
                    coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'journal'), 0) AS last_seq,
                    CASE event WHEN 'observed' THEN (SELECT reading FROM recordings WHERE seq = ?) END AS reading
             FROM loops LEFT JOIN inbox ON inbox.seq = ? AND inbox.loop = loops.id WHERE loops.id = ?",
        )
        .bind(record.chain.as_ref().and_then(Chain::reading))
        .bind(last.map(to_i64).transpose()?)
        .bind(record.row_id)
        .fetch_one(connection)
        .await
        .map_err(fail)?;
        if let Some(last) = last {
            events.push(inbox_event(&row)?.ok_or_else(|| not_in_inbox(last))?);
        }
        let version = row.try_get("version").map_err(fail)?;
        Ok(Self {
            state: former_state(version, row.try_get("state_json").map_err(fail)?)?,
            reading: row.try_get("reading").map_err(fail)?,
            seq: row.try_get("last_seq").map_err(fail)?,
            events,
        })
    }
}

/// The name and the text of an event; none where there is none.
fn inbox_event(row: &SqliteRow) -> Result<Option<(String, String)>, StoreError> {
    let text = |column| {
        let text = row.try_get::<Option<String>, _>(column);
        text.map_err(|error| from_sqlx("writing the journal", &error))
    };
    Ok(text("event")?.zip(text("event_json")?))
}

fn not_in_inbox(seq: u64) -> StoreError {
    failed(
        &format!("applying inbox entry {seq}"),
        "it is not there for this loop, or was applied before",
    )
}
