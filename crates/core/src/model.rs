//! The state of a loop, what moves it and what it asks for.

use crate::blocker::{Blocker, Stop};
use crate::ids::{
    AccountId, ActionToken, EffectId, EventKey, Fingerprint, Login, LoopId, RepoName, RunId, Sha,
    ThreadId, Time,
};
use crate::lifecycle::State;
use crate::policy::{Policy, ReviewerSpec};
use crate::post::{Post, Proof};
use crate::session::{LeftOut, SessionSummary};
use crate::shapes::{Conclusion, Finding, FixPayload, FixResult, Replacement, ReviewerResult};
use crate::snapshot::{ObserveFailure, Snapshot};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// What has become of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum FindingStatus {
    /// Stands.
    Open,
    /// Reported as fixed, or gone from a later head.
    Fixed,
    /// The fixer could not or would not, and it was upheld.
    Rejected,
    /// Its reviewer took it back; stays so.
    Withdrawn,
    /// Came back after it was reported as fixed (§5.2).
    Stuck,
}

/// A finding with its history.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct TrackedFinding {
    /// As last reported.
    pub finding: Finding,
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
    /// The commits that claimed to fix it.
    pub fixed_in: Vec<Sha>,
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
    /// What can be put in its place by a click; all of its lines are in the diff.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replacement: Option<Replacement>,
}

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
        }
    }
}

/// Reviewers that work side by side.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct StageState {
    /// In the order shown.
    pub reviewers: Vec<ReviewerState>,
}

/// What one iteration came to.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct RoundSummary {
    /// The iteration, from 1.
    pub iteration: u32,
    /// Findings reported, by priority.
    pub p0: u32,
    /// P1.
    pub p1: u32,
    /// P2.
    pub p2: u32,
    /// P3.
    pub p3: u32,
    /// How many were fixed.
    pub fixed: u32,
    /// How many were not.
    pub rejected: u32,
    /// The commit that was pushed.
    pub commit: Option<Sha>,
    /// Whether most findings lay on lines of the fix before, or a hunk went back (§5.3).
    pub churned: bool,
}

/// A fix that was committed and not yet seen on GitHub.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct PendingFix {
    /// The head it was made on.
    pub from: Sha,
    /// The commit; none when nothing changed.
    pub commit: Option<Sha>,
    /// The fixer's account, validated.
    pub result: FixResult,
    /// What was asked.
    #[serde(alias = "asked")]
    pub payload: FixPayload,
    /// Whether a hunk returns to an earlier content (§5.3).
    pub oscillates: bool,
    /// Whether it is on the remote.
    pub pushed: bool,
}

/// One piece of feedback (§7.1).
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Feedback {
    /// Who wrote it.
    pub author: Login,
    /// When it was first seen.
    pub seen_at: Time,
    /// When every answer to it was confirmed.
    pub processed_at: Option<Time>,
}

/// Collie's latest word in a thread (§7.3).
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ThreadReply {
    /// The head it was given on. A bot's thread gets one a head.
    pub head: Sha,
    /// The comment it answers.
    #[serde(alias = "answers")]
    pub answered_comment: u64,
    /// It was a question, which a person has to settle.
    pub left_to_person: bool,
    /// Hash of the words that it answers: an edit of these asks anew (§7.1).
    #[serde(alias = "words", default)]
    pub body_hash: Option<String>,
    /// The act that says it.
    #[serde(alias = "reply", default)]
    pub reply_token: Option<ActionToken>,
}

/// How a bot stands on this head (§3.4).
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
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
    pub name: String,
    /// GitHub's word: `queued`, `completed`, …; `missing` for a required one that has not reported.
    pub status: String,
    /// GitHub's word: `success`, `failure`, …
    pub conclusion: Option<String>,
    /// Where a person reads more.
    pub url: Option<String>,
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
    /// Every bot.
    pub bots: Vec<BotView>,
    /// What the panel concluded at this head, once it has.
    pub consensus: Option<Conclusion>,
}

/// How a merge came about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum MergeType {
    /// It was ready at that head.
    Approved,
    /// It was not.
    Forced,
}

/// Tokens and money spent by a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Usage {
    /// Tokens in.
    pub input_tokens: u64,
    /// Tokens out.
    pub output_tokens: u64,
    /// Millionths of a dollar.
    pub cost_micros: u64,
}

impl Usage {
    /// Whether nothing was spent.
    pub fn is_nothing(&self) -> bool {
        *self == Self::default()
    }
}

