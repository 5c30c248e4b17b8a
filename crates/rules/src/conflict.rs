//! Conflict markers that a merge left behind.

use ast_grep_language::SupportLang;

use crate::file_origin;
use crate::language::language_of_path;
use crate::lines::{LineIndex, quote_lines};
use crate::parsed_file::{ParsedFile, nodes_around};
use crate::rule_file::RuleHeader;
use crate::rule_match::{RuleMatch, ScanInput};

/// What a line is to git's conflicts.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ConflictMarker {
    Ours,
    Base,
    Separator,
    Theirs,
}

/// Finds whole conflicts: all their markers, in order, at the start of their lines. Those in a
/// fenced block of a text for people, or inside a string literal, are somebody's example.
pub(crate) fn scan_conflicts(
    header: &RuleHeader,
    file: &ScanInput<'_>,
    index: &LineIndex,
    document: Option<&ParsedFile>,
) -> Vec<RuleMatch> {
    if is_input_of_tests(file.path) {
        return Vec::new();
    }
    find_conflicts(file.content, file_origin::is_prose(file.path))
        .into_iter()
        .filter(|(first, last)| file.changed_lines.overlaps(*first, *last))
        .filter(|(first, _)| {
            !document.is_some_and(|document| {
                is_in_string(document, index.bytes_of(*first, *first).start)
            })
        })
        .map(|(first, last)| RuleMatch {
            evidence: quote_lines(file.content, index, first, last),
            ..header.match_at(file.path, first..=last, 1)
        })
        .collect()
}

/// Whether tests read the file: conflicts are what some of them are about. In their code one is nobody's input.
fn is_input_of_tests(path: &str) -> bool {
    let is_data = language_of_path(path)
        .is_none_or(|language| matches!(language, SupportLang::Json | SupportLang::Yaml));
    file_origin::is_fixture_file(path)
        || (is_data && file_origin::is_test_file(path) && !file_origin::is_prose(path))
}

/// Whether a whole conflict stands in the file.
pub(crate) fn has_conflict(file: &ScanInput<'_>) -> bool {
    !find_conflicts(file.content, file_origin::is_prose(file.path)).is_empty()
}

/// The first and last line of each whole conflict.
fn find_conflicts(content: &[u8], has_fences: bool) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut open: Option<(usize, ConflictMarker)> = None;
    let mut fenced = false;
    for (at, line) in content.split(|byte| *byte == b'\n').enumerate() {
        if has_fences && (line.starts_with(b"```") || line.starts_with(b"~~~")) {
            fenced = !fenced;
            open = None;
        }
        let Some(marker) = parse_marker(line).filter(|_| !fenced) else {
            continue;
        };
        open = match (open, marker) {
            (_, ConflictMarker::Ours) => Some((at + 1, ConflictMarker::Ours)),
            (Some((first, ConflictMarker::Ours)), ConflictMarker::Base) => {
                Some((first, ConflictMarker::Base))
            }
            (
                Some((first, ConflictMarker::Ours | ConflictMarker::Base)),
                ConflictMarker::Separator,
            ) => Some((first, ConflictMarker::Separator)),
            (Some((first, ConflictMarker::Separator)), ConflictMarker::Theirs) => {
                found.push((first, at + 1));
                None
            }
            // A row of `=` inside a side is text.
            (open @ Some((_, ConflictMarker::Separator)), ConflictMarker::Separator) => open,
            _ => None,
        };
    }
    found
}

fn parse_marker(line: &[u8]) -> Option<ConflictMarker> {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let (marker_bytes, rest) = line.split_at_checked(7)?;
    let labelled = rest.is_empty() || rest[0] == b' ';
    match marker_bytes {
        b"<<<<<<<" if labelled => Some(ConflictMarker::Ours),
        b"|||||||" if labelled => Some(ConflictMarker::Base),
        b"=======" if rest.is_empty() => Some(ConflictMarker::Separator),
        b">>>>>>>" if labelled => Some(ConflictMarker::Theirs),
        _ => None,
    }
}

/// Says whether the byte lies in a string literal of a file that parses.
fn is_in_string(document: &ParsedFile, byte: usize) -> bool {
    let root = document.root();
    if root.get_inner_node().has_error() {
        return false;
    }
    nodes_around(document, byte)
        .any(|node| node.kind().contains("string") || node.kind().contains("heredoc"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_conflicts_count() {
        fn check(text: &str, has_fences: bool, expect: &[(usize, usize)]) {
            assert_eq!(
                find_conflicts(text.as_bytes(), has_fences),
                expect,
                "{text}"
            );
        }
        check(
            "<<<<<<< HEAD\na\n=======\nb\n>>>>>>> topic\n",
            false,
            &[(1, 5)],
        );
        check(
            "x\r\n<<<<<<< HEAD\r\na\r\n=======\r\nb\r\n>>>>>>> t",
            false,
            &[(2, 6)],
        );
        check(
            "<<<<<<< a\n1\n||||||| b\n2\n=======\n3\n>>>>>>> c\n",
            false,
            &[(1, 7)],
        );
        check(
            "<<<<<<< a\n=======\n>>>>>>> c\n<<<<<<< a\n=======\n>>>>>>> c\n",
            false,
            &[(1, 3), (4, 6)],
        );
        check("Title\n=======\n", true, &[]);
        check("<<<<<<< HEAD\nno middle\n>>>>>>> topic\n", false, &[]);
        check(">>>>>>> a\n=======\n<<<<<<< b\n", false, &[]);
        check(
            "    <<<<<<< HEAD\n    =======\n    >>>>>>> topic\n",
            false,
            &[],
        );
        check(
            "```\n<<<<<<< HEAD\n=======\n>>>>>>> topic\n```\n",
            true,
            &[],
        );
        check("<<<<<<<<<<\n=======\n>>>>>>>>>>\n", false, &[]);
    }
}
