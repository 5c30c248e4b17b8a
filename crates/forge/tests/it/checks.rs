//! Checks that really run.

use crate::fixture::{ForgeFixture, REPO, string_of, wait_until};
use collie_forge::model::{AutoMerge, MergeMethod};
use serde_json::{Value, json};

fn forge_toml(checks: &[(&str, &str, &str)]) -> String {
    let check_table = |(name, run, timeout): &(&str, &str, &str)| {
        format!("[[check]]\nname = {name:?}\nrun = {run:?}\ntimeout = {timeout:?}\n")
    };
    checks.iter().map(check_table).collect()
}

async fn start_with_checks(checks: &[(&str, &str, &str)]) -> ForgeFixture {
    let config = forge_toml(checks);
    ForgeFixture::start(
        &[("a.txt", "a\n")],
        &[("b.txt", "b\n"), (".forge.toml", &config)],
    )
    .await
}

fn repo_path(path: &str) -> String {
    format!("/api/v3/repos/{REPO}{path}")
}

async fn check_runs(fixture: &ForgeFixture, commit: &str) -> Vec<Value> {
    let path = repo_path(&format!("/commits/{commit}/check-runs"));
    let body = fixture.call("ana", "GET", &path, None).await.body;
    let runs = body["check_runs"].as_array().expect("a list").clone();
    assert_eq!(body["total_count"], runs.len());
    runs
}

/// The runs of a commit by name, once all are done.
async fn finished_check_runs(fixture: &ForgeFixture, commit: &str) -> Vec<Value> {
    wait_until("the checks to end", async || {
        let mut runs = check_runs(fixture, commit).await;
        runs.sort_by_key(|r| string_of(&r["name"]));
        runs.iter()
            .all(|r| r["status"] == "completed")
            .then_some(runs)
    })
    .await
}

async fn head_sha(fixture: &ForgeFixture) -> String {
    string_of(
        &fixture
            .call("ana", "GET", &repo_path("/pulls/1"), None)
            .await
            .body["head"]["sha"],
    )
}

async fn check_log(fixture: &ForgeFixture, run: &Value) -> String {
    let url = format!(
        "{}{}",
        fixture.git_url(),
        repo_path(&format!("/actions/jobs/{}/logs", run["id"]))
    );
    let request = fixture
        .http()
        .get(url)
        .header("authorization", "Bearer forge-ana");
    let answer = request.send().await.expect("it answers");
    assert_eq!(answer.status(), 200);
    answer.text().await.expect("it is text")
}

