//! Where else touched symbols are defined and used: which files to read, and which lines of them to show.

use super::outline::{Definition, Outline, ReferenceKind, SymbolKind, outline};
use super::touched::{SymbolChange, TouchedSymbol, TouchedSymbols, is_same_language};
use crate::file_origin::{is_fixture_file, is_test_file};
use collie_core::code_context::{CodeRole, RelatedCode, TextHit};
use std::collections::{BTreeMap, BTreeSet};

/// A larger file is data.
pub const MAX_RELATED_FILE_BYTES: u64 = 400_000;
/// Files that are read and parsed for one change.
const MAX_FILES: usize = 80;
/// Files that are read for one symbol.
const MAX_FILES_OF_SYMBOL: usize = 8;
/// A name in more files than these stands for many things: only where it seems to be defined is looked at.
const MAX_FILES_OF_NAME: usize = 120;
/// Definitions of one name that are shown.
const MAX_DEFINITIONS_SHOWN: usize = 2;
/// Call sites of one name that are shown.
const MAX_CALL_SITES_SHOWN: usize = 5;
/// Lines of a definition that are shown.
const MAX_DEFINITION_LINES: u32 = 40;
/// Lines that are shown before and after a call.
const LINES_BEFORE_CALL: u32 = 4;
const LINES_AFTER_CALL: u32 = 4;
/// Pieces of code for one change.
const MAX_PIECES: usize = 150;
/// A longer line is cut here; whoever shows it cuts it shorter.
const MAX_LINE_BYTES: usize = 2_000;

/// What the search found of one name in one file.
#[derive(Default)]
struct WordInFile {
    hits: usize,
    seems_defined: bool,
}

/// Which files to read, best first, after a search for the words of touched symbols. Changed files are not among them: they are shown
/// anyway.
#[must_use]
pub fn files_to_read(
    touched: &TouchedSymbols,
    hits: &[TextHit],
    changed: &BTreeSet<&str>,
) -> Vec<String> {
    let names: BTreeSet<&str> = touched.symbols.iter().map(|s| s.name.as_str()).collect();
    let mut found: BTreeMap<&str, BTreeMap<&str, WordInFile>> = BTreeMap::new();
    for hit in hits
        .iter()
        .filter(|hit| !changed.contains(hit.path.as_str()))
    {
        for (name, seems_defined) in names_in(&hit.text, &names) {
            let files = found.entry(name).or_default();
            let file = files.entry(&hit.path).or_default();
            file.hits += 1;
            file.seems_defined |= seems_defined;
        }
    }
    let mut wanted: Vec<Vec<&str>> = Vec::new();
    for symbol in &touched.symbols {
        let Some(files) = found.get(symbol.name.as_str()) else {
            continue;
        };
        let of_language = files.iter();
        let of_language = of_language.filter(|(path, _)| is_same_language(symbol.path(), path));
        let mut paths: Vec<(&str, &WordInFile)> =
            of_language.map(|(path, word)| (*path, word)).collect();
        if paths.len() > MAX_FILES_OF_NAME {
            paths.retain(|(_, word)| word.seems_defined);
        }
        let used = symbol.change == SymbolChange::Used;
        paths.sort_by_key(|(path, word)| {
            (
                used && !word.seems_defined,
                nearness(symbol.path(), path),
                *path,
            )
        });
        let paths = paths.iter().map(|(path, _)| *path);
        wanted.push(paths.take(MAX_FILES_OF_SYMBOL).collect());
    }
    by_turns(&wanted)
}

/// The first of each list, then the second of each; every path once.
fn by_turns(lists: &[Vec<&str>]) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let mut out = Vec::new();
    for turn in 0..MAX_FILES_OF_SYMBOL {
        for path in lists.iter().filter_map(|list| list.get(turn)) {
            if out.len() < MAX_FILES && seen.insert(*path) {
                out.push((*path).to_owned());
            }
        }
    }
    out
}

