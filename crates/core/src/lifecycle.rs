//! The states of a loop and the one table of moves between them (§2).

use serde::{Deserialize, Serialize};
use std::fmt;

/// Where a loop stands; persisted and printed as written here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// Accepted; permission and configuration are checked.
    PrCreated,
    /// Waits for CI and bots on this head.
    PrAwaitingChecks,
    /// The panel reviews, people are waited for.
    PrReviewing,
    /// The fixer works; the result is verified and pushed.
    PrFixing,
    /// A person decides; still watched.
    PrReadyToMerge,
    /// GitHub says merged.
    Merged,
    /// GitHub says closed.
    Closed,
    /// A person cancelled.
    Cancelled,
    /// Stopped on purpose.
    NeedsHuman,
    /// Could not go on.
    Failed,
}

/// Every state, in the order of the table.
pub const STATES: [State; 10] = [
    State::PrCreated,
    State::PrAwaitingChecks,
    State::PrReviewing,
    State::PrFixing,
    State::PrReadyToMerge,
    State::Merged,
    State::Closed,
    State::Cancelled,
    State::NeedsHuman,
    State::Failed,
];

const fn bit(state: State) -> u16 {
    1 << state as u16
}

const TERMINALS: u16 = bit(State::Merged)
    | bit(State::Closed)
    | bit(State::Cancelled)
    | bit(State::NeedsHuman)
    | bit(State::Failed);

/// For each state the set of states it may go to, one bit a state. A terminal's set is empty.
const TRANSITIONS: [u16; 10] = [
    bit(State::PrAwaitingChecks) | TERMINALS,
    bit(State::PrReviewing) | bit(State::PrFixing) | bit(State::PrReadyToMerge) | TERMINALS,
    bit(State::PrReadyToMerge) | bit(State::PrFixing) | bit(State::PrAwaitingChecks) | TERMINALS,
    bit(State::PrAwaitingChecks) | bit(State::PrReviewing) | TERMINALS,
    bit(State::PrAwaitingChecks) | bit(State::PrFixing) | TERMINALS,
    0,
    0,
    0,
    0,
    0,
];

impl State {
    /// Whether the table allows the move.
    pub fn can_transition_to(self, next: State) -> bool {
        TRANSITIONS[self as usize] & bit(next) != 0
    }

    /// Whether nothing follows.
    pub fn is_terminal(self) -> bool {
        TRANSITIONS[self as usize] == 0
    }

    /// Whether it is over for good: nobody goes on with it, nor has anything to say of it.
    pub fn is_over(self) -> bool {
        match self {
            State::Merged | State::Closed | State::Cancelled => true,
            State::PrCreated
            | State::PrAwaitingChecks
            | State::PrReviewing
            | State::PrFixing
            | State::PrReadyToMerge
            | State::NeedsHuman
            | State::Failed => false,
        }
    }

    /// Whether a person may cancel the run.
    pub fn may_cancel(self) -> bool {
        !self.is_terminal()
    }

    /// Whether a person may begin a fresh run: the last one has ended, and not by a merge. A closed pull request may have been
    /// opened again.
    pub fn may_retry(self) -> bool {
        self.is_terminal() && self != State::Merged
    }

    /// Whether a person may begin a run that goes on with what is known.
    pub fn may_resume(self) -> bool {
        self == State::NeedsHuman
    }

    /// Whether a person may merge, as far as the loop is concerned (§11).
    pub fn may_merge(self) -> bool {
        self == State::PrReadyToMerge
    }

    /// The name, as persisted.
    pub fn as_str(self) -> &'static str {
        match self {
            State::PrCreated => "pr_created",
            State::PrAwaitingChecks => "pr_awaiting_checks",
            State::PrReviewing => "pr_reviewing",
            State::PrFixing => "pr_fixing",
            State::PrReadyToMerge => "pr_ready_to_merge",
            State::Merged => "merged",
            State::Closed => "closed",
            State::Cancelled => "cancelled",
            State::NeedsHuman => "needs_human",
            State::Failed => "failed",
        }
    }
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_the_one_of_the_specification() {
        use State::*;
        let open: &[(State, &[State])] = &[
            (PrCreated, &[PrAwaitingChecks]),
            (PrAwaitingChecks, &[PrReviewing, PrFixing, PrReadyToMerge]),
            (PrReviewing, &[PrReadyToMerge, PrFixing, PrAwaitingChecks]),
            (PrFixing, &[PrAwaitingChecks, PrReviewing]),
            (PrReadyToMerge, &[PrAwaitingChecks, PrFixing]),
        ];
        let terminals = [Merged, Closed, Cancelled, NeedsHuman, Failed];
        for from in STATES {
            for to in STATES {
                let allowed = open.iter().any(|(state, next)| {
                    *state == from && (next.contains(&to) || terminals.contains(&to))
                });
                assert_eq!(from.can_transition_to(to), allowed, "{from} → {to}");
            }
            assert_eq!(from.is_terminal(), terminals.contains(&from));
        }
    }

    #[test]
    fn states_are_persisted_under_their_names() {
        for state in STATES {
            let json = serde_json::to_string(&state).unwrap();
            assert_eq!(json, format!("\"{state}\""));
            assert_eq!(serde_json::from_str::<State>(&json).unwrap(), state);
        }
    }
}
