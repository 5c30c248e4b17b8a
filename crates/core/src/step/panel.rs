//! The panel: who is asked, and what follows from what was found (§4).

use super::Transition;
use super::decide::{Decision, blocks_approval};
use super::persona_reviews::PersonaMoment;
use crate::blocker::{Blocker, Stop};
use crate::comments;
use crate::consensus::{Consensus, consensus};
use crate::coverage::{UnseenFile, UnseenReason};
use crate::effect::Effect;
use crate::effect::{PostEffect, ReviewEffect};
use crate::finding::{FindingKind, SourceType};
use crate::identity;
use crate::ids::{Fingerprint, Login};
use crate::lifecycle::State;
use crate::panel_state::ReviewerState;
use crate::policy::ReviewerKind;
use crate::post::PostContent;
use crate::review::{CommentsResult, Conclusion};
use crate::snapshot::Snapshot;
use crate::tracked_finding::{FindingStatus, TrackedFinding};
use std::collections::BTreeSet;

impl Transition {
    pub(super) fn decide_reviewing(&mut self, snapshot: &Snapshot) -> Decision {
        let red = self.is_reviewed_red(snapshot);
        if !red && !self.still_green(snapshot) {
            // Reviews that run go on; what they find is kept for this head.
            self.transition_to(State::PrAwaitingChecks);
            return Decision::Transitioned;
        }
        if let Some(next) = self.dispatch_reviews(snapshot) {
            return next;
        }
        let analysis = comments::analyze_comments(&self.state, snapshot);
        self.track_feedback(&analysis);
        let requested = comments::changes_requested_by_trusted(&self.state, snapshot);
        self.join_findings(snapshot, &analysis);
        let mut findings = self.current_findings(snapshot, &analysis);
        if red {
            findings.extend(self.failed_check_findings(snapshot));
        }
        if let Some(waits) = self.await_second_looks(snapshot, &findings) {
            return Decision::Wait(waits);
        }
        let consensus = consensus(&requested, findings.iter().map(|t| &t.finding));
        self.state.run.polling.last_snapshot.consensus = Some(consensus.conclusion);
        match consensus.conclusion {
            Conclusion::Approve => self.on_stage_approved(snapshot, &findings, &consensus),
            Conclusion::RequestChanges | Conclusion::NeedsMajorWork => {
                self.on_changes_requested(snapshot, &findings, &requested, &consensus)
            }
        }
    }

    /// Asks the agents of the present stage that have not looked at this head; waits for those that were asked.
    fn dispatch_reviews(&mut self, snapshot: &Snapshot) -> Option<Decision> {
        let stage = self.state.run.review.current_stage as usize;
        let current = self.state.run.review.stages.get(stage)?;
        let agent = |r: &&ReviewerState| match r.spec.kind {
            ReviewerKind::Rules | ReviewerKind::Agent => true,
            ReviewerKind::Human => false,
        };
        let missing: Vec<ReviewerState> = current
            .reviewers
            .iter()
            .filter(agent)
            .filter(|r| r.rereview_due || r.head.as_ref() != Some(&snapshot.head))
            .cloned()
            .collect();
        if missing.is_empty() {
            return None;
        }
        for reviewer in &missing {
            let name = &reviewer.spec.name;
            let running = self.has_pending(|effect| match effect {
                Effect::Review(asked) => {
                    asked.stage as usize == stage
                        && asked.reviewer.name == *name
                        && asked.head == snapshot.head
                        && !asked.is_second_look()
                }
                _ => false,
            });
            if !running {
                self.request_review(stage, reviewer, snapshot);
            }
        }
        let names = missing.into_iter().map(|r| r.spec.name).collect();
        Some(Decision::Wait(Blocker::Reviewing { names }))
    }

    fn request_review(&mut self, stage: usize, reviewer: &ReviewerState, snapshot: &Snapshot) {
        let known = self
            .state
            .run
            .review
            .findings
            .values()
            // What bots found it is not told, so that what it finds itself is a word of its own (§4.6).
            .filter(|known| known.finding.source.kind != SourceType::Bot)
            .filter(|known| match known.status {
                FindingStatus::Open | FindingStatus::Rejected => true,
                // Whether the claim holds its own reviewer is asked; to the others it is nothing that stands.
                FindingStatus::Claimed => is_reported_by(known, reviewer),
                FindingStatus::Fixed
                | FindingStatus::Withdrawn
                | FindingStatus::Unsure
                | FindingStatus::Dismissed
                | FindingStatus::Stuck => false,
            })
            .cloned()
            .collect();
        self.enqueue(Effect::Review(ReviewEffect {
            stage: u32::try_from(stage).unwrap_or(u32::MAX),
            reviewer: reviewer.spec.clone(),
            head: snapshot.head.clone(),
            base: snapshot.base.clone(),
            since: reviewer.head.clone(),
            known_findings: known,
            unseen: self.unseen_of(reviewer),
            doubted: Vec::new(),
            not_before: self.now,
        }));
    }

