//! What a person is shown before they decide what may be run and fixed in a repository, and the request that says it (§6.3e, §9.1).

use crate::engine_client::{EngineClient, policies};
use collie_config::Config;
use collie_core::ids::{Login, PullName, RepoName, RepositoryId, Sha};
use collie_core::trust::{TrustDecision, VerifyPermission};
use collie_core::user_error::UserError;
use collie_engine::ports::{GitHub as _, LoopRequest, PrepareStep};

/// Where a repository names its verify commands.
pub const SOURCE: &str = ".collie.toml";

/// The verify commands of a repository as they stand now.
#[derive(Clone, Debug)]
pub struct VerifyCommands {
    /// The repository.
    pub id: RepositoryId,
    /// Its present name.
    pub repo: RepoName,
    /// The default branch and the commit that it is at; none while the repository is empty.
    pub head: Option<(String, Sha)>,
    /// Those of the user's own configuration.
    pub own: Vec<String>,
    /// Those that the repository names besides, in [`SOURCE`].
    pub repository: Vec<String>,
    /// The user runs them without a sandbox (§9.5).
    pub unsandboxed: bool,
    /// What may be done with the repository's.
    pub permission: VerifyPermission,
}

/// Reads a repository's verify commands from the head of its default branch.
///
/// # Errors
/// GitHub or the journal does not tell, or the file cannot be understood.
pub async fn verify_commands(
    engine: &EngineClient,
    config: &Config,
    repo: &RepoName,
) -> Result<VerifyCommands, UserError> {
    let github = engine.github();
    let branch = github.default_branch(repo).await?;
    let file = match &branch.head {
        Some((_, head)) => github.file_at(&branch.repo, SOURCE, head).await?,
        None => None,
    };
    let plan = policies::verify_plan(config, &branch.repo, file.as_deref())?;
    let repository = plan.repository_commands;
    let trust = engine.trust(&branch.id).await?;
    Ok(VerifyCommands {
        permission: trust.verify_permission(&repository),
        id: branch.id,
        repo: branch.repo,
        head: branch.head,
        own: (plan.prepare.iter().map(PrepareStep::line))
            .chain(plan.commands)
            .filter(|command| !repository.contains(command))
            .collect(),
        repository,
        unsandboxed: plan.unsandboxed,
    })
}

/// The request that decides about one pull request.
///
/// # Errors
/// GitHub does not tell about it.
pub async fn pull_request(
    engine: &EngineClient,
    pull: &PullName,
    revoke: bool,
) -> Result<LoopRequest, UserError> {
    let found = engine.github().resolve_pull(pull).await?.pull;
    let number = found.id.number;
    Ok(LoopRequest::Decide {
        repo: found.repo,
        id: found.id.repository(),
        decision: match revoke {
            true => TrustDecision::RevokePull { number },
            false => TrustDecision::AllowPull { number },
        },
    })
}

/// The request that decides about an author, who is pinned by the account that bears the name now.
///
/// # Errors
/// GitHub does not tell about the repository or the account.
pub async fn author_request(
    engine: &EngineClient,
    repo: &RepoName,
    login: &Login,
    revoke: bool,
) -> Result<LoopRequest, UserError> {
    let github = engine.github();
    let found = github.default_branch(repo).await?;
    let decision = match revoke {
        true => TrustDecision::RevokeAuthor {
            login: login.clone(),
        },
        false => {
            let account = github.account(login).await?;
            TrustDecision::AllowAuthor {
                id: account.id,
                login: account.login,
            }
        }
    };
    Ok(LoopRequest::Decide {
        repo: found.repo,
        id: found.id,
        decision,
    })
}
