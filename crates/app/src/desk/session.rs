//! Passing from one standing to another, and showing where the desk stands.

use super::account::{Credentials, Last};
use super::lists::Lists;
use super::memory::{self, Memory, Way};
use super::work::{Engine, Who, Work};
use super::{Desk, Problem, Standing, lock};
use crate::activity::Activities;
use crate::assemble::{App, AssembleError, Wiring};
use crate::config::{Config, LiveConfig, host_of};
use crate::demo::{Pace, Playground};
use crate::{connect, home};
use collie_git::CloneReader;
use collie_github::TokenSource;
use collie_store::{DataFolder, OpenError, OpenMode, Store};
use collie_wire::rpc::{AccountSource, Topic};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// How often another process's engine is looked at.
const FOLLOW: Duration = Duration::from_millis(500);

impl Desk {
    /// Starts what was used last, or shows the sign-in.
    pub(super) async fn begin(&self) {
        if let Err(problem) = self.configuration() {
            return self.show(Standing::Stopped(problem));
        }
        let remembered = memory::recall(&self.shared.options.folder);
        match remembered.way {
            Some(way) => self.start(way).await,
            None => {
                self.look_around().await;
                let nobody = remembered.login.is_none() && lock(&self.shared.found).token.is_none();
                if self.shared.options.demo_if_new && nobody {
                    self.start(Way::Demo).await;
                } else {
                    self.show(Standing::Onboarding);
                }
            }
        }
    }

    /// Starts anew what was used last; the way out of [`Standing::Stopped`].
    pub(super) async fn try_again(&self) {
        self.leave().await;
        let last = lock(&self.shared.found).last.clone();
        match last {
            Some(Last::Way(way)) => self.start(way).await,
            Some(Last::Typed { host, token }) => {
                let elsewhere = self
                    .configuration()
                    .is_ok_and(|config| host_of(&config.api_url) != host);
                if elsewhere {
                    return self.begin().await;
                }
                let _turn = self.shared.turn.lock().await;
                let credentials = Credentials {
                    source: AccountSource::Memory,
                    tokens: TokenSource::Given(token),
                };
                let opened = self.open_account(credentials).await;
                self.opened(Way::Keychain, opened);
            }
            None => self.begin().await,
        }
    }

    /// Opens what a way of signing in leads to, in place of what is open. What goes wrong is shown.
    pub(super) async fn start(&self, way: Way) {
        let _turn = self.shared.turn.lock().await;
        self.end_open().await;
        lock(&self.shared.found).last = Some(Last::Way(way));
        let opened = match way {
            Way::Demo => self.open_demo().await,
            Way::Found | Way::Keychain => match self.credentials(way).await {
                Ok(credentials) => self.open_account(credentials).await,
                Err(problem) => Err(problem),
            },
        };
        self.opened(way, opened);
    }

    /// Opens the desk for a typed token, in place of what is open. A token that does not work changes nothing.
    pub(super) async fn start_typed(
        &self,
        typed: &str,
        api_url: Option<&str>,
    ) -> Result<(), Problem> {
        let _turn = self.shared.turn.lock().await;
        let token = self.check_typed(typed, api_url).await?;
        self.end_open().await;
        let credentials = match self.keep_typed(token, api_url).await {
            Ok(credentials) => credentials,
            Err(problem) => {
                self.show(Standing::Onboarding);
                return Err(problem);
            }
        };
        let opened = self.open_account(credentials).await;
        self.opened(Way::Keychain, opened);
        Ok(())
    }

    fn opened(&self, way: Way, opened: Result<Arc<Work>, Problem>) {
        let work = match opened {
            Ok(work) => work,
            Err(problem) => {
                tracing::warn!(code = problem.code, "the desk could not be opened");
                return self.show(Standing::Stopped(problem));
            }
        };
        let known = Memory {
            // A token that is only in memory is gone at the next start.
            way: (work.source != AccountSource::Memory).then_some(way),
            login: work.login().map(|login| login.to_string()),
        };
        if let Err(error) = memory::remember(&self.shared.options.folder, &known) {
            tracing::warn!(%error, "desktop.json could not be written");
        }
        self.show(Standing::Open(work.clone()));
        self.set_to_work(&work);
    }

