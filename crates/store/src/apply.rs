//! Writing to the journal, inside a transaction.

use crate::checkpoint::{Checkpoint, default_path, disambiguated_path};
use crate::error::{failed, from_sqlx};
use crate::integers::{to_i64, to_u64};
use crate::persisted::to_json;
use crate::recordings::{Chain, NewRecording, former_state};
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

const OBSERVED_EVENT: &str = "observed";

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

/// Puts an event into the inbox; its number.
pub(crate) async fn receive(
    tx: &mut SqliteConnection,
    record: Option<&LoopRecord>,
    id: &LoopId,
    event: &Event,
    at: Time,
) -> Result<u64, StoreError> {
    let row_id = match record {
        Some(known) => known.row_id,
        None => {
            find_loop(tx, id)
                .await?
                .ok_or_else(|| unknown_loop(id))?
                .row_id
        }
    };
    let result =
        sqlx::query("INSERT INTO inbox (loop, event, event_json, received_at) VALUES (?, ?, ?, ?)")
            .bind(row_id)
            .bind(event.name())
            .bind(to_json(event)?)
            .bind(at.0)
            .execute(tx)
            .await
            .map_err(|error| from_sqlx("storing events", &error))?;
    to_u64(result.last_insert_rowid())
}

/// A new loop; none when there is one with this identity.
pub(crate) async fn create(
    tx: &mut SqliteConnection,
    state: &LoopState,
    by: &Login,
    at: Time,
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
        event: "created",
        from: None,
        effects: &effects,
        ..JournalLine::of(state, row_id, at)
    };
    let seq = line.append(tx).await?;
    insert_effects(tx, row_id, &effects, at).await?;
    let run = RunWrite::of(row_id, state, None, at);
    run.save(tx).await?;
    let json = to_json(state)?;
    let first = NewRecording {
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
        chain: Some(first.save(tx, "", None).await?),
    };
    update_loop(tx, &record, (state, &json), seq).await?;
    let checkpoint_job = checkpoint_job(&record, BTreeSet::new(), state, seq);
    Ok(Some(WriteOutcome {
        record,
        checkpoint_job: Some(checkpoint_job),
    }))
}

/// What events came to.
pub(crate) async fn apply(
    tx: &mut SqliteConnection,
    record: Option<LoopRecord>,
    applied: &AppliedStep,
) -> Result<WriteOutcome, StoreError> {
    let state = &applied.state;
    let mut record = match record {
        Some(known) => known,
        None => find_loop(tx, &state.id)
            .await?
            .ok_or_else(|| unknown_loop(&state.id))?,
    };
    let visible_hash = visible_hash(state);
    let changed = record.visible_hash != Some(visible_hash);
    let uneventful = !changed && is_uneventful(applied);
    let former = former_state(tx, record.row_id).await?;
    let json = to_json(state)?;
    let appended = append_events(tx, record.row_id, applied, uneventful).await?;
    let seq = appended.seq;
    record.chain = record_step(
        tx,
        record.row_id,
        (applied, &json),
        &former,
        (record.chain, appended),
    )
    .await?;
    delete_effects(tx, &applied.dropped).await?;
    insert_effects(tx, record.row_id, &applied.effects, applied.at).await?;
    let mut former_paths = BTreeSet::new();
    if record.repo != state.pull.repo {
        let checkpoint_path = free_checkpoint_path(tx, Some(record.row_id), state).await?;
        former_paths.insert(std::mem::replace(
            &mut record.checkpoint_path,
            checkpoint_path,
        ));
        record.repo = state.pull.repo.clone();
    }
    if changed {
        record.visible_hash = Some(visible_hash);
        record.visible_seq = seq;
        let run = RunWrite::of(record.row_id, state, applied.from, applied.at);
        if record.run_hash != Some(run.hash) {
            run.save(tx).await?;
            runs::mark_continued(tx, record.row_id, state, &applied.notes).await?;
            record.run_hash = Some(run.hash);
        }
    }
    update_loop(tx, &record, (state, &json), seq).await?;
    if let Some(spent) = &applied.spent {
        spending::add(tx, spent).await?;
        runs::add_spending(tx, &state.id, spent, &applied.spent_on).await?;
    }
    let checkpoint_job = changed.then(|| checkpoint_job(&record, former_paths, state, seq));
    Ok(WriteOutcome {
        record,
        checkpoint_job,
    })
}

