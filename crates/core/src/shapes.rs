//! The shapes that reviewers, the comments analyzer and fixers exchange: A1 to A7 of the review-loop seed, field names verbatim.

use crate::ids::{Login, ParseShaError, Sha};
use serde::{Deserialize, Serialize};

/// How much a finding weighs. Orders by urgency: `P0` first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum Priority {
    /// Blocks the merge.
    P0,
    /// Critical.
    P1,
    /// Important.
    P2,
    /// A suggestion; never blocks.
    P3,
}

impl Priority {
    /// Whether it stands between the pull request and `approve` (§4.6).
    pub fn blocks(self) -> bool {
        match self {
            Priority::P0 | Priority::P1 | Priority::P2 => true,
            Priority::P3 => false,
        }
    }
}

/// What sort of remark a finding is (§4.3).
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum FindingKind {
    /// Asked of a person; posted, never handed to the fixer.
    Question,
    /// A better way.
    Suggestion,
    /// Taste.
    Nitpick,
    /// A fault.
    #[default]
    Error,
    /// Praise; posted nowhere inline, counted nowhere.
    Praise,
}

/// Who found it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum SourceType {
    /// A reviewer that is a model or an agent.
    Agent,
    /// The built-in rules.
    Rules,
    /// A failed check.
    Ci,
    /// A verified review bot.
    Bot,
    /// A person.
    Human,
}

/// Where a finding comes from.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct FindingSource {
    /// The sort of source.
    #[serde(rename = "type")]
    pub kind: SourceType,
    /// Reviewer, check, bot or login.
    pub name: String,
    /// GitHub's id of the thread, comment or review, where there is one.
    pub review_id: Option<String>,
    /// RFC 3339.
    pub timestamp: String,
}

/// How sure the reviewer is, in thousandths; written as a number from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "typescript", ts(type = "number"))]
pub struct Confidence(u16);

impl Confidence {
    /// Certain.
    pub const SURE: Confidence = Confidence(1000);

    /// From thousandths; more than 1000 is 1000.
    pub fn from_permille(permille: u16) -> Self {
        Self(permille.min(1000))
    }

    /// In thousandths.
    pub fn permille(self) -> u16 {
        self.0
    }
}

impl Default for Confidence {
    fn default() -> Self {
        Self::SURE
    }
}

impl Serialize for Confidence {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(f64::from(self.0) / 1000.0)
    }
}

impl<'de> Deserialize<'de> for Confidence {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = f64::deserialize(deserializer)?;
        if (0.0..=1.0).contains(&value) {
            // In range, so the rounded product is 0..=1000.
            Ok(Self((value * 1000.0).round() as u16))
        } else {
            Err(serde::de::Error::custom(format!(
                "confidence {value} is not between 0 and 1"
            )))
        }
    }
}

/// A1: one finding.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Finding {
    /// The reviewer's own id for it. Not its identity across rounds; that is the fingerprint (§5.1).
    pub id: String,
    /// How much it weighs.
    pub priority: Priority,
    /// Free word: `security`, `ci`, `tests`, …; for rules `rule:<id>`.
    pub category: String,
    /// Path in the repository; empty when it concerns no file.
    pub file: String,
    /// 1-based line at the reviewed head; null when unknown.
    pub line: Option<u32>,
    /// One line.
    pub title: String,
    /// The reasons, in Markdown.
    pub description: String,
    /// What to write instead, where that can be said; else null.
    pub suggestion: Option<String>,
    /// Who found it.
    pub source: FindingSource,
    /// The sort of remark.
    #[serde(default)]
    pub kind: FindingKind,
    /// How sure the reviewer is.
    #[serde(default)]
    pub confidence: Confidence,
    /// The lines it rests on, quoted; for a failed check the tail of its log.
    #[serde(default)]
    pub evidence: Option<String>,
}

/// Lines to put in place of others at the reviewed head: a suggestion that GitHub can apply.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Replacement {
    /// The first line to replace, from 1.
    pub first: u32,
    /// The last.
    pub last: u32,
    /// What stands there then, without a line end at its end.
    pub text: String,
}

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
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
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

/// What an author is to the repository, as GitHub computes it for the reader.
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

