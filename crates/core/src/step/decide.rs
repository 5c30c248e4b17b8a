//! What a fresh snapshot means for each state.

use super::Transition;
use super::persona_reviews::PersonaMoment;
use super::review_results::confirm_claim;
use crate::blocker::Blocker;
use crate::comments::{self, RemarkStatus, ThreadStatus};
use crate::effect::Effect;
use crate::effect::LoadConfigEffect;
use crate::finding::{Finding, FindingKind};
use crate::ids::Login;
use crate::lifecycle::State;
use crate::panel_state::ReviewerState;
use crate::policy::ReviewerKind;
use crate::review::Conclusion;
use crate::snapshot::{Mergeable, ReviewVerdict, Snapshot};
use crate::snapshot_summary::CiStatus;
use std::collections::BTreeSet;

/// What a look at one state came to.
pub(super) enum Decision {
    /// The state changed: look again.
    Transitioned,
    /// It waits.
    Wait(Blocker),
    /// The run ended.
    Ended,
}

/// More moves in a row than the table is long would be a circle.
const MAX_TRANSITIONS: usize = 8;

impl Transition {
    pub(super) fn decide(&mut self, snapshot: &Snapshot) {
        if let Some(wait) = self.release_held(snapshot) {
            return self.wait_for(wait);
        }
        self.resolve_done_threads(snapshot);
        self.repeat_dispositions(snapshot);
        self.answer_refuted(snapshot);
        for _ in 0..MAX_TRANSITIONS {
            let next = match self.state.run.state {
                State::PrCreated => self.decide_created(snapshot),
                State::PrAwaitingChecks => self.decide_awaiting_checks(snapshot),
                State::PrReviewing => self.decide_reviewing(snapshot),
                State::PrFixing => self.decide_fixing(snapshot),
                State::PrReadyToMerge => self.decide_ready(snapshot),
                State::Merged
                | State::Closed
                | State::Cancelled
                | State::NeedsHuman
                | State::Failed => Decision::Ended,
            };
            match next {
                Decision::Transitioned => {}
                Decision::Wait(blocker) => return self.wait_for(blocker),
                Decision::Ended => return,
            }
        }
        self.wait_for(Blocker::Starting);
    }

    /// Names what it waits for, and when it looks again: after the poll interval, or at the deadline if that is nearer.
    pub(super) fn wait_for(&mut self, blocker: Blocker) {
        let blocker = match blocker {
            Blocker::Posting | Blocker::Pushing => self.refused_post_blocker().unwrap_or(blocker),
            other => other,
        };
        let blocker = self.blocker_of_level(blocker);
        let blocker = self.blocker_of_pause(blocker);
        let interval = self.state.poll_interval_ms();
        let throttle = self.state.run.polling.throttle.as_ref();
        let regular = throttle.map_or_else(
            || self.now.plus(interval),
            |throttle| throttle.next_at(self.now, interval),
        );
        let next = match &blocker {
            Blocker::BotsPending { until, .. }
            | Blocker::BotsOutOfQuota { until, .. }
            | Blocker::NoChecksYet { until }
            | Blocker::CollectingFailures { until, .. } => regular.min(*until).max(self.now),
            _ => regular,
        };
        self.state.run.polling.next_at = Some(next);
        let works = matches!(
            blocker,
            Blocker::Reviewing { .. }
                | Blocker::Fixing { .. }
                | Blocker::Verifying
                | Blocker::MergingBase { .. }
        );
        let outage = self.outage_of_work().filter(|_| works);
        self.state.run.blocker = Some(outage.unwrap_or(blocker));
    }

    /// What keeps Collie's hands off altogether (§3.7, §11).
    fn hold_blocker(&self, snapshot: &Snapshot) -> Option<Blocker> {
        if let Some(by) = &snapshot.auto_merge {
            return Some(Blocker::AutoMerge { by: by.clone() });
        }
        if let Some(queued) = self.queue_hold(snapshot) {
            return Some(queued);
        }
        let policy = &self.state.run.configuration.policy;
        let mut labels = std::iter::once(&policy.ignore_label).chain(&policy.more_ignore_labels);
        let is_set = |label: &&String| {
            let mut labels = snapshot.labels.iter();
            labels.any(|set| set.eq_ignore_ascii_case(label))
        };
        if let Some(label) = labels.find(is_set) {
            return Some(Blocker::IgnoreLabel {
                label: label.clone(),
            });
        }
        if snapshot.draft {
            return Some(Blocker::Draft);
        }
        if snapshot.pending_review {
            return Some(Blocker::PendingReview);
        }
        (snapshot.mergeable == Mergeable::Conflicting).then(|| Blocker::Conflict {
            base: snapshot.base_ref.clone(),
            error: self.merge_error(snapshot),
        })
    }

    fn decide_created(&mut self, snapshot: &Snapshot) -> Decision {
        if let Some(by) = &snapshot.auto_merge {
            return Decision::Wait(Blocker::AutoMerge { by: by.clone() });
        }
        if let Some(queued) = self.queue_hold(snapshot) {
            return Decision::Wait(queued);
        }
        // Both are asked at once.
        let (config, rights) = (self.ensure_config(snapshot), self.ensure_rights(snapshot));
        if let Some(wait) = config.or(rights) {
            return Decision::Wait(wait);
        }
        self.transition_to(State::PrAwaitingChecks);
        Decision::Transitioned
    }

