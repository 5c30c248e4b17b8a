//! One review without a loop (§14, `collie review`): what a loop would make of it, and would say.

use super::Transition;
use super::post::{ReviewPosts, report_order};
use super::remember::closed_with_reason;
use super::review_results::{FindingLocation, new_tracked_finding};
use super::unseen::coverage;
use crate::comments;
use crate::consensus::consensus;
use crate::coverage::{Coverage, UnseenFile};
use crate::effect::ReviewEffect;
use crate::event::ReviewFinished;
use crate::finding::{Confidence, Finding, FindingKind, FindingSource, Priority, SourceType};
use crate::identity::fingerprints;
use crate::ids::{ActionToken, Fingerprint, LoopId, RunId, Sha, Time};
use crate::look_record::{Look, LookRecord, runner_hash};
use crate::loop_state::LoopState;
use crate::post::{Post, PostContent, ReviewOutcome};
use crate::review_memory::{Judgement, MemoryEntry, MemoryVerdict};
use crate::session::LeftOut;
use crate::snapshot::{Comment, Review, Snapshot, Thread};
use crate::text::trailing_token;
use crate::token::{ActionSubject, action_token};
use crate::tracked_finding::{FindingStatus, TrackedFinding};
use crate::usage::Usage;
use std::collections::{BTreeMap, BTreeSet};

/// What one review comes to.
#[derive(Clone, Debug)]
pub struct SingleReview {
    /// What it comes to, with rule 0.
    pub outcome: ReviewOutcome,
    /// What nobody was shown.
    pub coverage: Coverage,
    /// What reviewers were not shown for lack of space, with their names.
    pub left_out: Vec<(String, LeftOut)>,
    /// Files that reviewers did not read since the reading failed, with their names.
    pub unread_files: Vec<(String, Vec<String>)>,
    /// Everything that counts, the most urgent first.
    pub findings: Vec<TrackedFinding>,
    /// What nobody is sure enough of: it does not count.
    pub unsure: Vec<TrackedFinding>,
    /// The report.
    pub report: Post,
    /// What goes on its line; none when nothing does.
    pub inline: Option<Post>,
    /// What is added to threads of others that say a finding already.
    pub additions: Vec<Post>,
    /// What all looks cost together.
    pub usage: Usage,
}

/// The run that a review without a loop is posted for. It is named for the head, so that another review of the same head is the same act
/// (§8.2).
pub fn single_review_run(head: &Sha) -> RunId {
    RunId::new(format!("review of {head}"))
}

/// A report of one review that is on GitHub.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PostedReport {
    /// GitHub's number of it.
    pub id: u64,
    /// Its text.
    pub body: String,
    /// What it came to.
    pub outcome: ReviewOutcome,
}

/// The report that the posting account has put on this head of a pull request before; none where it does not say what it came to, as those
/// of earlier versions.
pub fn posted_report(id: &LoopId, snapshot: &Snapshot) -> Option<PostedReport> {
    let run = single_review_run(&snapshot.head);
    let token = action_token(id, &ActionSubject::ReviewReport(&run, 1));
    let mut own = snapshot.reviews.iter().filter(|review| {
        let author = review.author.as_ref().map(|author| author.id);
        author == Some(snapshot.viewer.id) && trailing_token(&review.body).as_ref() == Some(&token)
    });
    own.find_map(|review| {
        Some(PostedReport {
            id: review.id,
            body: review.body.clone(),
            outcome: ReviewOutcome::parse(&review.body)?,
        })
    })
}

