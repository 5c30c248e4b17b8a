//! All that is known of one loop, by how long it is kept: the pull request and Collie's memory outlive a run, the rest begins anew
//! with each.

use crate::autonomy::{ApprovedPush, ChosenAutonomy};
use crate::base_merge::{BaseMerge, RefusedMerge};
use crate::blocker::{Blocker, Stop};
use crate::check_history::CheckHistory;
use crate::coverage::Coverage;
use crate::effect::Effect;
use crate::event::{Delivery, PostRefused};
use crate::fix::{FixPayload, FixResult, FixerNote, Verification};
use crate::ids::{
    AccountId, ActionToken, EffectId, EventKey, Fingerprint, Login, LoopId, PullName, RepoName,
    RunId, Sha, ThreadId, Time,
};
use crate::lifecycle::State;
use crate::merge_queue::Ejection;
use crate::panel_state::{StageState, build_stages};
use crate::pause::Pause;
use crate::policy::Policy;
use crate::poll_budget::PollThrottle;
use crate::post::{PostContent, Proof};
use crate::session::AgentSession;
use crate::snapshot::PullState;
use crate::snapshot_summary::SnapshotSummary;
use crate::text::UntrustedText;
use crate::token_right::TokenRight;
use crate::tracked_finding::TrackedFinding;
use crate::trust::RepositoryTrust;
use crate::usage::Usage;
use crate::user_error::UserError;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;
use std::hash::Hash;

pub use crate::round_summary::RoundSummary;

/// The version of a state as it is written today, by whoever keeps it.
pub const STATE_VERSION: u32 = 3;

/// All that is known of one loop. `Hash + Eq`, so that it can be model-checked.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct LoopState {
    /// The identity.
    pub id: LoopId,
    /// The pull request, as last seen.
    pub pull: PullRequest,
    /// The present attempt.
    pub run: Run,
    /// What Collie did here, in whichever run: kept, so that nothing is said or done twice.
    pub memory: Memory,
    /// What was asked for and not answered.
    pub outbox: Outbox,
    /// What the user lets Collie run and fix in the repository, as last told.
    #[serde(default, skip_serializing_if = "RepositoryTrust::is_undecided")]
    pub trust: RepositoryTrust,
    /// How far Collie may go by itself, as a person chose.
    #[serde(default, skip_serializing_if = "ChosenAutonomy::is_default")]
    pub chosen_autonomy: ChosenAutonomy,
    /// The pause of everything, as last told; none where nothing is paused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pause: Option<Pause>,
}

/// What a pull request is called and where it is, as last seen.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct PullRequest {
    /// Present name of the repository.
    pub repo: RepoName,
    /// Its title.
    pub title: UntrustedText,
    /// Its author.
    pub author: Option<Login>,
    /// Where a person reads it.
    pub url: String,
    /// The base branch.
    pub base_ref: String,
    /// The head branch.
    pub head_ref: String,
}

/// One attempt.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Run {
    /// Its id.
    pub id: RunId,
    /// How many runs there were, this one included.
    pub ordinal: u32,
    /// Who asked for it.
    pub started_by: Login,
    /// When it began.
    pub started_at: Time,
    /// When something last changed.
    pub updated_at: Time,
    /// When it ended; none while it goes on, and of runs of older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<Time>,
    /// Where it stands.
    pub state: State,
    /// What it waits for.
    pub blocker: Option<Blocker>,
    /// What work that was begun waits for: GitHub did not answer it, or there was no sandbox for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outage: Option<Blocker>,
    /// A post that GitHub refuses, and that is tried again until somebody has lifted what stands against it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused_post: Option<PostRefused>,
    /// Why it ended.
    pub stop: Option<Stop>,
    /// How it was merged.
    pub merge_type: Option<MergeType>,
    /// How its pull request ended after the run had stopped for something else: nobody need look at that any more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pull_end: Option<PullEnd>,
    /// What it goes by.
    pub configuration: Configuration,
    /// What GitHub said of the token's rights when the run began.
    #[serde(default, skip_serializing_if = "CheckedRights::is_unasked")]
    pub rights: CheckedRights,
    /// The head it works on.
    pub head: HeadProgress,
    /// How far the panel is.
    pub review: ReviewProgress,
    /// How far fixing is.
    pub fixing: FixProgress,
    /// When GitHub was last read and when it will be.
    pub polling: Polling,
    /// Tokens and money.
    pub usage: Usage,
    /// A label makes Collie observe, as last seen.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub observed_by_label: bool,
}

