//! The forge's doors, for whoever plays a part: the API and git, each under one's own name.

use super::DemoError;
use collie_core::ids::{PullName, RepoName};
use serde_json::{Value, json};

/// Where the forge is.
#[derive(Clone, Debug)]
pub(crate) struct ForgeClient {
    /// `http://127.0.0.1:PORT/api/v3`.
    api_url: String,
    /// `http://127.0.0.1:PORT`.
    git_url: String,
    tokens: collie_forge::TokenScheme,
    http: reqwest::Client,
}

impl ForgeClient {
    /// Knows the way to a forge.
    pub(crate) fn new(running: &collie_forge::RunningForge) -> Self {
        Self {
            api_url: running.api_url(),
            git_url: running.git_url(),
            tokens: running.forge().token_scheme().clone(),
            http: reqwest::Client::new(),
        }
    }

    /// What somebody of the cast signs in with.
    pub(crate) fn token_of(&self, login: &str) -> String {
        self.tokens.token_of(login)
    }

    /// Where its repositories are.
    pub(crate) fn git_url(&self) -> &str {
        &self.git_url
    }

    /// The address that a repository is cloned from.
    pub(crate) fn clone_url(&self, repo: &RepoName) -> String {
        format!("{}/{repo}.git", self.git_url)
    }

    async fn call(
        &self,
        method: reqwest::Method,
        login: &str,
        path: &str,
        body: Option<&Value>,
    ) -> Result<Value, DemoError> {
        let url = format!("{}{path}", self.api_url);
        self.send(method, login, &url, body).await
    }

    async fn send(
        &self,
        method: reqwest::Method,
        login: &str,
        url: &str,
        body: Option<&Value>,
    ) -> Result<Value, DemoError> {
        let failed = |message: String| refused(login, url, message);
        let mut request = self
            .http
            .request(method, url)
            .bearer_auth(self.token_of(login))
            .header("user-agent", "collie-demo");
        if let Some(body) = body {
            request = request.json(body);
        }
        let response = request.send().await.map_err(|e| failed(e.to_string()))?;
        let status = response.status();
        let body: Value = response.json().await.map_err(|e| failed(e.to_string()))?;
        if status.is_success() {
            Ok(body)
        } else {
            Err(failed(format!("{status}: {body}")))
        }
    }

    /// Reads something as one of the cast.
    pub(crate) async fn get(&self, login: &str, path: &str) -> Result<Value, DemoError> {
        self.call(reqwest::Method::GET, login, path, None).await
    }

    /// Reads a list to its end.
    pub(crate) async fn list(&self, login: &str, path: &str) -> Result<Vec<Value>, DemoError> {
        let mut all = Vec::new();
        for page in 1.. {
            let items = self
                .get(login, &format!("{path}?per_page=100&page={page}"))
                .await?;
            let items = items.as_array().cloned().unwrap_or_default();
            let last = items.len() < 100;
            all.extend(items);
            if last {
                break;
            }
        }
        Ok(all)
    }

    /// Makes something new as one of the cast.
    pub(crate) async fn post(
        &self,
        login: &str,
        path: &str,
        body: &Value,
    ) -> Result<Value, DemoError> {
        self.call(reqwest::Method::POST, login, path, Some(body))
            .await
    }

    /// Changes something as one of the cast.
    pub(crate) async fn patch(
        &self,
        login: &str,
        path: &str,
        body: &Value,
    ) -> Result<Value, DemoError> {
        self.call(reqwest::Method::PATCH, login, path, Some(body))
            .await
    }

    /// Resolves the thread that a comment in a diff began.
    pub(crate) async fn resolve_thread(
        &self,
        login: &str,
        pull: &PullName,
        comment: u64,
    ) -> Result<(), DemoError> {
        let variables = json!({
            "owner": pull.repo.owner(), "name": pull.repo.name(), "number": pull.number,
        });
        let found = self.ask_graphql(login, FIND_THREADS, &variables).await?;
        let threads = &found["repository"]["pullRequest"]["reviewThreads"]["nodes"];
        let begun = |thread: &&Value| thread["comments"]["nodes"][0]["databaseId"] == comment;
        let Some(thread) = threads.as_array().into_iter().flatten().find(begun) else {
            return Err(refused(
                login,
                "reviewThreads",
                format!("no thread of {comment}"),
            ));
        };
        let variables = json!({ "thread": thread["id"] });
        self.ask_graphql(login, RESOLVE_THREAD, &variables)
            .await
            .map(drop)
    }

    async fn ask_graphql(
        &self,
        login: &str,
        query: &str,
        variables: &Value,
    ) -> Result<Value, DemoError> {
        let body = json!({ "query": query, "variables": variables });
        let url = format!("{}/api/graphql", self.git_url);
        let answer = self.send(reqwest::Method::POST, login, &url, Some(&body));
        let mut answer = answer.await?;
        match &answer["errors"] {
            Value::Null => Ok(answer["data"].take()),
            errors => Err(refused(login, &url, errors.to_string())),
        }
    }
}

const FIND_THREADS: &str = "query ($owner: String!, $name: String!, $number: Int!) { \
    repository(owner: $owner, name: $name) { pullRequest(number: $number) { \
    reviewThreads(first: 100) { nodes { id comments(first: 1) { nodes { databaseId } } } } } } }";

const RESOLVE_THREAD: &str = "mutation ($thread: ID!) { \
    resolveReviewThread(input: {threadId: $thread}) { thread { id } } }";

fn refused(login: &str, what: &str, message: String) -> DemoError {
    DemoError::Actor {
        who: login.to_owned(),
        what: what.to_owned(),
        message,
    }
}
