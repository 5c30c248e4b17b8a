//! What trusted people command in comments (§7): each command is obeyed once, and told once what became of it.

use super::Transition;
use crate::command::Command;
use crate::comments::{AuthorRole, FeedbackItem, collect_words, is_said_after_start, read_comment};
use crate::event::{NextRun, ObserveFailed};
use crate::ids::{ActionToken, Login, RunId, Time};
use crate::lifecycle::State;
use crate::loop_state::{LoopState, MergeType, PullEnd};
use crate::note::Note;
use crate::post::{CommandOutcome, Explanation, PostContent, ReplyPlace};
use crate::snapshot::{ObserveFailure, Snapshot, Thread};
use crate::text::trailing_token;
use crate::token::{ActionSubject, digest};
use crate::tracked_finding::FindingStatus;

/// How often it is looked whether the pull request of a run that stopped long ago is still open.
const SELDOM_MS: u64 = 24 * 60 * 60_000;

impl Transition {
    /// Takes in what was said, and does what was commanded; whether that has ended the run.
    pub(super) fn listen(&mut self, snapshot: &Snapshot) -> bool {
        self.record_feedback(snapshot);
        self.obey_commands(snapshot);
        self.state.run.state.is_terminal()
    }

    /// Obeys commands that were not seen before. What outsiders command is remarked once, and not answered.
    fn obey_commands(&mut self, snapshot: &Snapshot) {
        let listened = self.state.memory.listens_since;
        let is_first_look = listened.is_none_or(|since| since == snapshot.read_at);
        for item in collect_words(&self.state, snapshot) {
            let is_own = matches!(item.role, AuthorRole::Own | AuthorRole::Bot);
            if is_own || !item.body.contains('/') {
                continue;
            }
            for command in read_comment(item.body).commands {
                let words = command.words();
                let subject = ActionSubject::Command(item.kind, item.id, &words);
                let token = self.token(&subject);
                if !self.state.memory.commands.insert(token.clone()) {
                    continue;
                }
                let said_before = item
                    .said_at
                    .is_none_or(|at| !is_said_after_start(&self.state, at));
                // It was for another loop, or for none; or it was obeyed, and that is all that is left of it.
                if (is_first_look && said_before) || is_said(snapshot, &token) {
                    continue;
                }
                let by = item.author.login.clone();
                let key = item.key.clone();
                if item.role == AuthorRole::Outsider {
                    self.notes.push(Note::CommandDenied { by, words, key });
                    continue;
                }
                self.notes.push(Note::CommandObeyed {
                    by: by.clone(),
                    words,
                    key,
                });
                let thread = thread_of(snapshot, &item);
                let outcome = self.obey(snapshot, &command, &by, &token.0, thread);
                let Some(outcome) = outcome else {
                    continue;
                };
                let place = thread.and_then(|thread| {
                    Some(ReplyPlace {
                        thread: thread.id.clone(),
                        in_reply_to: thread.comments.first()?.id,
                    })
                });
                let content = PostContent::CommandReply {
                    command,
                    outcome,
                    place,
                };
                self.post(token, content);
            }
        }
    }

    /// Does what is commanded; none where the disposition of the thread will tell what became of it.
    fn obey(
        &mut self,
        snapshot: &Snapshot,
        command: &Command,
        by: &Login,
        id: &str,
        thread: Option<&Thread>,
    ) -> Option<CommandOutcome> {
        let state = self.state.run.state;
        Some(match command {
            Command::Stop if state.may_cancel() => {
                self.end_run(State::Cancelled);
                CommandOutcome::Stopped
            }
            Command::Stop => CommandOutcome::HasEnded { state },
            Command::Retry if state.may_retry() && snapshot.start_denied => {
                CommandOutcome::NotAllowed
            }
            Command::Retry if state.may_retry() => {
                self.retry(&self.next_run_by(by, id));
                CommandOutcome::Restarted
            }
            Command::Retry => CommandOutcome::StillRunning { state },
            Command::Explain { number } => match self.explanation(*number) {
                Some(told) => CommandOutcome::Explained { told },
                None => CommandOutcome::NoSuchFinding { number: *number },
            },
            Command::FixThis => match thread {
                Some(_) if state.is_terminal() => CommandOutcome::HasEnded { state },
                Some(thread) => {
                    self.reopen_finding_of(snapshot, thread);
                    return None;
                }
                None => CommandOutcome::NeedsThread,
            },
            Command::Done => CommandOutcome::Settled {
                count: self.settle_remarks(by),
            },
            Command::Unknown { .. } => CommandOutcome::Unknown,
        })
    }

    /// A fresh run for a command: the same command never begins another one.
    fn next_run_by(&self, by: &Login, command: &str) -> NextRun {
        let id = digest([self.state.run.id.as_str(), command]);
        NextRun {
            by: by.clone(),
            run: RunId::new(uuid_form(&id)),
            policy: Box::new(self.state.run.configuration.policy.clone()),
            extra_rounds: 0,
        }
    }

