//! The comments analyzer (§4.5): what people and verified bots have said, as findings. And whose words are whose (§7.1).

use crate::bots;
use crate::ids::{EventKey, Login, ThreadId};
use crate::model::{Delivery, Disposed, FindingStatus, LoopState, TrackedFinding};
use crate::shapes::{
    Association, ChangesRequestedBy, CommentsResult, Confidence, Finding, FindingKind,
    FindingSource, IssueCounts, Priority, ReviewState, SourceType, ThreadStats,
};
use crate::snapshot::{Actor, Comment, Review, ReviewVerdict, Snapshot, Thread};
use crate::text::token_at_end;
use crate::token::{FeedbackKind, Subject, action_token, digest, event_key};
use std::collections::BTreeMap;

/// Whose word it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Voice {
    /// Collie's own: token at the end of the body, by the posting account's id.
    Own,
    /// A person with write access, or an allowed one.
    Trusted,
    /// A bot known by its account that reviews.
    Bot,
    /// Anybody else.
    Outsider,
}

/// Tells whose a body is.
pub fn voice(
    state: &LoopState,
    snapshot: &Snapshot,
    author: Option<&Actor>,
    association: Association,
    body: &str,
) -> Voice {
    let Some(author) = author else {
        return Voice::Outsider;
    };
    if author.id == snapshot.viewer.id && token_at_end(body).is_some() {
        return Voice::Own;
    }
    if let Some(bot) = bots::known(&state.policy, author) {
        return if bot.reviews {
            Voice::Bot
        } else {
            Voice::Outsider
        };
    }
    if author.is_bot {
        return Voice::Outsider;
    }
    if association.is_trusted() || state.policy.allowed_users.contains(&author.login) {
        Voice::Trusted
    } else {
        Voice::Outsider
    }
}

fn voice_of(state: &LoopState, snapshot: &Snapshot, comment: &Comment) -> Voice {
    voice(
        state,
        snapshot,
        comment.author.as_ref(),
        comment.association,
        &comment.body,
    )
}

/// How a thread stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ThreadStanding {
    /// Collie opened it.
    Own,
    /// An outsider's: listed, blocks nothing.
    Outsiders,
    /// Marked resolved.
    Resolved,
    /// Collie's answer is its latest word.
    Answered,
    /// Collie left it to a person, who has not settled it.
    LeftToPerson,
    /// It waits for an answer.
    Pending,
}

/// Tells how a thread stands.
pub fn thread_standing(state: &LoopState, snapshot: &Snapshot, thread: &Thread) -> ThreadStanding {
    let voices: Vec<Voice> = thread
        .comments
        .iter()
        .map(|c| voice_of(state, snapshot, c))
        .collect();
    let trusted = |voice: &Voice| matches!(voice, Voice::Trusted | Voice::Bot);
    if !voices.iter().any(trusted) {
        let own = voices.first() == Some(&Voice::Own);
        return if own && !thread.resolved && puts_question(state, thread) {
            ThreadStanding::LeftToPerson
        } else if own {
            ThreadStanding::Own
        } else {
            ThreadStanding::Outsiders
        };
    }
    if thread.resolved {
        return ThreadStanding::Resolved;
    }
    if was_edited(state, snapshot, thread) {
        return ThreadStanding::Pending;
    }
    match answer(state, snapshot, thread) {
        Some((Delivery::Confirmed { .. }, disposed)) if !disposed.left_to_person => {
            return ThreadStanding::Answered;
        }
        // It is asked of a person, or GitHub did not take the answer and will not: a person has to settle it (§7.4).
        Some((Delivery::Confirmed { .. } | Delivery::Undeliverable { .. }, _)) => {
            return ThreadStanding::LeftToPerson;
        }
        None => {}
    }
    // Outsiders' remarks do not reopen what was answered.
    let last = voices.iter().rev().find(|voice| **voice != Voice::Outsider);
    let disposed = state.dispositions.get(&thread.id);
    let newest = open_comment(state, snapshot, thread).map(|c| c.id);
    match (last, disposed) {
        // Our answer came in after a comment that it does not answer.
        (Some(Voice::Own), Some(disposed)) if newest.is_some_and(|id| id > disposed.answers) => {
            ThreadStanding::Pending
        }
        (Some(Voice::Own), Some(disposed)) if disposed.left_to_person => {
            ThreadStanding::LeftToPerson
        }
        (Some(Voice::Own), _) => ThreadStanding::Answered,
        // A bot's thread gets one disposition a head (§7.2).
        (Some(Voice::Bot), Some(disposed)) if disposed.head == snapshot.head => {
            ThreadStanding::Answered
        }
        (Some(_), _) | (None, _) => ThreadStanding::Pending,
    }
}

