//! Who may start what, and pull requests that end by themselves (§2, §9.1).

use collie_core::lifecycle::State;
use collie_core::loop_state::MergeType;
use collie_engine::StartError;
use collie_engine::ports::GitHubError;
use collie_testkit::engine::{PausePoint, run_test};
use collie_testkit::repository::RepositoryFixture;
use serde_json::json;

#[tokio::test(flavor = "multi_thread")]
async fn who_is_not_allowed_starts_nothing_and_it_is_audited() {
    run_test(
        RepositoryFixture::clean().with_login("mallory"),
        async |ctx| {
            let error = ctx.try_start_loop("demo/app#1").await.unwrap_err();
            assert!(matches!(error, StartError::Denied { .. }), "{error}");
            assert!(error.to_string().contains("allowed_users"), "{error}");
            assert!(ctx.handle().loops().is_empty());
            let audited = ctx.audit_entries();
            assert_eq!(audited.len(), 1, "{audited:#?}");
            assert_eq!(audited[0]["action"], "permission_check_denied");
            assert_eq!(audited[0]["login"], "mallory");
        },
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_account_that_took_an_allowed_name_starts_nothing() {
    run_test(RepositoryFixture::clean(), async |ctx| {
        // The control: the account that the user allowed may, and is pinned.
        ctx.start_loop_until_ready().await;
        let rename = json!({"login": "octo-was"});
        ctx.call("demo", "PATCH", "/_forge/accounts/octo", Some(rename))
            .await;
        let taken = json!({"login": "octo"});
        ctx.call("demo", "POST", "/_forge/accounts", Some(taken))
            .await;
        ctx.restart_engine_as("forge-octo").await;
        let error = ctx.try_start_loop("demo/app#1").await.unwrap_err();
        assert!(matches!(error, StartError::LoginReused { .. }), "{error}");
        let audited = ctx.audit_entries();
        let denied = audited.last().expect("a line");
        assert_eq!(denied["action"], "permission_check_denied");
        assert_eq!(denied["login"], "octo");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_empty_list_allows_nobody() {
    let fixture = RepositoryFixture::clean().with_layer(|layer| layer.allowed_users = None);
    run_test(fixture, async |ctx| {
        let error = ctx.try_start_loop("demo/app#1").await.unwrap_err();
        assert!(matches!(error, StartError::Denied { .. }), "{error}");
        assert!(ctx.handle().loops().is_empty());
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_there_is_refused_by_name() {
    run_test(RepositoryFixture::clean(), async |ctx| {
        for name in ["demo/app#99", "demo/nothing#1", "nobody/app#1"] {
            let error = ctx.try_start_loop(name).await.unwrap_err();
            let known = matches!(error, StartError::GitHub(GitHubError::NotFound { .. }));
            assert!(known && error.to_string().contains(name), "{error:?}");
        }
        assert!(ctx.handle().loops().is_empty());
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_that_is_not_accepted_starts_nothing() {
    run_test(RepositoryFixture::clean(), async |ctx| {
        ctx.stop_engine().await;
        ctx.set_token("wrong-token");
        ctx.start_engine().await;
        let error = ctx.try_start_loop("demo/app#1").await.unwrap_err();
        let known = matches!(error, StartError::GitHub(GitHubError::Unauthorized { .. }));
        assert!(
            known && !error.to_string().contains("wrong-token"),
            "{error:?}"
        );
        assert!(ctx.handle().loops().is_empty());
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn letter_case_makes_no_second_loop() {
    run_test(RepositoryFixture::clean(), async |ctx| {
        ctx.start_loop(1).await;
        for written in ["Demo/APP#1", "DEMO/app#1", "DEMO/APP#1", "demo/App#1"] {
            let id = ctx.try_start_loop(written).await.unwrap();
            assert_eq!(ctx.handle().loops().len(), 1, "{written}");
            assert_eq!(ctx.state(1).id, id, "{written}");
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_loop_on_a_closed_pull_request_ends_at_once_and_a_reopened_one_gets_a_new_run() {
    run_test(RepositoryFixture::clean(), async |ctx| {
        let closed = json!({"state": "closed"});
        ctx.repo_call("ana", "PATCH", "/pulls/1", Some(closed))
            .await;
        ctx.start_loop(1).await;
        ctx.wait_for_state(1, State::Closed).await;
        assert!(ctx.posted_bodies(1).await.is_empty());
        let open = json!({"state": "open"});
        ctx.repo_call("ana", "PATCH", "/pulls/1", Some(open)).await;
        ctx.start_loop(1).await;
        let state = ctx
            .wait_until(1, "ready", |state| state.run.state == State::PrReadyToMerge)
            .await;
        assert_eq!(state.run.ordinal, 2);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_loop_on_a_merged_pull_request_ends_at_once() {
    run_test(RepositoryFixture::clean(), async |ctx| {
        ctx.start_loop_until_ready().await;
        ctx.cancel(1);
        ctx.wait_until(1, "the end", |state| {
            state.run.state == State::Cancelled && state.outbox.effects.is_empty()
        })
        .await;
        ctx.repo_call("ana", "PUT", "/pulls/1/merge", Some(json!({})))
            .await;
        ctx.retry(1).await.expect("a cancelled run can be retried");
        let state = ctx
            .wait_until(1, "merged", |state| state.run.state == State::Merged)
            .await;
        assert_eq!(state.run.merge_type, Some(MergeType::Forced));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_merge_of_what_is_ready_is_approved() {
    run_test(RepositoryFixture::clean(), async |ctx| {
        ctx.start_loop_until_ready().await;
        ctx.repo_call("ana", "PUT", "/pulls/1/merge", Some(json!({})))
            .await;
        let state = ctx.wait_for_state(1, State::Merged).await;
        assert_eq!(state.run.merge_type, Some(MergeType::Approved));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_merge_in_the_middle_is_forced_and_ends_the_work() {
    run_test(RepositoryFixture::faulty(), async |ctx| {
        let hold = ctx.pause_points.pause_at(PausePoint::Fix);
        ctx.start_loop(1).await;
        hold.wait_reached().await;
        ctx.repo_call("ana", "PUT", "/pulls/1/merge", Some(json!({})))
            .await;
        let state = ctx.wait_for_state(1, State::Merged).await;
        assert_eq!(state.run.merge_type, Some(MergeType::Forced));
        assert!(ctx.fix_commits("topic").is_empty());
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_closing_in_the_middle_of_a_fix_ends_it_without_a_push() {
    run_test(RepositoryFixture::faulty(), async |ctx| {
        let hold = ctx.pause_points.pause_at(PausePoint::Fix);
        ctx.start_loop(1).await;
        hold.wait_reached().await;
        let closed = json!({"state": "closed"});
        ctx.repo_call("ana", "PATCH", "/pulls/1", Some(closed))
            .await;
        ctx.wait_for_state(1, State::Closed).await;
        assert!(ctx.fix_commits("topic").is_empty());
    })
    .await;
}
