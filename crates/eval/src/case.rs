//! What a case is: one pull request, and what is known to be wrong with it.

use collie_core::finding::Priority;
use collie_core::ids::{RepoName, Sha};
use serde::{Deserialize, Serialize};
use std::fmt;

/// One pull request whose faults are known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// Its name in the set: letters, digits, `-`, `_` and `.`.
    pub id: String,
    /// The repository as the reviewer is told it.
    pub repository: RepoName,
    /// The change itself.
    pub change: Change,
    /// The title of the pull request; else the subject of the head commit.
    pub title: Option<String>,
    /// Its description; else the rest of the head commit's message.
    pub description: Option<String>,
    /// The main language of the change.
    pub language: Option<String>,
    /// What is wrong with it. None for a clean one.
    pub faults: Vec<Fault>,
}

impl Case {
    /// Whether nothing is known to be wrong: every finding is a false one.
    pub fn is_clean(&self) -> bool {
        self.faults.is_empty()
    }
}

/// Where the change of a case comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// Two commits of a clone.
    Commits {
        /// What the change goes into.
        base: Sha,
        /// The head of the pull request.
        head: Sha,
    },
    /// A pull request whose commits nobody has looked up yet.
    Pull(u64),
    /// Two folders of whole files, `before` and `after`, below the folder of the set. What is only in `before` is unchanged, unless removed.
    Folder {
        /// The folder that holds both.
        folder: String,
        /// Files of `before` that the change removes.
        removed: Vec<String>,
    },
}

/// Something that is wrong with a change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    /// Its name in the case.
    pub id: String,
    /// The file at the head; none where only the words are known.
    pub file: Option<String>,
    /// The lines at the head that are wrong: those that the fix mended. None where the file alone is known.
    pub lines: Option<LineRange>,
    /// The lines at the head of the function that holds them.
    pub within: Option<LineRange>,
    /// What is wrong, in a sentence.
    pub what: String,
    /// What sort of fault it is: `off-by-one`, `race`, …
    pub kind: String,
    /// How much it weighs.
    pub severity: Priority,
    /// The commit that mended it.
    pub fixed_by: Option<Sha>,
}

/// Lines from 1, both ends in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "[u32; 2]", into = "[u32; 2]")]
pub struct LineRange {
    /// The first.
    pub from: u32,
    /// The last.
    pub to: u32,
}

impl LineRange {
    /// Lines in either order; none where there is no line 0.
    pub fn new(one: u32, other: u32) -> Option<Self> {
        let (from, to) = (one.min(other), one.max(other));
        (from > 0).then_some(Self { from, to })
    }

    /// How many lines lie between a line and these; 0 for one of them.
    pub fn distance(self, line: u32) -> u32 {
        if line < self.from {
            self.from - line
        } else {
            line.saturating_sub(self.to)
        }
    }
}

impl TryFrom<[u32; 2]> for LineRange {
    type Error = &'static str;

    fn try_from([from, to]: [u32; 2]) -> Result<Self, Self::Error> {
        Self::new(from, to).ok_or("there is no line 0")
    }
}

impl From<LineRange> for [u32; 2] {
    fn from(range: LineRange) -> Self {
        [range.from, range.to]
    }
}

impl fmt::Display for LineRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.from == self.to {
            write!(f, "{}", self.from)
        } else {
            write!(f, "{}-{}", self.from, self.to)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::LineRange;

    #[test]
    fn a_line_is_so_far_from_a_range_as_from_its_nearer_end() {
        let range = LineRange::new(14, 10).unwrap();
        assert_eq!((range.from, range.to), (10, 14));
        let distances = [7, 10, 12, 14, 15].map(|line| range.distance(line));
        assert_eq!(distances, [3, 0, 0, 0, 1]);
        assert_eq!(LineRange::new(0, 3), None);
    }
}
