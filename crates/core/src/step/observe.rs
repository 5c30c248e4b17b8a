//! Readings: whether the pull request is still open, where its head is, what was said.

use super::Turn;
use crate::blocker::{Blocker, Stop};
use crate::bots;
use crate::ci::Ci;
use crate::comments::{self, ThreadStanding, Voice};
use crate::ids::{Sha, Time};
use crate::lifecycle::State;
use crate::model::{CiStatus, Effect, Feedback, FindingStatus, MergeType, Note};
use crate::shapes::SourceType;
use crate::snapshot::{ObserveFailure, PullState, Snapshot};

/// How long a snapshot may show the head before our push until git is asked (§3.6).
const STALE_AFTER_MS: u64 = 20_000;
/// After a reading that was thrown away because the head moved under it.
const REREAD_MS: u64 = 2_000;

/// What a snapshot's head means.
enum Head {
    /// The head this run works on.
    Same,
    /// A reading from before our push.
    Stale,
    /// Anything that has to wait for the push in flight.
    PushInFlight,
}

impl Turn {
    pub(super) fn observed(&mut self, s: &Snapshot) {
        if self.s.state.is_terminal() {
            return self.ignore("terminal");
        }
        if self.s.seen.at.is_some_and(|at| s.read_at < at) {
            return self.ignore("older_snapshot");
        }
        // A look was asked for after this reading began: what it would decide from is what was before.
        if self.s.look_since.is_some_and(|asked| s.read_at < asked) {
            return self.ignore("read_before_it_was_asked_for");
        }
        self.s.look_since = None;
        self.s.observe_failures = 0;
        self.s.gone_since = None;
        self.take_names(s);
        match s.state {
            PullState::Open => {}
            PullState::Merged => return self.merged(s),
            PullState::Closed => return self.end(State::Closed),
        }
        match self.place_head(s) {
            Head::Same => {}
            Head::Stale => return self.wait(Blocker::AwaitingPush),
            Head::PushInFlight => return self.wait(Blocker::Pushing),
        }
        if self.s.state.is_terminal() {
            return;
        }
        self.hear(s);
        self.take_view(s);
        self.decide(s);
    }

    fn take_names(&mut self, s: &Snapshot) {
        self.s.repo = s.repo.clone();
        self.s.title = s.title.clone();
        self.s.author = s.author.as_ref().map(|a| a.login.clone());
        self.s.url = s.url.clone();
        self.s.head_ref = s.head_ref.clone();
        self.s.head_repo = s.head_repo.clone();
        if self.s.base_ref != s.base_ref {
            // Another base is another question: what was approved was the change against the old one.
            self.s.base_ref = s.base_ref.clone();
            self.forget_approvals();
        }
        self.s.base = Some(s.base.clone());
        self.s.seen.at = Some(s.read_at);
    }

    fn merged(&mut self, s: &Snapshot) {
        let ready = self.s.state == State::PrReadyToMerge && self.s.head.as_ref() == Some(&s.head);
        self.s.merge_type = Some(if ready {
            MergeType::Approved
        } else {
            MergeType::Forced
        });
        self.end(State::Merged);
    }

    fn forget_approvals(&mut self) {
        self.s.approved_head = None;
        self.s.proof = None;
        self.s.current_stage = 0;
        for reviewer in self
            .s
            .stages
            .iter_mut()
            .flat_map(|stage| &mut stage.reviewers)
        {
            reviewer.verdict = None;
            reviewer.head = None;
        }
    }

    /// Tells a move by others from our own push and from a stale reading (§3.6).
    fn place_head(&mut self, s: &Snapshot) -> Head {
        let Some(head) = self.s.head.clone() else {
            self.adopt(&s.head, s.read_at);
            return Head::Same;
        };
        let pushed = self.s.pending_fix.as_ref().is_some_and(|fix| fix.pushed);
        let old = s.head != head && self.s.replaced_heads.contains(&s.head);
        if pushed {
            if old {
                if s.read_at.since(self.s.head_seen_at) > STALE_AFTER_MS {
                    let shown = s.head.clone();
                    self.ask(Effect::ReadRemoteHead { shown });
                }
                return Head::Stale;
            }
            // Ours, or something on top of ours: either way the fix has arrived.
            self.settle_fix(s);
        }
        if s.head == head {
            return Head::Same;
        }
        if self.asked(|effect| matches!(effect, Effect::Push { .. })) {
            return Head::PushInFlight;
        }
        if old {
            // It was seen further on before: git tells whether somebody put the branch back.
            let shown = s.head.clone();
            self.ask(Effect::ReadRemoteHead { shown });
            return Head::Stale;
        }
        self.moved(&head, &s.head, s.read_at);
        Head::Same
    }

