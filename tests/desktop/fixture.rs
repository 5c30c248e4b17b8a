//! The forge that a window works on, with one repository, and the people around it.

use collie_forge::model::RepoName;
use collie_forge::{Forge, RunningForge};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Whom Collie works as.
pub const ME: &str = "octo";
/// Who wrote the pull requests.
pub const AUTHOR: &str = "ana";
/// The repository.
pub const REPO: &str = "octo/app";

const CLEAN_FILE: &str =
    "export function total(list) {\n  const sum = list.length;\n  return sum;\n}\n";
const FAULTY_FILE: &str =
    "export function total(list) {\n  const sum = list.length;\n  debugger;\n  return sum;\n}\n";

/// What a pull request of the stage is like.
#[derive(Clone, Copy)]
pub enum PullContent {
    /// Nothing to find.
    Clean,
    /// One fault that the rules find and fix.
    Faulty,
}

/// A forge with one repository.
pub struct ForgeFixture {
    pub forge: RunningForge,
    pub folder: tempfile::TempDir,
    http: reqwest::Client,
}

impl ForgeFixture {
    /// A repository whose only check is a command, and pull requests 1, 2, … from it.
    pub async fn new(check: &str, pulls: &[(&str, PullContent)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let source = folder.path().join("source");
        std::fs::create_dir(&source).unwrap();
        git(&source, &["init", "-q", "-b", "main"]);
        write(
            &source,
            ".forge.toml",
            &format!("[[check]]\nname = \"test\"\nrun = {check:?}\ntimeout = \"900s\"\n"),
        );
        write(&source, "README.md", "# App\n");
        commit(&source, "Begin");
        for (index, (_, change)) in pulls.iter().enumerate() {
            git(
                &source,
                &[
                    "checkout",
                    "-q",
                    "-b",
                    &format!("topic-{}", index + 1),
                    "main",
                ],
            );
            let text = match change {
                PullContent::Clean => CLEAN_FILE,
                PullContent::Faulty => FAULTY_FILE,
            };
            write(&source, &format!("app{}.js", index + 1), text);
            commit(&source, "Change it");
        }
        git(&source, &["checkout", "-q", "main"]);
        let forge = Forge::open(&folder.path().join("forge")).unwrap();
        let name = RepoName::new("octo", "app").unwrap();
        forge.import(&name, &source).await.unwrap();
        for (index, (title, _)) in pulls.iter().enumerate() {
            let branch = format!("topic-{}", index + 1);
            forge
                .open_pr(&name, "main", &branch, title, "", AUTHOR)
                .await
                .unwrap();
        }
        let forge = forge.serve(([127, 0, 0, 1], 0).into()).await.unwrap();
        Self {
            forge,
            folder,
            http: reqwest::Client::new(),
        }
    }

    /// A data folder whose `config.toml` says this beside what the forge needs.
    pub fn write_config(&self, more: &str) -> PathBuf {
        self.write_config_polling("500ms", more)
    }

    /// The same, looking at ready pull requests this often.
    pub fn write_config_polling(&self, ready: &str, more: &str) -> PathBuf {
        let home = self.folder.path().join("home");
        std::fs::create_dir_all(&home).unwrap();
        let config = format!(
            "github_api_url = \"{}\"\npoll_interval = \"300ms\"\nready_poll_interval = \"{ready}\"\nno_checks_grace = \"1s\"\n{more}",
            self.forge.api_url()
        );
        write(&home, "config.toml", &config);
        home
    }

    /// Reads something of the forge.
    pub async fn repo_get(&self, path: &str) -> Value {
        let answer = self
            .http
            .get(format!("{}{path}", self.forge.api_url()))
            .header("authorization", format!("Bearer forge-{ME}"))
            .header("user-agent", "test")
            .send()
            .await
            .unwrap();
        answer.json().await.unwrap()
    }

    /// The head of a pull request.
    pub async fn head_sha(&self, number: u64) -> String {
        let pull = self
            .repo_get(&format!("/repos/{REPO}/pulls/{number}"))
            .await;
        pull["head"]["sha"].as_str().unwrap().to_owned()
    }

    /// The author pushes to a pull request's branch.
    pub fn push_change(&self, number: u64) {
        let tree = self.folder.path().join(format!("author-{number}"));
        let url = self
            .forge
            .git_url()
            .replace("http://", &format!("http://x:forge-{AUTHOR}@"));
        let branch = format!("topic-{number}");
        std::fs::create_dir(&tree).unwrap();
        git(
            &tree,
            &[
                "clone",
                "-q",
                "--branch",
                &branch,
                &format!("{url}/{REPO}.git"),
                ".",
            ],
        );
        write(&tree, "more.js", CLEAN_FILE);
        commit(&tree, "More of it");
        git(&tree, &["push", "-q", "origin", &branch]);
    }
}

fn write(folder: &Path, name: &str, text: &str) {
    std::fs::write(folder.join(name), text).unwrap();
}

fn commit(folder: &Path, message: &str) {
    git(folder, &["add", "-A"]);
    git(folder, &["commit", "-q", "-m", message]);
}

fn git(folder: &Path, args: &[&str]) {
    let output = Command::new("git")
        .args(args)
        .current_dir(folder)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .envs([
            ("GIT_AUTHOR_NAME", AUTHOR),
            ("GIT_AUTHOR_EMAIL", "ana@example.com"),
        ])
        .envs([
            ("GIT_COMMITTER_NAME", AUTHOR),
            ("GIT_COMMITTER_EMAIL", "ana@example.com"),
        ])
        .output()
        .unwrap();
    let words = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "git {args:?}: {words}");
}
