//! What the user lets Collie run and fix, and what waits for that (§6.3e, §9.1).

use super::Transition;
use super::decide::Decision;
use crate::blocker::{Blocker, Stop};
use crate::effect::{Effect, FixEffect, VerifyEffect};
use crate::event::{FixVerified, SessionFailed, SessionFailure, TrustChanged};
use crate::fix::Verification;
use crate::loop_state::PendingFix;
use crate::note::Note;
use crate::snapshot::Snapshot;
use crate::trust::VerifyPermission;

impl Transition {
    /// Remembers what was decided, in every state: the next run goes by it too.
    pub(super) fn trust_changed(&mut self, changed: &TrustChanged) {
        self.state.trust = (*changed.trust).clone();
        let pending = self.state.run.fixing.pending.as_ref();
        if let Some(Verification::Waiting { commands }) = pending.map(|fix| &fix.verification)
            && self.state.trust.verify_permission(commands) == VerifyPermission::Ask
        {
            let effects = &mut self.state.outbox.effects;
            effects.retain(|_, effect| !matches!(effect, Effect::Verify(_)));
        }
        // Nobody need wait for a person any more; the next reading says what comes now.
        if self
            .state
            .run
            .blocker
            .as_ref()
            .is_some_and(|blocker| self.is_answered(blocker))
        {
            self.state.run.blocker = Some(Blocker::Starting);
        }
        self.poll_now();
    }

    /// Whether a decision has come that a blocker asked for.
    fn is_answered(&self, blocker: &Blocker) -> bool {
        let trust = &self.state.trust;
        match blocker {
            Blocker::VerifyUntrusted { commands } => {
                trust.verify_permission(commands) != VerifyPermission::Ask
            }
            Blocker::AuthorNotAllowed { id, .. } => trust.allows(self.state.id.number, *id),
            _ => false,
        }
    }

    /// What keeps the pull request from being fixed: it is not wanted, or nobody has allowed an author without write access.
    pub(super) fn fixing_blocker(&self, snapshot: &Snapshot) -> Option<Blocker> {
        if !self.state.run.configuration.policy.fix {
            return Some(Blocker::FixingOff);
        }
        let author = snapshot.author.as_ref();
        (!self.state.trust.may_fix(snapshot)).then(|| Blocker::AuthorNotAllowed {
            login: author.map(|author| author.login.clone()),
            id: author.map(|author| author.id),
        })
    }

    /// Waits until it may be fixed. That it began to wait for an author is remarked once.
    pub(super) fn await_fixing(&mut self, blocker: Blocker) -> Decision {
        if let Blocker::AuthorNotAllowed { login, id } = &blocker
            && self.state.run.blocker.as_ref() != Some(&blocker)
        {
            let (login, id) = (login.clone(), *id);
            self.notes.push(Note::AuthorDenied { login, id });
        }
        Decision::Wait(blocker)
    }

    /// Takes the fixer's work back where it is not to be fixed any more, and looks again from the start.
    pub(super) fn drop_unwanted_fix(&mut self, snapshot: &Snapshot) -> bool {
        let pushing = self.has_pending(|effect| matches!(effect, Effect::Push(_)));
        if pushing || self.fixing_blocker(snapshot).is_none() {
            return false;
        }
        self.state.outbox.effects.retain(|_, effect| {
            !matches!(
                effect,
                Effect::Fix(_) | Effect::Verify(_) | Effect::MergeBase(_)
            )
        });
        self.state.run.fixing.pending = None;
        true
    }

    /// Waits for the decision about a finished fix's verify commands, or has it verified; none when it may be pushed.
    pub(super) fn await_verification(
        &mut self,
        fix: &PendingFix,
        snapshot: &Snapshot,
    ) -> Option<Blocker> {
        let (Verification::Waiting { commands }, Some(commit)) = (&fix.verification, &fix.commit)
        else {
            return None;
        };
        if self.has_pending(|effect| matches!(effect, Effect::Verify(_))) {
            return Some(Blocker::Verifying);
        }
        match self.state.trust.verify_permission(commands) {
            VerifyPermission::Ask => Some(Blocker::VerifyUntrusted {
                commands: commands.clone(),
            }),
            VerifyPermission::Run | VerifyPermission::Skip => {
                self.enqueue(Effect::Verify(VerifyEffect {
                    commit: commit.clone(),
                    from: fix.from.clone(),
                    base: snapshot.base.clone(),
                    not_before: self.now,
                    failures: 0,
                }));
                Some(Blocker::Verifying)
            }
        }
    }

    pub(super) fn fix_verified(&mut self, verified: &FixVerified) {
        let Some(mut fix) = self.state.run.fixing.pending.take() else {
            return self.ignore("no_fix");
        };
        self.poll_now();
        match &verified.commit {
            Some(commit) => {
                self.state.memory.own_commits.insert(commit.clone());
                fix.commit = Some(commit.clone());
                fix.verification = verified.verification.clone();
                self.state.run.fixing.pending = Some(fix);
            }
            None if fix.merge.is_some() => self.refuse_pending_merge(&fix),
            // The fixer is told by the gate what was wrong, and tries again.
            None => {
                let base = self.state.run.head.base.clone();
                self.enqueue(Effect::Fix(FixEffect {
                    payload: fix.payload,
                    base: base.unwrap_or_else(|| fix.from.clone()),
                    head: fix.from,
                    not_before: self.now,
                    failures: 0,
                    rejected: None,
                }));
            }
        }
    }

    pub(super) fn verify_failed(&mut self, asked: VerifyEffect, failed: &SessionFailed) {
        if matches!(failed.failure, SessionFailure::HeadMismatch { .. }) {
            return;
        }
        let failures = asked.failures + 1;
        match self.retry_at(failures, &failed.failure) {
            Some(not_before) => self.enqueue(Effect::Verify(VerifyEffect {
                not_before,
                failures,
                ..asked
            })),
            None => self.stop_run(Stop::FixFailed {
                error: failed.failure.clone().into_error(),
            }),
        }
    }
}
