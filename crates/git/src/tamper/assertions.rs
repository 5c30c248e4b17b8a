//! Finds assertions, and tells which say little or nothing.

use super::brackets::Brackets;
use super::patterns::patterns;
use super::source_text::SourceLanguage;
use regex::Regex;
use std::sync::LazyLock;

/// How much an assertion says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum AssertionStrength {
    /// That something is there, or true, or is not something else.
    Weak,
    /// What something is.
    Strong,
}

/// One assertion.
#[derive(Clone, Debug)]
pub(super) struct Assertion {
    /// Where it begins.
    pub(super) offset: usize,
    /// What it calls, without path.
    pub(super) name: String,
    /// Its words, blanks left out.
    pub(super) normalized: String,
    pub(super) strength: AssertionStrength,
}

patterns! {
    RUST = r"\b(\w*assert\w*|panic|ensure)!\s*[(\[{]|\.(assert|unwrap_err|expect_err)\s*\(|\b((?:assert|check|verify)\w*)\s*\(";
    PYTHON = r"\b(assert)\b|\.(assert\w+|fail)\s*\(|\b(assert_\w+)\s*\(|\bpytest\.(raises|warns|fail)\s*\(|\b((?:check|verify|expect)\w*)\s*\(";
    SCRIPT = r"\b(expect\w*)\s*(?:<[^<>()]*>\s*)?\(|\bexpect\.(soft|poll|element|assertions|hasAssertions)\s*\(|\b(assert\w*)(?:\.\w+)*\s*\(|\.(should)\b|\bt\.(is|not|like|true|false|truthy|falsy|deepEqual|throws\w*|notThrows\w*|regex|snapshot|equal|same|ok|match)\s*\(|\b((?:check|verify)\w*)\s*\(";
    GO = r"\b[tbfT]\.(Errorf?|Fatalf?|Fail|FailNow)\s*\(|\b(?:assert|require|qt|is)\.(\w+)\s*\(|\b(?:s|suite)\.(?:Require\(\)\.|Assert\(\)\.)?((?:Not)?(?:Equal|Error|Nil|True|False|Len|Contains|Empty|ElementsMatch|Zero|Panics)\w*|NoError\w*)\s*\(|\bc\.(Assert|Check)\s*\(|\b(Expect|Ω|Eventually|Consistently)\s*\(|\b((?:assert|check|verify|expect|require|must)\w*)\s*\(";
    JVM = r"\b((?:assert|verify|fail|expect|check)\w*)\s*(?:<[^<>()]*>\s*)?[({]|\b(assert)\s|\b(should(?:Not)?(?:Be|Have|Throw|Contain|Equal|Match|Start|End)\w*)\b";
    RUBY = r"(?m)(?:^|[\s{(])(expect\w*|is_expected|assert\w*|refute\w*|check_\w+|verify_\w+)\b|\.(should\w*|must_\w+|wont_\w+)\b";
    LITERAL = r#"^(?:true|True|false|False|null|nil|None|undefined|-?\d[\w.]*|["'`][\s"'`]*|Some\(\)|\(\))$"#;
    PLAIN = r"^(?:(?:debug_|prop_)?assert(?:_eq|_ne)?|assert(?:True|False|Equals?|That|Is)?|expect|True|False|Equal|Exactly|ok|is|t|strictEqual|deepEqual|equal|isTrue)$";
    RUST_WEAK = r"(?:^|_)assert_ne!|\.is_(?:ok|some|err)\(\) ?[,)]|matches!\([^,]*, ?(?:Ok|Some|Err)\(_\)";
    PYTHON_WEAK = r"assertIsNotNone|assertNotEqual|assertIsInstance|assert_called\(|^assert (?:not )?[\w.\[\]]+(?:,.*)?$|is not None|!=|^assert isinstance\(|(?:==|\bis) ?(?:True|False)\b|== ?(?:\[\]|\{\}|0)(?:,|$)";
    SCRIPT_WEAK = r"\.toBeTruthy|\.toBeFalsy|\.toBeDefined|\.toHaveBeenCalled\(\)|\.not\b|\.exist\b|\.(?:isOk|exists|isDefined|notEqual|notStrictEqual|notDeepEqual|truthy|falsy)\(";
    GO_WEAK = r"\.(?:NotNil|NotEmpty|NotEqual|NotZero)";
    JVM_WEAK = r"^(?:assertNotNull|assertNotEquals|assertDoesNotThrow)|\.isNotNull\(|\.isNotEmpty\(|^shouldNotBe";
    RUBY_WEAK = r"not_to|to_not|^refute|^assert_not|be_truthy|be_falsey|be_present|nothing_raised|wont_";
    DEFINES = r"(?:\bfn|\bdef|\bfunction|\bfunc|\bfun|\bvoid|macro_rules!)\s*(?:self\.)?$";
    TABLE = r"\b(?i:\w*(?:cases?|tests?|table|rows|examples|scenarios))\b\s*(?::[^=\n;]+)?=\s*&?(?:vec!)?\[|\bfor\b[^\n]*?\bin\s+&?(?:vec!)?[\[(]|\bfor\b[^\n]*?\bof\s+\[";
    GO_TABLE = r"(?::?=|\brange)\s*(?:\[\]|map\[\w+\])(?:struct\s*\{|[\w.*]+\s*\{)";
}

