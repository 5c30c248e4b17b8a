//! Hunks: made from two versions of a file, counted, cut into pieces and written with the numbers of the head.

use super::code_sanitizer::escaped_code_text;
use super::material::{ChangedFile, FileStatus, Hunk, LineChange};
use collie_core::file_marks::is_binary;
use similar::{Algorithm, DiffOp, DiffTag, capture_diff_slices_deadline, group_diff_ops};
use std::time::{Duration, Instant};

/// Lines around a change, as GitHub shows them.
const CONTEXT_LINES: usize = 3;
/// A longer hunk is cut into pieces, so that a large new file is not all or nothing.
const MAX_HUNK_LINES: usize = 240;
/// Where two versions have nothing in common, a rougher difference is taken after this.
const DIFF_TIMEOUT: Duration = Duration::from_millis(500);
/// A larger file is data, not code: it has no lines to show.
pub const MAX_FILE_BYTES: usize = 1 << 20;
/// A longer line is data, not code; its end is left out.
const MAX_LINE_CHARS: usize = 1_000;

/// The lines of a text as git counts them: only a line feed ends one. A carriage return before it stays.
pub(super) fn lines(text: &str) -> Vec<&str> {
    let text = text.strip_suffix('\n').unwrap_or(text);
    if text.is_empty() {
        Vec::new()
    } else {
        text.split('\n').collect()
    }
}

/// Whether a line lies in one of the ranges, both ends in them.
pub(super) fn contains_line(ranges: &[(u32, u32)], line: u32) -> bool {
    ranges
        .iter()
        .any(|(first, last)| (*first..=*last).contains(&line))
}

impl ChangedFile {
    /// The change of one file, from its two versions; `None` where there was, or is, no such file.
    ///
    /// Of a file over 1 MiB, or with a NUL near its start, only that it changed is kept.
    pub fn between(
        path: &str,
        old_path: Option<&str>,
        before: Option<String>,
        after: Option<String>,
    ) -> Self {
        let status = match (&before, &after, old_path) {
            (_, None, _) => FileStatus::Removed,
            (None, Some(_), _) => FileStatus::Added,
            (Some(_), Some(_), Some(old)) if old != path => FileStatus::Renamed,
            (Some(_), Some(_), _) => FileStatus::Modified,
        };
        let is_code = |text: &String| text.len() <= MAX_FILE_BYTES && !is_binary(text.as_bytes());
        let both = before.iter().chain(&after).all(is_code);
        let (before, after) = (before.filter(|_| both), after.filter(|_| both));
        let hunks = hunks(
            before.as_deref().unwrap_or_default(),
            after.as_deref().unwrap_or_default(),
        );
        Self {
            path: path.to_string(),
            old_path: old_path.filter(|old| *old != path).map(str::to_string),
            status,
            shown: hunks.iter().filter_map(Hunk::head_lines).collect(),
            hunks,
            content_at_head: after,
            content_at_base: before,
        }
    }

    /// Whether the end of a changed line is left out, since the line is too long to be shown.
    pub fn has_cut_lines(&self) -> bool {
        let lines = self.hunks.iter().flat_map(|hunk| &hunk.lines);
        lines
            .filter(|(change, _)| *change != LineChange::Context)
            .any(|(_, text)| text.chars().nth(MAX_LINE_CHARS).is_some())
    }

    /// Whether GitHub takes a comment on that line.
    pub fn is_commentable(&self, line: u32) -> bool {
        contains_line(&self.shown, line)
    }
}

/// The hunks between two versions of a text.
pub fn hunks(before: &str, after: &str) -> Vec<Hunk> {
    let (old, new) = (lines(before), lines(after));
    let deadline = Instant::now().checked_add(DIFF_TIMEOUT);
    let ops = capture_diff_slices_deadline(Algorithm::Myers, &old, &new, deadline);
    group_diff_ops(ops, CONTEXT_LINES)
        .iter()
        .filter(|group| group.iter().any(|op| op.tag() != DiffTag::Equal))
        .map(|group| hunk(group, &old, &new))
        .collect()
}

