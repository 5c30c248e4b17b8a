//! Forks: pull requests from them, pushes to them, and forks that are gone.

use std::path::PathBuf;

use crate::fixture::{ForgeFixture, REPO, commit_files, git, string_of};
use serde_json::{Value, json};

const BASE: &[(&str, &str)] = &[("a.txt", "one\ntwo\nthree\n")];
const HEAD: &[(&str, &str)] = &[("a.txt", "one\nzwei\nthree\n")];
const FORK: &str = "mallory/app";

/// A fork of mallory's, with a clone of it.
struct ForkFixture {
    forge: ForgeFixture,
    clone: PathBuf,
}

impl ForkFixture {
    async fn start() -> Self {
        let forge = ForgeFixture::start(BASE, HEAD).await;
        let path = format!("/api/v3/repos/{REPO}/forks");
        let made = forge.call("mallory", "POST", &path, Some(json!({}))).await;
        assert_eq!(made.status, 202, "{}", made.body);
        assert_eq!(made.body["full_name"], FORK);
        assert_eq!(made.body["fork"], true);
        let clone = forge.dir.path().join("fork");
        git(
            forge.dir.path(),
            &["clone", "-q", &git_url(&forge, "mallory", FORK), "fork"],
        );
        git(&clone, &["checkout", "-q", "-b", "idea"]);
        Self { forge, clone }
    }

    /// Commits and pushes as somebody; gives the commit, and whether the push went through.
    fn push(&self, login: &str, branch: &str, text: &str) -> (String, bool) {
        let sha = commit_files(&self.clone, &[("b.txt", text)], "Write b");
        let url = git_url(&self.forge, login, FORK);
        let target = format!("HEAD:refs/heads/{branch}");
        let pushed = std::process::Command::new("git")
            .current_dir(&self.clone)
            .args(["push", "-q", &url, &target])
            .env("GIT_TERMINAL_PROMPT", "0")
            .output()
            .expect("git is installed");
        (sha, pushed.status.success())
    }

    async fn open_pull(&self, more: Value) -> Value {
        let mut body = json!({"title": "Idea", "head": "mallory:idea", "base": "main"});
        for (key, value) in more.as_object().into_iter().flatten() {
            body[key] = value.clone();
        }
        let path = format!("/api/v3/repos/{REPO}/pulls");
        self.forge
            .call_granted("mallory", "POST", &path, Some(body))
            .await
    }

    async fn pull(&self, number: u64) -> Value {
        let path = format!("/api/v3/repos/{REPO}/pulls/{number}");
        self.forge.call_granted("ana", "GET", &path, None).await
    }

    async fn pull_by_graphql(&self, number: u64) -> Value {
        let query = r#"query($number: Int!) { repository(owner: "demo", name: "app") { pullRequest(number: $number) {
            isCrossRepository maintainerCanModify headRefOid headRef { name }
            headRepositoryOwner { login } headRepository { nameWithOwner isFork viewerPermission } } } }"#;
        let data = self
            .forge
            .graphql_data("ana", query, json!({"number": number}))
            .await;
        data["repository"]["pullRequest"].clone()
    }

    /// What anyone fetches as the head of a pull request.
    fn fetched_head(&self, number: u64) -> String {
        let name = format!("refs/pull/{number}/head");
        let told = git(
            &self.clone,
            &["ls-remote", &git_url(&self.forge, "ana", REPO), &name],
        );
        told.split_whitespace()
            .next()
            .unwrap_or_default()
            .to_owned()
    }
}

