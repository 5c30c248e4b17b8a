//! Action tokens and keys (§7.1, §7.2, §8.2): the same act always gets the same token, whatever words it is put in.

use crate::ids::{
    AccountId, ActionToken, EventKey, Fingerprint, LoopId, RunId, Sha, ThreadId, TurnKey,
};
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;

/// What a post is about. Never the wording; never the head where the same act may be repeated on another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ActionSubject<'a> {
    /// The report of a review: run and ordinal.
    ReviewReport(&'a RunId, u32),
    /// The review that carries inline comments: run and ordinal.
    InlineReview(&'a RunId, u32),
    /// Comments of a persona under its own account: run, ordinal of the review, persona.
    PersonaComments(&'a RunId, u32, &'a str),
    /// What a persona says of a head under its own account: run, head, persona and verdict.
    PersonaVerdict(&'a RunId, &'a Sha, (&'a str, &'a str)),
    /// Takes a persona's review back: the review.
    DismissReview(u64),
    /// One inline comment.
    Inline(&'a Fingerprint),
    /// The report of a fix: run and iteration or, without a push, the turn.
    FixReport(&'a RunId, u32),
    /// The proof of ready: run and head.
    Proof(&'a RunId, &'a Sha),
    /// The last comment of a run.
    Stop(&'a RunId),
    /// A reply: the comment it answers.
    Reply(&'a EventKey),
    /// What is added to somebody's thread, which is done once: the thread.
    Addition(&'a ThreadId),
    /// Asks the author of a review to look again.
    RequestRereview(u64),
    /// Asks a bot to review a head.
    RequestBotReview(AccountId, &'a Sha),
    /// What became of findings in bodies: run and turn.
    BodyDispositions(&'a RunId, u32),
    /// What a second look refuted in bodies: the first of these findings.
    RefutedInBodies(&'a Fingerprint),
    /// Answers to what was said outside of threads: the turn that they are of.
    Answers(&'a TurnKey),
    /// Asks people to settle what Collie cannot answer: the run, since it is asked once.
    AskPerson(&'a RunId),
    /// What became of a command: the comment, and what was commanded. An edit of other words of the comment is no new command.
    Command(FeedbackKind, u64, &'a str),
}

/// Hashes parts so that no two lists of parts share an input: each part is preceded by its length.
pub(crate) fn digest<T: AsRef<str>>(parts: impl IntoIterator<Item = T>) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        let part = part.as_ref();
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part.as_bytes());
    }
    hex::encode(hash.finalize())
}

/// `sha256(loop, kind, subject)`.
pub fn action_token(id: &LoopId, subject: &ActionSubject<'_>) -> ActionToken {
    let (kind, first, second) = match subject {
        ActionSubject::ReviewReport(run, n) => ("review_report", run.to_string(), n.to_string()),
        ActionSubject::InlineReview(run, n) => ("inline_review", run.to_string(), n.to_string()),
        ActionSubject::PersonaComments(run, n, persona) => (
            "persona_comments",
            run.to_string(),
            format!("{n}:{persona}"),
        ),
        ActionSubject::PersonaVerdict(run, head, (persona, verdict)) => (
            "persona_verdict",
            run.to_string(),
            format!("{head}:{verdict}:{persona}"),
        ),
        ActionSubject::DismissReview(review) => {
            ("dismiss_review", review.to_string(), String::new())
        }
        ActionSubject::Inline(fingerprint) => ("inline", fingerprint.to_string(), String::new()),
        ActionSubject::FixReport(run, n) => ("fix_report", run.to_string(), n.to_string()),
        ActionSubject::Proof(run, head) => ("proof", run.to_string(), head.to_string()),
        ActionSubject::Stop(run) => ("stop", run.to_string(), String::new()),
        ActionSubject::Reply(key) => ("reply", key.to_string(), String::new()),
        ActionSubject::Addition(thread) => ("addition", thread.to_string(), String::new()),
        ActionSubject::RequestRereview(review) => ("look_again", review.to_string(), String::new()),
        ActionSubject::RequestBotReview(bot, head) => {
            ("request_bot_review", bot.0.to_string(), head.to_string())
        }
        ActionSubject::RefutedInBodies(first) => {
            ("refuted_in_bodies", first.to_string(), String::new())
        }
        ActionSubject::BodyDispositions(run, turn) => {
            ("body_dispositions", run.to_string(), turn.to_string())
        }
        ActionSubject::Answers(turn) => ("answers", turn.to_string(), String::new()),
        ActionSubject::AskPerson(run) => ("ask_person", run.to_string(), String::new()),
        ActionSubject::Command(kind, comment, words) => (
            "command",
            format!("{}:{comment}", kind.name()),
            (*words).to_owned(),
        ),
    };
    let number = id.number.to_string();
    ActionToken::new(digest([
        id.host.as_str(),
        &id.repo_id,
        &number,
        kind,
        first.as_str(),
        second.as_str(),
    ]))
}

/// `sha256(loop, sorted event keys)`: the head is no part of it, so that a crash after the push finds the same turn again (§7.2).
pub fn turn_key(id: &LoopId, events: &BTreeSet<EventKey>) -> TurnKey {
    let number = id.number.to_string();
    let parts = [id.host.as_str(), &id.repo_id, &number, "turn"];
    let keys = events.iter().map(EventKey::as_str);
    TurnKey::new(digest(parts.into_iter().chain(keys)))
}

/// Kinds of feedback, as event keys name them (§7.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FeedbackKind {
    /// A comment of the conversation.
    Issue,
    /// A comment of a review thread.
    Review,
    /// A review's own text.
    ReviewSummary,
}

impl FeedbackKind {
    fn name(self) -> &'static str {
        match self {
            FeedbackKind::Issue => "issue",
            FeedbackKind::Review => "review",
            FeedbackKind::ReviewSummary => "review_summary",
        }
    }
}

/// `{pr}:{kind}:{comment_id}:{updated_at}`, and the body's hash, which tells an edit within the same second.
pub fn event_key(
    pr: u64,
    kind: FeedbackKind,
    comment: u64,
    updated_at: &str,
    body: &str,
) -> EventKey {
    let kind = kind.name();
    let hash = digest([body]);
    EventKey::new(format!("{pr}:{kind}:{comment}:{updated_at}:{}", &hash[..8]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(number: u64) -> LoopId {
        LoopId {
            host: "github.com".into(),
            repo_id: "R_1".into(),
            number,
        }
    }

    #[test]
    fn a_token_depends_on_loop_kind_and_subject_only() {
        let run = RunId::new("run");
        let token = |n, subject: &ActionSubject<'_>| action_token(&id(n), subject);
        let report = ActionSubject::ReviewReport(&run, 1);
        assert_eq!(token(1, &report), token(1, &report));
        assert_ne!(token(1, &report), token(2, &report));
        assert_ne!(
            token(1, &report),
            token(1, &ActionSubject::ReviewReport(&run, 2))
        );
        assert_ne!(
            token(1, &report),
            token(1, &ActionSubject::FixReport(&run, 1))
        );
    }

    #[test]
    fn a_turn_is_known_by_its_loop_and_its_events_in_whatever_order_they_came() {
        let keys = |texts: &[&str]| texts.iter().map(|text| EventKey::new(*text)).collect();
        let turn = turn_key(&id(1), &keys(&["7:issue:1:t:aa", "7:review:2:t:bb"]));
        assert_eq!(
            turn,
            turn_key(&id(1), &keys(&["7:review:2:t:bb", "7:issue:1:t:aa"]))
        );
        assert_ne!(
            turn,
            turn_key(&id(2), &keys(&["7:issue:1:t:aa", "7:review:2:t:bb"]))
        );
        assert_ne!(turn, turn_key(&id(1), &keys(&["7:issue:1:t:aa"])));
    }

    #[test]
    fn parts_do_not_run_into_each_other() {
        assert_ne!(digest(["ab", "c"]), digest(["a", "bc"]));
    }

    #[test]
    fn an_edit_within_the_same_second_is_another_event() {
        let key = |body| event_key(7, FeedbackKind::Review, 9, "2026-01-01T00:00:00Z", body);
        assert_ne!(key("a"), key("b"));
        assert!(
            key("a")
                .as_str()
                .starts_with("7:review:9:2026-01-01T00:00:00Z:")
        );
    }
}
