//! What nobody was shown, line by line (§4.4).

use crate::localize;
use crate::output::Output;
use crate::terminal_text::TerminalText;
use collie_core::coverage::UnseenFile;
use collie_core::ids::Sha;
use collie_wire::CoverageView;

/// How many files a terminal is shown by name.
const MAX_NAMED_FILES: usize = 50;

/// Each file with the reason, indented; of many the first, and how many more there are.
pub fn file_lines(output: &Output, files: &[&UnseenFile]) -> Vec<String> {
    let localizer = &output.localizer;
    let line = |file: &&UnseenFile| {
        let text = localize!(
            localizer,
            "cli-unseen-file",
            path = file.path.clone(),
            reason = localizer.shared.unseen_reason(file.reason)
        );
        format!("  {text}")
    };
    let mut lines: Vec<String> = files.iter().take(MAX_NAMED_FILES).map(line).collect();
    let more = files.len().saturating_sub(MAX_NAMED_FILES);
    if more > 0 {
        let text = localize!(localizer, "cli-unseen-more", count = more);
        lines.push(format!("  {text}"));
    }
    lines
}

/// What nobody was shown of a head, below a loop in `status`.
pub fn coverage_lines(output: &Output, head: &Sha, coverage: &CoverageView) -> Vec<TerminalText> {
    let localizer = &output.localizer;
    let mut lines = Vec::new();
    if !coverage.unseen.is_empty() {
        lines.push(localize!(
            localizer,
            "cli-unseen",
            count = coverage.unseen.len(),
            head = head.short().to_owned()
        ));
        let files: Vec<&UnseenFile> = coverage.unseen.iter().collect();
        lines.extend(file_lines(output, &files));
    }
    if !coverage.rules_only.is_empty() {
        lines.push(localize!(
            localizer,
            "cli-rules-only",
            count = coverage.rules_only.len(),
            names = coverage.rules_only.join(", ")
        ));
    }
    if let Some(login) = &coverage.seen_by {
        let login = login.to_string();
        lines.push(localize!(localizer, "cli-seen-by", login = login));
    }
    let indented = lines.into_iter().map(|line| format!("  {line}"));
    indented.map(TerminalText::plain).collect()
}
