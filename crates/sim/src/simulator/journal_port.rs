//! The real journal, on a thread of its own: whoever asks it blocks, so that the simulated time stands still meanwhile and no chance of the
//! machine decides what comes first.

use super::schedule::{Call, Fault};
use super::stage::Stage;
use super::torn::checkpoints;
use async_trait::async_trait;
use collie_core::event::Event;
use collie_core::ids::{EffectId, Login, LoopId, RepositoryId, Time};
use collie_core::insights::LoopRun;
use collie_core::loop_state::LoopState;
use collie_core::pause::Pause;
use collie_core::post::RenderedPost;
use collie_core::trust::RepositoryTrust;
use collie_core::user_error::UserError;
use collie_engine::ports::{
    AppliedStep, AuditEntry, BrowserSession, CommandSpending, DaySpending, EndedSessions,
    InsightRows, Journal, JournalReader, JournalUpkeep, LoopRequest, OutboxEntry, RecordedEntry,
    RequestStatus, StoreError, TimelineEntry,
};
use collie_store::{OpenError, OpenMode, Store, StorePaths};
use futures::future::{BoxFuture, LocalBoxFuture};
use std::path::Path;
use std::sync::mpsc::sync_channel;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread::JoinHandle;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

type Job = Box<dyn for<'a> FnOnce(&'a mut Option<Store>) -> LocalBoxFuture<'a, ()> + Send>;

/// A journal and the thread that works on it.
pub struct JournalThread {
    jobs: Mutex<Option<UnboundedSender<Job>>>,
    paths: StorePaths,
    thread: Option<JoinHandle<()>>,
}

fn gone(what: &str) -> StoreError {
    StoreError::Failed {
        what: "the journal".into(),
        message: what.into(),
    }
}

/// An empty journal, as the first play of this process has made it: all tables are made once, and not for each play.
static TEMPLATE: OnceLock<Result<Arc<[u8]>, StoreError>> = OnceLock::new();

fn make_template(folder: &Path) -> Result<Arc<[u8]>, StoreError> {
    let fail = |error: std::io::Error| gone(&error.to_string());
    let own = folder.join("template");
    let journal = JournalThread::start(&own, None)?;
    journal.close()?;
    let bytes = std::fs::read(journal.paths.database()).map_err(fail)?;
    drop(journal);
    std::fs::remove_dir_all(own).map_err(fail)?;
    Ok(bytes.into())
}

impl JournalThread {
    /// Makes the journal of an empty folder and opens it.
    pub fn open(folder: &Path) -> Result<Self, StoreError> {
        let template = TEMPLATE.get_or_init(|| make_template(folder)).clone()?;
        Self::start(folder, Some(template))
    }

