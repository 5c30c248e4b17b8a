//! An agent that asks before it acts.

use crate::harness::AgentHarness;
use collie_agents::acp::{AgentProgress, AgentRole};
use serde_json::{Value, json};

/// Has an agent ask, and tells what it was answered and what was recorded.
async fn check_permissions(role: AgentRole, asks: Value, answers: &str, refused: &[&str]) {
    let stage = AgentHarness::new(
        "",
        &json!({"permission_requests": asks, "edits": {"a.txt": "new"}}),
    );
    let ran = stage.run(&stage.turn_request(role)).await;
    let end = ran.result.unwrap();
    assert_eq!(end.text, answers, "{role:?} {asks}");
    let recorded: Vec<_> = end
        .refused
        .iter()
        .map(|refusal| format!("{:?}: {:?}", refusal.tool, refusal.reason))
        .collect();
    assert_eq!(recorded, refused, "{role:?} {asks}");
    let refusals_shown = ran
        .progress
        .iter()
        .filter(|progress| matches!(progress, AgentProgress::Refused { .. }))
        .count();
    assert_eq!(refusals_shown, refused.len());
    assert_eq!(
        stage.cwd.join("a.txt").exists(),
        refused.is_empty(),
        "it did what it was allowed"
    );
}

#[tokio::test]
async fn permission_is_given_by_role_kind_and_place_and_for_once_only() {
    let ask = |kind: &str, path: &str| json!({"kind": kind, "path": path});
    check_permissions(
        AgentRole::Fixer,
        json!([ask("edit", "a.txt"), {"kind": "execute"}]),
        "allow_once, allow_once",
        &[],
    )
    .await;
    check_permissions(
        AgentRole::Fixer,
        json!([ask("edit", "/etc/passwd"), {"kind": "fetch"}, ask("read", "a.txt")]),
        "reject_once, reject_once, allow_once",
        &[
            "Edit: OutsideFolder { path: \"/etc/passwd\" }",
            "Fetch: NotForRole",
        ],
    )
    .await;
    check_permissions(
        AgentRole::Reviewer,
        json!([ask("read", "a.txt"), ask("edit", "a.txt"), {"kind": "execute"}, {"kind": "think"}]),
        "allow_once, reject_once, reject_once, allow_once",
        &["Edit: NotForRole", "Execute: NotForRole"],
    )
    .await;
    check_permissions(
        AgentRole::Fixer,
        json!([{"kind": "edit", "path": "a.txt", "options": ["allow_always", "reject_once"]}]),
        "reject_once",
        &["Edit: NoOneTimeOption"],
    )
    .await;
    check_permissions(
        AgentRole::Fixer,
        json!([{"kind": "edit", "path": "a.txt", "options": ["allow_always", "reject_always"]}]),
        "cancelled",
        &["Edit: NoOneTimeOption"],
    )
    .await;
}