/// Makes one review of what reviewers said at the head of `snapshot`, each as what a loop would ask for and be answered.
///
/// `state` is that of a new loop; its run is part of the report's token. `runners` is what each reviewer runs on. What Collie has said on a
/// line before is not said again.
pub fn review_once(
    state: &LoopState,
    snapshot: &Snapshot,
    results: &[(ReviewEffect, ReviewFinished)],
    runners: &BTreeMap<String, String>,
    now: Time,
) -> SingleReview {
    let mut transition = Transition {
        state: state.clone(),
        now,
        notes: Vec::new(),
    };
    for (asked, finished) in results {
        transition.review_finished(asked, finished);
    }
    // What people and bots say is theirs: only a request for changes decides here too.
    let mut analysis = comments::analyze_comments(&transition.state, snapshot);
    transition.join_findings(snapshot, &analysis);
    analysis.pending_issues.clear();
    let requested = comments::changes_requested_by_trusted(&transition.state, snapshot);
    let mut findings = transition.current_findings(snapshot, &analysis);
    let consensus = consensus(&requested, findings.iter().map(|t| &t.finding));
    let before = posted_tokens(snapshot);
    let known = findings
        .iter()
        .filter(|t| before.contains(&transition.inline_token(&t.fingerprint)))
        .map(|t| t.fingerprint.clone())
        .collect::<Vec<_>>();
    transition.state.memory.inlined.extend(known);
    let ReviewPosts {
        mut report,
        inline,
        additions,
    } = transition.review_posts(snapshot, &findings, &requested, &consensus);
    if let PostContent::Review(report) = &mut report.content {
        let threads = &transition.state.memory.inlined;
        let remembered = |tracked: &&TrackedFinding| {
            needs_record(snapshot, tracked) && !threads.contains(&tracked.fingerprint)
        };
        let left: Vec<Finding> = (findings.iter().filter(remembered))
            .map(|tracked| tracked.finding.clone())
            .collect();
        report.record = LookRecord::new(&snapshot.head, looks(results, runners), &left);
    }
    for tracked in &mut findings {
        tracked.report_only = transition.label_of(&tracked.fingerprint);
    }
    findings.retain(|tracked| tracked.finding.kind != FindingKind::Praise);
    findings.sort_by_key(report_order);
    let lines = transition.verdicts(snapshot);
    let unread_files = lines
        .iter()
        .filter(|line| !line.unread_files.is_empty())
        .map(|line| (line.name.clone(), line.unread_files.clone()))
        .collect();
    let left_out = lines.into_iter();
    let left_out = left_out.filter_map(|line| Some((line.name, line.left_out?)));
    let left_out = left_out.collect();
    let coverage = coverage(&transition.state, snapshot);
    let unread = !transition.is_read(snapshot);
    let unseen = transition.needing_look(&coverage);
    let known = transition.state.run.review.findings.into_values();
    SingleReview {
        outcome: ReviewOutcome {
            conclusion: consensus.conclusion,
            counts: consensus.counts,
            unread,
            unseen,
            changes_requested: !requested.is_empty(),
        },
        coverage,
        left_out,
        unread_files,
        findings,
        unsure: known
            .filter(|t| t.status == FindingStatus::Unsure)
            .collect(),
        report,
        inline,
        additions,
        usage: transition.state.run.usage,
    }
}

/// Who has looked, for the next review.
fn looks(
    results: &[(ReviewEffect, ReviewFinished)],
    runners: &BTreeMap<String, String>,
) -> Vec<Look> {
    let look = |(asked, finished): &(ReviewEffect, ReviewFinished)| {
        let runs_on = runners.get(&asked.reviewer.name)?;
        let delta = finished.session.as_ref().is_some_and(|s| s.delta);
        Some(Look {
            reviewer: asked.reviewer.name.clone(),
            runner: runner_hash(runs_on),
            since: asked.since.clone().filter(|_| delta),
            unseen: finished.unseen.clone(),
        })
    };
    results.iter().filter_map(look).collect()
}

