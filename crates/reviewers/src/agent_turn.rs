//! One turn of an agent, whose costs are counted however it ends (§15).

use crate::activity::WorkerHandle;
use crate::observer::agent_observer;
use crate::turn_costs::{CountedOnDrop, TurnCosts};
use crate::usage::{agent_turn_usage, micros_from_dollars};
use collie_agents::acp::{AgentFailure, TurnEnd, TurnRequest, run_turn};
use collie_engine::ports::SessionMeter;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// A turn without a result.
pub(super) struct BrokenTurn {
    /// Why.
    pub(super) failure: AgentFailure,
    /// What the session that it went on with has cost by now, in millionths of a dollar, as far as the agent told; none of a new session.
    pub(super) resumed_cost_micros: Option<u64>,
}

/// Runs one turn and counts what it spends: of a turn that fails, is cancelled or dropped, what the agent has told of it.
pub(super) async fn run_counted_turn(
    turn: &TurnRequest,
    worker: &Arc<WorkerHandle>,
    meter: &SessionMeter,
    reported_before: u64,
    cancel: &CancellationToken,
) -> Result<TurnEnd, BrokenTurn> {
    let costs = Arc::new(TurnCosts::new(&turn.spec.name, meter, reported_before));
    let mut counted = CountedOnDrop {
        costs: costs.clone(),
        has_ended: false,
    };
    let observer = agent_observer(&turn.spec.id, &turn.cwd, worker, costs.clone(), meter);
    match run_turn(turn, observer, cancel).await {
        Ok(end) => {
            counted.has_ended = true;
            meter.add(&turn.spec.name, agent_turn_usage(&end, reported_before));
            worker.set_spent(meter.total());
            Ok(end)
        }
        Err(failure) => {
            let told = costs.told();
            let cost = told.session_cost_usd.filter(|_| told.is_resumed);
            Err(BrokenTurn {
                failure,
                resumed_cost_micros: cost.map(|cost| micros_from_dollars(Some(cost))),
            })
        }
    }
}
