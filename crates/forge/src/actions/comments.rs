//! Comments on the conversation.

use crate::Forge;
use crate::clock::now;
use crate::error::ForgeError;
use crate::model::{Account, IssueComment, ReactionSubject, RepoName, RepoState};

use super::{remove_reactions, require_unlocked, require_visible, touch};

/// The longest body that GitHub takes, in characters.
pub(crate) const MAX_BODY_CHARS: usize = 65_536;

/// Refuses an empty or too long body.
pub(crate) fn check_body(resource: &str, body: &str) -> Result<(), ForgeError> {
    if body.trim().is_empty() {
        return Err(ForgeError::invalid(resource, "body", "missing_field"));
    }
    check_length(resource, body)
}

/// Refuses a too long body.
pub(crate) fn check_length(resource: &str, body: &str) -> Result<(), ForgeError> {
    if body.chars().count() > MAX_BODY_CHARS {
        return Err(ForgeError::custom_validation(
            resource,
            "body",
            format!("body is too long (maximum is {MAX_BODY_CHARS} characters)"),
        ));
    }
    Ok(())
}

/// Adds a comment; anyone who sees the repository may, unless the conversation is locked.
pub(crate) fn add(
    forge: &Forge,
    viewer: &Account,
    repo: &RepoName,
    number: u64,
    body: &str,
) -> Result<IssueComment, ForgeError> {
    forge.change(repo, |state| {
        require_visible(state, viewer)?;
        require_unlocked(state, number, viewer)?;
        check_body("IssueComment", body)?;
        let at = now();
        let comment = IssueComment {
            id: forge.next_id(),
            number,
            author: viewer.id,
            body: body.to_owned(),
            created_at: at,
            updated_at: at,
            minimized: None,
        };
        state.issue_comments.insert(comment.clone());
        touch(state, number);
        Ok(comment)
    })
}

/// Changes the text of a comment; its author and those with a role may.
pub(crate) fn edit(
    forge: &Forge,
    viewer: &Account,
    repo: &RepoName,
    id: u64,
    body: &str,
) -> Result<IssueComment, ForgeError> {
    forge.change(repo, |state| {
        require_own(state, viewer, id)?;
        check_body("IssueComment", body)?;
        let comment = state
            .issue_comments
            .get_mut(id)
            .ok_or_else(ForgeError::not_found)?;
        body.clone_into(&mut comment.body);
        comment.updated_at = now();
        let comment = comment.clone();
        touch(state, comment.number);
        Ok(comment)
    })
}

/// Deletes a comment; its author and those with a role may.
pub(crate) fn delete(
    forge: &Forge,
    viewer: &Account,
    repo: &RepoName,
    id: u64,
) -> Result<(), ForgeError> {
    forge.change(repo, |state| {
        let number = require_own(state, viewer, id)?;
        state.issue_comments.remove(id);
        remove_reactions(state, ReactionSubject::IssueComment(id));
        touch(state, number);
        Ok(())
    })
}

fn require_own(state: &RepoState, viewer: &Account, id: u64) -> Result<u64, ForgeError> {
    require_visible(state, viewer)?;
    let comment = state
        .issue_comments
        .get(id)
        .ok_or_else(ForgeError::not_found)?;
    if comment.author == viewer.id || state.meta.role(viewer.id).may_write() {
        Ok(comment.number)
    } else {
        Err(ForgeError::refused(
            403,
            "Must have admin rights to Repository.",
        ))
    }
}
