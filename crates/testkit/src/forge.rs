//! The one way to set up a forge with repositories and pull requests, and to play the people around it.

use crate::git::{commit_files, git};
use crate::repository::{AUTHOR, PullFixture, RepositoryFixture};
use collie_forge::{Forge, RunningForge};
use serde_json::{Value, json};
use std::ops::Deref;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// The account that Collie posts as.
pub const COLLIE: &str = "octo";
/// Whose repositories the forge's own routes are asked about.
const ADMIN: &str = "demo";

/// What came back over HTTP.
#[derive(Debug)]
#[must_use = "whether it was granted"]
pub struct HttpResponse {
    /// The status code.
    pub status: u16,
    /// The headers.
    pub headers: reqwest::header::HeaderMap,
    /// The body; null where it is no JSON.
    pub body: Value,
}

impl HttpResponse {
    /// A header; empty where there is none.
    pub fn header(&self, name: &str) -> &str {
        self.headers
            .get(name)
            .map_or("", |value| value.to_str().expect("the header is text"))
    }
}

/// Everybody who works with a forge, in this process or another.
#[derive(Clone)]
pub struct ForgeClient {
    git_url: String,
    secret: String,
    working_copies: PathBuf,
    http: reqwest::Client,
}

impl ForgeClient {
    /// Who works with the forge at an address, such as `http://127.0.0.1:4000`, knows the secret of its run, and keeps
    /// working copies in a folder.
    pub fn new(git_url: &str, secret: &str, working_copies: &Path) -> Self {
        Self {
            git_url: git_url.to_owned(),
            secret: secret.to_owned(),
            working_copies: working_copies.to_owned(),
            http: reqwest::Client::new(),
        }
    }

    /// The root of the repositories.
    pub fn git_url(&self) -> String {
        self.git_url.clone()
    }

    /// The root of the REST API.
    pub fn api_url(&self) -> String {
        format!("{}/api/v3", self.git_url)
    }

    /// What the forge's own routes ask for.
    pub fn secret(&self) -> &str {
        &self.secret
    }

    /// Where a repository is pushed to by somebody.
    pub fn push_url(&self, login: &str, repo: &str) -> String {
        let host = self.git_url.trim_start_matches("http://");
        format!("http://{login}:forge-{login}@{host}/{repo}.git")
    }

    /// The author's working copy of a repository.
    pub fn working_copy(&self, repo: &str) -> PathBuf {
        self.working_copies.join(repo)
    }

    /// What sends the requests.
    pub fn http(&self) -> &reqwest::Client {
        &self.http
    }

    /// Sends a request as somebody.
    pub async fn send(
        &self,
        login: &str,
        method: &str,
        path: &str,
        body: Option<Value>,
    ) -> Result<HttpResponse, reqwest::Error> {
        let method = method.parse().expect("the method is well formed");
        let url = format!("{}{path}", self.git_url);
        let mut request = self
            .http
            .request(method, url)
            .header("user-agent", "test")
            .bearer_auth(format!("forge-{login}"));
        if path.starts_with("/_forge/") {
            request = request.header(collie_forge::SECRET_HEADER, &self.secret);
        }
        if let Some(body) = body {
            request = request.json(&body);
        }
        let response = request.send().await?;
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let bytes = response.bytes().await?;
        Ok(HttpResponse {
            status,
            headers,
            body: serde_json::from_slice(&bytes).unwrap_or(Value::Null),
        })
    }

    /// Sends a request that must be granted, and gives the body.
    pub async fn call(&self, login: &str, method: &str, path: &str, body: Option<Value>) -> Value {
        let sent = self.send(login, method, path, body).await;
        let answer = sent.unwrap_or_else(|error| panic!("{login}: {method} {path}: {error}"));
        assert!(
            (200..300).contains(&answer.status),
            "{login}: {method} {path}: {}: {:#}",
            answer.status,
            answer.body
        );
        answer.body
    }

    /// Puts a repository on the forge and opens its pull requests.
    pub async fn add_repository(&self, fixture: &RepositoryFixture) {
        let folder = self.working_copy(fixture.name());
        fixture.build(&folder);
        self.import(fixture.name(), &folder).await;
        for pull in fixture.pulls() {
            self.open_imported_pull(fixture.name(), pull).await;
        }
    }

    /// Puts a copy of a git repository on the forge.
    pub async fn import(&self, repo: &str, source: &Path) {
        let body = json!({"repo": repo, "path": source});
        self.call(ADMIN, "POST", "/_forge/import", Some(body)).await;
    }

