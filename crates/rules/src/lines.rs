//! Lines of a file: which ones changed, where they start, what they say.

use std::collections::BTreeSet;
use std::ops::Range;

/// The lines of the new file that a pull request changed, counted from 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LineSet {
    /// Every line: a new file, or a scan of a whole tree.
    All,
    /// Just these lines.
    Only(BTreeSet<usize>),
}

impl LineSet {
    /// Says whether a line of `first..=last` is in the set.
    #[must_use]
    pub fn overlaps(&self, first: usize, last: usize) -> bool {
        match self {
            LineSet::All => true,
            LineSet::Only(lines) => first <= last && lines.range(first..=last).next().is_some(),
        }
    }
}

impl FromIterator<usize> for LineSet {
    fn from_iter<I: IntoIterator<Item = usize>>(lines: I) -> Self {
        LineSet::Only(lines.into_iter().collect())
    }
}

/// Where each line of a content starts, in bytes.
#[derive(Debug)]
pub(crate) struct LineIndex {
    starts: Vec<usize>,
    length: usize,
}

impl LineIndex {
    pub(crate) fn new(content: &[u8]) -> Self {
        let mut starts = vec![0];
        starts.extend(
            content
                .iter()
                .enumerate()
                .filter(|(_, byte)| **byte == b'\n')
                .map(|(at, _)| at + 1),
        );
        Self {
            starts,
            length: content.len(),
        }
    }

    /// The line that holds this byte, from 1. A byte past the end is on the last line.
    pub(crate) fn line_of(&self, byte: usize) -> usize {
        self.starts.partition_point(|start| *start <= byte)
    }

    /// The column of this byte in its line, in bytes from 1.
    pub(crate) fn column_of(&self, byte: usize) -> usize {
        let line = self.line_of(byte);
        byte - self.starts[line - 1] + 1
    }

    /// The bytes of lines `first..=last`, the last line's end included.
    pub(crate) fn bytes_of(&self, first: usize, last: usize) -> Range<usize> {
        let start = self
            .starts
            .get(first.saturating_sub(1))
            .copied()
            .unwrap_or(self.length);
        let end = self.starts.get(last).copied().unwrap_or(self.length);
        start..end.max(start)
    }

    /// The last line that a range of bytes reaches, from 1. A range that ends just behind a line
    /// break does not reach the next line.
    pub(crate) fn last_line_of(&self, range: &Range<usize>) -> usize {
        self.line_of(range.end.saturating_sub(1).max(range.start))
    }
}

/// The most lines quoted as evidence, and the most characters of each.
const MAX_EVIDENCE_LINES: usize = 6;
const MAX_EVIDENCE_CHARS: usize = 400;

/// Quotes lines `first..=last`: at most six of them, each cut to 400 characters, word for word.
pub(crate) fn quote_lines(content: &[u8], index: &LineIndex, first: usize, last: usize) -> String {
    let last = last.min(first + MAX_EVIDENCE_LINES - 1);
    let quoted: Vec<String> = (first..=last)
        .map(|line| {
            let bytes = &content[index.bytes_of(line, line)];
            let bytes = &bytes[..bytes.len().min(MAX_EVIDENCE_CHARS * 4)];
            let text = String::from_utf8_lossy(bytes);
            text.trim_end_matches(['\n', '\r'])
                .chars()
                .take(MAX_EVIDENCE_CHARS)
                .collect()
        })
        .collect();
    quoted.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_found_on_their_lines() {
        let content = b"one\ntwo\r\n\nlast";
        let index = LineIndex::new(content);
        let lines: Vec<usize> = [0, 3, 4, 8, 9, 10, 14, 99]
            .map(|byte| index.line_of(byte))
            .into();
        assert_eq!(lines, [1, 1, 2, 2, 3, 4, 4, 4]);
        assert_eq!(index.column_of(6), 3);
        assert_eq!(index.last_line_of(&(4..9)), 2);
        assert_eq!(quote_lines(content, &index, 2, 4), "two\n\nlast");
        assert_eq!(&content[index.bytes_of(4, 4)], b"last");
        assert_eq!(index.bytes_of(9, 9), 14..14);
    }

    #[test]
    fn a_range_touches_only_changed_lines() {
        let lines: LineSet = [3, 7].into_iter().collect();
        assert!(lines.overlaps(1, 3) && lines.overlaps(7, 7));
        assert!(!lines.overlaps(4, 6) && !lines.overlaps(8, 20));
        assert!(LineSet::All.overlaps(5, 5));
    }
}
