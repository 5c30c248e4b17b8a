//! Where a command's answers go.

use crate::localize::CliLocalizer;
use serde::Serialize;
use std::io::{IsTerminal as _, Write as _};

/// How to answer: in words or as JSON.
pub struct Output {
    /// Print one JSON object a line and nothing else.
    pub json: bool,
    /// The texts.
    pub localizer: CliLocalizer,
}

impl Output {
    /// Prints one JSON object as a line. A reader that went away is no error of ours.
    pub fn print_json(&self, value: &impl Serialize) {
        let text = serde_json::to_string(value).expect("lines are plain data");
        drop(writeln!(std::io::stdout().lock(), "{text}"));
    }

    /// Prints words, unless JSON was asked for.
    pub fn print_text(&self, text: &str) {
        if !self.json {
            anstream::println!("{text}");
        }
    }

    /// Whether a person watches: words on a terminal that can be drawn on.
    pub fn is_interactive(&self) -> bool {
        !self.json
            && std::io::stdout().is_terminal()
            && std::io::stderr().is_terminal()
            && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
    }
}