    /// What a reviewer was not shown. What a push took out is shown by no later difference: a person who has looked has seen it.
    fn unseen_of(&self, reviewer: &ReviewerState) -> Vec<UnseenFile> {
        let seen_heads = &self.state.memory.seen_heads;
        let head = reviewer.head.as_ref();
        let is_seen = head.is_some_and(|head| seen_heads.contains_key(head));
        let unseen = reviewer.unseen.iter();
        unseen
            .filter(|file| !is_seen || file.reason != UnseenReason::TakenOut)
            .cloned()
            .collect()
    }

    /// Everything that counts at this head: what reviewers found on it, and what people and bots wait for.
    pub(super) fn current_findings(
        &self,
        snapshot: &Snapshot,
        analysis: &CommentsResult,
    ) -> Vec<TrackedFinding> {
        let at_head = |r: &&ReviewerState| r.head.as_ref() == Some(&snapshot.head);
        let reviewers = self.reviewers().filter(at_head);
        let mut prints: Vec<Fingerprint> =
            reviewers.flat_map(|r| r.findings.iter().cloned()).collect();
        prints.extend(identity::fingerprints(&analysis.pending_issues));
        let stands =
            |t: &&TrackedFinding| !t.status.is_set_aside() && t.status != FindingStatus::Unsure;
        prints
            .iter()
            .filter_map(|print| self.state.run.review.findings.get(print))
            .filter(stands)
            .cloned()
            .collect()
    }

    /// What checks failed with, as findings beside those of the panel.
    fn failed_check_findings(&mut self, snapshot: &Snapshot) -> Vec<TrackedFinding> {
        let ci = self.ci(snapshot);
        let prints = self.track_failed_checks(snapshot, &ci);
        let known = &self.state.run.review.findings;
        let tracked = prints.iter().filter_map(|print| known.get(print));
        tracked.cloned().collect()
    }

    /// The stage is content: on to the next, back to one that approved an older head, or ready.
    fn on_stage_approved(
        &mut self,
        snapshot: &Snapshot,
        findings: &[TrackedFinding],
        consensus: &Consensus,
    ) -> Decision {
        let stage = self.state.run.review.current_stage as usize;
        if let Some(logins) = self.missing_human_approvals(stage, snapshot) {
            return Decision::Wait(Blocker::AwaitingReviewer { logins });
        }
        let later = (stage + 1..self.state.run.review.stages.len())
            .find(|i| !self.stage_approved(*i, snapshot));
        let earlier = (0..stage).find(|i| !self.stage_approved(*i, snapshot));
        if let Some(next) = later.or(earlier) {
            self.state.run.review.current_stage = u32::try_from(next).unwrap_or(0);
            return Decision::Transitioned;
        }
        if findings.iter().any(|t| self.is_unposted_question(t)) {
            self.post_review(snapshot, findings, &[], consensus);
        }
        self.speak_as_personas(snapshot, PersonaMoment::PanelApproved);
        let inline = |effect: &Effect| match effect {
            Effect::Post(PostEffect { post }) => matches!(
                post.content,
                PostContent::Inline { .. }
                    | PostContent::PersonaReview { .. }
                    | PostContent::DismissReview { .. }
            ),
            _ => false,
        };
        if self.has_pending(inline) {
            // A question becomes a thread, which has to be seen before it can be called settled. So has what a persona takes back.
            return Decision::Wait(Blocker::Posting);
        }
        // Remarks that do not count against the change are answered all the same (§7.3).
        let (to_fix, optional) = partition_for_fix(findings);
        if !to_fix.is_empty() {
            return self.request_fix(snapshot, to_fix, optional);
        }
        if let Some(next) = self.settle_declined_bots(snapshot) {
            return next;
        }
        match self.ready_blocker(snapshot) {
            Some(blocker) => self.merge_base_or_wait(snapshot, blocker),
            None => {
                self.become_ready(snapshot);
                Decision::Transitioned
            }
        }
    }

    /// Whether it is a question of the panel's that nobody has read yet (§4.3).
    fn is_unposted_question(&self, tracked: &TrackedFinding) -> bool {
        tracked.finding.kind == FindingKind::Question
            && tracked.status == FindingStatus::Open
            && !self.state.memory.inlined.contains(&tracked.fingerprint)
    }

    fn missing_human_approvals(&self, stage: usize, snapshot: &Snapshot) -> Option<Vec<Login>> {
        let people = self.state.run.review.stages.get(stage)?.reviewers.iter();
        let missing: Vec<Login> = people
            .filter(|r| r.spec.kind == ReviewerKind::Human)
            .map(|r| Login::new(&r.spec.name))
            .filter(|login| !self.has_approved(snapshot, login))
            .collect();
        (!missing.is_empty()).then_some(missing)
    }

