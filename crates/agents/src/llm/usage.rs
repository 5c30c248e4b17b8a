//! What requests spent, in tokens.

use std::ops::AddAssign;

/// Tokens of a request, or of several.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TokenUsage {
    /// All of the question, cached or not.
    pub input_tokens: u64,
    /// The part of it that the service had kept from an earlier request.
    pub cached_input_tokens: u64,
    /// The part of it that the service kept for later ones; some charge for that.
    pub stored_input_tokens: u64,
    /// The answer, thinking included.
    pub output_tokens: u64,
    /// What the service says that it cost, in millionths of a dollar; few say it.
    pub reported_cost_micros: Option<u64>,
    /// Some of it is a guess from the length of the texts: the service said nothing, or was not heard to the end.
    pub estimated: bool,
}

impl TokenUsage {
    /// Whether nothing was spent, as far as anybody said.
    pub fn is_nothing(&self) -> bool {
        *self == Self::default()
    }
}

impl AddAssign for TokenUsage {
    fn add_assign(&mut self, more: Self) {
        self.input_tokens += more.input_tokens;
        self.cached_input_tokens += more.cached_input_tokens;
        self.stored_input_tokens += more.stored_input_tokens;
        self.output_tokens += more.output_tokens;
        self.reported_cost_micros = match (self.reported_cost_micros, more.reported_cost_micros) {
            (Some(before), Some(more)) => Some(before.saturating_add(more)),
            (before, more) => before.or(more),
        };
        self.estimated |= more.estimated;
    }
}

/// What each request spent, in the order sent: prices depend on the size of the single request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LlmUsage {
    /// One entry a request, also for those that failed.
    pub requests: Vec<TokenUsage>,
}

impl LlmUsage {
    /// All of it together.
    pub fn total(&self) -> TokenUsage {
        let mut total = TokenUsage::default();
        for usage in &self.requests {
            total += *usage;
        }
        total
    }
}