/// The assertions of a file, in order; those that hold whatever the code does are left out.
pub(super) fn assertions(
    language: SourceLanguage,
    raw: &str,
    code: &str,
    brackets: &Brackets<'_>,
) -> Vec<Assertion> {
    let (pattern, weak): (&Regex, &Regex) = match language {
        SourceLanguage::Rust => (&RUST, &RUST_WEAK),
        SourceLanguage::Python => (&PYTHON, &PYTHON_WEAK),
        SourceLanguage::JavaScript => (&SCRIPT, &SCRIPT_WEAK),
        SourceLanguage::Go => (&GO, &GO_WEAK),
        SourceLanguage::Jvm => (&JVM, &JVM_WEAK),
        SourceLanguage::Ruby => (&RUBY, &RUBY_WEAK),
        SourceLanguage::HashComments | SourceLanguage::Other => return Vec::new(),
    };
    let mut found = Vec::new();
    let mut end = 0;
    for groups in pattern.captures_iter(code) {
        let Some(name) = groups.iter().skip(1).flatten().next() else {
            continue;
        };
        // What is in another assertion belongs to it.
        if name.start() < end || DEFINES.is_match(line_before(code, name.start())) {
            continue;
        }
        let begin = groups.get(0).map_or(name.start(), |all| all.start());
        let end_offset = assertion_end(language, code, brackets, name.end());
        if language == SourceLanguage::Jvm && is_java_definition(code, brackets, name.end()) {
            continue;
        }
        let Some(whole) = code.get(begin..end_offset) else {
            continue;
        };
        // What is in a block has a weight of its own.
        let block = ["{", "=>", "->"].iter().any(|sign| whole.contains(sign));
        end = if block { name.end() } else { end_offset };
        let args = arguments(language, code, brackets, name.end(), end_offset);
        if is_vacuous(language, &args, name.as_str()) {
            continue;
        }
        let normalized = whole.split_whitespace().collect::<Vec<_>>().join(" ");
        let weight = if weak.is_match(&normalized) {
            AssertionStrength::Weak
        } else {
            AssertionStrength::Strong
        };
        found.push(Assertion {
            offset: name.start(),
            name: name.as_str().to_string(),
            normalized: raw
                .get(begin..end_offset)
                .unwrap_or_default()
                .split_whitespace()
                .collect(),
            strength: weight,
        });
    }
    found
}

/// What is before a place in its line.
fn line_before(code: &str, at: usize) -> &str {
    let line = code[..at].rfind('\n').map_or(0, |end| end + 1);
    &code[line..at]
}

