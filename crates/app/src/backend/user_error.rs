//! Errors as people are shown them: a code, a sentence, what to do; the texts are in `locales/*/backend.ftl`.

use crate::auth::keychain::KeychainError;
use crate::demo::DemoError;
use crate::engine_client::SubmitError;
use crate::engine_client::journal::OpenError;
use crate::engine_client::local::LocalEngineError;
use collie_config::{ConfigError, ConfigFileError, DataFolderError};
use collie_core::ids::Time;
use collie_engine::ports::{GitError, GitHubError, StoreError};
use collie_engine::{CommandError, EngineError, StartError};
use collie_github::ConnectError;
use collie_github::browse::SignInError;
use collie_i18n::Localizer;
use collie_wire::ErrorView;
use fluent::FluentValue;

/// Something that went wrong, before it has words. The sentence is the text `problem-CODE`, each hint `problem-hint-NAME`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UserError {
    /// What programs branch on.
    pub code: &'static str,
    args: Vec<(&'static str, ErrorArg)>,
    hints: Vec<&'static str>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum ErrorArg {
    Text(String),
    Time(Time),
    State(collie_core::lifecycle::State),
    ConfigError(ConfigError),
}

impl UserError {
    /// A problem that needs no more words.
    pub fn new(code: &'static str) -> Self {
        Self {
            code,
            args: Vec::new(),
            hints: Vec::new(),
        }
    }

    /// Fills a text in.
    pub fn with(mut self, name: &'static str, text: impl ToString) -> Self {
        self.args.push((name, ErrorArg::Text(text.to_string())));
        self
    }

    fn with_time(mut self, name: &'static str, time: Time) -> Self {
        self.args.push((name, ErrorArg::Time(time)));
        self
    }

    fn with_state(mut self, state: collie_core::lifecycle::State) -> Self {
        self.args.push(("state", ErrorArg::State(state)));
        self
    }

    /// Says what to do.
    pub fn hint(mut self, name: &'static str) -> Self {
        self.hints.push(name);
        self
    }

    /// In words.
    pub fn to_view(&self, localizer: &Localizer) -> ErrorView {
        let args: Vec<(&str, FluentValue<'_>)> = self
            .args
            .iter()
            .map(|(name, arg)| {
                let text = match arg {
                    ErrorArg::Text(text) => text.clone(),
                    ErrorArg::Time(time) => localizer.format_time_of_day(*time),
                    ErrorArg::State(state) => localizer.state_name(*state),
                    ErrorArg::ConfigError(error) => error.message(localizer),
                };
                (*name, FluentValue::from(text))
            })
            .collect();
        ErrorView {
            code: self.code.to_owned(),
            message: localizer.text(&format!("problem-{}", self.code), &args),
            hints: self
                .hints
                .iter()
                .map(|hint| localizer.text(&format!("problem-hint-{hint}"), &args))
                .collect(),
        }
    }
}

impl From<GitHubError> for UserError {
    fn from(error: GitHubError) -> Self {
        match error {
            GitHubError::NotFound { what, host } => Self::new("not_found")
                .with("what", what)
                .with("host", host)
                .hint("access"),
            GitHubError::Unauthorized { host } => {
                Self::new("unauthorized").with("host", host).hint("sign_in")
            }
            GitHubError::Refused {
                host,
                what,
                message,
            } => Self::new("refused")
                .with("host", host)
                .with("what", what)
                .with("message", message)
                .hint("rights"),
            GitHubError::RetryLater { host, until } => Self::new("wait")
                .with("host", host)
                .with_time("until", until),
            GitHubError::OutcomeUnknown {
                host,
                what,
                message,
            } => Self::new("unreachable")
                .with("host", host)
                .with("what", what)
                .with("message", message)
                .hint("network"),
        }
    }
}

impl From<SignInError> for UserError {
    fn from(error: SignInError) -> Self {
        match error {
            SignInError::BadToken { host } => {
                Self::new("bad_token").with("host", host).hint("new_token")
            }
            SignInError::Unreachable { host, message } => Self::new("unreachable")
                .with("host", host)
                .with("message", message)
                .hint("network"),
            SignInError::NotGitHub { host, message } => Self::new("not_github")
                .with("host", host)
                .with("message", message)
                .hint("api_url"),
            SignInError::Wait { host, until } => Self::new("wait")
                .with("host", host)
                .with_time("until", until),
            SignInError::Refused { host, message } => Self::new("refused")
                .with("host", host)
                .with("message", message)
                .hint("rights"),
        }
    }
}

impl From<ConnectError> for UserError {
    fn from(error: ConnectError) -> Self {
        match error {
            ConnectError::BadUrl { url, reason } => Self::new("bad_url")
                .with("url", url)
                .with("message", reason)
                .hint("api_url"),
            ConnectError::NoToken { host } => {
                Self::new("no_token").with("host", host).hint("sign_in")
            }
            ConnectError::Client { host, message } => Self::new("unreachable")
                .with("host", host)
                .with("message", message)
                .hint("network"),
        }
    }
}

impl From<StartError> for UserError {
    fn from(error: StartError) -> Self {
        match error {
            StartError::Denied { login } => Self::new("denied").with("login", login).hint("allow"),
            StartError::Ended { pull, state } => Self::new("ended")
                .with("pull", pull)
                .with_state(state)
                .hint("retry"),
            StartError::Config(message) => Self::new("configuration")
                .with("message", message)
                .hint("settings"),
            StartError::GitHub(error) => error.into(),
            StartError::Store(error) => error.into(),
        }
    }
}

impl From<CommandError> for UserError {
    fn from(error: CommandError) -> Self {
        match error {
            CommandError::NoSuchLoop(pull) => Self::new("no_loop").with("pull", pull),
            CommandError::HasEnded { pull, state } => {
                Self::new("over").with("pull", pull).with_state(state)
            }
            CommandError::StillRunning { pull, state } => Self::new("busy")
                .with("pull", pull)
                .with_state(state)
                .hint("cancel_first"),
            CommandError::NotResumable { pull, state } => Self::new("not_resumable")
                .with("pull", pull)
                .with_state(state)
                .hint("retry"),
            CommandError::Start(error) => error.into(),
        }
    }
}

impl From<StoreError> for UserError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::DiskFull => Self::new("disk_full").hint("free_space"),
            StoreError::NewerVersion { what, .. } => {
                Self::new("newer").with("what", what).hint("update")
            }
            StoreError::Damaged { what, message } => Self::new("damaged")
                .with("what", what)
                .with("message", message)
                .hint("rebuild"),
            StoreError::Failed { what, message } => Self::new("store")
                .with("what", what)
                .with("message", message)
                .hint("data_folder"),
        }
    }
}

