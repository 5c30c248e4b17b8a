//! What a person says of a finding, to the loop that has it (§13.8).

use crate::handle::{CommandError, EngineHandle};
use collie_core::event::{Event, FindingDismissed, FixerNoted};
use collie_core::fix::FixerNote;
use collie_core::ids::{Fingerprint, PullName};
use collie_core::loop_state::LoopState;

impl EngineHandle {
    /// Takes a finding out of what counts, in the name of the signed-in account; stored before it returns.
    ///
    /// # Errors
    /// There is no such finding, it is a check's or a person's, or no reason is given.
    pub async fn dismiss(
        &self,
        pull: &PullName,
        fingerprint: &Fingerprint,
        reason: &str,
    ) -> Result<(), CommandError> {
        let state = self.open_to_words(pull)?;
        if reason.trim().is_empty() {
            return Err(CommandError::NothingSaid);
        }
        let known = state.run.review.findings.get(fingerprint);
        let Some(known) = known else {
            return Err(CommandError::NoFinding {
                pull: state.pull_name(),
            });
        };
        if !known.may_be_dismissed() {
            return Err(CommandError::NotDismissable {
                title: known.finding.title.clone(),
            });
        }
        let by = self.check_permission(pull.clone().into()).await?;
        let dismissed = Event::FindingDismissed(FindingDismissed {
            by,
            fingerprint: fingerprint.clone(),
            reason: reason.to_owned(),
        });
        self.store_event(&state.id, dismissed).await?;
        Ok(())
    }

    /// Keeps what the fixer is told with its next turn, in the name of the signed-in account; stored before it returns.
    ///
    /// # Errors
    /// There is no such finding, or nothing is said.
    pub async fn note(
        &self,
        pull: &PullName,
        fingerprint: Option<&Fingerprint>,
        text: &str,
    ) -> Result<(), CommandError> {
        let state = self.open_to_words(pull)?;
        if text.trim().is_empty() {
            return Err(CommandError::NothingSaid);
        }
        let known = &state.run.review.findings;
        if fingerprint.is_some_and(|print| !known.contains_key(print)) {
            return Err(CommandError::NoFinding {
                pull: state.pull_name(),
            });
        }
        let by = self.check_permission(pull.clone().into()).await?;
        let note = FixerNote {
            by,
            finding_id: fingerprint.cloned(),
            text: text.to_owned(),
        };
        let noted = Event::FixerNoted(FixerNoted { note });
        self.store_event(&state.id, noted).await?;
        Ok(())
    }

    /// A loop whose next run, if not this one, goes by what is said now.
    fn open_to_words(&self, pull: &PullName) -> Result<std::sync::Arc<LoopState>, CommandError> {
        let state = self.find_loop(pull)?;
        if state.run.state.is_over() {
            return Err(CommandError::HasEnded {
                pull: state.pull_name(),
                state: state.run.state,
            });
        }
        Ok(state)
    }
}
