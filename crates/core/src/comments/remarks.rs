//! What trusted people say outside of threads: in the conversation, and in a review's own text (§7). Nobody can resolve that, so how it stands is
//! remembered by its event key.

use super::author_role::{AuthorRole, author_role};
use super::commands::read_comment;
use super::finding_parts::{COMMENT_PREFIX, FEEDBACK, REVIEW_PREFIX, THREAD_PREFIX};
use super::reviews::{introduces_threads, latest_opinionated_reviews};
use super::title_line::title_line;
use crate::bots;
use crate::event::Delivery;
use crate::finding::{Confidence, Finding, FindingKind, FindingSource, Priority, SourceType};
use crate::ids::{EventKey, Login, Time};
use crate::loop_state::LoopState;
use crate::snapshot::{Actor, ReviewVerdict, Snapshot};
use crate::text::trailing_token;
use crate::token::{FeedbackKind, event_key};

/// What was said so long before the loop began may have been said after it: GitHub counts in seconds.
const CLOCK_SLACK_MS: u64 = 1_000;

/// Something that a trusted person said outside of threads.
#[derive(Clone, Debug)]
pub struct Remark<'a> {
    /// Its event.
    pub key: EventKey,
    /// Who.
    pub author: &'a Actor,
    /// A comment of the conversation, or a review's own text.
    pub kind: FeedbackKind,
    /// GitHub's number of it.
    pub id: u64,
    /// What.
    pub body: &'a str,
    /// RFC 3339 as GitHub wrote it.
    pub updated_at: &'a str,
    /// When it was said.
    pub said_at: Option<Time>,
}

/// How something stands that was said outside of threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RemarkStatus {
    /// It waits for an answer.
    Pending,
    /// The answer is on its way, or held.
    Replying,
    /// A person has to settle it.
    LeftToPerson,
    /// It asks for nothing, is answered, or was settled.
    Settled,
}

/// Whether somebody said it when the loop had begun, by what GitHub and this machine call the time.
pub(crate) fn is_said_after_start(state: &LoopState, said_at: Time) -> bool {
    said_at.plus(CLOCK_SLACK_MS) >= state.run.started_at
}

/// Everything that trusted people say outside of threads and that may ask for an answer. What an approval says with it asks for nothing;
/// what a review with threads says introduces these.
pub fn remarks<'a>(state: &LoopState, snapshot: &'a Snapshot) -> Vec<Remark<'a>> {
    let pr = snapshot.number;
    let comments = snapshot.comments.iter().filter_map(|comment| {
        let (id, updated_at) = (comment.id, comment.updated_at.as_str());
        Some(Remark {
            key: event_key(pr, FeedbackKind::Issue, id, updated_at, &comment.body),
            author: comment.author.as_ref()?,
            kind: FeedbackKind::Issue,
            id,
            body: &comment.body,
            updated_at,
            said_at: Some(comment.created_at),
        })
    });
    let speaks = |verdict| match verdict {
        ReviewVerdict::Commented | ReviewVerdict::ChangesRequested => true,
        ReviewVerdict::Approved | ReviewVerdict::Dismissed | ReviewVerdict::Pending => false,
    };
    let reviews = snapshot.reviews.iter();
    let reviews = reviews.filter(|review| speaks(review.verdict));
    let reviews = reviews.filter(|review| !introduces_threads(snapshot, review));
    let reviews = reviews.filter_map(|review| {
        let (id, updated_at) = (review.id, review.updated_at.as_str());
        Some(Remark {
            key: event_key(
                pr,
                FeedbackKind::ReviewSummary,
                id,
                updated_at,
                &review.body,
            ),
            author: review.author.as_ref()?,
            kind: FeedbackKind::ReviewSummary,
            id,
            body: &review.body,
            updated_at,
            said_at: review.submitted_at,
        })
    });
    let by_trusted = |remark: &Remark<'_>| {
        let role = author_role(state, snapshot, Some(remark.author), remark.body);
        role == AuthorRole::Trusted && !is_another_collies(remark)
    };
    comments
        .chain(reviews)
        .filter(by_trusted)
        .filter(|remark| read_comment(remark.body).asks && !is_for_a_bot(state, remark.body))
        .collect()
}

/// Whether the Collie of another person posted it: reports and answers in the conversation ask for nothing. Two of them would answer each
/// other else. The author is trusted in any case, so that a copied token gains nobody anything; what a thread or a review asks for stands.
fn is_another_collies(remark: &Remark<'_>) -> bool {
    remark.kind == FeedbackKind::Issue && trailing_token(remark.body).is_some()
}

/// Whether a comment speaks to a review bot by its name.
fn is_for_a_bot(state: &LoopState, body: &str) -> bool {
    let Some(name) = body.trim_start().strip_prefix('@') else {
        return false;
    };
    let end = name.find(|c: char| !(c.is_alphanumeric() || c == '-'));
    let called = Login::new(&name[..end.unwrap_or(name.len())]);
    let policy = &state.run.configuration.policy;
    let shipped = bots::shipped_bots().iter();
    let mut shipped = shipped.map(|shipped| &shipped.bot.login);
    policy.bots.iter().any(|bot| bot.login == called) || shipped.any(|login| *login == called)
}

