//! Merges on the forge, and what stands against them.

use crate::common::{MergeFixture, confirmed_merge, consent_by_click, merge_gate, refusal_code};
use async_trait::async_trait;
use collie_core::ids::{Login, Sha};
use collie_core::lifecycle::State;
use collie_core::loop_state::LoopState;
use collie_core::merge_method::MergeMethod;
use collie_engine::ports::{AuditEntry, StoreError};
use collie_merge::{AuditSink, ConfirmedMerge, MergeRefusal};
use collie_store::{OpenMode, Store, StorePaths};
use serde_json::{Value, json};
use std::sync::Arc;

async fn check_merge_by(method: MergeMethod, parents: usize) {
    let fixture = MergeFixture::start().await;
    fixture.set_status("success").await;
    let state = fixture.ready_loop();
    let consent = consent_by_click(confirmed_merge(&state, method));
    let merged = fixture.gate().merge(&state, consent).await.expect("merged");
    let pull = fixture.pull();
    assert_eq!(fixture.merged_by().as_deref(), Some("octo"));
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
    let git = fixture.forge().git(&repo).expect("a repository");
    let made = git.commit(&commit).await.expect("there");
    assert_eq!(made.parents.len(), parents);
    let base = git.branch("main").await.expect("read");
    assert_eq!(base, Some(commit));
    assert_eq!(fixture.merge_request_count().await, 1);
    assert_eq!(
        fixture.audit.actions(),
        ["merge_requested", "merge_completed"]
    );
    fixture.shutdown().await;
}

#[tokio::test]
async fn a_click_merges_what_was_shown_as_who_clicked_by_a_merge_commit() {
    check_merge_by(MergeMethod::Merge, 2).await;
}

#[tokio::test]
async fn a_click_merges_by_squash() {
    check_merge_by(MergeMethod::Squash, 1).await;
}

#[tokio::test]
async fn a_click_merges_by_rebase() {
    check_merge_by(MergeMethod::Rebase, 1).await;
}

#[tokio::test]
async fn the_audit_log_reports_who_asked_for_what_and_what_came_of_it() {
    let fixture = MergeFixture::start().await;
    let home = tempfile::tempdir().expect("a folder");
    let folder = StorePaths::below(home.path().join("home"));
    let store = Store::open(&folder, OpenMode::Reader)
        .await
        .expect("a store");
    let journal: Arc<dyn collie_engine::ports::JournalReader> = Arc::new(store);
    let gate = merge_gate(&fixture.api_url(), "forge-octo", Arc::new(journal));
    let state = fixture.ready_loop();
    let mut early = state.clone();
    early.run.state = State::PrReviewing;
    let ask = || consent_by_click(confirmed_merge(&state, MergeMethod::Squash));
    assert_eq!(refusal_code(gate.merge(&early, ask()).await), "not_ready");
    let merged = gate.merge(&state, ask()).await.expect("merged");
    let log =
        std::fs::read_to_string(folder.audit().join("audit_2026-02-02.jsonl")).expect("a log");
    let chained = collie_store::verify_audit(&folder).expect("a log");
    assert_eq!(chained.faults, []);
    // The hashes follow from the commits, which are others each time.
    let without_hashes = |line: &str| {
        let mut line: std::collections::BTreeMap<String, serde_json::Value> =
            serde_json::from_str(line).expect("JSON");
        line.retain(|name, _| name != "hash" && name != "prev");
        serde_json::to_string(&line).expect("JSON") + "\n"
    };
    let log: String = log.lines().map(without_hashes).collect();
    let log = log
        .replace(merged.head.as_str(), "[HEAD]")
        .replace(merged.commit.expect("a commit").as_str(), "[COMMIT]");
    insta::assert_snapshot!(log);
    fixture.shutdown().await;
}

/// Refused before GitHub is asked to merge, and the pull request stays as it was.
async fn check_refused_unsent(
    fixture: &MergeFixture,
    state: &LoopState,
    wanted: ConfirmedMerge,
    expect: &str,
) {
    let (before, asked) = (fixture.pull(), fixture.merge_request_count().await);
    let outcome = fixture.gate().merge(state, consent_by_click(wanted)).await;
    assert_eq!(refusal_code(outcome), expect);
    assert_eq!(fixture.pull(), before, "{expect}");
    assert_eq!(fixture.merge_request_count().await, asked, "{expect}");
    let failed = format!("merge_failed {expect}");
    let actions = fixture.audit.actions();
    assert!(
        actions.ends_with(&["merge_requested".into(), failed]),
        "{actions:?}"
    );
}

