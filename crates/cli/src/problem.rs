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

    /// What can be done: its own hints, or what helps with its kind.
    fn hints(&self, out: &Output) -> Vec<String> {
        if !self.hints.is_empty() {
            return self.hints.clone();
        }
        let say = &out.say;
        let hint = match self.kind {
            "configuration" => say!(say, "cli-hint-configuration"),
            "forge" => say!(say, "cli-hint-forge"),
            "git" => say!(say, "cli-hint-git"),
            "github" => say!(say, "cli-hint-doctor"),
            "data_folder" | "engine" | "store" => say!(say, "cli-hint-data"),
            "usage" => say!(say, "cli-hint-usage"),
            _ => return Vec::new(),
        };
        vec![hint]
    }

    /// Prints it: a line of JSON on standard output, or words on standard error.
    pub fn print(&self, out: &Output) {
        let hints = self.hints(out);
        if out.json {
            out.line(&Line::Error(ErrorLine {
                code: self.kind.to_owned(),
                message: self.message.clone(),
                hints,
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
        for hint in &hints {
            anstream::eprintln!("  {} {hint}", say!(out.say, "cli-hint"));
        }
    }
}
