//! Reviewers and fixers beyond the rules (SPEC §4, §6.1, §15): agents that speak ACP, language models over HTTP, and what both are given to read.

/// Coding agents as child processes, over ACP on stdin and stdout (§6.1, §6.5).
pub mod acp;
/// Language models over HTTP: providers, structured answers, tokens and cost (§15).
pub mod llm;
/// What a reviewer is given to read, fitted to a budget, and how its answer is held against the code (§4.4, §9.2).
pub mod prompting;
