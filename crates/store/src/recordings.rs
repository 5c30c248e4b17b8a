//! What a replay needs of each entry of the journal, kept as differences (§10, docs/decisions/0051).
//!
//! Of an entry are kept: the reading that it was decided from, where it was one; the times of reading of the state before; and the state after.
//! A *chain* of differences begins with the state before, whole, and with the first reading, whole: at the first entry of a run, at the first
//! that this process writes, after [`CHAIN`] entries, and wherever the one before is not in it. So what one run needs is in itself, and can be
//! let go of by itself.

use crate::batch::Batch;
use crate::difference::{decode, encode};
use crate::error::{JOURNAL_NAME, damaged, failed, from_sqlx};
use crate::persisted::{read_event, read_json, read_state, to_json};
use collie_core::ids::{EffectId, LoopId, RunId, Time};
use collie_core::loop_state::LoopState;
use collie_core::loop_state::STATE_VERSION;
use collie_core::note::Note;
use collie_core::reading_times::ReadingTimes;
use collie_core::replay::RecordedStep;
use collie_engine::ports::{StoreError, TimelineEntry};
use sqlx::SqliteConnection;
use sqlx::sqlite::{SqlitePool, SqliteRow};
use std::collections::BTreeMap;

/// So many entries at most are in one chain of differences.
const CHAIN: u32 = 64;

/// A reading that differs by more than this share of the whole one is the one that the next are compared with.
const LARGE_SHARE: usize = 4;

/// Where the chain of a loop stands.
#[derive(Clone, Debug)]
pub struct Chain {
    run: RunId,
    length: u32,
    /// The last whole reading: its entry, and its size as it is kept.
    reading: Option<(i64, usize)>,
    /// The times of reading that the last entry left.
    times: ReadingTimes,
}

/// An entry to be recorded.
pub struct NewRecording<'a> {
    /// The row of its loop.
    pub row_id: i64,
    /// Its number in the journal.
    pub seq: i64,
    /// What happened, and whether it was a reading; none for a loop that is made or restored.
    pub event: Option<(&'a str, bool)>,
    /// The state after it, and its JSON.
    pub state: (&'a LoopState, &'a str),
    /// The times of reading of the state before.
    pub times: Option<&'a ReadingTimes>,
}

/// What is kept of an entry for a replay, and what a replay needs of the journal beside it: a row of either database.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct RecordedColumns {
    /// The number of the entry.
    pub seq: i64,
    /// Its text; none for a reading.
    pub event_json: Option<String>,
    /// Of the states; none where nothing was recorded.
    pub version: Option<i64>,
    /// The state before, where a chain begins.
    pub before: Option<Vec<u8>>,
    /// What was read.
    pub reading: Option<Vec<u8>>,
    /// The entry whose reading that differs from.
    pub reading_base: Option<i64>,
    /// The times of reading before, where they are others than the last entry left.
    pub times_json: Option<String>,
    /// The state after.
    pub after: Option<Vec<u8>>,
}

/// The state that the journal has of a loop, as JSON of today's version.
pub fn former_state(version: u32, json: String) -> Result<String, StoreError> {
    if version == STATE_VERSION {
        return Ok(json);
    }
    to_json(&read_state(JOURNAL_NAME, version, &json)?)
}

impl Chain {
    /// The entry of the last whole reading.
    pub(crate) fn reading(&self) -> Option<i64> {
        self.reading.map(|(seq, _)| seq)
    }
}

