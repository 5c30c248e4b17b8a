//! What stands beside code for linters to read, and is heeded here too: comments that silence one (`noqa`, `eslint-disable`), attributes
//! that allow what it warns of, and comments that say that the code is meant as it is.

use std::ops::RangeInclusive;
use std::sync::LazyLock;

use ast_grep_core::Node;
use ast_grep_core::tree_sitter::StrDoc;
use ast_grep_language::SupportLang;
use regex::Regex;

use crate::parsed_file::ParsedFile;
use crate::rule_file::RuleHeader;

/// The comments of a file.
pub(crate) struct Suppressions {
    comments: Vec<Comment>,
    /// For each line the blanks before its first character; None for a line of blanks.
    indents: Vec<Option<usize>>,
}

struct Comment {
    lines: RangeInclusive<usize>,
    text: String,
    /// Nothing else stands on its first line before it.
    alone: bool,
}

/// What a directive of a linter holds for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Scope {
    /// Its own line; where it stands alone, the next one.
    Line,
    /// The line after it.
    NextLine,
    /// Its own line; where it stands alone, the rest of its block.
    Block,
    /// From here to where it is taken back.
    Region,
    /// Here a region ends.
    RegionEnd,
    /// The whole file.
    File,
}

/// A comment that tells a linter to be quiet, with the names of what it must not say; none: of everything.
struct Directive {
    scope: Scope,
    names: Vec<String>,
}

/// The directives of ruff and flake8, bandit and gosec, pylint, golangci-lint and staticcheck, ESLint and oxlint, Biome, Deno, Semgrep and
/// Sonar, each with the names that follow it as the group `names`.
static DIRECTIVES: LazyLock<Vec<(Scope, Regex)>> = LazyLock::new(|| {
    [
        (
            Scope::File,
            r"(?i)^#\s*(?:ruff|flake8):\s*noqa(?::(?<names>[\sA-Z0-9,]+))?",
        ),
        (
            Scope::Line,
            r"(?i)#\s*noqa(?::\s*(?<names>[A-Z]+[0-9]*(?:[,\s]+[A-Z]+[0-9]+)*))?",
        ),
        (
            Scope::Line,
            r"(?:#|//)\s*#?nosec\b(?:[:\s]+(?<names>[BG]\d+(?:[,\s]+[BG]\d+)*))?",
        ),
        (
            Scope::NextLine,
            r"pylint:\s*disable-next=(?<names>[\w\-,\s]+)",
        ),
        (Scope::Block, r"pylint:\s*disable=(?<names>[\w\-,\s]+)"),
        (Scope::Line, r"^//\s*nolint\b(?::(?<names>[\w\-,]+))?"),
        (Scope::File, r"^//lint:file-ignore\s+(?<names>[\w,]+)"),
        (Scope::Line, r"^//lint:ignore\s+(?<names>[\w,]+)"),
        (
            Scope::NextLine,
            r"(?:eslint|oxlint)-disable-next-line\b(?<names>[^\n]*)",
        ),
        (
            Scope::Line,
            r"(?:eslint|oxlint)-disable-line\b(?<names>[^\n]*)",
        ),
        (
            Scope::Region,
            r"(?:eslint|oxlint)-disable(?:\s(?<names>[^\n]*)|\*|$)",
        ),
        (Scope::RegionEnd, r"(?:eslint|oxlint)-enable\b"),
        (Scope::File, r"biome-ignore-all\s+(?<names>[\w/-]+)"),
        (Scope::NextLine, r"biome-ignore\s+(?<names>[\w/-]+)"),
        (Scope::File, r"deno-lint-ignore-file\b(?<names>[^\n]*)"),
        (Scope::NextLine, r"deno-lint-ignore\b(?<names>[^\n]*)"),
        (Scope::Line, r"\bnosemgrep\b"),
        (Scope::Line, r"\bNOSONAR\b"),
    ]
    .map(|(scope, pattern)| (scope, literal_regex(pattern)))
    .into()
});

