//! What is said on GitHub, and that it is said once (§8).

use super::Transition;
use super::agreement::display_name;
use super::observe::workflow_files;
use super::panel::partition_for_fix;
use super::unseen::coverage;
use crate::agreement::bot_names;
use crate::blocker::Stop;
use crate::change_map::{ChangeMap, FileUse};
use crate::ci::{self, Ci};
use crate::comments::{self, ThreadStatus};
use crate::consensus::Consensus;
use crate::effect::Effect;
use crate::effect::{PostEffect, ResolveThreadEffect};
use crate::finding::{Finding, FindingKind, Priority, SourceType};
use crate::ids::{ActionToken, Fingerprint, Login};
use crate::loop_state::{PendingFix, ThreadReply};
use crate::policy::Strictness;
use crate::post::{
    Disposition, FixLine, FixReport, InlineComment, LeftFinding, LeftReason, Post, PostContent,
    Proof, ReviewReport, StopReport,
};
use crate::snapshot::{Comment, Snapshot, Thread};
use crate::text::trailing_token;
use crate::token::{ActionSubject, FeedbackKind, action_token, digest, event_key};
use crate::tracked_finding::{FindingStatus, ReportOnly, SecondLook, TrackedFinding};
use std::collections::{BTreeMap, BTreeSet};

/// What the built-in fixer calls itself: it cannot judge words, so what it rejects is left to a person.
pub const RULES_FIXER: &str = "rules";

/// What there is to say of a review.
pub(super) struct ReviewPosts {
    /// The report.
    pub(super) report: Post,
    /// What goes on lines; none where nothing does.
    pub(super) inline: Option<Post>,
    /// What is added to threads of others.
    pub(super) additions: Vec<Post>,
}

/// The least priority that goes on a line.
pub(super) fn inline_bar(strictness: Strictness) -> Priority {
    match strictness {
        Strictness::Permissive => Priority::P1,
        Strictness::Balanced => Priority::P2,
        Strictness::Strict => Priority::P3,
    }
}

/// Whether a reviewer found it. What people, bots and checks say stands where they said it.
pub(super) fn is_of_panel(finding: &Finding) -> bool {
    match finding.source.kind {
        SourceType::Agent | SourceType::Rules | SourceType::Linter => true,
        SourceType::Ci | SourceType::Bot | SourceType::Human => false,
    }
}

impl Transition {
    pub(super) fn token(&self, subject: &ActionSubject<'_>) -> ActionToken {
        action_token(&self.state.id, subject)
    }

    /// The token of a finding on its line.
    pub(super) fn inline_token(&self, fingerprint: &Fingerprint) -> ActionToken {
        self.token(&ActionSubject::Inline(fingerprint))
    }

    /// Says something, unless it was said or is about to be.
    pub(super) fn post(&mut self, token: ActionToken, content: PostContent) {
        self.post_as(None, token, content);
    }

    /// The same as an account of its own; none: as the one that Collie acts as.
    pub(super) fn post_as(&mut self, by: Option<Login>, token: ActionToken, content: PostContent) {
        if !self.is_said_or_to_be(&token) {
            let post = Box::new(Post { token, content, by });
            self.enqueue(Effect::Post(PostEffect { post }));
        }
    }

    /// Whether something was said, or is about to be.
    pub(super) fn is_said_or_to_be(&self, token: &ActionToken) -> bool {
        self.state.outbox.is_to_be_said(token) || self.state.memory.posted.contains_key(token)
    }

