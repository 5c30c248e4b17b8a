//! Whether a request may be made, by what it may cost.

use super::model::Model;
use super::usage::TokenUsage;
use async_trait::async_trait;
use collie_core::budget::BudgetExceeded;
use std::fmt;

/// The most that one request may come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RequestBound {
    /// Tokens of the question: half of its bytes, of which no tokenizer in use makes more of a text that people or compilers read.
    pub input_tokens: u64,
    /// Tokens of the answer, thinking included.
    pub output_tokens: u64,
}

/// Asked before each request, and told what it came to. Requests of one question follow one another.
#[async_trait]
pub trait SpendingGate: fmt::Debug + Send + Sync {
    /// Sets aside what the request may come to.
    ///
    /// # Errors
    ///
    /// The limit that it might pass: it is not made.
    async fn reserve(&self, model: &Model, bound: RequestBound) -> Result<(), BudgetExceeded>;

    /// Says what the last one came to.
    fn settle(&self, model: &Model, spent: &TokenUsage);
}
