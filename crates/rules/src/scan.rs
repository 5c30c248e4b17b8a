//! Scanning one file with all rules.

use std::borrow::Cow;
use std::cell::LazyCell;
use std::collections::BTreeSet;
use std::ops::Range;

use ast_grep_config::RuleConfig;
use ast_grep_core::replacer::Replacer;
use ast_grep_core::tree_sitter::StrDoc;
use ast_grep_core::{Node, NodeMatch};
use ast_grep_language::SupportLang;
use collie_core::coverage::UnseenReason;
use collie_core::file_marks::is_binary;

use crate::bidi::scan_bidi;
use crate::compile::StructuralRule;
use crate::conflict::{has_conflict, scan_conflicts};
use crate::lines::{LineIndex, quote_lines};
use crate::parsed_file::{ParsedFile, is_in_rust_test, parse};
use crate::rule_match::{FileScan, RuleMatch, ScanInput, TextEdit};
use crate::ruleset::RuleSet;
use crate::secrets::scan_secrets;
use crate::suppression::{Suppressions, is_allowed_by_attribute};
use crate::{file_origin, language, syntax};

/// Finds what the rules say of the changed lines of a file, as [`scan_file`] does.
#[must_use]
pub fn scan(rules: &RuleSet, file: &ScanInput<'_>) -> Vec<RuleMatch> {
    scan_file(rules, file).matches
}

/// Finds what the rules say of the changed lines of a file: structural rules, secrets, conflict
/// markers. Binary files have no matches; generated files, and files over 1 MB, only secrets and
/// conflict markers. Bytes that are no UTF-8 are read as `U+FFFD`, and what is nested too deep as
/// blank; such a file has no fixes.
#[must_use]
pub fn scan_file(rules: &RuleSet, file: &ScanInput<'_>) -> FileScan {
    if is_binary(file.content) {
        return FileScan::default();
    }
    let text = String::from_utf8_lossy(file.content);
    let read = ScanInput {
        content: text.as_bytes(),
        ..*file
    };
    let index = LineIndex::new(read.content);
    let language = language::language_of_path(file.path).filter(|_| !file.generated);
    let parsed = language.map(|language| parse(language, &text));
    let (document, mut unread) = match &parsed {
        Some(Ok(parsed)) => (
            Some(&parsed.document),
            parsed.pruned.then_some(UnseenReason::Nesting),
        ),
        Some(Err(reason)) => (None, Some(*reason)),
        None => (None, None),
    };
    let mut matches = scan_secrets(
        rules.secrets(),
        file,
        &LineIndex::new(file.content),
        document.filter(|_| matches!(text, Cow::Borrowed(_))),
    );
    if let Some(header) = rules.conflict() {
        matches.extend(scan_conflicts(header, &read, &index, document));
    }
    if let Some(header) = rules.bidi() {
        matches.extend(scan_bidi(header, &read, &text, &index, document));
    }
    if let Some(document) = document {
        matches.extend(scan_structure(rules, &read, &index, document));
    }
    if matches!(text, Cow::Owned(_)) || unread.is_some() {
        for found in &mut matches {
            (found.fix, found.suggestion) = (None, None);
        }
    }
    // Where there is nothing to look for in the structure, nothing was left out.
    if language.is_none_or(|language| rules.structural_for(language).is_none()) {
        unread = None;
    }
    sort_matches(&mut matches);
    FileScan { matches, unread }
}

/// Finds syntax that the new version of a file breaks, on changed lines, as matches. `before` is
/// the version in the base; None: the file is new.
#[must_use]
pub fn scan_syntax(rules: &RuleSet, file: &ScanInput<'_>, before: Option<&[u8]>) -> Vec<RuleMatch> {
    let Some(header) = rules.syntax() else {
        return Vec::new();
    };
    if is_binary(file.content) || file.generated {
        return Vec::new();
    }
    let index = LineIndex::new(file.content);
    // Of a file with a conflict in it the conflict is told.
    if rules.conflict().is_some() && has_conflict(file) {
        return Vec::new();
    }
    syntax::confirmed_errors(file.path, before, file.content)
        .into_iter()
        .filter(|error| file.changed_lines.overlaps(error.line, error.line))
        .take(1)
        .map(|error| RuleMatch {
            description: append_parser_message(
                header.note.as_deref().unwrap_or_default(),
                &error.message,
            ),
            evidence: quote_lines(file.content, &index, error.line, error.line),
            ..header.match_at(file.path, error.line..=error.line, error.column)
        })
        .collect()
}

/// A rule's note with what the parser says, quoted.
fn append_parser_message(note: &str, parser_message: &str) -> String {
    format!(
        "{}\n\n> {}",
        note.trim_end(),
        parser_message.trim_end().replace('\n', " ")
    )
}

fn sort_matches(found: &mut Vec<RuleMatch>) {
    found.sort_by(|a, b| {
        (a.line, a.column, &a.rule_id, a.end_line).cmp(&(b.line, b.column, &b.rule_id, b.end_line))
    });
    found.dedup();
}

