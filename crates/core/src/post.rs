//! What Collie says on GitHub, as data. Words, markers and limits are put on it where it is rendered (§8).

use crate::base_merge::BaseMerge;
use crate::blocker::Stop;
use crate::change_map::ChangeMap;
use crate::command::Command;
use crate::coverage::Coverage;
use crate::finding::{Finding, Priority, Replacement};
use crate::ids::{AccountId, ActionToken, EventKey, Fingerprint, Login, Sha, ThreadId};
use crate::lifecycle::State;
use crate::linter_run::LinterRun;
use crate::look_record::LookRecord;
use crate::merge_queue::Ejection;
use crate::policy::ReviewerKind;
use crate::review::{Conclusion, IssueCounts, ThreadStats};
use crate::round_summary::RoundSummary;
use crate::session::LeftOut;
use crate::tracked_finding::{ReportOnly, TrackedFinding};
use crate::usage::Cost;
use serde::{Deserialize, Serialize};

/// A reviewer's verdict, as reports list it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct VerdictLine {
    /// The reviewer or bot.
    pub name: String,
    /// What it is; none for a bot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<ReviewerKind>,
    /// How many findings it has there.
    #[serde(default, skip_serializing_if = "crate::tracked_finding::is_zero")]
    pub findings: u32,
    /// What it concluded; none for a bot that only commented.
    pub verdict: Option<Conclusion>,
    /// The head it looked at.
    pub head: Option<Sha>,
    /// What it was not shown there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left_out: Option<LeftOut>,
    /// Files that it has not read up to there, since the reading that held them failed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unread_files: Vec<String>,
    /// What became of the repository's linters there; only of the rules.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub linters: Vec<LinterRun>,
}

/// A finding that nothing was done about, though no person dismissed it, as the proof lists it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct LeftFinding {
    /// Its title.
    pub title: String,
    /// The file that it is about; may be empty.
    pub file: String,
    /// How grave its finder called it.
    pub priority: Priority,
    /// Why nothing was done.
    pub why: LeftReason,
}

/// Why nothing was done about a finding.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "why")]
pub enum LeftReason {
    /// It stands after every fix (§5.2).
    Stuck,
    /// The fixer declined it.
    Declined {
        /// The fixer's words, or a code of [`crate::fix::note_codes`].
        reason: String,
    },
}

/// A finding that a person dismissed, as reports and proof list it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct DismissedFinding {
    /// Its title.
    pub title: String,
    /// The file that it is about; may be empty.
    pub file: String,
    /// How grave its reviewer called it.
    pub priority: Priority,
    /// Who dismissed it.
    pub by: Login,
    /// Why.
    pub reason: String,
}

/// The report of one review (§8.1).
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ReviewReport {
    /// Counts reviews of this run from 1; part of the token (§8.2).
    pub ordinal: u32,
    /// The reviewed head.
    pub head: Sha,
    /// The consensus.
    pub consensus: Conclusion,
    /// The counts it rests on.
    pub counts: IssueCounts,
    /// Who asked for changes (rule 0).
    pub changes_requested_by: Vec<Login>,
    /// Each reviewer's verdict.
    pub verdicts: Vec<VerdictLine>,
    /// All findings that count.
    pub findings: Vec<Finding>,
    /// Findings that came back after they were fixed.
    pub stuck: Vec<Finding>,
    /// Nobody has read the change: only the built-in rules have looked for what they know.
    #[serde(default)]
    pub unread: bool,
    /// What nobody was shown.
    #[serde(default, skip_serializing_if = "Coverage::is_empty")]
    pub coverage: Coverage,
    /// How many text files of it a person has to look at; 0 where they are only to be told (§4.4).
    #[serde(default, skip_serializing_if = "crate::tracked_finding::is_zero")]
    pub needs_look: u32,
    /// Why some findings are not on their line: one for each of `findings`, in their order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub report_only: Vec<Option<ReportOnly>>,
    /// Findings of which nobody is sure enough: they do not count.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unsure: Vec<Finding>,
    /// What a review without a loop leaves for the next one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub record: Option<LookRecord>,
    /// The change, for people.
    #[serde(default, skip_serializing_if = "ChangeMap::is_empty")]
    pub map: ChangeMap,
    /// What reviewers at this head say of the change in their own words (A2): name and Markdown.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub summaries: Vec<(String, String)>,
    /// The threads of the pull request (A3).
    #[serde(default)]
    pub threads: ThreadStats,
    /// The report of the comments analyzer (A3): the open threads of others, in Markdown.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub open_threads: String,
    /// The number of each of `findings`, in their order, by which people ask for it; 0 where it has none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub numbers: Vec<u32>,
    /// Who made each of `findings`, where several tools did: one list for each, in their order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub found_by: Vec<Vec<String>>,
    /// Findings of bots that nobody could look at again before they are fixed.
    #[serde(default, skip_serializing_if = "crate::tracked_finding::is_zero")]
    pub unchecked: u32,
    /// What a person dismissed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dismissed: Vec<DismissedFinding>,
}