    /// Forgets that something was said: its run ended before it could be, and the next one may say it (§10.1).
    pub(super) fn forget_post(&mut self, post: &Post) {
        match &post.content {
            PostContent::Inline { comments, .. } | PostContent::PersonaReview { comments, .. } => {
                for comment in comments {
                    self.state.memory.inlined.remove(&comment.fingerprint);
                }
            }
            PostContent::Reply { thread, .. } => {
                self.state.memory.thread_replies.remove(thread);
            }
            PostContent::RequestRereview { .. } => {
                let id = self.state.id.clone();
                let token_of =
                    |review: &u64| action_token(&id, &ActionSubject::RequestRereview(*review));
                self.state
                    .memory
                    .rereview_requested
                    .retain(|review| token_of(review) != post.token);
            }
            PostContent::RequestBotReview { bot, .. } => {
                self.state.memory.bot_requests.remove(bot);
            }
            PostContent::Answers { .. } => {
                let answers = &mut self.state.memory.answers;
                answers.retain(|_, answer| answer.token.as_ref() != Some(&post.token));
            }
            PostContent::BodyDispositions { .. } => {
                let given = &mut self.state.memory.body_dispositions;
                given.retain(|_, disposition| disposition.token != post.token);
            }
            PostContent::Addition { .. }
            | PostContent::DismissReview { .. }
            | PostContent::CommandReply { .. }
            | PostContent::Review(_)
            | PostContent::Fix(_)
            | PostContent::Proof(_)
            | PostContent::Stop(_) => {}
        }
    }

    /// The report of a review, and its inline comments as one review.
    pub(super) fn post_review(
        &mut self,
        snapshot: &Snapshot,
        findings: &[TrackedFinding],
        requested: &[Login],
        consensus: &Consensus,
    ) {
        let ReviewPosts {
            report,
            inline,
            additions,
        } = self.review_posts(snapshot, findings, requested, consensus);
        let inline = inline.and_then(|inline| self.part_by_account(snapshot, inline));
        for post in [Some(report), inline]
            .into_iter()
            .flatten()
            .chain(additions)
        {
            self.post_as(post.by, post.token, post.content);
        }
    }

    /// What there is to say of a review.
    pub(super) fn review_posts(
        &mut self,
        snapshot: &Snapshot,
        findings: &[TrackedFinding],
        requested: &[Login],
        consensus: &Consensus,
    ) -> ReviewPosts {
        self.state.run.review.reports += 1;
        self.state.run.review.reported_head = Some(snapshot.head.clone());
        let (ordinal, run) = (self.state.run.review.reports, self.state.run.id.clone());
        let findings = &self.numbered(findings);
        let comments = self.inline_comments(snapshot, findings);
        let additions = self.additions(snapshot, findings);
        self.label_findings(snapshot, findings, &comments);
        let report = Post {
            token: self.token(&ActionSubject::ReviewReport(&run, ordinal)),
            content: PostContent::Review(self.report(snapshot, findings, requested, consensus)),
            by: None,
        };
        // A question is put once, in its line or in the report.
        let questions = findings
            .iter()
            .filter(|t| t.finding.kind == FindingKind::Question)
            .map(|t| t.fingerprint.clone());
        self.state.memory.inlined.extend(questions);
        self.state
            .memory
            .inlined
            .extend(comments.iter().map(|c| c.fingerprint.clone()));
        let inline = (!comments.is_empty()).then(|| Post {
            token: self.token(&ActionSubject::InlineReview(&run, ordinal)),
            content: PostContent::Inline {
                head: snapshot.head.clone(),
                comments,
            },
            by: None,
        });
        ReviewPosts {
            report,
            inline,
            additions,
        }
    }

    /// Gives each finding that a report shows the number by which people ask for it, the most urgent first.
    fn numbered(&mut self, findings: &[TrackedFinding]) -> Vec<TrackedFinding> {
        let known = &mut self.state.run.review.findings;
        let taken = known.values().map(|known| known.number).max();
        let mut last = taken.unwrap_or_default();
        let mut findings = findings.to_vec();
        let mut order: Vec<usize> = (0..findings.len()).collect();
        order.sort_by_key(|at| report_order(&findings[*at]));
        for finding in order {
            let finding = &mut findings[finding];
            let Some(known) = known.get_mut(&finding.fingerprint) else {
                continue;
            };
            if known.number == 0 && known.finding.kind != FindingKind::Praise {
                last += 1;
                known.number = last;
            }
            finding.number = known.number;
        }
        findings
    }

