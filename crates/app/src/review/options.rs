//! What is asked of one review.

use crate::command_account::CommandBook;
use collie_core::ids::PullName;

/// What is asked.
#[derive(Clone, Debug)]
pub struct ReviewOptions {
    /// Of which pull request.
    pub pull: PullName,
    /// What becomes of it on GitHub.
    pub posting: Posting,
    /// Who looks.
    pub panel: ReviewPanel,
    /// A head that was reviewed before is looked at again, for its findings; it is not posted a second time.
    pub look_again: bool,
    /// Where it counts what it spends.
    pub payer: ReviewPayer,
}

/// What becomes of a review on GitHub.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Posting {
    /// Nothing is written there, nor anybody asked whether it may be.
    DryRun,
    /// It is posted if the configuration allows the account to.
    IfAllowed,
    /// It is posted: whoever gave Collie the account meant it to post, as the author of a workflow does with the workflow's own token (§18.4).
    OwnAccount,
}

/// Who looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReviewPanel {
    /// Whom the configuration names.
    Configured,
    /// The model was named for this review: it reads whatever the configuration has personas run on.
    PreferModel,
    /// The built-in rules, whatever else is set up.
    RulesAlone,
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