/// Names that stand in a line as whole words, and whether they seem to be defined there.
fn names_in<'n>(line: &str, names: &BTreeSet<&'n str>) -> Vec<(&'n str, bool)> {
    let is_of_word = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == '$';
    let words: Vec<&str> = line
        .split(|letter: char| !is_of_word(letter))
        .filter(|word| !word.is_empty())
        .collect();
    let mut out = Vec::new();
    for (at, word) in words.iter().enumerate() {
        if let Some(name) = names.get(*word) {
            let before = words.get(at.wrapping_sub(1)).copied().unwrap_or_default();
            // `func (r *Reader) Read(` of Go.
            let is_method = line.trim_start().starts_with("func (") && at >= 2;
            out.push((*name, is_method || DEFINING_WORDS.contains(&before)));
        }
    }
    out
}

/// Words that stand before the name of what they define.
const DEFINING_WORDS: [&str; 26] = [
    "fn",
    "def",
    "func",
    "fun",
    "function",
    "class",
    "struct",
    "enum",
    "union",
    "trait",
    "type",
    "interface",
    "const",
    "static",
    "let",
    "var",
    "val",
    "macro_rules",
    "define",
    "module",
    "object",
    "protocol",
    "record",
    "extension",
    "async",
    "typedef",
];

/// How far a file is from another: tests last, then by how little of the way both share.
fn nearness(from: &str, to: &str) -> (bool, usize) {
    let folders = |path: &str| -> Vec<String> {
        let mut parts: Vec<String> = path.split('/').map(str::to_owned).collect();
        parts.pop();
        parts
    };
    let (from, far) = (folders(from), folders(to));
    let shared = from.iter().zip(&far).take_while(|(a, b)| a == b).count();
    let steps = from.len() + far.len() - 2 * shared;
    (is_test_file(to) || is_fixture_file(to), steps)
}

/// A file that was read.
struct ReadFile<'a> {
    path: &'a str,
    lines: Vec<&'a str>,
    outline: Outline,
    /// Where touched names are used in it, by their places among its uses.
    uses: BTreeMap<String, Vec<usize>>,
}

impl<'a> ReadFile<'a> {
    fn of(path: &'a str, text: &'a str, names: &BTreeSet<&str>) -> Option<Self> {
        let outline = outline(path, text)?;
        let mut uses: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for (at, reference) in outline.references.iter().enumerate() {
            if names.contains(reference.name.as_str()) {
                uses.entry(reference.name.clone()).or_default().push(at);
            }
        }
        Some(Self {
            path,
            lines: text.split('\n').collect(),
            outline,
            uses,
        })
    }
}

/// A piece of code, and what it is ordered by.
type RankedPiece = ((usize, SymbolChange, usize), RelatedCode);

/// Finds the definitions and call sites of touched symbols in files that were read; what says most of the change comes first.
#[must_use]
pub fn related_code(touched: &TouchedSymbols, files: &[(String, String)]) -> Vec<RelatedCode> {
    let names: BTreeSet<&str> = touched.symbols.iter().map(|s| s.name.as_str()).collect();
    let read: Vec<ReadFile<'_>> = files
        .iter()
        .filter_map(|(path, text)| ReadFile::of(path, text, &names))
        .collect();
    let mut pieces: Vec<RankedPiece> = Vec::new();
    for (at, symbol) in touched.symbols.iter().enumerate() {
        let found = match symbol.change {
            SymbolChange::Used => definitions_of(symbol, &read),
            SymbolChange::Removed | SymbolChange::SignatureChanged | SymbolChange::BodyChanged => {
                call_sites_of(symbol, &read)
            }
        };
        for (turn, piece) in found.into_iter().enumerate() {
            pieces.push(((turn, symbol.change, at), piece));
        }
    }
    pieces.sort_by_key(|(rank, _)| *rank);
    pieces.truncate(MAX_PIECES);
    pieces.into_iter().map(|(_, piece)| piece).collect()
}

