//! Reacting, and taking it back.

use crate::Forge;
use crate::clock::now;
use crate::error::ForgeError;
use crate::model::{Account, Reaction, ReactionContent, ReactionSubject, RepoName, RepoState};

use super::{is_locked, require_unlocked, require_visible};

/// Fails with 404 unless the account sees what is reacted to; gives the number of its issue or pull request.
pub(crate) fn require_subject(
    state: &RepoState,
    viewer: &Account,
    subject: ReactionSubject,
) -> Result<u64, ForgeError> {
    require_visible(state, viewer)?;
    let number = match subject {
        ReactionSubject::Issue(number) => Some(number),
        ReactionSubject::IssueComment(id) => state.issue_comments.get(id).map(|c| c.number),
        ReactionSubject::ReviewComment(id) => {
            let comment = state.review_comments.get(id);
            let seen = comment.filter(|c| state.is_comment_visible(c, viewer.id));
            seen.map(|c| c.number)
        }
    };
    let number = number.ok_or_else(ForgeError::not_found)?;
    is_locked(state, number).map(|_| number)
}

/// Reacts; gives the reaction, and whether it is new.
pub(crate) fn add(
    forge: &Forge,
    viewer: &Account,
    repo: &RepoName,
    subject: ReactionSubject,
    content: ReactionContent,
) -> Result<(Reaction, bool), ForgeError> {
    forge.change(repo, |state| {
        let number = require_subject(state, viewer, subject)?;
        require_unlocked(state, number, viewer)?;
        let same =
            |r: &&Reaction| r.subject == subject && r.author == viewer.id && r.content == content;
        if let Some(found) = state.reactions.iter().find(same) {
            return Ok((found.clone(), false));
        }
        let reaction = Reaction {
            id: forge.next_id(),
            subject,
            author: viewer.id,
            content,
            created_at: now(),
        };
        state.reactions.insert(reaction.clone());
        Ok((reaction, true))
    })
}

/// Takes a reaction back; only who reacted may.
pub(crate) fn remove(
    forge: &Forge,
    viewer: &Account,
    repo: &RepoName,
    subject: ReactionSubject,
    id: u64,
) -> Result<(), ForgeError> {
    forge.change(repo, |state| {
        require_subject(state, viewer, subject)?;
        let reaction = state.reactions.get(id).filter(|r| r.subject == subject);
        let author = reaction.ok_or_else(ForgeError::not_found)?.author;
        if author != viewer.id {
            return Err(ForgeError::refused(403, "Forbidden"));
        }
        state.reactions.remove(id);
        Ok(())
    })
}
