//! The one place where a loop is decided: state, event and time in; state and effects out.
//!
//! **Architecture invariant.** [`step`] is total. An event that makes no sense in a state leaves it as it is and says so in a note.
//! Results of work are only recorded here, and have the pull request read at once; what follows from them is decided from that fresh
//! snapshot, in [`decide`]. So nothing is ever decided from what GitHub said before.

mod additions;
#[cfg(test)]
mod additions_tests;
mod agreement;
#[cfg(test)]
mod agreement_tests;
#[cfg(test)]
mod authority_tests;
mod autonomy;
#[cfg(test)]
mod autonomy_tests;
mod base_merge;
#[cfg(test)]
mod base_merge_tests;
#[cfg(test)]
mod bot_tests;
mod bots;
mod checks;
#[cfg(test)]
mod checks_tests;
#[cfg(test)]
mod claims_tests;
mod commands;
#[cfg(test)]
mod commands_tests;
mod decide;
mod declined_bots;
#[cfg(test)]
mod declined_bots_tests;
mod dispositions;
#[cfg(test)]
mod ending_tests;
mod feedback;
#[cfg(test)]
mod feedback_tests;
mod fix;
#[cfg(test)]
mod ignored_remarks_tests;
#[cfg(test)]
mod linter_tests;
mod merge_queue;
#[cfg(test)]
mod merge_queue_tests;
#[cfg(test)]
mod merge_state_tests;
mod observe;
mod outage;
#[cfg(test)]
mod outage_tests;
mod own_posts;
#[cfg(test)]
mod own_posts_tests;
mod panel;
mod pause;
#[cfg(test)]
mod pause_tests;
mod persona_reviews;
#[cfg(test)]
mod persona_reviews_tests;
mod persons_word;
#[cfg(test)]
mod persons_word_tests;
mod post;
mod remember;
#[cfg(test)]
mod remember_tests;
#[cfg(test)]
mod report_tests;
#[cfg(test)]
mod restraint_tests;
mod review_results;
mod rights;
#[cfg(test)]
mod rights_tests;
mod single_review;
#[cfg(test)]
mod single_review_tests;
#[cfg(test)]
mod tests;
mod throttle;
#[cfg(test)]
mod throttle_tests;
mod trust;
#[cfg(test)]
mod trust_tests;
mod unseen;
#[cfg(test)]
mod unseen_tests;
mod verdicts;
#[cfg(test)]
mod verdicts_tests;

pub use post::RULES_FIXER;
pub use single_review::{
    EarlierLook, PostedReport, SingleReview, ThreadDismissal, earlier_look, posted_report,
    review_once, single_review_run, thread_dismissals,
};

use crate::backoff::Backoff;
use crate::blocker::{Blocker, BlockerCode, Stop};
use crate::effect::Effect;
use crate::effect::ResolveThreadEffect;
use crate::event::{Answered, ConfigInvalid, ConfigLoaded, NextRun, Outcome, SessionCancelled};
use crate::event::{Delivery, Event, SessionFailure};
use crate::fix::Verification;
use crate::ids::{EffectId, Time};
use crate::lifecycle::State;
use crate::loop_state::LoopState;
use crate::note::Note;
use crate::panel_state::build_stages;
use crate::post::PostContent;
use crate::session::AgentSession;

/// Waits before a failed session is tried again: 1 s, 2 s, 4 s (§2).
const SESSION_BACKOFF: Backoff = Backoff {
    first_ms: 1_000,
    max_ms: 1_024_000,
};

/// What one event came to.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Step {
    /// The state after it.
    pub state: LoopState,
    /// New in the outbox, in order.
    pub effects: Vec<EffectId>,
    /// Taken out of the outbox: answered or no longer wanted.
    pub dropped: Vec<EffectId>,
    /// Remarks.
    pub notes: Vec<Note>,
}

/// A state in the making.
struct Transition {
    state: LoopState,
    now: Time,
    notes: Vec<Note>,
}

