//! What is said to a model besides the question.

/// What is asked for when an answer has not its shape. The violations follow.
pub(super) const REPAIR_INSTRUCTIONS: &str = include_str!("prompts/repair.md");

/// What is said of the shape where the provider cannot be held to it. The schema follows.
pub(super) const SCHEMA_INSTRUCTIONS: &str = include_str!("prompts/shape.md");

/// Every text of `llm` that goes to a model: part of what is hashed into the journal.
pub const PROMPT_TEXTS: [&str; 2] = [SCHEMA_INSTRUCTIONS, REPAIR_INSTRUCTIONS];