    /// Somebody else moved the head: work on the old one is dropped, the review starts anew (§3.6).
    pub(super) fn moved(&mut self, from: &Sha, to: &Sha, at: Time) {
        self.notes.push(Note::HeadMoved {
            from: from.clone(),
            to: to.clone(),
        });
        self.s.restarts += 1;
        self.drop_work();
        self.adopt(to, at);
        self.s.current_stage = 0;
        if self.s.restarts > self.s.policy.max_restarts {
            return self.stop(Stop::TooManyRestarts {
                count: self.s.restarts,
            });
        }
        match self.s.state {
            State::PrReviewing | State::PrFixing | State::PrReadyToMerge => {
                self.go(State::PrAwaitingChecks);
            }
            State::PrCreated
            | State::PrAwaitingChecks
            | State::Merged
            | State::Closed
            | State::Cancelled
            | State::NeedsHuman
            | State::Failed => {}
        }
    }

    /// Takes a head as the one to work on.
    pub(super) fn adopt(&mut self, head: &Sha, at: Time) {
        self.s.head = Some(head.clone());
        // What was offered is for the lines of another head.
        for finding in self.s.findings.values_mut() {
            finding.replacement = None;
        }
        self.s.head_seen_at = at;
        self.s.first_failure_at = None;
        self.s.ci_running_since = None;
        self.s.only_missing_since = None;
    }

    pub(super) fn remote_head(&mut self, shown: &Sha, head: Option<&Sha>) {
        let waits = self.s.head.as_ref() != Some(shown) && self.s.replaced_heads.contains(shown);
        if waits && head == Some(shown) {
            // No stale reading after all: somebody put the branch back.
            let ours = self.s.head.clone().unwrap_or_else(|| shown.clone());
            self.moved(&ours, shown, self.now);
            self.look_now();
        }
        // Else GitHub is behind: it is asked again at the usual pace.
    }

    /// Stores new feedback, marks what was answered, notes impostors (§3.4, §7.1, §7.4).
    fn hear(&mut self, s: &Snapshot) {
        for heard in comments::feedback(&self.s, s) {
            let settled = heard.thread.is_none_or(|id| {
                s.threads.iter().find(|t| t.id == *id).is_none_or(|t| {
                    comments::thread_standing(&self.s, s, t) != ThreadStanding::Pending
                })
            });
            let known = self.s.feedback.get(&heard.key);
            let processed_at = known
                .and_then(|f| f.processed_at)
                .or_else(|| settled.then_some(s.read_at));
            if known.is_none() && heard.voice == Voice::Bot {
                let (id, login) = (heard.author.id, heard.author.login.clone());
                self.notes.push(Note::BotTrusted {
                    id,
                    login,
                    key: heard.key.clone(),
                });
            }
            let seen_at = known.map_or(s.read_at, |f| f.seen_at);
            let author = heard.author.login.clone();
            self.s.feedback.insert(
                heard.key,
                Feedback {
                    author,
                    seen_at,
                    processed_at,
                },
            );
        }
        let all = s
            .comments
            .iter()
            .chain(s.threads.iter().flat_map(|t| &t.comments));
        for comment in all {
            let Some(bot) = bots::claimed(&self.s.policy, comment) else {
                continue;
            };
            let Some(author) = &comment.author else {
                continue;
            };
            let (login, claims) = (author.login.clone(), bot.name.clone());
            if self.s.impostors.insert(comment.id) {
                self.notes.push(Note::Impostor {
                    comment: comment.id,
                    login,
                    claims,
                });
            }
        }
    }