fn hunk(group: &[DiffOp], old: &[&str], new: &[&str]) -> Hunk {
    let first = |at: usize| u32::try_from(at).unwrap_or(u32::MAX).saturating_add(1);
    let mut out = Hunk {
        old_start: group.first().map_or(1, |op| first(op.old_range().start)),
        new_start: group.first().map_or(1, |op| first(op.new_range().start)),
        lines: Vec::new(),
    };
    let mut push = |change, lines: &[&str]| {
        out.lines
            .extend(lines.iter().map(|line| (change, (*line).to_string())));
    };
    for op in group {
        match op.tag() {
            DiffTag::Equal => push(LineChange::Context, &new[op.new_range()]),
            DiffTag::Delete | DiffTag::Insert | DiffTag::Replace => {
                push(LineChange::Removed, &old[op.old_range()]);
                push(LineChange::Added, &new[op.new_range()]);
            }
        }
    }
    out
}

impl Hunk {
    /// How many lines it has at the head.
    fn head_line_count(&self) -> u32 {
        let there = self
            .lines
            .iter()
            .filter(|(change, _)| *change != LineChange::Removed);
        u32::try_from(there.count()).unwrap_or(u32::MAX)
    }

    /// First and last of its lines at the head; none when it has none.
    pub fn head_lines(&self) -> Option<(u32, u32)> {
        let height = self.head_line_count();
        (height > 0).then(|| {
            (
                self.new_start,
                self.new_start.saturating_add(height).saturating_sub(1),
            )
        })
    }

    /// The lines with their numbers at the head; a removed one bears the number of the line that took its place.
    pub fn numbered(&self) -> impl Iterator<Item = (u32, LineChange, &str)> {
        let mut next = self.new_start;
        self.lines.iter().map(move |(change, text)| {
            let number = next;
            if *change != LineChange::Removed {
                next = next.saturating_add(1);
            }
            (number, *change, text.as_str())
        })
    }

    /// The hunk in pieces of bearable length, cut before lines that begin something where there are such.
    pub fn split(&self) -> Vec<Hunk> {
        self.split_by(MAX_HUNK_LINES)
    }

    /// The same in pieces of at most `max_lines`, which is at least two.
    pub(super) fn split_by(&self, max_lines: usize) -> Vec<Hunk> {
        let max_lines = max_lines.max(2);
        let mut pieces = Vec::new();
        let mut rest = self.clone();
        while rest.lines.len() > max_lines {
            let cut = split_index(&rest.lines, max_lines);
            let tail = rest.lines.split_off(cut);
            let count = |not: LineChange| {
                rest.lines
                    .iter()
                    .filter(|(change, _)| *change != not)
                    .count() as u32
            };
            let next = Hunk {
                old_start: rest.old_start.saturating_add(count(LineChange::Added)),
                new_start: rest.new_start.saturating_add(count(LineChange::Removed)),
                lines: tail,
            };
            pieces.push(std::mem::replace(&mut rest, next));
        }
        pieces.push(rest);
        pieces
    }

    /// The hunk as a model reads it: number at the head, sign, text.
    pub fn render(&self) -> String {
        let last = self.head_lines().map_or(self.new_start, |(_, last)| last);
        self.render_with_width(last.to_string().len())
    }

    /// The same with numbers of that width.
    fn render_with_width(&self, width: usize) -> String {
        let mut out = String::new();
        for (number, change, text) in self.numbered() {
            let text = sanitized_code_line(text);
            let row = match change {
                LineChange::Added => format!("{number:>width$} + {text}"),
                LineChange::Removed => format!("{:>width$} - {text}", ""),
                LineChange::Context => format!("{number:>width$}   {text}"),
            };
            out.push_str(row.trim_end());
            out.push('\n');
        }
        out
    }
}

