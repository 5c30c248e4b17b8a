//! A local stand-in for GitHub, on real git (SPEC §16).
//!
//! Real bare repositories over smart HTTP, REST under `/api/v3`, GraphQL at `/api/graphql`,
//! checks that really run. State lives under one folder and survives a restart. It listens on
//! loopback only: a token `forge-LOGIN` acts as that login, so that any client can play anyone,
//! unless tokens are made secret. What lies below `/_forge` needs the secret of the run.

mod actions;
mod apps;
mod auth;
mod bots;
mod checks;
mod clock;
pub mod diff;
mod diff_cache;
mod error;
mod faults;
pub mod git_dir;
mod git_http;
mod graphql;
mod import;
mod log_annotations;
pub mod model;
pub mod node;
mod request_guard;
mod rest;
mod server;
mod shipped_accounts;
mod store;
pub mod table;
mod token_permissions;
mod token_scheme;
mod token_store;
mod webhooks;

use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

pub use error::ForgeError;
pub use faults::RequestGate;
pub use request_guard::SECRET_HEADER;
pub use server::{ForgeAddress, RunningForge, running_address};
pub use shipped_accounts::ACTIONS_BOT;
pub use token_scheme::TokenScheme;

use apps::Apps;
use checks::CheckRunner;
use diff_cache::DiffCache;
use graphql::schema_limits::SchemaLimits;
use model::{Account, AccountId, AccountKind, RepoName, RepoState};
use request_guard::ControlSecret;
use rest::device_flow::DeviceFlows;
use store::RepoLog;
use token_store::TokenStore;
use webhooks::delivery_log::DeliveryLog;

/// A forge: cheap to clone, every clone is the same one.
#[derive(Debug, Clone)]
pub struct Forge(Arc<ForgeState>);

#[derive(Debug)]
struct ForgeState {
    root: PathBuf,
    /// Held for as long as the forge lives, so that a second process keeps out.
    lock: File,
    accounts: RwLock<BTreeMap<AccountId, Account>>,
    tokens: TokenStore,
    schema_limits: RwLock<SchemaLimits>,
    token_scheme: TokenScheme,
    repos: RwLock<BTreeMap<String, Arc<RepoCell>>>,
    last_id: AtomicU64,
    changes: watch::Sender<u64>,
    /// `http://127.0.0.1:PORT`; empty until it is served.
    base_url: RwLock<String>,
    request_gate: RequestGate,
    started_bot_steps: bots::StartedSteps,
    diff_cache: DiffCache,
    checks: CheckRunner,
    /// What webhooks were sent.
    deliveries: DeliveryLog,
    /// Device flows that wait for a person.
    device_flows: DeviceFlows,
    /// GitHub Apps and tokens of their installations.
    apps: Apps,
    /// Signs the addresses of logs.
    log_key: [u8; 32],
    /// Opens the routes below `/_forge`.
    control_secret: ControlSecret,
    tasks: TaskTracker,
    cancellation: CancellationToken,
}

/// One repository: its state and log behind one lock, its git folder behind another.
#[derive(Debug)]
pub(crate) struct RepoCell {
    pub(crate) name: RepoName,
    state_and_log: Mutex<(RepoState, RepoLog)>,
    /// Held by whoever moves refs.
    pub(crate) refs: tokio::sync::Mutex<()>,
}

