//! What the last snapshot showed, kept small: for the card, never to decide from.

use crate::failure_cause::FailureCause;
use crate::ids::{AccountId, Login, Sha, Time};
use crate::review::Conclusion;
use crate::snapshot::Snapshot;
use crate::text::UntrustedText;
use serde::{Deserialize, Serialize};
use std::fmt::Debug;
use std::hash::Hash;
use strum::EnumDiscriminants;

/// How a bot stands on this head (§3.4).
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, EnumDiscriminants)]
#[strum_discriminants(
    name(BotStatusCode),
    doc = " The codes of [`BotStatus`], as they are written in JSON.",
    derive(Serialize, Deserialize),
    serde(rename_all = "snake_case")
)]
#[cfg_attr(feature = "typescript", strum_discriminants(derive(ts_rs::TS)))]
#[serde(rename_all = "snake_case", tag = "status")]
pub enum BotStatus {
    /// Expected, has not reviewed.
    Waiting {
        /// The loop goes on without it then.
        until: Time,
    },
    /// Has reviewed this head.
    Reviewed,
    /// Says that it did not review: quota or rate limit.
    OutOfQuota {
        /// When it says it will be back.
        until: Option<Time>,
    },
    /// Did not come in time.
    TimedOut,
    /// Known here, not waited for.
    NotExpected,
}

/// A bot as the card shows it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct BotView {
    /// Its login.
    pub login: Login,
    /// Its account.
    pub id: AccountId,
    /// Whether the account is the one the registry names.
    pub verified: bool,
    /// How it stands.
    pub status: BotStatus,
}

/// How CI stands as a whole (§3.3).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum CiStatus {
    /// Nothing has reported.
    #[default]
    None,
    /// Something is not done.
    Pending,
    /// All passed.
    Passed,
    /// All done, something failed.
    Failed,
}

/// One check as the card shows it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct CheckView {
    /// Its name.
    pub name: UntrustedText,
    /// GitHub's word: `queued`, `completed`, …; `missing` for a required one that has not reported.
    pub status: String,
    /// GitHub's word: `success`, `failure`, …
    pub conclusion: Option<String>,
    /// Where a person reads more.
    pub url: Option<String>,
    /// Why it failed, as far as that is told apart; only of failed ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<FailureCause>,
}

/// What a person's latest review that counts says: of those who may write, and of those on the panel.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct PersonView {
    /// Who.
    pub login: Login,
    /// They approved, or asked for changes.
    pub verdict: Conclusion,
    /// The head that they looked at.
    pub head: Option<Sha>,
    /// When.
    pub at: Option<Time>,
}

/// How much a pull request changes, as GitHub counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ChangeSize {
    /// Changed files.
    pub files: u32,
    /// Lines that are new.
    pub additions: u32,
    /// Lines that are gone.
    pub deletions: u32,
}

impl ChangeSize {
    /// That of a reading.
    pub fn of(snapshot: &Snapshot) -> Self {
        let files = &snapshot.files;
        let sum = |lines: fn(&crate::snapshot::ChangedFile) -> u32| {
            files
                .iter()
                .map(lines)
                .fold(0, |all: u32, one| all.saturating_add(one))
        };
        Self {
            files: u32::try_from(files.len()).unwrap_or(u32::MAX),
            additions: sum(|file| file.additions),
            deletions: sum(|file| file.deletions),
        }
    }
}

/// What the last snapshot showed, kept small: for the card, never to decide from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct SnapshotSummary {
    /// When.
    pub at: Option<Time>,
    /// CI as a whole.
    pub ci: CiStatus,
    /// Every check.
    pub checks: Vec<CheckView>,
    /// Changed files that say what CI runs: the first of them (§3.3).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub workflow_files: Vec<String>,
    /// Every bot.
    pub bots: Vec<BotView>,
    /// What the panel concluded at this head, once it has.
    pub consensus: Option<Conclusion>,
    /// Everybody whose review counts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub people: Vec<PersonView>,
    /// How much it changes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<ChangeSize>,
    /// The beginning of its description.
    #[serde(default, skip_serializing_if = "UntrustedText::is_empty")]
    pub description: UntrustedText,
}

impl SnapshotSummary {
    /// All but when.
    pub(crate) fn without_time(&self) -> impl Debug + Eq + Hash + '_ {
        let Self {
            at: _,
            ci,
            checks,
            workflow_files,
            bots,
            consensus,
            people,
            size,
            description,
        } = self;
        let ci = (ci, checks, workflow_files);
        (ci, bots, consensus, people, size, description)
    }
}
