//! Why something that a person asked cannot be done.

use crate::loop_start::StartError;
use collie_core::ids::{PullName, Sha};
use collie_core::lifecycle::State;

/// A command that cannot be carried out.
#[derive(Debug, thiserror::Error)]
pub enum CommandError {
    /// There is no such loop.
    #[error("there is no loop for {0}: `collie start {0}` makes one")]
    NoSuchLoop(PullName),
    /// It has ended.
    #[error("{pull} has ended as {state}: nothing is left to do")]
    HasEnded {
        /// Which.
        pull: PullName,
        /// How.
        state: State,
    },
    /// It has not ended.
    #[error("{pull} is still at work ({state}): cancel it first")]
    StillRunning {
        /// Which.
        pull: PullName,
        /// Where it stands.
        state: State,
    },
    /// Only a run that needs a person can be resumed.
    #[error(
        "{pull} ended as {state}, and only needs_human can be resumed: use `collie retry {pull}`"
    )]
    NotResumable {
        /// Which.
        pull: PullName,
        /// How.
        state: State,
    },
    /// The head is another one than the person has looked at.
    #[error("{pull} is at another head than {head}: look at what nobody was shown there")]
    AnotherHead {
        /// Which.
        pull: PullName,
        /// What the person saw.
        head: Sha,
    },
    /// All of it was shown to somebody, a person has looked, or no reviewer has yet.
    #[error("{pull} waits for nobody to look at files")]
    NothingUnseen {
        /// Which.
        pull: PullName,
    },
    /// The loop has no such finding.
    #[error("{pull} has no such finding")]
    NoFinding {
        /// Which.
        pull: PullName,
    },
    /// A check or a person found it, or it counts for nothing any more.
    #[error("{title} cannot be dismissed")]
    NotDismissable {
        /// The finding's title.
        title: String,
    },
    /// A reason or a note without a word.
    #[error("nothing is said")]
    NothingSaid,
    /// No push waits for a person's approval.
    #[error("no push of {pull} waits for approval")]
    NoPushWaits {
        /// Which.
        pull: PullName,
    },
    /// The push that waits is of another commit than the person has looked at.
    #[error("what waits on {pull} is another commit by now: {commit}")]
    AnotherPush {
        /// Which.
        pull: PullName,
        /// The commit that waits.
        commit: Sha,
    },
    /// The signed-in login is not allowed, or could not be told.
    #[error(transparent)]
    Start(#[from] StartError),
}
