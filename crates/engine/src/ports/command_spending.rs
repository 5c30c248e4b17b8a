//! What commands of a person spend beside the engine: `collie review` and `collie eval` (§15).

use super::StoreError;
use async_trait::async_trait;
use collie_core::budget::{Budget, BudgetExceeded};
use collie_core::ids::{LoopId, RepoName, Time};
use collie_core::usage::Usage;
use jiff::civil::Date;

/// A command's question that is about to be put.
#[derive(Clone, Debug)]
pub struct CommandAsk {
    /// Tells apart who asks at once; no two of them bear the same.
    pub session: String,
    /// The pull request that it is about; none of one that lies on no host, as the cases of an evaluation.
    pub pull: Option<LoopId>,
    /// The limits.
    pub budget: Budget,
    /// What this session has spent and set aside so far.
    pub own: Usage,
    /// What this session has set aside so far.
    pub reserved: Usage,
    /// The worst case of the question.
    pub worst: Usage,
    /// When.
    pub at: Time,
    /// The day of that, and when it ends.
    pub day: (Date, Time),
}

/// What commands have spent on a day, or set aside, for one pull request or for none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandSpending {
    /// By the clock of the machine.
    pub day: Date,
    /// The pull request.
    pub pull: Option<LoopId>,
    /// How much.
    pub usage: Usage,
}

/// Something that a command has paid for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandPayment {
    /// When, for whom, and how much.
    pub spending: CommandSpending,
    /// The repository's present name.
    pub repo: Option<RepoName>,
    /// On which model, called `provider/name`, or agent.
    pub model: String,
}

/// Where commands count what they spend, so that the engine and other commands know of it, while it runs or not.
#[async_trait]
pub trait CommandLedger: Send + Sync {
    /// Sets the worst case of a question aside, if the limits leave room for it: looked at and written in one transaction.
    async fn reserve(&self, ask: &CommandAsk) -> Result<Result<(), BudgetExceeded>, StoreError>;

    /// Has a session keep so much set aside, whatever the limits; nothing ends it.
    async fn set_reserved(
        &self,
        session: &str,
        reserved: Usage,
        at: Time,
    ) -> Result<(), StoreError>;

    /// Counts what was paid.
    async fn pay(&self, payment: &CommandPayment) -> Result<(), StoreError>;
}