/// What a report came to, for programs: it stands in the report as a comment that nobody sees, so that another look at the same head need not
/// be paid for to know it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ReviewOutcome {
    /// The consensus.
    pub conclusion: Conclusion,
    /// The counts it rests on.
    pub counts: IssueCounts,
    /// Nobody has read the change.
    pub unread: bool,
    /// Text files that nobody was shown wholly, and a person has to look at.
    #[serde(default, skip_serializing_if = "crate::tracked_finding::is_zero")]
    pub unseen: u32,
    /// A person with write access requested changes.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub changes_requested: bool,
}

/// How the comment begins.
const OUTCOME_COMMENT: &str = "<!-- collie-review: ";

impl ReviewOutcome {
    /// That of a report.
    pub fn of(report: &ReviewReport) -> Self {
        Self {
            conclusion: report.consensus,
            counts: report.counts,
            unread: report.unread,
            unseen: report.needs_look,
            changes_requested: !report.changes_requested_by.is_empty(),
        }
    }

    /// It as the first line of the report.
    pub fn to_comment(self) -> String {
        let json = serde_json::to_string(&self).unwrap_or_default();
        format!("{OUTCOME_COMMENT}{json} -->")
    }

    /// Reads it from a report. Only that of the posting account counts: see to it before.
    pub fn parse(body: &str) -> Option<Self> {
        let line = body.lines().next()?.strip_prefix(OUTCOME_COMMENT)?;
        serde_json::from_str(line.trim_end().strip_suffix(" -->")?).ok()
    }
}

/// The report of one fix (§8.1).
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct FixReport {
    /// The iteration, from 1.
    pub iteration: u32,
    /// The commit that was pushed; none when nothing was.
    pub commit: Option<Sha>,
    /// What was fixed: title, place, what was done.
    pub fixed: Vec<FixLine>,
    /// What was not: title, place, why.
    pub rejected: Vec<FixLine>,
    /// Optional ones left alone.
    pub deferred: u32,
    /// The base that the commit merges in; none for a fix.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub merge: Option<BaseMerge>,
}

/// One line of a fix report.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct FixLine {
    /// The finding's title.
    pub title: String,
    /// Its file; may be empty.
    pub file: String,
    /// Its line.
    pub line: Option<u32>,
    /// What was done, or why not.
    pub note: String,
}

/// The proof of ready (§8.4): what was seen at the very head.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Proof {
    /// The head that is ready.
    pub head: Sha,
    /// Each check and its conclusion.
    pub checks: Vec<(String, String)>,
    /// Checks that were red and green at that very head.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub flaky: Vec<String>,
    /// Changed files that say what CI runs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub workflow_files: Vec<String>,
    /// Each reviewer's and bot's verdict.
    pub verdicts: Vec<VerdictLine>,
    /// Nobody has read the change: only the built-in rules have looked for what they know.
    #[serde(default)]
    pub unread: bool,
    /// Each thread of a trusted author: path and how it was settled (`resolved`, `answered`). Those of others are listed as `outsider`.
    pub threads: Vec<(String, String)>,
    /// Iterations used.
    pub iterations: u32,
    /// What was fixed, and in which commit of Collie's; none where somebody else fixed it.
    pub fixed: Vec<(String, Option<Sha>)>,
    /// Bases that were merged in, with the commits.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub merges: Vec<(Sha, BaseMerge)>,
    /// How it was taken out of the merge queue before, the latest last.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ejections: Vec<EjectionLine>,
    /// Verify commands that fixes were pushed without, as the user decided (§6.3e).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unverified: Vec<String>,
    /// What nobody was shown at that head.
    #[serde(default, skip_serializing_if = "Coverage::is_empty")]
    pub coverage: Coverage,
    /// Who has looked at it instead.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seen_by: Option<Login>,
    /// What several tools found, by title, and who; whatever became of it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub agreements: Vec<(String, Vec<String>)>,
    /// What a person dismissed, whatever else is said of it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dismissed: Vec<DismissedFinding>,
    /// What is stuck, or was declined by the fixer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left: Vec<LeftFinding>,
    /// Suggestions that stay open.
    pub suggestions: Vec<Finding>,
    /// Tokens spent: in, out.
    pub tokens: (u64, u64),
    /// Cost in millionths of a dollar, as far as prices are known.
    pub cost_micros: u64,
    /// Some of it was spent where no price is known.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unpriced: bool,
    /// From the start of the run, in milliseconds.
    pub elapsed_ms: u64,
}

