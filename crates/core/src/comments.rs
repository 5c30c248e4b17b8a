//! The comments analyzer (§4.5): what people and verified bots have said, as findings. And whose words are whose (§7.1).

use crate::bots;
use crate::event::Delivery;
use crate::finding::{Confidence, Finding, FindingKind, FindingSource, Priority, SourceType};
use crate::ids::{EventKey, Login, ThreadId, Time};
use crate::loop_state::{LoopState, ThreadReply};
use crate::review::{ChangesRequestedBy, CommentsResult, IssueCounts, ReviewState, ThreadStats};
use crate::snapshot::{Actor, Comment, Review, ReviewVerdict, Snapshot, Thread};
use crate::text::trailing_token;
use crate::token::{ActionSubject, FeedbackKind, action_token, digest, event_key};
use crate::tracked_finding::{FindingStatus, TrackedFinding};
pub use author_role::{AuthorRole, author_role};
pub(crate) use bot_bodies::is_body_settled;
pub use bot_bodies::stands_in_body;
pub use commands::{CommentReading, read_comment};
use finding_parts::{FEEDBACK, REVIEW_PREFIX, THREAD_PREFIX};
pub(crate) use remarks::is_said_after_start;
pub use remarks::{
    Remark, RemarkStatus, event_of_finding, is_remark, remark_status, remarks, remarks_with,
};
use std::collections::BTreeSet;

pub use reviews::{
    changes_requested, changes_requested_by_trusted, is_panelist, latest_opinionated_reviews,
    panelist_review,
};
use reviews::{introduces_threads, is_trusted_review};
use title_line::title_line;

mod author_role;
mod bot_bodies;
mod commands;
mod finding_parts;
mod open_threads;
mod remarks;
mod reviews;
mod title_line;

/// Whose word a comment is.
pub fn comment_role(state: &LoopState, snapshot: &Snapshot, comment: &Comment) -> AuthorRole {
    author_role(state, snapshot, comment.author.as_ref(), &comment.body)
}

/// Who opened a thread. One of Collie, a trusted person or a verified bot, while it is open, covers what it stands at (§4.4).
pub fn opener_role(state: &LoopState, snapshot: &Snapshot, thread: &Thread) -> AuthorRole {
    let first = thread.comments.first();
    first.map_or(AuthorRole::Outsider, |c| comment_role(state, snapshot, c))
}

/// Whether a comment bears the token of what Collie adds to this thread of somebody's. It is no disposition: it settles nothing, whichever
/// loop or single review said it.
pub fn is_addition(state: &LoopState, thread: &Thread, comment: &Comment) -> bool {
    let token = action_token(&state.id, &ActionSubject::Addition(&thread.id));
    trailing_token(&comment.body) == Some(token)
}

/// How a thread stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ThreadStatus {
    /// Collie opened it.
    Own,
    /// An outsider's: listed, blocks nothing.
    Outsider,
    /// Marked resolved.
    Resolved,
    /// Collie's answer is its latest word.
    Answered,
    /// Collie's answer to its newest comment is on its way, or held.
    Replying,
    /// Collie left it to a person, who has not settled it.
    LeftToPerson,
    /// It waits for an answer.
    Pending,
}

/// Tells how a thread stands.
pub fn thread_status(state: &LoopState, snapshot: &Snapshot, thread: &Thread) -> ThreadStatus {
    let voices: Vec<AuthorRole> = thread
        .comments
        .iter()
        .enumerate()
        .map(|(at, c)| voice(state, snapshot, thread, (at, c)))
        .collect();
    let trusted = |voice: &AuthorRole| matches!(voice, AuthorRole::Trusted | AuthorRole::Bot);
    if !voices.iter().any(trusted) {
        let own = voices.first() == Some(&AuthorRole::Own);
        return if own && !thread.resolved && has_open_question(state, thread) {
            ThreadStatus::LeftToPerson
        } else if own {
            ThreadStatus::Own
        } else {
            ThreadStatus::Outsider
        };
    }
    if thread.resolved {
        return ThreadStatus::Resolved;
    }
    if was_edited(state, snapshot, thread) {
        return ThreadStatus::Pending;
    }
    match reply_delivery(state, snapshot, thread) {
        Some((Delivery::Confirmed { .. }, disposed)) if !disposed.left_to_person => {
            return ThreadStatus::Answered;
        }
        // It is asked of a person, or GitHub did not take the answer and will not: a person has to settle it (§7.4).
        Some((Delivery::Confirmed { .. } | Delivery::Undeliverable { .. }, _)) => {
            return ThreadStatus::LeftToPerson;
        }
        None if is_reply_on_its_way(state, snapshot, thread) => return ThreadStatus::Replying,
        None => {}
    }
    // Outsiders' remarks do not reopen what was answered.
    let last = voices
        .iter()
        .rev()
        .find(|voice| **voice != AuthorRole::Outsider);
    let disposed = state.memory.thread_replies.get(&thread.id);
    let newest = comment_to_answer(state, snapshot, thread).map(|c| c.id);
    match (last, disposed) {
        // Our answer came in after a comment that it does not answer.
        (Some(AuthorRole::Own), Some(disposed))
            if newest.is_some_and(|id| id > disposed.answered_comment) =>
        {
            ThreadStatus::Pending
        }
        (Some(AuthorRole::Own), Some(disposed)) if disposed.left_to_person => {
            ThreadStatus::LeftToPerson
        }
        (Some(AuthorRole::Own), _) => ThreadStatus::Answered,
        // A bot's thread gets one disposition a head (§7.2).
        (Some(AuthorRole::Bot), Some(disposed)) if disposed.head == snapshot.head => {
            ThreadStatus::Answered
        }
        (Some(_), _) | (None, _) => ThreadStatus::Pending,
    }
}