impl Association {
    /// Whether their request for changes counts (§4.6, rule 0).
    pub fn is_trusted(self) -> bool {
        match self {
            Association::Owner | Association::Member | Association::Collaborator => true,
            Association::Contributor
            | Association::FirstTimeContributor
            | Association::FirstTimer
            | Association::Mannequin
            | Association::None => false,
        }
    }
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
    /// Markdown.
    pub full_report: String,
}

/// A4: what a fixer is asked.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FixPayload {
    /// The pull request.
    pub pr_number: u64,
    /// The iteration, from 1.
    pub round: u32,
    /// Each must come back as fixed or rejected.
    pub issues_to_fix: Vec<Finding>,
    /// May be fixed along the way (P3).
    pub optional_issues: Vec<Finding>,
}

/// Totals of a fix.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct FixSummary {
    /// Length of `fixedIssues`.
    pub fixed: u32,
    /// Length of `rejectedIssues`.
    pub rejected: u32,
    /// Optional issues that were left.
    pub deferred: u32,
}

/// One fixed issue.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FixedIssue {
    /// [`Finding::id`].
    pub finding_id: String,
    /// The commit; Collie fills it in (§6.1).
    #[serde(default)]
    pub commit_sha: String,
    /// What was done.
    pub description: String,
}

/// One rejected issue.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RejectedIssue {
    /// [`Finding::id`].
    pub finding_id: String,
    /// Why not.
    pub reason: String,
}

/// A commit of a fix.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct FixCommit {
    /// Its id.
    pub sha: String,
    /// Its message.
    pub message: String,
}

/// A5: what a fixer returns.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FixResult {
    /// The fixer's name.
    pub agent: String,
    /// The pull request.
    pub pr_number: u64,
    /// Totals.
    pub summary: FixSummary,
    /// What was fixed.
    pub fixed_issues: Vec<FixedIssue>,
    /// What was not, and why.
    pub rejected_issues: Vec<RejectedIssue>,
    /// The commits made.
    #[serde(default)]
    pub commits: Vec<FixCommit>,
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
        what: &'static str,
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
                return Err(bad("an id is needed"));
            }
            if !seen.insert(finding.id.as_str()) {
                return Err(bad("the id is used twice"));
            }
            if finding.title.trim().is_empty() {
                return Err(bad("a title is needed"));
            }
            if finding.line == Some(0) {
                return Err(bad("lines count from 1"));
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

impl FixResult {
    /// Holds the invariant of A5: each issue of the payload is fixed or rejected, once. Totals are recomputed.
    /// Optional issues may be among the fixed.
    pub fn validated(mut self, payload: &FixPayload) -> Result<Self, InvalidResult> {
        if self.pr_number != payload.pr_number {
            return Err(InvalidResult::WrongPull {
                expected: payload.pr_number,
                got: self.pr_number,
            });
        }
        let total = payload.issues_to_fix.len();
        let unbalanced = |what, id: &str| InvalidResult::UnmatchedIssue {
            asked: total,
            what,
            id: id.to_string(),
        };
        let mut answered = std::collections::BTreeSet::new();
        let answers = self
            .fixed_issues
            .iter()
            .map(|f| &f.finding_id)
            .chain(self.rejected_issues.iter().map(|r| &r.finding_id));
        for id in answers {
            let known = payload.issues_to_fix.iter().chain(&payload.optional_issues);
            if !known.into_iter().any(|f| &f.id == id) {
                return Err(unbalanced("unknown", id));
            }
            if !answered.insert(id.clone()) {
                return Err(unbalanced("twice", id));
            }
        }
        if let Some(missing) = payload
            .issues_to_fix
            .iter()
            .find(|f| !answered.contains(&f.id))
        {
            return Err(unbalanced("missing", &missing.id));
        }
        let left = payload
            .optional_issues
            .iter()
            .filter(|f| !answered.contains(&f.id))
            .count();
        let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        self.summary = FixSummary {
            fixed: count(self.fixed_issues.len()),
            rejected: count(self.rejected_issues.len()),
            deferred: count(left),
        };
        Ok(self)
    }

    /// Notes the commit that Collie made as the one that fixed everything (§6.1).
    pub fn with_commit(mut self, sha: &Sha, message: &str) -> Self {
        for fixed in &mut self.fixed_issues {
            fixed.commit_sha = sha.to_string();
        }
        self.commits = vec![FixCommit {
            sha: sha.to_string(),
            message: message.to_string(),
        }];
        self
    }
}
