//! The loop as JSON.

use crate::ErrorCode;
use crate::held::{self, HeldPushView, HeldWriteView};
use collie_core::attention::Attention;
use collie_core::autonomy::Autonomy;
use collie_core::base_merge::BaseMerge;
use collie_core::blocker::{Blocker, BlockerCode, Stop, StopCode};
use collie_core::ci::{CheckOutcome, kept_check_outcome};
use collie_core::coverage::{Coverage, UnseenFile};
use collie_core::effect::Effect;
use collie_core::failure_cause::FailureCause;
use collie_core::finding::Finding;
use collie_core::finding_page::finding_page;
use collie_core::ids::{AccountId, Fingerprint, Login, PullName, RunId, Sha, Time};
use collie_core::insights::LoopRun;
use collie_core::lifecycle::State;
use collie_core::linter_run::LinterRun;
use collie_core::loop_state::{LoopState, MergeType, RoundSummary};
use collie_core::merge_queue::EjectionCause;
use collie_core::panel_state::ReviewerState;
use collie_core::policy::ReviewerKind;
use collie_core::poll_budget::{PollThrottle, RateResource};
use collie_core::post::{
    DismissedFinding, EjectionLine, LeftFinding, LeftReason, Post, Proof, RenderedPost, VerdictLine,
};
use collie_core::queue_place::QueuePlace;
use collie_core::review::Conclusion;
use collie_core::snapshot::CheckConclusion;
use collie_core::snapshot_summary::{
    BotStatus, BotStatusCode, BotView, ChangeSize, CheckView, CiStatus, PersonView, SnapshotSummary,
};
use collie_core::text::UntrustedText;
use collie_core::tracked_finding::{FindingStatus, ReportOnly, TrackedFinding};
use collie_core::usage::{Cost, Usage};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Words for people, in whatever language the reader has.
pub struct TextRenderer<'a> {
    /// One sentence for a blocker.
    pub render_blocker: &'a dyn Fn(&Blocker) -> String,
    /// One sentence for the loop that commits to the same head branch.
    pub render_branch_holder: &'a dyn Fn(&PullName) -> String,
    /// What happened, and what can be done about it.
    pub render_stop: &'a dyn Fn(&Stop) -> (String, Vec<String>),
    /// One sentence for polls that are slower than configured.
    pub render_throttle: &'a dyn Fn(&PollThrottle) -> String,
    /// Why a finding was not fixed, of which the rules fixer and the gates tell a code.
    pub render_rejection: &'a dyn Fn(&str) -> String,
    /// A post as it would be sent.
    pub render_post: &'a dyn Fn(&Post) -> RenderedPost,
}

/// All there is to show of one loop. Times are RFC 3339 in UTC.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct LoopView {
    /// `owner/repo#n`.
    pub key: String,
    /// Host name, with port when it is not the usual one.
    pub host: String,
    /// The present attempt.
    pub run_id: String,
    /// What its log lines carry; the run's id.
    pub correlation_id: String,
    /// Title of the pull request.
    #[ts(type = "string")]
    pub title: UntrustedText,
    /// Its author's login.
    pub author: Option<String>,
    /// Where a person reads it.
    pub url: String,
    /// Where the loop stands.
    pub state: State,
    /// Whom it waits for, from afar.
    pub attention: Attention,
    /// Pushes by Collie.
    pub iteration: u32,
    /// The most there may be.
    pub max_iterations: u32,
    /// The head it works on.
    pub head_sha: Option<Sha>,
    /// The base branch.
    pub base_ref: String,
    /// The head branch; with the account that it belongs to where that is a fork.
    #[serde(default)]
    pub head_ref: String,
    /// How much the pull request changes; none until it was read.
    #[serde(default)]
    pub size: Option<ChangeSize>,
    /// When this run began.
    pub started_at: String,
    /// When something last changed.
    pub updated_at: String,
    /// From the start of the run to now, or to its end.
    #[ts(type = "number")]
    pub elapsed_ms: u64,
    /// Its place in the queue for a slot, from 1.
    pub queue_position: Option<u32>,
    /// Whom it waits for, where a slot would not do: the loop that commits to the same head branch.
    #[serde(default)]
    pub branch_holder: Option<BranchHolderView>,
    /// The names of the workers that have its reviews and fixes, where loops live elsewhere.
    #[serde(default)]
    pub workers: Vec<String>,
    /// What it waits for.
    pub blocker: Option<BlockerView>,
    /// How far Collie goes by itself here (§13.7).
    #[serde(default)]
    pub autonomy: Autonomy,
    /// What it would write on GitHub if that let it, in order.
    #[serde(default)]
    pub held: Vec<HeldWriteView>,
    /// The commit that it would push; none where none waits.
    #[serde(default)]
    pub held_push: Option<HeldPushView>,
    /// When GitHub is read again.
    pub next_poll_at: Option<String>,
    /// Why that is later than configured; none where it is not.
    #[serde(default)]
    pub throttle: Option<ThrottleView>,
    /// How many posts of Collie's GitHub shows more than once: an alarm.
    #[serde(default)]
    pub duplicated_posts: u32,
    /// Checks of the head.
    pub ci: CiView,
    /// Bots.
    pub bots: Vec<BotLine>,
    /// The stage that reviews, from 0.
    pub current_stage: u32,
    /// The panel.
    pub stages: Vec<StageView>,
    /// What the panel concluded.
    pub consensus: Option<Conclusion>,
    /// People beside the panel whose review counts.
    #[serde(default)]
    pub people: Vec<PersonLine>,
    /// What nobody was shown of that head; none while there is nothing to say.
    #[serde(default)]
    pub coverage: Option<CoverageView>,
    /// What was seen at the head that was ready last (§8.4); the same as on GitHub.
    pub proof: Option<ProofView>,
    /// Every finding, most urgent first.
    pub findings: Vec<FindingView>,
    /// What each iteration came to.
    pub rounds: Vec<RoundView>,
    /// Tokens and money of this run.
    pub usage: UsageView,
    /// The same of all runs of this pull request; none while no earlier one has cost anything.
    pub usage_all_runs: Option<UsageView>,
    /// Whether Cancel makes sense.
    pub can_cancel: bool,
    /// Whether Retry makes sense.
    pub can_retry: bool,
    /// Whether Resume makes sense.
    pub can_resume: bool,
    /// Whether the desktop app may offer Merge. Information only: the merge gate looks for itself (§11).
    pub can_merge: bool,
    /// How it was merged.
    pub merge_type: Option<MergeType>,
    /// Why it stopped.
    pub error: Option<StopView>,
}

