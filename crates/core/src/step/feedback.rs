//! Feedback: each piece is stored once, makes a turn with the others, and is processed when its answer is seen (§7).

use super::Transition;
use super::post::disposition_of;
use crate::bots;
use crate::comments::{
    self, AuthorRole, FeedbackItem, RemarkStatus, ThreadStatus, is_said_after_start,
};
use crate::finding::{Finding, SourceType};
use crate::fix::{FeedbackTurn, note_codes};
use crate::ids::{ActionToken, EventKey, Fingerprint, Login, ThreadId};
use crate::loop_state::{Feedback, PendingFix, RemarkAnswer};
use crate::note::Note;
use crate::post::{AnsweredRemark, Disposition, PostContent};
use crate::snapshot::Snapshot;
use crate::token::{ActionSubject, turn_key};
use crate::tracked_finding::TrackedFinding;
use std::collections::BTreeSet;

impl Transition {
    /// Stores new feedback, marks what was answered, notes impostors (§3.4, §7.1, §7.4).
    pub(super) fn record_feedback(&mut self, snapshot: &Snapshot) {
        let said = comments::collect_feedback(&self.state, snapshot);
        let mut shown = BTreeSet::new();
        for item in said {
            shown.insert(item.key.clone());
            self.hear(snapshot, &item);
        }
        // After an edit, and where it was deleted, nobody waits for an answer to these words any more.
        for (key, heard) in &mut self.state.memory.feedback {
            if heard.processed_at.is_none() && !shown.contains(key) {
                heard.processed_at = Some(snapshot.read_at);
            }
        }
        // Whether something is processed goes by what is stored by now.
        for item in comments::collect_feedback(&self.state, snapshot) {
            self.mark_processed(snapshot, &item);
        }
        self.state
            .memory
            .listens_since
            .get_or_insert(snapshot.read_at);
        self.name_untrusted(snapshot);
        for claim in bots::claims(&self.state.run.configuration.policy, snapshot) {
            if self.state.memory.impostors.insert(claim.id) {
                self.notes.push(Note::Impostor {
                    comment: claim.id,
                    login: claim.author.login.clone(),
                    claims: claim.bot.name.clone(),
                });
            }
        }
    }

    /// Stores a piece of feedback that is new. What stood in the conversation when the loop began is for the reviewers to read.
    fn hear(&mut self, snapshot: &Snapshot, item: &FeedbackItem<'_>) {
        if self.state.memory.feedback.contains_key(&item.key) {
            return;
        }
        if item.role == AuthorRole::Bot {
            self.notes.push(Note::BotTrusted {
                id: item.author.id,
                login: item.author.login.clone(),
                key: item.key.clone(),
            });
        }
        let is_first_look = self.state.memory.listens_since.is_none();
        let said_before = item
            .said_at
            .is_none_or(|at| !is_said_after_start(&self.state, at));
        let is_history = is_first_look && said_before && item.thread.is_none();
        let heard = Feedback {
            author: item.author.login.clone(),
            seen_at: snapshot.read_at,
            processed_at: is_history.then_some(snapshot.read_at),
        };
        self.state.memory.feedback.insert(item.key.clone(), heard);
    }

    /// Marks a piece of feedback whose every expected answer is seen on GitHub, or cannot be delivered.
    fn mark_processed(&mut self, snapshot: &Snapshot, item: &FeedbackItem<'_>) {
        let settled = match (item.thread, item.role) {
            (Some(thread), _) => self.is_thread_answered(snapshot, thread),
            (None, AuthorRole::Bot) => comments::is_body_settled(&self.state, snapshot, item.id),
            (None, _) => self.is_remark_answered(snapshot, &item.key),
        };
        let heard = self.state.memory.feedback.get_mut(&item.key);
        if let (Some(heard), true) = (heard, settled) {
            heard.processed_at.get_or_insert(snapshot.read_at);
        }
    }

    fn is_thread_answered(&self, snapshot: &Snapshot, id: &ThreadId) -> bool {
        let mut threads = snapshot.threads.iter();
        let thread = threads.find(|thread| thread.id == *id);
        thread.is_none_or(
            |thread| match comments::thread_status(&self.state, snapshot, thread) {
                ThreadStatus::Pending | ThreadStatus::Replying => false,
                ThreadStatus::Own
                | ThreadStatus::Outsider
                | ThreadStatus::Resolved
                | ThreadStatus::Answered
                | ThreadStatus::LeftToPerson => true,
            },
        )
    }

    fn is_remark_answered(&self, snapshot: &Snapshot, key: &EventKey) -> bool {
        let all = comments::remarks(&self.state, snapshot);
        let mut same = all.iter().filter(|remark| remark.key == *key);
        same.all(
            |remark| match comments::remark_status(&self.state, snapshot, remark) {
                RemarkStatus::Pending | RemarkStatus::Replying => false,
                RemarkStatus::LeftToPerson | RemarkStatus::Settled => true,
            },
        )
    }

