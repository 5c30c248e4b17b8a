//! How a pull request goes into its base (§11).

use serde::{Deserialize, Serialize};

/// How a pull request is merged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum MergeMethod {
    /// A merge commit.
    Merge,
    /// One commit of all.
    Squash,
    /// Every commit anew on top of the base.
    Rebase,
}

impl MergeMethod {
    /// GitHub's word for it in a REST request, `merge_method`.
    pub fn as_str(self) -> &'static str {
        match self {
            MergeMethod::Merge => "merge",
            MergeMethod::Squash => "squash",
            MergeMethod::Rebase => "rebase",
        }
    }
}
