//! How git is used, and with which token.

use crate::disk_limits::DiskLimitsSource;
use async_trait::async_trait;
use collie_core::text::KnownSecrets;
use collie_engine::ports::{AccountTokens, NoAccounts};
use collie_sandbox::SandboxRunner;
use secrecy::SecretString;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// What git signs in with.
#[async_trait]
pub trait RemoteCredentials: Send + Sync {
    /// The token for a remote, as it is now; none where nobody is signed in there.
    async fn for_remote(&self, url: &str) -> Option<SecretString>;

    /// All that are in use: no message and no fix may hold one.
    fn in_use(&self) -> Vec<SecretString>;
}

/// One token for all remotes.
#[async_trait]
impl<F: Fn() -> Option<SecretString> + Send + Sync> RemoteCredentials for F {
    async fn for_remote(&self, _: &str) -> Option<SecretString> {
        self()
    }

    fn in_use(&self) -> Vec<SecretString> {
        self().into_iter().collect()
    }
}

/// Gives the token of the moment.
pub type Credentials = Arc<dyn RemoteCredentials>;

/// How git is used.
#[derive(Clone, Debug)]
pub struct GitOptions {
    /// The binary: a name that is looked for on `PATH`, or a path.
    pub binary: PathBuf,
    /// A call to a remote that takes longer is stopped.
    pub network_timeout: Duration,
    /// Any other call that takes longer is stopped.
    pub local_timeout: Duration,
    /// A verify command that takes longer has failed.
    pub verify_timeout: Duration,
    /// Names of variables that verify commands see besides the usual ones; no secret belongs here.
    pub verify_env: Vec<String>,
    /// The home folder that the user's git configuration is read from; none: that of this process.
    pub user_home: Option<PathBuf>,
    /// Runs verify commands.
    pub sandbox: SandboxRunner,
    /// A program whose `main` begins with [`crate::help_git_if_asked`]: what hands git its credential on Windows.
    pub credential_helper: PathBuf,
    /// How much a pull request may write to the disk.
    pub disk_limits: DiskLimitsSource,
    /// What no fix may bring, and no message tell.
    pub known_secrets: KnownSecrets,
    /// Of the history commits and folders alone are fetched, and files as of the commits that are worked on: for readers, which need
    /// nothing of the files that were there before (0023). Where the remote cannot do that, everything is fetched.
    pub partial_clone: bool,
    /// Worktrees get their files only once somebody needs them on disk, and a head that was seen at its branch is not looked for again:
    /// for one review at one head.
    pub lazy_checkout: bool,
    /// Accounts of their own that may push and commit (§18.2).
    pub accounts: Arc<dyn AccountTokens>,
    /// `file://` remotes are allowed: for tests and for repositories of this machine.
    pub allow_file_remotes: bool,
}

impl Default for GitOptions {
    fn default() -> Self {
        let ten_minutes = Duration::from_secs(600);
        Self {
            binary: "git".into(),
            network_timeout: ten_minutes,
            local_timeout: ten_minutes,
            verify_timeout: ten_minutes,
            verify_env: Vec::new(),
            user_home: None,
            sandbox: SandboxRunner::new(collie_sandbox::own_program()),
            credential_helper: collie_sandbox::own_program(),
            disk_limits: DiskLimitsSource::default(),
            known_secrets: KnownSecrets::default(),
            partial_clone: false,
            lazy_checkout: false,
            accounts: Arc::new(NoAccounts),
            allow_file_remotes: false,
        }
    }
}
