//! SARIF 2.1.0. Its fixes are not read: none of the linters that print it says which are safe.

use std::collections::HashMap;

use serde::Deserialize;

use crate::diagnostic::{Diagnostic, ParseError, Severity};
use crate::source::{Source, last_line, line_number};

#[derive(Deserialize)]
struct Log {
    runs: Vec<Run>,
}

#[derive(Deserialize)]
struct Run {
    tool: Tool,
    results: Option<Vec<SarifResult>>,
}

#[derive(Deserialize)]
struct Tool {
    driver: Driver,
}

#[derive(Deserialize)]
struct Driver {
    #[serde(default)]
    rules: Vec<Rule>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Rule {
    id: String,
    help_uri: Option<String>,
    default_configuration: Option<Configuration>,
}

#[derive(Deserialize)]
struct Configuration {
    level: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SarifResult {
    rule_id: Option<String>,
    level: Option<String>,
    message: Message,
    #[serde(default)]
    locations: Vec<Location>,
    #[serde(default)]
    suppressions: Vec<serde_json::Value>,
}

#[derive(Deserialize)]
struct Message {
    text: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Location {
    physical_location: Option<PhysicalLocation>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PhysicalLocation {
    artifact_location: ArtifactLocation,
    region: Option<Region>,
}

#[derive(Deserialize)]
struct ArtifactLocation {
    uri: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Region {
    start_line: Option<u64>,
    end_line: Option<u64>,
    end_column: Option<u64>,
}

pub(super) fn parse(output: &[u8], source: &Source<'_>) -> Result<Vec<Diagnostic>, ParseError> {
    // A summary for people may follow.
    let log: Log = serde_json::Deserializer::from_slice(output)
        .into_iter()
        .next()
        .ok_or_else(|| ParseError::new("no SARIF"))?
        .map_err(ParseError::new)?;
    let mut diagnostics = Vec::new();
    for run in log.runs {
        let rules: HashMap<&str, &Rule> = run
            .tool
            .driver
            .rules
            .iter()
            .map(|rule| (rule.id.as_str(), rule))
            .collect();
        let found = run
            .results
            .unwrap_or_default()
            .into_iter()
            .filter(|result| result.suppressions.is_empty())
            .filter_map(|result| diagnostic(result, &rules, source));
        diagnostics.extend(found);
    }
    Ok(diagnostics)
}

fn diagnostic(
    result: SarifResult,
    rules: &HashMap<&str, &Rule>,
    source: &Source<'_>,
) -> Option<Diagnostic> {
    let place = result.locations.into_iter().next()?.physical_location?;
    let path = path_of(&place.artifact_location.uri?, source)?;
    let region = place.region?;
    let line = region.start_line?;
    let rule = result
        .rule_id
        .as_ref()
        .and_then(|id| rules.get(id.as_str()));
    let default_level = rule
        .and_then(|rule| rule.default_configuration.as_ref())
        .and_then(|configuration| configuration.level.as_deref());
    Some(Diagnostic {
        path,
        line: line_number(line),
        end_line: last_line(line, region.end_line, region.end_column),
        severity: severity(result.level.as_deref().or(default_level)),
        url: rule
            .and_then(|rule| rule.help_uri.clone())
            .filter(|page| !page.is_empty()),
        message: result.message.text.or_else(|| result.rule_id.clone())?,
        code: result.rule_id,
        fix: None,
    })
}

/// The path of a URI. Linters differ in whether they escape it.
fn path_of(uri: &str, source: &Source<'_>) -> Option<String> {
    if let Some(path) = uri.strip_prefix("file://") {
        return source.relative(&unescape(path)?);
    }
    let plain = source.relative(uri);
    let exists = plain.as_ref().is_some_and(|path| source.exists(path));
    if exists || !uri.contains('%') {
        return plain;
    }
    source.relative(&unescape(uri)?)
}

/// The text of a URI: `%20` is a space. `None` where it is no UTF-8.
fn unescape(uri: &str) -> Option<String> {
    let mut parts = uri.split('%');
    let mut bytes = parts.next()?.as_bytes().to_vec();
    for part in parts {
        match part.get(..2).map(|code| u8::from_str_radix(code, 16)) {
            Some(Ok(byte)) => {
                bytes.push(byte);
                bytes.extend_from_slice(part.as_bytes().get(2..)?);
            }
            _ => {
                bytes.push(b'%');
                bytes.extend_from_slice(part.as_bytes());
            }
        }
    }
    String::from_utf8(bytes).ok()
}

fn severity(level: Option<&str>) -> Severity {
    match level {
        Some("error") => Severity::Error,
        Some("note" | "none") => Severity::Note,
        _ => Severity::Warning,
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn a_uri_is_a_path_whether_escaped_or_not() {
        let read = |path: &str| (path == "100%25.py").then(Vec::new);
        let source = Source::new(Path::new("/root/of/run"), &read);
        for (uri, expected) in [
            ("a%20b.py", Some("a b.py")),
            ("file:///root/of/run/a%20b.py", Some("a b.py")),
            ("file:///etc/passwd", None),
            ("%2e%2e/a.py", None),
            ("100%25.py", Some("100%25.py")),
            ("50%.py", Some("50%.py")),
            ("%ff.py", None),
            ("%+1.py", Some("\u{1}.py")),
        ] {
            assert_eq!(path_of(uri, &source).as_deref(), expected, "{uri}");
        }
    }

    #[test]
    fn what_is_suppressed_or_has_no_line_is_left_out() {
        let result = |rest: &str| format!("{{\"message\": {{\"text\": \"m\"}}{rest}}}");
        let place = |region: &str| {
            let file = "\"artifactLocation\": {\"uri\": \"a.py\"}";
            format!(", \"locations\": [{{\"physicalLocation\": {{{file}{region}}}}}]")
        };
        let line = place(", \"region\": {\"startLine\": 0}");
        let results = [
            result(&line),
            result(&format!("{line}, \"suppressions\": [{{}}]")),
            result(&place("")),
            result(""),
        ];
        let driver = "{\"tool\": {\"driver\": {}}, \"results\":";
        let log = format!(
            "{{\"runs\": [{driver} [{}]}}]}}\n1 issue",
            results.join(",")
        );
        let source = Source::new(Path::new("/"), &|_| None);
        let found = parse(log.as_bytes(), &source).unwrap();
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].line, found[0].severity), (1, Severity::Warning));
    }
}
