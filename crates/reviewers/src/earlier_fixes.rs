//! What was tried on a reviewer's findings: it judges what stands by that, too (§6.1).

use super::Panel;
use collie_agents::prompting::EarlierFix;
use collie_core::finding::SourceType;
use collie_core::ids::Sha;
use collie_core::tracked_finding::TrackedFinding;
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
        // Collected first: held over the readings, the compiler could not see of these closures that they may go to another thread.
        let tried: Vec<(&TrackedFinding, &Sha)> = own
            .flat_map(|known| known.fixed_in.iter().map(move |commit| (known, commit)))
            .collect();
        let mut fixes = Vec::new();
        for (known, commit) in tried {
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
