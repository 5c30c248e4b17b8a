//! Diffs between two commits, and where lines are in them.

use std::sync::Arc;

use crate::error::ForgeError;
use crate::git_dir::GitDir;
use crate::model::{Sha, Side};

/// The largest patch that is shown; longer ones are left out, as GitHub does.
const MAX_PATCH_BYTES: usize = 1024 * 1024;

/// What happened to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileStatus {
    /// It is new.
    Added,
    /// It is gone.
    Removed,
    /// Its content or mode changed.
    Modified,
    /// It has another name, and perhaps another content.
    Renamed,
    /// It is a copy.
    Copied,
    /// Its type changed.
    Changed,
}

impl FileStatus {
    /// GitHub's REST name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Removed => "removed",
            Self::Modified => "modified",
            Self::Renamed => "renamed",
            Self::Copied => "copied",
            Self::Changed => "changed",
        }
    }
}

/// One hunk of a file's diff.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hunk {
    /// First line in the old file.
    pub old_start: u64,
    /// Lines in the old file.
    pub old_len: u64,
    /// First line in the new file.
    pub new_start: u64,
    /// Lines in the new file.
    pub new_len: u64,
    /// Its lines in the patch: the header's index and one past the last.
    patch_lines: (usize, usize),
}

/// One file of a diff.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileDiff {
    /// Name in the new commit (in the old one, if removed).
    pub path: String,
    /// Name in the old commit, when it differs.
    pub previous_path: Option<String>,
    /// What happened.
    pub status: FileStatus,
    /// Lines added.
    pub additions: u64,
    /// Lines removed.
    pub deletions: u64,
    /// The new blob (the old one, if removed).
    pub blob: String,
    /// The hunks as text, without git's file header; empty for binary files.
    patch: String,
    /// The hunks.
    pub hunks: Vec<Hunk>,
}

/// A place in a file's diff.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiffPosition {
    /// The hunk up to and with the line.
    pub hunk: String,
    /// GitHub's legacy position: lines below the first hunk header.
    pub position: u64,
    /// Index of the hunk.
    hunk_index: usize,
}

impl FileDiff {
    /// The patch as GitHub shows it: none for binary or very large files.
    pub fn patch(&self) -> Option<&str> {
        (!self.patch.is_empty() && self.patch.len() <= MAX_PATCH_BYTES)
            .then_some(self.patch.as_str())
    }

    /// Finds a line; `None` when it is in no hunk.
    pub fn locate_line(&self, side: Side, line: u64) -> Option<DiffPosition> {
        let lines: Vec<&str> = self.patch.split('\n').collect();
        let first_header = self.hunks.first()?.patch_lines.0;
        for (index, hunk) in self.hunks.iter().enumerate() {
            let (mut old, mut new) = (hunk.old_start, hunk.new_start);
            for line_index in hunk.patch_lines.0 + 1..hunk.patch_lines.1 {
                let (is_old, is_new) = match lines[line_index].as_bytes().first() {
                    Some(b'+') => (false, true),
                    Some(b'-') => (true, false),
                    Some(b'\\') => (false, false),
                    _ => (true, true),
                };
                let is_match = match side {
                    Side::Left => is_old && old == line,
                    Side::Right => is_new && new == line,
                };
                if is_match {
                    return Some(DiffPosition {
                        hunk: lines[hunk.patch_lines.0..=line_index].join("\n"),
                        position: (line_index - first_header) as u64,
                        hunk_index: index,
                    });
                }
                old += u64::from(is_old);
                new += u64::from(is_new);
            }
        }
        None
    }

    /// Whether two lines can be the ends of one comment: in the same hunk, in order.
    pub fn is_valid_range(&self, start: (Side, u64), end: (Side, u64)) -> bool {
        match (
            self.locate_line(start.0, start.1),
            self.locate_line(end.0, end.1),
        ) {
            (Some(first), Some(last)) => {
                first.hunk_index == last.hunk_index && first.position < last.position
            }
            _ => false,
        }
    }

