//! Characters that change the direction of the text beside them, so that people read other code than compilers do (CVE-2021-42574).
//!
//! What one literal or comment opens and ends itself turns nothing around it; GCC lets it pass too
//! ([`-Wbidi-chars=unpaired`](https://gcc.gnu.org/onlinedocs/gcc/Warning-Options.html#index-Wbidi-chars_003d)).

use std::ops::Range;

use ast_grep_language::SupportLang;

use crate::file_origin;
use crate::language::language_of_path;
use crate::lines::{LineIndex, quote_lines};
use crate::parsed_file::ParsedFile;
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

/// Finds the lines with such characters, each once, but for those that a literal or comment opens and ends itself.
pub(crate) fn scan_bidi(
    header: &RuleHeader,
    file: &ScanInput<'_>,
    text: &str,
    index: &LineIndex,
    document: Option<&ParsedFile>,
) -> Vec<RuleMatch> {
    let is_test = file_origin::is_test_file(file.path) || file.generated;
    if !header.metadata.tests.includes(is_test) || !is_code(file.path) {
        return Vec::new();
    }
    if !text.contains(is_bidi_control) {
        return Vec::new();
    }
    let harmless = document.map_or_else(Vec::new, |document| harmless_tokens(document, text));
    let is_harmless = |at: usize| {
        let next = harmless.partition_point(|token| token.end <= at);
        harmless.get(next).is_some_and(|token| token.contains(&at))
    };
    let mut places: Vec<(usize, usize)> = text
        .match_indices(is_bidi_control)
        .map(|(at, _)| at)
        .filter(|at| !is_harmless(*at))
        .map(|at| (index.line_of(at), index.column_of(at)))
        .filter(|(line, _)| file.changed_lines.overlaps(*line, *line))
        .collect();
    places.dedup_by_key(|(line, _)| *line);
    let found = places.into_iter().map(|(line, column)| RuleMatch {
        evidence: escaped(&quote_lines(file.content, index, line, line)),
        ..header.match_at(file.path, line..=line, column)
    });
    found.collect()
}

/// The literals and comments that end all that they open, each on its line, and turn no code around; in order, none within another. One walk over
/// the file: who writes it says how many there are.
fn harmless_tokens(document: &ParsedFile, text: &str) -> Vec<Range<usize>> {
    let mut harmless = Vec::new();
    let mut walked_to = 0;
    for node in document.root().dfs() {
        let Range { start, end } = node.range();
        let kind = node.kind();
        let is_token = ["string", "comment", "heredoc"]
            .iter()
            .any(|word| kind.contains(word));
        if start < walked_to || !is_token {
            continue;
        }
        walked_to = end;
        let holds_code = node.dfs().any(|inner| {
            let kind = inner.kind();
            kind.contains("substitution") || kind.contains("interpolation")
        });
        if !node.get_inner_node().has_error() && ends_what_it_opens(&text[start..end], holds_code) {
            harmless.push(start..end);
        }
    }
    harmless
}

/// Whether each line ends the embeddings and isolates that it opens, overrides nothing, and, where there is code in it, puts none from right to left.
fn ends_what_it_opens(token: &str, has_code: bool) -> bool {
    token.lines().all(|line| {
        let mut open = Vec::new();
        let mut first_strong_decides = false;
        for character in line.chars() {
            match character {
                // Overrides show letters in another order than they have.
                '\u{202d}' | '\u{202e}' => return false,
                '\u{202b}' | '\u{2067}' if has_code => return false,
                '\u{202a}' | '\u{202b}' => open.push('\u{202c}'),
                '\u{2066}'..='\u{2068}' => {
                    first_strong_decides |= character == '\u{2068}';
                    open.push('\u{2069}');
                }
                '\u{202c}' | '\u{2069}' if open.pop() != Some(character) => return false,
                _ => {}
            }
        }
        open.is_empty() && !(has_code && first_strong_decides && line.chars().any(is_right_to_left))
    })
}

/// Whether a letter is of a script that is written from right to left: Hebrew to Arabic Extended-A, their presentation forms, and planes beyond.
fn is_right_to_left(character: char) -> bool {
    matches!(character, '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{feff}' | '\u{10800}'..='\u{10fff}' | '\u{1e800}'..='\u{1efff}')
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
