//! Marks that make tests not run, and marks that make tools look away.

use super::line_counter::LineCounter;
use super::patterns::patterns;
use super::source_text::{SourceLanguage, SourceText};
use regex::Regex;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

/// One mark: its line, what it is, and what it names; `*` where it names nothing.
#[derive(Clone, Debug)]
pub(super) struct BypassMark {
    pub(super) line: u32,
    kind: String,
    target: String,
}

patterns! {
    RUST_SKIP = r"#\[\s*ignore\b|\bcfg_attr\([^\]]*,\s*ignore\b|#!?\[\s*cfg\s*\(\s*(?:any\s*\(\s*\)|FALSE|false)";
    PYTHON_SKIP = r"\bmark\.(?:skip|skipif|xfail)\b|@(?:unittest\.)?(?:skip|skipIf|skipUnless|expectedFailure)\b|\bpytest\.(?:skip|importorskip|xfail)\s*\(|\.skipTest\s*\(|\bSkipTest\b|__test__\s*=\s*False|\bcollect_ignore\w*\s*=";
    SCRIPT_SKIP = r"\b(?:it|test|describe|context|suite|specify)(?:\.\w+)*\.(?:skip|only|todo|skipIf|runIf|failing|fails|fixme)\b|(?:^|[^\w.$])(?:x|f)(?:it|test|describe|context|specify)\s*[(.`]|\bthis\.skip\s*\(|\bt\.(?:skip|todo)\s*\(|\bctx\.skip\s*\(";
    GO_SKIP = r"\b[tbf]\.(?:Skip|SkipNow|Skipf)\s*\(";
    GO_BUILD = r"(?m)//go:build\b.*$|// \+build\b.*$";
    JVM_SKIP = r"@(?:\w+\.)*(?:Disabled\w*|Ignore|Ignored|EnabledIf\w*|EnabledOn\w*)\b|\bassum(?:e|ing)(?:True|False|That|NotNull|NoException)\s*\(";
    RUBY_SKIP = r"(?m)(?:^|[\s;{])(?:x|f)(?:it|describe|context|specify|scenario|example|feature)\b|^\s*(?:skip|pending)\b|[,(]\s*:(?:skip|focus|pending)\b|\b(?:skip|focus|pending):";
    NEVER = r"\bif\s*\(?\s*(?:false|False)\s*\)?\s*[{:]";
    CONDITIONAL = r"(?i)skip(?:if|unless)|run(?:if)|(?:en|dis)abled(?:if|on|for)";
    RUST_ALLOW = r"#!?\[\s*(?:cfg_attr\s*\([^\]]*?,\s*)?(allow|expect)\s*\(([^)]*)\)|#!?\[\s*(coverage\s*\(\s*off|no_coverage|rustfmt::skip|tarpaulin::skip|cfg_attr\([^\]]*coverage\s*\(\s*off|cfg_attr\([^\]]*rustfmt::skip)";
    RUST_DENY = r"#!?\[\s*(?:deny|forbid)\s*\(([^)]*)\)";
    JVM_SUPPRESS = r"@(?:\w+[.:])*(SuppressWarnings|SuppressLint|SuppressFBWarnings|Suppress)\b(?:\s*\(([^)]*)\))?";
    PYTHON_SUPPRESS = r"@(?:\w+\.)*(no_type_check)\b";
    PYTHON_NOTE = r"(?i)#\s*(noqa|ruff:\s*noqa|flake8:\s*noqa|type:\s*ignore|pyright:\s*ignore|pyright:\s*basic|mypy:\s*ignore-errors|mypy:\s*disable-error-code|pylint:\s*disable(?:-next)?|pragma:\s*no\s*cover|pragma:\s*no\s*branch|nosec|fmt:\s*(?:off|skip)|isort:\s*skip(?:_file)?)\b[ \t]*(?:(?:[:=][ \t]*|\[)([A-Za-z][\w\-]*(?:,[ \t]*[\w\-]+)*))?";
    SCRIPT_NOTE = r"(?://|/\*)[\s*!]*(eslint-disable(?:-next-line|-line)?|oxlint-disable(?:-next-line|-line)?|tslint:disable(?:-next-line|-line)?|deno-lint-ignore(?:-file)?|biome-ignore(?:-all|-start)?)(?:[ \t]+([@\w/:\-]+(?:,[ \t]*[@\w/:\-]+)*))?";
    SCRIPT_BARE = r"(?://|/\*)[\s*!]*(@ts-ignore|@ts-expect-error|@ts-nocheck|istanbul\s+ignore|c8\s+ignore|v8\s+ignore|prettier-ignore|jshint\s+ignore|eslint\s+[\w@/-]+\s*:\s*(?:0|off|['\x22]off))";
    GO_NOTE = r"//\s*(nolint|#nosec|lint:ignore|lint:file-ignore|revive:disable(?:-next-line|-line)?|exhaustive:ignore|coverage:ignore)\b(?:[ \t]*:[ \t]*([A-Za-z]\w*(?:,[ \t]*\w+)*))?";
    JVM_NOTE = r"//\s*(NOSONAR|noinspection|CHECKSTYLE[:.]OFF|ktlint-disable|detekt:disable|spotless:off|@formatter:off|NOPMD)\b(?:[ \t]+([A-Za-z]\w*(?:,[ \t]*\w+)*))?";
    RUBY_NOTE = r"#\s*(rubocop:\s*(?:disable|todo)|:nocov:|standard:disable|steep:ignore|typed:\s*(?:ignore|false)|reek:)(?:[ \t]+([A-Z][\w/]*(?:,[ \t]*[\w/]+)*))?";
    ANY_NOTE = r"\b(NOLINT(?:NEXTLINE|BEGIN)?|LCOV_EXCL_(?:LINE|START)|GCOVR?_EXCL_(?:LINE|START)|shellcheck\s+disable=|hadolint\s+ignore=|yamllint\s+disable(?:-line)?|swiftlint:disable|phpstan-ignore(?:-next-line|-line)?|codeCoverageIgnore(?:Start)?|phpcs:ignore|stylelint-disable(?:-next-line|-line)?|nosemgrep|gitleaks:allow|tfsec:ignore|checkov:skip=|pragma\s+warning\s+disable|credo:disable-for-\S+)(?:[ \t:(]*([A-Za-z][\w.\-]*(?:,[ \t]*[\w.\-]+)*))?";
}