    /// Opens another pull request, from a branch that is pushed first; gives its number.
    pub async fn open_pull_in(&self, repo: &str, pull: PullFixture) -> u64 {
        let (folder, url) = (self.working_copy(repo), self.push_url(AUTHOR, repo));
        // The forge may answer on this very thread.
        let pushed = tokio::task::spawn_blocking(move || {
            git(&folder, &["fetch", "-q", &url, "main"]);
            git(
                &folder,
                &["checkout", "-q", "-B", pull.head(), "FETCH_HEAD"],
            );
            pull.commit(&folder);
            git(&folder, &["push", "-q", &url, pull.head()]);
            pull
        });
        let pull = pushed.await.expect("the push is taken");
        self.open_imported_pull(repo, &pull).await
    }

    /// Opens a pull request from a branch that is there; gives its number.
    pub async fn open_imported_pull(&self, repo: &str, pull: &PullFixture) -> u64 {
        if pull.is_from_fork() {
            self.move_to_fork(repo, pull).await;
        }
        let path = format!("/api/v3/repos/{repo}/pulls");
        let request = pull.opening_request();
        let opened = self.call(pull.author(), "POST", &path, Some(request)).await;
        opened["number"].as_u64().expect("it has a number")
    }

    /// Forks the repository as the author, with the branch of the pull request, which the repository itself has no more.
    async fn move_to_fork(&self, repo: &str, pull: &PullFixture) {
        let path = format!("/api/v3/repos/{repo}/forks");
        self.call(pull.author(), "POST", &path, Some(json!({})))
            .await;
        let (folder, url) = (self.working_copy(repo), self.push_url(AUTHOR, repo));
        let head = pull.head().to_owned();
        // The forge may answer on this very thread.
        let removed = tokio::task::spawn_blocking(move || {
            git(&folder, &["push", "-q", &url, "--delete", &head]);
        });
        removed.await.expect("the push is taken");
    }

    /// The author commits files on top of a branch and pushes them to that or another branch; gives the commit's id.
    pub async fn push_to(
        &self,
        repo: &str,
        start: &str,
        branch: &str,
        files: &[(&str, &str)],
    ) -> String {
        let (folder, url) = (self.working_copy(repo), self.push_url(AUTHOR, repo));
        let files: Vec<(String, String)> = files
            .iter()
            .map(|(path, text)| ((*path).to_owned(), (*text).to_owned()))
            .collect();
        let (start, branch) = (start.to_owned(), branch.to_owned());
        // The forge may answer on this very thread.
        let pushed = tokio::task::spawn_blocking(move || {
            git(&folder, &["fetch", "-q", &url, &start]);
            git(&folder, &["checkout", "-q", "-B", &branch, "FETCH_HEAD"]);
            let commit = commit_files(&folder, &files, &format!("Change {branch}"));
            git(&folder, &["push", "-q", &url, &branch]);
            commit
        });
        pushed.await.expect("the push is taken")
    }

    /// Asks GraphQL for something that is granted, and gives the data.
    pub async fn graphql_data(&self, login: &str, query: &str, variables: Value) -> Value {
        let body = json!({"query": query, "variables": variables});
        let answer = self.call(login, "POST", "/api/graphql", Some(body)).await;
        assert!(answer.get("errors").is_none(), "{answer:#}");
        answer["data"].clone()
    }

    /// Changes a repository's settings.
    pub async fn change_repository_named(&self, repo: &str, settings: Value) {
        let path = format!("/_forge/repos/{repo}");
        self.call(ADMIN, "PATCH", &path, Some(settings)).await;
    }

    /// Sets faults of the forge.
    pub async fn set_faults(&self, faults: Value) {
        self.call(ADMIN, "POST", "/_forge/faults", Some(faults))
            .await;
    }

    /// Takes all faults of the forge back.
    pub async fn clear_faults(&self) {
        self.call(ADMIN, "DELETE", "/_forge/faults", None).await;
    }

    /// How often the forge was asked, by route.
    pub async fn request_counts(&self) -> Value {
        self.call(ADMIN, "GET", "/_forge/requests", None).await
    }

    /// Counts the forge's requests from nothing again.
    pub async fn reset_request_counts(&self) {
        self.call(ADMIN, "DELETE", "/_forge/requests", None).await;
    }
}

/// A forge in this process, with the one repository that the test is about.
pub struct ForgeFixture {
    /// The folder of everything; it goes with the fixture.
    pub dir: TempDir,
    /// Nothing once it is stopped.
    running: Option<RunningForge>,
    client: ForgeClient,
    repo: String,
}

impl Deref for ForgeFixture {
    type Target = ForgeClient;

    fn deref(&self) -> &ForgeClient {
        &self.client
    }
}

