//! Sessions that are gone on with, and those that cannot be.

use crate::stage::Stage;
use collie_agents::acp::{AuthBy, Resumption, Role};

/// Runs a turn with a saved session; tells its id, how it was had, and what was said.
async fn check(ways: &str, expect: &str) {
    let stage = Stage::idle(ways);
    let mut turn = stage.turn(Role::Fixer);
    turn.session = Some("saved".into());
    let ran = stage.run(&turn).await;
    let end = ran.end.unwrap();
    let told = match end.resumption {
        Resumption::Fresh => "fresh".to_owned(),
        Resumption::Resumed => "resumed".to_owned(),
        Resumption::Lost { reason } => format!("lost: {reason}"),
    };
    assert_eq!(told, expect, "{ways}");
    assert_eq!(end.session_id == "saved", expect == "resumed", "{ways}");
    assert_eq!(end.text, "Nothing to do.", "{ways}");
    assert!(
        !format!("{:?}", ran.heard).contains("long ago"),
        "the replay is not news"
    );
}

#[tokio::test]
async fn a_saved_session_is_gone_on_with_where_that_can_be() {
    check("resume", "resumed").await;
    check("load", "resumed").await;
    check("resume,load", "resumed").await;
    check("", "lost: it cannot go on with an earlier session").await;
    check(
        "resume,lost-session",
        "lost: Resource not found: no such session",
    )
    .await;
    check(
        "load,lost-session",
        "lost: Resource not found: no such session",
    )
    .await;
}

#[tokio::test]
async fn an_agent_that_asks_for_a_login_gets_the_key_that_is_there() {
    let check = async |key: Option<&str>, method: &str, expect: &str| {
        let mut stage = Stage::idle("login");
        stage.spec.env_allowed = vec!["FAKE_AGENT_KEY".into()];
        let by = |variable: &str, method: &str| AuthBy {
            variable: variable.into(),
            method: method.into(),
        };
        stage.spec.auth = vec![by("NOT_SET", "other"), by("FAKE_AGENT_KEY", method)];
        stage
            .outside
            .extend(key.map(|key| ("FAKE_AGENT_KEY".to_owned(), key.into())));
        let end = stage.run(&stage.turn(Role::Reviewer)).await.end;
        let told = end.map_or_else(|failed| failed.to_string(), |end| end.text);
        assert!(told.contains(expect), "{key:?} by {method}: {told}");
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
