//! However a turn ends, nothing of the agent is left.

use crate::harness::{AgentHarness, wait_for_processes, wait_until_empty};
use collie_agents::acp::{AgentFailure, AgentProgress, AgentRole, TurnUsage, run_turn};
use std::time::Duration;
use tokio_util::sync::CancellationToken;

fn is_text(progress: &AgentProgress) -> bool {
    matches!(progress, AgentProgress::Text { .. })
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
        let stage = AgentHarness::idle(ways);
        let ran = stage
            .run_until(&stage.turn_request(AgentRole::Fixer), is_text)
            .await;
        assert_eq!(
            ran.result,
            Err(AgentFailure::Cancelled {
                agent: "Fake".into()
            })
        );
        println!(
            "{ways}: {:.1} s from cancel to the last process gone",
            ran.elapsed.as_secs_f32()
        );
        assert!(
            ran.elapsed < Duration::from_secs(10),
            "{ways}: {:?}",
            ran.elapsed
        );
    }
}

#[tokio::test]
async fn what_a_cancelled_agent_tells_of_its_costs_is_heard() {
    let stage = AgentHarness::idle("silence,tell-spent");
    let ran = stage
        .run_until(&stage.turn_request(AgentRole::Fixer), is_text)
        .await;
    assert!(matches!(ran.result, Err(AgentFailure::Cancelled { .. })));
    let context = AgentProgress::Context {
        tokens: 600,
        session_cost_usd: None,
    };
    assert!(ran.progress.contains(&context), "{:?}", ran.progress);
    let usage = TurnUsage {
        input_tokens: 600,
        output_tokens: 50,
        ..TurnUsage::default()
    };
    assert_eq!(ran.progress.last(), Some(&AgentProgress::Spent { usage }));
}

#[tokio::test]
async fn a_cancel_is_received_at_every_step() {
    let stage = AgentHarness::idle("silence");
    let ran = stage
        .run_until(&stage.turn_request(AgentRole::Fixer), |p| {
            matches!(p, AgentProgress::Started { .. })
        })
        .await;
    assert_eq!(
        ran.result,
        Err(AgentFailure::Cancelled {
            agent: "Fake".into()
        })
    );
    assert_eq!(
        ran.progress.len(),
        1,
        "no session was opened: {:?}",
        ran.progress
    );

    let cancel = CancellationToken::new();
    cancel.cancel();
    let end = run_turn(&stage.turn_request(AgentRole::Fixer), |_| (), &cancel).await;
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
        let stage = AgentHarness::idle(ways);
        let ran = stage.run(&stage.turn_request(AgentRole::Fixer)).await;
        assert_eq!(
            ran.result.is_ok(),
            !ways.contains("crash"),
            "{:?}",
            ran.result
        );
    }
}

#[tokio::test]
async fn a_dropped_turn_is_killed_with_all_that_it_started() {
    let stage = AgentHarness::idle("silence,ignore-cancel,orphan,daemon,bare-orphan");
    let turn = stage.turn_request(AgentRole::Fixer);
    let (spoke_sender, spoke_receiver) = tokio::sync::oneshot::channel();
    let shared_sender = std::sync::Mutex::new(Some(spoke_sender));
    let on_progress = move |progress: AgentProgress| {
        if is_text(&progress) {
            // Later words find nobody who waits.
            if let Some(sender) = shared_sender.lock().unwrap().take() {
                sender.send(()).unwrap();
            }
        }
    };
    let task =
        tokio::spawn(async move { run_turn(&turn, on_progress, &CancellationToken::new()).await });
    spoke_receiver.await.unwrap();
    // The agent and three strays, behind bubblewrap's two processes and the supervisor.
    wait_for_processes(&stage.cwd, 7).await;
    task.abort();
    assert!(task.await.unwrap_err().is_cancelled());
    wait_until_empty(&stage.cwd).await;
}

#[tokio::test]
async fn a_panic_in_the_listener_leaves_nothing_behind() {
    let stage = AgentHarness::idle("silence,orphan");
    let turn = stage.turn_request(AgentRole::Fixer);
    let on_progress = |progress: AgentProgress| assert!(!is_text(&progress), "the listener breaks");
    let task =
        tokio::spawn(async move { run_turn(&turn, on_progress, &CancellationToken::new()).await });
    assert!(task.await.unwrap_err().is_panic());
    wait_until_empty(&stage.cwd).await;
}
