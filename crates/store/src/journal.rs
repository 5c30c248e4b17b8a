//! The store as the engine's journal.

use crate::apply::{self, FirstLine, visible_hash};
use crate::batch::Batch;
use crate::command_spending;
use crate::error::{JOURNAL_NAME, failed, from_sqlx};
use crate::integers::{to_i64, to_u64};
use crate::pause;
use crate::persisted::{read_event, read_json, read_state, to_json};
use crate::recordings;
use crate::spending;
use crate::store::{LoopRecord, Store};
use async_trait::async_trait;
use collie_core::event::Event;
use collie_core::ids::{EffectId, Login, LoopId, RepositoryId, Time};
use collie_core::loop_state::LoopState;
use collie_core::pause::Pause;
use collie_core::trust::RepositoryTrust;
use collie_core::user_error::UserError;
use collie_engine::ports::{
    AppliedStep, CommandSpending, DaySpending, Journal, JournalUpkeep, LoopRequest, OutboxEntry,
    RenderedPost, StoreError,
};
use sqlx::sqlite::SqliteRow;
use sqlx::{Connection, Row, Sqlite, SqliteConnection, Transaction};
use std::collections::BTreeMap;

#[async_trait]
impl JournalUpkeep for Store {
    async fn forget_recordings(&self, ended_before: Time) -> Result<u64, StoreError> {
        self.copying_if_damaged(self.write_forgotten(ended_before).await)
    }

    async fn set_pause(&self, pause: Option<&Pause>) -> Result<(), StoreError> {
        let tried = "writing down the pause";
        self.engine(tried)?;
        let mut writer = self.database.writer(tried).await?;
        let set = pause::set(&mut *writer, pause).await;
        self.copying_if_damaged(writer.give_back(set))
    }

    async fn requests(&self) -> Result<Vec<(u64, LoopRequest, Login)>, StoreError> {
        let rows: Result<Vec<(i64, String, String)>, _> = sqlx::query_as(
            "SELECT id, request_json, asked_by FROM requests WHERE answered = 0 ORDER BY id",
        )
        .fetch_all(&self.database.readers)
        .await
        .map_err(|error| from_sqlx("reading the requests", &error));
        self.copying_if_damaged(rows.and_then(|rows| {
            rows.into_iter()
                .map(|(id, json, by)| {
                    Ok((to_u64(id)?, read_json(JOURNAL_NAME, &json)?, Login::new(by)))
                })
                .collect()
        }))
    }

    async fn finish_request(
        &self,
        request: u64,
        refusal: Option<&UserError>,
    ) -> Result<(), StoreError> {
        let tried = "answering a request";
        self.engine(tried)?;
        let refusal = refusal.map(to_json).transpose()?;
        let answer = sqlx::query("UPDATE requests SET answered = 1, refusal = ? WHERE id = ?")
            .bind(refusal)
            .bind(to_i64(request)?);
        let result = self.database.write(tried, answer).await;
        match self.copying_if_damaged(result)?.rows_affected() {
            0 => Err(failed(tried, format!("there is no request {request}"))),
            _ => Ok(()),
        }
    }
}

#[async_trait]
impl Journal for Store {
    async fn create(&self, state: &LoopState, by: &Login, at: Time) -> Result<bool, StoreError> {
        self.copying_if_damaged(self.write_loop(state, by, at).await)
    }

    async fn receive(&self, events: &[(LoopId, Event)], at: Time) -> Result<Vec<u64>, StoreError> {
        self.copying_if_damaged(self.write_inbox(events, at).await)
    }

    async fn unapplied(&self) -> Result<Vec<(u64, LoopId, Event)>, StoreError> {
        let rows = sqlx::query(
            "SELECT seq, event_json, host, repo_id, number
             FROM inbox JOIN loops ON loops.id = inbox.loop ORDER BY seq",
        )
        .fetch_all(&self.database.readers)
        .await
        .map_err(|error| from_sqlx("reading the inbox", &error));
        self.copying_if_damaged(rows.and_then(|rows| rows.iter().map(inbox_entry).collect()))
    }

    async fn apply(&self, applied: &[AppliedStep]) -> Result<(), StoreError> {
        self.copying_if_damaged(self.write_applied(applied).await)
    }

