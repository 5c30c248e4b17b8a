//! Finds quoted lines in a file: white space, fences, line numbers and signs apart.

use crate::text::{redact_keeping_lines, sanitize_code, without_invisible_escapes};
use regex::Regex;
use std::sync::LazyLock;

/// Where quoted lines stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QuoteMatch {
    /// The first line, from 1.
    pub first: u32,
    /// The last.
    pub last: u32,
    /// The quote is these lines and nothing less.
    pub whole_lines: bool,
}

/// A quote with fewer letters and digits says nothing of where it stands.
const MIN_LETTERS: usize = 3;
/// So far from the named line such a quote may stand.
const MAX_HINT_DISTANCE: u32 = 2;
/// Lines that an ellipsis in a quote may stand for.
const MAX_GAP_LINES: usize = 200;

// What the prompt puts before each line: number and sign.
static LINE_PREFIX: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^\s*[0-9]+\s*[+|:-]?(?:\s|$)|^\s*[+-](?:\s|$)")
        .expect("the pattern is a literal that the tests compile")
});

/// One row of a quote.
#[derive(Clone, Debug, PartialEq, Eq)]
enum QuoteLine {
    Text(String),
    Gap,
}

/// A text made ready to look quotes up in.
pub struct QuoteIndex {
    lines: Vec<(u32, String)>,
    /// The same as models are shown it, where it has secrets.
    redacted: Vec<(u32, String)>,
}

impl QuoteIndex {
    /// The lines of a file.
    pub fn of(text: &str) -> Self {
        Self::from_numbered((1..).zip(text.split('\n')))
    }

    /// Lines with the numbers they bear.
    pub fn from_numbered<'a>(numbered: impl Iterator<Item = (u32, &'a str)>) -> Self {
        let (numbers, lines): (Vec<u32>, Vec<&str>) = numbered.unzip();
        let text = lines.join("\n");
        let shown = redact_keeping_lines(&text, &[]);
        let redacted = if shown == text {
            Vec::new()
        } else {
            normalize_lines(&numbers, shown.split('\n'))
        };
        Self {
            lines: normalize_lines(&numbers, lines.into_iter()),
            redacted,
        }
    }

    /// Where a quote stands: of several places the one nearest to `hint`, whole lines before parts of lines. None when it does not stand, or
    /// says too little to tell.
    pub fn find(&self, quote: &str, hint: Option<u32>) -> Option<QuoteMatch> {
        // As it is; without the fence that it was put in; without what the prompt puts before each line.
        let as_is = quote_lines(quote.lines().map(normalize_line));
        let inner = quote
            .lines()
            .filter(|line| !line.trim_start().starts_with("```"));
        let unfenced = quote_lines(inner.clone().map(normalize_line));
        let bare = quote_lines(
            inner.map(|l| normalize_line(&LINE_PREFIX.replace(l.trim().trim_matches('`'), ""))),
        );
        let mut tried: Vec<&[QuoteLine]> = Vec::new();
        for rows in [&as_is, &unfenced, &bare] {
            if !tried.contains(&rows.as_slice()) {
                tried.push(rows);
            }
        }
        [&self.lines, &self.redacted]
            .into_iter()
            .flat_map(|lines| tried.iter().map(move |rows| (lines, rows)))
            .find_map(|(lines, rows)| find_lines(lines, rows, hint))
    }
}

fn normalize_lines<'a>(
    numbers: &[u32],
    lines: impl Iterator<Item = &'a str>,
) -> Vec<(u32, String)> {
    numbers
        .iter()
        .copied()
        .zip(lines.map(normalize_line))
        .filter(|(_, line)| !line.is_empty())
        .collect()
}

fn find_lines(
    lines: &[(u32, String)],
    quote: &[QuoteLine],
    hint: Option<u32>,
) -> Option<QuoteMatch> {
    let letters: usize = quote
        .iter()
        .map(|row| match row {
            QuoteLine::Text(line) => line.chars().filter(|c| c.is_alphanumeric()).count(),
            QuoteLine::Gap => 0,
        })
        .sum();
    let distance = |found: &QuoteMatch| hint.map_or(0, |hint| line_distance(found, hint));
    let best = (0..lines.len())
        .filter_map(|start| match_at(lines, start, quote))
        .min_by_key(|found| (!found.whole_lines, distance(found)))?;
    if letters >= MIN_LETTERS {
        return Some(best);
    }
    (best.whole_lines && hint.is_some_and(|hint| line_distance(&best, hint) <= MAX_HINT_DISTANCE))
        .then_some(best)
}

fn match_at(lines: &[(u32, String)], start: usize, quote: &[QuoteLine]) -> Option<QuoteMatch> {
    let mut at = start;
    let mut whole = true;
    let mut gap = false;
    for row in quote {
        let QuoteLine::Text(want) = row else {
            (gap, whole) = (true, false);
            continue;
        };
        let reach = if gap { at + MAX_GAP_LINES } else { at + 1 };
        let range = at..reach.min(lines.len());
        let found = lines
            .get(range)?
            .iter()
            .position(|(_, have)| have.contains(want.as_str()))?;
        at += found;
        whole &= lines[at].1 == *want;
        at += 1;
        gap = false;
    }
    (at > start).then(|| QuoteMatch {
        first: lines[start].0,
        last: lines[at - 1].0,
        whole_lines: whole,
    })
}

