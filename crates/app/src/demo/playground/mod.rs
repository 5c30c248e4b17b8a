//! A demo that lives on: a forge below the user's data folder, for the desktop app.

mod land;
mod parts;
mod record;

use super::cast::Place;
use super::door::Forge;
use super::judge::COLLIE;
use super::{DemoError, SCENARIOS, Scenario, files, run};
use crate::assemble::Wiring;
use crate::config::{Layer, WatchedRepository};
use collie_core::ids::{Login, PullName, RepoName};
use collie_core::model::LoopState;
use collie_forge::{ForgeError, Running};
use collie_github::Token;
use parts::Parts;
use record::{Played, Record};
use std::fs::File;
use std::io::ErrorKind;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::broadcast::Receiver;

/// Ports below those that systems give to outgoing connections, so that nothing sits on the demo's by chance.
const PORTS: std::ops::Range<u16> = 20_000..32_000;

/// How many of them are tried before the system is asked for any.
const TRIES: u32 = 16;

/// How fast checks, bots and people are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// As fast as they can: for tests.
    Brisk,
    /// So that somebody can watch: checks take seconds, bots and people too.
    Watchable,
}

/// A forge with every scenario, served on an address that stays the same, and the people who play there.
#[derive(Debug)]
pub struct Playground {
    root: PathBuf,
    pace: Pace,
    /// None once it is closed.
    forge: tokio::sync::Mutex<Option<Running>>,
    api_url: String,
    door: Forge,
    record: Mutex<Record>,
    /// Held while a scenario is made playable again.
    again: tokio::sync::Mutex<()>,
    parts: Parts,
    /// Locked until this is closed or dropped, so that a second process keeps out.
    lock: File,
}

impl Playground {
    /// Opens the playground at `root`, such as `<data>/demo`, or makes one where none is, or a half-made one.
    ///
    /// `pace` is baked into the repositories when they are made. Fails with [`DemoError::InUse`] when another process
    /// has it, with [`DemoError::PortTaken`] when its port is taken, with [`DemoError::Damaged`] when it must be made
    /// anew, with [`DemoError::NoGit`].
    pub async fn open(root: &Path, pace: Pace) -> Result<Self, DemoError> {
        std::fs::create_dir_all(root).map_err(DemoError::write(root))?;
        let lock = lock(root)?;
        files::git(root, &["--version"], COLLIE).await?;
        let (forge, door, record) = match Record::read(root)? {
            Some(record) => {
                let forge = serve(root, record.port).await?;
                let door = Forge::of(&forge);
                (forge, door, record)
            }
            None => make(root, pace).await?,
        };
        Ok(Self {
            root: root.to_owned(),
            pace,
            api_url: forge.api_url(),
            forge: tokio::sync::Mutex::new(Some(forge)),
            door,
            record: Mutex::new(record),
            again: tokio::sync::Mutex::default(),
            parts: Parts::default(),
            lock,
        })
    }