    async fn outbox(&self) -> Result<Vec<OutboxEntry>, StoreError> {
        let rows = sqlx::query(
            "SELECT effect_id, effect_json, rendered_json, in_doubt, host, repo_id, number
             FROM outbox JOIN loops ON loops.id = outbox.loop ORDER BY ord",
        )
        .fetch_all(&self.database.readers)
        .await
        .map_err(|error| from_sqlx("reading the outbox", &error));
        self.copying_if_damaged(rows.and_then(|rows| rows.iter().map(outbox_entry).collect()))
    }

    async fn mark_sending(
        &self,
        effect: &EffectId,
        rendered: &RenderedPost,
    ) -> Result<(), StoreError> {
        let tried = "noting what is about to be sent";
        let engine = self.engine(tried)?;
        let _writing = engine.loop_records.lock().await;
        let mark =
            sqlx::query("UPDATE outbox SET rendered_json = ?, in_doubt = 1 WHERE effect_id = ?")
                .bind(to_json(rendered)?)
                .bind(effect.as_str());
        let result = self.database.write(tried, mark).await;
        match self.copying_if_damaged(result)?.rows_affected() {
            0 => Err(failed(
                tried,
                format!("effect {effect} is not in the outbox"),
            )),
            _ => Ok(()),
        }
    }

    async fn set_trust(
        &self,
        id: &RepositoryId,
        trust: &RepositoryTrust,
        at: Time,
    ) -> Result<(), StoreError> {
        let tried = "remembering what may run";
        self.engine(tried)?;
        let decision = sqlx::query(
            "INSERT INTO trust (host, repo_id, trust_json, decided_at) VALUES (?, ?, ?, ?)
             ON CONFLICT (host, repo_id)
             DO UPDATE SET trust_json = excluded.trust_json, decided_at = excluded.decided_at",
        )
        .bind(&id.host)
        .bind(&id.repo_id)
        .bind(to_json(trust)?)
        .bind(at.0);
        let result = self.database.write(tried, decision).await;
        self.copying_if_damaged(result).map(|_| ())
    }

    async fn loop_spending(&self) -> Result<Vec<DaySpending>, StoreError> {
        self.copying_if_damaged(spending::days_of_loops(&self.database.readers).await)
    }

    async fn command_spending(&self, now: Time) -> Result<Vec<CommandSpending>, StoreError> {
        self.copying_if_damaged(command_spending::read(&self.database.readers, now).await)
    }
}

impl Store {
    pub(crate) async fn read_loops(&self) -> Result<Vec<LoopState>, StoreError> {
        let rows: Vec<(u32, String)> =
            sqlx::query_as("SELECT version, state_json FROM loops ORDER BY id")
                .fetch_all(&self.database.readers)
                .await
                .map_err(|error| from_sqlx("reading the loops", &error))?;
        rows.iter()
            .map(|(version, json)| read_state(JOURNAL_NAME, *version, json))
            .collect()
    }

    async fn write_loop(
        &self,
        state: &LoopState,
        by: &Login,
        at: Time,
    ) -> Result<bool, StoreError> {
        let tried = "making a loop";
        let engine = self.engine(tried)?;
        let mut records = engine.loop_records.lock().await;
        let mut writer = self.database.writer(tried).await?;
        let outcome = async {
            let mut tx = begin(&mut writer, tried).await?;
            let written = apply::create(&mut tx, state, FirstLine::Created, (by, at)).await?;
            commit(tx, tried).await?;
            Ok(written)
        };
        let outcome = outcome.await;
        let Some(written) = writer.give_back(outcome)? else {
            return Ok(false);
        };
        records.insert(state.id.clone(), written.record);
        engine.checkpoint_writer.enqueue(written.checkpoint_job);
        Ok(true)
    }

    async fn write_inbox(
        &self,
        events: &[(LoopId, Event)],
        at: Time,
    ) -> Result<Vec<u64>, StoreError> {
        let tried = "storing events";
        let engine = self.engine(tried)?;
        let records = engine.loop_records.lock().await;
        let mut writer = self.database.writer(tried).await?;
        let outcome = async {
            let mut batch = Batch::default();
            for (id, event) in events {
                let known = records.get(id);
                apply::receive(&mut writer, &mut batch, known, (id, event), at).await?;
            }
            // One statement is a transaction by itself.
            if events.len() != 1 {
                batch = batch.into_transaction();
            }
            let fail = |error: sqlx::Error| from_sqlx(tried, &error);
            let rows = batch.run(&mut writer).await.map_err(fail)?;
            let numbers = rows.iter().map(|row| row.try_get("seq").map_err(fail));
            numbers.map(|number| to_u64(number?)).collect()
        };
        let outcome = outcome.await;
        writer.give_back(outcome)
    }

