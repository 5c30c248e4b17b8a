//! Errors at the edge: the words of a code, hints at what to do.

use crate::localize;
use crate::output::Output;
use collie_core::user_error::UserError;
use collie_wire::{ErrorLine, WatchLine};

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
    let style = anstyle::AnsiColor::Red.on_default().bold();
    let label = localize!(output.localizer, "cli-error");
    let mut lines = message.lines();
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
