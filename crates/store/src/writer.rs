//! The thread that writes checkpoints, so that no event waits for it.

use crate::checkpoint::{self, Checkpoint, Standing};
use crate::lock::EngineLock;
use collie_core::ids::LoopId;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

/// A checkpoint to be written.
#[derive(Debug)]
pub(crate) struct Job {
    /// Its place below the folder of checkpoints.
    pub(crate) place: String,
    /// Places that the loop had before and has left.
    pub(crate) left: BTreeSet<String>,
    /// What to write.
    pub(crate) checkpoint: Checkpoint,
}

#[derive(Debug, Default)]
struct Queue {
    /// To be written. A newer state of a loop takes the place of an older one.
    due: BTreeMap<LoopId, Job>,
    /// Could not be written; tried again when something else is due.
    failed: BTreeMap<LoopId, Job>,
    writing: bool,
    stop: bool,
}

#[derive(Debug, Default)]
struct Shared {
    queue: Mutex<Queue>,
    changed: Condvar,
}

impl Shared {
    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Writes checkpoints until it is dropped.
#[derive(Debug)]
pub(crate) struct CheckpointWriter {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

impl CheckpointWriter {
    /// Starts the thread. It keeps the engine's lock as long as it runs.
    pub(crate) fn start(root: PathBuf, lock: Arc<EngineLock>) -> std::io::Result<Self> {
        let shared = Arc::new(Shared::default());
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
    pub(crate) fn add(&self, jobs: impl IntoIterator<Item = Job>) {
        let mut queue = self.shared.queue();
        for mut job in jobs {
            let id = job.checkpoint.state.id.clone();
            for older in [queue.failed.remove(&id), queue.due.remove(&id)]
                .into_iter()
                .flatten()
            {
                job.left.extend(older.left);
            }
            queue.due.insert(id, job);
        }
        let failed = std::mem::take(&mut queue.failed);
        queue.due.extend(failed);
        drop(queue);
        self.shared.changed.notify_all();
    }

    /// Waits until nothing is due; how many could not be written. Blocks.
    pub(crate) fn wait(&self) -> impl FnOnce() -> usize + Send + 'static {
        let shared = Arc::clone(&self.shared);
        move || {
            let mut queue = shared.queue();
            while !queue.stop && (queue.writing || !queue.due.is_empty()) {
                queue = shared
                    .changed
                    .wait(queue)
                    .unwrap_or_else(PoisonError::into_inner);
            }
            queue.failed.len() + queue.due.len()
        }
    }
}

impl Drop for CheckpointWriter {
    /// Lets a file that is being written be finished; what else is due is written at the next start.
    fn drop(&mut self) {
        self.shared.queue().stop = true;
        self.shared.changed.notify_all();
        if let Some(thread) = self.thread.take() {
            // It does not panic; if it did, there is nothing left to do for it.
            let _ended = thread.join();
        }
    }
}

fn run(shared: &Shared, root: &Path) {
    // Places that this process has written or looked at: nothing foreign lies there.
    let mut own = BTreeSet::new();
    loop {
        let mut queue = shared.queue();
        let (id, job) = loop {
            if queue.stop {
                return;
            }
            if let Some(next) = queue.due.pop_first() {
                break next;
            }
            queue = shared
                .changed
                .wait(queue)
                .unwrap_or_else(PoisonError::into_inner);
        };
        queue.writing = true;
        drop(queue);
        let outcome = write(root, &id, &job, &mut own);
        let mut queue = shared.queue();
        queue.writing = false;
        if let Err(error) = outcome {
            tracing::warn!(pull = %job.checkpoint.pull, place = %job.place, %error,
                "a checkpoint could not be written; it is tried again with the next one");
            match queue.due.get_mut(&id) {
                Some(newer) => newer.left.extend(job.left),
                None => {
                    queue.failed.insert(id, job);
                }
            }
        }
        drop(queue);
        shared.changed.notify_all();
    }
}

fn write(root: &Path, id: &LoopId, job: &Job, own: &mut BTreeSet<String>) -> std::io::Result<()> {
    let path = root.join(&job.place);
    if !own.contains(&job.place) {
        match checkpoint::standing(&path, id, job.checkpoint.journal_seq) {
            Standing::Current | Standing::Behind => {}
            Standing::Precious(reason) => {
                let aside = checkpoint::keep_aside(&path, jiff::Timestamp::now())?;
                tracing::warn!(place = %job.place, kept = %aside.display(), reason,
                    "a checkpoint that must not be overwritten was kept aside");
            }
        }
        own.insert(job.place.clone());
    }
    checkpoint::write(&path, &job.checkpoint)?;
    for left in job
        .left
        .iter()
        .filter(|left| !left.eq_ignore_ascii_case(&job.place))
    {
        let path = root.join(left);
        // Another loop may have moved in meanwhile.
        if checkpoint::read(&path, left).is_ok_and(|old| old.is_some_and(|old| old.state.id == *id))
        {
            std::fs::remove_file(path)?;
        }
    }
    Ok(())
}
