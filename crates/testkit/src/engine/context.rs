//! One forge, one engine, and everybody who plays a part, in one process.

use super::clock::ManualClock;
use super::loop_fixture::LoopFixture;
use super::pause_points::{self, PausePoints};
use crate::forge::{COLLIE, ForgeFixture};
use crate::git::git;
use crate::wait::wait_until;
use collie_app::accounts::{self, AccountVault, KeyPlace};
use collie_app::engine_client::journal::{self, open_reader};
use collie_app::engine_client::local::{self, EngineSetup, LocalEngineError};
use collie_config::{Config, ConfigLayer, DataFolder, LiveConfig};
use collie_core::autonomy::Autonomy;
use collie_core::ids::{AccountId, Login, LoopId, PullName, Sha, Time};
use collie_core::lifecycle::State;
use collie_core::loop_state::LoopState;
use collie_core::note::Note;
use collie_core::snapshot::Actor;
use collie_core::trust::TrustDecision;
use collie_engine::{CommandError, Engine, EngineConfig, EngineHandle, StartError};
use collie_github::{AppCredentials, Token, TokenSource};
use collie_reviewers::KeySources;
use collie_reviewers::activity::ActivityRegistry;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fmt;
use std::io::ErrorKind;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::runtime::{Builder, Runtime};

/// What a test may expect to be left over at its end.
#[derive(Default)]
pub struct Expectations {
    /// Refusals (422) by the forge.
    pub refused_requests: bool,
    /// Effects that wait for something that never comes.
    pub pending_effects: bool,
}

/// How a loop stands that is not yet as wanted.
struct Standing(Arc<LoopState>);

impl fmt::Display for Standing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let LoopState { run, outbox, .. } = &*self.0;
        let effects: Vec<_> = outbox.effects.values().collect();
        write!(
            f,
            "{} because of {:?}, stop {:?}, outbox {effects:#?}",
            run.state, run.blocker, run.stop
        )
    }
}

/// The engine in a runtime of its own, so that the plug can be pulled.
struct RunningEngine {
    runtime: Runtime,
    engine: Engine,
    handle: EngineHandle,
}

/// A test's world.
pub struct TestContext {
    /// The engine's clock.
    pub clock: Arc<ManualClock>,
    /// Where the engine is held.
    pub pause_points: Arc<PausePoints>,
    /// What the end may leave over.
    pub expectations: Expectations,
    /// The forge, which is also what the test asks of this.
    pub forge: ForgeFixture,
    /// What everybody does right now.
    pub activities: Arc<ActivityRegistry>,
    layer: ConfigLayer,
    config: Config,
    live_config: LiveConfig,
    token: String,
    /// The App that Collie acts as, in place of the token.
    pub(super) app: Option<AppCredentials>,
    supervisor: Option<PathBuf>,
    review_deadline_ms: u64,
    engine: Option<RunningEngine>,
}

impl Drop for TestContext {
    /// A test that fails must not hang: its engine's runtime may not be dropped by a task.
    fn drop(&mut self) {
        if let Some(live) = self.engine.take() {
            live.runtime.shutdown_background();
        }
    }
}

impl Deref for TestContext {
    type Target = ForgeFixture;

    fn deref(&self) -> &ForgeFixture {
        &self.forge
    }
}

impl TestContext {
    pub(crate) async fn new(fixture: &LoopFixture) -> Self {
        let forge = ForgeFixture::start(&fixture.repository).await;
        let mut layer = fixture.layer.clone();
        layer.github_api_url = Some(forge.api_url());
        let config = Config::resolve(forge.dir.path().join("data"), &[layer.clone()])
            .expect("the test's configuration is well formed");
        Self {
            live_config: LiveConfig::new(config.clone()),
            clock: Arc::default(),
            pause_points: Arc::default(),
            expectations: Expectations::default(),
            forge,
            activities: Arc::default(),
            layer,
            config,
            token: format!("forge-{}", fixture.login),
            app: None,
            supervisor: None,
            review_deadline_ms: EngineConfig::default().review_deadline_ms,
            engine: None,
        }
    }

