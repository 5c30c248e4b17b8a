//! What a person says to a loop of its findings and of what nobody was shown (§4.4, §13.8).

use crate::handle::{CommandError, EngineHandle};
use crate::loop_command::LoopCommand;
use collie_core::ids::{Fingerprint, PullName, Sha};

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
        let (fingerprint, reason) = (fingerprint.clone(), reason.to_owned());
        let command = LoopCommand::Dismiss {
            fingerprint,
            reason,
        };
        self.command(pull, &command).await
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
        let (fingerprint, text) = (fingerprint.cloned(), text.to_owned());
        self.command(pull, &LoopCommand::Note { fingerprint, text })
            .await
    }

    /// Remembers that the signed-in account has looked at what no reviewer was shown of a head (§4.4); stored before it returns.
    ///
    /// # Errors
    /// There is nothing to look at, or not at this head.
    pub async fn seen(&self, pull: &PullName, head: &Sha) -> Result<(), CommandError> {
        let head = head.clone();
        self.command(pull, &LoopCommand::Seen { head }).await
    }
}