/// Whether a person has edited the comment that was answered: other words want another answer. Bots mark theirs as addressed.
fn was_edited(state: &LoopState, snapshot: &Snapshot, thread: &Thread) -> bool {
    let newest = open_comment(state, snapshot, thread);
    let Some((comment, disposed)) = newest.zip(state.dispositions.get(&thread.id)) else {
        return false;
    };
    comment.id == disposed.answers
        && voice_of(state, snapshot, comment) == Voice::Trusted
        && disposed
            .words
            .as_ref()
            .is_some_and(|words| *words != digest([comment.body.as_str()]))
}

/// What became of the answer to a thread's newest comment, where there is one. It counts though the thread does not show it: GitHub may
/// be behind, and an answer that somebody deleted is not given again (§8.2).
fn answer<'a>(
    state: &'a LoopState,
    snapshot: &Snapshot,
    thread: &Thread,
) -> Option<(&'a Delivery, &'a Disposed)> {
    let newest = open_comment(state, snapshot, thread)?;
    let disposed = state.dispositions.get(&thread.id)?;
    let delivery = state.posted.get(disposed.reply.as_ref()?)?;
    (newest.id == disposed.answers).then_some((delivery, disposed))
}

/// Whether a thread of Collie's own puts a question of the panel's that is still open (§4.6).
fn puts_question(state: &LoopState, thread: &Thread) -> bool {
    let Some(token) = thread.comments.first().and_then(|c| token_at_end(&c.body)) else {
        return false;
    };
    let open = |t: &TrackedFinding| {
        t.finding.kind == FindingKind::Question && t.status == FindingStatus::Open
    };
    state.inlined.iter().any(|print| {
        state.findings.get(print).is_some_and(open)
            && action_token(&state.id, &Subject::Inline(print)) == token
    })
}

/// The newest comment of a thread that asks for an answer.
pub fn open_comment<'a>(
    state: &LoopState,
    snapshot: &Snapshot,
    thread: &'a Thread,
) -> Option<&'a Comment> {
    let asks = |c: &&Comment| matches!(voice_of(state, snapshot, c), Voice::Trusted | Voice::Bot);
    thread.comments.iter().rev().find(asks)
}

/// The reviews that stand: each trusted person's latest approval or request for changes. `commented` is ignored (§4.2).
pub fn standing_reviews<'a>(state: &LoopState, snapshot: &'a Snapshot) -> Vec<&'a Review> {
    let mut latest: BTreeMap<Login, &Review> = BTreeMap::new();
    for review in &snapshot.reviews {
        let Some(author) = &review.author else {
            continue;
        };
        let whose = voice(
            state,
            snapshot,
            Some(author),
            review.association,
            &review.body,
        );
        if whose != Voice::Trusted && !is_panelist(state, &author.login) {
            continue;
        }
        match review.verdict {
            ReviewVerdict::Approved | ReviewVerdict::ChangesRequested => {
                latest.insert(author.login.clone(), review);
            }
            ReviewVerdict::Dismissed => {
                // GitHub turns the dismissed review itself into this; an older one does not stand up again.
                latest.remove(&author.login);
            }
            ReviewVerdict::Commented | ReviewVerdict::Pending => {}
        }
    }
    latest.into_values().collect()
}