impl std::ops::AddAssign for Usage {
    fn add_assign(&mut self, more: Self) {
        self.input_tokens = self.input_tokens.saturating_add(more.input_tokens);
        self.output_tokens = self.output_tokens.saturating_add(more.output_tokens);
        self.cost_micros = self.cost_micros.saturating_add(more.cost_micros);
    }
}

/// All that is known of one loop. `Hash + Eq`, so that it can be model-checked.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct LoopState {
    /// The identity.
    pub id: LoopId,
    /// The present attempt.
    pub run: RunId,
    /// How many runs there were, this one included.
    pub run_ordinal: u32,
    /// Present name of the repository.
    pub repo: RepoName,
    /// Title of the pull request.
    pub title: String,
    /// Its author.
    pub author: Option<Login>,
    /// Where a person reads it.
    pub url: String,
    /// Who asked for the run.
    pub started_by: Login,
    /// Where it stands.
    pub state: State,
    /// When this run began.
    pub started_at: Time,
    /// When something last changed.
    pub updated_at: Time,
    /// What it goes by; replaced by each [`Event::ConfigLoaded`].
    pub policy: Policy,
    /// The base commit that the policy was read from.
    pub policy_base: Option<Sha>,
    /// The head it works on.
    pub head: Option<Sha>,
    /// When this run first saw that head.
    pub head_seen_at: Time,
    /// When this head first showed a failed check.
    pub first_failure_at: Option<Time>,
    /// Since when CI runs on this head, as far as this run has seen without a break.
    #[serde(default)]
    pub ci_running_since: Option<Time>,
    /// Since when nothing but checks that other heads had, and that are not required, is missing on this head.
    pub only_missing_since: Option<Time>,
    /// Checks that other heads had, and that this run has waited for in vain.
    pub absent_checks: BTreeSet<String>,
    /// The base branch.
    pub base_ref: String,
    /// The base commit, as last seen.
    pub base: Option<Sha>,
    /// The head branch.
    pub head_ref: String,
    /// The repository of the head branch, as last seen; another one for a fork.
    pub head_repo: Option<RepoName>,
    /// Pushes by Collie.
    pub iteration: u32,
    /// Restarts by others' pushes.
    pub restarts: u32,
    /// Heads that Collie's pushes replaced: a reading that shows one may be stale (§3.6).
    #[serde(default)]
    pub replaced_heads: BTreeSet<Sha>,
    /// Every commit that Collie has made here.
    pub own_commits: BTreeSet<Sha>,
    /// The panel.
    pub stages: Vec<StageState>,
    /// The stage that reviews, from 0.
    pub current_stage: u32,
    /// Reviews reported so far: the ordinal of the next report (§8.2).
    pub reviews: u32,
    /// The head that a report was last made on.
    pub reported_head: Option<Sha>,
    /// Every finding ever, by identity.
    pub findings: BTreeMap<Fingerprint, TrackedFinding>,
    /// Iterations so far.
    pub rounds: Vec<RoundSummary>,
    /// A fix on its way.
    pub pending_fix: Option<PendingFix>,
    /// Feedback seen so far.
    pub feedback: BTreeMap<EventKey, Feedback>,
    /// Collie's latest word in each thread.
    #[serde(alias = "dispositions")]
    pub thread_replies: BTreeMap<ThreadId, ThreadReply>,
    /// Findings that were posted inline; never posted there again.
    pub inlined: BTreeSet<Fingerprint>,
    /// Reviews whose authors were asked to look again; each once.
    #[serde(alias = "asked_again")]
    pub rereview_requested: BTreeSet<u64>,
    /// Threads that Collie has asked GitHub to resolve; each once.
    pub resolved: BTreeSet<ThreadId>,
    /// Hand-overs to the fixer in this run.
    pub turns: u32,
    /// Comments that claimed to be a bot's and were not.
    pub impostors: BTreeSet<u64>,
    /// The base commit whose `.collie.toml` cannot be read, and what is wrong with it.
    pub config_error: Option<(Sha, String)>,
    /// The head that was ready last.
    pub approved_head: Option<Sha>,
    /// What was seen at that head; the same that was posted (§8.4).
    #[serde(default)]
    pub proof: Option<Box<Proof>>,
    /// What it waits for.
    pub blocker: Option<Blocker>,
    /// Why it ended.
    pub stop: Option<Stop>,
    /// How it was merged.
    pub merge_type: Option<MergeType>,
    /// Tokens and money.
    pub usage: Usage,
    /// What earlier runs of this pull request spent.
    #[serde(default, skip_serializing_if = "Usage::is_nothing")]
    pub usage_before: Usage,
    /// What the last snapshot showed.
    #[serde(alias = "seen")]
    pub snapshot_summary: SnapshotSummary,
    /// When to read again; none when terminal.
    pub next_poll_at: Option<Time>,
    /// Only readings from then on count: something was recorded that is to be decided from a fresh one.
    #[serde(alias = "look_since")]
    pub ignore_snapshots_before: Option<Time>,
    /// Failed readings in a row.
    pub observe_failures: u32,
    /// Since when GitHub says 404.
    pub gone_since: Option<Time>,
    /// What has been asked for and not been answered: the outbox.
    pub outbox: BTreeMap<EffectId, Effect>,
    /// Numbers the effects of this loop.
    pub effect_seq: u64,
    /// Acts that GitHub has confirmed, or that cannot be delivered (§8.2).
    pub posted: BTreeMap<ActionToken, Delivery>,
}

