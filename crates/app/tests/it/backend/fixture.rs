//! A forge with repositories, the people around it, and a backend that is signed in by a typed token.

use collie_app::backend::{Backend, BackendOptions, HostEnv};
use collie_config::DataFolder;
use collie_forge::model::RepoName;
use collie_forge::{Forge, RunningForge};
use collie_wire::ErrorView;
use collie_wire::rpc::{Command, Update};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// No wait lasts longer.
const WAIT_TIMEOUT: Duration = Duration::from_secs(60);
/// How often a waiting test looks.
const POLL_INTERVAL: Duration = Duration::from_millis(20);
/// Whom Collie works as.
pub const ME: &str = "octo";
/// Who wrote most pull requests.
pub const AUTHOR: &str = "ana";
/// The repository of most tests.
pub const REPO: &str = "octo/app";

const CLEAN_FILE: &str =
    "export function total(list) {\n  const sum = list.length;\n  return sum;\n}\n";
/// The same with a fault that a rule finds and fixes.
const FAULTY_FILE: &str =
    "export function total(list) {\n  const sum = list.length;\n  debugger;\n  return sum;\n}\n";

/// What a pull request's only file says.
#[derive(Clone, Copy)]
pub enum PullContent {
    Clean,
    Faulty,
    /// A fault that nobody here can fix.
    Unfixable,
}

impl PullContent {
    fn file_text(self) -> String {
        match self {
            PullContent::Clean => CLEAN_FILE.to_owned(),
            PullContent::Faulty => FAULTY_FILE.to_owned(),
            // Put together here, so that no scanner takes this file for a leak.
            PullContent::Unfixable => {
                format!("export const key = \"AKIA{}\";\n", "Q3EGR5ZNPLXKD2MW")
            }
        }
    }
}

/// A test's world.
pub struct ForgeFixture {
    pub forge: RunningForge,
    pub dir: TempDir,
    http: reqwest::Client,
}

impl ForgeFixture {
    /// A forge with the repository, whose only check passes at once, and one pull request a change, from `topic-1` on.
    pub async fn new(changes: &[PullContent]) -> Self {
        Self::with_check("true", changes).await
    }

