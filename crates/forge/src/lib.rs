//! A local stand-in for GitHub, on real git (SPEC §16).
//!
//! Real bare repositories over smart HTTP, REST under `/api/v3`, GraphQL at `/api/graphql`,
//! checks that really run. State lives under one folder and survives a restart. It listens on
//! loopback only: a token `forge-LOGIN` acts as that login, so that any client can play anyone.

mod acts;
mod annotate;
mod auth;
mod bots;
mod cache;
mod cast;
mod checks;
mod clock;
pub mod diff;
mod error;
mod faults;
mod git_http;
mod graphql;
mod import;
pub mod model;
pub mod node;
pub mod repo;
mod rest;
mod serve;
mod store;
pub mod table;
mod tokens;

use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

pub use cast::ACTIONS_BOT;
pub use error::ForgeError;
pub use faults::Gate;
pub use graphql::sdl;
pub use serve::{Running, served_at};

use cache::Diffs;
use checks::Checks;
use model::{Account, AccountId, AccountKind, RepoName, RepoState};
use store::Log;
use tokens::Tokens;

/// A forge: cheap to clone, every clone is the same one.
#[derive(Debug, Clone)]
pub struct Forge(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    root: PathBuf,
    /// Held for as long as the forge lives, so that a second process keeps out.
    lock: File,
    accounts: RwLock<BTreeMap<AccountId, Account>>,
    tokens: Tokens,
    repos: RwLock<BTreeMap<String, Arc<RepoCell>>>,
    last_id: AtomicU64,
    changes: watch::Sender<u64>,
    /// `http://127.0.0.1:PORT`; empty until it is served.
    base_url: RwLock<String>,
    gate: Gate,
    bots: bots::Playing,
    diffs: Diffs,
    checks: Checks,
    /// Signs the addresses of logs.
    secret: [u8; 32],
    tasks: TaskTracker,
    stop: CancellationToken,
}

/// One repository: its state and log behind one lock, its git folder behind another.
#[derive(Debug)]
pub(crate) struct RepoCell {
    pub(crate) name: RepoName,
    inner: Mutex<(RepoState, Log)>,
    /// Held by whoever moves refs.
    pub(crate) refs: tokio::sync::Mutex<()>,
}

impl RepoCell {
    fn lock(&self) -> MutexGuard<'_, (RepoState, Log)> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Forge {
    /// Opens the forge under a folder, which is created where it is missing.
    ///
    /// Fails when another process has it open, or when a state file is damaged.
    pub fn open(root: &Path) -> Result<Self, ForgeError> {
        std::fs::create_dir_all(root).map_err(ForgeError::io("create", root))?;
        let root = root.canonicalize().map_err(ForgeError::io("find", root))?;
        let lock_path = root.join("forge.lock");
        let lock = File::create(&lock_path).map_err(ForgeError::io("create", &lock_path))?;
        lock.try_lock()
            .map_err(|_| ForgeError::RootInUse(root.clone()))?;
        let accounts = load_accounts(&root)?;
        let tokens = Tokens::load(&root)?;
        let (repos, last_id) = load_repos(&root)?;
        Ok(Self(Arc::new(Inner {
            root,
            lock,
            accounts: RwLock::new(accounts),
            tokens,
            repos: RwLock::new(repos),
            last_id: AtomicU64::new(last_id.max(1000)),
            changes: watch::Sender::new(0),
            base_url: RwLock::new(String::new()),
            gate: Gate::default(),
            bots: bots::Playing::default(),
            diffs: Diffs::default(),
            checks: Checks::default(),
            secret: rand::random(),
            tasks: TaskTracker::new(),
            stop: CancellationToken::new(),
        })))
    }

    /// The folder that holds everything.
    pub fn root(&self) -> &Path {
        &self.0.root
    }

    /// Where it is served, such as `http://127.0.0.1:4000`; empty before.
    pub fn base_url(&self) -> String {
        read(&self.0.base_url).clone()
    }

    pub(crate) fn tokens(&self) -> &Tokens {
        &self.0.tokens
    }

    /// The bots' turns that are being played.
    pub(crate) fn bots(&self) -> &bots::Playing {
        &self.0.bots
    }

    /// The gate before every route: faults and counts.
    pub fn gate(&self) -> &Gate {
        &self.0.gate
    }

    pub(crate) fn diffs(&self) -> &Diffs {
        &self.0.diffs
    }

    pub(crate) fn checks(&self) -> &Checks {
        &self.0.checks
    }

    pub(crate) fn secret(&self) -> &[u8] {
        &self.0.secret
    }

    pub(crate) fn set_base_url(&self, url: String) {
        *write(&self.0.base_url) = url;
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
        let stop = self.0.stop.clone();
        self.0.tasks.spawn(async move {
            tokio::select! {
                () = stop.cancelled() => {}
                () = task => {}
            }
        });
    }

    /// The names of all repositories, in order.
    pub fn repos(&self) -> Vec<RepoName> {
        read(&self.0.repos)
            .values()
            .map(|c| c.name.clone())
            .collect()
    }

    /// The name of the repository with a database id.
    pub fn repo_by_id(&self, id: u64) -> Option<RepoName> {
        let cells: Vec<_> = read(&self.0.repos).values().cloned().collect();
        cells
            .into_iter()
            .find(|cell| cell.lock().0.meta.id == id)
            .map(|cell| cell.name.clone())
    }

    /// Looks at a repository. The closure must not call back into the forge's repositories.
    pub fn read<R>(
        &self,
        repo: &RepoName,
        look: impl FnOnce(&RepoState) -> R,
    ) -> Result<R, ForgeError> {
        let cell = self.cell(repo)?;
        let guard = cell.lock();
        Ok(look(&guard.0))
    }

