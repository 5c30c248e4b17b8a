//! What is said on GitHub, and that it is said once (§8).

use super::Turn;
use crate::blocker::Stop;
use crate::bots;
use crate::ci;
use crate::comments::{self, ThreadStanding};
use crate::consensus::Consensus;
use crate::ids::{ActionToken, Fingerprint, Login};
use crate::model::{Disposed, Effect, FindingStatus, PendingFix, TrackedFinding};
use crate::policy::{ReviewerKind, Strictness};
use crate::post::{
    Content, Disposition, FixLine, FixReport, InlineComment, Post, Proof, ReviewReport, StopReport,
    VerdictLine,
};
use crate::shapes::{Finding, FindingKind, Priority, SourceType};
use crate::snapshot::{Comment, Snapshot, Thread};
use crate::text::token_at_end;
use crate::token::{FeedbackKind, Subject, action_token, digest, event_key};
use std::collections::BTreeSet;

/// What the built-in fixer calls itself: it cannot judge words, so what it rejects is left to a person.
pub const RULES_FIXER: &str = "rules";

impl Turn {
    fn token(&self, subject: &Subject<'_>) -> ActionToken {
        action_token(&self.s.id, subject)
    }

    /// The token of a finding on its line.
    pub(super) fn inline_token(&self, print: &Fingerprint) -> ActionToken {
        self.token(&Subject::Inline(print))
    }

    /// Says something, unless it was said or is about to be.
    fn say(&mut self, token: ActionToken, content: Content) {
        let waits = self.asked(|effect| match effect {
            Effect::Say { post } => post.token == token,
            _ => false,
        });
        if !waits && !self.s.posted.contains_key(&token) {
            self.ask(Effect::Say {
                post: Box::new(Post { token, content }),
            });
        }
    }

    /// Forgets that something was said: its run ended before it could be, and the next one may say it (§10.1).
    pub(super) fn unsay(&mut self, post: &Post) {
        match &post.content {
            Content::Inline { comments, .. } => {
                for comment in comments {
                    self.s.inlined.remove(&comment.fingerprint);
                }
            }
            Content::Reply { thread, .. } => {
                self.s.dispositions.remove(thread);
            }
            Content::LookAgain { .. } => {
                let id = self.s.id.clone();
                let said = |review: &u64| action_token(&id, &Subject::LookAgain(*review));
                self.s
                    .asked_again
                    .retain(|review| said(review) != post.token);
            }
            Content::Review(_) | Content::Fix(_) | Content::Proof(_) | Content::Stop(_) => {}
        }
    }

    /// The report of a review, and its inline comments as one review.
    pub(super) fn say_review(
        &mut self,
        s: &Snapshot,
        standing: &[TrackedFinding],
        requested: &[Login],
        agreed: &Consensus,
    ) {
        let (report, inline) = self.review_posts(s, standing, requested, agreed);
        for post in [Some(report), inline].into_iter().flatten() {
            self.say(post.token, post.content);
        }
    }

    /// What there is to say of a review: the report, and where some findings go on their line these.
    pub(super) fn review_posts(
        &mut self,
        s: &Snapshot,
        standing: &[TrackedFinding],
        requested: &[Login],
        agreed: &Consensus,
    ) -> (Post, Option<Post>) {
        self.s.reviews += 1;
        self.s.reported_head = Some(s.head.clone());
        let (ordinal, run) = (self.s.reviews, self.s.run.clone());
        let with = |wanted: bool| {
            let chosen = standing
                .iter()
                .filter(|t| (t.status == FindingStatus::Stuck) == wanted);
            // What two reviewers found counts twice (§4.6) and is told once.
            let mut told = BTreeSet::new();
            let chosen = chosen.filter(|t| told.insert(&t.fingerprint));
            let mut chosen: Vec<Finding> = chosen.map(|t| t.finding.clone()).collect();
            chosen.sort_by_key(|f| (f.priority, f.file.clone(), f.line));
            chosen
        };
        let report = ReviewReport {
            ordinal,
            head: s.head.clone(),
            consensus: agreed.conclusion,
            counts: agreed.counts,
            changes_requested_by: requested.to_vec(),
            verdicts: self.verdicts(s),
            findings: with(false),
            stuck: with(true),
        };
        let report = Post {
            token: self.token(&Subject::ReviewReport(&run, ordinal)),
            content: Content::Review(report),
        };
        let comments = self.inline_comments(s, standing);
        // A question is put once, in its line or in the report.
        let questions = standing
            .iter()
            .filter(|t| t.finding.kind == FindingKind::Question)
            .map(|t| t.fingerprint.clone());
        self.s.inlined.extend(questions);
        self.s
            .inlined
            .extend(comments.iter().map(|c| c.fingerprint.clone()));
        let inline = (!comments.is_empty()).then(|| Post {
            token: self.token(&Subject::InlineReview(&run, ordinal)),
            content: Content::Inline {
                head: s.head.clone(),
                comments,
            },
        });
        (report, inline)
    }