    /// What this round's looks found and nobody is sure enough of, the most urgent first.
    fn unsure_findings(&self) -> Vec<Finding> {
        let round = self.state.run.fixing.iteration + 1;
        let known = self.state.run.review.findings.values();
        let unsure = known
            .filter(|known| known.status == FindingStatus::Unsure && known.last_round == round);
        let mut findings: Vec<Finding> = unsure.map(|known| known.finding.clone()).collect();
        findings.sort_by_key(|f| (f.priority, f.file.clone(), f.line));
        findings
    }

    /// Notes of each finding why it is not on its line, where it is not.
    fn label_findings(
        &mut self,
        snapshot: &Snapshot,
        findings: &[TrackedFinding],
        comments: &[InlineComment],
    ) {
        let inlined = |print: &Fingerprint| {
            self.state.memory.inlined.contains(print)
                || comments.iter().any(|comment| comment.fingerprint == *print)
        };
        let labels: Vec<(Fingerprint, Option<ReportOnly>)> = findings
            .iter()
            .map(|tracked| {
                let print = &tracked.fingerprint;
                let label = match inlined(print) {
                    true => None,
                    false => self.why_not_inline(snapshot, tracked),
                };
                (print.clone(), label)
            })
            .collect();
        for (print, label) in labels {
            if let Some(known) = self.state.run.review.findings.get_mut(&print) {
                known.report_only = label;
            }
        }
    }

    /// Why a finding that a reviewer made and that stands is not on its line: the first reason that fits.
    fn why_not_inline(&self, snapshot: &Snapshot, tracked: &TrackedFinding) -> Option<ReportOnly> {
        let policy = &self.state.run.configuration.policy;
        let spoken = tracked.finding.kind != FindingKind::Praise;
        let stands = tracked.status == FindingStatus::Open;
        if !is_of_panel(&tracked.finding) || !spoken || !stands {
            return None;
        }
        let is_minor = tracked.finding.priority > inline_bar(policy.strictness)
            || tracked.finding.confidence.permille() < policy.comment_threshold;
        Some(
            if tracked.covered || self.covering_thread(snapshot, tracked).is_some() {
                ReportOnly::Covered
            } else if !tracked.in_diff {
                ReportOnly::OutsideDiff
            } else if is_minor {
                ReportOnly::Minor
            } else {
                ReportOnly::Surplus
            },
        )
    }

    pub(super) fn label_of(&self, fingerprint: &Fingerprint) -> Option<ReportOnly> {
        let known = self.state.run.review.findings.get(fingerprint)?;
        known.report_only
    }

    /// Who made a finding, where several tools did.
    fn found_by(&self, snapshot: &Snapshot, tracked: &TrackedFinding) -> Vec<String> {
        if !tracked.is_agreed() {
            return Vec::new();
        }
        let names = bot_names(&self.state.run.configuration.policy, snapshot);
        let own = display_name(&tracked.finding, &names);
        let others = tracked.also_found_by.iter().filter(|name| **name != own);
        std::iter::once(own.clone())
            .chain(others.cloned())
            .collect()
    }

    /// What several tools found in this run, each once.
    fn agreements(&self, snapshot: &Snapshot) -> Vec<(String, Vec<String>)> {
        let found: Vec<TrackedFinding> = self.state.run.review.findings.values().cloned().collect();
        let told = told_findings(&found, |status| !status.is_set_aside());
        let agreed = told.iter().filter(|tracked| tracked.is_agreed());
        agreed
            .map(|t| (t.finding.title.clone(), self.found_by(snapshot, t)))
            .collect()
    }