    /// Has the repository's configuration read as its default branch has it, unless it is known. The pull request's own base may be
    /// anybody's branch (§12).
    pub(super) fn ensure_config(&mut self, snapshot: &Snapshot) -> Option<Blocker> {
        let Some(commit) = &snapshot.default_head else {
            return Some(Blocker::Starting);
        };
        let config_error = match &self.state.run.configuration.error {
            Some((at, error)) if at == commit => Some(error.clone()),
            Some(_) | None => None,
        };
        if config_error.is_none() && self.state.run.configuration.commit.as_ref() == Some(commit) {
            return None;
        }
        self.enqueue(Effect::LoadConfig(LoadConfigEffect {
            commit: commit.clone(),
        }));
        // Read again at each look: the fault may be in the user's own file, or git may not have answered.
        Some(config_error.map_or(Blocker::Starting, |error| Blocker::ConfigInvalid { error }))
    }

    fn decide_awaiting_checks(&mut self, snapshot: &Snapshot) -> Decision {
        if let Some(hold) = self.hold_blocker(snapshot) {
            return self.merge_base_or_wait(snapshot, hold);
        }
        let ci = self.ci(snapshot);
        if let Some(next) = self.await_ci(snapshot, &ci) {
            return next;
        }
        if let Some(wait) = self.await_bots(snapshot, !ci.failed.is_empty()) {
            return Decision::Wait(wait);
        }
        if let Some(wait) = self.ensure_config(snapshot) {
            return Decision::Wait(wait);
        }
        let failed = !ci.failed.is_empty() || self.has_queue_failure_to_fix(snapshot);
        if failed && !self.is_reviewed_red(snapshot) {
            return self.fix_failed_checks(snapshot, &ci);
        }
        if ci.failed.is_empty() {
            self.confirm_answered_feedback(snapshot);
        }
        if ci.failed.is_empty()
            && self.all_stages_approved(snapshot)
            && self.has_no_declined_bots(snapshot)
            && self.ready_blocker(snapshot).is_none()
        {
            self.become_ready(snapshot);
            return Decision::Transitioned;
        }
        self.transition_to(State::PrReviewing);
        Decision::Transitioned
    }

    /// Whether every stage has approved this very head.
    pub(super) fn all_stages_approved(&self, snapshot: &Snapshot) -> bool {
        (0..self.state.run.review.stages.len()).all(|stage| self.stage_approved(stage, snapshot))
    }

    /// Whether a stage has approved: agents this head, people at all (§4.2).
    pub(super) fn stage_approved(&self, stage: usize, snapshot: &Snapshot) -> bool {
        self.state.run.review.stages[stage]
            .reviewers
            .iter()
            .all(|r| match r.spec.kind {
                ReviewerKind::Rules | ReviewerKind::Agent => {
                    r.head.as_ref() == Some(&snapshot.head) && self.has_no_blocking_findings(r)
                }
                ReviewerKind::Human => self.has_approved(snapshot, &Login::new(&r.spec.name)),
            })
    }

    /// Whether nothing that a reviewer found stands against approval: judged as the consensus judges, so that both agree.
    pub(super) fn has_no_blocking_findings(&self, reviewer: &ReviewerState) -> bool {
        let mut found = reviewer
            .findings
            .iter()
            .filter_map(|print| self.state.run.review.findings.get(print));
        !found.any(|t| !t.status.is_set_aside() && blocks_approval(&t.finding))
    }

    pub(super) fn has_approved(&self, snapshot: &Snapshot, login: &Login) -> bool {
        comments::panelist_review(&self.state, snapshot, login)
            .is_some_and(|review| review.verdict == ReviewVerdict::Approved)
    }

