//! The JSON of ruff: a list of findings, with lines and columns in characters.

use serde::Deserialize;

use super::json::from_json;
use crate::diagnostic::{Diagnostic, Edit, ParseError, Severity};
use crate::source::{Source, fix_of, last_line, line_number};
use crate::text::{Counting, Text};

#[derive(Deserialize)]
struct Finding {
    filename: String,
    /// The cell of a notebook that the lines are counted in.
    cell: Option<u64>,
    code: Option<String>,
    message: String,
    location: Location,
    end_location: Option<Location>,
    fix: Option<Fix>,
    url: Option<String>,
}

#[derive(Deserialize)]
struct Location {
    row: u64,
    column: u64,
}

#[derive(Deserialize)]
struct Fix {
    applicability: Option<String>,
    edits: Vec<FixEdit>,
}

#[derive(Deserialize)]
struct FixEdit {
    content: String,
    location: Location,
    end_location: Location,
}

pub(super) fn parse(output: &[u8], source: &Source<'_>) -> Result<Vec<Diagnostic>, ParseError> {
    let findings: Vec<Finding> = from_json(output)?;
    Ok(findings
        .into_iter()
        .filter(|finding| finding.cell.is_none())
        .filter_map(|finding| diagnostic(finding, source))
        .collect())
}

fn diagnostic(finding: Finding, source: &Source<'_>) -> Option<Diagnostic> {
    let path = source.relative(&finding.filename)?;
    let text = source.text(&path);
    let text = text.as_deref();
    let start = row(text, &finding.location);
    let end = finding.end_location.as_ref();
    Some(Diagnostic {
        line: line_number(start),
        end_line: last_line(
            start,
            end.map(|end| row(text, end)),
            end.map(|end| end.column),
        ),
        severity: severity(finding.code.as_deref()),
        fix: finding.fix.and_then(|fix| safe_fix(fix, text?)),
        code: finding.code,
        message: finding.message,
        url: finding.url,
        path,
    })
}

/// The line as others count it: for ruff a lone `\r` ends a line too.
fn row(text: Option<&Text>, location: &Location) -> u64 {
    text.and_then(|text| Some(text.line_of(byte_of(text, location)?)))
        .unwrap_or(location.row)
}

fn byte_of(text: &Text, location: &Location) -> Option<usize> {
    text.byte_of_column(location.row, location.column, Counting::Python)
}

fn safe_fix(fix: Fix, text: &Text) -> Option<Vec<Edit>> {
    if fix.applicability.as_deref() != Some("safe") {
        return None;
    }
    let edits = fix.edits.into_iter().map(|edit| {
        Some(Edit {
            start: byte_of(text, &edit.location)?,
            end: byte_of(text, &edit.end_location)?,
            text: edit.content,
        })
    });
    fix_of(text, edits)
}

/// Ruff calls nearly everything an error. Errors are what does not run: broken syntax, statements
/// out of place, undefined names, and what Pylint calls an error.
fn severity(code: Option<&str>) -> Severity {
    const ERRORS: [&str; 5] = ["E9", "F7", "F82", "PLE", "invalid-syntax"];
    let is_error = code.is_none_or(|code| ERRORS.iter().any(|error| code.starts_with(error)));
    if is_error {
        Severity::Error
    } else {
        Severity::Warning
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_does_not_run_is_an_error() {
        for code in [
            None,
            Some("E902"),
            Some("F821"),
            Some("F706"),
            Some("PLE0101"),
        ] {
            assert_eq!(severity(code), Severity::Error, "{code:?}");
        }
        for code in ["E711", "F401", "F841", "B006", "S101", "PLW0603", "I001"] {
            assert_eq!(severity(Some(code)), Severity::Warning, "{code}");
        }
    }
}
