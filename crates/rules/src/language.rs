//! Which language a file is in, and how far its grammar can be believed.

use ast_grep_core::Language;
use ast_grep_language::SupportLang;

/// How a file's syntax is judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SyntaxParser {
    /// A tree-sitter grammar that knows its whole language: an error is an error.
    Strict(SupportLang),
    /// A tree-sitter grammar with gaps: an error counts only where the version before had none.
    Lenient(SupportLang),
    /// `serde_json`.
    Json,
    /// The `toml` crate.
    Toml,
}

/// The language of structural rules for this path.
pub(crate) fn language_of_path(path: &str) -> Option<SupportLang> {
    let name = crate::file_origin::file_name(path);
    // Names that ast-grep's table gives to the wrong language.
    if name.ends_with(".scss") || name.ends_with(".env") || name.ends_with(".workflow") {
        return None;
    }
    SupportLang::from_path(&name)
}

/// How the syntax of this file is judged. None: the language is unknown, or no grammar can tell,
/// as for HTML (which has no errors), Markdown, C and C++ (whose macros hide the syntax), and CSS (whose grammar fails on
/// an everyday `url(../a.svg)`).
pub(crate) fn syntax_parser_of(path: &str) -> Option<SyntaxParser> {
    use SupportLang as L;
    if crate::file_origin::file_name(path).ends_with(".toml") {
        return Some(SyntaxParser::Toml);
    }
    let language = language_of_path(path)?;
    match language {
        L::Json => Some(SyntaxParser::Json),
        L::Rust | L::Python | L::JavaScript | L::Go | L::Java => {
            Some(SyntaxParser::Strict(language))
        }
        L::Bash
        | L::CSharp
        | L::Dart
        | L::Elixir
        | L::Haskell
        | L::Hcl
        | L::Kotlin
        | L::Lua
        | L::Nix
        | L::Php
        | L::Ruby
        | L::Scala
        | L::Solidity
        | L::Swift
        | L::Tsx
        | L::TypeScript
        | L::Yaml
        | L::Zig => Some(SyntaxParser::Lenient(language)),
        L::C | L::Cpp | L::Css | L::Html | L::Markdown => None,
    }
}
