//! The GitHub port of the engine.

use crate::account_clients::AccountClients;
use crate::api_client::{ApiClient, lock};
use crate::api_fault::ApiFault;
use crate::breaker::CircuitBreaker;
use crate::check_reruns;
use crate::config::{ConnectError, GitHubConfig};
use crate::credentials::{Token, TokenSource, gh_accounts};
use crate::graphql;
use crate::node_conversion;
use crate::nodes::{OpenPullNode, RepositoryNode, ResolvedPullNode};
use crate::observation_cache::ObservationCache;
use crate::observe::Observer;
use crate::post;
use crate::queries;
use crate::quota::Payer;
use crate::token_rights::{self, TokenRightsCache};
use async_trait::async_trait;
use collie_core::effect::CheckRun;
use collie_core::ids::{ActionToken, Login, LoopId, PullName, RepoName, ThreadId};
use collie_core::poll_budget::RateBudget;
use collie_core::snapshot::{Actor, ObserveFailure, Snapshot};
use collie_core::token_right::{RepositoryWrite, TokenRight};
use collie_engine::ports::{
    Clock, GitHub, GitHubError, PullPoll, PullRef, RenderedPost, ResolvedPull, WriteObstacle,
};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

/// What a poll cost is learnt from where fewer than one in so many was read for the first time.
const MAX_FIRST_READINGS: usize = 10;

/// GitHub, GitHub Enterprise or the forge, seen by one account. It can read and post; it cannot merge (§11).
pub struct GitHubClient {
    pub(crate) api: ApiClient,
    pub(crate) breaker: CircuitBreaker,
    cache: ObservationCache,
    batch_size: usize,
    rights: TokenRightsCache,
    pub(crate) accounts: AccountClients,
    /// The account, and the token that it belongs to.
    viewer: Mutex<Option<(Token, Actor)>>,
}