    async fn write_forgotten(&self, ended_before: Time) -> Result<u64, StoreError> {
        let tried = "letting go of recordings";
        let engine = self.engine(tried)?;
        let mut records = engine.loop_records.lock().await;
        let mut writer = self.database.writer(tried).await?;
        let outcome = async {
            let mut tx = begin(&mut writer, tried).await?;
            let forgotten = recordings::forget(&mut tx, ended_before).await?;
            commit(tx, tried).await?;
            Ok(forgotten)
        };
        let outcome = outcome.await;
        let forgotten = writer.give_back(outcome)?;
        if forgotten > 0 {
            // A run that has ended may still be read for commands: nothing may build on what is gone.
            records.values_mut().for_each(|record| record.chain = None);
        }
        Ok(forgotten)
    }

    async fn write_applied(&self, applied: &[AppliedStep]) -> Result<(), StoreError> {
        let tried = "writing the journal";
        let engine = self.engine(tried)?;
        let mut records = engine.loop_records.lock().await;
        let mut writer = self.database.writer(tried).await?;
        let outcome = async {
            let fail = |error: sqlx::Error| from_sqlx(tried, &error);
            let mut updated: BTreeMap<LoopId, LoopRecord> = BTreeMap::new();
            let mut jobs = Vec::new();
            let mut batch = Batch::default();
            batch.add(BEGIN);
            for (nth, step) in applied.iter().enumerate() {
                if nth > 0 {
                    // What the next one reads may be what this one wrote.
                    let so_far = std::mem::take(&mut batch);
                    so_far.run(&mut writer).await.map_err(fail)?;
                }
                let id = &step.state.id;
                let record = updated.get(id).or_else(|| records.get(id)).cloned();
                let written = apply::apply(&mut writer, &mut batch, record, step).await?;
                updated.insert(id.clone(), written.record);
                jobs.extend(written.checkpoint_job);
            }
            batch.add("COMMIT");
            batch.run(&mut writer).await.map_err(fail)?;
            Ok((updated, jobs))
        };
        let outcome = outcome.await;
        // Nothing is remembered before it is committed.
        let (updated, jobs) = writer.give_back(outcome)?;
        records.extend(updated);
        engine.checkpoint_writer.enqueue(jobs);
        Ok(())
    }
}

/// Other processes write requests; SQLite's own lock makes them follow one another.
pub(crate) const BEGIN: &str = "BEGIN IMMEDIATE";

async fn begin<'c>(
    connection: &'c mut SqliteConnection,
    tried: &str,
) -> Result<Transaction<'c, Sqlite>, StoreError> {
    connection
        .begin_with(BEGIN)
        .await
        .map_err(|error| from_sqlx(tried, &error))
}

async fn commit(tx: Transaction<'_, Sqlite>, tried: &str) -> Result<(), StoreError> {
    tx.commit().await.map_err(|error| from_sqlx(tried, &error))
}

/// Takes the states after a start as what the checkpoints show.
pub(crate) fn remember_visible_hashes(
    records: &mut BTreeMap<LoopId, LoopRecord>,
    states: &[LoopState],
) {
    for state in states {
        if let Some(record) = records.get_mut(&state.id) {
            record
                .visible_hash
                .get_or_insert_with(|| visible_hash(state));
        }
    }
}

pub(crate) fn loop_id(row: &SqliteRow) -> Result<LoopId, StoreError> {
    let fail = |error: sqlx::Error| from_sqlx("reading a loop", &error);
    Ok(LoopId {
        host: row.try_get("host").map_err(fail)?,
        repo_id: row.try_get("repo_id").map_err(fail)?,
        number: to_u64(row.try_get("number").map_err(fail)?)?,
    })
}

fn inbox_entry(row: &SqliteRow) -> Result<(u64, LoopId, Event), StoreError> {
    let fail = |error: sqlx::Error| from_sqlx("reading the inbox", &error);
    let json: String = row.try_get("event_json").map_err(fail)?;
    let seq = to_u64(row.try_get("seq").map_err(fail)?)?;
    Ok((seq, loop_id(row)?, read_event(JOURNAL_NAME, &json)?))
}

