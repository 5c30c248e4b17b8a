//! The one place where a loop is decided: state, event and time in; state and effects out.
//!
//! **Architecture invariant.** [`step`] is total. An event that makes no sense in a state leaves it as it is and says so in a note.
//! Results of work are only recorded here, and have the pull request read at once; what follows from them is decided from that fresh
//! snapshot, in [`decide`]. So nothing is ever decided from what GitHub said before.

mod decide;
mod fix;
mod observe;
mod once;
mod panel;
mod results;
mod say;
#[cfg(test)]
mod tests;

pub use once::{OneReview, review_once};
pub use say::RULES_FIXER;

use crate::blocker::{Blocker, Stop};
use crate::ids::{EffectId, Login, RunId, Time};
use crate::lifecycle::State;
use crate::model::{
    Delivery, Effect, Event, FindingStatus, LoopState, NewLoop, Note, SessionFailure, Step,
    stages_of,
};
use crate::policy::Policy;
use crate::post::Content;

/// A state in the making.
struct Turn {
    s: LoopState,
    now: Time,
    notes: Vec<Note>,
}

/// Applies one event.
pub fn step(state: &LoopState, event: &Event, now: Time) -> Step {
    let mut turn = Turn {
        s: state.clone(),
        now,
        notes: Vec::new(),
    };
    turn.apply(event);
    let before = &state.outbox;
    let after = &turn.s.outbox;
    let effects = after
        .keys()
        .filter(|id| !before.contains_key(*id))
        .cloned()
        .collect();
    let dropped = before
        .keys()
        .filter(|id| !after.contains_key(*id))
        .cloned()
        .collect();
    let mut step = Step {
        effects,
        dropped,
        notes: turn.notes,
        state: turn.s,
    };
    if is_quiet(state, &step) {
        // When something last changed, people are told; a reading that showed nothing new is no change.
        step.state.updated_at = state.updated_at;
    }
    step
}

/// Whether an event changed nothing that is worth writing down: a reading that showed what the one before it showed.
pub fn is_quiet(before: &LoopState, step: &Step) -> bool {
    if !step.effects.is_empty() || !step.dropped.is_empty() || !step.notes.is_empty() {
        return false;
    }
    let mut still = step.state.clone();
    still.next_poll_at = before.next_poll_at;
    still.seen.at = before.seen.at;
    still.updated_at = before.updated_at;
    still == *before
}

impl Turn {
    fn apply(&mut self, event: &Event) {
        match event {
            Event::Observed { snapshot } => self.observed(snapshot),
            Event::ObserveFailed {
                at,
                failure,
                jitter_permille,
            } => {
                self.observe_failed(*at, failure, *jitter_permille);
            }
            Event::Cancel { by } => self.cancel(by),
            Event::Retry { by, run, policy } => self.retry(by, run, policy),
            Event::Resume { by, run, policy } => self.resume(by, run, policy),
            Event::ConfigLoaded { effect, .. }
            | Event::ConfigInvalid { effect, .. }
            | Event::ReviewFinished { effect, .. }
            | Event::ReviewFailed { effect, .. }
            | Event::FixFinished { effect, .. }
            | Event::FixFailed { effect, .. }
            | Event::Pushed { effect, .. }
            | Event::Rebased { effect, .. }
            | Event::PushFailed { effect, .. }
            | Event::RemoteHead { effect, .. }
            | Event::Delivered { effect, .. }
            | Event::ThreadResolved { effect, .. }
            | Event::CleanedUp { effect } => self.answered(effect, event),
        }
        self.s.updated_at = self.now;
    }

