//! Why a check failed (§3.3).

use serde::{Deserialize, Serialize};
use strum::IntoStaticStr;

/// Why a check failed.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, IntoStaticStr,
)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum FailureCause {
    /// It fails on the base too.
    BaseBroken,
    /// The runner was lost, timed out or was cancelled, or the job did not start.
    Infrastructure,
    /// It was red and green on this very commit.
    Flaky,
    /// The change.
    Regression,
}

impl FailureCause {
    /// Whether running it once more may turn it green as it is.
    pub(crate) fn is_worth_rerun(self) -> bool {
        match self {
            FailureCause::Infrastructure | FailureCause::Flaky => true,
            FailureCause::BaseBroken | FailureCause::Regression => false,
        }
    }
}
