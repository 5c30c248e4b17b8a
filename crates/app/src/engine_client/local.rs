//! Wires the engine to everything it needs, the same for every host.

use crate::accounts::{AccountVault, KeyPlace};
use crate::auth::GitCredentials;
use crate::clock::SystemClock;
use crate::engine_client::journal::{
    OpenError, open_account_store, open_for_engine, review_memory,
};
use crate::engine_client::origin::Origin;
use crate::engine_client::policies::ConfiguredPolicies;
use crate::render::post_renderer::PostRenderer;
use collie_config::{
    Config, DataFolder, DataFolderError, DiskConfig, LiveConfig, data_paths, host_of,
};
use collie_core::text::KnownSecrets;
use collie_engine::ports::{
    ChangeTransfer, Clock, CommitTransfer, Fixer, Git, GitError, Journal, ReviewMemory, Reviewers,
    StoreError,
};
use collie_engine::{EffectPorts, Engine, EngineConfig, EngineError, EngineHandle, Ports};
use collie_git::{DiskLimits, DiskLimitsSource, GitOptions, Worktrees};
use collie_github::{ConnectError, GitHubClient, GitHubConfig, TokenSource};
use collie_i18n::{Redactor, Renderer};
use collie_reviewers::activity::ActivityRegistry;
use collie_reviewers::{GitHubPullReader, KeySources, Panel};
use collie_runners::{Elsewhere, ElsewhereParts, RunnerQueue};
use collie_sandbox::SandboxRunner;
use std::path::PathBuf;
use std::sync::Arc;

/// What is put together.
#[derive(Clone, Debug)]
pub struct EngineSetup {
    /// The configuration; its `home` is the data folder. What is put into force later holds for the next rounds.
    pub config: LiveConfig,
    /// Where the token comes from.
    pub tokens: TokenSource,
    /// Where reviewers and fixers show what they do.
    pub activities: Arc<ActivityRegistry>,
    /// The program that sandboxes begin with ([`collie_sandbox::own_program`]).
    pub sandbox_supervisor: PathBuf,
    /// Where sessions may be offered to runners on other machines; none are without it.
    pub runners: Option<Arc<RunnerQueue>>,
    /// Where the keys of language models are looked up.
    pub keys: KeySources,
    /// Where the key is kept that tokens of accounts are encrypted with (§18.2).
    pub account_key: KeyPlace,
}

