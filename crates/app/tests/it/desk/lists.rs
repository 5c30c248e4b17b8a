//! The sidebar's repositories and what is open in them.

use crate::desk::stage::{AUTHOR, Change, ME, REPO, Stage, as_value, assert_problem, find, key};
use collie_wire::rpc::Command;
use serde_json::{Value, json};

fn add(repos: &[&str]) -> Command {
    Command::AddRepositories {
        repos: repos.iter().map(ToString::to_string).collect(),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_repository_that_is_added_shows_what_is_open_in_it() {
    let stage = Stage::set(&[Change::Sound]).await;
    let draft = stage
        .open_as(ME, "claude/draft", Change::Sound, json!({"draft": true}))
        .await;
    let bots = stage
        .open_as("renovate[bot]", "bump", Change::Sound, json!({}))
        .await;
    let repo = format!("/api/v3/repos/{REPO}");
    let issue = stage
        .call(
            AUTHOR,
            "POST",
            &format!("{repo}/issues"),
            json!({"title": "It is slow", "body": ""}),
        )
        .await["number"]
        .as_u64()
        .unwrap();
    for number in [1, issue] {
        stage
            .call(
                ME,
                "POST",
                &format!("{repo}/issues/{number}/labels"),
                json!({"labels": ["bug"]}),
            )
            .await;
    }
    let table = stage.signed_in("").await;
    assert_eq!(table.run(Command::Repositories).await, json!([]));
    let there = table.run(Command::AvailableRepositories).await;
    assert_eq!(find(&there, "name", REPO)["chosen"], false, "{there:#}");
    table.run(add(&[REPO])).await;
    let sidebar = table.run(Command::Repositories).await;
    let expect =
        json!([{"name": REPO, "auto_review": false, "chosen": true, "loops": 0, "problem": null}]);
    assert_eq!(sidebar, expect);
    let there = table.run(Command::AvailableRepositories).await;
    assert_eq!(find(&there, "name", REPO)["chosen"], true);
    let list = table
        .until_listing(REPO, "a list", |list| !list["read_at"].is_null())
        .await;
    assert!(list["problem"].is_null());
    let pull = |number| find(&list["pulls"], "key", &key(number));
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
    let line = find(&list["issues"], "key", &key(issue));
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
    table
        .run(Command::RemoveRepository {
            repo: REPO.to_owned(),
        })
        .await;
    assert_eq!(table.run(Command::Repositories).await, json!([]));
    table.desk.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_repository_with_loops_stays_in_the_sidebar_when_it_is_removed() {
    let stage = Stage::set(&[Change::Sound]).await;
    let table = stage.signed_in("").await;
    table.run(add(&[REPO])).await;
    table.start(1).await;
    table.until_state(1, "pr_ready_to_merge").await;
    table
        .run(Command::RemoveRepository {
            repo: REPO.to_owned(),
        })
        .await;
    let sidebar = table.run(Command::Repositories).await;
    let expect =
        json!([{"name": REPO, "auto_review": false, "chosen": false, "loops": 1, "problem": null}]);
    assert_eq!(sidebar, expect);
    table.desk.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_repository_that_vanished_says_so_and_the_others_are_fine() {
    let stage = Stage::set(&[Change::Sound]).await;
    stage.import("demo/lib", "true").await;
    let table = stage.signed_in("").await;
    table.run(add(&[REPO, "demo/lib", "octo/never-was"])).await;
    let read = |list: &Value| !list["read_at"].is_null();
    table.until_listing("demo/lib", "a list", read).await;
    stage
        .settings(
            "demo/lib",
            json!({"private": true, "roles": {"octo": "none"}}),
        )
        .await;
    table
        .run(Command::Refresh {
            repo: "demo/lib".to_owned(),
        })
        .await;
    for repo in ["demo/lib", "octo/never-was"] {
        let list = table
            .until_listing(repo, "a problem", |list| !list["problem"].is_null())
            .await;
        assert_problem(&list["problem"], "not_found");
        assert!(
            list["problem"]["message"].as_str().unwrap().contains(repo),
            "{list:#}"
        );
        let sidebar = table.run(Command::Repositories).await;
        assert_problem(&find(&sidebar, "name", repo)["problem"], "not_found");
    }
    let list = table.until_listing(REPO, "a list", read).await;
    assert!(list["problem"].is_null());
    assert_eq!(list["pulls"].as_array().unwrap().len(), 1);
    let sidebar = table.run(Command::Repositories).await;
    assert!(find(&sidebar, "name", REPO)["problem"].is_null());
    // It is GitHub that does not know them; it answers.
    assert_eq!(table.session().await["connection"]["status"], "ok");
    stage.settings("demo/lib", json!({"private": false})).await;
    table
        .run(Command::Refresh {
            repo: "demo/lib".to_owned(),
        })
        .await;
    table
        .until_listing("demo/lib", "no problem", |list| list["problem"].is_null())
        .await;
    table.desk.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn names_that_are_none_are_refused() {
    let stage = Stage::set(&[]).await;
    let table = stage.signed_in("").await;
    for odd in ["", "octo", "octo/app/more", "../../etc", "octo/ap p", "<b>"] {
        let error = table.refused(add(&[odd])).await;
        assert_eq!(error.code, "bad_name", "{odd}: {}", as_value(&error));
        let error = table
            .refused(Command::Listing {
                repo: odd.to_owned(),
            })
            .await;
        assert_eq!(error.code, "bad_name", "{odd}");
        let error = table
            .refused(Command::Start {
                key: odd.to_owned(),
            })
            .await;
        assert_eq!(error.code, "bad_name", "{odd}");
    }
    assert_eq!(table.run(Command::Repositories).await, json!([]));
    table.desk.close().await;
}
