//! Reactions.

use serde_json::{Value, json};

use super::JsonContext;
use crate::clock::format_time;
use crate::model::{Reaction, ReactionContent, ReactionSubject, RepoState};
use crate::node::{NodeKind, node_id_in};

/// GitHub's `reaction`.
pub(crate) fn reaction_json(
    context: JsonContext<'_>,
    state: &RepoState,
    reaction: &Reaction,
) -> Value {
    json!({
        "id": reaction.id,
        "node_id": node_id_in(NodeKind::Reaction, state.meta.id, reaction.id),
        "user": context.account_by_id(reaction.author),
        "content": reaction.content.as_str(),
        "created_at": format_time(reaction.created_at),
    })
}

/// GitHub's `reaction-rollup`: how many there are of each. `url` is the subject's.
pub(crate) fn reactions_json(state: &RepoState, subject: ReactionSubject, url: &str) -> Value {
    let of: Vec<&Reaction> = (state.reactions.iter())
        .filter(|r| r.subject == subject)
        .collect();
    let mut out = json!({"url": format!("{url}/reactions"), "total_count": of.len()});
    for content in ReactionContent::ALL {
        let count = of.iter().filter(|r| r.content == content).count();
        out[content.as_str()] = Value::from(count);
    }
    out
}
