//! Tells code from strings and comments, well enough to count tests and assertions in it.

/// Languages whose tests are known, and two kinds of other files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SourceLanguage {
    Rust,
    Python,
    /// JavaScript and TypeScript.
    JavaScript,
    Go,
    /// Java and Kotlin.
    Jvm,
    Ruby,
    /// Settings with `#` comments.
    HashComments,
    /// Anything else: all of it counts as code.
    Other,
}

impl SourceLanguage {
    /// By the file's ending.
    pub(super) fn of(path: &str) -> Self {
        let name = path.rsplit('/').next().unwrap_or(path);
        match name.rsplit_once('.').map_or("", |(_, ending)| ending) {
            "rs" => Self::Rust,
            "py" | "pyi" => Self::Python,
            "js" | "jsx" | "mjs" | "cjs" | "ts" | "tsx" | "mts" | "cts" | "vue" | "svelte"
            | "json" | "jsonc" | "json5" => Self::JavaScript,
            "go" => Self::Go,
            "java" | "kt" | "kts" | "gradle" => Self::Jvm,
            "rb" | "rake" => Self::Ruby,
            "toml" | "yml" | "yaml" | "cfg" | "ini" | "flake8" | "coveragerc" | "properties"
            | "pylintrc" => Self::HashComments,
            _ => Self::Other,
        }
    }
}

/// What a byte belongs to. The quotes of a string are code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ByteClass {
    Code,
    StringLiteral,
    Comment,
}

/// A file and what each of its bytes belongs to.
pub(super) struct SourceText<'a> {
    pub(super) raw: &'a str,
    classes: Vec<ByteClass>,
}

impl<'a> SourceText<'a> {
    pub(super) fn new(language: SourceLanguage, raw: &'a str) -> Self {
        Self {
            classes: classify_bytes(language, raw.as_bytes()),
            raw,
        }
    }

    /// The code, with strings and comments blank; as long as the file, line by line.
    pub(super) fn code(&self) -> String {
        self.blank_all_but(|part| part == ByteClass::Code)
    }

    /// The comments alone.
    pub(super) fn comments(&self) -> String {
        self.blank_all_but(|part| part == ByteClass::Comment)
    }

    /// Code and strings.
    pub(super) fn without_comments(&self) -> String {
        self.blank_all_but(|part| part != ByteClass::Comment)
    }

    fn blank_all_but(&self, keep: impl Fn(ByteClass) -> bool) -> String {
        let mut kept = String::with_capacity(self.raw.len());
        for (at, letter) in self.raw.char_indices() {
            if letter == '\n' || self.classes.get(at).is_some_and(|part| keep(*part)) {
                kept.push(letter);
            } else {
                kept.extend(std::iter::repeat_n(' ', letter.len_utf8()));
            }
        }
        kept
    }
}

fn classify_bytes(language: SourceLanguage, bytes: &[u8]) -> Vec<ByteClass> {
    let mut parts = vec![ByteClass::Code; bytes.len()];
    let mut at = 0;
    // The last byte that is no blank: tells a pattern from a division.
    let mut last = b'\n';
    while at < bytes.len() {
        if let Some(end) = comment_end(language, bytes, at) {
            parts[at..end].fill(ByteClass::Comment);
            at = end;
        } else if let Some((from, to, end)) = string_span(language, bytes, at, last) {
            parts[from..to].fill(ByteClass::StringLiteral);
            last = b'"';
            at = end;
        } else {
            if !bytes[at].is_ascii_whitespace() {
                last = bytes[at];
            }
            at += 1;
        }
    }
    parts
}