fn definitions_of(symbol: &TouchedSymbol, files: &[ReadFile<'_>]) -> Vec<RelatedCode> {
    let mut found: Vec<(&ReadFile<'_>, &Definition)> = Vec::new();
    for file in files
        .iter()
        .filter(|file| is_same_language(symbol.path(), file.path))
    {
        let definitions = file.outline.definitions.iter();
        let named = definitions.filter(|definition| definition.name == symbol.name);
        found.extend(named.map(|definition| (file, definition)));
    }
    found.sort_by_key(|(file, definition)| {
        let is_value = definition.kind == SymbolKind::Value;
        (
            is_value,
            nearness(symbol.path(), file.path),
            file.path,
            definition.first,
        )
    });
    let shown = found.into_iter().take(MAX_DEFINITIONS_SHOWN);
    shown
        .map(|(file, definition)| {
            let end = definition.first.saturating_add(MAX_DEFINITION_LINES - 1);
            let last = definition.last.min(end);
            piece(
                symbol,
                CodeRole::Definition,
                file,
                &[(definition.first, last)],
            )
        })
        .collect()
}

fn call_sites_of(symbol: &TouchedSymbol, files: &[ReadFile<'_>]) -> Vec<RelatedCode> {
    let mut found: Vec<(&ReadFile<'_>, u32, ReferenceKind)> = Vec::new();
    for file in files
        .iter()
        .filter(|file| is_same_language(symbol.path(), file.path))
    {
        let mut shown_to = 0;
        let uses = file.uses.get(&symbol.name).into_iter().flatten();
        let mut uses: Vec<_> = uses.map(|at| &file.outline.references[*at]).collect();
        // An import says nothing that a call in the same file does not.
        let is_called = uses.iter().any(|one| one.kind != ReferenceKind::Import);
        uses.retain(|one| !is_called || one.kind != ReferenceKind::Import);
        for reference in uses {
            if reference.line > shown_to {
                shown_to = reference.line.saturating_add(LINES_AFTER_CALL);
                found.push((file, reference.line, reference.kind));
            }
        }
    }
    found.sort_by_key(|(file, line, kind)| {
        let distance = nearness(symbol.path(), file.path);
        (distance.0, *kind, distance.1, file.path, *line)
    });
    let shown = found.into_iter().take(MAX_CALL_SITES_SHOWN);
    shown
        .map(|(file, line, _)| piece(symbol, CodeRole::CallSite, file, &lines_around(file, line)))
        .collect()
}

/// The lines around a call, within its function, and the beginning of that function.
fn lines_around(file: &ReadFile<'_>, line: u32) -> Vec<(u32, u32)> {
    let (mut first, mut last) = (
        line.saturating_sub(LINES_BEFORE_CALL).max(1),
        line.saturating_add(LINES_AFTER_CALL),
    );
    let Some(function) = file.outline.function_around(line) else {
        return vec![(first, last)];
    };
    last = last.min(function.last);
    first = first.max(function.first);
    let head = (
        function
            .signature_last
            .saturating_sub(3)
            .max(function.first),
        function.signature_last,
    );
    match head.1 < first {
        true => vec![head, (first, last)],
        false => vec![(first, last)],
    }
}

fn piece(
    symbol: &TouchedSymbol,
    role: CodeRole,
    file: &ReadFile<'_>,
    ranges: &[(u32, u32)],
) -> RelatedCode {
    let numbers = ranges.iter().flat_map(|(first, last)| *first..=*last);
    let lines = numbers.filter_map(|number| {
        let line = file.lines.get((number as usize).checked_sub(1)?)?;
        Some((number, cut(line).to_owned()))
    });
    RelatedCode {
        symbol: symbol.name.clone(),
        role,
        path: file.path.to_owned(),
        lines: lines.collect(),
        touched_by: symbol.paths.iter().cloned().collect(),
    }
}

/// The beginning of a line, whole characters of it.
fn cut(line: &str) -> &str {
    let mut end = line.len().min(MAX_LINE_BYTES);
    while !line.is_char_boundary(end) {
        end -= 1;
    }
    line[..end].trim_end_matches('\r')
}