/// A loop that commits to the same head branch, which others wait for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct BranchHolderView {
    /// Its pull request, `owner/repo#n`.
    pub pull: String,
    /// That it is waited for, in words.
    pub text: String,
}

/// What a loop waits for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct BlockerView {
    /// [`Blocker::code`].
    pub code: BlockerCode,
    /// Its arguments, by name.
    #[ts(type = "Record<string, unknown>")]
    pub args: serde_json::Map<String, serde_json::Value>,
    /// The same in words.
    pub text: String,
    /// Whether only a person can end the wait.
    pub needs_person: bool,
}

/// Polls are slower than configured, so that what is left of GitHub's budget lasts until its reset.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ThrottleView {
    /// The budget that is short.
    pub resource: RateResource,
    /// What is left of it, in points (GraphQL) or requests (REST).
    #[ts(type = "number")]
    pub remaining: u64,
    /// What there is an hour.
    #[ts(type = "number")]
    pub limit: u64,
    /// When all of it is there again.
    pub until: String,
    /// The same in words.
    pub text: String,
}

/// Checks of the head.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct CiView {
    /// All of them in one word.
    pub status: CiStatus,
    /// How many passed.
    pub passed: u32,
    /// How many failed.
    pub failed: u32,
    /// How many are not done, those that have not reported included.
    pub running: u32,
    /// Each.
    pub checks: Vec<CheckLine>,
    /// Changed files that say what CI runs: the first of them; not there where there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(as = "Option<Vec<String>>", optional)]
    pub workflow_files: Vec<String>,
}

/// One check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct CheckLine {
    /// Its name.
    #[ts(type = "string")]
    pub name: UntrustedText,
    /// GitHub's word, or `missing`.
    #[ts(type = "CheckStatus | \"missing\"")]
    pub status: String,
    /// GitHub's word.
    #[ts(as = "Option<CheckConclusion>")]
    pub conclusion: Option<String>,
    /// What it came to (§3.3).
    pub outcome: CheckOutcome,
    /// Where a person reads more.
    pub url: Option<String>,
    /// Why it failed, as far as that is told apart; only of failed ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub cause: Option<FailureCause>,
}

/// One bot.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct BotLine {
    /// Its login.
    pub login: Login,
    /// Its account.
    pub id: AccountId,
    /// Whether the account is the one the registry names.
    pub verified: bool,
    /// How it stands.
    pub status: BotStatusCode,
    /// How long it is waited for, or out of quota.
    pub until: Option<String>,
}

/// Reviewers that work side by side.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct StageView {
    /// In the order shown.
    pub reviewers: Vec<ReviewerView>,
}

/// A person beside the panel, with the review of theirs that counts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct PersonLine {
    /// Who.
    pub login: Login,
    /// They approved, or asked for changes.
    pub verdict: Conclusion,
    /// The head that they looked at.
    pub head_sha: Option<Sha>,
    /// When.
    pub at: Option<String>,
}

