//! A demo that lives on: a forge below the user's data folder, for the desktop app.

mod actor_tasks;
mod demo_speed;
mod record;
mod repositories;

pub use demo_speed::DemoSpeed;

use super::actors::ScenarioPull;
use super::forge_client::ForgeClient;
use super::scripted_model::{self, ScriptedModel};
use super::verify_scenario::COLLIE_LOGIN;
use super::{DemoError, SCENARIOS, Scenario, run, sample_files, stage};
use crate::engine_client::local::EngineSetup;
use actor_tasks::ActorTasks;
use collie_config::{ConfigLayer, WatchedRepository};
use collie_core::ids::{Login, PullName, RepoName};
use collie_core::loop_state::LoopState;
use collie_forge::{ForgeError, RunningForge};
use collie_github::Token;
use record::{PlayedPull, PlaygroundRecord};
use std::fs::File;
use std::io::ErrorKind;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::broadcast::Receiver;

/// Ports below those that systems give to outgoing connections, so that nothing sits on the demo's by chance.
const PORTS: std::ops::Range<u16> = 20_000..32_000;

/// How many of them are tried before the system is asked for any.
const MAX_PORT_ATTEMPTS: u32 = 16;

/// A forge with every scenario, served on an address that stays the same, and the people who play there.
#[derive(Debug)]
pub struct Playground {
    root: PathBuf,
    speed: DemoSpeed,
    /// None once it is closed.
    forge: tokio::sync::Mutex<Option<RunningForge>>,
    api_url: String,
    client: ForgeClient,
    model: ScriptedModel,
    record: Mutex<PlaygroundRecord>,
    /// Held while a scenario is made playable again.
    reopen_lock: tokio::sync::Mutex<()>,
    actors: ActorTasks,
    /// Locked until this is closed or dropped, so that a second process keeps out.
    lock: File,
}

impl Playground {
    /// Opens the playground at `root`, such as `<data>/demo`, or makes one where none is, or a half-made one.
    ///
    /// `pace` is baked into the repositories when they are made. Fails with [`DemoError::InUse`] when another process
    /// has it, with [`DemoError::PortTaken`] when its port is taken, with [`DemoError::Damaged`] when it must be made
    /// anew, with [`DemoError::NoGit`].
    pub async fn open(root: &Path, speed: DemoSpeed) -> Result<Self, DemoError> {
        std::fs::create_dir_all(root).map_err(DemoError::write(root))?;
        let lock = acquire_lock(root)?;
        sample_files::run_git(root, &["--version"], COLLIE_LOGIN).await?;
        let (forge, door, record) = match PlaygroundRecord::read(root)? {
            Some(record) => {
                let forge = serve_forge(root, record.port).await?;
                let door = ForgeClient::new(&forge);
                (forge, door, record)
            }
            None => create(root, speed).await?,
        };
        let folder = repositories::scenario_folder(Scenario::ThreeRounds)?;
        let model = ScriptedModel::serve(&folder).await?;
        scripted_model::write_prices(&root.join("data"))?;
        Ok(Self {
            root: root.to_owned(),
            speed,
            api_url: forge.api_url(),
            forge: tokio::sync::Mutex::new(Some(forge)),
            client: door,
            model,
            record: Mutex::new(record),
            reopen_lock: tokio::sync::Mutex::default(),
            actors: ActorTasks::default(),
            lock,
        })
    }

    /// Removes the playground at `root` with its data folder, whose engine must have ended. Files that are not of it stay.
    ///
    /// Fails with [`DemoError::InUse`] while it is open.
    pub fn remove(root: &Path) -> Result<(), DemoError> {
        if !root.exists() {
            return Ok(());
        }
        let lock = acquire_lock(root)?;
        remove_files(root)?;
        drop(lock);
        let path = root.join(LOCK_FILE);
        std::fs::remove_file(&path).map_err(DemoError::write(&path))?;
        match std::fs::remove_dir(root) {
            Err(error) if error.kind() != ErrorKind::DirectoryNotEmpty => {
                Err(DemoError::write(root)(error))
            }
            Ok(()) | Err(_) => Ok(()),
        }
    }

    /// The address of the API, such as `http://127.0.0.1:21234/api/v3`; the same at every start.
    pub fn api_url(&self) -> String {
        self.api_url.clone()
    }

    /// How Collie is put together on it, with a data folder of its own.
    pub fn engine_setup(&self, language: &'static str) -> EngineSetup {
        let layer = stage::config_layer(&self.api_url(), &self.model.url());
        run::engine_setup(&self.root, layer, self.token(), language)
    }

