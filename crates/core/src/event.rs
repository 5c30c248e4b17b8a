//! Everything that can move a loop (§2).
//!
//! One closed enum. A payload is a struct of its own, so that whoever handles it takes it whole; what comes back from an effect is
//! one [`Answered`], whose [`Outcome`] is matched against the effect that asked.

use crate::autonomy::Autonomy;
use crate::base_merge::LostLine;
use crate::budget::BudgetExceeded;
use crate::coverage::UnseenFile;
use crate::error_code::ErrorCode;
use crate::finding::{Confidence, Replacement};
use crate::fix::{FixPayload, FixResult, FixerNote, Verification};
use crate::ids::{EffectId, Fingerprint, Login, RunId, Sha, ThreadId, Time};
use crate::own_accounts::AccountTrouble;
use crate::pause::Pause;
use crate::policy::Policy;
use crate::poll_budget::PollThrottle;
use crate::review::ReviewerResult;
use crate::session::{AgentSession, RefusedHosts, SessionSummary};
use crate::snapshot::{ObserveFailure, Snapshot};
use crate::token_right::TokenRight;
use crate::trust::RepositoryTrust;
use crate::usage::Usage;
use crate::user_error::UserError;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Everything that can move a loop (§2).
#[derive(
    Clone,
    Debug,
    PartialEq,
    Eq,
    Hash,
    Serialize,
    Deserialize,
    strum::IntoStaticStr,
    strum::VariantNames,
)]
#[serde(rename_all = "snake_case", tag = "event")]
#[strum(serialize_all = "snake_case")]
pub enum Event {
    /// A reading.
    Observed(Observed),
    /// A reading that failed.
    ObserveFailed(ObserveFailed),
    /// A reading that was due, and that what is left of GitHub's budget does not pay.
    PollPostponed(PollPostponed),
    /// What came back from an effect.
    Answered(Answered),
    /// A person cancels.
    Cancel(Cancel),
    /// A person wants a fresh run of a loop that has ended.
    Retry(NextRun),
    /// A person wants a run that goes on with what is known, after `needs_human`.
    Resume(NextRun),
    /// A person has decided what may be run or fixed in the repository.
    TrustChanged(TrustChanged),
    /// A person has looked at what no reviewer was shown.
    FilesSeen(FilesSeen),
    /// A person says that a finding does not matter here.
    FindingDismissed(FindingDismissed),
    /// A person tells the fixer something for its next turn.
    FixerNoted(FixerNoted),
    /// How far Collie may go by itself was set.
    AutonomyChanged(AutonomyChanged),
    /// A person has paused everything, or lets it go on.
    PauseChanged(PauseChanged),
    /// A person lets a commit be pushed.
    PushApproved(PushApproved),
    /// A person does not let a commit be pushed.
    PushRejected(PushRejected),
    /// GitHub refuses a post that is not undeliverable.
    PostRefused(PostRefused),
    /// A session that nobody wants any more has ended: its answer is no use, and it was not free.
    SessionCancelled(SessionCancelled),
}

impl Event {
    /// What came back from an effect.
    pub fn answered(effect: EffectId, outcome: impl Into<Outcome>) -> Self {
        let outcome = outcome.into();
        Event::Answered(Answered {
            effect,
            outcome,
            agent_session: None,
        })
    }

    /// A reading.
    pub fn observed(snapshot: Snapshot) -> Self {
        Event::observed_throttled(snapshot, None)
    }

    /// A reading, and why the next one comes later than configured.
    pub fn observed_throttled(snapshot: Snapshot, throttle: Option<PollThrottle>) -> Self {
        let snapshot = Box::new(snapshot);
        Event::Observed(Observed { snapshot, throttle })
    }

    /// Its name, as the journal and `log --json` write it: of an answer, that of its outcome.
    pub fn name(&self) -> &'static str {
        match self {
            Event::Answered(answered) => answered.outcome.name(),
            other => other.into(),
        }
    }
}

/// A reading.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Observed {
    /// It.
    pub snapshot: Box<Snapshot>,
    /// Why the next one comes later than configured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub throttle: Option<PollThrottle>,
}

/// A reading that failed.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ObserveFailed {
    /// When.
    pub at: Time,
    /// Why.
    pub failure: ObserveFailure,
    /// Random thousandths, to spread retries.
    pub jitter_permille: u16,
}

/// A reading that waits until more of GitHub's budget is there (§3.2).
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct PollPostponed {
    /// When it was due.
    pub at: Time,
    /// Why, and until when.
    pub throttle: PollThrottle,
    /// Random thousandths, to spread those that wait for the same moment.
    pub jitter_permille: u16,
}

