//! Fixing: what is handed over, what comes back, and when it counts (§5, §6).

use super::decide::Next;
use super::panel::{left_over, sort_out};
use super::results::Spot;
use super::{Turn, failure_message};
use crate::blocker::{Blocker, Stop};
use crate::ci::Ci;
use crate::comments;
use crate::identity;
use crate::ids::{Fingerprint, Sha};
use crate::lifecycle::State;
use crate::model::{
    Effect, Event, FindingStatus, Note, PendingFix, PushFailure, RoundSummary, SessionFailure,
    TrackedFinding, Usage,
};
use crate::session::SessionAccount;
use crate::shapes::{Finding, FixPayload, IssueCounts};
use crate::snapshot::{PushObstacle, Snapshot};

impl Turn {
    /// With CI red the panel is skipped: the failures, and what people and bots said, go to the fixer (§3.5).
    pub(super) fn fix_red(&mut self, s: &Snapshot, ci: &Ci<'_>) -> Next {
        let failures = ci.findings(&s.read_at.rfc3339());
        let prints = identity::fingerprints(&failures);
        for (finding, print) in failures.iter().zip(&prints) {
            self.track(finding, print, Spot::default());
        }
        let analysis = comments::analyze(&self.s, s);
        self.track_feedback(&analysis);
        let said = identity::fingerprints(&analysis.pending_issues);
        let tracked = prints
            .iter()
            .chain(&said)
            .filter_map(|p| self.s.findings.get(p));
        let standing: Vec<TrackedFinding> = tracked.cloned().collect();
        let (to_fix, optional) = sort_out(&standing);
        if !to_fix.is_empty() {
            return self.hand_over(s, to_fix, optional);
        }
        let blocking: Vec<&TrackedFinding> = standing.iter().collect();
        match left_over(&blocking) {
            Some(stop) => {
                self.stop(stop);
                Next::Ended
            }
            None => Next::Wait(Blocker::CheckNeedsAction {
                names: ci.failed.iter().map(|c| c.name.clone()).collect(),
            }),
        }
    }

    /// Hands findings to the fixer, unless a limit says that a person has to take over.
    pub(super) fn hand_over(
        &mut self,
        s: &Snapshot,
        to_fix: Vec<TrackedFinding>,
        optional: Vec<TrackedFinding>,
    ) -> Next {
        if let Some(stop) = self.limit(s) {
            self.stop(stop);
            return Next::Ended;
        }
        self.s.turns += 1;
        let count = u32::try_from(to_fix.len()).unwrap_or(u32::MAX);
        let payload = FixPayload {
            pr_number: s.number,
            round: self.s.iteration + 1,
            issues_to_fix: to_fix.iter().map(asked).collect(),
            optional_issues: optional.iter().map(asked).collect(),
        };
        self.ask(Effect::Fix {
            payload,
            head: s.head.clone(),
            base: s.base.clone(),
            not_before: self.now,
            failures: 0,
        });
        self.go(State::PrFixing);
        Next::Wait(Blocker::Fixing { count })
    }

