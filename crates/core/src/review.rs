//! Shapes A2 and A3: what a reviewer returns, and what people and bots said (§4.3, §4.5).

use crate::error_code::ErrorCode;
use crate::finding::Finding;
use crate::finding::FindingKind;
use crate::finding::Priority;
use crate::ids::{Login, ParseShaError};
use crate::user_error::{TextArg, UserError};
use serde::{Deserialize, Serialize};
use strum::IntoStaticStr;

/// Findings by priority.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct IssueCounts {
    /// P0.
    pub p0_blocking: u32,
    /// P1.
    pub p1_critical: u32,
    /// P2.
    pub p2_important: u32,
    /// P3.
    pub p3_suggestion: u32,
}

impl IssueCounts {
    /// All of them.
    pub fn total(&self) -> u32 {
        self.p0_blocking + self.p1_critical + self.p2_important + self.p3_suggestion
    }

    /// Counts without dedupe (§4.6). Questions and praise are no issues.
    pub fn of<'a>(findings: impl IntoIterator<Item = &'a Finding>) -> Self {
        let mut counts = Self::default();
        for finding in findings {
            match finding.kind {
                FindingKind::Question | FindingKind::Praise => continue,
                FindingKind::Suggestion | FindingKind::Nitpick | FindingKind::Error => {}
            }
            match finding.priority {
                Priority::P0 => counts.p0_blocking += 1,
                Priority::P1 => counts.p1_critical += 1,
                Priority::P2 => counts.p2_important += 1,
                Priority::P3 => counts.p3_suggestion += 1,
            }
        }
        counts
    }
}

/// What a reviewer, or the panel, concludes (A6).
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    strum::IntoStaticStr,
)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Conclusion {
    /// Nothing stands in the way.
    Approve,
    /// Something must change.
    RequestChanges,
    /// A P0 stands.
    NeedsMajorWork,
}

/// A2: what one reviewer returns.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReviewerResult {
    /// The reviewer's name.
    pub agent: String,
    /// The pull request.
    pub pr_number: u64,
    /// Recomputed from the findings on arrival (§4.3).
    pub conclusion: Conclusion,
    /// Recomputed from the findings on arrival.
    pub issues: IssueCounts,
    /// All it found.
    pub findings: Vec<Finding>,
    /// Markdown, without full diffs.
    pub full_report: String,
    /// Reviewers it asks in (§4.2).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub escalations: Vec<String>,
}

/// Somebody who asked for changes.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ChangesRequestedBy {
    /// The account.
    pub login: Login,
    /// What they are to the repository.
    pub association: Association,
}

/// What an author is to the repository, as GitHub computes it for the reader. Nothing is decided by it: a member may be one who only reads.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Association {
    /// Owns it.
    Owner,
    /// Member of the owning organization.
    Member,
    /// Invited.
    Collaborator,
    /// Has committed before.
    Contributor,
    /// First contribution to this repository.
    FirstTimeContributor,
    /// First contribution on GitHub.
    FirstTimer,
    /// A placeholder for an unclaimed account.
    Mannequin,
    /// Nothing.
    #[default]
    None,
}

/// Whether people asked for changes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReviewState {
    /// Any of them.
    pub has_changes_requested: bool,
    /// Who.
    pub changes_requested_by: Vec<ChangesRequestedBy>,
}

/// How many review threads there are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ThreadStats {
    /// All.
    pub total_threads: u32,
    /// Marked resolved.
    pub resolved_threads: u32,
    /// The others.
    pub unresolved_threads: u32,
}

/// A3: what people and bots have said, as findings.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CommentsResult {
    /// Always `comments-analyzer`.
    pub agent: String,
    /// The pull request.
    pub pr_number: u64,
    /// Requests for changes.
    pub review_state: ReviewState,
    /// Counts of threads.
    pub stats: ThreadStats,
    /// Always false: Collie pages to the end.
    pub threads_truncated: bool,
    /// Counts of `pending_issues`.
    pub issues: IssueCounts,
    /// What is still to be answered.
    pub pending_issues: Vec<Finding>,
    /// Markdown: the open threads of others.
    pub full_report: String,
}

/// A7: every comment that Collie posts carries it.
pub const COMMENT_MARKER: &str = "<!-- pr-review-loop-marker -->";