/// A person cancels.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Cancel {
    /// Who.
    pub by: Login,
}

/// A person wants another run.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct NextRun {
    /// Who.
    pub by: Login,
    /// Its id.
    pub run: RunId,
    /// What it goes by.
    pub policy: Box<Policy>,
    /// So many rounds more than the configuration allows, in this run alone.
    #[serde(default, skip_serializing_if = "crate::tracked_finding::is_zero")]
    pub extra_rounds: u32,
}

/// What may be run and fixed in the repository from now on.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct TrustChanged {
    /// All of it.
    pub trust: Box<RepositoryTrust>,
}

/// A person has looked at what no reviewer was shown of a head (§4.4).
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct FilesSeen {
    /// Who.
    pub by: Login,
    /// The head.
    pub head: Sha,
}

/// A person says that a finding does not matter here (§13.8).
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct FindingDismissed {
    /// Who.
    pub by: Login,
    /// Which.
    pub fingerprint: Fingerprint,
    /// Why.
    pub reason: String,
}

/// A person tells the fixer something for its next turn (§13.8).
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct FixerNoted {
    /// What, and of which finding.
    pub note: FixerNote,
}

/// How far Collie may go by itself was set (§13.7).
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct AutonomyChanged {
    /// The signed-in account.
    pub by: Login,
    /// How far.
    pub level: Autonomy,
    /// What the settings say of it; none where they say nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub configured: Option<Autonomy>,
}

/// A person has paused everything, or lets it go on (§15).
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct PauseChanged {
    /// The signed-in account.
    pub by: Login,
    /// The pause; none where everything goes on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pause: Option<Pause>,
}

/// A person lets a commit be pushed, having seen its diff.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct PushApproved {
    /// Who.
    pub by: Login,
    /// The commit.
    pub commit: Sha,
    /// The head that it was made on.
    pub head: Sha,
}

/// A person does not let a commit be pushed.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct PushRejected {
    /// Who.
    pub by: Login,
    /// The commit.
    pub commit: Sha,
    /// The head that it was made on.
    pub head: Sha,
    /// What the fixer is told; may be empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub note: String,
}

/// GitHub refuses a post, and may take it later: a token without the right, single sign-on, an unsubmitted review of the account.
/// The effect stays in the outbox and is tried again.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct PostRefused {
    /// The effect.
    pub effect: EffectId,
    /// GitHub's words.
    pub message: String,
    /// The account that cannot be used for it; none where GitHub refuses the post itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub account: Option<AccountTrouble>,
}

/// What came back from an effect.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Answered {
    /// What asked for it.
    pub effect: EffectId,
    /// What it came to.
    pub outcome: Outcome,
    /// The session that the fixer's agent goes on with next time; none where it had none, or has none any more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_session: Option<AgentSession>,
}

/// What an effect came to.
#[derive(
    Clone,
    Debug,
    PartialEq,
    Eq,
    Hash,
    Serialize,
    Deserialize,
    strum::IntoStaticStr,
    strum::VariantNames,
)]
#[serde(rename_all = "snake_case", tag = "outcome")]
#[strum(serialize_all = "snake_case")]
pub enum Outcome {
    /// The configuration, with the repository's as of a commit.
    ConfigLoaded(ConfigLoaded),
    /// The repository's configuration cannot be read.
    ConfigInvalid(ConfigInvalid),
    /// What the token lacks for what Collie writes.
    RightsChecked(RightsChecked),
    /// A reviewer is done.
    ReviewFinished(Box<ReviewFinished>),
    /// A review ended without a result.
    ReviewFailed(SessionFailed),
    /// The fixer is done, all gates passed; nothing is pushed yet.
    FixFinished(FixFinished),
    /// A fix ended without a result.
    FixFailed(SessionFailed),
    /// A fix that had waited for its verify commands was passed through the gates again.
    FixVerified(FixVerified),
    /// That ended without a result.
    VerifyFailed(SessionFailed),
    /// The base is merged into the head branch, all gates passed; nothing is pushed yet.
    BaseMerged(BaseMerged),
    /// The base cannot be merged in without a person.
    BaseMergeRefused(BaseMergeRefused),
    /// A merge ended without a result.
    BaseMergeFailed(SessionFailed),
    /// The commit is on the remote.
    Pushed(Pushed),
    /// The fix was laid on top of a head that had moved. Recorded before it is pushed.
    Rebased(Rebased),
    /// The push was given up.
    PushFailed(PushFailed),
    /// The remote branch, read from git itself (§3.6).
    RemoteHead(RemoteHead),
    /// GitHub has the post, or refuses it for good.
    Delivered(Delivered),
    /// A thread was resolved, or cannot be.
    ThreadResolved(ThreadResolved),
    /// Checks were asked to run again, or cannot be.
    ChecksRerun(ChecksRerun),
    /// The worktree is gone.
    CleanedUp,
    /// A judgement of people's was written down, or could not be, which is told in the log alone.
    Remembered,
}

