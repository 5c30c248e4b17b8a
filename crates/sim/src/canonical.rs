//! Which situations are the same: times count from now, effects by their order, and what nothing is decided from does not count.
//!
//! A time that is left in makes two situations of one, and the search grows. One that is left out could make one of two, so each that is
//! left out says why nothing hangs on it in this world: every head has its check, and what bots are waited for by counts where there are any.

use crate::host::Host;
use collie_core::blocker::Blocker;
use collie_core::effect::Effect;
use collie_core::event::{Event, Outcome};
use collie_core::finding::{Finding, SourceType};
use collie_core::ids::{EffectId, Time};
use collie_core::lifecycle::State;
use collie_core::loop_state::{LoopState, Run};
use collie_core::post::PostContent;
use collie_core::snapshot_summary::{BotStatus, SnapshotSummary};
use std::hash::{DefaultHasher, Hash, Hasher};

/// Nothing is decided by how much longer ago something was.
const LONG_AGO_MS: i64 = 2 * 30_000 + 1;

fn relative(time: &mut Time, now: Time) {
    time.0 = (time.0 - now.0).max(-LONG_AGO_MS);
}

/// Only what is still to come matters.
fn until(time: &mut Time, now: Time) {
    time.0 = (time.0 - now.0).max(0);
}

fn relative_if(time: &mut Option<Time>, now: Time) {
    if let Some(time) = time {
        relative(time, now);
    }
}

/// Whether it is there matters, not when it was.
fn forget(time: &mut Option<Time>) {
    *time = time.map(|_| Time::default());
}

/// What checks failed with bears the time of its reading.
fn without_time(finding: &mut Finding) {
    if finding.source.kind == SourceType::Ci {
        finding.source.timestamp.clear();
    }
}

fn relative_blocker(blocker: Option<&mut Blocker>, now: Time) {
    if let Some(
        Blocker::BotsPending { until, .. }
        | Blocker::BotsOutOfQuota { until, .. }
        | Blocker::NoChecksYet { until }
        | Blocker::CollectingFailures { until, .. }
        | Blocker::Unreachable { until }
        | Blocker::RateLimited { until }
        | Blocker::NotFound { until },
    ) = blocker
    {
        relative(until, now);
    }
}

fn canonical_effect(effect: &mut Effect, now: Time) {
    match effect {
        Effect::Review(asked) => {
            until(&mut asked.not_before, now);
            for known in &mut asked.known_findings {
                without_time(&mut known.finding);
            }
        }
        Effect::Fix(asked) => {
            until(&mut asked.not_before, now);
            asked
                .payload
                .issues_to_fix
                .iter_mut()
                .for_each(without_time);
        }
        Effect::Post(asked) => match &mut asked.post.content {
            PostContent::Proof(proof) => proof.elapsed_ms = 0,
            PostContent::Stop(stop) => {
                for known in &mut stop.findings {
                    without_time(&mut known.finding);
                }
            }
            PostContent::Review(report) => report.findings.iter_mut().for_each(without_time),
            _ => {}
        },
        Effect::Remember(asked) => {
            asked.entry.at = Time::default();
            asked.entry.expires_at = None;
        }
        _ => {}
    }
}

fn canonical_head(run: &mut Run, now: Time) {
    let head = &mut run.head;
    let has_bots = !run.configuration.policy.bots.is_empty();
    match &run.fixing.pending {
        // How long a reading may be stale.
        Some(fix) if fix.pushed => relative(&mut head.seen_at, now),
        // How long bots are waited for.
        _ if has_bots => relative(&mut head.seen_at, now),
        // Else for heads without checks.
        _ => head.seen_at = Time::default(),
    }
    relative_if(&mut head.ci_running_since, now);
    // For what bots say in the conversation, merge queues.
    forget(&mut head.not_before);
    match has_bots {
        // How long bots are waited for with a red check.
        true => relative_if(&mut head.first_failure_at, now),
        // Several checks.
        false => forget(&mut head.first_failure_at),
    }
    forget(&mut head.only_missing_since);
    for rerun in &mut head.check_history.reruns {
        relative(&mut rerun.at, now);
    }
    if let Some(proof) = &mut head.proof {
        proof.elapsed_ms = 0;
    }
}

