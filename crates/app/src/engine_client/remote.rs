//! The engine that another process runs: shown from its journal, asked through its inbox (§10.2).

use crate::engine_client::journal::{self, OpenError};
use crate::engine_client::requests::{self, RequestOutcome, SubmitError};
use collie_config::DataFolder;
use collie_core::ids::{Login, LoopId};
use collie_core::loop_state::LoopState;
use collie_engine::ports::{JournalReader, LoopRequest, StoreError};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Another process's engine, as far as its journal was read.
pub struct RemoteEngine {
    folder: DataFolder,
    journal: Arc<dyn JournalReader>,
    read: Mutex<ReadState>,
}

#[derive(Default)]
struct ReadState {
    last_seq: Option<u64>,
    loops: BTreeMap<LoopId, Arc<LoopState>>,
}

impl RemoteEngine {
    /// The engine of a data folder; nothing is read yet.
    pub fn new(folder: DataFolder, journal: Arc<dyn JournalReader>) -> Self {
        Self {
            folder,
            journal,
            read: Mutex::default(),
        }
    }

    /// Every loop as it was read last.
    pub fn loops(&self) -> Vec<Arc<LoopState>> {
        self.lock_read().loops.values().cloned().collect()
    }

    /// Whether some process still runs it. To be asked before the journal is read, so that what it wrote last is seen.
    pub fn is_running(&self) -> Result<bool, OpenError> {
        Ok(journal::running_engine(&self.folder)?.is_some())
    }

    /// Reads what was written since the last look; none when nothing was, else the loops that differ from those read before.
    pub async fn read_changes(&self) -> Result<Option<Vec<Arc<LoopState>>>, StoreError> {
        let last = self.journal.last_journal_seq().await?;
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
        requests::submit(self.journal.as_ref(), &self.folder, request, by).await
    }

    /// Lets go of the journal.
    pub async fn close(&self) {
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
    use collie_engine::ports::{AuditEntry, RequestStatus, TimelineEntry};
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
        async fn last_journal_seq(&self) -> Result<u64, StoreError> {
            Ok(1)
        }
        async fn find(&self, _: &LoopId) -> Result<Option<LoopState>, StoreError> {
            Ok(None)
        }
        async fn timeline(&self, _: &LoopId) -> Result<Vec<TimelineEntry>, StoreError> {
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
}
