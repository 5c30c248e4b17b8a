//! Checks: what is waited for, what failed with what, and when it counts as put right (§3.3, §3.5).

use super::Transition;
use super::decide::Decision;
use super::panel::{partition_for_fix, stop_for_unfixable};
use super::review_results::{FindingLocation, after_claim, new_tracked_finding};
use crate::blocker::{Blocker, Stop};
use crate::check_history::{Rerun, RerunState};
use crate::ci::Ci;
use crate::comments;
use crate::effect::{CheckRun, Effect, RerunChecksEffect};
use crate::event::ChecksRerun;
use crate::failure_cause::FailureCause;
use crate::finding::{Finding, SourceType};
use crate::identity::{self, CheckMatch};
use crate::ids::{Fingerprint, Time};
use crate::note::Note;
use crate::snapshot::{Check, Snapshot};
use crate::snapshot_summary::CiStatus;
use crate::tracked_finding::{CheckFailure, FindingStatus, TrackedFinding};
use std::collections::BTreeSet;

impl Transition {
    /// The checks of a snapshot, as this run counts them.
    pub(super) fn ci<'a>(&self, snapshot: &'a Snapshot) -> Ci<'a> {
        Ci::of(
            snapshot,
            &self.state.run.configuration.policy,
            &self.state.run.head.absent_checks,
        )
    }

    /// Gives up on checks that only earlier heads had, once all others have been done for a while on this one (§3.3).
    pub(super) fn give_up_absent_checks(&mut self, snapshot: &Snapshot) {
        let ci = self.ci(snapshot);
        let head = &mut self.state.run.head;
        if !ci.only_known_missing() {
            head.only_missing_since = None;
            return;
        }
        let since = *head.only_missing_since.get_or_insert(snapshot.read_at);
        if snapshot.read_at.since(since) >= self.state.run.configuration.policy.missing_grace_ms {
            let names = ci.missing_known.iter().map(|name| (*name).to_string());
            head.absent_checks.extend(names);
            head.only_missing_since = None;
        }
    }

    /// Until when something may still report where nothing has.
    fn no_checks_until(&self, snapshot: &Snapshot) -> Time {
        let policy = &self.state.run.configuration.policy;
        let grace = match snapshot.others_have_checks {
            true => policy.missing_grace_ms.max(policy.no_checks_grace_ms),
            false => policy.no_checks_grace_ms,
        };
        self.state.run.head.seen_at.plus(grace)
    }

    /// Whether nothing has reported, and something may still.
    pub(super) fn awaits_first_check(&self, snapshot: &Snapshot, ci: &Ci<'_>) -> bool {
        ci.status() == CiStatus::None && snapshot.read_at < self.no_checks_until(snapshot)
    }

    /// Waits until every check is done, or until it has to act on a failure (§3.3, §3.5).
    pub(super) fn await_ci(&mut self, snapshot: &Snapshot, ci: &Ci<'_>) -> Option<Decision> {
        match ci.status() {
            CiStatus::Passed | CiStatus::Failed => self.rerun_failed_checks(snapshot, ci),
            CiStatus::None => {
                let until = self.no_checks_until(snapshot);
                let waits = self.awaits_first_check(snapshot, ci);
                waits.then_some(Decision::Wait(Blocker::NoChecksYet { until }))
            }
            CiStatus::Pending => self.await_unfinished(snapshot, ci),
        }
    }

    fn await_unfinished(&mut self, snapshot: &Snapshot, ci: &Ci<'_>) -> Option<Decision> {
        let policy = &self.state.run.configuration.policy;
        let names = ci.unfinished_names();
        let counts = ci.failed.iter().any(|check| {
            let history = &self.state.run.head.check_history;
            history.rerun_state(check, snapshot) == RerunState::Counts
        });
        if let (true, Some(since)) = (counts, self.state.run.head.first_failure_at) {
            let until = since.plus(policy.red_collect_ms);
            if snapshot.read_at >= until {
                return None;
            }
            let failed = ci.failed_labels();
            return Some(Decision::Wait(Blocker::CollectingFailures {
                failed,
                until,
            }));
        }
        let since = self.state.run.head.ci_running_since;
        let running_ms = snapshot.read_at.since(since.unwrap_or(snapshot.read_at));
        if running_ms >= policy.ci_timeout_ms {
            self.stop_run(Stop::CiTimeout { names });
            return Some(Decision::Ended);
        }
        Some(Decision::Wait(if ci.waits_for_people() {
            Blocker::CheckNeedsAction { names }
        } else {
            Blocker::ChecksRunning {
                names,
                total: ci.total(),
            }
        }))
    }

    /// Has checks run once more that failed for what the change may not be to blame for; waits until they do.
    fn rerun_failed_checks(&mut self, snapshot: &Snapshot, ci: &Ci<'_>) -> Option<Decision> {
        let history = &self.state.run.head.check_history;
        let in_state = |wanted: RerunState| {
            let failed = ci.failed.iter().copied();
            let found = failed.filter(|check| history.rerun_state(check, snapshot) == wanted);
            found.collect::<Vec<&Check>>()
        };
        let (wanted, asked) = (in_state(RerunState::Wanted), in_state(RerunState::Asked));
        let waiting = wanted.iter().chain(&asked);
        let names: Vec<String> = waiting.map(|check| ci.label(check)).collect();
        if names.is_empty() {
            return None;
        }
        let run = |check: &&Check| CheckRun {
            id: check.id,
            is_job: check.workflow.is_some(),
        };
        let rerun = Effect::RerunChecks(RerunChecksEffect {
            checks: wanted.iter().map(run).collect(),
        });
        if !wanted.is_empty() && !self.state.may_do(&rerun) {
            // It stays wanted: each look asks for it anew. In a pause nothing is lined up: it would be done once that ends, beside what
            // the next look asks for.
            if self.state.pause.is_none() {
                self.enqueue(rerun);
            }
        } else if !wanted.is_empty() {
            let cause = |check: &&Check| (ci.label(check), history.cause(check, snapshot));
            let checks = wanted.iter().map(cause).collect();
            self.notes.push(Note::ChecksRerun { checks });
            let reruns = wanted.iter().map(|check| Rerun {
                check: check.key(),
                run: check.id,
                at: snapshot.read_at,
                refused: false,
            });
            let reruns: Vec<Rerun> = reruns.collect();
            self.state.run.head.check_history.reruns.extend(reruns);
            self.enqueue(rerun);
        }
        Some(Decision::Wait(Blocker::RerunningChecks { names }))
    }

    /// What GitHub refuses to run again counts as it is.
    pub(super) fn checks_rerun(&mut self, rerun: &ChecksRerun) {
        let reruns = self.state.run.head.check_history.reruns.iter_mut();
        let refused = reruns.filter(|asked| rerun.refused.contains_key(&asked.run));
        refused.for_each(|asked| asked.refused = true);
        self.poll_now();
    }

    /// Why a failed check has failed.
    fn cause(&self, check: &Check, snapshot: &Snapshot) -> FailureCause {
        self.state.run.head.check_history.cause(check, snapshot)
    }

    /// What waits for the base to be put right, where nothing else has failed.
    pub(super) fn base_broken_blocker(&self, snapshot: &Snapshot) -> Option<Blocker> {
        let ci = self.ci(snapshot);
        let is_broken = |check: &&Check| self.cause(check, snapshot) == FailureCause::BaseBroken;
        let all = !ci.failed.is_empty() && ci.failed.iter().all(is_broken);
        all.then(|| Blocker::BaseBroken {
            names: ci.failed_labels(),
            base: snapshot.base_ref.clone(),
        })
    }

    /// With CI red the panel is skipped: the failures, and what people and bots said, go to the fixer (§3.5).
    pub(super) fn fix_failed_checks(&mut self, snapshot: &Snapshot, ci: &Ci<'_>) -> Decision {
        let mut prints = self.track_failed_checks(snapshot, ci);
        prints.extend(self.track_queue_failures(snapshot));
        let analysis = comments::analyze_comments(&self.state, snapshot);
        self.track_feedback(&analysis);
        self.join_findings(snapshot, &analysis);
        let feedback_prints = identity::fingerprints(&analysis.pending_issues);
        let tracked = prints
            .iter()
            .chain(&feedback_prints)
            .filter_map(|p| self.state.run.review.findings.get(p));
        let current: Vec<TrackedFinding> = tracked.cloned().collect();
        if let Some(waits) = self.await_second_looks(snapshot, &current) {
            return Decision::Wait(waits);
        }
        let (to_fix, optional) = partition_for_fix(&current);
        if !to_fix.is_empty() {
            return self.request_fix(snapshot, to_fix, optional);
        }
        let blocking: Vec<&TrackedFinding> = current.iter().collect();
        match stop_for_unfixable(&blocking) {
            Some(stop) => {
                self.stop_run(stop);
                Decision::Ended
            }
            None => Decision::Wait(Blocker::CheckNeedsAction {
                names: ci.failed_labels(),
            }),
        }
    }

    /// Tracks what checks failed with by the change's own fault; their identities.
    pub(super) fn track_failed_checks(
        &mut self,
        snapshot: &Snapshot,
        ci: &Ci<'_>,
    ) -> Vec<Fingerprint> {
        let timestamp = snapshot.read_at.rfc3339();
        let failed = ci.failed.iter();
        let own = failed.filter(|check| self.cause(check, snapshot) != FailureCause::BaseBroken);
        let own: Vec<_> = own.map(|check| ci.finding(check, &timestamp)).collect();
        own.into_iter()
            .map(|(finding, failure)| self.track_check_failure(&finding, failure))
            .collect()
    }

    /// Tracks what a check failed with. Whatever else it had failed with is gone: the fix of that is confirmed.
    pub(super) fn track_check_failure(
        &mut self,
        finding: &Finding,
        failure: CheckFailure,
    ) -> Fingerprint {
        let findings = &mut self.state.run.review.findings;
        let CheckMatch {
            fingerprint,
            is_progress,
        } = identity::match_check_failure(&failure, findings);
        let others = findings.values_mut().filter(|other| {
            let check = other.check_failure.as_ref().map(|other| &other.check);
            check == Some(&failure.check) && other.fingerprint != fingerprint
        });
        others.for_each(confirm_gone);
        let round = self.state.run.fixing.iteration + 1;
        let new = || new_tracked_finding(finding, &fingerprint, FindingLocation::default(), round);
        let known = findings.entry(fingerprint.clone()).or_insert_with(new);
        let same_run = known.finding.source.review_id == finding.source.review_id;
        known.finding = finding.clone();
        known.check_failure = Some(failure);
        if !(same_run && finding.source.review_id.is_some()) {
            known.last_round = round;
            let outcome = after_claim(known, is_progress);
            self.note_claim(&fingerprint, outcome);
        }
        fingerprint
    }

    /// What a check failed with is put right once it passes, by whomever.
    pub(super) fn confirm_passed_checks(&mut self, ci: &Ci<'_>) {
        let passed: BTreeSet<_> = ci.passed.iter().map(|check| check.key()).collect();
        let all_passed = ci.status() == CiStatus::Passed;
        let findings = self.state.run.review.findings.values_mut();
        let of_ci = findings
            .filter(|known| known.finding.source.kind == SourceType::Ci && !known.is_of_queue());
        let gone = of_ci.filter(|known| {
            let failure = known.check_failure.as_ref();
            all_passed || failure.is_some_and(|failure| passed.contains(&failure.check))
        });
        gone.for_each(confirm_gone);
    }
}

/// It was looked for and is not there any more.
fn confirm_gone(known: &mut TrackedFinding) {
    if matches!(known.status, FindingStatus::Open | FindingStatus::Claimed) {
        known.status = FindingStatus::Fixed;
    }
}
