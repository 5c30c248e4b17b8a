//! Prompts with their tokens counted as exactly as it matters.

use collie_agents::llm::{approximate_tokens, count_tokens, surely_fits};
use collie_agents::prompting::{Prompt, PromptPart};

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
    use std::cell::RefCell;

    const TEXT: &str = "a prompt of a few words";

    /// How often a prompt with these omissions is composed for a budget, by the tokens that each counter found.
    fn counted(budget: u32, omitted: Vec<PromptPart>) -> Vec<u32> {
        let counts = RefCell::default();
        let made = compose_prompt(budget, |count| {
            let tokens = count(TEXT) * 100;
            RefCell::<Vec<u32>>::borrow_mut(&counts).push(tokens);
            Ok::<_, ()>(Prompt {
                system: Vec::new(),
                user: vec![TEXT.to_owned()],
                omitted: omitted
                    .iter()
                    .map(|part| OmittedPart {
                        part: part.clone(),
                        reason: OmissionReason::NoRoom,
                        tokens: 1,
                    })
                    .collect(),
                tokens,
                shared_user_parts: 0,
                hash: String::new(),
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
