//! The account of its own that an author's agent commits and pushes as (§18.2).

use crate::effect_host::EffectHost;
use crate::ports::GitError;
use crate::post::report_refusal;
use collie_core::event::PostRefused;
use collie_core::ids::{EffectId, Login};
use collie_core::loop_state::LoopState;

/// The account of its own that commits, where the author's agent has one.
pub(crate) fn committer(state: &LoopState) -> Option<(String, Login)> {
    let login = state.author_account()?;
    Some((state.id.host.clone(), login))
}

/// Where a push failed for its account, says which and why; none once the loop is gone.
pub(crate) fn report_account(
    host: &dyn EffectHost,
    state: &LoopState,
    effect: &EffectId,
    error: &GitError,
) -> Option<()> {
    if let GitError::Account { trouble } = error {
        let refused = PostRefused {
            effect: effect.clone(),
            message: String::new(),
            account: Some(trouble.clone()),
        };
        let now = host.state(&state.id)?;
        report_refusal(host, &now, refused);
    }
    Some(())
}
