//! What hosts may ask of a running engine.

pub use crate::command_error::CommandError;
use crate::effect_host::EffectHost;
use crate::loop_command::{LoopCommand, start_again};
use crate::loop_start::{StartError, check_permission, is_allowed, new_loop};
use crate::ports::{AuditSubject, DaySpending, GitHubError, LoopRequest, ResolvedPull, StoreError};
use crate::reported::ChangeUrgency;
use crate::session_deadline::{sleep, within};
use crate::shared::{EngineShared, IncomingEvent};
use crate::slots::SlotUsage;
use crate::{audit, branch_lock};
use collie_core::autonomy::Autonomy;
use collie_core::error_code::{ErrorCode, ErrorHint};
use collie_core::event::{Cancel, Event};
use collie_core::ids::{AccountId, Login, LoopId, PullName, RepoName};
use collie_core::loop_state::LoopState;
use collie_core::queue_place::QueuePlace;
use collie_core::user_error::UserError;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::broadcast;

/// Starts, cancels and watches loops. Cheap to clone.
#[derive(Clone)]
pub struct EngineHandle {
    pub(crate) shared: Arc<EngineShared>,
    /// In whose name things are asked for; the signed-in account's where it is none.
    acting: Option<Login>,
}

impl From<CommandError> for UserError {
    fn from(error: CommandError) -> Self {
        match error {
            CommandError::NoSuchLoop(pull) => UserError::new(ErrorCode::NoLoop).with("pull", pull),
            CommandError::HasEnded { pull, state } => UserError::new(ErrorCode::Over)
                .with("pull", pull)
                .with_arg("state", state),
            CommandError::StillRunning { pull, state } => UserError::new(ErrorCode::Busy)
                .with("pull", pull)
                .with_arg("state", state)
                .hint(ErrorHint::CancelFirst),
            CommandError::NotResumable { pull, state } => UserError::new(ErrorCode::NotResumable)
                .with("pull", pull)
                .with_arg("state", state)
                .hint(ErrorHint::Retry),
            CommandError::AnotherHead { pull, head } => UserError::new(ErrorCode::AnotherHead)
                .with("pull", pull)
                .with("head", head.short()),
            CommandError::NothingUnseen { pull } => {
                UserError::new(ErrorCode::NothingUnseen).with("pull", pull)
            }
            CommandError::NoFinding { pull } => {
                UserError::new(ErrorCode::NoFinding).with("pull", pull)
            }
            CommandError::NotDismissable { title } => {
                UserError::new(ErrorCode::NotDismissable).with("title", title)
            }
            CommandError::NothingSaid => UserError::new(ErrorCode::NothingSaid),
            CommandError::NoPushWaits { pull } => {
                UserError::new(ErrorCode::NoPushWaits).with("pull", pull)
            }
            CommandError::AnotherPush { pull, commit } => UserError::new(ErrorCode::AnotherPush)
                .with("pull", pull)
                .with("commit", commit.short()),
            CommandError::Start(error) => error.into(),
        }
    }
}

impl EngineHandle {
    pub(crate) fn new(shared: Arc<EngineShared>) -> Self {
        Self {
            shared,
            acting: None,
        }
    }

    /// The same for what a person asks for by way of this account: loops are started by it, and the journal names the person. Whether they
    /// may is for whoever knows them to say.
    #[must_use]
    pub fn acting_as(&self, person: Login) -> Self {
        Self {
            shared: self.shared.clone(),
            acting: Some(person),
        }
    }

    /// Every loop, as last published.
    pub fn loops(&self) -> Vec<Arc<LoopState>> {
        self.shared.tables().loops.values().cloned().collect()
    }

    /// The loop of a pull request. Letter case does not matter (§2).
    pub fn find(&self, pull: &PullName) -> Option<Arc<LoopState>> {
        let tables = self.shared.tables();
        let mut loops = tables.loops.values();
        loops.find(|state| state.is_of(pull)).cloned()
    }

    /// Has work that waits for its budget look whether it is there: a limit was changed.
    pub fn budget_changed(&self) {
        self.shared.spending.changed.notify_waiters();
    }

