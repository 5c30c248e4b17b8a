//! The panel: who is asked, and what follows from what was found (§4).

use super::Turn;
use super::decide::Next;
use crate::blocker::{Blocker, Stop};
use crate::comments;
use crate::consensus::{Consensus, consensus};
use crate::identity;
use crate::ids::{Fingerprint, Login};
use crate::lifecycle::State;
use crate::model::{Effect, FindingStatus, ReviewerState, TrackedFinding};
use crate::policy::ReviewerKind;
use crate::post::Content;
use crate::shapes::{CommentsResult, Conclusion, Finding, FindingKind, SourceType};
use crate::snapshot::Snapshot;
use std::collections::BTreeSet;

impl Turn {
    pub(super) fn reviewing(&mut self, s: &Snapshot) -> Next {
        if !self.still_green(s) {
            // Reviews that run go on; what they find is kept for this head.
            self.go(State::PrAwaitingChecks);
            return Next::Moved;
        }
        if let Some(next) = self.dispatch(s) {
            return next;
        }
        let analysis = comments::analyze(&self.s, s);
        self.track_feedback(&analysis);
        let requested: Vec<Login> = analysis
            .review_state
            .changes_requested_by
            .iter()
            .filter(|by| by.association.is_trusted())
            .map(|by| by.login.clone())
            .collect();
        let standing = self.standing_findings(s, &analysis);
        let agreed = consensus(&requested, standing.iter().map(|t| &t.finding));
        self.s.seen.consensus = Some(agreed.conclusion);
        match agreed.conclusion {
            Conclusion::Approve => self.approved(s, &standing, &agreed),
            Conclusion::RequestChanges | Conclusion::NeedsMajorWork => {
                self.not_approved(s, &standing, &requested, &agreed)
            }
        }
    }

    /// Asks the agents of the present stage that have not looked at this head; waits for those that were asked.
    fn dispatch(&mut self, s: &Snapshot) -> Option<Next> {
        let stage = self.s.current_stage as usize;
        let current = self.s.stages.get(stage)?;
        let agent = |r: &&ReviewerState| match r.spec.kind {
            ReviewerKind::Rules | ReviewerKind::Agent => true,
            ReviewerKind::Human => false,
        };
        let missing: Vec<ReviewerState> = current
            .reviewers
            .iter()
            .filter(agent)
            .filter(|r| r.looks_again || r.head.as_ref() != Some(&s.head))
            .cloned()
            .collect();
        if missing.is_empty() {
            return None;
        }
        for reviewer in &missing {
            let name = &reviewer.spec.name;
            let running = self.asked(|effect| match effect {
                Effect::Review {
                    stage: at,
                    reviewer,
                    head,
                    ..
                } => *at as usize == stage && reviewer.name == *name && *head == s.head,
                _ => false,
            });
            if !running {
                self.ask_review(stage, reviewer, s);
            }
        }
        let names = missing.into_iter().map(|r| r.spec.name).collect();
        Some(Next::Wait(Blocker::Reviewing { names }))
    }

    fn ask_review(&mut self, stage: usize, reviewer: &ReviewerState, s: &Snapshot) {
        let known = self
            .s
            .findings
            .values()
            .filter(|t| matches!(t.status, FindingStatus::Open | FindingStatus::Rejected))
            .cloned()
            .collect();
        self.ask(Effect::Review {
            stage: u32::try_from(stage).unwrap_or(u32::MAX),
            reviewer: reviewer.spec.clone(),
            head: s.head.clone(),
            base: s.base.clone(),
            since: reviewer.head.clone(),
            known,
            not_before: self.now,
        });
    }

    /// Everything that counts at this head: what reviewers found on it, and what people and bots wait for.
    pub(super) fn standing_findings(
        &self,
        s: &Snapshot,
        analysis: &CommentsResult,
    ) -> Vec<TrackedFinding> {
        let at_head = |r: &&ReviewerState| r.head.as_ref() == Some(&s.head);
        let reviewers = self
            .s
            .stages
            .iter()
            .flat_map(|stage| &stage.reviewers)
            .filter(at_head);
        let mut prints: Vec<Fingerprint> =
            reviewers.flat_map(|r| r.findings.iter().cloned()).collect();
        prints.extend(identity::fingerprints(&analysis.pending_issues));
        let stands = |t: &&TrackedFinding| t.status != FindingStatus::Withdrawn;
        prints
            .iter()
            .filter_map(|print| self.s.findings.get(print))
            .filter(stands)
            .cloned()
            .collect()
    }

    /// The stage is content: on to the next, back to one that approved an older head, or ready.
    fn approved(&mut self, s: &Snapshot, standing: &[TrackedFinding], agreed: &Consensus) -> Next {
        let stage = self.s.current_stage as usize;
        if let Some(logins) = self.missing_people(stage, s) {
            return Next::Wait(Blocker::AwaitingReviewer { logins });
        }
        let later = (stage + 1..self.s.stages.len()).find(|i| !self.stage_approved(*i, s));
        let earlier = (0..stage).find(|i| !self.stage_approved(*i, s));
        if let Some(next) = later.or(earlier) {
            self.s.current_stage = u32::try_from(next).unwrap_or(0);
            return Next::Moved;
        }
        if standing.iter().any(|t| self.is_unasked(t)) {
            self.say_review(s, standing, &[], agreed);
        }
        let inline = |effect: &Effect| match effect {
            Effect::Say { post } => matches!(post.content, Content::Inline { .. }),
            _ => false,
        };
        if self.asked(inline) {
            // A question becomes a thread, which has to be seen before it can be called settled.
            return Next::Wait(Blocker::Posting);
        }
        // Remarks that do not count against the change are answered all the same (§7.3).
        let (to_fix, optional) = sort_out(standing);
        if !to_fix.is_empty() {
            return self.hand_over(s, to_fix, optional);
        }
        match self.not_ready(s) {
            Some(blocker) => Next::Wait(blocker),
            None => {
                self.become_ready(s);
                Next::Moved
            }
        }
    }