#[tokio::test]
async fn only_what_is_ready_at_the_head_that_was_shown_reaches_github() {
    let fixture = MergeFixture::start().await;
    let state = fixture.ready_loop();
    let wanted = || confirmed_merge(&state, MergeMethod::Merge);
    let other = Sha::parse(&"a".repeat(40)).expect("a SHA");
    let check = async |change: &dyn Fn(&mut LoopState), expect| {
        let mut state = state.clone();
        change(&mut state);
        check_refused_unsent(&fixture, &state, wanted(), expect).await;
    };
    for now in collie_core::lifecycle::STATES {
        if now != State::PrReadyToMerge {
            check(&|state| state.run.state = now, "not_ready").await;
        }
    }
    check(&|state| state.run.head.approved = None, "not_ready").await;
    check(
        &|state| state.run.head.approved = Some(other.clone()),
        "not_ready",
    )
    .await;
    check(&|state| state.run.head.sha = None, "not_ready").await;
    check(
        &|state| state.run.head.sha = Some(other.clone()),
        "head_moved",
    )
    .await;
    check(&|state| state.id.number = 2, "other_pull").await;
    check(&|state| state.id.repo_id = "R_other".into(), "other_pull").await;
    let mut elsewhere = state.clone();
    elsewhere.id.host = "github.com".into();
    check_refused_unsent(
        &fixture,
        &elsewhere,
        confirmed_merge(&elsewhere, MergeMethod::Merge),
        "other_pull",
    )
    .await;
    let routes = fixture.request_counts().await;
    assert!(
        routes["graphql"]
            .as_object()
            .is_none_or(|asked| asked.is_empty()),
        "{routes}"
    );
    fixture.shutdown().await;
}

#[tokio::test]
async fn what_github_shows_now_counts_not_what_the_loop_saw() {
    let fixture = MergeFixture::start().await;
    let state = fixture.ready_loop();
    let check = async |expect| {
        check_refused_unsent(
            &fixture,
            &state,
            confirmed_merge(&state, MergeMethod::Merge),
            expect,
        )
        .await;
    };
    let rules = |rules: Value| json!({"protection": {"main": rules}});
    fixture.mutate_pull("convertPullRequestToDraft").await;
    check("draft").await;
    fixture.mutate_pull("markPullRequestReadyForReview").await;
    for red in ["failure", "error", "pending"] {
        fixture.set_status(red).await;
        check("checks_not_green").await;
    }
    fixture.mutate_pull("enablePullRequestAutoMerge").await;
    check("auto_merge_on").await;
    fixture.mutate_pull("disablePullRequestAutoMerge").await;
    fixture.set_status("success").await;
    fixture
        .change_repository(rules(json!({"required_reviews": 1})))
        .await;
    check("blocked").await;
    fixture.change_repository(rules(Value::Null)).await;
    fixture
        .change_repository(json!({"merge_queue": {"main": true}}))
        .await;
    check("queue_required").await;
    fixture.mutate_pull("enqueuePullRequest").await;
    check("in_merge_queue").await;
    fixture
        .change_repository(json!({"allow_merge_commit": false}))
        .await;
    check("in_merge_queue").await;
    fixture.shutdown().await;
}

#[tokio::test]
async fn methods_roles_and_accounts_are_looked_at_before_the_merge() {
    let fixture = MergeFixture::start().await;
    let state = fixture.ready_loop();
    let wanted = |method| confirmed_merge(&state, method);
    fixture
        .change_repository(json!({"allow_merge_commit": false, "allow_squash_merge": false}))
        .await;
    check_refused_unsent(
        &fixture,
        &state,
        wanted(MergeMethod::Merge),
        "method_not_allowed",
    )
    .await;
    check_refused_unsent(
        &fixture,
        &state,
        wanted(MergeMethod::Squash),
        "method_not_allowed",
    )
    .await;
    let as_another = ConfirmedMerge {
        login: Login::new("ben"),
        ..wanted(MergeMethod::Rebase)
    };
    check_refused_unsent(&fixture, &state, as_another, "signed_in_as_another").await;
    fixture
        .change_repository(json!({"roles": {"octo": "none"}}))
        .await;
    check_refused_unsent(
        &fixture,
        &state,
        wanted(MergeMethod::Rebase),
        "no_permission",
    )
    .await;
    fixture.change_repository(json!({"private": true})).await;
    check_refused_unsent(&fixture, &state, wanted(MergeMethod::Rebase), "not_found").await;
    let revoked = fixture.gate_of("nobody");
    let consent = consent_by_click(wanted(MergeMethod::Rebase));
    assert_eq!(
        refusal_code(revoked.merge(&state, consent).await),
        "unauthorized"
    );
    assert_eq!(fixture.merge_request_count().await, 0);
    fixture.shutdown().await;
}

