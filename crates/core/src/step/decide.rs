//! What a fresh snapshot means for each state.

use super::Turn;
use super::panel::counts;
use crate::blocker::{Blocker, Stop};
use crate::ci::Ci;
use crate::comments::{self, ThreadStanding};
use crate::ids::Login;
use crate::lifecycle::State;
use crate::model::{BotStatus, CiStatus, Effect, FindingStatus, ReviewerState};
use crate::policy::ReviewerKind;
use crate::shapes::Conclusion;
use crate::snapshot::{Mergeable, ReviewVerdict, Snapshot};

/// What a look at one state came to.
pub(super) enum Next {
    /// The state changed: look again.
    Moved,
    /// It waits.
    Wait(Blocker),
    /// The run ended.
    Ended,
}

/// More moves in a row than the table is long would be a circle.
const MOVES: usize = 8;

impl Turn {
    pub(super) fn decide(&mut self, s: &Snapshot) {
        self.tidy_threads(s);
        for _ in 0..MOVES {
            let next = match self.s.state {
                State::PrCreated => self.created(s),
                State::PrAwaitingChecks => self.awaiting_checks(s),
                State::PrReviewing => self.reviewing(s),
                State::PrFixing => self.fixing(s),
                State::PrReadyToMerge => self.ready(s),
                State::Merged
                | State::Closed
                | State::Cancelled
                | State::NeedsHuman
                | State::Failed => Next::Ended,
            };
            match next {
                Next::Moved => {}
                Next::Wait(blocker) => return self.wait(blocker),
                Next::Ended => return,
            }
        }
        self.wait(Blocker::Starting);
    }

    /// Names what it waits for, and when it looks again: after the poll interval, or at the deadline if that is nearer.
    pub(super) fn wait(&mut self, blocker: Blocker) {
        let policy = &self.s.policy;
        let interval = match self.s.state {
            State::PrReadyToMerge => policy.ready_poll_interval_ms,
            State::PrCreated
            | State::PrAwaitingChecks
            | State::PrReviewing
            | State::PrFixing
            | State::Merged
            | State::Closed
            | State::Cancelled
            | State::NeedsHuman
            | State::Failed => policy.poll_interval_ms,
        };
        let regular = self.now.plus(interval);
        let next = match &blocker {
            Blocker::BotsPending { until, .. }
            | Blocker::NoChecksYet { until }
            | Blocker::CollectingFailures { until, .. } => regular.min(*until).max(self.now),
            _ => regular,
        };
        self.s.next_poll_at = Some(next);
        self.s.blocker = Some(blocker);
    }

    /// What keeps Collie's hands off altogether (§3.7, §11).
    fn hold(&self, s: &Snapshot) -> Option<Blocker> {
        if let Some(by) = &s.auto_merge {
            return Some(Blocker::AutoMerge { by: by.clone() });
        }
        if s.in_merge_queue {
            return Some(Blocker::MergeQueue);
        }
        let label = &self.s.policy.ignore_label;
        if s.labels.iter().any(|l| l.eq_ignore_ascii_case(label)) {
            return Some(Blocker::IgnoreLabel {
                label: label.clone(),
            });
        }
        if s.draft {
            return Some(Blocker::Draft);
        }
        if s.pending_review {
            return Some(Blocker::PendingReview);
        }
        (s.mergeable == Mergeable::Conflicting).then(|| Blocker::Conflict {
            base: s.base_ref.clone(),
        })
    }

    fn created(&mut self, s: &Snapshot) -> Next {
        if let Some(by) = &s.auto_merge {
            return Next::Wait(Blocker::AutoMerge { by: by.clone() });
        }
        if s.in_merge_queue {
            return Next::Wait(Blocker::MergeQueue);
        }
        if let Some(wait) = self.configure(s) {
            return Next::Wait(wait);
        }
        self.go(State::PrAwaitingChecks);
        Next::Moved
    }

