//! What a loop has been told: the configuration after files, environment and flags were merged (§12).

use crate::autonomy::Autonomy;
use crate::budget::BudgetLimit;
use crate::ids::{AccountId, Login};
use crate::own_accounts::AccountPolicy;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use strum::{IntoStaticStr, VariantArray, VariantNames};

/// Who sits on a reviewer's chair (§4.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum ReviewerKind {
    /// The built-in rules.
    Rules,
    /// A model or a coding agent.
    Agent,
    /// A person; waited for, never dispatched.
    Human,
}

/// A persona that comes with Collie (§4.1). The user may describe others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr, VariantArray, VariantNames)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "typescript", ts(rename_all = "snake_case"))]
#[strum(serialize_all = "snake_case")]
pub enum ShippedPersona {
    /// Product: purpose, users, consistency.
    Priya,
    /// Quality: code, tests, upkeep.
    Quinn,
    /// Security.
    Sam,
}

impl ShippedPersona {
    /// All of them, in the order shown.
    pub const ALL: &[Self] = <Self as VariantArray>::VARIANTS;

    /// Their names.
    pub const NAMES: &[&str] = <Self as VariantNames>::VARIANTS;

    /// The name in configuration, in the panel and in reports.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// One reviewer of the panel.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ReviewerSpec {
    /// `rules`, a persona, or a login.
    pub name: String,
    /// What it is.
    pub kind: ReviewerKind,
    /// Reviewers it may ask in.
    #[serde(default)]
    pub may_escalate_to: BTreeSet<String>,
}

impl ReviewerSpec {
    /// A persona, which asks nobody in.
    pub fn agent(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            kind: ReviewerKind::Agent,
            may_escalate_to: BTreeSet::new(),
        }
    }
}

/// Reviewers that work side by side, 1 to 5.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct StageSpec {
    /// In the order shown.
    pub reviewers: Vec<ReviewerSpec>,
}

/// A review bot that is known by its account (§3.4).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct KnownBot {
    /// The account's number.
    pub id: AccountId,
    /// Its name, without `[bot]`.
    pub login: Login,
    /// What people call it.
    pub name: String,
    /// Whether it reviews code: Codecov and Dependabot are known, but do not review.
    pub reviews: bool,
}

/// All numbers and names a loop goes by. Times are in milliseconds.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Policy {
    /// Pushes by Collie before a person is asked (5).
    pub max_iterations: u32,
    /// From the first sight of a head with CI running to giving up (30 min).
    pub ci_timeout_ms: u64,
    /// From the first sight of a head to going on without a bot (15 min).
    pub bot_timeout_ms: u64,
    /// Between two readings (60 s).
    pub poll_interval_ms: u64,
    /// Between two readings of a pull request that is ready (5 min).
    pub ready_poll_interval_ms: u64,
    /// How long a run that has ended, but not with its pull request, listens for commands (7 days); 0: not at all.
    #[serde(default = "a_week", skip_serializing_if = "is_a_week")]
    pub listen_after_end_ms: u64,
    /// From the first failed check to acting on it (5 min).
    pub red_collect_ms: u64,
    /// From the end of all other checks to going on without those that only other heads had (5 min).
    pub missing_grace_ms: u64,
    /// Without any check ever reported, from the first sight of a head to calling it passed (60 s).
    pub no_checks_grace_ms: u64,
    /// How long a 404 must last to count (5 min).
    pub gone_ms: u64,
    /// Restarts by other people's pushes before a person is asked (20).
    pub max_restarts: u32,
    /// Turns of one run, a turn being one hand-over to the fixer (20).
    pub max_turns: u32,
    /// Attempts of one review or fix session (3 retries, after 1 s, 2 s, 4 s).
    pub session_retries: u32,
    /// Checks to leave out, by name.
    pub ignored_checks: BTreeSet<String>,
    /// Known bots.
    pub bots: Vec<KnownBot>,
    /// Bots to wait for on each head.
    pub expected_bots: BTreeSet<AccountId>,
    /// The panel.
    pub stages: Vec<StageSpec>,
    /// Findings below it are dropped, in thousandths (700).
    pub comment_threshold: u16,
    /// Inline comments of one review (20).
    pub max_comments: u32,
    /// The least urgent priority that is posted inline: permissive P1, balanced P2, strict P3.
    pub strictness: Strictness,
    /// People whose feedback counts besides those with write access: the accounts that bore these names when they were first seen.
    pub allowed_users: BTreeSet<Login>,
    /// A pull request with this label is left alone (`collie:ignore`).
    pub ignore_label: String,
    /// Further such labels, which the repository names.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub more_ignore_labels: BTreeSet<String>,
    /// What the repository itself lets models and agents spend on one of its pull requests; the user's own limits are not part of it (§15).
    #[serde(default, skip_serializing_if = "BudgetLimit::is_none")]
    pub budget: BudgetLimit,
    /// What becomes of text files that nobody was shown.
    #[serde(default, skip_serializing_if = "UnseenPolicy::is_default")]
    pub unseen: UnseenPolicy,
    /// Whether the base is merged into the head branch, and by whom.
    #[serde(default, skip_serializing_if = "BaseMerging::is_default")]
    pub merge_base: BaseMerging,
    /// Whether Collie fixes and pushes at all; without, it reviews and waits for people.
    #[serde(default = "yes")]
    pub fix: bool,
    /// Whether suggestions (P3) go along with what has to be fixed (§6.1).
    #[serde(default)]
    pub fix_suggestions: bool,
    /// How far the repository lets Collie go by itself (§13.7).
    #[serde(default, skip_serializing_if = "Autonomy::is_push")]
    pub max_autonomy: Autonomy,
    /// Who speaks as a GitHub account of its own (§18.2).
    #[serde(default, skip_serializing_if = "AccountPolicy::is_empty")]
    pub accounts: AccountPolicy,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde hands over a reference"
)]
fn is_a_week(listens_ms: &u64) -> bool {
    *listens_ms == a_week()
}

