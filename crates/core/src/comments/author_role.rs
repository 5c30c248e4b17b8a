//! Whose words are whose (§7.1).

use crate::bots;
use crate::loop_state::LoopState;
use crate::snapshot::{Actor, Snapshot};
use crate::text::trailing_token;

/// Whose word it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AuthorRole {
    /// Collie's own: token at the end of the body, by the posting account's id.
    Own,
    /// A person with write access, or an allowed one.
    Trusted,
    /// A bot known by its account that reviews.
    Bot,
    /// Anybody else.
    Outsider,
}

/// Tells whose a body is.
pub fn author_role(
    state: &LoopState,
    snapshot: &Snapshot,
    author: Option<&Actor>,
    body: &str,
) -> AuthorRole {
    let Some(author) = author else {
        return AuthorRole::Outsider;
    };
    if author.id == snapshot.viewer.id && trailing_token(body).is_some() {
        return AuthorRole::Own;
    }
    let policy = &state.run.configuration.policy;
    if let Some(bot) = bots::find_bot(policy, author) {
        return if bot.reviews {
            AuthorRole::Bot
        } else {
            AuthorRole::Outsider
        };
    }
    if author.is_bot {
        return AuthorRole::Outsider;
    }
    let allowed = policy.allowed_users.contains(&author.login) && snapshot.is_pinned(author);
    if allowed || snapshot.may_write(author.id) {
        AuthorRole::Trusted
    } else {
        AuthorRole::Outsider
    }
}
