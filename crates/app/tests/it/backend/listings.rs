//! The sidebar's repositories and what is open in them.

use crate::backend::fixture::{
    BackendFixture, REPO, as_value, assert_problem, clean_pull, find_entry, pull_key,
};
use collie_core::error_code::ErrorCode;
use collie_testkit::forge::COLLIE;
use collie_testkit::repository::{AUTHOR, PullContent, RepositoryFixture};
use collie_wire::rpc::Command;
use serde_json::{Value, json};

fn add_repositories(repos: &[&str]) -> Command {
    Command::AddRepositories {
        repos: repos.iter().map(ToString::to_string).collect(),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_repository_that_is_added_shows_what_is_open_in_it() {
    let fixture = BackendFixture::new(&[PullContent::Clean]).await;
    let draft = fixture
        .open_pull(clean_pull("claude/draft").by(COLLIE).as_draft())
        .await;
    let bots = fixture
        .open_pull(clean_pull("bump").by("renovate[bot]"))
        .await;
    let repo = format!("/api/v3/repos/{REPO}");
    let issue = fixture
        .call(
            AUTHOR,
            "POST",
            &format!("{repo}/issues"),
            Some(json!({"title": "It is slow", "body": ""})),
        )
        .await["number"]
        .as_u64()
        .unwrap();
    for number in [1, issue] {
        fixture
            .call(
                COLLIE,
                "POST",
                &format!("{repo}/issues/{number}/labels"),
                Some(json!({"labels": ["bug"]})),
            )
            .await;
    }
    let client = fixture.open_signed_in("").await;
    assert_eq!(client.run_command(Command::Repositories).await, json!([]));
    let there = client.run_command(Command::AvailableRepositories).await;
    assert_eq!(
        find_entry(&there, "name", REPO)["chosen"],
        false,
        "{there:#}"
    );
    client.run_command(add_repositories(&[REPO])).await;
    let sidebar = client.run_command(Command::Repositories).await;
    let expect = json!([{"name": REPO, "auto_review": false, "autonomy": "observe", "chosen": true, "may_write": true, "loops": 0, "problem": null}]);
    assert_eq!(sidebar, expect);
    let there = client.run_command(Command::AvailableRepositories).await;
    assert_eq!(find_entry(&there, "name", REPO)["chosen"], true);
    let list = client
        .wait_for_listing(REPO, "a list", |list| !list["read_at"].is_null())
        .await;
    assert!(list["problem"].is_null());
    let pull = |number| find_entry(&list["pulls"], "key", &pull_key(number));
    let about = |number| {
        let pull = pull(number);
        json!([
            pull["author"],
            pull["draft"],
            pull["labels"],
            pull["by_agent"],
            pull["mine"],
            pull["head_ref"]
        ])
    };
    assert_eq!(
        about(1),
        json!(["ana", false, ["bug"], false, false, "topic-1"])
    );
    assert_eq!(
        about(draft),
        json!(["octo", true, [], true, true, "claude/draft"])
    );
    // GraphQL spells an app without its suffix.
    assert_eq!(
        about(bots),
        json!(["renovate", false, [], true, false, "bump"])
    );
    let line = find_entry(&list["issues"], "key", &pull_key(issue));
    assert_eq!(
        [
            &line["title"],
            &line["author"],
            &line["labels"],
            &line["mine"]
        ],
        [
            &json!("It is slow"),
            &json!(AUTHOR),
            &json!(["bug"]),
            &json!(false)
        ],
        "{line:#}"
    );
    assert_eq!(list["open_issues"], 1);
    client
        .run_command(Command::RemoveRepository {
            repo: REPO.to_owned(),
        })
        .await;
    assert_eq!(client.run_command(Command::Repositories).await, json!([]));
    client.backend.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_repository_with_loops_stays_in_the_sidebar_when_it_is_removed() {
    let fixture = BackendFixture::new(&[PullContent::Clean]).await;
    let client = fixture.open_signed_in("").await;
    client.run_command(add_repositories(&[REPO])).await;
    client.start_loop(1).await;
    client.wait_for_state(1, "pr_ready_to_merge").await;
    client
        .run_command(Command::RemoveRepository {
            repo: REPO.to_owned(),
        })
        .await;
    let sidebar = client.run_command(Command::Repositories).await;
    let expect = json!([{"name": REPO, "auto_review": false, "autonomy": "push", "chosen": false, "may_write": true, "loops": 1, "problem": null}]);
    assert_eq!(sidebar, expect);
    client.backend.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_repository_that_vanished_says_so_and_the_others_are_fine() {
    let fixture = BackendFixture::new(&[PullContent::Clean]).await;
    let other = RepositoryFixture::new("demo/lib").with_check("true");
    fixture.add_repository(&other).await;
    let client = fixture.open_signed_in("").await;
    client
        .run_command(add_repositories(&[REPO, "demo/lib", "octo/never-was"]))
        .await;
    let read = |list: &Value| !list["read_at"].is_null();
    client.wait_for_listing("demo/lib", "a list", read).await;
    fixture
        .change_repository_named(
            "demo/lib",
            json!({"private": true, "roles": {"octo": "none"}}),
        )
        .await;
    client
        .run_command(Command::Refresh {
            repo: "demo/lib".to_owned(),
        })
        .await;
    for repo in ["demo/lib", "octo/never-was"] {
        let list = client
            .wait_for_listing(repo, "a problem", |list| !list["problem"].is_null())
            .await;
        assert_problem(&list["problem"], "not_found");
        assert!(
            list["problem"]["message"].as_str().unwrap().contains(repo),
            "{list:#}"
        );
        let sidebar = client.run_command(Command::Repositories).await;
        assert_problem(&find_entry(&sidebar, "name", repo)["problem"], "not_found");
    }
    let list = client.wait_for_listing(REPO, "a list", read).await;
    assert!(list["problem"].is_null());
    assert_eq!(list["pulls"].as_array().unwrap().len(), 1);
    let sidebar = client.run_command(Command::Repositories).await;
    assert!(find_entry(&sidebar, "name", REPO)["problem"].is_null());
    // It is GitHub that does not know them; it answers.
    assert_eq!(client.session().await["connection"]["status"], "ok");
    fixture
        .change_repository_named("demo/lib", json!({"private": false}))
        .await;
    client
        .run_command(Command::Refresh {
            repo: "demo/lib".to_owned(),
        })
        .await;
    client
        .wait_for_listing("demo/lib", "no problem", |list| list["problem"].is_null())
        .await;
    client.backend.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn names_that_are_none_are_refused() {
    let fixture = BackendFixture::new(&[]).await;
    let client = fixture.open_signed_in("").await;
    for odd in ["", "octo", "octo/app/more", "../../etc", "octo/ap p", "<b>"] {
        let error = client.run_refused(add_repositories(&[odd])).await;
        assert_eq!(
            error.code,
            ErrorCode::BadName,
            "{odd}: {}",
            as_value(&error)
        );
        let error = client
            .run_refused(Command::Listing {
                repo: odd.to_owned(),
            })
            .await;
        assert_eq!(error.code, ErrorCode::BadName, "{odd}");
        let error = client
            .run_refused(Command::Start {
                key: odd.to_owned(),
            })
            .await;
        assert_eq!(error.code, ErrorCode::BadName, "{odd}");
    }
    assert_eq!(client.run_command(Command::Repositories).await, json!([]));
    client.backend.close().await;
}