    /// Has the configuration of this base read, unless it is known.
    fn configure(&mut self, s: &Snapshot) -> Option<Blocker> {
        let wrong = match &self.s.config_error {
            Some((base, message)) if *base == s.base => Some(message.clone()),
            Some(_) | None => None,
        };
        if wrong.is_none() && self.s.policy_base.as_ref() == Some(&s.base) {
            return None;
        }
        self.ask(Effect::LoadConfig {
            base: s.base.clone(),
        });
        // Read again at each look: the fault may be in the user's own file, or git may not have answered.
        Some(
            wrong.map_or(Blocker::Starting, |message| Blocker::ConfigInvalid {
                message,
            }),
        )
    }

    fn awaiting_checks(&mut self, s: &Snapshot) -> Next {
        if let Some(hold) = self.hold(s) {
            return Next::Wait(hold);
        }
        let ci = self.ci(s);
        if let Some(next) = self.await_ci(s, &ci) {
            return next;
        }
        if let Some(wait) = self.await_bots(s, !ci.failed.is_empty()) {
            return Next::Wait(wait);
        }
        if let Some(wait) = self.configure(s) {
            return Next::Wait(wait);
        }
        if !ci.failed.is_empty() {
            return self.fix_red(s, &ci);
        }
        if self.approved_by_all(s) && self.not_ready(s).is_none() {
            self.become_ready(s);
            return Next::Moved;
        }
        self.go(State::PrReviewing);
        Next::Moved
    }

    /// Waits until every check is done, or until it has to act on a failure (§3.3, §3.5).
    fn await_ci(&mut self, s: &Snapshot, ci: &Ci<'_>) -> Option<Next> {
        let policy = &self.s.policy;
        match ci.status() {
            CiStatus::Passed | CiStatus::Failed => None,
            CiStatus::None => {
                let until = self.s.head_seen_at.plus(policy.no_checks_grace_ms);
                (s.read_at < until).then_some(Next::Wait(Blocker::NoChecksYet { until }))
            }
            CiStatus::Pending => {
                let names = ci.open_names();
                if let Some(since) = self.s.first_failure_at {
                    let until = since.plus(policy.red_collect_ms);
                    if s.read_at >= until {
                        return None;
                    }
                    let failed = ci.failed.iter().map(|c| c.name.clone()).collect();
                    return Some(Next::Wait(Blocker::CollectingFailures { failed, until }));
                }
                let since = self.s.ci_running_since.unwrap_or(s.read_at);
                if s.read_at.since(since) >= policy.ci_timeout_ms {
                    self.stop(Stop::CiTimeout { names });
                    return Some(Next::Ended);
                }
                Some(Next::Wait(if ci.waits_for_people() {
                    Blocker::CheckNeedsAction { names }
                } else {
                    Blocker::ChecksRunning {
                        names,
                        total: ci.total(),
                    }
                }))
            }
        }
    }

    /// Waits for bots that are expected; with CI red not beyond the time that collects failures.
    fn await_bots(&self, s: &Snapshot, red: bool) -> Option<Blocker> {
        let waits =
            |view: &&crate::model::BotView| matches!(view.status, BotStatus::Waiting { .. });
        let bots = &self.s.seen.bots;
        let names: Vec<String> = bots
            .iter()
            .filter(waits)
            .map(|bot| self.bot_name(bot.id))
            .collect();
        if names.is_empty() {
            return None;
        }
        let mut until = self.s.head_seen_at.plus(self.s.policy.bot_timeout_ms);
        if let (true, Some(since)) = (red, self.s.first_failure_at) {
            until = until.min(since.plus(self.s.policy.red_collect_ms));
        }
        (s.read_at < until).then_some(Blocker::BotsPending { names, until })
    }

    fn bot_name(&self, id: crate::ids::AccountId) -> String {
        let known = self.s.policy.bots.iter().find(|bot| bot.id == id);
        known.map_or_else(|| id.0.to_string(), |bot| bot.name.clone())
    }

