//! What the tests share: a clock under their hand, and answers as GitHub gives them.

use async_trait::async_trait;
use collie_core::ids::{LoopId, RepoName, RunId, Time};
use collie_engine::ports::{Clock, PullRef};
use collie_github::{GitHubClient, GitHubConfig, Token, TokenSource};
use collie_testkit::forge::ForgeFixture;
use collie_testkit::repository::RepositoryFixture;
use serde_json::{Value, json};
use std::ops::Deref;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use wiremock::{Match, Request};

/// A clock that stands still until it is moved, or until someone sleeps.
#[derive(Default)]
pub struct ManualClock {
    now: AtomicI64,
    pub sleeps: Mutex<Vec<u64>>,
}

impl ManualClock {
    pub fn at(millis: i64) -> Arc<Self> {
        let clock = Self::default();
        clock.now.store(millis, Ordering::SeqCst);
        Arc::new(clock)
    }

    pub fn advance(&self, millis: i64) {
        self.now.fetch_add(millis, Ordering::SeqCst);
    }
}

#[async_trait]
impl Clock for ManualClock {
    fn now(&self) -> Time {
        Time(self.now.load(Ordering::SeqCst))
    }

    async fn sleep_until(&self, time: Time) {
        let wait = time.since(self.now());
        self.sleeps
            .lock()
            .expect("no test panics while it holds this")
            .push(wait);
        self.now.fetch_max(time.0, Ordering::SeqCst);
    }

    fn jitter(&self) -> u16 {
        0
    }

    fn run_id(&self) -> RunId {
        RunId::new("run")
    }
}

/// A client of the API at `uri` as that token.
pub async fn client(uri: &str, token: &str, clock: Arc<dyn Clock>) -> GitHubClient {
    let tokens = TokenSource::Given(Token::new(token).expect("a token"));
    let mut config = GitHubConfig::new(format!("{uri}/api/v3"), tokens);
    config.request_timeout = Duration::from_secs(10);
    GitHubClient::connect(config, clock)
        .await
        .expect("connected")
}

/// A forge, and who reads it with the client.
pub struct ClientFixture {
    forge: ForgeFixture,
    pub clock: Arc<ManualClock>,
}

impl Deref for ClientFixture {
    type Target = ForgeFixture;

    fn deref(&self) -> &ForgeFixture {
        &self.forge
    }
}

impl ClientFixture {
    pub async fn start(repository: &RepositoryFixture) -> Self {
        Self {
            forge: ForgeFixture::start(repository).await,
            clock: ManualClock::at(1_700_000_000_000),
        }
    }

    pub async fn client_as(&self, login: &str) -> GitHubClient {
        client(
            &self.git_url(),
            &format!("forge-{login}"),
            self.clock.clone(),
        )
        .await
    }

    pub async fn shutdown(mut self) {
        self.forge.stop().await;
    }
}

pub fn pull(number: u64) -> PullRef {
    PullRef {
        id: LoopId {
            host: "127.0.0.1".into(),
            repo_id: "R_1".into(),
            number,
        },
        repo: RepoName::parse("acme/web").expect("a name"),
    }
}

/// Matches a GraphQL request by the name of its operation.
pub struct GraphQlOperation(pub &'static str);

impl Match for GraphQlOperation {
    fn matches(&self, request: &Request) -> bool {
        let body: Value = serde_json::from_slice(&request.body).unwrap_or_default();
        let query = body["query"].as_str().unwrap_or("");
        let name = query
            .trim_start_matches("query ")
            .trim_start_matches("mutation ");
        request.url.path() == "/api/graphql"
            && name.split(|c: char| !c.is_alphanumeric()).next() == Some(self.0)
    }
}

pub fn last_page(nodes: Value) -> Value {
    json!({"nodes": nodes, "pageInfo": {"hasNextPage": false, "endCursor": null}})
}

pub fn partial_page(nodes: Value, cursor: &str) -> Value {
    json!({"nodes": nodes, "pageInfo": {"hasNextPage": true, "endCursor": cursor}})
}

pub fn account_json(login: &str, id: u64) -> Value {
    json!({"__typename": "User", "login": login, "databaseId": id})
}

pub fn sha(letter: char) -> String {
    letter.to_string().repeat(40)
}

/// A repository with a plain open pull request at head `aaa…`.
pub fn repository_json() -> Value {
    let rollup = |contexts: Value| json!({"contexts": contexts});
    json!({
        "id": "R_1",
        "nameWithOwner": "acme/web",
        "pullRequest": {
            "title": "Add a thing", "body": "", "url": "https://ghe/acme/web/pull/1", "state": "OPEN",
            "isDraft": false, "locked": false, "headRefOid": sha('a'), "headRefName": "feature",
            "baseRefName": "main", "baseRefOid": sha('0'), "isCrossRepository": false,
            "maintainerCanModify": false, "mergeable": "MERGEABLE", "mergeStateStatus": "CLEAN",
            "reviewDecision": null, "isInMergeQueue": false, "author": account_json("ana", 7),
            "autoMergeRequest": null,
            "headRepository": {"nameWithOwner": "acme/web", "defaultBranchRef": {"name": "main"}},
            "headRef": {"branchProtectionRule": null},
            "baseRef": {"branchProtectionRule": null, "target": {"oid": sha('b'), "statusCheckRollup": null}},
            "earlier": {"nodes": []},
            "latest": {"nodes": [{"commit": {"oid": sha('a'), "statusCheckRollup": rollup(last_page(json!([])))}}]},
            "labels": last_page(json!([])), "files": last_page(json!([])), "reviews": last_page(json!([])),
            "comments": last_page(json!([])), "reviewThreads": last_page(json!([])),
            "stackedOn": {"pullRequests": {"totalCount": 0}},
        },
    })
}

/// An answer of the first query, with one repository a pull request.
pub fn observe_response(repositories: &[Value]) -> Value {
    let mut data = json!({"viewer": account_json("collie-user", 42)});
    for (index, repository) in repositories.iter().enumerate() {
        data[format!("pull{index}")] = repository.clone();
    }
    json!({"data": data})
}

/// An answer of the last look.
pub fn confirm_response(head: &str, stacked: u64) -> Value {
    json!({"data": {"pull0": {"pullRequest": {
        "headRefOid": head, "stackedOn": {"pullRequests": {"totalCount": stacked}},
    }}}})
}