#[tokio::test]
async fn a_branch_that_conflicts_or_is_behind_is_not_merged() {
    let fixture = MergeFixture::start().await;
    fixture
        .change_repository(
            json!({"protection": {"main": {"strict": true}}, "roles": {"ana": "owner"}}),
        )
        .await;
    let state = fixture.ready_loop();
    let wanted = || confirmed_merge(&state, MergeMethod::Merge);
    fixture.push("main", &[("other.txt", "four\n")]).await;
    check_refused_unsent(&fixture, &state, wanted(), "behind").await;
    fixture
        .push("main", &[("added.txt", "another two\n")])
        .await;
    check_refused_unsent(&fixture, &state, wanted(), "conflict").await;
    fixture.shutdown().await;
}

#[tokio::test]
async fn a_head_that_moved_after_the_click_is_not_merged() {
    let fixture = MergeFixture::start().await;
    let state = fixture.ready_loop();
    fixture.push("feature", &[("late.txt", "late\n")]).await;
    let wanted = confirmed_merge(&state, MergeMethod::Merge);
    check_refused_unsent(&fixture, &state, wanted, "head_moved").await;
    let error = fixture.merge(&state).await.expect_err("refused");
    let now = Some(Sha::parse(fixture.pull().head_sha.as_str()).expect("a SHA"));
    let saw = state.run.head.sha.clone().expect("a head");
    assert_eq!(error.why, MergeRefusal::HeadMoved { saw, now });
    fixture.shutdown().await;
}

#[tokio::test]
async fn what_is_closed_or_merged_by_another_is_left_alone() {
    let fixture = MergeFixture::start().await;
    let state = fixture.ready_loop();
    let wanted = || confirmed_merge(&state, MergeMethod::Merge);
    fixture
        .repo_call("ana", "PATCH", "/pulls/1", Some(json!({"state": "closed"})))
        .await;
    check_refused_unsent(&fixture, &state, wanted(), "closed").await;
    fixture
        .repo_call("ana", "PATCH", "/pulls/1", Some(json!({"state": "open"})))
        .await;
    fixture
        .repo_call("ben", "PUT", "/pulls/1/merge", Some(json!({})))
        .await;
    let before = fixture.pull();
    let error = fixture.merge(&state).await.expect_err("refused");
    let by = Some(Login::new("ben"));
    let head = state.run.head.sha.clone().expect("a head");
    let commit = before
        .merge_commit_sha
        .as_ref()
        .map(|sha| Sha::parse(sha.as_str()).expect("a SHA"));
    assert!(commit.is_some());
    assert_eq!(error.why, MergeRefusal::AlreadyMerged { by, head, commit });
    assert_eq!(fixture.merge_request_count().await, 1, "only ben's");
    fixture.shutdown().await;
}

/// An audit log on a full disk.
struct FullDiskAudit;

#[async_trait]
impl AuditSink for FullDiskAudit {
    async fn append(&self, _: &AuditEntry) -> Result<(), StoreError> {
        Err(StoreError::DiskFull)
    }
}

#[tokio::test]
async fn what_cannot_be_written_down_is_not_merged() {
    let fixture = MergeFixture::start().await;
    let state = fixture.ready_loop();
    let gate = merge_gate(&fixture.api_url(), "forge-octo", Arc::new(FullDiskAudit));
    let consent = consent_by_click(confirmed_merge(&state, MergeMethod::Merge));
    assert_eq!(
        refusal_code(gate.merge(&state, consent).await),
        "unrecorded"
    );
    assert_eq!(fixture.merge_request_count().await, 0);
    assert_eq!(fixture.merged_by(), None);
    fixture.shutdown().await;
}