    /// What Collie found where this thread stands is handed over again, whatever was claimed or turned down (§2).
    fn reopen_finding_of(&mut self, snapshot: &Snapshot, thread: &Thread) {
        let print = self.own_finding(snapshot, thread);
        let Some(print) = print.map(|known| known.fingerprint.clone()) else {
            return;
        };
        let known = self.state.run.review.findings.get_mut(&print);
        if let Some(known) = known
            && matches!(known.status, FindingStatus::Stuck | FindingStatus::Rejected)
        {
            known.reopen();
        }
    }

    /// All that is known of the finding that reports show under a number.
    fn explanation(&self, number: u32) -> Option<Box<Explanation>> {
        let mut known = self.state.run.review.findings.values();
        let known = known.find(|known| number > 0 && known.number == number)?;
        Some(Box::new(Explanation {
            number,
            finding: known.clone(),
        }))
    }

    /// A run that has ended listens on for a while, for commands alone; one that a person has to look at is read on, ever more seldom, until its
    /// pull request has ended: then nobody has to.
    pub(super) fn observed_after_end(&mut self, snapshot: &Snapshot) {
        let polling = &self.state.run.polling;
        let is_older = self.is_read_before(snapshot, polling.last_snapshot.at);
        if polling.next_at.is_none() || is_older {
            return self.ignore("terminal");
        }
        self.state.run.polling.last_snapshot.at = Some(snapshot.read_at);
        if let Some(end) = PullEnd::of(snapshot.state) {
            return self.pull_ended_after_run(end);
        }
        self.listen_on();
        if listens_until(&self.state).is_some_and(|until| self.now <= until) {
            self.obey_commands(snapshot);
        }
    }

    /// A terminal state goes nowhere (§2), so the run stays as it stopped, and nothing is said: that its pull request is over stands beside.
    fn pull_ended_after_run(&mut self, end: PullEnd) {
        self.state.run.polling.next_at = None;
        if self.state.run.state.is_over() {
            return;
        }
        self.state.run.pull_end = Some(end);
        if end == PullEnd::Merged {
            self.state.run.merge_type = Some(MergeType::Forced);
        }
        self.notes.push(Note::PullEnded { end });
    }

    /// A reading failed after the end: it is tried again at the same pace, but for one that will not come back.
    pub(super) fn not_heard_after_end(&mut self, failed: &ObserveFailed) {
        if self.state.run.polling.next_at.is_none() {
            return self.ignore("terminal");
        }
        match &failed.failure {
            ObserveFailure::NotFound => self.state.run.polling.next_at = None,
            ObserveFailure::RateLimited { until } | ObserveFailure::BreakerOpen { until } => {
                self.listen_on();
                let next = self.state.run.polling.next_at;
                self.state.run.polling.next_at = next.map(|next| next.max(*until));
            }
            ObserveFailure::Unreachable { .. }
            | ObserveFailure::Unauthorized
            | ObserveFailure::Forbidden { .. }
            | ObserveFailure::App { .. }
            | ObserveFailure::ServerTooOld { .. }
            | ObserveFailure::Moved => self.listen_on(),
        }
    }

    /// When an ended run is read again; not any more once it ended long ago.
    pub(super) fn listen_on(&mut self) {
        self.state.run.polling.next_at = next_listening(&self.state, self.now);
    }
}

fn next_listening(state: &LoopState, now: Time) -> Option<Time> {
    let policy = &state.run.configuration.policy;
    let (listens, waits_for_person) = match state.run.state {
        State::NeedsHuman | State::Failed => (true, true),
        State::Cancelled => (true, false),
        State::Merged
        | State::Closed
        | State::PrCreated
        | State::PrAwaitingChecks
        | State::PrReviewing
        | State::PrFixing
        | State::PrReadyToMerge => (false, false),
    };
    let next = now.plus(policy.ready_poll_interval_ms);
    if listens && next <= listens_until(state)? {
        return Some(next);
    }
    (waits_for_person && policy.listen_after_end_ms > 0).then(|| now.plus(SELDOM_MS))
}

/// How long an ended run listens; none for one of which nobody knows when it ended.
fn listens_until(state: &LoopState) -> Option<Time> {
    let policy = &state.run.configuration.policy;
    Some(state.run.ended_at?.plus(policy.listen_after_end_ms))
}

/// Whether what became of a command stands on GitHub.
fn is_said(snapshot: &Snapshot, token: &ActionToken) -> bool {
    let inline = snapshot.threads.iter().flat_map(|thread| &thread.comments);
    let mut own = snapshot.comments.iter().chain(inline).filter(|comment| {
        let author = comment.author.as_ref();
        author.is_some_and(|author| snapshot.may_be_own(author.id))
    });
    own.any(|comment| trailing_token(&comment.body).as_ref() == Some(token))
}

fn thread_of<'a>(snapshot: &'a Snapshot, item: &FeedbackItem<'_>) -> Option<&'a Thread> {
    let id = item.thread?;
    snapshot.threads.iter().find(|thread| thread.id == *id)
}

/// The first 32 hex digits in the form of a UUID, as the ids of runs have it.
fn uuid_form(hex: &str) -> String {
    let part = |from: usize, to: usize| hex.get(from..to).unwrap_or_default();
    [(0, 8), (8, 12), (12, 16), (16, 20), (20, 32)]
        .map(|(from, to)| part(from, to))
        .join("-")
}
