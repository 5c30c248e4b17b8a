//! What a person asks of a loop, whoever keeps the loop: whether it may be asked as the loop stands, and the event that tells it.

use crate::command_error::CommandError;
use crate::engine_ports::EffectPorts;
use crate::loop_start::StartError;
use collie_core::autonomy::Autonomy;
use collie_core::event::{
    AutonomyChanged, Cancel, Event, FilesSeen, FindingDismissed, FixerNoted, NextRun, PushApproved,
    PushRejected,
};
use collie_core::fix::FixerNote;
use collie_core::held::HeldPush;
use collie_core::ids::{Fingerprint, Login, Sha};
use collie_core::lifecycle::State;
use collie_core::loop_state::LoopState;
use serde::{Deserialize, Serialize};

/// More than that is a setting to change, not a word about one run.
const MAX_EXTRA_ROUNDS: u32 = 10;

/// What a person asks of a loop.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "command")]
pub enum LoopCommand {
    /// Its run is to end.
    Cancel,
    /// A fresh run, after one that has ended.
    Retry,
    /// A run that goes on with what is known, after `needs_human`.
    Resume {
        /// Rounds more than the settings say.
        #[serde(default)]
        extra_rounds: u32,
    },
    /// Collie is to go so far by itself.
    SetAutonomy {
        /// How far.
        level: Autonomy,
        /// Whether that is what the settings say of the whole repository by now.
        #[serde(default)]
        of_repository: bool,
    },
    /// A commit may be pushed that waits for it.
    Approve {
        /// The commit that the person has seen.
        commit: Sha,
    },
    /// It is not to be pushed.
    Reject {
        /// The commit that the person has seen.
        commit: Sha,
        /// What the fixer is told; may be empty.
        #[serde(default)]
        note: String,
    },
    /// A finding does not matter here.
    Dismiss {
        /// The finding.
        fingerprint: Fingerprint,
        /// Why.
        reason: String,
    },
    /// The fixer is told something with its next turn.
    Note {
        /// The finding that it is about; none where it is about the change as a whole.
        #[serde(default)]
        fingerprint: Option<Fingerprint>,
        /// What.
        text: String,
    },
    /// What no reviewer was shown of a head was looked at.
    Seen {
        /// The head that the person saw.
        head: Sha,
    },
}

impl LoopCommand {
    /// Whether a loop may be asked for it as it stands.
    ///
    /// # Errors
    /// Why not.
    pub fn check(&self, state: &LoopState) -> Result<(), CommandError> {
        let now = state.run.state;
        let pull = state.pull_name();
        let has_ended = CommandError::HasEnded { pull, state: now };
        let pull = state.pull_name();
        match self {
            Self::Cancel if now.may_cancel() => Ok(()),
            Self::Cancel => Err(has_ended),
            Self::Retry if now.may_retry() => Ok(()),
            Self::Retry if now.is_terminal() => Err(has_ended),
            Self::Resume { .. } if now.may_resume() => Ok(()),
            Self::Resume { .. } if now.is_terminal() => {
                Err(CommandError::NotResumable { pull, state: now })
            }
            Self::Retry | Self::Resume { .. } => {
                Err(CommandError::StillRunning { pull, state: now })
            }
            Self::SetAutonomy { .. } => Ok(()),
            Self::Approve { commit } | Self::Reject { commit, .. } => check_push(state, commit),
            Self::Dismiss { .. } | Self::Note { .. } if now.is_over() => Err(has_ended),
            Self::Dismiss {
                fingerprint,
                reason,
            } => check_dismissal(state, fingerprint, reason),
            Self::Note { fingerprint, text } => check_note(state, fingerprint.as_ref(), text),
            Self::Seen { .. } if now.is_terminal() => Err(has_ended),
            Self::Seen { head } => check_look(state, head),
        }
    }

