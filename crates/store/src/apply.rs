//! Writing to the journal, inside a transaction.

use crate::checkpoint::{Checkpoint, other_place, usual_place};
use crate::error::{damaged, failed, from_sqlx};
use crate::names::{effect_name, event_name};
use crate::persisted::{STATE_VERSION, to_json};
use crate::store::{Known, known_of_row};
use crate::timeline::EffectLine;
use crate::writer::Job;
use collie_core::ids::{EffectId, Login, LoopId, Time};
use collie_core::lifecycle::State;
use collie_core::model::{Effect, Event, LoopState, Note};
use collie_engine::ports::{Applied, StoreError};
use sqlx::{Row, SqliteConnection};
use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};

const OBSERVED: &str = "observed";

/// What to remember once the transaction is committed.
pub(crate) struct Written {
    pub(crate) known: Known,
    pub(crate) job: Option<Job>,
}

/// A hash of all that a checkpoint is written for: not of when GitHub was last and will next be read.
pub(crate) fn visible(state: &LoopState) -> u64 {
    let mut shown = state.clone();
    shown.seen.at = None;
    shown.next_poll_at = None;
    shown.updated_at = Time::default();
    let mut hasher = DefaultHasher::new();
    shown.hash(&mut hasher);
    hasher.finish()
}

/// SQLite's integers have a sign.
pub(crate) fn signed(number: u64) -> Result<i64, StoreError> {
    i64::try_from(number).map_err(|error| failed("writing a number", error))
}

/// SQLite's integers have a sign, ours don't.
pub(crate) fn unsigned(number: i64) -> Result<u64, StoreError> {
    u64::try_from(number).map_err(|error| damaged("the journal", error))
}

/// Puts an event into the inbox; its number.
pub(crate) async fn receive(
    tx: &mut SqliteConnection,
    known: Option<&Known>,
    id: &LoopId,
    event: &Event,
    at: Time,
) -> Result<u64, StoreError> {
    let row = match known {
        Some(known) => known.row,
        None => find(tx, id).await?.ok_or_else(|| no_loop(id))?.row,
    };
    let done =
        sqlx::query("INSERT INTO inbox (loop, event, event_json, received_at) VALUES (?, ?, ?, ?)")
            .bind(row)
            .bind(event_name(event))
            .bind(to_json(event)?)
            .bind(at.0)
            .execute(tx)
            .await
            .map_err(|error| from_sqlx("storing events", &error))?;
    unsigned(done.last_insert_rowid())
}

/// A new loop; none when there is one with this identity.
pub(crate) async fn create(
    tx: &mut SqliteConnection,
    state: &LoopState,
    by: &Login,
    at: Time,
) -> Result<Option<Written>, StoreError> {
    if find(tx, &state.id).await?.is_some() {
        return Ok(None);
    }
    let place = free_place(tx, None, state).await?;
    let row = insert_loop(tx, state, &place, by, at).await?;
    let effects: Vec<_> = state
        .outbox
        .iter()
        .map(|(id, effect)| (id.clone(), effect.clone()))
        .collect();
    let line = Line {
        event: "created",
        from: None,
        effects: &effects,
        ..Line::of(state, row, at)
    };
    let seq = line.append(tx).await?;
    add_effects(tx, row, &effects, at).await?;
    let known = Known {
        row,
        repo: state.repo.clone(),
        place,
        visible: Some(visible(state)),
        visible_seq: seq,
    };
    update_loop(tx, &known, state, seq).await?;
    let job = job(&known, BTreeSet::new(), state, seq);
    Ok(Some(Written {
        known,
        job: Some(job),
    }))
}

/// What events came to.
pub(crate) async fn apply(
    tx: &mut SqliteConnection,
    known: Option<Known>,
    item: &Applied,
) -> Result<Written, StoreError> {
    let state = &item.state;
    let mut known = match known {
        Some(known) => known,
        None => find(tx, &state.id)
            .await?
            .ok_or_else(|| no_loop(&state.id))?,
    };
    let shown = visible(state);
    let changed = known.visible != Some(shown);
    let uneventful = !changed
        && item.from == Some(state.state)
        && item.effects.is_empty()
        && item.dropped.is_empty()
        && item.notes.is_empty();
    let seq = append_events(tx, known.row, item, uneventful).await?;
    drop_effects(tx, &item.dropped).await?;
    add_effects(tx, known.row, &item.effects, item.at).await?;
    let mut left = BTreeSet::new();
    if known.repo != state.repo {
        let place = free_place(tx, Some(known.row), state).await?;
        left.insert(std::mem::replace(&mut known.place, place));
        known.repo = state.repo.clone();
    }
    if changed {
        known.visible = Some(shown);
        known.visible_seq = seq;
    }
    update_loop(tx, &known, state, seq).await?;
    let job = changed.then(|| job(&known, left, state, seq));
    Ok(Written { known, job })
}