/// How far a reviewer is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum ReviewerStatus {
    /// Has nothing to say on this head yet, and is not at work.
    Waiting,
    /// Is at work, or queued for a slot.
    Reviewing,
    /// Has looked at this head.
    Reviewed,
    /// Has looked at an earlier head.
    Outdated,
    /// Failed for good.
    Failed,
}

/// One reviewer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ReviewerView {
    /// `rules`, a persona, or a login.
    pub name: String,
    /// What it is.
    pub kind: ReviewerKind,
    /// How far it is.
    pub status: ReviewerStatus,
    /// The latest verdict.
    pub verdict: Option<Conclusion>,
    /// The head it was given on.
    pub head_sha: Option<Sha>,
    /// How many findings it has there.
    pub findings: u32,
    /// Whom it asked in.
    pub escalations: Vec<String>,
    /// When it was given.
    pub at: Option<String>,
    /// What became of the repository's linters there; only of the rules.
    #[serde(default)]
    pub linters: Vec<LinterRun>,
}

/// One finding: A1 and its history.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct FindingView {
    /// A1, `kind` included.
    #[serde(flatten)]
    pub finding: Finding,
    /// Its identity.
    pub fingerprint: Fingerprint,
    /// What has become of it.
    pub status: FindingStatus,
    /// It lies on lines that Collie's last fix wrote.
    pub introduced_by_fix: bool,
    /// The review, counted from 1, that first reported it.
    pub first_round: u32,
    /// The review that last reported it.
    pub last_round: u32,
    /// Commits that were to fix it, oldest first.
    pub fixed_in: Vec<Sha>,
    /// Why the fixer did not fix it: its own words, or a code.
    pub rejection: Option<String>,
    /// The same in words for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub rejection_text: Option<String>,
    /// Why it stands in the report alone, though it counts; not there where it is on its line, or was not posted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub report_only: Option<ReportOnly>,
    /// Other tools that made it too, as people call them; not there where there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(as = "Option<Vec<String>>", optional)]
    pub also_found_by: Vec<String>,
    /// Who dismissed it, and why; not there where nobody did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub dismissal: Option<DismissalView>,
    /// Whether a person may dismiss it.
    #[serde(default)]
    pub can_dismiss: bool,
    /// Whether it has a place on GitHub that can be opened.
    #[serde(default)]
    pub has_page: bool,
}

/// A person's word that a finding does not matter here.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct DismissalView {
    /// Who.
    pub by: Login,
    /// Why.
    pub reason: String,
    /// When.
    pub at: String,
}

/// The proof of ready (§8.4).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct ProofView {
    /// The head it proves.
    pub head_sha: Sha,
    /// Each check with its conclusion.
    pub checks: Vec<ProofCheck>,
    /// Checks that were red and green at that head; not there where there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(as = "Option<Vec<String>>", optional)]
    pub flaky: Vec<String>,
    /// Changed files that say what CI runs; not there where there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(as = "Option<Vec<String>>", optional)]
    pub workflow_files: Vec<String>,
    /// Each reviewer's and bot's verdict.
    pub verdicts: Vec<ProofVerdict>,
    /// Nobody has read the change: only the built-in rules have looked for what they know.
    pub unread: bool,
    /// Each thread of a trusted author.
    pub threads: Vec<ProofThread>,
    /// Pushes by Collie.
    pub iterations: u32,
    /// What was fixed, and where.
    pub fixed: Vec<ProofFix>,
    /// What several tools found; not there where there is nothing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(as = "Option<Vec<ProofAgreement>>", optional)]
    pub agreements: Vec<ProofAgreement>,
    /// Merges of the base into the branch, by Collie; not there where there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(as = "Option<Vec<ProofMerge>>", optional)]
    pub merges: Vec<ProofMerge>,
    /// Times that the merge queue took it out; not there where there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(as = "Option<Vec<ProofEjection>>", optional)]
    pub ejections: Vec<ProofEjection>,
    /// Verify commands of the repository that fixes were pushed without; not there where there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(as = "Option<Vec<String>>", optional)]
    pub unverified: Vec<String>,
    /// What nobody was shown at that head; not there where there is nothing to say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub coverage: Option<CoverageView>,
    /// What a person dismissed; not there where there is nothing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(as = "Option<Vec<ProofDismissal>>", optional)]
    pub dismissed: Vec<ProofDismissal>,
    /// What is stuck, or was declined by the fixer; not there where there is nothing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(as = "Option<Vec<ProofLeft>>", optional)]
    pub left: Vec<ProofLeft>,
    /// Titles of suggestions that stay open.
    pub suggestions: Vec<String>,
    /// Tokens and money.
    pub usage: UsageView,
    /// From the start of the run to ready.
    #[ts(type = "number")]
    pub elapsed_ms: u64,
}

