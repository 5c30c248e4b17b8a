//! What the views read, on the forge.

use crate::common::{StillClock, client};
use collie_core::ids::{PullName, RepoName};
use collie_core::merging::MergeMethod;
use collie_core::snapshot::{Mergeable, PullState};
use collie_engine::ports::{GitHub, GitHubError};
use collie_forge::{Forge, Running};
use collie_github::GitHubClient;
use collie_github::browse::{Listing, MergeState, Permission, SignInError};
use serde_json::{Value, json};
use std::path::Path;
use std::process::Command;

/// A served forge with `demo/app` and pull request 1 of ana, to whom `demo` gave a role.
struct Ground {
    dir: tempfile::TempDir,
    running: Running,
    http: reqwest::Client,
}

fn git(dir: &Path, args: &[&str]) {
    let done = Command::new("git")
        .current_dir(dir)
        .args(["-c", "user.name=Ana", "-c", "user.email=ana@example.com"])
        .args(args)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .status()
        .expect("git runs");
    assert!(done.success(), "{args:?}");
}

impl Ground {
    async fn start() -> Self {
        let dir = tempfile::tempdir().expect("a folder");
        let source = dir.path().join("source");
        std::fs::create_dir(&source).expect("a folder");
        git(&source, &["init", "-q", "-b", "main"]);
        git(&source, &["commit", "-q", "--allow-empty", "-m", "Begin"]);
        git(&source, &["checkout", "-q", "-b", "topic"]);
        std::fs::write(source.join("a.txt"), "a\n").expect("written");
        git(&source, &["add", "-A"]);
        git(&source, &["commit", "-q", "-m", "Add a"]);
        git(&source, &["checkout", "-q", "main"]);
        let forge = Forge::open(&dir.path().join("root")).expect("a forge");
        let repo = "demo/app".parse().expect("a name");
        forge.import(&repo, &source).await.expect("imported");
        forge
            .open_pr(&repo, "main", "topic", "Add a", "", "ana")
            .await
            .expect("opened");
        let address = "127.0.0.1:0".parse().expect("an address");
        let running = forge.serve(address).await.expect("served");
        let http = reqwest::Client::new();
        Self { dir, running, http }
    }

    async fn as_(&self, login: &str) -> GitHubClient {
        let uri = self.running.git_url();
        client(&uri, &format!("forge-{login}"), StillClock::at(0)).await
    }

    async fn call(&self, login: &str, method: &str, path: &str, body: Value) -> Value {
        let method = method.parse().expect("a method");
        let sent = self
            .http
            .request(method, format!("{}{path}", self.running.git_url()))
            .bearer_auth(format!("forge-{login}"))
            .json(&body)
            .send();
        let answer = sent.await.expect("answered");
        assert!(answer.status().is_success(), "{path}: {answer:?}");
        answer.json().await.unwrap_or_default()
    }
}

fn app() -> RepoName {
    RepoName::parse("demo/app").expect("a name")
}

async fn listed(client: &GitHubClient) -> Listing {
    let mut found = client.listing(&[app()]).await.expect("answered");
    found.remove(&app()).expect("asked for").expect("listed")
}

#[tokio::test]
async fn repositories_come_with_rights_last_pushed_first() {
    let ground = Ground::start().await;
    let body = json!({"repo": "ana/own", "path": ground.dir.path().join("source")});
    ground.call("ana", "POST", "/_forge/import", body).await;
    let settings = json!({"private": true, "archived": true});
    ground
        .call("ana", "PATCH", "/_forge/repos/ana/own", settings)
        .await;
    let seen = async |login: &str| -> Vec<_> {
        let found = ground.as_(login).await.repositories().await.expect("read");
        let line = |one: collie_github::browse::RepositoryLine| {
            assert!(one.pushed_at.is_some());
            (
                one.name.to_string(),
                one.private,
                one.archived,
                one.can_push,
                one.open_pulls,
            )
        };
        found.into_iter().map(line).collect()
    };
    let shared = ("demo/app".to_string(), false, false, true, 1);
    let own = ("ana/own".to_string(), true, true, true, 0);
    assert_eq!(seen("demo").await, [shared]);
    assert!(seen("ana").await.contains(&own));
    assert_eq!(seen("mallory").await, []);
    ground.running.shutdown().await;
}

#[tokio::test]
async fn a_list_has_the_identity_that_resolve_gives() {
    let ground = Ground::start().await;
    let demo = ground.as_("demo").await;
    let labels = "/api/v3/repos/demo/app/issues/1/labels";
    ground
        .call("demo", "POST", labels, json!({"labels": ["Bug"]}))
        .await;
    let listing = listed(&demo).await;
    let name = PullName::parse("demo/app#1").expect("a name");
    let pull = demo.resolve(&name).await.expect("resolved");
    let line = &listing.pulls[0];
    assert_eq!(
        (&line.id, &line.url, &line.title),
        (&pull.pull.id, &pull.url, &pull.title)
    );
    assert_eq!(
        (line.head_ref.as_str(), line.base_ref.as_str()),
        ("topic", "main")
    );
    let author = line.author.as_ref().expect("an author");
    assert_eq!((author.login.as_str(), author.is_bot), ("ana", false));
    assert!(!line.draft && !line.cross_repository && !line.auto_merge);
    assert_eq!(line.labels[0].name, "Bug");
    assert_eq!((listing.pulls_total, listing.truncated), (1, false));
    ground.running.shutdown().await;
}