impl RepoCell {
    fn lock(&self) -> MutexGuard<'_, (RepoState, RepoLog)> {
        self.state_and_log
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl Forge {
    /// Opens the forge under a folder, which is created where it is missing.
    ///
    /// Fails when another process has it open, or when a state file is damaged.
    pub fn open(root: &Path) -> Result<Self, ForgeError> {
        Self::open_with(root, TokenScheme::by_login())
    }

    /// The same with tokens made another way.
    pub fn open_with(root: &Path, token_scheme: TokenScheme) -> Result<Self, ForgeError> {
        std::fs::create_dir_all(root).map_err(ForgeError::io("create", root))?;
        let root = collie_platform::real_path(root).map_err(ForgeError::io("find", root))?;
        let lock_path = root.join("forge.lock");
        let lock = File::create(&lock_path).map_err(ForgeError::io("create", &lock_path))?;
        lock.try_lock()
            .map_err(|_| ForgeError::RootInUse(root.clone()))?;
        let accounts = load_accounts(&root)?;
        let tokens = TokenStore::load(&root)?;
        let (repos, last_id) = load_repos(&root)?;
        Ok(Self(Arc::new(ForgeState {
            root,
            lock,
            accounts: RwLock::new(accounts),
            tokens,
            schema_limits: RwLock::default(),
            token_scheme,
            repos: RwLock::new(repos),
            last_id: AtomicU64::new(last_id.max(1000)),
            changes: watch::Sender::new(0),
            base_url: RwLock::new(String::new()),
            request_gate: RequestGate::default(),
            started_bot_steps: bots::StartedSteps::default(),
            diff_cache: DiffCache::default(),
            checks: CheckRunner::default(),
            deliveries: DeliveryLog::default(),
            device_flows: DeviceFlows::default(),
            apps: Apps::default(),
            log_key: rand::random(),
            control_secret: ControlSecret::random(),
            tasks: TaskTracker::new(),
            cancellation: CancellationToken::new(),
        })))
    }

    /// The folder that holds everything.
    pub fn root(&self) -> &Path {
        &self.0.root
    }

    /// Where it is served, such as `http://127.0.0.1:4000`; empty before.
    pub fn base_url(&self) -> String {
        read_lock(&self.0.base_url).clone()
    }

    pub(crate) fn tokens(&self) -> &TokenStore {
        &self.0.tokens
    }

    /// What the server is told not to know.
    pub(crate) fn schema_limits(&self) -> SchemaLimits {
        read_lock(&self.0.schema_limits).clone()
    }

    pub(crate) fn set_schema_limits(&self, limits: SchemaLimits) {
        let known = &self.0.schema_limits;
        *known.write().unwrap_or_else(PoisonError::into_inner) = limits;
    }

    /// The bots' turns that are being played.
    pub(crate) fn started_bot_steps(&self) -> &bots::StartedSteps {
        &self.0.started_bot_steps
    }

    /// The gate before every route: faults and counts.
    pub fn request_gate(&self) -> &RequestGate {
        &self.0.request_gate
    }

    pub(crate) fn diff_cache(&self) -> &DiffCache {
        &self.0.diff_cache
    }

    pub(crate) fn deliveries(&self) -> &DeliveryLog {
        &self.0.deliveries
    }

    pub(crate) fn apps(&self) -> &Apps {
        &self.0.apps
    }

    pub(crate) fn device_flows(&self) -> &DeviceFlows {
        &self.0.device_flows
    }

    pub(crate) fn checks(&self) -> &CheckRunner {
        &self.0.checks
    }

    pub(crate) fn log_key(&self) -> &[u8] {
        &self.0.log_key
    }

    pub(crate) fn control_secret(&self) -> &ControlSecret {
        &self.0.control_secret
    }

    /// How its tokens are made.
    pub fn token_scheme(&self) -> &TokenScheme {
        &self.0.token_scheme
    }

    pub(crate) fn set_base_url(&self, url: String) {
        *write_lock(&self.0.base_url) = url;
    }

    /// Counts up with each change of anything; wait on it to see the next one.
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.0.changes.subscribe()
    }

    /// A new database id, larger than all before.
    pub fn next_id(&self) -> u64 {
        self.0.last_id.fetch_add(1, Ordering::SeqCst) + 1
    }