/// What several tools found (§4.6).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ProofAgreement {
    /// The finding's title.
    pub title: String,
    /// Who, as people call them.
    pub found_by: Vec<String>,
}

/// A finding that a person dismissed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ProofDismissal {
    /// The finding's title.
    pub title: String,
    /// Who.
    pub by: Login,
    /// Why.
    pub reason: String,
}

/// A finding that nothing was done about, though no person dismissed it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ProofLeft {
    /// The finding's title.
    pub title: String,
    /// Why the fixer declined it; none where it stands after every fix.
    pub declined: Option<String>,
}

/// A merge of the base that the proof names (§3.7).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ProofMerge {
    /// The merge commit.
    pub commit: Sha,
    /// The base branch.
    pub base_ref: String,
    /// Lines of either side that were left out, each with a reason.
    pub lost_lines: u32,
}

/// An ejection from the merge queue that the proof names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ProofEjection {
    /// The head that was in the queue.
    pub head_sha: Sha,
    /// Why, as in the Fluent key `ejection-…`.
    pub cause: EjectionCause,
    /// The checks that it is about.
    pub checks: Vec<String>,
    /// GitHub's own word for a reason that is not known; empty for others.
    pub word: String,
    /// The last commit that claims to fix it.
    pub claimed_in: Option<Sha>,
}

/// What of a head nobody was shown (§4.4).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct CoverageView {
    /// Files that nobody was shown wholly, by path.
    pub unseen: Vec<UnseenFile>,
    /// How many of them are text that somebody has to look at.
    pub needing_look: u32,
    /// Text files that only the built-in rules have read, though there are other reviewers.
    pub rules_only: Vec<String>,
    /// Who has looked at this head instead.
    pub seen_by: Option<Login>,
}

/// A check of the proof.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ProofCheck {
    /// Its name.
    pub name: String,
    /// GitHub's word.
    #[ts(as = "CheckConclusion")]
    pub conclusion: String,
}

/// A verdict of the proof.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ProofVerdict {
    /// The reviewer or bot.
    pub name: String,
    /// What it is; none for a bot.
    pub kind: Option<ReviewerKind>,
    /// What it concluded; none for a bot that only commented.
    pub verdict: Option<Conclusion>,
    /// The head it looked at.
    pub head_sha: Option<Sha>,
    /// How many findings it has there.
    pub findings: u32,
}

/// A thread of the proof.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ProofThread {
    /// The file it is in.
    pub file: String,
    /// `resolved` or `answered`.
    pub settled: String,
}

/// A fix of the proof.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ProofFix {
    /// The finding's title.
    pub title: String,
    /// Collie's commit; none where somebody else fixed it.
    pub commit: Option<Sha>,
}

/// One iteration.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct RoundView {
    /// From 1.
    pub iteration: u32,
    /// Findings of priority P0.
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
}

/// Tokens and money.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct UsageView {
    /// Tokens in.
    #[ts(type = "number")]
    pub input_tokens: u64,
    /// Tokens out.
    #[ts(type = "number")]
    pub output_tokens: u64,
    /// Dollars, as far as prices are known; null where none is.
    pub cost_usd: Option<f64>,
    /// Some of it was spent where no price is known, so that it cost more; left out where all is known.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(as = "Option<bool>", optional)]
    pub unpriced: bool,
}

impl From<&Usage> for UsageView {
    fn from(usage: &Usage) -> Self {
        Self {
            input_tokens: usage.input_tokens,
            output_tokens: usage.output_tokens,
            cost_usd: known_dollars(usage.cost()),
            unpriced: usage.unpriced,
        }
    }
}

/// Why a loop stopped, and what can be done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct StopView {
    /// [`Stop::code`].
    pub code: StopCode,
    /// What people read.
    pub message: String,
    /// What people can do.
    pub hints: Vec<String>,
}

/// A run that another one has followed, as it was last.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct EarlierRunView {
    /// The run.
    pub run_id: String,
    /// Which one of its pull request, from 1.
    pub number: u32,
    /// When it began.
    pub started_at: String,
    /// When it ended; none of one that a later run replaced before that was kept.
    pub ended_at: Option<String>,
    /// How it ended.
    pub state: State,
    /// Whether the rest is known: runs before that was kept have their times alone.
    pub kept: bool,
    /// The head that it ended on.
    pub head_sha: Option<Sha>,
    /// Why it stopped.
    pub error: Option<StopView>,
    /// What was seen at the head that was ready last.
    pub proof: Option<ProofView>,
    /// Tokens and money of it.
    pub usage: UsageView,
}

