//! Shapes A4 and A5: what a fixer is asked, and what it answers (§6.1).

use crate::finding::{Finding, Replacement};
use crate::ids::{EventKey, Fingerprint, Login, Sha, TurnKey};
use crate::review::InvalidResult;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// What Collie itself and its rules fixer say of an issue, as codes; the words for them are `fixer-note-…` in `locales/`. What a code
/// is about follows it after a colon.
pub mod note_codes {
    /// A rule's fix was applied; the rules follow after a colon.
    pub const APPLIED: &str = "rule_applied";
    /// A rule's fix was applied on a line that a red check names, which may be why it fails (§5.2); the rules follow after a colon.
    pub const APPLIED_WHERE_NAMED: &str = "rule_applied_where_named";
    /// No rule speaks of this.
    pub const NOT_COVERED: &str = "rule_not_covered";
    /// The rule has no mechanical fix.
    pub const NO_FIX: &str = "rule_no_fix";
    /// The rule does not match there any more.
    pub const NO_MATCH: &str = "rule_gone";
    /// The fix was tried and taken back.
    pub const TAKEN_BACK: &str = "rule_taken_back";
    /// The fixer left everything as it was.
    pub const UNCHANGED: &str = "unchanged";
    /// It changed files outside the pull request; the paths follow.
    pub const GATE_SCOPE: &str = "gate_scope";
    /// It weakens what checks the pull request; `KIND PATH:LINE; …` follows.
    pub const GATE_TAMPER: &str = "gate_tamper";
    /// It breaks the syntax; the places follow.
    pub const GATE_SYNTAX: &str = "gate_syntax";
    /// It adds a secret; the places follow.
    pub const GATE_SECRETS: &str = "gate_secrets";
    /// Its files are hard links; the paths follow.
    pub const GATE_LINKS: &str = "gate_links";
    /// Conflict markers are left; the places follow.
    pub const GATE_CONFLICTS: &str = "gate_conflicts";
    /// Lines that a side of a merge added are gone; they follow.
    pub const GATE_LOST_LINES: &str = "gate_lost_lines";
    /// A verify command failed; it follows, and its output below it.
    pub const GATE_VERIFY: &str = "gate_verify";
    /// A comment that asks nothing of the change: nobody waits for an answer to it.
    pub const NOTHING_ASKED: &str = "nothing_asked";
    /// A person rejected it; the note follows, if there is one.
    pub const PUSH_REJECTED: &str = "push_rejected";
}

/// A way to weaken what checks a pull request.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Serialize,
    Deserialize,
    strum::IntoStaticStr,
    strum::VariantNames,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Tamper {
    /// A test file is gone, or there are fewer tests or cases in it than before.
    DeletedTest,
    /// A test does not run any more, or keeps others from running.
    SkippedTest,
    /// A test that stays asserts less than before.
    LoosenedAssertion,
    /// A linter, type checker or coverage tool is told to look away.
    Suppressed,
    /// A setting of a linter, type checker or test runner changed.
    LinterSetting,
    /// A coverage setting changed.
    CoverageSetting,
    /// A workflow of CI changed.
    Workflow,
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
    /// What was tried before on issues that stand after all (§5.2), oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attempts: Vec<FixAttempt>,
    /// What a linter calls a safe fix of an issue, by [`Finding::id`]. The issue's evidence is the lines that it replaces.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub replacements: BTreeMap<String, Replacement>,
    /// What other tools said of an issue, by [`Finding::id`]: one answer settles all of them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub joined: BTreeMap<String, Vec<Finding>>,
    /// What the user has to say, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<FixerNote>,
    /// What people and bots said that it answers; none where it answers nobody.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<FeedbackTurn>,
}

/// A turn: what people and bots said and had not been answered when it began. Nothing is added to it later (§7.2).
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct FeedbackTurn {
    /// Which turn.
    pub key: TurnKey,
    /// Its events.
    pub events: BTreeSet<EventKey>,
}

/// What a person tells the fixer for its next turn.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FixerNote {
    /// Who.
    pub by: Login,
    /// The finding that it is about; none where it is about the change as a whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finding_id: Option<Fingerprint>,
    /// What.
    pub text: String,
}

/// A commit that was said to fix an issue, and did not.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FixAttempt {
    /// [`Finding::id`].
    pub finding_id: String,
    /// The commit.
    pub commit: Sha,
    /// Why the issue stands all the same, in its reviewer's words, where it said so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub standing_reason: Option<String>,
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
    /// Why not: the fixer's words, or a code of [`note_codes`].
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

/// What became of the verify commands that a repository names (§6.3e).
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "verification")]
pub enum Verification {
    /// All there were have passed.
    #[default]
    Done,
    /// Nothing was run: a person has to decide about these first.
    Waiting {
        /// The repository's commands, in order.
        commands: Vec<String>,
    },
    /// These were left out, as the user decided.
    Skipped {
        /// The repository's commands, in order.
        commands: Vec<String>,
    },
}

impl Verification {
    /// Whether every command has passed.
    pub fn is_done(&self) -> bool {
        *self == Verification::Done
    }

    /// Whether nothing of it is left to be decided or run before a push.
    pub fn allows_push(&self) -> bool {
        match self {
            Verification::Done | Verification::Skipped { .. } => true,
            Verification::Waiting { .. } => false,
        }
    }
}

impl FixResult {
    /// The account of work that was refused as a whole, for a reason that is a code or the words of `by`.
    pub fn all_rejected(payload: &FixPayload, by: &str, reason: &str) -> Self {
        let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        let reject = |issue: &Finding| RejectedIssue {
            finding_id: issue.id.clone(),
            reason: reason.to_owned(),
        };
        Self {
            agent: by.to_owned(),
            pr_number: payload.pr_number,
            summary: FixSummary {
                fixed: 0,
                rejected: count(payload.issues_to_fix.len()),
                deferred: count(payload.optional_issues.len()),
            },
            fixed_issues: Vec::new(),
            rejected_issues: payload.issues_to_fix.iter().map(reject).collect(),
            commits: Vec::new(),
        }
    }

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
