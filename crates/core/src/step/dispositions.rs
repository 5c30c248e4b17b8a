//! Dispositions that are no plain reply: given again where a bot puts a declined finding again, and for findings that stand in bodies.

use super::Transition;
use super::post::disposition_of;
use crate::comments::{self, ThreadStatus};
use crate::finding::SourceType;
use crate::identity;
use crate::ids::{ActionToken, Fingerprint};
use crate::loop_state::{BodyDisposition, PendingFix, RepeatedDisposition, ThreadReply};
use crate::post::{DisposedFinding, Disposition, PostContent};
use crate::snapshot::{Comment, Snapshot, Thread};
use crate::token::{ActionSubject, FeedbackKind, digest, event_key};
use crate::tracked_finding::FindingStatus;

impl Transition {
    /// Gives a bot that puts a declined finding again, in a new thread, the disposition it has had: once a head. Further threads of
    /// that text are settled by it, or a bot that never tires would be answered for ever.
    pub(super) fn repeat_dispositions(&mut self, snapshot: &Snapshot) {
        if self.state.run.state.is_terminal() || self.current_hold(snapshot).is_some() {
            return;
        }
        let is_pending = |t: &&Thread| {
            comments::thread_status(&self.state, snapshot, t) == ThreadStatus::Pending
        };
        let pending: Vec<&Thread> = snapshot.threads.iter().filter(is_pending).collect();
        for thread in pending {
            self.repeat_disposition(snapshot, thread);
        }
    }

    fn repeat_disposition(&mut self, snapshot: &Snapshot, thread: &Thread) -> Option<()> {
        let comment = comments::comment_to_answer(&self.state, snapshot, thread)?;
        let finding = comments::thread_finding(&self.state, snapshot, thread)?;
        let print = identity::fingerprints(std::slice::from_ref(&finding)).pop()?;
        let known = self.state.run.review.findings.get(&print)?;
        let is_declined = known.finding.source.kind == SourceType::Bot
            && matches!(
                known.status,
                FindingStatus::Rejected | FindingStatus::Dismissed
            )
            && known.finding.id != finding.id;
        let word = known.declined_without_turn().map(str::to_owned);
        let reason = word
            .or_else(|| known.rejection.clone())
            .filter(|_| is_declined)?;
        let before = known.finding.source.review_id.as_deref();
        let replies = &self.state.memory.thread_replies;
        let before = replies.iter().find(|(id, _)| Some(id.as_str()) == before);
        let left_to_person = before.is_some_and(|(_, reply)| reply.left_to_person);
        let disposition = if left_to_person {
            Disposition::LeftToPerson { reason }
        } else {
            Disposition::Declined { reason }
        };
        self.answer_repeated(snapshot, thread, comment, &print, disposition);
        Some(())
    }

    fn answer_repeated(
        &mut self,
        snapshot: &Snapshot,
        thread: &Thread,
        comment: &Comment,
        print: &Fingerprint,
        disposition: Disposition,
    ) {
        let given = self.state.memory.repeated.get(print);
        let given = given.filter(|given| given.head == snapshot.head);
        if let Some(token) = given.map(|given| given.token.clone()) {
            return self.note_reply(snapshot, thread, comment, &disposition, token);
        }
        let token = self.reply(snapshot, thread, comment, disposition);
        let head = snapshot.head.clone();
        let repeated = RepeatedDisposition { head, token };
        self.state.memory.repeated.insert(print.clone(), repeated);
    }

    /// Keeps by which post a thread is answered.
    fn note_reply(
        &mut self,
        snapshot: &Snapshot,
        thread: &Thread,
        comment: &Comment,
        disposition: &Disposition,
        token: ActionToken,
    ) {
        let reply = ThreadReply {
            head: snapshot.head.clone(),
            answered_comment: comment.id,
            left_to_person: matches!(disposition, Disposition::LeftToPerson { .. }),
            body_hash: Some(digest([comment.body.as_str()])),
            reply_token: Some(token),
        };
        self.state
            .memory
            .thread_replies
            .insert(thread.id.clone(), reply);
    }

    /// Answers a comment in its thread; by which post.
    pub(super) fn reply(
        &mut self,
        snapshot: &Snapshot,
        thread: &Thread,
        comment: &Comment,
        disposition: Disposition,
    ) -> ActionToken {
        let key = event_key(
            snapshot.number,
            FeedbackKind::Review,
            comment.id,
            &comment.updated_at,
            &comment.body,
        );
        let token = self.token(&ActionSubject::Reply(&key));
        self.note_reply(snapshot, thread, comment, &disposition, token.clone());
        let in_reply_to = thread.comments.first().map_or(comment.id, |first| first.id);
        let content = PostContent::Reply {
            thread: thread.id.clone(),
            in_reply_to,
            disposition,
        };
        self.post(token.clone(), content);
        token
    }

    /// Says in one comment what became of findings that stand in bodies of bots: nobody can reply there (§4.5).
    pub(super) fn post_body_dispositions(&mut self, snapshot: &Snapshot, fix: &PendingFix) {
        let (run, turn) = (self.state.run.id.clone(), self.state.run.fixing.turns);
        let token = self.token(&ActionSubject::BodyDispositions(&run, turn));
        let asked = fix.payload.issues_to_fix.iter();
        let mut items = Vec::new();
        for finding in asked.chain(&fix.payload.optional_issues) {
            let print = Fingerprint::new(finding.id.clone());
            let Some(known) = self.state.run.review.findings.get(&print) else {
                continue;
            };
            let Some(disposition) = disposition_of(finding, fix) else {
                continue;
            };
            if !comments::stands_in_body(&known.finding) {
                continue;
            }
            let given = BodyDisposition {
                head: snapshot.head.clone(),
                fixed: matches!(disposition, Disposition::Fixed { .. }),
                token: token.clone(),
            };
            items.push(DisposedFinding {
                bot: finding.source.name.clone(),
                title: finding.title.clone(),
                file: finding.file.clone(),
                line: finding.line,
                disposition,
            });
            self.state.memory.body_dispositions.insert(print, given);
        }
        if !items.is_empty() {
            self.post(token, PostContent::BodyDispositions { items });
        }
    }
}