fn a_week() -> u64 {
    7 * 24 * 60 * 60_000
}

/// What runs of before had.
fn yes() -> bool {
    true
}

/// Whether the base is merged into the head branch where it conflicts, or where the branch must be up to date (§3.7). The stricter one is
/// the lesser.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum BaseMerging {
    /// Never: a person does it.
    #[default]
    Off,
    /// By git alone, where it finds no conflict.
    Clean,
    /// By git; the fixer's agent resolves conflicts.
    Agent,
}

impl BaseMerging {
    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// What becomes of text files that no reviewer was shown (§4.4). The stricter one is the lesser.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum UnseenPolicy {
    /// The loop waits until a person has looked at them.
    #[default]
    Block,
    /// They are named, and hold nothing up.
    Tell,
}

impl UnseenPolicy {
    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// How much is said inline (§4.4).
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum Strictness {
    /// P0 and P1.
    Permissive,
    /// P0 to P2.
    #[default]
    Balanced,
    /// Everything.
    Strict,
}

impl Default for Policy {
    fn default() -> Self {
        const MINUTE: u64 = 60_000;
        Self {
            max_iterations: 5,
            ci_timeout_ms: 30 * MINUTE,
            bot_timeout_ms: 15 * MINUTE,
            poll_interval_ms: MINUTE,
            ready_poll_interval_ms: 5 * MINUTE,
            listen_after_end_ms: a_week(),
            red_collect_ms: 5 * MINUTE,
            missing_grace_ms: 5 * MINUTE,
            no_checks_grace_ms: MINUTE,
            gone_ms: 5 * MINUTE,
            max_restarts: 20,
            max_turns: 20,
            session_retries: 3,
            ignored_checks: BTreeSet::new(),
            bots: Vec::new(),
            expected_bots: BTreeSet::new(),
            stages: vec![StageSpec {
                reviewers: vec![ReviewerSpec {
                    name: "rules".into(),
                    kind: ReviewerKind::Rules,
                    may_escalate_to: BTreeSet::new(),
                }],
            }],
            comment_threshold: 700,
            max_comments: 20,
            strictness: Strictness::Balanced,
            allowed_users: BTreeSet::new(),
            ignore_label: "collie:ignore".into(),
            more_ignore_labels: BTreeSet::new(),
            budget: BudgetLimit::default(),
            unseen: UnseenPolicy::default(),
            merge_base: BaseMerging::default(),
            fix: true,
            fix_suggestions: false,
            max_autonomy: Autonomy::Push,
            accounts: AccountPolicy::default(),
        }
    }
}