/// Whether a person has edited the comment that was answered: other words want another answer. Bots mark theirs as addressed.
fn was_edited(state: &LoopState, snapshot: &Snapshot, thread: &Thread) -> bool {
    let newest = comment_to_answer(state, snapshot, thread);
    let Some((comment, disposed)) = newest.zip(state.memory.thread_replies.get(&thread.id)) else {
        return false;
    };
    comment.id == disposed.answered_comment
        && comment_role(state, snapshot, comment) == AuthorRole::Trusted
        && disposed
            .body_hash
            .as_ref()
            .is_some_and(|words| *words != digest([comment.body.as_str()]))
}

/// What became of the answer to a thread's newest comment, where there is one. It counts though the thread does not show it: GitHub may
/// be behind, and an answer that somebody deleted is not given again (§8.2).
fn reply_delivery<'a>(
    state: &'a LoopState,
    snapshot: &Snapshot,
    thread: &Thread,
) -> Option<(&'a Delivery, &'a ThreadReply)> {
    let newest = comment_to_answer(state, snapshot, thread)?;
    let disposed = state.memory.thread_replies.get(&thread.id)?;
    let delivery = state.memory.posted.get(disposed.reply_token.as_ref()?)?;
    (newest.id == disposed.answered_comment).then_some((delivery, disposed))
}

/// Whether the answer to a thread's newest comment is about to be said: it was not confirmed yet, or is held.
fn is_reply_on_its_way(state: &LoopState, snapshot: &Snapshot, thread: &Thread) -> bool {
    let newest = comment_to_answer(state, snapshot, thread);
    let Some((newest, disposed)) = newest.zip(state.memory.thread_replies.get(&thread.id)) else {
        return false;
    };
    let token = disposed.reply_token.as_ref();
    newest.id == disposed.answered_comment
        && token.is_some_and(|token| state.outbox.is_to_be_said(token))
}

/// Whether a thread of Collie's own puts a question of the panel's that is still open (§4.6).
fn has_open_question(state: &LoopState, thread: &Thread) -> bool {
    let Some(token) = thread
        .comments
        .first()
        .and_then(|c| trailing_token(&c.body))
    else {
        return false;
    };
    let open = |t: &TrackedFinding| {
        t.finding.kind == FindingKind::Question && t.status == FindingStatus::Open
    };
    state.memory.inlined.iter().any(|print| {
        state.run.review.findings.get(print).is_some_and(open)
            && action_token(&state.id, &ActionSubject::Inline(print)) == token
    })
}

/// Whose word a comment of a thread is. Thanks and commands ask for nothing, and what Collie adds, or says to a command, answers nothing: they
/// weigh no more than an outsider's words.
fn voice(
    state: &LoopState,
    snapshot: &Snapshot,
    thread: &Thread,
    (at, comment): (usize, &Comment),
) -> AuthorRole {
    let role = comment_role(state, snapshot, comment);
    if role == AuthorRole::Own && at > 0 {
        let of_command = trailing_token(&comment.body)
            .is_some_and(|token| state.memory.commands.contains(&token));
        if of_command || is_addition(state, thread, comment) {
            return AuthorRole::Outsider;
        }
    }
    if role == AuthorRole::Trusted && at > 0 {
        let reading = read_comment(&comment.body);
        if !reading.asks && !reading.only_asks_to_fix() {
            return AuthorRole::Outsider;
        }
    }
    let author = comment.author.as_ref().map(|author| author.id);
    let thanks = |bot| at > 0 && bots::is_thanks(bot, &comment.body);
    if role == AuthorRole::Bot && author.is_some_and(thanks) {
        AuthorRole::Outsider
    } else {
        role
    }
}

