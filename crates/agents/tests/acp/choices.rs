//! The model, the effort and the MCP servers that the user sets for an agent.

use crate::harness::{AgentHarness, TurnRun};
use collie_agents::acp::{
    AgentProgress, AgentRole, McpEndpoint, McpHeader, McpServerSpec, McpTransport, RefusalReason,
};
use collie_agents::llm::Effort;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// What the fake agent found in its environment and its session.
fn seen(ran: &TurnRun) -> BTreeMap<String, String> {
    let end = ran.result.as_ref().unwrap();
    serde_json::from_str(&end.text).unwrap()
}

/// What an agent did not take, in one line.
fn untaken(ran: &TurnRun) -> String {
    let end = ran.result.as_ref().unwrap();
    let told = end.untaken.iter().map(|untaken| {
        let (setting, reason): (&str, &str) = (untaken.setting.into(), untaken.reason.into());
        format!("{setting} {}: {reason}", untaken.name)
    });
    let told: Vec<String> = told.collect();
    let progress = ran.progress.iter();
    let heard = progress.filter(|progress| matches!(progress, AgentProgress::Untaken { .. }));
    assert_eq!(heard.count(), told.len(), "each is told once");
    told.join(", ")
}

/// Model and effort of the session in the end, and what was not taken.
async fn check_choice(ways: &str, model: &str, effort: Option<Effort>, expect: [&str; 3]) {
    for resume in [None, Some("saved".to_owned())] {
        let mut stage = AgentHarness::idle(&format!("{ways},echo-env,resume"));
        stage.spec.model = Some(model.to_owned()).filter(|model| !model.is_empty());
        stage.spec.effort = effort;
        let mut turn = stage.turn_request(AgentRole::Reviewer);
        turn.resume_session_id = resume;
        let ran = stage.run(&turn).await;
        let seen = seen(&ran);
        let chosen = [
            seen["model of the session"].as_str(),
            seen["effort of the session"].as_str(),
            &untaken(&ran),
        ];
        assert_eq!(chosen, expect, "{ways}: {model} {effort:?}");
    }
}

#[tokio::test]
async fn an_agent_is_told_the_model_and_the_effort_that_the_user_set() {
    let high = Some(Effort::High);
    check_choice("options", "", None, ["small", "low", ""]).await;
    check_choice("options", "small", Some(Effort::Low), ["small", "low", ""]).await;
    // Only the large model thinks much: the effort is looked for among what there is by then.
    check_choice("options", "LARGE", high, ["large", "high", ""]).await;
    check_choice(
        "options",
        "",
        high,
        ["small", "low", "effort high: not_offered"],
    )
    .await;
    let no_effort = "effort high: not_offered";
    check_choice("models", "large", high, ["large", "low", no_effort]).await;
}

#[tokio::test]
async fn what_an_agent_does_not_take_is_told_by_name_and_it_goes_on() {
    let check = async |ways, model, expect| {
        check_choice(ways, model, None, ["small", "low", expect]).await;
    };
    check("", "large", "model large: not_offered").await;
    check("options", "gpt-9", "model gpt-9: not_offered").await;
    check("models", "gpt-9", "model gpt-9: not_offered").await;
    check("options", "locked", "model locked: refused").await;
    check("many-options", "large", "model large: too_many").await;
}

fn server(name: &str, transport: McpTransport, roles: &[AgentRole]) -> McpServerSpec {
    McpServerSpec {
        name: name.into(),
        transport,
        roles: roles.to_vec(),
        hosts: Vec::new(),
        readable: Vec::new(),
    }
}

fn endpoint(url: &str) -> McpEndpoint {
    let header = |name: &str, value| (name.to_owned(), value);
    McpEndpoint {
        url: url.into(),
        headers: vec![
            header("X-Team", McpHeader::Value("reviews".into())),
            header("Authorization", McpHeader::Variable("DOCS_TOKEN".into())),
            header("X-GitHub", McpHeader::Variable("GITHUB_TOKEN".into())),
        ],
    }
}