fn canonical_summary(summary: &mut SnapshotSummary, now: Time) {
    for person in &mut summary.people {
        person.at = None;
    }
    for view in &mut summary.bots {
        if let BotStatus::Waiting { until } = &mut view.status {
            relative(until, now);
        }
    }
}

fn canonical_state(state: &LoopState, is_read: bool, now: Time) -> LoopState {
    let mut same = state.clone();
    let run = &mut same.run;
    run.started_at = Time::default();
    run.updated_at = Time::default();
    // How long it listens after its end, and whether this is the first look.
    forget(&mut run.ended_at);
    relative_blocker(run.blocker.as_mut(), now);
    relative_blocker(run.outage.as_mut(), now);
    match run.state {
        // Asked about again after a while.
        State::PrCreated => relative_if(&mut run.rights.at, now),
        _ => forget(&mut run.rights.at),
    }
    canonical_head(run, now);
    for seat in run
        .review
        .stages
        .iter_mut()
        .flat_map(|stage| &mut stage.reviewers)
    {
        seat.at = None;
    }
    for known in run.review.findings.values_mut() {
        without_time(&mut known.finding);
    }
    if let Some(fix) = &mut run.fixing.pending {
        fix.payload.issues_to_fix.iter_mut().for_each(without_time);
    }
    if is_read {
        relative_if(&mut run.polling.last_snapshot.at, now);
        relative_if(&mut run.polling.ignore_snapshots_before, now);
    } else {
        // Every reading that begins from now on is newer.
        forget(&mut run.polling.last_snapshot.at);
        run.polling.ignore_snapshots_before = None;
    }
    canonical_summary(&mut run.polling.last_snapshot, now);
    relative_if(&mut run.polling.next_at, now);
    relative_if(&mut run.polling.gone_since, now);
    for seen_at in same.memory.reviewing_bots.values_mut() {
        // Kept by the day.
        *seen_at = Time::default();
    }
    forget(&mut same.memory.listens_since);
    for heard in same.memory.feedback.values_mut() {
        heard.seen_at = Time::default();
        heard.processed_at = heard.processed_at.map(|_| Time::default());
    }
    for effect in same.outbox.effects.values_mut() {
        canonical_effect(effect, now);
    }
    same
}

/// Hashes a loop and what the engine knows of it.
pub fn hash_host(host: &Host, now: Time, into: &mut impl Hasher) {
    let mut same = canonical_state(&host.state, host.reading.is_some(), now);
    // Effects are told apart by their order.
    let effects = std::mem::take(&mut same.outbox.effects);
    let unwanted = std::mem::take(&mut same.outbox.unwanted);
    same.outbox.last_number = 0;
    let refused = same.run.refused_post.take().map(|refused| refused.effect);
    same.hash(into);
    for (id, effect) in &effects {
        effect.hash(into);
        let is = |ids: &std::collections::BTreeSet<EffectId>| ids.contains(id);
        let marks = [
            is(&unwanted),
            is(&host.sending),
            is(&host.in_doubt),
            is(&host.working),
            is(&host.before_end),
            refused.as_ref() == Some(id),
        ];
        marks.hash(into);
    }
    for answer in &host.late_answers {
        hash_answer(answer, &effects.keys().collect::<Vec<_>>(), into);
    }
    if let Some(reading) = &host.reading {
        let mut reading = reading.clone();
        relative(&mut reading.read_at, now);
        reading.hash(into);
    }
    host.inbox.len().hash(into);
    host.cancel_taken.hash(into);
    host.arrived.hash(into);
    host.turn_of.hash(into);
    host.fault.hash(into);
}

/// An answer by the place of its question; one whose question is gone is late, whatever it says.
fn hash_answer(event: &Event, questions: &[&EffectId], into: &mut impl Hasher) {
    let Event::Answered(answered) = event else {
        return event.name().hash(into);
    };
    let place = questions.iter().position(|id| **id == answered.effect);
    place.hash(into);
    if place.is_some() {
        let mut outcome = answered.outcome.clone();
        if let Outcome::ReviewFinished(done) = &mut outcome {
            done.result.findings.iter_mut().for_each(without_time);
        }
        outcome.hash(into);
    }
}

/// A hasher that says the same in every process.
pub fn hasher() -> DefaultHasher {
    DefaultHasher::new()
}
