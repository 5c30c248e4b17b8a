//! Checks that really run.

use crate::playground::{Playground, REPO, text, until};
use collie_forge::model::{AutoMerge, MergeMethod};
use serde_json::{Value, json};

fn config(checks: &[(&str, &str, &str)]) -> String {
    let one = |(name, run, timeout): &(&str, &str, &str)| {
        format!("[[check]]\nname = {name:?}\nrun = {run:?}\ntimeout = {timeout:?}\n")
    };
    checks.iter().map(one).collect()
}

async fn start(checks: &[(&str, &str, &str)]) -> Playground {
    let config = config(checks);
    Playground::start(
        &[("a.txt", "a\n")],
        &[("b.txt", "b\n"), (".forge.toml", &config)],
    )
    .await
}

fn api(path: &str) -> String {
    format!("/api/v3/repos/{REPO}{path}")
}

async fn runs(p: &Playground, commit: &str) -> Vec<Value> {
    let path = api(&format!("/commits/{commit}/check-runs"));
    let body = p.call("ana", "GET", &path, None).await.body;
    let runs = body["check_runs"].as_array().expect("a list").clone();
    assert_eq!(body["total_count"], runs.len());
    runs
}

/// The runs of a commit by name, once all are done.
async fn done(p: &Playground, commit: &str) -> Vec<Value> {
    until("the checks to end", || async {
        let mut runs = runs(p, commit).await;
        runs.sort_by_key(|r| text(&r["name"]));
        runs.iter()
            .all(|r| r["status"] == "completed")
            .then_some(runs)
    })
    .await
}

async fn head(p: &Playground) -> String {
    text(&p.call("ana", "GET", &api("/pulls/1"), None).await.body["head"]["sha"])
}

async fn log(p: &Playground, run: &Value) -> String {
    let url = format!(
        "{}{}",
        p.running.git_url(),
        api(&format!("/actions/jobs/{}/logs", run["id"]))
    );
    let request = p
        .client
        .get(url)
        .header("authorization", "Bearer forge-ana");
    let answer = request.send().await.expect("it answers");
    assert_eq!(answer.status(), 200);
    answer.text().await.expect("it is text")
}

