//! One forge, one engine, and everybody who plays a part, in one process.

use super::clock::ManualClock;
use super::fixture::{self, AUTHOR, REPO, RepositoryFixture, git};
use super::pause_points::{self, PausePoints};
use collie_app::local_engine::{self, EngineSetup, LocalEngineError};
use collie_config::{Config, LiveConfig};
use collie_core::ids::{Login, LoopId, PullName};
use collie_core::lifecycle::State;
use collie_core::loop_state::LoopState;
use collie_engine::{CommandError, Engine, EngineConfig, EngineHandle, StartError};
use collie_forge::Forge;
use collie_github::{Token, TokenSource};
use collie_reviewers::activity::ActivityRegistry;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tempfile::TempDir;
use tokio::runtime::{Builder, Runtime};

/// No wait lasts longer.
pub const WAIT_TIMEOUT: Duration = Duration::from_secs(60);
/// How often a waiting test looks.
const POLL_INTERVAL: Duration = Duration::from_millis(10);

/// What a test may expect to be left over at its end.
#[derive(Default)]
pub struct Expectations {
    /// Refusals (422) by the forge.
    pub refused_requests: bool,
    /// Effects that wait for something that never comes.
    pub pending_effects: bool,
}

/// The forge, until the test is over.
pub struct ForgeServer(Option<collie_forge::RunningForge>);

impl ForgeServer {
    /// The root of its repositories.
    pub fn git_url(&self) -> String {
        self.0.as_ref().expect("it is served").git_url()
    }

