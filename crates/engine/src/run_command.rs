//! What a person asks of the run of a loop, whoever keeps the loop.

use crate::command_error::CommandError;
use crate::engine_ports::EffectPorts;
use crate::loop_start::StartError;
use collie_core::event::{Cancel, Event, NextRun};
use collie_core::ids::Login;
use collie_core::loop_state::LoopState;

/// More than that is a setting to change, not a word about one run.
const MAX_EXTRA_ROUNDS: u32 = 10;

/// What a person asks of the run of a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunCommand {
    /// It is to end.
    Cancel,
    /// A fresh run, after one that has ended.
    Retry,
    /// A run that goes on with what is known, after `needs_human`.
    Resume {
        /// Rounds more than the settings say.
        extra_rounds: u32,
    },
}

impl RunCommand {
    /// Whether a loop may be asked for it as it stands.
    ///
    /// # Errors
    /// Why not.
    pub fn check(self, state: &LoopState) -> Result<(), CommandError> {
        let now = state.run.state;
        let (may, ended) = match self {
            Self::Cancel => (now.may_cancel(), true),
            Self::Retry => (now.may_retry(), now.is_terminal()),
            Self::Resume { .. } => (now.may_resume(), now.is_terminal()),
        };
        let pull = state.pull_name();
        match (may, ended, self) {
            (true, ..) => Ok(()),
            (false, true, Self::Resume { .. }) => {
                Err(CommandError::NotResumable { pull, state: now })
            }
            (false, true, _) => Err(CommandError::HasEnded { pull, state: now }),
            (false, false, _) => Err(CommandError::StillRunning { pull, state: now }),
        }
    }

    /// The event that tells the loop.
    ///
    /// # Errors
    /// The settings of the repository cannot be used.
    pub fn event(
        self,
        ports: &EffectPorts,
        state: &LoopState,
        by: Login,
    ) -> Result<Event, StartError> {
        let (extra_rounds, wrap): (u32, fn(NextRun) -> Event) = match self {
            Self::Cancel => return Ok(Event::Cancel(Cancel { by })),
            Self::Retry => (0, Event::Retry),
            Self::Resume { extra_rounds } => (extra_rounds.min(MAX_EXTRA_ROUNDS), Event::Resume),
        };
        let settings = ports.policy_source.policy(&state.pull.repo, None);
        Ok(wrap(NextRun {
            by,
            run: ports.clock.run_id(),
            policy: Box::new(settings.map_err(StartError::Config)?.policy),
            extra_rounds,
        }))
    }
}