/// A result that contradicts its own shape.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidResult {
    /// Reviewer: not approved, and nothing said why.
    #[error("the result of `{0}` asks for changes but holds no finding: name at least one")]
    MissingFindings(String),
    /// The result is about another pull request.
    #[error("the result is for pull request {got}, expected {expected}")]
    WrongPull {
        /// Asked for.
        expected: u64,
        /// Came back.
        got: u64,
    },
    /// A finding lacks what it needs.
    #[error("finding `{id}`: {what}")]
    InvalidFinding {
        /// The finding's id.
        id: String,
        /// What is wrong with it.
        what: FindingFault,
    },
    /// Fixer: an issue was not answered, answered twice, or never asked.
    #[error("the fix result must answer each of its {asked} issues once: {what} `{id}`")]
    UnmatchedIssue {
        /// `issuesToFix.length`.
        asked: usize,
        /// `missing`, `twice` or `unknown`.
        what: &'static str,
        /// The finding.
        id: String,
    },
    /// A commit id that is none.
    #[error(transparent)]
    Sha(#[from] ParseShaError),
}

/// What a finding of a result lacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum FindingFault {
    /// It has no id.
    #[error("an id is needed")]
    NoId,
    /// Another one has its id.
    #[error("the id is used twice")]
    DuplicateId,
    /// It has no title.
    #[error("a title is needed")]
    NoTitle,
    /// It names line 0.
    #[error("lines count from 1")]
    LineZero,
}

impl From<InvalidResult> for UserError {
    fn from(invalid: InvalidResult) -> Self {
        let fault = |fault: &str| TextArg::Key(format!("result-fault-{fault}"));
        match invalid {
            InvalidResult::MissingFindings(agent) => {
                UserError::new(ErrorCode::ResultWithoutFindings).with("agent", agent)
            }
            InvalidResult::WrongPull { expected, got } => {
                UserError::new(ErrorCode::ResultForAnotherPull)
                    .with("expected", expected)
                    .with("got", got)
            }
            InvalidResult::InvalidFinding { id, what } => {
                UserError::new(ErrorCode::ResultFindingInvalid)
                    .with("id", id)
                    .with_arg("fault", fault(what.into()))
            }
            InvalidResult::UnmatchedIssue { asked, what, id } => {
                UserError::new(ErrorCode::ResultUnbalanced)
                    .with_arg("asked", asked)
                    .with_arg("fault", fault(what))
                    .with("id", id)
            }
            InvalidResult::Sha(ParseShaError(text)) => {
                UserError::new(ErrorCode::ResultBadSha).with("text", text)
            }
        }
    }
}

impl ReviewerResult {
    /// Checks it, and recomputes counts and conclusion from the findings (§4.3).
    pub fn validated(mut self, pr_number: u64) -> Result<Self, InvalidResult> {
        if self.pr_number != pr_number {
            return Err(InvalidResult::WrongPull {
                expected: pr_number,
                got: self.pr_number,
            });
        }
        if self.conclusion != Conclusion::Approve && self.findings.is_empty() {
            return Err(InvalidResult::MissingFindings(self.agent));
        }
        let mut seen = std::collections::BTreeSet::new();
        for finding in &self.findings {
            let bad = |what| InvalidResult::InvalidFinding {
                id: finding.id.clone(),
                what,
            };
            if finding.id.trim().is_empty() {
                return Err(bad(FindingFault::NoId));
            }
            if !seen.insert(finding.id.as_str()) {
                return Err(bad(FindingFault::DuplicateId));
            }
            if finding.title.trim().is_empty() {
                return Err(bad(FindingFault::NoTitle));
            }
            if finding.line == Some(0) {
                return Err(bad(FindingFault::LineZero));
            }
        }
        self.issues = IssueCounts::of(&self.findings);
        self.conclusion = conclusion_from_counts(self.issues);
        Ok(self)
    }
}

/// Rules 1 to 4 of A6 on counts alone.
pub fn conclusion_from_counts(issues: IssueCounts) -> Conclusion {
    if issues.p0_blocking > 0 {
        Conclusion::NeedsMajorWork
    } else if issues.p1_critical > 0 || issues.p2_important > 0 {
        Conclusion::RequestChanges
    } else {
        Conclusion::Approve
    }
}