/// A harness whose agent says what servers it was handed on.
fn with_servers(ways: &str, servers: Vec<McpServerSpec>) -> AgentHarness {
    let mut stage = AgentHarness::idle(&format!("{ways},echo-env"));
    for name in ["DOCS_TOKEN", "GITHUB_TOKEN", "OTHER_KEY"] {
        stage
            .env
            .insert(name.into(), format!("{name}-value").into());
    }
    stage.spec.mcp_servers = servers;
    stage
}

fn servers_of(ran: &TurnRun) -> Value {
    serde_json::from_str(&seen(ran)["servers of the session"]).unwrap()
}

#[tokio::test]
async fn a_server_is_handed_on_to_whom_the_user_names_and_as_the_agent_takes_it() {
    let both = [AgentRole::Fixer, AgentRole::Reviewer];
    let program = |command: &str| McpTransport::Stdio {
        command: vec![command.into()],
        env: Vec::new(),
    };
    let servers = vec![
        server(
            "web",
            McpTransport::Http(endpoint("https://mcp.example.com/x")),
            &both,
        ),
        server(
            "old",
            McpTransport::Sse(endpoint("https://old.example.com")),
            &both,
        ),
        server(
            "fixing",
            McpTransport::Http(endpoint("https://f.example.com")),
            &both[..1],
        ),
        server("gone", program("collie-no-such-server"), &both),
    ];
    let stage = with_servers("mcp-http", servers.clone());
    let ran = stage.run(&stage.turn_request(AgentRole::Reviewer)).await;
    let headers = json!([
        {"name": "X-Team", "value": "reviews"},
        {"name": "Authorization", "value": "DOCS_TOKEN-value"},
    ]);
    let expect = json!([
        {"type": "http", "name": "web", "url": "https://mcp.example.com/x", "headers": headers},
    ]);
    assert_eq!(servers_of(&ran), expect);
    let missing = "mcp_server old: transport, mcp_server gone: program_not_found";
    assert_eq!(untaken(&ran), missing);
    let ran = stage.run(&stage.turn_request(AgentRole::Fixer)).await;
    assert_eq!(servers_of(&ran).as_array().unwrap().len(), 2);
    // An agent that goes on with a session is told its servers again.
    for ways in ["load,mcp-http", "resume,mcp-http"] {
        let stage = with_servers(ways, servers.clone());
        let mut turn = stage.turn_request(AgentRole::Fixer);
        turn.resume_session_id = Some("saved".into());
        let ran = stage.run(&turn).await;
        assert_eq!(servers_of(&ran).as_array().unwrap().len(), 2, "{ways}");
    }
    // One without HTTP gets none of these.
    let stage = with_servers("load", servers);
    let mut turn = stage.turn_request(AgentRole::Fixer);
    turn.resume_session_id = Some("saved".into());
    let ran = stage.run(&turn).await;
    assert_eq!(servers_of(&ran), json!([]));
    let http = "mcp_server web: transport, mcp_server old: transport, mcp_server fixing: transport";
    assert_eq!(
        untaken(&ran),
        format!("{http}, mcp_server gone: program_not_found")
    );
}

/// A server that runs as a program is behind the agent's walls: it reads what the user names, and of the machine no more; it gets its own
/// variables.
#[tokio::test]
async fn a_server_that_is_a_program_runs_in_the_agents_sandbox() {
    let outside = tempfile::tempdir().unwrap();
    let outside = outside.path().canonicalize().unwrap();
    for folder in ["named", "hidden"] {
        std::fs::create_dir(outside.join(folder)).unwrap();
        std::fs::write(outside.join(folder).join("text"), folder).unwrap();
    }
    let look = format!(
        "read hello; echo \"$(cat {0}/named/text) $(cat {0}/hidden/text 2>&1 | grep -c 'No such file') $DOCS_TOKEN $OTHER_KEY $GITHUB_TOKEN.\"",
        outside.display()
    );
    let transport = McpTransport::Stdio {
        command: ["sh", "-c", &look].map(str::to_owned).into(),
        env: vec!["DOCS_TOKEN".into(), "GITHUB_TOKEN".into()],
    };
    let mut docs = server("docs", transport, &[AgentRole::Reviewer]);
    docs.readable = vec![outside.join("named")];
    // What a server of the fixer may read is nothing of a reviewer's.
    let mut fixing = docs.clone();
    fixing.roles = vec![AgentRole::Fixer];
    fixing.name = "fixing".into();
    fixing.readable = vec![outside.join("hidden")];
    let stage = with_servers("", vec![docs, fixing]);
    let ran = stage.run(&stage.turn_request(AgentRole::Reviewer)).await;
    let told = servers_of(&ran);
    assert_eq!(
        told[0]["first words"], "named 1 DOCS_TOKEN-value  .",
        "{told}"
    );
    let command = told[0]["command"].as_str().unwrap();
    assert!(
        command.starts_with('/') && command.ends_with("/sh"),
        "{command}"
    );
}

