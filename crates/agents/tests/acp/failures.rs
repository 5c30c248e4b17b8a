//! Every way in which an agent fails, and what is said of it.

use crate::harness::{AgentHarness, runner};
use collie_agents::acp::{AgentFailure, AgentRole, TurnLimits, find_agent, self_test};
use collie_sandbox::DiskStop;
use collie_testkit::program::write_program;
use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

/// What a turn with these ways fails with, and whether another attempt is worth it.
async fn failure(behaviors: &str, change: impl Fn(&mut TurnLimits)) -> String {
    let mut stage = AgentHarness::idle(behaviors);
    change(&mut stage.limits);
    let failed = stage
        .run(&stage.turn_request(AgentRole::Fixer))
        .await
        .result
        .unwrap_err();
    format!(
        "{behaviors}: [{}] {failed}",
        if failed.is_transient() {
            "again"
        } else {
            "for good"
        }
    )
}

#[tokio::test]
async fn each_failure_says_what_was_tried_and_what_to_do() {
    let mut said = Vec::new();
    for ways in [
        "crash-at-start",
        "old-protocol",
        "login",
        "wrong-shape",
        "long-session-id",
        "crash",
        "invalid-json",
        "big",
        "overloaded",
    ] {
        said.push(failure(ways, |_| ()).await);
    }
    for ways in ["mute", "silence"] {
        said.push(failure(ways, |limits| limits.idle_timeout = Duration::from_secs(1)).await);
    }
    said.push(failure("endless", |limits| limits.max_turn_bytes = 1_000_000).await);
    said.push(
        failure("endless,ignore-cancel", |limits| {
            limits.total_timeout = Duration::from_secs(2);
            limits.cancel_grace = Duration::from_millis(100);
            limits.max_turn_bytes = u64::MAX;
        })
        .await,
    );
    insta::assert_snapshot!(said.join("\n"), @r#"
    crash-at-start: [again] Fake ended during initialize (exit status: 4); start it in a terminal to see why; its last words: fake agent: it cannot find its settings
    old-protocol: [for good] Fake speaks version 0 of the Agent Client Protocol, and Collie version 1; install a version of it that speaks 1
    login: [for good] Fake asks to log in first (API key): Authentication required: no key is set; log in with its own command, or set its API key
    wrong-shape: [again] Fake gave an answer to session/new that does not fit the protocol: missing field `sessionId`; update it, and report it to its makers if that does not help
    long-session-id: [again] Fake gave an answer to session/new that does not fit the protocol: `sessionId` has 100000 bytes; at most 500 are taken; update it, and report it to its makers if that does not help
    crash: [again] Fake ended during session/prompt (exit status: 3); start it in a terminal to see why; its last words: fake agent: it has crashed
    invalid-json: [again] Fake gave an answer to session/prompt that does not fit the protocol: it is no JSON: key must be a string at line 1 column 20; update it, and report it to its makers if that does not help
    big: [again] Fake sent more than 8388608 bytes in one message; it was ended, and may do better with less to do
    overloaded: [again] Fake refused session/prompt with error -32603: Internal error: 429 Too Many Requests; start it in a terminal to see more
    mute: [again] Fake said nothing for 1 s during initialize; it was ended, and may do better next time
    silence: [again] Fake said nothing for 1 s during session/prompt; it was ended, and may do better next time
    endless: [again] Fake sent more than 1000000 bytes in one turn; it was ended, and may do better with less to do
    endless,ignore-cancel: [again] Fake was not done after 2 s, during session/prompt; it was ended; give it less to do, or more time in the settings
    "#);
}

#[tokio::test]
async fn an_agent_that_cannot_be_started_is_reported() {
    let mut stage = AgentHarness::idle("");
    let mut said = Vec::new();
    stage.spec.command = vec!["collie-no-such-agent".into(), "acp".into()];
    said.push(find_agent(&stage.spec, &stage.env).await.unwrap_err());
    let broken = stage.cwd.join("broken");
    write_program(&broken, [0x7f, b'E', b'L', b'F', 0, 0]);
    let rights = |mode| std::fs::Permissions::from_mode(mode);
    std::fs::set_permissions(&broken, rights(0o644)).unwrap();
    stage.spec.command = vec![broken.to_str().unwrap().into()];
    said.push(find_agent(&stage.spec, &stage.env).await.unwrap_err());
    std::fs::set_permissions(&broken, rights(0o755)).unwrap();
    said.push(
        self_test(&stage.spec, &stage.env, &runner(), Duration::from_secs(9))
            .await
            .unwrap_err(),
    );
    stage.spec.command = vec![collie_fake_agent::program().to_str().unwrap().into()];
    let mut turn = stage.turn_request(AgentRole::Fixer);
    turn.cwd = stage.cwd.join("gone");
    said.push(stage.run(&turn).await.result.unwrap_err());
    assert!(!said.iter().any(|failed| failed.is_transient()));
    let said: Vec<_> = said.iter().map(ToString::to_string).collect();
    let said = said.join("\n").replace(stage.cwd.to_str().unwrap(), "CWD");
    let program = collie_fake_agent::program();
    insta::assert_snapshot!(said.replace(program.to_str().unwrap(), "FAKE"), @r#"
    Fake: there is no program `collie-no-such-agent` that can be run; install it where PATH finds it, or name its command in the settings
    Fake: there is no program `CWD/broken` that can be run; install it where PATH finds it, or name its command in the settings
    Fake: `CWD/broken` could not be started: sandbox: CWD/broken cannot be started: Exec format error (os error 8)
    Fake: `FAKE` could not be started: CWD/gone: entity not found
    "#);
}

#[tokio::test]
async fn a_self_test_reports_that_a_login_is_missing() {
    let stage = AgentHarness::idle("login");
    let failed = self_test(&stage.spec, &stage.env, &runner(), Duration::from_secs(60))
        .await
        .unwrap_err();
    insta::assert_snapshot!(failed, @"Fake asks to log in first (API key): Authentication required: no key is set; log in with its own command, or set its API key");
}

#[tokio::test]
async fn what_an_agent_did_to_the_folder_stands_there_to_be_judged() {
    let stage = AgentHarness::idle("out-of-scope,delete-test");
    std::fs::create_dir(stage.cwd.join("tests")).unwrap();
    std::fs::write(stage.cwd.join("tests/a.rs"), "").unwrap();
    stage
        .run(&stage.turn_request(AgentRole::Fixer))
        .await
        .result
        .unwrap();
    assert!(stage.cwd.join("out-of-scope.txt").exists());
    assert!(!stage.cwd.join("tests/a.rs").exists());
}

#[test]
fn a_full_disk_may_be_freed_and_a_limit_is_passed_again() {
    for (stop, is_transient) in [
        (DiskStop::DiskFull, true),
        (DiskStop::LimitPassed { bytes: 1 << 20 }, false),
    ] {
        let agent = "Fake".to_owned();
        let failure = AgentFailure::DiskFilled { agent, stop };
        assert_eq!(failure.is_transient(), is_transient, "{failure}");
    }
}

#[tokio::test]
async fn an_agent_that_fills_the_disk_is_ended_and_the_limit_is_named() {
    let mut stage = AgentHarness::idle("");
    let fill = "head -c 4000000 /dev/zero > large; sleep 60";
    stage.spec.command = ["sh", "-c", fill].map(str::to_owned).into();
    let mut turn = stage.turn_request(AgentRole::Fixer);
    turn.sandbox.limits.disk_bytes = 1 << 20;
    let ran = stage.run(&turn).await;
    let stop = DiskStop::LimitPassed { bytes: 1 << 20 };
    let agent = "Fake".into();
    assert_eq!(
        ran.result.unwrap_err(),
        AgentFailure::DiskFilled { agent, stop }
    );
}