    /// The data folder.
    pub fn data_folder(&self) -> PathBuf {
        self.forge.dir.path().join("data")
    }

    /// Where the key lies that tokens of accounts are encrypted with.
    pub fn account_key_file(&self) -> PathBuf {
        self.forge.dir.path().join("account.key")
    }

    /// The accounts of personas, as a command of another process reaches them.
    pub async fn account_vault(&self) -> AccountVault {
        let folder = DataFolder::at(self.data_folder()).expect("a path");
        let key = KeyPlace::File(self.account_key_file());
        let vault = accounts::open_vault_with(&folder, key).await;
        vault.expect("the journal opens")
    }

    /// Keeps the token of one of the forge's accounts, as `collie account add` does.
    pub async fn add_account(&self, login: &str) {
        let user = self.call(login, "GET", "/api/v3/user", None).await;
        let account = Actor {
            id: AccountId(user["id"].as_u64().expect("an id")),
            login: Login::new(login),
            is_bot: false,
        };
        let token = Token::new(&format!("forge-{login}")).expect("a token has no blanks");
        let host = collie_config::host_of(&self.api_url());
        let vault = self.account_vault().await;
        let added = vault.add(&host, &account, (&token, Time(1))).await;
        added.expect("the token is kept");
    }

    /// Changes what the user's `config.toml` says from the next start of the engine on.
    pub fn edit_config(&mut self, edit: impl FnOnce(&mut ConfigLayer)) {
        edit(&mut self.layer);
        self.config = Config::resolve(self.data_folder(), std::slice::from_ref(&self.layer))
            .expect("the test's configuration is well formed");
        self.live_config.replace(self.config.clone());
    }

    /// Signs in with another token from the next start of the engine on.
    pub fn set_token(&mut self, token: &str) {
        self.token = token.to_owned();
    }

    /// Gives reviews another time from the next start of the engine on.
    pub fn set_review_deadline(&mut self, millis: u64) {
        self.review_deadline_ms = millis;
    }

    /// Has the sandbox use another supervisor from the next start of the engine on: where none lies there, it does not stand.
    pub fn set_sandbox_supervisor(&mut self, program: PathBuf) {
        self.supervisor = Some(program);
    }

    /// Lets other settings hold, as saving them in the window does: what is read anew each time goes by them at once.
    pub fn save_settings(&mut self, edit: impl FnOnce(&mut Config)) {
        edit(&mut self.config);
        self.live_config.replace(self.config.clone());
        if self.engine.is_some() {
            self.handle().budget_changed();
        }
    }

    /// Starts the engine on the data folder, as a new process would.
    pub async fn start_engine(&mut self) {
        // The last of a crashed engine's threads may still be about to let go of the folder.
        let started = wait_until("the engine to start", async || {
            self.try_start().await.map_err(|(error, runtime)| {
                runtime.shutdown_background();
                assert!(matches!(error, LocalEngineError::Open(_)), "{error}");
                error
            })
        });
        self.engine = Some(started.await);
    }

    async fn try_start(&self) -> Result<RunningEngine, (LocalEngineError, Runtime)> {
        let runtime = Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()
            .expect("threads can be started");
        let wiring = EngineSetup {
            runners: None,
            sandbox_supervisor: self
                .supervisor
                .clone()
                .unwrap_or_else(crate::sandbox::supervisor),
            config: self.live_config.clone(),
            tokens: match &self.app {
                Some(app) => TokenSource::App(app.clone()),
                None => TokenSource::Given(Token::new(&self.token).expect("a token has no blanks")),
            },
            activities: self.activities.clone(),
            keys: KeySources::of_environment(),
            account_key: KeyPlace::File(self.account_key_file()),
        };
        let settings = EngineConfig {
            slots: self.config.slots,
            requests_every_ms: 100,
            doubt_delay_ms: 200,
            review_deadline_ms: self.review_deadline_ms,
            ..EngineConfig::default()
        };
        let (clock, holds) = (self.clock.clone(), self.pause_points.clone());
        let started = runtime.spawn(async move {
            let ports = local::build_ports(wiring, clock).await?.ports;
            let engine =
                Engine::start(pause_points::with_pause_points(ports, &holds), settings).await?;
            Ok(engine)
        });
        match started.await.expect("the start does not panic") {
            Ok(engine) => Ok(RunningEngine {
                handle: engine.handle(),
                runtime,
                engine,
            }),
            Err(error) => Err((error, runtime)),
        }
    }

