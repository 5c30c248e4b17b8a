//! Finds the tests of a file, its helpers, and what each of them asserts.

use super::assertions::{Assertion, assertions, table_rows};
use super::brackets::Brackets;
use super::line_counter::LineCounter;
use super::path_rules::is_test_file;
use super::patterns::patterns;
use super::script_body::script_body;
use super::source_text::{SourceLanguage, SourceText};
use super::test_item::{TestItem, call_counts, identifiers};
use regex::Regex;
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::LazyLock;

/// Where an item is, before one looks into it.
struct ItemSpan {
    name: String,
    span: Range<usize>,
    body_start: usize,
    is_test: bool,
    cases: usize,
}

patterns! {
    RUST_FN = r"\bfn\s+(\w+)|\bmacro_rules!\s*(\w+)";
    RUST_TEST = r"#\[\s*(?:\w+\s*::\s*)*(?:test|rstest|quickcheck|wasm_bindgen_test|test_case|property_test|bench)\s*[\](=]|\bcfg_attr\([^\]]*,\s*test\s*\)\s*\]";
    RUST_CASE = r"#\[\s*(?:case\b|(?:\w+\s*::\s*)?test_case\b)";
    RUST_AREA = r"#\[\s*cfg\s*\([^\]]*\btest\b[^\]]*\]\s*(?:#\[[^\]]*\]\s*)*(?:pub(?:\([^)]*\))?\s+)?mod\s+\w+\s*\{";
    RUST_MOD = r"(?m)^[ \t]*(?:pub(?:\([^)]*\))?[ \t]+)?mod\s+(\w+)\s*;";
    RUST_TEST_MOD = r"#\[\s*cfg\s*\(\s*test\s*\)\s*\]\s*(?:#\[[^\]]*\]\s*)*(?:pub(?:\([^)]*\))?\s+)?mod\s+(\w+)\s*;";
    PYTHON_DEF = r"(?m)^([ \t]*)(?:async[ \t]+)?def[ \t]+(\w+)";
    PYTHON_TABLE = r"\bparametrize\s*\(|\bparameterized(?:\.expand)?\s*\(";
    SCRIPT_TEST = r"(?:^|[^\w.$])(?:Deno\.)?((?:it|test|specify|xit|xtest|fit)(?:\.(?:each|for|only|skip|todo|concurrent|sequential|serial|parallel|failing|fails|fixme|skipIf|runIf|slow))*)\s*(?:<[^<>()]*>\s*)?([(`])";
    SCRIPT_FN = r"\bfunction\s*\*?\s*(\w+)\s*\(|\b(?:const|let|var)\s+(\w+)\s*(?::[^=\n;]+)?=\s*(?:async\s*)?(?:function\b|(?:\([^()]*\)|\w+)\s*(?::[^=\n]+)?=>)";
    GO_FN = r"(?m)^func\s+(?:\([^)]*\)\s*)?(\w+)";
    GO_TEST = r"^(?:Test|Fuzz|Benchmark|Example)";
    KOTLIN_FN = r"\bfun\s+(?:<[^>]*>\s*)?(?:\w+\.)?(`[^`\n]+`|\w+)\s*\(";
    JAVA_FN = r"\b(\w+)\s*\([^()]*(?:\([^()]*\)[^()]*)*\)\s*(?:throws\s+[\w.,\s]+)?\{";
    JVM_TEST = r"@(?:\w+\.)*(?:Test|ParameterizedTest|RepeatedTest|TestFactory|TestTemplate|Property)\b";
    JVM_TABLE = r"@(?:\w+\.)*(?:ValueSource|CsvSource)\s*\(";
    JUNIT3 = r"\bvoid\s+$";
    RUBY_DEF = r"(?m)^([ \t]*)(?:(it|specify|example|scenario|test|its|xit|fit)\b[ \t]*(?:$|[(\{]|do\b|['\x22:])|def[ \t]+(?:self\.)?(\w+[?!]?))";
    LEAVES = r"^\s*return\s*(?:;|\n|$)";
    LEAVES_SOMEWHERE = r"\breturn\s*(?:;|\n|\}|$)";
    RUST_CFG = r"#\[\s*cfg\s*\(([^\]]*)\)\s*\]";
}

