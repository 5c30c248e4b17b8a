//! What `collie review` and `collie eval` may spend, and where they count it: in the journal of the data folder, beside an engine or without
//! one (§15).
//!
//! Whoever asks a model does not wait on anything but an answer, while the journal is asked with `await`: a thread of its own does that.

use crate::clock;
use crate::engine_client::journal::{OpenError, open_command_ledger};
use async_trait::async_trait;
use collie_config::DataFolder;
use collie_core::budget::{Budget, BudgetExceeded, Spending, day_of};
use collie_core::ids::{LoopId, RepoName};
use collie_core::usage::Usage;
use collie_engine::ports::{
    BudgetAccount, CommandAsk, CommandLedger, CommandPayment, CommandSpending, StoreError,
};
use jiff::tz::TimeZone;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};
use tokio::sync::oneshot;

/// What is asked of the thread.
type Job = Box<dyn FnOnce(&tokio::runtime::Runtime, &dyn CommandLedger) + Send>;

/// The journal as commands write to it. Clones are one.
#[derive(Clone)]
pub struct CommandBook {
    jobs: mpsc::Sender<Job>,
    /// Tells accounts of this process apart.
    opened: Arc<AtomicU64>,
}

impl fmt::Debug for CommandBook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CommandBook").finish_non_exhaustive()
    }
}

impl CommandBook {
    /// Opens the journal of a data folder.
    ///
    /// # Errors
    /// It cannot be opened.
    pub async fn open(folder: &DataFolder) -> Result<Self, OpenError> {
        let (jobs, asked) = mpsc::channel();
        let (tell, told) = oneshot::channel();
        let folder = folder.clone();
        let failed = |message: String| {
            OpenError::Store(StoreError::Failed {
                what: "opening the journal for a command".into(),
                message,
            })
        };
        std::thread::Builder::new()
            .name("collie-spending".into())
            .spawn(move || serve(&folder, &asked, tell))
            .map_err(|error| failed(error.to_string()))?;
        told.await
            .map_err(|_| failed("its thread has ended".into()))??;
        Ok(Self {
            jobs,
            opened: Arc::default(),
        })
    }

    /// An account for one review, or one verdict: of a pull request under its present name, or of what lies on no host.
    pub fn account(&self, pull: Option<(LoopId, RepoName)>, budget: Budget) -> Arc<CommandAccount> {
        let nth = self.opened.fetch_add(1, Ordering::Relaxed);
        let (pull, repo) = pull.unzip();
        Arc::new(CommandAccount {
            book: self.clone(),
            session: format!("{}-{}-{nth}", std::process::id(), clock::now().0),
            pull,
            repo,
            budget,
            zone: TimeZone::system(),
            own: Mutex::default(),
        })
    }

    /// Does something with the journal, and waits for it.
    fn ask<T: Send + 'static>(
        &self,
        work: impl AsyncFnOnce(&dyn CommandLedger) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let (tell, told) = mpsc::sync_channel(1);
        let job: Job = Box::new(move |runtime, ledger| {
            // Who asked waits for it.
            let _ = tell.send(runtime.block_on(work(ledger)));
        });
        let ended = || StoreError::Failed {
            what: "counting what a command spends".into(),
            message: "its thread has ended".into(),
        };
        self.jobs.send(job).map_err(|_| ended())?;
        told.recv().map_err(|_| ended())?
    }
}

/// Opens the journal, says what came of it, and does what is asked until nobody can ask any more.
fn serve(
    folder: &DataFolder,
    asked: &mpsc::Receiver<Job>,
    tell: oneshot::Sender<Result<(), OpenError>>,
) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    let runtime = match runtime {
        Ok(runtime) => runtime,
        Err(error) => {
            let error = StoreError::Failed {
                what: "opening the journal for a command".into(),
                message: error.to_string(),
            };
            let _ = tell.send(Err(error.into()));
            return;
        }
    };
    match runtime.block_on(open_command_ledger(folder)) {
        Ok(ledger) => {
            let _ = tell.send(Ok(()));
            for job in asked {
                job(&runtime, ledger.as_ref());
            }
        }
        Err(error) => {
            let _ = tell.send(Err(error));
        }
    }
}

/// What one review of a command may spend. Reviewers that work side by side share it.
pub struct CommandAccount {
    book: CommandBook,
    session: String,
    pull: Option<LoopId>,
    repo: Option<RepoName>,
    budget: Budget,
    zone: TimeZone,
    own: Mutex<OwnSpending>,
}

/// What the account itself has come to.
#[derive(Clone, Copy, Debug, Default)]
struct OwnSpending {
    spent: Usage,
    reserved: Usage,
}

impl OwnSpending {
    fn total(self) -> Usage {
        let mut all = self.spent;
        all += self.reserved;
        all
    }
}

impl CommandAccount {
    fn own(&self) -> MutexGuard<'_, OwnSpending> {
        // Each use leaves it whole.
        self.own.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes down what is set aside now.
    fn write_reserved(&self, reserved: Usage) {
        let (session, at) = (self.session.clone(), clock::now());
        let written = self
            .book
            .ask(async move |ledger| ledger.set_reserved(&session, reserved, at).await);
        if let Err(error) = written {
            tracing::warn!(%error, "what a question no longer needs stays set aside for an hour");
        }
    }

    /// What holds where the journal cannot be asked in the middle of a review: the limits, for what this account itself has come to.
    fn check_alone(&self, own: OwnSpending, worst: &Usage) -> Result<(), BudgetExceeded> {
        let all = own.total();
        let spending = Spending {
            pull_request: all,
            day: all,
            total: all,
        };
        let (_, ends) = day_of(clock::now(), &self.zone);
        self.budget.check(&spending, worst, ends)
    }
}

#[async_trait]
impl BudgetAccount for CommandAccount {
    async fn reserve(&self, worst: Usage) -> Result<(), BudgetExceeded> {
        // Held throughout: those who share it ask one after the other.
        let mut own = self.own();
        let at = clock::now();
        let ask = CommandAsk {
            session: self.session.clone(),
            pull: self.pull.clone(),
            budget: self.budget,
            own: own.total(),
            reserved: own.reserved,
            worst,
            at,
            day: day_of(at, &self.zone),
        };
        match self
            .book
            .ask(async move |ledger| ledger.reserve(&ask).await)
        {
            Ok(room) => room?,
            Err(error) => {
                tracing::warn!(%error, "the journal could not be asked what is left to spend");
                self.check_alone(*own, &worst)?;
            }
        }
        own.reserved += worst;
        Ok(())
    }

    fn replace(&self, reserved: Usage, by: Usage) {
        let mut own = self.own();
        own.reserved = own.reserved.since(&reserved);
        own.reserved += by;
        self.write_reserved(own.reserved);
    }

    fn spend(&self, on: &str, usage: Usage) {
        let mut own = self.own();
        own.spent += usage;
        if usage.is_nothing() {
            return;
        }
        let (day, _) = day_of(clock::now(), &self.zone);
        let payment = CommandPayment {
            spending: CommandSpending {
                day,
                pull: self.pull.clone(),
                usage,
            },
            repo: self.repo.clone(),
            model: on.to_owned(),
        };
        if let Err(error) = self
            .book
            .ask(async move |ledger| ledger.pay(&payment).await)
        {
            tracing::warn!(%error, "what a command spent could not be counted");
        }
    }
}

impl Drop for CommandAccount {
    fn drop(&mut self) {
        if !self.own().reserved.is_nothing() {
            self.write_reserved(Usage::default());
        }
    }
}
