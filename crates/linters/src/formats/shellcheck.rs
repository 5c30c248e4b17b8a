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