/// Applies one event.
pub fn step(state: &LoopState, event: &Event, now: Time) -> Step {
    let mut transition = Transition {
        state: state.clone(),
        now,
        notes: Vec::new(),
    };
    transition.apply(event);
    transition.note_wait(state);
    transition.note_awaited_bots(state);
    if transition.state.run.state.is_terminal() && !state.run.state.is_terminal() {
        transition.state.outbox.give_up_posts(&state.outbox);
    }
    let before = &state.outbox;
    let after = &transition.state.outbox;
    let effects = after
        .effects
        .keys()
        .filter(|id| !before.effects.contains_key(*id))
        .cloned()
        .collect();
    let dropped = before
        .effects
        .keys()
        .filter(|id| !after.effects.contains_key(*id))
        .cloned()
        .collect();
    let mut step = Step {
        effects,
        dropped,
        notes: transition.notes,
        state: transition.state,
    };
    if is_quiet(state, &step) {
        // When something last changed, people are told; a reading that showed nothing new is no change.
        step.state.run.updated_at = state.run.updated_at;
    }
    step
}

/// Whether an event changed nothing that is worth writing down: a reading that showed what the one before it showed.
pub fn is_quiet(before: &LoopState, step: &Step) -> bool {
    if !step.effects.is_empty() || !step.dropped.is_empty() || !step.notes.is_empty() {
        return false;
    }
    step.state.without_times_of_reading() == before.without_times_of_reading()
}

impl Transition {
    fn apply(&mut self, event: &Event) {
        match event {
            Event::Observed(reading) => self.observed(reading),
            Event::ObserveFailed(failed) => self.observe_failed(failed),
            Event::PollPostponed(postponed) => self.poll_postponed(postponed),
            Event::Answered(answered) => self.answered(answered),
            Event::Cancel(_) => self.cancel(),
            Event::Retry(next) => self.retry(next),
            Event::Resume(next) => self.resume(next),
            Event::TrustChanged(changed) => self.trust_changed(changed),
            Event::FilesSeen(seen) => self.files_seen(seen),
            Event::FindingDismissed(dismissed) => self.finding_dismissed(dismissed),
            Event::FixerNoted(noted) => self.fixer_noted(&noted.note),
            Event::AutonomyChanged(changed) => self.autonomy_changed(changed),
            Event::PauseChanged(changed) => self.pause_changed(changed),
            Event::PushApproved(approved) => self.push_approved(approved),
            Event::PushRejected(rejected) => self.push_rejected(rejected),
            Event::PostRefused(refused) => self.post_refused(refused),
            Event::SessionCancelled(cancelled) => self.session_cancelled(cancelled),
        }
        self.state.run.updated_at = self.now;
    }

