//! All that is known of one loop.

use crate::blocker::{Blocker, Stop};
use crate::effect::Effect;
use crate::event::Delivery;
use crate::fix::{FixPayload, FixResult};
use crate::ids::{
    ActionToken, EffectId, EventKey, Fingerprint, Login, LoopId, RepoName, RunId, Sha, ThreadId,
    Time,
};
use crate::lifecycle::State;
use crate::panel_state::StageState;
use crate::panel_state::build_stages;
use crate::policy::Policy;
use crate::post::Proof;
use crate::snapshot_summary::SnapshotSummary;
use crate::tracked_finding::TrackedFinding;
use crate::usage::Usage;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

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
