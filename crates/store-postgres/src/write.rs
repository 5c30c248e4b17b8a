//! One step of a loop, written in a transaction.

use crate::error::from_sqlx;
use crate::journal::execute;
use crate::{insights, spending};
use collie_core::effect::Effect;
use collie_core::ids::EffectId;
use collie_core::loop_state::{LoopState, STATE_VERSION};
use collie_engine::ports::{ProjectedChange, ProjectedStep, StoreError};
use collie_store::format::damaged;
use collie_store::format::{
    JOURNAL_NAME, NewRecording, OBSERVED_EVENT, effects_json, former_state, is_uneventful,
    read_state, to_i64, to_json,
};
use sqlx::PgConnection;

const TRIED: &str = "writing what loops elsewhere told";

/// A loop as the database has it.
#[derive(sqlx::FromRow)]
struct KnownLoop {
    id: i64,
    version: i64,
    state_json: String,
    projected_version: i64,
}

impl KnownLoop {
    /// Its state as JSON of today's version.
    fn former(&self) -> Result<String, StoreError> {
        let version = u32::try_from(self.version).map_err(|error| damaged(JOURNAL_NAME, error))?;
        former_state(version, self.state_json.clone())
    }
}

/// What happened, as its entry tells it.
struct Entry {
    name: &'static str,
    json: Option<String>,
    effects: Vec<(EffectId, Effect)>,
    /// The next one of its kind takes its place.
    quiet: bool,
}

/// Writes a step down, unless its version or a later one is known; whether it was new.
pub(crate) async fn write_step(
    tx: &mut PgConnection,
    step: &ProjectedStep,
) -> Result<bool, StoreError> {
    let known = find(tx, &step.applied.state).await?;
    let told = to_i64(step.version)?;
    let known_version = known.as_ref().map(|known| known.projected_version);
    if known_version.is_some_and(|known| known >= told) {
        return Ok(false);
    }
    let former = known.as_ref().map(KnownLoop::former).transpose()?;
    let entry = entry_of(step, known_version, former.as_deref())?;
    let state = &step.applied.state;
    let json = to_json(state)?;
    let row_id = match &known {
        Some(known) => update_loop(tx, known.id, &json, told).await?,
        None => insert_loop(tx, state, &json, told).await?,
    };
    let seq = append(tx, row_id, step, &entry).await?;
    record(tx, (row_id, seq), step, (&entry, &json), former.as_deref()).await?;
    insights::save_run(tx, row_id, &step.applied).await?;
    if let Some(spent) = &step.applied.spent {
        spending::add(tx, &state.id, spent, &step.applied.spent_on).await?;
    }
    Ok(true)
}

async fn find(tx: &mut PgConnection, state: &LoopState) -> Result<Option<KnownLoop>, StoreError> {
    let id = &state.id;
    sqlx::query_as(
        "SELECT id, version, state_json, projected_version FROM loops
         WHERE host = $1 AND repo_id = $2 AND number = $3",
    )
    .bind(&id.host)
    .bind(&id.repo_id)
    .bind(to_i64(id.number)?)
    .fetch_optional(tx)
    .await
    .map_err(|error| from_sqlx(TRIED, &error))
}

fn entry_of(
    step: &ProjectedStep,
    known_version: Option<i64>,
    former: Option<&str>,
) -> Result<Entry, StoreError> {
    let applied = &step.applied;
    let plain = |name, effects| Entry {
        name,
        json: None,
        effects,
        quiet: false,
    };
    let Some(known_version) = known_version else {
        let asked = applied.state.outbox.effects.iter();
        let effects = asked.map(|(id, effect)| (id.clone(), effect.clone()));
        let name = match step.change {
            ProjectedChange::Begun => "created",
            _ => "joined",
        };
        return Ok(plain(name, effects.collect()));
    };
    let follows = to_i64(step.version)? == known_version.saturating_add(1);
    let event = match &step.change {
        ProjectedChange::Event(event) if follows => event,
        // A standby that took over may lack what another server had written: what led here is not in it.
        _ => return Ok(plain("engine", applied.effects.clone())),
    };
    let is_reading = event.name() == OBSERVED_EVENT;
    Ok(Entry {
        name: event.name(),
        json: Some(to_json(event)?),
        effects: applied.effects.clone(),
        quiet: is_reading && is_uneventful(applied) && shows_the_same(former, &applied.state)?,
    })
}

