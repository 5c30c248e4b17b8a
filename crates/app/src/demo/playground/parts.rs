//! The parts that are being played: one a scenario, none beyond the end of the playground.

use super::Pace;
use crate::demo::Scenario;
use crate::demo::cast::{self, Place, Temper};
use crate::demo::door::Forge;
use collie_core::ids::PullName;
use collie_core::model::LoopState;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;
use tokio::task::JoinHandle;
use tokio_util::sync::{CancellationToken, DropGuard};

/// How often somebody tries what fails, before they give up.
const TRIES: u32 = 5;

/// How long they wait in between.
const PAUSE: Duration = Duration::from_secs(1);

/// Who waits for Collie to take a pull request up believes after this long that it has.
const BELIEF: Duration = Duration::from_secs(8);

/// A part under way. It ends when this is dropped.
#[derive(Debug)]
struct Part {
    stop: DropGuard,
    done: JoinHandle<()>,
}

/// Every part under way.
#[derive(Debug, Default)]
pub(super) struct Parts(Mutex<BTreeMap<Scenario, Part>>);

impl Parts {
    /// Begins a part. One that is under way ends before.
    pub(super) fn begin(
        &self,
        door: Forge,
        place: Place,
        pace: Pace,
        changes: Receiver<Arc<LoopState>>,
    ) {
        let scenario = place.scenario;
        let stop = CancellationToken::new();
        let over = over(changes.resubscribe(), place.pull.clone());
        let mut parts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let before = parts.remove(&scenario);
        let done = tokio::spawn({
            let stop = stop.clone();
            async move {
                if let Some(before) = before {
                    ended(before).await;
                }
                tokio::select! {
                    () = stop.cancelled() => {}
                    () = over => {}
                    () = perform(&door, &place, pace, changes) => {}
                }
            }
        });
        let part = Part {
            stop: stop.drop_guard(),
            done,
        };
        parts.insert(scenario, part);
    }

    /// Ends a scenario's part, if it is under way.
    pub(super) async fn end(&self, scenario: Scenario) {
        let part = {
            let mut parts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            parts.remove(&scenario)
        };
        if let Some(part) = part {
            ended(part).await;
        }
    }

    /// Ends all.
    pub(super) async fn close(&self) {
        let parts = {
            let mut parts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            std::mem::take(&mut *parts)
        };
        for part in parts.into_values() {
            ended(part).await;
        }
    }
}

async fn ended(part: Part) {
    let Part { stop, done } = part;
    drop(stop);
    if let Err(error) = done.await {
        tracing::error!(%error, "a part of the demo broke off");
    }
}

/// Plays, and tries again what fails: git and the forge may be busy for a moment.
async fn perform(door: &Forge, place: &Place, pace: Pace, mut changes: Receiver<Arc<LoopState>>) {
    let temper = Temper {
        lag: match pace {
            Pace::Brisk => Duration::ZERO,
            Pace::Watchable => Duration::from_secs(3),
        },
        patience: None,
        belief: Some(BELIEF),
    };
    for _ in 0..TRIES {
        let next = changes.resubscribe();
        match cast::play(door, place, temper, std::mem::replace(&mut changes, next)).await {
            Ok(()) => return,
            Err(error) => {
                tracing::warn!(scenario = %place.scenario, %error, "somebody of the demo's cast tries again")
            }
        }
        tokio::time::sleep(PAUSE).await;
    }
    tracing::error!(scenario = %place.scenario, "somebody of the demo's cast gave up");
}

/// Returns when the loop of a pull request has ended, or the engine.
async fn over(mut changes: Receiver<Arc<LoopState>>, pull: PullName) {
    loop {
        match changes.recv().await {
            Ok(state) if cast::is_of(&state, &pull) && state.state.is_terminal() => return,
            Ok(_) | Err(RecvError::Lagged(_)) => {}
            Err(RecvError::Closed) => return,
        }
    }
}