    /// Pulls the plug: every task of the engine ends where it stands.
    pub async fn crash(&mut self) {
        let live = self.engine.take().expect("the engine runs");
        self.pause_points.clear();
        tokio::task::spawn_blocking(move || {
            live.runtime.shutdown_timeout(Duration::from_secs(5));
            drop((live.engine, live.handle));
        })
        .await
        .expect("pulling the plug does not panic");
    }

    /// Stops the engine as Ctrl-C does.
    pub async fn stop_engine(&mut self) {
        let Some(live) = self.engine.take() else {
            return;
        };
        drop(live.handle);
        let (runtime, engine) = (live.runtime, live.engine);
        let stopped = runtime.spawn(engine.shutdown()).await;
        stopped.expect("stopping does not panic");
        runtime.shutdown_background();
    }

    /// Stops the engine, and starts it signed in with another token.
    pub async fn restart_engine_as(&mut self, token: &str) {
        self.stop_engine().await;
        self.set_token(token);
        self.start_engine().await;
    }

    /// Loses the journal of an engine that is stopped, and has it made anew from what lies beside it.
    pub async fn lose_journal(&self) {
        let database = self.data_folder().join("collie.db");
        std::fs::remove_file(database).expect("it can be removed");
        let folder = DataFolder::at(self.data_folder()).expect("a path");
        let rebuilt = journal::rebuild(&folder).await;
        rebuilt.expect("it can be rebuilt");
    }

    /// The engine's handle, while it runs.
    pub fn try_handle(&self) -> Option<&EngineHandle> {
        self.engine.as_ref().map(|live| &live.handle)
    }

    /// The engine's handle.
    pub fn handle(&self) -> &EngineHandle {
        &self.engine.as_ref().expect("the engine runs").handle
    }

    /// Runs a command in the engine's own runtime.
    async fn in_engine_runtime<T: Send + 'static, F: Future<Output = T> + Send + 'static>(
        &self,
        command: impl FnOnce(EngineHandle) -> F,
    ) -> T {
        let live = self.engine.as_ref().expect("the engine runs");
        let asked = live.runtime.spawn(command(live.handle.clone()));
        asked.await.expect("a command does not panic")
    }

    /// Asks for the loop of a pull request, which may be refused.
    pub async fn try_start_loop(&self, pull: &str) -> Result<LoopId, StartError> {
        let pull = PullName::parse(pull).expect("the name is well formed");
        self.in_engine_runtime(|handle| async move { handle.start(&pull).await })
            .await
    }

    /// Starts the loop of a pull request.
    pub async fn start_loop(&self, number: u64) {
        self.try_start_loop(&format!("{}#{number}", self.repo()))
            .await
            .expect("the loop is started");
    }

    /// Starts the loop of pull request 1 and waits until it is ready.
    pub async fn start_loop_until_ready(&self) -> Arc<LoopState> {
        self.start_loop(1).await;
        self.wait_for_state(1, State::PrReadyToMerge).await
    }

    /// Asks for a new run from the beginning.
    pub async fn retry(&self, number: u64) -> Result<(), CommandError> {
        let pull = self.pull_name(number);
        self.in_engine_runtime(|handle| async move { handle.retry(&pull).await })
            .await
    }

