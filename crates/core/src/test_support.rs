//! Makers of test data.

use crate::coverage::UnseenFile;
use crate::effect::{
    CheckRightsEffect, CheckRun, FixEffect, LoadConfigEffect, PostEffect, PushEffect,
    RememberEffect, RerunChecksEffect, ReviewEffect,
};
use crate::event::{
    ChecksRerun, ConfigLoaded, Delivered, FixFinished, FixVerified, Observed, Outcome, PostRefused,
    Pushed, ReviewFinished, RightsChecked, ThreadResolved, TrustChanged,
};
use crate::finding::{Confidence, Finding, FindingKind, FindingSource, Priority, SourceType};
use crate::ids::Fingerprint;
use crate::own_accounts::AccountTrouble;
use crate::token_right::{RepositoryWrite, TokenRight};
use crate::tracked_finding::{FindingStatus, TrackedFinding};

/// A P1 finding of the rules.
pub fn finding(file: &str, category: &str, evidence: &str) -> Finding {
    Finding {
        id: format!("{category}-{file}"),
        priority: Priority::P1,
        category: category.into(),
        file: file.into(),
        line: Some(3),
        title: format!("{category} in {file}"),
        description: String::new(),
        suggestion: None,
        source: FindingSource {
            kind: SourceType::Rules,
            name: "rules".into(),
            review_id: None,
            timestamp: "2026-01-24T00:00:00Z".into(),
        },
        kind: FindingKind::Error,
        confidence: Confidence::SURE,
        evidence: Some(evidence.into()),
    }
}

/// The same, tracked and open.
pub fn tracked(finding: &Finding, fingerprint: &Fingerprint) -> TrackedFinding {
    TrackedFinding {
        finding: finding.clone(),
        number: 0,
        fingerprint: fingerprint.clone(),
        status: FindingStatus::Open,
        introduced_by_fix: false,
        first_round: 1,
        last_round: 1,
        fixed_in: Vec::new(),
        standing_reasons: BTreeMap::new(),
        refuted_claims: 0,
        check_failure: None,
        rejection: None,
        rejection_reported: false,
        in_diff: true,
        covered: false,
        covered_by: None,
        report_only: None,
        replacement: None,
        also_found_by: Default::default(),
        joined_to: None,
        second_look: None,
        upheld_at: None,
        dismissal: None,
    }
}

use crate::effect::Effect;
use crate::event::Event;
use crate::fix::{FixResult, FixSummary, FixedIssue, RejectedIssue, Verification};
use crate::ids::{AccountId, EffectId, Login, LoopId, RepoName, RunId, Sha, Time};
use crate::loop_state::{LoopState, NewLoop, PullRequest};
use crate::policy::{KnownBot, Policy, ReviewerKind, ReviewerSpec, StageSpec};
use crate::post::PostContent;
use crate::review::{Association, Conclusion, IssueCounts, ReviewerResult};
use crate::snapshot::{
    Actor, ChangedFile, Check, CheckConclusion, CheckStatus, Comment, FileChange, Mergeable,
    PullState, Review, ReviewVerdict, Snapshot, Thread,
};
use crate::step::Step;
use crate::step::step;
use crate::trust::TrustDecision;
use crate::usage::Usage;
use std::collections::{BTreeMap, BTreeSet};

/// A commit id made of one digit.
pub fn sha(digit: char) -> Sha {
    Sha::parse(&digit.to_string().repeat(40)).unwrap()
}

/// A person or bot.
pub fn actor(id: u64, login: &str, is_bot: bool) -> Actor {
    Actor {
        id: AccountId(id),
        login: Login::new(login),
        is_bot,
    }
}

/// A check that is done, or runs when there is no conclusion.
pub fn check(name: &str, conclusion: Option<CheckConclusion>) -> Check {
    Check {
        id: 1,
        name: name.into(),
        status: conclusion.map_or(CheckStatus::InProgress, |_| CheckStatus::Completed),
        conclusion,
        url: None,
        completed_at: None,
        reporter: None,
        summary: None,
        annotations: Vec::new(),
        log_tail: conclusion
            .filter(|c| *c == CheckConclusion::Failure)
            .map(|_| format!("{name}: error: it broke")),
        app_id: None,
        workflow: None,
    }
}

