//! Merging the base into the head branch: when it is asked for, and what its end means (§3.7).

use super::Transition;
use super::decide::Decision;
use crate::base_merge::{BaseMerge, RefusedMerge};
use crate::blocker::Blocker;
use crate::effect::{Effect, MergeBaseEffect};
use crate::error_code::ErrorCode;
use crate::event::{BaseMergeRefused, BaseMerged, Outcome, SessionFailed, SessionFailure};
use crate::ids::Sha;
use crate::lifecycle::State;
use crate::loop_state::PendingFix;
use crate::merge_queue::EjectionCause;
use crate::policy::BaseMerging;
use crate::snapshot::{Mergeable, Snapshot};
use crate::user_error::UserError;

/// Bases that are remembered as refused by one head: the base may move all the time.
const MAX_REFUSED: usize = 20;

impl Transition {
    /// Why the base as it is could not be merged into the head as it is; none where that was not tried.
    pub(super) fn merge_error(&self, snapshot: &Snapshot) -> Option<UserError> {
        let head = &self.state.run.head;
        let mut refused = head.refused_merges.iter().rev();
        let found = refused.find(|refused| refused.base == snapshot.base)?;
        (head.sha.as_ref() == Some(&snapshot.head)).then(|| found.error.clone())
    }

    /// Has the base merged in where that is what is waited for, and nothing speaks against it. Waits otherwise.
    pub(super) fn merge_base_or_wait(&mut self, snapshot: &Snapshot, blocker: Blocker) -> Decision {
        let conflict = match &blocker {
            Blocker::Conflict { .. }
            | Blocker::QueueEjected {
                cause: EjectionCause::Conflict,
                ..
            } => true,
            Blocker::Behind { .. } => false,
            _ => return Decision::Wait(blocker),
        };
        if !self.may_merge_base(snapshot) {
            return Decision::Wait(blocker);
        }
        if let Some(wait) = self.ensure_config(snapshot) {
            return Decision::Wait(wait);
        }
        if let Some(wait) = self.await_running_checks(snapshot) {
            return Decision::Wait(wait);
        }
        let merging = self.state.run.configuration.policy.merge_base;
        self.enqueue(Effect::MergeBase(MergeBaseEffect {
            head: snapshot.head.clone(),
            base: snapshot.base.clone(),
            base_ref: snapshot.base_ref.clone(),
            by_agent: conflict && merging == BaseMerging::Agent,
            not_before: self.now,
            failures: 0,
        }));
        self.transition_to(State::PrFixing);
        Decision::Wait(Blocker::MergingBase {
            base: snapshot.base_ref.clone(),
        })
    }

    /// Whether it is configured, a push may be made, and this base was not refused by this head.
    fn may_merge_base(&self, snapshot: &Snapshot) -> bool {
        self.state.run.configuration.policy.merge_base != BaseMerging::Off
            && self.merge_error(snapshot).is_none()
            && self.fixing_blocker(snapshot).is_none()
            && self.base_broken_blocker(snapshot).is_none()
            && self.fix_limit(snapshot).is_none()
    }

    /// Waits for checks that run. Those that have not reported are not waited for: GitHub starts none of its own where there is a conflict.
    fn await_running_checks(&self, snapshot: &Snapshot) -> Option<Blocker> {
        let ci = self.ci(snapshot);
        let timeout = self.state.run.configuration.policy.ci_timeout_ms;
        let waits = snapshot.read_at.since(self.state.run.head.seen_at) < timeout;
        (waits && !ci.running.is_empty()).then(|| Blocker::ChecksRunning {
            names: ci.running.iter().map(|check| ci.label(check)).collect(),
            total: ci.total(),
        })
    }

    /// What is to be done about a merge that is under way; none where there is none, or it can be pushed.
    pub(super) fn decide_merging_base(&mut self, snapshot: &Snapshot) -> Option<Decision> {
        let base_ref = self.merge_in_flight()?;
        let pushing = self.has_pending(|effect| matches!(effect, Effect::Push(_)));
        let needed = snapshot.behind
            || snapshot.mergeable != Mergeable::Yes
            || self.conflicted_in_queue(snapshot);
        if !pushing && (base_ref != snapshot.base_ref || !needed) {
            let effects = &mut self.state.outbox.effects;
            effects.retain(|_, effect| !matches!(effect, Effect::MergeBase(_) | Effect::Verify(_)));
            self.state.run.fixing.pending = None;
            self.transition_to(State::PrAwaitingChecks);
            return Some(Decision::Transitioned);
        }
        let works = self.has_pending(|effect| matches!(effect, Effect::MergeBase(_)));
        works.then_some(Decision::Wait(Blocker::MergingBase { base: base_ref }))
    }