    fn start(folder: &Path, template: Option<Arc<[u8]>>) -> Result<Self, StoreError> {
        let (jobs, mut received) = unbounded_channel::<Job>();
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_time()
                .build();
            let Ok(runtime) = runtime else { return };
            // Between two jobs a connection goes back to its pool: else the next reading would open another one.
            runtime.block_on(async {
                let mut store = None;
                while let Some(job) = received.recv().await {
                    job(&mut store).await;
                }
            });
        });
        let paths = StorePaths::below(folder);
        if let Some(template) = template {
            std::fs::write(paths.database(), template).map_err(|error| gone(&error.to_string()))?;
        }
        let this = Self {
            jobs: Mutex::new(Some(jobs)),
            paths,
            thread: Some(thread),
        };
        this.reopen()?;
        Ok(this)
    }

    fn run<T: Send + 'static>(
        &self,
        job: impl for<'a> FnOnce(&'a mut Option<Store>) -> LocalBoxFuture<'a, Result<T, StoreError>>
        + Send
        + 'static,
    ) -> Result<T, StoreError> {
        let (answer, answered) = sync_channel(1);
        let job: Job = Box::new(move |store| {
            Box::pin(async move {
                // Whoever asked waits for it.
                let _taken = answer.send(job(store).await);
            })
        });
        let jobs = self.jobs.lock().unwrap_or_else(PoisonError::into_inner);
        let sent = jobs.as_ref().is_some_and(|jobs| jobs.send(job).is_ok());
        drop(jobs);
        if !sent {
            return Err(gone("its thread has ended"));
        }
        answered
            .recv()
            .unwrap_or_else(|_| Err(gone("its thread panicked")))
    }

    /// Lets go of the journal as a process does that dies, and opens it again.
    pub fn reopen(&self) -> Result<(), StoreError> {
        self.reopen_after(|| Ok(()))
    }

    /// The same, with something done to its files in between.
    pub fn reopen_after(
        &self,
        meanwhile: impl FnOnce() -> std::io::Result<()> + Send + 'static,
    ) -> Result<(), StoreError> {
        let paths = self.paths.clone();
        self.run(move |store| {
            Box::pin(async move {
                *store = None;
                meanwhile().map_err(|error| gone(&error.to_string()))?;
                let opened = Store::open(&paths, OpenMode::Engine).await;
                *store = Some(opened.map_err(|error| gone(&error.to_string()))?);
                Ok(())
            })
        })
    }

    /// Closes it, has its files changed so that it is lost, and makes it anew from the checkpoints, as a person does who is told so.
    pub fn rebuild_after(
        &self,
        loss: impl FnOnce() -> std::io::Result<()> + Send + 'static,
    ) -> Result<(), StoreError> {
        self.close()?;
        let paths = self.paths.clone();
        self.run(move |store| {
            Box::pin(async move {
                loss().map_err(|error| gone(&error.to_string()))?;
                let fail = |error: OpenError| gone(&error.to_string());
                let copies = checkpoints(&paths).map_err(|error| gone(&error.to_string()))?;
                match Store::open(&paths, OpenMode::Engine).await {
                    // Nothing was begun yet.
                    Ok(opened) if copies.is_empty() => *store = Some(opened),
                    Ok(_) => return Err(gone("it is lost and opens")),
                    Err(_) => {
                        let report = collie_store::rebuild(&paths).await.map_err(fail)?;
                        if report.restored.len() != copies.len() {
                            return Err(gone(&format!("it came back as {report:?}")));
                        }
                        let opened = Store::open(&paths, OpenMode::Engine).await;
                        *store = Some(opened.map_err(fail)?);
                    }
                }
                Ok(())
            })
        })
    }

    /// Closes it, with everything in its one file.
    fn close(&self) -> Result<(), StoreError> {
        self.run(|store| {
            Box::pin(async move {
                if let Some(store) = store.take() {
                    store.close().await;
                }
                Ok(())
            })
        })
    }

    /// Asks the journal; blocks until it has answered.
    pub fn ask<T: Send + 'static>(
        &self,
        ask: impl for<'a> FnOnce(&'a Store) -> BoxFuture<'a, Result<T, StoreError>> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.run(move |store| match store {
            Some(store) => Box::pin(ask(store)),
            None => Box::pin(async { Err(gone("it is not open")) }),
        })
    }

    /// Where it lies.
    pub fn paths(&self) -> &StorePaths {
        &self.paths
    }
}

impl Drop for JournalThread {
    fn drop(&mut self) {
        self.jobs
            .get_mut()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        if let Some(thread) = self.thread.take() {
            // It ends with its jobs; a panic of it was an answer of each that waited.
            let _ended = thread.join();
        }
    }
}

/// The journal as the engine has it.
pub struct SimulatedJournal {
    /// The stage.
    pub stage: Arc<Stage>,
    /// The journal.
    pub journal: Arc<JournalThread>,
}

impl SimulatedJournal {
    async fn pass<T: Send + 'static>(
        &self,
        call: Call,
        ask: impl for<'a> FnOnce(&'a Store) -> BoxFuture<'a, Result<T, StoreError>> + Send + 'static,
    ) -> Result<T, StoreError> {
        if self.stage.gate.enter(call).await == Some(Fault::DiskFull) {
            return Err(StoreError::DiskFull);
        }
        let answer = self.journal.ask(ask);
        self.stage.gate.leave().await;
        answer
    }
}

#[async_trait]
impl JournalReader for SimulatedJournal {
    async fn loops(&self) -> Result<Vec<LoopState>, StoreError> {
        self.pass(Call::Read, |store| store.loops()).await
    }