    fn limit(&self, s: &Snapshot) -> Option<Stop> {
        if let Some(obstacle) = s.push_obstacles.first() {
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
        if self.s.iteration >= self.s.policy.max_iterations {
            return Some(Stop::IterationsSpent {
                max: self.s.policy.max_iterations,
            });
        }
        let churned = self
            .s
            .rounds
            .iter()
            .rev()
            .take(2)
            .filter(|round| round.churned)
            .count();
        // Two rounds of this run: one that was resumed gets its chance.
        if churned == 2 && self.s.iteration >= 2 {
            return Some(Stop::Oscillating);
        }
        (self.s.turns >= self.s.policy.max_turns).then_some(Stop::TooManyTurns {
            count: self.s.turns,
        })
    }

    pub(super) fn fixing(&mut self, s: &Snapshot) -> Next {
        let asked = self.s.outbox.values().find_map(|effect| match effect {
            Effect::Fix { payload, .. } => Some(payload.issues_to_fix.len()),
            _ => None,
        });
        if let Some(count) = asked {
            return Next::Wait(Blocker::Fixing {
                count: u32::try_from(count).unwrap_or(u32::MAX),
            });
        }
        if self.asked(|effect| matches!(effect, Effect::Push { .. })) {
            return Next::Wait(Blocker::Pushing);
        }
        let Some(fix) = self.s.pending_fix.clone() else {
            // The session was given up because the head moved under it: look again from the start.
            self.go(State::PrAwaitingChecks);
            return Next::Moved;
        };
        let Some(commit) = fix.commit else {
            self.settle_fix(s);
            self.go(State::PrReviewing);
            return Next::Moved;
        };
        // The last look before a write (§11).
        if let Some(hold) = self.held(s) {
            return Next::Wait(hold);
        }
        self.ask(Effect::Push {
            commit,
            from: fix.from,
            rebased: false,
        });
        Next::Wait(Blocker::Pushing)
    }

    pub(super) fn fix_finished(&mut self, effect: &Effect, event: &Event) {
        let (
            Effect::Fix { payload, head, .. },
            Event::FixFinished {
                commit,
                result,
                oscillates,
                usage,
                account,
                ..
            },
        ) = (effect, event)
        else {
            return;
        };
        self.spend(usage);
        self.note_work(None, account.as_deref(), usage);
        self.look_now();
        // Recorded before the push, so that the push is known as ours even if we crash in the middle of it (§3.6).
        self.s.own_commits.extend(commit.clone());
        self.s.pending_fix = Some(PendingFix {
            from: head.clone(),
            commit: commit.clone(),
            result: (**result).clone(),
            asked: payload.clone(),
            oscillates: *oscillates,
            pushed: false,
        });
    }

    pub(super) fn fix_failed(&mut self, effect: Effect, failure: &SessionFailure, usage: &Usage) {
        self.spend(usage);
        if matches!(failure, SessionFailure::HeadMismatch { .. }) {
            return;
        }
        let Effect::Fix {
            payload,
            head,
            base,
            failures,
            ..
        } = effect
        else {
            return;
        };
        let failures = failures + 1;
        match self.retry_at(failures, failure) {
            Some(not_before) => {
                self.ask(Effect::Fix {
                    payload,
                    head,
                    base,
                    not_before,
                    failures,
                });
            }
            None => self.stop(Stop::FixFailed {
                message: failure_message(failure),
            }),
        }
    }

    pub(super) fn pushed(&mut self, commit: &Sha) {
        let Some(fix) = &mut self.s.pending_fix else {
            return self.ignore("no_fix");
        };
        fix.commit = Some(commit.clone());
        fix.pushed = true;
        self.s.replaced_heads.insert(fix.from.clone());
        // Reviews that went on while it was fixed look at what is past.
        self.s
            .outbox
            .retain(|_, effect| !matches!(effect, Effect::Review { .. }));
        self.s.own_commits.insert(commit.clone());
        self.s.iteration += 1;
        let now = self.now;
        self.adopt(commit, now);
        self.go(State::PrAwaitingChecks);
        self.s.blocker = Some(Blocker::AwaitingPush);
        self.look_now();
    }

    pub(super) fn rebased(&mut self, commit: &Sha, onto: &Sha) {
        let Some(fix) = &mut self.s.pending_fix else {
            return self.ignore("no_fix");
        };
        fix.commit = Some(commit.clone());
        self.s.replaced_heads.insert(fix.from.clone());
        fix.from = onto.clone();
        self.s.own_commits.insert(commit.clone());
        self.ask(Effect::Push {
            commit: commit.clone(),
            from: onto.clone(),
            rebased: true,
        });
    }

    pub(super) fn push_failed(&mut self, failure: &PushFailure) {
        match failure {
            PushFailure::Diverged => {
                self.s.pending_fix = None;
                self.look_now();
            }
            PushFailure::Refused { message } => self.stop(Stop::CannotPush {
                reason: "refused".into(),
                message: message.clone(),
            }),
        }
    }

    /// The fix has arrived, or there was nothing to push: findings get their status, people their answers.
    pub(super) fn settle_fix(&mut self, s: &Snapshot) {
        let Some(fix) = self.s.pending_fix.take() else {
            return;
        };
        for (print, finding) in self.answered_findings(&fix) {
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
            let Some(known) = self.s.findings.get_mut(&print) else {
                continue;
            };
            if let (true, Some(commit)) = (done, &fix.commit) {
                known.status = FindingStatus::Fixed;
                known.fixed_in.push(commit.clone());
            } else if let Some(rejected) = reason {
                known.status = FindingStatus::Rejected;
                known.rejection = Some(rejected.reason.clone());
            }
        }
        if let Some(commit) = &fix.commit {
            self.count_round(&fix, commit);
        }
        self.say_fix(&fix);
        self.say_replies(s, &fix);
    }

    fn count_round(&mut self, fix: &PendingFix, commit: &Sha) {
        let counts = IssueCounts::of(
            fix.asked
                .issues_to_fix
                .iter()
                .chain(&fix.asked.optional_issues),
        );
        let by_fix = self
            .answered_findings(fix)
            .iter()
            .filter(|(print, _)| {
                self.s
                    .findings
                    .get(print)
                    .is_some_and(|t| t.introduced_by_fix)
            })
            .count();
        let iteration = self.s.iteration;
        self.s.rounds.push(RoundSummary {
            iteration,
            p0: counts.p0_blocking,
            p1: counts.p1_critical,
            p2: counts.p2_important,
            p3: counts.p3_suggestion,
            fixed: fix.result.summary.fixed,
            rejected: fix.result.summary.rejected,
            commit: Some(commit.clone()),
            churned: fix.oscillates || by_fix * 2 > fix.asked.issues_to_fix.len(),
        });
        self.notes.push(Note::IterationDone {
            iteration,
            commit: commit.clone(),
        });
    }

    /// The tracked findings behind what was asked, in order.
    fn answered_findings(&self, fix: &PendingFix) -> Vec<(Fingerprint, Finding)> {
        let all = fix
            .asked
            .issues_to_fix
            .iter()
            .chain(&fix.asked.optional_issues);
        all.map(|f| (Fingerprint::new(f.id.clone()), f.clone()))
            .collect()
    }

    pub(super) fn spend(&mut self, usage: &Usage) {
        self.s.usage += *usage;
    }

    /// Remarks how a session went; none for `reviewer` is the fixer.
    pub(super) fn note_work(
        &mut self,
        reviewer: Option<&str>,
        account: Option<&SessionAccount>,
        usage: &Usage,
    ) {
        if let Some(account) = account {
            self.notes.push(Note::Worked {
                reviewer: reviewer.map(str::to_owned),
                account: Box::new(account.clone()),
                usage: *usage,
            });
        }
    }
}

/// A finding as the fixer gets it: under its identity, since ids of different reviewers may coincide.
fn asked(tracked: &TrackedFinding) -> Finding {
    Finding {
        id: tracked.fingerprint.to_string(),
        ..tracked.finding.clone()
    }
}
