//! What a scan takes and gives.

use std::fmt;
use std::ops::Range;

use collie_core::coverage::UnseenReason;
use serde::{Deserialize, Serialize};

use crate::lines::LineSet;

/// One file to scan, as it stands in the new version.
#[derive(Debug, Clone, Copy)]
pub struct ScanInput<'a> {
    /// Its path in the repository, with `/` between the parts.
    pub path: &'a str,
    /// Its bytes.
    pub content: &'a [u8],
    /// The lines that count.
    pub changed_lines: &'a LineSet,
    /// The base marks it as written by a tool or by other people, so that a finding on it helps nobody.
    pub generated: bool,
}

/// What a scan of one file came to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FileScan {
    /// Ordered by line, column and rule.
    pub matches: Vec<RuleMatch>,
    /// Why rules of structure did not see all of it; none when they did, or when there are none for it.
    pub unread: Option<UnseenReason>,
}

/// How much a match weighs (SPEC §4.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Priority {
    /// Blocks: a secret, a conflict marker.
    P0,
    /// Critical: a bug.
    P1,
    /// Important.
    P2,
    /// A suggestion.
    P3,
}

impl fmt::Display for Priority {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Priority::P0 => "P0",
            Priority::P1 => "P1",
            Priority::P2 => "P2",
            Priority::P3 => "P3",
        })
    }
}

/// A replacement of bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextEdit {
    /// The bytes that go.
    pub range: Range<usize>,
    /// What comes in their place, with the file's own line ends.
    pub replacement: String,
}

/// A place where a rule applies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleMatch {
    /// The rule's id.
    pub rule_id: String,
    /// How much it weighs.
    pub priority: Priority,
    /// What it is about: `security`, `correctness`, `tests`, `maintainability`, `performance`,
    /// `syntax`, or what a repository's own rule says.
    pub category: String,
    /// The file's path in the repository.
    pub path: String,
    /// The first line, from 1.
    pub line: usize,
    /// The last line, from 1.
    pub end_line: usize,
    /// The column of the first byte, in bytes from 1.
    pub column: usize,
    /// One line that says what is wrong.
    pub title: String,
    /// Why it matters and what to do instead. May be empty.
    pub description: String,
    /// The new text of lines `line..=end_line`, without the last line's end, where the rule has a
    /// fix that stays within them. Empty: the lines go.
    pub suggestion: Option<String>,
    /// The lines, quoted word for word: at most six, each cut to 400 characters. It can hold a
    /// secret; no finding does that is made of it (§8.3).
    pub evidence: String,
    /// The rule's fix for this place.
    pub fix: Option<TextEdit>,
}