    fn on_changes_requested(
        &mut self,
        snapshot: &Snapshot,
        findings: &[TrackedFinding],
        requested: &[Login],
        consensus: &Consensus,
    ) -> Decision {
        let (to_fix, optional) = partition_for_fix(findings);
        let blocking: Vec<&TrackedFinding> = findings
            .iter()
            .filter(|t| blocks_approval(&t.finding))
            .collect();
        // A report of what people said in the conversation would only say it again.
        let reports = blocking
            .iter()
            .any(|known| !comments::is_remark(&known.finding));
        if (reports || !requested.is_empty())
            && !blocking.is_empty()
            && self.state.run.review.reported_head.as_ref() != Some(&snapshot.head)
        {
            self.post_review(snapshot, findings, requested, consensus);
        }
        self.speak_as_personas(snapshot, PersonaMoment::UnderWay);
        if !to_fix.is_empty() {
            return self.request_fix(snapshot, to_fix, optional);
        }
        if self.report_rejections(&blocking) {
            return Decision::Transitioned;
        }
        if let Some(stop) = stop_for_unfixable(&blocking) {
            self.stop_run(stop);
            return Decision::Ended;
        }
        // Only people are left, and all they asked for is answered: ask them once to look again (§4.6).
        self.request_rereviews(snapshot);
        match self.ready_blocker(snapshot) {
            Some(blocker) => Decision::Wait(blocker),
            None => Decision::Wait(Blocker::ChangesRequested {
                logins: requested.to_vec(),
            }),
        }
    }

    /// Puts to their reviewers why the fixer did not fix what they found: they withdraw it or uphold it, once (§6.1). What the rules and
    /// the checks say is upheld as it is.
    fn report_rejections(&mut self, blocking: &[&TrackedFinding]) -> bool {
        let unreported = |t: &&&TrackedFinding| {
            let rejected = t.status == FindingStatus::Rejected && !t.rejection_reported;
            rejected && t.finding.source.kind == SourceType::Agent
        };
        let mut first: Option<usize> = None;
        for tracked in blocking.iter().filter(unreported) {
            let print = &tracked.fingerprint;
            let by = &tracked.finding.source.name;
            let seats = self.state.run.review.stages.iter_mut().enumerate();
            let seats = seats
                .flat_map(|(at, stage)| stage.reviewers.iter_mut().map(move |seat| (at, seat)))
                .filter(|(_, seat)| {
                    let found =
                        seat.spec.kind == ReviewerKind::Agent && seat.findings.contains(print);
                    found || seat.spec.name == *by
                });
            for (at, seat) in seats {
                seat.rereview_due = true;
                first = Some(first.map_or(at, |first| first.min(at)));
                if let Some(known) = self.state.run.review.findings.get_mut(print) {
                    known.rejection_reported = true;
                }
            }
        }
        if let Some(stage) = first {
            self.state.run.review.current_stage = u32::try_from(stage).unwrap_or(0);
        }
        first.is_some()
    }
}

/// Whether a finding is in the words of this agent.
fn is_reported_by(known: &TrackedFinding, reviewer: &ReviewerState) -> bool {
    let source = &known.finding.source;
    source.kind == SourceType::Agent && source.name == reviewer.spec.name
}

/// What goes to the fixer, and what goes along as optional: each once, however many reviewers found it. People and bots wait for an
/// answer however little they ask for.
pub(super) fn partition_for_fix(
    findings: &[TrackedFinding],
) -> (Vec<TrackedFinding>, Vec<TrackedFinding>) {
    let mut seen = BTreeSet::new();
    let open = findings
        .iter()
        .filter(|t| t.status == FindingStatus::Open && seen.insert(&t.fingerprint));
    let fixable =
        open.filter(|t| !matches!(t.finding.kind, FindingKind::Question | FindingKind::Praise));
    let needs_answer = |t: &TrackedFinding| match t.finding.source.kind {
        // Nobody waits in a body for an answer to a suggestion.
        SourceType::Bot if comments::stands_in_body(&t.finding) => t.finding.priority.blocks(),
        SourceType::Bot | SourceType::Human => true,
        SourceType::Agent | SourceType::Rules | SourceType::Linter | SourceType::Ci => {
            t.finding.priority.blocks()
        }
    };
    fixable.cloned().partition(needs_answer)
}

/// Why the run stops when findings stand and none of them can be handed over: all stuck, or upheld. People's and bots' words are
/// waited for instead.
pub(super) fn stop_for_unfixable(blocking: &[&TrackedFinding]) -> Option<Stop> {
    let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    let of_panel = |t: &&&TrackedFinding| match t.finding.source.kind {
        SourceType::Agent | SourceType::Rules | SourceType::Linter | SourceType::Ci => true,
        SourceType::Bot | SourceType::Human => false,
    };
    let stuck = blocking
        .iter()
        .filter(|t| t.status == FindingStatus::Stuck)
        .count();
    let upheld = blocking.iter().filter(of_panel);
    let rejected = upheld
        .filter(|t| t.status == FindingStatus::Rejected)
        .count();
    if rejected > 0 {
        Some(Stop::Upheld {
            count: count(rejected),
        })
    } else if stuck > 0 {
        Some(Stop::Stuck {
            count: count(stuck),
        })
    } else {
        None
    }
}