/// The tests and helpers of a file.
pub(super) fn test_items(
    path: &str,
    language: SourceLanguage,
    text: &SourceText<'_>,
    code: &str,
) -> Vec<TestItem> {
    let brackets = Brackets::new(code);
    let places = item_spans(path, language, text, code, &brackets);
    let all = assertions(language, text.raw, code, &brackets);
    let tables = table_rows(language, code, &brackets);
    let code_and_strings = text.without_comments();
    let mut line = LineCounter::new(code);
    let spans: Vec<Range<usize>> = places.iter().map(|place| place.span.clone()).collect();
    let script = is_test_file(path)
        .then(|| script_body(language, code, &spans, &all))
        .flatten();
    let items = places.into_iter().map(|place| {
        let within = |at: usize| place.span.contains(&at);
        let inside = all.partition_point(|claim| claim.offset < place.span.start)
            ..all.partition_point(|claim| claim.offset < place.span.end);
        let body = code
            .get(place.body_start..place.span.end)
            .unwrap_or_default();
        let assertions = all.get(inside).unwrap_or_default().to_vec();
        let header = code
            .get(place.span.start..place.body_start)
            .unwrap_or_default();
        TestItem {
            line: line.line_at(place.span.start),
            last_line: line.line_at(place.span.end.saturating_sub(1)),
            conditions: compile_conditions(language, header),
            table_rows: tables
                .iter()
                .filter(|(at, _)| within(*at))
                .map(|(_, rows)| rows)
                .sum(),
            call_counts: call_counts(body),
            returns_early: returns_early(language, body, place.body_start, &assertions),
            assertions,
            identifiers: identifiers(
                code_and_strings
                    .get(place.body_start..place.span.end)
                    .unwrap_or_default(),
            ),
            all_identifiers: identifiers(
                code_and_strings.get(place.span.clone()).unwrap_or_default(),
            ),
            name: place.name,
            is_test: place.is_test,
            cases: place.cases.max(1),
        }
    });
    items.chain(script).collect()
}

/// What `#[cfg(…)]` above a test asks for; that it is a test is none of it.
fn compile_conditions(language: SourceLanguage, header: &str) -> BTreeSet<String> {
    if language != SourceLanguage::Rust {
        return BTreeSet::new();
    }
    let conditions = RUST_CFG
        .captures_iter(header)
        .map(|found| found[1].split_whitespace().collect::<String>());
    conditions.filter(|asked| asked != "test").collect()
}

/// Whether a test leaves at once, or, where no callback of it is left that way, before its first assertion.
fn returns_early(
    language: SourceLanguage,
    body: &str,
    body_start: usize,
    assertions: &[Assertion],
) -> bool {
    let callbacks = matches!(language, SourceLanguage::JavaScript | SourceLanguage::Ruby);
    let first = assertions.first().filter(|_| !callbacks);
    let before = first.and_then(|claim| body.get(..claim.offset.checked_sub(body_start)?));
    LEAVES.is_match(body) || before.is_some_and(|before| LEAVES_SOMEWHERE.is_match(before))
}

fn item_spans(
    path: &str,
    language: SourceLanguage,
    text: &SourceText<'_>,
    code: &str,
    brackets: &Brackets<'_>,
) -> Vec<ItemSpan> {
    let in_test = is_test_file(path);
    match language {
        SourceLanguage::Rust => rust_items(code, brackets, in_test),
        SourceLanguage::Python if in_test => python_items(code, brackets),
        SourceLanguage::JavaScript if in_test => script_items(text.raw, code, brackets),
        SourceLanguage::Go if in_test => go_items(code, brackets),
        SourceLanguage::Jvm if in_test => jvm_items(path, code, brackets),
        SourceLanguage::Ruby if in_test => ruby_items(text.raw, code),
        SourceLanguage::Python
        | SourceLanguage::JavaScript
        | SourceLanguage::Go
        | SourceLanguage::Jvm
        | SourceLanguage::Ruby
        | SourceLanguage::HashComments
        | SourceLanguage::Other => Vec::new(),
    }
}

/// Modules with tests in other files that a file names: what is not named is not run.
pub(super) fn test_modules(path: &str, language: SourceLanguage, code: &str) -> Vec<String> {
    let pattern = match language {
        SourceLanguage::Rust if is_test_file(path) => &RUST_MOD,
        SourceLanguage::Rust => &RUST_TEST_MOD,
        _ => return Vec::new(),
    };
    pattern
        .captures_iter(code)
        .map(|found| found[1].to_string())
        .collect()
}