/// A person's review.
pub fn review(id: u64, login: &str, verdict: ReviewVerdict) -> Review {
    let account = if login.eq_ignore_ascii_case("ana") {
        20
    } else {
        21
    };
    Review {
        id,
        author: Some(actor(account, login, false)),
        association: Association::Collaborator,
        verdict,
        commit: None,
        body: String::new(),
        submitted_at: Some(Time(id as i64)),
        updated_at: format!("2026-01-01T00:00:{id:02}Z"),
    }
}

/// A comment.
pub fn comment(id: u64, author: Actor, body: &str) -> Comment {
    Comment {
        id,
        author: Some(author),
        body: body.into(),
        created_at: Time(id as i64),
        updated_at: format!("2026-01-01T00:00:{:02}Z", id % 60),
        commit: None,
    }
}

/// A thread that somebody opened on a line.
pub fn thread(id: &str, first: Comment) -> Thread {
    Thread {
        id: crate::ids::ThreadId::new(id),
        path: "a.py".into(),
        line: Some(3),
        resolved: false,
        resolved_by: None,
        outdated: false,
        comments: vec![first],
    }
}

/// A loop to start on kim's pull request, under a policy that knows one bot.
fn new_loop() -> NewLoop {
    let policy = Policy {
        bots: vec![KnownBot {
            id: AccountId(136_622_811),
            login: Login::new("coderabbitai"),
            name: "CodeRabbit".into(),
            reviews: true,
        }],
        ..Policy::default()
    };
    NewLoop {
        id: LoopId {
            host: "github.com".into(),
            repo_id: "R_1".into(),
            number: 7,
        },
        pull: PullRequest {
            repo: RepoName::parse("acme/api").unwrap(),
            title: "A change".into(),
            author: Some(Login::new("kim")),
            url: "https://github.com/acme/api/pull/7".into(),
            head_ref: "topic".into(),
            base_ref: "main".into(),
        },
        run: RunId::new("run-1"),
        started_by: Login::new("kim"),
        policy,
    }
}

/// An open pull request with one changed file and one check that passed, as kim sees it. Kim, ana and ben may write.
fn open_snapshot(pull: &PullRequest, now: Time) -> Snapshot {
    Snapshot {
        read_at: now,
        repo: pull.repo.clone(),
        number: 7,
        title: pull.title.clone(),
        body: String::new(),
        url: pull.url.clone(),
        author: Some(actor(10, "kim", false)),
        viewer: actor(10, "kim", false),
        state: PullState::Open,
        draft: false,
        locked: false,
        head: sha('a'),
        head_ref: "topic".into(),
        head_repo: Some(pull.repo.clone()),
        base_ref: "main".into(),
        base: sha('0'),
        merge_blocked: false,
        mergeable: Mergeable::Yes,
        behind: false,
        review_required: false,
        auto_merge: None,
        in_merge_queue: false,
        queue_removal: None,
        labels: BTreeSet::new(),
        required_checks: BTreeSet::new(),
        known_checks: BTreeSet::new(),
        base_checks: Vec::new(),
        others_have_checks: false,
        checks: vec![check("build", Some(CheckConclusion::Success))],
        reviews: Vec::new(),
        threads: Vec::new(),
        comments: Vec::new(),
        files: vec![ChangedFile {
            path: "a.py".into(),
            change: FileChange::Modified,
            additions: 1,
            deletions: 1,
        }],
        push_obstacles: BTreeSet::new(),
        pending_review: false,
        default_head: Some(sha('0')),
        writers: [10, 20, 21].map(AccountId).into(),
        permission_unread: BTreeSet::new(),
        pinned_accounts: BTreeMap::from([(Login::new("ana"), AccountId(20))]),
        start_denied: false,
        reviewing_bots: std::collections::BTreeSet::new(),
        own_accounts: BTreeSet::new(),
    }
}

