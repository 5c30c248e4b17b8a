//! The GitHub port of the engine.

use crate::api::{Api, lock};
use crate::breaker::Breaker;
use crate::config::{ConnectError, GitHubConfig};
use crate::credentials::Token;
use crate::fault::Fault;
use crate::graphql;
use crate::observe::{self, Memory};
use crate::post;
use crate::queries;
use crate::reading;
use crate::shape::{Listed, RepositoryNode, ResolvedNode};
use async_trait::async_trait;
use collie_core::ids::{ActionToken, LoopId, PullName, RepoName, ThreadId};
use collie_core::snapshot::{Actor, ObserveFailure, Snapshot};
use collie_engine::ports::{Clock, GitHub, GitHubError, PullRef, Rendered, ResolvedPull};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};

/// GitHub, GitHub Enterprise or the forge, seen by one account. It can read and post; it cannot merge (§11).
pub struct GitHubClient {
    pub(crate) api: Api,
    pub(crate) breaker: Breaker,
    memory: Memory,
    batch: usize,
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
            api: Api::connect(&config, clock).await?,
            breaker: Breaker::new(),
            memory: Memory::default(),
            batch: config.batch,
            viewer: Mutex::new(None),
        })
    }

    /// The host in a loop's identity: `github.com`, or the API's host with its port.
    pub fn host(&self) -> &str {
        &self.api.endpoint.host
    }

    /// The token in use: git needs it to push, and what is posted must not hold it (§8.3).
    pub fn token(&self) -> Token {
        self.api.token()
    }

    fn unread(&self, fault: Fault, what: &str) -> GitHubError {
        fault.into_read(self.host(), what)
    }

    async fn ask_pull(&self, name: &PullName) -> Result<ResolvedPull, Fault> {
        let variables = json!({
            "owner": name.repo.owner(), "name": name.repo.name(), "number": name.number,
        });
        let mut reply = graphql::send(&self.api, queries::RESOLVE, variables).await?;
        let node: RepositoryNode<ResolvedNode> = reply.take("repository")?;
        let pull = node
            .pull_request
            .ok_or_else(|| Fault::NotFound(name.to_string()))?;
        let repo = RepoName::parse(&node.name_with_owner)
            .map_err(|_| reading::unreadable("repository name", &node.name_with_owner))?;
        let id = LoopId {
            host: self.host().to_string(),
            repo_id: node.id,
            number: name.number,
        };
        Ok(ResolvedPull {
            pull: PullRef { id, repo },
            title: pull.title,
            author: pull.author.as_ref().and_then(reading::actor),
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
        if let Some((of, actor)) = &*lock(&self.viewer)
            && *of == token
        {
            return Ok(actor.clone());
        }
        let actor = self.sign_in().await?;
        *lock(&self.viewer) = Some((self.token(), actor.clone()));
        Ok(actor)
    }

    async fn resolve(&self, pull: &PullName) -> Result<ResolvedPull, GitHubError> {
        self.ask_pull(pull)
            .await
            .map_err(|fault| self.unread(fault, &pull.to_string()))
    }

    async fn open_pulls(&self, repo: &RepoName) -> Result<Vec<u64>, GitHubError> {
        let variables = json!({"owner": repo.owner(), "name": repo.name()});
        let below = ["repository", "page"];
        let found: Vec<Listed> =
            graphql::rest(&self.api, queries::OPEN_PULLS, &variables, &below, None)
                .await
                .map_err(|fault| self.unread(fault, &repo.to_string()))?;
        Ok(found
            .into_iter()
            .filter(|pull| !pull.is_draft)
            .map(|pull| pull.number)
            .collect())
    }

    async fn observe(&self, pulls: &[PullRef]) -> Vec<Result<Snapshot, ObserveFailure>> {
        observe::observe(&self.api, &self.breaker, &self.memory, self.batch, pulls).await
    }

    async fn post(&self, pull: &PullRef, rendered: &Rendered) -> Result<u64, GitHubError> {
        post::post(&self.api, pull, rendered).await
    }

    async fn find_posted(
        &self,
        pull: &PullRef,
        token: &ActionToken,
    ) -> Result<Option<u64>, GitHubError> {
        let viewer = self.viewer().await?;
        post::find_posted(&self.api, pull, token, viewer.id).await
    }

    async fn resolve_thread(&self, pull: &PullRef, thread: &ThreadId) -> Result<(), GitHubError> {
        let what = || format!("resolving a thread of {}#{}", pull.repo, pull.id.number);
        let unsaid = |fault: Fault| fault.into_write(self.host(), &what());
        let mut reply = graphql::send(
            &self.api,
            queries::RESOLVE_THREAD,
            json!({"thread": thread.as_str()}),
        )
        .await
        .map_err(unsaid)?;
        reply
            .take::<Value>("resolveReviewThread")
            .map(|_| ())
            .map_err(unsaid)
    }

    fn git_url(&self, repo: &RepoName) -> String {
        self.api.endpoint.git_url(repo)
    }
}
