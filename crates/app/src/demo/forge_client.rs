//! The forge's doors, for whoever plays a part: the API and git, each under one's own name.

use super::DemoError;
use collie_core::ids::RepoName;
use serde_json::Value;

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
        let failed = |message: String| DemoError::Actor {
            who: login.to_owned(),
            what: path.to_owned(),
            message,
        };
        let mut request = self
            .http
            .request(method, format!("{}{path}", self.api_url))
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
}
