//! How far the panel is: stages, reviewers and their verdicts (§4.1).

use crate::change_map::FileUse;
use crate::coverage::{UnseenFile, UnseenReason};
use crate::ids::{Fingerprint, Sha, Time};
use crate::linter_run::LinterRun;
use crate::policy::{Policy, ReviewerSpec};
use crate::review::Conclusion;
use crate::session::LeftOut;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// How far a reviewer is.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ReviewerState {
    /// Who.
    pub spec: ReviewerSpec,
    /// The latest verdict.
    pub verdict: Option<Conclusion>,
    /// The head it was given on.
    pub head: Option<Sha>,
    /// What that review found, by identity.
    pub findings: BTreeSet<Fingerprint>,
    /// Whom it asked in.
    pub escalations: Vec<String>,
    /// When it was given.
    pub at: Option<Time>,
    /// Failed sessions in a row.
    pub failures: u32,
    /// It is to look once more at a head that it has seen: the fixer said no to something that it found (§6.1).
    #[serde(
        alias = "looks_again",
        default,
        skip_serializing_if = "std::ops::Not::not"
    )]
    pub rereview_due: bool,
    /// What it was not shown at that head.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left_out: Option<LeftOut>,
    /// What became of the repository's linters there; only of the rules.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub linters: Vec<LinterRun>,
    /// Changed files that it was not shown wholly up to that head; each path once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unseen: Vec<UnseenFile>,
    /// Which files use what the change touches, as its looks up to that head showed.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub uses: BTreeSet<FileUse>,
    /// What it says of the change there in its own words, as Markdown.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub summary: String,
}

impl ReviewerState {
    /// A seat whose reviewer has not looked yet.
    pub fn new(spec: ReviewerSpec) -> Self {
        Self {
            spec,
            verdict: None,
            head: None,
            findings: BTreeSet::new(),
            escalations: Vec::new(),
            at: None,
            failures: 0,
            rereview_due: false,
            left_out: None,
            linters: Vec::new(),
            unseen: Vec::new(),
            uses: BTreeSet::new(),
            summary: String::new(),
        }
    }

    /// Files that its reviewer has not read, since the reading that held them failed.
    pub fn unread_files(&self) -> Vec<String> {
        let failed = |file: &&UnseenFile| file.reason == UnseenReason::ReadingFailed;
        let files = self.unseen.iter().filter(failed);
        files.map(|file| file.path.clone()).collect()
    }
}

/// Reviewers that work side by side.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct StageState {
    /// In the order shown.
    pub reviewers: Vec<ReviewerState>,
}

/// The panel of a policy; reviewers that sat on it before keep what they said, and those that were asked in stay where they still
/// may be (§4.2).
pub fn build_stages(policy: &Policy, before: &[StageState]) -> Vec<StageState> {
    let known = |spec: &ReviewerSpec| {
        before
            .iter()
            .flat_map(|stage| &stage.reviewers)
            .find(|r| r.spec == *spec)
            .cloned()
    };
    let reviewer =
        |spec: &ReviewerSpec| known(spec).unwrap_or_else(|| ReviewerState::new(spec.clone()));
    let stage = |spec: &crate::policy::StageSpec| StageState {
        reviewers: spec.reviewers.iter().map(reviewer).collect(),
    };
    let mut stages: Vec<StageState> = policy.stages.iter().map(stage).collect();
    for invited in before.iter().rev() {
        let [guest] = invited.reviewers.as_slice() else {
            continue;
        };
        let name = &guest.spec.name;
        let all = || stages.iter().flat_map(|stage| &stage.reviewers);
        let sits = all().any(|r| r.spec.name == *name);
        let host = stages.iter().position(|stage| {
            let mut seats = stage.reviewers.iter();
            seats.any(|r| r.spec.may_escalate_to.contains(name))
        });
        if let (false, Some(host)) = (sits, host) {
            stages.insert(host + 1, invited.clone());
        }
    }
    stages
}
