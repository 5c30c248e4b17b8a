//! The desktop's desk: carries out the commands of the contract for whatever host shows the window, and tells it what changes.
//!
//! **Architecture invariant.** Nothing here can merge: a [`Command::Merge`] is refused, and only the desktop shell takes it up before
//! it gets here (§11). Nothing here draws: the same desk serves the window and a browser.

mod account;
mod activity;
mod configuration;
mod excerpts;
mod items;
mod lists;
mod loops;
mod machine;
mod memory;
mod playing;
mod problem;
mod questions;
mod session;
pub mod settings;
mod shown;
mod sidebar;
pub mod stream;
mod timeline;
mod work;

pub use problem::Problem;

use crate::config::Desktop;
use crate::words::Speech;
use account::Found;
use collie_core::ids::PullName;
use collie_core::model::LoopState;
use collie_github::Token;
use collie_store::{DataFolder, Store};
use collie_wire::ErrorView;
use collie_wire::rpc::{Command, SessionView, Topic, Update};
use serde_json::Value;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use tokio::sync::broadcast;
use work::Work;

/// More updates than these that nobody has taken are dropped; who lags reads everything anew.
const UPDATES: usize = 4096;

/// Where the environment's variables are read.
pub type Environment = Arc<dyn Fn(&str) -> Option<String> + Send + Sync>;

/// What a desk is opened with.
#[derive(Clone)]
pub struct DeskOptions {
    /// The data folder.
    pub folder: DataFolder,
    /// The environment.
    pub environment: Environment,
    /// The language until the configuration names one.
    pub language: &'static str,
    /// Whether the host can merge.
    pub can_merge: bool,
    /// Opens the demo when nobody has ever signed in here and no account is found.
    pub demo_if_new: bool,
}

/// The desk. Cheap to clone; every clone is the same desk.
#[derive(Clone)]
pub struct Desk {
    shared: Arc<Shared>,
}

/// What a merge needs to know (§11). Only the shell has a use for it.
pub struct MergeGround {
    /// The loop as it is now.
    pub state: Arc<LoopState>,
    /// The address of GitHub's REST API.
    pub api_url: String,
    /// The signed-in account's token.
    pub token: Token,
    /// The signed-in account.
    pub login: collie_core::ids::Login,
    /// The data folder's audit log (§9.6): the merge is recorded there whatever is open when it ends.
    pub journal: Arc<Store>,
}

struct Shared {
    options: DeskOptions,
    standing: RwLock<Standing>,
    speech: RwLock<Arc<Speech>>,
    updates: broadcast::Sender<Update>,
    /// Held while the desk passes from one standing to another.
    turn: tokio::sync::Mutex<()>,
    found: Mutex<Found>,
    session_sent: Mutex<Option<SessionView>>,
}

/// What the desk stands at.
#[derive(Clone)]
enum Standing {
    Onboarding,
    Starting,
    Stopped(Problem),
    Open(Arc<Work>),
}

/// Takes a lock; nothing of ours panics while it holds one.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Desk {
    /// Opens the desk and begins to start what the person used last. What goes wrong becomes part of the session.
    ///
    /// Call it inside a tokio runtime.
    pub fn open(options: DeskOptions) -> Self {
        let language = configuration::language(&options);
        let desk = Self {
            shared: Arc::new(Shared {
                options,
                standing: RwLock::new(Standing::Starting),
                speech: RwLock::new(Arc::new(Speech::new(language))),
                updates: broadcast::channel(UPDATES).0,
                turn: tokio::sync::Mutex::new(()),
                found: Mutex::new(Found::default()),
                session_sent: Mutex::new(None),
            }),
        };
        let opening = desk.clone();
        tokio::spawn(async move { opening.begin().await });
        desk
    }

    /// Everything that changes from now on.
    pub fn subscribe(&self) -> broadcast::Receiver<Update> {
        self.shared.updates.subscribe()
    }

    /// The words of the moment's language.
    pub fn speech(&self) -> Arc<Speech> {
        self.shared
            .speech
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Carries a command out. The answer is what the contract says for it.
    pub async fn run(&self, command: Command) -> Result<Value, ErrorView> {
        let stale = command.makes_stale();
        let done = self.carry_out(command).await;
        let answer = done.map_err(|problem| problem.view(&self.speech()))?;
        self.stale(stale);
        Ok(answer)
    }

    /// Stops the engine, if it runs here; its loops go on at the next start.
    pub async fn close(&self) {
        let _turn = self.shared.turn.lock().await;
        if let Standing::Open(work) = self.pass_to(Standing::Starting) {
            work.close().await;
        }
    }

    /// How the person wants the window to behave; the usual while the configuration is wrong.
    pub fn manners(&self) -> Desktop {
        match self.work() {
            Ok(work) => work.config.get().desktop,
            Err(_) => self
                .configuration()
                .map(|config| config.desktop)
                .unwrap_or_default(),
        }
    }

    /// What merging a pull request rests on; none when there is no such loop or nobody is signed in.
    pub fn merge_ground(&self, pull: &PullName) -> Option<MergeGround> {
        let work = self.work().ok()?;
        Some(MergeGround {
            state: work.find(pull)?,
            api_url: work.config.get().api_url.clone(),
            token: work.github.token(),
            login: work.login()?,
            journal: work.store.clone(),
        })
    }

    /// Looks at a loop's pull request now instead of at its next poll: something is known to have changed.
    pub fn look_now(&self, pull: &PullName) {
        if let Ok(work) = self.work() {
            work.look_now(pull);
        }
    }

    /// What a page outside the window is, for a command that opens one.
    pub async fn opens(&self, target: &collie_wire::rpc::OpenTarget) -> Result<Opens, Problem> {
        items::opens(self, target).await
    }

    fn work(&self) -> Result<Arc<Work>, Problem> {
        match &*self.standing() {
            Standing::Open(work) => Ok(work.clone()),
            Standing::Onboarding => Err(Problem::new("signed_out")),
            Standing::Starting => Err(Problem::new("starting")),
            Standing::Stopped(problem) => Err(problem.clone()),
        }
    }

    fn standing(&self) -> std::sync::RwLockReadGuard<'_, Standing> {
        self.shared
            .standing
            .read()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn pass_to(&self, standing: Standing) -> Standing {
        let mut held = self
            .shared
            .standing
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        std::mem::replace(&mut *held, standing)
    }

    /// Sends news to whoever listens; without a listener there is nobody to miss them.
    fn tell(&self, update: Update) {
        let _ = self.shared.updates.send(update);
    }

    fn stale(&self, topics: Vec<Topic>) {
        if !topics.is_empty() {
            self.tell(Update::Stale { topics });
        }
    }
}

/// Something outside the window.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Opens {
    /// An address for the browser.
    Address(String),
    /// A folder or file of this machine.
    Path(PathBuf),
}
