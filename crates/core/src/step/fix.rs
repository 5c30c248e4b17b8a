//! Fixing: what is handed over, what comes back, and when it counts (§5, §6).

use super::Transition;
use super::agreement::{fold_joined, unfold_joined};
use super::decide::Decision;
use crate::blocker::{Blocker, Stop};
use crate::effect::Effect;
use crate::effect::{FixEffect, PushEffect};
use crate::event::{FixFinished, Rebased, SessionFailed};
use crate::event::{PushFailure, SessionFailure};
use crate::finding::{Finding, Replacement, SourceType};
use crate::fix::{FixAttempt, FixPayload, Verification};
use crate::ids::{Fingerprint, Sha};
use crate::lifecycle::State;
use crate::loop_state::{PendingFix, RoundSummary};
use crate::note::Note;
use crate::review::IssueCounts;
use crate::session::SessionSummary;
use crate::snapshot::{PushObstacle, Snapshot};
use crate::tracked_finding::{FindingStatus, TrackedFinding};
use crate::usage::Usage;
use std::collections::BTreeMap;

impl Transition {
    /// Hands findings to the fixer, unless a limit says that a person has to take over.
    pub(super) fn request_fix(
        &mut self,
        snapshot: &Snapshot,
        to_fix: Vec<TrackedFinding>,
        optional: Vec<TrackedFinding>,
    ) -> Decision {
        if let Some(blocker) = self.fixing_blocker(snapshot) {
            return self.await_fixing(blocker);
        }
        if let Some(broken) = self.base_broken_blocker(snapshot) {
            return Decision::Wait(broken);
        }
        if let Some(stop) = self.fix_limit(snapshot) {
            self.stop_run(stop);
            return Decision::Ended;
        }
        self.state.run.fixing.turns += 1;
        let wanted = self.state.run.configuration.policy.fix_suggestions;
        let optional: Vec<&TrackedFinding> = optional.iter().filter(|_| wanted).collect();
        let (to_fix, joined) = fold_joined(to_fix);
        let count = u32::try_from(to_fix.len()).unwrap_or(u32::MAX);
        let payload = FixPayload {
            pr_number: snapshot.number,
            round: self.state.run.fixing.iteration + 1,
            issues_to_fix: to_fix.iter().map(issue_to_fix).collect(),
            optional_issues: optional.iter().copied().map(issue_to_fix).collect(),
            attempts: to_fix.iter().flat_map(attempts).collect(),
            replacements: linter_fixes(to_fix.iter().chain(optional.iter().copied())),
            joined,
            notes: self.state.run.fixing.notes.clone(),
            turn: self.feedback_turn(
                snapshot.number,
                to_fix.iter().chain(optional.iter().copied()),
            ),
        };
        self.enqueue(Effect::Fix(FixEffect {
            payload,
            head: snapshot.head.clone(),
            base: snapshot.base.clone(),
            not_before: self.now,
            failures: 0,
            rejected: None,
        }));
        self.state.run.fixing.rejected_pushes = 0;
        self.transition_to(State::PrFixing);
        Decision::Wait(Blocker::Fixing { count })
    }

    pub(super) fn fix_limit(&self, snapshot: &Snapshot) -> Option<Stop> {
        if let Some(obstacle) = snapshot.push_obstacles.first() {
            let reason = match obstacle {
                PushObstacle::DefaultBranch => "default_branch",
                PushObstacle::Protected => "protected",
                PushObstacle::BaseOfAnother => "base_of_another",
                PushObstacle::ForkReadOnly => "fork_read_only",
            };
            return Some(Stop::CannotPush {
                reason: reason.into(),
                message: String::new(),
            });
        }
        let max = self.state.max_iterations();
        if self.state.run.fixing.iteration >= max {
            return Some(Stop::IterationsSpent { max });
        }
        let churned = self
            .state
            .run
            .fixing
            .rounds
            .iter()
            .rev()
            .take(2)
            .filter(|round| round.churned)
            .count();
        // Two rounds of this run: one that was resumed gets its chance.
        if churned == 2 && self.state.run.fixing.iteration >= 2 {
            return Some(Stop::Oscillating);
        }
        (self.state.run.fixing.turns >= self.state.run.configuration.policy.max_turns).then_some(
            Stop::TooManyTurns {
                count: self.state.run.fixing.turns,
            },
        )
    }