#[tokio::test(flavor = "multi_thread")]
async fn each_check_ends_as_its_command_does() {
    let fixture = start_with_checks(&[
        (
            "fails",
            "echo 'src/x.rs:3:1: it is wrong' >&2; cat b.txt; exit 3",
            "20s",
        ),
        ("hangs", "echo before; sleep 60 & sleep 60", "1s"),
        ("passes", "test -f b.txt && echo $CI", "20s"),
    ])
    .await;
    let sha = head_sha(&fixture).await;
    let done = finished_check_runs(&fixture, &sha).await;
    let ends: Vec<_> = done.iter().map(|r| string_of(&r["conclusion"])).collect();
    assert_eq!(ends, ["failure", "timed_out", "success"]);
    for run in &done {
        assert_eq!(run["app"]["slug"], "github-actions");
        assert_eq!(run["head_sha"], sha);
        assert!(run["started_at"].is_string() && run["completed_at"].is_string());
        assert_eq!(run["pull_requests"][0]["number"], 1);
    }
    assert_eq!(
        check_log(&fixture, &done[0]).await,
        "src/x.rs:3:1: it is wrong\nb\n"
    );
    assert_eq!(
        check_log(&fixture, &done[1]).await,
        "before\n##[error]Timed out after 1 s\n"
    );
    assert_eq!(check_log(&fixture, &done[2]).await, "true\n");
    let notes = repo_path(&format!("/check-runs/{}/annotations", done[0]["id"]));
    let notes = fixture.call("ana", "GET", &notes, None).await.body;
    assert_eq!(
        (&notes[0]["path"], &notes[0]["start_line"]),
        (&json!("src/x.rs"), &json!(3))
    );
    assert_eq!(notes[0]["message"], "it is wrong");
    let pull = fixture
        .call("ana", "GET", &repo_path("/pulls/1"), None)
        .await
        .body;
    assert_eq!(pull["mergeable_state"], "unstable");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_head_cancels_what_runs_on_the_old_one() {
    let fixture = start_with_checks(&[("slow", "sleep 60", "50s")]).await;
    let old = head_sha(&fixture).await;
    wait_until("the check to start", async || {
        let runs = check_runs(&fixture, &old).await;
        (runs[0]["status"] == "in_progress").then_some(())
    })
    .await;
    let fast = forge_toml(&[("slow", "true", "20s")]);
    let new = fixture.push(&[(".forge.toml", &fast)]).await;
    assert_eq!(
        finished_check_runs(&fixture, &old).await[0]["conclusion"],
        "cancelled"
    );
    assert_eq!(
        finished_check_runs(&fixture, &new).await[0]["conclusion"],
        "success"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_check_can_be_run_again() {
    let fixture = start_with_checks(&[("fails", "exit 1", "20s")]).await;
    let sha = head_sha(&fixture).await;
    let first = finished_check_runs(&fixture, &sha).await.remove(0);
    let path = repo_path(&format!("/check-runs/{}/rerequest", first["id"]));
    assert_eq!(
        fixture.call("mallory", "POST", &path, None).await.status,
        403
    );
    assert_eq!(fixture.call("ana", "POST", &path, None).await.status, 201);
    let second = finished_check_runs(&fixture, &sha).await;
    assert_eq!(second.len(), 1, "only the latest run of a name is listed");
    assert_ne!(second[0]["id"], first["id"]);
    let all = repo_path(&format!("/commits/{sha}/check-runs?filter=all"));
    assert_eq!(
        fixture.call("ana", "GET", &all, None).await.body["total_count"],
        2
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_broken_configuration_is_a_failed_check_and_none_is_no_check() {
    let fixture = ForgeFixture::start(&[("a.txt", "a\n")], &[("b.txt", "b\n")]).await;
    let sha = head_sha(&fixture).await;
    assert_eq!(check_runs(&fixture, &sha).await, Vec::<Value>::new());
    for broken in [
        "[[check]\n",
        "[[check]]\nname = \"x\"\nrun = \"true\"\ntimeout = \"soon\"\n",
    ] {
        let sha = fixture.push(&[(".forge.toml", broken)]).await;
        let run = finished_check_runs(&fixture, &sha).await.remove(0);
        assert_eq!(
            (&run["name"], &run["conclusion"]),
            (&json!(".forge.toml"), &json!("failure"))
        );
        assert!(check_log(&fixture, &run).await.contains("cannot be read"));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_long_log_keeps_its_end() {
    let fixture = start_with_checks(&[("loud", "seq 1 400000; exit 1", "30s")]).await;
    let sha = head_sha(&fixture).await;
    let run = finished_check_runs(&fixture, &sha).await.remove(0);
    let log = check_log(&fixture, &run).await;
    assert_eq!(log.len(), 1024 * 1024);
    assert!(log.ends_with("399999\n400000\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn statuses_of_another_ci_count_by_their_newest() {
    let fixture = ForgeFixture::start(&[("a.txt", "a\n")], &[("b.txt", "b\n")]).await;
    let sha = head_sha(&fixture).await;
    let post = repo_path(&format!("/statuses/{sha}"));
    for state in ["pending", "failure", "success"] {
        let body =
            json!({"state": state, "context": "ci/outside", "target_url": "https://ci.example"});
        assert_eq!(
            fixture.call("octo", "POST", &post, Some(body)).await.status,
            201
        );
        let sum = fixture
            .call(
                "ana",
                "GET",
                &repo_path(&format!("/commits/{sha}/status")),
                None,
            )
            .await
            .body;
        assert_eq!(
            (&sum["state"], &sum["total_count"]),
            (&json!(state), &json!(1))
        );
    }
    let body = json!({"state": "great"});
    assert_eq!(
        fixture.call("octo", "POST", &post, Some(body)).await.status,
        422
    );
    let body = json!({"state": "success"});
    assert_eq!(
        fixture
            .call("mallory", "POST", &post, Some(body))
            .await
            .status,
        403
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn auto_merge_waits_for_the_checks_and_then_merges() {
    let fixture = ForgeFixture::start(&[("a.txt", "a\n")], &[("b.txt", "b\n")]).await;
    let rules = json!({"protection": {"main": {"required_checks": ["build"]}}});
    fixture
        .call_granted(
            "ana",
            "PATCH",
            &format!("/_forge/repos/{REPO}"),
            Some(rules),
        )
        .await;
    let forge = fixture.forge();
    let repo = REPO.parse().expect("the name is well formed");
    let octo = forge.account_by_login("octo").expect("octo is of the cast");
    let order = AutoMerge {
        enabled_by: octo.id,
        enabled_at: "2026-01-02T03:04:05Z".parse().expect("it is a time"),
        method: MergeMethod::Squash,
        commit_title: None,
        commit_message: None,
    };
    forge
        .change(&repo, |state| {
            state.pulls.get_mut(1).expect("it is open").auto_merge = Some(order);
            Ok(())
        })
        .expect("it is written");
    let pull = fixture
        .call("ana", "GET", &repo_path("/pulls/1"), None)
        .await
        .body;
    assert_eq!(pull["auto_merge"]["merge_method"], "squash");
    assert_eq!(pull["merged"], false);
    let sha = head_sha(&fixture).await;
    let body = json!({"state": "success", "context": "build"});
    fixture
        .call_granted(
            "octo",
            "POST",
            &repo_path(&format!("/statuses/{sha}")),
            Some(body),
        )
        .await;
    let merged = wait_until("the merge", async || {
        let pull = fixture
            .call("ana", "GET", &repo_path("/pulls/1"), None)
            .await
            .body;
        (pull["merged"] == true).then_some(pull)
    })
    .await;
    assert_eq!(merged["merged_by"]["login"], "octo");
}