fn outbox_entry(row: &SqliteRow) -> Result<OutboxEntry, StoreError> {
    let fail = |error: sqlx::Error| from_sqlx("reading the outbox", &error);
    let effect: String = row.try_get("effect_json").map_err(fail)?;
    let rendered: Option<String> = row.try_get("rendered_json").map_err(fail)?;
    let id: String = row.try_get("effect_id").map_err(fail)?;
    Ok(OutboxEntry {
        loop_id: loop_id(row)?,
        id: EffectId::new(id),
        effect: read_json(JOURNAL_NAME, &effect)?,
        sending: rendered
            .map(|rendered| read_json(JOURNAL_NAME, &rendered))
            .transpose()?,
        in_doubt: row.try_get("in_doubt").map_err(fail)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paths::StorePaths;
    use crate::store::OpenMode;
    use collie_core::ids::{RepoName, RunId};
    use collie_core::loop_state::{NewLoop, PullRequest};
    use collie_engine::ports::JournalReader;

    fn some_loop(number: u64) -> LoopState {
        let new = NewLoop {
            id: LoopId {
                host: "github.com".into(),
                repo_id: "R_1".into(),
                number,
            },
            pull: PullRequest {
                repo: RepoName::parse("acme/web").unwrap(),
                title: "x".repeat(20_000).into(),
                author: None,
                url: String::new(),
                base_ref: "main".into(),
                head_ref: "fence".into(),
            },
            run: RunId::new("run"),
            started_by: Login::new("ana"),
            policy: collie_core::policy::Policy::default(),
        };
        LoopState::new(new, Time(0))
    }

    /// Its future is dropped, or something fails, between the beginning of its transaction and the end.
    #[tokio::test]
    async fn a_write_that_is_given_up_leaves_nothing_and_the_next_one_goes_on() {
        let temp = tempfile::tempdir().unwrap();
        let folder = StorePaths::below(temp.path());
        let store = Store::open(&folder, OpenMode::Engine).await.unwrap();
        let mut batch = Batch::default();
        batch.add(BEGIN);
        batch
            .add("INSERT INTO seen (id, at) VALUES (?, ?)")
            .bind("half")
            .bind(1_i64);
        let mut writer = store.database.writer("half a write").await.unwrap();
        batch.run(&mut writer).await.unwrap();
        drop(writer);
        let by = Login::new("ana");
        assert!(store.create(&some_loop(1), &by, Time(0)).await.unwrap());
        assert!(!store.is_seen("half").await.unwrap());
        assert_eq!(store.loops().await.unwrap(), [some_loop(1)]);
    }

    /// The next write meets the limit; a new connection has none.
    async fn limit_database_size(store: &Store) {
        let limit = sqlx::query("PRAGMA max_page_count = 1");
        store.database.write("limiting", limit).await.unwrap();
    }

    /// SQLite answers a full disk and a full `max_page_count` with the same code; the latter needs no disk to be filled.
    #[tokio::test]
    async fn a_full_disk_loses_nothing_and_is_over_when_there_is_room() {
        let temp = tempfile::tempdir().unwrap();
        let folder = StorePaths::below(temp.path());
        let store = Store::open(&folder, OpenMode::Engine).await.unwrap();
        let by = Login::new("ana");
        store.create(&some_loop(1), &by, Time(0)).await.unwrap();
        let events = vec![
            (
                some_loop(1).id,
                Event::Cancel(collie_core::event::Cancel { by: by.clone() })
            );
            500
        ];
        for _ in 0..2 {
            limit_database_size(&store).await;
            let full = store.receive(&events, Time(1)).await.unwrap_err();
            assert!(matches!(full, StoreError::DiskFull), "{full}");
            limit_database_size(&store).await;
            let full = store.create(&some_loop(2), &by, Time(0)).await.unwrap_err();
            assert!(matches!(full, StoreError::DiskFull), "{full}");
        }
        assert_eq!(store.loops().await.unwrap(), [some_loop(1)]);
        assert!(store.unapplied().await.unwrap().is_empty());

        assert_eq!(store.receive(&events, Time(1)).await.unwrap().len(), 500);
        assert!(store.create(&some_loop(2), &by, Time(0)).await.unwrap());
        store.close().await;
        let store = Store::open(&folder, OpenMode::Engine).await.unwrap();
        assert_eq!(store.unapplied().await.unwrap().len(), 500);
    }
}
