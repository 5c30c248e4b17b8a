//! Readings: whether the pull request is still open, where its head is, what was said.

use super::Transition;
use super::unseen::coverage;
use crate::backoff::Backoff;
use crate::blocker::{Blocker, Stop};
use crate::check_history::CheckHistory;
use crate::effect::Effect;
use crate::effect::ReadRemoteHeadEffect;
use crate::event::{ObserveFailed, Observed};
use crate::ids::{Sha, Time};
use crate::lifecycle::State;
use crate::loop_state::{KnownMergeability, MergeType};
use crate::note::Note;
use crate::snapshot::{Check, Mergeable, ObserveFailure, PullState, Snapshot};
use crate::snapshot_summary::{ChangeSize, CiStatus};

/// How long a snapshot may show the head before our push until git is asked (§3.6).
const STALE_AFTER_MS: u64 = 20_000;
/// After a reading that was thrown away because the head moved under it.
const REREAD_MS: u64 = 2_000;

/// What a snapshot's head means.
enum HeadStatus {
    /// The head this run works on.
    Same,
    /// A reading from before our push.
    Stale,
    /// Anything that has to wait for the push in flight.
    PushInFlight,
}

impl Transition {
    /// Whether a reading began before a time. One that is later than now is from before the clock was put back: to wait for it would be a wait
    /// without a look.
    pub(super) fn is_read_before(&self, snapshot: &Snapshot, time: Option<Time>) -> bool {
        let time = time.filter(|time| *time <= self.now);
        time.is_some_and(|time| snapshot.read_at < time)
    }

    pub(super) fn observed(&mut self, reading: &Observed) {
        let snapshot = &*reading.snapshot;
        if self.state.run.state.is_terminal() {
            return self.observed_after_end(snapshot);
        }
        let polling = &self.state.run.polling;
        if self.is_read_before(snapshot, polling.last_snapshot.at) {
            return self.ignore("older_snapshot");
        }
        // A look was asked for after this reading began: what it would decide from is what was before.
        if self.is_read_before(snapshot, polling.ignore_snapshots_before) {
            return self.ignore("read_before_it_was_asked_for");
        }
        self.state.run.polling.ignore_snapshots_before = None;
        self.state.run.polling.failures = 0;
        self.state.run.polling.gone_since = None;
        self.state.run.polling.throttle = reading.throttle.clone();
        self.update_metadata(snapshot);
        self.note_labels(snapshot);
        let head = match snapshot.state {
            PullState::Open => self.classify_head(snapshot),
            PullState::Merged | PullState::Closed => HeadStatus::Same,
        };
        self.state.run.polling.last_snapshot.at = Some(snapshot.read_at);
        match snapshot.state {
            PullState::Open => {}
            PullState::Merged => return self.pull_merged(snapshot),
            PullState::Closed => return self.end_run(State::Closed),
        }
        match head {
            HeadStatus::Same => {}
            HeadStatus::Stale => return self.wait_for(Blocker::AwaitingPush),
            HeadStatus::PushInFlight => return self.wait_for(Blocker::Pushing),
        }
        if self.state.run.state.is_terminal() || self.listen(snapshot) {
            return;
        }
        self.note_own_posts(snapshot);
        self.record_mergeability(snapshot);
        self.remember_dismissals(snapshot);
        self.note_merge_queue(snapshot);
        self.update_summary(snapshot);
        self.state.run.head.coverage = coverage(&self.state, snapshot);
        self.decide(snapshot);
    }

    fn update_metadata(&mut self, snapshot: &Snapshot) {
        self.state.pull.repo = snapshot.repo.clone();
        self.state.pull.title = snapshot.title.clone();
        self.state.pull.author = snapshot.author.as_ref().map(|a| a.login.clone());
        self.state.pull.url = snapshot.url.clone();
        self.state.pull.head_ref = snapshot.head_ref.clone();
        self.state.run.head.repo = snapshot.head_repo.clone();
        self.state.run.head.author_may_write = snapshot.is_by_collaborator();
        if self.state.pull.base_ref != snapshot.base_ref {
            // Another base is another question: what was approved was the change against the old one.
            self.state.pull.base_ref = snapshot.base_ref.clone();
            self.forget_approvals();
            self.state.memory.seen_heads.clear();
        }
        self.state.run.head.base = Some(snapshot.base.clone());
    }