    /// The turn that a fix answers: all that was said and is not processed. None where people and bots have no part in it.
    pub(super) fn feedback_turn<'a>(
        &mut self,
        pr: u64,
        issues: impl Iterator<Item = &'a TrackedFinding>,
    ) -> Option<FeedbackTurn> {
        let said: Vec<&Finding> = issues
            .map(|issue| &issue.finding)
            .filter(|finding| match finding.source.kind {
                SourceType::Human | SourceType::Bot => true,
                SourceType::Agent | SourceType::Rules | SourceType::Linter | SourceType::Ci => {
                    false
                }
            })
            .collect();
        if said.is_empty() {
            return None;
        }
        let heard = self.state.memory.feedback.iter();
        let waiting = heard
            .filter(|(key, heard)| heard.processed_at.is_none() && !self.is_being_answered(key));
        let waiting = waiting.map(|(key, _)| key.clone());
        // What was heard before the loop began may be asked all the same: a request for changes stands until it is taken back.
        let asked = said.into_iter();
        let asked = asked.filter_map(|finding| comments::event_of_finding(pr, finding));
        let events: BTreeSet<EventKey> = waiting.chain(asked).collect();
        let key = turn_key(&self.state.id, &events);
        self.notes.push(Note::FeedbackTurn {
            turn: key.clone(),
            events: events.clone(),
        });
        Some(FeedbackTurn { key, events })
    }

    /// Whether an answer was given that GitHub has not confirmed yet.
    fn is_being_answered(&self, key: &EventKey) -> bool {
        let reply = self.token(&ActionSubject::Reply(key));
        self.state.memory.answers.contains_key(key) || self.state.outbox.is_to_be_said(&reply)
    }

    /// Answers what was said outside of threads: all of a turn in one comment. What is left to a person is asked once a run, whatever
    /// comes later.
    pub(super) fn post_answers(&mut self, snapshot: &Snapshot, fix: &PendingFix) {
        let Some(turn) = &fix.payload.turn else {
            return;
        };
        let run = self.state.run.id.clone();
        let answer = self.token(&ActionSubject::Answers(&turn.key));
        let ask = self.token(&ActionSubject::AskPerson(&run));
        let (mut answered, mut left) = (Vec::new(), Vec::new());
        let asked = fix.payload.issues_to_fix.iter();
        for finding in asked.chain(&fix.payload.optional_issues) {
            let print = Fingerprint::new(finding.id.clone());
            let known = self.state.run.review.findings.get(&print);
            let Some(known) = known.filter(|known| comments::is_remark(&known.finding)) else {
                continue;
            };
            // Under its own id, in the words that were handed over: they may have been edited since.
            let said = Finding {
                id: known.finding.id.clone(),
                ..finding.clone()
            };
            let key = comments::event_of_finding(snapshot.number, &said);
            let Some((key, disposition)) = key.zip(disposition_of(finding, fix)) else {
                continue;
            };
            let left_to_person = matches!(disposition, Disposition::LeftToPerson { .. });
            let token = match (left_to_person, says_nothing(&disposition)) {
                (_, true) => None,
                (true, false) => Some(ask.clone()),
                (false, false) => Some(answer.clone()),
            };
            self.note_answer(key.clone(), token.clone(), left_to_person);
            if token.is_none()
                && let Some(heard) = self.state.memory.feedback.get_mut(&key)
            {
                heard.processed_at.get_or_insert(snapshot.read_at);
            }
            let item = AnsweredRemark {
                author: Login::new(&finding.source.name),
                title: finding.title.clone(),
                event: key,
                disposition,
            };
            match token {
                Some(_) if left_to_person => left.push(item),
                Some(_) => answered.push(item),
                None => {}
            }
        }
        self.post_items(answer, answered, false);
        self.post_items(ask, left, true);
    }

    /// Whether all that a fix was asked about is what people said outside of threads.
    pub(super) fn answers_remarks_alone(&self, fix: &PendingFix) -> bool {
        let known = &self.state.run.review.findings;
        let mut asked = fix.payload.issues_to_fix.iter();
        asked.all(|issue| {
            let print = Fingerprint::new(issue.id.clone());
            known
                .get(&print)
                .is_some_and(|known| comments::is_remark(&known.finding))
        })
    }

    fn note_answer(&mut self, key: EventKey, token: Option<ActionToken>, left_to_person: bool) {
        let answer = RemarkAnswer {
            token,
            left_to_person,
            settled_by: None,
        };
        self.state.memory.answers.insert(key, answer);
    }

    fn post_items(&mut self, token: ActionToken, items: Vec<AnsweredRemark>, asks_person: bool) {
        if !items.is_empty() {
            self.post(token, PostContent::Answers { items, asks_person });
        }
    }

    /// Takes what was left to people as settled, by the word of one; how much that was.
    pub(super) fn settle_remarks(&mut self, by: &Login) -> u32 {
        let answers = self.state.memory.answers.values_mut();
        let posted = &self.state.memory.posted;
        let undeliverable = |token: &Option<ActionToken>| {
            let delivery = token.as_ref().and_then(|token| posted.get(token));
            matches!(delivery, Some(crate::event::Delivery::Undeliverable { .. }))
        };
        let open = answers.filter(|answer| {
            answer.settled_by.is_none() && (answer.left_to_person || undeliverable(&answer.token))
        });
        let mut count = 0;
        for answer in open {
            answer.settled_by = Some(by.clone());
            count += 1;
        }
        count
    }
}

/// Whether there is nothing to say: the comment asked nothing of the change.
fn says_nothing(disposition: &Disposition) -> bool {
    match disposition {
        Disposition::Declined { reason } => reason.trim() == note_codes::NOTHING_ASKED,
        Disposition::Fixed { .. } | Disposition::LeftToPerson { .. } => false,
    }
}