    /// What came back from an effect. One that is not in the outbox was answered before, or dropped.
    fn answered(
        &mut self,
        Answered {
            effect: id,
            outcome,
            agent_session,
        }: &Answered,
    ) {
        let Some((effect, was_given_up)) = self.state.outbox.take(id) else {
            return self.ignore("unknown_effect");
        };
        self.keep_agent_session(agent_session.as_ref());
        let refused = &mut self.state.run.refused_post;
        refused.take_if(|refused| refused.effect == *id);
        self.note_refused_hosts(&effect, outcome);
        if let Some(held) = outcome.held_work() {
            return self.wait_out(id, effect, held);
        }
        if effect.takes_slot() && self.outage_of_work().is_none() {
            self.state.run.outage = None;
        }
        match (effect, outcome) {
            (Effect::LoadConfig(_), Outcome::ConfigLoaded(loaded)) => self.config_loaded(loaded),
            (Effect::LoadConfig(_), Outcome::ConfigInvalid(invalid)) => {
                self.config_invalid(invalid);
            }
            (Effect::CheckRights(_), Outcome::RightsChecked(it)) => self.rights_checked(it),
            (Effect::Review(review), Outcome::ReviewFinished(finished)) => {
                self.review_finished(&review, finished);
            }
            (Effect::Review(review), Outcome::ReviewFailed(failed)) => {
                self.review_failed(review, failed);
            }
            (Effect::Fix(fix), Outcome::FixFinished(finished)) => self.fix_finished(fix, finished),
            (Effect::Fix(fix), Outcome::FixFailed(failed)) => self.fix_failed(fix, failed),
            (Effect::Verify(_), Outcome::FixVerified(verified)) => self.fix_verified(verified),
            (Effect::Verify(verify), Outcome::VerifyFailed(failed)) => {
                self.verify_failed(verify, failed);
            }
            (
                Effect::MergeBase(asked),
                Outcome::BaseMerged(_) | Outcome::BaseMergeRefused(_) | Outcome::BaseMergeFailed(_),
            ) => self.base_merge_ended(asked, outcome),
            (Effect::Push(_), Outcome::Pushed(pushed)) => self.pushed(&pushed.commit),
            (Effect::Push(_), Outcome::Rebased(rebased)) => self.rebased(rebased),
            (Effect::Push(_), Outcome::PushFailed(failed)) => self.push_failed(&failed.failure),
            (Effect::ReadRemoteHead(asked), Outcome::RemoteHead(found)) => {
                self.remote_head(&asked.shown, found.head.as_ref());
            }
            (Effect::Post(asked), Outcome::Delivered(delivered)) => {
                self.post_delivered(&asked.post, &delivered.delivery, was_given_up);
            }
            (Effect::RerunChecks(_), Outcome::ChecksRerun(rerun)) => self.checks_rerun(rerun),
            // What agents kept of their sessions went with the worktree.
            (Effect::CleanUp, Outcome::CleanedUp) => self.state.memory.fixer_session = None,
            (Effect::ResolveThread(_), Outcome::ThreadResolved(_))
            | (Effect::Remember(_), Outcome::Remembered) => {}
            (effect, _) => {
                // An answer of the wrong sort: the question stands.
                self.state.outbox.effects.insert(id.clone(), effect);
                if was_given_up {
                    self.state.outbox.unwanted.insert(id.clone());
                }
                self.ignore("wrong_answer");
            }
        }
    }

    /// Counts what a session had cost by the time that it was cancelled, also where the same is wanted again by now.
    fn session_cancelled(&mut self, cancelled: &SessionCancelled) {
        let usage = &cancelled.usage;
        self.add_usage(usage);
        self.keep_agent_session(cancelled.agent_session.as_ref());
        self.notes.push(Note::SessionCancelled { usage: *usage });
    }

    /// Keeps which session the fixer's agent goes on with: in the transaction that has what came of it (§7.4).
    fn keep_agent_session(&mut self, session: Option<&AgentSession>) {
        if let Some(session) = session {
            self.state.memory.fixer_session = Some(session.clone());
        }
    }

    fn config_loaded(&mut self, loaded: &ConfigLoaded) {
        let commit = loaded.commit.clone();
        if !loaded.without_effect.is_empty() {
            self.notes.push(Note::ConfigWithoutEffect {
                commit,
                keys: loaded.without_effect.clone(),
            });
        }
        self.state.run.review.stages = build_stages(&loaded.policy, &self.state.run.review.stages);
        self.state.run.review.current_stage =
            self.state.run.review.current_stage.min(self.last_stage());
        self.state.run.configuration.policy = (*loaded.policy).clone();
        self.state.run.configuration.commit = Some(loaded.commit.clone());
        self.state.run.configuration.error = None;
        // The repository may name other commands now: which, is read when the fix that waits for them is looked at again.
        let pending = self.state.run.fixing.pending.as_mut();
        if let Some(Verification::Waiting { commands }) = pending.map(|fix| &mut fix.verification) {
            commands.clear();
        }
        if !self.awaits_rights() {
            self.poll_now();
        }
    }

