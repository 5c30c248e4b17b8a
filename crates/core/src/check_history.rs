//! Why a check failed (§3.3): by how it went at this head before, and how it goes on the base. Told apart before a fix is spent.

use crate::check_failures::says_runner_lost;
use crate::ci::{CheckOutcome, Ci, classify};
use crate::failure_cause::FailureCause;
use crate::ids::Time;
use crate::snapshot::{Check, CheckConclusion, CheckKey, Snapshot};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// A check that was asked to run again shows it within this time, or does not run again.
const RERUN_SHOWS_MS: u64 = 5 * 60_000;

/// A check that was asked to run again at a head; each once.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Rerun {
    /// Which.
    pub check: CheckKey,
    /// The run that failed.
    pub run: u64,
    /// When it was asked for.
    pub at: Time,
    /// GitHub refused, or the token may not.
    pub refused: bool,
}

/// How the checks of one head have gone.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default)]
pub struct CheckHistory {
    /// Checks that were seen to fail.
    pub seen_red: BTreeSet<CheckKey>,
    /// Checks that were seen to pass.
    pub seen_green: BTreeSet<CheckKey>,
    /// Checks that failed while they failed on the base.
    pub seen_broken_base: BTreeSet<CheckKey>,
    /// Those that were asked to run again.
    pub reruns: Vec<Rerun>,
}

impl CheckHistory {
    /// Whether nothing was seen.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Notes what a snapshot of this head shows.
    pub(crate) fn note(&mut self, ci: &Ci<'_>, snapshot: &Snapshot) {
        self.seen_green
            .extend(ci.passed.iter().map(|check| check.key()));
        for check in &ci.failed {
            self.seen_red.insert(check.key());
            if base_outcome(check, snapshot) == Some(CheckOutcome::Failed) {
                self.seen_broken_base.insert(check.key());
            }
        }
    }

    /// Why a failed check has failed.
    pub fn cause(&self, check: &Check, snapshot: &Snapshot) -> FailureCause {
        let key = check.key();
        match base_outcome(check, snapshot) {
            Some(CheckOutcome::Failed) => return FailureCause::BaseBroken,
            // The base is being put right.
            Some(CheckOutcome::Running | CheckOutcome::NeedsAction)
                if self.seen_broken_base.contains(&key) =>
            {
                return FailureCause::BaseBroken;
            }
            Some(_) | None => {}
        }
        if self
            .reruns
            .iter()
            .any(|rerun| rerun.check == key && rerun.run != check.id)
        {
            return FailureCause::Regression;
        }
        let lost = check.annotations.iter().any(says_runner_lost);
        match check.conclusion {
            // What failed for the base's fault says nothing of the change.
            _ if lost || self.seen_broken_base.contains(&key) => FailureCause::Infrastructure,
            Some(
                CheckConclusion::Cancelled
                | CheckConclusion::TimedOut
                | CheckConclusion::Stale
                | CheckConclusion::StartupFailure,
            ) => FailureCause::Infrastructure,
            _ if self.seen_green.contains(&key) => FailureCause::Flaky,
            _ => FailureCause::Regression,
        }
    }

    /// What is to be done about a failed check before it counts.
    pub fn rerun_state(&self, check: &Check, snapshot: &Snapshot) -> RerunState {
        let asked = self.reruns.iter().find(|rerun| rerun.check == check.key());
        match asked {
            Some(rerun) => {
                let shows = rerun.refused || rerun.run != check.id;
                match shows || snapshot.read_at.since(rerun.at) >= RERUN_SHOWS_MS {
                    true => RerunState::Counts,
                    false => RerunState::Asked,
                }
            }
            // Only check runs can be run again, and they have numbers.
            None if check.id > 0 && self.cause(check, snapshot).is_worth_rerun() => {
                RerunState::Wanted
            }
            None => RerunState::Counts,
        }
    }

    /// Checks that were red and green at this head.
    pub fn flaky(&self) -> impl Iterator<Item = &CheckKey> {
        self.seen_red.intersection(&self.seen_green)
    }
}

/// Whether a failed check is run once more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RerunState {
    /// It is worth it, and was not asked for.
    Wanted,
    /// It was asked for, and GitHub does not show it yet.
    Asked,
    /// It stands as it is.
    Counts,
}

fn base_outcome(check: &Check, snapshot: &Snapshot) -> Option<CheckOutcome> {
    let key = check.key();
    let base = snapshot.base_checks.iter();
    let same = base.filter(|base| base.check.is_same_but_event(&key));
    let outcomes = same.map(|base| classify(base.status, base.conclusion));
    // Of several events the worst counts.
    outcomes.max()
}
