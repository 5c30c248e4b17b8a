//! What reviewers and the fixer answer.

use collie_core::effect::{FixEffect, ReviewEffect};
use collie_core::error_code::ErrorCode;
use collie_core::event::{FixFinished, Outcome, ReviewFinished, SessionFailed, SessionFailure};
use collie_core::finding::{Confidence, Finding, FindingKind, FindingSource, Priority, SourceType};
use collie_core::fix::{FixResult, FixSummary, FixedIssue, RejectedIssue};
use collie_core::identity::fingerprints;
use collie_core::ids::Sha;
use collie_core::review::{Conclusion, IssueCounts, ReviewerResult};
use collie_core::usage::Usage;
use collie_core::user_error::UserError;
use std::collections::BTreeMap;

/// The one thing that the reviewer may find.
fn fault(reviewer: &str) -> Finding {
    Finding {
        id: "F-1".into(),
        priority: Priority::P1,
        category: "correctness".into(),
        file: "a.py".into(),
        line: Some(3),
        title: "It compares the wrong way".into(),
        description: String::new(),
        suggestion: None,
        source: FindingSource {
            kind: SourceType::Agent,
            name: reviewer.into(),
            review_id: None,
            timestamp: String::new(),
        },
        kind: FindingKind::Error,
        confidence: Confidence::SURE,
        evidence: Some("x == y".into()),
    }
}

/// A look that finds the fault, or nothing.
pub(crate) fn review(asked: &ReviewEffect, number: u64, finds: bool) -> Outcome {
    let findings: Vec<Finding> = finds
        .then(|| fault(&asked.reviewer.name))
        .into_iter()
        .collect();
    let result = ReviewerResult {
        agent: asked.reviewer.name.clone(),
        pr_number: number,
        conclusion: Conclusion::Approve,
        issues: IssueCounts::default(),
        findings: findings.clone(),
        full_report: String::new(),
        escalations: Vec::new(),
    };
    let finished = ReviewFinished {
        head: asked.head.clone(),
        result: Box::new(result),
        fingerprints: fingerprints(&findings),
        in_diff: findings.iter().map(|finding| finding.id.clone()).collect(),
        introduced_by_fix: Default::default(),
        usage: Usage::default(),
        prompt_hash: None,
        withdrawn: Default::default(),
        not_rechecked: Default::default(),
        upheld: BTreeMap::new(),
        replacements: BTreeMap::new(),
        covered: Default::default(),
        covered_by: BTreeMap::new(),
        session: None,
        unseen: Vec::new(),
        second_looks: BTreeMap::new(),
    };
    finished.into()
}

/// A fix of everything that was asked, in a commit; without one everything is turned down.
pub(crate) fn fix(asked: &FixEffect, commit: Option<Sha>) -> Outcome {
    let payload = &asked.payload;
    let ids = payload.issues_to_fix.iter().map(|issue| issue.id.clone());
    let (mut fixed_issues, mut rejected_issues) = (Vec::new(), Vec::new());
    for finding_id in ids {
        match commit {
            Some(_) => fixed_issues.push(FixedIssue {
                finding_id,
                commit_sha: String::new(),
                description: "done".into(),
            }),
            None => rejected_issues.push(RejectedIssue {
                finding_id,
                reason: "It is right as it is".into(),
            }),
        }
    }
    let result = FixResult {
        agent: "fixer".into(),
        pr_number: payload.pr_number,
        summary: FixSummary::default(),
        fixed_issues,
        rejected_issues,
        commits: Vec::new(),
    };
    let result = result
        .validated(payload)
        .unwrap_or_else(|_| unreachable!("each issue has its answer"));
    Outcome::FixFinished(FixFinished {
        commit,
        result: Box::new(result),
        oscillates: false,
        usage: Usage::default(),
        session: None,
        verification: Default::default(),
        refused_hosts: Default::default(),
        files: vec!["a.py".into()],
    })
}

/// A session that ends without a result.
pub(crate) fn failed(failure: SessionFailure) -> SessionFailed {
    SessionFailed {
        failure,
        usage: Usage::default(),
        refused_hosts: Default::default(),
    }
}

/// One that broke off.
pub(crate) fn broke_off() -> SessionFailed {
    failed(SessionFailure::transient(UserError::new(
        ErrorCode::SessionPanicked,
    )))
}
