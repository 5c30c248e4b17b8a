//! What people made of the findings of earlier reviews, written down for this one and later ones.

use super::context::ReviewContext;
use super::run_reviewers::remote_of;
use crate::engine_client::journal::review_memory;
use collie_core::ids::Sha;
use collie_core::loop_state::LoopState;
use collie_core::review_memory::MemoryEntry;
use collie_core::step::thread_dismissals;
use collie_engine::ports::{Git, GitError, MemoryKey, ReviewMemory as _, WorktreePurpose};
use std::collections::{BTreeMap, BTreeSet};

/// Remembers the findings whose threads people closed with a reason while the file stayed as it was.
///
/// What cannot be found out or written down is logged: no review fails for it.
pub(super) async fn remember_dismissals(context: &ReviewContext, git: &dyn Git, state: &LoopState) {
    let mut by_head: BTreeMap<Sha, Vec<MemoryEntry>> = BTreeMap::new();
    for dismissal in thread_dismissals(state, &context.snapshot) {
        let entries = by_head.entry(dismissal.reviewed).or_default();
        entries.push(dismissal.entry);
    }
    let key = MemoryKey {
        id: context.pull.id.repository(),
        name: context.name.repo.clone(),
    };
    let memory = review_memory(&context.data);
    for (reviewed, entries) in by_head {
        let changed = match changed_since(context, git, &reviewed).await {
            Ok(Some(changed)) => changed,
            Ok(None) => continue,
            Err(error) => {
                tracing::warn!(%error, %reviewed, "what changed since an earlier review is not known");
                continue;
            }
        };
        let stands = entries
            .iter()
            .filter(|entry| !changed.contains(&entry.file));
        for entry in stands {
            if let Err(error) = memory.record(&key, entry).await {
                tracing::warn!(%error, "what people made of a finding was not written down");
            }
        }
    }
}

/// The files that changed since an earlier head; none where that head is gone.
async fn changed_since(
    context: &ReviewContext,
    git: &dyn Git,
    reviewed: &Sha,
) -> Result<Option<BTreeSet<String>>, GitError> {
    let snapshot = &context.snapshot;
    if *reviewed == snapshot.head {
        return Ok(Some(BTreeSet::new()));
    }
    let worktree = git
        .prepare(
            &context.pull,
            &remote_of(context),
            &snapshot.head,
            &snapshot.base,
            WorktreePurpose::Review("collie"),
        )
        .await?;
    let changed = git.changed_lines_since(&worktree, reviewed).await?;
    Ok(changed.map(|files| files.into_keys().collect()))
}
