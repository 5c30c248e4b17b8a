//! What a person agreed to.

use collie_core::ids::{Login, LoopId, PullName, Sha, Time};
use collie_core::merge_method::MergeMethod;

/// What stood in the dialog when the person clicked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfirmedMerge {
    /// The loop.
    pub id: LoopId,
    /// The pull request, as it was named there.
    pub pull: PullName,
    /// The head that was shown.
    pub head: Sha,
    /// The method that was chosen.
    pub method: MergeMethod,
    /// The account that is signed in: it merges.
    pub login: Login,
    /// When the click came.
    pub at: Time,
}

/// Proof that a person confirmed this very merge.
///
/// It cannot be copied, stored or read from anything, and [`crate::MergeGate::merge`] uses it up: one click merges at most
/// once.
///
/// ```compile_fail
/// fn twice(consent: collie_merge::HumanConsent) -> [collie_merge::HumanConsent; 2] {
///     [consent.clone(), consent]
/// }
/// ```
///
/// ```compile_fail
/// fn read(text: &str) -> collie_merge::HumanConsent {
///     serde_json::from_str(text).expect("it is not Deserialize")
/// }
/// ```
#[derive(Debug)]
#[must_use = "a consent does nothing until the gate takes it"]
pub struct HumanConsent {
    confirmed: ConfirmedMerge,
}

impl HumanConsent {
    /// Records the click on Merge in the confirmation dialog. Call it from the handler of that click and nowhere else.
    pub fn given_by_a_click_in_the_merge_dialog(confirmed: ConfirmedMerge) -> Self {
        Self { confirmed }
    }

    /// What was agreed to.
    pub fn confirmed(&self) -> &ConfirmedMerge {
        &self.confirmed
    }
}
