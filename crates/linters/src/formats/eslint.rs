//! The JSON of ESLint: a list of files, with fixes in UTF-16 code units behind a byte order mark.

use serde::Deserialize;

use super::json::from_json;
use crate::diagnostic::{Diagnostic, Edit, ParseError, Severity};
use crate::source::{Source, fix_of, last_line, line_number};
use crate::text::Text;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct LintedFile {
    file_path: String,
    messages: Vec<Message>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Message {
    rule_id: Option<String>,
    severity: u64,
    message: String,
    /// Missing where a message is about the run and not about the code.
    line: Option<u64>,
    end_line: Option<u64>,
    end_column: Option<u64>,
    fix: Option<Fix>,
}

#[derive(Deserialize)]
struct Fix {
    range: (i64, i64),
    text: String,
}

pub(super) fn parse(output: &[u8], source: &Source<'_>) -> Result<Vec<Diagnostic>, ParseError> {
    let files: Vec<LintedFile> = from_json(output)?;
    let mut diagnostics = Vec::new();
    for file in files {
        let Some(path) = source.relative(&file.file_path) else {
            continue;
        };
        let text = source.text(&path);
        let found = file
            .messages
            .into_iter()
            .filter_map(|message| diagnostic(message, &path, text.as_deref()));
        diagnostics.extend(found);
    }
    Ok(diagnostics)
}

fn diagnostic(message: Message, path: &str, text: Option<&Text>) -> Option<Diagnostic> {
    let line = message.line?;
    Some(Diagnostic {
        path: path.to_owned(),
        line: line_number(line),
        end_line: last_line(line, message.end_line, message.end_column),
        severity: if message.severity >= 2 {
            Severity::Error
        } else {
            Severity::Warning
        },
        fix: message.fix.and_then(|fix| byte_fix(fix, text?)),
        url: message.rule_id.as_deref().and_then(rule_page),
        code: message.rule_id,
        message: message.message,
    })
}

fn byte_fix(fix: Fix, text: &Text) -> Option<Vec<Edit>> {
    let byte = |offset: i64| text.byte_of_utf16(usize::try_from(offset).ok()?);
    let (start, end) = fix.range;
    let edit = Some(Edit {
        start: byte(start)?,
        end: byte(end)?,
        text: fix.text,
    });
    fix_of(text, [edit].into_iter())
}

/// The page of a rule of ESLint itself. Where the rules of plugins are described is not known.
fn rule_page(rule: &str) -> Option<String> {
    let is_core = rule
        .bytes()
        .all(|byte| byte.is_ascii_lowercase() || byte == b'-');
    is_core.then(|| format!("https://eslint.org/docs/latest/rules/{rule}"))
}
