//! What a second parser says of a text that tree-sitter does not read. Its grammars have gaps: valid Rust and newer JavaScript fail there,
//! so broken syntax is told only where both parsers fail.

use std::thread;

use ast_grep_language::SupportLang;
use oxc_allocator::Allocator;
use oxc_span::SourceType;

/// Longer texts are not asked about. These parsers recurse, by at most a level a byte: so [`STACK_BYTES`] hold what a hostile text needs.
const MAX_BYTES: usize = 32 * 1024;

/// Of the thread that parses. Only what a text uses of it is ever taken.
const STACK_BYTES: usize = 4 << 30;

/// The verdict on a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SecondOpinion {
    /// It reads it.
    Parses,
    /// It does not either.
    Fails,
    /// There is no second parser for the language, or it could not be asked.
    None,
}

/// Asks the second parser: `syn` for Rust, ruff's for Python, oxc's for JavaScript and TypeScript. For Go there is none that is
/// kept up.
pub(crate) fn second_opinion(language: SupportLang, text: &str) -> SecondOpinion {
    let parses: fn(&str) -> bool = match language {
        // Cargo's single-file packages begin with a manifest that no parser of Rust knows.
        SupportLang::Rust if !has_frontmatter(text) => |text| syn::parse_file(text).is_ok(),
        SupportLang::Python => |text| ruff_python_parser::parse_module(text).is_ok(),
        SupportLang::JavaScript => |text| parses_as_javascript(text, &JAVASCRIPT),
        SupportLang::TypeScript => |text| parses_as_javascript(text, &[SourceType::ts]),
        SupportLang::Tsx => |text| parses_as_javascript(text, &[SourceType::tsx]),
        _ => return SecondOpinion::None,
    };
    if text.len() > MAX_BYTES {
        return SecondOpinion::None;
    }
    match on_deep_stack(|| parses(text)) {
        Some(true) => SecondOpinion::Parses,
        Some(false) => SecondOpinion::Fails,
        None => SecondOpinion::None,
    }
}

fn has_frontmatter(text: &str) -> bool {
    let mut lines = text.lines().filter(|line| !line.starts_with("#!"));
    lines.next().is_some_and(|line| line.starts_with("---"))
}

/// What a `.js` file may hold: a module, a script, either with JSX, or types that a build takes out.
const JAVASCRIPT: [fn() -> SourceType; 3] = [SourceType::jsx, SourceType::cjs, SourceType::tsx];

fn parses_as_javascript(text: &str, types: &[fn() -> SourceType]) -> bool {
    types.iter().any(|source_type| {
        let allocator = Allocator::default();
        let parsed = oxc_parser::Parser::new(&allocator, text, source_type()).parse();
        parsed.diagnostics.is_empty()
    })
}

/// Runs it on a stack that no text of [`MAX_BYTES`] uses up. None: it panicked, or there is no room for the thread.
fn on_deep_stack(work: impl FnOnce() -> bool + Send) -> Option<bool> {
    thread::scope(|scope| {
        let thread = thread::Builder::new().stack_size(STACK_BYTES);
        let running = thread.spawn_scoped(scope, work).ok()?;
        running.join().ok()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_language_has_a_parser_that_tells_good_from_bad() {
        for (language, good, bad) in [
            (SupportLang::Rust, "fn f() where (): Copy {}", "fn f( {}"),
            (SupportLang::Python, "x = lambda: (yield)\n", "def f(:\n"),
            (
                SupportLang::JavaScript,
                "const a = <A b='c' />; a?.b ?? c",
                "a = ;",
            ),
            (SupportLang::JavaScript, "with (a) b()", "const a = {"),
            (
                SupportLang::TypeScript,
                "let a = <T>b as const",
                "let a: = 1",
            ),
            (SupportLang::Tsx, "let a: A = <B<c> d />", "let a = <B"),
        ] {
            assert_eq!(
                second_opinion(language, good),
                SecondOpinion::Parses,
                "{good}"
            );
            assert_eq!(second_opinion(language, bad), SecondOpinion::Fails, "{bad}");
        }
        assert_eq!(
            second_opinion(SupportLang::Ruby, "def"),
            SecondOpinion::None
        );
        let script = "#!/usr/bin/env cargo\n---\n[package]\n---\nfn main() {}\n";
        assert_eq!(
            second_opinion(SupportLang::Rust, script),
            SecondOpinion::None
        );
    }

    #[test]
    fn no_nesting_overruns_the_stack() {
        for (language, head, part) in [
            (SupportLang::Rust, "const A: T = ", "!"),
            (SupportLang::Rust, "const A: T = ", "&"),
            (SupportLang::Rust, "const A: ", "&"),
            (SupportLang::Rust, "const A: T = ", "|a|"),
            (SupportLang::Rust, "const A: T = ", "a="),
            (SupportLang::Rust, "const A: ", "T<"),
            (SupportLang::Python, "x = ", "not "),
            (SupportLang::Python, "x = ", "-"),
            (SupportLang::Python, "x = ", "("),
            (SupportLang::Python, "x = ", "lambda:"),
            (SupportLang::JavaScript, "x = ", "!"),
            (SupportLang::JavaScript, "x = ", "("),
            (SupportLang::JavaScript, "x = ", "["),
            (SupportLang::JavaScript, "x = ", "a=>"),
            (SupportLang::JavaScript, "x = ", "a?"),
            (SupportLang::JavaScript, "", "a:"),
            (SupportLang::JavaScript, "", "if(a)"),
            (SupportLang::JavaScript, "x = ", "new "),
            (SupportLang::JavaScript, "x = ", "`${"),
            (SupportLang::JavaScript, "x = ", "<a>"),
            (SupportLang::TypeScript, "let x: ", "A<"),
            (SupportLang::TypeScript, "let x: ", "("),
        ] {
            let text = format!(
                "{head}{}",
                part.repeat((MAX_BYTES - head.len()) / part.len())
            );
            let opinion = second_opinion(language, &text);
            assert_ne!(opinion, SecondOpinion::Parses, "{language} {part}");
        }
    }
}