impl Outcome {
    /// Its name, as the journal and `log --json` write it.
    pub fn name(&self) -> &'static str {
        self.into()
    }

    /// What a session of models or agents cost that this came out of.
    pub fn usage(&self) -> Usage {
        match self {
            Outcome::ReviewFinished(done) => done.usage,
            Outcome::FixFinished(done) => done.usage,
            Outcome::BaseMerged(done) => done.usage,
            Outcome::BaseMergeRefused(done) => done.usage,
            Outcome::ReviewFailed(failed)
            | Outcome::FixFailed(failed)
            | Outcome::VerifyFailed(failed)
            | Outcome::BaseMergeFailed(failed) => failed.usage,
            Outcome::ConfigLoaded(_)
            | Outcome::ConfigInvalid(_)
            | Outcome::RightsChecked(_)
            | Outcome::FixVerified(_)
            | Outcome::Pushed(_)
            | Outcome::Rebased(_)
            | Outcome::PushFailed(_)
            | Outcome::RemoteHead(_)
            | Outcome::Delivered(_)
            | Outcome::ThreadResolved(_)
            | Outcome::ChecksRerun(_)
            | Outcome::CleanedUp
            | Outcome::Remembered => Usage::default(),
        }
    }
}

/// The configuration, with the repository's as of a commit of its default branch.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ConfigLoaded {
    /// The commit.
    #[serde(alias = "base")]
    pub commit: Sha,
    /// User's and repository's configuration, merged.
    pub policy: Box<Policy>,
    /// Keys of `.collie.toml` that had no effect, since they would widen what the user set (§12).
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub without_effect: BTreeSet<String>,
}

/// The repository's configuration cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ConfigInvalid {
    /// The commit of the default branch.
    #[serde(alias = "base")]
    pub commit: Sha,
    /// File, line, key, expectation.
    #[serde(alias = "message")]
    pub error: UserError,
}

/// What the token lacks for what Collie writes.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct RightsChecked {
    /// Only what GitHub has said; what cannot be known beforehand is not in it.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub lacking: BTreeSet<TokenRight>,
    /// Whether GitHub gave no clear answer: then what was known stands.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unanswered: bool,
}

/// A reviewer is done.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ReviewFinished {
    /// The head it looked at.
    pub head: Sha,
    /// What it returned, validated; evidence checked against the code at that head.
    pub result: Box<ReviewerResult>,
    /// Identity of each finding, in order.
    pub fingerprints: Vec<Fingerprint>,
    /// Ids of findings whose line is in the diff: these may be posted inline.
    pub in_diff: BTreeSet<String>,
    /// Ids of findings on lines that Collie's last fix wrote (§5.3).
    #[serde(alias = "by_fix")]
    pub introduced_by_fix: BTreeSet<String>,
    /// What it cost.
    pub usage: Usage,
    /// Hash of the prompts that it was made with; none when there were none.
    #[serde(default, alias = "prompts", skip_serializing_if = "Option::is_none")]
    pub prompt_hash: Option<String>,
    /// Earlier findings of its own that the reviewer takes back.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub withdrawn: BTreeSet<Fingerprint>,
    /// Earlier findings of its own that the reviewer could not be asked about, since a reading failed: they stand as they did.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub not_rechecked: BTreeSet<Fingerprint>,
    /// Why findings of earlier looks still stand, in the reviewer's words, by their ids.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub upheld: BTreeMap<String, String>,
    /// What can be put in place of the lines of some findings, by their ids; all of those lines are in the diff.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub replacements: BTreeMap<String, Replacement>,
    /// Ids of findings that an open thread of somebody trusted says already (§4.4).
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub covered: BTreeSet<String>,
    /// These threads, by the finding's id.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub covered_by: BTreeMap<String, ThreadId>,
    /// How the session went; none where there was none, as for the rules.
    #[serde(default, alias = "account", skip_serializing_if = "Option::is_none")]
    pub session: Option<Box<SessionSummary>>,
    /// Changed files that the reviewer was not shown wholly up to this head; each path once (§4.4).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unseen: Vec<UnseenFile>,
    /// How far findings of bots stand that it was asked to look at again, by their ids.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub second_looks: BTreeMap<String, SecondLookScore>,
}

