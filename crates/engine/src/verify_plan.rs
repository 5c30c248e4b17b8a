//! The verify commands of a repository (§6.3e).

use crate::effect_host::EffectHost;
use crate::ports::{GitError, VerifyPlan};
use crate::repository_files::config_file;
use collie_core::loop_state::LoopState;

/// All of them as its default branch and the user have them; which may run is asked right before they do.
pub(crate) async fn verify_plan(
    host: &dyn EffectHost,
    state: &LoopState,
) -> Result<VerifyPlan, GitError> {
    let file = config_file(host, state, state.run.configuration.commit.as_ref()).await?;
    let source = &host.ports().policy_source;
    let mut plan = source.verify_plan(&state.pull.repo, file.as_deref());
    // The setting is for the work of collaborators; an outsider's that was allowed to be fixed still runs in the sandbox.
    plan.unsandboxed &= state.run.head.author_may_write;
    Ok(plan)
}
