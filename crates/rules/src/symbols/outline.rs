//! What a file defines and uses, read from its syntax tree in one walk.

use super::grammar::{
    DefinitionForm, definition_form, is_assigned_name, is_construction, is_import, is_name,
    is_type_name, is_wrapper, needs_body,
};
use crate::language::language_of_path;
use crate::parsed_file::parse;
use ast_grep_language::SupportLang;
use std::collections::BTreeSet;
use tree_sitter::Node;

/// More definitions of one file are not kept: it is data.
const MAX_DEFINITIONS: usize = 5_000;
/// The same of uses.
const MAX_REFERENCES: usize = 100_000;
/// A longer name is data.
const MAX_NAME_BYTES: usize = 100;
/// Lines above a definition that belong to it: comments, attributes, decorators.
const MAX_LEADING_LINES: usize = 12;

/// What a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SymbolKind {
    /// A function, method or macro.
    Function,
    /// A class, struct, trait, …
    Type,
    /// A constant, field, variant, …
    Value,
}

/// A place where a name gets its meaning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Definition {
    /// The name.
    pub name: String,
    /// What it stands for.
    pub kind: SymbolKind,
    /// The first line, from 1; comments and attributes right above are part of it.
    pub first: u32,
    /// The last line.
    pub last: u32,
    /// The last line of what callers rely on.
    pub signature_last: u32,
    /// What callers rely on, without its layout.
    pub signature: String,
    /// The type that it is a member of.
    pub container: Option<String>,
}

/// How a name is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ReferenceKind {
    /// It is called, or made one of.
    Call,
    /// As a type.
    Type,
    /// In another way.
    Other,
    /// It is brought in from elsewhere.
    Import,
}

/// A place where a name is used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    /// The name.
    pub name: String,
    /// The line, from 1.
    pub line: u32,
    /// How.
    pub kind: ReferenceKind,
}

/// What a file defines and uses, in the order of its text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outline {
    /// Definitions, outer ones before those in them.
    pub definitions: Vec<Definition>,
    /// Uses.
    pub references: Vec<Reference>,
}

impl Outline {
    /// The innermost function that a line is in.
    #[must_use]
    pub fn function_around(&self, line: u32) -> Option<&Definition> {
        let functions = self.definitions.iter();
        let functions = functions.filter(|one| one.kind == SymbolKind::Function);
        functions
            .filter(|one| (one.first..=one.last).contains(&line))
            .min_by_key(|one| one.last - one.first)
    }
}

/// Reads what a file defines and uses. None: its language is not known, or its syntax cannot be read (too large, too much work, nested too
/// deep).
#[must_use]
pub fn outline(path: &str, text: &str) -> Option<Outline> {
    let language = language_of_path(path)?;
    let has_symbols = !matches!(
        language,
        SupportLang::Json
            | SupportLang::Yaml
            | SupportLang::Css
            | SupportLang::Html
            | SupportLang::Markdown
    );
    let parsed = has_symbols.then(|| parse(language, text).ok()).flatten()?;
    let root = parsed.document.root();
    let mut walk = Walk {
        language,
        text,
        lines: text.split('\n').collect(),
        stack: Vec::new(),
        named: BTreeSet::new(),
        outline: Outline::default(),
    };
    walk.run(root.get_inner_node());
    Some(walk.outline)
}

/// A node that the walk is in.
struct Frame<'n> {
    kind: &'n str,
    start: usize,
    is_function: bool,
    is_import: bool,
    /// The type that members in it belong to.
    container: Option<String>,
}

struct Walk<'t, 'n> {
    language: SupportLang,
    text: &'t str,
    lines: Vec<&'t str>,
    stack: Vec<Frame<'n>>,
    /// Where names stand that a definition gives, in bytes.
    named: BTreeSet<usize>,
    outline: Outline,
}

