//! What reviews come to: findings and their identity over the rounds, verdicts, reviewers that are asked in (§4.2, §5).

use super::{Turn, failure_message};
use crate::blocker::Stop;
use crate::identity;
use crate::ids::{Fingerprint, Sha};
use crate::model::{
    Effect, Event, FindingStatus, Note, ReviewerState, StageState, TrackedFinding, Usage,
};
use crate::policy::{ReviewerKind, ReviewerSpec};
use crate::shapes::{CommentsResult, Finding, IssueCounts, Replacement, SourceType, conclude};
use std::collections::BTreeSet;

impl Turn {
    /// Tracks what people and bots wait for under the identity of their comments.
    pub(super) fn track_feedback(&mut self, analysis: &CommentsResult) {
        let findings = &analysis.pending_issues;
        let prints = identity::fingerprints(findings);
        for (finding, print) in findings.iter().zip(&prints) {
            self.track(finding, print, Spot::default());
        }
    }

    /// Tracks one finding; one that was reported as fixed and is back is stuck (§5.2).
    pub(super) fn track(&mut self, finding: &Finding, print: &Fingerprint, spot: Spot) {
        let round = self.s.iteration + 1;
        let Some(known) = self.s.findings.get_mut(print) else {
            let new = TrackedFinding {
                finding: finding.clone(),
                fingerprint: print.clone(),
                status: FindingStatus::Open,
                introduced_by_fix: spot.by_fix,
                first_round: round,
                last_round: round,
                fixed_in: Vec::new(),
                rejection: None,
                rejection_heard: false,
                in_diff: spot.in_diff,
                replacement: spot.replacement,
            };
            self.s.findings.insert(print.clone(), new);
            return;
        };
        // The same comment or check run, read again, is the same report of it.
        let source = &known.finding.source.review_id;
        let same_report = source.is_some()
            && *source == finding.source.review_id
            && known.finding.id == finding.id;
        let weight = known.finding.priority;
        let colleague =
            known.last_round == round && known.finding.source.name != finding.source.name;
        let edited = known.finding.description != finding.description;
        // Of two reports of one head the one that offers a replacement is told: its words, line and lines belong together.
        let offers = colleague && known.replacement.is_some() && spot.replacement.is_none();
        if !offers {
            known.finding = finding.clone();
            known.replacement = spot.replacement;
        }
        if same_report {
            if edited && finding.source.kind == SourceType::Human {
                // Other words under the same comment: asked anew (§7.1).
                known.status = FindingStatus::Open;
                known.rejection = None;
                known.rejection_heard = false;
            }
            return;
        }
        if colleague {
            // Two reviewers of one round found it: the graver word counts.
            known.finding.priority = weight.min(finding.priority);
        }
        known.last_round = round;
        if !offers {
            known.in_diff = spot.in_diff;
        }
        known.introduced_by_fix |= spot.by_fix;
        match known.status {
            FindingStatus::Fixed if known.fixed_in.is_empty() => known.status = FindingStatus::Open,
            FindingStatus::Fixed => {
                known.status = FindingStatus::Stuck;
                self.notes.push(Note::BecameStuck {
                    fingerprint: print.clone(),
                });
            }
            FindingStatus::Open
            | FindingStatus::Rejected
            | FindingStatus::Withdrawn
            | FindingStatus::Stuck => {}
        }
    }

    pub(super) fn review_finished(&mut self, effect: &Effect, event: &Event) {
        let (
            Effect::Review {
                stage, reviewer, ..
            },
            Event::ReviewFinished {
                head,
                result,
                fingerprints,
                in_diff,
                by_fix,
                usage,
                withdrawn,
                replacements,
                account,
                ..
            },
        ) = (effect, event)
        else {
            return;
        };
        self.spend(usage);
        self.note_work(Some(&reviewer.name), account.as_deref(), usage);
        self.look_now();
        let threshold = self.s.policy.comment_threshold;
        let kept: Vec<(&Finding, &Fingerprint)> = result
            .findings
            .iter()
            .zip(fingerprints)
            .filter(|(f, _)| f.confidence.permille() >= threshold)
            .collect();
        let findings: Vec<Finding> = kept.iter().map(|(f, _)| (*f).clone()).collect();
        let own: Vec<Fingerprint> = kept.iter().map(|(_, print)| (*print).clone()).collect();
        let prints = identity::recognize(&findings, &own, &self.s.findings);
        for (finding, print) in findings.iter().zip(&prints) {
            let spot = Spot {
                in_diff: in_diff.contains(&finding.id),
                by_fix: by_fix.contains(&finding.id),
                replacement: replacements.get(&finding.id).cloned(),
            };
            self.track(finding, print, spot);
        }
        self.withdraw(&reviewer.name, head, withdrawn);
        let verdict = conclude(IssueCounts::of(
            findings
                .iter()
                .zip(&prints)
                .filter(|(_, p)| !self.is_withdrawn(p))
                .map(|(f, _)| f),
        ));
        let now = self.now;
        let seat = self.s.stages.get_mut(*stage as usize).and_then(|stage| {
            stage
                .reviewers
                .iter_mut()
                .find(|seat| seat.spec.name == reviewer.name)
        });
        let Some(seat) = seat else {
            return self.ignore("no_such_reviewer");
        };
        let before = std::mem::replace(&mut seat.findings, prints.iter().cloned().collect());
        seat.verdict = Some(verdict);
        seat.head = Some(head.clone());
        seat.failures = 0;
        seat.looks_again = false;
        let account = account.as_deref();
        seat.left_out = match (seat.left_out.take(), account) {
            // It has still not seen what it was not shown before.
            (Some(before), Some(account)) if account.delta => {
                Some(before.and(account.left_out.as_ref()))
            }
            (_, account) => account.and_then(|account| account.left_out.clone()),
        };
        seat.at = Some(now);
        seat.escalations = result.escalations.clone();
        self.close_gone(&reviewer.name, head, &before, &prints);
        self.escalate(*stage as usize, reviewer, &result.escalations);
    }

