//! The function around a place, told by indentation: the same for every language, and no parser has to know it.

use super::hunks::lines;

/// Lines that are shown on each side of a place at least: more than 60 in all.
const MIN_CONTEXT_LINES: u32 = 30;
/// A block with more lines is shown around the place alone.
const MAX_BLOCK_LINES: u32 = 160;
/// Lines above a block's first that describe it.
const MAX_LEADING_LINES: usize = 15;

/// First and last line of what a reader needs to judge lines of a file: the outermost block around them that is not too long, and so many
/// lines on each side at least. None where the file has no such line.
pub(super) fn enclosing_lines(text: &str, (first, last): (u32, u32)) -> Option<(u32, u32)> {
    let all = lines(text);
    let count = u32::try_from(all.len()).unwrap_or(u32::MAX);
    if first == 0 || first > count {
        return None;
    }
    let last = last.clamp(first, count);
    let near = (
        first.saturating_sub(MIN_CONTEXT_LINES).max(1),
        last.saturating_add(MIN_CONTEXT_LINES).min(count),
    );
    let (from, to) = (first as usize - 1, last as usize - 1);
    let Some((start, end)) = outermost_block(&all, from, to) else {
        return Some(near);
    };
    let line = |index: usize| u32::try_from(index + 1).unwrap_or(u32::MAX);
    Some((near.0.min(line(start)), near.1.max(line(end))))
}

/// The outermost block around some lines that is not too long, by indices.
fn outermost_block(all: &[&str], from: usize, to: usize) -> Option<(usize, usize)> {
    let mut indent = (from..=to)
        .filter(|index| !is_blank(all[*index]))
        .map(|index| indent_of(all[index]))
        .min()?;
    let mut found = None;
    let mut at = from;
    while let Some(header) = header_above(all, at, indent) {
        let end = block_end(all, to, indent_of(all[header]));
        let start = leading_lines(all, header);
        if end - start >= MAX_BLOCK_LINES as usize {
            break;
        }
        found = Some((start, end));
        (at, indent) = (header, indent_of(all[header]));
    }
    found
}

/// The nearest line above that is indented less, and begins something.
fn header_above(all: &[&str], at: usize, indent: usize) -> Option<usize> {
    let above = |at: usize, fits: &dyn Fn(usize) -> bool| {
        (0..at)
            .rev()
            .find(|index| !is_blank(all[*index]) && fits(indent_of(all[*index])))
    };
    let mut header = above(at, &|found| found < indent)?;
    // `} else {` and the end of a long signature go on with what began before.
    while continues_a_block(all[header]) {
        let own = indent_of(all[header]);
        header = above(header, &|found| found <= own)?;
    }
    Some(header)
}

/// The last line of a block: the one that closes it, or the last before something begins that is indented no more than its header.
fn block_end(all: &[&str], to: usize, indent: usize) -> usize {
    let beyond = (to + 1..all.len())
        .find(|index| !is_blank(all[*index]) && indent_of(all[*index]) <= indent);
    let last_before = |end: usize| {
        let mut before = (to..end).rev();
        before.find(|index| !is_blank(all[*index])).unwrap_or(to)
    };
    match beyond {
        Some(index) if continues_a_block(all[index]) => index,
        Some(index) => last_before(index),
        None => last_before(all.len()),
    }
}

/// Comments, attributes and decorators right above a line.
fn leading_lines(all: &[&str], header: usize) -> usize {
    let describes = |line: &str| {
        let line = line.trim_start();
        ["//", "#", "@", "/*", "*", "--", "\"\"\""]
            .iter()
            .any(|mark| line.starts_with(mark))
    };
    let above = (0..header).rev().take(MAX_LEADING_LINES);
    above
        .take_while(|index| describes(all[*index]))
        .last()
        .unwrap_or(header)
}

fn is_blank(line: &str) -> bool {
    line.trim().is_empty()
}

fn indent_of(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

fn continues_a_block(line: &str) -> bool {
    let line = line.trim_start();
    let word = line.split(|c: char| !c.is_alphanumeric()).next();
    line.starts_with([')', ']', '}'])
        || word.is_some_and(|word| {
            [
                "else", "elif", "except", "finally", "catch", "rescue", "end",
            ]
            .contains(&word)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lines to stand before and after, indented no more than what is looked at.
    fn padded(block: &str) -> (String, u32) {
        let rows = |name: &str| {
            (0..200)
                .map(|n| format!("{name}_{n}\n"))
                .collect::<String>()
        };
        (
            format!("{}\n{block}\n{}", rows("before"), rows("after")),
            201,
        )
    }

    /// The lines around the one that holds `what`, without the least context.
    fn block_around(block: &str, what: &str) -> String {
        let (text, _) = padded(block);
        let all = lines(&text);
        let at = all.iter().position(|line| line.contains(what)).unwrap();
        let Some((start, end)) = outermost_block(&all, at, at) else {
            return String::new();
        };
        all[start..=end].join("\n")
    }

    #[test]
    fn the_whole_function_is_around_a_line_of_it() {
        let rust = "/// Adds.\n#[must_use]\nfn add(a: i32) -> i32 {\n    if a > 0 {\n        a\n    } else {\n        HERE\n    }\n}";
        assert_eq!(block_around(rust, "HERE"), rust);
        let python = "@cached\ndef load(\n    path,\n):\n    with open(path) as file:\n        HERE\n\n    return 1";
        assert_eq!(block_around(python, "HERE"), python);
        assert_eq!(
            block_around(&format!("{python}\n\n\nx = 1"), "HERE"),
            python
        );
        let class = "class A:\n    def a(self):\n        HERE\n\n    def b(self):\n        pass";
        assert_eq!(block_around(class, "HERE"), class);
        assert_eq!(block_around("TOP = 1", "TOP"), "");
    }

    #[test]
    fn of_a_block_that_is_too_long_the_one_within_is_taken() {
        let methods: String = (0..100)
            .map(|n| format!("    def m{n}(self):\n        a = {n}\n        return a\n\n"))
            .collect();
        let found = block_around(&format!("class A:\n{methods}"), "a = 50");
        assert_eq!(
            found,
            "    def m50(self):\n        a = 50\n        return a"
        );
    }

    #[test]
    fn more_than_sixty_lines_are_around_a_place_where_there_are_as_many() {
        let (text, _) = padded("x = 1");
        assert_eq!(enclosing_lines(&text, (100, 102)), Some((70, 132)));
        assert_eq!(enclosing_lines(&text, (1, 1)), Some((1, 31)));
        assert_eq!(enclosing_lines("a\nb\n", (2, 9)), Some((1, 2)));
        for nowhere in [0, 3] {
            assert_eq!(enclosing_lines("a\nb\n", (nowhere, nowhere)), None);
        }
        let long: String = (0..120).map(|n| format!("    line_{n}\n")).collect();
        let (text, first) = padded(&format!("def f():\n{long}"));
        let line = first + 60;
        assert_eq!(
            enclosing_lines(&text, (line, line)),
            Some((first + 1, first + 121))
        );
    }
}
