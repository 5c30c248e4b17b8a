//! What is wrong with a rule of a repository.

use std::fmt;

/// A rule that does not work, and why. The other rules still do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct RuleError {
    /// The rule's file in the repository.
    pub path: String,
    /// The line, from 1, where it is known.
    pub line: Option<usize>,
    /// The rule's id, where it could be read.
    pub rule_id: Option<String>,
    /// What is wrong.
    pub problem: String,
    /// The nearest valid word, where one is near.
    pub nearest: Option<String>,
}

impl fmt::Display for RuleError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}", self.path)?;
        if let Some(line) = self.line {
            write!(out, ":{line}")?;
        }
        if let Some(id) = &self.rule_id {
            write!(out, ": rule `{id}`")?;
        }
        write!(out, ": {}", self.problem)?;
        if let Some(nearest) = &self.nearest {
            write!(out, "; did you mean `{nearest}`?")?;
        }
        Ok(())
    }
}

/// The candidate most like a word, if any is like enough.
pub(crate) fn nearest_word<'a>(
    word: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<String> {
    candidates
        .into_iter()
        .map(|candidate| (strsim::jaro_winkler(word, candidate), candidate))
        .filter(|(likeness, _)| *likeness >= 0.8)
        .max_by(|(one, a), (other, b)| one.total_cmp(other).then_with(|| b.cmp(a)))
        .map(|(_, candidate)| candidate.to_owned())
}
