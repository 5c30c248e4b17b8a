//! Where an evaluation counts what it spends, and what it may (§15).

use crate::command_account::CommandBook;
use crate::review::ReviewPayer;
use collie_config::{Config, DataFolder};
use collie_core::budget::Budget;
use collie_core::user_error::UserError;
use collie_engine::ports::SessionMeter;

/// The journal of the user's data folder; nothing for what costs nothing.
#[derive(Clone, Debug)]
pub(super) struct EvalPayer(Option<CommandBook>);

impl EvalPayer {
    /// Nobody pays: answers come from a folder.
    pub(super) fn nobody() -> Self {
        Self(None)
    }

    /// Opens the journal of the data folder. Without a limit nothing keeps an evaluation: what cannot be written down then is only logged.
    ///
    /// # Errors
    /// It cannot be opened, and there is a limit to hold to.
    pub(super) async fn open(config: &Config) -> Result<Self, UserError> {
        let folder = DataFolder::at(&config.home)?;
        match CommandBook::open(&folder).await {
            Ok(book) => Ok(Self(Some(book))),
            Err(error) if config.budget == Budget::default() => {
                tracing::warn!(%error, "what this evaluation spends is not counted");
                Ok(Self(None))
            }
            Err(error) => Err(error.into()),
        }
    }

    /// For the review of a case, which has the limit of a pull request for itself.
    pub(super) fn of_review(&self) -> ReviewPayer {
        self.0
            .clone()
            .map_or(ReviewPayer::Nobody, ReviewPayer::Book)
    }

    /// For a verdict, which has that limit for itself as well.
    pub(super) fn meter(&self, config: &Config) -> SessionMeter {
        match &self.0 {
            Some(book) => SessionMeter::with_account(book.account(None, config.budget)),
            None => SessionMeter::default(),
        }
    }
}
