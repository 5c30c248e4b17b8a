//! Writing to the journal, inside a transaction.

use crate::batch::Batch;
use crate::before_step::BeforeStep;
use crate::checkpoint::{Checkpoint, default_path, disambiguated_path};
use crate::error::{failed, from_sqlx};
use crate::integers::to_i64;
use crate::persisted::to_json;
use crate::recordings::{Chain, NewRecording};
use crate::runs::{self, RunWrite};
use crate::spending;
use crate::store::{LoopRecord, loop_record_from_row};
use crate::writer::CheckpointJob;
use collie_core::effect::Effect;
use collie_core::event::Event;
use collie_core::ids::{EffectId, Login, LoopId, Time};
use collie_core::lifecycle::State;
use collie_core::loop_state::LoopState;
use collie_core::loop_state::STATE_VERSION;
use collie_core::note::Note;
use collie_engine::ports::TimelineEffect;
use collie_engine::ports::{AppliedStep, StoreError};
use sqlx::{Row, SqliteConnection};
use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};

/// The name of a reading.
pub const OBSERVED_EVENT: &str = "observed";

/// What to remember once the transaction is committed.
pub(crate) struct WriteOutcome {
    pub(crate) record: LoopRecord,
    pub(crate) checkpoint_job: Option<CheckpointJob>,
}

/// A hash of all that a checkpoint is written for: not of when GitHub was last and will next be read.
pub(crate) fn visible_hash(state: &LoopState) -> u64 {
    let mut hasher = DefaultHasher::new();
    state.without_times_of_reading().hash(&mut hasher);
    hasher.finish()
}

/// Puts an event into the inbox, which gives a row with its number.
pub(crate) async fn receive(
    connection: &mut SqliteConnection,
    batch: &mut Batch,
    record: Option<&LoopRecord>,
    (id, event): (&LoopId, &Event),
    at: Time,
) -> Result<(), StoreError> {
    let row_id = match record {
        Some(known) => known.row_id,
        None => {
            find_loop(connection, id)
                .await?
                .ok_or_else(|| unknown_loop(id))?
                .row_id
        }
    };
    batch
        .add("INSERT INTO inbox (loop, event, event_json, received_at) VALUES (?, ?, ?, ?) RETURNING seq")
        .bind(row_id)
        .bind(event.name())
        .bind(to_json(event)?)
        .bind(at.0);
    Ok(())
}

/// How the first line of a loop reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FirstLine {
    /// It is new.
    Created,
    /// It lives elsewhere, and is shown from here on.
    Joined,
}

/// A new loop; none when there is one with this identity.
pub(crate) async fn create(
    tx: &mut SqliteConnection,
    state: &LoopState,
    first: FirstLine,
    (by, at): (&Login, Time),
) -> Result<Option<WriteOutcome>, StoreError> {
    if find_loop(tx, &state.id).await?.is_some() {
        return Ok(None);
    }
    let checkpoint_path = free_checkpoint_path(tx, None, state).await?;
    let row_id = insert_loop(tx, state, &checkpoint_path, by, at).await?;
    let effects: Vec<_> = state
        .outbox
        .effects
        .iter()
        .map(|(id, effect)| (id.clone(), effect.clone()))
        .collect();
    let line = JournalLine {
        event: match first {
            FirstLine::Created => "created",
            FirstLine::Joined => "joined",
        },
        from: None,
        effects: &effects,
        ..JournalLine::of(state, row_id, at)
    };
    let seq = last_seq(tx).await? + 1;
    let mut batch = Batch::default();
    line.append(&mut batch, seq)?;
    insert_effects(&mut batch, row_id, &effects, at)?;
    let run = RunWrite::of(row_id, state, None, at);
    run.save(&mut batch)?;
    let json = to_json(state)?;
    let recording = NewRecording {
        row_id,
        seq,
        event: None,
        state: (state, &json),
        times: None,
    };
    let record = LoopRecord {
        row_id,
        repo: state.pull.repo.clone(),
        checkpoint_path,
        visible_hash: Some(visible_hash(state)),
        run_hash: Some(run.hash),
        visible_seq: seq,
        chain: Some(recording.save(&mut batch, ("", None), None)?),
    };
    update_loop(&mut batch, &record, (state, &json), seq);
    batch.run(&mut *tx).await.map_err(written)?;
    let checkpoint_job = checkpoint_job(&record, BTreeSet::new(), state, seq);
    Ok(Some(WriteOutcome {
        record,
        checkpoint_job: Some(checkpoint_job),
    }))
}