    fn config_invalid(&mut self, invalid: &ConfigInvalid) {
        let ConfigInvalid { commit, error } = invalid.clone();
        self.state.run.configuration.error = Some((commit, error.clone()));
        self.state.run.blocker = Some(Blocker::ConfigInvalid { error });
    }

    /// Remarks that it waits for something else than before: what that is told by later is the journal.
    fn note_wait(&mut self, before: &LoopState) {
        let waits = |state: &LoopState| {
            let blocker = state.run.blocker.as_ref()?;
            Some((BlockerCode::from(blocker), blocker.needs_person()))
        };
        let now = waits(&self.state);
        if let Some((blocker, needs_person)) = now.filter(|_| now != waits(before)) {
            self.notes.push(Note::Waits {
                blocker,
                needs_person,
            });
        }
    }

    fn note_refused_hosts(&mut self, effect: &Effect, outcome: &Outcome) {
        let hosts = outcome.refused_hosts();
        if !hosts.is_empty() {
            let reviewer = effect.as_review().map(|asked| asked.reviewer.name.clone());
            self.notes.push(Note::HostsRefused { reviewer, hosts });
        }
    }

    fn ignore(&mut self, reason: &str) {
        self.notes.push(Note::Ignored {
            reason: reason.into(),
        });
    }

    /// Whether something is asked for and not answered, or held.
    fn has_pending(&self, is: impl Fn(&Effect) -> bool) -> bool {
        let held = self.state.outbox.held.iter().map(|held| &held.effect);
        self.state.outbox.effects.values().chain(held).any(is)
    }

    /// Reads again at once: what was just recorded is acted on from a fresh snapshot.
    fn poll_now(&mut self) {
        if !self.state.run.state.is_terminal() {
            self.state.run.polling.next_at = Some(self.now);
            self.state.run.polling.ignore_snapshots_before = Some(self.now);
        }
    }

    /// Moves along the table. A move that the table does not have is a fault of this module, and is not made.
    fn transition_to(&mut self, next: State) {
        debug_assert!(
            self.state.run.state.can_transition_to(next),
            "{} → {next}",
            self.state.run.state
        );
        if self.state.run.state.can_transition_to(next) {
            self.state.run.state = next;
        }
    }

    /// Takes back work that nobody wants any more.
    fn cancel_work(&mut self) {
        self.state.outbox.effects.retain(|_, effect| match effect {
            Effect::Review(_)
            | Effect::Fix(_)
            | Effect::Verify(_)
            | Effect::MergeBase(_)
            | Effect::Push(_)
            | Effect::ReadRemoteHead(_)
            | Effect::RerunChecks(_)
            | Effect::LoadConfig(_)
            | Effect::CheckRights(_) => false,
            Effect::Post(_) | Effect::ResolveThread(_) | Effect::Remember(_) | Effect::CleanUp => {
                true
            }
        });
        self.state.run.fixing.pending = None;
        self.state.run.fixing.approved_push = None;
        self.state.run.outage = None;
        let held = &mut self.state.outbox.held;
        held.retain(|held| held.content().is_some());
    }

    /// Ends the run. What was to be said is left in the outbox: the engine says what is the last word, and of the rest only settles
    /// what is in doubt (§10.1).
    fn end_run(&mut self, state: State) {
        self.cancel_work();
        let resolved = &mut self.state.memory.resolved;
        self.state.outbox.effects.retain(|_, effect| {
            let Effect::ResolveThread(ResolveThreadEffect { thread }) = effect else {
                return true;
            };
            // The next run asks for it again.
            resolved.remove(thread);
            false
        });
        self.transition_to(state);
        self.state.run.blocker = None;
        self.state.run.ended_at = Some(self.now);
        self.listen_on();
        self.state.run.polling.throttle = None;
        if state.is_over() {
            self.enqueue(Effect::CleanUp);
        }
    }