    /// Findings that go on their line: in the diff, weighty enough, not covered by a thread, not said before (§4.4).
    fn inline_comments(&self, s: &Snapshot, standing: &[TrackedFinding]) -> Vec<InlineComment> {
        let bar = match self.s.policy.strictness {
            Strictness::Permissive => Priority::P1,
            Strictness::Balanced => Priority::P2,
            Strictness::Strict => Priority::P3,
        };
        let fits = |t: &&TrackedFinding| {
            let from_panel = match t.finding.source.kind {
                SourceType::Agent | SourceType::Rules => true,
                SourceType::Ci | SourceType::Bot | SourceType::Human => false,
            };
            from_panel
                && t.in_diff
                && t.status == FindingStatus::Open
                && t.finding.kind != FindingKind::Praise
                && t.finding.priority <= bar
                && !self.s.inlined.contains(&t.fingerprint)
                && !is_covered(s, &t.finding)
        };
        let mut chosen: Vec<&TrackedFinding> = standing.iter().filter(fits).collect();
        chosen.sort_by_key(|t| (t.finding.priority, t.finding.file.clone(), t.finding.line));
        chosen.dedup_by_key(|t| t.fingerprint.clone());
        chosen.truncate(self.s.policy.max_comments as usize);
        chosen.sort_by_key(|t| (t.finding.file.clone(), t.finding.line));
        let comment = |t: &TrackedFinding| InlineComment {
            token: self.inline_token(&t.fingerprint),
            fingerprint: t.fingerprint.clone(),
            finding: t.finding.clone(),
            replacement: t.replacement.clone(),
        };
        chosen.into_iter().map(comment).collect()
    }

    fn verdicts(&self, s: &Snapshot) -> Vec<VerdictLine> {
        let seats = self.s.stages.iter().flat_map(|stage| &stage.reviewers);
        let mut lines: Vec<VerdictLine> = seats
            .map(|seat| match seat.spec.kind {
                ReviewerKind::Rules | ReviewerKind::Agent => VerdictLine {
                    name: seat.spec.name.clone(),
                    verdict: seat.verdict,
                    head: seat.head.clone(),
                    left_out: seat.left_out.clone(),
                },
                ReviewerKind::Human => self.person_verdict(s, &seat.spec.name),
            })
            .collect();
        let views = bots::views(s, &self.s.policy, self.s.head_seen_at, s.read_at);
        let reviewed = views
            .into_iter()
            .filter(|v| v.status == crate::model::BotStatus::Reviewed);
        lines.extend(reviewed.map(|view| VerdictLine {
            name: view.login.to_string(),
            verdict: None,
            head: Some(s.head.clone()),
            left_out: None,
        }));
        lines
    }

    fn person_verdict(&self, s: &Snapshot, name: &str) -> VerdictLine {
        use crate::shapes::Conclusion;
        use crate::snapshot::ReviewVerdict;
        let login = Login::new(name);
        let review = comments::standing_reviews(&self.s, s)
            .into_iter()
            .find(|r| r.author.as_ref().is_some_and(|a| a.login == login));
        let verdict = review.map(|r| match r.verdict {
            ReviewVerdict::Approved => Conclusion::Approve,
            ReviewVerdict::ChangesRequested
            | ReviewVerdict::Commented
            | ReviewVerdict::Dismissed
            | ReviewVerdict::Pending => Conclusion::RequestChanges,
        });
        VerdictLine {
            name: name.to_string(),
            verdict,
            head: review.and_then(|r| r.commit.clone()),
            left_out: None,
        }
    }

    pub(super) fn say_fix(&mut self, fix: &PendingFix) {
        let line = |id: &str, note: &str| {
            let all = fix
                .asked
                .issues_to_fix
                .iter()
                .chain(&fix.asked.optional_issues);
            let finding = all.into_iter().find(|f| f.id == id)?;
            Some(FixLine {
                title: finding.title.clone(),
                file: finding.file.clone(),
                line: finding.line,
                note: note.to_string(),
            })
        };
        let report = FixReport {
            iteration: self.s.iteration,
            commit: fix.commit.clone(),
            fixed: fix
                .result
                .fixed_issues
                .iter()
                .filter_map(|f| line(&f.finding_id, &f.description))
                .collect(),
            rejected: fix
                .result
                .rejected_issues
                .iter()
                .filter_map(|r| line(&r.finding_id, &r.reason))
                .collect(),
            deferred: fix.result.summary.deferred,
        };
        let (run, turn) = (self.s.run.clone(), self.s.turns);
        let token = self.token(&Subject::FixReport(&run, turn));
        self.say(token, Content::Fix(report));
    }