/// What a loop is made from.
#[derive(Clone, Debug)]
pub struct NewLoop {
    /// The identity.
    pub id: LoopId,
    /// The first run.
    pub run: RunId,
    /// Present name of the repository.
    pub repo: RepoName,
    /// Title of the pull request.
    pub title: String,
    /// Its author.
    pub author: Option<Login>,
    /// Where a person reads it.
    pub url: String,
    /// Its head branch.
    pub head_ref: String,
    /// Its base branch.
    pub base_ref: String,
    /// Who asks for it.
    pub started_by: Login,
    /// What it goes by until the repository's configuration is read.
    pub policy: Policy,
}

impl LoopState {
    /// A loop in `pr_created`, to be read at once.
    pub fn new(new: NewLoop, now: Time) -> Self {
        let stages = build_stages(&new.policy, &[]);
        Self {
            id: new.id,
            run: new.run,
            run_ordinal: 1,
            repo: new.repo,
            title: new.title,
            author: new.author,
            url: new.url,
            started_by: new.started_by,
            state: State::PrCreated,
            started_at: now,
            updated_at: now,
            policy: new.policy,
            policy_base: None,
            head: None,
            head_seen_at: now,
            first_failure_at: None,
            ci_running_since: None,
            only_missing_since: None,
            absent_checks: BTreeSet::new(),
            base_ref: new.base_ref,
            base: None,
            head_ref: new.head_ref,
            head_repo: None,
            iteration: 0,
            restarts: 0,
            replaced_heads: BTreeSet::new(),
            own_commits: BTreeSet::new(),
            stages,
            current_stage: 0,
            reviews: 0,
            reported_head: None,
            findings: BTreeMap::new(),
            rounds: Vec::new(),
            pending_fix: None,
            feedback: BTreeMap::new(),
            thread_replies: BTreeMap::new(),
            inlined: BTreeSet::new(),
            rereview_requested: BTreeSet::new(),
            resolved: BTreeSet::new(),
            turns: 0,
            impostors: BTreeSet::new(),
            config_error: None,
            approved_head: None,
            proof: None,
            blocker: Some(Blocker::Starting),
            stop: None,
            merge_type: None,
            usage: Usage::default(),
            usage_before: Usage::default(),
            snapshot_summary: SnapshotSummary::default(),
            next_poll_at: Some(now),
            ignore_snapshots_before: None,
            observe_failures: 0,
            gone_since: None,
            outbox: BTreeMap::new(),
            effect_seq: 0,
            posted: BTreeMap::new(),
        }
    }

    /// `owner/repo#number`.
    pub fn pull_name(&self) -> crate::ids::PullName {
        crate::ids::PullName {
            repo: self.repo.clone(),
            number: self.id.number,
        }
    }

    /// Settled (§14): terminal, ready, or waiting for something only a person can do; and nothing is left to be said.
    pub fn is_settled(&self) -> bool {
        let at_rest = self.state.is_terminal()
            || self.state == State::PrReadyToMerge
            || self.blocker.as_ref().is_some_and(Blocker::needs_person);
        at_rest && self.outbox.is_empty()
    }
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

/// What became of a post.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "delivery")]
pub enum Delivery {
    /// GitHub has it.
    Confirmed {
        /// GitHub's number of it.
        remote_id: u64,
    },
    /// GitHub refuses it for good: deleted, locked, 422.
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
        message: String,
    },
    /// Will not.
    Permanent {
        /// What was tried and what came of it.
        message: String,
    },
    /// The checkout is not at the head that was asked for; try at the next poll (§6.2).
    HeadMismatch {
        /// What the remote branch is at.
        found: Option<Sha>,
    },
}

