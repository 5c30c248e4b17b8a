//! What a loop begins with, for whoever keeps the loops: whether it may (§9.1), and its first state.

use crate::audit;
use crate::engine_ports::EffectPorts;
use crate::ports::{AuditEntry, AuditSubject, GitHubError, PolicySource, ResolvedPull, StoreError};
use collie_core::autonomy::{Autonomy, ChosenAutonomy};
use collie_core::error_code::{ErrorCode, ErrorHint};
use collie_core::ids::{AccountId, Login, PullName, RepoName};
use collie_core::lifecycle::State;
use collie_core::loop_state::{LoopState, NewLoop, PullRequest};
use collie_core::user_error::UserError;

/// A loop that was not started.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The signed-in login is not allowed (§9.1).
    #[error(
        "@{login} may not start reviews: add it to `allowed_users` in config.toml, or to GITHUB_AUTO_PR_REVIEW_ALLOWED_USERS"
    )]
    Denied {
        /// The signed-in login.
        login: Login,
    },
    /// The signed-in account bears an allowed name that stands for another account (§9.1).
    #[error("@{login} is another account than the one that this name was allowed for")]
    LoginReused {
        /// The signed-in login.
        login: Login,
    },
    /// It has ended before.
    #[error("{pull} ended as {state}: `collie retry {pull}` begins anew")]
    Ended {
        /// Which.
        pull: PullName,
        /// How.
        state: State,
    },
    /// The user's configuration is wrong.
    #[error("the configuration cannot be used ({})", .0.code.as_str())]
    Config(UserError),
    /// GitHub did not tell about it.
    #[error(transparent)]
    GitHub(#[from] GitHubError),
    /// The journal could not be written.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<StartError> for UserError {
    fn from(error: StartError) -> Self {
        match error {
            StartError::Denied { login } => UserError::new(ErrorCode::Denied)
                .with("login", login)
                .hint(ErrorHint::Allow),
            StartError::LoginReused { login } => UserError::new(ErrorCode::LoginReused)
                .with("login", login)
                .hint(ErrorHint::Repin),
            StartError::Ended { pull, state } => UserError::new(ErrorCode::Ended)
                .with("pull", pull)
                .with_arg("state", state)
                .hint(ErrorHint::Retry),
            StartError::Config(error) => error,
            StartError::GitHub(error) => error.into(),
            StartError::Store(error) => error.into(),
        }
    }
}

/// Whether the account that Collie acts as may start loops.
#[derive(Debug)]
pub struct Permission {
    /// In whose name; or why not.
    pub granted: Result<Login, StartError>,
    /// What the audit log is told, before anything is begun.
    pub audit: AuditEntry,
}

/// Asks whether the account that Collie acts as may start loops; `acting` is the person that it does so for.
///
/// # Errors
/// GitHub does not say who it is, or the configuration cannot be used.
pub async fn check_permission(
    ports: &EffectPorts,
    acting: Option<&Login>,
    subject: AuditSubject,
) -> Result<Permission, StartError> {
    let viewer = ports.github.viewer().await?;
    let login = viewer.login;
    let passed =
        is_allowed(ports.policy_source.as_ref(), &login, viewer.id).map_err(StartError::Config)?;
    let refused = login.clone();
    let refusal = match ports.policy_source.may_start(&login) {
        true => StartError::LoginReused { login: refused },
        false => StartError::Denied { login: refused },
    };
    let mut audit = audit::permission_entry(subject, &login, passed, ports.clock.now());
    if let Some(person) = acting.filter(|person| **person != login) {
        let asked_by = person.to_string();
        audit.details.insert("asked_by".to_owned(), asked_by);
    }
    let granted = match passed {
        true => Ok(acting.cloned().unwrap_or(login)),
        false => Err(refusal),
    };
    Ok(Permission { granted, audit })
}

/// Whether an account is one that the configuration allows: a name stands for the account that bore it first (§9.1).
///
/// # Errors
/// Which account that was cannot be read or written down.
pub fn is_allowed(
    source: &dyn PolicySource,
    login: &Login,
    id: AccountId,
) -> Result<bool, UserError> {
    Ok(source.may_start(login) && source.pin_account(login, id)? == id)
}

/// The first state of a loop. What was decided of its repository, and a pause, are for the host to add.
///
/// # Errors
/// The configuration cannot be used.
pub fn new_loop(
    ports: &EffectPorts,
    found: ResolvedPull,
    by: Login,
    level: Option<Autonomy>,
) -> Result<LoopState, StartError> {
    let policy = ports
        .policy_source
        .policy(&found.pull.repo, None)
        .map_err(StartError::Config)?
        .policy;
    let (level, configured) = first_level(ports, &found.pull.repo, level);
    let new = NewLoop {
        id: found.pull.id,
        pull: PullRequest {
            repo: found.pull.repo,
            title: found.title,
            author: found.author.map(|a| a.login),
            url: found.url,
            head_ref: found.head_ref,
            base_ref: found.base_ref,
        },
        run: ports.clock.run_id(),
        started_by: by,
        policy,
    };
    let mut state = LoopState::new(new, ports.clock.now());
    state.chosen_autonomy = ChosenAutonomy { level, configured };
    Ok(state)
}

/// The level that a new loop begins with, and what the settings say of it: nothing but a person's word makes a new repository's loops
/// write.
fn first_level(
    ports: &EffectPorts,
    repo: &RepoName,
    asked: Option<Autonomy>,
) -> (Autonomy, Option<Autonomy>) {
    let configured = ports.policy_source.autonomy(repo);
    let level = asked.or(configured).unwrap_or(Autonomy::Observe);
    (level, configured)
}
