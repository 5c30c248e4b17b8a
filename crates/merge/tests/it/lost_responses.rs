//! What happens between the last look and the answer: races, and answers that never come.

use crate::common::{MergeFixture, confirmed_merge, consent_by_click, merge_gate, refusal_code};
use collie_core::ids::{Login, LoopId, Sha};
use collie_core::loop_state::LoopState;
use collie_core::merge_method::MergeMethod;
use collie_merge::MergeRefusal;
use serde_json::{Value, json};
use std::pin::Pin;
use std::sync::Arc;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

const MERGE: &str = "PUT /repos/*/*/pulls/*/merge";

type BeforeMerge = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Stands before the forge and does something just before a merge reaches it; its address.
async fn proxy_before_merge(
    fixture: &MergeFixture,
    before_merge: impl Fn() -> BeforeMerge + Send + Sync + 'static,
) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("bound");
    let address = listener.local_addr().expect("an address").to_string();
    let (forge, before_merge) = (fixture.running().addr(), Arc::new(before_merge));
    let own = address.clone();
    tokio::spawn(async move {
        while let Ok((mut client, _)) = listener.accept().await {
            let (before_merge, own) = (before_merge.clone(), own.clone());
            tokio::spawn(async move {
                let mut begin = vec![0; 4096];
                let read = client.read(&mut begin).await.unwrap_or(0);
                if begin.starts_with(b"PUT ") {
                    before_merge().await;
                }
                let mut server = TcpStream::connect(forge).await.expect("connected");
                // The forge answers to its own name alone.
                let begin = String::from_utf8_lossy(&begin[..read]);
                let begin = begin.replacen(&own, &forge.to_string(), 1);
                server.write_all(begin.as_bytes()).await.expect("passed on");
                // The gate closes the connection when it has its answer.
                let _ = tokio::io::copy_bidirectional(&mut client, &mut server).await;
            });
        }
    });
    address
}

fn through_proxy(address: &str, state: &LoopState) -> LoopState {
    let id = LoopId {
        host: address.to_string(),
        ..state.id.clone()
    };
    LoopState {
        id,
        ..state.clone()
    }
}

#[tokio::test]
async fn a_push_between_the_last_look_and_the_merge_is_not_merged() {
    let fixture = MergeFixture::start().await;
    let ana = fixture.client();
    let address = proxy_before_merge(&fixture, move || {
        let ana = ana.clone();
        Box::pin(async move {
            let late = [("late.txt", "late\n")];
            ana.push_to("demo/app", "feature", "feature", &late).await;
        })
    })
    .await;
    let state = through_proxy(&address, &fixture.ready_loop());
    let gate = merge_gate(
        &format!("http://{address}/api/v3"),
        "forge-octo",
        fixture.audit.clone(),
    );
    let consent = consent_by_click(confirmed_merge(&state, MergeMethod::Merge));
    let error = gate.merge(&state, consent).await.expect_err("refused");
    let now = Sha::parse(fixture.pull().head_sha.as_str()).expect("a SHA");
    let saw = state.run.head.sha.clone().expect("a head");
    assert_ne!(now, saw);
    let now = Some(now);
    assert_eq!(error.why, MergeRefusal::HeadMoved { saw, now });
    assert_eq!(
        (fixture.merged_by(), fixture.merge_request_count().await),
        (None, 1)
    );
    assert_eq!(
        fixture.audit.actions(),
        ["merge_requested", "merge_failed head_moved"]
    );
    fixture.shutdown().await;
}

#[tokio::test]
async fn a_merge_by_another_between_the_last_look_and_the_merge_is_reported_as_theirs() {
    let fixture = MergeFixture::start().await;
    let ben = fixture.client();
    let address = proxy_before_merge(&fixture, move || {
        let ben = ben.clone();
        Box::pin(async move {
            let path = "/api/v3/repos/demo/app/pulls/1/merge";
            ben.call("ben", "PUT", path, Some(json!({}))).await;
        })
    })
    .await;
    let state = through_proxy(&address, &fixture.ready_loop());
    let gate = merge_gate(
        &format!("http://{address}/api/v3"),
        "forge-octo",
        fixture.audit.clone(),
    );
    let consent = consent_by_click(confirmed_merge(&state, MergeMethod::Merge));
    let error = gate.merge(&state, consent).await.expect_err("refused");
    let ben = Some(Login::new("ben"));
    assert!(
        matches!(&error.why, MergeRefusal::AlreadyMerged { by, .. } if *by == ben),
        "{error}"
    );
    assert_eq!(
        (
            fixture.merged_by().as_deref(),
            fixture.merge_request_count().await
        ),
        (Some("ben"), 2)
    );
    fixture.shutdown().await;
}

