//! What bots say in a review's own text or in the conversation, as findings (§4.5).

use super::author_role::{AuthorRole, author_role};
use super::finding_parts::FEEDBACK;
use crate::bots::{
    BodyFinding, BotText, body_findings, head_came_at, is_about_head, read_bot_text,
};
use crate::finding::{Finding, FindingSource, SourceType};
use crate::identity;
use crate::ids::{AccountId, Time};
use crate::loop_state::LoopState;
use crate::snapshot::{Actor, ReviewVerdict, Snapshot, Thread};
use crate::token::digest;
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;

/// How the ids of such findings begin: threads' begin otherwise.
const ID_PREFIX: &str = "B-";
/// Lines between a body's finding and a thread of the same bot that are one.
const SAME_PLACE: u32 = 3;

/// Whether a finding stands in a body, where nobody can reply.
pub fn stands_in_body(finding: &Finding) -> bool {
    finding.source.kind == SourceType::Bot && finding.id.starts_with(ID_PREFIX)
}

/// A text of a verified bot outside of threads.
struct Body<'a> {
    id: u64,
    author: &'a Actor,
    text: &'a str,
    written: &'a str,
    /// It says of the present head what it says.
    is_about_head: bool,
}

fn bodies<'a>(state: &LoopState, snapshot: &'a Snapshot) -> Vec<Body<'a>> {
    let head = &snapshot.head;
    let came_at = head_came_at(snapshot, &state.run.head);
    let reviews = snapshot.reviews.iter();
    let reviews = reviews.filter(|review| review.verdict != ReviewVerdict::Pending);
    let reviews = reviews.filter_map(|review| {
        Some(Body {
            id: review.id,
            author: review.author.as_ref()?,
            text: &review.body,
            written: &review.updated_at,
            is_about_head: review.commit.as_ref() == Some(head),
        })
    });
    let comments = snapshot.comments.iter().filter_map(|comment| {
        let author = comment.author.as_ref()?;
        Some(Body {
            id: comment.id,
            author,
            text: &comment.body,
            written: &comment.updated_at,
            is_about_head: is_about_head(author.id, comment, head, came_at),
        })
    });
    let is_review = |body: &Body<'_>| {
        let role = author_role(state, snapshot, Some(body.author), body.text);
        role == AuthorRole::Bot
            && read_bot_text(body.author.id, body.text, Time(0)) == BotText::Review
    };
    reviews.chain(comments).filter(is_review).collect()
}

/// Whether nothing of what a bot says in a body waits for its disposition, nor a disposition of it for GitHub (§7.4).
pub(crate) fn is_body_settled(state: &LoopState, snapshot: &Snapshot, id: u64) -> bool {
    let of_body = |finding: &Finding| finding.source.review_id == Some(id.to_string());
    if pending_findings(state, snapshot).iter().any(of_body) {
        return false;
    }
    let known = &state.run.review.findings;
    let mut given = state.memory.body_dispositions.iter();
    given.all(|(print, given)| {
        let stands = |known: &crate::tracked_finding::TrackedFinding| of_body(&known.finding);
        !known.get(print).is_some_and(stands) || state.memory.posted.contains_key(&given.token)
    })
}

/// Findings in bodies that have no disposition yet, each once however often it was posted. One that was called fixed counts again
/// where the bot still has it on a later head.
pub(super) fn pending_findings(state: &LoopState, snapshot: &Snapshot) -> Vec<Finding> {
    let path_of = |anchor: &str| {
        let mut paths = snapshot.files.iter().map(|file| &file.path);
        let path = paths.find(|path| hex::encode(Sha256::digest(path.as_bytes())) == anchor);
        path.cloned()
    };
    let threshold = state.run.configuration.policy.comment_threshold;
    let mut seen = BTreeSet::new();
    let mut pending = Vec::new();
    for body in bodies(state, snapshot) {
        for found in body_findings(body.author.id, body.text, &path_of) {
            let is_sure = found.confidence.permille() >= threshold;
            if !is_sure || has_thread(snapshot, body.author.id, &found) {
                continue;
            }
            let finding = to_finding(&body, found);
            let Some(print) = identity::fingerprints(std::slice::from_ref(&finding)).pop() else {
                continue;
            };
            let given = state.memory.body_dispositions.get(&print);
            let stands = given.is_none_or(|given| {
                given.fixed && body.is_about_head && given.head != snapshot.head
            });
            if stands && seen.insert(print) {
                pending.push(finding);
            }
        }
    }
    pending
}

/// Whether the bot opened a thread for the same thing: it is answered there.
fn has_thread(snapshot: &Snapshot, bot: AccountId, found: &BodyFinding) -> bool {
    let is_same = |thread: &Thread| {
        let Some(first) = thread.comments.first() else {
            return false;
        };
        let by_bot = first.author.as_ref().is_some_and(|author| author.id == bot);
        let near = match (thread.line, found.line) {
            (Some(at), Some(from)) => {
                let to = found.last_line.unwrap_or(from).max(from);
                at + SAME_PLACE >= from && at <= to + SAME_PLACE
            }
            (None, _) | (_, None) => false,
        };
        let says = first.body.contains(found.title.as_str());
        by_bot && thread.path == found.file && (near || says)
    };
    snapshot.threads.iter().any(is_same)
}

fn to_finding(body: &Body<'_>, found: BodyFinding) -> Finding {
    let id = digest([found.file.as_str(), &found.title, &found.text]);
    Finding {
        id: format!("{ID_PREFIX}{}", &id[..16]),
        priority: found.priority,
        category: FEEDBACK.into(),
        file: found.file,
        line: found.line,
        title: found.title,
        description: found.text,
        suggestion: None,
        source: FindingSource {
            kind: SourceType::Bot,
            name: body.author.login.to_string(),
            review_id: Some(body.id.to_string()),
            timestamp: body.written.to_owned(),
        },
        kind: found.kind,
        confidence: found.confidence,
        evidence: None,
    }
}
