//! Reviewers that see what is there, miss it, or see what is not; a fixer that mends, refuses, or breaks something else.

use super::git_port::SimulatedGit;
use super::remote::{
    FAULTS, FILE, FIRST_LINE, commit_of, fault_title, line_text, named_fault, number,
};
use super::schedule::{Call, Fault};
use super::stage::Stage;
use async_trait::async_trait;
use collie_core::error_code::ErrorCode;
use collie_core::event::SessionFailure;
use collie_core::finding::{Confidence, Finding, FindingKind, FindingSource, Priority, SourceType};
use collie_core::fix::{FixResult, FixSummary, FixedIssue, RejectedIssue};
use collie_core::review::{Conclusion, IssueCounts, ReviewerResult};
use collie_core::user_error::UserError;
use collie_engine::ports::{
    FixRequest, FixResponse, Fixer, ReviewRequest, ReviewResponse, Reviewers,
};
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// Lines below the faults, of which reviewers imagine things.
const CLEAN_LINES: u32 = 20;

/// Reviewers and the fixer of a stage.
pub struct SimulatedSessions {
    /// The stage.
    pub stage: Arc<Stage>,
    /// Whose worktrees the fixer works in.
    pub git: Arc<SimulatedGit>,
}

fn finding(
    id: usize,
    by: &str,
    title: String,
    line: u32,
    text: String,
    priority: Priority,
) -> Finding {
    Finding {
        id: format!("F-{}", id + 1),
        priority,
        category: "correctness".into(),
        file: FILE.into(),
        line: Some(line),
        title,
        description: "The sum is not the sum".into(),
        suggestion: None,
        source: FindingSource {
            kind: SourceType::Agent,
            name: by.into(),
            review_id: None,
            timestamp: String::new(),
        },
        kind: FindingKind::Error,
        confidence: Confidence::SURE,
        evidence: Some(text),
    }
}

impl SimulatedSessions {
    /// Begins a session: it ends by a fault, by being cancelled, or goes on.
    async fn begin(&self, call: Call, cancel: &CancellationToken) -> Result<(), SessionFailure> {
        let session = self.stage.gate.enter(call);
        let fault = tokio::select! {
            biased;
            () = cancel.cancelled() => return Err(cancelled()),
            fault = session => fault,
        };
        match fault {
            Some(Fault::NotDone) => Err(cancelled()),
            Some(Fault::Refused) => Err(SessionFailure::permanent(UserError::new(
                ErrorCode::SessionPanicked,
            ))),
            Some(Fault::Hangs) => {
                cancel.cancelled().await;
                Err(cancelled())
            }
            #[expect(clippy::panic, reason = "a fault of the program that is asked for")]
            Some(Fault::Panics) => panic!("{}", super::PLANNED_PANIC),
            _ => Ok(()),
        }
    }

    /// Mends what an issue is about, or not: whether it did.
    fn mend(&self, request: &FixRequest, issue: &Finding) -> bool {
        let words = (&issue.title, &issue.description);
        let named = named_fault(&issue.title).or_else(|| named_fault(&issue.description));
        let of_line = issue.line.and_then(|line| line.checked_sub(FIRST_LINE));
        let present = self.git.faults(request.worktree.head());
        // What CI says names no fault: the first one that is there.
        let fault = named.or(of_line).or_else(|| present.first().copied());
        let head = commit_of(request.worktree.head());
        let drawn = ("mends", head, words, request.payload.round);
        let mends = self.stage.schedule.setting.mends;
        let Some(fault) = fault.filter(|_| self.stage.draw.chance(drawn, mends)) else {
            return false;
        };
        self.git.edit(&request.worktree, |faults| {
            faults.remove(&fault);
        });
        true
    }

