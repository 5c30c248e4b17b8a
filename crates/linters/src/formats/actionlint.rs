//! The JSON of actionlint, as its format `{{json .}}` prints it. It knows no fixes.

use serde::Deserialize;

use super::json::from_json;
use crate::diagnostic::{Diagnostic, ParseError, Severity};
use crate::source::{Source, line_number};

#[derive(Deserialize)]
struct Finding {
    filepath: String,
    line: u64,
    message: String,
    kind: Option<String>,
}

pub(super) fn parse(output: &[u8], source: &Source<'_>) -> Result<Vec<Diagnostic>, ParseError> {
    // Without findings some versions print `null`.
    let findings: Option<Vec<Finding>> = from_json(output)?;
    Ok(findings
        .unwrap_or_default()
        .into_iter()
        .filter_map(|finding| {
            let line = line_number(finding.line);
            Some(Diagnostic {
                path: source.relative(&finding.filepath)?,
                line,
                end_line: line,
                code: finding.kind,
                message: finding.message,
                severity: Severity::Error,
                url: None,
                fix: None,
            })
        })
        .collect())
}