    /// The line at GitHub's legacy position.
    pub fn line_at_position(&self, position: u64) -> Option<(Side, u64)> {
        let lines: Vec<&str> = self.patch.split('\n').collect();
        let first_header = self.hunks.first()?.patch_lines.0;
        let line_index = first_header.checked_add(usize::try_from(position).ok()?)?;
        let hunk = self
            .hunks
            .iter()
            .find(|h| h.patch_lines.0 < line_index && line_index < h.patch_lines.1)?;
        let (mut old, mut new) = (hunk.old_start, hunk.new_start);
        for line in &lines[hunk.patch_lines.0 + 1..line_index] {
            match line.as_bytes().first() {
                Some(b'+') => new += 1,
                Some(b'-') => old += 1,
                Some(b'\\') => {}
                _ => {
                    old += 1;
                    new += 1;
                }
            }
        }
        match lines.get(line_index)?.as_bytes().first() {
            Some(b'-') => Some((Side::Left, old)),
            Some(b'\\') => None,
            _ => Some((Side::Right, new)),
        }
    }

    /// Where a line of the old file is in the new one; `None` when it changed.
    pub fn map_old_line(&self, line: u64) -> Option<u64> {
        let mut offset = 0i64;
        for hunk in &self.hunks {
            // An empty old side names the line before the insertion.
            let old_start = hunk.old_start + u64::from(hunk.old_len == 0);
            if line < old_start {
                break;
            }
            if line < old_start + hunk.old_len {
                return None;
            }
            offset += i64::try_from(hunk.new_len).ok()? - i64::try_from(hunk.old_len).ok()?;
        }
        u64::try_from(i64::try_from(line).ok()? + offset).ok()
    }
}

/// The diff between two commits, renames found.
pub async fn diff_commits(
    git: &GitDir,
    old: &Sha,
    new: &Sha,
    context: u32,
) -> Result<Arc<Vec<FileDiff>>, ForgeError> {
    let unified = format!("-U{context}");
    let common = ["-M", "--no-ext-diff", "--no-textconv", "--no-color"];
    let mut names = vec!["diff-tree", "-r", "-z", "--raw", "--numstat", "--abbrev=40"];
    names.extend(common);
    names.extend([old.as_str(), new.as_str()]);
    let mut patches = vec![
        "diff-tree",
        "-r",
        "-p",
        "--src-prefix=a/",
        "--dst-prefix=b/",
        &unified,
    ];
    patches.extend(common);
    patches.extend([old.as_str(), new.as_str()]);
    let (names, patches) = tokio::try_join!(git.run(&names), git.run(&patches))?;
    let mut files = parse_raw_diff(&names);
    let mut texts = split_patches(&String::from_utf8_lossy(&patches)).into_iter();
    for file in &mut files {
        let Some(mut text) = texts.next() else { break };
        if file.status == FileStatus::Changed {
            // A changed type is printed as a removal and an addition; the addition counts.
            text = texts.next().unwrap_or_default();
        }
        file.hunks = parse_hunks(&text);
        file.patch = text;
    }
    Ok(Arc::new(files))
}

fn parse_raw_diff(bytes: &[u8]) -> Vec<FileDiff> {
    let mut fields = bytes
        .split(|b| *b == 0)
        .map(|f| String::from_utf8_lossy(f).into_owned())
        .peekable();
    let mut files = Vec::new();
    while let Some(meta) = fields.next_if(|f| f.starts_with(':')) {
        let parts: Vec<&str> = meta.split(' ').collect();
        let [_, _, old_blob, new_blob, letter] = parts.as_slice() else {
            continue;
        };
        let status = match letter.as_bytes().first() {
            Some(b'A') => FileStatus::Added,
            Some(b'D') => FileStatus::Removed,
            Some(b'R') => FileStatus::Renamed,
            Some(b'C') => FileStatus::Copied,
            Some(b'T') => FileStatus::Changed,
            _ => FileStatus::Modified,
        };
        let Some(first) = fields.next() else { break };
        let (path, previous_path) = match status {
            FileStatus::Renamed | FileStatus::Copied => {
                (fields.next().unwrap_or_default(), Some(first))
            }
            _ => (first, None),
        };
        let blob = match status {
            FileStatus::Removed => old_blob,
            _ => new_blob,
        };
        files.push(FileDiff {
            path,
            previous_path,
            status,
            additions: 0,
            deletions: 0,
            blob: (*blob).to_owned(),
            patch: String::new(),
            hunks: Vec::new(),
        });
    }
    for file in &mut files {
        let Some(counts) = fields.next() else { break };
        let mut parts = counts.splitn(3, '\t');
        let mut number = || parts.next().and_then(|n| n.parse().ok()).unwrap_or(0);
        file.additions = number();
        file.deletions = number();
        if parts.next().is_some_and(str::is_empty) {
            // A rename's two names follow as fields of their own.
            fields.next();
            fields.next();
        }
    }
    files
}

