//! How long an answer may be where nobody says: what a model spends thinking is part of it (§15).

use super::effort::Effort;

/// For a model that answers at once: many of them write no more.
const PLAIN_TOKENS: u32 = 8_000;

/// For a model that thinks first: each of those below writes at least so much.
const THINKING_TOKENS: u32 = 32_000;

/// For one that is told to think much.
const DEEP_THINKING_TOKENS: u32 = 64_000;

/// The longest answer of a model where nobody sets one, in tokens.
///
/// Whether it thinks is known by its name alone, whoever runs it. One that is not known, and is cut, is asked again with
/// twice as much, as any is.
pub fn default_max_tokens(model: &str, effort: Option<Effort>) -> u32 {
    match effort {
        Some(Effort::None) => PLAIN_TOKENS,
        _ if !thinks(model) => PLAIN_TOKENS,
        Some(Effort::High | Effort::XHigh | Effort::Max) => DEEP_THINKING_TOKENS,
        Some(Effort::Minimal | Effort::Low | Effort::Medium) | None => THINKING_TOKENS,
    }
}

/// Parts of names of models that think, of all makers.
const THINKING_NAMES: [&str; 15] = [
    "think",
    "reason",
    "gpt-5",
    "gpt-6",
    "gpt-oss",
    "gemini-2.5",
    "gemini-3",
    "gemini-4",
    "deepseek-r",
    "deepseek-v4",
    "qwen3",
    "qwq",
    "magistral",
    "grok-4",
    "nemotron",
];

/// Claude's models that do not, or were never asked to.
const PLAIN_CLAUDE: [&str; 4] = ["claude-2", "claude-3", "claude-instant", "claude-v"];

fn thinks(model: &str) -> bool {
    let lower = model.to_lowercase();
    // A router names the maker first.
    let own = lower.rsplit('/').next().unwrap_or(&lower);
    let of_o_series = ["o1", "o3", "o4"].iter().any(|name| {
        own.strip_prefix(name)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
    });
    let claude = own.contains("claude-") && !PLAIN_CLAUDE.iter().any(|name| own.contains(name));
    of_o_series || claude || THINKING_NAMES.iter().any(|name| own.contains(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_that_thinks_may_write_as_much_as_thinking_takes() {
        for name in [
            "claude-sonnet-4-5",
            "anthropic/claude-opus-5.5",
            "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
            "gpt-6-sol",
            "o3",
            "o4-mini",
            "gemini-3.5-flash",
            "deepseek-reasoner",
            "qwen3:8b",
            "gpt-oss:20b",
        ] {
            assert_eq!(default_max_tokens(name, None), 32_000, "{name}");
            assert_eq!(default_max_tokens(name, Some(Effort::High)), 64_000);
            assert_eq!(default_max_tokens(name, Some(Effort::None)), 8_000);
        }
    }

    #[test]
    fn one_that_does_not_is_not_asked_for_more_than_it_can_write() {
        for name in [
            "gpt-4o",
            "claude-3-5-haiku-latest",
            "llama3.1:8b",
            "mistral-large",
            "gemini-2.0-flash",
            "o300",
        ] {
            assert_eq!(default_max_tokens(name, None), 8_000, "{name}");
            assert_eq!(default_max_tokens(name, Some(Effort::High)), 8_000);
        }
    }
}