/// Whether somebody sits on the panel.
pub fn is_panelist(state: &LoopState, login: &Login) -> bool {
    use crate::policy::ReviewerKind;
    state
        .stages
        .iter()
        .flat_map(|stage| &stage.reviewers)
        .any(|r| r.spec.kind == ReviewerKind::Human && Login::new(&r.spec.name) == *login)
}

/// Reviews that ask for changes and count by rule 0.
pub fn changes_requested<'a>(state: &LoopState, snapshot: &'a Snapshot) -> Vec<&'a Review> {
    standing_reviews(state, snapshot)
        .into_iter()
        .filter(|r| r.verdict == ReviewVerdict::ChangesRequested)
        .collect()
}

/// Severity that a bot put into its own words; important where it did not.
fn bot_priority(body: &str) -> Priority {
    let low: String = body
        .chars()
        .take(600)
        .collect::<String>()
        .to_ascii_lowercase();
    let says = |words: &[&str]| words.iter().any(|word| low.contains(word));
    if says(&["p0", "blocker", "🔴 critical"]) {
        Priority::P0
    } else if says(&[
        "p1",
        "critical",
        "high severity",
        "high-priority",
        "severity: high",
    ]) {
        Priority::P1
    } else if says(&[
        "p3",
        "nitpick",
        "low severity",
        "trivial",
        "minor",
        "severity: low",
    ]) {
        Priority::P3
    } else {
        Priority::P2
    }
}

fn first_line(body: &str) -> String {
    let plain = |line: &&str| {
        let line = line.trim();
        !line.is_empty() && !line.starts_with("<!--") && !line.starts_with('>')
    };
    let line = body.lines().find(plain).unwrap_or("…").trim();
    line.trim_matches(|c| matches!(c, '*' | '_' | '#' | ' '))
        .chars()
        .take(160)
        .collect()
}

/// A pending thread, as a finding. Its `reviewId` is the thread.
fn thread_finding(state: &LoopState, snapshot: &Snapshot, thread: &Thread) -> Option<Finding> {
    let comment = open_comment(state, snapshot, thread)?;
    let author = comment.author.as_ref()?;
    let asked_for_changes = changes_requested(state, snapshot)
        .iter()
        .any(|r| r.author.as_ref().is_some_and(|a| a.id == author.id));
    let (kind, priority) = match voice_of(state, snapshot, comment) {
        Voice::Bot => (SourceType::Bot, bot_priority(&comment.body)),
        Voice::Trusted if asked_for_changes => (SourceType::Human, Priority::P1),
        Voice::Trusted => (SourceType::Human, Priority::P2),
        Voice::Own | Voice::Outsider => return None,
    };
    Some(Finding {
        id: format!("C-{}", comment.id),
        priority,
        category: "feedback".into(),
        file: thread.path.clone(),
        line: thread.line,
        title: first_line(&comment.body),
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
    })
}

