//! Consensus (§4.6, A6): deterministic, over all findings, no dedupe.

use crate::finding::Finding;
use crate::ids::Login;
use crate::review::{Conclusion, IssueCounts, conclusion_from_counts};

/// Which rule of A6 decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ConsensusRule {
    /// 0: a trusted person asked for changes.
    ChangesRequested,
    /// 1: a P0.
    Blocking,
    /// 2: a P1.
    Critical,
    /// 3: a P2.
    Important,
    /// 4: none of these.
    Clear,
}

/// What the panel and the people amount to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Consensus {
    /// The conclusion.
    pub conclusion: Conclusion,
    /// The rule that decided.
    pub rule: ConsensusRule,
    /// The counts it rests on.
    pub counts: IssueCounts,
}

/// Applies rules 0 to 4.
pub fn consensus<'a>(
    changes_requested_by: &[Login],
    findings: impl IntoIterator<Item = &'a Finding>,
) -> Consensus {
    let counts = IssueCounts::of(findings);
    let (conclusion, rule) = if !changes_requested_by.is_empty() {
        (Conclusion::RequestChanges, ConsensusRule::ChangesRequested)
    } else {
        let rule = if counts.p0_blocking > 0 {
            ConsensusRule::Blocking
        } else if counts.p1_critical > 0 {
            ConsensusRule::Critical
        } else if counts.p2_important > 0 {
            ConsensusRule::Important
        } else {
            ConsensusRule::Clear
        };
        (conclusion_from_counts(counts), rule)
    };
    Consensus {
        conclusion,
        rule,
        counts,
    }
}