    /// The answer to an effect. One that is not in the outbox was answered before, or dropped.
    fn answered(&mut self, id: &EffectId, event: &Event) {
        let Some(effect) = self.s.outbox.remove(id) else {
            return self.ignore("unknown_effect");
        };
        match (effect, event) {
            (Effect::LoadConfig { .. }, Event::ConfigLoaded { base, policy, .. }) => {
                self.s.stages = stages_of(policy, &self.s.stages);
                self.s.current_stage = self.s.current_stage.min(self.last_stage());
                self.s.policy = (**policy).clone();
                self.s.policy_base = Some(base.clone());
                self.s.config_error = None;
                self.look_now();
            }
            (Effect::LoadConfig { .. }, Event::ConfigInvalid { base, message, .. }) => {
                self.s.config_error = Some((base.clone(), message.clone()));
                self.s.blocker = Some(Blocker::ConfigInvalid {
                    message: message.clone(),
                });
            }
            (effect @ Effect::Review { .. }, Event::ReviewFinished { .. }) => {
                self.review_finished(&effect, event);
            }
            (effect @ Effect::Review { .. }, Event::ReviewFailed { failure, usage, .. }) => {
                self.review_failed(effect, failure, usage);
            }
            (effect @ Effect::Fix { .. }, Event::FixFinished { .. }) => {
                self.fix_finished(&effect, event);
            }
            (effect @ Effect::Fix { .. }, Event::FixFailed { failure, usage, .. }) => {
                self.fix_failed(effect, failure, usage);
            }
            (Effect::Push { .. }, Event::Pushed { commit, .. }) => self.pushed(commit),
            (Effect::Push { .. }, Event::Rebased { commit, onto, .. }) => {
                self.rebased(commit, onto);
            }
            (Effect::Push { .. }, Event::PushFailed { failure, .. }) => self.push_failed(failure),
            (Effect::ReadRemoteHead { shown }, Event::RemoteHead { head, .. }) => {
                self.remote_head(&shown, head.as_ref());
            }
            (Effect::Say { post }, Event::Delivered { delivery, .. }) => {
                self.delivered(&post, delivery);
            }
            (Effect::Resolve { .. }, Event::ThreadResolved { .. })
            | (Effect::CleanUp, Event::CleanedUp { .. }) => {}
            (effect, _) => {
                // An answer of the wrong sort: the question stands.
                self.s.outbox.insert(id.clone(), effect);
                self.ignore("wrong_answer");
            }
        }
    }

    fn ignore(&mut self, reason: &str) {
        self.notes.push(Note::Ignored {
            reason: reason.into(),
        });
    }

    /// Puts an effect into the outbox, unless the very same one is there.
    fn ask(&mut self, effect: Effect) {
        if self.s.outbox.values().any(|asked| *asked == effect) {
            return;
        }
        self.s.effect_seq += 1;
        let id = EffectId::new(format!("{}-{:06}", self.s.run, self.s.effect_seq));
        self.s.outbox.insert(id, effect);
    }

    fn asked(&self, is: impl Fn(&Effect) -> bool) -> bool {
        self.s.outbox.values().any(is)
    }

    /// Reads again at once: what was just recorded is acted on from a fresh snapshot.
    fn look_now(&mut self) {
        if !self.s.state.is_terminal() {
            self.s.next_poll_at = Some(self.now);
            self.s.look_since = Some(self.now);
        }
    }

    /// Moves along the table. A move that the table does not have is a fault of this module, and is not made.
    fn go(&mut self, next: State) {
        debug_assert!(self.s.state.may_go_to(next), "{} → {next}", self.s.state);
        if self.s.state.may_go_to(next) {
            self.s.state = next;
        }
    }

    /// Takes back work that nobody wants any more.
    fn drop_work(&mut self) {
        self.s.outbox.retain(|_, effect| match effect {
            Effect::Review { .. }
            | Effect::Fix { .. }
            | Effect::Push { .. }
            | Effect::ReadRemoteHead { .. }
            | Effect::LoadConfig { .. } => false,
            Effect::Say { .. } | Effect::Resolve { .. } | Effect::CleanUp => true,
        });
        self.s.pending_fix = None;
    }

    /// Ends the run. What was to be said is left in the outbox: the engine says what is the last word, and of the rest only settles
    /// what is in doubt (§10.1).
    fn end(&mut self, state: State) {
        self.drop_work();
        let resolved = &mut self.s.resolved;
        self.s.outbox.retain(|_, effect| {
            let Effect::Resolve { thread } = effect else {
                return true;
            };
            // The next run asks for it again.
            resolved.remove(thread);
            false
        });
        self.go(state);
        self.s.blocker = None;
        self.s.next_poll_at = None;
        match state {
            State::Merged | State::Closed | State::Cancelled => self.ask(Effect::CleanUp),
            State::PrCreated
            | State::PrAwaitingChecks
            | State::PrReviewing
            | State::PrFixing
            | State::PrReadyToMerge
            | State::NeedsHuman
            | State::Failed => {}
        }
    }

    /// Ends the run with a reason and says so on GitHub.
    fn stop(&mut self, stop: Stop) {
        let lost = matches!(stop, Stop::AccessLost);
        self.end(stop.ends_in());
        self.s.stop = Some(stop.clone());
        if !lost {
            self.say_stop(stop);
        }
    }

