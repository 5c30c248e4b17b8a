//! Reads the pull request that is to be reviewed.

use super::context::ReviewContext;
use super::error::ReviewError;
use super::options::{Posting, ReviewOptions, ReviewPanel};
use super::post;
use crate::engine_client::journal::create_folder;
use crate::engine_client::local::EngineSetup;
use crate::engine_client::policies::ConfiguredPolicies;
use collie_config::{Config, DataFolder, LiveConfig, host_of};
use collie_core::ids::{AccountId, Login, PullName};
use collie_core::snapshot::{ObserveFailure, PullState, Snapshot};
use collie_core::user_error::UserError;
use collie_engine::ports::{GitHub as _, GitHubError, PolicySource as _, PullRef};
use collie_github::GitHubClient;
use std::collections::BTreeMap;

/// Readings of a pull request whose head moves meanwhile.
const MAX_READS: usize = 3;

/// Reads the pull request and sees that it may be reviewed, and the review be posted.
pub(super) async fn prepare(
    setup: EngineSetup,
    options: &ReviewOptions,
) -> Result<ReviewContext, ReviewError> {
    let mut config = (*setup.config.get()).clone();
    if options.panel == ReviewPanel::PreferModel && config.llm.is_some() {
        for own in config.reviewers.values_mut() {
            (own.runs_on, own.model) = (None, None);
        }
        config.persona_models.clear();
    }
    let data = DataFolder::at(&config.home)?;
    create_folder(&data)?;
    let github = crate::auth::github_client(&config, &setup.tokens).await?;
    let pull = github.resolve_pull(&options.pull).await?.pull;
    let name = PullName {
        repo: pull.repo.clone(),
        number: pull.id.number,
    };
    let mut snapshot = read_snapshot(github.as_ref(), &pull, &name, &config).await?;
    let state = match snapshot.state {
        PullState::Open => None,
        PullState::Closed => Some("closed"),
        PullState::Merged => Some("merged"),
    };
    if let Some(state) = state {
        return Err(ReviewError::NotOpen { pull: name, state });
    }
    let config = LiveConfig::new(config);
    snapshot.pinned_accounts =
        pin_allowed_users(&config, &snapshot).map_err(|error| ReviewError::Policy {
            pull: name.clone(),
            error,
        })?;
    let context = ReviewContext {
        config,
        activities: setup.activities,
        github,
        data,
        pull,
        snapshot,
        name,
        keys: setup.keys,
    };
    match options.posting {
        Posting::DryRun => {}
        Posting::IfAllowed => post::check_may_post(&context, false).await?,
        Posting::OwnAccount => post::check_may_post(&context, true).await?,
    }
    Ok(context)
}

/// For whom the allowed names stand that are found on the pull request (§9.1).
fn pin_allowed_users(
    config: &LiveConfig,
    snapshot: &Snapshot,
) -> Result<BTreeMap<Login, AccountId>, UserError> {
    let policies = ConfiguredPolicies::new(config.clone());
    let allowed = &config.get().policy.allowed_users;
    let named = snapshot.people().chain([&snapshot.viewer]);
    named
        .filter(|actor| allowed.contains(&actor.login))
        .map(|actor| {
            let account = policies.pin_account(&actor.login, actor.id)?;
            Ok((actor.login.clone(), account))
        })
        .collect()
}

async fn read_snapshot(
    github: &GitHubClient,
    pull: &PullRef,
    name: &PullName,
    config: &Config,
) -> Result<Snapshot, ReviewError> {
    let (host, what) = (host_of(&config.api_url), name.to_string());
    let unclear = |message: &str| GitHubError::OutcomeUnknown {
        host: host.clone(),
        what: format!("reading {what}"),
        message: message.to_owned(),
    };
    let mut last = unclear("there was no answer");
    for _ in 0..MAX_READS {
        let read = github.observe(std::slice::from_ref(pull)).await;
        last = match read.into_iter().next() {
            Some(Ok(snapshot)) => return Ok(snapshot),
            Some(Err(ObserveFailure::Moved)) => unclear("its head moves: start again"),
            Some(Err(failure)) => {
                return Err(observe_error(failure, &host, &what, &unclear).into());
            }
            None => break,
        };
    }
    Err(last.into())
}

fn observe_error(
    failure: ObserveFailure,
    host: &str,
    what: &str,
    unclear: &impl Fn(&str) -> GitHubError,
) -> GitHubError {
    let (host, what) = (host.to_owned(), what.to_owned());
    match failure {
        ObserveFailure::Unreachable { message } => unclear(&message),
        ObserveFailure::Moved => unclear("its head moves: start again"),
        ObserveFailure::Unauthorized => GitHubError::Unauthorized { host },
        ObserveFailure::NotFound => GitHubError::NotFound {
            what,
            host,
            other_accounts: Vec::new(),
        },
        ObserveFailure::App { problem } => GitHubError::App { host, problem },
        ObserveFailure::ServerTooOld { field, version } => GitHubError::ServerTooOld {
            host,
            field,
            version,
        },
        ObserveFailure::Forbidden { message } => GitHubError::Refused {
            host,
            what: format!("reading {what}"),
            message,
        },
        ObserveFailure::RateLimited { until } | ObserveFailure::BreakerOpen { until } => {
            GitHubError::RetryLater { host, until }
        }
    }
}
