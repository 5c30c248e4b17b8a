//! Holds what loops show, and what the journal says at the end, against the promises.

use super::remote::{Remote, commit_of, named_fault, sha};
use super::schedule::Torn;
use super::stage::Stage;
use collie_core::finding::SourceType;
use collie_core::lifecycle::State;
use collie_core::loop_state::LoopState;
use collie_core::tracked_finding::{FindingStatus, TrackedFinding};
use std::collections::BTreeSet;
use std::sync::{Arc, PoisonError};

/// Takes in how a loop is now.
pub fn observe(stage: &Stage, state: Arc<LoopState>) {
    let number = state.id.number;
    let place = usize::try_from(number.saturating_sub(1)).unwrap_or_default();
    let before = stage.promises().show(state.clone());
    let from = before.as_ref().map(|before| before.run.state);
    if from != Some(state.run.state) {
        let name = state.run.state.as_str();
        *stage.promises().reached.entry(name).or_default() += 1;
        let stop = state.run.stop.as_ref().map(|stop| stop.code());
        if let Some(stop) = stop.filter(|_| state.run.state.is_terminal()) {
            *stage.promises().stops.entry(stop).or_default() += 1;
        }
        stage.log(format!(
            "#{number} {name} ({} {:?} {})",
            state.run.id,
            state.run.blocker,
            stop.unwrap_or_default()
        ));
    }
    if !state.run.state.is_terminal() {
        check_wait(stage, &state);
    }
    let is_ready = state.run.state == State::PrReadyToMerge;
    if is_ready && from != Some(State::PrReadyToMerge) {
        check_ready(stage, &state, place);
        check_feedback(stage, &state);
    }
    check_pushes(stage, &state, place);
    check_fixed(stage, before.as_deref(), &state);
    if !stage.promises().is_stored(&state) {
        stage.breach(format!(
            "#{number} is shown as {} before the journal has it",
            state.run.state
        ));
    }
}

/// A fault is called fixed when somebody has looked at a head without it, not when the fixer says so (§5.2).
fn check_fixed(stage: &Stage, before: Option<&LoopState>, state: &LoopState) {
    let is_fixed = |known: &TrackedFinding| known.status == FindingStatus::Fixed;
    let review = &state.run.review;
    let seats = review.stages.iter().flat_map(|stage| &stage.reviewers);
    let heads: Vec<u64> = seats
        .filter_map(|seat| Some(commit_of(seat.head.as_ref()?)))
        .collect();
    for (print, known) in &review.findings {
        let was = before.and_then(|before| before.run.review.findings.get(print));
        let by_panel = known.finding.source.kind == SourceType::Agent;
        if !by_panel || !is_fixed(known) || was.is_some_and(is_fixed) {
            continue;
        }
        let Some(fault) = named_fault(&known.finding.title) else {
            continue;
        };
        let remote = stage.remote();
        let is_gone = |head: &u64| !remote.faults(*head).contains(&fault);
        let is_seen = heads.iter().any(is_gone);
        drop(remote);
        if !is_seen {
            let number = state.id.number;
            stage.breach(format!("#{number} calls fault {fault} fixed, unseen"));
        }
    }
}

fn check_wait(stage: &Stage, state: &LoopState) {
    let run = &state.run;
    let was_read = run.polling.last_snapshot.at.is_some();
    if was_read && (run.blocker.is_none() || run.polling.next_at.is_none()) {
        stage.breach(format!(
            "#{} waits as {} for {:?} until {:?}",
            state.id.number, run.state, run.blocker, run.polling.next_at
        ));
    }
}

