//! Applying edits, and showing them as whole lines.

use std::ops::Range;

use crate::diagnostic::Edit;

/// The content with all the edits. `None` where two of them change or fill the same place, or one
/// is out of range or splits a character.
#[must_use]
pub fn apply(content: &[u8], edits: &[Edit]) -> Option<Vec<u8>> {
    let mut sorted: Vec<&Edit> = edits.iter().collect();
    sorted.sort_by_key(|edit| (edit.start, edit.end));
    let mut result = Vec::with_capacity(content.len());
    let mut at = 0;
    let mut previous: Option<&Edit> = None;
    for edit in sorted {
        if previous.is_some_and(|other| other.start == edit.start)
            || !is_boundary(content, edit.start)
            || !is_boundary(content, edit.end)
            || edit.start > edit.end
        {
            return None;
        }
        result.extend_from_slice(content.get(at..edit.start)?);
        result.extend_from_slice(edit.text.as_bytes());
        at = edit.end;
        previous = Some(edit);
    }
    result.extend_from_slice(content.get(at..)?);
    Some(result)
}

/// Says whether a character of UTF-8 starts at this byte, or the content ends there.
fn is_boundary(content: &[u8], at: usize) -> bool {
    match content.get(at) {
        Some(byte) => byte & 0xC0 != 0x80,
        None => at == content.len(),
    }
}

/// The whole lines that a fix changes, as first line, last line and their new text. The text lacks
/// the end of the last line, which stays as it is; it is empty if and only if the lines vanish with
/// their ends. `None` where the fix does not apply, changes nothing, or cannot be shown so.
#[must_use]
pub fn line_replacement(content: &[u8], edits: &[Edit]) -> Option<(u32, u32, String)> {
    let result = apply(content, edits)?;
    if result == content {
        return None;
    }
    let start = edits.iter().map(|edit| edit.start).min()?;
    let end = edits.iter().map(|edit| edit.end).max()?;
    let lines = line_ranges(content);
    let final_line = lines.len().checked_sub(1)?;
    let line_of = |at: usize| {
        let line = lines.partition_point(|line| line.end <= at);
        line.min(final_line)
    };
    let first = line_of(start);
    let last = line_of(end.saturating_sub(1).max(start));
    // One more line where these lines alone do not say it: an end of line vanished, or the new
    // text is a single empty line.
    [
        (first, last),
        (first, last + 1),
        (first.wrapping_sub(1), last),
    ]
    .into_iter()
    .find_map(|(first, last)| {
        let span = lines.get(first)?.start..lines.get(last)?.end;
        let text = new_text(content, &result, &span)?;
        let number = |line: usize| u32::try_from(line + 1).ok();
        Some((number(first)?, number(last)?, text))
    })
}

/// The bytes of each line, its end included.
fn line_ranges(content: &[u8]) -> Vec<Range<usize>> {
    let mut at = 0;
    content
        .split_inclusive(|byte| *byte == b'\n')
        .map(|line| {
            let start = at;
            at += line.len();
            start..at
        })
        .collect()
}

/// What stands in the place of whole lines in the result, without the end of the last one.
fn new_text(content: &[u8], result: &[u8], span: &Range<usize>) -> Option<String> {
    let behind = content.len().checked_sub(span.end)?;
    let new_lines = result.get(span.start..result.len().checked_sub(behind)?)?;
    if new_lines.is_empty() {
        return Some(String::new());
    }
    let line_end = line_end(content.get(span.clone())?);
    let text = new_lines.strip_suffix(line_end)?;
    let is_same_end = line_end == b"\r\n" || !text.ends_with(b"\r");
    let is_whole = !line_end.is_empty() || !text.ends_with(b"\n");
    let text = std::str::from_utf8(text).ok()?;
    (!text.is_empty() && is_same_end && is_whole).then(|| text.to_owned())
}