    /// Asks for a new run with what is known.
    pub async fn resume(&self, number: u64) -> Result<(), CommandError> {
        let pull = self.pull_name(number);
        self.in_engine_runtime(|handle| async move { handle.resume(&pull, 0).await })
            .await
    }

    /// The signed-in account decides what may be run and fixed in the repository of a loop.
    pub async fn decide(&self, number: u64, decision: TrustDecision) -> Result<(), CommandError> {
        let repo = self.pull_name(number).repo;
        let id = self.state(number).id.repository();
        self.in_engine_runtime(|handle| async move { handle.decide(&repo, &id, &decision).await })
            .await
    }

    /// Sets how far Collie goes by itself in the loop.
    pub async fn set_autonomy(&self, number: u64, level: Autonomy) {
        let pull = self.pull_name(number);
        self.in_engine_runtime(
            move |handle| async move { handle.set_autonomy(&pull, level).await },
        )
        .await
        .expect("the level is set");
    }

    /// Pauses everything, or lets it go on.
    pub async fn set_paused(&self, paused: bool) {
        let by = Login::new("me");
        self.in_engine_runtime(move |handle| async move { handle.set_paused(paused, &by).await })
            .await
            .expect("the journal can be written");
    }

    /// Lets the commit be pushed that waits, or another one.
    pub async fn approve(&self, number: u64, commit: &Sha) -> Result<(), CommandError> {
        let (pull, commit) = (self.pull_name(number), commit.clone());
        self.in_engine_runtime(|handle| async move { handle.approve_push(&pull, &commit).await })
            .await
    }

    /// Does not let it be pushed.
    pub async fn reject(
        &self,
        number: u64,
        commit: &Sha,
        note: &'static str,
    ) -> Result<(), CommandError> {
        let (pull, commit) = (self.pull_name(number), commit.clone());
        self.in_engine_runtime(move |handle| async move {
            handle.reject_push(&pull, &commit, note).await
        })
        .await
    }

    /// Cancels the loop as ana.
    pub fn cancel(&self, number: u64) {
        self.handle()
            .cancel(&self.pull_name(number), &Login::new("ana"))
            .expect("the loop can be cancelled");
    }

    /// The loop as it stands.
    pub fn state(&self, number: u64) -> Arc<LoopState> {
        self.handle()
            .find(&self.pull_name(number))
            .expect("there is a loop")
    }

    /// Waits until the loop is as wanted.
    pub async fn wait_until(
        &self,
        number: u64,
        what: &str,
        is: impl Fn(&LoopState) -> bool,
    ) -> Arc<LoopState> {
        let found = wait_until(what, async || {
            let state = self.state(number);
            if is(&state) {
                Ok(state)
            } else {
                Err(Standing(state))
            }
        });
        found.await
    }

    /// Waits until the loop is in a state and has said and done all it wanted to.
    pub async fn wait_for_state(&self, number: u64, wanted: State) -> Arc<LoopState> {
        let what = wanted.to_string();
        self.wait_until(number, &what, |state| {
            assert!(
                state.run.state == wanted || !state.run.state.is_terminal(),
                "ended as {} ({:?}), not as {wanted}",
                state.run.state,
                state.run.stop
            );
            state.run.state == wanted && state.is_settled()
        })
        .await
    }

    /// Waits until the loop names a blocker.
    pub async fn wait_for_blocker(&self, number: u64, code: &str) -> Arc<LoopState> {
        self.wait_until(number, code, |state| {
            state.run.blocker.as_ref().is_some_and(|b| b.code() == code)
        })
        .await
    }

    /// Waits until the engine has read the pull request so many times more.
    pub async fn wait_for_observations(&self, number: u64, times: u32) {
        let mut seen = self.state(number).run.polling.last_snapshot.at;
        for _ in 0..times {
            seen = self
                .wait_until(number, "another reading", |state| {
                    state.run.polling.last_snapshot.at > seen
                })
                .await
                .run
                .polling
                .last_snapshot
                .at;
        }
    }