    /// The same with another check.
    pub async fn with_check(check: &str, changes: &[PullContent]) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let forge = Forge::open(&dir.path().join("forge")).unwrap();
        let forge = forge.serve(([127, 0, 0, 1], 0).into()).await.unwrap();
        let fixture = Self {
            forge,
            dir,
            http: reqwest::Client::new(),
        };
        fixture.import(REPO, check).await;
        for change in changes {
            fixture
                .open_pull(
                    &format!("topic-{}", fixture.count_pulls().await + 1),
                    *change,
                )
                .await;
        }
        fixture
    }

    async fn count_pulls(&self) -> usize {
        let pulls = self.repo_get("/pulls?state=all").await;
        pulls.as_array().unwrap().len()
    }

    /// Puts another repository on the forge.
    pub async fn import(&self, repo: &str, check: &str) {
        let source = self.source_folder(repo);
        std::fs::create_dir_all(&source).unwrap();
        git(&source, &["init", "-q", "-b", "main"]);
        let checks = format!("[[check]]\nname = \"test\"\nrun = {check:?}\ntimeout = \"900s\"\n");
        write(&source, ".forge.toml", &checks);
        write(&source, "README.md", "# App\n");
        commit(&source, "Begin");
        let (owner, name) = repo.split_once('/').unwrap();
        let name = RepoName::new(owner, name).unwrap();
        self.forge.forge().import(&name, &source).await.unwrap();
    }

    fn source_folder(&self, repo: &str) -> PathBuf {
        self.dir.path().join("source").join(repo)
    }

    /// The author pushes a branch with a change on top of `main` and opens a pull request; gives its number.
    pub async fn open_pull(&self, branch: &str, change: PullContent) -> u64 {
        self.open_pull_as(AUTHOR, branch, change, json!({})).await
    }

    /// The same by anybody, with more in the request.
    pub async fn open_pull_as(
        &self,
        login: &str,
        branch: &str,
        change: PullContent,
        more: Value,
    ) -> u64 {
        self.push(REPO, "main", branch, "app.js", &change.file_text());
        let mut body = json!({"title": format!("Change {branch}"), "head": branch, "base": "main"});
        body.as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        let made = self
            .forge_call(login, "POST", &format!("/api/v3/repos/{REPO}/pulls"), body)
            .await;
        made["number"].as_u64().unwrap()
    }

    /// The author commits a file to a branch and pushes it.
    pub fn push(&self, repo: &str, start: &str, branch: &str, file: &str, text: &str) {
        let source = self.source_folder(repo);
        let url = self
            .forge
            .git_url()
            .replace("http://", &format!("http://x:forge-{AUTHOR}@"));
        let url = format!("{url}/{repo}.git");
        git(&source, &["fetch", "-q", &url, start]);
        git(&source, &["checkout", "-q", "-B", branch, "FETCH_HEAD"]);
        write(&source, file, text);
        commit(&source, "Change it");
        git(&source, &["push", "-q", &url, branch]);
    }

    /// Asks the forge for something that must be granted.
    pub async fn forge_call(&self, login: &str, method: &str, path: &str, body: Value) -> Value {
        let request = self
            .http
            .request(
                method.parse().unwrap(),
                format!("{}{path}", self.forge.git_url()),
            )
            .header("authorization", format!("Bearer forge-{login}"))
            .header("user-agent", "test");
        let request = if body.is_null() {
            request
        } else {
            request.json(&body)
        };
        let answer = request.send().await.unwrap();
        let status = answer.status();
        let bytes = answer.bytes().await.unwrap();
        let body_json = serde_json::from_slice(&bytes).unwrap_or(Value::Null);
        assert!(
            status.is_success(),
            "{login}: {method} {path}: {status}: {body_json:#}"
        );
        body_json
    }

    /// Reads something of the repository.
    pub async fn repo_get(&self, path: &str) -> Value {
        self.forge_call(
            AUTHOR,
            "GET",
            &format!("/api/v3/repos/{REPO}{path}"),
            Value::Null,
        )
        .await
    }

    /// Sends a mutation about a pull request, whose id is `$id`.
    pub async fn mutate(&self, login: &str, number: u64, mutation: &str) {
        let id = self.repo_get(&format!("/pulls/{number}")).await["node_id"].clone();
        let query = format!("mutation($id: ID!) {{ {mutation} {{ clientMutationId }} }}");
        let body = json!({"query": query, "variables": {"id": id}});
        let answer = self.forge_call(login, "POST", "/api/graphql", body).await;
        assert!(answer.get("errors").is_none(), "{answer:#}");
    }

    /// Changes a repository's settings.
    pub async fn change_repository(&self, repo: &str, settings: Value) {
        self.forge_call("demo", "PATCH", &format!("/_forge/repos/{repo}"), settings)
            .await;
    }

    pub async fn set_fault(&self, fault: Value) {
        self.forge_call(ME, "POST", "/_forge/faults", fault).await;
    }

    pub async fn clear_faults(&self) {
        self.forge_call(ME, "DELETE", "/_forge/faults", Value::Null)
            .await;
    }

    pub async fn set_token_state(&self, login: &str, state: Value) {
        let mut body = json!({"login": login});
        body.as_object_mut()
            .unwrap()
            .extend(state.as_object().unwrap().clone());
        self.forge_call(ME, "POST", "/_forge/tokens", body).await;
    }

    /// The data folder.
    pub fn data_folder(&self) -> PathBuf {
        self.dir.path().join("home")
    }

    /// Writes `config.toml`: quick polls, and this.
    pub fn configure(&self, more: &str) {
        std::fs::create_dir_all(self.data_folder()).unwrap();
        let config = format!(
            "poll_interval = \"300ms\"\nready_poll_interval = \"500ms\"\nno_checks_grace = \"1s\"\ngithub_api_url = \"{}\"\n{more}",
            self.forge.api_url()
        );
        write(&self.data_folder(), "config.toml", &config);
    }

    /// Opens a backend on the data folder.
    pub async fn open_backend(&self) -> TestClient {
        TestClient::open(&self.data_folder()).await
    }

    /// Opens a backend, signed in as somebody who may start loops.
    pub async fn open_signed_in(&self, more: &str) -> TestClient {
        self.configure(&format!("allowed_users = [\"{ME}\"]\n{more}"));
        let client = self.open_backend().await;
        client.sign_in(self, ME).await;
        client
    }
}

/// A backend and everything it has told.
pub struct TestClient {
    pub backend: Backend,
    pub updates: Arc<Mutex<Vec<Update>>>,
}

impl TestClient {
    /// Opens a backend and waits until it stands.
    pub async fn open(folder: &Path) -> Self {
        Self::open_in(folder, Arc::new(|_: &str| None)).await
    }

    /// The same in an environment.
    pub async fn open_in(folder: &Path, environment: HostEnv) -> Self {
        let backend = Backend::open(BackendOptions {
            folder: DataFolder::at(folder).unwrap(),
            environment,
            language: "en",
            can_merge: false,
            demo_if_new: false,
        });
        let updates_seen = Arc::new(Mutex::new(Vec::new()));
        let (mut updates, recorded) = (backend.subscribe(), updates_seen.clone());
        tokio::spawn(async move {
            while let Ok(update) = updates.recv().await {
                recorded.lock().unwrap().push(update);
            }
        });
        let client = Self {
            backend,
            updates: updates_seen,
        };
        client
            .wait_for_session("a standing", |session| session["phase"] != "starting")
            .await;
        client
    }

    /// Signs in with the token of a login of the forge.
    pub async fn sign_in(&self, fixture: &ForgeFixture, login: &str) {
        let token = format!("forge-{login}");
        self.try_sign_in(&token, &fixture.forge.api_url())
            .await
            .unwrap();
        self.wait_for_session("an account", |session| session["account"]["login"] == login)
            .await;
    }