fn job(known: &Known, left: BTreeSet<String>, state: &LoopState, seq: i64) -> Job {
    let seq = u64::try_from(seq).unwrap_or(0);
    Job {
        place: known.place.clone(),
        left,
        checkpoint: Checkpoint::of(state.clone(), seq),
    }
}

/// Moves events from the inbox to the journal; the number of the last entry.
async fn append_events(
    tx: &mut SqliteConnection,
    row: i64,
    item: &Applied,
    uneventful: bool,
) -> Result<i64, StoreError> {
    let plain = Line {
        from: item.from,
        ..Line::of(&item.state, row, item.at)
    };
    let last = Line {
        effects: &item.effects,
        notes: &item.notes,
        ..plain
    };
    let Some((last_inbox, earlier)) = item.inbox.split_last() else {
        return Line {
            event: "engine",
            ..last
        }
        .append(tx)
        .await;
    };
    for inbox in earlier {
        let (event, json) = take(tx, row, *inbox).await?;
        let to = item.from.unwrap_or(item.state.state);
        let line = Line {
            event: &event,
            to,
            ..plain
        };
        line.keeping(*inbox, json.as_deref())?.append(tx).await?;
    }
    let (event, json) = take(tx, row, *last_inbox).await?;
    let quiet = uneventful && earlier.is_empty() && event == OBSERVED;
    if quiet {
        sqlx::query(
            "DELETE FROM journal WHERE quiet = 1
             AND seq = (SELECT max(seq) FROM journal WHERE loop = ?)",
        )
        .bind(row)
        .execute(&mut *tx)
        .await
        .map_err(|error| from_sqlx("writing the journal", &error))?;
    }
    let line = Line {
        event: &event,
        quiet,
        ..last
    };
    line.keeping(*last_inbox, json.as_deref())?.append(tx).await
}

/// Takes an event out of the inbox: its name, and its text where that is kept.
async fn take(
    tx: &mut SqliteConnection,
    row: i64,
    inbox: u64,
) -> Result<(String, Option<String>), StoreError> {
    let taken: Option<(String, Option<String>)> = sqlx::query_as(
        "DELETE FROM inbox WHERE seq = ? AND loop = ?
         RETURNING event, CASE event WHEN 'observed' THEN NULL ELSE event_json END",
    )
    .bind(signed(inbox)?)
    .bind(row)
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
struct Line<'a> {
    row: i64,
    run: &'a str,
    at: Time,
    inbox: Option<i64>,
    event: &'a str,
    json: Option<&'a str>,
    from: Option<State>,
    to: State,
    effects: &'a [(EffectId, Effect)],
    notes: &'a [Note],
    quiet: bool,
}

impl<'a> Line<'a> {
    fn of(state: &'a LoopState, row: i64, at: Time) -> Self {
        Self {
            row,
            run: state.run.as_str(),
            at,
            inbox: None,
            event: "",
            json: None,
            from: None,
            to: state.state,
            effects: &[],
            notes: &[],
            quiet: false,
        }
    }

    fn keeping(self, inbox: u64, json: Option<&'a str>) -> Result<Self, StoreError> {
        Ok(Self {
            inbox: Some(signed(inbox)?),
            json,
            ..self
        })
    }

    async fn append(self, tx: &mut SqliteConnection) -> Result<i64, StoreError> {
        let effects: Vec<_> = self
            .effects
            .iter()
            .map(|(id, effect)| EffectLine {
                id: id.clone(),
                effect: effect_name(effect).into(),
            })
            .collect();
        let done = sqlx::query(
            "INSERT INTO journal (loop, run, at, inbox_seq, event, event_json, from_state, to_state,
                                  effects_json, notes_json, quiet)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        )
        .bind(self.row)
        .bind(self.run)
        .bind(self.at.0)
        .bind(self.inbox)
        .bind(self.event)
        .bind(self.json)
        .bind(self.from.map(State::as_str))
        .bind(self.to.as_str())
        .bind(to_json(&effects)?)
        .bind(to_json(self.notes)?)
        .bind(self.quiet)
        .execute(tx)
        .await
        .map_err(|error| from_sqlx("writing the journal", &error))?;
        Ok(done.last_insert_rowid())
    }
}

/// A loop that is brought back from its checkpoint; its posts are in doubt.
pub(crate) async fn restore(
    tx: &mut SqliteConnection,
    state: &LoopState,
    place: &str,
    at: Time,
) -> Result<(), StoreError> {
    let row = insert_loop(tx, state, place, &state.started_by, at).await?;
    let line = Line {
        event: "rebuilt",
        from: Some(state.state),
        ..Line::of(state, row, at)
    };
    let seq = line.append(tx).await?;
    let mut effects: Vec<_> = state
        .outbox
        .iter()
        .map(|(id, effect)| (id.clone(), effect.clone()))
        .collect();
    effects.sort_by_key(|(id, _)| (trailing_number(id.as_str()), id.clone()));
    add_effects(tx, row, &effects, at).await?;
    for (id, effect) in &effects {
        if matches!(effect, Effect::Say { .. }) {
            sqlx::query("UPDATE outbox SET in_doubt = 1 WHERE effect_id = ?")
                .bind(id.as_str())
                .execute(&mut *tx)
                .await
                .map_err(|error| from_sqlx("writing the outbox", &error))?;
        }
    }
    let known = Known {
        row,
        repo: state.repo.clone(),
        place: place.to_string(),
        visible: None,
        visible_seq: seq,
    };
    update_loop(tx, &known, state, seq).await
}

