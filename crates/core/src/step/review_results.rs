//! What reviews come to: findings and their identity over the rounds, verdicts, reviewers that are asked in (§4.2, §5).

use super::Transition;
use crate::blocker::Stop;
use crate::change_map::MAX_FILE_USES;
use crate::comments;
use crate::effect::Effect;
use crate::effect::ReviewEffect;
use crate::event::{ReviewFinished, SessionFailed, SessionFailure};
use crate::finding::{Finding, FindingKind, Replacement, SourceType};
use crate::identity;
use crate::ids::{Fingerprint, Sha, ThreadId};
use crate::note::Note;
use crate::panel_state::{ReviewerState, StageState};
use crate::policy::{ReviewerKind, ReviewerSpec};
use crate::review::{CommentsResult, Conclusion, IssueCounts, conclusion_from_counts};
use crate::snapshot::Snapshot;
use crate::tracked_finding::{FindingStatus, MAX_REFUTED_CLAIMS, TrackedFinding};
use std::collections::{BTreeMap, BTreeSet};

/// As many characters of a reviewer's own words are kept.
const MAX_SUMMARY_CHARS: usize = 6_000;

/// What is kept of a reviewer's own words.
fn summary_of(report: &str) -> String {
    report.trim().chars().take(MAX_SUMMARY_CHARS).collect()
}

impl Transition {
    /// Tracks what people and bots wait for under the identity of their comments.
    pub(super) fn track_feedback(&mut self, analysis: &CommentsResult) {
        let findings = &analysis.pending_issues;
        let prints = identity::fingerprints(findings);
        for (finding, print) in findings.iter().zip(&prints) {
            self.track_finding(finding, print, FindingLocation::default());
        }
    }

    /// What people and bots asked for, was claimed to be fixed, and is not asked for again once everybody is in at the new head.
    pub(super) fn confirm_answered_feedback(&mut self, snapshot: &Snapshot) {
        let analysis = comments::analyze_comments(&self.state, snapshot);
        self.track_feedback(&analysis);
        let findings = self.state.run.review.findings.values_mut();
        let feedback = findings.filter(|known| match known.finding.source.kind {
            SourceType::Bot | SourceType::Human => true,
            SourceType::Agent | SourceType::Rules | SourceType::Linter | SourceType::Ci => false,
        });
        feedback.for_each(confirm_claim);
    }

    /// Tracks one finding, and holds the claims to have fixed it against this report of it (§5.2).
    pub(super) fn track_finding(
        &mut self,
        finding: &Finding,
        fingerprint: &Fingerprint,
        location: FindingLocation,
    ) {
        let round = self.state.run.fixing.iteration + 1;
        let findings = &mut self.state.run.review.findings;
        let Some(known) = findings.get_mut(fingerprint) else {
            let new = new_tracked_finding(finding, fingerprint, location, round);
            findings.insert(fingerprint.clone(), new);
            return;
        };
        let outcome = merge_report(known, finding, location, round);
        self.note_claim(fingerprint, outcome);
    }

    /// Keeps a finding that does not count, unless it is known as one that does, or did.
    fn track_unsure(&mut self, finding: &Finding, print: &Fingerprint, place: FindingLocation) {
        let round = self.state.run.fixing.iteration + 1;
        let findings = &mut self.state.run.review.findings;
        let first_round = match findings.get(print) {
            Some(known) if known.status == FindingStatus::Unsure => known.first_round,
            Some(_) => return,
            None => round,
        };
        let new = TrackedFinding {
            status: FindingStatus::Unsure,
            first_round,
            ..new_tracked_finding(finding, print, place, round)
        };
        findings.insert(print.clone(), new);
    }

    /// Keeps why a finding stands after a commit that was said to fix it: the next try goes by it (§5.2).
    fn keep_standing_reason(&mut self, fingerprint: &Fingerprint, reason: Option<&String>) {
        let known = self.state.run.review.findings.get_mut(fingerprint);
        let refuted = known
            .filter(|known| matches!(known.status, FindingStatus::Open | FindingStatus::Stuck));
        let claimed = refuted.and_then(|known| Some((known.fixed_in.last()?.clone(), known)));
        if let (Some((commit, known)), Some(reason)) = (claimed, reason) {
            let reasons = &mut known.standing_reasons;
            reasons.entry(commit).or_insert_with(|| reason.clone());
        }
    }

    pub(super) fn note_claim(&mut self, fingerprint: &Fingerprint, outcome: ClaimOutcome) {
        let fingerprint = fingerprint.clone();
        match outcome {
            ClaimOutcome::None => {}
            ClaimOutcome::Refuted => self.notes.push(Note::ClaimRefuted { fingerprint }),
            ClaimOutcome::Stuck => self.notes.push(Note::BecameStuck { fingerprint }),
        }
    }