/// The newest comment of a thread that asks for an answer.
pub fn comment_to_answer<'a>(
    state: &LoopState,
    snapshot: &Snapshot,
    thread: &'a Thread,
) -> Option<&'a Comment> {
    let asks = |(at, c): &(usize, &Comment)| {
        matches!(
            voice(state, snapshot, thread, (*at, c)),
            AuthorRole::Trusted | AuthorRole::Bot
        )
    };
    let comments = thread.comments.iter().enumerate();
    comments.rev().find(asks).map(|(_, comment)| comment)
}

/// Logins of the configuration that stand for an account: allowed people, and people of the panel.
pub fn logins_to_pin(state: &LoopState) -> BTreeSet<Login> {
    use crate::policy::ReviewerKind;
    let policy = &state.run.configuration.policy;
    let seated = state.run.review.stages.iter();
    let seated = seated.flat_map(|stage| &stage.reviewers).map(|r| &r.spec);
    let wanted = policy.stages.iter().flat_map(|stage| &stage.reviewers);
    let people = seated
        .chain(wanted)
        .filter(|spec| spec.kind == ReviewerKind::Human)
        .map(|spec| Login::new(&spec.name));
    policy.allowed_users.iter().cloned().chain(people).collect()
}

/// A pending thread, as a finding. Its `reviewId` is the thread.
pub fn thread_finding(state: &LoopState, snapshot: &Snapshot, thread: &Thread) -> Option<Finding> {
    let comment = comment_to_answer(state, snapshot, thread)?;
    let author = comment.author.as_ref()?;
    let asked_for_changes = changes_requested(state, snapshot)
        .iter()
        .any(|r| r.author.as_ref().is_some_and(|a| a.id == author.id));
    let (kind, priority) = match comment_role(state, snapshot, comment) {
        AuthorRole::Bot => {
            let priority = bots::bot_priority(author.id, &comment.body);
            (SourceType::Bot, priority)
        }
        AuthorRole::Trusted if asked_for_changes => (SourceType::Human, Priority::P1),
        AuthorRole::Trusted => (SourceType::Human, Priority::P2),
        AuthorRole::Own | AuthorRole::Outsider => return None,
    };
    let mut finding = thread_remark(thread, comment, author, (kind, priority));
    // Who says "fix this" speaks of what the thread began with.
    if kind == SourceType::Human
        && read_comment(&comment.body).only_asks_to_fix()
        && let Some(first) = thread
            .comments
            .first()
            .filter(|first| first.id != comment.id)
    {
        finding.title = title_line(&first.body);
    }
    Some(finding)
}

fn thread_remark(
    thread: &Thread,
    comment: &Comment,
    author: &Actor,
    (kind, priority): (SourceType, Priority),
) -> Finding {
    Finding {
        id: format!("{THREAD_PREFIX}{}", comment.id),
        priority,
        category: FEEDBACK.into(),
        file: thread.path.clone(),
        line: thread.line,
        title: title_line(&comment.body),
        description: comment.body.clone(),
        suggestion: None,
        source: FindingSource {
            kind,
            name: author.login.to_string(),
            review_id: Some(thread.id.to_string()),
            timestamp: comment.updated_at.clone(),
        },
        kind: FindingKind::Error,
        confidence: Confidence::SURE,
        evidence: None,
    }
}

/// The words that a bot opened a thread with, as a finding.
pub fn opening_finding(thread: &Thread) -> Option<Finding> {
    let comment = thread.comments.first()?;
    let author = comment.author.as_ref()?;
    let priority = bots::bot_priority(author.id, &comment.body);
    Some(thread_remark(
        thread,
        comment,
        author,
        (SourceType::Bot, priority),
    ))
}

/// A request for changes that says something in the review's own text, as a finding.
fn review_finding(review: &Review) -> Option<Finding> {
    let author = review.author.as_ref()?;
    if review.body.trim().is_empty() {
        return None;
    }
    Some(Finding {
        id: format!("{REVIEW_PREFIX}{}", review.id),
        priority: Priority::P1,
        category: FEEDBACK.into(),
        file: String::new(),
        line: None,
        title: title_line(&review.body),
        description: review.body.clone(),
        suggestion: None,
        source: FindingSource {
            kind: SourceType::Human,
            name: author.login.to_string(),
            review_id: Some(review.id.to_string()),
            timestamp: review.updated_at.clone(),
        },
        kind: FindingKind::Error,
        confidence: Confidence::SURE,
        evidence: None,
    })
}