/// Lines between a place and a line; none when it lies in it.
fn line_distance(found: &QuoteMatch, line: u32) -> u32 {
    if line < found.first {
        found.first - line
    } else {
        line.saturating_sub(found.last)
    }
}

fn quote_lines(lines: impl Iterator<Item = String>) -> Vec<QuoteLine> {
    let mut rows: Vec<QuoteLine> = lines
        .filter(|line| !line.is_empty())
        .map(|line| match line.as_str() {
            "..." | "…" | "[…]" | "[...]" | "⋮" => QuoteLine::Gap,
            _ => QuoteLine::Text(line),
        })
        .collect();
    let is_line = |row: &QuoteLine| *row != QuoteLine::Gap;
    rows.truncate(rows.iter().rposition(is_line).map_or(0, |last| last + 1));
    rows.drain(..rows.iter().position(is_line).unwrap_or(0));
    rows
}

/// A line without what nobody sees and with single blanks.
fn normalize_line(line: &str) -> String {
    let join = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    // Models are shown them as escapes, and quote them so.
    let line = without_invisible_escapes(line);
    let line = line.as_ref();
    if line.is_ascii() && !line.bytes().any(|b| b.is_ascii_control() && b != b'\t') {
        join(line)
    } else {
        // What is a blank to some readers must not join words.
        let line = line.replace(['\r', '\u{85}', '\u{2028}', '\u{2029}'], " ");
        join(&sanitize_code(&line).text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "fn a() {\n    let x = 1;\n\n    let y = 2;\n}\n\nfn b() {\n    let x = 1;\n    run(x);\n}\n";

    #[test]
    fn a_quote_of_a_line_with_a_secret_stands_whether_it_was_redacted_or_not() {
        let value = "q7RkT2mWx9LbV4nZc8YhJ3pF";
        let file = format!("fn a() {{}}\nlet api_key = \"{value}\";\nfn b() {{}}\n");
        let index = QuoteIndex::of(&file);
        for quote in [value, "[REDACTED]"] {
            let quote = format!("let api_key = \"{quote}\";");
            let found = index.find(&quote, None).map(|found| found.first);
            assert_eq!(found, Some(2), "{quote}");
        }
        assert_eq!(index.find("let other = \"[REDACTED]\";", None), None);
    }

    #[test]
    fn a_quote_stands_where_its_lines_follow_each_other() {
        let check = |quote: &str, hint: Option<u32>, expect: Option<(u32, u32, bool)>| {
            let found = QuoteIndex::of(FILE).find(quote, hint);
            let found = found.map(|f| (f.first, f.last, f.whole_lines));
            assert_eq!(found, expect, "{quote:?} near {hint:?}");
        };
        check("let x = 1;", None, Some((2, 2, true)));
        check("let x = 1;", Some(9), Some((8, 8, true)));
        check("  let x  =  1;\n let y = 2;", Some(8), Some((2, 4, true)));
        check("let x = 1", Some(7), Some((8, 8, false)));
        check(
            "8 + \tlet x = 1;\n9 +     run(x);",
            None,
            Some((8, 9, true)),
        );
        check("+    run(x);", None, Some((9, 9, true)));
        check("```rust\nrun(x);\n```", None, Some((9, 9, true)));
        check("`run(x);`", None, Some((9, 9, true)));
        check("fn b() {\n...\nrun(x);", None, Some((7, 9, false)));
        check("run\u{200b}(x);", None, Some((9, 9, true)));
        check("run\\u{200b}(x);", None, Some((9, 9, true)));
        check("run\\u{78}(x);", None, None);
        // Nothing, something else, another order, too little.
        check("", Some(2), None);
        check("...", Some(2), None);
        check("let z = 1;", Some(2), None);
        check("let y = 2;\nlet x = 1;", None, None);
        check("}", None, None);
        check("}", Some(9), Some((10, 10, true)));
        check("}", Some(8), Some((10, 10, true)));
        check("}", Some(2), None);
    }

    #[test]
    fn a_quote_of_markdown_may_hold_a_fence() {
        let file = "Call it:\n\n```sh\n- run\n```\n\n- one item\n";
        let check = |quote: &str, expect: Option<(u32, u32, bool)>| {
            let found = QuoteIndex::of(file).find(quote, None);
            let found = found.map(|f| (f.first, f.last, f.whole_lines));
            assert_eq!(found, expect, "{quote:?}");
        };
        check("Call it:\n```sh\n- run", Some((1, 4, true)));
        check("```md\n- one item\n```", Some((7, 7, true)));
        check("```\n- two items\n```", None);
    }

    #[test]
    fn nothing_stands_in_an_empty_file() {
        assert_eq!(QuoteIndex::of("").find("a = 1", Some(1)), None);
    }
}
