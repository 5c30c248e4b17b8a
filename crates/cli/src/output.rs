//! Where a command's answers go: nothing else of the command writes to a terminal.

use crate::localize::CliLocalizer;
use crate::terminal_text::TerminalText;
use collie_core::text::escape_json;
use indicatif::ProgressBar;
use secrecy::zeroize::Zeroizing;
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
        drop(writeln!(std::io::stdout().lock(), "{}", escape_json(&text)));
    }

    /// Prints what programs read, byte by byte. A reader that went away is no error of ours.
    pub fn print_bytes(&self, bytes: &[u8]) {
        drop(std::io::stdout().lock().write_all(bytes));
    }

    /// Prints words, unless JSON was asked for.
    pub fn print_text(&self, words: &str) {
        self.print_styled(&TerminalText::plain(words));
    }

    /// The same with styles.
    pub fn print_styled(&self, text: &TerminalText) {
        if !self.json {
            anstream::println!("{}", text.as_sent());
        }
    }

    /// Prints on standard error, whatever was asked for.
    pub fn print_aside(&self, text: &TerminalText) {
        anstream::eprintln!("{}", text.as_sent());
    }

    /// Shows a text beside a bar, or in its place.
    pub fn show_progress(&self, bar: &ProgressBar, text: &TerminalText) {
        bar.set_message(text.as_sent().to_owned());
    }

    /// Whether a person can be asked something: they watch, and can type.
    pub fn can_ask(&self) -> bool {
        self.is_interactive() && std::io::stdin().is_terminal()
    }

    /// Asks something on standard error and gives the line that is typed; none when nothing can be read.
    pub async fn ask(&self, question: &str) -> Option<String> {
        self.print_aside(&TerminalText::plain(question));
        let read = tokio::task::spawn_blocking(|| {
            let mut line = String::new();
            std::io::stdin().read_line(&mut line).map(|_| line)
        });
        read.await.ok()?.ok()
    }

    /// A secret: asked for on standard error where a person can type it, without showing it; else the first line of standard input. None when
    /// nothing can be read.
    pub async fn read_secret(&self, question: &str) -> Option<Zeroizing<String>> {
        let is_typed = std::io::stdin().is_terminal();
        if is_typed {
            self.print_aside_text(question);
        }
        let read = tokio::task::spawn_blocking(move || match is_typed {
            true => rpassword::read_password(),
            false => {
                let mut line = String::new();
                std::io::stdin().read_line(&mut line).map(|_| line)
            }
        });
        read.await.ok()?.ok().map(Zeroizing::new)
    }

    /// Says something on standard error.
    pub fn print_aside_text(&self, text: &str) {
        self.print_aside(&TerminalText::plain(text));
    }

    /// Whether a person watches: words on a terminal that can be drawn on.
    pub fn is_interactive(&self) -> bool {
        !self.json
            && std::io::stdout().is_terminal()
            && std::io::stderr().is_terminal()
            && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
    }
}