/// Where a comment that begins here ends.
fn comment_end(language: SourceLanguage, bytes: &[u8], at: usize) -> Option<usize> {
    let rest = &bytes[at..];
    match language {
        SourceLanguage::Rust
        | SourceLanguage::JavaScript
        | SourceLanguage::Go
        | SourceLanguage::Jvm => {
            if rest.starts_with(b"//") {
                Some(line_end(bytes, at))
            } else if rest.starts_with(b"/*") {
                Some(block_end(bytes, at, language == SourceLanguage::Rust))
            } else {
                None
            }
        }
        SourceLanguage::Python => (rest[0] == b'#').then(|| line_end(bytes, at)),
        SourceLanguage::Ruby => {
            let first = at == 0 || bytes[at - 1] == b'\n';
            if first && rest.starts_with(b"=begin") {
                let end = find(rest, b"\n=end").map_or(rest.len(), |end| end + 5);
                Some(at + end)
            } else {
                (rest[0] == b'#').then(|| line_end(bytes, at))
            }
        }
        SourceLanguage::HashComments => {
            let apart = at == 0 || bytes[at - 1].is_ascii_whitespace();
            let first = at == 0 || bytes[at - 1] == b'\n';
            let begins = (rest[0] == b'#' && apart) || (rest[0] == b';' && first);
            begins.then(|| line_end(bytes, at))
        }
        SourceLanguage::Other => None,
    }
}

/// Where the inside of a string that begins here begins and ends, and where the string ends.
fn string_span(
    language: SourceLanguage,
    bytes: &[u8],
    at: usize,
    last: u8,
) -> Option<(usize, usize, usize)> {
    let quote = bytes[at];
    let rest = &bytes[at..];
    match (language, quote) {
        (SourceLanguage::Rust, b'r') => raw_string_span(bytes, at),
        (SourceLanguage::Rust, b'"') => Some(quoted_span(bytes, at, 1, true)),
        (SourceLanguage::Rust, b'\'') => char_literal_span(bytes, at),
        (SourceLanguage::Python, b'"' | b'\'') | (SourceLanguage::Jvm, b'"')
            if rest.starts_with(&[quote; 3]) =>
        {
            Some(quoted_span(bytes, at, 3, true))
        }
        (SourceLanguage::JavaScript, b'`') => Some(quoted_span(bytes, at, 1, true)),
        (SourceLanguage::Go, b'`') => {
            let to = find(&bytes[at + 1..], b"`").map_or(bytes.len(), |end| at + 1 + end);
            Some((at + 1, to, (to + 1).min(bytes.len())))
        }
        (
            SourceLanguage::Python
            | SourceLanguage::JavaScript
            | SourceLanguage::Go
            | SourceLanguage::Jvm
            | SourceLanguage::Ruby,
            b'"' | b'\'',
        ) => Some(quoted_span(bytes, at, 1, false)),
        (SourceLanguage::HashComments, b'"' | b'\'')
            if at == 0 || matches!(bytes[at - 1], b' ' | b'\t' | b'\n' | b',' | b'[' | b'=') =>
        {
            Some(quoted_span(bytes, at, 1, false))
        }
        (SourceLanguage::JavaScript | SourceLanguage::Ruby, b'/') if may_begin_regex(last) => {
            regex_end(bytes, at).map(|end| (at + 1, end, end + 1))
        }
        _ => None,
    }
}

/// A string between `count` times its first byte. One that may not have many lines ends with its line at the latest.
fn quoted_span(bytes: &[u8], at: usize, count: usize, lines: bool) -> (usize, usize, usize) {
    let quote = bytes[at];
    let from = at + count;
    let mut end = from;
    while end < bytes.len() {
        match bytes[end] {
            b'\\' => end += 1,
            b'\n' if !lines => return (from, end, end),
            byte if byte == quote && bytes[end..].starts_with(&vec![quote; count]) => {
                return (from, end, end + count);
            }
            _ => {}
        }
        end += 1;
    }
    (from, bytes.len(), bytes.len())
}

