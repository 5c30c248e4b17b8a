//! What the database tells people.

use crate::error::{answered, from_sqlx};
use crate::journal::PostgresJournal;
use crate::{insights, spending};
use async_trait::async_trait;
use collie_core::ids::{Login, LoopId, RepositoryId, Time};
use collie_core::insights::LoopRun;
use collie_core::loop_state::LoopState;
use collie_core::pause::Pause;
use collie_core::trust::RepositoryTrust;
use collie_engine::ports::{
    AuditEntry, BrowserSession, DaySpending, EndedSessions, InsightRows, JournalReader,
    LoopRequest, RecordedEntry, RequestStatus, StoreError, TimelineEntry,
};
use collie_store::format::{
    JOURNAL_NAME, RecordedColumns, Recordings, TimelineColumns, damaged, read_state,
};
use sqlx::FromRow as _;

#[async_trait]
impl<F: JournalReader + ?Sized> JournalReader for PostgresJournal<F> {
    async fn loops(&self) -> Result<Vec<LoopState>, StoreError> {
        answered("reading the loops", self.read_loops()).await
    }

    async fn find(&self, id: &LoopId) -> Result<Option<LoopState>, StoreError> {
        answered("reading a loop", self.read_loop(id)).await
    }

    async fn timeline(&self, id: &LoopId) -> Result<Vec<TimelineEntry>, StoreError> {
        answered("reading the timeline", self.read_timeline(id)).await
    }

    async fn recorded(&self, id: &LoopId) -> Result<Vec<RecordedEntry>, StoreError> {
        answered("reading what was recorded", self.read_recorded(id)).await
    }

    async fn request_status(&self, request: u64) -> Result<Option<RequestStatus>, StoreError> {
        self.folder.request_status(request).await
    }

    async fn last_journal_seq(&self) -> Result<u64, StoreError> {
        let tried = "reading the journal";
        let last = sqlx::query_scalar("SELECT coalesce(max(seq), 0) FROM journal");
        let last = async {
            let last: Result<i64, _> = last.fetch_one(&self.pool).await;
            last.map_err(|error| from_sqlx(tried, &error))
        };
        let last = answered(tried, last).await?;
        Ok(u64::try_from(last).unwrap_or(0))
    }

    async fn trust(&self) -> Result<Vec<(RepositoryId, RepositoryTrust)>, StoreError> {
        self.folder.trust().await
    }

    async fn add_request(
        &self,
        request: &LoopRequest,
        by: &Login,
        at: Time,
    ) -> Result<u64, StoreError> {
        self.folder.add_request(request, by, at).await
    }

    async fn spending(&self) -> Result<Vec<DaySpending>, StoreError> {
        answered("reading what was spent", spending::days(&self.pool)).await
    }

    async fn pause(&self) -> Result<Option<Pause>, StoreError> {
        answered("reading the pause", self.read_pause()).await
    }

    async fn insights(&self) -> Result<InsightRows, StoreError> {
        answered("reading the runs", insights::rows(&self.pool)).await
    }

    async fn runs(&self, id: &LoopId) -> Result<Vec<LoopRun>, StoreError> {
        answered("reading the runs", insights::of_loop(&self.pool, id)).await
    }

    async fn was_seen(&self, id: &str) -> Result<bool, StoreError> {
        answered("looking for a request that was taken", self.is_seen(id)).await
    }

    async fn remember_seen(
        &self,
        ids: &[String],
        at: Time,
        forget_before: Time,
    ) -> Result<(), StoreError> {
        let written = self.write_seen(ids, at, forget_before);
        answered("remembering a request", written).await
    }

    async fn browser_session(&self, id_hash: &str) -> Result<Option<BrowserSession>, StoreError> {
        answered("looking for a session", self.find_session(id_hash)).await
    }

    async fn keep_browser_session(
        &self,
        session: &BrowserSession,
        now: Time,
    ) -> Result<(), StoreError> {
        answered("keeping a session", self.write_session(session, now)).await
    }

