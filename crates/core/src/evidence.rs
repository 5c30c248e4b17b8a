//! Finds quoted lines in a file: white space, fences, line numbers and signs apart.

use crate::text::sanitize_code;
use regex::Regex;
use std::sync::LazyLock;

/// Where quoted lines stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standing {
    /// The first line, from 1.
    pub first: u32,
    /// The last.
    pub last: u32,
    /// The quote is these lines and nothing less.
    pub whole: bool,
}

/// A quote with fewer letters and digits says nothing of where it stands.
const LEAST_LETTERS: usize = 3;
/// So far from the named line such a quote may stand.
const NEAR: u32 = 2;
/// Lines that an ellipsis in a quote may stand for.
const WIDEST_GAP: usize = 200;

// What the prompt puts before each line: number and sign.
static PREFIX: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^\s*[0-9]+\s*[+|:-]?(?:\s|$)|^\s*[+-](?:\s|$)")
        .expect("the pattern is a literal that the tests compile")
});

/// One row of a quote.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Row {
    Line(String),
    Gap,
}

/// A text made ready to look quotes up in.
pub struct Lines {
    rows: Vec<(u32, String)>,
}

impl Lines {
    /// The lines of a file.
    pub fn of(text: &str) -> Self {
        Self::numbered((1..).zip(text.split('\n')))
    }

    /// Lines with the numbers they bear.
    pub fn numbered<'a>(numbered: impl Iterator<Item = (u32, &'a str)>) -> Self {
        let rows = numbered
            .map(|(number, line)| (number, squeeze(line)))
            .filter(|(_, line)| !line.is_empty())
            .collect();
        Self { rows }
    }

    /// Where a quote stands: of several places the one nearest to `hint`, whole lines before parts of lines. None when it does not stand, or
    /// says too little to tell.
    pub fn find(&self, quote: &str, hint: Option<u32>) -> Option<Standing> {
        // As it is; without the fence that it was put in; without what the prompt puts before each line.
        let as_is = rows_of(quote.lines().map(squeeze));
        let inner = quote
            .lines()
            .filter(|line| !line.trim_start().starts_with("```"));
        let unfenced = rows_of(inner.clone().map(squeeze));
        let bare = rows_of(inner.map(|l| squeeze(&PREFIX.replace(l.trim().trim_matches('`'), ""))));
        let mut tried: Vec<&[Row]> = Vec::new();
        for rows in [&as_is, &unfenced, &bare] {
            if !tried.contains(&rows.as_slice()) {
                tried.push(rows);
            }
        }
        tried.into_iter().find_map(|rows| self.look(rows, hint))
    }

    fn look(&self, quote: &[Row], hint: Option<u32>) -> Option<Standing> {
        let letters: usize = quote
            .iter()
            .map(|row| match row {
                Row::Line(line) => line.chars().filter(|c| c.is_alphanumeric()).count(),
                Row::Gap => 0,
            })
            .sum();
        let distance = |found: &Standing| hint.map_or(0, |hint| away(found, hint));
        let best = (0..self.rows.len())
            .filter_map(|start| self.match_at(start, quote))
            .min_by_key(|found| (!found.whole, distance(found)))?;
        if letters >= LEAST_LETTERS {
            return Some(best);
        }
        (best.whole && hint.is_some_and(|hint| away(&best, hint) <= NEAR)).then_some(best)
    }

    fn match_at(&self, start: usize, quote: &[Row]) -> Option<Standing> {
        let mut at = start;
        let mut whole = true;
        let mut gap = false;
        for row in quote {
            let Row::Line(want) = row else {
                (gap, whole) = (true, false);
                continue;
            };
            let reach = if gap { at + WIDEST_GAP } else { at + 1 };
            let range = at..reach.min(self.rows.len());
            let found = self
                .rows
                .get(range)?
                .iter()
                .position(|(_, have)| have.contains(want.as_str()))?;
            at += found;
            whole &= self.rows[at].1 == *want;
            at += 1;
            gap = false;
        }
        (at > start).then(|| Standing {
            first: self.rows[start].0,
            last: self.rows[at - 1].0,
            whole,
        })
    }
}

/// Lines between a place and a line; none when it lies in it.
fn away(found: &Standing, line: u32) -> u32 {
    if line < found.first {
        found.first - line
    } else {
        line.saturating_sub(found.last)
    }
}

fn rows_of(lines: impl Iterator<Item = String>) -> Vec<Row> {
    let mut rows: Vec<Row> = lines
        .filter(|line| !line.is_empty())
        .map(|line| match line.as_str() {
            "..." | "…" | "[…]" | "[...]" | "⋮" => Row::Gap,
            _ => Row::Line(line),
        })
        .collect();
    let is_line = |row: &Row| *row != Row::Gap;
    rows.truncate(rows.iter().rposition(is_line).map_or(0, |last| last + 1));
    rows.drain(..rows.iter().position(is_line).unwrap_or(0));
    rows
}

/// A line without what nobody sees and with single blanks.
fn squeeze(line: &str) -> String {
    let join = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
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
    fn a_quote_stands_where_its_lines_follow_each_other() {
        let check = |quote: &str, hint: Option<u32>, expect: Option<(u32, u32, bool)>| {
            let found = Lines::of(FILE).find(quote, hint);
            let found = found.map(|f| (f.first, f.last, f.whole));
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
            let found = Lines::of(file).find(quote, None);
            let found = found.map(|f| (f.first, f.last, f.whole));
            assert_eq!(found, expect, "{quote:?}");
        };
        check("Call it:\n```sh\n- run", Some((1, 4, true)));
        check("```md\n- one item\n```", Some((7, 7, true)));
        check("```\n- two items\n```", None);
    }

    #[test]
    fn nothing_stands_in_an_empty_file() {
        assert_eq!(Lines::of("").find("a = 1", Some(1)), None);
    }
}