impl GitHubClient {
    /// Sets a client up; no request is made yet.
    ///
    /// # Errors
    /// The address is unusable, there is no token, or the system's certificates cannot be read.
    pub async fn connect(
        config: GitHubConfig,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, ConnectError> {
        Ok(Self {
            api: ApiClient::connect(&config, clock.clone()).await?,
            breaker: CircuitBreaker::new(),
            cache: ObservationCache::default(),
            batch_size: config.batch_size,
            accounts: AccountClients::new(config, clock),
            rights: TokenRightsCache::default(),
            viewer: Mutex::new(None),
        })
    }

    /// The host in a loop's identity: `github.com`, or the API's host with its port.
    pub fn host(&self) -> &str {
        &self.api.endpoint.host
    }

    /// The token in use; of a GitHub App, that for no repository in particular.
    pub fn token(&self) -> Token {
        self.api.token()
    }

    /// Every token in use: what is posted must hold none of them (§8.3).
    pub fn tokens(&self) -> Vec<Token> {
        self.api.tokens()
    }

    /// Where another client of the same account takes its tokens from.
    pub fn token_source(&self) -> TokenSource {
        match &self.api.token_source {
            app @ TokenSource::App(_) => app.clone(),
            _ => TokenSource::Given(self.token()),
        }
    }

    /// What git signs in with at an address. Of a GitHub App it is the token of that repository alone; none where it is none of this host's,
    /// or no token can be had.
    pub async fn git_token(&self, url: &str) -> Option<Token> {
        if !self.api.has_token_per_repository() {
            return Some(self.token());
        }
        let repo = self.api.endpoint.repo_of_git_url(url)?;
        match self.api.token_for(Some(&repo), None).await {
            Ok(token) => Some(token),
            Err(fault) => {
                tracing::warn!(?fault, %repo, "git gets no token");
                None
            }
        }
    }

    fn read_error(&self, fault: ApiFault, what: &str) -> GitHubError {
        fault.into_read_error(self.host(), what)
    }

    /// Names the other accounts that `gh` knows on the host, where something was not found: GitHub says so of what one may not see.
    async fn with_other_accounts(&self, error: GitHubError) -> GitHubError {
        let GitHubError::NotFound { what, host, .. } = error else {
            return error;
        };
        let mut other_accounts = Vec::new();
        if self.api.is_looked_up() {
            let own = self.viewer().await.map(|viewer| viewer.login).ok();
            let known = gh_accounts(&host).await;
            let others = known.into_iter().map(|account| account.login);
            other_accounts.extend(others.filter(|login| Some(login) != own.as_ref()));
        }
        GitHubError::NotFound {
            what,
            host,
            other_accounts,
        }
    }

    fn observer<'a>(&'a self, api: &'a ApiClient) -> Observer<'a> {
        Observer {
            api,
            breaker: &self.breaker,
            cache: &self.cache,
            batch_size: self.batch_size,
        }
    }

    async fn fetch_pull(&self, name: &PullName) -> Result<ResolvedPull, ApiFault> {
        let variables = json!({
            "owner": name.repo.owner(), "name": name.repo.name(), "number": name.number,
        });
        // A start, which a person asks for.
        let api = self.api.paid_by(Payer::Person);
        let mut response = graphql::send(&api, queries::RESOLVE, variables).await?;
        let node: RepositoryNode<ResolvedPullNode> = response.take_field("repository")?;
        let pull = node
            .pull_request
            .ok_or_else(|| ApiFault::NotFound(name.to_string()))?;
        let repo = RepoName::parse(&node.name_with_owner).map_err(|_| {
            node_conversion::invalid_value("repository name", &node.name_with_owner)
        })?;
        let id = LoopId {
            host: self.host().to_string(),
            repo_id: node.id,
            number: name.number,
        };
        Ok(ResolvedPull {
            pull: PullRef { id, repo },
            title: pull.title.into(),
            author: pull.author.as_ref().and_then(node_conversion::actor),
            url: pull.url,
            head_ref: pull.head_ref_name,
            base_ref: pull.base_ref_name,
        })
    }
}

#[async_trait]
impl GitHub for GitHubClient {
    async fn viewer(&self) -> Result<Actor, GitHubError> {
        let token = self.token();
        if let Some((viewer_token, actor)) = &*lock(&self.viewer)
            && *viewer_token == token
        {
            return Ok(actor.clone());
        }
        let actor = self.sign_in().await?;
        *lock(&self.viewer) = Some((self.token(), actor.clone()));
        Ok(actor)
    }

    async fn resolve_pull(&self, pull: &PullName) -> Result<ResolvedPull, GitHubError> {
        match self.fetch_pull(pull).await {
            Ok(found) => Ok(found),
            Err(fault) => Err(self
                .with_other_accounts(self.read_error(fault, &pull.to_string()))
                .await),
        }
    }

    async fn open_pulls(&self, repo: &RepoName) -> Result<Vec<u64>, GitHubError> {
        let variables = json!({"owner": repo.owner(), "name": repo.name()});
        let path = ["repository", "page"];
        let open_pulls =
            graphql::fetch_remaining(&self.api, queries::OPEN_PULLS, &variables, &path, None).await;
        let open_pulls: Vec<OpenPullNode> = match open_pulls {
            Ok(found) => found,
            Err(fault) => {
                let error = self.read_error(fault, &repo.to_string());
                return Err(self.with_other_accounts(error).await);
            }
        };
        Ok(open_pulls
            .into_iter()
            .filter(|pull| !pull.is_draft)
            .map(|pull| pull.number)
            .collect())
    }

    async fn observe(&self, pulls: &[PullRef]) -> Vec<Result<Snapshot, ObserveFailure>> {
        let readings = self.observer(&self.api).observe(pulls).await;
        self.accounts.with_own_accounts(self.host(), readings).await
    }