    /// Begins the tasks that keep an open desk true.
    fn set_to_work(&self, work: &Arc<Work>) {
        let spawn = |task: std::pin::Pin<Box<dyn Future<Output = ()> + Send>>| {
            let stop = work.stop.clone();
            work.tasks.spawn(async move {
                tokio::select! {
                    () = stop.cancelled() => {}
                    () = task => {}
                }
            });
        };
        let own = |desk: &Desk| (desk.clone(), work.clone());
        let (desk, of) = own(self);
        spawn(Box::pin(async move { desk.learn_who(&of).await }));
        let (desk, of) = own(self);
        spawn(Box::pin(async move { desk.keep_lists(&of).await }));
        let (desk, of) = own(self);
        match &work.engine {
            Engine::Own { .. } => {
                spawn(Box::pin(async move { desk.tell_changes(&of).await }));
                let (desk, of) = own(self);
                spawn(Box::pin(async move { desk.tell_activities(&of).await }));
                let (desk, of) = own(self);
                // Outside the tracker: it closes the work that the tracker belongs to.
                tokio::spawn(async move { desk.notice_failure(&of).await });
            }
            Engine::Other { .. } => {
                tokio::spawn(async move { desk.follow(&of).await });
            }
        }
    }

    /// Stops when the engine has ended by itself, and says why.
    async fn notice_failure(&self, work: &Arc<Work>) {
        let Engine::Own { app, .. } = &work.engine else {
            return;
        };
        let failed = {
            let app = app.lock().await;
            app.as_ref().map(App::failure)
        };
        let Some(failed) = failed else { return };
        tokio::select! {
            () = work.stop.cancelled() => {}
            error = failed => {
                let _turn = self.shared.turn.lock().await;
                if work.stop.is_cancelled() {
                    return;
                }
                self.show(Standing::Stopped(error.into()));
                work.close().await;
            }
        }
    }

    /// Shows what another process's engine does; takes over when it has ended.
    async fn follow(&self, work: &Arc<Work>) {
        let mut seen = None;
        loop {
            tokio::select! {
                () = work.stop.cancelled() => return,
                () = tokio::time::sleep(FOLLOW) => {}
            }
            let runs = work.engine_runs();
            self.read_journal(work, &mut seen).await;
            if !runs {
                tracing::info!("the other engine has ended: taking over");
                return self.try_again().await;
            }
        }
    }

    async fn open_account(&self, credentials: Credentials) -> Result<Arc<Work>, Problem> {
        let config = self.configuration()?;
        let folder = self.shared.options.folder.clone();
        self.open_work(folder, config, credentials, None).await
    }

    async fn open_demo(&self) -> Result<Arc<Work>, Problem> {
        let root = self.demo_root();
        let demo = Arc::new(Playground::open(&root, Pace::Watchable).await?);
        let folder = DataFolder::at(demo.data())?;
        let opened = async {
            let config = self.demo_configuration(&folder, demo.layer())?;
            let credentials = Credentials {
                source: AccountSource::Demo,
                tokens: TokenSource::Given(demo.token()),
            };
            self.open_work(folder.clone(), config, credentials, Some(demo.clone()))
                .await
        };
        match opened.await {
            Ok(work) => Ok(work),
            Err(problem) => {
                demo.close().await;
                Err(problem)
            }
        }
    }

    /// Where the demo lives.
    pub(super) fn demo_root(&self) -> std::path::PathBuf {
        self.shared.options.folder.path().join("demo")
    }

    async fn open_work(
        &self,
        folder: DataFolder,
        config: Config,
        credentials: Credentials,
        demo: Option<Arc<Playground>>,
    ) -> Result<Arc<Work>, Problem> {
        let live = LiveConfig::new(config.clone());
        let activities: Arc<Activities> = Arc::default();
        let wiring = Wiring {
            config: live.clone(),
            tokens: credentials.tokens.clone(),
            activities: activities.clone(),
        };
        let (engine, github) = match App::start(wiring).await {
            Ok(app) => {
                let (handle, github) = (app.handle().clone(), app.client());
                let app = tokio::sync::Mutex::new(Some(app));
                let handle = Mutex::new(Some(handle));
                (Engine::Own { app, handle }, github)
            }
            Err(AssembleError::Open(OpenError::Owned { pid, .. })) => {
                let github = connect::github(&config, &credentials.tokens).await?;
                let states = Mutex::new(BTreeMap::new());
                (Engine::Other { pid, states }, github)
            }
            Err(error) => return Err(error.into()),
        };
        let store = Store::open(&folder, OpenMode::Reader)
            .await
            .map_err(Problem::from)?;
        let remembered = memory::recall(&self.shared.options.folder).login;
        let login = match &demo {
            Some(demo) => Some(demo.login()),
            None => remembered.map(|login| collie_core::ids::Login::new(&login)),
        };
        Ok(Arc::new(Work {
            clones: CloneReader::new(&home::git(&folder)),
            folder,
            engine,
            activities,
            config: live,
            github,
            store: Arc::new(store),
            demo,
            source: credentials.source,
            who: Mutex::new(Who {
                login,
                ..Who::default()
            }),
            lists: Lists::default(),
            sent: Mutex::default(),
            stop: CancellationToken::new(),
            tasks: TaskTracker::new(),
        }))
    }