    /// Ends the run with a reason and says so on GitHub.
    fn stop_run(&mut self, stop: Stop) {
        let lost = matches!(stop, Stop::AccessLost);
        self.end_run(stop.terminal_state());
        self.state.run.stop = Some(stop.clone());
        if lost {
            self.state.run.polling.next_at = None;
        } else {
            self.post_stop_report(stop);
        }
    }

    fn cancel(&mut self) {
        if !self.state.run.state.may_cancel() {
            return self.ignore("terminal");
        }
        self.end_run(State::Cancelled);
    }

    pub(super) fn retry(&mut self, next: &NextRun) {
        if !self.state.run.state.may_retry() {
            let ended = self.state.run.state.is_terminal();
            return self.ignore(if ended { "terminal" } else { "still_running" });
        }
        self.start_run(next);
    }

    fn resume(&mut self, next: &NextRun) {
        if !self.state.run.state.may_resume() {
            return self.ignore("not_resumable");
        }
        let review = &mut self.state.run.review;
        let findings = std::mem::take(&mut review.findings);
        let rounds = std::mem::take(&mut self.state.run.fixing.rounds);
        let notes = std::mem::take(&mut self.state.run.fixing.notes);
        self.start_run(next);
        self.state.run.review.findings = findings;
        self.state.run.fixing.rounds = rounds;
        self.state.run.fixing.notes = notes;
        // What was turned down is looked at again: a person has had a hand in it.
        self.reopen_rejected();
    }

    /// A new run of the same loop. What GitHub has stays known, so that nothing is said twice.
    fn start_run(&mut self, next: &NextRun) {
        let NextRun {
            by,
            run,
            policy,
            extra_rounds,
        } = next.clone();
        self.discard_held();
        self.state = self
            .state
            .clone()
            .next_run(run.clone(), by, *policy, self.now);
        self.state.run.fixing.extra_rounds = extra_rounds;
        self.notes.push(Note::RunStarted { run });
    }

    fn post_delivered(
        &mut self,
        post: &crate::post::Post,
        delivery: &Delivery,
        was_given_up: bool,
    ) {
        let is_undeliverable = matches!(delivery, Delivery::Undeliverable { .. });
        if is_undeliverable && (was_given_up || self.state.run.state.is_over()) {
            // The next run may have begun, and may have the same to say.
            if !self.state.outbox.is_to_be_said(&post.token) {
                self.forget_post(post);
            }
            return self.poll_now();
        }
        if !is_undeliverable {
            self.state.outbox.drop_post(&post.token);
        }
        self.state
            .memory
            .posted
            .insert(post.token.clone(), delivery.clone());
        if let PostContent::Inline { comments, .. } = &post.content {
            for comment in comments {
                self.state
                    .memory
                    .posted
                    .insert(comment.token.clone(), delivery.clone());
            }
        }
        if let Delivery::Undeliverable { message } = delivery {
            let (token, message) = (post.token.clone(), message.clone());
            self.notes.push(Note::Undeliverable { token, message });
        }
        // A reply changes how its thread stands, and a loop that waits for it should see that soon.
        if self.state.run.state != State::PrReadyToMerge {
            self.poll_now();
        }
    }

    fn last_stage(&self) -> u32 {
        u32::try_from(self.state.run.review.stages.len().saturating_sub(1)).unwrap_or(0)
    }

    /// When a failed session is tried again (§2). None: not any more.
    fn retry_at(&self, failures: u32, failure: &SessionFailure) -> Option<Time> {
        match failure {
            SessionFailure::Transient { .. }
                if failures <= self.state.run.configuration.policy.session_retries =>
            {
                Some(self.now.plus(SESSION_BACKOFF.wait_ms(failures)))
            }
            SessionFailure::Transient { .. }
            | SessionFailure::Permanent { .. }
            | SessionFailure::Outage { .. }
            | SessionFailure::NoSandbox { .. }
            | SessionFailure::OverBudget { .. }
            | SessionFailure::HeadMismatch { .. } => None,
        }
    }
}