/// What a run goes by.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Configuration {
    /// User's and repository's settings; replaced whenever the repository's are read.
    pub policy: Policy,
    /// The commit of the default branch that `.collie*` is read from: configuration, rules, personas (§12).
    /// None in states of older versions, which read another commit by other rules: it is read again.
    #[serde(default)]
    pub commit: Option<Sha>,
    /// The commit whose `.collie.toml` cannot be read, and what is wrong with it.
    pub error: Option<(Sha, UserError)>,
}

/// What GitHub said of the token's rights, before anything was written.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct CheckedRights {
    /// When it was asked last; none until then.
    pub at: Option<Time>,
    /// What the token lacks.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub lacking: BTreeSet<TokenRight>,
}

impl CheckedRights {
    /// Whether it was never asked.
    pub fn is_unasked(&self) -> bool {
        self.at.is_none()
    }
}

/// The head that a run works on, and what it has waited for there.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default)]
pub struct HeadProgress {
    /// The head; none until the first snapshot.
    pub sha: Option<Sha>,
    /// When this run first saw it.
    pub seen_at: Time,
    /// The last reading before it: this head came later. None for the first head of a run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_before: Option<Time>,
    /// The base commit, as last seen.
    pub base: Option<Sha>,
    /// The repository of the head branch, as last seen; another one for a fork.
    pub repo: Option<RepoName>,
    /// Whether the author may write to the repository, or is the signed-in account, as last seen: nobody else's work runs without a sandbox.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub author_may_write: bool,
    /// What GitHub last knew of how this head merges; none until it has computed that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mergeability: Option<KnownMergeability>,
    /// When this head first showed a failed check.
    pub first_failure_at: Option<Time>,
    /// Since when CI runs on this head, as far as this run has seen without a break.
    pub ci_running_since: Option<Time>,
    /// Since when nothing but checks that earlier heads had, and that are not required, is missing on this head.
    pub only_missing_since: Option<Time>,
    /// Checks that earlier heads had, and that were waited for in vain on this one.
    pub absent_checks: BTreeSet<String>,
    /// It is in the merge queue, or has left that and GitHub does not say how.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queue_stay: Option<QueueStay>,
    /// How the checks of this head have gone so far.
    #[serde(skip_serializing_if = "CheckHistory::is_empty")]
    pub check_history: CheckHistory,
    /// Bases that could not be merged into this head; the latest last.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub refused_merges: Vec<RefusedMerge>,
    /// Heads that Collie's pushes replaced: a reading that shows one may be stale (§3.6).
    pub replaced: BTreeSet<Sha>,
    /// Restarts by others' pushes.
    pub restarts: u32,
    /// The head that was ready last.
    pub approved: Option<Sha>,
    /// What was seen at that head; the same that was posted (§8.4).
    pub proof: Option<Box<Proof>>,
    /// What of that head nobody was shown, as of the last snapshot.
    #[serde(skip_serializing_if = "Coverage::is_empty")]
    pub coverage: Coverage,
}

/// A stay in the merge queue.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct QueueStay {
    /// When it was first seen out of the queue again, without a word of why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left_at: Option<Time>,
}

/// That a head merges cleanly, as GitHub computed it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct KnownMergeability {
    /// Into this branch.
    pub base_ref: String,
    /// At this commit of it.
    pub base: Sha,
    /// GitHub would refuse the merge all the same.
    pub blocked: bool,
}

/// How far the panel is in a run, and what it found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ReviewProgress {
    /// The panel.
    pub stages: Vec<StageState>,
    /// The stage that reviews, from 0.
    pub current_stage: u32,
    /// Reviews reported so far: the ordinal of the next report (§8.2).
    pub reports: u32,
    /// The head that a report was last made on.
    pub reported_head: Option<Sha>,
    /// Every finding ever, by identity.
    pub findings: BTreeMap<Fingerprint, TrackedFinding>,
}