    /// Findings of bots that nobody could look at again.
    fn unchecked_count(&self, findings: &[TrackedFinding]) -> u32 {
        let known = &self.state.run.review.findings;
        let look = |print| known.get(print).and_then(|known| known.second_look);
        let prints: BTreeSet<&Fingerprint> = findings.iter().map(|t| &t.fingerprint).collect();
        let unchecked = prints
            .into_iter()
            .filter(|print| look(print) == Some(SecondLook::Unavailable));
        u32::try_from(unchecked.count()).unwrap_or(u32::MAX)
    }

    fn report(
        &self,
        snapshot: &Snapshot,
        findings: &[TrackedFinding],
        requested: &[Login],
        consensus: &Consensus,
    ) -> ReviewReport {
        let coverage = coverage(&self.state, snapshot);
        let counting = told_findings(findings, |status| status != FindingStatus::Stuck);
        let labels = counting.iter().map(|t| self.label_of(&t.fingerprint));
        let found_by: Vec<Vec<String>> = counting
            .iter()
            .map(|t| self.found_by(snapshot, t))
            .collect();
        let told = plain_findings(&counting);
        let heard = comments::analyze_comments(&self.state, snapshot);
        ReviewReport {
            ordinal: self.state.run.review.reports,
            head: snapshot.head.clone(),
            consensus: consensus.conclusion,
            counts: consensus.counts,
            changes_requested_by: requested.to_vec(),
            verdicts: self.verdicts(snapshot),
            map: ChangeMap::of(&snapshot.files, &told, &coverage).with_uses(self.uses()),
            report_only: labels.collect(),
            numbers: counting.iter().map(|tracked| tracked.number).collect(),
            unsure: self.unsure_findings(),
            record: None,
            findings: told,
            stuck: plain_findings(&told_findings(findings, |status| {
                status == FindingStatus::Stuck
            })),
            unread: !self.is_read(snapshot),
            needs_look: self.needing_look(&coverage),
            coverage,
            summaries: self.summaries(snapshot),
            threads: heard.stats,
            open_threads: heard.full_report,
            found_by: match found_by.iter().all(Vec::is_empty) {
                true => Vec::new(),
                false => found_by,
            },
            unchecked: self.unchecked_count(findings),
            dismissed: self.dismissed_findings(),
        }
    }

    /// Which files use what the change touches, by every reviewer's looks.
    fn uses(&self) -> impl Iterator<Item = &FileUse> {
        self.reviewers().flat_map(|seat| &seat.uses)
    }

    /// Findings that go on their line: in the diff, weighty enough, not covered by a thread, not said before (§4.4).
    fn inline_comments(
        &self,
        snapshot: &Snapshot,
        findings: &[TrackedFinding],
    ) -> Vec<InlineComment> {
        let bar = inline_bar(self.state.run.configuration.policy.strictness);
        let threshold = self.state.run.configuration.policy.comment_threshold;
        let fits = |t: &&TrackedFinding| {
            is_of_panel(&t.finding)
                && t.in_diff
                && t.status == FindingStatus::Open
                && t.finding.kind != FindingKind::Praise
                && t.finding.priority <= bar
                && !self.state.memory.inlined.contains(&t.fingerprint)
                && !t.covered
                && t.finding.confidence.permille() >= threshold
                && self.covering_thread(snapshot, t).is_none()
        };
        let mut chosen: Vec<&TrackedFinding> = findings.iter().filter(fits).collect();
        chosen.sort_by_key(|t| report_order(t));
        chosen.dedup_by_key(|t| t.fingerprint.clone());
        chosen.truncate(self.state.run.configuration.policy.max_comments as usize);
        chosen.sort_by_key(|t| (t.finding.file.clone(), t.finding.line));
        let comment = |t: &TrackedFinding| InlineComment {
            token: self.inline_token(&t.fingerprint),
            fingerprint: t.fingerprint.clone(),
            number: t.number,
            finding: t.finding.clone(),
            replacement: t.replacement.clone(),
        };
        chosen.into_iter().map(comment).collect()
    }