/// How a remark stands. One that was said before the loop began is part of what the reviewers read, and waits for nobody.
pub fn remark_status(state: &LoopState, snapshot: &Snapshot, remark: &Remark<'_>) -> RemarkStatus {
    let memory = &state.memory;
    let Some(answer) = memory.answers.get(&remark.key) else {
        let heard = memory.feedback.get(&remark.key);
        let waits = heard.is_some_and(|heard| heard.processed_at.is_none());
        return match waits && !approved_since(state, snapshot, remark) {
            true => RemarkStatus::Pending,
            false => RemarkStatus::Settled,
        };
    };
    if answer.settled_by.is_some() || approved_since(state, snapshot, remark) {
        return RemarkStatus::Settled;
    }
    let Some(token) = &answer.token else {
        return RemarkStatus::Settled;
    };
    match memory.posted.get(token) {
        Some(Delivery::Confirmed { .. }) if !answer.left_to_person => RemarkStatus::Settled,
        // Nobody has read the answer, and nobody will (§7.4).
        Some(Delivery::Confirmed { .. } | Delivery::Undeliverable { .. }) => {
            RemarkStatus::LeftToPerson
        }
        None if state.outbox.is_to_be_said(token) => RemarkStatus::Replying,
        None => RemarkStatus::Pending,
    }
}

/// Whether its author has approved after saying it.
fn approved_since(state: &LoopState, snapshot: &Snapshot, remark: &Remark<'_>) -> bool {
    let reviews = latest_opinionated_reviews(state, snapshot);
    reviews.iter().any(|review| {
        let by_author = review
            .author
            .as_ref()
            .is_some_and(|a| a.id == remark.author.id);
        let later = review.submitted_at > remark.said_at;
        review.verdict == ReviewVerdict::Approved && by_author && later
    })
}

/// Remarks that stand so.
pub fn remarks_with<'a>(
    state: &LoopState,
    snapshot: &'a Snapshot,
    wanted: RemarkStatus,
) -> Vec<Remark<'a>> {
    let mut all = remarks(state, snapshot);
    all.retain(|remark| remark_status(state, snapshot, remark) == wanted);
    all
}

/// Remarks that wait for an answer, as findings.
pub(super) fn pending_remarks(state: &LoopState, snapshot: &Snapshot) -> Vec<Finding> {
    let pending = remarks_with(state, snapshot, RemarkStatus::Pending);
    pending.iter().map(remark_finding).collect()
}

fn remark_finding(remark: &Remark<'_>) -> Finding {
    let prefix = match remark.kind {
        FeedbackKind::Issue | FeedbackKind::Review => COMMENT_PREFIX,
        FeedbackKind::ReviewSummary => REVIEW_PREFIX,
    };
    Finding {
        id: format!("{prefix}{}", remark.id),
        priority: Priority::P2,
        category: FEEDBACK.into(),
        file: String::new(),
        line: None,
        title: title_line(remark.body),
        description: remark.body.to_owned(),
        suggestion: None,
        source: FindingSource {
            kind: SourceType::Human,
            name: remark.author.login.to_string(),
            review_id: Some(remark.id.to_string()),
            timestamp: remark.updated_at.to_owned(),
        },
        kind: FindingKind::Error,
        confidence: Confidence::SURE,
        evidence: None,
    }
}

/// The event that a finding was made of, in the words that were handed over; none for what is no comment.
pub fn event_of_finding(pr: u64, finding: &Finding) -> Option<EventKey> {
    let kinds = [
        (COMMENT_PREFIX, FeedbackKind::Issue),
        (REVIEW_PREFIX, FeedbackKind::ReviewSummary),
        (THREAD_PREFIX, FeedbackKind::Review),
    ];
    match finding.source.kind {
        SourceType::Human | SourceType::Bot => {}
        SourceType::Agent | SourceType::Rules | SourceType::Linter | SourceType::Ci => return None,
    }
    let mut numbers = kinds.iter().filter_map(|(prefix, kind)| {
        let id = finding.id.strip_prefix(prefix)?.parse().ok()?;
        Some((*kind, id))
    });
    let (kind, id) = numbers.next()?;
    let FindingSource { timestamp, .. } = &finding.source;
    Some(event_key(pr, kind, id, timestamp, &finding.description))
}

/// Whether a finding is something that a person said outside of threads.
pub fn is_remark(finding: &Finding) -> bool {
    let prefixes = [COMMENT_PREFIX, REVIEW_PREFIX];
    finding.source.kind == SourceType::Human
        && prefixes.iter().any(|prefix| finding.id.starts_with(prefix))
}
