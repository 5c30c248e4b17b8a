//! Merge: taken up here and nowhere else (§11).

use collie_app::backend::Backend;
use collie_app::clock::SystemClock;
use collie_core::error_code::ErrorCode;
use collie_core::ids::{PullName, Sha, Time};
use collie_core::merge_method::MergeMethod;
use collie_core::user_error::UserError;
use collie_github::{GitHubConfig, TokenSource};
use collie_merge::{ConfirmedMerge, HumanConsent, MergeGate};
use collie_wire::rpc::MergedView;
use std::sync::Arc;

/// Merges what the person confirmed in the dialog with a click, which is what sends this command; `at` is when it came.
///
/// # Errors
/// Why it was not merged, and what can be done.
pub async fn merge(
    backend: &Backend,
    pull: PullName,
    head: Sha,
    method: MergeMethod,
    at: Time,
) -> Result<MergedView, UserError> {
    let Some(context) = backend.merge_context(&pull) else {
        return Err(UserError::new(ErrorCode::NoLoop).with("pull", pull));
    };
    let consent = HumanConsent::given_by_a_click_in_the_merge_dialog(ConfirmedMerge {
        id: context.state.id.clone(),
        pull: pull.clone(),
        head,
        method,
        login: context.login,
        at,
    });
    let config = GitHubConfig::new(context.api_url, TokenSource::Given(context.token));
    let gate = MergeGate::new(&config, Arc::new(SystemClock), Arc::new(context.journal)).map_err(
        |error| UserError::new(ErrorCode::NoConnection).with_arg("cause", UserError::from(error)),
    )?;
    let merged = gate.merge(&context.state, consent).await;
    // Merged or refused: GitHub knows something that the loop has not seen yet.
    backend.look_now(&pull);
    merged
        .map(|merged| MergedView {
            sha: merged.commit.map(|sha| sha.as_str().to_owned()),
            by: merged.by.to_string(),
        })
        .map_err(|error| UserError::from(&error))
}
