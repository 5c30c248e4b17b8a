//! An agent that asks before it acts.

use crate::stage::Stage;
use collie_agents::acp::{Progress, Role};
use serde_json::{Value, json};

/// Has an agent ask, and tells what it was answered and what was recorded.
async fn check(role: Role, asks: Value, answers: &str, refused: &[&str]) {
    let stage = Stage::new("", &json!({"asks": asks, "edits": {"a.txt": "new"}}));
    let ran = stage.run(&stage.turn(role)).await;
    let end = ran.end.unwrap();
    assert_eq!(end.text, answers, "{role:?} {asks}");
    let recorded: Vec<_> = end
        .refused
        .iter()
        .map(|r| format!("{:?}: {:?}", r.tool, r.why))
        .collect();
    assert_eq!(recorded, refused, "{role:?} {asks}");
    let told = ran
        .heard
        .iter()
        .filter(|progress| matches!(progress, Progress::Refused { .. }))
        .count();
    assert_eq!(told, refused.len());
    assert_eq!(
        stage.cwd.join("a.txt").exists(),
        refused.is_empty(),
        "it did what it was allowed"
    );
}

#[tokio::test]
async fn permission_is_given_by_role_kind_and_place_and_for_once_only() {
    let ask = |kind: &str, path: &str| json!({"kind": kind, "path": path});
    check(
        Role::Fixer,
        json!([ask("edit", "a.txt"), {"kind": "execute"}]),
        "allow_once, allow_once",
        &[],
    )
    .await;
    check(
        Role::Fixer,
        json!([ask("edit", "/etc/passwd"), {"kind": "fetch"}, ask("read", "a.txt")]),
        "reject_once, reject_once, allow_once",
        &[
            "Edit: Outside { path: \"/etc/passwd\" }",
            "Fetch: NotForRole",
        ],
    )
    .await;
    check(
        Role::Reviewer,
        json!([ask("read", "a.txt"), ask("edit", "a.txt"), {"kind": "execute"}, {"kind": "think"}]),
        "allow_once, reject_once, reject_once, allow_once",
        &["Edit: NotForRole", "Execute: NotForRole"],
    )
    .await;
    check(
        Role::Fixer,
        json!([{"kind": "edit", "path": "a.txt", "options": ["allow_always", "reject_once"]}]),
        "reject_once",
        &["Edit: OnlyForever"],
    )
    .await;
    check(
        Role::Fixer,
        json!([{"kind": "edit", "path": "a.txt", "options": ["allow_always", "reject_always"]}]),
        "cancelled",
        &["Edit: OnlyForever"],
    )
    .await;
}
