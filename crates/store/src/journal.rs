//! The store as the engine's journal.

use crate::apply::{self, no_loop, signed, visible};
use crate::error::{damaged, failed, from_sqlx};
use crate::names::event_name;
use crate::persisted::{read_json, read_state, to_json};
use crate::store::{Known, Store};
use async_trait::async_trait;
use collie_core::ids::{EffectId, Login, LoopId, Time};
use collie_core::model::{Event, LoopState};
use collie_engine::ports::{
    Applied, AuditEntry, Journal, OutboxEntry, Rendered, Request, StoreError,
};
use sqlx::sqlite::SqliteRow;
use sqlx::{Row, Sqlite, Transaction};
use std::collections::BTreeMap;

/// The journal in the words of errors.
const WHAT: &str = "the journal";

#[async_trait]
impl Journal for Store {
    async fn loops(&self) -> Result<Vec<LoopState>, StoreError> {
        let states = self.noting_damage(self.read_loops().await)?;
        if let Some(owner) = &self.owner {
            remember(&mut *owner.known.lock().await, &states);
        }
        Ok(states)
    }

    async fn create(&self, state: &LoopState, by: &Login, at: Time) -> Result<bool, StoreError> {
        self.noting_damage(self.write_new(state, by, at).await)
    }

    async fn receive(&self, events: &[(LoopId, Event)], at: Time) -> Result<Vec<u64>, StoreError> {
        self.noting_damage(self.write_inbox(events, at).await)
    }

    async fn unapplied(&self) -> Result<Vec<(u64, LoopId, Event)>, StoreError> {
        let rows = sqlx::query(
            "SELECT seq, event_json, host, repo_id, number
             FROM inbox JOIN loops ON loops.id = inbox.loop ORDER BY seq",
        )
        .fetch_all(&self.database.readers)
        .await
        .map_err(|error| from_sqlx("reading the inbox", &error));
        self.noting_damage(rows.and_then(|rows| rows.iter().map(inbox_entry).collect()))
    }

    async fn apply(&self, applied: &[Applied]) -> Result<(), StoreError> {
        self.noting_damage(self.write_applied(applied).await)
    }

    async fn outbox(&self) -> Result<Vec<OutboxEntry>, StoreError> {
        let rows = sqlx::query(
            "SELECT effect_id, effect_json, rendered_json, in_doubt, host, repo_id, number
             FROM outbox JOIN loops ON loops.id = outbox.loop ORDER BY ord",
        )
        .fetch_all(&self.database.readers)
        .await
        .map_err(|error| from_sqlx("reading the outbox", &error));
        self.noting_damage(rows.and_then(|rows| rows.iter().map(outbox_entry).collect()))
    }

    async fn sending(&self, effect: &EffectId, rendered: &Rendered) -> Result<(), StoreError> {
        let tried = "noting what is about to be sent";
        let owner = self.owner(tried)?;
        let _writing = owner.known.lock().await;
        let done =
            sqlx::query("UPDATE outbox SET rendered_json = ?, in_doubt = 1 WHERE effect_id = ?")
                .bind(to_json(rendered)?)
                .bind(effect.as_str())
                .execute(&self.database.writer)
                .await
                .map_err(|error| from_sqlx(tried, &error));
        match self.noting_damage(done)?.rows_affected() {
            0 => Err(failed(
                tried,
                format!("effect {effect} is not in the outbox"),
            )),
            _ => Ok(()),
        }
    }

    async fn requests(&self) -> Result<Vec<(u64, Request, Login)>, StoreError> {
        let rows: Result<Vec<(i64, String, String)>, _> = sqlx::query_as(
            "SELECT id, request_json, asked_by FROM requests WHERE answered = 0 ORDER BY id",
        )
        .fetch_all(&self.database.readers)
        .await
        .map_err(|error| from_sqlx("reading the requests", &error));
        self.noting_damage(rows.and_then(|rows| {
            rows.into_iter()
                .map(|(id, json, by)| Ok((unsigned(id)?, read_json(WHAT, &json)?, Login::new(by))))
                .collect()
        }))
    }

    async fn ask(&self, request: &Request, by: &Login, at: Time) -> Result<u64, StoreError> {
        let done =
            sqlx::query("INSERT INTO requests (request_json, asked_by, asked_at) VALUES (?, ?, ?)")
                .bind(to_json(request)?)
                .bind(by.as_str())
                .bind(at.0)
                .execute(&self.database.writer)
                .await
                .map_err(|error| from_sqlx("leaving a request", &error));
        self.noting_damage(done)
            .and_then(|done| unsigned(done.last_insert_rowid()))
    }

    async fn answer(&self, request: u64, refusal: Option<&str>) -> Result<(), StoreError> {
        let tried = "answering a request";
        self.owner(tried)?;
        let done = sqlx::query("UPDATE requests SET answered = 1, refusal = ? WHERE id = ?")
            .bind(refusal)
            .bind(signed(request)?)
            .execute(&self.database.writer)
            .await
            .map_err(|error| from_sqlx(tried, &error));
        match self.noting_damage(done)?.rows_affected() {
            0 => Err(failed(tried, format!("there is no request {request}"))),
            _ => Ok(()),
        }
    }

    async fn audit(&self, entry: &AuditEntry) -> Result<(), StoreError> {
        self.audit.append(entry)
    }
}