    pub(super) fn decide_fixing(&mut self, snapshot: &Snapshot) -> Decision {
        if self.drop_unwanted_fix(snapshot) {
            self.transition_to(State::PrAwaitingChecks);
            return Decision::Transitioned;
        }
        let asked = self
            .state
            .outbox
            .effects
            .values()
            .find_map(|effect| match effect {
                Effect::Fix(FixEffect { payload, .. }) => Some(payload.issues_to_fix.len()),
                _ => None,
            });
        if let Some(count) = asked {
            return Decision::Wait(Blocker::Fixing {
                count: u32::try_from(count).unwrap_or(u32::MAX),
            });
        }
        if let Some(next) = self.decide_merging_base(snapshot) {
            return next;
        }
        if self.has_pending(|effect| matches!(effect, Effect::Push(_))) {
            // What keeps it from being pushed is looked at again right before.
            let hold = self.current_hold(snapshot);
            let hold = hold.filter(Blocker::forbids_writing);
            return Decision::Wait(hold.unwrap_or(Blocker::Pushing));
        }
        let Some(fix) = self.state.run.fixing.pending.clone() else {
            // The session was given up because the head moved under it: look again from the start.
            self.transition_to(State::PrAwaitingChecks);
            return Decision::Transitioned;
        };
        let Some(commit) = fix.commit.clone() else {
            self.complete_fix(snapshot);
            self.transition_to(State::PrReviewing);
            return Decision::Transitioned;
        };
        // The last look before a write (§11).
        if let Some(hold) = self.hold_before_push(snapshot) {
            return Decision::Wait(hold);
        }
        let waits = matches!(fix.verification, Verification::Waiting { .. });
        if let (true, Some(wait)) = (waits, self.ensure_config(snapshot)) {
            return Decision::Wait(wait);
        }
        if let Some(wait) = self.await_verification(&fix, snapshot) {
            return Decision::Wait(wait);
        }
        self.enqueue(Effect::Push(PushEffect {
            commit,
            from: fix.from,
            rebased: false,
        }));
        Decision::Wait(Blocker::Pushing)
    }

    pub(super) fn fix_finished(&mut self, asked: FixEffect, finished: &FixFinished) {
        self.add_usage(&finished.usage);
        self.note_session(None, finished.session.as_deref(), &finished.usage);
        self.poll_now();
        // Recorded before the push, so that the push is known as ours even if we crash in the middle of it (§3.6).
        self.state
            .memory
            .own_commits
            .extend(finished.commit.clone());
        // What came meanwhile is for the next turn.
        let told = &asked.payload.notes;
        self.state
            .run
            .fixing
            .notes
            .retain(|note| !told.contains(note));
        let mut pending = PendingFix {
            from: asked.head,
            commit: finished.commit.clone(),
            result: (*finished.result).clone(),
            payload: asked.payload,
            oscillates: finished.oscillates,
            pushed: false,
            verification: finished.verification.clone(),
            merge: None,
            files: finished.files.clone(),
        };
        unfold_joined(&mut pending);
        self.state.run.fixing.pending = Some(pending);
    }

    pub(super) fn fix_failed(&mut self, asked: FixEffect, failed: &SessionFailed) {
        self.add_usage(&failed.usage);
        if matches!(failed.failure, SessionFailure::HeadMismatch { .. }) {
            return;
        }
        let failures = asked.failures + 1;
        match self.retry_at(failures, &failed.failure) {
            Some(not_before) => self.enqueue(Effect::Fix(FixEffect {
                not_before,
                failures,
                ..asked
            })),
            None => self.stop_run(Stop::FixFailed {
                error: failed.failure.clone().into_error(),
            }),
        }
    }

    pub(super) fn pushed(&mut self, commit: &Sha) {
        let Some(fix) = &mut self.state.run.fixing.pending else {
            return self.ignore("no_fix");
        };
        fix.commit = Some(commit.clone());
        fix.pushed = true;
        self.state.run.fixing.approved_push = None;
        self.state.run.head.replaced.insert(fix.from.clone());
        // Reviews that went on while it was fixed look at what is past.
        self.state
            .outbox
            .effects
            .retain(|_, effect| !matches!(effect, Effect::Review(_)));
        if let Verification::Skipped { commands } = &fix.verification {
            let skipped = commands.iter().cloned();
            self.state.run.fixing.skipped_verification.extend(skipped);
        }
        self.notes.push(Note::Pushed {
            commit: commit.clone(),
        });
        self.state.memory.own_commits.insert(commit.clone());
        self.state.run.fixing.iteration += 1;
        let now = self.now;
        self.adopt_head(commit, now);
        self.transition_to(State::PrAwaitingChecks);
        self.state.run.blocker = Some(Blocker::AwaitingPush);
        self.poll_now();
    }

    pub(super) fn rebased(
        &mut self,
        Rebased {
            commit,
            onto,
            verification,
            refused_hosts: _,
        }: &Rebased,
    ) {
        let Some(fix) = &mut self.state.run.fixing.pending else {
            return self.ignore("no_fix");
        };
        fix.commit = Some(commit.clone());
        self.state.run.head.replaced.insert(fix.from.clone());
        fix.from = onto.clone();
        fix.verification = verification.clone();
        self.state.memory.own_commits.insert(commit.clone());
        self.enqueue(Effect::Push(PushEffect {
            commit: commit.clone(),
            from: onto.clone(),
            rebased: true,
        }));
    }

    pub(super) fn push_failed(&mut self, failure: &PushFailure) {
        match failure {
            PushFailure::Diverged => {
                let given_up = self.state.run.fixing.pending.take();
                let commit = given_up.and_then(|fix| fix.commit);
                let note = commit.map(|commit| Note::PushConflicted { commit });
                self.notes.extend(note);
                self.poll_now();
            }
            PushFailure::Refused { message } => self.stop_run(Stop::CannotPush {
                reason: "refused".into(),
                message: message.clone(),
            }),
        }
    }