    /// How many suggestions stand that the fixer was not shown.
    fn withheld_suggestions(&self, fix: &PendingFix) -> u32 {
        let payload = &fix.payload;
        let shown = |tracked: &TrackedFinding| {
            let mut all = payload.issues_to_fix.iter().chain(&payload.optional_issues);
            all.any(|asked| asked.id == tracked.fingerprint.as_str())
        };
        let known: Vec<TrackedFinding> = self.state.run.review.findings.values().cloned().collect();
        let (_, optional) = partition_for_fix(&known);
        let withheld = optional.iter().filter(|tracked| !shown(tracked)).count();
        u32::try_from(withheld).unwrap_or(u32::MAX)
    }

    pub(super) fn post_fix_report(&mut self, fix: &PendingFix) {
        let line = |id: &str, note: &str| {
            let all = fix
                .payload
                .issues_to_fix
                .iter()
                .chain(&fix.payload.optional_issues);
            let finding = all.into_iter().find(|f| f.id == id)?;
            Some(FixLine {
                title: finding.title.clone(),
                file: finding.file.clone(),
                line: finding.line,
                note: note.to_string(),
            })
        };
        let report = FixReport {
            iteration: self.state.run.fixing.iteration,
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
            deferred: fix.result.summary.deferred + self.withheld_suggestions(fix),
            merge: fix.merge.clone(),
        };
        let (run, turn) = (self.state.run.id.clone(), self.state.run.fixing.turns);
        let token = self.token(&ActionSubject::FixReport(&run, turn));
        let by = self.state.author_account();
        self.post_as(by, token, PostContent::Fix(report));
    }

    /// Every thread that was asked about gets its disposition (§7.3).
    pub(super) fn post_replies(&mut self, snapshot: &Snapshot, fix: &PendingFix) {
        for finding in fix
            .payload
            .issues_to_fix
            .iter()
            .chain(&fix.payload.optional_issues)
        {
            let Some((thread, comment)) = self.thread_of_finding(snapshot, finding) else {
                continue;
            };
            let Some(disposition) = disposition_of(finding, fix) else {
                continue;
            };
            let left_to_person = matches!(disposition, Disposition::LeftToPerson { .. });
            let first = thread.comments.first().map_or(comment.id, |c| c.id);
            // Of the words as they were handed over: they may have been edited since.
            let words = finding.description.as_str();
            let written = &finding.source.timestamp;
            let key = event_key(
                snapshot.number,
                FeedbackKind::Review,
                comment.id,
                written,
                words,
            );
            let token = self.token(&ActionSubject::Reply(&key));
            self.state.memory.thread_replies.insert(
                thread.id.clone(),
                ThreadReply {
                    head: snapshot.head.clone(),
                    answered_comment: comment.id,
                    left_to_person,
                    body_hash: Some(digest([words])),
                    reply_token: Some(token.clone()),
                },
            );
            let reply = PostContent::Reply {
                thread: thread.id.clone(),
                in_reply_to: first,
                disposition,
            };
            let by = self.state.author_account();
            self.post_as(by, token, reply);
        }
    }