    /// Every thread that was asked about gets its disposition (§7.3).
    pub(super) fn say_replies(&mut self, s: &Snapshot, fix: &PendingFix) {
        let rules = fix.result.agent == RULES_FIXER;
        for finding in fix
            .asked
            .issues_to_fix
            .iter()
            .chain(&fix.asked.optional_issues)
        {
            let Some((thread, comment)) = self.asked_in(s, finding) else {
                continue;
            };
            let fixed = fix
                .result
                .fixed_issues
                .iter()
                .find(|f| f.finding_id == finding.id);
            let rejected = fix
                .result
                .rejected_issues
                .iter()
                .find(|r| r.finding_id == finding.id);
            let disposition = match (fixed, rejected, &fix.commit) {
                (Some(fixed), _, Some(commit)) => Disposition::Fixed {
                    commit: commit.clone(),
                    note: fixed.description.clone(),
                },
                (_, Some(rejected), _) if rules => Disposition::LeftToPerson {
                    reason: rejected.reason.clone(),
                },
                (_, Some(rejected), _) => Disposition::Declined {
                    reason: rejected.reason.clone(),
                },
                (_, None, _) => continue,
            };
            let left_to_person = matches!(disposition, Disposition::LeftToPerson { .. });
            let first = thread.comments.first().map_or(comment.id, |c| c.id);
            // Of the words as they were handed over: they may have been edited since.
            let words = finding.description.as_str();
            let written = &finding.source.timestamp;
            let key = event_key(s.number, FeedbackKind::Review, comment.id, written, words);
            let token = self.token(&Subject::Reply(&key));
            self.s.dispositions.insert(
                thread.id.clone(),
                Disposed {
                    head: s.head.clone(),
                    answers: comment.id,
                    left_to_person,
                    words: Some(digest([words])),
                    reply: Some(token.clone()),
                },
            );
            let reply = Content::Reply {
                thread: thread.id.clone(),
                in_reply_to: first,
                disposition,
            };
            self.say(token, reply);
        }
    }