/// A loop, the pull request it sees, and a clock.
pub struct LoopFixture {
    pub state: LoopState,
    pub snapshot: Snapshot,
    pub now: Time,
    /// Everything said so far, in order.
    pub posts: Vec<PostContent>,
    /// As which account of its own each was said.
    pub spoken_by: Vec<Option<Login>>,
    /// Every remark so far, in order.
    pub remarks: Vec<crate::note::Note>,
    /// The conversation is locked: replies are refused.
    pub locked: bool,
    /// GitHub refuses posts, in these words.
    pub refuses_posts: Option<&'static str>,
    /// The account that cannot be used for them.
    pub refusing_account: Option<AccountTrouble>,
    /// Runs of checks that were asked to run again.
    pub rerun: Vec<u64>,
    /// What was written down of people's judgements.
    pub remembered: Vec<crate::review_memory::MemoryEntry>,
    /// GitHub refuses to run checks again.
    pub refuses_reruns: bool,
    /// What GitHub says that the token lacks.
    pub lacking_rights: BTreeSet<TokenRight>,
    /// Whether GitHub gives no clear answer about rights.
    pub rights_unanswered: bool,
    /// What the token was asked about, each time.
    pub rights_asked: Vec<BTreeSet<RepositoryWrite>>,
    last_step: Option<Step>,
}

impl LoopFixture {
    /// One rules reviewer, checks passed, head `a`, base `0`.
    pub fn new() -> Self {
        let now = Time(1_000_000);
        let new = new_loop();
        let snapshot = open_snapshot(&new.pull, now);
        let state = LoopState::new(new, now);
        Self {
            state,
            snapshot,
            now,
            posts: Vec::new(),
            spoken_by: Vec::new(),
            remarks: Vec::new(),
            locked: false,
            refuses_posts: None,
            refusing_account: None,
            rerun: Vec::new(),
            remembered: Vec::new(),
            refuses_reruns: false,
            lacking_rights: BTreeSet::new(),
            rights_unanswered: false,
            rights_asked: Vec::new(),
            last_step: None,
        }
    }

    /// What GitHub says of the token's rights.
    fn rights_answer(&self) -> RightsChecked {
        let unanswered = self.rights_unanswered;
        let lacking = match unanswered {
            true => BTreeSet::new(),
            false => self.lacking_rights.clone(),
        };
        RightsChecked {
            lacking,
            unanswered,
        }
    }

    /// Adds a stage with a person.
    pub fn with_person(mut self, login: &str) -> Self {
        self.state.run.configuration.policy.stages.push(StageSpec {
            reviewers: vec![ReviewerSpec {
                name: login.into(),
                kind: ReviewerKind::Human,
                may_escalate_to: BTreeSet::new(),
            }],
        });
        self
    }

    /// Lets time pass.
    pub fn advance(&mut self, millis: u64) -> &mut Self {
        self.now = self.now.plus(millis);
        self
    }

    /// Applies an event; what was said is delivered at once.
    pub fn apply(&mut self, event: &Event) -> &mut Self {
        let done = step(&self.state, event, self.now);
        self.state = done.state.clone();
        self.remarks.extend(done.notes.iter().cloned());
        self.last_step = Some(done);
        self.deliver();
        self
    }

    /// The remarks of the last event.
    pub fn notes(&self) -> &[crate::note::Note] {
        self.last_step
            .as_ref()
            .map(|step| step.notes.as_slice())
            .unwrap_or_default()
    }

    /// What the last event took out of the outbox.
    pub fn dropped(&self) -> &[EffectId] {
        self.last_step
            .as_ref()
            .map(|step| step.dropped.as_slice())
            .unwrap_or_default()
    }

    fn answer(&mut self, event: &Event) {
        let done = step(&self.state, event, self.now);
        self.remarks.extend(done.notes);
        self.state = done.state;
    }

