//! What Collie pushed or would push, as the UI shows it (§13.8).

use collie_core::changes::{CommitStanding, FileStatus};
use collie_core::coverage::UnseenReason;
use collie_core::finding::Priority;
use collie_core::ids::{Fingerprint, Sha};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// All commits of Collie's in a pull request, without their lines.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ChangesView {
    /// Earlier runs first, then round by round.
    pub rounds: Vec<ChangeRoundView>,
    /// Files that fixes change, each counted once; merges of the base and what is no longer on the branch do not count.
    pub files: u32,
    /// Lines that fixes add, over all of them.
    pub added: u32,
    /// Lines that fixes remove.
    pub removed: u32,
    /// Something is missing from these counts.
    pub incomplete: bool,
}

/// The commits of one round.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ChangeRoundView {
    /// The round, from 1; none for what earlier runs pushed.
    pub round: Option<u32>,
    /// Oldest first.
    pub commits: Vec<ChangeCommitView>,
}

/// One commit of Collie's.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ChangeCommitView {
    /// Its id.
    pub sha: Sha,
    /// The first line of its message; none where no clone has it.
    pub subject: Option<String>,
    /// When it was made, RFC 3339; none where no clone has it.
    pub at: Option<String>,
    /// Where it is.
    pub standing: CommitStanding,
    /// What it merges in; none for a fix.
    pub merge: Option<CommitMergeView>,
    /// Why its files are not known; none where they are.
    pub missing: Option<MissingCommit>,
    /// Its files.
    pub files: Vec<ChangedFileView>,
    /// Files beyond those that are listed.
    pub files_left_out: u32,
    /// How many findings it answers.
    pub findings: u32,
}

/// A merge of the base. Of such a commit the files are shown that conflicted: the rest is the base's.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct CommitMergeView {
    /// The base branch; none where only an earlier run knew.
    pub base_ref: Option<String>,
    /// How many files conflicted.
    pub conflicts: u32,
}

/// Why nothing can be shown of a commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum MissingCommit {
    /// Neither the clone nor GitHub has it.
    Gone,
    /// The clone does not have it, and GitHub did not answer.
    Unreachable,
}

/// A file of a commit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ChangedFileView {
    /// Its path; of a removed file, its last.
    pub path: String,
    /// The path it had before, where that is another.
    pub old_path: Option<String>,
    /// What becomes of it.
    pub status: FileStatus,
    /// Lines that it gains.
    pub added: u32,
    /// Lines that it loses.
    pub removed: u32,
    /// Why none of its lines are shown; none where they are.
    pub unshown: Option<UnseenReason>,
}

/// The lines of a commit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct CommitDiffView {
    /// The commit.
    pub sha: Sha,
    /// Why nothing is shown; none where something is.
    pub missing: Option<MissingCommit>,
    /// Its files, in order.
    pub files: Vec<FileDiffView>,
    /// Files beyond those that are listed.
    pub files_left_out: u32,
    /// The findings that the commit answers, the most urgent first.
    pub findings: Vec<AnsweredFindingView>,
    /// Those that no hunk was found for, by their place in `findings`.
    pub elsewhere: Vec<u32>,
}

/// The lines of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct FileDiffView {
    /// The file.
    pub file: ChangedFileView,
    /// A secret was taken out of its lines.
    pub redacted: bool,
    /// Lines of hunks that are not shown, since there are too many.
    pub lines_left_out: u32,
    /// Its lines.
    pub hunks: Vec<DiffHunkView>,
}

/// Changed lines with some around them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct DiffHunkView {
    /// The number of its first line before, from 1.
    pub old_start: u32,
    /// The number of its first line after, from 1.
    pub new_start: u32,
    /// Each begins with `+`, `-` or a blank, as in a unified diff; the one before a line that is just `\` is the last of its file and has no end.
    pub lines: Vec<String>,
    /// The findings that it answers.
    pub answers: Vec<HunkAnswerView>,
}

/// A finding beside a hunk.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct HunkAnswerView {
    /// Its place in the findings of the commit.
    pub finding: u32,
    /// The hunk changes its lines, or those right beside them; else it only likely belongs to it.
    pub exact: bool,
}

/// A finding that a commit answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct AnsweredFindingView {
    /// Its identity.
    pub fingerprint: Fingerprint,
    /// How much it weighs.
    pub priority: Priority,
    /// Its title.
    pub title: String,
    /// Its file; empty where it is about none.
    pub file: String,
    /// Its line.
    pub line: Option<u32>,
    /// Who found it.
    pub by: String,
}