/// What events came to: reads what is needed for it, and adds what is to be written.
pub(crate) async fn apply(
    connection: &mut SqliteConnection,
    batch: &mut Batch,
    record: Option<LoopRecord>,
    applied: &AppliedStep,
) -> Result<WriteOutcome, StoreError> {
    let state = &applied.state;
    let mut record = match record {
        Some(known) => known,
        None => find_loop(connection, &state.id)
            .await?
            .ok_or_else(|| unknown_loop(&state.id))?,
    };
    let visible_hash = visible_hash(state);
    let changed = record.visible_hash != Some(visible_hash);
    let uneventful = !changed && is_uneventful(applied);
    let before = BeforeStep::read(connection, &record, &applied.inbox).await?;
    let json = to_json(state)?;
    let appended = append_events(
        batch,
        record.row_id,
        applied,
        (before.events, before.seq),
        uneventful,
    )?;
    let seq = appended.seq;
    record.chain = record_step(
        batch,
        record.row_id,
        (applied, &json),
        (&before.state, before.reading.as_deref()),
        (record.chain, appended),
    )?;
    delete_effects(batch, &applied.dropped);
    insert_effects(batch, record.row_id, &applied.effects, applied.at)?;
    let former_paths = follow_rename(connection, &mut record, state).await?;
    if changed {
        record.visible_hash = Some(visible_hash);
        record.visible_seq = seq;
        let run = RunWrite::of(record.row_id, state, applied.from, applied.at);
        if record.run_hash != Some(run.hash) {
            run.save(batch)?;
            runs::mark_continued(batch, record.row_id, state, &applied.notes);
            record.run_hash = Some(run.hash);
        }
    }
    update_loop(batch, &record, (state, &json), seq);
    if let Some(spent) = &applied.spent {
        spending::add(batch, spent)?;
        runs::add_spending(batch, &state.id, spent, &applied.spent_on)?;
    }
    let checkpoint_job = changed.then(|| checkpoint_job(&record, former_paths, state, seq));
    Ok(WriteOutcome {
        record,
        checkpoint_job,
    })
}

/// Where the repository has another name than its checkpoint's place was made from: gives it another place; those that it had.
async fn follow_rename(
    connection: &mut SqliteConnection,
    record: &mut LoopRecord,
    state: &LoopState,
) -> Result<BTreeSet<String>, StoreError> {
    if record.repo == state.pull.repo {
        return Ok(BTreeSet::new());
    }
    let free = free_checkpoint_path(connection, Some(record.row_id), state).await?;
    record.repo = state.pull.repo.clone();
    Ok([std::mem::replace(&mut record.checkpoint_path, free)].into())
}

/// Whether an event moved nothing and asked for nothing.
pub fn is_uneventful(applied: &AppliedStep) -> bool {
    applied.from == Some(applied.state.run.state)
        && applied.effects.is_empty()
        && applied.dropped.is_empty()
        && applied.notes.is_empty()
}

fn checkpoint_job(
    record: &LoopRecord,
    former_paths: BTreeSet<String>,
    state: &LoopState,
    seq: i64,
) -> CheckpointJob {
    let seq = u64::try_from(seq).unwrap_or(0);
    CheckpointJob {
        path: record.checkpoint_path.clone(),
        former_paths,
        checkpoint: Checkpoint::of(state.clone(), seq),
    }
}

/// What the last of some events became in the journal.
struct Appended {
    seq: i64,
    /// Its text; none for a change that no event led to.
    event: Option<String>,
    is_reading: bool,
    /// It took the place of the entry before it.
    took_place: bool,
}

