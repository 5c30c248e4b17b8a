//! The forge that a window works on, with one repository, and the data folder that knows it.

use collie_testkit::forge::ForgeFixture;
use collie_testkit::git::write_files;
use collie_testkit::repository::{CLEAN_FILE, PullContent, PullFixture, RepositoryFixture};
use std::ops::Deref;
use std::path::PathBuf;

/// The repository.
pub const REPO: &str = "octo/app";

/// A forge with one repository, and a data folder beside it.
pub struct WindowFixture(ForgeFixture);

impl Deref for WindowFixture {
    type Target = ForgeFixture;

    fn deref(&self) -> &ForgeFixture {
        &self.0
    }
}

impl WindowFixture {
    /// A repository whose only check is a command, and pull requests 1, 2, … with these titles, from `topic-1`, `topic-2`, ….
    pub async fn new(check: &str, pulls: &[(&str, PullContent)]) -> Self {
        let repository = RepositoryFixture::new(REPO).with_check(check);
        let pulls = (1..).zip(pulls);
        let repository = pulls.fold(repository, |repository, (number, (title, content))| {
            let pull = PullFixture::new(&format!("topic-{number}"))
                .with_title(title)
                .with_file(&format!("app{number}.js"), content.text());
            repository.with_pull(pull)
        });
        Self::of(&repository).await
    }

    /// This repository, which is named [`REPO`].
    pub async fn of(repository: &RepositoryFixture) -> Self {
        Self(ForgeFixture::start(repository).await)
    }

    /// A data folder whose `config.toml` says this beside what the forge needs.
    pub fn write_config(&self, more: &str) -> PathBuf {
        self.write_config_polling("500ms", more)
    }

    /// The same, looking at ready pull requests this often.
    pub fn write_config_polling(&self, ready: &str, more: &str) -> PathBuf {
        let home = self.dir.path().join("home");
        let config = format!(
            "github_api_url = \"{}\"\npoll_interval = \"300ms\"\nready_poll_interval = \"{ready}\"\nno_checks_grace = \"1s\"\n{more}",
            self.api_url()
        );
        write_files(&home, &[("config.toml", config)]);
        home
    }

    /// The head of a pull request.
    pub async fn head_sha(&self, number: u64) -> String {
        let pull = self.repo_get(&format!("/pulls/{number}")).await;
        pull["head"]["sha"].as_str().unwrap().to_owned()
    }

    /// The author pushes to a pull request's branch.
    pub async fn push_change(&self, number: u64) {
        let branch = format!("topic-{number}");
        self.push(&branch, &[("more.js", CLEAN_FILE)]).await;
    }
}
