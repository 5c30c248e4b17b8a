//! Makers of test data.

use crate::ids::Fingerprint;
use crate::model::{FindingStatus, TrackedFinding};
use crate::shapes::{Confidence, Finding, FindingKind, FindingSource, Priority, SourceType};

/// A P1 finding of the rules.
pub fn finding(file: &str, category: &str, evidence: &str) -> Finding {
    Finding {
        id: format!("{category}-{file}"),
        priority: Priority::P1,
        category: category.into(),
        file: file.into(),
        line: Some(3),
        title: format!("{category} in {file}"),
        description: String::new(),
        suggestion: None,
        source: FindingSource {
            kind: SourceType::Rules,
            name: "rules".into(),
            review_id: None,
            timestamp: "2026-01-24T00:00:00Z".into(),
        },
        kind: FindingKind::Error,
        confidence: Confidence::SURE,
        evidence: Some(evidence.into()),
    }
}

/// The same, tracked and open.
pub fn tracked(finding: &Finding, print: &Fingerprint) -> TrackedFinding {
    TrackedFinding {
        finding: finding.clone(),
        fingerprint: print.clone(),
        status: FindingStatus::Open,
        introduced_by_fix: false,
        first_round: 1,
        last_round: 1,
        fixed_in: Vec::new(),
        rejection: None,
        in_diff: true,
    }
}