    /// The checks of a snapshot, as this run counts them.
    pub(super) fn ci<'a>(&self, s: &'a Snapshot) -> Ci<'a> {
        Ci::of(s, &self.s.policy, &self.s.absent_checks)
    }

    /// Gives up on checks that only other heads had, once all others have been done for a while (§3.3).
    fn give_up_absent(&mut self, s: &Snapshot) {
        let ci = self.ci(s);
        if !ci.only_known_missing(s) {
            self.s.only_missing_since = None;
            return;
        }
        let since = *self.s.only_missing_since.get_or_insert(s.read_at);
        if s.read_at.since(since) >= self.s.policy.missing_grace_ms {
            let names: Vec<String> = ci.missing.iter().map(|name| (*name).to_string()).collect();
            self.s.absent_checks.extend(names);
            self.s.only_missing_since = None;
        }
    }

    fn take_view(&mut self, s: &Snapshot) {
        self.give_up_absent(s);
        let ci = self.ci(s);
        self.s.seen.ci = ci.status();
        self.s.seen.checks = ci.views();
        self.s.seen.bots = bots::views(s, &self.s.policy, self.s.head_seen_at, s.read_at);
        // A draft may wait for days before its checks are run, and a check may be run again after hours.
        if ci.status() != CiStatus::Pending || self.held(s).is_some() {
            self.s.ci_running_since = None;
        } else if self.s.ci_running_since.is_none() {
            self.s.ci_running_since = Some(s.read_at);
        }
        if ci.status() == CiStatus::Passed {
            // Whoever put them right: no failure of an earlier head is left.
            let failures = self.s.findings.values_mut();
            for gone in failures.filter(|t| t.finding.source.kind == SourceType::Ci) {
                if gone.status == FindingStatus::Open {
                    gone.status = FindingStatus::Fixed;
                }
            }
        }
        if ci.failed.is_empty() {
            self.s.first_failure_at = None;
        } else if self.s.first_failure_at.is_none() {
            self.s.first_failure_at = Some(s.read_at);
        }
    }

    pub(super) fn observe_failed(&mut self, at: Time, failure: &ObserveFailure, jitter: u16) {
        if self.s.state.is_terminal() {
            return self.ignore("terminal");
        }
        let poll = self.s.policy.poll_interval_ms;
        // 60 s, 120 s, 240 s, 300 s with the default interval; a quarter of it at most is jitter.
        let doubled = poll
            .saturating_mul(1 << self.s.observe_failures.min(3))
            .min(poll * 5);
        let backoff = doubled + doubled / 4 * u64::from(jitter.min(999)) / 1000;
        let spread = poll / 10 * u64::from(jitter.min(999)) / 1000;
        let later = at.plus(backoff);
        let next = match failure {
            ObserveFailure::Moved => {
                self.s.next_poll_at = Some(at.plus(REREAD_MS.min(poll)));
                return;
            }
            ObserveFailure::Unreachable { .. } => {
                self.s.blocker = Some(Blocker::Unreachable { until: later });
                later
            }
            ObserveFailure::BreakerOpen { until } => {
                self.s.blocker = Some(Blocker::Unreachable { until: *until });
                until.plus(spread)
            }
            ObserveFailure::RateLimited { until } => {
                self.s.blocker = Some(Blocker::RateLimited { until: *until });
                until.plus(spread)
            }
            ObserveFailure::Unauthorized => {
                self.s.blocker = Some(Blocker::Unauthorized);
                later
            }
            ObserveFailure::Forbidden { message } => {
                self.s.blocker = Some(Blocker::Forbidden {
                    message: message.clone(),
                });
                later
            }
            ObserveFailure::NotFound => {
                let since = *self.s.gone_since.get_or_insert(at);
                if at.since(since) >= self.s.policy.gone_ms {
                    return self.stop(Stop::AccessLost);
                }
                let until = since.plus(self.s.policy.gone_ms);
                self.s.blocker = Some(Blocker::NotFound { until });
                later.min(until)
            }
        };
        self.s.observe_failures = self.s.observe_failures.saturating_add(1);
        self.s.next_poll_at = Some(next);
    }
}