    pub async fn try_sign_in(&self, token: &str, url: &str) -> Result<Value, ErrorView> {
        let command = Command::SignIn {
            token: token.to_owned(),
            api_url: Some(url.to_owned()),
        };
        self.backend.run(command).await
    }

    /// Carries a command out that must succeed.
    pub async fn run_command(&self, command: Command) -> Value {
        self.backend
            .run(command.clone())
            .await
            .unwrap_or_else(|error| panic!("{command:?}: {error:?}"))
    }

    /// Carries a command out that must be refused.
    pub async fn run_refused(&self, command: Command) -> ErrorView {
        let done = self.backend.run(command.clone()).await;
        done.expect_err(&format!("{command:?} is refused"))
    }

    pub async fn session(&self) -> Value {
        self.run_command(Command::Session).await
    }

    pub async fn start_loop(&self, number: u64) {
        self.run_command(Command::Start {
            key: pull_key(number),
        })
        .await;
    }

    /// A loop as the UI is shown it; null when there is none.
    pub async fn loop_view(&self, key: &str) -> Value {
        find_entry(&self.run_command(Command::Loops).await, "key", key)
    }

    /// Waits until an answer is as wanted, and gives it.
    pub async fn wait_until(
        &self,
        what: &str,
        ask: Command,
        fits: impl Fn(&Value) -> bool,
    ) -> Value {
        let since = Instant::now();
        loop {
            let answer = self.run_command(ask.clone()).await;
            if fits(&answer) {
                return answer;
            }
            assert!(
                since.elapsed() < WAIT_TIMEOUT,
                "waited for {what}; last: {answer:#}"
            );
            tokio::time::sleep(POLL_INTERVAL).await;
        }
    }

    pub async fn wait_for_session(&self, what: &str, fits: impl Fn(&Value) -> bool) -> Value {
        self.wait_until(what, Command::Session, fits).await
    }

    /// Waits until a loop is in a state.
    pub async fn wait_for_state(&self, number: u64, state: &str) -> Value {
        let key = pull_key(number);
        let there = self
            .wait_until(&format!("{key} {state}"), Command::Loops, |loops| {
                find_entry(loops, "key", &key)["state"] == state
            })
            .await;
        find_entry(&there, "key", &key)
    }

    /// Waits until the listing of a repository is as wanted.
    pub async fn wait_for_listing(
        &self,
        repo: &str,
        what: &str,
        fits: impl Fn(&Value) -> bool,
    ) -> Value {
        let ask = Command::Listing {
            repo: repo.to_owned(),
        };
        self.wait_until(what, ask, fits).await
    }

    /// Waits until the updates are as wanted.
    pub async fn wait_for_updates(&self, what: &str, fits: impl Fn(&[Update]) -> bool) {
        let since = Instant::now();
        while !fits(&self.updates.lock().unwrap()) {
            assert!(since.elapsed() < WAIT_TIMEOUT, "waited for {what}");
            tokio::time::sleep(POLL_INTERVAL).await;
        }
    }
}

/// The entry of a list whose field says this; null when there is none.
pub fn find_entry(list: &Value, field: &str, value: &str) -> Value {
    let entries = list.as_array().unwrap();
    entries
        .iter()
        .find(|entry| entry[field] == value)
        .cloned()
        .unwrap_or(Value::Null)
}

/// The key of a pull request of the repository.
pub fn pull_key(number: u64) -> String {
    format!("{REPO}#{number}")
}

/// Whether a problem has this code, a sentence and something to do.
pub fn assert_problem(problem: &Value, code: &str) {
    assert_eq!(problem["code"], code, "{problem:#}");
    let message = problem["message"].as_str().unwrap();
    assert!(
        !message.is_empty() && !message.contains("problem-"),
        "{message}"
    );
    let hints = problem["hints"].as_array().unwrap();
    assert!(!hints.is_empty(), "no way out: {problem:#}");
    for hint in hints {
        assert!(!hint.as_str().unwrap().contains("problem-hint"), "{hint}");
    }
}

/// An error as an answer.
pub fn as_value(error: &ErrorView) -> Value {
    serde_json::to_value(error).unwrap()
}

pub fn write(folder: &Path, name: &str, text: &str) {
    std::fs::write(folder.join(name), text).unwrap();
}

fn commit(folder: &Path, message: &str) {
    git(folder, &["add", "-A"]);
    git(folder, &["commit", "-q", "--allow-empty", "-m", message]);
}

fn git(folder: &Path, args: &[&str]) {
    let output = std::process::Command::new("git")
        .args(args)
        .current_dir(folder)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_AUTHOR_NAME", AUTHOR)
        .env("GIT_AUTHOR_EMAIL", "ana@example.com")
        .env("GIT_COMMITTER_NAME", AUTHOR)
        .env("GIT_COMMITTER_EMAIL", "ana@example.com")
        .output()
        .unwrap();
    let words = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "git {args:?}: {words}");
}
