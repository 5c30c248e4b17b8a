//! Merges on the forge, and what stands against them.

use crate::common::{Ground, click, code, confirmed, gate};
use async_trait::async_trait;
use collie_core::ids::{Login, Sha};
use collie_core::lifecycle::State;
use collie_core::merging::MergeMethod;
use collie_core::model::LoopState;
use collie_engine::ports::{AuditEntry, StoreError};
use collie_merge::{Audit, Confirmed, Refusal};
use collie_store::{DataFolder, OpenMode, Store};
use serde_json::{Value, json};
use std::sync::Arc;

async fn merges_by(method: MergeMethod, parents: usize) {
    let ground = Ground::start().await;
    ground.status("success").await;
    let state = ground.ready();
    let consent = click(confirmed(&state, method));
    let merged = ground.gate().merge(&state, consent).await.expect("merged");
    let pull = ground.pull();
    assert_eq!(ground.merged_by().as_deref(), Some("octo"));
    let head = pull.head_sha.as_str();
    assert_eq!(
        (merged.head.as_str(), merged.by),
        (head, Login::new("octo"))
    );
    let commit = pull.merge_commit_sha.expect("a commit");
    assert_eq!(
        merged.commit.as_ref().map(Sha::as_str),
        Some(commit.as_str())
    );
    let repo = "demo/app".parse().expect("a name");
    let git = ground.running.forge().git(&repo).expect("a repository");
    let made = git.commit(&commit).await.expect("there");
    assert_eq!(made.parents.len(), parents);
    let base = git.branch("main").await.expect("read");
    assert_eq!(base, Some(commit));
    assert_eq!(ground.asked_to_merge().await, 1);
    assert_eq!(
        ground.audit.actions(),
        ["merge_requested", "merge_completed"]
    );
    ground.running.shutdown().await;
}

#[tokio::test]
async fn a_click_merges_what_was_shown_as_who_clicked_by_a_merge_commit() {
    merges_by(MergeMethod::Merge, 2).await;
}

#[tokio::test]
async fn a_click_merges_by_squash() {
    merges_by(MergeMethod::Squash, 1).await;
}

#[tokio::test]
async fn a_click_merges_by_rebase() {
    merges_by(MergeMethod::Rebase, 1).await;
}

#[tokio::test]
async fn the_audit_log_tells_who_asked_for_what_and_what_came_of_it() {
    let ground = Ground::start().await;
    let home = tempfile::tempdir().expect("a folder");
    let folder = DataFolder::at(home.path().join("home")).expect("a folder");
    let store = Store::open(&folder, OpenMode::Reader)
        .await
        .expect("a store");
    let gate = gate(&ground.running.api_url(), "forge-octo", Arc::new(store));
    let state = ground.ready();
    let mut early = state.clone();
    early.state = State::PrReviewing;
    let ask = || click(confirmed(&state, MergeMethod::Squash));
    assert_eq!(code(gate.merge(&early, ask()).await), "not_ready");
    let merged = gate.merge(&state, ask()).await.expect("merged");
    let log =
        std::fs::read_to_string(folder.audit().join("audit_2026-02-02.jsonl")).expect("a log");
    let log = log
        .replace(merged.head.as_str(), "[HEAD]")
        .replace(merged.commit.expect("a commit").as_str(), "[COMMIT]");
    insta::assert_snapshot!(log);
    ground.running.shutdown().await;
}

/// Refused before GitHub is asked to merge, and the pull request stays as it was.
async fn check_unasked(ground: &Ground, state: &LoopState, wanted: Confirmed, expect: &str) {
    let (before, asked) = (ground.pull(), ground.asked_to_merge().await);
    let outcome = ground.gate().merge(state, click(wanted)).await;
    assert_eq!(code(outcome), expect);
    assert_eq!(ground.pull(), before, "{expect}");
    assert_eq!(ground.asked_to_merge().await, asked, "{expect}");
    let failed = format!("merge_failed {expect}");
    let actions = ground.audit.actions();
    assert!(
        actions.ends_with(&["merge_requested".into(), failed]),
        "{actions:?}"
    );
}

