//! Errors at the edge: a kind for programs, a message for people, hints at what to do.

use crate::localize;
use crate::output::Output;
use collie_wire::{ErrorLine, WatchLine};

/// Why a command did not do what it was asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CliError {
    /// What programs branch on.
    pub code: &'static str,
    /// What was tried, on what, and what came of it.
    pub message: String,
    /// What can be done.
    pub hints: Vec<String>,
}

impl CliError {
    /// A problem without hints of its own.
    pub fn new(code: &'static str, error: impl ToString) -> Self {
        Self {
            code,
            message: error.to_string(),
            hints: Vec::new(),
        }
    }

    /// Adds a hint.
    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }

    /// What can be done: its own hints, or what helps with its kind.
    fn hints(&self, output: &Output) -> Vec<String> {
        if !self.hints.is_empty() {
            return self.hints.clone();
        }
        let localizer = &output.localizer;
        let hint = match self.code {
            "configuration" => localize!(localizer, "cli-hint-configuration"),
            "forge" => localize!(localizer, "cli-hint-forge"),
            "git" => localize!(localizer, "cli-hint-git"),
            "github" => localize!(localizer, "cli-hint-doctor"),
            "data_folder" | "engine" | "store" => localize!(localizer, "cli-hint-data"),
            "usage" => localize!(localizer, "cli-hint-usage"),
            _ => return Vec::new(),
        };
        vec![hint]
    }

    /// Prints it: a line of JSON on standard output, or words on standard error.
    pub fn print(&self, output: &Output) {
        let hints = self.hints(output);
        if output.json {
            output.print_json(&WatchLine::Error(ErrorLine {
                code: self.code.to_owned(),
                message: self.message.clone(),
                hints,
            }));
            return;
        }
        let style = anstyle::AnsiColor::Red.on_default().bold();
        let label = localize!(output.localizer, "cli-error");
        let mut lines = self.message.lines();
        anstream::eprintln!(
            "{style}{label}{style:#} {}",
            lines.next().unwrap_or_default()
        );
        for line in lines {
            anstream::eprintln!("  {line}");
        }
        for hint in &hints {
            anstream::eprintln!("  {} {hint}", localize!(output.localizer, "cli-hint"));
        }
    }
}