impl Proof {
    /// What the run cost.
    pub fn cost(&self) -> Cost {
        Cost {
            micros: self.cost_micros,
            unpriced: self.unpriced,
        }
    }
}

/// An ejection from the merge queue, and what was done about it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct EjectionLine {
    /// When, why, and by which checks.
    pub ejection: Ejection,
    /// The last commit that claims to fix that. Only another go through the queue can confirm it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claimed_in: Option<Sha>,
}

/// The last word of a run that stopped (§8.1), with the dossier (§5.3).
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct StopReport {
    /// Why.
    pub stop: Stop,
    /// The head it stopped at.
    pub head: Option<Sha>,
    /// What is left, with its history.
    pub findings: Vec<TrackedFinding>,
    /// Round by round.
    pub rounds: Vec<RoundSummary>,
}

/// What became of a thread (§7.3).
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "what")]
pub enum Disposition {
    /// Fixed in that commit.
    Fixed {
        /// The commit.
        commit: Sha,
        /// What was done.
        note: String,
    },
    /// Not done, with the reason.
    Declined {
        /// The reason.
        reason: String,
    },
    /// A person has to decide.
    LeftToPerson {
        /// The reason.
        reason: String,
    },
}

/// Something that was said outside of threads, with what became of it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct AnsweredRemark {
    /// Who said it.
    pub author: Login,
    /// Its first line.
    pub title: String,
    /// Its event.
    pub event: EventKey,
    /// What became of it.
    pub disposition: Disposition,
}

/// Where a reply goes.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ReplyPlace {
    /// The thread.
    pub thread: ThreadId,
    /// The number of the thread's first comment, which REST replies to.
    pub in_reply_to: u64,
}

/// What became of a command in a comment.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "outcome")]
pub enum CommandOutcome {
    /// The run was ended.
    Stopped,
    /// There was none to end.
    HasEnded {
        /// How it ended.
        state: State,
    },
    /// A fresh run has begun.
    Restarted,
    /// The account that Collie acts as may not start runs any more.
    NotAllowed,
    /// The present one has to end before another begins.
    StillRunning {
        /// Where it stands.
        state: State,
    },
    /// All that is known of a finding.
    Explained {
        /// It.
        told: Box<Explanation>,
    },
    /// No report shows that number.
    NoSuchFinding {
        /// Which.
        number: u32,
    },
    /// Only in a thread it is clear what is meant.
    NeedsThread,
    /// What was left to people counts as settled.
    Settled {
        /// How much that was.
        count: u32,
    },
    /// There is no such command.
    Unknown,
}

/// All that is known of a finding.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Explanation {
    /// Its number.
    pub number: u32,
    /// It.
    pub finding: TrackedFinding,
}

/// A finding of a body with what became of it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct DisposedFinding {
    /// Who found it.
    pub bot: String,
    /// The finding's title.
    pub title: String,
    /// Its file; may be empty.
    pub file: String,
    /// Its line.
    pub line: Option<u32>,
    /// What became of it.
    pub disposition: Disposition,
}

/// An inline comment of a review.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct InlineComment {
    /// Its own token; the thread is known by it later.
    pub token: ActionToken,
    /// The finding's identity.
    pub fingerprint: Fingerprint,
    /// Its number, by which people ask for it; 0 where it has none.
    #[serde(default, skip_serializing_if = "crate::tracked_finding::is_zero")]
    pub number: u32,
    /// The finding; its file and line are where it goes.
    pub finding: Finding,
    /// What can be put in place of its lines; the comment then spans them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replacement: Option<Replacement>,
}

/// A finding that is added to somebody's thread.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct AddedFinding {
    /// Its identity.
    pub fingerprint: Fingerprint,
    /// The finding.
    pub finding: Finding,
}

/// What a review says of the change. GitHub's own words for it are the event of its REST call.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, strum::IntoStaticStr,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum ReviewEvent {
    /// Nothing: the only one that the account Collie acts as ever posts (§8.1).
    #[default]
    Comment,
    /// It approves.
    Approve,
    /// It requests changes.
    RequestChanges,
}

impl ReviewEvent {
    /// Its name, as it is written in JSON and in Fluent arguments.
    pub fn name(self) -> &'static str {
        self.into()
    }

    #[expect(
        clippy::trivially_copy_pass_by_ref,
        reason = "serde hands over a reference"
    )]
    fn is_comment(&self) -> bool {
        *self == ReviewEvent::Comment
    }
}