impl NewRecording<'_> {
    /// Writes it down; where the chain stands then.
    pub(crate) fn save(
        self,
        batch: &mut Batch,
        before: (&str, Option<&[u8]>),
        chain: Option<Chain>,
    ) -> Result<Chain, StoreError> {
        let (row_id, run) = (self.row_id, &self.state.0.run.id);
        let (row, chain) = self.encode(before, chain)?;
        let statement = batch.add(
            "INSERT INTO recordings (seq, loop, run, version, before, reading, reading_base, times_json, after)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        );
        statement
            .bind(row.seq)
            .bind(row_id)
            .bind(run.as_str())
            .bind(row.version)
            .bind(row.before)
            .bind(row.reading)
            .bind(row.reading_base)
            .bind(row.times_json)
            .bind(row.after);
        Ok(chain)
    }

    /// As it is kept, and where the chain stands then. `former` is the state before it, as [`former_state`] has it, and `base` the reading
    /// that the chain names.
    ///
    /// # Errors
    /// Something cannot be compressed.
    pub fn encode(
        &self,
        (former, base): (&str, Option<&[u8]>),
        chain: Option<Chain>,
    ) -> Result<(RecordedColumns, Chain), StoreError> {
        let (state, json) = self.state;
        let chain = chain.filter(|chain| chain.run == state.run.id && chain.length < CHAIN);
        let (text, is_reading) = self.event.unwrap_or_default();
        let is_first = chain.is_none() && self.event.is_some();
        let before = is_first.then(|| encode(former.as_bytes(), b"")).transpose();
        let before = before.map_err(|error| failed("recording a state", error))?;
        let known = chain.as_ref().and_then(|chain| chain.reading);
        let (reading, base) = match is_reading {
            true => {
                let (reading, base) = encode_reading(text, known.zip(base))?;
                (Some(reading), base)
            }
            false => (None, None),
        };
        let prefix = [former, text].concat();
        let after = encode(json.as_bytes(), prefix.as_bytes())
            .map_err(|error| failed("recording a state", error))?;
        let told = chain.as_ref().map(|chain| &chain.times);
        let times = self.times.filter(|times| told != Some(*times));
        let whole = reading.as_ref().filter(|_| base.is_none());
        let chain = Chain {
            run: state.run.id.clone(),
            length: chain.as_ref().map_or(0, |chain| chain.length) + 1,
            reading: whole.map(|whole| (self.seq, whole.len())).or(known),
            times: state.reading_times(),
        };
        let row = RecordedColumns {
            seq: self.seq,
            event_json: None,
            version: Some(STATE_VERSION.into()),
            before,
            reading,
            reading_base: base,
            times_json: times.map(to_json).transpose()?,
            after: Some(after),
        };
        Ok((row, chain))
    }
}

/// A reading as its difference from the last whole one, and that one's entry; whole where there is none, or where little is the same.
fn encode_reading(
    text: &str,
    known: Option<((i64, usize), &[u8])>,
) -> Result<(Vec<u8>, Option<i64>), StoreError> {
    let tried = "recording a reading";
    if let Some(((seq, size), base)) = known {
        let base = decode(base, b"").map_err(|error| damaged(JOURNAL_NAME, error))?;
        let difference =
            encode(text.as_bytes(), base.as_bytes()).map_err(|error| failed(tried, error))?;
        if difference.len() < size / LARGE_SHARE {
            return Ok((difference, Some(seq)));
        }
    }
    let whole = encode(text.as_bytes(), b"").map_err(|error| failed(tried, error))?;
    Ok((whole, None))
}

/// Lets go of the recordings of runs that ended up to a time; of how many entries.
pub(crate) async fn forget(
    tx: &mut SqliteConnection,
    ended_before: Time,
) -> Result<u64, StoreError> {
    let done = sqlx::query(
        "DELETE FROM recordings WHERE EXISTS (
             SELECT 1 FROM runs WHERE runs.loop = recordings.loop AND runs.run = recordings.run
             AND runs.ended_at <= ?)",
    )
    .bind(ended_before.0)
    .execute(tx)
    .await
    .map_err(|error| from_sqlx("letting go of recordings", &error))?;
    Ok(done.rows_affected())
}

