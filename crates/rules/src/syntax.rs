//! Broken syntax (SPEC §6.3c).

use ast_grep_language::SupportLang;
use collie_core::file_marks::is_binary;
use serde::de::IgnoredAny;

use crate::file_origin;
use crate::language::{SyntaxParser, syntax_parser_of};
use crate::lines::LineIndex;
use crate::parsed_file::{MAX_FILE_BYTES, parse};
use crate::second_parser::{SecondOpinion, second_opinion};

/// A place where a file does not parse.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct SyntaxError {
    /// The line, from 1.
    pub line: usize,
    /// The column, in bytes from 1.
    pub column: usize,
    /// What the parser says, for logs.
    pub message: String,
}

/// The most errors told of one file: the first one matters, the rest mostly follow from it.
const MAX_ERRORS: usize = 20;

/// Says whether a file of a known language parses. None: nobody can tell (the language is
/// unknown, the file is binary, no UTF-8, too large, nested too deep, or a template).
#[must_use]
pub fn parses(path: &str, content: &[u8]) -> Option<bool> {
    find_errors(path, content).map(|errors| errors.is_empty())
}

/// Finds broken syntax that this change brought: nothing where the version before was broken too,
/// and nothing in a new file unless its grammar knows the whole language and the file is no
/// fixture, which may be broken on purpose. Nothing where a second parser reads it. Ordered by line; at most twenty.
#[must_use]
pub fn syntax_errors(path: &str, before: Option<&[u8]>, after: &[u8]) -> Vec<SyntaxError> {
    errors_by(path, before, after, |opinion| {
        opinion != SecondOpinion::Parses
    })
}

/// Finds broken syntax that this change brought and that a second parser fails on too, or that the parser of JSON or TOML tells, of which
/// there is but one kind.
#[must_use]
pub(crate) fn confirmed_errors(
    path: &str,
    before: Option<&[u8]>,
    after: &[u8],
) -> Vec<SyntaxError> {
    errors_by(path, before, after, |opinion| {
        opinion == SecondOpinion::Fails
    })
}

fn errors_by(
    path: &str,
    before: Option<&[u8]>,
    after: &[u8],
    believes: fn(SecondOpinion) -> bool,
) -> Vec<SyntaxError> {
    let is_believable = match before {
        Some(before) => parses(path, before) == Some(true),
        None => {
            !file_origin::is_test_file(path)
                && !matches!(syntax_parser_of(path), Some(SyntaxParser::Lenient(_)))
        }
    };
    if !is_believable {
        return Vec::new();
    }
    let errors = find_errors(path, after).unwrap_or_default();
    let opinion = || match syntax_parser_of(path) {
        Some(SyntaxParser::Strict(language) | SyntaxParser::Lenient(language)) => {
            let text = String::from_utf8_lossy(after);
            second_opinion(language, text.trim_start_matches('\u{feff}'))
        }
        Some(SyntaxParser::Json | SyntaxParser::Toml) => SecondOpinion::Fails,
        None => SecondOpinion::None,
    };
    if errors.is_empty() || !believes(opinion()) {
        return Vec::new();
    }
    errors
}

/// All errors of a file. None: nobody can tell.
fn find_errors(path: &str, content: &[u8]) -> Option<Vec<SyntaxError>> {
    let syntax = syntax_parser_of(path)?;
    if content.len() > MAX_FILE_BYTES || is_binary(content) {
        return None;
    }
    let text = std::str::from_utf8(content).ok()?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    match syntax {
        SyntaxParser::Json => json_errors(path, text),
        SyntaxParser::Toml => toml_errors(text),
        SyntaxParser::Strict(language) | SyntaxParser::Lenient(language) => {
            if is_template(text, syntax) || is_dialect(text, language) {
                return None;
            }
            let parsed = parse(language, text).ok().filter(|parsed| !parsed.pruned)?;
            Some(tree_errors(&parsed.document))
        }
    }
}

/// Says whether a text is the input of a template engine, as Helm's charts are.
fn is_template(text: &str, syntax: SyntaxParser) -> bool {
    if text.lines().any(|line| line.trim_start().starts_with("{%")) {
        return true;
    }
    let SyntaxParser::Lenient(language) = syntax else {
        return false;
    };
    // Braces in braces are everyday in JSX.
    !matches!(language, SupportLang::TypeScript | SupportLang::Tsx)
        && (text.contains("{{") || text.contains("{%"))
}

/// Says whether a text is written in a form of its language that the grammar does not know: Flow's types, and Rust from
/// when `try!` was a macro.
fn is_dialect(text: &str, language: SupportLang) -> bool {
    text.contains("@flow") || (language == SupportLang::Rust && text.contains("try!"))
}

fn tree_errors(document: &crate::parsed_file::ParsedFile) -> Vec<SyntaxError> {
    let root = document.root();
    if !root.get_inner_node().has_error() {
        return Vec::new();
    }
    let mut errors: Vec<SyntaxError> = root
        .dfs()
        .filter(|node| node.is_error() || node.is_missing())
        .take(MAX_ERRORS)
        .map(|node| {
            let (row, column) = node.start_pos().byte_point();
            let message = if node.is_missing() {
                format!("missing {}", node.kind())
            } else {
                "unexpected text".to_owned()
            };
            SyntaxError {
                line: row + 1,
                column: column + 1,
                message,
            }
        })
        .collect();
    errors.sort();
    errors.dedup();
    errors
}

/// JSON, save where the file is known to take comments.
fn json_errors(path: &str, text: &str) -> Option<Vec<SyntaxError>> {
    let takes_comments = is_json_with_comments(path)
        || text.contains("{{")
        || text.lines().any(|line| {
            let line = line.trim_start();
            line.starts_with("//") || line.starts_with("/*") || line.starts_with('#')
        });
    if takes_comments || text.trim().is_empty() {
        return None;
    }
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<IgnoredAny>();
    // Some programs write and read one value after the other.
    if values.by_ref().take(2).filter(Result::is_ok).count() == 2
        && values.all(|value| value.is_ok())
    {
        return None;
    }
    match serde_json::from_str::<IgnoredAny>(text) {
        Ok(_) => Some(Vec::new()),
        // The depth that serde_json takes is bounded, JSON's is not.
        Err(error) if error.to_string().starts_with("recursion limit") => None,
        Err(error) => Some(vec![SyntaxError {
            line: error.line().max(1),
            column: error.column().max(1),
            message: error.to_string(),
        }]),
    }
}

fn is_json_with_comments(path: &str) -> bool {
    let name = file_origin::file_name(path);
    let lower = path.to_lowercase();
    name.starts_with("tsconfig")
        || name.starts_with("jsconfig")
        || name.starts_with('.')
        || name.contains("devcontainer")
        || name.contains("settings")
        || lower.starts_with('.')
        || lower.contains("/.")
}

fn toml_errors(text: &str) -> Option<Vec<SyntaxError>> {
    if text.contains("{{") || text.contains("{%") {
        return None;
    }
    let Err(error) = text.parse::<toml::Table>() else {
        return Some(Vec::new());
    };
    let at = error.span().map_or(0, |span| span.start.min(text.len()));
    let index = LineIndex::new(text.as_bytes());
    Some(vec![SyntaxError {
        line: index.line_of(at),
        column: index.column_of(at),
        message: error.message().to_owned(),
    }])
}
