//! The demo: a local forge with sample repositories, people who play their parts, and the real engine
//! between them. Every scenario has an end it was designed for, which is checked.

mod actors;
mod forge_client;
mod playground;
mod run;
mod sample_files;
mod scenario;
mod scripted_model;
mod stage;
mod verify_scenario;

pub use playground::{DemoSpeed, Playground};
pub use run::{Demo, DemoOptions, ScenarioOutcome};
pub use sample_files::{PullFile, make_repository, pull_file};
pub use scenario::{ExpectedOutcome, SCENARIOS, Scenario};
pub use stage::DemoStage;

use crate::engine_client::local::LocalEngineError;
use collie_core::error_code::{ErrorCode, ErrorHint};
use collie_core::user_error::UserError;
use std::path::{Path, PathBuf};

/// Why the demo could not be played.
#[derive(Debug, thiserror::Error)]
pub enum DemoError {
    /// A file that ships with the program is missing or wrong: a fault of the build.
    #[error("the demo's own file {0} is missing or wrong: install Collie anew")]
    EmbeddedFile(String),
    /// The folder given holds an earlier demo.
    #[error("{0} holds an earlier demo: choose another --root, or remove it")]
    RootUsed(PathBuf),
    /// Another process, or another window of this one, has the playground.
    #[error("the demo in {0} is open already: close the other Collie first")]
    InUse(PathBuf),
    /// The port that the playground's addresses are made of is taken.
    #[error(
        "the demo's port {0} is taken by another program: end that one and try again, or start the demo anew"
    )]
    PortTaken(u16),
    /// What the playground remembers cannot be read.
    #[error("{path} cannot be read ({why}): start the demo anew")]
    RecordDamaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// A folder or file could not be written.
    #[error("{path} could not be written: {source}")]
    Write {
        /// Where.
        path: PathBuf,
        /// The system's reason.
        source: std::io::Error,
    },
    /// git is missing.
    #[error("git could not be run: {0}; install git 2.38 or later")]
    NoGit(std::io::Error),
    /// git refused.
    #[error("`git {command}` failed while the demo was set up: {message}")]
    Git {
        /// What was tried.
        command: String,
        /// git's words.
        message: String,
    },
    /// The forge refused.
    #[error("the local forge could not be set up: {0}")]
    Forge(#[from] collie_forge::ForgeError),
    /// The scripted model could not listen.
    #[error("the scripted model could not listen on loopback: {0}")]
    Model(std::io::Error),
    /// Somebody of the cast could not play their part.
    #[error("{who} could not call {what} on the local forge: {message}")]
    Actor {
        /// Who.
        who: String,
        /// The call.
        what: String,
        /// What came back.
        message: String,
    },
    /// Somebody waited for their turn in vain.
    #[error("{scenario}: waited in vain for {what}")]
    ActorTimeout {
        /// The scenario.
        scenario: Scenario,
        /// What for.
        what: String,
    },
    /// Collie could not be put together.
    #[error(transparent)]
    Assemble(#[from] LocalEngineError),
    /// A loop could not be started.
    #[error("{scenario} could not be started: {cause}")]
    StartLoop {
        /// The scenario.
        scenario: Scenario,
        /// Why.
        cause: UserError,
    },
}

impl From<DemoError> for UserError {
    fn from(error: DemoError) -> Self {
        match error {
            DemoError::Assemble(error) => error.into(),
            DemoError::NoGit(error) => UserError::new(ErrorCode::NoGit)
                .with("message", error)
                .hint(ErrorHint::Git),
            DemoError::PortTaken(port) => UserError::new(ErrorCode::DemoPort)
                .with("port", port)
                .hint(ErrorHint::DemoPort),
            DemoError::InUse(folder) => UserError::new(ErrorCode::DemoOpen)
                .with("folder", folder.display())
                .hint(ErrorHint::StopOther),
            DemoError::RootUsed(folder) => {
                UserError::new(ErrorCode::DemoRootUsed).with("folder", folder.display())
            }
            DemoError::StartLoop { cause, .. } => cause,
            DemoError::ActorTimeout { what, .. } => {
                UserError::new(ErrorCode::DemoWaited).with("event", what)
            }
            DemoError::Actor { who, what, message } => UserError::new(ErrorCode::DemoCallRefused)
                .with("login", who)
                .with("call", what)
                .with("message", message),
            broken @ (DemoError::EmbeddedFile(_)
            | DemoError::RecordDamaged { .. }
            | DemoError::Write { .. }
            | DemoError::Git { .. }
            | DemoError::Model(_)
            | DemoError::Forge(_)) => {
                tracing::error!(error = %broken, "the demo broke off");
                UserError::new(ErrorCode::Demo)
                    .with("message", broken.words())
                    .hint(ErrorHint::DemoAnew)
            }
        }
    }
}

impl DemoError {
    /// Foreign words, or the name of what it is about; the log has the sentence.
    fn words(&self) -> String {
        match self {
            DemoError::EmbeddedFile(name) => name.clone(),
            DemoError::RootUsed(path) | DemoError::InUse(path) => path.display().to_string(),
            DemoError::RecordDamaged { path, why } => format!("{}: {why}", path.display()),
            DemoError::Write { path, source } => format!("{}: {source}", path.display()),
            DemoError::NoGit(error) | DemoError::Model(error) => error.to_string(),
            DemoError::Git { command, message } => format!("git {command}: {message}"),
            DemoError::Forge(error) => error.to_string(),
            DemoError::Actor { what, message, .. } => format!("{what}: {message}"),
            DemoError::ActorTimeout { scenario, what } => format!("{scenario}: {what}"),
            DemoError::PortTaken(port) => port.to_string(),
            DemoError::Assemble(error) => error.to_string(),
            DemoError::StartLoop { cause, .. } => cause.to_string(),
        }
    }

    pub(crate) fn write(path: impl AsRef<Path>) -> impl FnOnce(std::io::Error) -> Self {
        move |source| DemoError::Write {
            path: path.as_ref().to_owned(),
            source,
        }
    }
}
