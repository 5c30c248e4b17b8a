//! What several tools found (§4.6): who else made a finding, and who looks again at what one bot alone has found.

use super::Transition;
use super::panel::partition_for_fix;
use crate::agreement::{
    AgreementRule, Claim, Tool, bot_findings, bot_names, is_own_word, join_claims,
};
use crate::blocker::Blocker;
use crate::comments::{self, ThreadStatus};
use crate::effect::{Effect, ReviewEffect};
use crate::event::ReviewFinished;
use crate::finding::{Finding, SourceType};
use crate::fix::{FixedIssue, RejectedIssue};
use crate::identity;
use crate::ids::Fingerprint;
use crate::loop_state::{BodyDisposition, PendingFix};
use crate::policy::{ReviewerKind, ReviewerSpec};
use crate::post::{DisposedFinding, Disposition, PostContent};
use crate::review::CommentsResult;
use crate::snapshot::{Snapshot, Thread};
use crate::token::ActionSubject;
use crate::tracked_finding::{FindingStatus, SecondLook, TrackedFinding};
use std::collections::{BTreeMap, BTreeSet};

/// A finding in the join, with what it is tracked under; bots' words are none in a review without a loop.
struct Candidate {
    finding: Finding,
    print: Fingerprint,
}

impl Transition {
    /// Notes of each finding at this head who else made it. Who agreed once has agreed; what is one fault at this head is told anew.
    pub(super) fn join_findings(&mut self, snapshot: &Snapshot, analysis: &CommentsResult) {
        let candidates = self.candidates(snapshot, analysis);
        let claims: Vec<(usize, Claim<'_>)> = candidates
            .iter()
            .enumerate()
            .filter_map(|(at, candidate)| Some((at, Claim::of(&candidate.finding)?)))
            .collect();
        let (places, claims): (Vec<usize>, Vec<Claim<'_>>) = claims.into_iter().unzip();
        let names = bot_names(&self.state.run.configuration.policy, snapshot);
        for group in join_claims(&claims, &AgreementRule::default()) {
            let members: Vec<&Candidate> =
                group.iter().map(|at| &candidates[places[*at]]).collect();
            let found_by: BTreeMap<&Tool, String> = group
                .iter()
                .zip(&members)
                .map(|(at, member)| (claims[*at].tool(), display_name(&member.finding, &names)))
                .collect();
            self.note_group(&group, &claims, &members, &found_by);
        }
    }

    fn note_group(
        &mut self,
        group: &[usize],
        claims: &[Claim<'_>],
        members: &[&Candidate],
        found_by: &BTreeMap<&Tool, String>,
    ) {
        let lead = &members[0].print;
        for (at, member) in group.iter().zip(members) {
            let Some(known) = self.state.run.review.findings.get_mut(&member.print) else {
                continue;
            };
            let others = found_by
                .iter()
                .filter(|(tool, _)| **tool != claims[*at].tool());
            known
                .also_found_by
                .extend(others.map(|(_, name)| name.clone()));
            known.joined_to = (member.print != *lead).then(|| lead.clone());
        }
    }

    /// What is joined: the panel's findings first, which quote the code, then those of bots, each the gravest first.
    fn candidates(&self, snapshot: &Snapshot, analysis: &CommentsResult) -> Vec<Candidate> {
        let at_head = self
            .reviewers()
            .filter(|r| r.head.as_ref() == Some(&snapshot.head));
        let prints: BTreeSet<&Fingerprint> = at_head.flat_map(|r| &r.findings).collect();
        let known = &self.state.run.review.findings;
        let tracked = prints.into_iter().filter_map(|print| known.get(print));
        let stands = |tracked: &&TrackedFinding| match tracked.status {
            FindingStatus::Open | FindingStatus::Claimed | FindingStatus::Rejected => true,
            FindingStatus::Fixed
            | FindingStatus::Withdrawn
            | FindingStatus::Unsure
            | FindingStatus::Dismissed
            | FindingStatus::Stuck => false,
        };
        let mut all: Vec<Candidate> = tracked
            .filter(stands)
            .map(|tracked| Candidate {
                finding: tracked.finding.clone(),
                print: tracked.fingerprint.clone(),
            })
            .collect();
        let openings = bot_findings(&self.state.run.configuration.policy, snapshot);
        let pending = &analysis.pending_issues;
        let of_bots = pending.iter().zip(identity::fingerprints(pending));
        let own = of_bots.filter(|(finding, _)| {
            finding.source.kind == SourceType::Bot && is_own_word(finding, &openings)
        });
        all.extend(own.map(|(finding, print)| Candidate {
            finding: finding.clone(),
            print,
        }));
        let of_bot = |finding: &Finding| finding.source.kind == SourceType::Bot;
        all.sort_by_key(|c| (of_bot(&c.finding), c.finding.priority, c.print.clone()));
        all
    }

    /// Has somebody look again at what a bot alone has found, before the fixer spends a turn on it. None where nothing is to be waited for.
    pub(super) fn await_second_looks(
        &mut self,
        snapshot: &Snapshot,
        current: &[TrackedFinding],
    ) -> Option<Blocker> {
        let idle = self.fixing_blocker(snapshot).is_some()
            || self.base_broken_blocker(snapshot).is_some()
            || self.fix_limit(snapshot).is_some();
        let (to_fix, _) = partition_for_fix(current);
        let doubted: Vec<TrackedFinding> = to_fix.into_iter().filter(is_doubted).collect();
        if idle || doubted.is_empty() {
            return None;
        }
        let Some((stage, reviewer)) = self.second_looker() else {
            self.give_up_second_looks(doubted.iter().map(|known| &known.fingerprint));
            return None;
        };
        let names = vec![reviewer.name.clone()];
        self.ask_second_look(snapshot, (stage, reviewer), doubted);
        Some(Blocker::Reviewing { names })
    }

    /// Has a reviewer look at what bots found, with what the fixer said of it; one look at a time.
    pub(super) fn ask_second_look(
        &mut self,
        snapshot: &Snapshot,
        (stage, reviewer): (u32, ReviewerSpec),
        doubted: Vec<TrackedFinding>,
    ) {
        let asked = self.has_pending(|effect| {
            let review = effect.as_review();
            review.is_some_and(|review| review.is_second_look() && review.head == snapshot.head)
        });
        if asked {
            return;
        }
        let under_identity = |known: &TrackedFinding| Finding {
            id: known.fingerprint.to_string(),
            ..known.finding.clone()
        };
        self.enqueue(Effect::Review(ReviewEffect {
            stage,
            reviewer,
            head: snapshot.head.clone(),
            base: snapshot.base.clone(),
            since: None,
            doubted: doubted.iter().map(under_identity).collect(),
            known_findings: (doubted.into_iter())
                .filter(|known| known.rejection.is_some())
                .collect(),
            unseen: Vec::new(),
            not_before: self.now,
        }));
    }

    /// Who looks again at what bots found: the first of the panel that reads.
    pub(super) fn second_looker(&self) -> Option<(u32, ReviewerSpec)> {
        let stages = (0..).zip(&self.state.run.review.stages);
        let mut seats = stages.flat_map(|(at, stage)| {
            let seats = stage.reviewers.iter();
            seats.map(move |seat| (at, &seat.spec))
        });
        let (stage, spec) = seats.find(|(_, spec)| spec.kind == ReviewerKind::Agent)?;
        Some((stage, spec.clone()))
    }

    /// Where nobody can look again, what a bot found is handed over as it is.
    pub(super) fn give_up_second_looks<'f>(
        &mut self,
        prints: impl Iterator<Item = &'f Fingerprint>,
    ) {
        for print in prints {
            if let Some(known) = self.state.run.review.findings.get_mut(print) {
                known.second_look.get_or_insert(SecondLook::Unavailable);
            }
        }
    }

    /// Takes the scores of a second look over: what is below the bar is declined, in the words of who looked.
    pub(super) fn second_look_finished(&mut self, asked: &ReviewEffect, finished: &ReviewFinished) {
        if let Some(seat) = self.reviewer_mut(asked.stage, &asked.reviewer.name) {
            seat.failures = 0;
        }
        let threshold = self.state.run.configuration.policy.comment_threshold;
        for finding in &asked.doubted {
            let print = Fingerprint::new(finding.id.clone());
            let Some(known) = self.state.run.review.findings.get_mut(&print) else {
                continue;
            };
            match finished.second_looks.get(&finding.id) {
                // A person has dismissed it meanwhile.
                _ if known.status.is_set_aside() => {}
                None if known.status == FindingStatus::Rejected => {
                    known.upheld_at = Some(asked.head.clone());
                }
                None => known.second_look = Some(SecondLook::Unavailable),
                Some(score) if score.confidence.permille() >= threshold => {
                    known.second_look = Some(SecondLook::Stands);
                    let declined = known.status == FindingStatus::Rejected;
                    known.upheld_at = declined.then(|| asked.head.clone());
                }
                Some(score) => {
                    known.second_look = Some(SecondLook::Refuted);
                    known.status = FindingStatus::Rejected;
                    known.rejection = Some(score.reason.clone());
                }
            }
        }
    }

    /// A second look that failed for good keeps nobody from fixing.
    pub(super) fn second_look_given_up(&mut self, asked: &ReviewEffect) {
        if let Some(seat) = self.reviewer_mut(asked.stage, &asked.reviewer.name) {
            seat.failures = 0;
        }
        let prints: Vec<Fingerprint> = (asked.doubted.iter())
            .map(|finding| Fingerprint::new(finding.id.clone()))
            .collect();
        self.give_up_second_looks(prints.iter());
        self.uphold_declined(prints.iter(), &asked.head);
        self.poll_now();
    }

    /// Answers bots whose finding the second look refuted, each once: in its thread, or for what stands in bodies in one comment (§7.3).
    pub(super) fn answer_refuted(&mut self, snapshot: &Snapshot) {
        if self.state.run.state.is_terminal() || self.current_hold(snapshot).is_some() {
            return;
        }
        let is_pending = |t: &&Thread| {
            comments::thread_status(&self.state, snapshot, t) == ThreadStatus::Pending
        };
        let pending: Vec<&Thread> = snapshot.threads.iter().filter(is_pending).collect();
        for thread in pending {
            self.answer_refuted_thread(snapshot, thread);
        }
        self.answer_refuted_bodies(snapshot);
    }

    fn answer_refuted_thread(&mut self, snapshot: &Snapshot, thread: &Thread) -> Option<()> {
        let comment = comments::comment_to_answer(&self.state, snapshot, thread)?;
        let finding = comments::thread_finding(&self.state, snapshot, thread)?;
        let mut known = self.state.run.review.findings.values();
        let known = known.find(|known| {
            known.declined_without_turn().is_some()
                && known.finding.id == finding.id
                && known.finding.description == finding.description
        })?;
        let reason = known.declined_without_turn()?.to_owned();
        self.reply(snapshot, thread, comment, Disposition::Declined { reason });
        Some(())
    }

    fn answer_refuted_bodies(&mut self, snapshot: &Snapshot) {
        let pending = comments::analyze_comments(&self.state, snapshot).pending_issues;
        let prints = identity::fingerprints(&pending);
        let refuted = |print: &Fingerprint| {
            let known = self.state.run.review.findings.get(print)?;
            let reason = known.declined_without_turn()?.to_owned();
            comments::stands_in_body(&known.finding).then(|| (known.finding.clone(), reason))
        };
        let found: Vec<(Fingerprint, Finding, String)> = prints
            .into_iter()
            .filter_map(|print| {
                let (finding, reason) = refuted(&print)?;
                Some((print, finding, reason))
            })
            .collect();
        let Some((first, ..)) = found.first() else {
            return;
        };
        let token = self.token(&ActionSubject::RefutedInBodies(first));
        let mut items = Vec::new();
        for (print, finding, reason) in found {
            let given = BodyDisposition {
                head: snapshot.head.clone(),
                fixed: false,
                token: token.clone(),
            };
            self.state.memory.body_dispositions.insert(print, given);
            items.push(DisposedFinding {
                bot: finding.source.name,
                title: finding.title,
                file: finding.file,
                line: finding.line,
                disposition: Disposition::Declined { reason },
            });
        }
        self.post(token, PostContent::BodyDispositions { items });
    }
}

/// Whether it is a bot's alone, that nobody has looked at again.
fn is_doubted(known: &TrackedFinding) -> bool {
    known.finding.source.kind == SourceType::Bot
        && known.second_look.is_none()
        && known.also_found_by.is_empty()
        && known.fixed_in.is_empty()
}

/// How people call who found it.
pub(super) fn display_name(finding: &Finding, bots: &BTreeMap<String, String>) -> String {
    let name = &finding.source.name;
    bots.get(name)
        .filter(|_| finding.source.kind == SourceType::Bot)
        .unwrap_or(name)
        .clone()
}

/// What is one fault goes to the fixer once: the first of each group, with the words of the others by its id.
pub(super) fn fold_joined(
    issues: Vec<TrackedFinding>,
) -> (Vec<TrackedFinding>, BTreeMap<String, Vec<Finding>>) {
    let leads: BTreeSet<Fingerprint> = (issues.iter())
        .filter(|issue| issue.joined_to.is_none())
        .map(|issue| issue.fingerprint.clone())
        .collect();
    let mut joined: BTreeMap<String, Vec<Finding>> = BTreeMap::new();
    let mut kept: Vec<TrackedFinding> = Vec::new();
    for issue in issues {
        match issue.joined_to.clone().filter(|lead| leads.contains(lead)) {
            Some(lead) => {
                let finding = Finding {
                    id: issue.fingerprint.to_string(),
                    ..issue.finding
                };
                joined.entry(lead.to_string()).or_default().push(finding);
            }
            None => kept.push(issue),
        }
    }
    for issue in &mut kept {
        let others = joined.get(issue.fingerprint.as_str()).into_iter().flatten();
        let gravest = others.map(|other| other.priority).min();
        // The graver word counts, as among reviewers.
        issue.finding.priority = issue
            .finding
            .priority
            .min(gravest.unwrap_or(issue.finding.priority));
    }
    kept.sort_by_key(|issue| (issue.finding.priority, !issue.is_agreed()));
    (kept, joined)
}

/// What became of a fault became of each finding of it: bots' threads are answered all the same.
pub(super) fn unfold_joined(fix: &mut PendingFix) {
    for (lead, others) in &fix.payload.joined {
        let result = &mut fix.result;
        let fixed = result
            .fixed_issues
            .iter()
            .find(|f| f.finding_id == *lead)
            .cloned();
        let rejected = result
            .rejected_issues
            .iter()
            .find(|r| r.finding_id == *lead)
            .cloned();
        for other in others {
            let id = || other.id.clone();
            let fixed = fixed.clone().map(|fixed| FixedIssue {
                finding_id: id(),
                ..fixed
            });
            let rejected = rejected.clone().map(|rejected| RejectedIssue {
                finding_id: id(),
                ..rejected
            });
            result.fixed_issues.extend(fixed);
            result.rejected_issues.extend(rejected);
            fix.payload.issues_to_fix.push(other.clone());
        }
    }
}
