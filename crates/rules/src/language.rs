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

/// The end of the names of files in a language, which is called as rules call it; of a text for rules that read any.
pub(crate) fn extension_of(language: &str) -> &'static str {
    let files = language
        .parse::<SupportLang>()
        .ok()
        .map(|language| match language {
            SupportLang::Bash => "sh",
            SupportLang::C => "c",
            SupportLang::Cpp => "cpp",
            SupportLang::CSharp => "cs",
            SupportLang::Css => "css",
            SupportLang::Dart => "dart",
            SupportLang::Elixir => "ex",
            SupportLang::Go => "go",
            SupportLang::Haskell => "hs",
            SupportLang::Hcl => "hcl",
            SupportLang::Html => "html",
            SupportLang::Java => "java",
            SupportLang::JavaScript => "js",
            SupportLang::Json => "json",
            SupportLang::Kotlin => "kt",
            SupportLang::Lua => "lua",
            SupportLang::Markdown => "md",
            SupportLang::Nix => "nix",
            SupportLang::Php => "php",
            SupportLang::Python => "py",
            SupportLang::Ruby => "rb",
            SupportLang::Rust => "rs",
            SupportLang::Scala => "scala",
            SupportLang::Solidity => "sol",
            SupportLang::Swift => "swift",
            SupportLang::Tsx => "tsx",
            SupportLang::TypeScript => "ts",
            SupportLang::Yaml => "yaml",
            SupportLang::Zig => "zig",
        });
    files.unwrap_or("cfg")
}