impl EarlierRunView {
    /// All runs but the present one, the latest first.
    pub fn from_runs(runs: &[LoopRun], present: &RunId, renderer: &TextRenderer<'_>) -> Vec<Self> {
        let numbered = (1..).zip(runs);
        let earlier = numbered.filter(|(_, run)| run.row.run != *present);
        let mut views: Vec<Self> = earlier
            .map(|(number, run)| Self::from_run(number, run, renderer))
            .collect();
        views.reverse();
        views
    }

    fn from_run(number: u32, run: &LoopRun, renderer: &TextRenderer<'_>) -> Self {
        let LoopRun { row, outcome } = run;
        let known = outcome.clone().unwrap_or_default();
        let usage = row.record.as_ref().map(|record| record.usage);
        Self {
            run_id: row.run.to_string(),
            number,
            started_at: row.started_at.rfc3339(),
            ended_at: row.ended_at.map(Time::rfc3339),
            state: row.state,
            kept: outcome.is_some(),
            head_sha: known.head,
            error: known.stop.as_ref().map(|stop| stop_view(stop, renderer)),
            proof: (known.proof.as_deref()).map(|proof| proof_view(proof, renderer)),
            usage: UsageView::from(&usage.unwrap_or_default()),
        }
    }
}

/// What went wrong, and what can be done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ErrorView {
    /// What programs branch on.
    pub code: ErrorCode,
    /// What people read.
    pub message: String,
    /// What people can do.
    pub hints: Vec<String>,
}

/// When it is read again; an ended one only listens for commands, which is nobody's next poll.
fn next_poll_at(state: &LoopState) -> Option<String> {
    let next = state.run.polling.next_at;
    next.filter(|_| !state.run.state.is_terminal())
        .map(Time::rfc3339)
}

impl LoopView {
    /// Shows a loop as of `now`.
    pub fn from_state(
        state: &LoopState,
        now: Time,
        queue_place: Option<&QueuePlace>,
        renderer: &TextRenderer<'_>,
    ) -> Self {
        let last_snapshot = &state.run.polling.last_snapshot;
        let shown_state = state.shown_state();
        // What it stopped for asks nobody for anything once its pull request has ended.
        let stop = state.run.stop.as_ref();
        let stop = stop.filter(|_| state.run.pull_end.is_none());
        Self {
            key: format!("{}#{}", state.pull.repo, state.id.number),
            host: state.id.host.clone(),
            run_id: state.run.id.to_string(),
            correlation_id: state.run.id.to_string(),
            title: state.pull.title.clone(),
            author: state.pull.author.as_ref().map(ToString::to_string),
            url: state.pull.url.clone(),
            state: shown_state,
            attention: state.attention(),
            iteration: state.run.fixing.iteration,
            max_iterations: state.max_iterations(),
            head_sha: state.run.head.sha.clone(),
            base_ref: state.pull.base_ref.clone(),
            head_ref: head_label(state),
            size: last_snapshot.size,
            started_at: state.run.started_at.rfc3339(),
            updated_at: state.run.updated_at.rfc3339(),
            elapsed_ms: elapsed_ms(state, now),
            queue_position: queue_place.map(|place| place.position),
            branch_holder: branch_holder(queue_place, renderer),
            workers: Vec::new(),
            blocker: (state.run.blocker.as_ref()).map(|it| blocker_view(it, renderer)),
            autonomy: state.autonomy(),
            held: held::held_writes(state, renderer.render_post),
            held_push: held::held_push(state),
            next_poll_at: next_poll_at(state),
            throttle: present_throttle(state, now, renderer),
            duplicated_posts: u32::try_from(state.memory.duplicated.len()).unwrap_or(u32::MAX),
            ci: ci_view(last_snapshot),
            bots: last_snapshot.bots.iter().map(bot_line).collect(),
            current_stage: state.run.review.current_stage,
            stages: stage_views(state),
            consensus: last_snapshot.consensus,
            people: people_beside_panel(state),
            coverage: coverage_of_head(state),
            proof: (state.run.head.proof.as_deref()).map(|it| proof_view(it, renderer)),
            findings: finding_views(state, renderer),
            rounds: state.run.fixing.rounds.iter().map(round_view).collect(),
            usage: UsageView::from(&state.run.usage),
            usage_all_runs: usage_of_all_runs(state).as_ref().map(UsageView::from),
            can_cancel: shown_state.may_cancel(),
            can_retry: shown_state.may_retry(),
            can_resume: shown_state.may_resume(),
            can_merge: shown_state.may_merge(),
            merge_type: state.run.merge_type,
            error: stop.map(|stop| stop_view(stop, renderer)),
        }
    }

