//! What is asked of one review.

use collie_core::ids::PullName;

/// What is asked.
#[derive(Clone, Debug)]
pub struct ReviewOptions {
    /// Of which pull request.
    pub pull: PullName,
    /// Nothing is written on GitHub, nor anybody asked whether it may be.
    pub dry_run: bool,
    /// The model was named for this review: it reads whatever the configuration has personas run on.
    pub prefer_model: bool,
}