    /// What an asked reviewer answers: a look at the change, or at what bots found.
    pub(super) fn review_finished(&mut self, asked: &ReviewEffect, finished: &ReviewFinished) {
        let session = finished.session.as_deref();
        self.add_usage(&finished.usage);
        self.note_session(Some(&asked.reviewer.name), session, &finished.usage);
        self.poll_now();
        match asked.is_second_look() {
            true => self.second_look_finished(asked, finished),
            false => self.look_finished(asked, finished),
        }
    }

    fn look_finished(&mut self, asked: &ReviewEffect, finished: &ReviewFinished) {
        let (stage, reviewer) = (asked.stage, &asked.reviewer);
        let ReviewFinished { head, result, .. } = finished;
        let session = finished.session.as_deref();
        let threshold = self.state.run.configuration.policy.comment_threshold;
        // A question holds nothing up: below the bar it goes into the report.
        let counts = |(finding, _): &(&Finding, &Fingerprint)| {
            finding.confidence.permille() >= threshold || finding.kind == FindingKind::Question
        };
        let all = result.findings.iter().zip(&finished.fingerprints);
        let (kept, unsure): (Vec<_>, Vec<_>) = all.partition(counts);
        let mut findings: Vec<Finding> = kept.iter().map(|(f, _)| (*f).clone()).collect();
        let own: Vec<Fingerprint> = kept.iter().map(|(_, print)| (*print).clone()).collect();
        let mut prints = identity::match_tracked(&findings, &own, &self.state.run.review.findings);
        for (finding, print) in findings.iter().zip(&prints) {
            self.track_finding(finding, print, FindingLocation::of(finding, finished));
            self.keep_standing_reason(print, finished.upheld.get(&finding.id));
        }
        for (finding, print) in unsure {
            self.track_unsure(finding, print, FindingLocation::of(finding, finished));
        }
        self.withdraw_findings(&reviewer.name, head, &finished.withdrawn);
        for known in self.keep_not_rechecked(asked, &finished.not_rechecked, &prints) {
            findings.push(known.finding);
            prints.push(known.fingerprint);
        }
        let counting = findings.iter().zip(&prints);
        let counting = counting.filter(|(_, print)| !self.is_set_aside(print));
        let verdict = conclusion_from_counts(IssueCounts::of(counting.map(|(f, _)| f)));
        self.note_review(reviewer, head, verdict, prints.len());
        let now = self.now;
        let Some(seat) = self.reviewer_mut(stage, &reviewer.name) else {
            return self.ignore("no_such_reviewer");
        };
        let before = std::mem::replace(&mut seat.findings, prints.iter().cloned().collect());
        seat.verdict = Some(verdict);
        seat.head = Some(head.clone());
        seat.failures = 0;
        seat.rereview_due = false;
        seat.left_out = match (seat.left_out.take(), session) {
            // It has still not seen what it was not shown before.
            (Some(before), Some(session)) if session.delta => {
                Some(before.and(session.left_out.as_ref()))
            }
            (_, session) => session.and_then(|session| session.left_out.clone()),
        };
        seat.linters = session.map_or_else(Vec::new, |session| session.linters.clone());
        seat.unseen = finished.unseen.clone();
        if !session.is_some_and(|session| session.delta) {
            seat.uses.clear();
        }
        let uses = session.into_iter().flat_map(|session| &session.uses);
        seat.uses.extend(uses.take(MAX_FILE_USES).cloned());
        seat.summary = summary_of(&result.full_report);
        seat.at = Some(now);
        seat.escalations = result.escalations.clone();
        self.close_unreported(&reviewer.name, head, &before, &prints);
        self.escalate(stage as usize, reviewer, &result.escalations);
    }

    /// Earlier findings that nobody asked their reviewer about: they stand. A claim to have fixed one is neither confirmed nor refuted, and the
    /// finding is open again.
    fn keep_not_rechecked(
        &mut self,
        asked: &ReviewEffect,
        not_rechecked: &BTreeSet<Fingerprint>,
        reported: &[Fingerprint],
    ) -> Vec<TrackedFinding> {
        let known = &mut self.state.run.review.findings;
        let mut standing = Vec::new();
        for earlier in &asked.known_findings {
            let print = &earlier.fingerprint;
            if !not_rechecked.contains(print) || reported.contains(print) {
                continue;
            }
            let tracked = known
                .entry(print.clone())
                .or_insert_with(|| earlier.clone());
            // A colleague who does not report it any more cannot say so for the reviewer whose own it is.
            if matches!(
                tracked.status,
                FindingStatus::Claimed | FindingStatus::Fixed
            ) {
                tracked.status = FindingStatus::Open;
            }
            standing.push(tracked.clone());
        }
        standing
    }

