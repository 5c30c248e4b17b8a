//! What came of a merge that was done.

use collie_core::ids::{Login, PullName, Sha, Time};
use collie_core::merge_method::MergeMethod;

/// A merge that was done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompletedMerge {
    /// The pull request.
    pub pull: PullName,
    /// The head that was merged: the one the person saw.
    pub head: Sha,
    /// The commit on the base; none when GitHub did not say.
    pub commit: Option<Sha>,
    /// The account that merged.
    pub by: Login,
    /// When.
    pub at: Time,
    /// How.
    pub method: MergeMethod,
}