/// Ready is what GitHub showed at some moment of the reading that it was decided from.
fn check_ready(stage: &Stage, state: &LoopState, place: usize) {
    let Some(read_at) = state.run.polling.last_snapshot.at else {
        return stage.breach(format!("#{} is ready unseen", state.id.number));
    };
    let shown_at = stage
        .read_at
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .get(&read_at)
        .copied();
    let Some(shown_at) = shown_at else {
        return stage.breach(format!("#{} is ready by no reading", state.id.number));
    };
    let remote = stage.remote();
    let view = remote.view_at(place, shown_at);
    let head = state.run.head.sha.as_ref().map(commit_of);
    let was_so = head == Some(view.head()) && remote.is_ready(place, &view, shown_at);
    let mut seats = state
        .run
        .review
        .stages
        .iter()
        .flat_map(|stage| &stage.reviewers);
    let looked = seats.all(|seat| seat.head.as_ref().map(commit_of) == head);
    drop(remote);
    if !was_so || !looked {
        stage.breach(format!(
            "#{} is ready at {:?}, which nobody saw (looked: {looked})",
            state.id.number,
            head.map(sha)
        ));
    }
}

/// Nothing that people said waits where ready is claimed (§7.4).
fn check_feedback(stage: &Stage, state: &LoopState) {
    let waiting = state.memory.feedback.iter();
    let mut waiting = waiting.filter(|(_, heard)| heard.processed_at.is_none());
    if let Some((key, _)) = waiting.next() {
        stage.breach(format!(
            "#{} is ready before {key} is answered",
            state.id.number
        ));
    }
}

fn check_pushes(stage: &Stage, state: &LoopState, place: usize) {
    let run = state.run.id.to_string();
    let remote = stage.remote();
    let twice = turns_pushed_twice(&remote, place);
    // A checkpoint that is older than a push does not know of it: that round is counted again, once for each journal that was lost.
    let torn = stage.torn();
    let lost = torn.struck.get(&Torn::JournalLost).copied();
    let lost = usize::try_from(lost.unwrap_or_default()).unwrap_or_default();
    drop(torn);
    let of_run = remote
        .pushed_turns
        .iter()
        .filter(|(pull, (of, _))| *pull == place && *of == run);
    let pushes = of_run.count();
    drop(remote);
    for turn in twice.into_iter().skip(lost) {
        stage.breach(format!("#{} {turn} was pushed twice", state.id.number));
    }
    if pushes > state.max_iterations() as usize + lost {
        stage.breach(format!("#{} has pushed {pushes} times", state.id.number));
    }
}

fn turns_pushed_twice(remote: &Remote, place: usize) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let of_pull = remote
        .pushed_turns
        .iter()
        .filter(|(pull, _)| *pull == place);
    let twice = of_pull.filter(|(_, turn)| !seen.insert(turn.clone()));
    twice
        .map(|(_, (run, round))| format!("round {round} of {run}"))
        .collect()
}

/// What a process had stored before it died, the next one has applied: no event is lost (§10.4).
pub fn check_inbox(stage: &Stage, unapplied: impl Iterator<Item = u64>) {
    let received = stage.promises().received.clone();
    for lost in unapplied.filter(|seq| received.contains(seq)) {
        stage.breach(format!("event {lost} was stored and never applied"));
    }
}

/// A run that a person cancelled has ended: no word of a person's that was taken is lost.
pub fn check_cancelled(stage: &Stage) {
    let promises = stage.promises();
    let cancelled = promises.cancelled.iter();
    let lost = cancelled.filter(|(id, run, request)| {
        let goes_on = promises.run_at_work(id).as_ref() == Some(run);
        goes_on && !promises.refused.contains(request)
    });
    let lost: Vec<String> = lost
        .map(|(id, run, _)| format!("#{} {run} was cancelled and goes on", id.number))
        .collect();
    drop(promises);
    lost.into_iter().for_each(|lost| stage.breach(lost));
}

/// What the journal must say at the end: what the loops were last shown as.
pub fn check_journal(stage: &Stage, stored: &[LoopState]) {
    let shown: Vec<Arc<LoopState>> = stage.promises().loops().cloned().collect();
    for last in shown {
        let same = stored.iter().find(|stored| stored.id == last.id);
        let is_same = same.is_some_and(|stored| {
            stored.run.state == last.run.state
                && stored.run.id == last.run.id
                && stored.run.fixing.iteration == last.run.fixing.iteration
                && stored.memory.posted == last.memory.posted
                && stored.outbox == last.outbox
        });
        if !is_same {
            stage.breach(format!(
                "#{} is another one in the journal than it was shown",
                last.id.number
            ));
        }
    }
}