/// How far fixing is in a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct FixProgress {
    /// Pushes by Collie.
    pub iteration: u32,
    /// Hand-overs to the fixer.
    pub turns: u32,
    /// Iterations so far.
    pub rounds: Vec<RoundSummary>,
    /// A fix on its way.
    pub pending: Option<PendingFix>,
    /// Bases that were merged in, with the commits.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub merges: Vec<(Sha, BaseMerge)>,
    /// Verify commands that fixes of this run were pushed without, as the user decided.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub skipped_verification: BTreeSet<String>,
    /// Rounds beyond what the configuration allows, by a person's word for this run.
    #[serde(default, skip_serializing_if = "crate::tracked_finding::is_zero")]
    pub extra_rounds: u32,
    /// What people told the fixer and it has not been handed yet.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<FixerNote>,
    /// The push that a person has approved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approved_push: Option<ApprovedPush>,
    /// How often a person has rejected what the fixer made of the present turn.
    #[serde(default, skip_serializing_if = "crate::tracked_finding::is_zero")]
    pub rejected_pushes: u32,
}

/// When GitHub was last read, what that showed, and when it is read again.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Polling {
    /// What the last snapshot showed.
    pub last_snapshot: SnapshotSummary,
    /// When to read again. One that has ended is read for a while for commands in comments, unless its pull request ended with it.
    pub next_at: Option<Time>,
    /// Only readings from then on count: something was recorded that is to be decided from a fresh one.
    pub ignore_snapshots_before: Option<Time>,
    /// Failed readings in a row.
    pub failures: u32,
    /// Since when GitHub says 404.
    pub gone_since: Option<Time>,
    /// Why it is read less often than configured; none where it is not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub throttle: Option<PollThrottle>,
}

/// What Collie did to a pull request, and what it was told there: GitHub has it, whichever run it was.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default)]
pub struct Memory {
    /// Every commit that Collie has made here.
    pub own_commits: BTreeSet<Sha>,
    /// Those of them that merged the base in.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub base_merges: BTreeSet<Sha>,
    /// Feedback seen so far.
    pub feedback: BTreeMap<EventKey, Feedback>,
    /// Collie's latest word in each thread.
    pub thread_replies: BTreeMap<ThreadId, ThreadReply>,
    /// Findings that were posted inline; never posted there again.
    pub inlined: BTreeSet<Fingerprint>,
    /// Reviews whose authors were asked to look again; each once.
    pub rereview_requested: BTreeSet<u64>,
    /// Threads that Collie has asked GitHub to resolve; each once.
    pub resolved: BTreeSet<ThreadId>,
    /// Comments that claimed to be a bot's and were not.
    pub impostors: BTreeSet<u64>,
    /// Bots that have reviewed this pull request, and when that was last seen.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub reviewing_bots: BTreeMap<AccountId, Time>,
    /// What was last asked of a bot that had been out of quota (§3.4).
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub bot_requests: BTreeMap<AccountId, BotRequest>,
    /// Declined findings of bots that were put again, and where that was last answered.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub repeated: BTreeMap<Fingerprint, RepeatedDisposition>,
    /// What was said outside of threads and has its answer, by event.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub answers: BTreeMap<EventKey, RemarkAnswer>,
    /// Commands in comments that were taken up, by the act that says what became of them; each once.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub commands: BTreeSet<ActionToken>,
    /// When the pull request was first listened to: what was said in the conversation before is for reviewers to read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub listens_since: Option<Time>,
    /// The session that the fixer's agent goes on with here (§6.1).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fixer_session: Option<AgentSession>,
    /// Findings in bodies of bots that have their disposition.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub body_dispositions: BTreeMap<Fingerprint, BodyDisposition>,
    /// Accounts that were named as not trusted though a person might think so; each once.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub named_untrusted: BTreeSet<AccountId>,
    /// Acts that GitHub has confirmed, or that cannot be delivered (§8.2).
    pub posted: BTreeMap<ActionToken, Delivery>,
    /// Posts as GitHub last showed them, by where: `comment:`, `thread:` or `review:` and GitHub's number (§8.2).
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub shown_posts: BTreeMap<String, ShownPost>,
    /// Acts that GitHub has shown more than once, and that were told of; each once.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub duplicated: BTreeSet<ActionToken>,
    /// Heads of which a person has looked at what no reviewer was shown, and who (§4.4).
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub seen_heads: BTreeMap<Sha, Login>,
    /// How it was taken out of merge queues, the latest last.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ejections: Vec<Ejection>,
    /// The journal was lost and this brought back from a checkpoint: GitHub may show posts that nothing here knows of (§10.3).
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub was_rebuilt: bool,
    /// Findings whose judgement by people was written down, by the id of its entry; each once.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub remembered: BTreeSet<String>,
    /// What earlier runs spent.
    #[serde(skip_serializing_if = "Usage::is_nothing")]
    pub usage_before: Usage,
}

