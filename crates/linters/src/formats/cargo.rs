//! The JSON lines of cargo: the compiler's messages, with places in bytes.

use serde::Deserialize;

use crate::diagnostic::{Diagnostic, Edit, ParseError, Severity};
use crate::source::{Source, fix_of, last_line, line_number};

#[derive(Deserialize)]
struct Line {
    #[serde(default)]
    message: Option<serde_json::Value>,
    #[serde(default)]
    reason: String,
}

#[derive(Deserialize)]
struct Message {
    message: String,
    level: String,
    code: Option<Code>,
    spans: Vec<Span>,
    #[serde(default)]
    children: Vec<Message>,
}

#[derive(Deserialize)]
struct Code {
    code: String,
}

#[derive(Deserialize)]
struct Span {
    file_name: String,
    byte_start: u64,
    byte_end: u64,
    line_start: u64,
    line_end: u64,
    column_end: u64,
    is_primary: bool,
    suggested_replacement: Option<String>,
    suggestion_applicability: Option<String>,
    /// The macro that the place is in.
    expansion: Option<Box<Expansion>>,
}

#[derive(Deserialize)]
struct Expansion {
    span: Span,
}

pub(super) fn parse(output: &[u8], source: &Source<'_>) -> Result<Vec<Diagnostic>, ParseError> {
    let mut diagnostics = Vec::new();
    // Programs that run during the build may print other lines.
    for line in output.split(|byte| *byte == b'\n') {
        if !line.starts_with(b"{") {
            continue;
        }
        let line: Line = serde_json::from_slice(line).map_err(ParseError::new)?;
        let Some(message) = line.message.filter(|_| line.reason == "compiler-message") else {
            continue;
        };
        let message = serde_json::from_value(message).map_err(ParseError::new)?;
        diagnostics.extend(diagnostic(message, source));
    }
    Ok(diagnostics)
}

fn diagnostic(message: Message, source: &Source<'_>) -> Option<Diagnostic> {
    let (path, span) = message
        .spans
        .iter()
        .filter(|span| span.is_primary)
        .find_map(|span| place(span, source))?;
    let code = message.code.as_ref().map(|code| code.code.clone());
    Some(Diagnostic {
        line: line_number(span.line_start),
        end_line: last_line(span.line_start, Some(span.line_end), Some(span.column_end)),
        severity: severity(&message.level),
        url: page(&message, code.as_deref()),
        fix: safe_fix(&message, &path, source),
        message: message.message,
        code,
        path,
    })
}

/// The innermost place below the root: of code that a macro of another package made, where the
/// macro is called.
fn place<'a>(span: &'a Span, source: &Source<'_>) -> Option<(String, &'a Span)> {
    let mut span = span;
    loop {
        if let Some(path) = source.relative(&span.file_name) {
            return Some((path, span));
        }
        span = &span.expansion.as_ref()?.span;
    }
}

fn severity(level: &str) -> Severity {
    if level.starts_with("error") {
        Severity::Error
    } else if level == "warning" {
        Severity::Warning
    } else {
        Severity::Note
    }
}

/// The page about the lint that Clippy names, or about the compiler's error.
fn page(message: &Message, code: Option<&str>) -> Option<String> {
    const PREFIX: &str = "for further information visit ";
    let named = message.children.iter().find_map(|child| {
        let page = child.message.strip_prefix(PREFIX)?;
        page.starts_with("https://").then(|| page.to_owned())
    });
    let is_error = |code: &&str| {
        code.strip_prefix('E')
            .is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()))
    };
    named.or_else(|| {
        let code = code.filter(is_error)?;
        Some(format!("https://doc.rust-lang.org/error_codes/{code}.html"))
    })
}

/// The only suggestion, if a machine may apply all of it and it changes just this file. With
/// several, a person has to choose.
fn safe_fix(message: &Message, path: &str, source: &Source<'_>) -> Option<Vec<Edit>> {
    let mut suggestions = message.children.iter().filter(|child| {
        let mut spans = child.spans.iter();
        spans.any(|span| span.suggested_replacement.is_some())
    });
    let suggestion = suggestions.next()?;
    if suggestions.next().is_some() {
        return None;
    }
    let text = source.text(path)?;
    let edits = suggestion.spans.iter().map(|span| {
        let is_safe = span.suggestion_applicability.as_deref() == Some("MachineApplicable")
            && span.expansion.is_none()
            && source.relative(&span.file_name)? == path;
        let edit = Edit {
            start: usize::try_from(span.byte_start).ok()?,
            end: usize::try_from(span.byte_end).ok()?,
            text: span.suggested_replacement.clone()?,
        };
        is_safe.then_some(edit)
    });
    fix_of(&text, edits)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn span(file: &str, line: u64, expansion: &str) -> String {
        format!(
            "{{\"file_name\": \"{file}\", \"byte_start\": 0, \"byte_end\": 1, \"line_start\": \
             {line}, \"line_end\": {line}, \"column_end\": 2, \"is_primary\": true, \
             \"expansion\": {expansion}}}"
        )
    }

    #[test]
    fn code_of_a_foreign_macro_is_where_the_macro_is_called() {
        let call = span("src/a.rs", 7, "null");
        let inner = span("/rustc/library/a.rs", 3, &format!("{{\"span\": {call}}}"));
        let foreign = span("/registry/b.rs", 1, "null");
        let output: String = [inner, foreign]
            .map(|span| {
                format!(
                    "noise\n{{\"reason\": \"compiler-message\", \"message\": {{\"message\": \
                     \"m\", \"level\": \"error\", \"code\": null, \"spans\": [{span}]}}}}\n"
                )
            })
            .concat();
        let source = Source::new(Path::new("/root/of/run"), &|_| None);
        let found = parse(output.as_bytes(), &source).unwrap();
        let places: Vec<_> = found
            .iter()
            .map(|one| (one.path.as_str(), one.line))
            .collect();
        assert_eq!(places, [("src/a.rs", 7)]);
        assert!(parse(b"{\"reason\": \"compiler-message\"", &source).is_err());
    }
}
