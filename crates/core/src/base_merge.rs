//! The base merged into the head branch (§3.7): what came of it, and what it may leave out.

use crate::fix::FixResult;
use crate::ids::Sha;
use serde::{Deserialize, Serialize};
use std::fmt;

/// How the id of a conflict begins, in the findings that a fixer is handed; the path follows.
const CONFLICT_ID: &str = "base-conflict:";

/// A side of a merge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MergeSide {
    /// The head branch.
    Head,
    /// The base branch.
    Base,
}

/// A line that one side added, and that the merged file lacks.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct LostLine {
    /// The file, by the name that it has on that side.
    pub path: String,
    /// 1-based line on that side; 0 where the whole of what is no text is meant: bytes, a link, a submodule.
    pub line: u32,
    /// Who added it.
    pub side: MergeSide,
    /// Its text, without blanks around it.
    pub text: String,
}

/// As reports and errors name it: `path:line text`.
impl fmt::Display for LostLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{} {}", self.path, self.line, self.text)
    }
}

/// A base that was merged into the head branch.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct BaseMerge {
    /// The base branch.
    pub base_ref: String,
    /// Its commit.
    pub base: Sha,
    /// Files that conflicted, and that the fixer resolved.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conflicts: Vec<String>,
    /// Lines that the fixer left out, each with a reason in its account.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lost: Vec<LostLine>,
}

/// A merge that was tried and given up.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct RefusedMerge {
    /// The base commit.
    pub base: Sha,
    /// Why.
    pub error: crate::user_error::UserError,
}

/// The id of a file's conflict among the findings that a fixer is handed.
pub fn conflict_id(path: &str) -> String {
    format!("{CONFLICT_ID}{path}")
}

/// The lines that the account of a fixer does not quote: of each it has to say why it is left out, in the words on one of the conflicts.
/// Blanks do not count, since an account comes as one line.
pub fn unexplained(lost: &[LostLine], account: &FixResult) -> Vec<LostLine> {
    let squeeze = |text: &str| text.split_whitespace().collect::<String>();
    let words: Vec<String> = account
        .fixed_issues
        .iter()
        .map(|fixed| squeeze(&fixed.description))
        .collect();
    let quoted = |line: &LostLine| {
        let text = squeeze(&line.text);
        line.line > 0 && words.iter().any(|words| words.contains(&text))
    };
    lost.iter().filter(|line| !quoted(line)).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fix::{FixSummary, FixedIssue};

    fn account(description: &str) -> FixResult {
        FixResult {
            agent: "scripted".into(),
            pr_number: 1,
            summary: FixSummary::default(),
            fixed_issues: vec![FixedIssue {
                finding_id: conflict_id("a.rs"),
                commit_sha: String::new(),
                description: description.into(),
            }],
            rejected_issues: Vec::new(),
            commits: Vec::new(),
        }
    }

    fn lost(line: u32, text: &str) -> LostLine {
        LostLine {
            path: "a.rs".into(),
            line,
            side: MergeSide::Base,
            text: text.into(),
        }
    }

    #[test]
    fn a_line_is_explained_where_the_account_quotes_it() {
        let lines = [lost(3, "let  limit = 2;"), lost(4, "let limit = 3;")];
        let left = unexplained(
            &lines,
            &account("Left out `let limit = 2;`: the head's wins."),
        );
        assert_eq!(left, lines[1..]);
        assert_eq!(unexplained(&lines, &account("Done.")), lines);
        assert_eq!(unexplained(&[], &account("")), []);
    }

    #[test]
    fn what_is_no_text_cannot_be_explained_by_quoting_it() {
        let file = [lost(0, "")];
        assert_eq!(unexplained(&file, &account("All is well.")), file);
    }
}
