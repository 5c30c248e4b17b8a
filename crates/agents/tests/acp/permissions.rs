//! An agent that asks before it acts.

use crate::harness::AgentHarness;
use collie_agents::acp::{AgentProgress, AgentRole, RefusalReason, Tool, ToolRefusal};
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

/// Asks the proxy for a host before the agent itself begins.
const CALLS_A_HOST: &str = "exec 3<>/dev/tcp/127.0.0.1/${HTTPS_PROXY##*:}; \
     printf 'CONNECT evil.example:443 HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n' >&3; read -r line <&3; exec \"$0\"";

#[tokio::test]
async fn a_host_that_is_not_listed_is_refused_and_told() {
    let mut stage = AgentHarness::idle("");
    let program = stage.spec.command[0].clone();
    stage.spec.command = ["bash", "-c", CALLS_A_HOST, &program]
        .map(str::to_owned)
        .into();
    stage.spec.hosts = vec!["api.example".parse().unwrap()];
    let ran = stage.run(&stage.turn_request(AgentRole::Fixer)).await;
    let refused = ran.result.unwrap().refused;
    let expected = ToolRefusal {
        tool: Tool::Fetch,
        title: "evil.example:443".into(),
        reason: RefusalReason::HostNotListed,
    };
    assert_eq!(refused, [expected]);
}

/// What an agent that is refused its host mostly does: it ends at once, and there is no account of its turn.
#[tokio::test]
async fn a_host_that_was_refused_is_told_of_an_agent_that_failed() {
    let mut stage = AgentHarness::idle("");
    let script = CALLS_A_HOST.replace("exec \"$0\"", "exit 1");
    stage.spec.command = ["bash", "-c", &script].map(str::to_owned).into();
    stage.spec.hosts = vec!["api.example".parse().unwrap()];
    let ran = stage.run(&stage.turn_request(AgentRole::Reviewer)).await;
    ran.result.unwrap_err();
    let told: Vec<&str> = ran
        .progress
        .iter()
        .filter_map(|progress| match progress {
            AgentProgress::Refused { refusal } => Some(refusal.title.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(told, ["evil.example:443"]);
}