/// The last number of the journal.
async fn last_seq(connection: &mut SqliteConnection) -> Result<i64, StoreError> {
    let last = sqlx::query_scalar("SELECT seq FROM sqlite_sequence WHERE name = 'journal'")
        .fetch_optional(connection)
        .await;
    let last = last.map_err(|error| from_sqlx("reading the journal", &error))?;
    Ok(last.unwrap_or(0))
}

/// An error of what was written together, in words.
fn written(error: sqlx::Error) -> StoreError {
    from_sqlx("writing the journal", &error)
}

/// Records what a replay needs of an entry; where the chain of differences stands then, none where it ends.
fn record_step(
    batch: &mut Batch,
    row_id: i64,
    (applied, json): (&AppliedStep, &str),
    before: (&str, Option<&[u8]>),
    (chain, appended): (Option<Chain>, Appended),
) -> Result<Option<Chain>, StoreError> {
    let (Some(times), Some(event), [_]) = (
        &applied.read_before,
        &appended.event,
        applied.inbox.as_slice(),
    ) else {
        return Ok(None);
    };
    let recording = NewRecording {
        row_id,
        seq: appended.seq,
        event: Some((event, appended.is_reading)),
        state: (&applied.state, json),
        times: Some(times),
    };
    let chain = chain.filter(|_| !appended.took_place);
    recording.save(batch, before, chain).map(Some)
}

/// Moves events from the inbox to the journal.
fn append_events(
    batch: &mut Batch,
    row_id: i64,
    applied: &AppliedStep,
    (events, last_seq): (Vec<(String, String)>, i64),
    uneventful: bool,
) -> Result<Appended, StoreError> {
    let mut numbers = last_seq + 1..;
    let mut next = || numbers.next().unwrap_or(i64::MAX);
    let base_line = JournalLine {
        from: applied.from,
        ..JournalLine::of(&applied.state, row_id, applied.at)
    };
    let last_line = JournalLine {
        effects: &applied.effects,
        notes: &applied.notes,
        ..base_line
    };
    let count = events.len();
    let mut events = applied.inbox.iter().zip(events);
    let Some((last_inbox, (event, json))) = events.next_back() else {
        let line = JournalLine {
            event: "engine",
            ..last_line
        };
        return Ok(Appended {
            seq: line.append(batch, next())?,
            event: None,
            is_reading: false,
            took_place: false,
        });
    };
    for (inbox, (event, json)) in events {
        delete_from_inbox(batch, *inbox)?;
        let line = JournalLine {
            event: &event,
            to: applied.from.unwrap_or(applied.state.run.state),
            ..base_line
        };
        line.with_inbox_event(*inbox, &json)?
            .append(batch, next())?;
    }
    delete_from_inbox(batch, *last_inbox)?;
    let quiet = uneventful && count == 1 && event == OBSERVED_EVENT;
    if quiet {
        take_out_quiet_line(batch, row_id);
    }
    let line = JournalLine {
        event: &event,
        quiet,
        ..last_line
    };
    let line = line.with_inbox_event(*last_inbox, &json)?;
    Ok(Appended {
        seq: line.append(batch, next())?,
        is_reading: event == OBSERVED_EVENT,
        event: Some(json),
        took_place: quiet,
    })
}

/// Takes out the last line of a loop where it is of a reading that showed nothing new: the next of its kind takes its place.
fn take_out_quiet_line(batch: &mut Batch, row_id: i64) {
    let last = "DELETE FROM journal WHERE quiet = 1
         AND seq = (SELECT max(seq) FROM journal WHERE loop = ?)";
    batch.add(last).bind(row_id);
}

/// Takes an event out of the inbox.
fn delete_from_inbox(batch: &mut Batch, inbox: u64) -> Result<(), StoreError> {
    batch
        .add("DELETE FROM inbox WHERE seq = ?")
        .bind(to_i64(inbox)?);
    Ok(())
}

/// A line of the journal.
#[derive(Clone, Copy)]
struct JournalLine<'a> {
    row_id: i64,
    run: &'a str,
    at: Time,
    inbox_seq: Option<i64>,
    event: &'a str,
    event_json: Option<&'a str>,
    from: Option<State>,
    to: State,
    effects: &'a [(EffectId, Effect)],
    notes: &'a [Note],
    quiet: bool,
}

