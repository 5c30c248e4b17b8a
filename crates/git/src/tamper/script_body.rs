//! What a test file checks outside of its tests and helpers. A small project's tests are often no more than a script.

use super::assertions::{Assertion, table_rows};
use super::brackets::Brackets;
use super::line_counter::LineCounter;
use super::patterns::patterns;
use super::source_text::SourceLanguage;
use super::test_item::{TestItem, call_counts, identifiers};
use regex::Regex;
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::LazyLock;

/// No test and no helper has such a name: titles have quotes, and names of functions are words.
const NAME: &str = "<script>";

patterns! {
    EXITS = r"\bprocess\.exit\s*\(|\bDeno\.exit\s*\(|\b(?:sys|os)\._?exit\s*\(|\braise\s+SystemExit\b|(?m)^[ \t]*(?:exit|quit)\b";
}

/// What is left of a file where its tests and helpers are taken out, as one more test that is always there. None in languages whose code
/// runs in functions alone.
pub(super) fn script_body(
    language: SourceLanguage,
    code: &str,
    items: &[Range<usize>],
    assertions: &[Assertion],
) -> Option<TestItem> {
    use SourceLanguage::{JavaScript, Python, Ruby};
    if !matches!(language, JavaScript | Python | Ruby) {
        return None;
    }
    let outside = blank_out(code, items);
    let is_outside = |at: usize| !items.iter().any(|item| item.contains(&at));
    let own: Vec<Assertion> = assertions
        .iter()
        .filter(|claim| is_outside(claim.offset))
        .cloned()
        .collect();
    let first = own.first().map(|claim| claim.offset);
    // Rows of a table are checked where something is: elsewhere they are values.
    let rows = table_rows(language, &outside, &Brackets::new(&outside));
    let rows = rows.iter().map(|(_, rows)| rows).sum();
    let checked = first.and_then(|first| outside.get(..first));
    Some(TestItem {
        name: NAME.to_owned(),
        line: LineCounter::new(code).line_at(first.unwrap_or(0)),
        last_line: LineCounter::new(code).line_at(code.len()),
        is_test: true,
        cases: 1,
        table_rows: if first.is_some() { rows } else { 0 },
        call_counts: call_counts(&outside),
        returns_early: EXITS.is_match(checked.unwrap_or(&outside)),
        conditions: BTreeSet::new(),
        identifiers: identifiers(&outside),
        all_identifiers: identifiers(&outside),
        assertions: own,
    })
}

/// The code with these parts blank, as long as before.
fn blank_out(code: &str, parts: &[Range<usize>]) -> String {
    let mut bytes = code.as_bytes().to_vec();
    for part in parts {
        let part = part.start..part.end.min(bytes.len());
        for byte in bytes.get_mut(part).into_iter().flatten() {
            if *byte != b'\n' {
                *byte = b' ';
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