/// Marks that make tests not run.
pub(super) fn skip_marks(
    language: SourceLanguage,
    in_test: bool,
    text: &SourceText<'_>,
    code: &str,
) -> Vec<BypassMark> {
    let pattern: &Regex = match language {
        SourceLanguage::Rust => &RUST_SKIP,
        SourceLanguage::Python if in_test => &PYTHON_SKIP,
        SourceLanguage::JavaScript if in_test => &SCRIPT_SKIP,
        SourceLanguage::Go if in_test => &GO_SKIP,
        SourceLanguage::Jvm if in_test => &JVM_SKIP,
        SourceLanguage::Ruby if in_test => &RUBY_SKIP,
        SourceLanguage::Python
        | SourceLanguage::JavaScript
        | SourceLanguage::Go
        | SourceLanguage::Jvm
        | SourceLanguage::Ruby
        | SourceLanguage::HashComments
        | SourceLanguage::Other => return Vec::new(),
    };
    let mut found = find_marks(pattern, code);
    if in_test {
        found.extend(find_marks(&NEVER, code));
    }
    if language == SourceLanguage::Go {
        found.extend(find_marks(&GO_BUILD, &text.comments()));
    }
    found
}

fn find_marks(pattern: &Regex, code: &str) -> Vec<BypassMark> {
    let mut line = LineCounter::new(code);
    pattern
        .find_iter(code)
        .map(|found| BypassMark {
            line: line.line_at(found.start() + leading_len(found.as_str())),
            kind: found.as_str()[leading_len(found.as_str())..]
                .split_whitespace()
                .collect(),
            target: "*".into(),
        })
        .collect()
}

/// The bytes before the mark itself.
fn leading_len(text: &str) -> usize {
    let before = |letter: char| letter.is_whitespace() || matches!(letter, '(' | '{' | ';' | ',');
    text.len() - text.trim_start_matches(before).len()
}

/// The lines of marks that let a test run under a condition.
pub(super) fn conditional_lines(marks: &[BypassMark]) -> BTreeSet<u32> {
    let conditional = marks.iter().filter(|mark| CONDITIONAL.is_match(&mark.kind));
    conditional.map(|mark| mark.line).collect()
}

