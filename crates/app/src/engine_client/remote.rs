//! The engine that another process runs: shown from its journal, asked through its inbox (§10.2).

use super::changes::{ChangeSource, EngineChange, EngineChanges, EngineEnd, until_ended};
use super::journal::{self, OpenError};
use super::requests::{self, RequestOutcome, SubmitError};
use collie_config::DataFolder;
use collie_core::ids::{Login, LoopId, RepositoryId};
use collie_core::loop_state::LoopState;
use collie_core::pause::Pause;
use collie_core::trust::RepositoryTrust;
use collie_engine::ports::{DaySpending, JournalReader, LoopRequest, StoreError};
use futures::future::BoxFuture;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::{broadcast, watch};
use tokio_util::sync::{CancellationToken, DropGuard};

/// How often it is looked at.
const FOLLOW_INTERVAL: Duration = Duration::from_millis(500);

/// Changes that a slow listener may be behind before it reads everything anew.
const CHANGE_CHANNEL_CAPACITY: usize = 4096;

/// Another process's engine, as far as its journal was read.
pub(super) struct RemoteEngine {
    folder: DataFolder,
    journal: Arc<dyn JournalReader>,
    read: Mutex<ReadState>,
    changes: broadcast::Sender<EngineChange>,
    end: watch::Sender<Option<EngineEnd>>,
    stop: CancellationToken,
}

#[derive(Default)]
struct ReadState {
    last_seq: Option<u64>,
    loops: BTreeMap<LoopId, Arc<LoopState>>,
    pause: Option<Pause>,
}

impl RemoteEngine {
    /// The engine of a data folder; nothing is read yet.
    pub fn new(folder: DataFolder, journal: Arc<dyn JournalReader>) -> Self {
        Self {
            folder,
            journal,
            read: Mutex::default(),
            changes: broadcast::channel(CHANGE_CHANNEL_CAPACITY).0,
            end: watch::Sender::new(None),
            stop: CancellationToken::new(),
        }
    }

    /// Looks at it from now on, until the guard is dropped, it is closed or the other process ends.
    pub fn follow(self: &Arc<Self>) -> DropGuard {
        let engine = self.clone();
        tokio::spawn(async move {
            tokio::select! {
                () = engine.stop.cancelled() => {}
                end = engine.tell_until_it_ends() => {
                    engine.end.send_replace(Some(end));
                }
            }
        });
        self.stop.clone().drop_guard()
    }

    async fn tell_until_it_ends(&self) -> EngineEnd {
        loop {
            tokio::time::sleep(FOLLOW_INTERVAL).await;
            let running = self.is_running();
            let changes = match self.read_changes().await {
                Ok(changed) => changed
                    .into_iter()
                    .flatten()
                    .map(EngineChange::Loop)
                    .collect(),
                Err(error) => vec![EngineChange::Unreadable(error)],
            };
            for change in changes {
                // Without a listener there is nobody to miss it.
                let _ = self.changes.send(change);
            }
            match running {
                Ok(true) => {}
                Ok(false) => return EngineEnd::OtherProcessEnded,
                Err(error) => return EngineEnd::OtherProcessUnknown(error),
            }
        }
    }

    /// What it tells from now on.
    pub fn subscribe(&self) -> EngineChanges {
        let source = ChangeSource::Remote(self.changes.subscribe());
        EngineChanges::new(source, self.ended())
    }