    fn record_mergeability(&mut self, snapshot: &Snapshot) {
        match snapshot.mergeable {
            Mergeable::Yes => {
                self.state.run.head.mergeability = Some(KnownMergeability {
                    base_ref: snapshot.base_ref.clone(),
                    base: snapshot.base.clone(),
                    blocked: snapshot.merge_blocked,
                });
            }
            Mergeable::Conflicting => self.state.run.head.mergeability = None,
            Mergeable::Unknown => {}
        }
    }

    fn pull_merged(&mut self, snapshot: &Snapshot) {
        let run = &self.state.run;
        // What was ready and then queued waits in the queue, and is merged from there.
        let queued = run.head.queue_stay.is_some() && run.head.approved == run.head.sha;
        let ready = (run.state == State::PrReadyToMerge || queued)
            && run.head.sha.as_ref() == Some(&snapshot.head);
        self.state.run.merge_type = Some(if ready {
            MergeType::Approved
        } else {
            MergeType::Forced
        });
        self.remember_dismissals(snapshot);
        self.remember_accepted(snapshot);
        self.end_run(State::Merged);
    }

    fn forget_approvals(&mut self) {
        self.state.run.head.approved = None;
        self.state.run.head.proof = None;
        self.state.run.review.current_stage = 0;
        for reviewer in self
            .state
            .run
            .review
            .stages
            .iter_mut()
            .flat_map(|stage| &mut stage.reviewers)
        {
            reviewer.verdict = None;
            reviewer.head = None;
        }
    }

    /// Tells a move by others from our own push and from a stale reading (§3.6).
    fn classify_head(&mut self, snapshot: &Snapshot) -> HeadStatus {
        let Some(head) = self.state.run.head.sha.clone() else {
            self.adopt_head(&snapshot.head, snapshot.read_at);
            return HeadStatus::Same;
        };
        let pushed = self
            .state
            .run
            .fixing
            .pending
            .as_ref()
            .is_some_and(|fix| fix.pushed);
        let old = snapshot.head != head && self.state.run.head.replaced.contains(&snapshot.head);
        if pushed {
            if old {
                if snapshot.read_at.since(self.state.run.head.seen_at) > STALE_AFTER_MS {
                    let shown = snapshot.head.clone();
                    self.enqueue(Effect::ReadRemoteHead(ReadRemoteHeadEffect { shown }));
                }
                return HeadStatus::Stale;
            }
            // Ours, or something on top of ours: either way the fix has arrived.
            self.complete_fix(snapshot);
        }
        if snapshot.head == head {
            return HeadStatus::Same;
        }
        if self.has_pending(|effect| matches!(effect, Effect::Push(_))) {
            return HeadStatus::PushInFlight;
        }
        if old {
            // It was seen further on before: git tells whether somebody put the branch back.
            let shown = snapshot.head.clone();
            self.enqueue(Effect::ReadRemoteHead(ReadRemoteHeadEffect { shown }));
            return HeadStatus::Stale;
        }
        self.head_moved(&head, &snapshot.head, snapshot.read_at);
        HeadStatus::Same
    }