impl<'a> JournalLine<'a> {
    fn of(state: &'a LoopState, row_id: i64, at: Time) -> Self {
        Self {
            row_id,
            run: state.run.id.as_str(),
            at,
            inbox_seq: None,
            event: "",
            event_json: None,
            from: None,
            to: state.run.state,
            effects: &[],
            notes: &[],
            quiet: false,
        }
    }

    /// What came out of the inbox. The text of a reading is in its recording alone.
    fn with_inbox_event(self, inbox: u64, json: &'a str) -> Result<Self, StoreError> {
        Ok(Self {
            inbox_seq: Some(to_i64(inbox)?),
            event_json: (self.event != OBSERVED_EVENT).then_some(json),
            ..self
        })
    }

    /// Appends it under a number, and gives that.
    fn append(self, batch: &mut Batch, seq: i64) -> Result<i64, StoreError> {
        let statement = batch.add(
            "INSERT INTO journal (seq, loop, run, at, inbox_seq, event, event_json, from_state, to_state,
                                  effects_json, notes_json, quiet)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        );
        statement
            .bind(seq)
            .bind(self.row_id)
            .bind(self.run)
            .bind(self.at.0)
            .bind(self.inbox_seq)
            .bind(self.event)
            .bind(self.event_json)
            .bind(self.from.map(State::as_str))
            .bind(self.to.as_str())
            .bind(effects_json(self.effects)?)
            .bind(to_json(self.notes)?)
            .bind(self.quiet);
        Ok(seq)
    }
}

/// Effects as an entry of the journal has them.
///
/// # Errors
/// They are no JSON.
pub fn effects_json(effects: &[(EffectId, Effect)]) -> Result<String, StoreError> {
    let named = |(id, effect): &(EffectId, Effect)| TimelineEffect {
        id: id.clone(),
        effect: effect.name().into(),
    };
    to_json(&effects.iter().map(named).collect::<Vec<_>>())
}

/// A loop that is brought back from its checkpoint; its posts are in doubt, and whatever it says from now on may have been said before.
pub(crate) async fn restore(
    tx: &mut SqliteConnection,
    found: &LoopState,
    checkpoint_path: &str,
    at: Time,
) -> Result<(), StoreError> {
    let mut state = found.clone();
    state.memory.was_rebuilt = true;
    let state = &state;
    let row_id = insert_loop(tx, state, checkpoint_path, &state.run.started_by, at).await?;
    let line = JournalLine {
        event: "rebuilt",
        from: Some(state.run.state),
        ..JournalLine::of(state, row_id, at)
    };
    let seq = last_seq(tx).await? + 1;
    let mut batch = Batch::default();
    line.append(&mut batch, seq)?;
    let effects = state.outbox.in_order().into_iter();
    let effects: Vec<_> = effects
        .map(|(id, effect)| (id.clone(), effect.clone()))
        .collect();
    insert_effects(&mut batch, row_id, &effects, at)?;
    for (id, effect) in &effects {
        if matches!(effect, Effect::Post(_)) {
            batch
                .add("UPDATE outbox SET in_doubt = 1 WHERE effect_id = ?")
                .bind(id.as_str());
        }
    }
    // When it was ready is not known any more; when it last changed is, and an ended one did not change since.
    let run = RunWrite::of(row_id, state, Some(state.run.state), state.run.updated_at);
    run.save(&mut batch)?;
    let record = LoopRecord {
        row_id,
        repo: state.pull.repo.clone(),
        checkpoint_path: checkpoint_path.to_string(),
        visible_hash: None,
        run_hash: Some(run.hash),
        visible_seq: seq,
        chain: None,
    };
    let json = to_json(state)?;
    let first = NewRecording {
        row_id,
        seq,
        event: None,
        state: (state, &json),
        times: None,
    };
    first.save(&mut batch, ("", None), None)?;
    update_loop(&mut batch, &record, (state, &json), seq);
    batch.run(tx).await.map(drop).map_err(written)
}