    async fn poll(&self, polls: &[PullPoll]) -> Vec<Result<Snapshot, ObserveFailure>> {
        if polls.iter().all(|poll| poll.by_person) {
            let api = self.api.paid_by(Payer::Person);
            let readings = self.observer(&api).poll(polls).await;
            return self.accounts.with_own_accounts(self.host(), readings).await;
        }
        let before = self.api.used_so_far();
        let first_readings = self.cache.unread(polls.iter().map(|poll| &poll.pull));
        let outcomes = self.observer(&self.api).poll(polls).await;
        let read = outcomes.iter().filter(|outcome| outcome.is_ok()).count();
        // What is read for the first time costs far more: that tells nothing of the readings to come.
        if first_readings * MAX_FIRST_READINGS < read {
            self.api.record_readings(before, read);
        }
        self.accounts.with_own_accounts(self.host(), outcomes).await
    }

    fn budgets(&self) -> Vec<RateBudget> {
        self.api.budgets()
    }

    async fn post(
        &self,
        pull: &PullRef,
        rendered: &RenderedPost,
        by: Option<&Login>,
    ) -> Result<u64, GitHubError> {
        match by {
            Some(login) => self.accounts.post(self.host(), login, pull, rendered).await,
            None => post::post(&self.api, pull, rendered).await,
        }
    }

    async fn find_post(
        &self,
        pull: &PullRef,
        token: &ActionToken,
    ) -> Result<Option<u64>, GitHubError> {
        let viewer = self.viewer().await?.id;
        let own = self.accounts.own_ids(self.host(), viewer).await?;
        post::find_posted(&self.api, pull, token, &own).await
    }

    async fn resolve_thread(&self, pull: &PullRef, thread: &ThreadId) -> Result<(), GitHubError> {
        let what = || format!("resolving a thread of {}#{}", pull.repo, pull.id.number);
        let write_error = |fault: ApiFault| fault.into_write_error(self.host(), &what());
        let mut response = graphql::send(
            &self.api.within(&pull.repo),
            queries::RESOLVE_THREAD,
            json!({"thread": thread.as_str()}),
        )
        .await
        .map_err(write_error)?;
        response
            .take_field::<Value>("resolveReviewThread")
            .map(|_| ())
            .map_err(write_error)
    }

    async fn lacking_rights(
        &self,
        repo: &RepoName,
        needed: &BTreeSet<RepositoryWrite>,
    ) -> Result<BTreeSet<TokenRight>, GitHubError> {
        let scopes = match self.rights.scopes(&self.api) {
            Some(known) => known,
            None => {
                let told = self.token_scopes().await?;
                self.rights.remember_scopes(&self.api, &told);
                told
            }
        };
        if scopes.granted.is_some() {
            let is_public = self.visibility(repo).await?.public;
            let lacking = token_rights::lacking_scopes(&scopes, is_public);
            return Ok(lacking.unwrap_or_default());
        }
        token_rights::lacking_permissions(&self.api, &self.rights, repo, needed)
            .await
            .map_err(|fault| self.read_error(fault, &format!("the rights of the token in {repo}")))
    }

    async fn write_obstacle(&self, pull: &PullRef) -> Result<Option<WriteObstacle>, GitHubError> {
        let name = PullName {
            repo: pull.repo.clone(),
            number: pull.id.number,
        };
        let facts = self.merge_facts_paid_by(&name, Payer::Collie).await?;
        Ok(facts.write_obstacle())
    }

    async fn rerun_check(&self, pull: &PullRef, run: &CheckRun) -> Result<(), GitHubError> {
        let what = format!("running check {} of {} again", run.id, pull.repo);
        let asked = check_reruns::rerun(&self.api, &pull.repo, run).await;
        asked.map_err(|fault| fault.into_write_error(self.host(), &what))
    }

    async fn was_rerun(&self, pull: &PullRef, run: &CheckRun) -> Result<bool, GitHubError> {
        let what = format!("check {} of {}", run.id, pull.repo);
        let found = check_reruns::was_rerun(&self.api, &pull.repo, run).await;
        found.map_err(|fault| fault.into_read_error(self.host(), &what))
    }

    fn git_url(&self, repo: &RepoName) -> String {
        self.api.endpoint.git_url(repo)
    }
}
