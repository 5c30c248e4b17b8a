//! Errors at the edge: the words of a code, hints at what to do.

use crate::localize;
use crate::output::Output;
use crate::terminal_text::TerminalText;
use collie_core::user_error::UserError;
use collie_wire::{ErrorLine, WatchLine};
use console::Style;

/// Prints an error: a line of JSON on standard output, or words on standard error.
pub fn print_error(error: &UserError, output: &Output) {
    let shared = &output.localizer.shared;
    let (message, hints) = (shared.error_text(error), shared.error_hints(error));
    if output.json {
        output.print_json(&WatchLine::Error(ErrorLine {
            code: error.code,
            message,
            hints,
        }));
        return;
    }
    let style = Style::new().for_stderr().red().bold();
    let label = localize!(output.localizer, "cli-error");
    let mut lines = message.lines();
    let mut first = TerminalText::styled(&style, label);
    first.push(" ").push(lines.next().unwrap_or_default());
    output.print_aside(&first);
    for line in lines {
        output.print_aside(&TerminalText::plain(format!("  {line}")));
    }
    for hint in &hints {
        let label = localize!(output.localizer, "cli-hint");
        output.print_aside(&TerminalText::plain(format!("  {label} {hint}")));
    }
}