impl Store {
    async fn read_loops(&self) -> Result<Vec<LoopState>, StoreError> {
        let rows: Vec<(u32, String)> =
            sqlx::query_as("SELECT version, state_json FROM loops ORDER BY id")
                .fetch_all(&self.database.readers)
                .await
                .map_err(|error| from_sqlx("reading the loops", &error))?;
        rows.iter()
            .map(|(version, json)| read_state(WHAT, *version, json))
            .collect()
    }

    /// Writers of other processes only add requests; these follow SQLite's own lock.
    async fn begin(&self, tried: &str) -> Result<Transaction<'static, Sqlite>, StoreError> {
        self.database
            .writer
            .begin_with("BEGIN IMMEDIATE")
            .await
            .map_err(|error| from_sqlx(tried, &error))
    }

    async fn write_new(&self, state: &LoopState, by: &Login, at: Time) -> Result<bool, StoreError> {
        let tried = "making a loop";
        let owner = self.owner(tried)?;
        let mut known = owner.known.lock().await;
        let mut tx = self.begin(tried).await?;
        let Some(written) = apply::create(&mut tx, state, by, at).await? else {
            return Ok(false);
        };
        tx.commit()
            .await
            .map_err(|error| from_sqlx(tried, &error))?;
        known.insert(state.id.clone(), written.known);
        owner.writer.add(written.job);
        Ok(true)
    }

    async fn write_inbox(
        &self,
        events: &[(LoopId, Event)],
        at: Time,
    ) -> Result<Vec<u64>, StoreError> {
        let tried = "storing events";
        let owner = self.owner(tried)?;
        let known = owner.known.lock().await;
        let mut tx = self.begin(tried).await?;
        let mut numbers = Vec::with_capacity(events.len());
        for (id, event) in events {
            let row = match known.get(id) {
                Some(known) => known.row,
                None => {
                    apply::find(&mut tx, id)
                        .await?
                        .ok_or_else(|| no_loop(id))?
                        .row
                }
            };
            let done = sqlx::query(
                "INSERT INTO inbox (loop, event, event_json, received_at) VALUES (?, ?, ?, ?)",
            )
            .bind(row)
            .bind(event_name(event))
            .bind(to_json(event)?)
            .bind(at.0)
            .execute(&mut *tx)
            .await
            .map_err(|error| from_sqlx(tried, &error))?;
            numbers.push(unsigned(done.last_insert_rowid())?);
        }
        tx.commit()
            .await
            .map_err(|error| from_sqlx(tried, &error))?;
        Ok(numbers)
    }

    async fn write_applied(&self, applied: &[Applied]) -> Result<(), StoreError> {
        let tried = "writing the journal";
        let owner = self.owner(tried)?;
        let mut known = owner.known.lock().await;
        let mut tx = self.begin(tried).await?;
        // Nothing is remembered before it is committed.
        let mut fresh: BTreeMap<LoopId, Known> = BTreeMap::new();
        let mut jobs = Vec::new();
        for item in applied {
            let id = &item.state.id;
            let before = fresh.get(id).or_else(|| known.get(id)).cloned();
            let written = apply::apply(&mut tx, before, item).await?;
            fresh.insert(id.clone(), written.known);
            jobs.extend(written.job);
        }
        tx.commit()
            .await
            .map_err(|error| from_sqlx(tried, &error))?;
        known.extend(fresh);
        owner.writer.add(jobs);
        Ok(())
    }
}

/// Takes the states after a start as what the checkpoints show.
fn remember(known: &mut BTreeMap<LoopId, Known>, states: &[LoopState]) {
    for state in states {
        if let Some(known) = known.get_mut(&state.id) {
            known.visible.get_or_insert_with(|| visible(state));
        }
    }
}

fn unsigned(number: i64) -> Result<u64, StoreError> {
    u64::try_from(number).map_err(|error| damaged(WHAT, error))
}

fn loop_id(row: &SqliteRow) -> Result<LoopId, StoreError> {
    let fail = |error: sqlx::Error| from_sqlx("reading a loop", &error);
    Ok(LoopId {
        host: row.try_get("host").map_err(fail)?,
        repo_id: row.try_get("repo_id").map_err(fail)?,
        number: unsigned(row.try_get("number").map_err(fail)?)?,
    })
}

fn inbox_entry(row: &SqliteRow) -> Result<(u64, LoopId, Event), StoreError> {
    let fail = |error: sqlx::Error| from_sqlx("reading the inbox", &error);
    let json: String = row.try_get("event_json").map_err(fail)?;
    let seq = unsigned(row.try_get("seq").map_err(fail)?)?;
    Ok((seq, loop_id(row)?, read_json(WHAT, &json)?))
}

fn outbox_entry(row: &SqliteRow) -> Result<OutboxEntry, StoreError> {
    let fail = |error: sqlx::Error| from_sqlx("reading the outbox", &error);
    let effect: String = row.try_get("effect_json").map_err(fail)?;
    let rendered: Option<String> = row.try_get("rendered_json").map_err(fail)?;
    let id: String = row.try_get("effect_id").map_err(fail)?;
    Ok(OutboxEntry {
        loop_id: loop_id(row)?,
        id: EffectId::new(id),
        effect: read_json(WHAT, &effect)?,
        sending: rendered
            .map(|rendered| read_json(WHAT, &rendered))
            .transpose()?,
        in_doubt: row.try_get("in_doubt").map_err(fail)?,
    })
}
