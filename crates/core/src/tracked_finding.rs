//! A finding with its history over the rounds (§5).

use crate::finding::{Finding, Replacement};
use crate::ids::{Fingerprint, Sha};
use serde::{Deserialize, Serialize};

/// What has become of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum FindingStatus {
    /// Stands.
    Open,
    /// Reported as fixed, or gone from a later head.
    Fixed,
    /// The fixer could not or would not, and it was upheld.
    Rejected,
    /// Its reviewer took it back; stays so.
    Withdrawn,
    /// Came back after it was reported as fixed (§5.2).
    Stuck,
}

/// A finding with its history.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct TrackedFinding {
    /// As last reported.
    pub finding: Finding,
    /// Its identity.
    pub fingerprint: Fingerprint,
    /// What has become of it.
    pub status: FindingStatus,
    /// It lies on lines that Collie's last fix wrote (§5.3).
    pub introduced_by_fix: bool,
    /// The review round that first reported it.
    pub first_round: u32,
    /// The review round that last reported it.
    pub last_round: u32,
    /// The commits that claimed to fix it.
    pub fixed_in: Vec<Sha>,
    /// Why the fixer did not fix it.
    pub rejection: Option<String>,
    /// Its reviewer was told so, and has withdrawn or upheld it since (§6.1).
    #[serde(
        alias = "rejection_heard",
        default,
        skip_serializing_if = "std::ops::Not::not"
    )]
    pub rejection_reported: bool,
    /// Its line is in the diff, so that GitHub takes a comment there.
    pub in_diff: bool,
    /// What can be put in its place by a click; all of its lines are in the diff.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replacement: Option<Replacement>,
}