    /// Changes a repository: all of it is on disk when this returns, or, on an error from the
    /// closure or the disk, nothing has changed. The closure must not call back into the forge's
    /// repositories (`next_id` and `account` are fine).
    pub fn change<R>(
        &self,
        repo: &RepoName,
        edit: impl FnOnce(&mut RepoState) -> Result<R, ForgeError>,
    ) -> Result<R, ForgeError> {
        let cell = self.cell(repo)?;
        let mut guard = cell.lock();
        let (state, log) = &mut *guard;
        let outcome = edit(state).and_then(|result| {
            let last_id = self.0.last_id.load(Ordering::SeqCst);
            let changed = log.append(state, last_id)?;
            Ok((result, changed))
        });
        match outcome {
            Ok((result, changed)) => {
                drop(guard);
                if changed {
                    self.0.changes.send_modify(|n| *n += 1);
                }
                Ok(result)
            }
            Err(error) => {
                store::undo(state);
                Err(error)
            }
        }
    }

    pub(crate) fn cell(&self, repo: &RepoName) -> Result<Arc<RepoCell>, ForgeError> {
        read(&self.0.repos)
            .get(&repo.key())
            .cloned()
            .ok_or_else(|| ForgeError::NoSuchRepo(repo.to_string()))
    }

    /// Enters a new repository.
    pub(crate) fn add_repo(&self, mut state: RepoState) -> Result<(), ForgeError> {
        let name = state.meta.name.clone();
        let mut repos = write(&self.0.repos);
        if repos.contains_key(&name.key()) {
            return Err(ForgeError::RepoExists(name.to_string()));
        }
        let path = state_path(&self.0.root, &name);
        let log = Log::create(&path, &mut state, self.0.last_id.load(Ordering::SeqCst))?;
        repos.insert(name.key(), Arc::new(cell(name, state, log)));
        drop(repos);
        self.0.changes.send_modify(|n| *n += 1);
        Ok(())
    }

    /// All accounts by id.
    pub fn accounts(&self) -> Vec<Account> {
        read(&self.0.accounts).values().cloned().collect()
    }

    /// The account with this id; `ghost` when there is none.
    pub fn account(&self, id: AccountId) -> Account {
        read(&self.0.accounts)
            .get(&id)
            .cloned()
            .unwrap_or_else(cast::ghost)
    }

    /// The account with this login, whatever its letter case; a bot also without its `[bot]`.
    pub fn account_by_login(&self, login: &str) -> Option<Account> {
        let bot = format!("{login}[bot]");
        let accounts = read(&self.0.accounts);
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
        let bad = |why| ForgeError::BadAccount {
            login: login.to_owned(),
            why,
        };
        let stem = login.strip_suffix("[bot]").unwrap_or(login);
        if stem.is_empty()
            || stem.len() > 39
            || !stem
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_')
        {
            return Err(bad("a login is 1 to 39 letters, digits, `-` or `_`"));
        }
        let mut accounts = write(&self.0.accounts);
        if accounts
            .values()
            .any(|a| a.login.eq_ignore_ascii_case(login))
        {
            return Err(bad("the login is taken"));
        }
        let free = accounts
            .range(AccountId(cast::FIRST_ADDED_ID)..AccountId(cast::FIRST_ADDED_ID * 2))
            .next_back()
            .map_or(cast::FIRST_ADDED_ID, |(id, _)| id.0 + 1);
        let account = Account {
            id: id.unwrap_or(AccountId(free)),
            login: login.to_owned(),
            kind,
            name: None,
        };
        if accounts.contains_key(&account.id) {
            return Err(bad("the id is taken"));
        }
        accounts.insert(account.id, account.clone());
        let all: Vec<&Account> = accounts.values().collect();
        let bytes = serde_json::to_vec_pretty(&all).expect("accounts are plain data");
        if let Err(error) = store::write_atomically(&accounts_path(&self.0.root), &bytes) {
            accounts.remove(&account.id);
            return Err(error);
        }
        Ok(account)
    }
}

fn cell(name: RepoName, state: RepoState, log: Log) -> RepoCell {
    RepoCell {
        name,
        inner: Mutex::new((state, log)),
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
    let mut accounts: BTreeMap<_, _> = cast::shipped().into_iter().map(|a| (a.id, a)).collect();
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

type Repos = BTreeMap<String, Arc<RepoCell>>;

fn load_repos(root: &Path) -> Result<(Repos, u64), ForgeError> {
    let mut repos = BTreeMap::new();
    let mut last_id = 0;
    let top = root.join("state");
    for owner in folder(&top)? {
        for path in folder(&owner)? {
            if path.extension().is_none_or(|e| e != "jsonl") {
                continue;
            }
            let (log, state, last) = Log::load(&path)?;
            last_id = last_id.max(last);
            let name = state.meta.name.clone();
            repos.insert(name.key(), Arc::new(cell(name, state, log)));
        }
    }
    Ok((repos, last_id))
}

fn folder(path: &Path) -> Result<Vec<PathBuf>, ForgeError> {
    match std::fs::read_dir(path) {
        Ok(entries) => entries
            .map(|entry| entry.map(|e| e.path()))
            .collect::<Result<_, _>>()
            .map_err(ForgeError::io("read", path)),
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(e) => Err(ForgeError::io("read", path)(e)),
    }
}

fn read<T>(lock: &RwLock<T>) -> std::sync::RwLockReadGuard<'_, T> {
    lock.read().unwrap_or_else(PoisonError::into_inner)
}

fn write<T>(lock: &RwLock<T>) -> std::sync::RwLockWriteGuard<'_, T> {
    lock.write().unwrap_or_else(PoisonError::into_inner)
}
