//! A forge as its users have it: in a process of its own, or wherever it runs.

use crate::support::{COLLIE_LOGIN, RUNTIME, RunningCommand, collie_command};
use collie_app::demo::{self, Scenario};
use collie_testkit::forge::ForgeClient;
use collie_testkit::repository::{PullFixture, RepositoryFixture};
use serde_json::Value;
use std::ops::Deref;
use std::path::PathBuf;
use std::sync::Mutex;

/// The way to a forge, wherever it runs.
pub struct ForgeAccess {
    client: ForgeClient,
}

impl ForgeAccess {
    /// Of who works with it.
    pub fn new(client: ForgeClient) -> Self {
        Self { client }
    }

    /// The root of its REST API.
    pub fn api_url(&self) -> String {
        self.client.api_url()
    }

    /// Asks for something as one of the cast, who must be granted it.
    pub fn call(&self, login: &str, method: &str, path: &str, body: Option<Value>) -> Value {
        let path = match path.strip_prefix("/_forge") {
            Some(_) => path.to_owned(),
            None => format!("/api/v3{path}"),
        };
        RUNTIME.block_on(self.client.call(login, method, &path, body))
    }

    /// Asks GraphQL for something that is granted, and gives the data.
    pub fn graphql(&self, login: &str, query: &str, variables: Value) -> Value {
        RUNTIME.block_on(self.client.graphql_data(login, query, variables))
    }

    /// Reads a list of up to a hundred.
    pub fn list(&self, path: &str) -> Vec<Value> {
        let body = self.call(COLLIE_LOGIN, "GET", &format!("{path}?per_page=100"), None);
        body.as_array().unwrap().clone()
    }

    /// Every request after a number, as the forge logged it.
    pub fn requests_after(&self, seq: u64) -> Vec<Value> {
        let mut requests: Vec<Value> = Vec::new();
        loop {
            let seen = requests.last().map_or(seq, request_seq);
            let page = self.call(
                COLLIE_LOGIN,
                "GET",
                &format!("/_forge/log?after={seen}"),
                None,
            );
            let page = page["requests"].as_array().unwrap();
            if page.is_empty() {
                return requests;
            }
            requests.extend_from_slice(page);
        }
    }

    /// The number of the last request so far.
    pub fn last_request(&self) -> u64 {
        let log = format!("/_forge/log?after={}", u64::MAX);
        self.call(COLLIE_LOGIN, "GET", &log, None)["last_seq"]
            .as_u64()
            .unwrap()
    }
}

/// The number of a request of the log.
pub fn request_seq(request: &Value) -> u64 {
    request["seq"].as_u64().unwrap()
}

/// A forge in a process of its own.
pub struct ForgeServer {
    folder: tempfile::TempDir,
    access: ForgeAccess,
    _server: Mutex<RunningCommand>,
}

impl Deref for ForgeServer {
    type Target = ForgeAccess;

    fn deref(&self) -> &ForgeAccess {
        &self.access
    }
}

impl ForgeServer {
    /// Starts an empty one.
    pub fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("forge");
        let mut server = RunningCommand::start(
            collie_command()
                .args(["forge", "serve", "--json", "--root"])
                .arg(&root),
        );
        let startup_line = server.read_until("the address of the forge", |_| true);
        let git_url = startup_line["git_url"].as_str().unwrap();
        let secret = startup_line["secret"].as_str().unwrap();
        let client = ForgeClient::new(git_url, secret, &folder.path().join("sources"));
        assert_eq!(startup_line["api_url"], client.api_url());
        Self {
            folder,
            access: ForgeAccess::new(client),
            _server: Mutex::new(server),
        }
    }

    /// Where it keeps everything.
    pub fn root(&self) -> PathBuf {
        self.folder.path().join("forge")
    }

    /// Puts a scenario of the demo on it under a name of its own, with pull request 1.
    pub fn import_scenario(&self, scenario: Scenario, repo: &str) {
        let source = self.client.working_copy(repo);
        let pull = demo::pull_file(scenario).unwrap();
        RUNTIME.block_on(async {
            demo::make_repository(scenario, &source).await.unwrap();
            self.client.import(repo, &source).await;
            let pull = PullFixture::new(&pull.branch)
                .with_title("A change")
                .by(&pull.author);
            self.client.open_imported_pull(repo, &pull).await;
        });
    }

    /// Imports `acme/one`, where pull request 1 changes a line.
    pub fn import_acme_one(&self) {
        self.import_files("acme/one", &[("a.txt", "a\n")], &[("a.txt", "b\n")]);
    }

    /// Puts a small repository on it: `main` with these files, a pull request by kim with those.
    pub fn import_files(&self, repo: &str, base: &[(&str, &str)], head: &[(&str, &str)]) {
        let pull = PullFixture::new("change").with_title("A change").by("kim");
        let pull = head
            .iter()
            .fold(pull, |pull, (path, text)| pull.with_file(path, text));
        let repository = RepositoryFixture::new(repo)
            .with_base_files(base)
            .with_pull(pull);
        self.import(&repository);
    }

    /// Puts a repository with its pull requests on it.
    pub fn import(&self, repository: &RepositoryFixture) {
        RUNTIME.block_on(self.client.add_repository(repository));
    }

    /// Pushes another commit to the pull request of [`ForgeServer::import_files`].
    pub fn push_to_pull(&self, repo: &str, files: &[(&str, &str)]) {
        self.push_to_branch(repo, "change", files);
    }

    /// Pushes another commit to a branch.
    pub fn push_to_branch(&self, repo: &str, branch: &str, files: &[(&str, &str)]) {
        RUNTIME.block_on(self.client.push_to(repo, branch, branch, files));
    }
}