    async fn find(&self, id: &LoopId) -> Result<Option<LoopState>, StoreError> {
        let id = id.clone();
        self.pass(Call::Read, move |store| {
            Box::pin(async move { store.find(&id).await })
        })
        .await
    }

    async fn timeline(&self, id: &LoopId) -> Result<Vec<TimelineEntry>, StoreError> {
        let id = id.clone();
        self.pass(Call::Read, move |store| {
            Box::pin(async move { store.timeline(&id).await })
        })
        .await
    }

    async fn recorded(&self, id: &LoopId) -> Result<Vec<RecordedEntry>, StoreError> {
        let id = id.clone();
        self.pass(Call::Read, move |store| {
            Box::pin(async move { store.recorded(&id).await })
        })
        .await
    }

    async fn request_status(&self, request: u64) -> Result<Option<RequestStatus>, StoreError> {
        self.pass(Call::Read, move |store| store.request_status(request))
            .await
    }

    async fn last_journal_seq(&self) -> Result<u64, StoreError> {
        self.pass(Call::Read, |store| store.last_journal_seq())
            .await
    }

    async fn trust(&self) -> Result<Vec<(RepositoryId, RepositoryTrust)>, StoreError> {
        self.pass(Call::Read, |store| store.trust()).await
    }

    async fn add_request(
        &self,
        request: &LoopRequest,
        by: &Login,
        at: Time,
    ) -> Result<u64, StoreError> {
        let (request, by) = (request.clone(), by.clone());
        self.pass(Call::Write, move |store| {
            Box::pin(async move { store.add_request(&request, &by, at).await })
        })
        .await
    }

    async fn spending(&self) -> Result<Vec<DaySpending>, StoreError> {
        self.pass(Call::Read, |store| store.spending()).await
    }

    async fn pause(&self) -> Result<Option<Pause>, StoreError> {
        self.pass(Call::Read, |store| store.pause()).await
    }

    async fn insights(&self) -> Result<InsightRows, StoreError> {
        self.pass(Call::Read, |store| store.insights()).await
    }

    async fn runs(&self, id: &LoopId) -> Result<Vec<LoopRun>, StoreError> {
        let id = id.clone();
        self.pass(Call::Read, move |store| {
            Box::pin(async move { store.runs(&id).await })
        })
        .await
    }

    async fn was_seen(&self, id: &str) -> Result<bool, StoreError> {
        let id = id.to_owned();
        self.pass(Call::Read, move |store| {
            Box::pin(async move { store.was_seen(&id).await })
        })
        .await
    }

    async fn remember_seen(
        &self,
        ids: &[String],
        at: Time,
        forget_before: Time,
    ) -> Result<(), StoreError> {
        let ids = ids.to_vec();
        self.pass(Call::Write, move |store| {
            Box::pin(async move { store.remember_seen(&ids, at, forget_before).await })
        })
        .await
    }

    async fn browser_session(&self, id_hash: &str) -> Result<Option<BrowserSession>, StoreError> {
        let id = id_hash.to_owned();
        self.pass(Call::Read, move |store| {
            Box::pin(async move { store.browser_session(&id).await })
        })
        .await
    }

    async fn keep_browser_session(
        &self,
        session: &BrowserSession,
        now: Time,
    ) -> Result<(), StoreError> {
        let session = session.clone();
        self.pass(Call::Write, move |store| {
            Box::pin(async move { store.keep_browser_session(&session, now).await })
        })
        .await
    }

    async fn end_browser_sessions(&self, which: &EndedSessions) -> Result<(), StoreError> {
        let which = which.clone();
        self.pass(Call::Write, move |store| {
            Box::pin(async move { store.end_browser_sessions(&which).await })
        })
        .await
    }

    async fn audit(&self, entry: &AuditEntry) -> Result<(), StoreError> {
        let (entry, stage) = (entry.clone(), self.stage.clone());
        self.pass(Call::Write, move |store| {
            Box::pin(async move {
                store.audit(&entry).await?;
                stage.promises().audited += 1;
                Ok(())
            })
        })
        .await
    }

    async fn close(&self) {}
}