    /// The fix has arrived, or there was nothing to push: findings get their status, people their answers.
    pub(super) fn complete_fix(&mut self, snapshot: &Snapshot) {
        let Some(fix) = self.state.run.fixing.pending.take() else {
            return;
        };
        for (print, finding) in self.payload_findings(&fix) {
            let done = fix
                .result
                .fixed_issues
                .iter()
                .any(|f| f.finding_id == finding.id);
            let reason = fix
                .result
                .rejected_issues
                .iter()
                .find(|r| r.finding_id == finding.id);
            let known = self.state.run.review.findings.get_mut(&print);
            // What a person has dismissed meanwhile is nobody's to claim.
            let Some(known) = known.filter(|known| known.status != FindingStatus::Dismissed) else {
                continue;
            };
            if let (true, Some(commit)) = (done, &fix.commit) {
                known.status = FindingStatus::Claimed;
                known.fixed_in.push(commit.clone());
            } else if let Some(rejected) = reason {
                known.status = FindingStatus::Rejected;
                known.rejection = Some(rejected.reason.clone());
            }
        }
        if let Some(commit) = &fix.commit {
            self.record_round(&fix, commit);
            let merge = fix
                .merge
                .iter()
                .map(|merge| (commit.clone(), merge.clone()));
            self.state.run.fixing.merges.extend(merge);
        }
        // Where nothing but remarks was answered, and nothing pushed, the answers say all that a report would.
        if fix.commit.is_some() || !self.answers_remarks_alone(&fix) {
            self.post_fix_report(&fix);
        }
        self.post_replies(snapshot, &fix);
        self.post_answers(snapshot, &fix);
        self.post_body_dispositions(snapshot, &fix);
    }

    fn record_round(&mut self, fix: &PendingFix, commit: &Sha) {
        let counts = IssueCounts::of(
            fix.payload
                .issues_to_fix
                .iter()
                .chain(&fix.payload.optional_issues),
        );
        let by_fix = self
            .payload_findings(fix)
            .iter()
            .filter(|(print, _)| {
                self.state
                    .run
                    .review
                    .findings
                    .get(print)
                    .is_some_and(|t| t.introduced_by_fix)
            })
            .count();
        let iteration = self.state.run.fixing.iteration;
        self.state.run.fixing.rounds.push(RoundSummary {
            iteration,
            p0: counts.p0_blocking,
            p1: counts.p1_critical,
            p2: counts.p2_important,
            p3: counts.p3_suggestion,
            fixed: fix.result.summary.fixed,
            rejected: fix.result.summary.rejected,
            commit: Some(commit.clone()),
            churned: fix.oscillates || by_fix * 2 > fix.payload.issues_to_fix.len(),
        });
        self.notes.push(Note::IterationDone {
            iteration,
            commit: commit.clone(),
        });
    }

    /// The tracked findings behind what was asked, in order.
    fn payload_findings(&self, fix: &PendingFix) -> Vec<(Fingerprint, Finding)> {
        let all = fix
            .payload
            .issues_to_fix
            .iter()
            .chain(&fix.payload.optional_issues);
        all.map(|f| (Fingerprint::new(f.id.clone()), f.clone()))
            .collect()
    }

    pub(super) fn add_usage(&mut self, usage: &Usage) {
        self.state.run.usage += *usage;
    }

    /// Remarks how a session went; none for `reviewer` is the fixer.
    pub(super) fn note_session(
        &mut self,
        reviewer: Option<&str>,
        account: Option<&SessionSummary>,
        usage: &Usage,
    ) {
        if let Some(account) = account {
            self.notes.push(Note::SessionFinished {
                reviewer: reviewer.map(str::to_owned),
                session: Box::new(account.clone()),
                usage: *usage,
            });
        }
    }
}

/// A finding as the fixer gets it: under its identity, since ids of different reviewers may coincide.
fn issue_to_fix(tracked: &TrackedFinding) -> Finding {
    Finding {
        id: tracked.fingerprint.to_string(),
        ..tracked.finding.clone()
    }
}

/// What linters call safe fixes of these issues.
fn linter_fixes<'a>(
    issues: impl Iterator<Item = &'a TrackedFinding>,
) -> BTreeMap<String, Replacement> {
    let by_linters = issues.filter(|issue| issue.finding.source.kind == SourceType::Linter);
    by_linters
        .filter_map(|issue| Some((issue.fingerprint.to_string(), issue.replacement.clone()?)))
        .collect()
}

/// What was tried on an issue that stands.
fn attempts(tracked: &TrackedFinding) -> impl Iterator<Item = FixAttempt> {
    tracked.fixed_in.iter().map(|commit| FixAttempt {
        finding_id: tracked.fingerprint.to_string(),
        commit: commit.clone(),
        standing_reason: tracked.standing_reasons.get(commit).cloned(),
    })
}
