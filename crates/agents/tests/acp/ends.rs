//! However a turn ends, nothing of the agent is left.

use crate::stage::{Stage, until_alive, until_empty};
use collie_agents::acp::{AgentFailure, Progress, Role, run};
use std::time::Duration;
use tokio_util::sync::CancellationToken;

fn has_spoken(progress: &Progress) -> bool {
    matches!(progress, Progress::Text { .. })
}

#[tokio::test]
async fn a_cancelled_agent_ends_within_ten_seconds_with_all_that_it_started() {
    let strays = "orphan,daemon,bare-orphan";
    for ways in [
        "silence",
        "endless",
        "silence,ignore-cancel",
        &format!("silence,ignore-cancel,{strays}"),
    ] {
        let stage = Stage::idle(ways);
        let ran = stage.run_until(&stage.turn(Role::Fixer), has_spoken).await;
        assert_eq!(
            ran.end,
            Err(AgentFailure::Cancelled {
                agent: "Fake".into()
            })
        );
        println!(
            "{ways}: {:.1} s from cancel to the last process gone",
            ran.took.as_secs_f32()
        );
        assert!(ran.took < Duration::from_secs(10), "{ways}: {:?}", ran.took);
    }
}

#[tokio::test]
async fn a_cancel_is_heard_at_every_step() {
    let stage = Stage::idle("silence");
    let ran = stage
        .run_until(&stage.turn(Role::Fixer), |p| {
            matches!(p, Progress::Started { .. })
        })
        .await;
    assert_eq!(
        ran.end,
        Err(AgentFailure::Cancelled {
            agent: "Fake".into()
        })
    );
    assert_eq!(ran.heard.len(), 1, "no session was opened: {:?}", ran.heard);

    let cancel = CancellationToken::new();
    cancel.cancel();
    let end = run(&stage.turn(Role::Fixer), |_| (), &cancel).await;
    assert_eq!(
        end,
        Err(AgentFailure::Cancelled {
            agent: "Fake".into()
        })
    );
}

#[tokio::test]
async fn what_a_turn_leaves_running_is_ended_with_it() {
    for ways in [
        "orphan",
        "daemon",
        "bare-orphan",
        "linger",
        "linger,orphan,daemon,bare-orphan",
        "crash,orphan,daemon",
    ] {
        let stage = Stage::idle(ways);
        let ran = stage.run(&stage.turn(Role::Fixer)).await;
        assert_eq!(ran.end.is_ok(), !ways.contains("crash"), "{:?}", ran.end);
    }
}

#[tokio::test]
async fn a_dropped_turn_is_killed_with_all_that_it_started() {
    let stage = Stage::idle("silence,ignore-cancel,orphan,daemon,bare-orphan");
    let turn = stage.turn(Role::Fixer);
    let (spoke, heard) = tokio::sync::oneshot::channel();
    let spoke = std::sync::Mutex::new(Some(spoke));
    let tell = move |progress: Progress| {
        if has_spoken(&progress) {
            // Later words find nobody who waits.
            let _ = spoke.lock().unwrap().take().map(|spoke| spoke.send(()));
        }
    };
    let task = tokio::spawn(async move { run(&turn, tell, &CancellationToken::new()).await });
    heard.await.unwrap();
    // The agent and three strays.
    until_alive(&stage.cwd, 4).await;
    task.abort();
    assert!(task.await.unwrap_err().is_cancelled());
    until_empty(&stage.cwd).await;
}

#[tokio::test]
async fn a_panic_in_the_listener_leaves_nothing_behind() {
    let stage = Stage::idle("silence,orphan");
    let turn = stage.turn(Role::Fixer);
    let tell = |progress: Progress| assert!(!has_spoken(&progress), "the listener breaks");
    let task = tokio::spawn(async move { run(&turn, tell, &CancellationToken::new()).await });
    assert!(task.await.unwrap_err().is_panic());
    until_empty(&stage.cwd).await;
}
