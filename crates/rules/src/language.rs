//! Which language a file is in, and how far its grammar can be believed.

use ast_grep_core::Language;
use ast_grep_language::SupportLang;

/// How a file's syntax is judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Syntax {
    /// A tree-sitter grammar that knows its whole language: an error is an error.
    Sound(SupportLang),
    /// A tree-sitter grammar with gaps: an error counts only where the version before had none.
    Loose(SupportLang),
    /// `serde_json`.
    Json,
    /// The `toml` crate.
    Toml,
}

/// The language of structural rules for this path.
pub(crate) fn of_path(path: &str) -> Option<SupportLang> {
    let name = crate::origin::file_name(path);
    // Names that ast-grep's table gives to the wrong language.
    if name.ends_with(".scss") || name.ends_with(".env") || name.ends_with(".workflow") {
        return None;
    }
    SupportLang::from_path(&name)
}

/// How the syntax of this file is judged. None: the language is unknown, or no grammar can tell,
/// as for HTML (which has no errors), Markdown, C and C++ (whose macros hide the syntax), and CSS (whose grammar fails on
/// an everyday `url(../a.svg)`).
pub(crate) fn syntax_of(path: &str) -> Option<Syntax> {
    use SupportLang as L;
    if crate::origin::file_name(path).ends_with(".toml") {
        return Some(Syntax::Toml);
    }
    let language = of_path(path)?;
    match language {
        L::Json => Some(Syntax::Json),
        L::Rust | L::Python | L::JavaScript | L::Go | L::Java => Some(Syntax::Sound(language)),
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
        | L::Zig => Some(Syntax::Loose(language)),
        L::C | L::Cpp | L::Css | L::Html | L::Markdown => None,
    }
}
