//! What one turn of an agent costs, as far as the agent tells, also where the turn has no end of its own (§15).

use crate::usage::{agent_tokens, micros_from_dollars};
use collie_agents::acp::{AgentProgress, Resumption, TurnUsage};
use collie_core::usage::Usage;
use collie_engine::ports::SessionMeter;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What an agent has told of a turn's costs so far.
#[derive(Debug, Default)]
pub(super) struct Told {
    /// The most that its session held, in tokens: as much was read at least.
    context_tokens: u64,
    /// What it told when the turn was broken off.
    usage: Option<TurnUsage>,
    pub(super) session_cost_usd: Option<f64>,
    pub(super) is_resumed: bool,
}

/// Counts what a turn spends that has no end of its own, when it is dropped.
pub(super) struct TurnCosts {
    told: Mutex<Told>,
    meter: SessionMeter,
    /// What the agent is called.
    agent: String,
    /// What the saved session had cost before, in millionths of a dollar.
    reported_before: u64,
}

impl TurnCosts {
    pub(super) fn new(agent: &str, meter: &SessionMeter, reported_before: u64) -> Self {
        Self {
            told: Mutex::default(),
            meter: meter.clone(),
            agent: agent.to_owned(),
            reported_before,
        }
    }

    pub(super) fn told(&self) -> MutexGuard<'_, Told> {
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
        let before = match told.is_resumed {
            true => self.reported_before,
            false => 0,
        };
        let of_context = Usage {
            input_tokens: told.context_tokens,
            ..Usage::default()
        };
        let tokens = told.usage.map_or(of_context, agent_tokens);
        // Nothing has no price.
        if told.session_cost_usd.is_none() && !tokens.is_nothing() {
            return tokens.without_price();
        }
        Usage {
            cost_micros: micros_from_dollars(told.session_cost_usd).saturating_sub(before),
            ..tokens
        }
    }
}

/// Adds what was told so far, unless the turn has come to its end.
pub(super) struct CountedOnDrop {
    pub(super) costs: Arc<TurnCosts>,
    pub(super) has_ended: bool,
}

impl Drop for CountedOnDrop {
    fn drop(&mut self) {
        if !self.has_ended {
            let costs = &self.costs;
            costs.meter.add(&costs.agent, costs.so_far());
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
        let costs = Arc::new(TurnCosts::new("Codex", &meter, 100_000));
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
            unpriced_tokens: if unpriced {
                input_tokens + output_tokens
            } else {
                0
            },
        };
        let nothing = [session(Resumption::Fresh)];
        assert_eq!(counted(&nothing), Usage::default(), "no model was asked");
        let usage_of_nothing = TurnUsage::default();
        let zeros = [AgentProgress::Spent {
            usage: usage_of_nothing,
        }];
        assert!(
            counted(&zeros).is_nothing(),
            "it answers the cancel with zeros"
        );
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
