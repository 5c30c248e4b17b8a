//! The parts that are being played: one a scenario, none beyond the end of the playground.

use super::demo_speed::DemoSpeed;
use crate::demo::Scenario;
use crate::demo::actors::{self, ActorTiming, ScenarioPull};
use crate::demo::forge_client::ForgeClient;
use collie_core::ids::PullName;
use collie_core::loop_state::LoopState;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;
use tokio::task::JoinHandle;
use tokio_util::sync::{CancellationToken, DropGuard};

/// How often somebody tries what fails, before they give up.
const MAX_ATTEMPTS: u32 = 5;

/// How long they wait in between.
const RETRY_DELAY: Duration = Duration::from_secs(1);

/// Who waits for Collie to take a pull request up believes after this long that it has.
const ASSUME_OBSERVED_AFTER: Duration = Duration::from_secs(8);

/// A part under way. It ends when this is dropped.
#[derive(Debug)]
struct ActorTask {
    stop: DropGuard,
    done: JoinHandle<()>,
}

/// Every part under way.
#[derive(Debug, Default)]
pub(super) struct ActorTasks(Mutex<BTreeMap<Scenario, ActorTask>>);

impl ActorTasks {
    /// Begins a part. One that is under way ends before.
    pub(super) fn start(
        &self,
        client: ForgeClient,
        target: ScenarioPull,
        speed: DemoSpeed,
        changes: Receiver<Arc<LoopState>>,
    ) {
        let scenario = target.scenario;
        let stop = CancellationToken::new();
        let over = wait_for_loop_end(changes.resubscribe(), target.pull.clone());
        let mut parts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let before = parts.remove(&scenario);
        let done = tokio::spawn({
            let stop = stop.clone();
            async move {
                if let Some(before) = before {
                    stop_and_join(before).await;
                }
                tokio::select! {
                    () = stop.cancelled() => {}
                    () = over => {}
                    () = run_with_retries(&client, &target, speed, changes) => {}
                }
            }
        });
        let part = ActorTask {
            stop: stop.drop_guard(),
            done,
        };
        parts.insert(scenario, part);
    }

    /// Ends a scenario's part, if it is under way.
    pub(super) async fn stop(&self, scenario: Scenario) {
        let part = {
            let mut parts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            parts.remove(&scenario)
        };
        if let Some(part) = part {
            stop_and_join(part).await;
        }
    }

    /// Ends all.
    pub(super) async fn stop_all(&self) {
        let parts = {
            let mut parts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            std::mem::take(&mut *parts)
        };
        for part in parts.into_values() {
            stop_and_join(part).await;
        }
    }
}

async fn stop_and_join(part: ActorTask) {
    let ActorTask { stop, done } = part;
    drop(stop);
    if let Err(error) = done.await {
        tracing::error!(%error, "a part of the demo broke off");
    }
}

/// Plays, and tries again what fails: git and the forge may be busy for a moment.
async fn run_with_retries(
    client: &ForgeClient,
    target: &ScenarioPull,
    speed: DemoSpeed,
    mut changes: Receiver<Arc<LoopState>>,
) {
    let timing = ActorTiming {
        reaction_delay: match speed {
            DemoSpeed::Fast => Duration::ZERO,
            DemoSpeed::Watchable => Duration::from_secs(3),
        },
        wait_timeout: None,
        assume_observed_after: Some(ASSUME_OBSERVED_AFTER),
    };
    for _ in 0..MAX_ATTEMPTS {
        let next = changes.resubscribe();
        match actors::run_actions(
            client,
            target,
            timing,
            std::mem::replace(&mut changes, next),
        )
        .await
        {
            Ok(()) => return,
            Err(error) => {
                tracing::warn!(scenario = %target.scenario, %error, "somebody of the demo's cast tries again")
            }
        }
        tokio::time::sleep(RETRY_DELAY).await;
    }
    tracing::error!(scenario = %target.scenario, "somebody of the demo's cast gave up");
}

/// Returns when the loop of a pull request has ended, or the engine.
async fn wait_for_loop_end(mut changes: Receiver<Arc<LoopState>>, pull: PullName) {
    loop {
        match changes.recv().await {
            Ok(state) if actors::is_loop_of(&state, &pull) && state.run.state.is_terminal() => {
                return;
            }
            Ok(_) | Err(RecvError::Lagged(_)) => {}
            Err(RecvError::Closed) => return,
        }
    }
}