#[tokio::test]
async fn only_what_is_ready_at_the_head_that_was_shown_reaches_github() {
    let ground = Ground::start().await;
    let state = ground.ready();
    let wanted = || confirmed(&state, MergeMethod::Merge);
    let other = Sha::parse(&"a".repeat(40)).expect("a SHA");
    let check = async |change: &dyn Fn(&mut LoopState), expect| {
        let mut state = state.clone();
        change(&mut state);
        check_unasked(&ground, &state, wanted(), expect).await;
    };
    for now in collie_core::lifecycle::STATES {
        if now != State::PrReadyToMerge {
            check(&|state| state.state = now, "not_ready").await;
        }
    }
    check(&|state| state.approved_head = None, "not_ready").await;
    check(
        &|state| state.approved_head = Some(other.clone()),
        "not_ready",
    )
    .await;
    check(&|state| state.head = None, "not_ready").await;
    check(&|state| state.head = Some(other.clone()), "head_moved").await;
    check(&|state| state.id.number = 2, "other_pull").await;
    check(&|state| state.id.repo_id = "R_other".into(), "other_pull").await;
    let mut elsewhere = state.clone();
    elsewhere.id.host = "github.com".into();
    check_unasked(
        &ground,
        &elsewhere,
        confirmed(&elsewhere, MergeMethod::Merge),
        "other_pull",
    )
    .await;
    let routes = ground
        .call("octo", "GET", "/_forge/requests", Value::Null)
        .await;
    assert!(
        routes["graphql"]
            .as_object()
            .is_none_or(|asked| asked.is_empty()),
        "{routes}"
    );
    ground.running.shutdown().await;
}

#[tokio::test]
async fn what_github_shows_now_counts_not_what_the_loop_saw() {
    let ground = Ground::start().await;
    let state = ground.ready();
    let check = async |expect| {
        check_unasked(
            &ground,
            &state,
            confirmed(&state, MergeMethod::Merge),
            expect,
        )
        .await;
    };
    let rules = |rules: Value| json!({"protection": {"main": rules}});
    ground.mutate("convertPullRequestToDraft").await;
    check("draft").await;
    ground.mutate("markPullRequestReadyForReview").await;
    for red in ["failure", "error", "pending"] {
        ground.status(red).await;
        check("checks_not_green").await;
    }
    ground.mutate("enablePullRequestAutoMerge").await;
    check("auto_merge_on").await;
    ground.mutate("disablePullRequestAutoMerge").await;
    ground.status("success").await;
    ground.settings(rules(json!({"required_reviews": 1}))).await;
    check("blocked").await;
    ground.settings(rules(Value::Null)).await;
    ground
        .settings(json!({"merge_queue": {"main": true}}))
        .await;
    check("queue_required").await;
    ground.mutate("enqueuePullRequest").await;
    check("in_merge_queue").await;
    ground.settings(json!({"allow_merge_commit": false})).await;
    check("in_merge_queue").await;
    ground.running.shutdown().await;
}

