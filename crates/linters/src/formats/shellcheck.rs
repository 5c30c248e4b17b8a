//! The JSON of ShellCheck, `json1`, with columns in characters.

use serde::Deserialize;

use super::json::from_json;
use crate::diagnostic::{Diagnostic, Edit, ParseError, Severity};
use crate::source::{Source, fix_of, last_line, line_number};
use crate::text::{Counting, Text};

#[derive(Deserialize)]
struct Report {
    comments: Vec<Comment>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Comment {
    file: String,
    line: u64,
    end_line: Option<u64>,
    end_column: Option<u64>,
    level: String,
    code: u64,
    message: String,
    fix: Option<Fix>,
}

#[derive(Deserialize)]
struct Fix {
    replacements: Vec<Replacement>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Replacement {
    line: u64,
    column: u64,
    end_line: u64,
    end_column: u64,
    replacement: String,
}

pub(super) fn parse(output: &[u8], source: &Source<'_>) -> Result<Vec<Diagnostic>, ParseError> {
    let report: Report = from_json(output)?;
    let comments = report.comments.into_iter();
    Ok(comments
        .filter_map(|comment| diagnostic(comment, source))
        .collect())
}

fn diagnostic(comment: Comment, source: &Source<'_>) -> Option<Diagnostic> {
    let path = source.relative(&comment.file)?;
    let code = format!("SC{:04}", comment.code);
    let fix = comment
        .fix
        .filter(|_| comment.code == UNQUOTED_VARIABLE)
        .and_then(|fix| quotes(fix, source.text(&path).as_deref()?));
    Some(Diagnostic {
        line: line_number(comment.line),
        end_line: last_line(comment.line, comment.end_line, comment.end_column),
        severity: severity(&comment.level),
        url: Some(format!("https://www.shellcheck.net/wiki/{code}")),
        code: Some(code),
        message: comment.message,
        fix,
        path,
    })
}

/// The rule about variables that are not quoted. ShellCheck does not say which fixes are safe;
/// this one is kept where it does nothing but insert quotes.
const UNQUOTED_VARIABLE: u64 = 2086;

fn quotes(fix: Fix, text: &Text) -> Option<Vec<Edit>> {
    let edits = fix.replacements.into_iter().map(|one| {
        let is_quote =
            one.replacement == "\"" && (one.line, one.column) == (one.end_line, one.end_column);
        let at = text.byte_of_column(one.line, one.column, Counting::Plain)?;
        is_quote.then_some(Edit {
            start: at,
            end: at,
            text: one.replacement,
        })
    });
    fix_of(text, edits)
}

fn severity(level: &str) -> Severity {
    match level {
        "error" => Severity::Error,
        "warning" => Severity::Warning,
        _ => Severity::Note,
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    /// Whether a fix that puts `text` before and behind the second word is kept.
    fn is_kept(code: u64, text: &str) -> bool {
        let edit = |column: u64| {
            format!(
                "{{\"line\": 1, \"column\": {column}, \"endLine\": 1, \"endColumn\": {column}, \
                 \"replacement\": {text:?}, \"precedence\": 1, \"insertionPoint\": \"afterEnd\"}}"
            )
        };
        let output = format!(
            "{{\"comments\": [{{\"file\": \"a.sh\", \"line\": 1, \"endLine\": 1, \"column\": 6, \
             \"endColumn\": 8, \"level\": \"info\", \"code\": {code}, \"message\": \"m\", \
             \"fix\": {{\"replacements\": [{}, {}]}}}}]}}",
            edit(6),
            edit(8)
        );
        let read = |_: &str| Some(b"echo $x\n".to_vec());
        let source = Source::new(Path::new("/root/of/run"), &read);
        let found = parse(output.as_bytes(), &source).unwrap();
        assert_eq!(found.len(), 1);
        found[0].fix.is_some()
    }

    #[test]
    fn only_quotes_around_a_variable_are_a_safe_fix() {
        assert!(is_kept(2086, "\""));
        assert!(!is_kept(2046, "\""), "another rule");
        assert!(!is_kept(2086, "'"), "no quotes that let a variable through");
    }
}