fn scan_structure(
    rules: &RuleSet,
    file: &ScanInput<'_>,
    index: &LineIndex,
    document: &ParsedFile,
) -> Vec<RuleMatch> {
    let Some((kinds, all)) = rules.structural_for(*document.lang()) else {
        return Vec::new();
    };
    // What tests read may be wrong on purpose.
    if file_origin::is_fixture_file(file.path) {
        return Vec::new();
    }
    let is_test = file_origin::is_test_file(file.path);
    let admitted: BTreeSet<usize> = kinds
        .iter()
        .flatten()
        .copied()
        .filter(|at| all[*at].applies_to(file.path, is_test))
        .collect();
    let has_error = document.root().get_inner_node().has_error();
    let suppressions = LazyCell::new(|| Suppressions::of(document));
    let mut found = Vec::new();
    for node in document.root().dfs() {
        let Some(candidates) = kinds.get(usize::from(node.kind_id())) else {
            continue;
        };
        if candidates.is_empty()
            || !file
                .changed_lines
                .overlaps(node.start_pos().line() + 1, node.end_pos().line() + 1)
            || (has_error && is_in_error(&node))
        {
            continue;
        }
        for at in candidates.iter().filter(|at| admitted.contains(*at)) {
            let rule = &all[*at];
            let Some((config, node_match)) = rule.match_node(&node) else {
                continue;
            };
            if !rule
                .header
                .metadata
                .tests
                .includes(is_test || is_in_rust_test(&node_match))
            {
                continue;
            }
            let found_match = match_of_node(rule, config, file, index, &node_match);
            let lines = found_match.line..=found_match.end_line;
            if file.changed_lines.overlaps(*lines.start(), *lines.end())
                && !suppressions.silence(&rule.header, &lines)
                && !is_allowed_by_attribute(&rule.header, &node_match)
            {
                found.push(found_match);
            }
        }
    }
    found
}

/// Says whether the parser was not sure of this node.
fn is_in_error(node: &Node<'_, StrDoc<SupportLang>>) -> bool {
    node.get_inner_node().has_error() || node.ancestors().any(|ancestor| ancestor.is_error())
}

fn match_of_node(
    rule: &StructuralRule,
    config: &RuleConfig<SupportLang>,
    file: &ScanInput<'_>,
    index: &LineIndex,
    node_match: &NodeMatch<'_, StrDoc<SupportLang>>,
) -> RuleMatch {
    let range = node_match.range();
    let line = index.line_of(range.start);
    let end_line = index.last_line_of(&range);
    let fix = config.fixer.first().map(|fixer| {
        let replaced = fixer.get_replaced_range(node_match, &config.matcher);
        let bytes = fixer.generate_replacement(node_match);
        edit_keeping_line_ends(file.content, replaced, &String::from_utf8_lossy(&bytes))
    });
    let message = config.get_message(node_match);
    RuleMatch {
        title: message
            .lines()
            .next()
            .unwrap_or_default()
            .chars()
            .take(200)
            .collect(),
        suggestion: fix
            .as_ref()
            .and_then(|fix| suggested_lines(file.content, index, line, end_line, fix)),
        evidence: quote_lines(file.content, index, line, end_line),
        fix,
        ..(rule.header).match_at(file.path, line..=end_line, index.column_of(range.start))
    }
}

/// Makes an edit that keeps the file's line ends. Where nothing remains of whole lines, the lines
/// go too.
fn edit_keeping_line_ends(content: &[u8], range: Range<usize>, replacement: &str) -> TextEdit {
    let range = if replacement.is_empty() {
        whole_lines(content, range)
    } else {
        range
    };
    let mut replacement = replacement.replace("\r\n", "\n");
    if uses_crlf(content) {
        replacement = replacement.replace('\n', "\r\n");
    }
    TextEdit { range, replacement }
}

/// Says whether the file's first line ends with CRLF.
fn uses_crlf(content: &[u8]) -> bool {
    let end = content.iter().position(|byte| *byte == b'\n');
    end.is_some_and(|end| end > 0 && content[end - 1] == b'\r')
}

/// Widens a range to whole lines where only blanks stand beside it.
fn whole_lines(content: &[u8], range: Range<usize>) -> Range<usize> {
    let start = content[..range.start]
        .iter()
        .rposition(|byte| *byte == b'\n')
        .map_or(0, |at| at + 1);
    let after = &content[range.end..];
    let end = after
        .iter()
        .position(|byte| *byte == b'\n')
        .map_or(content.len(), |at| range.end + at + 1);
    let beside = content[start..range.start]
        .iter()
        .chain(&content[range.end..end]);
    let is_alone = beside.clone().all(u8::is_ascii_whitespace);
    if !is_alone {
        return range;
    }
    // The last line of a file without a line end goes with the one before it, so that the file still has none.
    let has_end = content[start..end].last() == Some(&b'\n');
    if has_end {
        return start..end;
    }
    let before = &content[..start];
    let before = before.strip_suffix(b"\n").unwrap_or(before);
    let before = before.strip_suffix(b"\r").unwrap_or(before);
    before.len()..end
}

/// The lines `first..=last` as the edit leaves them, when it stays within them.
fn suggested_lines(
    content: &[u8],
    index: &LineIndex,
    first: usize,
    last: usize,
    fix: &TextEdit,
) -> Option<String> {
    let lines = index.bytes_of(first, last);
    if fix.range.start < lines.start || fix.range.end > lines.end {
        return None;
    }
    let before = String::from_utf8_lossy(&content[lines.start..fix.range.start]);
    let after = String::from_utf8_lossy(&content[fix.range.end..lines.end]);
    let text = format!("{before}{}{after}", fix.replacement).replace("\r\n", "\n");
    Some(text.strip_suffix('\n').unwrap_or(&text).to_owned())
}