    /// The event that tells the loop; none where it knows already.
    ///
    /// # Errors
    /// The settings of the repository cannot be used.
    pub fn event(
        &self,
        ports: &EffectPorts,
        state: &LoopState,
        by: Login,
    ) -> Result<Option<Event>, StartError> {
        let event = match self.clone() {
            Self::Cancel => Event::Cancel(Cancel { by }),
            Self::Retry => Event::Retry(next_run(ports, state, by, 0)?),
            Self::Resume { extra_rounds } => {
                let extra_rounds = extra_rounds.min(MAX_EXTRA_ROUNDS);
                Event::Resume(next_run(ports, state, by, extra_rounds)?)
            }
            Self::SetAutonomy {
                level,
                of_repository,
            } => return Ok(level_event(state, by, level, of_repository)),
            Self::Approve { commit } => {
                let head = push_to_approve(state).map(|push| push.head.clone());
                let approved = head.map(|head| PushApproved { by, commit, head });
                return Ok(approved.map(Event::PushApproved));
            }
            Self::Reject { commit, note } => {
                let head = push_to_approve(state).map(|push| push.head.clone());
                let note = note.trim().to_owned();
                let rejected = head.map(|head| PushRejected {
                    by,
                    commit,
                    head,
                    note,
                });
                return Ok(rejected.map(Event::PushRejected));
            }
            Self::Dismiss {
                fingerprint,
                reason,
            } => Event::FindingDismissed(FindingDismissed {
                by,
                fingerprint,
                reason,
            }),
            Self::Note { fingerprint, text } => Event::FixerNoted(FixerNoted {
                note: FixerNote {
                    by,
                    finding_id: fingerprint,
                    text,
                },
            }),
            Self::Seen { head } => Event::FilesSeen(FilesSeen { by, head }),
        };
        Ok(Some(event))
    }
}

/// What a start comes to where the loop is there already: a fresh run where it was closed, nothing where it goes on.
///
/// # Errors
/// It has ended otherwise, and only a person's own word begins it anew.
pub fn start_again(state: &LoopState) -> Result<Option<LoopCommand>, StartError> {
    match state.run.state {
        State::PrCreated
        | State::PrAwaitingChecks
        | State::PrReviewing
        | State::PrFixing
        | State::PrReadyToMerge
        | State::Merged => Ok(None),
        State::Closed => Ok(Some(LoopCommand::Retry)),
        State::Cancelled | State::NeedsHuman | State::Failed => Err(StartError::Ended {
            pull: state.pull_name(),
            state: state.run.state,
        }),
    }
}

/// None where the loop goes so far already.
fn level_event(
    state: &LoopState,
    by: Login,
    level: Autonomy,
    of_repository: bool,
) -> Option<Event> {
    let chosen = state.chosen_autonomy;
    let configured = match of_repository {
        true => Some(level),
        false => chosen.configured,
    };
    let changed = AutonomyChanged {
        by,
        level,
        configured,
    };
    let is_new = chosen.level != level || chosen.configured != configured;
    is_new.then_some(Event::AutonomyChanged(changed))
}

fn next_run(
    ports: &EffectPorts,
    state: &LoopState,
    by: Login,
    extra_rounds: u32,
) -> Result<NextRun, StartError> {
    let settings = ports.policy_source.policy(&state.pull.repo, None);
    Ok(NextRun {
        by,
        run: ports.clock.run_id(),
        policy: Box::new(settings.map_err(StartError::Config)?.policy),
        extra_rounds,
    })
}

fn check_push(state: &LoopState, commit: &Sha) -> Result<(), CommandError> {
    let pull = state.pull_name();
    match push_to_approve(state) {
        None => Err(CommandError::NoPushWaits { pull }),
        Some(push) if push.commit != commit => Err(CommandError::AnotherPush {
            pull,
            commit: push.commit.clone(),
        }),
        Some(_) => Ok(()),
    }
}

fn check_dismissal(
    state: &LoopState,
    fingerprint: &Fingerprint,
    reason: &str,
) -> Result<(), CommandError> {
    if reason.trim().is_empty() {
        return Err(CommandError::NothingSaid);
    }
    let pull = state.pull_name();
    match state.run.review.findings.get(fingerprint) {
        None => Err(CommandError::NoFinding { pull }),
        Some(known) if !known.may_be_dismissed() => Err(CommandError::NotDismissable {
            title: known.finding.title.clone(),
        }),
        Some(_) => Ok(()),
    }
}

fn check_note(
    state: &LoopState,
    fingerprint: Option<&Fingerprint>,
    text: &str,
) -> Result<(), CommandError> {
    if text.trim().is_empty() {
        return Err(CommandError::NothingSaid);
    }
    let known = &state.run.review.findings;
    match fingerprint.is_some_and(|print| !known.contains_key(print)) {
        true => Err(CommandError::NoFinding {
            pull: state.pull_name(),
        }),
        false => Ok(()),
    }
}

fn check_look(state: &LoopState, head: &Sha) -> Result<(), CommandError> {
    let pull = state.pull_name();
    if state.run.head.sha.as_ref() != Some(head) {
        let head = head.clone();
        return Err(CommandError::AnotherHead { pull, head });
    }
    match state.waits_for_look() {
        true => Ok(()),
        false => Err(CommandError::NothingUnseen { pull }),
    }
}

/// The push of a loop that a person has to approve or reject now.
pub fn push_to_approve(state: &LoopState) -> Option<HeldPush<'_>> {
    state.held_push().filter(|_| state.may_approve_push())
}
