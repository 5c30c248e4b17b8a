//! An agent that does what it should.

use crate::harness::{AgentHarness, runner};
use collie_agents::acp::{AgentRole, LoginState, StopReason, find_agent, self_test};
use serde_json::json;
use std::collections::BTreeMap;
use std::time::Duration;

#[tokio::test]
async fn a_fixer_edits_its_folder_and_answers_with_its_last_message() {
    let stage = AgentHarness::new(
        "",
        &json!({"edits": {"src/a.rs": "new\n", "old.rs": null}, "answer": "It is fixed: é."}),
    );
    std::fs::write(stage.cwd.join("old.rs"), "old").unwrap();
    let ran = stage.run(&stage.turn_request(AgentRole::Fixer)).await;
    assert_eq!(
        std::fs::read_to_string(stage.cwd.join("src/a.rs")).unwrap(),
        "new\n"
    );
    assert!(!stage.cwd.join("old.rs").exists());
    let mut end = ran.result.unwrap();
    let id = std::mem::take(&mut end.session_id);
    assert!(id.starts_with("fake-"));
    insta::assert_snapshot!(format!("{end:#?}"), @r#"
    TurnEnd {
        text: "It is fixed: é.",
        text_cut: false,
        stop_reason: EndTurn,
        session_id: "",
        resumption: Fresh,
        usage: Some(
            TurnUsage {
                input_tokens: 1200,
                output_tokens: 100,
                cached_read_tokens: 800,
                cached_write_tokens: 0,
            },
        ),
        session_cost_usd: Some(
            0.25,
        ),
        tools: [
            ToolUse {
                id: "look",
                tool: Read,
                title: "Read the files",
                state: Done,
            },
            ToolUse {
                id: "old.rs",
                tool: Edit,
                title: "Edit old.rs",
                state: Done,
            },
            ToolUse {
                id: "src/a.rs",
                tool: Edit,
                title: "Edit src/a.rs",
                state: Done,
            },
        ],
        tools_left_out: 0,
        refused: [],
        untaken: [],
    }
    "#);
    let progress_lines: Vec<_> = ran
        .progress
        .iter()
        .map(|progress| format!("{progress:?}"))
        .collect();
    insta::assert_snapshot!(progress_lines.join("\n").replace(&id, "ID"), @r#"
    Started { agent: Some("Fake Agent 0.1.0") }
    Session { id: "ID", resumption: Fresh }
    Context { tokens: 600, session_cost_usd: None }
    Text { chunk: "It looks around first." }
    Plan { done: 1, total: 2 }
    Tool { used: ToolUse { id: "look", tool: Read, title: "Read the files", state: Running } }
    Tool { used: ToolUse { id: "look", tool: Read, title: "Read the files", state: Done } }
    Tool { used: ToolUse { id: "old.rs", tool: Edit, title: "Edit old.rs", state: Running } }
    Tool { used: ToolUse { id: "old.rs", tool: Edit, title: "Edit old.rs", state: Done } }
    Tool { used: ToolUse { id: "src/a.rs", tool: Edit, title: "Edit src/a.rs", state: Running } }
    Tool { used: ToolUse { id: "src/a.rs", tool: Edit, title: "Edit src/a.rs", state: Done } }
    Text { chunk: "It is fi" }
    Text { chunk: "xed: é." }
    Context { tokens: 1300, session_cost_usd: Some(0.25) }
    "#);
}

#[tokio::test]
async fn issues_are_told_to_be_fixed_where_the_script_says_nothing_else() {
    let stage = AgentHarness::new("", &json!({}));
    let mut turn = stage.turn_request(AgentRole::Fixer);
    let findings = "**F1** (from a reviewer)\n**F3** (from a reviewer, optional)\n**F9** (from a failed check)";
    turn.prompt.push(findings.to_owned());
    let text = stage.run(&turn).await.result.unwrap().text;
    let answer: serde_json::Value = serde_json::from_str(&text).unwrap();
    let fixed = |id: &str| json!({"findingId": id, "description": "as asked"});
    assert_eq!(
        answer,
        json!({"fixedIssues": [fixed("F1"), fixed("F9")], "rejectedIssues": []})
    );
}

#[tokio::test]
async fn a_script_goes_on_from_prompt_to_prompt() {
    let stage = AgentHarness::new(
        "",
        &json!([{"answer": "one"}, {"answer": "two", "behaviors": "refusal"}]),
    );
    let turn = stage.turn_request(AgentRole::Reviewer);
    let mut ends = Vec::new();
    for _ in 0..3 {
        let end = stage.run(&turn).await.result.unwrap();
        ends.push((end.text, end.stop_reason));
    }
    let expect = [
        ("one", StopReason::EndTurn),
        ("two", StopReason::Refusal),
        ("two", StopReason::Refusal),
    ];
    assert_eq!(ends, expect.map(|(text, stop)| (text.to_owned(), stop)));
}

#[tokio::test]
async fn banners_and_unknown_updates_do_no_harm() {
    for ways in ["noise,unknown-update", "malformed-updates"] {
        let stage = AgentHarness::idle(ways);
        let ran = stage.run(&stage.turn_request(AgentRole::Reviewer)).await;
        assert_eq!(ran.result.unwrap().text, "Nothing to do.", "{ways}");
    }
}

#[tokio::test]
async fn an_agent_that_says_it_is_done_without_work_is_received_as_it_speaks() {
    let stage = AgentHarness::idle("no-work");
    let end = stage
        .run(&stage.turn_request(AgentRole::Fixer))
        .await
        .result
        .unwrap();
    assert_eq!(
        (end.text.as_str(), end.stop_reason),
        ("All is done.", StopReason::EndTurn)
    );
    assert_eq!(std::fs::read_dir(&stage.cwd).unwrap().count(), 0);
}

#[tokio::test]
async fn an_agent_gets_its_own_variables_and_no_others() {
    let mut stage = AgentHarness::idle("echo-env,modes");
    stage.spec.env_allowed = vec!["FAKE_KEY".into(), "GITHUB_TOKEN".into()];
    stage.spec.modes.reviewer = vec!["plan".into(), "read-only".into()];
    for name in [
        "FAKE_KEY",
        "GITHUB_TOKEN",
        "GH_TOKEN",
        "OTHER_KEY",
        "COLLIE_HOME",
        "TMPDIR",
        "SSH_AUTH_SOCK",
    ] {
        stage.env.insert(name.into(), "secret".into());
    }
    let end = stage
        .run(&stage.turn_request(AgentRole::Reviewer))
        .await
        .result
        .unwrap();
    let seen: BTreeMap<String, String> = serde_json::from_str(&end.text).unwrap();
    assert_eq!(seen["FAKE_KEY"], "secret");
    assert_eq!(seen["mode of the session"], "read-only");
    let secrets = seen
        .iter()
        .filter(|(_, value)| *value == "secret")
        .map(|(name, _)| name.as_str());
    assert_eq!(secrets.collect::<Vec<_>>(), ["FAKE_KEY"]);
    assert!(
        !std::path::Path::new(&seen["TMPDIR"]).exists(),
        "its temporary files are gone"
    );
}

#[tokio::test]
async fn an_agent_is_found_with_its_version_and_tested() {
    let mut stage = AgentHarness::idle("resume");
    let found = find_agent(&stage.spec, &stage.env).await.unwrap();
    assert_eq!(found.program, collie_fake_agent::program());
    assert_eq!(
        (found.version.as_deref(), found.login),
        (Some("0.1.0"), LoginState::Unknown)
    );
    let tested = self_test(&stage.spec, &stage.env, &runner(), Duration::from_secs(60))
        .await
        .unwrap();
    insta::assert_snapshot!(format!("{tested:#?}"), @r#"
    SelfTest {
        protocol: 1,
        agent: Some(
            "Fake Agent 0.1.0",
        ),
        auth_methods: [
            "API key",
        ],
        can_resume: true,
        can_load: false,
    }
    "#);

    let folder = collie_fake_agent::program().parent().unwrap().to_owned();
    stage.env.insert(
        "PATH".into(),
        format!("relative:/nowhere:{}", folder.display()).into(),
    );
    stage.spec.command = vec!["collie-fake-agent".into()];
    assert_eq!(
        find_agent(&stage.spec, &stage.env).await.unwrap().program,
        found.program
    );
}