#[tokio::test]
async fn open_issues_are_listed_last_changed_first_and_apart_from_pull_requests() {
    let ground = Ground::start().await;
    let issues = "/api/v3/repos/demo/app/issues";
    let open = async |login: &str, title: &str| {
        let body = json!({"title": title, "body": "It is.", "labels": ["Bug"]});
        let opened = ground.call(login, "POST", issues, body).await;
        opened["number"].as_u64().expect("a number")
    };
    let numbers = [
        open("demo", "Slow").await,
        open("ana", "Loud").await,
        // Labels of those who cannot write are left out.
        open("mallory", "Old").await,
    ];
    assert_eq!(numbers, [2, 3, 4]);
    let comment = json!({"body": "Since Monday."});
    ground
        .call("mallory", "POST", &format!("{issues}/2/comments"), comment)
        .await;
    // All of this happens within a second or two, and GitHub's times are whole seconds.
    let repo = "demo/app".parse().expect("a name");
    let dated = ground.running.forge().change(&repo, |state| {
        for (number, day) in [(3, 1), (4, 2), (2, 3)] {
            let at = format!("2026-01-0{day}T00:00:00Z");
            let issue = state.issues.get_mut(number).expect("it is there");
            issue.updated_at = at.parse().expect("a time");
        }
        Ok(())
    });
    dated.expect("changed");
    let listing = listed(&ground.as_("mallory").await).await;
    let lines: Vec<_> = listing
        .issues
        .iter()
        .map(|issue| {
            let author = issue.author.as_ref().expect("an author");
            let labels: Vec<&str> = issue.labels.iter().map(|it| it.name.as_str()).collect();
            (
                issue.number,
                issue.title.as_str(),
                author.login.as_str(),
                labels,
                issue.comments,
            )
        })
        .collect();
    assert_eq!(
        lines,
        [
            (2, "Slow", "demo", vec!["Bug"], 1),
            (4, "Old", "mallory", vec![], 0),
            (3, "Loud", "ana", vec!["Bug"], 0),
        ]
    );
    let url = format!("{}/demo/app/issues/2", ground.running.git_url());
    assert_eq!(listing.issues[0].url, url);
    assert_eq!((listing.issues_total, listing.pulls_total), (3, 1));
    let close = json!({"state": "closed", "state_reason": "not_planned"});
    ground
        .call("mallory", "PATCH", &format!("{issues}/4"), close)
        .await;
    let listing = listed(&ground.as_("demo").await).await;
    let left: Vec<u64> = listing.issues.iter().map(|issue| issue.number).collect();
    assert_eq!((left, listing.issues_total), (vec![2, 3], 2));
    ground.running.shutdown().await;
}

#[tokio::test]
async fn the_facts_for_a_merge_follow_the_repositorys_settings() {
    let ground = Ground::start().await;
    let demo = ground.as_("demo").await;
    let name = PullName::parse("demo/app#1").expect("a name");
    let facts = demo.merge_facts(&name).await.expect("read");
    let all = [MergeMethod::Merge, MergeMethod::Squash, MergeMethod::Rebase];
    assert_eq!(
        (facts.methods.as_slice(), facts.permission),
        (&all[..], Permission::Admin)
    );
    assert_eq!(
        (facts.state, facts.mergeable),
        (PullState::Open, Mergeable::Yes)
    );
    assert_eq!(
        (facts.merge_state, facts.base_has_queue),
        (MergeState::Clean, false)
    );
    assert_eq!(facts.head, listed(&demo).await.pulls[0].head);
    let settings = json!({"allow_merge_commit": false, "merge_queue": {"main": true}});
    ground
        .call("demo", "PATCH", "/_forge/repos/demo/app", settings)
        .await;
    let facts = ground
        .as_("mallory")
        .await
        .merge_facts(&name)
        .await
        .expect("read");
    assert_eq!(facts.methods, all[1..]);
    assert!(facts.base_has_queue && !facts.permission.can_push());
    let gone = PullName::parse("demo/app#9").expect("a name");
    let error = demo.merge_facts(&gone).await.expect_err("gone");
    assert!(matches!(error, GitHubError::NotFound { .. }), "{error:?}");
    ground.running.shutdown().await;
}

#[tokio::test]
async fn a_token_shows_its_scopes_and_is_refused_once_revoked() {
    let ground = Ground::start().await;
    let ana = ground.as_("ana").await;
    assert_eq!(ana.token_scopes().await.expect("read").granted, None);
    let scopes = json!({"login": "ana", "scopes": ["read:org"]});
    ground.call("demo", "POST", "/_forge/tokens", scopes).await;
    let found = ana.token_scopes().await.expect("read");
    assert!(found.granted.expect("told").iter().eq(["read:org"]));
    assert_eq!(found.lacks, ["repo"]);
    assert!(
        ana.quota()
            .rest
            .is_some_and(|quota| quota.left < quota.limit)
    );
    ana.sign_in().await.expect("signed in");
    let revoked = json!({"login": "ana", "revoked": true});
    ground.call("demo", "POST", "/_forge/tokens", revoked).await;
    let error = ana.sign_in().await.expect_err("revoked");
    assert!(matches!(error, SignInError::BadToken { .. }), "{error:?}");
    let error = ana.listing(&[app()]).await.expect_err("revoked");
    assert!(
        matches!(error, GitHubError::Unauthorized { .. }),
        "{error:?}"
    );
    listed(&ground.as_("demo").await).await;
    ground.running.shutdown().await;
}