    /// Runs a task in the background that ends with the forge.
    pub(crate) fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        let cancellation = self.0.cancellation.clone();
        self.0.tasks.spawn(async move {
            tokio::select! {
                () = cancellation.cancelled() => {}
                () = task => {}
            }
        });
    }

    /// The names of all repositories, in order.
    pub fn repos(&self) -> Vec<RepoName> {
        read_lock(&self.0.repos)
            .values()
            .map(|cell| cell.name.clone())
            .collect()
    }

    /// The name of the repository with a database id.
    pub fn repo_by_id(&self, id: u64) -> Option<RepoName> {
        let cells: Vec<_> = read_lock(&self.0.repos).values().cloned().collect();
        cells
            .into_iter()
            .find(|cell| cell.lock().0.meta.id == id)
            .map(|cell| cell.name.clone())
    }

    /// Looks at a repository. The closure must not call back into the forge's repositories, but to look at
    /// a fork of this one.
    pub fn read<R>(
        &self,
        repo: &RepoName,
        query: impl FnOnce(&RepoState) -> R,
    ) -> Result<R, ForgeError> {
        let cell = self.repo_cell(repo)?;
        let guard = cell.lock();
        Ok(query(&guard.0))
    }

    /// Changes a repository: all of it is on disk when this returns, or, on an error from the
    /// closure or the disk, nothing has changed. The closure must not call back into the forge's
    /// repositories (`next_id` and `account` are fine).
    pub fn change<R>(
        &self,
        repo: &RepoName,
        edit: impl FnOnce(&mut RepoState) -> Result<R, ForgeError>,
    ) -> Result<R, ForgeError> {
        let cell = self.repo_cell(repo)?;
        let mut guard = cell.lock();
        let (state, log) = &mut *guard;
        let outcome = edit(state).and_then(|result| {
            let happened = webhooks::happened(self, state);
            let last_id = self.0.last_id.load(Ordering::SeqCst);
            let changed = log.append(state, last_id)?;
            Ok((result, changed, happened))
        });
        match outcome {
            Ok((result, changed, happened)) => {
                drop(guard);
                webhooks::send_all(self, &cell.name, happened);
                if changed {
                    self.0.changes.send_modify(|n| *n += 1);
                }
                Ok(result)
            }
            Err(error) => {
                store::roll_back(state);
                Err(error)
            }
        }
    }

    pub(crate) fn repo_cell(&self, repo: &RepoName) -> Result<Arc<RepoCell>, ForgeError> {
        read_lock(&self.0.repos)
            .get(&repo.key())
            .cloned()
            .ok_or_else(|| ForgeError::NoSuchRepo(repo.to_string()))
    }

    /// Enters a new repository.
    pub(crate) fn add_repo(&self, mut state: RepoState) -> Result<(), ForgeError> {
        let name = state.meta.name.clone();
        let mut repos = write_lock(&self.0.repos);
        if repos.contains_key(&name.key()) {
            return Err(ForgeError::RepoExists(name.to_string()));
        }
        let path = state_path(&self.0.root, &name);
        let log = RepoLog::create(&path, &mut state, self.0.last_id.load(Ordering::SeqCst))?;
        repos.insert(name.key(), Arc::new(new_repo_cell(name, state, log)));
        drop(repos);
        self.0.changes.send_modify(|n| *n += 1);
        Ok(())
    }

    /// Takes a repository out, with its state. Its folder is the caller's to remove.
    pub(crate) fn remove_repo(&self, name: &RepoName) -> Result<(), ForgeError> {
        let path = state_path(&self.0.root, name);
        let mut repos = write_lock(&self.0.repos);
        std::fs::remove_file(&path).map_err(ForgeError::io("remove", &path))?;
        repos.remove(&name.key());
        drop(repos);
        self.0.changes.send_modify(|n| *n += 1);
        Ok(())
    }

    /// All accounts by id.
    pub fn accounts(&self) -> Vec<Account> {
        read_lock(&self.0.accounts).values().cloned().collect()
    }

    /// The account with this id; `ghost` when there is none.
    pub fn account(&self, id: AccountId) -> Account {
        read_lock(&self.0.accounts)
            .get(&id)
            .cloned()
            .unwrap_or_else(shipped_accounts::ghost_account)
    }

    /// The account with this login, whatever its letter case; a bot also without its `[bot]`.
    pub fn account_by_login(&self, login: &str) -> Option<Account> {
        let bot = format!("{login}[bot]");
        let accounts = read_lock(&self.0.accounts);
        accounts
            .values()
            .find(|a| a.login.eq_ignore_ascii_case(login))
            .or_else(|| {
                accounts
                    .values()
                    .find(|a| a.login.eq_ignore_ascii_case(&bot))
            })
            .cloned()
    }

    /// Adds an account, with an id of its own unless one is given.
    pub fn add_account(
        &self,
        login: &str,
        kind: AccountKind,
        id: Option<AccountId>,
    ) -> Result<Account, ForgeError> {
        check_login(login)?;
        let mut accounts = write_lock(&self.0.accounts);
        if accounts
            .values()
            .any(|a| a.login.eq_ignore_ascii_case(login))
        {
            return Err(bad_account(login, "the login is taken"));
        }
        let free_id = accounts
            .range(
                AccountId(shipped_accounts::FIRST_ADDED_ID)
                    ..AccountId(shipped_accounts::FIRST_ADDED_ID * 2),
            )
            .next_back()
            .map_or(shipped_accounts::FIRST_ADDED_ID, |(id, _)| id.0 + 1);
        let account = Account {
            id: id.unwrap_or(AccountId(free_id)),
            login: login.to_owned(),
            kind,
            name: None,
            limits: None,
        };
        if accounts.contains_key(&account.id) {
            return Err(bad_account(login, "the id is taken"));
        }
        let mut next = accounts.clone();
        next.insert(account.id, account.clone());
        self.save_accounts(&next)?;
        *accounts = next;
        Ok(account)
    }

    /// Gives an account another login, as its owner may; whoever comes next may take the one that it had.
    pub fn rename_account(&self, login: &str, new_login: &str) -> Result<Account, ForgeError> {
        check_login(new_login)?;
        let mut account = self
            .account_by_login(login)
            .ok_or_else(ForgeError::not_found)?;
        let mut accounts = write_lock(&self.0.accounts);
        if (accounts.values()).any(|a| a.login.eq_ignore_ascii_case(new_login)) {
            return Err(bad_account(new_login, "the login is taken"));
        }
        new_login.clone_into(&mut account.login);
        let mut next = accounts.clone();
        next.insert(account.id, account.clone());
        self.save_accounts(&next)?;
        *accounts = next;
        Ok(account)
    }

    fn save_accounts(&self, accounts: &BTreeMap<AccountId, Account>) -> Result<(), ForgeError> {
        let list: Vec<&Account> = accounts.values().collect();
        let bytes = serde_json::to_vec_pretty(&list).expect("accounts are plain data");
        store::write_atomically(&accounts_path(&self.0.root), &bytes)
    }
}