    /// Whether it shows this place in the queue.
    pub fn shows_place(&self, place: Option<&QueuePlace>) -> bool {
        let holder = place.and_then(|place| place.branch_held_by.as_ref());
        let shown = self.branch_holder.as_ref().map(|shown| &shown.pull);
        self.queue_position == place.map(|place| place.position)
            && shown == holder.map(ToString::to_string).as_ref()
    }
}

/// How long the run has gone on, or went on.
fn elapsed_ms(state: &LoopState, now: Time) -> u64 {
    let end = match state.run.state.is_terminal() {
        true => state.run.updated_at,
        false => now,
    };
    end.since(state.run.started_at)
}

fn branch_holder(
    place: Option<&QueuePlace>,
    renderer: &TextRenderer<'_>,
) -> Option<BranchHolderView> {
    let pull = place?.branch_held_by.as_ref()?;
    Some(BranchHolderView {
        pull: pull.to_string(),
        text: (renderer.render_branch_holder)(pull),
    })
}

fn blocker_view(blocker: &Blocker, renderer: &TextRenderer<'_>) -> BlockerView {
    let mut args = match serde_json::to_value(blocker) {
        Ok(serde_json::Value::Object(args)) => args,
        Ok(_) | Err(_) => serde_json::Map::new(),
    };
    args.remove("code");
    if let Some(until) = args.get_mut("until")
        && let Some(millis) = until.as_i64()
    {
        *until = Time(millis).rfc3339().into();
    }
    BlockerView {
        code: blocker.into(),
        args,
        text: (renderer.render_blocker)(blocker),
        needs_person: blocker.needs_person(),
    }
}

/// What slows polls down, until its budget is there again.
fn present_throttle(
    state: &LoopState,
    now: Time,
    renderer: &TextRenderer<'_>,
) -> Option<ThrottleView> {
    let throttle = state.run.polling.throttle.as_ref()?;
    (now < throttle.resets_at).then(|| throttle_view(throttle, renderer))
}

fn throttle_view(throttle: &PollThrottle, renderer: &TextRenderer<'_>) -> ThrottleView {
    ThrottleView {
        resource: throttle.resource,
        remaining: throttle.remaining,
        limit: throttle.limit,
        until: throttle.resets_at.rfc3339(),
        text: (renderer.render_throttle)(throttle),
    }
}

fn stop_view(stop: &Stop, renderer: &TextRenderer<'_>) -> StopView {
    let (message, hints) = (renderer.render_stop)(stop);
    StopView {
        code: stop.into(),
        message,
        hints,
    }
}

fn coverage_of_head(state: &LoopState) -> Option<CoverageView> {
    let head = state.run.head.sha.as_ref()?;
    let seen_by = state.memory.seen_heads.get(head);
    coverage_view(&state.run.head.coverage, seen_by)
}

fn coverage_view(coverage: &Coverage, seen_by: Option<&Login>) -> Option<CoverageView> {
    let needing_look = coverage.needing_look().count();
    (!coverage.is_empty()).then(|| CoverageView {
        unseen: coverage.unseen.clone(),
        needing_look: u32::try_from(needing_look).unwrap_or(u32::MAX),
        rules_only: coverage.rules_only.iter().cloned().collect(),
        seen_by: seen_by.cloned(),
    })
}

fn ci_view(snapshot_summary: &SnapshotSummary) -> CiView {
    let checks: Vec<CheckLine> = snapshot_summary.checks.iter().map(check_line).collect();
    let (mut passed, mut failed, mut running) = (0, 0, 0);
    for check in &checks {
        match check.outcome {
            CheckOutcome::Passed => passed += 1,
            CheckOutcome::Failed => failed += 1,
            CheckOutcome::Running | CheckOutcome::NeedsAction => running += 1,
        }
    }
    CiView {
        status: snapshot_summary.ci,
        passed,
        failed,
        running,
        checks,
        workflow_files: snapshot_summary.workflow_files.clone(),
    }
}

fn check_line(check: &CheckView) -> CheckLine {
    CheckLine {
        name: check.name.clone(),
        status: check.status.clone(),
        conclusion: check.conclusion.clone(),
        outcome: kept_check_outcome(check),
        url: check.url.clone(),
        cause: check.cause,
    }
}

fn bot_line(bot: &BotView) -> BotLine {
    let until = match bot.status {
        BotStatus::Waiting { until } => Some(until),
        BotStatus::OutOfQuota { until } => until,
        BotStatus::Reviewed | BotStatus::TimedOut | BotStatus::NotExpected => None,
    };
    BotLine {
        login: bot.login.clone(),
        id: bot.id,
        verified: bot.verified,
        status: (&bot.status).into(),
        until: until.map(Time::rfc3339),
    }
}

