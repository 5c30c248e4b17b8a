//! What the views read, on the forge.

use crate::common::ClientFixture;
use collie_core::ids::{PullName, RepoName};
use collie_core::merge_method::MergeMethod;
use collie_core::snapshot::{Mergeable, PullState};
use collie_engine::ports::{GitHub, GitHubError};
use collie_github::GitHubClient;
use collie_github::browse::{MergeState, Permission, RepositoryListing, SignInError};
use collie_testkit::repository::{PullFixture, RepositoryFixture};
use serde_json::json;

/// A forge with `demo/app` and pull request 1 of ana, to whom `demo` gave a role.
async fn start_fixture() -> ClientFixture {
    let pull = PullFixture::new("topic")
        .with_title("Add a")
        .with_file("a.txt", "a\n");
    ClientFixture::start(&RepositoryFixture::new("demo/app").with_pull(pull)).await
}

fn app_repo() -> RepoName {
    RepoName::parse("demo/app").expect("a name")
}

async fn fetch_listing(client: &GitHubClient) -> RepositoryListing {
    let mut found = client.listing(&[app_repo()]).await.expect("answered");
    found
        .remove(&app_repo())
        .expect("asked for")
        .expect("listed")
}

#[tokio::test]
async fn repositories_come_with_rights_last_pushed_first() {
    let fixture = start_fixture().await;
    let source = fixture.working_copy("demo/app");
    fixture.import("ana/own", &source).await;
    let settings = json!({"private": true, "archived": true});
    fixture
        .call("ana", "PATCH", "/_forge/repos/ana/own", Some(settings))
        .await;
    let list_as = async |login: &str| -> Vec<_> {
        let found = fixture
            .client_as(login)
            .await
            .repositories()
            .await
            .expect("read");
        let line = |one: collie_github::browse::RepositorySummary| {
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
    assert_eq!(list_as("demo").await, [shared]);
    assert!(list_as("ana").await.contains(&own));
    assert_eq!(list_as("mallory").await, []);
    fixture.shutdown().await;
}

#[tokio::test]
async fn a_list_has_the_identity_that_resolve_gives() {
    let fixture = start_fixture().await;
    let client = fixture.client_as("demo").await;
    let labels = "/api/v3/repos/demo/app/issues/1/labels";
    fixture
        .call("demo", "POST", labels, Some(json!({"labels": ["Bug"]})))
        .await;
    let listing = fetch_listing(&client).await;
    let name = PullName::parse("demo/app#1").expect("a name");
    let pull = client.resolve_pull(&name).await.expect("resolved");
    let line = &listing.pulls[0];
    assert_eq!(
        (&line.id, &line.url, &line.title),
        (&pull.pull.id, &pull.url, &pull.title.as_raw().to_owned())
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
    fixture.shutdown().await;
}

#[tokio::test]
async fn open_issues_are_listed_last_changed_first_and_apart_from_pull_requests() {
    let fixture = start_fixture().await;
    let issues = "/api/v3/repos/demo/app/issues";
    let open_issue = async |login: &str, title: &str| {
        let body = json!({"title": title, "body": "It is.", "labels": ["Bug"]});
        let opened = fixture.call(login, "POST", issues, Some(body)).await;
        opened["number"].as_u64().expect("a number")
    };
    let numbers = [
        open_issue("demo", "Slow").await,
        open_issue("ana", "Loud").await,
        // Labels of those who cannot write are left out.
        open_issue("mallory", "Old").await,
    ];
    assert_eq!(numbers, [2, 3, 4]);
    let comment = json!({"body": "Since Monday."});
    fixture
        .call(
            "mallory",
            "POST",
            &format!("{issues}/2/comments"),
            Some(comment),
        )
        .await;
    // All of this happens within a second or two, and GitHub's times are whole seconds.
    let repo = "demo/app".parse().expect("a name");
    let dated = fixture.forge().change(&repo, |state| {
        for (number, day) in [(3, 1), (4, 2), (2, 3)] {
            let at = format!("2026-01-0{day}T00:00:00Z");
            let issue = state.issues.get_mut(number).expect("it is there");
            issue.updated_at = at.parse().expect("a time");
        }
        Ok(())
    });
    dated.expect("changed");
    let listing = fetch_listing(&fixture.client_as("mallory").await).await;
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
    let url = format!("{}/demo/app/issues/2", fixture.git_url());
    assert_eq!(listing.issues[0].url, url);
    assert_eq!((listing.issues_total, listing.pulls_total), (3, 1));
    let close = json!({"state": "closed", "state_reason": "not_planned"});
    fixture
        .call("mallory", "PATCH", &format!("{issues}/4"), Some(close))
        .await;
    let listing = fetch_listing(&fixture.client_as("demo").await).await;
    let left: Vec<u64> = listing.issues.iter().map(|issue| issue.number).collect();
    assert_eq!((left, listing.issues_total), (vec![2, 3], 2));
    fixture.shutdown().await;
}

#[tokio::test]
async fn the_facts_for_a_merge_follow_the_repositorys_settings() {
    let fixture = start_fixture().await;
    let client = fixture.client_as("demo").await;
    let name = PullName::parse("demo/app#1").expect("a name");
    let facts = client.merge_facts(&name).await.expect("read");
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
    assert_eq!(facts.head, fetch_listing(&client).await.pulls[0].head);
    let settings = json!({"allow_merge_commit": false, "merge_queue": {"main": true}});
    fixture
        .call("demo", "PATCH", "/_forge/repos/demo/app", Some(settings))
        .await;
    let facts = fixture
        .client_as("mallory")
        .await
        .merge_facts(&name)
        .await
        .expect("read");
    assert_eq!(facts.methods, all[1..]);
    assert!(facts.base_has_queue && !facts.permission.can_push());
    let gone = PullName::parse("demo/app#9").expect("a name");
    let error = client.merge_facts(&gone).await.expect_err("gone");
    assert!(matches!(error, GitHubError::NotFound { .. }), "{error:?}");
    fixture.shutdown().await;
}

#[tokio::test]
async fn a_token_shows_its_scopes_and_is_refused_once_revoked() {
    let fixture = start_fixture().await;
    let ana = fixture.client_as("ana").await;
    assert_eq!(ana.token_scopes().await.expect("read").granted, None);
    let scopes = json!({"login": "ana", "scopes": ["read:org"]});
    fixture
        .call("demo", "POST", "/_forge/tokens", Some(scopes))
        .await;
    let found = ana.token_scopes().await.expect("read");
    assert!(found.granted.expect("told").iter().eq(["read:org"]));
    assert_eq!(found.missing, ["repo"]);
    assert!(
        ana.quotas()
            .rest
            .is_some_and(|quota| quota.remaining < quota.limit)
    );
    ana.sign_in().await.expect("signed in");
    let revoked = json!({"login": "ana", "revoked": true});
    fixture
        .call("demo", "POST", "/_forge/tokens", Some(revoked))
        .await;
    let error = ana.sign_in().await.expect_err("revoked");
    assert!(matches!(error, SignInError::BadToken { .. }), "{error:?}");
    let error = ana.listing(&[app_repo()]).await.expect_err("revoked");
    assert!(
        matches!(error, GitHubError::Unauthorized { .. }),
        "{error:?}"
    );
    fetch_listing(&fixture.client_as("demo").await).await;
    fixture.shutdown().await;
}