impl<'n> Walk<'_, 'n> {
    /// Goes through the tree without recursion: its depth is the file's to say.
    fn run(&mut self, root: Node<'n>) {
        let mut cursor = root.walk();
        loop {
            let node = cursor.node();
            let frame = self.enter(node);
            if cursor.goto_first_child() {
                self.stack.push(frame);
                continue;
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return;
                }
                self.stack.pop();
            }
        }
    }

    fn enter(&mut self, node: Node<'n>) -> Frame<'n> {
        let kind = node.kind();
        let form = definition_form(self.language, kind).filter(|form| self.is_meant(*form, node));
        let mut container = None;
        if let Some(form) = form {
            container = self.add_definition(node, form);
        } else if kind == "impl_item" {
            container = self.field_text(node, "type").map(|text| last_word(&text));
        } else if node.is_named() && node.child_count() == 0 && is_name(kind) {
            self.add_reference(node);
        }
        Frame {
            kind,
            start: node.start_byte(),
            is_function: form.is_some_and(|form| form.kind == SymbolKind::Function)
                || matches!(kind, "arrow_function" | "function_expression" | "lambda"),
            is_import: is_import(kind),
            container,
        }
    }

    fn is_meant(&self, form: DefinitionForm, node: Node<'_>) -> bool {
        let in_function = || self.stack.iter().any(|frame| frame.is_function);
        !(form.outside_functions && in_function())
            && (!needs_body(node.kind()) || node.child_by_field_name("body").is_some())
            && node
                .child_by_field_name("left")
                .is_none_or(|left| is_assigned_name(self.language, left.kind()))
    }

    /// Adds what a node defines; gives the name of the type that its members belong to.
    fn add_definition(&mut self, node: Node<'_>, form: DefinitionForm) -> Option<String> {
        let mut names = defined_names(node);
        names.retain(|name| self.is_bounded_name(*name));
        let value = node.child_by_field_name("value");
        let is_function_value = value.is_some_and(|value| {
            matches!(
                value.kind(),
                "arrow_function" | "function_expression" | "generator_function"
            )
        });
        let body = node
            .child_by_field_name("body")
            .or_else(|| {
                value
                    .filter(|_| is_function_value)?
                    .child_by_field_name("body")
            })
            .filter(|_| form.has_body || is_function_value);
        let kind = match is_function_value {
            true => SymbolKind::Function,
            false => form.kind,
        };
        let outer = self.wrapper_start(node.start_byte());
        let signature_end = body.map_or(node.end_byte(), |body| body.start_byte());
        let signature = self.text.get(outer..signature_end).unwrap_or_default();
        let first = self.first_line(self.row_of_byte(node, outer));
        let breaks = signature.trim_end().matches('\n').count();
        let container = self.container_of(node);
        for name in &names {
            self.named.insert(name.start_byte());
            if self.outline.definitions.len() >= MAX_DEFINITIONS {
                break;
            }
            let name = self.text.get(name.byte_range()).unwrap_or_default();
            self.outline.definitions.push(Definition {
                name: name.to_owned(),
                kind,
                first,
                last: line_number(last_row(node)),
                signature_last: line_number(self.row_of_byte(node, outer) + breaks),
                signature: signature.split_whitespace().collect::<Vec<_>>().join(" "),
                container: container.clone(),
            });
        }
        let name = names.first().filter(|_| kind == SymbolKind::Type)?;
        self.text.get(name.byte_range()).map(str::to_owned)
    }

    fn add_reference(&mut self, node: Node<'_>) {
        let start = node.start_byte();
        if self.named.contains(&start)
            || self.outline.references.len() >= MAX_REFERENCES
            || !self.is_bounded_name(node)
        {
            return;
        }
        let name = self.text.get(node.byte_range()).unwrap_or_default();
        let parent = self.stack.last().map_or("", |frame| frame.kind);
        let kind = if self.stack.iter().any(|frame| frame.is_import) {
            ReferenceKind::Import
        } else if is_construction(parent) || self.is_followed_by_call(node.end_byte()) {
            ReferenceKind::Call
        } else if is_type_name(node.kind()) {
            ReferenceKind::Type
        } else {
            ReferenceKind::Other
        };
        self.outline.references.push(Reference {
            name: name.to_owned(),
            line: line_number(node.start_position().row),
            kind,
        });
    }

    fn is_bounded_name(&self, node: Node<'_>) -> bool {
        let length = node.end_byte() - node.start_byte();
        (1..=MAX_NAME_BYTES).contains(&length) && self.text.get(node.byte_range()).is_some()
    }

    /// Whether arguments follow a name: in parentheses, after type arguments or an exclamation mark.
    fn is_followed_by_call(&self, end: usize) -> bool {
        let rest = self.text.get(end..).unwrap_or_default();
        let rest = rest.strip_prefix('!').unwrap_or(rest);
        let rest = rest.strip_prefix("?.").unwrap_or(rest);
        let Some(arguments) = rest.strip_prefix("::<").or_else(|| rest.strip_prefix('<')) else {
            return rest.starts_with('(');
        };
        let close = arguments
            .bytes()
            .take(MAX_NAME_BYTES)
            .position(|byte| byte == b'>');
        close.is_some_and(|close| arguments.as_bytes().get(close + 1) == Some(&b'('))
    }

    fn field_text(&self, node: Node<'_>, field: &str) -> Option<String> {
        let field = node.child_by_field_name(field)?;
        self.text.get(field.byte_range()).map(str::to_owned)
    }

    /// The type that what is defined here is a member of: the one around it, or the receiver of a method in Go.
    fn container_of(&self, node: Node<'_>) -> Option<String> {
        if let Some(receiver) = self.field_text(node, "receiver") {
            return Some(last_word(receiver.trim_end_matches(')')));
        }
        let around = self.stack.iter().rev();
        around
            .map(|frame| frame.container.clone())
            .find(Option::is_some)?
    }

    /// Where a definition begins, with what stands around it: decorators, `export`, `const`.
    fn wrapper_start(&self, start: usize) -> usize {
        let around = self.stack.iter().rev();
        let around = around.take_while(|frame| is_wrapper(frame.kind));
        around.map(|frame| frame.start).min().unwrap_or(start)
    }

    /// The row of a byte at or before a node's start.
    fn row_of_byte(&self, node: Node<'_>, byte: usize) -> usize {
        let between = self.text.get(byte..node.start_byte()).unwrap_or_default();
        let row = node.start_position().row;
        row.saturating_sub(between.bytes().filter(|byte| *byte == b'\n').count())
    }

    /// The first line of a definition, from 1, with the comments and attributes right above its row.
    fn first_line(&self, row: usize) -> u32 {
        let above = self.lines.get(..row).unwrap_or_default().iter().rev();
        let leading = above.take(MAX_LEADING_LINES).take_while(|line| {
            let line = line.trim_start();
            ["//", "#", "@", "/*", "*", "--"]
                .iter()
                .any(|mark| line.starts_with(mark))
        });
        line_number(row - leading.count())
    }
}

