//! One turn of an agent, whose costs are counted however it ends (§15).

use crate::activity::WorkerHandle;
use crate::observer::agent_observer;
use crate::usage::{agent_tokens, agent_turn_usage, micros_from_dollars};
use collie_agents::acp::{
    AgentFailure, AgentProgress, Resumption, TurnEnd, TurnRequest, TurnUsage, run_turn,
};
use collie_core::usage::Usage;
use collie_engine::ports::SessionMeter;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio_util::sync::CancellationToken;

/// A turn without a result.
pub(super) struct BrokenTurn {
    /// Why.
    pub(super) failure: AgentFailure,
    /// What the session that it went on with has cost by now, in millionths of a dollar, as far as the agent told; none of a new session.
    pub(super) resumed_cost_micros: Option<u64>,
}

/// What an agent has told of a turn's costs so far.
#[derive(Debug, Default)]
struct Told {
    /// The most that its session held, in tokens: as much was read at least.
    context_tokens: u64,
    /// What it told when the turn was broken off.
    usage: Option<TurnUsage>,
    session_cost_usd: Option<f64>,
    is_resumed: bool,
}

/// Counts what a turn spends that has no end of its own, when it is dropped.
pub(super) struct TurnCosts {
    told: Mutex<Told>,
    meter: SessionMeter,
    /// What the saved session had cost before, in millionths of a dollar.
    reported_before: u64,
}

impl TurnCosts {
    pub(super) fn new(meter: &SessionMeter, reported_before: u64) -> Self {
        Self {
            told: Mutex::default(),
            meter: meter.clone(),
            reported_before,
        }
    }

    fn told(&self) -> MutexGuard<'_, Told> {
        self.told.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Hears what an agent tells; the tokens and the cost of the whole session so far, where they have changed.
    pub(super) fn hear(&self, progress: &AgentProgress) -> Option<Usage> {
        let mut told = self.told();
        match progress {
            AgentProgress::Session { resumption, .. } => {
                told.is_resumed = *resumption == Resumption::Resumed;
                return None;
            }
            AgentProgress::Context {
                tokens,
                session_cost_usd,
            } => {
                told.context_tokens = told.context_tokens.max(*tokens);
                told.session_cost_usd = session_cost_usd.or(told.session_cost_usd);
            }
            AgentProgress::Spent { usage } => told.usage = Some(*usage),
            AgentProgress::Started { .. }
            | AgentProgress::Text { .. }
            | AgentProgress::Tool { .. }
            | AgentProgress::Plan { .. }
            | AgentProgress::Untaken { .. }
            | AgentProgress::Refused { .. } => return None,
        }
        drop(told);
        let mut so_far = self.meter.total();
        so_far += self.so_far();
        Some(so_far)
    }

    /// What the turn has cost by now: what the agent says of it, else what its session holds.
    fn so_far(&self) -> Usage {
        let told = self.told();
        let nothing = told.usage.is_none() && told.context_tokens == 0;
        if nothing && told.session_cost_usd.is_none() {
            return Usage::default();
        }
        let before = match told.is_resumed {
            true => self.reported_before,
            false => 0,
        };
        let of_context = Usage {
            input_tokens: told.context_tokens,
            ..Usage::default()
        };
        Usage {
            cost_micros: micros_from_dollars(told.session_cost_usd).saturating_sub(before),
            unpriced: told.session_cost_usd.is_none(),
            ..told.usage.map_or(of_context, agent_tokens)
        }
    }
}

/// Adds what was told so far, unless the turn has come to its end.
struct CountedOnDrop {
    costs: Arc<TurnCosts>,
    has_ended: bool,
}

impl Drop for CountedOnDrop {
    fn drop(&mut self) {
        if !self.has_ended {
            self.costs.meter.add(self.costs.so_far());
        }
    }
}

/// Runs one turn and counts what it spends: of a turn that fails, is cancelled or dropped, what the agent has told of it.
pub(super) async fn run_counted_turn(
    turn: &TurnRequest,
    worker: &Arc<WorkerHandle>,
    meter: &SessionMeter,
    reported_before: u64,
    cancel: &CancellationToken,
) -> Result<TurnEnd, BrokenTurn> {
    let costs = Arc::new(TurnCosts::new(meter, reported_before));
    let mut counted = CountedOnDrop {
        costs: costs.clone(),
        has_ended: false,
    };
    let observer = agent_observer(&turn.spec.id, &turn.cwd, worker, costs.clone(), meter);
    match run_turn(turn, observer, cancel).await {
        Ok(end) => {
            counted.has_ended = true;
            meter.add(agent_turn_usage(&end, reported_before));
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

#[cfg(test)]
mod tests {
    use super::*;

    fn context(tokens: u64, session_cost_usd: Option<f64>) -> AgentProgress {
        AgentProgress::Context {
            tokens,
            session_cost_usd,
        }
    }

    fn session(resumption: Resumption) -> AgentProgress {
        AgentProgress::Session {
            id: "s".into(),
            resumption,
        }
    }

    /// What is counted of a turn that told this and was broken off.
    fn counted(told: &[AgentProgress]) -> Usage {
        let meter = SessionMeter::default();
        let costs = Arc::new(TurnCosts::new(&meter, 100_000));
        for progress in told {
            costs.hear(progress);
        }
        drop(CountedOnDrop {
            costs,
            has_ended: false,
        });
        meter.total()
    }

    #[test]
    fn a_turn_that_is_broken_off_costs_what_the_agent_has_told() {
        let usage = |input_tokens, output_tokens, cost_micros, unpriced| Usage {
            input_tokens,
            output_tokens,
            cost_micros,
            unpriced,
        };
        let nothing = [session(Resumption::Fresh)];
        assert_eq!(counted(&nothing), Usage::default(), "no model was asked");
        let contexts = [context(700, None), context(900, None), context(800, None)];
        assert_eq!(counted(&contexts), usage(900, 0, 0, true));
        let spent = TurnUsage {
            input_tokens: 600,
            output_tokens: 50,
            cached_read_tokens: 400,
            ..TurnUsage::default()
        };
        let answered = [
            context(700, Some(0.25)),
            AgentProgress::Spent { usage: spent },
        ];
        assert_eq!(counted(&answered), usage(1_000, 50, 250_000, false));
        let resumed = [session(Resumption::Resumed), context(700, Some(0.25))];
        assert_eq!(counted(&resumed), usage(700, 0, 150_000, false));
    }

    #[test]
    fn numbers_that_no_agent_can_mean_do_no_harm() {
        let spent = TurnUsage {
            input_tokens: u64::MAX,
            output_tokens: u64::MAX,
            cached_read_tokens: u64::MAX,
            cached_write_tokens: u64::MAX,
        };
        let told = [
            context(u64::MAX, Some(f64::MAX)),
            AgentProgress::Spent { usage: spent },
        ];
        assert_eq!(counted(&told).input_tokens, u64::MAX);
        assert_eq!(counted(&told).cost_micros, 0, "that is no amount");
    }
}