    /// What was spent, by day, in order, as the journal has it (§15).
    ///
    /// # Errors
    /// The journal cannot be read.
    pub async fn spending(&self) -> Result<Vec<DaySpending>, StoreError> {
        self.shared.journal.spending().await
    }

    /// Every change from now on.
    pub fn subscribe(&self) -> broadcast::Receiver<Arc<LoopState>> {
        self.shared.changed.subscribe()
    }

    /// How a loop stands in the queue for work; none for one that does not queue.
    pub fn queue_place(&self, id: &LoopId) -> Option<QueuePlace> {
        branch_lock::queue_place(&self.shared.tables(), id)
    }

    /// The same of all loops that queue.
    pub fn queue_places(&self) -> BTreeMap<LoopId, QueuePlace> {
        branch_lock::queue_places(&self.shared.tables())
    }

    /// Reads a loop's pull request before it is due: something is known to have happened there.
    pub fn poll_now(&self, id: &LoopId) {
        self.shared.tables().poll_requested.insert(id.clone());
        self.shared.wake_poller.notify_one();
    }

    /// Has a loop's pull request read: GitHub has said that something happened there (§18.1). Many such words come to one reading.
    pub fn report_change(&self, id: &LoopId, urgency: ChangeUrgency) {
        let now = self.shared.ports.clock.now();
        self.shared.tables().reported.report(id, urgency, now);
        self.shared.wake_poller.notify_one();
    }

    /// How the slots stand.
    pub fn slot_usage(&self) -> SlotUsage {
        self.shared.tables().slots.usage()
    }

    /// Open pull requests of a repository that are no drafts, whether they have a loop or not.
    pub async fn open_pulls(&self, repo: &RepoName) -> Result<Vec<u64>, GitHubError> {
        self.shared.ports.github.open_pulls(repo).await
    }

    /// Makes a loop, if there is none; one that was closed and may have been reopened gets a new run.
    pub async fn start(&self, pull: &PullName) -> Result<LoopId, StartError> {
        self.start_at(pull, None).await
    }

    /// The same at a level of autonomy; one that is there already goes on at that level. Without one the settings decide, and where
    /// they say nothing it only observes.
    pub async fn start_at(
        &self,
        pull: &PullName,
        level: Option<Autonomy>,
    ) -> Result<LoopId, StartError> {
        let by = self.check_permission(pull.clone().into()).await?;
        let found = self.shared.ports.github.resolve_pull(pull).await?;
        let id = found.pull.id.clone();
        if let Some(state) = self.shared.state(&id) {
            if let Some(level) = level {
                let of_repository = false;
                let command = LoopCommand::SetAutonomy {
                    level,
                    of_repository,
                };
                self.store_command(&state, &by, &command).await?;
            }
            if let Some(command) = start_again(&state)? {
                self.store_command(&state, &by, &command).await?;
            }
            return Ok(id);
        }
        self.create(found, by, level).await?;
        Ok(id)
    }

    async fn create(
        &self,
        found: ResolvedPull,
        by: Login,
        level: Option<Autonomy>,
    ) -> Result<(), StartError> {
        let ports = &self.shared.ports;
        let mut state = new_loop(ports, found, by.clone(), level)?;
        let now = state.run.started_at;
        // Held until the loop is in the table, so that no decision passes it by.
        let decided = self.shared.trust.lock().await;
        if let Some(trust) = decided.get(&state.id.repository()) {
            state.trust = trust.clone();
        }
        state.pause = self.pause();
        let state = Arc::new(state);
        if !self.shared.journal.create(&state, &by, now).await? {
            return Ok(());
        }
        // The journal has it: whatever becomes of the audit log, a second start would find it there and do nothing.
        self.shared
            .tables()
            .loops
            .insert(state.id.clone(), state.clone());
        drop(decided);
        let entry = audit::run_started_entry(&state, now);
        if let Err(error) = self.shared.journal.audit(&entry).await {
            tracing::error!(%error, "the audit log could not be written");
        }
        let _ = self.shared.changed.send(state);
        self.shared.wake_poller.notify_one();
        Ok(())
    }