    /// The base branch of a merge that was asked for, or is made and not yet pushed.
    fn merge_in_flight(&self) -> Option<String> {
        let mut effects = self.state.outbox.effects.values();
        let asked = effects.find_map(|effect| match effect {
            Effect::MergeBase(asked) => Some(asked.base_ref.clone()),
            _ => None,
        });
        let pending = self.state.run.fixing.pending.as_ref();
        asked.or_else(|| Some(pending?.merge.as_ref()?.base_ref.clone()))
    }

    /// What keeps a finished commit from being pushed. A conflict does not where Collie merges the base in: by this commit, or by the next.
    pub(super) fn hold_before_push(&self, snapshot: &Snapshot) -> Option<Blocker> {
        let pending = self.state.run.fixing.pending.as_ref();
        let merges = pending.is_some_and(|fix| fix.merge.is_some());
        match self.current_hold(snapshot) {
            Some(Blocker::Conflict { .. }) if merges || self.may_merge_base(snapshot) => None,
            hold => hold,
        }
    }

    /// Records what a merge came to. No other outcome is one.
    pub(super) fn base_merge_ended(&mut self, asked: MergeBaseEffect, outcome: &Outcome) {
        match outcome {
            Outcome::BaseMerged(merged) => self.base_merged(asked, merged),
            Outcome::BaseMergeRefused(refused) => self.base_merge_refused(&asked, refused),
            Outcome::BaseMergeFailed(failed) => self.base_merge_failed(asked, failed),
            _ => self.ignore("wrong_answer"),
        }
    }

    fn base_merged(&mut self, asked: MergeBaseEffect, merged: &BaseMerged) {
        self.add_usage(&merged.usage);
        self.note_session(None, merged.session.as_deref(), &merged.usage);
        self.poll_now();
        self.state.run.fixing.turns += 1;
        // Recorded before the push, as each commit of Collie's is (§3.6).
        let memory = &mut self.state.memory;
        memory.own_commits.insert(merged.commit.clone());
        memory.base_merges.insert(merged.commit.clone());
        self.state.run.fixing.pending = Some(PendingFix {
            from: asked.head,
            commit: Some(merged.commit.clone()),
            result: (*merged.result).clone(),
            payload: (*merged.payload).clone(),
            oscillates: false,
            pushed: false,
            verification: merged.verification.clone(),
            files: merged.conflicts.clone(),
            merge: Some(BaseMerge {
                base_ref: asked.base_ref,
                base: asked.base,
                conflicts: merged.conflicts.clone(),
                lost: merged.lost.clone(),
            }),
        });
    }

    fn base_merge_refused(&mut self, asked: &MergeBaseEffect, refused: &BaseMergeRefused) {
        self.add_usage(&refused.usage);
        self.note_session(None, refused.session.as_deref(), &refused.usage);
        self.poll_now();
        if refused.by_agent {
            self.state.run.fixing.turns += 1;
        }
        self.refuse_merge(&asked.base, refused.error.clone());
    }

    fn base_merge_failed(&mut self, asked: MergeBaseEffect, failed: &SessionFailed) {
        self.add_usage(&failed.usage);
        if matches!(failed.failure, SessionFailure::HeadMismatch { .. }) {
            return;
        }
        let failures = asked.failures + 1;
        match self.retry_at(failures, &failed.failure) {
            Some(not_before) => self.enqueue(Effect::MergeBase(MergeBaseEffect {
                not_before,
                failures,
                ..asked
            })),
            None => {
                self.poll_now();
                self.refuse_merge(&asked.base, failed.failure.clone().into_error());
            }
        }
    }

    /// A gate refuses a merge that had waited for its verify commands.
    pub(super) fn refuse_pending_merge(&mut self, fix: &PendingFix) {
        let Some(merge) = &fix.merge else {
            return;
        };
        let error = UserError::new(ErrorCode::BaseMergeNotVerified);
        self.refuse_merge(&merge.base, error);
    }

    pub(super) fn refuse_merge(&mut self, base: &Sha, error: UserError) {
        let refused = &mut self.state.run.head.refused_merges;
        refused.retain(|refused| refused.base != *base);
        refused.push(RefusedMerge {
            base: base.clone(),
            error,
        });
        let surplus = refused.len().saturating_sub(MAX_REFUSED);
        refused.drain(..surplus);
    }
}