/// Whether an event moved nothing and asked for nothing.
fn is_uneventful(applied: &AppliedStep) -> bool {
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

/// Records what a replay needs of an entry; where the chain of differences stands then, none where it ends.
async fn record_step(
    tx: &mut SqliteConnection,
    row_id: i64,
    (applied, json): (&AppliedStep, &str),
    former: &str,
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
    recording.save(tx, former, chain).await.map(Some)
}

/// Moves events from the inbox to the journal.
async fn append_events(
    tx: &mut SqliteConnection,
    row_id: i64,
    applied: &AppliedStep,
    uneventful: bool,
) -> Result<Appended, StoreError> {
    let base_line = JournalLine {
        from: applied.from,
        ..JournalLine::of(&applied.state, row_id, applied.at)
    };
    let last_line = JournalLine {
        effects: &applied.effects,
        notes: &applied.notes,
        ..base_line
    };
    let Some((last_inbox, earlier)) = applied.inbox.split_last() else {
        let line = JournalLine {
            event: "engine",
            ..last_line
        };
        return Ok(Appended {
            seq: line.append(tx).await?,
            event: None,
            is_reading: false,
            took_place: false,
        });
    };
    for inbox in earlier {
        let (event, json) = take_from_inbox(tx, row_id, *inbox).await?;
        let to = applied.from.unwrap_or(applied.state.run.state);
        let line = JournalLine {
            event: &event,
            to,
            ..base_line
        };
        line.with_inbox_event(*inbox, &json)?.append(tx).await?;
    }
    let (event, json) = take_from_inbox(tx, row_id, *last_inbox).await?;
    let quiet = uneventful && earlier.is_empty() && event == OBSERVED_EVENT;
    if quiet {
        take_out_quiet_line(tx, row_id).await?;
    }
    let line = JournalLine {
        event: &event,
        quiet,
        ..last_line
    };
    Ok(Appended {
        seq: line
            .with_inbox_event(*last_inbox, &json)?
            .append(tx)
            .await?,
        is_reading: event == OBSERVED_EVENT,
        event: Some(json),
        took_place: quiet,
    })
}

/// Takes out the last line of a loop where it is of a reading that showed nothing new: the next of its kind takes its place.
async fn take_out_quiet_line(tx: &mut SqliteConnection, row_id: i64) -> Result<(), StoreError> {
    let last = "DELETE FROM journal WHERE quiet = 1
         AND seq = (SELECT max(seq) FROM journal WHERE loop = ?)";
    let done = sqlx::query(last).bind(row_id).execute(&mut *tx).await;
    done.map(|_| ())
        .map_err(|error| from_sqlx("writing the journal", &error))
}

/// Takes an event out of the inbox: its name and its text.
async fn take_from_inbox(
    tx: &mut SqliteConnection,
    row_id: i64,
    inbox: u64,
) -> Result<(String, String), StoreError> {
    let taken: Option<(String, String)> =
        sqlx::query_as("DELETE FROM inbox WHERE seq = ? AND loop = ? RETURNING event, event_json")
            .bind(to_i64(inbox)?)
            .bind(row_id)
            .fetch_optional(tx)
            .await
            .map_err(|error| from_sqlx("writing the journal", &error))?;
    taken.ok_or_else(|| {
        failed(
            &format!("applying inbox entry {inbox}"),
            "it is not there for this loop, or was applied before",
        )
    })
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

    async fn append(self, tx: &mut SqliteConnection) -> Result<i64, StoreError> {
        let effects: Vec<_> = self
            .effects
            .iter()
            .map(|(id, effect)| TimelineEffect {
                id: id.clone(),
                effect: effect.name().into(),
            })
            .collect();
        let result = sqlx::query(
            "INSERT INTO journal (loop, run, at, inbox_seq, event, event_json, from_state, to_state,
                                  effects_json, notes_json, quiet)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        )
        .bind(self.row_id)
        .bind(self.run)
        .bind(self.at.0)
        .bind(self.inbox_seq)
        .bind(self.event)
        .bind(self.event_json)
        .bind(self.from.map(State::as_str))
        .bind(self.to.as_str())
        .bind(to_json(&effects)?)
        .bind(to_json(self.notes)?)
        .bind(self.quiet)
        .execute(tx)
        .await
        .map_err(|error| from_sqlx("writing the journal", &error))?;
        Ok(result.last_insert_rowid())
    }
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
    let seq = line.append(tx).await?;
    let mut effects: Vec<_> = state
        .outbox
        .effects
        .iter()
        .map(|(id, effect)| (id.clone(), effect.clone()))
        .collect();
    effects.sort_by_key(|(id, _)| (trailing_number(id.as_str()), id.clone()));
    insert_effects(tx, row_id, &effects, at).await?;
    for (id, effect) in &effects {
        if matches!(effect, Effect::Post(_)) {
            sqlx::query("UPDATE outbox SET in_doubt = 1 WHERE effect_id = ?")
                .bind(id.as_str())
                .execute(&mut *tx)
                .await
                .map_err(|error| from_sqlx("writing the outbox", &error))?;
        }
    }
    // When it was ready is not known any more; when it last changed is, and an ended one did not change since.
    let run = RunWrite::of(row_id, state, Some(state.run.state), state.run.updated_at);
    run.save(tx).await?;
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
    first.save(tx, "", None).await?;
    update_loop(tx, &record, (state, &json), seq).await
}