/// Words of a comment that say that the code beside it is meant.
static INTENT: LazyLock<Regex> = LazyLock::new(|| {
    literal_regex(concat!(
        r"(?i)\b(?:intentional(?:ly)?|deliberate(?:ly)?|on purpose|purpose(?:ly|fully)|by design|not an? (?:bug|error|mistake)",
        r"|false positive|best[- ]effort|don'?t care",
        r"|(?:is|are|it'?s|that'?s|this'?s)(?: also| actually| perfectly| probably)? (?:ok(?:ay)?|fine|safe|expected|harmless|intended|meant|wanted|desired)",
        r"|(?:safe|needed|required|necessary) (?:because|since|here|as|for|to)|(?:we|to) (?:want|ignore|swallow|suppress))\b",
    ))
});

fn literal_regex(pattern: &str) -> Regex {
    Regex::new(pattern).expect("the pattern is a literal that the tests compile")
}

impl Suppressions {
    pub(crate) fn of(document: &ParsedFile) -> Self {
        let root = document.root();
        let text = root.text();
        let indents: Vec<Option<usize>> = text
            .lines()
            .map(|line| line.find(|c: char| !c.is_whitespace()))
            .collect();
        let comments = root
            .dfs()
            .filter(|node| node.kind().ends_with("comment"))
            .map(|node| Comment::of(&node, &indents))
            .collect();
        Self { comments, indents }
    }

    /// Whether a comment beside these lines silences the rule, or says that they are meant as they are.
    pub(crate) fn silence(&self, rule: &RuleHeader, lines: &RangeInclusive<usize>) -> bool {
        self.is_silenced(rule, lines) || self.is_meant(lines)
    }

    fn is_silenced(&self, rule: &RuleHeader, lines: &RangeInclusive<usize>) -> bool {
        let mut in_region = false;
        for comment in &self.comments {
            for directive in comment.directives() {
                let names_it = directive.names(rule);
                match directive.scope {
                    Scope::Region if names_it && comment.lines.start() <= lines.end() => {
                        in_region = true;
                    }
                    Scope::RegionEnd if comment.lines.end() <= lines.start() => in_region = false,
                    Scope::Region | Scope::RegionEnd => {}
                    Scope::File | Scope::Line | Scope::NextLine | Scope::Block => {
                        if names_it && self.covers(comment, directive.scope, lines) {
                            return true;
                        }
                    }
                }
            }
        }
        in_region
    }

    fn covers(&self, comment: &Comment, scope: Scope, lines: &RangeInclusive<usize>) -> bool {
        let on_its_lines =
            comment.lines.start() <= lines.end() && lines.start() <= comment.lines.end();
        match scope {
            Scope::File => true,
            Scope::NextLine => self.is_next_code(comment, *lines.start()),
            Scope::Line if comment.alone => self.is_next_code(comment, *lines.start()),
            Scope::Block if comment.alone => self.is_rest_of_block(comment, *lines.start()),
            Scope::Line | Scope::Block => on_its_lines,
            Scope::Region | Scope::RegionEnd => false,
        }
    }

    /// Whether between a comment and a line there are but further comments.
    fn is_next_code(&self, comment: &Comment, line: usize) -> bool {
        let mut next = comment.lines.end() + 1;
        while let Some(further) = self
            .comments
            .iter()
            .find(|further| further.alone && *further.lines.start() == next)
        {
            next = further.lines.end() + 1;
        }
        next == line
    }

    /// Whether a line stands behind a comment in the same block, by its indent.
    fn is_rest_of_block(&self, comment: &Comment, line: usize) -> bool {
        let indent_of = |line: usize| self.indents.get(line - 1).copied().flatten();
        let Some(indent) = indent_of(*comment.lines.start()) else {
            return false;
        };
        let last = *comment.lines.end();
        last < line && (last..=line).all(|at| indent_of(at).is_none_or(|at| at >= indent))
    }

    /// Whether a comment on these lines, or directly above them, says that they are meant.
    fn is_meant(&self, lines: &RangeInclusive<usize>) -> bool {
        let mut above = *lines.start();
        self.comments.iter().rev().any(|comment| {
            let on_them =
                comment.lines.start() <= lines.end() && lines.start() <= comment.lines.end();
            let directly_above = comment.alone && comment.lines.end() + 1 == above;
            if directly_above {
                above = *comment.lines.start();
            }
            (on_them || directly_above) && INTENT.is_match(&comment.text)
        })
    }
}