/// Where to cut: before the last line of the second half that follows a blank one, else at the limit.
fn split_index(lines: &[(LineChange, String)], max_lines: usize) -> usize {
    let follows_blank_line =
        |at: &usize| lines[at - 1].1.trim().is_empty() && !lines[*at].1.trim().is_empty();
    (max_lines / 2..max_lines)
        .rev()
        .find(follows_blank_line)
        .unwrap_or(max_lines)
}

/// One line without what deceives, cut when it is data.
fn sanitized_code_line(text: &str) -> String {
    let text = text.trim_end_matches('\r');
    let plain = text
        .bytes()
        .all(|byte| (b' '..=b'~').contains(&byte) || byte == b'\t');
    let text = if plain {
        text.to_string()
    } else {
        escaped_code_text(text).replace('\n', " ")
    };
    match text.char_indices().nth(MAX_LINE_CHARS) {
        Some((end, _)) => format!("{} […]", &text[..end]),
        None => text,
    }
}

/// Lines of a file with their numbers, as a model reads them; both ends are in the range.
pub(super) fn render_lines(text: &str, range: (u32, u32)) -> String {
    let all = lines(text);
    let last = all.len().min(range.1 as usize);
    render_range(&all, range, last.to_string().len())
}

fn render_range(all: &[&str], (first, last): (u32, u32), width: usize) -> String {
    let last = all.len().min(last as usize);
    let mut out = String::new();
    for (at, line) in all
        .iter()
        .enumerate()
        .take(last)
        .skip(first.max(1) as usize - 1)
    {
        let row = format!("{:>width$}   {}", at + 1, sanitized_code_line(line));
        out.push_str(row.trim_end());
        out.push('\n');
    }
    out
}

/// Lines of the head in ranges, as a model reads them.
pub(super) fn render_ranges(text: &str, ranges: &[(u32, u32)]) -> String {
    let all = lines(text);
    let width = all.len().to_string().len();
    let rows = ranges.iter().map(|range| render_range(&all, *range, width));
    rows.collect::<Vec<_>>().join("⋮\n")
}

/// A line with its number, as a model reads it.
pub(super) fn render_line(number: u32, line: &str, width: usize) -> String {
    let row = format!("{number:>width$}   {}", sanitized_code_line(line));
    row.trim_end().to_owned()
}

/// A piece of a file as it is shown: where it begins, and where the next begins when nothing lies between.
type ShownPiece = (u32, u32, String);

impl ChangedFile {
    /// Pieces of the change and unchanged lines in the order of the file, and whether that is all of the file.
    pub(super) fn render_pieces(&self, hunks: &[Hunk], ranges: &[(u32, u32)]) -> (String, bool) {
        let all = lines(self.content_at_head.as_deref().unwrap_or_default());
        let width = all.len().to_string().len();
        let of_hunk = |hunk: &Hunk| -> ShownPiece {
            let next = hunk.head_lines().map(|(_, last)| last.saturating_add(1));
            let next = next.unwrap_or(hunk.new_start);
            (hunk.new_start, next, hunk.render_with_width(width))
        };
        let of_range = |range: &(u32, u32)| -> ShownPiece {
            let text = render_range(&all, *range, width);
            (range.0, range.1.saturating_add(1), text)
        };
        let mut pieces: Vec<ShownPiece> = hunks
            .iter()
            .map(of_hunk)
            .chain(ranges.iter().map(of_range))
            .collect();
        pieces.sort();
        let mut out = String::new();
        let (mut next, mut is_whole) = (1, true);
        for (first, after, text) in pieces {
            if first > next {
                is_whole = false;
                if !out.is_empty() {
                    out.push_str("⋮\n");
                }
            }
            out.push_str(&text);
            next = next.max(after);
        }
        (out, is_whole && next as usize > all.len())
    }
}