impl From<SubmitError> for UserError {
    fn from(error: SubmitError) -> Self {
        match error {
            SubmitError::Refused(error) => error.into(),
            SubmitError::RefusedElsewhere(reason) => {
                Self::new("engine_refused").with("message", reason)
            }
            SubmitError::ShutDown => Self::new("starting"),
            SubmitError::GitHub(error) => error.into(),
            SubmitError::Store(error) => error.into(),
            SubmitError::Folder(error) => error.into(),
        }
    }
}

impl From<ConfigFileError> for UserError {
    fn from(error: ConfigFileError) -> Self {
        match error {
            ConfigFileError::Unreadable { path, source } => Self::new("settings_unreadable")
                .with("file", path.display())
                .with("message", source)
                .hint("settings_rights"),
            ConfigFileError::Invalid(error) => error.into(),
        }
    }
}

impl From<ConfigError> for UserError {
    fn from(error: ConfigError) -> Self {
        let mut problem = Self::new("configuration").hint("configuration");
        problem.args.push(("message", ErrorArg::ConfigError(error)));
        problem
    }
}

impl From<OpenError> for UserError {
    fn from(error: OpenError) -> Self {
        match error {
            OpenError::EngineRunning { folder, pid } => Self::new("owned")
                .with("folder", folder.display())
                .with(
                    "pid",
                    pid.map_or_else(|| "?".to_owned(), |pid| pid.to_string()),
                )
                .hint("stop_other"),
            OpenError::Folder {
                folder,
                tried: _,
                message,
            } => Self::new("folder")
                .with("folder", folder.display())
                .with("message", message)
                .hint("data_folder"),
            OpenError::Store(error) => error.into(),
        }
    }
}

impl From<DataFolderError> for UserError {
    fn from(error: DataFolderError) -> Self {
        match error {
            DataFolderError::Unusable {
                folder,
                tried: _,
                message,
            } => Self::new("folder")
                .with("folder", folder.display())
                .with("message", message)
                .hint("data_folder"),
            DataFolderError::DiskFull => StoreError::DiskFull.into(),
            DataFolderError::NoHomeFolder => Self::new("no_home").hint("data_folder"),
        }
    }
}

impl From<GitError> for UserError {
    fn from(error: GitError) -> Self {
        match error {
            GitError::GitUnavailable { message } => {
                Self::new("no_git").with("message", message).hint("git")
            }
            other @ (GitError::Failed { .. }
            | GitError::Unreachable { .. }
            | GitError::HeadMismatch { .. }
            | GitError::PushRefused { .. }
            | GitError::Diverged
            | GitError::Cancelled
            | GitError::Io { .. }) => Self::new("git").with("message", other).hint("data_folder"),
        }
    }
}

impl From<LocalEngineError> for UserError {
    fn from(error: LocalEngineError) -> Self {
        match error {
            LocalEngineError::Connect(error) => error.into(),
            LocalEngineError::Open(error) => error.into(),
            LocalEngineError::Folder(error) => error.into(),
            LocalEngineError::Git(error) => error.into(),
            LocalEngineError::Engine(EngineError::Store(error)) => error.into(),
        }
    }
}

impl From<KeychainError> for UserError {
    fn from(error: KeychainError) -> Self {
        match error {
            KeychainError::Missing { .. } => UserError::new("no_keychain").hint("sign_in"),
            KeychainError::Locked => UserError::new("keychain_locked").hint("keychain"),
            KeychainError::Refused { reason } => UserError::new("keychain")
                .with("message", reason)
                .hint("keychain"),
        }
    }
}

impl From<DemoError> for UserError {
    fn from(error: DemoError) -> Self {
        match error {
            DemoError::Assemble(error) => error.into(),
            DemoError::NoGit(error) => Self::new("no_git").with("message", error).hint("git"),
            DemoError::PortTaken(port) => {
                Self::new("demo_port").with("port", port).hint("demo_port")
            }
            DemoError::InUse(folder) => Self::new("demo_open")
                .with("folder", folder.display())
                .hint("stop_other"),
            other => Self::new("demo").with("message", other).hint("demo_anew"),
        }
    }
}