/// Why Collie could not be put together.
#[derive(Debug, thiserror::Error)]
pub enum LocalEngineError {
    /// GitHub cannot be reached, or nobody is signed in.
    #[error(transparent)]
    Connect(#[from] ConnectError),
    /// The data folder cannot be opened, or another process runs its engine.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The data folder cannot be found.
    #[error(transparent)]
    Folder(#[from] DataFolderError),
    /// The folder for clones cannot be used.
    #[error(transparent)]
    Git(#[from] GitError),
    /// The engine did not start.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The loops of the data folder live elsewhere: an engine here would do their work as well.
    #[error("the loops that {} shows live in an engine elsewhere", .0.path().display())]
    LoopsElsewhere(DataFolder),
    /// The loops of the data folder are being moved.
    #[error("the loops of {} are being moved", .0.path().display())]
    MoveUnfinished(DataFolder),
    /// The data folder has loops of an engine of this machine's own.
    #[error("{} has loops of its own", .0.path().display())]
    LoopsOfItsOwn(DataFolder),
}

/// Collie, put together and running.
pub struct LocalEngine {
    engine: Engine,
    handle: EngineHandle,
    github: Arc<GitHubClient>,
}

impl LocalEngine {
    /// Takes the data folder and starts its engine, which goes on with every loop it finds there.
    pub async fn start(setup: EngineSetup) -> Result<Self, LocalEngineError> {
        let config = setup.config.get();
        let BuiltPorts { ports, github, .. } = build_ports(setup, Arc::new(SystemClock)).await?;
        // The folder is locked by now: nobody makes it one of loops elsewhere from here on.
        let folder = DataFolder::at(&config.home)?;
        match Origin::read(&folder)? {
            Some(origin) if origin.moving.is_some() => {
                return Err(LocalEngineError::MoveUnfinished(folder));
            }
            Some(_) => return Err(LocalEngineError::LoopsElsewhere(folder)),
            None => {}
        }
        let settings = EngineConfig {
            slots: config.slots,
            replayable_ms: u64::from(config.disk.replay_days) * 24 * 60 * 60_000,
            ..EngineConfig::default()
        };
        let engine = Engine::start(ports, settings).await?;
        let handle = engine.handle();
        Ok(Self {
            engine,
            handle,
            github,
        })
    }

    /// Starts, cancels and watches its loops.
    pub fn handle(&self) -> &EngineHandle {
        &self.handle
    }

    /// The client through which it reads and writes GitHub.
    pub fn github_client(&self) -> Arc<GitHubClient> {
        self.github.clone()
    }

    /// Returns when the engine has ended by itself, with the reason; holds its data folder until it is dropped.
    pub fn failure(&self) -> impl Future<Output = StoreError> + Send + 'static {
        self.engine.failure()
    }

    /// Pauses: children are stopped, everything can be resumed.
    pub async fn shutdown(self) {
        self.engine.shutdown().await;
    }
}

/// What an engine or a worker reaches the outside by.
pub struct BuiltPorts {
    /// All ports of an engine.
    pub ports: Ports,
    /// The client through which they read and write GitHub.
    pub github: Arc<GitHubClient>,
    /// What carries commits from one machine's clone to another's.
    pub commits: Arc<dyn CommitTransfer>,
}

/// Puts the real thing behind every port of the engine: GitHub, git, the rules, the journal of the data folder, which is
/// locked from here on. The time is the caller's.
pub async fn build_ports(
    setup: EngineSetup,
    clock: Arc<dyn Clock>,
) -> Result<BuiltPorts, LocalEngineError> {
    let data = DataFolder::at(&setup.config.get().home)?;
    let journal = open_for_engine(&data).await?;
    build_ports_on(setup, clock, journal).await
}

/// The same on a journal that is open.
pub(crate) async fn build_ports_on(
    setup: EngineSetup,
    clock: Arc<dyn Clock>,
    journal: Arc<dyn Journal>,
) -> Result<BuiltPorts, LocalEngineError> {
    let EngineSetup {
        config: live,
        tokens,
        activities,
        sandbox_supervisor,
        runners,
        keys,
        account_key,
    } = setup;
    let config = live.get();
    let data = DataFolder::at(&config.home)?;
    let accounts = AccountVault::new(open_account_store(&data).await?, account_key);
    accounts.open_all(&host_of(&config.api_url)).await;
    let accounts = Arc::new(accounts);
    let settings = GitHubConfig {
        accounts: accounts.clone(),
        ..GitHubConfig::new(config.api_url.clone(), tokens)
    };
    let github = Arc::new(GitHubClient::connect(settings, clock.clone()).await?);
    let credentials = Arc::new(GitCredentials(github.clone()));
    let sandbox = SandboxRunner::new(sandbox_supervisor);
    let known_secrets = {
        let accounts = accounts.clone();
        collie_reviewers::known_secrets(&live, &github).and(move || accounts.known_tokens())
    };
    let options = GitOptions {
        known_secrets: known_secrets.clone(),
        disk_limits: {
            let live = live.clone();
            DiskLimitsSource::new(move || disk_limits(live.get().disk))
        },
        sandbox: sandbox.clone(),
        accounts,
        ..GitOptions::default()
    };
    let git = Worktrees::new(&data_paths::git_folder(&data), credentials, None, options)?;
    let git = Arc::new(git);
    let transfer: Arc<dyn ChangeTransfer> = git.clone();
    let commits: Arc<dyn CommitTransfer> = git.clone();
    let git: Arc<dyn Git> = git;
    let rules = Arc::new(collie_rules::RulesAdapter::new(git.clone()));
    let memory: Arc<dyn ReviewMemory> = Arc::new(review_memory(&data));
    let panel = Panel::new(
        live.clone(),
        rules.clone(),
        git.clone(),
        github.clone(),
        (data_paths::agent_sessions_folder(&data), memory.clone()),
        activities.clone(),
        sandbox,
    );
    let panel = Arc::new(panel.with_keys(keys));
    let (mut reviewers, mut fixer): (Arc<dyn Reviewers>, Arc<dyn Fixer>) = (panel.clone(), panel);
    if let Some(queue) = runners {
        let elsewhere = Arc::new(Elsewhere::new(ElsewhereParts {
            reviewers,
            fixer,
            queue,
            transfer,
            pulls: Arc::new(GitHubPullReader::new(live.clone(), github.clone())),
            memory: memory.clone(),
            config: live.clone(),
            activities,
            known_secrets: known_secrets.clone(),
            folder: data_paths::offers_folder(&data),
        }));
        (reviewers, fixer) = (elsewhere.clone(), elsewhere);
    }
    let renderer = {
        let live = live.clone();
        Renderer::live(move || live.language(), redactor(&config, known_secrets))
    };
    let effects = EffectPorts {
        github: github.clone(),
        review_memory: memory,
        git,
        reviewers,
        fixer,
        syntax: rules,
        renderer: Arc::new(PostRenderer(renderer)),
        policy_source: Arc::new(ConfiguredPolicies::new(live)),
        clock,
    };
    let ports = Ports { effects, journal };
    Ok(BuiltPorts {
        ports,
        github,
        commits,
    })
}

/// How much a pull request may write to the disk, in bytes.
pub(crate) fn disk_limits(disk: DiskConfig) -> DiskLimits {
    const MEGABYTE: u64 = 1 << 20;
    DiskLimits {
        checkout_bytes: u64::from(disk.checkout_mb) * MEGABYTE,
        checkout_files: disk.checkout_files.into(),
        sandbox_bytes: u64::from(disk.sandbox_mb) * MEGABYTE,
    }
}

/// A folder as this system writes it, and on Windows as git does.
fn written_forms(folder: String) -> Vec<String> {
    if cfg!(windows) {
        vec![folder.replace('\\', "/"), folder]
    } else {
        vec![folder]
    }
}

/// What must not be posted: secrets, and the folders of this machine (§8.3).
/// What is taken out of posts: literal secrets, and folders of this machine.
pub fn redactor(config: &Config, secrets: KnownSecrets) -> Redactor {
    let home = std::env::var(collie_platform::HOME_VARIABLE).ok();
    let temporary = std::env::temp_dir().display().to_string();
    let folders = [
        Some(config.home.display().to_string()),
        home.filter(|home| home.len() > 1),
        Some(temporary),
    ];
    let folders = folders.into_iter().flatten();
    Redactor {
        secrets,
        folders: folders.flat_map(written_forms).collect(),
    }
}