    /// Asks GraphQL about pull request 1, whose id is the variable `$id`.
    pub async fn graphql(&self, login: &str, query: &str) -> Value {
        self.graphql_about_pull(login, 1, query).await
    }

    /// The same about anything else.
    pub async fn graphql_about(&self, login: &str, id: &Value, query: &str) -> Value {
        self.graphql_data(login, query, json!({"id": id})).await
    }

    /// Everything that Collie said on a pull request: conversation, reviews, inline.
    pub async fn posted_bodies(&self, number: u64) -> Vec<String> {
        let mut bodies = Vec::new();
        for place in [
            "issues/{n}/comments",
            "pulls/{n}/reviews",
            "pulls/{n}/comments",
        ] {
            let place = place.replace("{n}", &number.to_string());
            let list = self.repo_get(&format!("/{place}?per_page=100")).await;
            let own = list
                .as_array()
                .expect("a list")
                .iter()
                .filter(|one| one["user"]["login"] == COLLIE);
            bodies.extend(own.filter_map(|one| one["body"].as_str().map(str::to_owned)));
        }
        bodies
    }

    /// The commits of Collie on a branch, newest first, as their messages.
    pub fn fix_commits(&self, branch: &str) -> Vec<String> {
        self.fix_commits_at(&format!("refs/heads/{branch}"))
    }

    /// The same of a pull request, wherever its branch is.
    pub fn fix_commits_of(&self, number: u64) -> Vec<String> {
        self.fix_commits_at(&format!("refs/pull/{number}/head"))
    }

    fn fix_commits_at(&self, name: &str) -> Vec<String> {
        let log = git(&self.bare_repository(), &["log", "--format=%B%x00", name]);
        log.split('\0')
            .map(|message| message.trim().to_owned())
            .filter(|message| message.contains("Collie-Run: "))
            .collect()
    }

    /// What the journal remarks of a loop, in order.
    pub async fn notes(&self, number: u64) -> Vec<Note> {
        let folder = DataFolder::at(self.data_folder()).expect("a path");
        let journal = open_reader(&folder).await.expect("the journal can be read");
        let timeline = journal.timeline(&self.state(number).id).await;
        journal.close().await;
        let entries = timeline.expect("the timeline can be read");
        entries.into_iter().flat_map(|entry| entry.notes).collect()
    }

    /// The lines of the audit log, as their actions.
    pub fn audit_entries(&self) -> Vec<Value> {
        let text: String = folder_entries(&self.data_folder().join("audit"))
            .iter()
            // Beside the lines lies where they end.
            .filter(|file| file.extension().is_some_and(|ending| ending == "jsonl"))
            .map(|file| std::fs::read_to_string(file).expect("it can be read"))
            .collect();
        text.lines()
            .map(|line| serde_json::from_str(line).expect("each line is JSON"))
            .collect()
    }

    /// The folders of worktrees that are left.
    pub fn worktrees(&self) -> BTreeSet<String> {
        let mut found = BTreeSet::new();
        let mut open = vec![self.data_folder().join("git/worktrees")];
        while let Some(folder) = open.pop() {
            for entry in folder_entries(&folder) {
                let name = entry.file_name().expect("it has a name").to_string_lossy();
                if name.starts_with("pr-") {
                    found.insert(name.into_owned());
                } else if entry.is_dir() {
                    open.push(entry);
                }
            }
        }
        found
    }

    fn pull_name(&self, number: u64) -> PullName {
        PullName::parse(&format!("{}#{number}", self.repo())).expect("the name is well formed")
    }
}

/// What is in a folder, which may not be there yet, or not any more.
fn folder_entries(folder: &Path) -> Vec<PathBuf> {
    let entries = match std::fs::read_dir(folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Vec::new(),
        entries => entries.expect("the folder can be read"),
    };
    let paths = entries.map(|entry| entry.expect("the folder can be read").path());
    paths.collect()
}