fn stage_views(state: &LoopState) -> Vec<StageView> {
    let view = |(index, stage): (usize, &collie_core::panel_state::StageState)| StageView {
        reviewers: stage
            .reviewers
            .iter()
            .map(|reviewer| reviewer_view(state, index, reviewer))
            .collect(),
    };
    state
        .run
        .review
        .stages
        .iter()
        .enumerate()
        .map(view)
        .collect()
}

/// As GitHub labels it: a branch of a fork bears the fork's owner.
fn head_label(state: &LoopState) -> String {
    let branch = &state.pull.head_ref;
    match &state.run.head.repo {
        Some(head) if !head.eq_ignore_case(&state.pull.repo) => {
            format!("{}:{branch}", head.owner())
        }
        Some(_) | None => branch.clone(),
    }
}

/// Those of the panel stand in their seats.
fn people_beside_panel(state: &LoopState) -> Vec<PersonLine> {
    let stages = state.run.review.stages.iter();
    let seats: Vec<Login> = stages
        .flat_map(|stage| &stage.reviewers)
        .filter(|seat| seat.spec.kind == ReviewerKind::Human)
        .map(|seat| Login::new(&seat.spec.name))
        .collect();
    let people = &state.run.polling.last_snapshot.people;
    let beside = people
        .iter()
        .filter(|person| !seats.contains(&person.login));
    beside
        .map(|person| PersonLine {
            login: person.login.clone(),
            verdict: person.verdict,
            head_sha: person.head.clone(),
            at: person.at.map(Time::rfc3339),
        })
        .collect()
}

/// A seat of a person, with what their review says.
fn seated_person(state: &LoopState, reviewer: &ReviewerState) -> Option<PersonView> {
    let people = &state.run.polling.last_snapshot.people;
    let login = Login::new(&reviewer.spec.name);
    let is_person = reviewer.spec.kind == ReviewerKind::Human;
    let person = people.iter().find(|person| person.login == login);
    person.filter(|_| is_person).cloned()
}

fn reviewer_view(state: &LoopState, stage: usize, reviewer: &ReviewerState) -> ReviewerView {
    if let Some(person) = seated_person(state, reviewer) {
        // Their approval stands for later heads too.
        let is_current = person.verdict == Conclusion::Approve || person.head == state.run.head.sha;
        return ReviewerView {
            name: reviewer.spec.name.clone(),
            kind: reviewer.spec.kind,
            status: match is_current {
                true => ReviewerStatus::Reviewed,
                false => ReviewerStatus::Outdated,
            },
            verdict: Some(person.verdict),
            head_sha: person.head,
            findings: 0,
            escalations: Vec::new(),
            at: person.at.map(Time::rfc3339),
            linters: Vec::new(),
        };
    }
    let mut asked = state.outbox.effects.values().filter_map(Effect::as_review);
    let is_reviewing = asked.any(|asked| {
        usize::try_from(asked.stage) == Ok(stage) && asked.reviewer.name == reviewer.spec.name
    });
    let failed = matches!(&state.run.stop, Some(Stop::ReviewFailed { reviewer: name, .. }) if *name == reviewer.spec.name);
    let status = if is_reviewing {
        ReviewerStatus::Reviewing
    } else if failed {
        ReviewerStatus::Failed
    } else if reviewer.verdict.is_none() {
        ReviewerStatus::Waiting
    } else if reviewer.head == state.run.head.sha {
        ReviewerStatus::Reviewed
    } else {
        ReviewerStatus::Outdated
    };
    ReviewerView {
        name: reviewer.spec.name.clone(),
        kind: reviewer.spec.kind,
        status,
        verdict: reviewer.verdict,
        head_sha: reviewer.head.clone(),
        findings: u32::try_from(reviewer.findings.len()).unwrap_or(u32::MAX),
        escalations: reviewer.escalations.clone(),
        at: reviewer.at.map(Time::rfc3339),
        linters: reviewer.linters.clone(),
    }
}

fn finding_views(state: &LoopState, renderer: &TextRenderer<'_>) -> Vec<FindingView> {
    let is_over = state.shown_state().is_over();
    let view = |tracked: &TrackedFinding| FindingView {
        finding: tracked.finding.clone(),
        fingerprint: tracked.fingerprint.clone(),
        status: tracked.status,
        introduced_by_fix: tracked.introduced_by_fix,
        first_round: tracked.first_round,
        last_round: tracked.last_round,
        fixed_in: tracked.fixed_in.clone(),
        rejection: tracked.rejection.clone(),
        rejection_text: tracked.rejection.as_deref().map(renderer.render_rejection),
        report_only: tracked.report_only,
        also_found_by: tracked.also_found_by.iter().cloned().collect(),
        dismissal: tracked.dismissal.as_ref().map(|word| DismissalView {
            by: word.by.clone(),
            reason: word.reason.clone(),
            at: word.at.rfc3339(),
        }),
        can_dismiss: !is_over && tracked.may_be_dismissed(),
        has_page: finding_page(state, tracked).is_some(),
    };
    let mut views: Vec<FindingView> = state.run.review.findings.values().map(view).collect();
    views.sort_by(|a, b| {
        let rank = |view: &FindingView| {
            (
                view.finding.priority,
                view.also_found_by.is_empty(),
                view.finding.file.clone(),
                view.finding.line,
            )
        };
        rank(a).cmp(&rank(b))
    });
    views
}

