//! Merge queues: that GitHub took a pull request out of one, why, and whose fault that is as far as it can be told (§3.3, §11).

use crate::check_failures::{self, says_runner_lost};
use crate::ci::{self, CheckOutcome, check_outcome, classify};
use crate::finding::Finding;
use crate::ids::{Fingerprint, Sha, Time};
use crate::snapshot::{Check, CheckConclusion, MERGE_GROUP, QueueRemoval, RemovalReason, Snapshot};
use crate::tracked_finding::CheckFailure;
use serde::{Deserialize, Serialize};
use strum::IntoStaticStr;

/// Why a pull request was taken out of the merge queue, told apart by whose turn it is.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, IntoStaticStr,
)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum EjectionCause {
    /// Its own red: a check fails on its head too, or on the base with this change alone.
    OwnChecks,
    /// A neighbour's red: a check fails without this change, on what was queued before it.
    NeighbourChecks,
    /// A check fails on the base without this change.
    BaseChecks,
    /// Checks failed, and whether by this change or another's cannot be told.
    UndecidedChecks,
    /// A runner was lost, or checks were cancelled or timed out by themselves.
    Infrastructure,
    /// The queue's checks were not done in time.
    Timeout,
    /// A conflict with the base, or with what was queued before it.
    Conflict,
    /// The rules of the base branch are not met.
    BranchProtections,
    /// GitHub could not make the commit that would be merged.
    MergeNotBuilt,
    /// Somebody took it out.
    Manual,
    /// The queue was emptied.
    QueueCleared,
    /// The queue took its commit back.
    RolledBack,
    /// GitHub gives no reason that is known.
    Unknown,
}

impl EjectionCause {
    /// The code, as it is written in JSON and in the Fluent key `ejection-…`.
    pub fn code(self) -> &'static str {
        self.into()
    }

    /// Whether it stands against ready until it is queued again, or the head is another.
    pub fn blocks_ready(self) -> bool {
        match self {
            EjectionCause::OwnChecks
            | EjectionCause::NeighbourChecks
            | EjectionCause::BaseChecks
            | EjectionCause::UndecidedChecks
            | EjectionCause::Infrastructure
            | EjectionCause::Timeout
            | EjectionCause::Conflict
            | EjectionCause::BranchProtections
            | EjectionCause::MergeNotBuilt => true,
            EjectionCause::Manual
            | EjectionCause::QueueCleared
            | EjectionCause::RolledBack
            | EjectionCause::Unknown => false,
        }
    }
}

/// An ejection as it is remembered: judged when it was first seen, and only then.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Ejection {
    /// When, by GitHub's clock: the ejection's identity.
    pub at: Time,
    /// The head that was queued.
    pub head: Sha,
    /// The queue's commit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<Sha>,
    /// Why.
    pub cause: EjectionCause,
    /// GitHub's word, where it is not known.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub word: String,
    /// Names of the checks that the cause rests on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub checks: Vec<String>,
    /// What these failed with, where it is this change's fault.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<Fingerprint>,
}

