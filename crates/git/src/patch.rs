//! Reads line numbers out of a patch as it streams by; of each line only the beginning is kept.

use collie_engine::ports::LineRange;

/// How much of a line is looked at. Headers of hunks and of contents fit.
const MAX_LINE_START: usize = 256;

/// What a patch says of one file, in the order of the raw list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct FilePatch {
    /// The lines of the new side that are new or changed.
    pub(crate) changed: Vec<LineRange>,
    /// The lines of the new side that the hunks show.
    pub(crate) shown: Vec<LineRange>,
    /// git shows no lines of it.
    pub(crate) binary: bool,
}

/// Reads a patch in pieces. Its names must be quoted (no `-z`), so that no line of a header is part of a name.
#[derive(Default)]
pub(crate) struct PatchReader {
    files: Vec<FilePatch>,
    line: Vec<u8>,
    old_left: u64,
    new_left: u64,
    new_line: u32,
}

impl PatchReader {
    /// Takes the next piece.
    pub(crate) fn feed(&mut self, mut bytes: &[u8]) {
        while let Some(end) = bytes.iter().position(|byte| *byte == b'\n') {
            self.append_line_start(&bytes[..end]);
            self.end_line();
            bytes = &bytes[end + 1..];
        }
        self.append_line_start(bytes);
    }

    /// The sections, when the patch was whole.
    pub(crate) fn finish(mut self) -> Option<Vec<FilePatch>> {
        if !self.line.is_empty() {
            self.end_line();
        }
        (self.old_left == 0 && self.new_left == 0).then_some(self.files)
    }

    fn append_line_start(&mut self, bytes: &[u8]) {
        let room = MAX_LINE_START.saturating_sub(self.line.len());
        self.line.extend_from_slice(&bytes[..bytes.len().min(room)]);
    }

    fn end_line(&mut self) {
        let line = std::mem::take(&mut self.line);
        if self.old_left > 0 || self.new_left > 0 {
            self.read_content_line(line.first().copied());
        } else {
            self.read_header_line(&line);
        }
        self.line = line;
        self.line.clear();
    }

    fn read_content_line(&mut self, first: Option<u8>) {
        match first {
            Some(b'+') => {
                if let Some(section) = self.files.last_mut() {
                    push_range(&mut section.changed, (self.new_line, self.new_line));
                }
                self.new_left = self.new_left.saturating_sub(1);
                self.new_line = self.new_line.saturating_add(1);
            }
            Some(b'-') => self.old_left = self.old_left.saturating_sub(1),
            // `\ No newline at end of file`
            Some(b'\\') => {}
            Some(_) | None => {
                self.old_left = self.old_left.saturating_sub(1);
                self.new_left = self.new_left.saturating_sub(1);
                self.new_line = self.new_line.saturating_add(1);
            }
        }
    }

    fn read_header_line(&mut self, line: &[u8]) {
        if line.starts_with(b"diff --git ") {
            self.files.push(FilePatch::default());
            return;
        }
        let Some(section) = self.files.last_mut() else {
            return;
        };
        if line.starts_with(b"Binary files ") {
            section.binary = true;
        } else if let Some((old, start, new)) = parse_hunk_header(line) {
            (self.old_left, self.new_left, self.new_line) = (old, new, start);
            if let Ok(count @ 1..) = u32::try_from(new) {
                push_range(&mut section.shown, (start, start.saturating_add(count - 1)));
            }
        }
    }
}

/// Appends a range, joined with the last where they touch.
fn push_range(ranges: &mut Vec<LineRange>, line_range: LineRange) {
    match ranges.last_mut() {
        Some(last) if last.1.checked_add(1) == Some(line_range.0) => last.1 = line_range.1,
        Some(_) | None => ranges.push(line_range),
    }
}

/// Count of old lines, first new line and count of new lines of `@@ -a,b +c,d @@`.
fn parse_hunk_header(line: &[u8]) -> Option<(u64, u32, u64)> {
    let line = String::from_utf8_lossy(line.strip_prefix(b"@@ -")?);
    let (old, rest) = line.split_once(" +")?;
    let (new, _) = rest.split_once(" @@")?;
    let count = |part: &str| {
        part.split_once(',')
            .map_or(Some(1), |(_, count)| count.parse().ok())
    };
    let start = new.split(',').next()?.parse().ok()?;
    Some((count(old)?, start, count(new)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATCH: &str = "diff --git \"a/a\\nb\" \"b/a\\nb\"\nindex 1..2 100644\n--- \"a/a\\nb\"\n+++ \"b/a\\nb\"\n\
        @@ -1,3 +1,4 @@ fn x\n keep\n-old\n+new\n+@@ -1 +1 @@\n keep\n@@ -20 +21 @@\n-diff --git a/x b/x\n+y\n\
        \\ No newline at end of file\ndiff --git a/bin b/bin\nBinary files a/bin and b/bin differ\n\
        diff --git a/gone b/gone\n@@ -1,2 +0,0 @@\n-a\n-b\n";

    #[test]
    fn lines_are_counted_and_content_is_never_taken_for_a_header() {
        for step in [1, 2, 7, 64, 10_000] {
            let mut reader = PatchReader::default();
            for piece in PATCH.as_bytes().chunks(step) {
                reader.feed(piece);
            }
            let sections = reader.finish().unwrap();
            assert_eq!(sections.len(), 3);
            assert_eq!(sections[0].changed, [(2, 3), (21, 21)]);
            assert_eq!(sections[0].shown, [(1, 4), (21, 21)]);
            assert!(sections[1].binary);
            assert_eq!(sections[2], FilePatch::default());
        }
    }

    #[test]
    fn a_patch_that_was_cut_off_is_none() {
        let mut reader = PatchReader::default();
        reader.feed(b"diff --git a/x b/x\n@@ -1,3 +1,3 @@\n a\n");
        assert_eq!(reader.finish(), None);
    }
}