/// Whether the next review has to be told of a finding: a reviewer's that stands, and is in no open thread of the posting account's own.
fn needs_record(snapshot: &Snapshot, tracked: &TrackedFinding) -> bool {
    let finding = &tracked.finding;
    let stands = match finding.kind {
        FindingKind::Error | FindingKind::Suggestion => true,
        FindingKind::Question | FindingKind::Nitpick | FindingKind::Praise => false,
    };
    let thread = finding.source.review_id.as_deref();
    let mut threads = snapshot.threads.iter();
    let in_thread = threads.any(|open| !open.resolved && Some(open.id.as_str()) == thread);
    stands && finding.source.kind == SourceType::Agent && !in_thread
}

/// What a reviewer knows of a pull request that it has looked at before, without a loop.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EarlierLook {
    /// The head that it has seen; none where it has to look at all of it.
    pub since: Option<Sha>,
    /// Files that it was not shown wholly up to that head.
    pub unseen: Vec<UnseenFile>,
    /// What it found, as far as that stands.
    pub findings: Vec<TrackedFinding>,
}

/// What the posting account's own reviews say that `reviewer` has looked at and found. It has looked at what it says it has looked at, and at
/// nothing else: without such a word, or with another model, it looks at all of it.
pub fn earlier_look(snapshot: &Snapshot, reviewer: &str, runs_on: Option<&str>) -> EarlierLook {
    let runner = runs_on.map(runner_hash);
    let newest = runner.and_then(|runner| {
        let mut reviews: Vec<&Review> = snapshot.reviews.iter().collect();
        reviews.sort_by_key(|review| (review.submitted_at, review.id));
        reviews.into_iter().rev().find_map(|review| {
            let record = own_record(snapshot, review)?;
            let look = record.look_of(reviewer, &runner)?.clone();
            Some((record, look))
        })
    });
    let mut findings = thread_findings(snapshot, reviewer);
    let (mut since, mut unseen) = (None, Vec::new());
    // At the very head that was reviewed somebody wants all of it to be looked at again.
    if let Some((record, look)) = newest.filter(|(record, _)| record.head != snapshot.head) {
        let own = record.findings.into_iter();
        findings.extend(own.filter(|finding| finding.source.name == reviewer));
        (since, unseen) = (Some(record.head), look.unseen);
    }
    let prints = fingerprints(&findings);
    let tracked = findings.iter().zip(&prints);
    EarlierLook {
        since,
        unseen,
        findings: tracked
            .map(|(found, print)| new_tracked_finding(found, print, FindingLocation::default(), 1))
            .collect(),
    }
}

/// The record of a review that the posting account wrote on the head that the record names.
fn own_record(snapshot: &Snapshot, review: &Review) -> Option<LookRecord> {
    let is_own = review.author.as_ref()?.id == snapshot.viewer.id;
    let record = LookRecord::of_body(&review.body).filter(|_| is_own)?;
    let same_head = review
        .commit
        .as_ref()
        .is_none_or(|head| *head == record.head);
    same_head.then_some(record)
}

/// What the posting account has said on lines of this pull request and nobody has resolved, as earlier findings of `reviewer`: a review
/// without a loop remembers little else. What rules and linters found, they find again by themselves.
fn thread_findings(snapshot: &Snapshot, reviewer: &str) -> Vec<Finding> {
    let open = snapshot.threads.iter().filter(|thread| !thread.resolved);
    let findings = open.enumerate().filter_map(|(index, thread)| {
        let first = thread.comments.first()?;
        let is_own = snapshot.may_be_own(first.author.as_ref()?.id);
        trailing_token(&first.body).filter(|_| is_own)?;
        let said = posted_words(&first.body)?;
        Some(Finding {
            id: format!("POSTED-{:03}", index + 1),
            category: "earlier".into(),
            ..posted_finding(thread, first, said, reviewer)
        })
    });
    findings.collect()
}