#[tokio::test]
async fn methods_roles_and_accounts_are_looked_at_before_the_merge() {
    let ground = Ground::start().await;
    let state = ground.ready();
    let wanted = |method| confirmed(&state, method);
    ground
        .settings(json!({"allow_merge_commit": false, "allow_squash_merge": false}))
        .await;
    check_unasked(
        &ground,
        &state,
        wanted(MergeMethod::Merge),
        "method_not_allowed",
    )
    .await;
    check_unasked(
        &ground,
        &state,
        wanted(MergeMethod::Squash),
        "method_not_allowed",
    )
    .await;
    let as_another = Confirmed {
        login: Login::new("ben"),
        ..wanted(MergeMethod::Rebase)
    };
    check_unasked(&ground, &state, as_another, "signed_in_as_another").await;
    ground.settings(json!({"roles": {"octo": "none"}})).await;
    check_unasked(
        &ground,
        &state,
        wanted(MergeMethod::Rebase),
        "no_permission",
    )
    .await;
    ground.settings(json!({"private": true})).await;
    check_unasked(&ground, &state, wanted(MergeMethod::Rebase), "not_found").await;
    let revoked = ground.gate_as("nobody");
    let consent = click(wanted(MergeMethod::Rebase));
    assert_eq!(code(revoked.merge(&state, consent).await), "unauthorized");
    assert_eq!(ground.asked_to_merge().await, 0);
    ground.running.shutdown().await;
}

#[tokio::test]
async fn a_branch_that_conflicts_or_is_behind_is_not_merged() {
    let ground = Ground::start().await;
    ground
        .settings(json!({"protection": {"main": {"strict": true}}, "roles": {"ana": "owner"}}))
        .await;
    let state = ground.ready();
    let wanted = || confirmed(&state, MergeMethod::Merge);
    ground.push("main", "other.txt", "four\n").await;
    check_unasked(&ground, &state, wanted(), "behind").await;
    ground.push("main", "added.txt", "another two\n").await;
    check_unasked(&ground, &state, wanted(), "conflict").await;
    ground.running.shutdown().await;
}

#[tokio::test]
async fn a_head_that_moved_after_the_click_is_not_merged() {
    let ground = Ground::start().await;
    let state = ground.ready();
    ground.push("feature", "late.txt", "late\n").await;
    let wanted = confirmed(&state, MergeMethod::Merge);
    check_unasked(&ground, &state, wanted, "head_moved").await;
    let error = ground.merge(&state).await.expect_err("refused");
    let now = Sha::parse(ground.pull().head_sha.as_str()).ok();
    let saw = state.head.clone().expect("a head");
    assert_eq!(error.why, Refusal::HeadMoved { saw, now });
    ground.running.shutdown().await;
}

#[tokio::test]
async fn what_is_closed_or_merged_by_another_is_left_alone() {
    let ground = Ground::start().await;
    let state = ground.ready();
    let wanted = || confirmed(&state, MergeMethod::Merge);
    ground
        .rest("ana", "PATCH", "/pulls/1", json!({"state": "closed"}))
        .await;
    check_unasked(&ground, &state, wanted(), "closed").await;
    ground
        .rest("ana", "PATCH", "/pulls/1", json!({"state": "open"}))
        .await;
    ground.rest("ben", "PUT", "/pulls/1/merge", json!({})).await;
    let before = ground.pull();
    let error = ground.merge(&state).await.expect_err("refused");
    let by = Some(Login::new("ben"));
    let head = state.head.clone().expect("a head");
    let commit = before
        .merge_commit_sha
        .as_ref()
        .and_then(|sha| Sha::parse(sha.as_str()).ok());
    assert_eq!(error.why, Refusal::AlreadyMerged { by, head, commit });
    assert_eq!(ground.asked_to_merge().await, 1, "only ben's");
    ground.running.shutdown().await;
}

/// An audit log on a full disk.
struct Full;

#[async_trait]
impl Audit for Full {
    async fn append(&self, _: &AuditEntry) -> Result<(), StoreError> {
        Err(StoreError::DiskFull)
    }
}

#[tokio::test]
async fn what_cannot_be_written_down_is_not_merged() {
    let ground = Ground::start().await;
    let state = ground.ready();
    let gate = gate(&ground.running.api_url(), "forge-octo", Arc::new(Full));
    let consent = click(confirmed(&state, MergeMethod::Merge));
    assert_eq!(code(gate.merge(&state, consent).await), "unrecorded");
    assert_eq!(ground.asked_to_merge().await, 0);
    assert_eq!(ground.merged_by(), None);
    ground.running.shutdown().await;
}