/// Everything that is recorded of a loop, by entry. The state before each comes out of the one before it.
#[derive(Default)]
pub struct Recordings {
    readings: BTreeMap<i64, String>,
    /// The entry before, and the state that it left.
    former: Option<String>,
}

impl Recordings {
    /// What was recorded of the next entry of a loop; none where nothing was.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn next(
        &mut self,
        row: RecordedColumns,
        entry: &TimelineEntry,
    ) -> Result<Option<RecordedStep>, StoreError> {
        let (Some(after), Some(version)) = (row.after.as_deref(), row.version) else {
            self.former = None;
            return Ok(None);
        };
        let version = u32::try_from(version).map_err(|error| damaged(JOURNAL_NAME, error))?;
        let before = row.before.as_deref();
        let before = before.map(|before| text(before, "")).transpose()?;
        let times = row.times_json.clone();
        let event = self.event_text(&row)?;
        let is_first = before.is_some() || event.is_none();
        let former = match &before {
            Some(before) => before.clone(),
            None if event.is_none() => String::new(),
            None => match self.former.take() {
                Some(former) => former,
                // The chain that it is in has lost its beginning.
                None => return Ok(None),
            },
        };
        let prefix = [former.as_str(), event.as_deref().unwrap_or_default()].concat();
        let after = text(after, &prefix)?;
        let recorded = RecordedStep {
            at: entry.at,
            before: is_first
                .then_some(before)
                .flatten()
                .map(|before| read_state(JOURNAL_NAME, version, &before).map(Box::new))
                .transpose()?,
            times: times
                .map(|times| read_json::<ReadingTimes>(JOURNAL_NAME, &times))
                .transpose()?,
            event: event
                .map(|event| read_event(JOURNAL_NAME, &event).map(Box::new))
                .transpose()?,
            after: Box::new(read_state(JOURNAL_NAME, version, &after)?),
            effects: effect_ids(entry),
            notes: Vec::<Note>::clone(&entry.notes),
        };
        self.former = Some(after);
        Ok(Some(recorded))
    }

    /// The text of the event of a row.
    fn event_text(&mut self, row: &RecordedColumns) -> Result<Option<String>, StoreError> {
        let Some(reading) = &row.reading else {
            return Ok(row.event_json.clone());
        };
        let base = row.reading_base;
        let base_text = base.map(|base| {
            let known = self.readings.get(&base).map(String::as_str);
            known.ok_or_else(|| damaged(JOURNAL_NAME, format!("reading {base} is missing")))
        });
        let reading = text(reading, base_text.transpose()?.unwrap_or_default())?;
        if base.is_none() {
            self.readings.insert(row.seq, reading.clone());
        }
        Ok(Some(reading))
    }
}

fn effect_ids(entry: &TimelineEntry) -> Vec<EffectId> {
    entry.effects.iter().map(|asked| asked.id.clone()).collect()
}

fn text(difference: &[u8], prefix: &str) -> Result<String, StoreError> {
    decode(difference, prefix.as_bytes()).map_err(|error| damaged(JOURNAL_NAME, error))
}

/// The journal of a loop with what was recorded of it, oldest first.
pub(crate) async fn rows(readers: &SqlitePool, id: &LoopId) -> Result<Vec<SqliteRow>, StoreError> {
    sqlx::query(
        "SELECT journal.seq AS seq, journal.run AS run, at, event, from_state, to_state, effects_json, notes_json,
                event_json, recordings.version AS version, before, reading, reading_base, times_json, after
         FROM journal JOIN loops ON loops.id = journal.loop LEFT JOIN recordings ON recordings.seq = journal.seq
         WHERE host = ? AND repo_id = ? AND number = ? ORDER BY journal.seq",
    )
    .bind(&id.host)
    .bind(&id.repo_id)
    .bind(i64::try_from(id.number).unwrap_or(i64::MAX))
    .fetch_all(readers)
    .await
    .map_err(|error| from_sqlx("reading what was recorded", &error))
}