/// A post as GitHub last showed it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ShownPost {
    /// The beginning of its body's hash.
    pub digest: String,
    /// The newest reading lacks it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_missing: bool,
}

impl LoopState {
    /// The account that fixes are pushed and reported as, where the author's agent has one of its own (§18.2).
    pub fn author_account(&self) -> Option<Login> {
        let authors = &self.run.configuration.policy.accounts.authors;
        authors.get(self.pull.author.as_ref()?).cloned()
    }

    /// Whether GitHub may show a post that nothing here knows of: an earlier run gave it up before its answer was there, or the journal
    /// was lost. Then it is looked for before it is sent (§8.2, §10.3).
    pub fn may_have_said_more(&self) -> bool {
        self.memory.was_rebuilt || self.run.ordinal > 1
    }

    /// What all its runs have spent.
    pub fn spent(&self) -> Usage {
        let mut all = self.memory.usage_before;
        all += self.run.usage;
        all
    }
}

impl Memory {
    /// Every commit of a fix: what a merge of the base brought is not Collie's.
    pub fn fix_commits(&self) -> BTreeSet<Sha> {
        let fixes = self.own_commits.difference(&self.base_merges);
        fixes.cloned().collect()
    }
}

impl Outbox {
    /// What was asked for, in the order in which it was: the tenth comes after the ninth.
    pub fn in_order(&self) -> Vec<(&EffectId, &Effect)> {
        let mut effects: Vec<_> = self.effects.iter().collect();
        effects.sort_by_key(|(id, _)| (id.number(), (*id).clone()));
        effects
    }
}

/// What was asked for and not answered.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Outbox {
    /// By id, in order.
    pub effects: BTreeMap<EffectId, Effect>,
    /// Numbers the effects of this loop; never goes back.
    pub last_number: u64,
    /// What would be written if the level of autonomy allowed it, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub held: Vec<HeldWrite>,
    /// Posts whose run ended before they were answered: what may have arrived is settled, the others are not sent any more (§10.1).
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub unwanted: BTreeSet<EffectId>,
}

/// Something that would be written if the level allowed it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct HeldWrite {
    /// The head that it was made for; none before the first reading.
    pub head: Option<Sha>,
    /// What would be done.
    pub effect: Effect,
}

impl HeldWrite {
    /// What would be said, if it says something.
    pub fn content(&self) -> Option<&PostContent> {
        match &self.effect {
            Effect::Post(asked) => Some(&asked.post.content),
            _ => None,
        }
    }
}

impl Outbox {
    /// Keeps what the level does not allow, unless the very same is kept.
    pub fn hold(&mut self, head: Option<Sha>, effect: Effect) {
        if !self.held.iter().any(|held| held.effect == effect) {
            self.held.push(HeldWrite { head, effect });
        }
    }

    /// Puts an effect of a run in, unless the very same one is there.
    pub fn ask(&mut self, run: &RunId, effect: Effect) {
        if self.wanted().any(|asked| *asked == effect) {
            return;
        }
        self.last_number += 1;
        let id = EffectId::new(format!("{run}-{:06}", self.last_number));
        self.effects.insert(id, effect);
    }

    /// Gives up what there was to say when its run ended; what the end itself has to say came with it, and is said.
    pub fn give_up_posts(&mut self, before: &Outbox) {
        let posts = before.effects.iter();
        let posts = posts.filter(|(id, effect)| {
            matches!(effect, Effect::Post(_)) && self.effects.contains_key(*id)
        });
        self.unwanted.extend(posts.map(|(id, _)| id.clone()));
    }

    /// What was asked for and not given up.
    pub fn wanted(&self) -> impl Iterator<Item = &Effect> {
        let wanted = self.effects.iter();
        wanted
            .filter(|(id, _)| !self.unwanted.contains(*id))
            .map(|(_, effect)| effect)
    }

    /// Whether something is about to be said under this token, or held.
    pub fn is_to_be_said(&self, token: &ActionToken) -> bool {
        let held = self.held.iter().map(|held| &held.effect);
        self.wanted().chain(held).any(|effect| effect.says(token))
    }

    /// Takes out what would say again what has been said.
    pub fn drop_post(&mut self, token: &ActionToken) {
        self.effects.retain(|_, effect| !effect.says(token));
        let effects = &self.effects;
        self.unwanted.retain(|id| effects.contains_key(id));
    }

