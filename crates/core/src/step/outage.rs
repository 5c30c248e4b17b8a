//! What keeps work from being done without being its fault: GitHub does not answer (§3.2), this machine has no sandbox (§9.5), or what may be
//! spent is (§15). It waits, says why, and goes on by itself.

use super::Transition;
use crate::blocker::Blocker;
use crate::budget::BudgetExceeded;
use crate::effect::Effect;
use crate::event::{Outage, Outcome, PostRefused, SessionFailed, SessionFailure};
use crate::ids::{EffectId, Time};
use crate::session::RefusedHosts;
use crate::user_error::UserError;

/// How often work looks whether a limit was raised, in milliseconds: whoever raises one here has it looked at once.
const BUDGET_RECHECK_MS: u64 = 10 * 60_000;

/// Work that failed by what is no fault of its own.
pub(super) struct HeldWork<'a> {
    by: Obstacle<'a>,
    failed: &'a SessionFailed,
}

/// What stands in its way.
enum Obstacle<'a> {
    Outage(Outage),
    NoSandbox(&'a UserError),
    OverBudget(&'a BudgetExceeded),
}

impl Obstacle<'_> {
    /// When it is worth another try, where that is known.
    fn until(&self, now: Time) -> Option<Time> {
        match self {
            Obstacle::Outage(outage) => outage.until(),
            Obstacle::NoSandbox(_) => None,
            Obstacle::OverBudget(exceeded) => exceeded.until.or(Some(now.plus(BUDGET_RECHECK_MS))),
        }
    }

    fn blocker(&self, not_before: Time) -> Blocker {
        match self {
            Obstacle::Outage(Outage::Unreachable { .. }) => {
                Blocker::Unreachable { until: not_before }
            }
            Obstacle::Outage(Outage::RateLimited { .. }) => {
                Blocker::RateLimited { until: not_before }
            }
            Obstacle::Outage(Outage::Unauthorized) => Blocker::Unauthorized,
            Obstacle::NoSandbox(error) => Blocker::NoSandbox {
                error: (*error).clone(),
            },
            Obstacle::OverBudget(exceeded) => Blocker::Budget {
                exceeded: (*exceeded).clone(),
            },
        }
    }
}

impl Outcome {
    /// How a review, a fix, its verification or a merge failed.
    fn failed_session(&self) -> Option<&SessionFailed> {
        match self {
            Outcome::ReviewFailed(failed)
            | Outcome::FixFailed(failed)
            | Outcome::VerifyFailed(failed)
            | Outcome::BaseMergeFailed(failed) => Some(failed),
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
            | Outcome::CleanedUp
            | Outcome::Remembered => None,
        }
    }

    /// The failure of work that has to wait for something else.
    pub(super) fn held_work(&self) -> Option<HeldWork<'_>> {
        let failed = self.failed_session()?;
        let by = match &failed.failure {
            SessionFailure::Outage { outage, .. } => Obstacle::Outage(*outage),
            SessionFailure::NoSandbox { error } => Obstacle::NoSandbox(error),
            SessionFailure::OverBudget { exceeded } => Obstacle::OverBudget(exceeded),
            SessionFailure::Transient { .. }
            | SessionFailure::Permanent { .. }
            | SessionFailure::HeadMismatch { .. } => return None,
        };
        Some(HeldWork { by, failed })
    }

    /// Hosts that the sandbox refused, as far as no session tells of them.
    pub(super) fn refused_hosts(&self) -> RefusedHosts {
        let prepare = match self {
            Outcome::FixFinished(done) => &done.refused_hosts,
            Outcome::FixVerified(done) => &done.refused_hosts,
            Outcome::BaseMerged(done) => &done.refused_hosts,
            Outcome::BaseMergeRefused(done) => &done.refused_hosts,
            Outcome::Rebased(done) => &done.refused_hosts,
            other => {
                let failed = other.failed_session();
                return failed
                    .map_or_else(RefusedHosts::default, |failed| failed.refused_hosts.clone());
            }
        };
        RefusedHosts {
            prepare: prepare.clone(),
            ..RefusedHosts::default()
        }
    }
}

impl Transition {
    /// Asks for the same work again, later: that does not count as one of its failures.
    pub(super) fn wait_out(&mut self, id: &EffectId, effect: Effect, held: HeldWork<'_>) {
        let HeldWork { by, failed } = held;
        let later = self
            .now
            .plus(self.state.run.configuration.policy.poll_interval_ms);
        let not_before = by.until(self.now).map_or(later, |until| until.max(later));
        let Some(again) = postponed(effect.clone(), not_before) else {
            // An answer of the wrong sort: the question stands.
            self.state.outbox.effects.insert(id.clone(), effect);
            return self.ignore("wrong_answer");
        };
        self.add_usage(&failed.usage);
        let told = self.outage_of_work();
        self.enqueue(again);
        let blocker = match (told, &by) {
            // By this the engine knows whom a raised limit concerns. An outage tells of itself at the next try.
            (Some(told @ Blocker::Budget { .. }), Obstacle::Outage(_) | Obstacle::NoSandbox(_)) => {
                told
            }
            _ => by.blocker(not_before),
        };
        self.state.run.outage = Some(blocker.clone());
        self.state.run.blocker = Some(blocker);
    }

    /// What work waits for that cannot be begun: while GitHub is read, its git may still not answer, nor is there a sandbox by that.
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

    /// What stands against a post, or against a push as an account of its own.
    pub(super) fn refused_post_blocker(&self) -> Option<Blocker> {
        let refused = self.state.run.refused_post.as_ref()?;
        let waits = self.state.outbox.effects.contains_key(&refused.effect);
        let blocker = match refused.account.clone() {
            Some(trouble) => trouble.into(),
            None => Blocker::Forbidden {
                message: refused.message.clone(),
            },
        };
        waits.then_some(blocker)
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
        | Effect::Remember(_)
        | Effect::CleanUp => None,
    }
}
