//! A file parsed once for all rules, within bounds of size, depth and work.

use std::borrow::Cow;
use std::ops::{ControlFlow, Range};

use ast_grep_core::tree_sitter::{LanguageExt, StrDoc};
use ast_grep_core::{AstGrep, Node};
use ast_grep_language::SupportLang;
use collie_core::coverage::UnseenReason;
use tree_sitter::{ParseOptions, Parser, Tree};

/// Files above this many bytes get no structural rules and no syntax check.
pub(crate) const MAX_FILE_BYTES: usize = 1_000_000;

/// What lies deeper is not walked: some questions about a node cost as much as its depth, and some comparisons as much stack.
const MAX_TREE_DEPTH: usize = 1_000;

/// How often the parser may report progress before it has to give up: a fixed part and one for
/// each byte. It reports every hundred steps, and ordinary code takes less than one a byte.
const MIN_PARSE_STEPS: usize = 10_000;

/// How often what lies too deep is taken out: with it gone, the parser may read the rest in another way.
const MAX_PRUNINGS: usize = 4;

pub(crate) type ParsedFile = AstGrep<StrDoc<SupportLang>>;

/// A parsed text.
pub(crate) struct Parsed {
    pub(crate) document: ParsedFile,
    /// What was nested too deep is blank in it; all else is where it was.
    pub(crate) pruned: bool,
}

/// Parses a text.
///
/// # Errors
/// Why not: it is too large, too deep even so, or took too much work.
pub(crate) fn parse(language: SupportLang, text: &str) -> Result<Parsed, UnseenReason> {
    if text.len() > MAX_FILE_BYTES {
        return Err(UnseenReason::TooLarge);
    }
    let mut text = Cow::Borrowed(text);
    for pruning in 0..=MAX_PRUNINGS {
        let tree = parse_tree(language, &text).ok_or(UnseenReason::Unreadable)?;
        let deep = find_deep(&tree);
        if deep.is_empty() {
            let document = AstGrep::doc(StrDoc {
                src: text.into_owned(),
                lang: language,
                tree,
            });
            let pruned = pruning > 0;
            return Ok(Parsed { document, pruned });
        }
        text = Cow::Owned(blank(&text, &deep));
    }
    Err(UnseenReason::Nesting)
}

/// Says whether the node lies in a Rust test: in a function with `#[test]` or the like, or in a
/// module with `#[cfg(test)]`.
pub(crate) fn is_in_rust_test(node: &Node<'_, StrDoc<SupportLang>>) -> bool {
    *node.lang() == SupportLang::Rust
        && node.ancestors().any(|item| {
            matches!(&*item.kind(), "mod_item" | "function_item")
                && item
                    .prev_all()
                    .take_while(|sibling| {
                        matches!(&*sibling.kind(), "attribute_item" | "line_comment")
                    })
                    .any(|attribute| attribute.text().contains("test"))
        })
}

/// Whether the byte lies in a Rust test.
pub(crate) fn is_rust_test_at(document: &ParsedFile, byte: usize) -> bool {
    let innermost = nodes_around(document, byte).last();
    innermost.is_some_and(|node| is_in_rust_test(&node))
}

/// The nodes that a byte lies in, from the root inwards.
pub(crate) fn nodes_around(
    document: &ParsedFile,
    byte: usize,
) -> impl Iterator<Item = Node<'_, StrDoc<SupportLang>>> {
    std::iter::successors(Some(document.root()), move |node| {
        node.children().find(|child| child.range().contains(&byte))
    })
}

/// The text with blanks in place of these ranges; lines stay lines, and bytes where they were.
fn blank(text: &str, ranges: &[Range<usize>]) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for range in ranges {
        for byte in &mut bytes[range.clone()] {
            if !matches!(*byte, b'\n' | b'\r') {
                *byte = b' ';
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
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

/// The nodes that have others below them where the tree gets too deep. The walk goes no further down.
fn find_deep(tree: &Tree) -> Vec<Range<usize>> {
    let mut deep = Vec::new();
    let mut cursor = tree.walk();
    loop {
        let at_limit = cursor.depth() as usize >= MAX_TREE_DEPTH;
        if at_limit && cursor.node().child_count() > 0 {
            deep.push(cursor.node().byte_range());
        }
        if (!at_limit && cursor.goto_first_child()) || cursor.goto_next_sibling() {
            continue;
        }
        loop {
            if !cursor.goto_parent() {
                return deep;
            }
            if cursor.goto_next_sibling() {
                break;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lies_too_deep_is_blank_and_the_rest_stays_in_place() {
        let nested = format!("a = {}1{}\nb = 2\n", "[".repeat(5_000), "]".repeat(5_000));
        let parsed = parse(SupportLang::Python, &nested).unwrap();
        assert!(parsed.pruned);
        let text = parsed.document.root().text().into_owned();
        assert_eq!(text.len(), nested.len());
        assert!(text.ends_with("]\nb = 2\n") && !text.contains('1'));
        let flat = parse(SupportLang::Python, "a = [[1]]\n").unwrap();
        assert!(!flat.pruned);
    }
}