    /// What a data folder on it needs of its configuration; its repositories are in the sidebar.
    pub fn config_layer(&self) -> ConfigLayer {
        let mut repositories: Vec<RepoName> = Vec::new();
        for (_, pull) in self.pulls() {
            if !repositories.contains(&pull.repo) {
                repositories.push(pull.repo);
            }
        }
        ConfigLayer {
            // An hour of it stays within the quota that a token has.
            poll_interval: Some(2_000),
            ready_poll_interval: Some(4_000),
            repositories: Some(
                repositories
                    .into_iter()
                    .map(WatchedRepository::new)
                    .collect(),
            ),
            ..stage::config_layer(&self.api_url(), &self.model.url())
        }
    }

    /// Its data folder.
    pub fn data_folder(&self) -> PathBuf {
        self.root.join("data")
    }

    /// The token of whom Collie works as.
    pub fn token(&self) -> Token {
        stage::collie_token(&self.client)
    }

    /// What somebody of the cast signs in with, until this is closed.
    pub fn token_of(&self, login: &str) -> String {
        self.client.token_of(login)
    }

    /// The account that Collie works as.
    pub fn login(&self) -> Login {
        Login::new(COLLIE_LOGIN)
    }

    /// The present pull request of each scenario, in the order shown.
    pub fn pulls(&self) -> Vec<(Scenario, PullName)> {
        let record = self.record();
        let of = |scenario: Scenario| {
            let played = record.pulls.get(scenario.name())?;
            let (repo, number) = (played.repo.clone(), played.number);
            Some((scenario, PullName { repo, number }))
        };
        SCENARIOS.into_iter().filter_map(of).collect()
    }

    /// The scenario whose present pull request this is.
    pub fn scenario_of(&self, pull: &PullName) -> Option<Scenario> {
        let found = self.pulls().into_iter().find(|(_, name)| name == pull);
        found.map(|(scenario, _)| scenario)
    }

    /// Lets people play their parts in a scenario from now on, until its loop ends, the engine does, or this is closed.
    ///
    /// `changes` shows the loops as they change, from before the loop was started. To be called for each loop that is
    /// started, and after a restart for each that has not ended; what was done is not done again.
    pub fn start_actors(
        &self,
        scenario: Scenario,
        changes: Receiver<Arc<LoopState>>,
    ) -> Result<(), DemoError> {
        let place = self.scenario_pull(scenario)?;
        self.actors
            .start(self.client.clone(), place, self.speed, changes);
        Ok(())
    }

    /// Opens a scenario's pull request once more, from a new branch; gives its name. The one before is closed, and where
    /// it was merged, `main` is put back. To be called when its loop has ended.
    pub async fn reopen_scenario(&self, scenario: Scenario) -> Result<PullName, DemoError> {
        let _one = self.reopen_lock.lock().await;
        self.actors.stop(scenario).await;
        let place = self.scenario_pull(scenario)?;
        let take = self.current_pull(scenario)?.take + 1;
        let pull = sample_files::pull_file(scenario)?;
        let path = format!("/repos/{}/pulls/{}", place.pull.repo, place.pull.number);
        if self.client.get(&pull.author, &path).await?["state"] == "open" {
            let body = serde_json::json!({ "state": "closed" });
            self.client.patch(&pull.author, &path, &body).await?;
        }
        let branch = format!("{}-{take}", pull.branch);
        push_fresh_branch(&self.client, &place, &pull, &branch).await?;
        let played = repositories::open_scenario_pull(
            &self.client,
            scenario,
            &place.pull.repo,
            branch,
            take,
        )
        .await?;
        let name = repositories::scenario_pull(scenario, &played)?.pull;
        let mut record = self.record();
        let mut next = record.clone();
        next.pulls.insert(scenario.name().to_owned(), played);
        next.write(&self.root)?;
        *record = next;
        Ok(name)
    }

    /// Ends everybody's part and the forge. Everything on disk stays.
    pub async fn close(&self) {
        self.actors.stop_all().await;
        let forge = self.forge.lock().await.take();
        if let Some(forge) = forge {
            forge.shutdown().await;
        }
        // Closing the file frees it as well; somebody may hold this for a moment longer.
        let _ = self.lock.unlock();
    }

    fn record(&self) -> MutexGuard<'_, PlaygroundRecord> {
        self.record.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn current_pull(&self, scenario: Scenario) -> Result<PlayedPull, DemoError> {
        let found = self.record().pulls.get(scenario.name()).cloned();
        found.ok_or_else(|| DemoError::RecordDamaged {
            path: PlaygroundRecord::path(&self.root),
            why: format!("it does not know {scenario}"),
        })
    }

    fn scenario_pull(&self, scenario: Scenario) -> Result<ScenarioPull, DemoError> {
        repositories::scenario_pull(scenario, &self.current_pull(scenario)?)
    }
}