    /// Stops it, once.
    pub async fn stop(&mut self) {
        if let Some(running) = self.0.take() {
            running.shutdown().await;
        }
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
    /// The forge.
    pub forge_server: ForgeServer,
    /// The folder of everything.
    pub dir: TempDir,
    /// What everybody does right now.
    pub activities: Arc<ActivityRegistry>,
    http: reqwest::Client,
    config: Config,
    token: String,
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

impl TestContext {
    pub(crate) async fn new(fixture: &RepositoryFixture) -> Self {
        let dir = tempfile::tempdir().expect("the temporary folder is writable");
        let source = dir.path().join("source");
        fixture.build(&source);
        let forge = Forge::open(&dir.path().join("forge")).expect("the forge opens");
        let name = REPO.parse().expect("the name is well formed");
        forge.import(&name, &source).await.expect("it is imported");
        let (base, head) = (fixture.base_branch, fixture.head_branch);
        forge
            .open_pr(&name, base, head, "Change things", "Please look.", AUTHOR)
            .await
            .expect("the pull request opens");
        let address = "127.0.0.1:0".parse().expect("the address is well formed");
        let forge = forge.serve(address).await.expect("the forge listens");
        let mut layer = fixture.layer.clone();
        layer.github_api_url = Some(forge.api_url());
        let config = Config::resolve(dir.path().join("data"), &[layer])
            .expect("the test's configuration is well formed");
        Self {
            clock: Arc::default(),
            pause_points: Arc::default(),
            expectations: Expectations::default(),
            forge_server: ForgeServer(Some(forge)),
            dir,
            activities: Arc::default(),
            http: reqwest::Client::new(),
            config,
            token: format!("forge-{}", fixture.login),
            engine: None,
        }
    }

    /// The data folder.
    pub fn data_folder(&self) -> PathBuf {
        self.dir.path().join("data")
    }

    /// Signs in with another token from the next start of the engine on.
    pub fn set_token(&mut self, token: &str) {
        self.token = token.to_owned();
    }

    /// Starts the engine on the data folder, as a new process would.
    pub async fn start_engine(&mut self) {
        let since = Instant::now();
        loop {
            match self.try_start().await {
                Ok(live) => {
                    self.engine = Some(live);
                    return;
                }
                // The last of a crashed engine's threads may still be about to let go of the folder.
                Err((error, runtime)) => {
                    runtime.shutdown_background();
                    assert!(since.elapsed() < WAIT_TIMEOUT, "the engine starts: {error}");
                    assert!(matches!(error, LocalEngineError::Open(_)), "{error}");
                    tokio::time::sleep(POLL_INTERVAL).await;
                }
            }
        }
    }

    async fn try_start(&self) -> Result<RunningEngine, (LocalEngineError, Runtime)> {
        let runtime = Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()
            .expect("threads can be started");
        let wiring = EngineSetup {
            config: LiveConfig::new(self.config.clone()),
            tokens: TokenSource::Given(Token::new(&self.token).expect("a token has no blanks")),
            activities: self.activities.clone(),
        };
        let settings = EngineConfig {
            slots: self.config.slots,
            requests_every_ms: 100,
            doubt_delay_ms: 200,
            ..EngineConfig::default()
        };
        let (clock, holds) = (self.clock.clone(), self.pause_points.clone());
        let started = runtime.spawn(async move {
            let (ports, _) = local_engine::build_ports(wiring, clock).await?;
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
        self.try_start_loop(&format!("{REPO}#{number}"))
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
        let pull = pull_name(number);
        self.in_engine_runtime(|handle| async move { handle.retry(&pull).await })
            .await
    }

    /// Asks for a new run with what is known.
    pub async fn resume(&self, number: u64) -> Result<(), CommandError> {
        let pull = pull_name(number);
        self.in_engine_runtime(|handle| async move { handle.resume(&pull).await })
            .await
    }

    /// Cancels the loop as ana.
    pub fn cancel(&self, number: u64) {
        self.handle()
            .cancel(&pull_name(number), &Login::new("ana"))
            .expect("the loop can be cancelled");
    }

    /// The loop as it stands.
    pub fn state(&self, number: u64) -> Arc<LoopState> {
        self.handle()
            .find(&pull_name(number))
            .expect("there is a loop")
    }

    /// Waits until the loop is as wanted.
    pub async fn wait_until(
        &self,
        number: u64,
        what: &str,
        is: impl Fn(&LoopState) -> bool,
    ) -> Arc<LoopState> {
        let since = Instant::now();
        loop {
            let state = self.state(number);
            if is(&state) {
                return state;
            }
            assert!(
                since.elapsed() < WAIT_TIMEOUT,
                "waited in vain for {what}: {} because of {:?}, stop {:?}, outbox {:#?}",
                state.run.state,
                state.run.blocker,
                state.run.stop,
                state.outbox.effects.values().collect::<Vec<_>>()
            );
            tokio::time::sleep(POLL_INTERVAL).await;
        }
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

    /// Sends a request to the forge as somebody; gives status and body.
    pub async fn try_call(
        &self,
        login: &str,
        method: &str,
        path: &str,
        body: Option<Value>,
    ) -> (u16, Value) {
        let method = method.parse().expect("the method is well formed");
        let url = format!("{}{path}", self.forge_server.git_url());
        let mut request = self
            .http
            .request(method, url)
            .header("authorization", format!("Bearer forge-{login}"));
        if let Some(body) = body {
            request = request.json(&body);
        }
        let answer = request.send().await.expect("the forge answers");
        let status = answer.status().as_u16();
        let bytes = answer.bytes().await.expect("the answer is whole");
        (
            status,
            serde_json::from_slice(&bytes).unwrap_or(Value::Null),
        )
    }

    /// Sends a request that must be granted.
    pub async fn call(&self, login: &str, method: &str, path: &str, body: Option<Value>) -> Value {
        let (status, answer) = self.try_call(login, method, path, body).await;
        assert!(
            (200..300).contains(&status),
            "{login}: {method} {path}: {status}: {answer:#}"
        );
        answer
    }

    /// Calls something below the repository.
    pub async fn repo_call(
        &self,
        login: &str,
        method: &str,
        path: &str,
        body: Option<Value>,
    ) -> Value {
        let path = format!("/api/v3/repos/{REPO}{path}");
        self.call(login, method, &path, body).await
    }

    /// Reads something of the repository as the author.
    pub async fn repo_get(&self, path: &str) -> Value {
        self.repo_call(AUTHOR, "GET", path, None).await
    }

    /// Asks GraphQL about pull request 1, whose id is the variable `$id`.
    pub async fn graphql(&self, login: &str, query: &str) -> Value {
        let id = self.repo_get("/pulls/1").await["node_id"].clone();
        self.graphql_about(login, &id, query).await
    }

    /// The same about anything else.
    pub async fn graphql_about(&self, login: &str, id: &Value, query: &str) -> Value {
        let body = json!({"query": query, "variables": {"id": id}});
        let answer = self.call(login, "POST", "/api/graphql", Some(body)).await;
        assert!(answer.get("errors").is_none(), "{answer:#}");
        answer["data"].clone()
    }

    /// Sets faults of the forge.
    pub async fn set_faults(&self, faults: Value) {
        self.call(AUTHOR, "POST", "/_forge/faults", Some(faults))
            .await;
    }

    /// Takes all faults of the forge back.
    pub async fn clear_faults(&self) {
        self.call(AUTHOR, "DELETE", "/_forge/faults", None).await;
    }

    /// Changes the repository's settings.
    pub async fn change_repository(&self, settings: Value) {
        let path = format!("/_forge/repos/{REPO}");
        self.call("demo", "PATCH", &path, Some(settings)).await;
    }

    /// How often the forge was asked, by route.
    pub async fn request_counts(&self) -> Value {
        self.call(AUTHOR, "GET", "/_forge/requests", None).await
    }

    /// Counts the forge's requests from nothing again.
    pub async fn reset_request_counts(&self) {
        self.call(AUTHOR, "DELETE", "/_forge/requests", None).await;
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
                .filter(|one| one["user"]["login"] == fixture::COLLIE);
            bodies.extend(own.filter_map(|one| one["body"].as_str().map(str::to_owned)));
        }
        bodies
    }

    /// The commits of Collie on a branch, newest first, as their messages.
    pub fn fix_commits(&self, branch: &str) -> Vec<String> {
        let log = git(
            &self.bare_repository(),
            &["log", "--format=%B%x00", &format!("refs/heads/{branch}")],
        );
        log.split('\0')
            .map(|message| message.trim().to_owned())
            .filter(|message| message.contains("Collie-Run: "))
            .collect()
    }

    /// The forge's own repository.
    pub fn bare_repository(&self) -> PathBuf {
        self.dir
            .path()
            .join("forge/git")
            .join(format!("{REPO}.git"))
    }

    /// A file on a branch of the forge.
    pub fn file(&self, branch: &str, path: &str) -> String {
        git(
            &self.bare_repository(),
            &["show", &format!("refs/heads/{branch}:{path}")],
        )
    }

    /// The head of a branch on the forge.
    pub fn sha(&self, branch: &str) -> String {
        git(
            &self.bare_repository(),
            &["rev-parse", &format!("refs/heads/{branch}")],
        )
    }

    /// Somebody commits files to a branch, on top of what is there, and pushes.
    pub fn push(&self, branch: &str, files: &[(&str, &str)]) -> String {
        self.push_from(branch, branch, files)
    }

    /// The same, to a branch that may be new.
    pub fn push_from(&self, start: &str, branch: &str, files: &[(&str, &str)]) -> String {
        let work = self.dir.path().join("source");
        let url = self
            .forge_server
            .git_url()
            .replace("http://", &format!("http://{AUTHOR}:forge-{AUTHOR}@"));
        let url = format!("{url}/{REPO}.git");
        git(&work, &["fetch", "-q", &url, start]);
        git(&work, &["checkout", "-q", "-B", branch, "FETCH_HEAD"]);
        let files: Vec<_> = files
            .iter()
            .map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec()))
            .collect();
        fixture::write_files(&work, &files);
        git(&work, &["add", "-A"]);
        git(&work, &["commit", "-q", "--allow-empty", "-m", "More"]);
        git(&work, &["push", "-q", &url, branch]);
        git(&work, &["rev-parse", "HEAD"])
    }

    /// Opens another pull request from a new branch.
    pub async fn open_pull(&self, branch: &str, files: &[(&str, &str)]) -> u64 {
        self.push_from("main", branch, files);
        let new = json!({"title": branch, "head": branch, "base": "main"});
        let made = self.repo_call(AUTHOR, "POST", "/pulls", Some(new)).await;
        made["number"].as_u64().expect("it has a number")
    }

    /// The lines of the audit log, as their actions.
    pub fn audit_entries(&self) -> Vec<Value> {
        let Ok(files) = std::fs::read_dir(self.data_folder().join("audit")) else {
            return Vec::new();
        };
        let text: String = files
            .map(|file| std::fs::read_to_string(file.expect("it is listed").path()))
            .collect::<Result<_, _>>()
            .expect("it can be read");
        text.lines()
            .map(|line| serde_json::from_str(line).expect("each line is JSON"))
            .collect()
    }

    /// The folders of worktrees that are left.
    pub fn worktrees(&self) -> BTreeSet<String> {
        let mut found = BTreeSet::new();
        let mut open = vec![self.data_folder().join("git/worktrees")];
        while let Some(folder) = open.pop() {
            for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
                let name = entry.file_name().to_string_lossy().into_owned();
                if name.starts_with("pr-") {
                    found.insert(name);
                } else if entry.path().is_dir() {
                    open.push(entry.path());
                }
            }
        }
        found
    }
}

fn pull_name(number: u64) -> PullName {
    PullName::parse(&format!("{REPO}#{number}")).expect("the name is well formed")
}