    /// Removes the playground at `root` with its data folder, whose engine must have ended. Files that are not of it stay.
    ///
    /// Fails with [`DemoError::InUse`] while it is open.
    pub fn forget(root: &Path) -> Result<(), DemoError> {
        if !root.exists() {
            return Ok(());
        }
        let lock = lock(root)?;
        clear(root)?;
        drop(lock);
        let path = root.join(LOCK);
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
    pub fn wiring(&self, language: &'static str) -> Wiring {
        run::wiring(&self.root, &self.api_url(), language)
    }

    /// What a data folder on it needs of its configuration; its repositories are in the sidebar.
    pub fn layer(&self) -> Layer {
        let mut repositories: Vec<RepoName> = Vec::new();
        for (_, pull) in self.pulls() {
            if !repositories.contains(&pull.repo) {
                repositories.push(pull.repo);
            }
        }
        Layer {
            // An hour of it stays within the quota that a token has.
            poll_interval: Some(2_000),
            ready_poll_interval: Some(4_000),
            repositories: Some(
                repositories
                    .into_iter()
                    .map(WatchedRepository::new)
                    .collect(),
            ),
            ..run::layer(&self.api_url())
        }
    }

    /// Its data folder.
    pub fn data(&self) -> PathBuf {
        self.root.join("data")
    }

    /// The token of whom Collie works as.
    pub fn token(&self) -> Token {
        run::token()
    }

    /// The account that Collie works as.
    pub fn login(&self) -> Login {
        Login::new(COLLIE)
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
    pub fn play(
        &self,
        scenario: Scenario,
        changes: Receiver<Arc<LoopState>>,
    ) -> Result<(), DemoError> {
        let place = self.place(scenario)?;
        self.parts
            .begin(self.door.clone(), place, self.pace, changes);
        Ok(())
    }

    /// Opens a scenario's pull request once more, from a new branch; gives its name. The one before is closed, and where
    /// it was merged, `main` is put back. To be called when its loop has ended.
    pub async fn again(&self, scenario: Scenario) -> Result<PullName, DemoError> {
        let _one = self.again.lock().await;
        self.parts.end(scenario).await;
        let place = self.place(scenario)?;
        let take = self.played(scenario)?.take + 1;
        let pull = files::pull(scenario)?;
        let path = format!("/repos/{}/pulls/{}", place.pull.repo, place.pull.number);
        if self.door.get(&pull.author, &path).await?["state"] == "open" {
            let body = serde_json::json!({ "state": "closed" });
            self.door.patch(&pull.author, &path, &body).await?;
        }
        let branch = format!("{}-{take}", pull.branch);
        push_anew(&self.door, &place, &pull, &branch).await?;
        let played = land::open(&self.door, scenario, &place.pull.repo, branch, take).await?;
        let name = land::place(scenario, &played)?.pull;
        let mut record = self.record();
        let mut next = record.clone();
        next.pulls.insert(scenario.name().to_owned(), played);
        next.write(&self.root)?;
        *record = next;
        Ok(name)
    }

    /// Ends everybody's part and the forge. Everything on disk stays.
    pub async fn close(&self) {
        self.parts.close().await;
        let forge = self.forge.lock().await.take();
        if let Some(forge) = forge {
            forge.shutdown().await;
        }
        // Closing the file frees it as well; somebody may hold this for a moment longer.
        let _ = self.lock.unlock();
    }

    fn record(&self) -> MutexGuard<'_, Record> {
        self.record.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn played(&self, scenario: Scenario) -> Result<Played, DemoError> {
        let found = self.record().pulls.get(scenario.name()).cloned();
        found.ok_or_else(|| DemoError::Damaged {
            path: Record::path(&self.root),
            why: format!("it does not know {scenario}"),
        })
    }

    fn place(&self, scenario: Scenario) -> Result<Place, DemoError> {
        land::place(scenario, &self.played(scenario)?)
    }
}

const LOCK: &str = "lock";

fn lock(root: &Path) -> Result<File, DemoError> {
    let path = root.join(LOCK);
    let file = File::create(&path).map_err(DemoError::write(&path))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(std::fs::TryLockError::WouldBlock) => Err(DemoError::InUse(root.to_owned())),
        Err(std::fs::TryLockError::Error(error)) => Err(DemoError::write(&path)(error)),
    }
}

/// Removes all that a playground puts into its root; the record first, so that what a sudden end leaves is half-made.
fn clear(root: &Path) -> Result<(), DemoError> {
    let record = Record::path(root);
    gone(&record, std::fs::remove_file(&record))?;
    for name in ["forge", "sources", "data"] {
        let folder = root.join(name);
        gone(&folder, std::fs::remove_dir_all(&folder))?;
    }
    Ok(())
}

fn gone(path: &Path, removed: std::io::Result<()>) -> Result<(), DemoError> {
    match removed {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(DemoError::write(path)(error)),
        Ok(()) | Err(_) => Ok(()),
    }
}

async fn serve(root: &Path, port: u16) -> Result<Running, DemoError> {
    let forge = collie_forge::Forge::open(&root.join("forge")).map_err(|error| match error {
        ForgeError::RootInUse(_) => DemoError::InUse(root.to_owned()),
        ForgeError::Corrupt { path, line, why } => DemoError::Damaged {
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

async fn make(root: &Path, pace: Pace) -> Result<(Running, Forge, Record), DemoError> {
    clear(root)?;
    let running = serve_anywhere(root).await?;
    let door = Forge::of(&running);
    match land::make(root, &running, &door, pace).await {
        Ok(record) => {
            let sources = root.join("sources");
            gone(&sources, std::fs::remove_dir_all(&sources))?;
            record.write(root)?;
            Ok((running, door, record))
        }
        Err(error) => {
            running.shutdown().await;
            Err(error)
        }
    }
}

async fn serve_anywhere(root: &Path) -> Result<Running, DemoError> {
    for _ in 0..TRIES {
        let port = rand::random_range(PORTS);
        match serve(root, port).await {
            Err(DemoError::PortTaken(_)) => {}
            served => return served,
        }
    }
    serve(root, 0).await
}

/// Puts the scenario's files on `main` back to where they began, and pushes its branch under a new name.
async fn push_anew(
    door: &Forge,
    place: &Place,
    pull: &files::PullFile,
    branch: &str,
) -> Result<(), DemoError> {
    let folder = tempfile::tempdir().map_err(DemoError::write("a temporary folder"))?;
    let path = folder.path();
    let own = path.join(&place.folder);
    let url = door.git(&place.pull.repo);
    files::git(path, &["clone", "--quiet", &url, "."], COLLIE).await?;
    land::lay_base(place.scenario, &own)?;
    if files::git(path, &["diff", "--quiet", "HEAD"], COLLIE)
        .await
        .is_err()
    {
        let message = format!("Revert \"{}\"", pull.title);
        files::commit(path, &message, COLLIE).await?;
        files::git(path, &["push", "--quiet", "origin", "main"], COLLIE).await?;
    }
    let who = pull.author.as_str();
    files::git(path, &["switch", "--quiet", "--create", branch], who).await?;
    files::lay(&format!("{}/head", place.scenario), &own)?;
    files::commit(path, &pull.title, who).await?;
    files::git(path, &["push", "--quiet", "--force", "origin", branch], who).await
}
