//! Reading what linters print. One file a format.

mod actionlint;
mod cargo;
mod eslint;
mod github;
mod json;
mod ruff;
mod sarif;
mod shellcheck;

use std::collections::HashSet;
use std::path::Path;

use crate::diagnostic::{Diagnostic, ParseError};
use crate::source::Source;
use crate::table::Format;

/// Reads what a linter printed. `root` is the absolute folder where it ran, `read` gives the bytes
/// of a file at the head by its relative path. What is about no line of a file below the root is
/// left out, and so is what is said twice. A diagnostic whose place is not in the file keeps its
/// line and loses its fix.
///
/// # Errors
///
/// Where the output is not of this format.
pub fn parse(
    format: Format,
    output: &[u8],
    root: &Path,
    read: &dyn Fn(&str) -> Option<Vec<u8>>,
) -> Result<Vec<Diagnostic>, ParseError> {
    let source = Source::new(root, read);
    let mut diagnostics = match format {
        Format::Sarif => sarif::parse(output, &source),
        Format::Ruff => ruff::parse(output, &source),
        Format::Eslint => eslint::parse(output, &source),
        Format::Cargo => cargo::parse(output, &source),
        Format::Shellcheck => shellcheck::parse(output, &source),
        Format::Actionlint => actionlint::parse(output, &source),
        Format::Github => github::parse(output, &source),
    }?;
    let mut seen = HashSet::new();
    diagnostics.retain(|diagnostic| seen.insert(diagnostic.clone()));
    Ok(diagnostics)
}
