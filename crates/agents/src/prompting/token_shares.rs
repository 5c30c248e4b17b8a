//! How much of a prompt each sort of part may take.

/// What each sort of part may take: one in so many tokens of the budget, and never more than so many.
pub(super) struct TokenShare {
    divisor: u32,
    max_tokens: u32,
}

pub(super) const DESCRIPTION: TokenShare = TokenShare {
    divisor: 10,
    max_tokens: 2_500,
};
/// Those that every round begins with.
pub(super) const GUIDELINES: TokenShare = TokenShare {
    divisor: 25,
    max_tokens: 800,
};
/// Those that the first round shows beside.
pub(super) const MORE_GUIDELINES: TokenShare = TokenShare {
    divisor: 16,
    max_tokens: 1_200,
};
pub(super) const ISSUES: TokenShare = TokenShare {
    divisor: 10,
    max_tokens: 2_500,
};
pub(super) const DOCUMENTS: TokenShare = TokenShare {
    divisor: 10,
    max_tokens: 6_000,
};
pub(super) const STRUCTURE: TokenShare = TokenShare {
    divisor: 20,
    max_tokens: 1_000,
};
pub(super) const THREADS: TokenShare = TokenShare {
    divisor: 10,
    max_tokens: 4_000,
};
pub(super) const CONVERSATION: TokenShare = TokenShare {
    divisor: 20,
    max_tokens: 2_000,
};
pub(super) const PROGRESS: TokenShare = TokenShare {
    divisor: 60,
    max_tokens: 800,
};
/// Each document that says what the product is.
pub(super) const BACKGROUND: TokenShare = TokenShare {
    divisor: 100,
    max_tokens: 500,
};
/// Definitions and call sites beside the change; for a second look at a finding those that its file touches, so that it is shown all of them
/// that the first look was shown.
pub(super) const RELATED: TokenShare = TokenShare {
    divisor: 8,
    max_tokens: 8_000,
};
/// The same in later rounds, and for an agent, which can look for itself.
pub(super) const FEWER_RELATED: TokenShare = TokenShare {
    divisor: 40,
    max_tokens: 500,
};
/// What the change did to files that a finding's own is tied to: there is a second look for each finding.
pub(super) const TIED_CHANGES: TokenShare = TokenShare {
    divisor: 8,
    max_tokens: 8_000,
};
/// Functions around the changes of a later round.
pub(super) const FUNCTIONS_AGAIN: TokenShare = TokenShare {
    divisor: 40,
    max_tokens: 500,
};
/// What people made of earlier findings.
pub(super) const JUDGEMENTS: TokenShare = TokenShare {
    divisor: 40,
    max_tokens: 1_000,
};
pub(super) const OTHER_FINDINGS: TokenShare = TokenShare {
    divisor: 20,
    max_tokens: 1_500,
};

impl TokenShare {
    /// The tokens that it may take of a budget.
    pub(super) fn tokens_of(&self, budget: u32) -> u32 {
        (budget / self.divisor).min(self.max_tokens)
    }
}