    /// Whether it is a question of the panel's that nobody has read yet (§4.3).
    fn is_unasked(&self, tracked: &TrackedFinding) -> bool {
        tracked.finding.kind == FindingKind::Question
            && tracked.status == FindingStatus::Open
            && !self.s.inlined.contains(&tracked.fingerprint)
    }

    fn missing_people(&self, stage: usize, s: &Snapshot) -> Option<Vec<Login>> {
        let people = self.s.stages.get(stage)?.reviewers.iter();
        let missing: Vec<Login> = people
            .filter(|r| r.spec.kind == ReviewerKind::Human)
            .map(|r| Login::new(&r.spec.name))
            .filter(|login| !self.has_approved(s, login))
            .collect();
        (!missing.is_empty()).then_some(missing)
    }

    fn not_approved(
        &mut self,
        s: &Snapshot,
        standing: &[TrackedFinding],
        requested: &[Login],
        agreed: &Consensus,
    ) -> Next {
        let (to_fix, optional) = sort_out(standing);
        let blocking: Vec<&TrackedFinding> =
            standing.iter().filter(|t| counts(&t.finding)).collect();
        if !blocking.is_empty() && self.s.reported_head.as_ref() != Some(&s.head) {
            self.say_review(s, standing, requested, agreed);
        }
        if !to_fix.is_empty() {
            return self.hand_over(s, to_fix, optional);
        }
        if self.put_rejections(&blocking) {
            return Next::Moved;
        }
        if let Some(stop) = left_over(&blocking) {
            self.stop(stop);
            return Next::Ended;
        }
        // Only people are left, and all they asked for is answered: ask them once to look again (§4.6).
        self.ask_to_look_again(s);
        match self.not_ready(s) {
            Some(blocker) => Next::Wait(blocker),
            None => Next::Wait(Blocker::ChangesRequested {
                logins: requested.to_vec(),
            }),
        }
    }

    /// Puts to their reviewers why the fixer did not fix what they found: they withdraw it or uphold it, once (§6.1). What the rules and
    /// the checks say is upheld as it is.
    fn put_rejections(&mut self, blocking: &[&TrackedFinding]) -> bool {
        let unheard = |t: &&&TrackedFinding| {
            let rejected = t.status == FindingStatus::Rejected && !t.rejection_heard;
            rejected && t.finding.source.kind == SourceType::Agent
        };
        let mut first: Option<usize> = None;
        for tracked in blocking.iter().filter(unheard) {
            let print = &tracked.fingerprint;
            let by = &tracked.finding.source.name;
            let seats = self.s.stages.iter_mut().enumerate();
            let seats = seats
                .flat_map(|(at, stage)| stage.reviewers.iter_mut().map(move |seat| (at, seat)))
                .filter(|(_, seat)| {
                    let found =
                        seat.spec.kind == ReviewerKind::Agent && seat.findings.contains(print);
                    found || seat.spec.name == *by
                });
            for (at, seat) in seats {
                seat.looks_again = true;
                first = Some(first.map_or(at, |first| first.min(at)));
                if let Some(known) = self.s.findings.get_mut(print) {
                    known.rejection_heard = true;
                }
            }
        }
        if let Some(stage) = first {
            self.s.current_stage = u32::try_from(stage).unwrap_or(0);
        }
        first.is_some()
    }
}

/// Whether a finding counts against approval.
pub(super) fn counts(finding: &Finding) -> bool {
    match finding.kind {
        FindingKind::Question | FindingKind::Praise => false,
        FindingKind::Suggestion | FindingKind::Nitpick | FindingKind::Error => {
            finding.priority.blocks()
        }
    }
}

/// What goes to the fixer, and what goes along as optional: each once, however many reviewers found it. People and bots wait for an
/// answer however little they ask for.
pub(super) fn sort_out(standing: &[TrackedFinding]) -> (Vec<TrackedFinding>, Vec<TrackedFinding>) {
    let mut seen = BTreeSet::new();
    let open = standing
        .iter()
        .filter(|t| t.status == FindingStatus::Open && seen.insert(&t.fingerprint));
    let fixable =
        open.filter(|t| !matches!(t.finding.kind, FindingKind::Question | FindingKind::Praise));
    let needs_answer = |t: &TrackedFinding| match t.finding.source.kind {
        SourceType::Bot | SourceType::Human => true,
        SourceType::Agent | SourceType::Rules | SourceType::Ci => t.finding.priority.blocks(),
    };
    fixable.cloned().partition(needs_answer)
}

/// Why the run stops when findings stand and none of them can be handed over: all stuck, or upheld. People's and bots' words are
/// waited for instead.
pub(super) fn left_over(blocking: &[&TrackedFinding]) -> Option<Stop> {
    let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    let of_panel = |t: &&&TrackedFinding| match t.finding.source.kind {
        SourceType::Agent | SourceType::Rules | SourceType::Ci => true,
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
