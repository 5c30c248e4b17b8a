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
    if snapshot.may_be_own(author.id) && trailing_token(body).is_some() {
        return AuthorRole::Own;
    }
    if snapshot.is_for_collie_alone(author.id) {
        return AuthorRole::Outsider;
    }
    let policy = &state.run.configuration.policy;
    // Named for Collie, its token not kept (any more): nobody takes its word for a person's.
    if policy.accounts.names(&author.login) {
        return AuthorRole::Outsider;
    }
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