/// A finding as its thread has it.
fn posted_finding(thread: &Thread, first: &Comment, said: PostedWords, reviewer: &str) -> Finding {
    Finding {
        id: String::new(),
        priority: said.priority,
        category: said.category,
        file: thread.path.clone(),
        line: thread.line,
        title: said.title,
        description: said.description,
        suggestion: None,
        source: FindingSource {
            kind: SourceType::Agent,
            name: reviewer.to_owned(),
            review_id: Some(thread.id.to_string()),
            timestamp: first.created_at.rfc3339(),
        },
        kind: FindingKind::Error,
        confidence: Confidence::SURE,
        evidence: None,
    }
}

/// What a person made of a finding in the thread that a review without a loop opened with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThreadDismissal {
    /// What is to be remembered, if the code is still as it was.
    pub entry: MemoryEntry,
    /// The head that the finding was posted on.
    pub reviewed: Sha,
}

/// Findings of the posting account's earlier reviews whose threads somebody with write access closed, with a reason as the last word.
///
/// A loop knows which findings it fixed itself. Here whoever calls has to see whether the file changed since: then a closed thread is no dismissal.
pub fn thread_dismissals(state: &LoopState, snapshot: &Snapshot) -> Vec<ThreadDismissal> {
    let dismissals = snapshot.threads.iter().filter_map(|thread| {
        let first = thread.comments.first()?;
        let is_own = snapshot.may_be_own(first.author.as_ref()?.id);
        let token = trailing_token(&first.body).filter(|_| is_own && !thread.outdated)?;
        let said = posted_words(&first.body)?;
        let reason = thread.comments.last()?;
        let by = closed_with_reason(state, snapshot, thread, reason)?;
        let judged = Judgement {
            pull: &state.id,
            by: Some(&by.login),
            reason: Some(&reason.body),
            at: reason.created_at,
        };
        let print = Fingerprint::new(token.to_string());
        let finding = posted_finding(thread, first, said, "");
        let dismissed = MemoryVerdict::Dismissed;
        Some(ThreadDismissal {
            entry: MemoryEntry::of_finding(&finding, &print, dismissed, judged),
            reviewed: first.commit.clone()?,
        })
    });
    dismissals.collect()
}

/// A title without the number that a loop's posts put before it, `F-3 · `: it is no part of the finding.
fn unnumbered(title: &str) -> &str {
    let parted = title
        .strip_prefix("F-")
        .and_then(|rest| rest.split_once(" · "));
    let is_number = |number: &str| !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
    match parted {
        Some((number, rest)) if is_number(number) => rest,
        _ => title,
    }
}

/// What a comment on a line says of its finding.
struct PostedWords {
    priority: Priority,
    category: String,
    title: String,
    description: String,
}

/// Reads a comment on a line, as `i18n` writes it in every language; none where a rule or a linter found it.
fn posted_words(body: &str) -> Option<PostedWords> {
    let (head, rest) = body.trim_start().split_once('\n')?;
    let (badge, title) = head.strip_prefix("**P")?.split_once("** ")?;
    let priority = match badge.as_bytes().first()? {
        b'0' => Priority::P0,
        b'1' => Priority::P1,
        b'2' => Priority::P2,
        b'3' => Priority::P3,
        _ => return None,
    };
    let (reasons, origin) = rest.rsplit_once("<sub>")?;
    let by_pattern = ["`rule:", "`lint:", "`lint`"];
    if by_pattern.iter().any(|category| origin.contains(category)) {
        return None;
    }
    let category = origin.split('`').nth(1).unwrap_or_default();
    Some(PostedWords {
        priority,
        category: category.to_owned(),
        title: unnumbered(title).to_owned(),
        description: reasons.trim().to_owned(),
    })
}

/// Tokens of the threads that Collie opened.
fn posted_tokens(snapshot: &Snapshot) -> BTreeSet<ActionToken> {
    let first = |thread: &crate::snapshot::Thread| {
        let comment = thread.comments.first()?;
        let own = snapshot.may_be_own(comment.author.as_ref()?.id);
        trailing_token(&comment.body).filter(|_| own)
    };
    snapshot.threads.iter().filter_map(first).collect()
}
