//! Checks that are missing, late, ignored or red (§3.3).

use collie_core::blocker::Blocker;
use collie_core::lifecycle::State;
use collie_testkit::engine::run_test;
use collie_testkit::repository::{PASSING_CHECK, RepositoryFixture};
use collie_testkit::wait::wait_until;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::time::Duration;

#[tokio::test(flavor = "multi_thread")]
async fn a_repository_without_checks_passes_after_a_while() {
    run_test(RepositoryFixture::faulty().without_checks(), async |ctx| {
        ctx.start_loop(1).await;
        ctx.wait_for_blocker(1, "no_checks_yet").await;
        let state = ctx.wait_for_state(1, State::PrReadyToMerge).await;
        assert_eq!(state.run.fixing.iteration, 1);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_ignored_check_may_fail() {
    let checks = format!("{PASSING_CHECK}[[check]]\nname = \"flaky\"\nrun = \"false\"\n");
    let fixture = RepositoryFixture::clean()
        .with_base_file(".forge.toml", checks)
        .with_layer(|layer| layer.ignored_checks = Some(BTreeSet::from(["flaky".to_owned()])));
    run_test(fixture, async |ctx| {
        ctx.start_loop_until_ready().await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_required_check_that_has_not_reported_is_waited_for_by_name() {
    run_test(RepositoryFixture::clean(), async |ctx| {
        ctx.change_repository(json!({"protection": {"main": {"required_checks": ["test", "deploy"]}}}))
            .await;
        ctx.start_loop(1).await;
        let state = ctx
            .wait_until(1, "deploy to be waited for alone", |loop_state| {
                matches!(&loop_state.run.blocker, Some(Blocker::ChecksRunning { names, .. }) if names == &["deploy"])
            })
            .await;
        assert_eq!(state.run.state, State::PrAwaitingChecks);
        let sha = ctx.sha("topic");
        let status = json!({"state": "success", "context": "deploy"});
        ctx.repo_call("ben", "POST", &format!("/statuses/{sha}"), Some(status))
            .await;
        ctx.wait_for_state(1, State::PrReadyToMerge).await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_required_check_that_never_comes_ends_the_loop_as_timed_out() {
    run_test(RepositoryFixture::clean(), async |ctx| {
        ctx.change_repository(json!({"protection": {"main": {"required_checks": ["deploy"]}}}))
            .await;
        ctx.start_loop(1).await;
        ctx.wait_for_blocker(1, "checks_running").await;
        ctx.clock.skip(Duration::from_secs(30 * 60 + 1));
        let state = ctx.wait_for_state(1, State::Failed).await;
        assert_eq!(state.run.stop.as_ref().unwrap().code(), "ci_timeout");
        ctx.wait_until(1, "an empty outbox", |state| {
            state.outbox.effects.is_empty()
        })
        .await;
        assert!(ctx.posted_bodies(1).await.join("\n").contains("deploy"));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_late_check_takes_ready_back_until_it_has_passed() {
    run_test(RepositoryFixture::clean(), async |ctx| {
        ctx.start_loop_until_ready().await;
        let path = format!("/statuses/{}", ctx.sha("topic"));
        let pending = json!({"state": "pending", "context": "late"});
        ctx.repo_call("ben", "POST", &path, Some(pending)).await;
        let state = ctx.wait_for_blocker(1, "checks_running").await;
        assert_eq!(state.run.state, State::PrAwaitingChecks);
        let passed = json!({"state": "success", "context": "late"});
        ctx.repo_call("ben", "POST", &path, Some(passed)).await;
        ctx.wait_for_state(1, State::PrReadyToMerge).await;
        let proofs = ctx.repo_get("/issues/1/comments").await;
        assert_eq!(proofs.as_array().unwrap().len(), 1, "one proof a head");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_check_gone_red_after_ready_is_answered_for() {
    run_test(RepositoryFixture::clean(), async |ctx| {
        ctx.start_loop_until_ready().await;
        let path = format!("/statuses/{}", ctx.sha("topic"));
        let red = json!({"state": "failure", "context": "late", "description": "it broke"});
        ctx.repo_call("ben", "POST", &path, Some(red)).await;
        let state = ctx.wait_for_state(1, State::NeedsHuman).await;
        assert_eq!(state.run.stop.as_ref().unwrap().code(), "upheld");
        ctx.wait_until(1, "an empty outbox", |state| {
            state.outbox.effects.is_empty()
        })
        .await;
        assert!(ctx.posted_bodies(1).await.join("\n").contains("late"));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_red_check_that_a_rule_can_mend_is_mended() {
    let checks = "[[check]]\nname = \"no-debugger\"\nrun = \"! grep -Hn debugger app.js\"\n";
    let fixture = RepositoryFixture::faulty().with_base_file(".forge.toml", checks);
    run_test(fixture, async |ctx| {
        let state = ctx.start_loop_until_ready().await;
        assert_eq!(state.run.fixing.iteration, 1);
        assert_eq!(ctx.fix_commits("topic").len(), 1);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_round_waits_for_the_other_checks_before_it_answers_a_failure() {
    let folder = tempfile::tempdir().unwrap();
    let open = folder.path().join("open");
    let checks = format!(
        "[[check]]\nname = \"fast\"\nrun = \"! grep -Hn debugger app.js\"\n\
        [[check]]\nname = \"slow\"\nrun = \"while ! [ -e {} ]; do sleep 0.1; done\"\n",
        open.display()
    );
    let fixture = RepositoryFixture::faulty()
        .with_base_file(".forge.toml", checks)
        .with_layer(|layer| layer.collect_failures_for = Some(60_000));
    run_test(fixture, async |ctx| {
        ctx.start_loop(1).await;
        let state = ctx.wait_for_blocker(1, "collecting_failures").await;
        assert_eq!(state.run.state, State::PrAwaitingChecks);
        std::fs::write(&open, "").unwrap();
        ctx.wait_for_state(1, State::PrReadyToMerge).await;
        assert_eq!(ctx.fix_commits("topic").len(), 1);
    })
    .await;
}

/// The job of the other workflow is entered later, and green.
#[tokio::test(flavor = "multi_thread")]
async fn a_red_job_is_seen_beside_a_green_one_of_the_same_name_in_another_workflow() {
    let checks = "[[check]]\nname = \"build\"\nrun = \"exit 1\"\n\
        [[check]]\nname = \"build\"\nrun = \"true\"\nworkflow = \"Docs\"\n";
    let fixture = RepositoryFixture::clean().with_base_file(".forge.toml", checks);
    run_test(fixture, async |ctx| {
        ctx.expectations.pending_effects = true;
        ctx.start_loop(1).await;
        let state = ctx
            .wait_until(1, "an end", |state| state.is_settled())
            .await;
        assert_eq!(state.run.state, State::NeedsHuman);
        let failed = ["CI / build", "Docs / build"].map(|name| {
            let checks = state.run.polling.last_snapshot.checks.iter();
            let named = checks.clone().find(|check| check.name.as_raw() == name);
            named.and_then(|check| check.conclusion.clone())
        });
        assert_eq!(failed, [Some("failure".into()), Some("success".into())]);
    })
    .await;
}

/// A job that has its time the second time alone is run again, with these faults on asking for it: once, and no fix is spent.
async fn assert_run_once_more(faults: Value) {
    let folder = tempfile::tempdir().unwrap();
    let flag = folder.path().join("ran");
    let run = format!("test -e {0} || {{ touch {0}; sleep 60; }}", flag.display());
    let checks = format!("[[check]]\nname = \"slow\"\nrun = \"{run}\"\ntimeout = \"1s\"\n");
    let fixture = RepositoryFixture::clean().with_base_file(".forge.toml", checks);
    run_test(fixture, async |ctx| {
        ctx.set_faults(faults).await;
        let state = ctx.start_loop_until_ready().await;
        assert_eq!(state.run.fixing.turns, 0);
        let list = format!("/commits/{}/check-runs?filter=all", ctx.sha("topic"));
        let runs = ctx.repo_get(&list).await;
        assert_eq!(runs["total_count"], 2, "{runs}");
        let proof = ctx.posted_bodies(1).await.join("\n");
        assert!(proof.contains("red and green at this very head"), "{proof}");
    })
    .await;
}

const RERUN: &str = "POST /repos/*/*/actions/jobs/*/rerun";

#[tokio::test(flavor = "multi_thread")]
async fn a_job_that_ran_out_of_time_is_run_once_more_before_a_fix_is_spent() {
    assert_run_once_more(json!([])).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_job_is_run_once_more_though_the_answer_is_lost() {
    assert_run_once_more(json!([{"kind": "drop_after", "route": RERUN, "count": 1}])).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_job_is_run_once_more_though_the_first_question_is_lost() {
    assert_run_once_more(json!([{"kind": "drop_before", "route": RERUN, "count": 1}])).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_job_is_run_once_more_though_the_process_dies_before_it_knows() {
    let folder = tempfile::tempdir().unwrap();
    let flag = folder.path().join("ran");
    let run = format!("test -e {0} || {{ touch {0}; sleep 60; }}", flag.display());
    let checks = format!("[[check]]\nname = \"slow\"\nrun = \"{run}\"\ntimeout = \"1s\"\n");
    let fixture = RepositoryFixture::clean().with_base_file(".forge.toml", checks);
    run_test(fixture, async |ctx| {
        ctx.set_faults(json!([{"kind": "drop_after", "route": RERUN, "count": 1}]))
            .await;
        ctx.start_loop(1).await;
        let list = format!("/commits/{}/check-runs?filter=all", ctx.sha("topic"));
        wait_until("the second run", async || {
            match ctx.repo_get(&list).await["total_count"].as_u64() {
                Some(2) => Ok(()),
                count => Err(format!("{count:?}")),
            }
        })
        .await;
        ctx.crash().await;
        ctx.start_engine().await;
        ctx.wait_for_state(1, State::PrReadyToMerge).await;
        assert_eq!(ctx.repo_get(&list).await["total_count"], 2);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_red_on_the_base_too_is_reviewed_and_waits_for_the_base() {
    run_test(RepositoryFixture::clean(), async |ctx| {
        let red = json!({"state": "failure", "context": "nightly"});
        for branch in ["main", "topic"] {
            let path = format!("/statuses/{}", ctx.sha(branch));
            ctx.repo_call("ben", "POST", &path, Some(red.clone())).await;
        }
        ctx.start_loop(1).await;
        let state = ctx.wait_for_blocker(1, "base_broken").await;
        assert_eq!(
            (state.run.state, state.run.fixing.turns),
            (State::PrReviewing, 0)
        );
        let green = json!({"state": "success", "context": "nightly"});
        for branch in ["main", "topic"] {
            let path = format!("/statuses/{}", ctx.sha(branch));
            ctx.repo_call("ben", "POST", &path, Some(green.clone()))
                .await;
        }
        ctx.wait_for_state(1, State::PrReadyToMerge).await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn checks_that_only_the_base_has_are_not_waited_for() {
    run_test(RepositoryFixture::clean(), async |ctx| {
        let path = format!("/statuses/{}", ctx.sha("main"));
        let deployed = json!({"state": "success", "context": "deploy"});
        ctx.repo_call("ben", "POST", &path, Some(deployed)).await;
        ctx.start_loop_until_ready().await;
    })
    .await;
}