    fn note_review(&mut self, by: &ReviewerSpec, head: &Sha, verdict: Conclusion, found: usize) {
        self.notes.push(Note::ReviewDone {
            reviewer: by.name.clone(),
            kind: by.kind,
            head: head.clone(),
            verdict,
            findings: u32::try_from(found).unwrap_or(u32::MAX),
        });
    }

    /// What its reviewer takes back stays so (§5.1), unless another found it too and stands by it.
    fn withdraw_findings(&mut self, by: &str, head: &Sha, prints: &BTreeSet<Fingerprint>) {
        for print in prints {
            let own = self
                .reviewers()
                .any(|seat| seat.spec.name == by && seat.findings.contains(print));
            let shared = self.is_reported_by_another(print, by, head);
            if let Some(known) = self.state.run.review.findings.get_mut(print)
                && (own || known.finding.source.name == by)
                && !shared
                && matches!(
                    known.status,
                    FindingStatus::Open | FindingStatus::Claimed | FindingStatus::Rejected
                )
            {
                known.status = FindingStatus::Withdrawn;
            }
        }
    }

    /// Everyone on the panel, stage by stage.
    pub(super) fn reviewers(&self) -> impl Iterator<Item = &ReviewerState> {
        self.state
            .run
            .review
            .stages
            .iter()
            .flat_map(|stage| &stage.reviewers)
    }

    pub(super) fn reviewer_mut(&mut self, stage: u32, name: &str) -> Option<&mut ReviewerState> {
        let stage = self.state.run.review.stages.get_mut(stage as usize)?;
        let mut reviewers = stage.reviewers.iter_mut();
        reviewers.find(|seat| seat.spec.name == name)
    }

    /// Whether somebody else reports it at this head.
    fn is_reported_by_another(&self, fingerprint: &Fingerprint, by: &str, head: &Sha) -> bool {
        self.reviewers().any(|seat| {
            seat.spec.name != by
                && seat.head.as_ref() == Some(head)
                && seat.findings.contains(fingerprint)
        })
    }

    fn is_set_aside(&self, fingerprint: &Fingerprint) -> bool {
        self.state
            .run
            .review
            .findings
            .get(fingerprint)
            .is_some_and(|t| t.status.is_set_aside())
    }

    /// What a reviewer does not report any more is done with, unless another does.
    fn close_unreported(
        &mut self,
        by: &str,
        head: &Sha,
        before: &BTreeSet<Fingerprint>,
        now: &[Fingerprint],
    ) {
        for print in before.iter().filter(|print| !now.contains(print)) {
            if self.is_reported_by_another(print, by, head) {
                continue;
            }
            if let Some(gone) = self.state.run.review.findings.get_mut(print)
                && matches!(
                    gone.status,
                    FindingStatus::Open | FindingStatus::Claimed | FindingStatus::Rejected
                )
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
                .state
                .run
                .review
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
            let place = (stage + 1).min(self.state.run.review.stages.len());
            self.state.run.review.stages.insert(
                place,
                StageState {
                    reviewers: vec![seat],
                },
            );
        }
    }

    pub(super) fn review_failed(&mut self, asked: ReviewEffect, failed: &SessionFailed) {
        self.add_usage(&failed.usage);
        if matches!(failed.failure, SessionFailure::HeadMismatch { .. }) {
            return;
        }
        let failures = match self.reviewer_mut(asked.stage, &asked.reviewer.name) {
            Some(seat) => {
                seat.failures += 1;
                seat.failures
            }
            None => return self.ignore("no_such_reviewer"),
        };
        match self.retry_at(failures, &failed.failure) {
            Some(not_before) => self.enqueue(Effect::Review(ReviewEffect {
                not_before,
                ..asked
            })),
            None if asked.is_second_look() => self.second_look_given_up(&asked),
            None => self.stop_run(Stop::ReviewFailed {
                reviewer: asked.reviewer.name,
                error: failed.failure.clone().into_error(),
            }),
        }
    }
}