    /// The thread and comment behind a finding, if they are still there.
    fn thread_of_finding<'a>(
        &self,
        snapshot: &'a Snapshot,
        finding: &Finding,
    ) -> Option<(&'a Thread, &'a Comment)> {
        let tracked = self
            .state
            .run
            .review
            .findings
            .get(&Fingerprint::new(finding.id.clone()))?;
        let thread_id = tracked.finding.source.review_id.as_deref()?;
        let thread = snapshot
            .threads
            .iter()
            .find(|t| t.id.as_str() == thread_id)?;
        let comment = thread
            .comments
            .iter()
            .find(|c| tracked.finding.id == format!("C-{}", c.id))?;
        Some((thread, comment))
    }

    /// Asks everyone whose request for changes is answered to look again, each once (§4.6).
    pub(super) fn request_rereviews(&mut self, snapshot: &Snapshot) {
        let waits = |t: &Thread| {
            matches!(
                comments::thread_status(&self.state, snapshot, t),
                ThreadStatus::Pending | ThreadStatus::Replying
            )
        };
        if snapshot.threads.iter().any(waits) {
            return;
        }
        let requested: Vec<(u64, Login)> = comments::changes_requested(&self.state, snapshot)
            .iter()
            .filter_map(|r| Some((r.id, r.author.as_ref()?.login.clone())))
            .collect();
        for (review, login) in requested {
            if self.state.memory.rereview_requested.insert(review) {
                let token = self.token(&ActionSubject::RequestRereview(review));
                let head = snapshot.head.clone();
                self.post(
                    token,
                    PostContent::RequestRereview {
                        logins: vec![login],
                        head,
                    },
                );
            }
        }
    }

    /// Each thread that is settled, and how; those of outsiders as such.
    fn settled_threads(&self, snapshot: &Snapshot) -> Vec<(String, String)> {
        let how = |thread: &Thread| match comments::thread_status(&self.state, snapshot, thread) {
            ThreadStatus::Resolved => Some("resolved"),
            ThreadStatus::Answered => Some("answered"),
            ThreadStatus::Outsider => Some("outsider"),
            ThreadStatus::Own
            | ThreadStatus::LeftToPerson
            | ThreadStatus::Replying
            | ThreadStatus::Pending => None,
        };
        let threads = snapshot.threads.iter();
        threads
            .filter_map(|thread| Some((thread.path.clone(), how(thread)?.to_owned())))
            .collect()
    }

    pub(super) fn post_proof(&mut self, snapshot: &Snapshot) {
        let ci = self.ci(snapshot);
        let check = |c: &&crate::snapshot::Check| {
            (
                ci.label(c),
                c.conclusion.map(ci::github_name).unwrap_or_default(),
            )
        };
        let fixed = |t: &TrackedFinding| {
            (t.status == FindingStatus::Fixed)
                .then(|| (t.finding.title.clone(), t.fixed_in.last().cloned()))
        };
        let suggestion = |t: &&TrackedFinding| {
            t.status == FindingStatus::Open
                && t.finding.priority == Priority::P3
                && self.is_reported_at(&t.fingerprint, snapshot)
        };
        let found = &self.state.run.review.findings;
        let proof = Proof {
            head: snapshot.head.clone(),
            checks: ci.passed.iter().map(check).collect(),
            flaky: self.flaky_checks(&ci),
            workflow_files: workflow_files(snapshot),
            verdicts: self.verdicts(snapshot),
            unread: !self.is_read(snapshot),
            threads: self.settled_threads(snapshot),
            iterations: self.state.run.fixing.iteration,
            fixed: found.values().filter_map(fixed).collect(),
            merges: self.state.run.fixing.merges.clone(),
            ejections: self.ejection_lines(),
            unverified: self.skipped_commands(),
            coverage: coverage(&self.state, snapshot),
            seen_by: self.state.memory.seen_heads.get(&snapshot.head).cloned(),
            agreements: self.agreements(snapshot),
            dismissed: self.dismissed_findings(),
            left: self.left_findings(),
            suggestions: found
                .values()
                .filter(suggestion)
                .map(|t| t.finding.clone())
                .collect(),
            tokens: (
                self.state.run.usage.input_tokens,
                self.state.run.usage.output_tokens,
            ),
            cost_micros: self.state.run.usage.cost_micros,
            unpriced: self.state.run.usage.unpriced,
            elapsed_ms: self.now.since(self.state.run.started_at),
        };
        let run = self.state.run.id.clone();
        let token = self.token(&ActionSubject::Proof(&run, &snapshot.head));
        self.state.run.head.proof = Some(Box::new(proof.clone()));
        self.post(token, PostContent::Proof(proof));
    }

    /// What is stuck, and what the fixer declined, also where its finder withdrew it.
    fn left_findings(&self) -> Vec<LeftFinding> {
        let why = |known: &TrackedFinding| match known.status {
            FindingStatus::Stuck => Some(LeftReason::Stuck),
            FindingStatus::Rejected | FindingStatus::Withdrawn => {
                let reason = known.rejection.clone()?;
                Some(LeftReason::Declined { reason })
            }
            FindingStatus::Open
            | FindingStatus::Claimed
            | FindingStatus::Fixed
            | FindingStatus::Unsure
            | FindingStatus::Dismissed => None,
        };
        let findings = self.state.run.review.findings.values();
        let left = findings.filter_map(|known| {
            Some(LeftFinding {
                title: known.finding.title.clone(),
                file: known.finding.file.clone(),
                priority: known.finding.priority,
                why: why(known)?,
            })
        });
        let mut left: Vec<LeftFinding> = left.collect();
        left.sort_by_key(|line| (line.priority, line.file.clone(), line.title.clone()));
        left
    }

    /// Checks that were red and green at this head, as people tell them apart.
    fn flaky_checks(&self, ci: &Ci<'_>) -> Vec<String> {
        let flaky: BTreeSet<_> = self.state.run.head.check_history.flaky().collect();
        let passed = ci.passed.iter();
        let flaky = passed.filter(|check| flaky.contains(&check.key()));
        flaky.map(|check| ci.label(check)).collect()
    }

    /// Verify commands that fixes of this run were pushed without.
    fn skipped_commands(&self) -> Vec<String> {
        let skipped = &self.state.run.fixing.skipped_verification;
        skipped.iter().cloned().collect()
    }

    fn is_reported_at(&self, fingerprint: &Fingerprint, snapshot: &Snapshot) -> bool {
        self.reviewers()
            .filter(|r| r.head.as_ref() == Some(&snapshot.head))
            .any(|r| r.findings.contains(fingerprint))
    }

    /// The last word of a run that stopped, with what is left and how it went.
    pub(super) fn post_stop_report(&mut self, stop: Stop) {
        let left = |t: &&TrackedFinding| {
            super::decide::blocks_approval(&t.finding)
                && matches!(
                    t.status,
                    FindingStatus::Open
                        | FindingStatus::Claimed
                        | FindingStatus::Rejected
                        | FindingStatus::Stuck
                )
        };
        let report = StopReport {
            stop,
            head: self.state.run.head.sha.clone(),
            findings: self
                .state
                .run
                .review
                .findings
                .values()
                .filter(left)
                .cloned()
                .collect(),
            rounds: self.state.run.fixing.rounds.clone(),
        };
        let run = self.state.run.id.clone();
        let token = self.token(&ActionSubject::Stop(&run));
        self.post(token, PostContent::Stop(report));
    }

    /// Resolves Collie's own threads whose finding is done with, and bots' threads that were fixed; never a person's (§7.3).
    pub(super) fn resolve_done_threads(&mut self, snapshot: &Snapshot) {
        if self.current_hold(snapshot).is_some() {
            return;
        }
        let done: Vec<_> = snapshot
            .threads
            .iter()
            .filter(|t| !t.resolved && !self.state.memory.resolved.contains(&t.id))
            .filter(|t| self.is_thread_done(snapshot, t))
            .map(|t| t.id.clone())
            .collect();
        for thread in done {
            let id = thread.clone();
            let resolve = Effect::ResolveThread(ResolveThreadEffect { thread });
            // What is held is asked for anew at each look.
            if self.state.may_do(&resolve) {
                self.state.memory.resolved.insert(id);
            }
            self.enqueue(resolve);
        }
    }

    /// The finding that Collie opened a thread with.
    pub(super) fn own_finding(
        &self,
        snapshot: &Snapshot,
        thread: &Thread,
    ) -> Option<&TrackedFinding> {
        let first = thread.comments.first()?;
        let ours = snapshot.may_be_own(first.author.as_ref()?.id);
        let token = trailing_token(&first.body).filter(|_| ours)?;
        let mut prints = self.state.memory.inlined.iter();
        let print = prints.find(|print| self.inline_token(print) == token)?;
        self.state.run.review.findings.get(print)
    }

    fn is_thread_done(&self, snapshot: &Snapshot, thread: &Thread) -> bool {
        let over = |t: &TrackedFinding| t.status == FindingStatus::Fixed || t.status.is_set_aside();
        let own = || self.own_finding(snapshot, thread);
        match comments::thread_status(&self.state, snapshot, thread) {
            ThreadStatus::Own => own().is_some_and(over),
            // People may have had their say in it.
            ThreadStatus::Answered if own().is_some() => own().is_some_and(over),
            ThreadStatus::Answered => self.state.run.review.findings.values().any(|t| {
                t.finding.source.kind == SourceType::Bot
                    && t.finding.source.review_id.as_deref() == Some(thread.id.as_str())
                    && t.status == FindingStatus::Fixed
            }),
            ThreadStatus::Outsider
            | ThreadStatus::Resolved
            | ThreadStatus::LeftToPerson
            | ThreadStatus::Replying
            | ThreadStatus::Pending => false,
        }
    }
}