#[async_trait]
impl JournalUpkeep for SimulatedJournal {
    async fn forget_recordings(&self, ended_before: Time) -> Result<u64, StoreError> {
        self.pass(Call::Write, move |store| {
            store.forget_recordings(ended_before)
        })
        .await
    }

    async fn set_pause(&self, pause: Option<&Pause>) -> Result<(), StoreError> {
        let pause = pause.cloned();
        self.pass(Call::Write, move |store| {
            Box::pin(async move { store.set_pause(pause.as_ref()).await })
        })
        .await
    }

    async fn requests(&self) -> Result<Vec<(u64, LoopRequest, Login)>, StoreError> {
        self.pass(Call::Read, |store| store.requests()).await
    }

    async fn finish_request(
        &self,
        request: u64,
        refusal: Option<&UserError>,
    ) -> Result<(), StoreError> {
        if let Some(refusal) = refusal {
            let why = refusal.code.as_str();
            self.stage
                .log(format!("request {request} is refused: {why}"));
            self.stage.promises().refused.insert(request);
        }
        let refusal = refusal.cloned();
        self.pass(Call::Write, move |store| {
            Box::pin(async move { store.finish_request(request, refusal.as_ref()).await })
        })
        .await
    }
}

#[async_trait]
impl Journal for SimulatedJournal {
    async fn create(&self, state: &LoopState, by: &Login, at: Time) -> Result<bool, StoreError> {
        let (state, by, stage) = (state.clone(), by.clone(), self.stage.clone());
        self.pass(Call::Write, move |store| {
            Box::pin(async move {
                let created = store.create(&state, &by, at).await?;
                stage.promises().store(&state);
                Ok(created)
            })
        })
        .await
    }

    async fn receive(&self, events: &[(LoopId, Event)], at: Time) -> Result<Vec<u64>, StoreError> {
        let events = events.to_vec();
        self.pass(Call::Write, move |store| {
            Box::pin(async move { store.receive(&events, at).await })
        })
        .await
    }

    async fn unapplied(&self) -> Result<Vec<(u64, LoopId, Event)>, StoreError> {
        self.pass(Call::Read, |store| store.unapplied()).await
    }

    async fn apply(&self, applied: &[AppliedStep]) -> Result<(), StoreError> {
        let (applied, stage) = (applied.to_vec(), self.stage.clone());
        let paths = self.journal.paths().clone();
        self.pass(Call::Write, move |store| {
            Box::pin(async move {
                store.apply(&applied).await?;
                for step in &applied {
                    stage.promises().store(&step.state);
                }
                if stage.schedule.loses_its_journal() {
                    // What a checkpoint shows must not hang on how fast it is written.
                    store.wait_for_checkpoints().await;
                    let looked = stage.earlier().look(&paths);
                    looked.map_err(|error| gone(&error.to_string()))?;
                }
                Ok(())
            })
        })
        .await
    }

    async fn outbox(&self) -> Result<Vec<OutboxEntry>, StoreError> {
        self.pass(Call::Read, |store| store.outbox()).await
    }

    async fn mark_sending(
        &self,
        effect: &EffectId,
        rendered: &RenderedPost,
    ) -> Result<(), StoreError> {
        let (effect, rendered) = (effect.clone(), rendered.clone());
        self.pass(Call::Write, move |store| {
            Box::pin(async move { store.mark_sending(&effect, &rendered).await })
        })
        .await
    }

    async fn set_trust(
        &self,
        id: &RepositoryId,
        trust: &RepositoryTrust,
        at: Time,
    ) -> Result<(), StoreError> {
        let (id, trust) = (id.clone(), trust.clone());
        self.pass(Call::Write, move |store| {
            Box::pin(async move { store.set_trust(&id, &trust, at).await })
        })
        .await
    }

    async fn loop_spending(&self) -> Result<Vec<DaySpending>, StoreError> {
        self.pass(Call::Read, |store| store.loop_spending()).await
    }

    async fn command_spending(&self, now: Time) -> Result<Vec<CommandSpending>, StoreError> {
        self.pass(Call::Read, move |store| store.command_spending(now))
            .await
    }
}