impl Comment {
    fn of(node: &Node<'_, StrDoc<SupportLang>>, indents: &[Option<usize>]) -> Self {
        let (first, (last, last_column)) = (node.start_pos(), node.end_pos().byte_point());
        // Some grammars count the line's end to the comment.
        let last = if last_column == 0 && last > first.line() {
            last
        } else {
            last + 1
        };
        let before = indents.get(first.line()).copied().flatten();
        Self {
            lines: first.line() + 1..=last,
            text: node.text().trim_end().to_owned(),
            alone: before == Some(first.byte_point().1),
        }
    }

    fn directives(&self) -> impl Iterator<Item = Directive> + '_ {
        DIRECTIVES.iter().filter_map(|(scope, regex)| {
            let found = regex.captures(&self.text)?;
            let named = found.name("names").map_or("", |names| names.as_str());
            // ESLint's reason, and the end of a block comment.
            let named = named.split(" --").next().unwrap_or_default();
            let names = named
                .split(|c: char| c == ',' || c.is_whitespace())
                .map(|name| name.rsplit('/').next().unwrap_or(name))
                .map(|name| name.trim_matches(|c: char| !c.is_alphanumeric()))
                .filter(|name| !name.is_empty())
                .map(str::to_owned)
                .collect();
            Some(Directive {
                scope: *scope,
                names,
            })
        })
    }
}

impl Directive {
    /// Whether it silences a rule: it names no rule, this one, one of other linters that says the same, or the beginning of its code.
    fn names(&self, rule: &RuleHeader) -> bool {
        let is_it = |name: &String| {
            name == "all"
                || *name == rule.id
                || (rule.metadata.aliases.iter()).any(|alias| is_name_of(name, alias))
        };
        self.names.is_empty() || self.names.iter().any(is_it)
    }
}

/// Whether a name in a directive is this alias, or the beginning of its code, as `S6` is of `S602`.
fn is_name_of(name: &str, alias: &str) -> bool {
    let is_code_of = |digits: &str| digits.bytes().all(|byte| byte.is_ascii_digit());
    let begins =
        |rest: &str| name.starts_with(|c: char| c.is_ascii_uppercase()) && is_code_of(rest);
    alias.eq_ignore_ascii_case(name) || alias.strip_prefix(name).is_some_and(begins)
}

