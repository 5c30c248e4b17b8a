//! What was tried on a reviewer's findings: it judges what stands by that, too (§6.1).

use super::Panel;
use collie_agents::prompting::EarlierFix;
use collie_core::finding::SourceType;
use collie_engine::ports::{GitError, ReviewRequest};

/// Of one fix as much is read.
const MAX_PATCH_BYTES: usize = 16 << 10;

impl Panel {
    /// The patches of commits that were said to fix this reviewer's findings, the oldest first. A commit that is gone from the clone tells
    /// nothing.
    pub(super) async fn earlier_fixes(
        &self,
        request: &ReviewRequest,
    ) -> Result<Vec<EarlierFix>, GitError> {
        let name = &request.reviewer.name;
        let own = request.known_findings.iter().filter(|known| {
            let source = &known.finding.source;
            source.kind == SourceType::Agent && source.name == *name
        });
        let mut fixes = Vec::new();
        for (known, commit) in own.flat_map(|k| k.fixed_in.iter().map(move |commit| (k, commit))) {
            let tree = &request.worktree;
            let patch = self.git.patch_of(tree, commit, MAX_PATCH_BYTES).await?;
            fixes.extend(patch.map(|patch| EarlierFix {
                fingerprint: known.fingerprint.clone(),
                patch,
            }));
        }
        Ok(fixes)
    }
}