/// Everything that can move a loop (§2).
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "event")]
pub enum Event {
    /// A reading.
    Observed {
        /// It.
        snapshot: Box<Snapshot>,
    },
    /// A reading that failed.
    ObserveFailed {
        /// When.
        at: Time,
        /// Why.
        failure: ObserveFailure,
        /// Random thousandths, to spread retries.
        jitter_permille: u16,
    },
    /// The configuration at a base commit.
    ConfigLoaded {
        /// What asked for it.
        effect: EffectId,
        /// The base commit.
        base: Sha,
        /// User's and repository's configuration, merged.
        policy: Box<Policy>,
    },
    /// The repository's configuration cannot be read.
    ConfigInvalid {
        /// What asked for it.
        effect: EffectId,
        /// The base commit.
        base: Sha,
        /// File, line, key, expectation.
        message: String,
    },
    /// A reviewer is done.
    ReviewFinished {
        /// What asked for it.
        effect: EffectId,
        /// The head it looked at.
        head: Sha,
        /// What it returned, validated; evidence checked against the code at that head.
        result: Box<ReviewerResult>,
        /// Identity of each finding, in order.
        fingerprints: Vec<Fingerprint>,
        /// Ids of findings whose line is in the diff: these may be posted inline.
        in_diff: BTreeSet<String>,
        /// Ids of findings on lines that Collie's last fix wrote (§5.3).
        #[serde(alias = "by_fix")]
        introduced_by_fix: BTreeSet<String>,
        /// What it cost.
        usage: Usage,
        /// Hash of the prompts that it was made with; none when there were none.
        #[serde(alias = "prompts", default, skip_serializing_if = "Option::is_none")]
        prompt_hash: Option<String>,
        /// Earlier findings of its own that the reviewer takes back.
        #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
        withdrawn: BTreeSet<Fingerprint>,
        /// What can be put in place of the lines of some findings, by their ids; all of those lines are in the diff.
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        replacements: BTreeMap<String, Replacement>,
        /// How the session went; none where there was none, as for the rules.
        #[serde(alias = "account", default, skip_serializing_if = "Option::is_none")]
        session: Option<Box<SessionSummary>>,
    },
    /// A review ended without a result.
    ReviewFailed {
        /// What asked for it.
        effect: EffectId,
        /// Why.
        failure: SessionFailure,
        /// What it cost all the same.
        #[serde(default, skip_serializing_if = "Usage::is_nothing")]
        usage: Usage,
    },
    /// The fixer is done, all gates passed; nothing is pushed yet.
    FixFinished {
        /// What asked for it.
        effect: EffectId,
        /// The commit that Collie made; none when nothing changed.
        commit: Option<Sha>,
        /// The fixer's account, validated.
        result: Box<FixResult>,
        /// Whether a hunk returns to an earlier content (§5.3).
        oscillates: bool,
        /// What it cost.
        usage: Usage,
        /// How the session went; none where there was none, as for the rules.
        #[serde(alias = "account", default, skip_serializing_if = "Option::is_none")]
        session: Option<Box<SessionSummary>>,
    },
    /// A fix ended without a result.
    FixFailed {
        /// What asked for it.
        effect: EffectId,
        /// Why.
        failure: SessionFailure,
        /// What it cost all the same.
        #[serde(default, skip_serializing_if = "Usage::is_nothing")]
        usage: Usage,
    },
    /// The commit is on the remote.
    Pushed {
        /// What asked for it.
        effect: EffectId,
        /// The commit; another one than asked for when it was rebased.
        commit: Sha,
    },
    /// The remote had moved: the fix was laid on top of it, passed all gates again and was committed. Recorded before it is pushed.
    Rebased {
        /// What asked for it.
        effect: EffectId,
        /// The new commit.
        commit: Sha,
        /// The remote head it is made on.
        onto: Sha,
    },
    /// The push was given up.
    PushFailed {
        /// What asked for it.
        effect: EffectId,
        /// Why.
        failure: PushFailure,
    },
    /// The remote branch, read from git itself (§3.6).
    RemoteHead {
        /// What asked for it.
        effect: EffectId,
        /// What the branch is at; none when it is gone.
        head: Option<Sha>,
    },
    /// GitHub has the post, or refuses it for good.
    Delivered {
        /// What asked for it.
        effect: EffectId,
        /// What became of it.
        delivery: Delivery,
    },
    /// A thread was resolved, or cannot be.
    ThreadResolved {
        /// What asked for it.
        effect: EffectId,
        /// GitHub's words when it refused.
        refused: Option<String>,
    },
    /// The worktree is gone.
    CleanedUp {
        /// What asked for it.
        effect: EffectId,
    },
    /// A person cancels.
    Cancel {
        /// Who.
        by: Login,
    },
    /// A person wants a fresh run of a loop that has ended.
    Retry {
        /// Who.
        by: Login,
        /// Its id.
        run: RunId,
        /// What it goes by.
        policy: Box<Policy>,
    },
    /// A person wants a run that goes on with what is known, after `needs_human`.
    Resume {
        /// Who.
        by: Login,
        /// Its id.
        run: RunId,
        /// What it goes by.
        policy: Box<Policy>,
    },
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

/// What a loop asks for. Each is safe to repeat.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "effect")]
pub enum Effect {
    /// Read the configuration at the base.
    LoadConfig {
        /// The base commit.
        base: Sha,
    },
    /// Let one reviewer look. Takes a slot.
    Review {
        /// The stage, from 0.
        stage: u32,
        /// Who.
        reviewer: ReviewerSpec,
        /// The head.
        head: Sha,
        /// The base commit.
        base: Sha,
        /// The head that this reviewer saw before, from iteration 2 on.
        since: Option<Sha>,
        /// Findings that stand, and rejections with their reasons.
        #[serde(alias = "known")]
        known_findings: Vec<TrackedFinding>,
        /// Not before then (retries).
        not_before: Time,
    },
    /// Let the fixer work, pass the gates, commit. Takes a slot.
    Fix {
        /// What is asked.
        payload: FixPayload,
        /// The head.
        head: Sha,
        /// The base commit.
        base: Sha,
        /// Not before then (retries).
        not_before: Time,
        /// Failed sessions so far.
        failures: u32,
    },
    /// Push the commit. Done when it is the remote head or an ancestor of it.
    Push {
        /// The commit.
        commit: Sha,
        /// The head it was made on.
        from: Sha,
        /// It was rebased already; that is done once (§6.4).
        rebased: bool,
    },
    /// Ask git what the head branch is at.
    ReadRemoteHead {
        /// The head that GitHub shows.
        shown: Sha,
    },
    /// Say something on GitHub.
    #[serde(alias = "say")]
    Post {
        /// What.
        post: Box<Post>,
    },
    /// Resolve a thread.
    #[serde(alias = "resolve")]
    ResolveThread {
        /// Which.
        thread: ThreadId,
    },
    /// Remove the worktree.
    CleanUp,
}

impl Effect {
    /// Whether it needs one of the slots (§2).
    pub fn takes_slot(&self) -> bool {
        match self {
            Effect::Review { .. } | Effect::Fix { .. } => true,
            Effect::LoadConfig { .. }
            | Effect::Push { .. }
            | Effect::ReadRemoteHead { .. }
            | Effect::Post { .. }
            | Effect::ResolveThread { .. }
            | Effect::CleanUp => false,
        }
    }
}

/// What a step has to remark: why an event changed nothing, what was recorded.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "note")]
pub enum Note {
    /// The event makes no sense in this state; nothing changed.
    Ignored {
        /// Why: a code such as `terminal`, `stale_snapshot`, `unknown_effect`.
        reason: String,
    },
    /// Somebody else moved the head.
    HeadMoved {
        /// From.
        from: Sha,
        /// To.
        to: Sha,
    },
    /// A comment claims to be a bot's and bears another account's id (§3.4).
    Impostor {
        /// The comment.
        comment: u64,
        /// Who wrote it.
        login: Login,
        /// Whom it claims to be.
        claims: String,
    },
    /// A verified bot's feedback was taken in.
    BotTrusted {
        /// The account.
        id: AccountId,
        /// Its name.
        login: Login,
        /// The event key.
        key: EventKey,
    },
    /// How a reviewer or the fixer worked.
    #[serde(alias = "worked")]
    SessionFinished {
        /// The reviewer; none for the fixer.
        reviewer: Option<String>,
        /// Its account.
        #[serde(alias = "account")]
        session: Box<SessionSummary>,
        /// What it cost.
        usage: Usage,
    },
    /// A finding came back after it was fixed.
    BecameStuck {
        /// Which.
        fingerprint: Fingerprint,
    },
    /// A run began.
    RunStarted {
        /// Its id.
        run: RunId,
    },
    /// An iteration ended with a push.
    IterationDone {
        /// Which.
        iteration: u32,
        /// The commit.
        commit: Sha,
    },
    /// A post will never arrive.
    Undeliverable {
        /// Its token.
        token: ActionToken,
        /// GitHub's words.
        message: String,
    },
}

/// What one event came to.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Step {
    /// The state after it.
    pub state: LoopState,
    /// New in the outbox, in order.
    pub effects: Vec<EffectId>,
    /// Taken out of the outbox: answered or no longer wanted.
    pub dropped: Vec<EffectId>,
    /// Remarks.
    pub notes: Vec<Note>,
}
