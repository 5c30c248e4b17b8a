//! What is asked of one review.

use crate::command_account::CommandBook;
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
    /// Where it counts what it spends.
    pub payer: ReviewPayer,
}

/// Where a review counts what it spends, and whose limits hold (§15).
#[derive(Clone, Debug)]
pub enum ReviewPayer {
    /// In the journal of its data folder, as the pull request that it is.
    DataFolder,
    /// In this one, as no pull request on any host: a case of an evaluation.
    Book(CommandBook),
    /// Nowhere: it costs nothing.
    Nobody,
}