    /// What its reviewer takes back stays so (§5.1), unless another found it too and stands by it.
    fn withdraw(&mut self, by: &str, head: &Sha, prints: &BTreeSet<Fingerprint>) {
        for print in prints {
            let own = self
                .seats()
                .any(|seat| seat.spec.name == by && seat.findings.contains(print));
            let shared = self.is_held_by_another(print, by, head);
            if let Some(known) = self.s.findings.get_mut(print)
                && (own || known.finding.source.name == by)
                && !shared
                && matches!(known.status, FindingStatus::Open | FindingStatus::Rejected)
            {
                known.status = FindingStatus::Withdrawn;
            }
        }
    }

    fn seats(&self) -> impl Iterator<Item = &ReviewerState> {
        self.s.stages.iter().flat_map(|stage| &stage.reviewers)
    }

    /// Whether somebody else reports it at this head.
    fn is_held_by_another(&self, print: &Fingerprint, by: &str, head: &Sha) -> bool {
        self.seats().any(|seat| {
            seat.spec.name != by
                && seat.head.as_ref() == Some(head)
                && seat.findings.contains(print)
        })
    }

    fn is_withdrawn(&self, print: &Fingerprint) -> bool {
        self.s
            .findings
            .get(print)
            .is_some_and(|t| t.status == FindingStatus::Withdrawn)
    }

    /// What a reviewer does not report any more is done with, unless another does.
    fn close_gone(
        &mut self,
        by: &str,
        head: &Sha,
        before: &BTreeSet<Fingerprint>,
        now: &[Fingerprint],
    ) {
        for print in before.iter().filter(|print| !now.contains(print)) {
            if self.is_held_by_another(print, by, head) {
                continue;
            }
            if let Some(gone) = self.s.findings.get_mut(print)
                && matches!(gone.status, FindingStatus::Open | FindingStatus::Rejected)
            {
                gone.status = FindingStatus::Fixed;
            }
        }
    }

    /// Each reviewer that was asked in, and may be, adds one stage, once (§4.2).
    fn escalate(&mut self, stage: usize, by: &ReviewerSpec, wanted: &[String]) {
        for name in wanted
            .iter()
            .filter(|name| by.may_escalate_to.contains(*name))
        {
            let sits = self
                .s
                .stages
                .iter()
                .flat_map(|s| &s.reviewers)
                .any(|r| r.spec.name == **name);
            if sits {
                continue;
            }
            let spec = ReviewerSpec {
                name: name.clone(),
                kind: ReviewerKind::Agent,
                may_escalate_to: BTreeSet::new(),
            };
            let seat = ReviewerState::new(spec);
            let place = (stage + 1).min(self.s.stages.len());
            self.s.stages.insert(
                place,
                StageState {
                    reviewers: vec![seat],
                },
            );
        }
    }

    pub(super) fn review_failed(
        &mut self,
        effect: Effect,
        failure: &crate::model::SessionFailure,
        usage: &Usage,
    ) {
        self.spend(usage);
        if matches!(failure, crate::model::SessionFailure::HeadMismatch { .. }) {
            return;
        }
        let Effect::Review {
            stage,
            reviewer,
            head,
            base,
            since,
            known,
            ..
        } = effect
        else {
            return;
        };
        let seat = self.s.stages.get_mut(stage as usize).and_then(|stage| {
            stage
                .reviewers
                .iter_mut()
                .find(|seat| seat.spec.name == reviewer.name)
        });
        let failures = match seat {
            Some(seat) => {
                seat.failures += 1;
                seat.failures
            }
            None => return self.ignore("no_such_reviewer"),
        };
        match self.retry_at(failures, failure) {
            Some(not_before) => self.ask(Effect::Review {
                stage,
                reviewer,
                head,
                base,
                since,
                known,
                not_before,
            }),
            None => {
                let message = failure_message(failure);
                self.stop(Stop::ReviewFailed {
                    reviewer: reviewer.name,
                    message,
                });
            }
        }
    }
}

/// Where a finding lies, as its reviewer's session found out.
#[derive(Default)]
pub(super) struct Spot {
    /// Its line is in the diff.
    in_diff: bool,
    /// Collie's last fix wrote that line.
    by_fix: bool,
    /// What can be put in place of its lines.
    replacement: Option<Replacement>,
}