/// One thing to say.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, strum::IntoStaticStr)]
#[serde(rename_all = "snake_case", tag = "say")]
#[strum(serialize_all = "snake_case")]
pub enum PostContent {
    /// A comment in the conversation.
    Review(ReviewReport),
    /// One review of type COMMENT with all inline comments of a round.
    Inline {
        /// The head the lines are of.
        head: Sha,
        /// In the order of file and line.
        comments: Vec<InlineComment>,
    },
    /// A review of a persona, under its own account (§18.2).
    PersonaReview {
        /// Who.
        persona: String,
        /// The head it is of.
        head: Sha,
        /// What it says.
        verdict: ReviewEvent,
        /// In the order of file and line; may be none where it approves or requests changes.
        comments: Vec<InlineComment>,
    },
    /// Takes back what a persona's review says, where no other review of its may replace it (§18.2).
    DismissReview {
        /// Who.
        persona: String,
        /// GitHub's number of the review.
        review: u64,
        /// The head that it no longer holds for.
        head: Sha,
    },
    /// A comment in the conversation.
    Fix(FixReport),
    /// LGTM and proof in one comment.
    Proof(Proof),
    /// The last comment of a run that stopped.
    Stop(StopReport),
    /// A reply in a thread.
    Reply {
        /// The thread.
        thread: ThreadId,
        /// The number of the thread's first comment, which REST replies to.
        in_reply_to: u64,
        /// What became of it.
        disposition: Disposition,
    },
    /// A reply in somebody's thread that says already what was found: what it lacks (§4.4). It settles nothing there.
    Addition {
        /// The thread.
        thread: ThreadId,
        /// The number of the thread's first comment, which REST replies to.
        in_reply_to: u64,
        /// What was found, the most urgent first.
        findings: Vec<AddedFinding>,
    },
    /// Asks a bot to review, now that it is back: a comment in the conversation (§3.4).
    RequestBotReview {
        /// Which.
        bot: AccountId,
        /// The words that it listens to.
        command: String,
    },
    /// What became of what people said outside of threads: a comment in the conversation (§7.3).
    Answers {
        /// Each.
        items: Vec<AnsweredRemark>,
        /// They are left to people, who are asked to settle them.
        asks_person: bool,
    },
    /// What became of a command: where it was given.
    CommandReply {
        /// The command.
        command: Command,
        /// What became of it.
        outcome: CommandOutcome,
        /// The thread; none for the conversation.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        place: Option<ReplyPlace>,
    },
    /// What became of findings that stand in bodies of bots: a comment in the conversation (§4.5).
    BodyDispositions {
        /// Each with its finding.
        items: Vec<DisposedFinding>,
    },
    /// Asks people who wanted changes to look again.
    #[serde(alias = "look_again")]
    RequestRereview {
        /// Who.
        logins: Vec<Login>,
        /// At which head.
        head: Sha,
    },
}

impl PostContent {
    /// Its name, as `log --json` writes it.
    pub fn name(&self) -> &'static str {
        self.into()
    }

    /// Whether it is said though its run has ended: its last comment, and what became of a command.
    pub fn is_last_word(&self) -> bool {
        matches!(
            self,
            PostContent::Stop(_) | PostContent::CommandReply { .. }
        )
    }
}

/// One thing to say, with the token that keeps it from being said twice.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Post {
    /// `sha256(loop, kind, subject)` (§8.2).
    pub token: ActionToken,
    /// What to say.
    pub content: PostContent,
    /// The account of its own that says it (§18.2); none: the account that Collie acts as.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<Login>,
}

/// The rendered form of a post: what goes over the wire, stored before it is sent (§8.2).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "as")]
pub enum RenderedPost {
    /// A comment in the conversation.
    Comment {
        /// Complete, with marker and token.
        body: String,
    },
    /// A reply in a review thread.
    Reply {
        /// Number of the thread's first comment.
        in_reply_to: u64,
        /// Complete, with marker and token.
        body: String,
    },
    /// One review.
    Review {
        /// What it says; anything but a comment is a persona's (§18.2).
        #[serde(default, skip_serializing_if = "ReviewEvent::is_comment")]
        event: ReviewEvent,
        /// The head the lines are of.
        commit: Sha,
        /// Complete, with marker and token.
        body: String,
        /// The inline comments, each complete.
        comments: Vec<RenderedInlineComment>,
    },
    /// Dismisses a review.
    Dismissal {
        /// GitHub's number of it.
        review: u64,
        /// Why, complete.
        message: String,
    },
}

/// One inline comment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RenderedInlineComment {
    /// The file.
    pub path: String,
    /// The first line, on the right side, of a comment on several; none for a comment on one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start_line: Option<u32>,
    /// 1-based line on the right side; of several the last.
    pub line: u32,
    /// Complete, with marker and token.
    pub body: String,
}
