//! The port to whatever runs loops and reviews for the one who is served.

use async_trait::async_trait;
use collie_core::ids::PullName;
use collie_core::user_error::UserError;
use collie_wire::LoopView;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

/// What is offered beside reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Offers {
    /// Loops are started and cancelled, and reviews posted.
    pub changes: bool,
    /// Pull requests are reviewed without a loop.
    pub reviews: bool,
}

/// What is asked of a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoopRequest {
    /// Begin it.
    Start,
    /// End its run.
    Cancel,
}

/// What became of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestFate {
    /// It was carried out.
    Done,
    /// No engine runs: the next one takes it.
    Queued,
    /// The engine has not answered yet.
    Unanswered,
}

/// A review that was made.
#[derive(Clone, Debug)]
pub struct ReviewMade {
    /// What it came to, with `findings`.
    pub data: Value,
    /// The report.
    pub text: String,
}

/// Acts for the one who is served, and as far as they may.
#[async_trait]
pub trait McpHost: Send + Sync + 'static {
    /// What is offered.
    fn offers(&self) -> Offers;

    /// Whether an engine runs that carries loops on.
    fn has_engine(&self) -> bool;

    /// Every loop that they may see.
    async fn loops(&self) -> Result<Vec<LoopView>, UserError>;

    /// The loop of a pull request.
    async fn find(&self, pull: &PullName) -> Result<LoopView, UserError>;

    /// What happened to it, oldest first.
    async fn timeline(&self, pull: &PullName) -> Result<Value, UserError>;

    /// Asks something of it.
    async fn ask(&self, pull: &PullName, request: LoopRequest) -> Result<RequestFate, UserError>;

    /// Reviews a pull request once, and posts the review if that is wanted. Ends soon after `cancel`.
    async fn review(
        &self,
        pull: &PullName,
        post: bool,
        on_progress: &(dyn Fn(String) + Send + Sync),
        cancel: &CancellationToken,
    ) -> Result<ReviewMade, UserError>;
}