/// One click with faults set: the code of the refusal, or `merged`; GitHub is asked to merge at most once, and the forge
/// shows what is told.
async fn check(faults: Value, expect: &str, merge_requests: u64) {
    let fixture = MergeFixture::start().await;
    let state = fixture.ready_loop();
    fixture.set_faults(faults.clone()).await;
    let outcome_code = match fixture.merge(&state).await {
        Ok(merged) => {
            let commit = fixture.pull().merge_commit_sha.expect("a commit");
            let outcome_code = merged.commit.as_ref().map(Sha::as_str);
            assert_eq!(
                (outcome_code, merged.by),
                (Some(commit.as_str()), Login::new("octo"))
            );
            "merged"
        }
        refused => refusal_code(refused),
    };
    assert_eq!(outcome_code, expect, "{faults}");
    assert_eq!(
        fixture.merge_request_count().await,
        merge_requests,
        "{faults}"
    );
    if !matches!(expect, "merged" | "outcome_unknown") {
        assert_eq!(fixture.merged_by(), None, "{faults}");
    }
    let last = if outcome_code == "merged" {
        "merge_completed".into()
    } else {
        format!("merge_failed {outcome_code}")
    };
    assert_eq!(
        fixture.audit.actions(),
        ["merge_requested".to_string(), last]
    );
    fixture.shutdown().await;
}

#[tokio::test]
async fn an_answer_that_is_lost_is_settled_by_looking_and_never_by_asking_again() {
    check(
        json!({"kind": "drop_before", "route": MERGE}),
        "not_merged",
        1,
    )
    .await;
    check(json!({"kind": "drop_after", "route": MERGE}), "merged", 1).await;
    for code in [500, 502, 504] {
        let fault =
            |after| json!({"kind": "status", "code": code, "after_write": after, "route": MERGE});
        check(fault(true), "merged", 1).await;
        check(fault(false), "not_merged", 1).await;
    }
}

#[tokio::test]
async fn an_outcome_that_cannot_be_looked_up_is_reported_as_unknown() {
    let blind = json!({"kind": "status", "code": 502, "route": "query repository", "after": 1});
    for drop in ["drop_before", "drop_after"] {
        let faults = json!([{"kind": drop, "route": MERGE}, blind]);
        check(faults, "outcome_unknown", 1).await;
    }
    // It can be looked up in the end.
    let short = json!({"kind": "drop_before", "route": "query repository", "after": 1, "count": 2});
    check(
        json!([{"kind": "drop_after", "route": MERGE}, short]),
        "merged",
        1,
    )
    .await;
}

#[tokio::test]
async fn a_last_look_that_fails_asks_for_no_merge() {
    let query = "query repository";
    let fault = |kind: &str| json!({"kind": kind, "route": query});
    check(fault("drop_before"), "unreachable", 0).await;
    check(fault("primary_rate_limit"), "rate_limited", 0).await;
    check(fault("secondary_rate_limit"), "rate_limited", 0).await;
    check(
        json!({"kind": "status", "code": 401, "route": query}),
        "unauthorized",
        0,
    )
    .await;
    check(
        json!({"kind": "status", "code": 500, "route": query}),
        "unreachable",
        0,
    )
    .await;
}

#[tokio::test]
async fn a_merge_that_is_refused_for_other_reasons_is_reported() {
    check(
        json!({"kind": "secondary_rate_limit", "retry_after": 9, "route": MERGE}),
        "rate_limited",
        1,
    )
    .await;
    let status = |code| json!({"kind": "status", "code": code, "route": MERGE});
    check(status(401), "unauthorized", 1).await;
    check(status(403), "no_permission", 1).await;
    check(status(404), "no_permission", 1).await;
    check(status(405), "refused", 1).await;
    check(status(409), "head_moved", 1).await;
    check(status(422), "refused", 1).await;
}

#[tokio::test]
async fn nobody_listening_is_reported_as_such() {
    let fixture = MergeFixture::start().await;
    let (state, gate) = (fixture.ready_loop(), fixture.gate());
    let consent = consent_by_click(confirmed_merge(&state, MergeMethod::Merge));
    fixture.shutdown().await;
    assert_eq!(
        refusal_code(gate.merge(&state, consent).await),
        "unreachable"
    );
}