/// A3: everything that waits for an answer.
pub fn analyze_comments(state: &LoopState, snapshot: &Snapshot) -> CommentsResult {
    let requested = changes_requested(state, snapshot);
    let by = |r: &&Review| {
        let login = r.author.as_ref()?.login.clone();
        Some(ChangesRequestedBy {
            login,
            association: r.association,
        })
    };
    let waits = |t: &&Thread| thread_status(state, snapshot, t) == ThreadStatus::Pending;
    let threads = snapshot.threads.iter().filter(waits);
    let mut pending: Vec<Finding> = threads
        .filter_map(|t| thread_finding(state, snapshot, t))
        .collect();
    // A person of the panel without write access is waited for; what they write instructs nobody (§7.1).
    let unanswered = requested.iter().filter(|r| {
        is_trusted_review(state, snapshot, r)
            && !state.memory.rereview_requested.contains(&r.id)
            && !introduces_threads(snapshot, r)
    });
    pending.extend(unanswered.filter_map(|r| review_finding(r)));
    let mut remarks = remarks::pending_remarks(state, snapshot);
    remarks.retain(|remark| !pending.iter().any(|known| known.id == remark.id));
    pending.extend(remarks);
    pending.extend(bot_bodies::pending_findings(state, snapshot));
    CommentsResult {
        agent: "comments-analyzer".into(),
        pr_number: snapshot.number,
        review_state: ReviewState {
            has_changes_requested: !requested.is_empty(),
            changes_requested_by: requested.iter().filter_map(by).collect(),
        },
        stats: thread_stats(&snapshot.threads),
        threads_truncated: false,
        issues: IssueCounts::of(&pending),
        pending_issues: pending,
        full_report: open_threads::open_threads_report(state, snapshot),
    }
}

/// How many threads there are, and how many of them are marked resolved.
fn thread_stats(threads: &[Thread]) -> ThreadStats {
    let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    let resolved = threads.iter().filter(|thread| thread.resolved).count();
    ThreadStats {
        total_threads: count(threads.len()),
        resolved_threads: count(resolved),
        unresolved_threads: count(threads.len() - resolved),
    }
}

/// One piece of feedback of a trusted voice.
#[derive(Clone, Debug)]
pub struct FeedbackItem<'a> {
    /// Its key.
    pub key: EventKey,
    /// Who wrote it.
    pub author: &'a Actor,
    /// Whose word it is.
    pub role: AuthorRole,
    /// The thread it stands in.
    pub thread: Option<&'a ThreadId>,
    /// GitHub's number of it.
    pub id: u64,
    /// What sort of comment it is.
    pub kind: FeedbackKind,
    /// When it was said.
    pub said_at: Option<Time>,
    /// What it says.
    pub body: &'a str,
}

/// Every piece of feedback in a snapshot, with its key (§7.1). Unpublished reviews and Collie's own words are none.
pub fn collect_feedback<'a>(state: &LoopState, snapshot: &'a Snapshot) -> Vec<FeedbackItem<'a>> {
    let mut said = collect_words(state, snapshot);
    said.retain(|item| matches!(item.role, AuthorRole::Trusted | AuthorRole::Bot));
    said
}

/// The same, and what outsiders and Collie itself say.
pub(crate) fn collect_words<'a>(
    state: &LoopState,
    snapshot: &'a Snapshot,
) -> Vec<FeedbackItem<'a>> {
    let pr = snapshot.number;
    let to_item = |comment: &'a Comment, kind, thread| {
        let voice = comment_role(state, snapshot, comment);
        let key = event_key(pr, kind, comment.id, &comment.updated_at, &comment.body);
        Some(FeedbackItem {
            key,
            author: comment.author.as_ref()?,
            role: voice,
            thread,
            id: comment.id,
            kind,
            said_at: Some(comment.created_at),
            body: &comment.body,
        })
    };
    let conversation = snapshot
        .comments
        .iter()
        .filter_map(|c| to_item(c, FeedbackKind::Issue, None));
    let inline = snapshot.threads.iter().flat_map(|t| {
        t.comments
            .iter()
            .filter_map(move |c| to_item(c, FeedbackKind::Review, Some(&t.id)))
    });
    let reviews = snapshot
        .reviews
        .iter()
        .filter(|r| r.verdict != ReviewVerdict::Pending);
    let summaries = reviews
        .filter(|r| !r.body.trim().is_empty())
        .filter_map(|r| {
            let author = r.author.as_ref()?;
            let voice = author_role(state, snapshot, Some(author), &r.body);
            let key = event_key(
                pr,
                FeedbackKind::ReviewSummary,
                r.id,
                &r.updated_at,
                &r.body,
            );
            Some(FeedbackItem {
                key,
                author,
                role: voice,
                thread: None,
                id: r.id,
                kind: FeedbackKind::ReviewSummary,
                said_at: r.submitted_at,
                body: &r.body,
            })
        });
    conversation.chain(inline).chain(summaries).collect()
}