/// How far a finding stands that was looked at again.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct SecondLookScore {
    /// How sure who looked is of it.
    pub confidence: Confidence,
    /// Why, in a sentence or two.
    pub reason: String,
}

/// A review or a fix ended without a result.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct SessionFailed {
    /// Why.
    pub failure: SessionFailure,
    /// What it cost all the same.
    #[serde(default, skip_serializing_if = "Usage::is_nothing")]
    pub usage: Usage,
    /// Hosts that it was refused meanwhile.
    #[serde(default, skip_serializing_if = "RefusedHosts::is_empty")]
    pub refused_hosts: RefusedHosts,
}

/// A session that was cancelled.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct SessionCancelled {
    /// What had asked for it.
    pub effect: EffectId,
    /// What it had cost by then, as far as is known.
    pub usage: Usage,
    /// The session that the fixer's agent goes on with next time, which knows what was paid of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_session: Option<AgentSession>,
}

/// The fixer is done.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct FixFinished {
    /// The commit that Collie made; none when nothing changed.
    pub commit: Option<Sha>,
    /// The fixer's account, validated.
    pub result: Box<FixResult>,
    /// Whether a hunk returns to an earlier content (§5.3).
    pub oscillates: bool,
    /// What it cost.
    pub usage: Usage,
    /// How the session went; none where there was none, as for the rules.
    #[serde(default, alias = "account", skip_serializing_if = "Option::is_none")]
    pub session: Option<Box<SessionSummary>>,
    /// What became of the verify commands.
    #[serde(default, skip_serializing_if = "Verification::is_done")]
    pub verification: Verification,
    /// Hosts that what prepared the verification was refused; those of an agent are in its session.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub refused_hosts: BTreeSet<String>,
    /// The files that the commit changes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
}

/// A fix that had waited for its verify commands was passed through the gates again.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct FixVerified {
    /// The new commit of the same change; none when a gate refuses it now, so that it has to be made anew.
    pub commit: Option<Sha>,
    /// What became of the verify commands.
    pub verification: Verification,
    /// Hosts that what prepared the verification was refused; those of an agent are in its session.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub refused_hosts: BTreeSet<String>,
}

/// The base is merged into the head branch.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct BaseMerged {
    /// The merge commit that Collie made.
    pub commit: Sha,
    /// Files that conflicted, and that the fixer resolved.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conflicts: Vec<String>,
    /// Lines that the fixer left out, each with a reason in its account.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lost: Vec<LostLine>,
    /// What the fixer was asked; nothing where git needed none.
    pub payload: Box<FixPayload>,
    /// The fixer's account, validated.
    pub result: Box<FixResult>,
    /// What it cost.
    #[serde(default, skip_serializing_if = "Usage::is_nothing")]
    pub usage: Usage,
    /// How the session went; none where there was none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<Box<SessionSummary>>,
    /// What became of the verify commands.
    #[serde(default, skip_serializing_if = "Verification::is_done")]
    pub verification: Verification,
    /// Hosts that what prepared the verification was refused; those of an agent are in its session.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub refused_hosts: BTreeSet<String>,
}

/// The base cannot be merged in without a person.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct BaseMergeRefused {
    /// Why.
    pub error: UserError,
    /// Whether the fixer tried.
    pub by_agent: bool,
    /// What it cost.
    #[serde(default, skip_serializing_if = "Usage::is_nothing")]
    pub usage: Usage,
    /// How the session went; none where there was none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<Box<SessionSummary>>,
    /// Hosts that what prepared the verification was refused; those of an agent are in its session.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub refused_hosts: BTreeSet<String>,
}

/// The commit is on the remote.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Pushed {
    /// The commit; another one than asked for when it was rebased.
    pub commit: Sha,
}

/// The remote had moved: the fix was laid on top of it, passed all gates again and was committed.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Rebased {
    /// The new commit.
    pub commit: Sha,
    /// The remote head it is made on.
    pub onto: Sha,
    /// What became of the verify commands.
    #[serde(default, skip_serializing_if = "Verification::is_done")]
    pub verification: Verification,
    /// Hosts that what prepared the verification was refused; those of an agent are in its session.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub refused_hosts: BTreeSet<String>,
}

/// The push was given up.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct PushFailed {
    /// Why.
    pub failure: PushFailure,
}

/// The remote branch, read from git itself.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct RemoteHead {
    /// What the branch is at; none when it is gone.
    pub head: Option<Sha>,
}

/// What became of a post.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Delivered {
    /// It.
    pub delivery: Delivery,
}

/// A thread was resolved, or cannot be.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ThreadResolved {
    /// GitHub's words when it refused.
    pub refused: Option<String>,
}

