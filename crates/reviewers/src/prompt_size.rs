//! Prompts with their tokens counted as exactly as it matters, and made shorter where a model cannot read as much.

use collie_agents::llm::{approximate_tokens, count_tokens, surely_fits};
use collie_agents::prompting::{Prompt, PromptPart};
use collie_core::error_code::ErrorCode;
use collie_core::event::SessionFailure;

/// How often a prompt is halved that a model cannot read: an eighth of 60,000 tokens fits the smallest contexts that are of use.
const MAX_HALVINGS: u32 = 3;

/// How many tokens a prompt may have, learnt from what a model could not read.
pub(crate) struct ShrinkingBudget {
    pub(crate) tokens: u32,
    halvings_left: u32,
}

impl ShrinkingBudget {
    pub(crate) fn of(tokens: u32) -> Self {
        Self {
            tokens,
            halvings_left: MAX_HALVINGS,
        }
    }

    /// A budget of half of what was asked with; none where that did not fail for its length, or it was halved often enough.
    pub(crate) fn halve(&mut self, failure: &SessionFailure, asked: &Prompt) -> Option<u32> {
        self.halvings_left = self.halvings_left.checked_sub(1)?;
        if !is_prompt_too_long(failure) {
            return None;
        }
        self.tokens = asked.tokens.min(self.tokens) / 2;
        let tokens = self.tokens;
        tracing::info!(
            tokens,
            "the prompt was too long for the model: asking with less"
        );
        Some(tokens)
    }
}

/// Whether a model did not read a prompt for its length: it said so, or it was given a part of it in silence.
fn is_prompt_too_long(failure: &SessionFailure) -> bool {
    let SessionFailure::Permanent { error } = failure else {
        return false;
    };
    matches!(
        error.code,
        ErrorCode::LlmContextTooLong | ErrorCode::LlmPromptCut
    )
}

/// Composes a prompt with tokens counted nearly, and once more exactly where it comes near its budget or lacks something of the change.
///
/// Most prompts are far from it, and reading the vocabulary takes longer than all else that is done for them.
pub(crate) fn compose_prompt<E>(
    budget: u32,
    compose: impl Fn(&dyn Fn(&str) -> u32) -> Result<Prompt, E>,
) -> Result<Prompt, E> {
    match compose(&approximate_tokens) {
        Ok(prompt) if shows_change(&prompt) && surely_fits(prompt.tokens.into(), budget.into()) => {
            Ok(prompt)
        }
        _ => compose(&count_tokens),
    }
}

fn shows_change(prompt: &Prompt) -> bool {
    let is_of_change = |part: &PromptPart| {
        matches!(
            part,
            PromptPart::Hunk { .. } | PromptPart::UnchangedLines { .. }
        )
    };
    !prompt.omitted.iter().any(|left| is_of_change(&left.part))
}

#[cfg(test)]
mod tests {
    use super::*;
    use collie_agents::prompting::{OmissionReason, OmittedPart};
    use collie_core::user_error::UserError;
    use std::cell::RefCell;

    const TEXT: &str = "a prompt of a few words";

    fn prompt_of(tokens: u32) -> Prompt {
        Prompt {
            system: Vec::new(),
            user: vec![TEXT.to_owned()],
            omitted: Vec::new(),
            tokens,
            shared_user_parts: 0,
            hash: String::new(),
        }
    }

    #[test]
    fn what_a_model_cannot_read_is_halved_three_times_at_most() {
        let failed = |code| SessionFailure::permanent(UserError::new(code));
        for code in [ErrorCode::LlmContextTooLong, ErrorCode::LlmPromptCut] {
            let (mut size, too_long) = (ShrinkingBudget::of(60_000), failed(code));
            // What was asked with counts where it is less than what was allowed.
            let halved = [50_000, 24_000, 12_000, 6_000]
                .map(|tokens| size.halve(&too_long, &prompt_of(tokens)));
            assert_eq!(halved, [Some(25_000), Some(12_000), Some(6_000), None]);
            assert_eq!(size.tokens, 6_000);
        }
        let mut size = ShrinkingBudget::of(60_000);
        let refused = failed(ErrorCode::LlmRefused);
        assert_eq!(size.halve(&refused, &prompt_of(50_000)), None);
        let error = UserError::new(ErrorCode::LlmContextTooLong);
        let passing = SessionFailure::transient(error);
        assert_eq!(size.halve(&passing, &prompt_of(50_000)), None);
        assert_eq!(size.tokens, 60_000);
    }

    /// How often a prompt with these omissions is composed for a budget, by the tokens that each counter found.
    fn counted(budget: u32, omitted: Vec<PromptPart>) -> Vec<u32> {
        let counts = RefCell::default();
        let made = compose_prompt(budget, |count| {
            let tokens = count(TEXT) * 100;
            RefCell::<Vec<u32>>::borrow_mut(&counts).push(tokens);
            Ok::<_, ()>(Prompt {
                omitted: omitted
                    .iter()
                    .map(|part| OmittedPart {
                        part: part.clone(),
                        reason: OmissionReason::NoRoom,
                        tokens: 1,
                    })
                    .collect(),
                ..prompt_of(tokens)
            })
        });
        assert!(made.is_ok());
        counts.into_inner()
    }

    #[test]
    fn tokens_are_counted_exactly_near_the_budget_and_where_the_change_is_not_all_there() {
        assert_eq!(counted(60_000, Vec::new()).len(), 1);
        assert_eq!(counted(600, Vec::new()).len(), 2);
        let hunk = PromptPart::Hunk {
            path: "a.rs".into(),
            first: 1,
            last: 2,
        };
        assert_eq!(counted(60_000, vec![hunk]).len(), 2);
        assert_eq!(counted(60_000, vec![PromptPart::Structure]).len(), 1);
    }
}
