//! The store as processes use it that run no engine: what the journal tells people, and what they leave for the engine.

use crate::error::{failed, from_sqlx};
use crate::integers::to_u64;
use crate::journal::remember_visible_hashes;
use crate::pause;
use crate::persisted::{read_json, to_json};
use crate::recordings::{self, RecordedColumns, Recordings};
use crate::runs;
use crate::spending;
use crate::store::Store;
use crate::timeline_columns::TimelineColumns;
use async_trait::async_trait;
use collie_core::ids::{Login, LoopId, RepositoryId, Time};
use collie_core::insights::LoopRun;
use collie_core::loop_state::LoopState;
use collie_core::pause::Pause;
use collie_core::trust::RepositoryTrust;
use collie_core::user_error::UserError;
use collie_engine::ports::{
    AuditEntry, BrowserSession, DaySpending, EndedSessions, InsightRows, JournalReader,
    LoopRequest, RecordedEntry, RequestStatus, StoreError, TimelineEntry,
};
use sqlx::FromRow as _;

#[async_trait]
impl JournalReader for Store {
    async fn loops(&self) -> Result<Vec<LoopState>, StoreError> {
        let states = self.copying_if_damaged(self.read_loops().await)?;
        if let Some(engine) = &self.engine {
            remember_visible_hashes(&mut *engine.loop_records.lock().await, &states);
        }
        Ok(states)
    }

    async fn timeline(&self, id: &LoopId) -> Result<Vec<TimelineEntry>, StoreError> {
        let rows: Result<Vec<TimelineColumns>, _> = sqlx::query_as(
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
        self.copying_if_damaged(
            rows.and_then(|rows| rows.into_iter().map(TimelineColumns::into_entry).collect()),
        )
    }

    async fn recorded(&self, id: &LoopId) -> Result<Vec<RecordedEntry>, StoreError> {
        let rows = recordings::rows(&self.database.readers, id).await;
        self.copying_if_damaged(rows.and_then(|rows| {
            let mut recordings = Recordings::default();
            let fail = |error: sqlx::Error| from_sqlx("reading what was recorded", &error);
            rows.iter()
                .map(|row| {
                    let entry = TimelineColumns::from_row(row).map_err(fail)?.into_entry()?;
                    let columns = RecordedColumns::from_row(row).map_err(fail)?;
                    let recorded = recordings.next(columns, &entry)?;
                    Ok(RecordedEntry { entry, recorded })
                })
                .collect()
        }))
    }

    async fn find(&self, id: &LoopId) -> Result<Option<LoopState>, StoreError> {
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
            row.map(|(version, json)| {
                crate::persisted::read_state(crate::error::JOURNAL_NAME, version, &json)
            })
            .transpose()
        }))
    }

    async fn request_status(&self, request: u64) -> Result<Option<RequestStatus>, StoreError> {
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
            (true, Some(refusal)) => RequestStatus::Refused(read_refusal(refusal)),
        }))
    }

    async fn trust(&self) -> Result<Vec<(RepositoryId, RepositoryTrust)>, StoreError> {
        let rows: Result<Vec<(String, String, String)>, _> =
            sqlx::query_as("SELECT host, repo_id, trust_json FROM trust ORDER BY host, repo_id")
                .fetch_all(&self.database.readers)
                .await
                .map_err(|error| from_sqlx("reading what may run", &error));
        self.copying_if_damaged(rows.and_then(|rows| {
            rows.into_iter()
                .map(|(host, repo_id, json)| {
                    let trust = read_json(crate::error::JOURNAL_NAME, &json)?;
                    Ok((RepositoryId { host, repo_id }, trust))
                })
                .collect()
        }))
    }

    async fn last_journal_seq(&self) -> Result<u64, StoreError> {
        let seq: Result<i64, _> = sqlx::query_scalar("SELECT coalesce(max(seq), 0) FROM journal")
            .fetch_one(&self.database.readers)
            .await
            .map_err(|error| from_sqlx("reading the journal", &error));
        self.copying_if_damaged(seq)
            .map(|seq| u64::try_from(seq).unwrap_or(0))
    }

    async fn add_request(
        &self,
        request: &LoopRequest,
        by: &Login,
        at: Time,
    ) -> Result<u64, StoreError> {
        let request =
            sqlx::query("INSERT INTO requests (request_json, asked_by, asked_at) VALUES (?, ?, ?)")
                .bind(to_json(request)?)
                .bind(by.as_str())
                .bind(at.0);
        let result = self.database.write("leaving a request", request).await;
        self.copying_if_damaged(result)
            .and_then(|done| to_u64(done.last_insert_rowid()))
    }

    async fn pause(&self) -> Result<Option<Pause>, StoreError> {
        self.copying_if_damaged(pause::get(&self.database.readers).await)
    }

    async fn spending(&self) -> Result<Vec<DaySpending>, StoreError> {
        self.copying_if_damaged(spending::all_days(&self.database.readers).await)
    }

    async fn insights(&self) -> Result<InsightRows, StoreError> {
        self.copying_if_damaged(runs::rows(&self.database.readers).await)
    }

    async fn runs(&self, id: &LoopId) -> Result<Vec<LoopRun>, StoreError> {
        self.copying_if_damaged(runs::of_loop(&self.database.readers, id).await)
    }

    async fn was_seen(&self, id: &str) -> Result<bool, StoreError> {
        self.copying_if_damaged(self.is_seen(id).await)
    }

    async fn remember_seen(
        &self,
        ids: &[String],
        at: Time,
        forget_before: Time,
    ) -> Result<(), StoreError> {
        self.copying_if_damaged(self.write_seen(ids, at, forget_before).await)
    }

    async fn browser_session(&self, id_hash: &str) -> Result<Option<BrowserSession>, StoreError> {
        self.copying_if_damaged(self.find_browser_session(id_hash).await)
    }

    async fn keep_browser_session(
        &self,
        session: &BrowserSession,
        now: Time,
    ) -> Result<(), StoreError> {
        self.copying_if_damaged(self.write_browser_session(session, now).await)
    }

    async fn end_browser_sessions(&self, which: &EndedSessions) -> Result<(), StoreError> {
        self.copying_if_damaged(self.delete_browser_sessions(which).await)
    }

    async fn audit(&self, entry: &AuditEntry) -> Result<(), StoreError> {
        let (audit, entry) = (self.audit.clone(), entry.clone());
        // It waits for the disk.
        let written = tokio::task::spawn_blocking(move || audit.append(&entry)).await;
        written.unwrap_or_else(|error| Err(failed("writing the audit log", error)))
    }

    async fn close(&self) {
        self.database.close().await;
    }
}

/// Why a request was refused; up to version 2 of the state this was a sentence.
fn read_refusal(stored: String) -> UserError {
    serde_json::from_str(&stored).unwrap_or_else(|_| UserError::recorded(stored))
}