    fn deliver(&mut self) {
        let pending: Vec<(EffectId, Effect)> = self
            .state
            .outbox
            .effects
            .iter()
            .filter(|(_, e)| self.state.may_do(e))
            .map(|(id, e)| (id.clone(), e.clone()))
            .collect();
        for (effect, asked) in pending {
            let event = match asked {
                Effect::Post(_) if self.refuses_posts.is_some() => {
                    let message = self.refuses_posts.unwrap_or_default().to_owned();
                    Event::PostRefused(PostRefused {
                        effect,
                        message,
                        account: self.refusing_account.clone(),
                    })
                }
                Effect::Post(PostEffect { post }) => {
                    let is_reply = matches!(
                        post.content,
                        PostContent::Reply { .. } | PostContent::Addition { .. }
                    );
                    let refused = self.locked && is_reply;
                    let delivery = if refused {
                        let message = "locked".into();
                        crate::event::Delivery::Undeliverable { message }
                    } else {
                        crate::event::Delivery::Confirmed { remote_id: 900 }
                    };
                    self.spoken_by.push(post.by);
                    self.posts.push(post.content);
                    Event::answered(effect, Delivered { delivery })
                }
                Effect::LoadConfig(LoadConfigEffect { commit }) => Event::answered(
                    effect,
                    ConfigLoaded {
                        commit,
                        policy: Box::new(self.state.run.configuration.policy.clone()),
                        without_effect: BTreeSet::new(),
                    },
                ),
                Effect::ResolveThread(_) => {
                    Event::answered(effect, ThreadResolved { refused: None })
                }
                Effect::RerunChecks(RerunChecksEffect { checks }) => {
                    self.rerun.extend(checks.iter().map(|run| run.id));
                    let refuse = |run: &CheckRun| (run.id, "no right".to_owned());
                    let refused = checks.iter().filter(|_| self.refuses_reruns);
                    let refused = refused.map(refuse).collect();
                    Event::answered(effect, ChecksRerun { refused })
                }
                Effect::CheckRights(CheckRightsEffect { needed }) => {
                    self.rights_asked.push(needed);
                    Event::answered(effect, self.rights_answer())
                }
                Effect::CleanUp => Event::answered(effect, Outcome::CleanedUp),
                Effect::Remember(RememberEffect { entry }) => {
                    self.remembered.push(*entry);
                    Event::answered(effect, Outcome::Remembered)
                }
                Effect::Review(_)
                | Effect::Fix(_)
                | Effect::Verify(_)
                | Effect::MergeBase(_)
                | Effect::Push(_)
                | Effect::ReadRemoteHead(_) => continue,
            };
            self.answer(&event);
        }
    }

    /// Reads the pull request as it stands.
    pub fn poll(&mut self) -> &mut Self {
        self.snapshot.read_at = self.now;
        let snapshot = Box::new(self.snapshot.clone());
        self.apply(&Event::Observed(Observed {
            snapshot: snapshot.clone(),
            throttle: None,
        }));
        // What a reading asked to have read at once.
        for _ in 0..4 {
            if self
                .state
                .run
                .polling
                .next_at
                .is_some_and(|at| at <= self.now)
            {
                self.apply(&Event::Observed(Observed {
                    snapshot: snapshot.clone(),
                    throttle: None,
                }));
            }
        }
        self
    }

    /// The first effect of a sort, with its id.
    pub fn find_effect(&self, is: impl Fn(&Effect) -> bool) -> Option<(EffectId, Effect)> {
        let mut all = self.state.outbox.effects.iter();
        all.find(|(_, effect)| is(effect))
            .map(|(id, effect)| (id.clone(), effect.clone()))
    }

    /// Answers the review that is asked for, and looks.
    pub fn finish_review(&mut self, findings: &[Finding]) -> &mut Self {
        self.finish_review_withdrawing(findings, &[])
    }

    /// The same, and takes back some of what was found before.
    pub fn finish_review_withdrawing(
        &mut self,
        findings: &[Finding],
        withdrawn: &[Finding],
    ) -> &mut Self {
        self.finish_review_with(findings, withdrawn, &[])
    }

    /// The same by a reviewer that was not shown everything.
    pub fn finish_review_unseen(
        &mut self,
        findings: &[Finding],
        unseen: &[UnseenFile],
    ) -> &mut Self {
        self.finish_review_with(findings, &[], unseen)
    }

    fn finish_review_with(
        &mut self,
        findings: &[Finding],
        withdrawn: &[Finding],
        unseen: &[UnseenFile],
    ) -> &mut Self {
        self.finish_review_as(findings, |finished| {
            let withdrawn = crate::identity::fingerprints(withdrawn);
            finished.withdrawn = withdrawn.into_iter().collect();
            finished.unseen = unseen.to_vec();
        })
    }

    /// The same with more in the answer.
    pub fn finish_review_as(
        &mut self,
        findings: &[Finding],
        edit: impl FnOnce(&mut ReviewFinished),
    ) -> &mut Self {
        let (effect, asked) = self
            .find_effect(|e| matches!(e, Effect::Review(_)))
            .expect("a review is asked for");
        let Effect::Review(ReviewEffect { head, reviewer, .. }) = asked else {
            unreachable!()
        };
        let result = ReviewerResult {
            agent: reviewer.name,
            pr_number: 7,
            conclusion: Conclusion::Approve,
            issues: IssueCounts::default(),
            findings: findings.to_vec(),
            full_report: String::new(),
            escalations: Vec::new(),
        };
        let mut finished = ReviewFinished {
            head,
            result: Box::new(result),
            fingerprints: crate::identity::fingerprints(findings),
            in_diff: findings.iter().map(|f| f.id.clone()).collect(),
            introduced_by_fix: BTreeSet::new(),
            usage: Usage::default(),
            prompt_hash: None,
            withdrawn: BTreeSet::new(),
            not_rechecked: Default::default(),
            upheld: BTreeMap::new(),
            replacements: BTreeMap::new(),
            covered: BTreeSet::new(),
            covered_by: BTreeMap::new(),
            session: None,
            unseen: Vec::new(),
            second_looks: BTreeMap::new(),
        };
        edit(&mut finished);
        self.apply(&Event::answered(effect, finished));
        self.poll()
    }