/// Findings as a report tells them, the most urgent first, among them first what several tools found. What two reviewers or tools found
/// counts twice (§4.6) and is told once, by the graver word; praise is not told.
fn told_findings(
    findings: &[TrackedFinding],
    which: impl Fn(FindingStatus) -> bool,
) -> Vec<TrackedFinding> {
    let mut seen = BTreeSet::new();
    let all: Vec<&TrackedFinding> = findings
        .iter()
        .filter(|tracked| which(tracked.status) && seen.insert(&tracked.fingerprint))
        .filter(|tracked| tracked.finding.kind != FindingKind::Praise)
        .collect();
    let mut told = BTreeMap::new();
    let (joined, leads): (Vec<&TrackedFinding>, Vec<_>) = all
        .into_iter()
        .partition(|t| t.joined_to.as_ref().is_some_and(|lead| seen.contains(lead)));
    for lead in leads {
        told.insert(lead.fingerprint.clone(), lead.clone());
    }
    for other in joined {
        let lead = other.joined_to.as_ref().and_then(|lead| told.get_mut(lead));
        match lead {
            Some(lead) => lead.finding.priority = lead.finding.priority.min(other.finding.priority),
            None => {
                told.insert(other.fingerprint.clone(), other.clone());
            }
        }
    }
    let mut told: Vec<TrackedFinding> = told.into_values().collect();
    told.sort_by_key(report_order);
    told
}

/// Where a finding stands among others: the urgent first, then what several tools found.
pub(super) fn report_order(tracked: &TrackedFinding) -> (Priority, bool, String, Option<u32>) {
    let finding = &tracked.finding;
    (
        finding.priority,
        !tracked.is_agreed(),
        finding.file.clone(),
        finding.line,
    )
}

fn plain_findings(tracked: &[TrackedFinding]) -> Vec<Finding> {
    tracked.iter().map(|known| known.finding.clone()).collect()
}

/// What becomes of a thread by what the fixer says of its finding; none where it says nothing.
pub(super) fn disposition_of(finding: &Finding, fix: &PendingFix) -> Option<Disposition> {
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
    match (fixed, rejected, &fix.commit) {
        (Some(fixed), _, Some(commit)) => Some(Disposition::Fixed {
            commit: commit.clone(),
            note: fixed.description.clone(),
        }),
        (_, Some(rejected), _) if fix.result.agent == RULES_FIXER => {
            Some(Disposition::LeftToPerson {
                reason: rejected.reason.clone(),
            })
        }
        (_, Some(rejected), _) => Some(Disposition::Declined {
            reason: rejected.reason.clone(),
        }),
        (_, None, _) => None,
    }
}