fn proof_view(proof: &Proof, renderer: &TextRenderer<'_>) -> ProofView {
    let check = |(name, conclusion): &(String, String)| ProofCheck {
        name: name.clone(),
        conclusion: conclusion.clone(),
    };
    let verdict = |line: &VerdictLine| ProofVerdict {
        name: line.name.clone(),
        kind: line.kind,
        verdict: line.verdict,
        head_sha: line.head.clone(),
        findings: line.findings,
    };
    let thread = |(file, settled): &(String, String)| ProofThread {
        file: file.clone(),
        settled: settled.clone(),
    };
    let fix = |(title, commit): &(String, Option<Sha>)| ProofFix {
        title: title.clone(),
        commit: commit.clone(),
    };
    let agreement = |(title, found_by): &(String, Vec<String>)| ProofAgreement {
        title: title.clone(),
        found_by: found_by.clone(),
    };
    ProofView {
        head_sha: proof.head.clone(),
        checks: proof.checks.iter().map(check).collect(),
        verdicts: proof.verdicts.iter().map(verdict).collect(),
        unread: proof.unread,
        threads: proof.threads.iter().map(thread).collect(),
        iterations: proof.iterations,
        fixed: proof.fixed.iter().map(fix).collect(),
        agreements: proof.agreements.iter().map(agreement).collect(),
        flaky: proof.flaky.clone(),
        workflow_files: proof.workflow_files.clone(),
        merges: proof.merges.iter().map(proof_merge).collect(),
        ejections: proof.ejections.iter().map(proof_ejection).collect(),
        unverified: proof.unverified.clone(),
        dismissed: proof.dismissed.iter().map(proof_dismissal).collect(),
        left: (proof.left.iter())
            .map(|line| proof_left(line, renderer))
            .collect(),
        coverage: coverage_view(&proof.coverage, proof.seen_by.as_ref()),
        suggestions: proof
            .suggestions
            .iter()
            .map(|finding| finding.title.clone())
            .collect(),
        usage: UsageView {
            input_tokens: proof.tokens.0,
            output_tokens: proof.tokens.1,
            cost_usd: known_dollars(proof.cost()),
            unpriced: proof.unpriced,
        },
        elapsed_ms: proof.elapsed_ms,
    }
}

fn proof_merge((commit, merge): &(Sha, BaseMerge)) -> ProofMerge {
    ProofMerge {
        commit: commit.clone(),
        base_ref: merge.base_ref.clone(),
        lost_lines: u32::try_from(merge.lost.len()).unwrap_or(u32::MAX),
    }
}

fn proof_dismissal(line: &DismissedFinding) -> ProofDismissal {
    ProofDismissal {
        title: line.title.clone(),
        by: line.by.clone(),
        reason: line.reason.clone(),
    }
}

fn proof_left(line: &LeftFinding, renderer: &TextRenderer<'_>) -> ProofLeft {
    ProofLeft {
        title: line.title.clone(),
        declined: match &line.why {
            LeftReason::Stuck => None,
            LeftReason::Declined { reason } => Some((renderer.render_rejection)(reason)),
        },
    }
}

fn proof_ejection(line: &EjectionLine) -> ProofEjection {
    let ejection = &line.ejection;
    ProofEjection {
        head_sha: ejection.head.clone(),
        cause: ejection.cause,
        checks: ejection.checks.clone(),
        word: ejection.word.clone(),
        claimed_in: line.claimed_in.clone(),
    }
}

fn round_view(round: &RoundSummary) -> RoundView {
    RoundView {
        iteration: round.iteration,
        p0: round.p0,
        p1: round.p1,
        p2: round.p2,
        p3: round.p3,
        fixed: round.fixed,
        rejected: round.rejected,
        commit: round.commit.clone(),
    }
}

/// None where this run is all there is to count.
fn usage_of_all_runs(state: &LoopState) -> Option<Usage> {
    let before = state.memory.usage_before;
    (!before.is_nothing()).then(|| state.spent())
}

fn known_dollars(cost: Cost) -> Option<f64> {
    // Costs are far below the 2^53 micro-dollars that a float holds exactly.
    cost.known_micros()
        .map(|micros| micros as f64 / 1_000_000.0)
}