/// Effects are numbered in the order they were asked for; 10 comes after 9.
fn trailing_number(id: &str) -> u64 {
    let digits = id.len() - id.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    id[id.len() - digits..].parse().unwrap_or(u64::MAX)
}

/// The row of a loop.
async fn find_loop(
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

async fn update_loop(
    tx: &mut SqliteConnection,
    record: &LoopRecord,
    (state, json): (&LoopState, &str),
    seq: i64,
) -> Result<(), StoreError> {
    sqlx::query(
        "UPDATE loops SET owner = ?, name = ?, state = ?, run = ?, version = ?, state_json = ?,
                          updated_at = ?, journal_seq = ?, visible_seq = ?, checkpoint = ?
         WHERE id = ?",
    )
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
    .bind(record.row_id)
    .execute(tx)
    .await
    .map_err(|error| from_sqlx("writing a loop", &error))?;
    Ok(())
}

async fn insert_effects(
    tx: &mut SqliteConnection,
    row_id: i64,
    effects: &[(EffectId, Effect)],
    at: Time,
) -> Result<(), StoreError> {
    for (id, effect) in effects {
        sqlx::query(
            "INSERT INTO outbox (effect_id, loop, effect_json, created_at) VALUES (?, ?, ?, ?)
             ON CONFLICT (effect_id) DO NOTHING",
        )
        .bind(id.as_str())
        .bind(row_id)
        .bind(to_json(effect)?)
        .bind(at.0)
        .execute(&mut *tx)
        .await
        .map_err(|error| from_sqlx("writing the outbox", &error))?;
    }
    Ok(())
}

async fn delete_effects(tx: &mut SqliteConnection, dropped: &[EffectId]) -> Result<(), StoreError> {
    for id in dropped {
        sqlx::query("DELETE FROM outbox WHERE effect_id = ?")
            .bind(id.as_str())
            .execute(&mut *tx)
            .await
            .map_err(|error| from_sqlx("writing the outbox", &error))?;
    }
    Ok(())
}
