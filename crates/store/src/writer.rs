//! The thread that writes checkpoints, so that no event waits for it.

use crate::checkpoint::{self, Checkpoint, Freshness};
use crate::lock::EngineLock;
use collie_core::ids::LoopId;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

/// A checkpoint to be written.
#[derive(Debug)]
pub(crate) struct CheckpointJob {
    /// Its place below the folder of checkpoints.
    pub(crate) path: String,
    /// Places that the loop had before and has left.
    pub(crate) former_paths: BTreeSet<String>,
    /// What to write.
    pub(crate) checkpoint: Checkpoint,
}

#[derive(Debug, Default)]
struct CheckpointQueue {
    /// To be written. A newer state of a loop takes the place of an older one.
    pending: BTreeMap<LoopId, CheckpointJob>,
    /// Could not be written; tried again when something else is due.
    failed: BTreeMap<LoopId, CheckpointJob>,
    writing: bool,
    stopped: bool,
}

#[derive(Debug, Default)]
struct SharedQueue {
    queue: Mutex<CheckpointQueue>,
    changed: Condvar,
}

impl SharedQueue {
    fn queue(&self) -> MutexGuard<'_, CheckpointQueue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Writes checkpoints until it is dropped.
#[derive(Debug)]
pub(crate) struct CheckpointWriter {
    shared: Arc<SharedQueue>,
    thread: Option<JoinHandle<()>>,
}

impl CheckpointWriter {
    /// Starts the thread. It keeps the engine's lock as long as it runs.
    pub(crate) fn start(root: PathBuf, lock: Arc<EngineLock>) -> std::io::Result<Self> {
        let shared = Arc::new(SharedQueue::default());
        let thread = std::thread::Builder::new()
            .name("collie-checkpoints".into())
            .spawn({
                let shared = Arc::clone(&shared);
                move || {
                    let _lock = lock;
                    run(&shared, &root);
                }
            })?;
        Ok(Self {
            shared,
            thread: Some(thread),
        })
    }

    /// Leaves jobs for the thread, and those that failed before.
    pub(crate) fn enqueue(&self, jobs: impl IntoIterator<Item = CheckpointJob>) {
        let mut queue = self.shared.queue();
        for mut job in jobs {
            let id = job.checkpoint.state.id.clone();
            for older in [queue.failed.remove(&id), queue.pending.remove(&id)]
                .into_iter()
                .flatten()
            {
                job.former_paths.extend(older.former_paths);
            }
            queue.pending.insert(id, job);
        }
        let failed = std::mem::take(&mut queue.failed);
        queue.pending.extend(failed);
        drop(queue);
        self.shared.changed.notify_all();
    }

    /// Waits until nothing is due; how many could not be written. Blocks.
    pub(crate) fn idle_waiter(&self) -> impl FnOnce() -> usize + Send + 'static {
        let shared = Arc::clone(&self.shared);
        move || {
            let mut queue = shared.queue();
            while !queue.stopped && (queue.writing || !queue.pending.is_empty()) {
                queue = shared
                    .changed
                    .wait(queue)
                    .unwrap_or_else(PoisonError::into_inner);
            }
            queue.failed.len() + queue.pending.len()
        }
    }
}

impl Drop for CheckpointWriter {
    /// Lets a file that is being written be finished; what else is due is written at the next start.
    fn drop(&mut self) {
        self.shared.queue().stopped = true;
        self.shared.changed.notify_all();
        if let Some(thread) = self.thread.take() {
            // It does not panic; if it did, there is nothing left to do for it.
            let _ended = thread.join();
        }
    }
}

fn run(shared: &SharedQueue, root: &Path) {
    // Places that this process has written or looked at: nothing foreign lies there.
    let mut verified_paths = BTreeSet::new();
    loop {
        let mut queue = shared.queue();
        let (id, job) = loop {
            if queue.stopped {
                return;
            }
            if let Some(next) = queue.pending.pop_first() {
                break next;
            }
            queue = shared
                .changed
                .wait(queue)
                .unwrap_or_else(PoisonError::into_inner);
        };
        queue.writing = true;
        drop(queue);
        let outcome = write(root, &id, &job, &mut verified_paths);
        let mut queue = shared.queue();
        queue.writing = false;
        if let Err(error) = outcome {
            tracing::warn!(pull = %job.checkpoint.pull, place = %job.path, %error,
                "a checkpoint could not be written; it is tried again with the next one");
            match queue.pending.get_mut(&id) {
                Some(newer) => newer.former_paths.extend(job.former_paths),
                None => {
                    queue.failed.insert(id, job);
                }
            }
        }
        drop(queue);
        shared.changed.notify_all();
    }
}

fn write(
    root: &Path,
    id: &LoopId,
    job: &CheckpointJob,
    verified_paths: &mut BTreeSet<String>,
) -> std::io::Result<()> {
    let path = root.join(&job.path);
    if !verified_paths.contains(&job.path) {
        match checkpoint::freshness(&path, id, job.checkpoint.journal_seq) {
            Freshness::UpToDate | Freshness::Stale => {}
            Freshness::MustKeep(reason) => {
                let aside = checkpoint::move_aside(&path, jiff::Timestamp::now())?;
                tracing::warn!(place = %job.path, kept = %aside.display(), reason,
                    "a checkpoint that must not be overwritten was kept aside");
            }
        }
        verified_paths.insert(job.path.clone());
    }
    checkpoint::write(&path, &job.checkpoint)?;
    for former_path in job
        .former_paths
        .iter()
        .filter(|former_path| !former_path.eq_ignore_ascii_case(&job.path))
    {
        let path = root.join(former_path);
        // Another loop may have moved in meanwhile.
        if checkpoint::read(&path, former_path)
            .is_ok_and(|old| old.is_some_and(|old| old.state.id == *id))
        {
            std::fs::remove_file(path)?;
        }
    }
    Ok(())
}