    /// Somebody else moved the head: work on the old one is dropped, the review starts anew (§3.6).
    pub(super) fn head_moved(&mut self, from: &Sha, to: &Sha, at: Time) {
        self.notes.push(Note::HeadMoved {
            from: from.clone(),
            to: to.clone(),
        });
        self.state.run.head.restarts += 1;
        self.cancel_work();
        self.adopt_head(to, at);
        self.state.run.review.current_stage = 0;
        if self.state.run.head.restarts > self.state.run.configuration.policy.max_restarts {
            return self.stop_run(Stop::TooManyRestarts {
                count: self.state.run.head.restarts,
            });
        }
        match self.state.run.state {
            State::PrReviewing | State::PrFixing | State::PrReadyToMerge => {
                self.transition_to(State::PrAwaitingChecks);
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
    pub(super) fn adopt_head(&mut self, head: &Sha, at: Time) {
        self.discard_held_for_another(head);
        self.state.run.head.sha = Some(head.clone());
        // What was offered is for the lines of another head.
        for finding in self.state.run.review.findings.values_mut() {
            finding.replacement = None;
        }
        self.state.run.head.seen_at = at;
        self.state.run.head.mergeability = None;
        self.state.run.head.not_before = self.state.run.polling.last_snapshot.at;
        self.state.run.head.first_failure_at = None;
        self.state.run.head.ci_running_since = None;
        self.state.run.head.only_missing_since = None;
        self.state.run.head.absent_checks.clear();
        self.state.run.head.check_history = CheckHistory::default();
        self.state.run.head.refused_merges.clear();
        self.state.run.head.queue_stay = None;
    }

    pub(super) fn remote_head(&mut self, shown: &Sha, head: Option<&Sha>) {
        if self.state.run.state.is_terminal() {
            return self.remote_head_after_end(shown, head);
        }
        let waits = self.state.run.head.sha.as_ref() != Some(shown)
            && self.state.run.head.replaced.contains(shown);
        if waits && head == Some(shown) {
            // No stale reading after all: somebody put the branch back.
            let ours = self
                .state
                .run
                .head
                .sha
                .clone()
                .unwrap_or_else(|| shown.clone());
            self.head_moved(&ours, shown, self.now);
            self.poll_now();
        }
        // Else GitHub is behind: it is asked again at the usual pace.
    }

    /// Says of each account once why it is not trusted, where a person would think that it is (§9.1).
    pub(super) fn name_untrusted(&mut self, snapshot: &Snapshot) {
        for actor in snapshot.people() {
            let pinned = snapshot.pinned_accounts.get(&actor.login);
            let (id, login) = (actor.id, actor.login.clone());
            let note = match pinned {
                Some(pinned) if *pinned != id => Note::LoginReused {
                    login,
                    pinned: *pinned,
                    found: id,
                },
                Some(_) => continue,
                None if snapshot.permission_unread.contains(&id) => {
                    Note::PermissionUnread { id, login }
                }
                None => continue,
            };
            if self.state.memory.named_untrusted.insert(id) {
                self.notes.push(note);
            }
        }
    }

    fn update_summary(&mut self, snapshot: &Snapshot) {
        self.give_up_absent_checks(snapshot);
        let ci = self.ci(snapshot);
        self.state.run.head.check_history.note(&ci, snapshot);
        self.state.run.polling.last_snapshot.ci = ci.status();
        let history = &self.state.run.head.check_history;
        let cause = |check: &Check| Some(history.cause(check, snapshot));
        self.state.run.polling.last_snapshot.checks = ci.check_views(cause);
        self.state.run.polling.last_snapshot.workflow_files = workflow_files(snapshot);
        self.state.run.polling.last_snapshot.bots = self.bot_views(snapshot);
        self.state.run.polling.last_snapshot.people = self.people(snapshot);
        self.state.run.polling.last_snapshot.size = Some(ChangeSize::of(snapshot));
        let description: String = snapshot.body.chars().take(MAX_DESCRIPTION_CHARS).collect();
        self.state.run.polling.last_snapshot.description = description.into();
        self.remember_reviewing_bots(snapshot);
        // A draft may wait for days before its checks are run, and a check may be run again after hours.
        if ci.status() != CiStatus::Pending || self.current_hold(snapshot).is_some() {
            self.state.run.head.ci_running_since = None;
        } else if self.state.run.head.ci_running_since.is_none() {
            self.state.run.head.ci_running_since = Some(snapshot.read_at);
        }
        self.confirm_passed_checks(&ci);
        if ci.failed.is_empty() {
            self.state.run.head.first_failure_at = None;
        } else if self.state.run.head.first_failure_at.is_none() {
            self.state.run.head.first_failure_at = Some(snapshot.read_at);
        }
    }

    pub(super) fn observe_failed(&mut self, failed: &ObserveFailed) {
        let at = failed.at;
        if self.state.run.state.is_terminal() {
            return self.not_heard_after_end(failed);
        }
        let jitter = u64::from(failed.jitter_permille.min(999));
        let poll = self.state.run.configuration.policy.poll_interval_ms;
        let backoff = poll_backoff(poll);
        let failures = self.state.run.polling.failures + 1;
        let spread = poll / 10 * jitter / 1000;
        let later = at.plus(backoff.jittered_ms(failures, failed.jitter_permille));
        let next = match &failed.failure {
            ObserveFailure::Moved => {
                self.state.run.polling.next_at = Some(at.plus(REREAD_MS.min(poll)));
                return;
            }
            ObserveFailure::Unreachable { .. } => {
                self.state.run.blocker = Some(Blocker::Unreachable { until: later });
                later
            }
            ObserveFailure::BreakerOpen { until } => {
                self.state.run.blocker = Some(Blocker::Unreachable { until: *until });
                until.plus(spread)
            }
            ObserveFailure::RateLimited { until } => {
                self.state.run.blocker = Some(Blocker::RateLimited { until: *until });
                until.plus(spread)
            }
            ObserveFailure::Unauthorized => {
                self.state.run.blocker = Some(Blocker::Unauthorized);
                later
            }
            ObserveFailure::App { problem } => {
                self.state.run.blocker = Some(Blocker::AppUnusable { problem: *problem });
                later
            }
            ObserveFailure::Forbidden { message } => {
                self.state.run.blocker = Some(Blocker::Forbidden {
                    message: message.clone(),
                });
                later
            }
            ObserveFailure::ServerTooOld { field, version } => {
                let (field, version) = (field.clone(), version.clone());
                self.state.run.blocker = Some(Blocker::ServerTooOld { field, version });
                later
            }
            ObserveFailure::NotFound => {
                let since = *self.state.run.polling.gone_since.get_or_insert(at);
                if at.since(since) >= self.state.run.configuration.policy.gone_ms {
                    return self.stop_run(Stop::AccessLost);
                }
                let until = since.plus(self.state.run.configuration.policy.gone_ms);
                self.state.run.blocker = Some(Blocker::NotFound { until });
                later.min(until)
            }
        };
        self.state.run.polling.failures = self.state.run.polling.failures.saturating_add(1);
        self.state.run.polling.next_at = Some(next);
    }
}

/// 60 s, 120 s, 240 s, 300 s with the default interval; a quarter of it at most is jitter.
fn poll_backoff(poll_interval_ms: u64) -> Backoff {
    Backoff {
        first_ms: poll_interval_ms,
        max_ms: poll_interval_ms * 5,
    }
}

/// As much of a description is kept for the card; GitHub has the rest.
const MAX_DESCRIPTION_CHARS: usize = 4_000;
/// Files named on the card; there may be thousands.
const MAX_WORKFLOW_FILES: usize = 20;

/// Changed files that say what GitHub Actions run: a change of these changes what a green check means.
pub(super) fn workflow_files(snapshot: &Snapshot) -> Vec<String> {
    let paths = snapshot.files.iter().map(|file| &file.path);
    let of_actions = |path: &&String| {
        path.starts_with(".github/workflows/") || path.starts_with(".github/actions/")
    };
    paths
        .filter(of_actions)
        .take(MAX_WORKFLOW_FILES)
        .cloned()
        .collect()
}
