//! Opening and changing issues.

use crate::Forge;
use crate::clock::now;
use crate::error::ForgeError;
use crate::model::{Account, EventKind, Issue, IssueState, RepoName};

use super::comments::check_length;
use super::{events, labels, require_unarchived, require_visible};

/// Changes to an issue; `None` leaves things as they are.
#[derive(Debug, Clone, Default)]
pub(crate) struct IssueEdit {
    pub(crate) title: Option<String>,
    pub(crate) body: Option<Option<String>>,
    pub(crate) state: Option<IssueState>,
}

/// Opens an issue; anyone who sees the repository may. Labels of those who cannot write are left out, as on GitHub.
pub(crate) fn open(
    forge: &Forge,
    viewer: &Account,
    repo: &RepoName,
    title: &str,
    body: Option<String>,
    names: &[String],
) -> Result<Issue, ForgeError> {
    check_title(title)?;
    check_length("Issue", body.as_deref().unwrap_or_default())?;
    let (issue, writes) = forge.change(repo, |state| {
        require_visible(state, viewer)?;
        require_unarchived(state)?;
        let at = now();
        let issue = Issue {
            id: forge.next_id(),
            number: state.meta.next_number,
            title: title.to_owned(),
            body: body.filter(|text| !text.is_empty()),
            author: viewer.id,
            state: IssueState::Open,
            locked: false,
            labels: Default::default(),
            assignees: Vec::new(),
            created_at: at,
            updated_at: at,
            closed_at: None,
            closed_by: None,
        };
        state.meta.edit().next_number += 1;
        state.issues.insert(issue.clone());
        Ok((issue, state.meta.role(viewer.id).may_write()))
    })?;
    if writes && !names.is_empty() {
        labels::add(forge, viewer, repo, issue.number, names, false)?;
    }
    Ok(issue)
}

/// Changes an issue; its author and those with a role may.
pub(crate) fn edit(
    forge: &Forge,
    viewer: &Account,
    repo: &RepoName,
    number: u64,
    edit: IssueEdit,
) -> Result<(), ForgeError> {
    if let Some(title) = &edit.title {
        check_title(title)?;
    }
    forge.change(repo, |state| {
        require_visible(state, viewer)?;
        let writes = state.meta.role(viewer.id).may_write();
        let issue = state
            .issues
            .get_mut(number)
            .ok_or_else(ForgeError::not_found)?;
        if issue.author != viewer.id && !writes {
            return Err(ForgeError::refused(
                403,
                "Must have admin rights to Repository.",
            ));
        }
        issue.updated_at = now();
        let mut done = Vec::new();
        if let Some(to) = edit.title.filter(|title| *title != issue.title) {
            let from = std::mem::replace(&mut issue.title, to.clone());
            done.push(EventKind::Renamed { from, to });
        }
        if let Some(body) = edit.body {
            issue.body = body.filter(|text| !text.is_empty());
        }
        if let Some(to) = edit.state {
            let closed = to != IssueState::Open;
            if closed != (issue.state != IssueState::Open) {
                let kind = if closed {
                    EventKind::Closed
                } else {
                    EventKind::Reopened
                };
                done.push(kind);
            }
            issue.closed_at = closed.then_some(issue.updated_at);
            issue.closed_by = closed.then_some(viewer.id);
            issue.state = to;
        }
        for kind in done {
            events::record(state, forge.next_id(), number, viewer.id, kind);
        }
        Ok(())
    })
}

fn check_title(title: &str) -> Result<(), ForgeError> {
    if title.trim().is_empty() {
        return Err(ForgeError::invalid("Issue", "title", "missing_field"));
    }
    if title.chars().count() > 256 {
        let words = "title is too long (maximum is 256 characters)";
        return Err(ForgeError::custom_validation("Issue", "title", words));
    }
    Ok(())
}