/// The hunks of each file in turn. No line of content starts with `diff`.
fn split_patches(text: &str) -> Vec<String> {
    let mut patches: Vec<String> = Vec::new();
    let mut in_hunks = false;
    for line in text.split_inclusive('\n') {
        if line.starts_with("diff --git ") {
            patches.push(String::new());
            in_hunks = false;
        } else if let Some(patch) = patches.last_mut() {
            in_hunks |= line.starts_with("@@ ");
            if in_hunks {
                patch.push_str(line);
            }
        }
    }
    for patch in &mut patches {
        if patch.ends_with('\n') {
            patch.pop();
        }
    }
    patches
}

fn parse_hunks(patch: &str) -> Vec<Hunk> {
    let mut hunks: Vec<Hunk> = Vec::new();
    let mut count = 0;
    for (index, line) in patch.split('\n').enumerate() {
        count = index + 1;
        if let Some((old, new)) = line.strip_prefix("@@ -").and_then(parse_hunk_header) {
            if let Some(last) = hunks.last_mut() {
                last.patch_lines.1 = index;
            }
            hunks.push(Hunk {
                old_start: old.0,
                old_len: old.1,
                new_start: new.0,
                new_len: new.1,
                patch_lines: (index, index),
            });
        }
    }
    if let Some(last) = hunks.last_mut() {
        last.patch_lines.1 = count;
    }
    hunks
}

type LineRange = (u64, u64);

fn parse_hunk_header(rest: &str) -> Option<(LineRange, LineRange)> {
    let (old, rest) = rest.split_once(" +")?;
    let (new, _) = rest.split_once(" @@")?;
    let range = |text: &str| -> Option<LineRange> {
        match text.split_once(',') {
            Some((start, len)) => Some((start.parse().ok()?, len.parse().ok()?)),
            None => Some((text.parse().ok()?, 1)),
        }
    };
    Some((range(old)?, range(new)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(patch: &str) -> FileDiff {
        FileDiff {
            path: "a".into(),
            previous_path: None,
            status: FileStatus::Modified,
            additions: 0,
            deletions: 0,
            blob: String::new(),
            patch: patch.into(),
            hunks: parse_hunks(patch),
        }
    }

    const TWO: &str =
        "@@ -1,3 +1,3 @@\n one\n-two\n+zwei\n three\n@@ -10,2 +10,3 @@ fn\n ten\n+more\n eleven";

    #[test]
    fn a_line_is_found_only_within_the_hunks() {
        let file = file(TWO);
        let check = |side, line, expect: Option<u64>| {
            assert_eq!(file.locate_line(side, line).map(|p| p.position), expect);
            if let Some(position) = expect
                && side == Side::Right
            {
                assert_eq!(file.line_at_position(position), Some((side, line)));
            }
        };
        check(Side::Right, 1, Some(1));
        check(Side::Left, 2, Some(2));
        check(Side::Right, 2, Some(3));
        check(Side::Right, 3, Some(4));
        check(Side::Right, 4, None);
        check(Side::Right, 10, Some(6));
        check(Side::Right, 11, Some(7));
        check(Side::Right, 12, Some(8));
        check(Side::Right, 13, None);
        check(Side::Left, 12, None);
    }

    #[test]
    fn a_range_stays_within_one_hunk() {
        let file = file(TWO);
        assert!(file.is_valid_range((Side::Right, 1), (Side::Right, 3)));
        assert!(!file.is_valid_range((Side::Right, 3), (Side::Right, 1)));
        assert!(!file.is_valid_range((Side::Right, 3), (Side::Right, 10)));
    }

    #[test]
    fn lines_are_carried_over_what_changed_around_them() {
        let file = file("@@ -2 +2,2 @@\n-b\n+B\n+BB\n@@ -5,0 +7 @@\n+new");
        assert_eq!(file.map_old_line(1), Some(1));
        assert_eq!(file.map_old_line(2), None);
        assert_eq!(file.map_old_line(3), Some(4));
        assert_eq!(file.map_old_line(5), Some(6));
        assert_eq!(file.map_old_line(6), Some(8));
    }
}