    /// Returns when the other process has ended.
    pub fn ended(&self) -> BoxFuture<'static, EngineEnd> {
        until_ended(&self.end)
    }

    /// Every loop as it was read last.
    pub fn loops(&self) -> Vec<Arc<LoopState>> {
        self.lock_read().loops.values().cloned().collect()
    }

    /// The pause of everything as it was read last.
    pub fn pause(&self) -> Option<Pause> {
        self.lock_read().pause.clone()
    }

    /// Whether some process still runs it. To be asked before the journal is read, so that what it wrote last is seen.
    fn is_running(&self) -> Result<bool, OpenError> {
        Ok(journal::running_engine(&self.folder)?.is_some())
    }

    /// Reads what was written since the last look; none when nothing was, else the loops that differ from those read before.
    pub async fn read_changes(&self) -> Result<Option<Vec<Arc<LoopState>>>, StoreError> {
        let last = self.journal.last_journal_seq().await?;
        let pause = self.journal.pause().await?;
        self.lock_read().pause = pause;
        if self.lock_read().last_seq == Some(last) {
            return Ok(None);
        }
        let loaded: BTreeMap<LoopId, Arc<LoopState>> = (self.journal.loops().await?)
            .into_iter()
            .map(|state| (state.id.clone(), Arc::new(state)))
            .collect();
        let mut read = self.lock_read();
        let changed = loaded
            .values()
            .filter(|state| read.loops.get(&state.id) != Some(*state))
            .cloned()
            .collect();
        // Only now: what could not be read is read again at the next look.
        read.last_seq = Some(last);
        read.loops = loaded;
        Ok(Some(changed))
    }

    /// Leaves a request in somebody's name, and waits for its answer.
    pub async fn submit(
        &self,
        request: &LoopRequest,
        by: &Login,
    ) -> Result<RequestOutcome, SubmitError> {
        requests::submit_to_inbox(self.journal.as_ref(), &self.folder, request, by).await
    }

    /// What the user has decided for a repository.
    pub async fn trust(&self, id: &RepositoryId) -> Result<RepositoryTrust, StoreError> {
        let mut decided = self.journal.trust().await?.into_iter();
        let found = decided.find(|(known, _)| known == id);
        Ok(found.map(|(_, trust)| trust).unwrap_or_default())
    }

    /// What was spent, by day, in order.
    pub async fn spending(&self) -> Result<Vec<DaySpending>, StoreError> {
        self.journal.spending().await
    }

    /// Looks at it no more, and lets go of the journal.
    pub async fn close(&self) {
        self.stop.cancel();
        self.journal.close().await;
    }

    fn lock_read(&self) -> MutexGuard<'_, ReadState> {
        // Nothing can panic while the lock is held, so what a poisoned one holds is whole.
        self.read.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use async_trait::async_trait;
    use collie_core::ids::Time;
    use collie_core::insights::LoopRun;
    use collie_engine::ports::{
        AuditEntry, BrowserSession, DaySpending, EndedSessions, InsightRows, RecordedEntry,
        RequestStatus, TimelineEntry,
    };
    use std::sync::atomic::{AtomicBool, Ordering};

    /// A journal with one entry, whose loops cannot be read the first time.
    #[derive(Default)]
    struct FailsOnce(AtomicBool);

    #[async_trait]
    impl JournalReader for FailsOnce {
        async fn loops(&self) -> Result<Vec<LoopState>, StoreError> {
            if self.0.swap(true, Ordering::SeqCst) {
                Ok(Vec::new())
            } else {
                Err(StoreError::DiskFull)
            }
        }
        async fn trust(&self) -> Result<Vec<(RepositoryId, RepositoryTrust)>, StoreError> {
            Ok(Vec::new())
        }
        async fn last_journal_seq(&self) -> Result<u64, StoreError> {
            Ok(1)
        }
        async fn find(&self, _: &LoopId) -> Result<Option<LoopState>, StoreError> {
            Ok(None)
        }
        async fn timeline(&self, _: &LoopId) -> Result<Vec<TimelineEntry>, StoreError> {
            Ok(Vec::new())
        }
        async fn recorded(&self, _: &LoopId) -> Result<Vec<RecordedEntry>, StoreError> {
            Ok(Vec::new())
        }
        async fn request_status(&self, _: u64) -> Result<Option<RequestStatus>, StoreError> {
            Ok(None)
        }
        async fn add_request(
            &self,
            _: &LoopRequest,
            _: &Login,
            _: Time,
        ) -> Result<u64, StoreError> {
            Ok(1)
        }
        async fn spending(&self) -> Result<Vec<DaySpending>, StoreError> {
            Ok(Vec::new())
        }
        async fn pause(&self) -> Result<Option<Pause>, StoreError> {
            Ok(None)
        }
        async fn insights(&self) -> Result<InsightRows, StoreError> {
            Ok(InsightRows::default())
        }
        async fn runs(&self, _: &LoopId) -> Result<Vec<LoopRun>, StoreError> {
            Ok(Vec::new())
        }
        async fn was_seen(&self, _: &str) -> Result<bool, StoreError> {
            Ok(false)
        }
        async fn remember_seen(&self, _: &[String], _: Time, _: Time) -> Result<(), StoreError> {
            Ok(())
        }
        async fn browser_session(&self, _: &str) -> Result<Option<BrowserSession>, StoreError> {
            Ok(None)
        }
        async fn keep_browser_session(
            &self,
            _: &BrowserSession,
            _: Time,
        ) -> Result<(), StoreError> {
            Ok(())
        }
        async fn end_browser_sessions(&self, _: &EndedSessions) -> Result<(), StoreError> {
            Ok(())
        }
        async fn audit(&self, _: &AuditEntry) -> Result<(), StoreError> {
            Ok(())
        }
        async fn close(&self) {}
    }

    #[tokio::test]
    async fn what_could_not_be_read_is_read_at_the_next_look() {
        let temp = tempfile::tempdir().unwrap();
        let folder = DataFolder::at(temp.path()).unwrap();
        let engine = RemoteEngine::new(folder, Arc::new(FailsOnce::default()));
        assert!(engine.read_changes().await.is_err());
        assert_eq!(engine.read_changes().await.unwrap(), Some(Vec::new()));
        assert_eq!(engine.read_changes().await.unwrap(), None);
    }

    #[tokio::test]
    async fn what_was_read_last_is_reported_before_the_end() {
        let temp = tempfile::tempdir().unwrap();
        let folder = DataFolder::at(temp.path()).unwrap();
        let engine = Arc::new(RemoteEngine::new(folder, Arc::new(FailsOnce::default())));
        let mut changes = engine.subscribe();
        let _following = engine.follow();
        // Nobody runs the engine of an empty folder, so that the first look is the last.
        let first = changes.next().await;
        assert!(matches!(first, EngineChange::Unreadable(_)), "{first:?}");
        let last = changes.next().await;
        assert!(
            matches!(last, EngineChange::Ended(EngineEnd::OtherProcessEnded)),
            "{last:?}"
        );
        // Who asks later is told as well.
        let later = engine.subscribe().next().await;
        assert!(matches!(later, EngineChange::Ended(_)), "{later:?}");
    }
}
