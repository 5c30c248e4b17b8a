//! Check runs that an app reports itself, as CI services and bots do.

use jiff::Timestamp;

use crate::Forge;
use crate::clock::now;
use crate::error::ForgeError;
use crate::model::{
    Account, AccountKind, Annotation, CheckRun, CheckStatus, Conclusion, PullState, RepoName,
    RepoState, Sha,
};

use super::{require_unarchived, require_visible};

/// GitHub takes no more annotations in one request.
const MAX_ANNOTATIONS: usize = 50;

/// What an app says of a check run; `None` leaves things as they are.
#[derive(Debug, Clone, Default)]
pub(crate) struct CheckRunReport {
    pub(crate) name: Option<String>,
    pub(crate) status: Option<CheckStatus>,
    pub(crate) conclusion: Option<Conclusion>,
    pub(crate) started_at: Option<Timestamp>,
    pub(crate) completed_at: Option<Timestamp>,
    pub(crate) title: Option<String>,
    pub(crate) summary: Option<String>,
    /// They are added to those that are there.
    pub(crate) annotations: Vec<Annotation>,
}

fn require_app(state: &RepoState, viewer: &Account) -> Result<(), ForgeError> {
    require_visible(state, viewer)?;
    require_unarchived(state)?;
    if viewer.kind == AccountKind::Bot {
        return Ok(());
    }
    let message = "You must authenticate via a GitHub App.";
    Err(ForgeError::refused(403, message))
}

/// Begins a check run on a commit, which is there.
pub(crate) fn create(
    forge: &Forge,
    viewer: &Account,
    repo: &RepoName,
    head: &Sha,
    report: CheckRunReport,
) -> Result<CheckRun, ForgeError> {
    let missing = || ForgeError::invalid("CheckRun", "name", "missing_field");
    let name = report.name.clone().ok_or_else(missing)?;
    forge.change(repo, |state| {
        require_app(state, viewer)?;
        let own = |r: &&CheckRun| r.head_sha == *head && r.app == viewer.id;
        let suite = state.check_runs.iter().find(own).map(|r| r.suite_id);
        let of_head =
            |p: &&crate::model::PullRequest| p.head_sha == *head && p.state == PullState::Open;
        let pull = state.pulls.iter().find(of_head).map(|p| p.number);
        let mut run = CheckRun {
            id: forge.next_id(),
            suite_id: suite.unwrap_or_else(|| forge.next_id()),
            name,
            head_sha: head.clone(),
            number: pull.unwrap_or_default(),
            app: viewer.id,
            command: String::new(),
            timeout_secs: 0,
            status: CheckStatus::Queued,
            conclusion: None,
            created_at: now(),
            started_at: None,
            completed_at: None,
            title: None,
            summary: None,
            annotations: Vec::new(),
            workflow: None,
        };
        apply_report(&mut run, report)?;
        state.check_runs.insert(run.clone());
        Ok(run)
    })
}

/// Changes a check run; only the app that made it may.
pub(crate) fn update(
    forge: &Forge,
    viewer: &Account,
    repo: &RepoName,
    id: u64,
    report: CheckRunReport,
) -> Result<CheckRun, ForgeError> {
    forge.change(repo, |state| {
        require_app(state, viewer)?;
        let run = (state.check_runs.get_mut(id)).ok_or_else(ForgeError::not_found)?;
        if run.app != viewer.id {
            let message = format!("Invalid app_id `{}` - check run can only be modified by the GitHub App that created it.", viewer.id.0);
            return Err(ForgeError::refused(403, message));
        }
        apply_report(run, report)?;
        Ok(run.clone())
    })
}

fn apply_report(run: &mut CheckRun, report: CheckRunReport) -> Result<(), ForgeError> {
    if report.annotations.len() > MAX_ANNOTATIONS {
        return Err(ForgeError::invalid("CheckRun", "annotations", "invalid"));
    }
    // Who names a conclusion says that the run is over.
    let done = report.conclusion.map(|_| CheckStatus::Completed);
    let status = done.or(report.status).unwrap_or(run.status);
    if status == CheckStatus::Completed && report.conclusion.or(run.conclusion).is_none() {
        return Err(ForgeError::invalid(
            "CheckRun",
            "conclusion",
            "missing_field",
        ));
    }
    run.status = status;
    run.name = report.name.unwrap_or_else(|| run.name.clone());
    let begun = (status != CheckStatus::Queued).then(now);
    run.started_at = report.started_at.or(run.started_at).or(begun);
    if status == CheckStatus::Completed {
        run.conclusion = report.conclusion.or(run.conclusion);
        run.completed_at = report
            .completed_at
            .or(run.completed_at)
            .or_else(|| Some(now()));
    } else {
        run.conclusion = None;
        run.completed_at = None;
    }
    run.title = report.title.or_else(|| run.title.clone());
    run.summary = report.summary.or_else(|| run.summary.clone());
    run.annotations.extend(report.annotations);
    Ok(())
}
