//! How far Collie goes by itself (§13.7): the one gate that every effect passes, what waits behind it, and a person's word on a push.

use super::Transition;
use super::post::RULES_FIXER;
use crate::autonomy::{ApprovedPush, Autonomy, GitHubWrite, OBSERVE_LABEL};
use crate::blocker::Blocker;
use crate::effect::{Effect, FixEffect, PostEffect, ReadRemoteHeadEffect, RejectedPush};
use crate::error_code::ErrorCode;
use crate::event::{AutonomyChanged, PushApproved, PushRejected};
use crate::fix::{FixResult, note_codes};
use crate::ids::Sha;
use crate::lifecycle::State;
use crate::loop_state::PendingFix;
use crate::note::Note;
use crate::post::PostContent;
use crate::snapshot::Snapshot;
use crate::tracked_finding::FindingStatus;
use crate::user_error::UserError;

/// Rejections of one turn after which its findings count as rejected, as with the gates (§6.3).
const MAX_REJECTIONS: u32 = 3;

/// How many paths a blocker names.
const MAX_NAMES: usize = 3;

impl Transition {
    /// Puts an effect into the outbox, unless the very same one is there. What the level does not allow is held instead; a push is not
    /// kept, since its fix is, and each look asks for it anew.
    pub(super) fn enqueue(&mut self, effect: Effect) {
        if self.state.level_allows(&effect) {
            return self.state.outbox.ask(&self.state.run.id, effect);
        }
        if effect.github_write() == Some(GitHubWrite::Conversation) {
            let head = self.state.run.head.sha.clone();
            self.state.outbox.hold(head, effect);
        }
    }

    /// Takes over what the labels say.
    pub(super) fn note_labels(&mut self, snapshot: &Snapshot) {
        let mut labels = snapshot.labels.iter();
        let before = self.state.autonomy();
        self.state.run.observed_by_label =
            labels.any(|label| label.eq_ignore_ascii_case(OBSERVE_LABEL));
        self.note_level(before, None);
    }

    /// Remarks a change of the level.
    fn note_level(&mut self, before: Autonomy, by: Option<&crate::ids::Login>) {
        let level = self.state.autonomy();
        if level != before {
            let by = by.cloned();
            self.notes.push(Note::AutonomyChanged { by, level });
        }
    }

    pub(super) fn autonomy_changed(&mut self, changed: &AutonomyChanged) {
        let before = self.state.autonomy();
        self.state.chosen_autonomy.level = changed.level;
        self.state.chosen_autonomy.configured = changed.configured;
        self.note_level(before, Some(&changed.by));
        let waits = matches!(
            self.state.run.blocker,
            Some(Blocker::Observing { .. } | Blocker::AwaitingApproval { .. })
        );
        if waits && self.state.autonomy() > before {
            // Nobody need wait for a person any more; the next reading says what comes now.
            self.state.run.blocker = Some(Blocker::Starting);
        }
        self.poll_now();
        self.release_after_end();
    }

    /// A run that has ended is not read any more: git is asked whether its head is still the one that its last words are about.
    fn release_after_end(&mut self) {
        let stopped = matches!(self.state.run.state, State::NeedsHuman | State::Failed);
        let waits = self.state.autonomy() > Autonomy::Observe && !self.state.outbox.held.is_empty();
        if !(stopped && waits) {
            return;
        }
        match self.state.run.head.sha.clone() {
            Some(shown) => {
                self.enqueue(Effect::ReadRemoteHead(ReadRemoteHeadEffect { shown }));
            }
            None => self.release_posts(),
        }
    }

    /// What git says of the head of a run that has ended.
    pub(super) fn remote_head_after_end(&mut self, shown: &Sha, head: Option<&Sha>) {
        if self.state.autonomy() == Autonomy::Observe {
            return;
        }
        if head == Some(shown) {
            self.release_posts();
        } else {
            self.discard_held();
        }
    }

    /// Begins a look: what each look asks for anew is let go of, and what may be said by now is said, in order. The blocker is what keeps
    /// that from being done.
    pub(super) fn release_held(&mut self, snapshot: &Snapshot) -> Option<Blocker> {
        let held = &mut self.state.outbox.held;
        held.retain(|held| held.content().is_some());
        if held.is_empty() || self.state.autonomy() == Autonomy::Observe {
            return None;
        }
        // The token was not asked about while nothing was to be written.
        if self.state.run.state != State::PrCreated
            && let Some(wait) = self.ensure_rights(snapshot)
        {
            return Some(wait);
        }
        self.release_posts();
        None
    }

    fn release_posts(&mut self) {
        for held in std::mem::take(&mut self.state.outbox.held) {
            if held.content().is_some() {
                self.enqueue(held.effect);
            }
        }
    }

    /// Throws away what was made for another head than this one.
    pub(super) fn discard_held_for_another(&mut self, head: &Sha) {
        let of_another = |held: &Option<Sha>| held.as_ref().is_some_and(|of| of != head);
        if self
            .state
            .outbox
            .held
            .iter()
            .any(|held| of_another(&held.head))
        {
            self.discard_held();
        }
    }