fn rust_items(code: &str, brackets: &Brackets<'_>, in_test: bool) -> Vec<ItemSpan> {
    let areas: Vec<Range<usize>> = RUST_AREA
        .find_iter(code)
        .map(|found| found.start()..brackets.closing_of(found.end() - 1))
        .collect();
    let mut places = Vec::new();
    for found in RUST_FN.captures_iter(code) {
        let Some(name) = found.get(1).or_else(|| found.get(2)) else {
            continue;
        };
        let start = brackets.declaration_start(found.get(0).map_or(0, |all| all.start()));
        let header = &code[start..name.start()];
        let test = RUST_TEST.is_match(header);
        if !(test || in_test || areas.iter().any(|area| area.contains(&start))) {
            continue;
        }
        let body = brackets.next_of(name.end(), b"{;").unwrap_or(name.end());
        places.push(ItemSpan {
            name: name.as_str().to_string(),
            span: first_non_blank(code, start)..brackets.closing_of(body) + 1,
            body_start: body + 1,
            is_test: test,
            cases: RUST_CASE.find_iter(header).count(),
        });
    }
    places
}

fn python_items(code: &str, brackets: &Brackets<'_>) -> Vec<ItemSpan> {
    let mut places = Vec::new();
    for found in PYTHON_DEF.captures_iter(code) {
        let (Some(all), Some(indent), Some(name)) = (found.get(0), found.get(1), found.get(2))
        else {
            continue;
        };
        let body = brackets
            .next_of(name.end(), b":")
            .map_or(name.end(), |at| at + 1);
        let start = decorators_start(code, brackets, all.start());
        let header = &code[start..all.start()];
        let cases = PYTHON_TABLE
            .find_iter(header)
            .map(|table| count_values(code, brackets, start + table.end() - 1))
            .product();
        places.push(ItemSpan {
            name: name.as_str().to_string(),
            span: first_non_blank(code, start)..indented_block_end(code, body, indent.len()),
            body_start: body,
            is_test: name.as_str().starts_with("test"),
            cases,
        });
    }
    places
}

/// Where the decorators above a definition begin.
fn decorators_start(code: &str, brackets: &Brackets<'_>, at: usize) -> usize {
    let mut start = at;
    loop {
        let above = code[..start].trim_end();
        let last = if above.ends_with(')') {
            brackets.partner(above.len() - 1).unwrap_or(above.len())
        } else {
            above.len()
        };
        let line = above[..last].rfind('\n').map_or(0, |at| at + 1);
        if !above[line..].trim_start().starts_with('@') {
            return start;
        }
        start = line;
    }
}

/// How many values the first list in a bracket has; 1 where there is none.
fn count_values(code: &str, brackets: &Brackets<'_>, open: usize) -> usize {
    let bytes = code.as_bytes();
    brackets
        .elements(open)
        .iter()
        .filter_map(|(from, to)| {
            let at = brackets.next_of(*from, b"[({").filter(|at| at < to)?;
            // The names may be a tuple: the values come last.
            matches!(bytes[at], b'[' | b'(' | b'{').then(|| brackets.elements(at).len())
        })
        .next_back()
        .unwrap_or(1)
}

/// Where a block ends that is told by its indent.
fn indented_block_end(code: &str, body: usize, indent: usize) -> usize {
    let mut at = code[body..]
        .find('\n')
        .map_or(code.len(), |end| body + end + 1);
    for line in code[at..].split_inclusive('\n') {
        let words = line.trim_start();
        let depth = line.len() - words.len();
        if !words.is_empty() && depth <= indent {
            break;
        }
        at += line.len();
    }
    at
}