/// How a line ends; with nothing at the end of some files.
fn line_end(line: &[u8]) -> &'static [u8] {
    if line.ends_with(b"\r\n") {
        b"\r\n"
    } else if line.ends_with(b"\n") {
        b"\n"
    } else {
        b""
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edit(start: usize, end: usize, text: &str) -> Edit {
        Edit {
            start,
            end,
            text: text.to_owned(),
        }
    }

    fn shown(content: &str, edits: &[Edit]) -> Option<(u32, u32, String)> {
        line_replacement(content.as_bytes(), edits)
    }

    #[test]
    fn edits_apply_in_any_order_and_next_to_each_other() {
        let edits = [edit(4, 5, "!"), edit(0, 0, "> "), edit(2, 4, "")];
        assert_eq!(apply(b"abcdef", &edits).unwrap(), b"> ab!f");
        assert_eq!(apply(b"abc", &[]).unwrap(), b"abc");
        assert_eq!(apply(b"", &[edit(0, 0, "x")]).unwrap(), b"x");
    }

    #[test]
    fn edits_that_do_not_fit_do_not_apply() {
        for edits in [
            vec![edit(0, 3, ""), edit(2, 4, "")],
            vec![edit(1, 1, "a"), edit(1, 1, "b")],
            vec![edit(1, 1, "a"), edit(1, 2, "b")],
            vec![edit(3, 2, "")],
            vec![edit(0, 99, "")],
            vec![edit(99, 99, "")],
            vec![edit(usize::MAX, usize::MAX, "")],
            vec![edit(5, 5, "")],
        ] {
            assert_eq!(apply("abcdä".as_bytes(), &edits), None, "{edits:?}");
            assert_eq!(shown("abcdä", &edits), None);
        }
    }

    #[test]
    fn a_fix_is_shown_as_whole_lines() {
        let content = "one\ntwo\nthree\n";
        let replaced = |first, last, text: &str| Some((first, last, text.to_owned()));
        assert_eq!(shown(content, &[edit(5, 6, "W")]), replaced(2, 2, "tWo"));
        assert_eq!(shown(content, &[edit(4, 8, "")]), replaced(2, 2, ""));
        assert_eq!(shown(content, &[edit(0, 14, "")]), replaced(1, 3, ""));
        assert_eq!(
            shown(content, &[edit(4, 4, "new\n")]),
            replaced(2, 2, "new\ntwo")
        );
        assert_eq!(
            shown(content, &[edit(14, 14, "end\n")]),
            replaced(3, 3, "three\nend")
        );
        let both = [edit(0, 1, "O"), edit(8, 9, "T")];
        assert_eq!(shown(content, &both), replaced(1, 3, "One\ntwo\nThree"));
        assert_eq!(shown(content, &[edit(5, 6, "w")]), None);
    }

    #[test]
    fn a_line_more_is_shown_where_it_is_needed() {
        let content = "one\ntwo\nthree";
        let replaced = |first, last, text: &str| Some((first, last, text.to_owned()));
        assert_eq!(
            shown(content, &[edit(3, 4, " ")]),
            replaced(1, 2, "one two")
        );
        assert_eq!(shown(content, &[edit(0, 3, "")]), replaced(1, 2, "\ntwo"));
        assert_eq!(shown(content, &[edit(7, 13, "")]), replaced(2, 3, "two"));
        assert_eq!(shown("a\nb\n", &[edit(2, 3, "")]), replaced(1, 2, "a\n"));
        // A new end of the last line is no change of a line.
        assert_eq!(shown(content, &[edit(13, 13, "\n")]), None);
        assert_eq!(shown("a\n", &[edit(0, 1, "")]), None);
        assert_eq!(shown("", &[edit(0, 0, "a")]), None);
    }

    #[test]
    fn windows_line_ends_stay() {
        let content = "one\r\ntwo\r\n";
        let replaced = |first, last, text: &str| Some((first, last, text.to_owned()));
        assert_eq!(shown(content, &[edit(0, 1, "O")]), replaced(1, 1, "One"));
        assert_eq!(shown(content, &[edit(0, 5, "")]), replaced(1, 1, ""));
        let more = [edit(0, 0, "new\r\n")];
        assert_eq!(shown(content, &more), replaced(1, 1, "new\r\none"));
        // A line that would end in another way than before.
        assert_eq!(shown("one\ntwo\n", &[edit(7, 7, "\r")]), None);
    }

    #[test]
    fn what_is_shown_gives_what_applies() {
        let content = "a\r\n\nbä\n\n\nc";
        let mut shown_count = 0;
        for start in 0..=content.len() {
            for end in start..=content.len() {
                for text in ["", "x", "\n", "x\n", "\nx", "x\r\n", "\r"] {
                    let edits = [edit(start, end, text)];
                    let Some((first, last, text)) = shown(content, &edits) else {
                        continue;
                    };
                    let lines = line_ranges(content.as_bytes());
                    let span = lines[first as usize - 1].start..lines[last as usize - 1].end;
                    let mut expected = content.as_bytes()[..span.start].to_vec();
                    if !text.is_empty() {
                        expected.extend_from_slice(text.as_bytes());
                        expected.extend_from_slice(line_end(&content.as_bytes()[span.clone()]));
                    }
                    expected.extend_from_slice(&content.as_bytes()[span.end..]);
                    assert_eq!(Some(expected), apply(content.as_bytes(), &edits));
                    shown_count += 1;
                }
            }
        }
        assert!(shown_count > 100);
    }
}