/// Where an assertion ends: its call, and the calls on what that gives.
fn assertion_end(
    language: SourceLanguage,
    code: &str,
    brackets: &Brackets<'_>,
    at: usize,
) -> usize {
    let statement = |at: usize| brackets.statement_end(at);
    let bytes = code.as_bytes();
    let open = brackets
        .next_of(at, b"([{\n")
        .filter(|at| bytes[*at] != b'\n');
    match (language, open) {
        (SourceLanguage::Python, _) if code[..at].ends_with("assert") => statement(at),
        (SourceLanguage::Ruby, _) | (_, None) => statement(at),
        (SourceLanguage::Rust | SourceLanguage::Python, Some(open)) => {
            brackets.closing_of(open) + 1
        }
        (_, Some(open)) => chain_end(brackets, open),
    }
}

/// Goes on through `.a.b(…)`.
fn chain_end(brackets: &Brackets<'_>, open: usize) -> usize {
    let mut end = brackets.closing_of(open) + 1;
    while let Some((dot, b'.')) = brackets.next_non_blank(end) {
        let Some(stop) = brackets.next_of(dot + 1, b"(.;\n,{") else {
            return end;
        };
        end = match brackets.next_non_blank(stop) {
            Some((at, b'(')) if at == stop => brackets.closing_of(stop) + 1,
            _ => stop,
        };
        if end <= dot {
            return dot + 1;
        }
    }
    end
}

/// `void verifyAll() {` declares; a Kotlin call with a block has no such `)`.
fn is_java_definition(code: &str, brackets: &Brackets<'_>, at: usize) -> bool {
    let Some((open, b'(')) = brackets.next_non_blank(at) else {
        return false;
    };
    let typed = line_before(code, at).split_whitespace().count() > 1;
    let block = matches!(
        brackets.next_non_blank(brackets.closing_of(open) + 1),
        Some((_, b'{'))
    );
    typed && block
}

/// What is asserted, without the `t` of Go.
fn arguments<'c>(
    language: SourceLanguage,
    code: &'c str,
    brackets: &Brackets<'_>,
    at: usize,
    end_offset: usize,
) -> Vec<&'c str> {
    if language == SourceLanguage::Python && code[..at].ends_with("assert") {
        let condition = code.get(at..end_offset).unwrap_or_default();
        let condition = condition.split(',').next().unwrap_or_default().trim();
        return match condition.split_once("==") {
            Some((one, other)) => vec![one.trim(), other.trim()],
            None => vec![condition],
        };
    }
    let Some(open) = brackets
        .next_of(at, b"([{")
        .filter(|open| *open < end_offset)
    else {
        return Vec::new();
    };
    brackets
        .elements(open)
        .into_iter()
        .map(|(from, to)| code[from..to].trim())
        .filter(|arg| language != SourceLanguage::Go || *arg != "t")
        .collect()
}

/// It holds whatever the code does: `assert!(true)`, `expect(1).toBe(1)`.
fn is_vacuous(language: SourceLanguage, args: &[&str], name: &str) -> bool {
    let Some(first) = args.first() else {
        return false;
    };
    let bare = matches!(*first, "false" | "False") && !name.ends_with("False");
    let same = args.len() >= 2 && args[0] == args[1] && !args[0].contains(['(', '"', '\'']);
    let literal = args.iter().all(|arg| LITERAL.is_match(arg));
    let known = PLAIN.is_match(name) || (language == SourceLanguage::Python && name == "assert");
    known && !bare && (literal || same)
}

/// The tables of a file: where each is, and how many rows it has.
pub(super) fn table_rows(
    language: SourceLanguage,
    code: &str,
    brackets: &Brackets<'_>,
) -> Vec<(usize, usize)> {
    let known = matches!(
        language,
        SourceLanguage::Rust
            | SourceLanguage::Python
            | SourceLanguage::JavaScript
            | SourceLanguage::Go
            | SourceLanguage::Ruby
    );
    if !known {
        return Vec::new();
    }
    let table = |found: regex::Match<'_>| {
        let mut open = found.end() - 1;
        if language == SourceLanguage::Go && found.as_str().contains("struct") {
            open = match brackets.next_non_blank(brackets.closing_of(open) + 1) {
                Some((next, b'{')) => next,
                _ => return None,
            };
        }
        Some((found.start(), brackets.elements(open).len()))
    };
    let pattern = if language == SourceLanguage::Go {
        &GO_TABLE
    } else {
        &TABLE
    };
    pattern.find_iter(code).filter_map(table).collect()
}