    /// Takes an effect out; whether it was given up before goes with it.
    pub fn take(&mut self, id: &EffectId) -> Option<(Effect, bool)> {
        let effect = self.effects.remove(id)?;
        Some((effect, self.unwanted.remove(id)))
    }

    /// What of it outlives the run: posts are settled or sent, whatever comes next (§10.1).
    #[must_use]
    pub fn for_next_run(mut self) -> Self {
        self.effects
            .retain(|_, effect| matches!(effect, Effect::Post(_)));
        self.held.clear();
        self
    }
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
    /// What became of the verify commands.
    #[serde(default, skip_serializing_if = "Verification::is_done")]
    pub verification: Verification,
    /// The base that the commit merges in; none for a fix.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub merge: Option<BaseMerge>,
    /// The files that the commit changes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
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

/// What became of something that was said outside of threads (§7.3).
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct RemarkAnswer {
    /// The act that says it; none where there was nothing to say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<ActionToken>,
    /// A person has to settle it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub left_to_person: bool,
    /// Who has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub settled_by: Option<Login>,
}

/// What was asked of a bot.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct BotRequest {
    /// The head to review. One is asked for once.
    pub head: Sha,
    /// When.
    pub at: Time,
    /// The act that asks.
    pub token: ActionToken,
}

/// A disposition that was given again, since the bot put its finding again (§7.2).
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct RepeatedDisposition {
    /// The head. It is repeated once a head.
    pub head: Sha,
    /// The act that says it.
    pub token: ActionToken,
}

/// What became of a finding that stands in a body, where there is no thread to answer in.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct BodyDisposition {
    /// The head it was given on.
    pub head: Sha,
    /// It was called fixed: the bot may say on a later head that it is not.
    pub fixed: bool,
    /// The act that says it.
    pub token: ActionToken,
}

/// How a pull request ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PullEnd {
    /// It was merged.
    Merged,
    /// It was closed without a merge.
    Closed,
}

impl PullEnd {
    /// That of a pull request; none while it is open.
    pub fn of(state: PullState) -> Option<Self> {
        match state {
            PullState::Open => None,
            PullState::Merged => Some(PullEnd::Merged),
            PullState::Closed => Some(PullEnd::Closed),
        }
    }

    /// The state of a loop that ends with it.
    pub fn state(self) -> State {
        match self {
            PullEnd::Merged => State::Merged,
            PullEnd::Closed => State::Closed,
        }
    }
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

/// What a loop is made from.
#[derive(Clone, Debug)]
pub struct NewLoop {
    /// The identity.
    pub id: LoopId,
    /// What the pull request is called.
    pub pull: PullRequest,
    /// The first run.
    pub run: RunId,
    /// Who asks for it.
    pub started_by: Login,
    /// What it goes by until the repository's configuration is read.
    pub policy: Policy,
}

impl Run {
    /// An attempt in `pr_created`, to be read at once.
    pub fn new(id: RunId, ordinal: u32, started_by: Login, policy: Policy, now: Time) -> Self {
        Self {
            id,
            ordinal,
            started_by,
            started_at: now,
            updated_at: now,
            ended_at: None,
            state: State::PrCreated,
            blocker: Some(Blocker::Starting),
            outage: None,
            refused_post: None,
            stop: None,
            merge_type: None,
            pull_end: None,
            head: HeadProgress {
                seen_at: now,
                ..HeadProgress::default()
            },
            review: ReviewProgress {
                stages: build_stages(&policy, &[]),
                ..ReviewProgress::default()
            },
            fixing: FixProgress::default(),
            polling: Polling {
                next_at: Some(now),
                ..Polling::default()
            },
            configuration: Configuration {
                policy,
                commit: None,
                error: None,
            },
            rights: CheckedRights::default(),
            usage: Usage::default(),
            observed_by_label: false,
        }
    }
}

impl LoopState {
    /// A loop in its first run.
    pub fn new(new: NewLoop, now: Time) -> Self {
        Self {
            id: new.id,
            pull: new.pull,
            run: Run::new(new.run, 1, new.started_by, new.policy, now),
            memory: Memory::default(),
            outbox: Outbox::default(),
            trust: RepositoryTrust::default(),
            chosen_autonomy: ChosenAutonomy::default(),
            pause: None,
        }
    }