fn line_number(row: usize) -> u32 {
    u32::try_from(row).unwrap_or(u32::MAX).saturating_add(1)
}

/// The row of the last character: some grammars end a node with the line's end.
fn last_row(node: Node<'_>) -> usize {
    let end = node.end_position();
    match end.column {
        0 => end.row.saturating_sub(1).max(node.start_position().row),
        _ => end.row,
    }
}

/// The name that a type has: `Point` of `geometry::Point<T>`.
fn last_word(text: &str) -> String {
    let plain = text.split(['<', '[']).next().unwrap_or_default();
    let is_of_word = |letter: char| letter.is_alphanumeric() || letter == '_';
    let mut words = plain.split(|letter: char| !is_of_word(letter));
    words
        .rfind(|word| !word.is_empty())
        .unwrap_or_default()
        .to_owned()
}

/// The nodes that name what a node defines.
fn defined_names(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    let named: Vec<Node<'_>> = node.children_by_field_name("name", &mut cursor).collect();
    let named = match named.is_empty() {
        false => named,
        // `left = 1` of Python and Ruby, `field = 1` of a class in JavaScript.
        true => ["left", "property", "pattern"]
            .iter()
            .filter_map(|field| node.child_by_field_name(field))
            .collect(),
    };
    if !named.is_empty() {
        // `local.name = 1` and `a, b = 1, 2` name nothing of the file.
        return named
            .into_iter()
            .filter_map(
                |name| match name.child_count() == 0 && is_name(name.kind()) {
                    true => Some(name),
                    false => last_name_in_path(name),
                },
            )
            .collect();
    }
    if node.child_by_field_name("declarator").is_some() {
        return declared_name(node).into_iter().collect();
    }
    let mut cursor = node.walk();
    let children = node.named_children(&mut cursor);
    children
        .filter(|child| child.child_count() == 0 && is_name(child.kind()))
        .take(1)
        .collect()
}

/// The last name of `table.field.name`, as Lua defines functions.
fn last_name_in_path(node: Node<'_>) -> Option<Node<'_>> {
    let is_path = matches!(
        node.kind(),
        "dot_index_expression" | "method_index_expression" | "qualified_identifier"
    );
    let last = u32::try_from(node.named_child_count().checked_sub(1)?).ok()?;
    node.named_child(last)
        .filter(|name| is_path && is_name(name.kind()))
}

/// The name in a declarator of C, which stands around it: `*(*name)(int)`.
fn declared_name(node: Node<'_>) -> Option<Node<'_>> {
    let mut declarator = node.child_by_field_name("declarator")?;
    // As deep as declarators of people go.
    for _ in 0..8 {
        if declarator.child_count() == 0 && is_name(declarator.kind()) {
            return Some(declarator);
        }
        if let Some(name) = last_name_in_path(declarator) {
            return Some(name);
        }
        declarator = declarator.child_by_field_name("declarator")?;
    }
    None
}