/// Marks that make linters, type checkers and coverage look away.
pub(super) fn suppression_marks(
    language: SourceLanguage,
    text: &SourceText<'_>,
    code: &str,
) -> Vec<BypassMark> {
    let notes = text.comments();
    // What an annotation names is in strings.
    let full = text.without_comments();
    let patterns: &[(&Regex, &str)] = match language {
        SourceLanguage::Rust => &[(&RUST_ALLOW, code)],
        SourceLanguage::Python => &[(&PYTHON_SUPPRESS, code), (&PYTHON_NOTE, &notes)],
        SourceLanguage::JavaScript => &[(&SCRIPT_NOTE, &notes), (&SCRIPT_BARE, &notes)],
        SourceLanguage::Go => &[(&GO_NOTE, &notes)],
        SourceLanguage::Jvm => &[(&JVM_SUPPRESS, &full), (&JVM_NOTE, &notes)],
        SourceLanguage::Ruby => &[(&RUBY_NOTE, &notes)],
        SourceLanguage::HashComments | SourceLanguage::Other => &[],
    };
    let mut found: Vec<BypassMark> = patterns
        .iter()
        .flat_map(|(pattern, text)| named_marks(pattern, text))
        .collect();
    let rest = match language {
        SourceLanguage::Other => text.raw,
        _ => &notes,
    };
    found.extend(named_marks(&ANY_NOTE, rest));
    found
}

/// Lints that a Rust file forbids.
pub(super) fn denied_lints(language: SourceLanguage, code: &str) -> BTreeSet<String> {
    match language {
        SourceLanguage::Rust => RUST_DENY
            .captures_iter(code)
            .flat_map(|found| split_names(&found[1]))
            .collect(),
        _ => BTreeSet::new(),
    }
}

fn named_marks(pattern: &Regex, text: &str) -> Vec<BypassMark> {
    let mut line = LineCounter::new(text);
    let mut found = Vec::new();
    for groups in pattern.captures_iter(text) {
        let Some(kind) = groups.get(1).or_else(|| groups.get(3)) else {
            continue;
        };
        let at = line.line_at(kind.start());
        // A suppression counts once, wherever in the file it looks away from.
        let kind: String = kind.as_str().to_lowercase().split_whitespace().collect();
        let what = groups
            .get(2)
            .map(|what| split_names(what.as_str()))
            .unwrap_or_default();
        let all = if what.is_empty() {
            vec!["*".into()]
        } else {
            what
        };
        found.extend(all.into_iter().map(|what| BypassMark {
            line: at,
            kind: kind.clone(),
            target: what,
        }));
    }
    found
}

fn split_names(list: &str) -> Vec<String> {
    list.split(|letter: char| letter == ',' || letter.is_whitespace())
        .map(|name| name.trim_matches(|letter: char| !letter.is_alphanumeric()))
        .filter(|name| !name.is_empty() && !name.starts_with("reason"))
        .map(str::to_string)
        .collect()
}

/// The lines of marks that were not there before. A mark that names less than one that went is none.
pub(super) fn added_mark_lines(before: &[BypassMark], after: &[BypassMark]) -> BTreeSet<u32> {
    let mut left: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for mark in before {
        *left.entry((&mark.kind, &mark.target)).or_default() += 1;
    }
    let new_marks: Vec<&BypassMark> = after
        .iter()
        .filter(|mark| !take_one(&mut left, &mark.kind, &mark.target))
        .collect();
    let mut lines = BTreeSet::new();
    let mut narrowed = BTreeSet::new();
    for mark in new_marks {
        let named = (&mark.kind, mark.line);
        if !narrowed.contains(&named) && take_one(&mut left, &mark.kind, "*") {
            narrowed.insert(named);
        }
        if !narrowed.contains(&named) {
            lines.insert(mark.line);
        }
    }
    lines
}

/// Takes one of a kind away, where there is one.
fn take_one<'a>(
    left: &mut BTreeMap<(&'a str, &'a str), usize>,
    kind: &'a str,
    what: &'a str,
) -> bool {
    match left.get_mut(&(kind, what)) {
        Some(count) if *count > 0 => {
            *count -= 1;
            true
        }
        Some(_) | None => false,
    }
}
