//! What a server is given to take in runners.

use collie_runners::{RunnerQueue, RunnerSecrets};
use std::sync::Arc;

/// Where runners find work, and how they are known.
#[derive(Clone, Debug)]
pub struct RunnerAccess {
    /// Where sessions are offered.
    pub queue: Arc<RunnerQueue>,
    /// Who may take them.
    pub secrets: RunnerSecrets,
}