    async fn end_browser_sessions(&self, which: &EndedSessions) -> Result<(), StoreError> {
        answered("ending a session", self.delete_sessions(which)).await
    }

    async fn audit(&self, entry: &AuditEntry) -> Result<(), StoreError> {
        self.folder.audit(entry).await
    }

    async fn close(&self) {
        self.pool.close().await;
        self.folder.close().await;
    }
}

fn number(id: &LoopId) -> i64 {
    i64::try_from(id.number).unwrap_or(i64::MAX)
}

fn state((version, json): (i64, String)) -> Result<LoopState, StoreError> {
    let version = u32::try_from(version).map_err(|error| damaged(JOURNAL_NAME, error))?;
    read_state("the database", version, &json)
}

impl<F: ?Sized> PostgresJournal<F> {
    async fn read_loops(&self) -> Result<Vec<LoopState>, StoreError> {
        let rows: Vec<(i64, String)> =
            sqlx::query_as("SELECT version, state_json FROM loops ORDER BY id")
                .fetch_all(&self.pool)
                .await
                .map_err(|error| from_sqlx("reading the loops", &error))?;
        rows.into_iter().map(state).collect()
    }

    async fn read_loop(&self, id: &LoopId) -> Result<Option<LoopState>, StoreError> {
        let row: Option<(i64, String)> = sqlx::query_as(
            "SELECT version, state_json FROM loops WHERE host = $1 AND repo_id = $2 AND number = $3",
        )
        .bind(&id.host)
        .bind(&id.repo_id)
        .bind(number(id))
        .fetch_optional(&self.pool)
        .await
        .map_err(|error| from_sqlx("reading a loop", &error))?;
        row.map(state).transpose()
    }

    async fn read_timeline(&self, id: &LoopId) -> Result<Vec<TimelineEntry>, StoreError> {
        let rows: Vec<TimelineColumns> = sqlx::query_as(
            "SELECT seq, journal.run, at, event, from_state, to_state, effects_json, notes_json
             FROM journal JOIN loops ON loops.id = journal.loop
             WHERE host = $1 AND repo_id = $2 AND number = $3 ORDER BY seq",
        )
        .bind(&id.host)
        .bind(&id.repo_id)
        .bind(number(id))
        .fetch_all(&self.pool)
        .await
        .map_err(|error| from_sqlx("reading the timeline", &error))?;
        rows.into_iter().map(TimelineColumns::into_entry).collect()
    }

    async fn read_recorded(&self, id: &LoopId) -> Result<Vec<RecordedEntry>, StoreError> {
        let fail = |error: sqlx::Error| from_sqlx("reading what was recorded", &error);
        let rows = sqlx::query(
            "SELECT journal.seq AS seq, journal.run AS run, at, event, from_state, to_state, effects_json, notes_json,
                    event_json, recordings.version AS version, before, reading, reading_base, times_json, after
             FROM journal JOIN loops ON loops.id = journal.loop LEFT JOIN recordings ON recordings.seq = journal.seq
             WHERE host = $1 AND repo_id = $2 AND number = $3 ORDER BY journal.seq",
        )
        .bind(&id.host)
        .bind(&id.repo_id)
        .bind(number(id))
        .fetch_all(&self.pool)
        .await
        .map_err(fail)?;
        let mut recordings = Recordings::default();
        let mut entries = Vec::with_capacity(rows.len());
        for row in &rows {
            let entry = TimelineColumns::from_row(row).map_err(fail)?.into_entry()?;
            let columns = RecordedColumns::from_row(row).map_err(fail)?;
            let recorded = recordings.next(columns, &entry)?;
            entries.push(RecordedEntry { entry, recorded });
        }
        Ok(entries)
    }

    async fn read_pause(&self) -> Result<Option<Pause>, StoreError> {
        let row: Option<(String, i64)> = sqlx::query_as("SELECT paused_by, since FROM pause")
            .fetch_optional(&self.pool)
            .await
            .map_err(|error| from_sqlx("reading the pause", &error))?;
        Ok(row.map(|(by, since)| Pause {
            by: Login::new(by),
            since: Time(since),
        }))
    }
}