    /// Throws away what is held, as if it had never been said: it is derived anew from what there is then.
    pub(super) fn discard_held(&mut self) {
        let mut count = 0_u32;
        let mut answers = false;
        for held in std::mem::take(&mut self.state.outbox.held) {
            if let Effect::Post(PostEffect { post }) = &held.effect {
                answers |= matches!(
                    post.content,
                    PostContent::Reply { .. }
                        | PostContent::Answers { .. }
                        | PostContent::BodyDispositions { .. }
                );
                count = count.saturating_add(1);
                self.forget_post(post);
            }
        }
        if count > 0 {
            self.notes.push(Note::HeldDiscarded { count });
        }
        if answers {
            // What was turned down was turned down in these words: it is looked at again.
            self.reopen_rejected();
        }
    }

    /// Has findings looked at again that were turned down.
    pub(super) fn reopen_rejected(&mut self) {
        for finding in self.state.run.review.findings.values_mut() {
            if finding.status == FindingStatus::Rejected {
                finding.status = FindingStatus::Open;
                finding.rejection = None;
                finding.second_look = None;
            }
        }
    }

    /// What it waits for where the level is what keeps it from going on; else what it was.
    pub(super) fn blocker_of_level(&self, blocker: Blocker) -> Blocker {
        let waits_for_write = matches!(
            blocker,
            Blocker::Posting | Blocker::Pushing | Blocker::RerunningChecks { .. }
        );
        if !waits_for_write {
            return blocker;
        }
        match (self.state.autonomy(), self.state.held_push()) {
            (Autonomy::Observe, _) => match self.state.held_count() {
                0 => blocker,
                count => Blocker::Observing {
                    count: u32::try_from(count).unwrap_or(u32::MAX),
                },
            },
            (Autonomy::Ask, Some(push)) if blocker == Blocker::Pushing => {
                let names = push.files.iter().take(MAX_NAMES).cloned().collect();
                Blocker::AwaitingApproval {
                    commit: push.commit.clone(),
                    count: u32::try_from(push.files.len()).unwrap_or(u32::MAX),
                    names,
                }
            }
            (Autonomy::Ask | Autonomy::Push, _) => blocker,
        }
    }

    /// The fix that waits for a person's word, where it is this commit on this head.
    fn awaiting_approval(&mut self, commit: &Sha, head: &Sha) -> bool {
        let asks = self.state.autonomy() == Autonomy::Ask;
        let push = self.state.held_push();
        let is_it = push.is_some_and(|push| push.commit == commit && push.head == head);
        let is_head = self.state.run.head.sha.as_ref() == Some(head);
        let waits = asks && is_it && is_head && self.state.run.state == State::PrFixing;
        if !waits {
            self.ignore("no_such_push");
        }
        waits
    }

    pub(super) fn push_approved(&mut self, approved: &PushApproved) {
        let PushApproved { by, commit, head } = approved.clone();
        if !self.awaiting_approval(&commit, &head) {
            return;
        }
        self.notes.push(Note::PushApproved {
            by: by.clone(),
            commit: commit.clone(),
        });
        self.state.run.fixing.approved_push = Some(ApprovedPush { commit, head, by });
        self.state.run.blocker = Some(Blocker::Pushing);
        // It is pushed from a fresh look, as every fix is.
        self.poll_now();
    }

    pub(super) fn push_rejected(&mut self, rejected: &PushRejected) {
        if !self.awaiting_approval(&rejected.commit, &rejected.head) {
            return;
        }
        let Some(fix) = self.state.run.fixing.pending.take() else {
            return;
        };
        self.notes.push(Note::PushRejected {
            by: rejected.by.clone(),
            commit: rejected.commit.clone(),
            words: rejected.note.clone(),
        });
        self.state.run.fixing.rejected_pushes += 1;
        self.state.run.blocker = Some(Blocker::Starting);
        self.poll_now();
        if let Some(merge) = &fix.merge {
            let error = UserError::new(ErrorCode::BaseMergeDeclined);
            return self.refuse_merge(&merge.base, error);
        }
        // The rules cannot read what a person says; they would make the same again.
        let can_read = fix.result.agent != RULES_FIXER;
        if can_read && self.state.run.fixing.rejected_pushes < MAX_REJECTIONS {
            return self.fix_again(fix, rejected);
        }
        let reason = rejection_note(&rejected.note);
        self.state.run.fixing.pending = Some(PendingFix {
            result: FixResult::all_rejected(&fix.payload, &fix.result.agent, &reason),
            commit: None,
            oscillates: false,
            files: Vec::new(),
            ..fix
        });
    }

    fn fix_again(&mut self, fix: PendingFix, rejected: &PushRejected) {
        let base = self.state.run.head.base.clone();
        let count = u32::try_from(fix.payload.issues_to_fix.len()).unwrap_or(u32::MAX);
        self.enqueue(Effect::Fix(FixEffect {
            payload: fix.payload,
            base: base.unwrap_or_else(|| fix.from.clone()),
            head: fix.from,
            not_before: self.now,
            failures: 0,
            rejected: Some(RejectedPush {
                commit: rejected.commit.clone(),
                note: rejected.note.clone(),
            }),
        }));
        self.state.run.blocker = Some(Blocker::Fixing { count });
    }
}

/// A person's word as the reason of a rejection.
fn rejection_note(note: &str) -> String {
    match note.trim() {
        "" => note_codes::PUSH_REJECTED.to_owned(),
        note => format!("{}:{note}", note_codes::PUSH_REJECTED),
    }
}
