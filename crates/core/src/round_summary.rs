//! What one round came to.

use crate::ids::Sha;
use serde::{Deserialize, Serialize};

/// What one iteration came to.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct RoundSummary {
    /// The iteration, from 1.
    pub iteration: u32,
    /// Findings reported, by priority.
    pub p0: u32,
    /// P1.
    pub p1: u32,
    /// P2.
    pub p2: u32,
    /// P3.
    pub p3: u32,
    /// How many were fixed.
    pub fixed: u32,
    /// How many were not.
    pub rejected: u32,
    /// The commit that was pushed.
    pub commit: Option<Sha>,
    /// Whether most findings lay on lines of the fix before, or a hunk went back (§5.3).
    pub churned: bool,
}