    /// The thread and comment behind a finding, if they are still there.
    fn asked_in<'a>(
        &self,
        s: &'a Snapshot,
        finding: &Finding,
    ) -> Option<(&'a Thread, &'a Comment)> {
        let tracked = self.s.findings.get(&Fingerprint::new(finding.id.clone()))?;
        let thread_id = tracked.finding.source.review_id.as_deref()?;
        let thread = s.threads.iter().find(|t| t.id.as_str() == thread_id)?;
        let comment = thread
            .comments
            .iter()
            .find(|c| tracked.finding.id == format!("C-{}", c.id))?;
        Some((thread, comment))
    }

    /// Asks everyone whose request for changes is answered to look again, each once (§4.6).
    pub(super) fn ask_to_look_again(&mut self, s: &Snapshot) {
        let waits =
            |t: &Thread| comments::thread_standing(&self.s, s, t) == ThreadStanding::Pending;
        if s.threads.iter().any(waits) {
            return;
        }
        let requested: Vec<(u64, Login)> = comments::changes_requested(&self.s, s)
            .iter()
            .filter_map(|r| Some((r.id, r.author.as_ref()?.login.clone())))
            .collect();
        for (review, login) in requested {
            if self.s.asked_again.insert(review) {
                let token = self.token(&Subject::LookAgain(review));
                let head = s.head.clone();
                self.say(
                    token,
                    Content::LookAgain {
                        logins: vec![login],
                        head,
                    },
                );
            }
        }
    }

    pub(super) fn say_proof(&mut self, s: &Snapshot) {
        let ci = self.ci(s);
        let check = |c: &&crate::snapshot::Check| {
            (
                c.name.clone(),
                c.conclusion.map(ci::word).unwrap_or_default(),
            )
        };
        let thread = |t: &Thread| match comments::thread_standing(&self.s, s, t) {
            ThreadStanding::Resolved => Some((t.path.clone(), "resolved".to_string())),
            ThreadStanding::Answered => Some((t.path.clone(), "answered".to_string())),
            ThreadStanding::Own
            | ThreadStanding::Outsiders
            | ThreadStanding::LeftToPerson
            | ThreadStanding::Pending => None,
        };
        let fixed = |t: &TrackedFinding| {
            let commit = t.fixed_in.last()?.clone();
            (t.status == FindingStatus::Fixed).then(|| (t.finding.title.clone(), commit))
        };
        let suggestion = |t: &&TrackedFinding| {
            t.status == FindingStatus::Open
                && t.finding.priority == Priority::P3
                && self.is_reported_at(&t.fingerprint, s)
        };
        let proof = Proof {
            head: s.head.clone(),
            checks: ci.passed.iter().map(check).collect(),
            verdicts: self.verdicts(s),
            threads: s.threads.iter().filter_map(thread).collect(),
            iterations: self.s.iteration,
            fixed: self.s.findings.values().filter_map(fixed).collect(),
            suggestions: self
                .s
                .findings
                .values()
                .filter(suggestion)
                .map(|t| t.finding.clone())
                .collect(),
            tokens: (self.s.usage.input_tokens, self.s.usage.output_tokens),
            cost_micros: self.s.usage.cost_micros,
            elapsed_ms: self.now.since(self.s.started_at),
        };
        let run = self.s.run.clone();
        let token = self.token(&Subject::Proof(&run, &s.head));
        self.s.proof = Some(Box::new(proof.clone()));
        self.say(token, Content::Proof(proof));
    }

    fn is_reported_at(&self, print: &Fingerprint, s: &Snapshot) -> bool {
        let seats = self.s.stages.iter().flat_map(|stage| &stage.reviewers);
        seats
            .filter(|r| r.head.as_ref() == Some(&s.head))
            .any(|r| r.findings.contains(print))
    }

    /// The last word of a run that stopped, with what is left and how it went.
    pub(super) fn say_stop(&mut self, stop: Stop) {
        let left = |t: &&TrackedFinding| {
            super::panel::counts(&t.finding)
                && matches!(
                    t.status,
                    FindingStatus::Open | FindingStatus::Rejected | FindingStatus::Stuck
                )
        };
        let report = StopReport {
            stop,
            head: self.s.head.clone(),
            findings: self.s.findings.values().filter(left).cloned().collect(),
            rounds: self.s.rounds.clone(),
        };
        let run = self.s.run.clone();
        let token = self.token(&Subject::Stop(&run));
        self.say(token, Content::Stop(report));
    }

    /// Resolves Collie's own threads whose finding is done with, and bots' threads that were fixed; never a person's (§7.3).
    pub(super) fn tidy_threads(&mut self, s: &Snapshot) {
        if self.held(s).is_some() {
            return;
        }
        let done: Vec<_> = s
            .threads
            .iter()
            .filter(|t| !t.resolved && !self.s.resolved.contains(&t.id))
            .filter(|t| self.is_done(s, t))
            .map(|t| t.id.clone())
            .collect();
        for thread in done {
            self.s.resolved.insert(thread.clone());
            self.ask(Effect::Resolve { thread });
        }
    }

    fn is_done(&self, s: &Snapshot, thread: &Thread) -> bool {
        let over = |t: &TrackedFinding| {
            matches!(t.status, FindingStatus::Fixed | FindingStatus::Withdrawn)
        };
        let own = || {
            let first = thread.comments.first()?;
            let ours = first.author.as_ref()?.id == s.viewer.id;
            let token = token_at_end(&first.body).filter(|_| ours)?;
            let mut prints = self.s.inlined.iter();
            let print = prints.find(|print| self.inline_token(print) == token)?;
            self.s.findings.get(print)
        };
        match comments::thread_standing(&self.s, s, thread) {
            ThreadStanding::Own => own().is_some_and(over),
            // People may have had their say in it.
            ThreadStanding::Answered if own().is_some() => own().is_some_and(over),
            ThreadStanding::Answered => self.s.findings.values().any(|t| {
                t.finding.source.kind == SourceType::Bot
                    && t.finding.source.review_id.as_deref() == Some(thread.id.as_str())
                    && t.status == FindingStatus::Fixed
            }),
            ThreadStanding::Outsiders
            | ThreadStanding::Resolved
            | ThreadStanding::LeftToPerson
            | ThreadStanding::Pending => false,
        }
    }
}

/// Whether an unresolved thread already stands at a finding's place (§4.4).
fn is_covered(s: &Snapshot, finding: &Finding) -> bool {
    let at = |t: &Thread| {
        !t.resolved
            && t.path == finding.file
            && matches!((t.line, finding.line), (Some(a), Some(b)) if a.abs_diff(b) <= 1)
    };
    s.threads.iter().any(at)
}