fn git_url(forge: &ForgeFixture, login: &str, repo: &str) -> String {
    let base = forge.git_url();
    let base = base.replace("http://", &format!("http://x:forge-{login}@"));
    format!("{base}/{repo}.git")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pull_request_from_a_fork_follows_pushes_to_the_fork() {
    let fixture = ForkFixture::start().await;
    let (first, _) = fixture.push("mallory", "idea", "one\n");
    let opened = fixture.open_pull(json!({})).await;
    let number = opened["number"].as_u64().expect("a number");
    assert_eq!(opened["head"]["label"], "mallory:idea");
    assert_eq!(opened["head"]["repo"]["full_name"], FORK);
    assert_eq!(opened["base"]["repo"]["full_name"], REPO);
    assert_eq!(opened["head"]["sha"], first);
    assert_eq!(fixture.fetched_head(number), first);
    let (second, _) = fixture.push("mallory", "idea", "two\n");
    let moved = fixture.pull(number).await;
    assert_eq!(moved["head"]["sha"], second);
    assert_eq!(moved["commits"], 2);
    assert_eq!(fixture.fetched_head(number), second);
    let read = fixture.pull_by_graphql(number).await;
    assert_eq!(
        read,
        json!({
            "isCrossRepository": true, "maintainerCanModify": false, "headRefOid": second,
            "headRef": {"name": "idea"}, "headRepositoryOwner": {"login": "mallory"},
            "headRepository": {"nameWithOwner": FORK, "isFork": true, "viewerPermission": "READ"},
        })
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn maintainers_push_to_the_branch_of_a_fork_where_its_author_lets_them() {
    let fixture = ForkFixture::start().await;
    fixture.push("mallory", "idea", "one\n");
    fixture.open_pull(json!({})).await;
    assert!(!fixture.push("ana", "idea", "two\n").1, "nobody let her");
    fixture.push("mallory", "other", "three\n");
    let allowed = json!({"head": "mallory:other", "maintainer_can_modify": true});
    let opened = fixture.open_pull(allowed).await;
    let number = opened["number"].as_u64().expect("a number");
    assert_eq!(opened["maintainer_can_modify"], true);
    assert!(!fixture.push("ben", "main", "four\n").1, "another branch");
    assert!(!fixture.push("eve", "other", "five\n").1, "no maintainer");
    let (sha, pushed) = fixture.push("ana", "other", "six\n");
    assert!(pushed);
    assert_eq!(fixture.pull(number).await["head"]["sha"], sha);
}

/// A fork of the same name is another repository.
#[tokio::test(flavor = "multi_thread")]
async fn what_a_fork_s_author_allowed_does_not_hold_for_the_next_fork_of_that_name() {
    let fixture = ForkFixture::start().await;
    fixture.push("mallory", "idea", "one\n");
    fixture
        .open_pull(json!({"maintainer_can_modify": true}))
        .await;
    assert!(fixture.push("ana", "idea", "two\n").1, "control");
    let deleted = fixture
        .forge
        .call("mallory", "DELETE", &format!("/api/v3/repos/{FORK}"), None)
        .await;
    assert_eq!(deleted.status, 204);
    let forks = format!("/api/v3/repos/{REPO}/forks");
    fixture
        .forge
        .call_granted("mallory", "POST", &forks, Some(json!({})))
        .await;
    assert!(fixture.push("mallory", "idea", "three\n").1, "her own");
    assert!(!fixture.push("ana", "idea", "four\n").1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pull_request_outlives_its_fork() {
    let fixture = ForkFixture::start().await;
    let (sha, _) = fixture.push("mallory", "idea", "one\n");
    let opened = fixture.open_pull(json!({})).await;
    let number = opened["number"].as_u64().expect("a number");
    let path = format!("/api/v3/repos/{FORK}");
    let denied = fixture.forge.call("ana", "DELETE", &path, None).await;
    assert_eq!(denied.status, 403);
    let deleted = fixture.forge.call("mallory", "DELETE", &path, None).await;
    assert_eq!(deleted.status, 204);
    let gone = fixture.forge.call("mallory", "GET", &path, None).await;
    assert_eq!(gone.status, 404);
    let read = fixture.pull(number).await;
    assert_eq!(read["state"], "open");
    assert_eq!(read["head"]["repo"], Value::Null);
    assert_eq!(read["head"]["label"], "mallory:idea");
    assert_eq!(fixture.fetched_head(number), sha);
    let by_graphql = fixture.pull_by_graphql(number).await;
    assert_eq!(by_graphql["headRepository"], Value::Null);
    assert_eq!(by_graphql["headRef"], Value::Null);
    assert_eq!(by_graphql["isCrossRepository"], true);
    // A fork of the same name is another repository: the pull request is not its.
    let forks = format!("/api/v3/repos/{REPO}/forks");
    fixture
        .forge
        .call_granted("mallory", "POST", &forks, Some(json!({})))
        .await;
    fixture.push("mallory", "idea", "two\n");
    let read = fixture.pull(number).await;
    assert_eq!(read["head"]["repo"], Value::Null);
    assert_eq!(string_of(&read["head"]["sha"]), sha);
    // The base goes on without the head.
    fixture
        .forge
        .push_from("main", "main", &[("c.txt", "base\n")])
        .await;
    let read = fixture.pull(number).await;
    assert_eq!(
        (&read["state"], &read["head"]["sha"]),
        (&json!("open"), &json!(sha))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn one_has_one_fork_of_a_repository_and_none_of_ones_own() {
    let fixture = ForkFixture::start().await;
    let path = format!("/api/v3/repos/{REPO}/forks");
    let again = fixture
        .forge
        .call("mallory", "POST", &path, Some(json!({})))
        .await;
    assert_eq!(
        (again.status, &again.body["full_name"]),
        (202, &json!(FORK))
    );
    let own = fixture
        .forge
        .call("demo", "POST", &path, Some(json!({})))
        .await;
    assert_eq!(own.status, 403);
    let listed = fixture.forge.call_granted("ana", "GET", &path, None).await;
    let listed = listed.as_array().expect("a list");
    assert_eq!(listed.len(), 1);
    assert_eq!(listed[0]["full_name"], FORK);
    let unknown = json!({"title": "x", "head": "ben:topic", "base": "main"});
    let path = format!("/api/v3/repos/{REPO}/pulls");
    let refused = fixture
        .forge
        .call("ben", "POST", &path, Some(unknown))
        .await;
    assert_eq!(refused.status, 422, "ben has no fork");
}