    /// Answers the fix that is asked for: everything fixed in `commit`, or rejected without one. Then looks.
    pub fn finish_fix(&mut self, commit: Option<char>) -> &mut Self {
        self.finish_fix_with(commit, Verification::Done)
    }

    /// The same, and says what became of the verify commands.
    pub fn finish_fix_with(
        &mut self,
        commit: Option<char>,
        verification: Verification,
    ) -> &mut Self {
        let (effect, asked) = self
            .find_effect(|e| matches!(e, Effect::Fix(_)))
            .expect("a fix is asked for");
        let Effect::Fix(FixEffect { payload, .. }) = asked else {
            unreachable!()
        };
        let ids = payload.issues_to_fix.iter().map(|f| f.id.clone());
        let (mut fixed_issues, mut rejected_issues) = (Vec::new(), Vec::new());
        for finding_id in ids {
            if commit.is_some() {
                let (commit_sha, description) = (String::new(), "done".into());
                fixed_issues.push(FixedIssue {
                    finding_id,
                    commit_sha,
                    description,
                });
            } else {
                rejected_issues.push(RejectedIssue {
                    finding_id,
                    reason: "no".into(),
                });
            }
        }
        let result = FixResult {
            agent: crate::step::RULES_FIXER.into(),
            pr_number: 7,
            summary: FixSummary::default(),
            fixed_issues,
            rejected_issues,
            commits: Vec::new(),
        };
        let result = result
            .validated(&payload)
            .expect("the answer fits the question");
        self.apply(&Event::answered(
            effect,
            FixFinished {
                commit: commit.map(sha),
                result: Box::new(result),
                oscillates: false,
                usage: Usage::default(),
                session: None,
                verification,
                refused_hosts: Default::default(),
                files: vec!["a.py".into()],
            },
        ));
        self.poll()
    }

    /// Answers the verification that is asked for, and looks.
    pub fn finish_verify(&mut self, commit: Option<char>, verification: Verification) -> &mut Self {
        let (effect, _) = self
            .find_effect(|e| matches!(e, Effect::Verify(_)))
            .expect("a verification is asked for");
        let commit = commit.map(sha);
        let verified = FixVerified {
            commit,
            verification,
            refused_hosts: Default::default(),
        };
        self.apply(&Event::answered(effect, verified));
        self.poll()
    }

    /// The user decides something about the repository; then looks.
    pub fn decide_trust(&mut self, decision: TrustDecision) -> &mut Self {
        let mut trust = Box::new(self.state.trust.clone());
        trust.decide(&decision);
        self.apply(&Event::TrustChanged(TrustChanged { trust }));
        self.poll()
    }

    /// The pull request comes from a fork of mallory's.
    pub fn open_from_fork(&mut self) -> &mut Self {
        self.snapshot.author = Some(actor(66, "mallory", false));
        self.snapshot.head_repo = RepoName::parse("mallory/api").ok();
        self
    }

    /// Answers the push that is asked for, moves the pull request's head, and looks.
    pub fn finish_push(&mut self) -> &mut Self {
        let (effect, asked) = self
            .find_effect(|e| matches!(e, Effect::Push(_)))
            .expect("a push is asked for");
        let Effect::Push(PushEffect { commit, .. }) = asked else {
            unreachable!()
        };
        self.apply(&Event::answered(
            effect,
            Pushed {
                commit: commit.clone(),
            },
        ));
        self.snapshot.head = commit;
        self.poll()
    }

    /// How many posts of a sort were made.
    pub fn count_posts(&self, is: impl Fn(&PostContent) -> bool) -> usize {
        self.posts.iter().filter(|content| is(content)).count()
    }
}
