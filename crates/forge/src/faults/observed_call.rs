//! A request as the gate sees it.

use std::sync::Arc;

use crate::graphql::operation::Operation;

/// One request as the gate sees it.
#[derive(Debug, Clone)]
pub(super) struct ObservedCall {
    pub(super) method: String,
    /// The route's template, without `/api/v3` and `/api`.
    pub(super) template: String,
    /// The real path, equally shortened.
    pub(super) path: String,
    pub(super) operation: Option<Arc<Operation>>,
    /// The rate limit that it counts against; git and the forge's own routes have none.
    pub(super) resource: Option<&'static str>,
    /// The same for requests that ask for the same: address and body, whoever asks.
    pub(super) identity: u64,
}

impl ObservedCall {
    /// Whether it changes nothing.
    pub(super) fn is_read(&self) -> bool {
        match &self.operation {
            Some(operation) => operation.kind == "query",
            None => self.method == "GET" && self.resource.is_some(),
        }
    }
}

impl ObservedCall {
    /// Method and route template.
    pub(super) fn route(&self) -> String {
        format!("{} {}", self.method, self.template)
    }
}