/// The row of a loop.
pub(crate) async fn find_loop(
    tx: &mut SqliteConnection,
    id: &LoopId,
) -> Result<Option<LoopRecord>, StoreError> {
    let row = sqlx::query(
        "SELECT id, host, repo_id, number, owner || '/' || name AS repo, checkpoint, visible_seq
         FROM loops WHERE host = ? AND repo_id = ? AND number = ?",
    )
    .bind(&id.host)
    .bind(&id.repo_id)
    .bind(to_i64(id.number)?)
    .fetch_optional(tx)
    .await
    .map_err(|error| from_sqlx("reading a loop", &error))?;
    row.map(|row| loop_record_from_row(&row).map(|(_, known)| known))
        .transpose()
}

fn unknown_loop(id: &LoopId) -> StoreError {
    failed("writing the journal", format!("there is no loop {id}"))
}

async fn free_checkpoint_path(
    tx: &mut SqliteConnection,
    row_id: Option<i64>,
    state: &LoopState,
) -> Result<String, StoreError> {
    let default_path = default_path(&state.pull.repo, state.id.number);
    let taken: i64 = sqlx::query("SELECT count(*) FROM loops WHERE checkpoint = ? AND id IS NOT ?")
        .bind(&default_path)
        .bind(row_id)
        .fetch_one(tx)
        .await
        .and_then(|row| row.try_get(0))
        .map_err(|error| from_sqlx("reading the loops", &error))?;
    Ok(if taken == 0 {
        default_path
    } else {
        disambiguated_path(&state.pull.repo, &state.id)
    })
}

async fn insert_loop(
    tx: &mut SqliteConnection,
    state: &LoopState,
    checkpoint_path: &str,
    by: &Login,
    at: Time,
) -> Result<i64, StoreError> {
    let result = sqlx::query(
        "INSERT INTO loops (host, repo_id, number, owner, name, state, run, version, state_json,
                            created_by, created_at, updated_at, journal_seq, visible_seq, checkpoint)
         VALUES (?, ?, ?, '', '', '', '', 0, '', ?, ?, 0, 0, 0, ?)",
    )
    .bind(&state.id.host)
    .bind(&state.id.repo_id)
    .bind(to_i64(state.id.number)?)
    .bind(by.as_str())
    .bind(at.0)
    .bind(checkpoint_path)
    .execute(tx)
    .await
    .map_err(|error| from_sqlx("making a loop", &error))?;
    Ok(result.last_insert_rowid())
}

fn update_loop(
    batch: &mut Batch,
    record: &LoopRecord,
    (state, json): (&LoopState, &str),
    seq: i64,
) {
    let statement = batch.add(
        "UPDATE loops SET owner = ?, name = ?, state = ?, run = ?, version = ?, state_json = ?,
                          updated_at = ?, journal_seq = ?, visible_seq = ?, checkpoint = ?
         WHERE id = ?",
    );
    statement
        .bind(state.pull.repo.owner())
        .bind(state.pull.repo.name())
        .bind(state.run.state.as_str())
        .bind(state.run.id.as_str())
        .bind(STATE_VERSION)
        .bind(json)
        .bind(state.run.updated_at.0)
        .bind(seq)
        .bind(record.visible_seq)
        .bind(&record.checkpoint_path)
        .bind(record.row_id);
}

pub(crate) fn insert_effects(
    batch: &mut Batch,
    row_id: i64,
    effects: &[(EffectId, Effect)],
    at: Time,
) -> Result<(), StoreError> {
    for (id, effect) in effects {
        batch
            .add(
                "INSERT INTO outbox (effect_id, loop, effect_json, created_at) VALUES (?, ?, ?, ?)
                 ON CONFLICT (effect_id) DO NOTHING",
            )
            .bind(id.as_str())
            .bind(row_id)
            .bind(to_json(effect)?)
            .bind(at.0);
    }
    Ok(())
}

fn delete_effects(batch: &mut Batch, dropped: &[EffectId]) {
    for id in dropped {
        batch
            .add("DELETE FROM outbox WHERE effect_id = ?")
            .bind(id.as_str());
    }
}
