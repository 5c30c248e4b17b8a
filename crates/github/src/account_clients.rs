//! Posts as accounts of their own (§18.2). Each has a client of its own, which its token alone signs in; the account that Collie acts as never
//! stands in for it.

use crate::api_client::{ApiClient, lock};
use crate::api_fault::ApiFault;
use crate::config::GitHubConfig;
use crate::credentials::{Token, TokenSource};
use crate::post;
use collie_core::ids::{AccountId, Login, RepoName};
use collie_core::own_accounts::{AccountProblem, AccountTrouble, OwnAccount};
use collie_core::snapshot::{ObserveFailure, Snapshot};
use collie_engine::ports::{Clock, GitHubError, PullRef, RenderedPost};
use secrecy::ExposeSecret as _;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

/// Clients by account, made when they are first needed.
pub(crate) struct AccountClients {
    config: GitHubConfig,
    clock: Arc<dyn Clock>,
    clients: Mutex<BTreeMap<AccountId, (Token, Arc<ApiClient>)>>,
}

impl AccountClients {
    pub(crate) fn new(config: GitHubConfig, clock: Arc<dyn Clock>) -> Self {
        Self {
            config,
            clock,
            clients: Mutex::default(),
        }
    }

    /// The accounts of a host whose tokens are kept, or were.
    pub(crate) async fn known(&self, host: &str) -> Result<BTreeSet<OwnAccount>, String> {
        let known = self.config.accounts.known(host).await;
        known.map_err(|error| error.to_string())
    }

    /// The client that an account's token signs in, as it is kept now.
    async fn client(&self, host: &str, login: &Login) -> Result<Arc<ApiClient>, AccountProblem> {
        let found = self.config.accounts.token(host, login).await?;
        let token = Token::new(found.token.expose_secret()).ok_or(AccountProblem::Refused)?;
        if let Some((known, client)) = lock(&self.clients).get(&found.id)
            && *known == token
        {
            return Ok(client.clone());
        }
        let config = GitHubConfig {
            token_source: TokenSource::Given(token.clone()),
            ..self.config.clone()
        };
        let client = ApiClient::connect(&config, self.clock.clone()).await;
        let client = Arc::new(client.map_err(|error| {
            tracing::warn!(%error, %login, "no client of an account could be made");
            AccountProblem::Refused
        })?);
        lock(&self.clients).insert(found.id, (token, client.clone()));
        Ok(client)
    }

    /// Posts as an account of its own.
    pub(crate) async fn post(
        &self,
        host: &str,
        login: &Login,
        pull: &PullRef,
        rendered: &RenderedPost,
    ) -> Result<u64, GitHubError> {
        let trouble = |problem| GitHubError::Account {
            host: host.to_owned(),
            trouble: AccountTrouble {
                login: login.clone(),
                problem,
            },
        };
        let client = self.client(host, login).await;
        let client = client.map_err(trouble)?;
        match post::post(&client, pull, rendered).await {
            Err(GitHubError::Unauthorized { .. }) => Err(trouble(AccountProblem::Refused)),
            // GitHub says the same of what is gone and of what one may not see.
            Err(GitHubError::Undeliverable { .. }) if !sees(&client, &pull.repo).await => {
                Err(trouble(AccountProblem::NoAccess))
            }
            other => other,
        }
    }

    /// Every account that Collie posts as, or has posted as.
    pub(crate) async fn own_ids(
        &self,
        host: &str,
        viewer: AccountId,
    ) -> Result<BTreeSet<AccountId>, GitHubError> {
        let known = self.known(host).await;
        let known = known.map_err(|message| GitHubError::OutcomeUnknown {
            host: host.to_owned(),
            what: "reading which accounts are Collie's".to_owned(),
            message,
        })?;
        let own = known.into_iter().map(|own| own.id);
        Ok(own.chain([viewer]).collect())
    }

    /// Notes in readings which accounts are Collie's own. Where that is not known, nothing was read: what Collie itself has said would be
    /// taken for somebody's.
    pub(crate) async fn with_own_accounts(
        &self,
        host: &str,
        readings: Vec<Result<Snapshot, ObserveFailure>>,
    ) -> Vec<Result<Snapshot, ObserveFailure>> {
        let known = self.known(host).await;
        let readings = readings.into_iter().map(|reading| {
            let mut snapshot = reading?;
            let message = |message: &String| ObserveFailure::Unreachable {
                message: message.clone(),
            };
            snapshot.own_accounts = known.clone().map_err(|error| message(&error))?;
            Ok(snapshot)
        });
        readings.collect()
    }
}

/// Whether an account may see a repository. Where that cannot be told, it may: what is refused then is what was tried.
async fn sees(client: &ApiClient, repo: &RepoName) -> bool {
    let read = client.get_uncached(&format!("/repos/{repo}")).await;
    !matches!(read, Err(ApiFault::NotFound(_)))
}
