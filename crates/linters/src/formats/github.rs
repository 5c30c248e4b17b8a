//! The workflow commands of GitHub Actions, a line each: `::error file=…,line=…::…`. They have no
//! fixes.

use crate::diagnostic::{Diagnostic, ParseError, Severity};
use crate::source::{Source, last_line, line_number};

pub(super) fn parse(output: &[u8], source: &Source<'_>) -> Result<Vec<Diagnostic>, ParseError> {
    let output = std::str::from_utf8(output).map_err(ParseError::new)?;
    let mut diagnostics = Vec::new();
    // A summary for people may follow.
    for line in output.lines() {
        let Some(command) = line.strip_prefix("::") else {
            continue;
        };
        let (head, message) = command
            .split_once("::")
            .ok_or_else(|| ParseError::new("a workflow command without an end"))?;
        let (name, properties) = head.split_once(' ').unwrap_or((head, ""));
        if let Some(severity) = severity(name) {
            diagnostics.extend(diagnostic(severity, properties, message, source));
        }
    }
    Ok(diagnostics)
}

fn severity(command: &str) -> Option<Severity> {
    match command {
        "error" => Some(Severity::Error),
        "warning" => Some(Severity::Warning),
        "notice" => Some(Severity::Note),
        _ => None,
    }
}

fn diagnostic(
    severity: Severity,
    properties: &str,
    message: &str,
    source: &Source<'_>,
) -> Option<Diagnostic> {
    let property = |name: &str| {
        properties.split(',').find_map(|property| {
            let (key, value) = property.split_once('=')?;
            (key.trim() == name).then(|| unescape(value))
        })
    };
    let number = |name: &str| property(name).and_then(|value| value.parse::<u64>().ok());
    let file = property("file")?;
    let line = number("line")?;
    let message = unescape(message);
    let place = format!("{file}:{line}:");
    Some(Diagnostic {
        path: source.relative(&file)?,
        line: line_number(line),
        end_line: last_line(line, number("endLine"), number("endColumn")),
        code: property("title").filter(|title| !title.is_empty()),
        message: without_place(&message, &place).to_owned(),
        severity,
        url: None,
        fix: None,
    })
}

/// The message without the place that some linters repeat before it: `file:line:column: `.
fn without_place<'a>(message: &'a str, place: &str) -> &'a str {
    message
        .strip_prefix(place)
        .and_then(|rest| rest.split_once(": "))
        .filter(|(column, _)| column.bytes().all(|byte| byte.is_ascii_digit()))
        .map_or(message, |(_, message)| message)
}

/// The value of an escaped one. `%25` comes last: it is what the others are escaped with.
fn unescape(value: &str) -> String {
    const ESCAPES: [(&str, &str); 5] = [
        ("%0D", "\r"),
        ("%0A", "\n"),
        ("%3A", ":"),
        ("%2C", ","),
        ("%25", "%"),
    ];
    ESCAPES
        .iter()
        .fold(value.to_owned(), |value, (escaped, plain)| {
            value.replace(escaped, plain)
        })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn parsed(output: &str) -> Result<Vec<Diagnostic>, ParseError> {
        parse(
            output.as_bytes(),
            &Source::new(Path::new("/root/of/run"), &|_| None),
        )
    }

    #[test]
    fn escaped_values_are_read() {
        let line = "::warning title=a%2Cb,file=od%2Cd%3A 100%25 %250A.js,line=3::x%0Ay::z%2525\n";
        let found = parsed(line).unwrap();
        assert_eq!(found[0].path, "od,d: 100% %0A.js");
        assert_eq!(found[0].code.as_deref(), Some("a,b"));
        assert_eq!(found[0].message, "x\ny::z%25");
        assert_eq!((found[0].line, found[0].end_line), (3, 3));
    }

    #[test]
    fn what_has_no_line_is_left_out() {
        assert_eq!(parsed("::error title=a,file=a.js::x\n"), Ok(Vec::new()));
        assert_eq!(parsed("::error line=1::x\n"), Ok(Vec::new()));
        assert_eq!(parsed("::debug::x\nFound 1 error.\n"), Ok(Vec::new()));
        assert!(parsed("::error file=a.js,line=1").is_err());
    }
}