    /// Whether every stage has approved this very head.
    pub(super) fn approved_by_all(&self, s: &Snapshot) -> bool {
        (0..self.s.stages.len()).all(|stage| self.stage_approved(stage, s))
    }

    /// Whether a stage has approved: agents this head, people at all (§4.2).
    pub(super) fn stage_approved(&self, stage: usize, s: &Snapshot) -> bool {
        self.s.stages[stage]
            .reviewers
            .iter()
            .all(|r| match r.spec.kind {
                ReviewerKind::Rules | ReviewerKind::Agent => {
                    r.head.as_ref() == Some(&s.head) && self.finds_nothing(r)
                }
                ReviewerKind::Human => self.has_approved(s, &Login::new(&r.spec.name)),
            })
    }

    /// Whether nothing that a reviewer found stands against approval: judged as the consensus judges, so that both agree.
    fn finds_nothing(&self, reviewer: &ReviewerState) -> bool {
        let mut found = reviewer
            .findings
            .iter()
            .filter_map(|print| self.s.findings.get(print));
        !found.any(|t| t.status != FindingStatus::Withdrawn && counts(&t.finding))
    }

    pub(super) fn has_approved(&self, s: &Snapshot, login: &Login) -> bool {
        comments::standing_reviews(&self.s, s).iter().any(|review| {
            review.verdict == ReviewVerdict::Approved
                && review.author.as_ref().is_some_and(|a| a.login == *login)
        })
    }

    /// What still stands between this head and ready, CI and the panel apart (§4.6).
    pub(super) fn not_ready(&self, s: &Snapshot) -> Option<Blocker> {
        let requested = comments::changes_requested(&self.s, s);
        if !requested.is_empty() {
            let logins = requested.iter().filter_map(|r| r.author.as_ref());
            return Some(Blocker::ChangesRequested {
                logins: logins.map(|a| a.login.clone()).collect(),
            });
        }
        let standing = |wanted| {
            s.threads
                .iter()
                .filter(|t| comments::thread_standing(&self.s, s, t) == wanted)
                .count()
        };
        if standing(ThreadStanding::Pending) > 0 {
            return Some(Blocker::Posting);
        }
        let left = standing(ThreadStanding::LeftToPerson);
        if left > 0 {
            return Some(Blocker::ThreadsOpen {
                count: u32::try_from(left).unwrap_or(u32::MAX),
            });
        }
        if s.review_required {
            return Some(Blocker::ReviewRequired);
        }
        if s.behind {
            return Some(Blocker::Behind {
                base: s.base_ref.clone(),
            });
        }
        (s.mergeable == Mergeable::Unknown).then_some(Blocker::MergeabilityUnknown)
    }

    pub(super) fn become_ready(&mut self, s: &Snapshot) {
        self.s.approved_head = Some(s.head.clone());
        self.s.seen.consensus = Some(Conclusion::Approve);
        self.go(State::PrReadyToMerge);
        self.say_proof(s);
    }

    /// Ready is derived anew from every snapshot (§2).
    fn ready(&mut self, s: &Snapshot) -> Next {
        let ci = self.ci(s);
        let passed = matches!(ci.status(), CiStatus::Passed | CiStatus::None);
        let stands = self.hold(s).is_none()
            && passed
            && self.approved_by_all(s)
            && self.not_ready(s).is_none();
        if stands {
            return Next::Wait(Blocker::AwaitingMerge);
        }
        self.go(State::PrAwaitingChecks);
        Next::Moved
    }

    /// Whether a state that works may go on: no hold, CI complete and green.
    pub(super) fn still_green(&self, s: &Snapshot) -> bool {
        let ci = self.ci(s);
        let waits_for_first = ci.status() == CiStatus::None
            && s.read_at < self.s.head_seen_at.plus(self.s.policy.no_checks_grace_ms);
        self.hold(s).is_none()
            && !waits_for_first
            && matches!(ci.status(), CiStatus::Passed | CiStatus::None)
    }

    pub(super) fn held(&self, s: &Snapshot) -> Option<Blocker> {
        self.hold(s)
    }
}
