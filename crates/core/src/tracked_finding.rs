//! A finding with its history over the rounds (§5).

use crate::finding::{Finding, Replacement};
use crate::ids::{Fingerprint, Login, Sha, ThreadId, Time};
use crate::snapshot::CheckKey;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Claims of one finding that may turn out not to hold, before it is stuck (§5.2).
pub const MAX_REFUTED_CLAIMS: u32 = 3;

/// What has become of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum FindingStatus {
    /// Stands.
    Open,
    /// The fixer says that it is fixed; no look at a head with that fix has confirmed it yet (§5.2).
    Claimed,
    /// Confirmed: a later head was looked at, and it is gone.
    Fixed,
    /// The fixer could not or would not, and it was upheld.
    Rejected,
    /// Its reviewer took it back; stays so.
    Withdrawn,
    /// Nobody is sure enough of it: it counts for nothing (§4.4).
    Unsure,
    /// Its claims are used up, or it came back after it was confirmed as fixed (§5.2).
    Stuck,
    /// A person took it out of this loop, with a reason: it counts for nothing until a fresh run finds it anew.
    Dismissed,
}

impl FindingStatus {
    /// Whether it counts against nothing any more, though its reviewer may still report it.
    pub fn is_set_aside(self) -> bool {
        matches!(self, FindingStatus::Withdrawn | FindingStatus::Dismissed)
    }
}

/// A person's word that a finding does not matter here.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Dismissal {
    /// Who.
    pub by: Login,
    /// Why, in their words.
    pub reason: String,
    /// When.
    pub at: Time,
}

/// Why a finding that counts stands in the report alone (§4.4).
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
    strum::VariantArray,
)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum ReportOnly {
    /// An open thread of somebody trusted says it already.
    Covered,
    /// Its line is not in the diff.
    OutsideDiff,
    /// It weighs less than what `strictness` asks for on lines.
    Minor,
    /// `max_comments` others came before it.
    Surplus,
}

impl ReportOnly {
    /// The code, as it is written in JSON and in Fluent keys.
    pub fn code(self) -> &'static str {
        self.into()
    }
}

/// A failed check, and what it failed with. Both together are its identity over the rounds (§3.3).
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct CheckFailure {
    /// Which check.
    pub check: CheckKey,
    /// The failing tests or errors.
    pub failures: BTreeSet<String>,
}

/// A finding with its history.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct TrackedFinding {
    /// As last reported.
    pub finding: Finding,
    /// Its number in this loop's reports, from 1: `F-3`; 0 while no report shows it.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub number: u32,
    /// Its identity.
    pub fingerprint: Fingerprint,
    /// What has become of it.
    pub status: FindingStatus,
    /// It lies on lines that Collie's last fix wrote (§5.3).
    pub introduced_by_fix: bool,
    /// The review round that first reported it.
    pub first_round: u32,
    /// The review round that last reported it.
    pub last_round: u32,
    /// The commits that claim to fix it.
    pub fixed_in: Vec<Sha>,
    /// Why it stands all the same, in its reviewer's words, by the commit whose claim did not hold.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub standing_reasons: BTreeMap<Sha, String>,
    /// How many of these claims did not hold, and brought nothing forward.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub refuted_claims: u32,
    /// Which check failed with what; only for what CI reports.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub check_failure: Option<CheckFailure>,
    /// Why the fixer did not fix it.
    pub rejection: Option<String>,
    /// Its reviewer was told so, and has withdrawn or upheld it since (§6.1).
    #[serde(
        alias = "rejection_heard",
        default,
        skip_serializing_if = "std::ops::Not::not"
    )]
    pub rejection_reported: bool,
    /// Its line is in the diff, so that GitHub takes a comment there.
    pub in_diff: bool,
    /// An open thread of somebody trusted says it already: it counts, and is not posted on its line (§4.4).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub covered: bool,
    /// That thread, where its reviewer's session named it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub covered_by: Option<ThreadId>,
    /// Why it is not on its line, though it was reported; none where it is, or has not been posted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub report_only: Option<ReportOnly>,
    /// What can be put in its place by a click; all of its lines are in the diff.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replacement: Option<Replacement>,
    /// Other tools that made it too, as people call them (§4.6).
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub also_found_by: BTreeSet<String>,
    /// The finding that it is told and handed over with, since both are one fault at this head.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub joined_to: Option<Fingerprint>,
    /// What came of a second look at what a bot alone has found; none before it, and of all others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub second_look: Option<SecondLook>,
    /// The head at which it was upheld although the fixer had said why it would not fix it; only of a bot's (§6.1).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub upheld_at: Option<Sha>,
    /// Who dismissed it, and why; only of a dismissed one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dismissal: Option<Dismissal>,
}

/// What came of a second look at a bot's finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SecondLook {
    /// It stands.
    Stands,
    /// It does not: the bot is told why, and no turn is spent on it.
    Refuted,
    /// Nobody could look: no model or agent is set up, or it failed.
    Unavailable,
}

impl TrackedFinding {
    /// Whether several tools made it that know nothing of each other.
    pub fn is_agreed(&self) -> bool {
        !self.also_found_by.is_empty()
    }

    /// Whether it is a bot's that the second look refuted.
    pub fn is_refuted(&self) -> bool {
        self.second_look == Some(SecondLook::Refuted) && self.status == FindingStatus::Rejected
    }

    /// Whether the fixer's reason against it was weighed at this head, and it stands.
    pub fn is_upheld_at(&self, head: &Sha) -> bool {
        self.upheld_at.as_ref() == Some(head)
    }

    /// Has it handed over again, whatever was claimed of it.
    pub(crate) fn reopen(&mut self) {
        self.status = FindingStatus::Open;
        self.refuted_claims = 0;
        self.rejection = None;
        self.rejection_reported = false;
        self.upheld_at = None;
    }

    /// Whether a person may dismiss it.
    pub fn may_be_dismissed(&self) -> bool {
        self.finding.source.kind.is_tool()
            && match self.status {
                FindingStatus::Open
                | FindingStatus::Claimed
                | FindingStatus::Rejected
                | FindingStatus::Stuck => true,
                FindingStatus::Fixed
                | FindingStatus::Withdrawn
                | FindingStatus::Unsure
                | FindingStatus::Dismissed => false,
            }
    }

    /// Why it is not worth a turn of the fixer, where a second look or a person said so: what the bot that found it is told.
    pub fn declined_without_turn(&self) -> Option<&str> {
        let dismissal = self.dismissal.as_ref().map(|word| word.reason.as_str());
        match self.status {
            FindingStatus::Dismissed => dismissal,
            _ if self.is_refuted() => self.rejection.as_deref(),
            _ => None,
        }
    }

    /// Whether it is what a check failed with in the merge queue: only another go through that shows whether it is gone.
    pub fn is_of_queue(&self) -> bool {
        let failure = self.check_failure.as_ref();
        failure.is_some_and(|failure| failure.check.is_of_merge_queue())
    }
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde hands over a reference"
)]
pub(crate) fn is_zero(count: &u32) -> bool {
    *count == 0
}