#[tokio::test]
async fn a_tool_of_a_server_is_allowed_and_a_command_that_calls_itself_so_is_not() {
    let check = async |role: AgentRole, kind: &str, title: &str, allowed: bool| {
        let ask = json!({"kind": kind, "title": title});
        let mut stage = AgentHarness::new("", &json!({"permission_requests": [ask]}));
        let at = || McpTransport::Http(endpoint("https://mcp.example.com"));
        stage.spec.mcp_servers = vec![
            server("docs", at(), &[AgentRole::Reviewer]),
            server("fixing", at(), &[AgentRole::Fixer]),
        ];
        let ran = stage.run(&stage.turn_request(role)).await;
        let refused = ran.result.unwrap().refused;
        let reasons: Vec<_> = refused
            .iter()
            .map(|refusal| refusal.reason.clone())
            .collect();
        let expect = match allowed {
            true => Vec::new(),
            false => vec![RefusalReason::NotForRole],
        };
        assert_eq!(reasons, expect, "{role:?} {kind} {title}");
    };
    use AgentRole::{Fixer, Reviewer};
    check(Reviewer, "other", "mcp__docs__search", true).await;
    check(Reviewer, "other", "mcp__other__search", false).await;
    check(Reviewer, "other", "rm -rf mcp__docs__search", false).await;
    // A server is its role's alone, and no name makes a change of files anything else.
    check(Reviewer, "other", "mcp__fixing__search", false).await;
    check(Fixer, "other", "mcp__docs__search", false).await;
    check(Fixer, "other", "mcp__fixing__search", true).await;
    check(Reviewer, "edit", "mcp__docs__write", false).await;
}

/// Asks the proxy for a host before the agent itself begins.
fn calls(host: &str) -> String {
    format!(
        "exec 3<>/dev/tcp/127.0.0.1/${{HTTPS_PROXY##*:}}; \
         printf 'CONNECT {host} HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n' >&3; read -r line <&3; exec \"$0\""
    )
}

#[tokio::test]
async fn what_a_server_reaches_is_reached_by_its_role_alone() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let host = listener.local_addr().unwrap().to_string();
    let at = McpTransport::Http(endpoint("https://mcp.example.com"));
    let mut docs = server("docs", at, &[AgentRole::Fixer]);
    docs.hosts = vec![host.parse().unwrap()];
    for (role, allowed) in [(AgentRole::Fixer, true), (AgentRole::Reviewer, false)] {
        let mut stage = with_servers("mcp-http", vec![docs.clone()]);
        let program = stage.spec.command[0].clone();
        stage.spec.command = ["bash", "-c", &calls(&host), &program]
            .map(str::to_owned)
            .into();
        // Without any host there is no network to be refused anything of.
        stage.spec.hosts = vec!["api.example".parse().unwrap()];
        let ran = stage.run(&stage.turn_request(role)).await;
        let refused: Vec<_> = ran.result.unwrap().refused;
        let titles: Vec<_> = refused.iter().map(|refusal| &refusal.title).collect();
        let expect: &[&String] = if allowed { &[] } else { &[&host] };
        assert_eq!(titles, expect, "{role:?}");
    }
}