impl QueueRemoval {
    /// Why, and the checks that this rests on.
    pub fn cause<'a>(&'a self, snapshot: &Snapshot) -> (EjectionCause, Vec<&'a Check>) {
        let cause = match &self.reason {
            RemovalReason::FailedChecks => return self.cause_of_checks(snapshot),
            RemovalReason::ChecksTimedOut => EjectionCause::Timeout,
            RemovalReason::MergeConflict => EjectionCause::Conflict,
            RemovalReason::Manual => EjectionCause::Manual,
            RemovalReason::QueueCleared => EjectionCause::QueueCleared,
            RemovalReason::RolledBack => EjectionCause::RolledBack,
            RemovalReason::BranchProtections => EjectionCause::BranchProtections,
            RemovalReason::MergeNotBuilt => EjectionCause::MergeNotBuilt,
            RemovalReason::Unknown { .. } => EjectionCause::Unknown,
        };
        (cause, Vec::new())
    }

    fn cause_of_checks(&self, snapshot: &Snapshot) -> (EjectionCause, Vec<&Check>) {
        let failed = self.relevant_checks(snapshot);
        if failed.is_empty() {
            return (EjectionCause::UndecidedChecks, failed);
        }
        let judged = failed.iter().copied().filter(|check| says_of_code(check));
        let judged: Vec<_> = judged
            .map(|check| (self.cause_of_check(check, snapshot), check))
            .collect();
        // What is this change's fault is so whatever else failed; what is nobody's counts only where all of it is told.
        let order = [
            EjectionCause::OwnChecks,
            EjectionCause::UndecidedChecks,
            EjectionCause::NeighbourChecks,
            EjectionCause::BaseChecks,
        ];
        for cause in order {
            let of_cause = judged.iter().filter(|(of, _)| *of == cause);
            let of_cause: Vec<&Check> = of_cause.map(|(_, check)| *check).collect();
            if !of_cause.is_empty() {
                return (cause, of_cause);
            }
        }
        (EjectionCause::Infrastructure, failed)
    }

    /// The failed checks for which GitHub took it out: required ones, where any of these is.
    fn relevant_checks(&self, snapshot: &Snapshot) -> Vec<&Check> {
        let failed = self.failed_checks.iter();
        let failed = failed.filter(|check| check_outcome(check) == CheckOutcome::Failed);
        let failed: Vec<&Check> = failed.collect();
        let is_required = |check: &&Check| {
            let mut required = snapshot.required_checks.iter();
            required.any(|required| required.is_met_by(check))
        };
        let required: Vec<&Check> = failed.iter().copied().filter(is_required).collect();
        if required.is_empty() {
            failed
        } else {
            required
        }
    }

    fn cause_of_check(&self, check: &Check, snapshot: &Snapshot) -> EjectionCause {
        let key = check.key();
        let own = snapshot.checks.iter();
        let mut own = own.filter(|own| own.key().is_same_but_event(&key));
        if own.any(|own| check_outcome(own) == CheckOutcome::Failed) {
            return EjectionCause::OwnChecks;
        }
        let Some(base) = &self.built_on else {
            return EjectionCause::UndecidedChecks;
        };
        let known = base.checks.iter();
        let mut known = known.filter(|known| known.check.is_same_but_event(&key));
        let failed_before =
            known.any(|known| classify(known.status, known.conclusion) == CheckOutcome::Failed);
        match (base.on_base_branch, failed_before) {
            (true, false) => EjectionCause::OwnChecks,
            (true, true) => EjectionCause::BaseChecks,
            (false, true) => EjectionCause::NeighbourChecks,
            // It passed before this change was added, which says nothing of how it does without the others.
            (false, false) => EjectionCause::UndecidedChecks,
        }
    }
}

impl QueueRemoval {
    /// A failed check of the queue's commit as a finding (P1, category `ci`). Its words to the fixer are English, as the prompt is.
    pub fn finding(&self, check: &Check, base_ref: &str, at: &str) -> (Finding, CheckFailure) {
        let failure = CheckFailure {
            check: check.key().of_merge_queue(),
            failures: check_failures::failures(check),
        };
        let label = format!("{} ({MERGE_GROUP})", check.name);
        let (mut finding, failure) = ci::check_finding(check, &label, failure, at);
        let commit = self.commit.as_ref().map(Sha::as_str).unwrap_or_default();
        let built_on = self.built_on.as_ref().map(|base| base.commit.as_str());
        let built_on = built_on.unwrap_or_default();
        let context = format!(
            "This check failed in the merge queue, on commit {commit}, which adds this branch to `{base_ref}` at {built_on}. It may pass on the \
            branch by itself."
        );
        finding.description = format!("{context}\n\n{}", finding.description);
        (finding, failure)
    }
}

/// Whether a failed check says something of the code, and not of the machine.
fn says_of_code(check: &Check) -> bool {
    let failed = check.conclusion == Some(CheckConclusion::Failure);
    failed && !check.annotations.iter().any(says_runner_lost)
}
