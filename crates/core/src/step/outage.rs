//! Outages: what GitHub does not answer is no fault of the work. It waits, says why, and goes on by itself (§3.2).

use super::Transition;
use crate::blocker::Blocker;
use crate::effect::Effect;
use crate::event::{Outage, Outcome, PostRefused, SessionFailed, SessionFailure};
use crate::ids::{EffectId, Time};

/// Why work fails that GitHub does not answer.
pub(super) struct FailedByOutage<'a> {
    outage: Outage,
    failed: &'a SessionFailed,
}

impl Outcome {
    /// The outage that a review, a fix or its verification failed by.
    pub(super) fn outage(&self) -> Option<FailedByOutage<'_>> {
        let failed = match self {
            Outcome::ReviewFailed(failed)
            | Outcome::FixFailed(failed)
            | Outcome::VerifyFailed(failed)
            | Outcome::BaseMergeFailed(failed) => failed,
            Outcome::ConfigLoaded(_)
            | Outcome::ConfigInvalid(_)
            | Outcome::RightsChecked(_)
            | Outcome::ReviewFinished(_)
            | Outcome::FixFinished(_)
            | Outcome::FixVerified(_)
            | Outcome::BaseMerged(_)
            | Outcome::BaseMergeRefused(_)
            | Outcome::Pushed(_)
            | Outcome::Rebased(_)
            | Outcome::PushFailed(_)
            | Outcome::RemoteHead(_)
            | Outcome::Delivered(_)
            | Outcome::ThreadResolved(_)
            | Outcome::ChecksRerun(_)
            | Outcome::CleanedUp => return None,
        };
        match failed.failure {
            SessionFailure::Outage { outage, .. } => Some(FailedByOutage { outage, failed }),
            SessionFailure::Transient { .. }
            | SessionFailure::Permanent { .. }
            | SessionFailure::HeadMismatch { .. } => None,
        }
    }
}

impl Transition {
    /// Asks for the same work again, later: that does not count as one of its failures.
    pub(super) fn wait_out(&mut self, id: &EffectId, effect: Effect, by: FailedByOutage<'_>) {
        let FailedByOutage { outage, failed } = by;
        let later = self
            .now
            .plus(self.state.run.configuration.policy.poll_interval_ms);
        let not_before = outage.until().map_or(later, |until| until.max(later));
        let Some(again) = postponed(effect.clone(), not_before) else {
            // An answer of the wrong sort: the question stands.
            self.state.outbox.effects.insert(id.clone(), effect);
            return self.ignore("wrong_answer");
        };
        self.add_usage(&failed.usage);
        self.enqueue(again);
        let blocker = match outage {
            Outage::Unreachable { .. } => Blocker::Unreachable { until: not_before },
            Outage::RateLimited { .. } => Blocker::RateLimited { until: not_before },
            Outage::Unauthorized => Blocker::Unauthorized,
        };
        self.state.run.outage = Some(blocker.clone());
        self.state.run.blocker = Some(blocker);
    }

    /// What work waits for that cannot be begun: while GitHub is read again, its git may still not answer.
    pub(super) fn outage_of_work(&self) -> Option<Blocker> {
        let waits = |effect: &Effect| effect.not_before().is_some_and(|at| at > self.now);
        let outage = self.state.run.outage.clone()?;
        self.has_pending(waits).then_some(outage)
    }
}

impl Transition {
    /// A post that somebody can make possible: it stays to be said, and the loop says what stands against it.
    pub(super) fn post_refused(&mut self, refused: &PostRefused) {
        if !self.state.outbox.effects.contains_key(&refused.effect) {
            return self.ignore("unknown_effect");
        }
        self.state.run.refused_post = Some(refused.clone());
        self.poll_now();
    }

    /// What stands against a post.
    pub(super) fn refused_post_blocker(&self) -> Option<Blocker> {
        let refused = self.state.run.refused_post.as_ref()?;
        let waits = self.state.outbox.effects.contains_key(&refused.effect);
        let message = refused.message.clone();
        waits.then_some(Blocker::Forbidden { message })
    }
}

/// The same work at another time; none for what takes no slot.
fn postponed(effect: Effect, not_before: Time) -> Option<Effect> {
    match effect {
        Effect::Review(mut asked) => {
            asked.not_before = not_before;
            Some(Effect::Review(asked))
        }
        Effect::Fix(mut asked) => {
            asked.not_before = not_before;
            Some(Effect::Fix(asked))
        }
        Effect::Verify(mut asked) => {
            asked.not_before = not_before;
            Some(Effect::Verify(asked))
        }
        Effect::MergeBase(mut asked) => {
            asked.not_before = not_before;
            Some(Effect::MergeBase(asked))
        }
        Effect::LoadConfig(_)
        | Effect::CheckRights(_)
        | Effect::Push(_)
        | Effect::ReadRemoteHead(_)
        | Effect::Post(_)
        | Effect::ResolveThread(_)
        | Effect::RerunChecks(_)
        | Effect::CleanUp => None,
    }
}
