//! Sessions that run on another machine (§18.1): what a server offers to runners, who holds it for how long, and what is handed in.
//!
//! **Architecture invariant.** A runner is believed nothing. It gets no token of GitHub, only the commits and texts of its session; what it
//! hands in is held against the request, and its patch passes the same gates as what a fixer here leaves. The server pushes, never a runner.

mod client;
mod elsewhere;
mod handed_in;
mod lease_token;
mod leases;
mod queue;
mod runner_secrets;
mod work;

#[cfg(test)]
mod test_work;

pub use client::{ClientError, HeldSession, RunnerClient};
pub use elsewhere::{Elsewhere, ElsewhereParts};
pub use handed_in::{
    FailedSession, FixDone, HandedIn, ReviewDone, SessionOutcome, Spent, bytes_from_base64,
    bytes_to_base64,
};
pub use leases::{Claimant, Refusal, WorkKind};
pub use queue::{HandInError, RunnerQueue};
pub use runner_secrets::{RunnerSecrets, SecretsError};
pub use work::{
    ClaimRequest, ClaimedSession, FixWork, Heartbeat, LeaseAnswer, MAX_PATCH_BYTES, OfferedWork,
    ReviewWork, SharedFile, TriedBefore, Work,
};
