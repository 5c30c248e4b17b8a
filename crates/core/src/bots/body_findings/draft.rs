//! A finding of a body, and how it comes to be.

use crate::finding::{Confidence, FindingKind, Priority};

/// One finding of a body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BodyFinding {
    /// Its file; empty where none is given.
    pub file: String,
    /// Its first line.
    pub line: Option<u32>,
    /// The last of its lines.
    pub last_line: Option<u32>,
    /// How much it weighs.
    pub priority: Priority,
    /// One line.
    pub title: String,
    /// The reasons.
    pub text: String,
    /// How sure the bot is.
    pub confidence: Confidence,
    /// What sort of remark it is.
    pub kind: FindingKind,
}

/// Characters of a finding's text that are kept.
const TEXT_CHARS: usize = 3_000;
/// A file of the change, by the anchor that GitHub's page of the diff gives it: the SHA-256 of its path.
pub type PathOfAnchor<'a> = dyn Fn(&str) -> Option<String> + 'a;

/// Tells the priority of a text.
pub(super) type PriorityOf<'a> = dyn Fn(&str) -> Priority + 'a;

/// A finding in the making.
#[derive(Debug)]
pub(super) struct Draft {
    pub(super) file: String,
    pub(super) lines: (Option<u32>, Option<u32>),
    pub(super) priority: Priority,
    pub(super) title: String,
    pub(super) text: Vec<String>,
}

impl Draft {
    pub(super) fn new(
        file: &str,
        first: Option<u32>,
        last: Option<u32>,
        priority: Priority,
    ) -> Self {
        Self {
            file: file.trim().to_owned(),
            lines: (first, last.or(first)),
            priority,
            title: String::new(),
            text: Vec::new(),
        }
    }

    pub(super) fn finish(self) -> BodyFinding {
        let text = self.text.join("\n").trim().to_owned();
        let title = match self.title.trim() {
            "" => first_words(&text),
            title => title.to_owned(),
        };
        let (line, last_line) = self.lines;
        BodyFinding {
            file: self.file,
            line,
            // Without a first line, as where its number is too large for one, there is no last one.
            last_line: line.map(|first| last_line.unwrap_or(first).max(first)),
            priority: self.priority,
            title: title.chars().take(160).collect(),
            text: match text.is_empty() {
                true => title.chars().take(TEXT_CHARS).collect(),
                false => text.chars().take(TEXT_CHARS).collect(),
            },
            confidence: Confidence::SURE,
            kind: FindingKind::Error,
        }
    }
}

/// The first line of a text, or its first sentence where that is long.
fn first_words(text: &str) -> String {
    let line = text
        .lines()
        .map(str::trim)
        .find(|line| !line.is_empty())
        .unwrap_or_default();
    let end = line.find(". ").map_or(line.len(), |at| at + 1);
    line[..end]
        .trim_matches(|c| matches!(c, '*' | '_' | ' ' | '-'))
        .to_owned()
}

pub(super) fn number(text: Option<regex::Match<'_>>) -> Option<u32> {
    text?.as_str().parse().ok()
}
