//! Errors at the edge: a kind for programs, a message for people, hints at what to do.

use crate::output::Output;
use crate::say;
use collie_wire::{ErrorLine, Line};

/// Why a command did not do what it was asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// What programs branch on.
    pub kind: &'static str,
    /// What was tried, on what, and what came of it.
    pub message: String,
    /// What can be done.
    pub hints: Vec<String>,
}

impl Problem {
    /// A problem without hints of its own.
    pub fn new(kind: &'static str, error: impl ToString) -> Self {
        Self {
            kind,
            message: error.to_string(),
            hints: Vec::new(),
        }
    }

    /// Adds a hint.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }

    /// Prints it: a line of JSON on standard output, or words on standard error.
    pub fn print(&self, out: &Output) {
        if out.json {
            out.line(&Line::Error(ErrorLine {
                code: self.kind.to_owned(),
                message: self.message.clone(),
                hints: self.hints.clone(),
            }));
            return;
        }
        let style = anstyle::AnsiColor::Red.on_default().bold();
        let label = say!(out.say, "cli-error");
        let mut lines = self.message.lines();
        anstream::eprintln!(
            "{style}{label}{style:#} {}",
            lines.next().unwrap_or_default()
        );
        for line in lines {
            anstream::eprintln!("  {line}");
        }
        for hint in &self.hints {
            anstream::eprintln!("  {} {hint}", say!(out.say, "cli-hint"));
        }
    }
}