    /// The same loop in another run. Every field is named: what is kept and what begins anew is said here, and nowhere else.
    #[must_use]
    pub fn next_run(self, id: RunId, started_by: Login, policy: Policy, now: Time) -> Self {
        let Self {
            id: loop_id,
            pull,
            run: over,
            mut memory,
            outbox,
            trust,
            chosen_autonomy,
            pause,
        } = self;
        memory.usage_before += over.usage;
        // What lowers it holds until the repository and its labels are read again.
        let max_autonomy = over.configuration.policy.max_autonomy;
        let policy = Policy {
            max_autonomy: policy.max_autonomy.min(max_autonomy),
            ..policy
        };
        let mut run = Run::new(id, over.ordinal + 1, started_by, policy, now);
        run.observed_by_label = over.observed_by_label;
        Self {
            id: loop_id,
            pull,
            run,
            memory,
            outbox: outbox.for_next_run(),
            trust,
            chosen_autonomy,
            pause,
        }
    }

    /// `owner/repo#number`.
    pub fn pull_name(&self) -> PullName {
        PullName {
            repo: self.pull.repo.clone(),
            number: self.id.number,
        }
    }

    /// Whether it is the loop of a pull request that a person names; letter case does not matter (§2).
    pub fn is_of(&self, pull: &PullName) -> bool {
        self.id.number == pull.number && self.pull.repo.eq_ignore_case(&pull.repo)
    }

    /// How many pushes there may be in this run.
    pub fn max_iterations(&self) -> u32 {
        let configured = self.run.configuration.policy.max_iterations;
        configured.saturating_add(self.run.fixing.extra_rounds)
    }

    /// Whether there is text at this head that nobody was shown, and no person has looked at it (§4.4).
    pub fn waits_for_look(&self) -> bool {
        let head = &self.run.head;
        let seen = |sha| self.memory.seen_heads.contains_key(sha);
        head.coverage.needing_look().next().is_some() && !head.sha.as_ref().is_some_and(seen)
    }

    /// Where it stands as people are shown it. A run that has stopped stays as it stopped; a loop is over once its pull request is (§2).
    pub fn shown_state(&self) -> State {
        let run = &self.run;
        run.pull_end.map_or(run.state, PullEnd::state)
    }

    /// How often it is read as configured: less often once it is ready.
    pub fn poll_interval_ms(&self) -> u64 {
        let policy = &self.run.configuration.policy;
        match self.run.state {
            State::PrReadyToMerge => policy.ready_poll_interval_ms,
            State::PrCreated
            | State::PrAwaitingChecks
            | State::PrReviewing
            | State::PrFixing
            | State::Merged
            | State::Closed
            | State::Cancelled
            | State::NeedsHuman
            | State::Failed => policy.poll_interval_ms,
        }
    }

    /// All but when GitHub was last read, will next be read, how much of the budget was left, and when something changed: what two
    /// readings that showed the same leave alike.
    #[must_use]
    pub fn without_times_of_reading(&self) -> impl Debug + Eq + Hash + '_ {
        let Self {
            id,
            pull,
            run,
            memory,
            outbox,
            trust,
            chosen_autonomy,
            pause,
        } = self;
        let rest = (id, pull, memory, outbox, trust, chosen_autonomy, pause);
        (rest, run.without_times_of_reading())
    }
}

impl Run {
    fn without_times_of_reading(&self) -> impl Debug + Eq + Hash + '_ {
        let Self {
            id,
            ordinal,
            started_by,
            started_at,
            updated_at: _,
            ended_at,
            state,
            blocker,
            outage,
            refused_post,
            stop,
            merge_type,
            pull_end,
            configuration,
            rights,
            head,
            review,
            fixing,
            polling,
            usage,
            observed_by_label,
        } = self;
        let who = (id, ordinal, started_by, started_at, ended_at);
        let ends = (stop, merge_type, pull_end);
        let stands = (state, blocker, outage, refused_post, ends);
        let progress = (configuration, rights, head, review, fixing);
        let rest = (usage, observed_by_label);
        (who, stands, progress, rest, polling.without_times())
    }
}

impl Polling {
    fn without_times(&self) -> impl Debug + Eq + Hash + '_ {
        let Self {
            last_snapshot,
            next_at: _,
            ignore_snapshots_before,
            failures,
            gone_since,
            throttle,
        } = self;
        let rest = (ignore_snapshots_before, failures, gone_since);
        (last_snapshot.without_time(), rest, throttle.is_some())
    }
}