pub(super) fn new_tracked_finding(
    finding: &Finding,
    fingerprint: &Fingerprint,
    location: FindingLocation,
    round: u32,
) -> TrackedFinding {
    TrackedFinding {
        finding: finding.clone(),
        number: 0,
        fingerprint: fingerprint.clone(),
        status: FindingStatus::Open,
        introduced_by_fix: location.introduced_by_fix,
        first_round: round,
        last_round: round,
        fixed_in: Vec::new(),
        standing_reasons: BTreeMap::new(),
        refuted_claims: 0,
        check_failure: None,
        rejection: None,
        rejection_reported: false,
        in_diff: location.in_diff,
        covered: location.covered,
        covered_by: location.covered_by,
        report_only: None,
        replacement: location.replacement,
        also_found_by: BTreeSet::new(),
        joined_to: None,
        second_look: None,
        upheld_at: None,
        dismissal: None,
    }
}

/// A look at a head with the fix did not find it any more (§5.2).
pub(super) fn confirm_claim(known: &mut TrackedFinding) {
    if known.status == FindingStatus::Claimed {
        known.status = FindingStatus::Fixed;
    }
}

/// What a report of a finding means for the claims to have fixed it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ClaimOutcome {
    /// Nothing: there was none.
    None,
    /// The claim did not hold; it goes back to the fixer.
    Refuted,
    /// It is not handed over any more.
    Stuck,
}

/// Merges another report into a known finding.
fn merge_report(
    known: &mut TrackedFinding,
    finding: &Finding,
    location: FindingLocation,
    round: u32,
) -> ClaimOutcome {
    // The same comment, read again, is the same report of it.
    let source = &known.finding.source.review_id;
    let same_report =
        source.is_some() && *source == finding.source.review_id && known.finding.id == finding.id;
    let weight = known.finding.priority;
    let colleague = known.last_round == round && known.finding.source.name != finding.source.name;
    let edited = known.finding.description != finding.description;
    // Of two reports of one head the one that offers a replacement is told: its words, line and lines belong together.
    let offers = colleague && known.replacement.is_some() && location.replacement.is_none();
    if !offers {
        known.finding = finding.clone();
        known.replacement = location.replacement;
    }
    if same_report {
        if edited && finding.source.kind == SourceType::Human {
            // Other words under the same comment: asked anew (§7.1).
            known.status = FindingStatus::Open;
            known.rejection = None;
            known.rejection_reported = false;
        }
        return ClaimOutcome::None;
    }
    if colleague {
        // Two reviewers of one round found it: the graver word counts.
        known.finding.priority = weight.min(finding.priority);
    }
    known.last_round = round;
    if !offers {
        known.in_diff = location.in_diff;
        known.covered = location.covered;
        known.covered_by = location.covered_by;
    }
    known.introduced_by_fix |= location.introduced_by_fix;
    after_claim(known, false)
}

/// What becomes of a finding that stands after all. `is_progress`: less of it than before, which uses no claim up.
pub(super) fn after_claim(known: &mut TrackedFinding, is_progress: bool) -> ClaimOutcome {
    match known.status {
        FindingStatus::Fixed if known.fixed_in.is_empty() => {
            known.status = FindingStatus::Open;
            ClaimOutcome::None
        }
        FindingStatus::Fixed => {
            known.status = FindingStatus::Stuck;
            ClaimOutcome::Stuck
        }
        FindingStatus::Claimed => {
            known.refuted_claims += u32::from(!is_progress);
            if known.refuted_claims >= MAX_REFUTED_CLAIMS {
                known.status = FindingStatus::Stuck;
                return ClaimOutcome::Stuck;
            }
            known.status = FindingStatus::Open;
            ClaimOutcome::Refuted
        }
        // It is made anew, by somebody who is sure of it.
        FindingStatus::Unsure => {
            known.status = FindingStatus::Open;
            ClaimOutcome::None
        }
        FindingStatus::Open
        | FindingStatus::Rejected
        | FindingStatus::Withdrawn
        | FindingStatus::Dismissed
        | FindingStatus::Stuck => ClaimOutcome::None,
    }
}

/// Where a finding lies, as its reviewer's session found out.
#[derive(Default)]
pub(super) struct FindingLocation {
    /// Its line is in the diff.
    in_diff: bool,
    /// Collie's last fix wrote that line.
    introduced_by_fix: bool,
    /// What can be put in place of its lines.
    replacement: Option<Replacement>,
    /// Somebody's open thread says it already.
    covered: bool,
    /// That thread.
    covered_by: Option<ThreadId>,
}

impl FindingLocation {
    fn of(finding: &Finding, finished: &ReviewFinished) -> Self {
        let id = &finding.id;
        Self {
            in_diff: finished.in_diff.contains(id),
            introduced_by_fix: finished.introduced_by_fix.contains(id),
            replacement: finished.replacements.get(id).cloned(),
            covered: finished.covered.contains(id),
            covered_by: finished.covered_by.get(id).cloned(),
        }
    }
}
