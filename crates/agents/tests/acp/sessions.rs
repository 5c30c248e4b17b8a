//! Sessions that are gone on with, and those that cannot be.

use crate::harness::AgentHarness;
use collie_agents::acp::{AgentRole, EnvAuthMethod, Resumption};

/// Runs a turn with a saved session; tells its id, how it was had, and what was said.
async fn check_resumption(ways: &str, expect: &str) {
    let stage = AgentHarness::idle(ways);
    let mut turn = stage.turn_request(AgentRole::Fixer);
    turn.resume_session_id = Some("saved".into());
    let ran = stage.run(&turn).await;
    let end = ran.result.unwrap();
    let resumption = match end.resumption {
        Resumption::Fresh => "fresh".to_owned(),
        Resumption::Resumed => "resumed".to_owned(),
        Resumption::Lost { reason } => format!("lost: {reason}"),
    };
    assert_eq!(resumption, expect, "{ways}");
    assert_eq!(end.session_id == "saved", expect == "resumed", "{ways}");
    assert_eq!(end.text, "Nothing to do.", "{ways}");
    assert!(
        !format!("{:?}", ran.progress).contains("long ago"),
        "the replay is not news"
    );
}

#[tokio::test]
async fn a_saved_session_is_gone_on_with_where_that_can_be() {
    check_resumption("resume", "resumed").await;
    check_resumption("load", "resumed").await;
    check_resumption("resume,load", "resumed").await;
    check_resumption("", "lost: it cannot go on with an earlier session").await;
    check_resumption(
        "resume,lost-session",
        "lost: Resource not found: no such session",
    )
    .await;
    check_resumption(
        "load,lost-session",
        "lost: Resource not found: no such session",
    )
    .await;
}

#[tokio::test]
async fn an_agent_that_asks_for_a_login_gets_the_key_that_is_there() {
    let check = async |key: Option<&str>, method: &str, expect: &str| {
        let mut stage = AgentHarness::idle("login");
        stage.spec.env_allowed = vec!["FAKE_AGENT_KEY".into()];
        let by = |variable: &str, method: &str| EnvAuthMethod {
            variable: variable.into(),
            method: method.into(),
        };
        stage.spec.env_auth = vec![by("NOT_SET", "other"), by("FAKE_AGENT_KEY", method)];
        stage
            .env
            .extend(key.map(|key| ("FAKE_AGENT_KEY".to_owned(), key.into())));
        let end = stage
            .run(&stage.turn_request(AgentRole::Reviewer))
            .await
            .result;
        let outcome = end.map_or_else(|failed| failed.to_string(), |end| end.text);
        assert!(outcome.contains(expect), "{key:?} by {method}: {outcome}");
    };
    check(Some("good"), "key", "Nothing to do.").await;
    check(
        Some("bad"),
        "key",
        "asks to log in first (API key): Invalid params: the key is wrong",
    )
    .await;
    check(
        Some("good"),
        "unknown",
        "asks to log in first (API key): Authentication required",
    )
    .await;
    check(
        None,
        "key",
        "asks to log in first (API key): Authentication required",
    )
    .await;
}
