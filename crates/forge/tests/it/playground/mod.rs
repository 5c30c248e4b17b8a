//! A served forge with one repository and one pull request, and clients for it.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use collie_forge::{Forge, Running};
use serde_json::{Value, json};
use tempfile::TempDir;

/// The repository of every playground.
pub const REPO: &str = "demo/app";

/// A forge that lives as long as the test.
pub struct Playground {
    pub dir: TempDir,
    pub running: Running,
    pub client: reqwest::Client,
}

/// What came back over HTTP.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub headers: reqwest::header::HeaderMap,
    pub body: Value,
}

impl Answer {
    pub fn header(&self, name: &str) -> &str {
        self.headers
            .get(name)
            .map_or("", |value| value.to_str().expect("the header is text"))
    }
}

/// Runs git with a fixed author and date, so that commit ids are the same on every run.
pub fn git(dir: &Path, args: &[&str]) -> String {
    let output = Command::new("git")
        .current_dir(dir)
        .args(args)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_AUTHOR_NAME", "Ana Alves")
        .env("GIT_AUTHOR_EMAIL", "ana@example.com")
        .env("GIT_AUTHOR_DATE", "2026-01-02T03:04:05+02:00")
        .env("GIT_COMMITTER_NAME", "Ana Alves")
        .env("GIT_COMMITTER_EMAIL", "ana@example.com")
        .env("GIT_COMMITTER_DATE", "2026-01-02T03:04:05+02:00")
        .output()
        .expect("git is installed");
    assert!(
        output.status.success(),
        "git {args:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

/// Writes files and commits them.
pub fn commit(dir: &Path, files: &[(&str, &str)], message: &str) -> String {
    for (path, text) in files {
        let path = dir.join(path);
        std::fs::create_dir_all(path.parent().expect("a file is in a folder"))
            .expect("the folder is writable");
        std::fs::write(path, text).expect("the file is writable");
    }
    git(dir, &["add", "-A"]);
    git(dir, &["commit", "-q", "-m", message]);
    git(dir, &["rev-parse", "HEAD"])
}

impl Playground {
    /// Imports a repository whose `main` has `base`, and opens pull request 1 of ana from `topic`, which adds `head`.
    pub async fn start(base: &[(&str, &str)], head: &[(&str, &str)]) -> Self {
        let dir = tempfile::tempdir().expect("the temporary folder is writable");
        let source = dir.path().join("source");
        std::fs::create_dir(&source).expect("the folder is writable");
        git(&source, &["init", "-q", "-b", "main"]);
        commit(&source, base, "Begin");
        git(&source, &["checkout", "-q", "-b", "topic"]);
        commit(&source, head, "Change things\n\nFor the better.");
        git(&source, &["checkout", "-q", "main"]);
        let forge = Forge::open(&dir.path().join("root")).expect("the forge opens");
        let name = REPO.parse().expect("the name is well formed");
        forge
            .import(&name, &source)
            .await
            .expect("the repository is imported");
        forge
            .open_pr(
                &name,
                "main",
                "topic",
                "Change things",
                "Please look.",
                "ana",
            )
            .await
            .expect("the pull request opens");
        let address = "127.0.0.1:0".parse().expect("the address is well formed");
        let running = forge.serve(address).await.expect("the forge listens");
        Self {
            dir,
            running,
            client: reqwest::Client::new(),
        }
    }

    /// Stops the forge and starts it again on the same folder.
    pub async fn restart(&mut self) {
        let root = self.running.forge().root().to_owned();
        let empty = tempfile::tempdir().expect("the temporary folder is writable");
        let address = "127.0.0.1:0".parse().expect("the address is well formed");
        let idle = Forge::open(empty.path()).expect("the forge opens");
        let idle = idle.serve(address).await.expect("the forge listens");
        std::mem::replace(&mut self.running, idle).shutdown().await;
        let forge = Forge::open(&root).expect("the forge opens again");
        self.running = forge.serve(address).await.expect("the forge listens");
    }

    /// Sends a request as `login`.
    pub async fn send(
        &self,
        login: &str,
        method: &str,
        path: &str,
        body: Option<Value>,
    ) -> Result<Answer, reqwest::Error> {
        let method = method.parse().expect("the method is well formed");
        let mut request = self
            .client
            .request(method, format!("{}{path}", self.running.git_url()))
            .header("authorization", format!("Bearer forge-{login}"));
        if let Some(body) = body {
            request = request.json(&body);
        }
        let answer = request.send().await?;
        let (status, headers) = (answer.status().as_u16(), answer.headers().clone());
        let bytes = answer.bytes().await?;
        let body = serde_json::from_slice(&bytes).unwrap_or(Value::Null);
        Ok(Answer {
            status,
            headers,
            body,
        })
    }

    /// Sends a request that must be answered.
    pub async fn call(&self, login: &str, method: &str, path: &str, body: Option<Value>) -> Answer {
        self.send(login, method, path, body)
            .await
            .unwrap_or_else(|error| panic!("{method} {path}: {error}"))
    }

    /// Asks GraphQL as `login` and gives the whole answer.
    pub async fn ask(&self, login: &str, query: &str, variables: Value) -> Answer {
        let body = json!({"query": query, "variables": variables});
        self.call(login, "POST", "/api/graphql", Some(body)).await
    }

    /// Asks GraphQL for something that is granted, and gives the data.
    pub async fn data(&self, login: &str, query: &str, variables: Value) -> Value {
        let answer = self.ask(login, query, variables).await;
        assert_eq!(answer.status, 200, "{:?}", answer.body);
        assert!(answer.body.get("errors").is_none(), "{:#}", answer.body);
        answer.body["data"].clone()
    }

    /// The global id of pull request 1.
    pub async fn pull_id(&self) -> String {
        let query =
            r#"{ repository(owner: "demo", name: "app") { pullRequest(number: 1) { id } } }"#;
        let data = self.data("ana", query, json!({})).await;
        text(&data["repository"]["pullRequest"]["id"])
    }

    /// Pushes a new commit to `topic` as ana, and gives its id.
    ///
    /// It waits for git on the thread of the test, so that the test needs the `multi_thread` flavor.
    pub fn push(&self, files: &[(&str, &str)], message: &str) -> String {
        let work = self.dir.path().join("source");
        git(&work, &["checkout", "-q", "topic"]);
        let sha = commit(&work, files, message);
        let address = self
            .running
            .git_url()
            .replace("http://", "http://ana:forge-ana@");
        git(
            &work,
            &["push", "-q", &format!("{address}/{REPO}.git"), "topic"],
        );
        sha
    }
}

/// Reads a string out of an answer.
pub fn text(value: &Value) -> String {
    value
        .as_str()
        .unwrap_or_else(|| panic!("{value} is no string"))
        .to_owned()
}

/// Asks again and again until the answer is there, for at most 20 seconds.
pub async fn until<T, F>(what: &str, mut look: impl FnMut() -> F) -> T
where
    F: Future<Output = Option<T>>,
{
    for _ in 0..800 {
        if let Some(found) = look().await {
            return found;
        }
        tokio::time::sleep(Duration::from_millis(25)).await;
    }
    panic!("waited 20 s in vain for {what}");
}