    /// Whether the signed-in account may start loops; audited either way.
    pub(crate) async fn check_permission(
        &self,
        subject: AuditSubject,
    ) -> Result<Login, StartError> {
        let ports = &self.shared.ports;
        let permission = check_permission(ports, self.acting.as_ref(), subject).await?;
        self.shared.journal.audit(&permission.audit).await?;
        permission.granted
    }

    /// Whether an account is one that the configuration allows: a name stands for the account that bore it first (§9.1).
    ///
    /// # Errors
    /// Which account that was cannot be read or written down.
    pub fn is_allowed(&self, login: &Login, id: AccountId) -> Result<bool, UserError> {
        is_allowed(self.shared.ports.policy_source.as_ref(), login, id)
    }

    /// Records the request at once; the children end within 5 s.
    pub fn cancel(&self, pull: &PullName, by: &Login) -> Result<(), CommandError> {
        let state = self.find_cancellable(pull)?;
        self.shared
            .submit_event(&state.id, Event::Cancel(Cancel { by: by.clone() }));
        Ok(())
    }

    /// The same for a request of another process: stored before that process is told that it was taken (§10.1).
    async fn cancel_stored(&self, pull: &PullName, by: &Login) -> Result<(), CommandError> {
        let state = self.find_cancellable(pull)?;
        let event = Event::Cancel(Cancel { by: by.clone() });
        self.store_event(&state.id, event).await?;
        Ok(())
    }

    fn find_cancellable(&self, pull: &PullName) -> Result<Arc<LoopState>, CommandError> {
        let state = self.find_loop(pull)?;
        LoopCommand::Cancel.check(&state)?;
        Ok(state)
    }

    /// Stores an event, then brings it to the dispatcher.
    pub(crate) async fn store_event(&self, id: &LoopId, event: Event) -> Result<(), StartError> {
        self.store_events(vec![(id.clone(), event)]).await
    }

    /// The same of several, all at once.
    pub(crate) async fn store_events(
        &self,
        events: Vec<(LoopId, Event)>,
    ) -> Result<(), StartError> {
        let now = self.shared.ports.clock.now();
        let numbers = self.shared.journal.receive(&events, now).await?;
        for (number, (id, event)) in numbers.into_iter().zip(events) {
            let _ = self
                .shared
                .incoming
                .send(IncomingEvent::Stored(number, id, event));
        }
        Ok(())
    }

    /// A fresh run of a loop that has ended.
    pub async fn retry(&self, pull: &PullName) -> Result<(), CommandError> {
        self.command(pull, &LoopCommand::Retry).await
    }

    /// A run that goes on with what is known, after `needs_human`.
    pub async fn resume(&self, pull: &PullName, extra_rounds: u32) -> Result<(), CommandError> {
        self.command(pull, &LoopCommand::Resume { extra_rounds })
            .await
    }

    /// Carries a command out in the name of the signed-in account; stored before it returns.
    pub(crate) async fn command(
        &self,
        pull: &PullName,
        command: &LoopCommand,
    ) -> Result<(), CommandError> {
        let state = self.find_loop(pull)?;
        command.check(&state)?;
        let by = self.check_permission(pull.clone().into()).await?;
        self.store_command(&state, &by, command).await?;
        Ok(())
    }

    pub(crate) async fn store_command(
        &self,
        state: &LoopState,
        by: &Login,
        command: &LoopCommand,
    ) -> Result<(), StartError> {
        match command.event(&self.shared.ports, state, by.clone())? {
            Some(event) => self.store_event(&state.id, event).await,
            None => Ok(()),
        }
    }

