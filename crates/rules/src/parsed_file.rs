//! A file parsed once for all rules, within bounds of size, depth and work.

use std::ops::ControlFlow;

use ast_grep_core::AstGrep;
use ast_grep_core::tree_sitter::{LanguageExt, StrDoc};
use ast_grep_language::SupportLang;
use tree_sitter::{ParseOptions, Parser, Tree};

/// Files above this many bytes get no structural rules and no syntax check.
pub(crate) const MAX_FILE_BYTES: usize = 1_000_000;

/// Trees deeper than this are not walked: some questions about a node cost as much as its depth.
const MAX_TREE_DEPTH: usize = 1_000;

/// How often the parser may report progress before it has to give up: a fixed part and one for
/// each byte. It reports every hundred steps, and ordinary code takes less than one a byte.
const MIN_PARSE_STEPS: usize = 10_000;

pub(crate) type ParsedFile = AstGrep<StrDoc<SupportLang>>;

/// Parses a text. None: it is too large, too deep or took too much work.
pub(crate) fn parse(language: SupportLang, text: &str) -> Option<ParsedFile> {
    if text.len() > MAX_FILE_BYTES {
        return None;
    }
    let tree = parse_tree(language, text)?;
    if !is_shallow(&tree) {
        return None;
    }
    Some(AstGrep::doc(StrDoc {
        src: text.to_owned(),
        lang: language,
        tree,
    }))
}

fn parse_tree(language: SupportLang, text: &str) -> Option<Tree> {
    let mut parser = Parser::new();
    parser.set_language(&language.get_ts_language()).ok()?;
    let mut work_left = MIN_PARSE_STEPS + text.len() / 10;
    let mut progress = |_: &tree_sitter::ParseState| match work_left.checked_sub(1) {
        Some(rest) => {
            work_left = rest;
            ControlFlow::Continue(())
        }
        None => ControlFlow::Break(()),
    };
    let bytes = text.as_bytes();
    parser.parse_with_options(
        &mut |at, _| bytes.get(at..).unwrap_or_default(),
        None,
        Some(ParseOptions::new().progress_callback(&mut progress)),
    )
}

/// Says whether no node of the tree lies too deep.
fn is_shallow(tree: &Tree) -> bool {
    let mut cursor = tree.walk();
    loop {
        if cursor.depth() as usize > MAX_TREE_DEPTH {
            return false;
        }
        if cursor.goto_first_child() || cursor.goto_next_sibling() {
            continue;
        }
        loop {
            if !cursor.goto_parent() {
                return true;
            }
            if cursor.goto_next_sibling() {
                break;
            }
        }
    }
}