fn script_items(raw: &str, code: &str, brackets: &Brackets<'_>) -> Vec<ItemSpan> {
    let mut places = Vec::new();
    for found in SCRIPT_TEST.captures_iter(code) {
        let (Some(head), Some(open)) = (found.get(1), found.get(2)) else {
            continue;
        };
        let mut open = open.start();
        let mut cases = 1;
        let behind = match group_end(code, brackets, open) {
            Some(end) => brackets.next_non_blank(end),
            None => continue,
        };
        // `it.each(table)(…)`, `it.skipIf(…)(…)`, `it.each`table`(…)`.
        if let Some((next, b'(')) = behind {
            if head.as_str().ends_with("each") || head.as_str().ends_with("for") {
                cases = count_values(code, brackets, open);
            }
            open = next;
        }
        let end = brackets.closing_of(open);
        let title = brackets.elements(open).first().copied();
        let name = title
            .and_then(|(from, to)| raw.get(from..to))
            .unwrap_or_default();
        let body = brackets
            .elements(open)
            .last()
            .and_then(|(from, to)| code[*from..*to].find('{').map(|at| from + at + 1))
            .unwrap_or(open + 1);
        places.push(ItemSpan {
            name: name.trim().to_string(),
            span: head.start()..end + 1,
            body_start: body,
            is_test: true,
            cases,
        });
    }
    for found in SCRIPT_FN.captures_iter(code) {
        let Some(name) = found.get(1).or_else(|| found.get(2)) else {
            continue;
        };
        let start = found.get(0).map_or(name.start(), |all| all.start());
        let arrow = found.get(2).is_some();
        let body = brackets
            .next_of(name.end(), if arrow { b"{;" } else { b"{" })
            .unwrap_or(name.end());
        places.push(ItemSpan {
            name: name.as_str().to_string(),
            span: start..brackets.closing_of(body) + 1,
            body_start: body + 1,
            is_test: false,
            cases: 1,
        });
    }
    places
}

/// Right behind what a bracket or a backtick opens.
fn group_end(code: &str, brackets: &Brackets<'_>, open: usize) -> Option<usize> {
    if code.as_bytes().get(open) == Some(&b'`') {
        return code[open + 1..].find('`').map(|at| open + at + 2);
    }
    brackets.partner(open).map(|at| at + 1)
}

fn go_items(code: &str, brackets: &Brackets<'_>) -> Vec<ItemSpan> {
    GO_FN
        .captures_iter(code)
        .filter_map(|found| {
            let name = found.get(1)?;
            let body = brackets.next_of(name.end(), b"{")?;
            Some(ItemSpan {
                name: name.as_str().to_string(),
                span: found.get(0)?.start()..brackets.closing_of(body) + 1,
                body_start: body + 1,
                is_test: GO_TEST.is_match(name.as_str()),
                cases: 1,
            })
        })
        .collect()
}

fn jvm_items(path: &str, code: &str, brackets: &Brackets<'_>) -> Vec<ItemSpan> {
    let kotlin = path.ends_with(".kt") || path.ends_with(".kts");
    let pattern = if kotlin { &KOTLIN_FN } else { &JAVA_FN };
    let mut places = Vec::new();
    for found in pattern.captures_iter(code) {
        let (Some(all), Some(name)) = (found.get(0), found.get(1)) else {
            continue;
        };
        let word = name.as_str();
        let statement = [
            "if",
            "for",
            "while",
            "switch",
            "catch",
            "synchronized",
            "try",
            "when",
        ];
        if !kotlin && statement.contains(&word) {
            continue;
        }
        let start = brackets.declaration_start(all.start());
        let header = &code[start..name.start()];
        if !kotlin && header.trim_end().ends_with("new") {
            continue;
        }
        let Some(body) = brackets.next_of(name.end(), b"{") else {
            continue;
        };
        let old = word.starts_with("test") && JUNIT3.is_match(header);
        let table = JVM_TABLE.find(header).and_then(|table| {
            let list = brackets.next_of(start + table.end(), b"{")?;
            Some(brackets.elements(list).len())
        });
        places.push(ItemSpan {
            name: word.to_string(),
            span: first_non_blank(code, start)..brackets.closing_of(body) + 1,
            body_start: body + 1,
            is_test: JVM_TEST.is_match(header) || old,
            cases: table.unwrap_or(1),
        });
    }
    places
}

fn ruby_items(raw: &str, code: &str) -> Vec<ItemSpan> {
    let mut places = Vec::new();
    for found in RUBY_DEF.captures_iter(code) {
        let (Some(all), Some(indent)) = (found.get(0), found.get(1)) else {
            continue;
        };
        let line = code[all.start()..]
            .find('\n')
            .map_or(code.len(), |end| all.start() + end);
        let (name, test) = match found.get(3) {
            Some(name) => (name.as_str(), name.as_str().starts_with("test_")),
            None => (raw.get(indent.end()..line).unwrap_or_default(), true),
        };
        places.push(ItemSpan {
            name: name.trim().to_string(),
            span: indent.end()..indented_block_end(code, all.start(), indent.len()),
            body_start: line,
            is_test: test,
            cases: 1,
        });
    }
    places
}

/// The first place from here that is no blank.
fn first_non_blank(code: &str, at: usize) -> usize {
    code.len() - code[at..].trim_start().len()
}