    /// What still stands between this head and ready, CI and the panel apart (§4.6).
    pub(super) fn ready_blocker(&self, snapshot: &Snapshot) -> Option<Blocker> {
        if let Some(refused) = self.refused_post_blocker() {
            return Some(refused);
        }
        let requested = comments::changes_requested(&self.state, snapshot);
        if !requested.is_empty() {
            let logins = requested.iter().filter_map(|r| r.author.as_ref());
            return Some(Blocker::ChangesRequested {
                logins: logins.map(|a| a.login.clone()).collect(),
            });
        }
        let threads_with = |wanted| {
            snapshot
                .threads
                .iter()
                .filter(|t| comments::thread_status(&self.state, snapshot, t) == wanted)
                .count()
        };
        let remarks_with = |wanted| comments::remarks_with(&self.state, snapshot, wanted);
        if threads_with(ThreadStatus::Pending) > 0
            || threads_with(ThreadStatus::Replying) > 0
            || !remarks_with(RemarkStatus::Pending).is_empty()
            || !remarks_with(RemarkStatus::Replying).is_empty()
        {
            return Some(Blocker::Posting);
        }
        let left = threads_with(ThreadStatus::LeftToPerson);
        if left > 0 {
            return Some(Blocker::ThreadsOpen {
                count: u32::try_from(left).unwrap_or(u32::MAX),
            });
        }
        let left = remarks_with(RemarkStatus::LeftToPerson);
        if !left.is_empty() {
            let logins: BTreeSet<Login> = left.iter().map(|r| r.author.login.clone()).collect();
            return Some(Blocker::CommentsOpen {
                count: u32::try_from(left.len()).unwrap_or(u32::MAX),
                logins: logins.into_iter().collect(),
            });
        }
        if let Some(unseen) = self.unseen_blocker(snapshot) {
            return Some(unseen);
        }
        if snapshot.review_required {
            return Some(Blocker::ReviewRequired);
        }
        if snapshot.behind {
            return Some(Blocker::Behind {
                base: snapshot.base_ref.clone(),
                error: self.merge_error(snapshot),
            });
        }
        if let Some(broken) = self.base_broken_blocker(snapshot) {
            return Some(broken);
        }
        if let Some(ejected) = self.ejection_blocker(snapshot) {
            return Some(ejected);
        }
        self.merge_blocker(snapshot)
    }

    /// What GitHub says of the merge. While it computes that anew, what it knew of the same head and base counts; a loop that is
    /// ready stays so when only the base has moved, until GitHub says otherwise.
    fn merge_blocker(&self, snapshot: &Snapshot) -> Option<Blocker> {
        let blocked = match snapshot.mergeable {
            Mergeable::Unknown => {
                let is_ready = self.state.run.state == State::PrReadyToMerge;
                let known = self.state.run.head.mergeability.as_ref();
                let known = known.filter(|known| {
                    known.base_ref == snapshot.base_ref && (is_ready || known.base == snapshot.base)
                });
                let Some(known) = known else {
                    return Some(Blocker::MergeabilityUnknown);
                };
                known.blocked
            }
            Mergeable::Yes | Mergeable::Conflicting => snapshot.merge_blocked,
        };
        blocked.then_some(Blocker::MergeBlocked)
    }

    pub(super) fn become_ready(&mut self, snapshot: &Snapshot) {
        // Everyone has looked at this head, and found nothing that stands. What failed in the merge queue shows there alone.
        let findings = self.state.run.review.findings.values_mut();
        findings
            .filter(|known| !known.is_of_queue())
            .for_each(confirm_claim);
        self.state.run.head.approved = Some(snapshot.head.clone());
        self.state.run.polling.last_snapshot.consensus = Some(Conclusion::Approve);
        self.transition_to(State::PrReadyToMerge);
        self.speak_as_personas(snapshot, PersonaMoment::PanelApproved);
        self.post_proof(snapshot);
    }

    /// Ready is derived anew from every snapshot (§2).
    fn decide_ready(&mut self, snapshot: &Snapshot) -> Decision {
        let ci = self.ci(snapshot);
        let passed = matches!(ci.status(), CiStatus::Passed | CiStatus::None);
        let stands = self.hold_blocker(snapshot).is_none()
            && self.state.run.configuration.commit.is_some()
            && passed
            && self.all_stages_approved(snapshot)
            && self.ready_blocker(snapshot).is_none();
        if stands {
            // A person may have approved it since, or no longer do.
            let unread = !self.is_read(snapshot);
            if let Some(proof) = &mut self.state.run.head.proof {
                proof.unread = unread;
            }
            return Decision::Wait(Blocker::AwaitingMerge);
        }
        self.transition_to(State::PrAwaitingChecks);
        Decision::Transitioned
    }

    /// Whether a state that works may go on: no hold, its configuration known, CI complete and green.
    pub(super) fn still_green(&self, snapshot: &Snapshot) -> bool {
        let ci = self.ci(snapshot);
        self.hold_blocker(snapshot).is_none()
            && self.state.run.configuration.commit.is_some()
            && !self.awaits_first_check(snapshot, &ci)
            && !self.has_queue_failure_to_fix(snapshot)
            && matches!(ci.status(), CiStatus::Passed | CiStatus::None)
    }

    /// Whether it is reviewed though checks failed: where nothing may be fixed, or nothing can be, the review is all there is to say
    /// (§3.3, §9.1).
    pub(super) fn is_reviewed_red(&self, snapshot: &Snapshot) -> bool {
        self.hold_blocker(snapshot).is_none()
            && !self.ci(snapshot).failed.is_empty()
            && (self.fixing_blocker(snapshot).is_some()
                || self.base_broken_blocker(snapshot).is_some())
    }

    pub(super) fn current_hold(&self, snapshot: &Snapshot) -> Option<Blocker> {
        self.hold_blocker(snapshot)
    }
}

/// Whether a finding counts against approval.
pub(super) fn blocks_approval(finding: &Finding) -> bool {
    match finding.kind {
        FindingKind::Question | FindingKind::Praise => false,
        FindingKind::Suggestion | FindingKind::Nitpick | FindingKind::Error => {
            finding.priority.blocks()
        }
    }
}