    /// Asks GitHub who is signed in and what the token may do, until it answers.
    async fn learn_who(&self, work: &Arc<Work>) {
        let mut pause = Duration::from_secs(2);
        loop {
            match self.ask_who(work).await {
                Ok(()) => {
                    let memory = Memory {
                        login: work.login().map(|login| login.to_string()),
                        ..memory::recall(&self.shared.options.folder)
                    };
                    if let Err(error) = memory::remember(&self.shared.options.folder, &memory) {
                        tracing::warn!(%error, "desktop.json could not be written");
                    }
                    return self.session_changed();
                }
                Err(problem) => {
                    let refused = matches!(problem.code, "bad_token" | "refused");
                    lock(&work.who).refused = refused;
                    self.session_changed();
                    tokio::time::sleep(pause).await;
                    pause = (pause * 2).min(Duration::from_secs(300));
                }
            }
        }
    }

    async fn ask_who(&self, work: &Arc<Work>) -> Result<(), Problem> {
        let login = work.github.sign_in().await?.login;
        let missing = match work.github.token_scopes().await {
            Ok(scopes) => scopes.lacks,
            Err(error) => {
                tracing::info!(%error, "the token's scopes are not known");
                Vec::new()
            }
        };
        *lock(&work.who) = Who {
            login: Some(login),
            missing_scopes: missing,
            refused: false,
        };
        Ok(())
    }

    /// Closes what is open. Afterwards nobody is signed in.
    pub(super) async fn leave(&self) {
        let _turn = self.shared.turn.lock().await;
        self.end_open().await;
    }

    /// The same for who has the turn.
    async fn end_open(&self) {
        let before = self.pass_to(Standing::Starting);
        self.stale(Topic::everything());
        self.session_changed();
        if let Standing::Open(work) = before {
            work.close().await;
        }
    }

    /// Signs out: the engine stops, a typed token is forgotten.
    pub(super) async fn sign_out(&self) -> Result<(), Problem> {
        self.leave().await;
        self.forget_way();
        let host = self.configuration().map(|config| host_of(&config.api_url));
        if let Ok(host) = host
            && let Err(error) = crate::keychain::forget(&host).await
        {
            tracing::warn!(%error, "the keychain could not be asked to forget the token");
        }
        self.show(Standing::Onboarding);
        self.look_around().await;
        Ok(())
    }

    /// Leaves the demo; with `forget` its data goes too.
    pub(super) async fn leave_demo(&self, forget: bool) -> Result<(), Problem> {
        self.leave().await;
        self.forget_way();
        let forgotten = if forget {
            Playground::forget(&self.demo_root())
        } else {
            Ok(())
        };
        self.show(Standing::Onboarding);
        self.look_around().await;
        Ok(forgotten?)
    }

    fn forget_way(&self) {
        lock(&self.shared.found).last = None;
        if let Err(error) = memory::remember(&self.shared.options.folder, &Memory::default()) {
            tracing::warn!(%error, "desktop.json could not be written");
        }
    }

    /// Passes to another standing and says so.
    pub(super) fn show(&self, standing: Standing) {
        drop(self.pass_to(standing));
        self.stale(Topic::everything());
        self.session_changed();
    }

    /// Says that the session changed, if what is shown of it did.
    pub(super) fn session_changed(&self) {
        let now = self.session();
        let mut sent = lock(&self.shared.session_sent);
        if sent.as_ref() != Some(&now) {
            *sent = Some(now);
            drop(sent);
            self.stale(vec![Topic::Session]);
        }
    }
}