    fn look(&self, request: &ReviewRequest) -> Vec<Finding> {
        let (draw, setting) = (self.stage.draw, &self.stage.schedule.setting);
        let by = request.reviewer.name.as_str();
        let head = commit_of(request.worktree.head());
        let faults = self.git.faults(request.worktree.head());
        // A reviewer that has seen a fault goes on seeing it.
        let known = |fault: &u32| {
            let title = fault_title(*fault);
            let mut known = request.known_findings.iter();
            known.any(|known| known.finding.title == title)
        };
        let seen = faults
            .iter()
            .filter(|fault| known(fault) || draw.chance(("sees", by, head, **fault), setting.sees));
        let mut findings: Vec<(String, u32, Priority)> = seen
            .map(|fault| {
                let priority = match fault % 5 {
                    0 => Priority::P0,
                    1 | 2 => Priority::P1,
                    3 => Priority::P2,
                    _ => Priority::P3,
                };
                (fault_title(*fault), FIRST_LINE + fault, priority)
            })
            .collect();
        if draw.chance(("imagines", by, head), setting.imagines) {
            let nth = number(draw.below(("what", by, head), u64::from(CLEAN_LINES)));
            let line = FIRST_LINE + FAULTS + nth;
            findings.push((format!("Name {nth} of {head} misleads"), line, Priority::P1));
        }
        let findings = findings.into_iter().enumerate();
        findings
            .map(|(id, (title, line, priority))| {
                finding(id, by, title, line, line_text(&faults, line), priority)
            })
            .collect()
    }
}

fn cancelled() -> SessionFailure {
    SessionFailure::transient(UserError::new(ErrorCode::Cancelled))
}

#[async_trait]
impl Reviewers for SimulatedSessions {
    async fn review(
        &self,
        request: ReviewRequest,
        cancel: &CancellationToken,
    ) -> Result<ReviewResponse, SessionFailure> {
        self.begin(Call::Review, cancel).await?;
        let findings = self.look(&request);
        let lines: Vec<u32> = findings.iter().filter_map(|found| found.line).collect();
        let number = request.worktree.pull().id.number;
        self.stage.log(format!(
            "#{number} {} sees lines {:?} at {}",
            request.reviewer.name,
            lines,
            request.worktree.head().short()
        ));
        let result = ReviewerResult {
            agent: request.reviewer.name.clone(),
            pr_number: number,
            conclusion: Conclusion::Approve,
            issues: IssueCounts::default(),
            findings,
            full_report: String::new(),
            escalations: Vec::new(),
        };
        self.stage.gate.leave().await;
        Ok(result.into())
    }
}

#[async_trait]
impl Fixer for SimulatedSessions {
    async fn fix(
        &self,
        request: FixRequest,
        cancel: &CancellationToken,
    ) -> Result<FixResponse, SessionFailure> {
        self.begin(Call::Fix, cancel).await?;
        let (draw, setting) = (self.stage.draw, &self.stage.schedule.setting);
        let payload = &request.payload;
        let head = commit_of(request.worktree.head());
        let (mut fixed_issues, mut rejected_issues) = (Vec::new(), Vec::new());
        for issue in &payload.issues_to_fix {
            let finding_id = issue.id.clone();
            let drawn = ("lies", head, &issue.title, payload.round);
            match self.mend(&request, issue) || draw.chance(drawn, setting.lies) {
                true => fixed_issues.push(FixedIssue {
                    finding_id,
                    commit_sha: String::new(),
                    description: "It adds now".into(),
                }),
                false => rejected_issues.push(RejectedIssue {
                    finding_id,
                    reason: "It is right as it is".into(),
                }),
            }
        }
        let breaks = draw.chance(("breaks", head, payload.round), setting.breaks);
        if breaks && !fixed_issues.is_empty() {
            let fault = number(draw.below(("breaks what", head), u64::from(FAULTS)));
            self.git.edit(&request.worktree, |faults| {
                faults.insert(fault);
            });
        }
        let number = request.worktree.pull().id.number;
        self.stage.log(format!(
            "#{number} the fixer mends {} and turns {} down",
            fixed_issues.len(),
            rejected_issues.len()
        ));
        let result = FixResult {
            agent: "fixer".into(),
            pr_number: payload.pr_number,
            summary: FixSummary::default(),
            fixed_issues,
            rejected_issues,
            commits: Vec::new(),
        };
        let result = result
            .validated(payload)
            .map_err(SessionFailure::transient)?;
        self.stage.gate.leave().await;
        Ok(FixResponse {
            result,
            session: None,
            independent: false,
        })
    }
}