fn bad_account(login: &str, why: &'static str) -> ForgeError {
    ForgeError::BadAccount {
        login: login.to_owned(),
        why,
    }
}

fn check_login(login: &str) -> Result<(), ForgeError> {
    let plain = login.strip_suffix("[bot]").unwrap_or(login);
    let is_login = (1..=39).contains(&plain.len())
        && plain
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_');
    if is_login {
        Ok(())
    } else {
        let why = "a login is 1 to 39 letters, digits, `-` or `_`";
        Err(bad_account(login, why))
    }
}

fn new_repo_cell(name: RepoName, state: RepoState, log: RepoLog) -> RepoCell {
    RepoCell {
        name,
        state_and_log: Mutex::new((state, log)),
        refs: tokio::sync::Mutex::new(()),
    }
}

fn state_path(root: &Path, name: &RepoName) -> PathBuf {
    root.join("state").join(format!("{}.jsonl", name.key()))
}

fn accounts_path(root: &Path) -> PathBuf {
    root.join("accounts.json")
}

fn load_accounts(root: &Path) -> Result<BTreeMap<AccountId, Account>, ForgeError> {
    let mut accounts: BTreeMap<_, _> = shipped_accounts::all()
        .into_iter()
        .map(|a| (a.id, a))
        .collect();
    let path = accounts_path(root);
    match std::fs::read(&path) {
        Ok(bytes) => {
            let saved: Vec<Account> =
                serde_json::from_slice(&bytes).map_err(|e| ForgeError::Corrupt {
                    path,
                    line: e.line(),
                    why: e.to_string(),
                })?;
            accounts.extend(saved.into_iter().map(|a| (a.id, a)));
        }
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => {}
        Err(e) => return Err(ForgeError::io("read", path)(e)),
    }
    Ok(accounts)
}

type RepoCells = BTreeMap<String, Arc<RepoCell>>;

fn load_repos(root: &Path) -> Result<(RepoCells, u64), ForgeError> {
    let mut repos = BTreeMap::new();
    let mut last_id = 0;
    let state_folder = root.join("state");
    for owner in folder_entries(&state_folder)? {
        for path in folder_entries(&owner)? {
            if path.extension().is_none_or(|e| e != "jsonl") {
                continue;
            }
            let (log, state, last) = RepoLog::load(&path)?;
            last_id = last_id.max(last);
            let name = state.meta.name.clone();
            repos.insert(name.key(), Arc::new(new_repo_cell(name, state, log)));
        }
    }
    Ok((repos, last_id))
}

fn folder_entries(path: &Path) -> Result<Vec<PathBuf>, ForgeError> {
    match std::fs::read_dir(path) {
        Ok(entries) => entries
            .map(|entry| entry.map(|e| e.path()))
            .collect::<Result<_, _>>()
            .map_err(ForgeError::io("read", path)),
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(e) => Err(ForgeError::io("read", path)(e)),
    }
}

fn read_lock<T>(lock: &RwLock<T>) -> std::sync::RwLockReadGuard<'_, T> {
    lock.read().unwrap_or_else(PoisonError::into_inner)
}

fn write_lock<T>(lock: &RwLock<T>) -> std::sync::RwLockWriteGuard<'_, T> {
    lock.write().unwrap_or_else(PoisonError::into_inner)
}