const LOCK_FILE: &str = "lock";

fn acquire_lock(root: &Path) -> Result<File, DemoError> {
    let path = root.join(LOCK_FILE);
    let file = File::create(&path).map_err(DemoError::write(&path))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(std::fs::TryLockError::WouldBlock) => Err(DemoError::InUse(root.to_owned())),
        Err(std::fs::TryLockError::Error(error)) => Err(DemoError::write(&path)(error)),
    }
}

/// Removes all that a playground puts into its root; the record first, so that what a sudden end leaves is half-made.
fn remove_files(root: &Path) -> Result<(), DemoError> {
    let record = PlaygroundRecord::path(root);
    ignore_not_found(&record, std::fs::remove_file(&record))?;
    for name in ["forge", "sources", "data"] {
        let folder = root.join(name);
        ignore_not_found(&folder, std::fs::remove_dir_all(&folder))?;
    }
    Ok(())
}

fn ignore_not_found(path: &Path, removed: std::io::Result<()>) -> Result<(), DemoError> {
    match removed {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(DemoError::write(path)(error)),
        Ok(()) | Err(_) => Ok(()),
    }
}

async fn serve_forge(root: &Path, port: u16) -> Result<RunningForge, DemoError> {
    // Whoever else can reach the port plays nobody.
    let tokens = collie_forge::TokenScheme::secret();
    let opened = collie_forge::Forge::open_with(&root.join("forge"), tokens);
    let forge = opened.map_err(|error| match error {
        ForgeError::RootInUse(_) => DemoError::InUse(root.to_owned()),
        ForgeError::Corrupt { path, line, why } => DemoError::RecordDamaged {
            path,
            why: format!("line {line}: {why}"),
        },
        other => DemoError::Forge(other),
    })?;
    let addr = SocketAddr::from(([127, 0, 0, 1], port));
    forge.serve(addr).await.map_err(|error| match error {
        ForgeError::Listen { source, .. } if source.kind() == ErrorKind::AddrInUse => {
            DemoError::PortTaken(port)
        }
        other => DemoError::Forge(other),
    })
}

async fn create(
    root: &Path,
    pace: DemoSpeed,
) -> Result<(RunningForge, ForgeClient, PlaygroundRecord), DemoError> {
    remove_files(root)?;
    let running = serve_on_free_port(root).await?;
    let door = ForgeClient::new(&running);
    match repositories::create_repositories(root, &running, &door, pace).await {
        Ok(record) => {
            let sources = root.join("sources");
            ignore_not_found(&sources, std::fs::remove_dir_all(&sources))?;
            record.write(root)?;
            Ok((running, door, record))
        }
        Err(error) => {
            running.shutdown().await;
            Err(error)
        }
    }
}

async fn serve_on_free_port(root: &Path) -> Result<RunningForge, DemoError> {
    for _ in 0..MAX_PORT_ATTEMPTS {
        let port = rand::random_range(PORTS);
        match serve_forge(root, port).await {
            Err(DemoError::PortTaken(_)) => {}
            served => return served,
        }
    }
    serve_forge(root, 0).await
}

/// Puts the scenario's files on `main` back to where they began, and pushes its branch under a new name.
async fn push_fresh_branch(
    client: &ForgeClient,
    target: &ScenarioPull,
    pull: &sample_files::PullFile,
    branch: &str,
) -> Result<(), DemoError> {
    let folder = tempfile::tempdir().map_err(DemoError::write("a temporary folder"))?;
    let path = folder.path();
    let own = path.join(&target.folder);
    let url = client.clone_url(&target.pull.repo);
    let git = async |args: &[&str], login: &str| {
        sample_files::run_git_signed_in(client, path, args, login).await
    };
    git(&["clone", "--quiet", &url, "."], COLLIE_LOGIN).await?;
    repositories::copy_base(target.scenario, &own)?;
    if sample_files::run_git(path, &["diff", "--quiet", "HEAD"], COLLIE_LOGIN)
        .await
        .is_err()
    {
        let message = format!("Revert \"{}\"", pull.title);
        sample_files::commit_all(path, &message, COLLIE_LOGIN).await?;
        git(&["push", "--quiet", "origin", "main"], COLLIE_LOGIN).await?;
    }
    let who = pull.author.as_str();
    sample_files::run_git(path, &["switch", "--quiet", "--create", branch], who).await?;
    sample_files::copy_layer(&format!("{}/head", target.scenario), &own)?;
    sample_files::commit_all(path, &pull.title, who).await?;
    git(&["push", "--quiet", "--force", "origin", branch], who).await
}
