//! Characters that change the direction of the text beside them, so that people read other code than compilers do (CVE-2021-42574).

use ast_grep_language::SupportLang;

use crate::file_origin;
use crate::language::language_of_path;
use crate::lines::{LineIndex, quote_lines};
use crate::rule_file::RuleHeader;
use crate::rule_match::{RuleMatch, ScanInput};

/// Whether a character embeds, overrides, isolates, or ends one of these.
fn is_bidi_control(character: char) -> bool {
    matches!(character, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Whether a compiler or interpreter reads the file: elsewhere such characters are part of what is written in languages from right to left.
fn is_code(path: &str) -> bool {
    use SupportLang as L;
    language_of_path(path)
        .is_some_and(|language| !matches!(language, L::Json | L::Html | L::Markdown | L::Css))
}

/// Finds the lines with such characters, each once.
pub(crate) fn scan_bidi(
    header: &RuleHeader,
    file: &ScanInput<'_>,
    text: &str,
    index: &LineIndex,
) -> Vec<RuleMatch> {
    let is_test = file_origin::is_test_file(file.path) || file.generated;
    if !header.metadata.tests.includes(is_test) || !is_code(file.path) {
        return Vec::new();
    }
    let first_of_line = text.match_indices(is_bidi_control).map(|(at, _)| at);
    let mut found: Vec<RuleMatch> = first_of_line
        .map(|at| (index.line_of(at), index.column_of(at)))
        .filter(|(line, _)| file.changed_lines.overlaps(*line, *line))
        .map(|(line, column)| RuleMatch {
            evidence: escaped(&quote_lines(file.content, index, line, line)),
            ..header.match_at(file.path, line..=line, column)
        })
        .collect();
    found.dedup_by_key(|found| found.line);
    found
}

/// The line with these characters as escapes, so that it can be read as it runs.
fn escaped(line: &str) -> String {
    line.chars()
        .flat_map(|character| {
            let escape = is_bidi_control(character).then(|| character.escape_unicode());
            let plain = (!is_bidi_control(character)).then_some(character);
            escape.into_iter().flatten().chain(plain)
        })
        .collect()
}