/// Checks were asked to run again, or cannot be.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ChecksRerun {
    /// Runs that GitHub refuses to repeat, by number, with its words.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub refused: BTreeMap<u64, String>,
}

/// What became of a post.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "delivery")]
pub enum Delivery {
    /// GitHub has it.
    Confirmed {
        /// GitHub's number of it.
        remote_id: u64,
    },
    /// It can never arrive: what it answers is deleted, or the conversation locked.
    Undeliverable {
        /// GitHub's words.
        message: String,
    },
}

/// Why a session ended without a result.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum SessionFailure {
    /// May go better next time.
    Transient {
        /// What was tried and what came of it.
        #[serde(alias = "message")]
        error: UserError,
    },
    /// Will not.
    Permanent {
        /// What was tried and what came of it.
        #[serde(alias = "message")]
        error: UserError,
    },
    /// GitHub does not answer: no fault of the work, which goes on once it does (§3.2).
    Outage {
        /// What is the matter.
        outage: Outage,
        /// What was tried and what came of it.
        error: UserError,
    },
    /// There is no sandbox on this machine: no fault of the work either, which goes on once somebody has mended that (§9.5).
    NoSandbox {
        /// What is missing, or in the way.
        error: UserError,
    },
    /// A model or agent was not asked, since that might have passed the budget (§15).
    OverBudget {
        /// Which limit, and what is left of it.
        exceeded: BudgetExceeded,
    },
    /// The checkout is not at the head that was asked for; try at the next poll (§6.2).
    HeadMismatch {
        /// What the remote branch is at.
        found: Option<Sha>,
    },
}

/// Why GitHub does not answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "outage")]
pub enum Outage {
    /// No connection, a 5xx, or the breaker is open.
    Unreachable {
        /// When it is worth another try, where that is known.
        until: Option<Time>,
    },
    /// The quota is used up.
    RateLimited {
        /// Until then.
        until: Time,
    },
    /// 401: the token is not accepted.
    Unauthorized,
}

impl Outage {
    /// When it is worth another try, where that is known.
    pub fn until(self) -> Option<Time> {
        match self {
            Outage::Unreachable { until } => until,
            Outage::RateLimited { until } => Some(until),
            Outage::Unauthorized => None,
        }
    }
}

impl SessionFailure {
    /// One that is GitHub's, not the work's.
    pub fn outage(outage: Outage, error: impl Into<UserError>) -> Self {
        let error = error.into();
        SessionFailure::Outage { outage, error }
    }

    /// One of a program that was not run in the sandbox: it waits where there is none, and else will not go better.
    pub fn not_sandboxed(error: impl Into<UserError>) -> Self {
        let error = error.into();
        if error.code.is_missing_sandbox() {
            SessionFailure::NoSandbox { error }
        } else {
            SessionFailure::Permanent { error }
        }
    }

    /// One that may go better next time.
    pub fn transient(error: impl Into<UserError>) -> Self {
        let error = error.into();
        SessionFailure::Transient { error }
    }

    /// One that will not.
    pub fn permanent(error: impl Into<UserError>) -> Self {
        let error = error.into();
        SessionFailure::Permanent { error }
    }

    /// What went wrong, for the report.
    pub fn into_error(self) -> UserError {
        match self {
            SessionFailure::Transient { error }
            | SessionFailure::Permanent { error }
            | SessionFailure::Outage { error, .. }
            | SessionFailure::NoSandbox { error } => error,
            SessionFailure::OverBudget { exceeded } => exceeded.into(),
            SessionFailure::HeadMismatch { .. } => UserError::new(ErrorCode::HeadMismatch),
        }
    }
}

/// Why a push was given up.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum PushFailure {
    /// The remote moved and the rebase conflicts: start again from the new head.
    Diverged,
    /// Refused by policy.
    Refused {
        /// GitHub's or git's words.
        message: String,
    },
}

/// Lets a payload stand for the outcome that it belongs to.
macro_rules! outcomes {
    ($($payload:ident),+ $(,)?) => {$(
        impl From<$payload> for Outcome {
            fn from(payload: $payload) -> Self {
                Outcome::$payload(payload)
            }
        }
    )+};
}

outcomes!(
    ConfigLoaded,
    ConfigInvalid,
    FixFinished,
    FixVerified,
    BaseMerged,
    BaseMergeRefused,
    Pushed,
    Rebased,
    PushFailed,
    RemoteHead,
    Delivered,
    ThreadResolved,
    RightsChecked,
    ChecksRerun,
);

impl From<ReviewFinished> for Outcome {
    fn from(payload: ReviewFinished) -> Self {
        Outcome::ReviewFinished(Box::new(payload))
    }
}