/// Rust's `r"…"` and `r#"…"#`.
fn raw_string_span(bytes: &[u8], at: usize) -> Option<(usize, usize, usize)> {
    let before = at.checked_sub(1).map(|at| bytes[at]);
    let inner = before.is_some_and(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    if inner && !matches!(before, Some(b'b' | b'c')) {
        return None;
    }
    let hashes = bytes[at + 1..]
        .iter()
        .take_while(|byte| **byte == b'#')
        .count();
    let from = at + 1 + hashes + 1;
    if bytes.get(from - 1) != Some(&b'"') {
        return None;
    }
    let mut close = vec![b'"'];
    close.resize(1 + hashes, b'#');
    let to = find(&bytes[from..], &close).map_or(bytes.len(), |end| from + end);
    Some((from, to, (to + close.len()).min(bytes.len())))
}

/// Rust's `'x'`; none for a lifetime.
fn char_literal_span(bytes: &[u8], at: usize) -> Option<(usize, usize, usize)> {
    let from = at + 1;
    if bytes.get(from) == Some(&b'\\') {
        return Some(quoted_span(bytes, at, 1, false));
    }
    let wide = bytes.get(from + 1..)?;
    let more = wide.iter().take_while(|byte| **byte & 0xC0 == 0x80).count();
    let to = from + 1 + more;
    (bytes.get(to) == Some(&b'\'')).then_some((from, to, to + 1))
}

/// After this byte, a `/` begins a pattern and is no division.
fn may_begin_regex(last: u8) -> bool {
    matches!(
        last,
        b'(' | b','
            | b'='
            | b':'
            | b'['
            | b'!'
            | b'&'
            | b'|'
            | b'?'
            | b'{'
            | b'}'
            | b';'
            | b'\n'
            | b'~'
    )
}

/// Where a pattern's closing `/` is, in the same line.
fn regex_end(bytes: &[u8], at: usize) -> Option<usize> {
    let mut end = at + 1;
    let mut class = false;
    loop {
        match *bytes.get(end)? {
            b'\n' => return None,
            b'\\' => end += 1,
            b'[' => class = true,
            b']' => class = false,
            b'/' if !class => return Some(end),
            _ => {}
        }
        end += 1;
    }
}

fn line_end(bytes: &[u8], at: usize) -> usize {
    find(&bytes[at..], b"\n").map_or(bytes.len(), |end| at + end)
}

fn block_end(bytes: &[u8], at: usize, nested: bool) -> usize {
    let mut depth = 1;
    let mut end = at + 2;
    while end < bytes.len() {
        if bytes[end..].starts_with(b"*/") {
            depth -= 1;
            end += 2;
            if depth == 0 {
                return end;
            }
        } else if nested && bytes[end..].starts_with(b"/*") {
            depth += 1;
            end += 2;
        } else {
            end += 1;
        }
    }
    bytes.len()
}

fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes
        .windows(wanted.len())
        .position(|window| window == wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(path: &str, raw: &str, code: &str) {
        assert_eq!(
            SourceText::new(SourceLanguage::of(path), raw).code(),
            code,
            "{raw}"
        );
    }

    #[test]
    fn strings_and_comments_are_blank_and_all_else_stays() {
        check(
            "a.rs",
            r##"f("a//b", r#"x"y"#, 'q', '\'', 'é') /* a /* b */ c */ + 'a"##,
            r##"f("    ", r#"   "#, ' ', '  ', '  ')                   + 'a"##,
        );
        check("a.rs", "\"a\nb\" // c\nd", "\" \n \"     \nd");
        check("a.py", "x = '''a\n#b''' # c", "x = ''' \n  '''    ");
        check("a.py", "x = 'it\ny = 1", "x = '  \ny = 1");
        check(
            "a.ts",
            "a / b; c = /[/'\"]/g // y",
            "a / b; c = /     /g     ",
        );
        check("a.ts", "f(`x\n'`, 1)", "f(` \n `, 1)");
        check("a.go", "`\\` + \"a\\\"b\" // c", "` ` + \"    \"     ");
        check("a.kt", "\"\"\"a\"b\"\"\" + 'c'", "\"\"\"   \"\"\" + ' '");
        check(
            "a.rb",
            "x =~ /'/ # y\n=begin\na\n=end\nb",
            "x =~ / /    \n      \n \n    \nb",
        );
        check(
            "a.yml",
            "a: don't # b\nc: 'x # y' #z",
            "a: don't    \nc: '     '   ",
        );
        check("a.txt", "// \"a\" # b", "// \"a\" # b");
    }

    #[test]
    fn comments_can_be_read_alone_and_left_out() {
        let text = SourceText::new(SourceLanguage::Go, "a(\"//x\") // y");
        assert_eq!(text.comments(), "         // y");
        assert_eq!(text.without_comments(), "a(\"//x\")     ");
    }
}