    /// Waits until the requests that other processes have left are answered and what they led to is applied, at most so long.
    pub async fn wait_for_requests(&self, limit: Duration) -> Result<(), StoreError> {
        let journal = &self.shared.journal;
        let clock = self.shared.ports.clock.as_ref();
        let every = self.shared.config.requests_every_ms;
        let waiting = async {
            while !(journal.requests().await?.is_empty() && journal.unapplied().await?.is_empty()) {
                sleep(clock, every).await;
            }
            // What the journal has is not yet what loops show.
            drop(self.shared.applying.lock().await);
            Ok(())
        };
        // What GitHub keeps waiting is not waited for.
        let limit = u64::try_from(limit.as_millis()).unwrap_or(u64::MAX);
        within(clock, limit, waiting).await.unwrap_or(Ok(()))
    }

    pub(crate) fn find_loop(&self, pull: &PullName) -> Result<Arc<LoopState>, CommandError> {
        self.find(pull)
            .ok_or_else(|| CommandError::NoSuchLoop(pull.clone()))
    }

    async fn execute(&self, request: &LoopRequest, by: &Login) -> Result<(), CommandError> {
        match request {
            LoopRequest::Start { pull, autonomy } => {
                self.start_at(pull, *autonomy).await?;
                Ok(())
            }
            LoopRequest::SetAutonomy { pull, level } => self.set_autonomy(pull, *level).await,
            LoopRequest::SetRepositoryAutonomy { repo, level } => {
                self.set_repository_autonomy(repo, *level).await
            }
            LoopRequest::Approve { pull, commit } => self.approve_push(pull, commit).await,
            LoopRequest::Reject { pull, commit, note } => {
                self.reject_push(pull, commit, note).await
            }
            LoopRequest::Cancel { pull } => self.cancel_stored(pull, by).await,
            LoopRequest::Retry { pull } => self.retry(pull).await,
            LoopRequest::Resume { pull, rounds } => self.resume(pull, *rounds).await,
            LoopRequest::Dismiss {
                pull,
                fingerprint,
                reason,
            } => self.dismiss(pull, fingerprint, reason).await,
            LoopRequest::Note {
                pull,
                fingerprint,
                text,
            } => self.note(pull, fingerprint.as_ref(), text).await,
            LoopRequest::Seen { pull, head } => self.seen(pull, head).await,
            LoopRequest::SetPaused { paused } => self.set_paused(*paused, by).await,
            LoopRequest::Decide { repo, id, decision } => self.decide(repo, id, decision).await,
        }
    }
}

/// Takes requests of other processes until the engine stops (§10.2): those of one pull request in order, others side by side, so that a
/// cancel does not wait for the start of another that GitHub keeps waiting.
pub(crate) async fn poll_requests(shared: Arc<EngineShared>) {
    let handle = EngineHandle::new(shared.clone());
    let mut taken = BTreeSet::new();
    loop {
        let requests = match shared.journal.requests().await {
            Ok(requests) => requests,
            Err(error) => return shared.stop_with_error(error),
        };
        let waiting: BTreeSet<u64> = requests.iter().map(|(number, ..)| *number).collect();
        taken.retain(|number| waiting.contains(number));
        let mut busy = BTreeSet::new();
        for (number, request, by) in requests {
            let first = busy.insert(request.subject());
            if first && taken.insert(number) {
                let task = execute_request(shared.clone(), handle.clone(), number, request, by);
                shared.tasks.spawn(task);
            }
        }
        if shared.spending.has_open_sessions() {
            shared.read_command_spending().await;
        }
        let clock = &shared.ports.clock;
        let next = clock.now().plus(shared.config.requests_every_ms);
        tokio::select! {
            biased;
            () = shared.stop.cancelled() => return,
            () = clock.sleep_until(next) => {}
        }
    }
}

/// Carries one request out and answers it. One that the engine's stop cuts off stays unanswered, and is taken again at the next start.
async fn execute_request(
    shared: Arc<EngineShared>,
    handle: EngineHandle,
    number: u64,
    request: LoopRequest,
    by: Login,
) {
    let done = tokio::select! {
        biased;
        () = shared.stop.cancelled() => return,
        done = handle.execute(&request, &by) => done,
    };
    let refusal = done.err().map(UserError::from);
    let answered = shared.journal.finish_request(number, refusal.as_ref());
    if let Err(error) = answered.await {
        shared.stop_with_error(error);
    }
}