fn shows_the_same(former: Option<&str>, state: &LoopState) -> Result<bool, StoreError> {
    let Some(former) = former else {
        return Ok(false);
    };
    let former = read_state(JOURNAL_NAME, STATE_VERSION, former)?;
    Ok(former.without_times_of_reading() == state.without_times_of_reading())
}

async fn insert_loop(
    tx: &mut PgConnection,
    state: &LoopState,
    json: &str,
    told: i64,
) -> Result<i64, StoreError> {
    sqlx::query_scalar(
        "INSERT INTO loops (host, repo_id, number, version, state_json, projected_version)
         VALUES ($1, $2, $3, $4, $5, $6) RETURNING id",
    )
    .bind(&state.id.host)
    .bind(&state.id.repo_id)
    .bind(to_i64(state.id.number)?)
    .bind(i64::from(STATE_VERSION))
    .bind(json)
    .bind(told)
    .fetch_one(tx)
    .await
    .map_err(|error| from_sqlx(TRIED, &error))
}

async fn update_loop(
    tx: &mut PgConnection,
    row_id: i64,
    json: &str,
    told: i64,
) -> Result<i64, StoreError> {
    let update = sqlx::query(
        "UPDATE loops SET version = $1, state_json = $2, projected_version = $3 WHERE id = $4",
    );
    let update = update.bind(i64::from(STATE_VERSION)).bind(json);
    execute(tx, update.bind(told).bind(row_id)).await?;
    Ok(row_id)
}

/// Appends an entry to the journal; its number.
async fn append(
    tx: &mut PgConnection,
    row_id: i64,
    step: &ProjectedStep,
    entry: &Entry,
) -> Result<i64, StoreError> {
    if entry.quiet {
        let last = "DELETE FROM journal WHERE quiet AND seq = (SELECT max(seq) FROM journal WHERE loop = $1)";
        execute(tx, sqlx::query(last).bind(row_id)).await?;
    }
    let applied = &step.applied;
    let text = entry.json.as_ref().filter(|_| entry.name != OBSERVED_EVENT);
    sqlx::query_scalar(
        "INSERT INTO journal (loop, run, at, event, event_json, from_state, to_state, effects_json, notes_json, quiet)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) RETURNING seq",
    )
    .bind(row_id)
    .bind(applied.state.run.id.as_str())
    .bind(applied.at.0)
    .bind(entry.name)
    .bind(text)
    .bind(applied.from.map(|from| from.as_str()))
    .bind(applied.state.run.state.as_str())
    .bind(effects_json(&entry.effects)?)
    .bind(to_json(&applied.notes)?)
    .bind(entry.quiet)
    .fetch_one(tx)
    .await
    .map_err(|error| from_sqlx(TRIED, &error))
}

/// Records what a replay needs of an entry: of the first of a loop, and of those that an event led to.
async fn record(
    tx: &mut PgConnection,
    (row_id, seq): (i64, i64),
    step: &ProjectedStep,
    (entry, json): (&Entry, &str),
    former: Option<&str>,
) -> Result<(), StoreError> {
    let times = step.applied.read_before.as_ref();
    let event = entry.json.as_deref();
    if former.is_some() && (event.is_none() || times.is_none()) {
        return Ok(());
    }
    let state = &step.applied.state;
    let recording = NewRecording {
        row_id,
        seq,
        event: event.map(|event| (event, entry.name == OBSERVED_EVENT)),
        state: (state, json),
        times: times.filter(|_| event.is_some()),
    };
    let (row, _) = recording.encode((former.unwrap_or_default(), None), None)?;
    let insert = sqlx::query(
        "INSERT INTO recordings (seq, loop, run, version, before, reading, reading_base, times_json, after)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
    )
    .bind(seq)
    .bind(row_id)
    .bind(state.run.id.as_str())
    .bind(row.version)
    .bind(row.before)
    .bind(row.reading)
    .bind(row.reading_base)
    .bind(row.times_json)
    .bind(row.after);
    execute(tx, insert).await.map(drop)
}
