//! What accounts can do, with GitHub's refusals; REST and GraphQL both end here.

pub(crate) mod app_checks;
pub(crate) mod assignees;
pub(crate) mod comments;
pub(crate) mod events;
pub(crate) mod forks;
pub(crate) mod issues;
pub(crate) mod labels;
pub(crate) mod merge;
pub(crate) mod merge_queue;
pub(crate) mod pulls;
pub(crate) mod reactions;
pub(crate) mod repo_labels;
pub(crate) mod reviews;
pub(crate) mod threads;

use std::collections::BTreeSet;

use crate::error::ForgeError;
use crate::model::{Account, PullRequest, ReactionSubject, RepoState};

/// Fails with 404 unless the account may see the repository.
pub(crate) fn require_visible(state: &RepoState, viewer: &Account) -> Result<(), ForgeError> {
    if state.meta.visible_to(viewer) {
        Ok(())
    } else {
        Err(ForgeError::not_found())
    }
}

/// Fails with 404 where the account cannot see the repository, and 403 where it cannot write.
pub(crate) fn require_write(state: &RepoState, viewer: &Account) -> Result<(), ForgeError> {
    require_visible(state, viewer)?;
    require_unarchived(state)?;
    if state.meta.role(viewer.id).may_write() {
        Ok(())
    } else {
        Err(ForgeError::refused(
            403,
            "Must have push access to the repository.",
        ))
    }
}

/// The pull request, or 404.
pub(crate) fn pull(state: &RepoState, number: u64) -> Result<&PullRequest, ForgeError> {
    state.pulls.get(number).ok_or_else(ForgeError::not_found)
}

/// The pull request to change, or 404.
pub(crate) fn pull_mut(state: &mut RepoState, number: u64) -> Result<&mut PullRequest, ForgeError> {
    state
        .pulls
        .get_mut(number)
        .ok_or_else(ForgeError::not_found)
}

/// Marks an issue or pull request as changed now.
pub(crate) fn touch(state: &mut RepoState, number: u64) {
    if let Some(pull) = state.pulls.get_mut(number) {
        pull.updated_at = crate::clock::now();
    }
    if let Some(issue) = state.issues.get_mut(number) {
        issue.updated_at = crate::clock::now();
    }
}

/// The labels of an issue or pull request to change, or 404.
pub(crate) fn labels_mut(
    state: &mut RepoState,
    number: u64,
) -> Result<&mut BTreeSet<String>, ForgeError> {
    let issue = state.issues.get_mut(number).map(|it| &mut it.labels);
    let pull = state.pulls.get_mut(number).map(|it| &mut it.labels);
    issue.or(pull).ok_or_else(ForgeError::not_found)
}

/// Whether the conversation of an issue or pull request is locked, or 404.
pub(crate) fn is_locked(state: &RepoState, number: u64) -> Result<bool, ForgeError> {
    let issue = state.issues.get(number).map(|it| it.locked);
    let pull = state.pulls.get(number).map(|it| it.locked);
    issue.or(pull).ok_or_else(ForgeError::not_found)
}

/// Fails with 403 where nothing can be changed any more.
pub(crate) fn require_unarchived(state: &RepoState) -> Result<(), ForgeError> {
    if state.meta.archived {
        let message = "Repository was archived so is read-only.";
        return Err(ForgeError::refused(403, message));
    }
    Ok(())
}

/// Fails with 403 where an archived repository or a locked conversation keeps the account out.
pub(crate) fn require_unlocked(
    state: &RepoState,
    number: u64,
    viewer: &Account,
) -> Result<(), ForgeError> {
    require_unarchived(state)?;
    if is_locked(state, number)? && !state.meta.role(viewer.id).may_write() {
        return Err(ForgeError::refused(
            403,
            "Unable to create comment because issue is locked.",
        ));
    }
    Ok(())
}

/// Removes what was reacted to a subject that is gone.
pub(crate) fn remove_reactions(state: &mut RepoState, subject: ReactionSubject) {
    let of = state.reactions.iter().filter(|r| r.subject == subject);
    let ids: Vec<u64> = of.map(|r| r.id).collect();
    for id in ids {
        state.reactions.remove(id);
    }
}