/// Whether an attribute on this node, on what it lies in, or on the whole file allows what the rule warns of.
pub(crate) fn is_allowed_by_attribute(
    rule: &RuleHeader,
    node: &Node<'_, StrDoc<SupportLang>>,
) -> bool {
    if *node.lang() != SupportLang::Rust || rule.metadata.aliases.is_empty() {
        return false;
    }
    let allows = |attribute: &Node<'_, StrDoc<SupportLang>>| {
        let text = attribute.text();
        (text.contains("allow(") || text.contains("expect("))
            && (rule.metadata.aliases.iter()).any(|alias| text.contains(alias.as_str()))
    };
    std::iter::once(node.clone())
        .chain(node.ancestors())
        .any(|item| {
            let outer = item
                .prev_all()
                .take_while(|sibling| {
                    matches!(
                        &*sibling.kind(),
                        "attribute_item" | "line_comment" | "block_comment"
                    )
                })
                .any(|sibling| &*sibling.kind() == "attribute_item" && allows(&sibling));
            outer
                || item
                    .children()
                    .any(|child| &*child.kind() == "inner_attribute_item" && allows(&child))
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parsed_file::parse;
    use crate::rule_file::read_yaml;

    fn rule() -> RuleHeader {
        let yaml = "id: python-x\nmetadata: { aliases: [E711, no-debugger, bare-except, clippy::todo, gosec] }\n";
        read_yaml(yaml).unwrap()
    }

    fn is_silent(language: SupportLang, code: &str, line: usize) -> bool {
        let parsed = parse(language, code).unwrap();
        Suppressions::of(&parsed.document).silence(&rule(), &(line..=line))
    }

    #[test]
    fn comments_for_linters_of_python_silence_the_rules_that_they_name() {
        use SupportLang::Python;
        for (language, code, line, silent) in [
            (Python, "x == None  # noqa\n", 1, true),
            (Python, "x == None  # noqa: E711\n", 1, true),
            (Python, "x == None  # noqa:E501,E7\n", 1, true),
            (Python, "x == None  # noqa: E501\n", 1, false),
            (Python, "x == None  # noqa: E7110\n", 1, false),
            (Python, "a = 1  # noqa\nx == None\n", 2, false),
            (Python, "# ruff: noqa: E711\n\nx == None\n", 3, true),
            (Python, "# flake8: noqa: E501\n\nx == None\n", 3, false),
            (Python, "x == None  # nosec\n", 1, true),
            (Python, "x == None  # nosec B101\n", 1, false),
            (Python, "x()  # pylint: disable=bare-except\n", 1, true),
            (
                Python,
                "def f():\n    # pylint: disable=bare-except\n    a()\n\n    x()\ny()\n",
                5,
                true,
            ),
            (
                Python,
                "def f():\n    # pylint: disable=bare-except\n    a()\n\n    x()\ny()\n",
                6,
                false,
            ),
            (Python, "# pylint: disable-next=all\nx()\n", 2, true),
            (Python, "s = '# noqa'; x == None\n", 1, false),
        ] {
            assert_eq!(is_silent(language, code, line), silent, "{code}");
        }
    }

    #[test]
    fn directives_silence_the_rules_that_they_name_where_they_hold() {
        use SupportLang::{Go, JavaScript};
        for (language, code, line, silent) in [
            (
                JavaScript,
                "// eslint-disable-next-line no-debugger\ndebugger\n",
                2,
                true,
            ),
            (
                JavaScript,
                "// eslint-disable-next-line no-alert\ndebugger\n",
                2,
                false,
            ),
            (
                JavaScript,
                "// eslint-disable-next-line no-debugger -- see #1\n// why\ndebugger\n",
                3,
                true,
            ),
            (JavaScript, "debugger // eslint-disable-line\n", 1, true),
            (
                JavaScript,
                "/* eslint-disable no-debugger */\na()\ndebugger\n/* eslint-enable */\nb()\n",
                3,
                true,
            ),
            (
                JavaScript,
                "/* eslint-disable no-debugger */\na()\n/* eslint-enable */\ndebugger\n",
                4,
                false,
            ),
            (JavaScript, "/* eslint-disable */\na()\n", 2, true),
            (
                JavaScript,
                "// biome-ignore lint/suspicious/no-debugger: why\ndebugger\n",
                2,
                true,
            ),
            (
                Go,
                "package a\n\nvar x = f() //nolint:gosec // why\n",
                3,
                true,
            ),
            (Go, "package a\n\nvar x = f() //nolint:errcheck\n", 3, false),
            (Go, "package a\n\n// #nosec G402\nvar x = f()\n", 4, false),
            (Go, "package a\n\nvar x = f() // #nosec\n", 3, true),
        ] {
            assert_eq!(is_silent(language, code, line), silent, "{code}");
        }
    }

    #[test]
    fn a_comment_beside_the_code_that_says_so_shows_that_it_is_meant() {
        for (code, line, meant) in [
            ("x()  # intentional: the cache is shared\n", 1, true),
            ("# This is deliberate,\n# see the docs.\nx()\n", 3, true),
            ("# On purpose.\n\nx()\n", 3, false),
            ("# Does x.\nx()\n", 2, false),
            ("a()  # by design\nx()\n", 2, false),
            ("s = 'on purpose'\n", 1, false),
        ] {
            assert_eq!(is_silent(SupportLang::Python, code, line), meant, "{code}");
        }
    }

    #[test]
    fn attributes_allow_in_what_they_stand_on() {
        for (code, allowed) in [
            ("fn f() { todo!() }", false),
            (
                "#[allow(clippy::todo)]\n/// Docs.\nfn f() { todo!() }",
                true,
            ),
            ("#![allow(clippy::todo)]\nfn f() { todo!() }", true),
            (
                "mod a { #![expect(clippy::todo, reason = \"x\")] fn f() { todo!() } }",
                true,
            ),
            ("#[allow(clippy::unwrap_used)]\nfn f() { todo!() }", false),
            (
                "#[allow(clippy::todo)]\nfn g() {}\nfn f() { todo!() }",
                false,
            ),
        ] {
            let parsed = parse(SupportLang::Rust, code).unwrap();
            let root = parsed.document.root();
            let node = root.dfs().find(|node| node.kind() == "macro_invocation");
            assert_eq!(
                is_allowed_by_attribute(&rule(), &node.unwrap()),
                allowed,
                "{code}"
            );
        }
    }
}
