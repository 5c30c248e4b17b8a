//! What people made of the repository's earlier findings, and what is therefore not raised again.

use super::Panel;
use super::observer::saturating_u32;
use super::review::ReviewSession;
use collie_agents::prompting::{FilteredReview, Material, recount};
use collie_core::ids::RepoName;
use collie_core::review_memory::RepositoryMemory;
use collie_engine::ports::{MemoryKey, ReviewRequest};
use std::collections::BTreeSet;

impl Panel {
    /// What is remembered of the repository and still holds. A file that cannot be understood is named in the log: the review goes without.
    pub(super) async fn recall(
        &self,
        request: &ReviewRequest,
        repo: &RepoName,
    ) -> RepositoryMemory {
        let key = MemoryKey {
            id: request.worktree.pull().id.repository(),
            name: repo.clone(),
        };
        match self.review_memory.read(&key).await {
            Ok(memory) => memory.at(request.now),
            Err(error) => {
                tracing::warn!(%error, "what people made of earlier findings is not known to this review");
                RepositoryMemory::default()
            }
        }
    }
}

impl ReviewSession<'_> {
    /// Takes out what people dismissed twice before, said in other words. A finding that stands from an earlier round stays: it is settled there.
    pub(super) fn silence(&self, filtered: &mut FilteredReview, material: &Material) {
        let known: BTreeSet<&str> = material
            .earlier_findings()
            .map(|tracked| tracked.finding.title.as_str())
            .collect();
        let memory = &material.context.memory;
        let mut silenced = 0;
        filtered.result.findings.retain(|finding| {
            if known.contains(finding.title.as_str()) {
                return true;
            }
            let Some(entries) = memory.silenced_by(finding) else {
                return true;
            };
            let entries: Vec<&str> = entries.iter().map(|entry| entry.id.as_str()).collect();
            tracing::info!(title = %finding.title, ?entries, "a finding is not raised again");
            silenced += 1;
            false
        });
        self.account().silenced += saturating_u32(silenced);
        recount(&mut filtered.result, material.comment_threshold);
    }
}