    fn cancel(&mut self, by: &Login) {
        if self.s.state.is_terminal() {
            return self.ignore("terminal");
        }
        let _ = by;
        self.end(State::Cancelled);
    }

    fn retry(&mut self, by: &Login, run: &RunId, policy: &Policy) {
        if !self.s.state.is_terminal() {
            return self.ignore("still_running");
        }
        self.fresh_run(by, run, policy);
    }

    fn resume(&mut self, by: &Login, run: &RunId, policy: &Policy) {
        if self.s.state != State::NeedsHuman {
            return self.ignore("not_resumable");
        }
        let before = self.s.clone();
        self.fresh_run(by, run, policy);
        self.s.findings = before.findings;
        self.s.rounds = before.rounds;
        // What was turned down is looked at again: a person has had a hand in it.
        for finding in self.s.findings.values_mut() {
            if finding.status == FindingStatus::Rejected {
                finding.status = FindingStatus::Open;
                finding.rejection = None;
            }
        }
    }

    /// A new run of the same loop. What GitHub has stays known, so that nothing is said twice.
    fn fresh_run(&mut self, by: &Login, run: &RunId, policy: &Policy) {
        let old = self.s.clone();
        let new = NewLoop {
            id: old.id,
            run: run.clone(),
            repo: old.repo,
            title: old.title,
            author: old.author,
            url: old.url,
            head_ref: old.head_ref,
            base_ref: old.base_ref,
            started_by: by.clone(),
            policy: policy.clone(),
        };
        let mut s = LoopState::new(new, self.now);
        s.run_ordinal = old.run_ordinal + 1;
        s.own_commits = old.own_commits;
        s.feedback = old.feedback;
        s.dispositions = old.dispositions;
        s.inlined = old.inlined;
        s.asked_again = old.asked_again;
        s.resolved = old.resolved;
        s.impostors = old.impostors;
        s.posted = old.posted;
        s.outbox = old.outbox;
        s.outbox
            .retain(|_, effect| matches!(effect, Effect::Say { .. }));
        s.effect_seq = old.effect_seq;
        s.usage_before = old.usage_before;
        s.usage_before += old.usage;
        self.s = s;
        self.notes.push(Note::RunStarted { run: run.clone() });
    }

    fn delivered(&mut self, post: &crate::post::Post, delivery: &Delivery) {
        let dropped = match self.s.state {
            State::Merged | State::Closed | State::Cancelled => {
                matches!(delivery, Delivery::Undeliverable { .. })
            }
            State::PrCreated
            | State::PrAwaitingChecks
            | State::PrReviewing
            | State::PrFixing
            | State::PrReadyToMerge
            | State::NeedsHuman
            | State::Failed => false,
        };
        if dropped {
            return self.unsay(post);
        }
        self.s.posted.insert(post.token.clone(), delivery.clone());
        if let Content::Inline { comments, .. } = &post.content {
            for comment in comments {
                self.s
                    .posted
                    .insert(comment.token.clone(), delivery.clone());
            }
        }
        if let Delivery::Undeliverable { message } = delivery {
            let (token, message) = (post.token.clone(), message.clone());
            self.notes.push(Note::Undeliverable { token, message });
        }
        // A reply changes how its thread stands, and a loop that waits for it should see that soon.
        if self.s.state != State::PrReadyToMerge {
            self.look_now();
        }
    }

    fn last_stage(&self) -> u32 {
        u32::try_from(self.s.stages.len().saturating_sub(1)).unwrap_or(0)
    }

    /// When a failed session is tried again: after 1 s, 2 s, 4 s (§2). None: not any more.
    fn retry_at(&self, failures: u32, failure: &SessionFailure) -> Option<Time> {
        match failure {
            SessionFailure::Transient { .. } if failures <= self.s.policy.session_retries => {
                Some(self.now.plus(1_000 << (failures - 1).min(10)))
            }
            SessionFailure::Transient { .. }
            | SessionFailure::Permanent { .. }
            | SessionFailure::HeadMismatch { .. } => None,
        }
    }
}

/// The words of a failure, for the report.
fn failure_message(failure: &SessionFailure) -> String {
    match failure {
        SessionFailure::Transient { message } | SessionFailure::Permanent { message } => {
            message.clone()
        }
        SessionFailure::HeadMismatch { found } => {
            found.as_ref().map(ToString::to_string).unwrap_or_default()
        }
    }
}