impl ForgeFixture {
    /// Serves a forge with a repository and its pull requests. Requests are counted from here on.
    pub async fn start(fixture: &RepositoryFixture) -> Self {
        let dir = tempfile::tempdir().expect("the temporary folder is writable");
        let running = serve(dir.path()).await;
        let client = ForgeClient::new(
            &running.git_url(),
            running.secret(),
            &dir.path().join("work"),
        );
        client.add_repository(fixture).await;
        client.reset_request_counts().await;
        Self {
            dir,
            running: Some(running),
            client,
            repo: fixture.name().to_owned(),
        }
    }

    /// The forge, while it is served.
    pub fn running(&self) -> &RunningForge {
        self.running.as_ref().expect("it is served")
    }

    /// Everybody who works with it, for whoever cannot borrow them.
    pub fn client(&self) -> ForgeClient {
        self.client.clone()
    }

    /// The forge's state.
    pub fn forge(&self) -> &Forge {
        self.running().forge()
    }

    /// Stops the forge.
    pub async fn stop(&mut self) {
        if let Some(running) = self.running.take() {
            running.shutdown().await;
        }
    }

    /// Serves the forge of the same folder again, at another address.
    pub async fn restart(&mut self) {
        self.stop().await;
        let running = serve(self.dir.path()).await;
        self.client.git_url = running.git_url();
        self.client.secret = running.secret().to_owned();
        self.running = Some(running);
    }

    /// Where the forge keeps everything.
    pub fn root(&self) -> PathBuf {
        forge_root(self.dir.path())
    }

    /// The name of the repository.
    pub fn repo(&self) -> &str {
        &self.repo
    }

    /// The forge's own copy of the repository.
    pub fn bare_repository(&self) -> PathBuf {
        let folder = format!("{}.git", self.repo);
        self.root().join("git").join(folder)
    }

    /// Calls something below the repository that must be granted.
    pub async fn repo_call(
        &self,
        login: &str,
        method: &str,
        path: &str,
        body: Option<Value>,
    ) -> Value {
        let path = format!("/api/v3/repos/{}{path}", self.repo);
        self.call(login, method, &path, body).await
    }

    /// Reads something of the repository as the author.
    pub async fn repo_get(&self, path: &str) -> Value {
        self.repo_call(AUTHOR, "GET", path, None).await
    }

    /// Changes the repository's settings.
    pub async fn change_repository(&self, settings: Value) {
        self.change_repository_named(&self.repo, settings).await;
    }

    /// Has the merge queue take a pull request out, for a reason by the word that GitHub's timeline has for it.
    pub async fn eject(&self, number: u64, reason: &str) {
        let path = format!("/_forge/repos/{}/merge_queue/{number}/eject", self.repo);
        self.call(ADMIN, "POST", &path, Some(json!({"reason": reason})))
            .await;
    }

    /// The author pushes files to a branch, on top of what is there; gives the commit's id.
    pub async fn push(&self, branch: &str, files: &[(&str, &str)]) -> String {
        self.push_from(branch, branch, files).await
    }

    /// The same, to a branch that may be new.
    pub async fn push_from(&self, start: &str, branch: &str, files: &[(&str, &str)]) -> String {
        self.push_to(&self.repo, start, branch, files).await
    }

    /// Opens another pull request, from a branch that is pushed first; gives its number.
    pub async fn open_pull(&self, pull: PullFixture) -> u64 {
        self.open_pull_in(&self.repo, pull).await
    }

    /// The head of a branch.
    pub fn sha(&self, branch: &str) -> String {
        let branch = format!("refs/heads/{branch}");
        git(&self.bare_repository(), &["rev-parse", &branch])
    }

    /// The head of a pull request, wherever its branch is.
    pub fn pull_head(&self, number: u64) -> String {
        let name = format!("refs/pull/{number}/head");
        git(&self.bare_repository(), &["rev-parse", &name])
    }

    /// A file on a branch, without its last line end.
    pub fn file(&self, branch: &str, path: &str) -> String {
        let file = format!("refs/heads/{branch}:{path}");
        git(&self.bare_repository(), &["show", &file])
    }

    /// Asks GraphQL about a pull request, whose id is the variable `$id`.
    pub async fn graphql_about_pull(&self, login: &str, number: u64, query: &str) -> Value {
        let pull = self.repo_get(&format!("/pulls/{number}")).await;
        self.graphql_data(login, query, json!({"id": pull["node_id"]}))
            .await
    }
}

fn forge_root(dir: &Path) -> PathBuf {
    dir.join("forge")
}

async fn serve(dir: &Path) -> RunningForge {
    let forge = Forge::open(&forge_root(dir)).expect("the forge opens");
    let address = ([127, 0, 0, 1], 0).into();
    forge.serve(address).await.expect("the forge listens")
}