/// A request for changes that says something in the review's own text, as a finding.
fn review_finding(review: &Review) -> Option<Finding> {
    let author = review.author.as_ref()?;
    if review.body.trim().is_empty() {
        return None;
    }
    Some(Finding {
        id: format!("R-{}", review.id),
        priority: Priority::P1,
        category: "feedback".into(),
        file: String::new(),
        line: None,
        title: first_line(&review.body),
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

/// Whether a review comes with threads of its own: then these say what is wanted, and its text introduces them.
fn introduces_threads(snapshot: &Snapshot, review: &Review) -> bool {
    let id = |author: &Option<Actor>| author.as_ref().map(|a| a.id);
    // What was written up to the author's review before this one belongs to that one.
    let before = snapshot
        .reviews
        .iter()
        .filter(|r| r.id != review.id && id(&r.author) == id(&review.author))
        .filter_map(|r| r.submitted_at)
        .filter(|at| review.submitted_at.is_some_and(|own| *at < own))
        .max();
    let opened = |thread: &Thread| {
        let Some(first) = thread.comments.first() else {
            return false;
        };
        id(&first.author) == id(&review.author)
            && first.commit == review.commit
            && review.submitted_at.is_some_and(|at| first.created_at <= at)
            && before.is_none_or(|at| first.created_at > at)
    };
    snapshot.threads.iter().any(opened)
}

/// A3: everything that waits for an answer.
pub fn analyze(state: &LoopState, snapshot: &Snapshot) -> CommentsResult {
    let requested = changes_requested(state, snapshot);
    let by = |r: &&Review| {
        let login = r.author.as_ref()?.login.clone();
        Some(ChangesRequestedBy {
            login,
            association: r.association,
        })
    };
    let waits = |t: &&Thread| thread_standing(state, snapshot, t) == ThreadStanding::Pending;
    let threads = snapshot.threads.iter().filter(waits);
    let mut pending: Vec<Finding> = threads
        .filter_map(|t| thread_finding(state, snapshot, t))
        .collect();
    let unanswered = requested
        .iter()
        .filter(|r| !state.asked_again.contains(&r.id) && !introduces_threads(snapshot, r));
    pending.extend(unanswered.filter_map(|r| review_finding(r)));
    let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    let resolved = snapshot.threads.iter().filter(|t| t.resolved).count();
    CommentsResult {
        agent: "comments-analyzer".into(),
        pr_number: snapshot.number,
        review_state: ReviewState {
            has_changes_requested: !requested.is_empty(),
            changes_requested_by: requested.iter().filter_map(by).collect(),
        },
        stats: ThreadStats {
            total_threads: count(snapshot.threads.len()),
            resolved_threads: count(resolved),
            unresolved_threads: count(snapshot.threads.len() - resolved),
        },
        threads_truncated: false,
        issues: IssueCounts::of(&pending),
        pending_issues: pending,
        full_report: String::new(),
    }
}

/// One piece of feedback of a trusted voice.
#[derive(Clone, Debug)]
pub struct Heard<'a> {
    /// Its key.
    pub key: EventKey,
    /// Who wrote it.
    pub author: &'a Actor,
    /// Whose word it is.
    pub voice: Voice,
    /// The thread it stands in.
    pub thread: Option<&'a ThreadId>,
}

/// Every piece of feedback in a snapshot, with its key (§7.1). Unpublished reviews and Collie's own words are none.
pub fn feedback<'a>(state: &LoopState, snapshot: &'a Snapshot) -> Vec<Heard<'a>> {
    let pr = snapshot.number;
    let hear = |comment: &'a Comment, kind, thread| {
        let voice = voice_of(state, snapshot, comment);
        let key = event_key(pr, kind, comment.id, &comment.updated_at, &comment.body);
        Some(Heard {
            key,
            author: comment.author.as_ref()?,
            voice,
            thread,
        })
    };
    let said = snapshot
        .comments
        .iter()
        .filter_map(|c| hear(c, FeedbackKind::Issue, None));
    let inline = snapshot.threads.iter().flat_map(|t| {
        t.comments
            .iter()
            .filter_map(move |c| hear(c, FeedbackKind::Review, Some(&t.id)))
    });
    let reviews = snapshot
        .reviews
        .iter()
        .filter(|r| r.verdict != ReviewVerdict::Pending);
    let summaries = reviews
        .filter(|r| !r.body.trim().is_empty())
        .filter_map(|r| {
            let author = r.author.as_ref()?;
            let voice = voice(state, snapshot, Some(author), r.association, &r.body);
            let key = event_key(
                pr,
                FeedbackKind::ReviewSummary,
                r.id,
                &r.updated_at,
                &r.body,
            );
            Some(Heard {
                key,
                author,
                voice,
                thread: None,
            })
        });
    let counts = |h: &Heard<'_>| matches!(h.voice, Voice::Trusted | Voice::Bot);
    said.chain(inline).chain(summaries).filter(counts).collect()
}