/// Effects are numbered in the order they were asked for; 10 comes after 9.
fn trailing_number(id: &str) -> u64 {
    let digits = id.len() - id.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    id[id.len() - digits..].parse().unwrap_or(u64::MAX)
}

/// The row of a loop.
async fn find(tx: &mut SqliteConnection, id: &LoopId) -> Result<Option<Known>, StoreError> {
    let row = sqlx::query(
        "SELECT id, host, repo_id, number, owner || '/' || name AS repo, checkpoint, visible_seq
         FROM loops WHERE host = ? AND repo_id = ? AND number = ?",
    )
    .bind(&id.host)
    .bind(&id.repo_id)
    .bind(signed(id.number)?)
    .fetch_optional(tx)
    .await
    .map_err(|error| from_sqlx("reading a loop", &error))?;
    row.map(|row| known_of_row(&row).map(|(_, known)| known))
        .transpose()
}

fn no_loop(id: &LoopId) -> StoreError {
    failed("writing the journal", format!("there is no loop {id}"))
}

async fn free_place(
    tx: &mut SqliteConnection,
    row: Option<i64>,
    state: &LoopState,
) -> Result<String, StoreError> {
    let usual = usual_place(&state.repo, state.id.number);
    let taken: i64 = sqlx::query("SELECT count(*) FROM loops WHERE checkpoint = ? AND id IS NOT ?")
        .bind(&usual)
        .bind(row)
        .fetch_one(tx)
        .await
        .and_then(|row| row.try_get(0))
        .map_err(|error| from_sqlx("reading the loops", &error))?;
    Ok(if taken == 0 {
        usual
    } else {
        other_place(&state.repo, &state.id)
    })
}

async fn insert_loop(
    tx: &mut SqliteConnection,
    state: &LoopState,
    place: &str,
    by: &Login,
    at: Time,
) -> Result<i64, StoreError> {
    let done = sqlx::query(
        "INSERT INTO loops (host, repo_id, number, owner, name, state, run, version, state_json,
                            created_by, created_at, updated_at, journal_seq, visible_seq, checkpoint)
         VALUES (?, ?, ?, '', '', '', '', 0, '', ?, ?, 0, 0, 0, ?)",
    )
    .bind(&state.id.host)
    .bind(&state.id.repo_id)
    .bind(signed(state.id.number)?)
    .bind(by.as_str())
    .bind(at.0)
    .bind(place)
    .execute(tx)
    .await
    .map_err(|error| from_sqlx("making a loop", &error))?;
    Ok(done.last_insert_rowid())
}

async fn update_loop(
    tx: &mut SqliteConnection,
    known: &Known,
    state: &LoopState,
    seq: i64,
) -> Result<(), StoreError> {
    sqlx::query(
        "UPDATE loops SET owner = ?, name = ?, state = ?, run = ?, version = ?, state_json = ?,
                          updated_at = ?, journal_seq = ?, visible_seq = ?, checkpoint = ?
         WHERE id = ?",
    )
    .bind(state.repo.owner())
    .bind(state.repo.name())
    .bind(state.state.as_str())
    .bind(state.run.as_str())
    .bind(STATE_VERSION)
    .bind(to_json(state)?)
    .bind(state.updated_at.0)
    .bind(seq)
    .bind(known.visible_seq)
    .bind(&known.place)
    .bind(known.row)
    .execute(tx)
    .await
    .map_err(|error| from_sqlx("writing a loop", &error))?;
    Ok(())
}

async fn add_effects(
    tx: &mut SqliteConnection,
    row: i64,
    effects: &[(EffectId, Effect)],
    at: Time,
) -> Result<(), StoreError> {
    for (id, effect) in effects {
        sqlx::query(
            "INSERT INTO outbox (effect_id, loop, effect_json, created_at) VALUES (?, ?, ?, ?)
             ON CONFLICT (effect_id) DO NOTHING",
        )
        .bind(id.as_str())
        .bind(row)
        .bind(to_json(effect)?)
        .bind(at.0)
        .execute(&mut *tx)
        .await
        .map_err(|error| from_sqlx("writing the outbox", &error))?;
    }
    Ok(())
}

async fn drop_effects(tx: &mut SqliteConnection, dropped: &[EffectId]) -> Result<(), StoreError> {
    for id in dropped {
        sqlx::query("DELETE FROM outbox WHERE effect_id = ?")
            .bind(id.as_str())
            .execute(&mut *tx)
            .await
            .map_err(|error| from_sqlx("writing the outbox", &error))?;
    }
    Ok(())
}