#[tokio::test(flavor = "multi_thread")]
async fn each_check_ends_as_its_command_does() {
    let p = start(&[
        (
            "fails",
            "echo 'src/x.rs:3:1: it is wrong' >&2; cat b.txt; exit 3",
            "20s",
        ),
        ("hangs", "echo before; sleep 60 & sleep 60", "1s"),
        ("passes", "test -f b.txt && echo $CI", "20s"),
    ])
    .await;
    let sha = head(&p).await;
    let done = done(&p, &sha).await;
    let ends: Vec<_> = done.iter().map(|r| text(&r["conclusion"])).collect();
    assert_eq!(ends, ["failure", "timed_out", "success"]);
    for run in &done {
        assert_eq!(run["app"]["slug"], "github-actions");
        assert_eq!(run["head_sha"], sha);
        assert!(run["started_at"].is_string() && run["completed_at"].is_string());
        assert_eq!(run["pull_requests"][0]["number"], 1);
    }
    assert_eq!(log(&p, &done[0]).await, "src/x.rs:3:1: it is wrong\nb\n");
    assert_eq!(
        log(&p, &done[1]).await,
        "before\n##[error]Timed out after 1 s\n"
    );
    assert_eq!(log(&p, &done[2]).await, "true\n");
    let notes = api(&format!("/check-runs/{}/annotations", done[0]["id"]));
    let notes = p.call("ana", "GET", &notes, None).await.body;
    assert_eq!(
        (&notes[0]["path"], &notes[0]["start_line"]),
        (&json!("src/x.rs"), &json!(3))
    );
    assert_eq!(notes[0]["message"], "it is wrong");
    let pull = p.call("ana", "GET", &api("/pulls/1"), None).await.body;
    assert_eq!(pull["mergeable_state"], "unstable");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_head_cancels_what_runs_on_the_old_one() {
    let p = start(&[("slow", "sleep 60", "50s")]).await;
    let old = head(&p).await;
    until("the check to start", || async {
        let runs = runs(&p, &old).await;
        (runs[0]["status"] == "in_progress").then_some(())
    })
    .await;
    let fast = config(&[("slow", "true", "20s")]);
    let new = p.push(&[(".forge.toml", &fast)], "Be quick");
    assert_eq!(done(&p, &old).await[0]["conclusion"], "cancelled");
    assert_eq!(done(&p, &new).await[0]["conclusion"], "success");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_check_can_be_run_again() {
    let p = start(&[("fails", "exit 1", "20s")]).await;
    let sha = head(&p).await;
    let first = done(&p, &sha).await.remove(0);
    let path = api(&format!("/check-runs/{}/rerequest", first["id"]));
    assert_eq!(p.call("mallory", "POST", &path, None).await.status, 403);
    assert_eq!(p.call("ana", "POST", &path, None).await.status, 201);
    let second = done(&p, &sha).await;
    assert_eq!(second.len(), 1, "only the latest run of a name is listed");
    assert_ne!(second[0]["id"], first["id"]);
    let all = api(&format!("/commits/{sha}/check-runs?filter=all"));
    assert_eq!(
        p.call("ana", "GET", &all, None).await.body["total_count"],
        2
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_broken_configuration_is_a_failed_check_and_none_is_no_check() {
    let p = Playground::start(&[("a.txt", "a\n")], &[("b.txt", "b\n")]).await;
    let sha = head(&p).await;
    assert_eq!(runs(&p, &sha).await, Vec::<Value>::new());
    for broken in [
        "[[check]\n",
        "[[check]]\nname = \"x\"\nrun = \"true\"\ntimeout = \"soon\"\n",
    ] {
        let sha = p.push(&[(".forge.toml", broken)], "Break it");
        let run = done(&p, &sha).await.remove(0);
        assert_eq!(
            (&run["name"], &run["conclusion"]),
            (&json!(".forge.toml"), &json!("failure"))
        );
        assert!(log(&p, &run).await.contains("cannot be read"));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_long_log_keeps_its_end() {
    let p = start(&[("loud", "seq 1 400000; exit 1", "30s")]).await;
    let sha = head(&p).await;
    let run = done(&p, &sha).await.remove(0);
    let log = log(&p, &run).await;
    assert_eq!(log.len(), 1024 * 1024);
    assert!(log.ends_with("399999\n400000\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn statuses_of_another_ci_count_by_their_newest() {
    let p = Playground::start(&[("a.txt", "a\n")], &[("b.txt", "b\n")]).await;
    let sha = head(&p).await;
    let post = api(&format!("/statuses/{sha}"));
    for state in ["pending", "failure", "success"] {
        let body =
            json!({"state": state, "context": "ci/outside", "target_url": "https://ci.example"});
        assert_eq!(p.call("octo", "POST", &post, Some(body)).await.status, 201);
        let sum = p
            .call("ana", "GET", &api(&format!("/commits/{sha}/status")), None)
            .await
            .body;
        assert_eq!(
            (&sum["state"], &sum["total_count"]),
            (&json!(state), &json!(1))
        );
    }
    let body = json!({"state": "great"});
    assert_eq!(p.call("octo", "POST", &post, Some(body)).await.status, 422);
    let body = json!({"state": "success"});
    assert_eq!(
        p.call("mallory", "POST", &post, Some(body)).await.status,
        403
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn auto_merge_waits_for_the_checks_and_then_merges() {
    let p = Playground::start(&[("a.txt", "a\n")], &[("b.txt", "b\n")]).await;
    let rules = json!({"protection": {"main": {"required_checks": ["build"]}}});
    p.call(
        "ana",
        "PATCH",
        &format!("/_forge/repos/{REPO}"),
        Some(rules),
    )
    .await;
    let forge = p.running.forge();
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
    let pull = p.call("ana", "GET", &api("/pulls/1"), None).await.body;
    assert_eq!(pull["auto_merge"]["merge_method"], "squash");
    assert_eq!(pull["merged"], false);
    let sha = head(&p).await;
    let body = json!({"state": "success", "context": "build"});
    p.call(
        "octo",
        "POST",
        &api(&format!("/statuses/{sha}")),
        Some(body),
    )
    .await;
    let merged = until("the merge", || async {
        let pull = p.call("ana", "GET", &api("/pulls/1"), None).await.body;
        (pull["merged"] == true).then_some(pull)
    })
    .await;
    assert_eq!(merged["merged_by"]["login"], "octo");
}
