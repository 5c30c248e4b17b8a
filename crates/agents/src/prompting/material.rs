//! What a review rests on, as plain data: the caller fills it from git and GitHub (§4.4).

use super::groups::ReviewPart;
use super::persona::Persona;
use collie_core::code_context::{FunctionSpan, RelatedCode};
use collie_core::finding::Finding;
use collie_core::ids::{Fingerprint, Login, RepoName, Sha, ThreadId};
use collie_core::policy::Strictness;
use collie_core::review_memory::RepositoryMemory;
use collie_core::tracked_finding::TrackedFinding;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Everything that is known of a pull request when a reviewer is asked.
#[derive(Clone, Debug)]
pub struct Material {
    /// The repository.
    pub repo: RepoName,
    /// The pull request's number.
    pub number: u64,
    /// Its title.
    pub title: String,
    /// Its description.
    pub description: String,
    /// Who opened it.
    pub author: Option<Login>,
    /// The merge base that the difference begins at.
    pub base: Sha,
    /// The head under review.
    pub head: Sha,
    /// What the pull request changes, from merge base to head, in the order of paths.
    pub files: Vec<ChangedFile>,
    /// What changed since the head that this reviewer last saw; none in the first round.
    pub delta: Option<Vec<ChangedFile>>,
    /// Paths of all files at the head.
    pub tree: Vec<String>,
    /// The repository's guidelines, from the **base** branch (§9.3); see [`super::GUIDELINES`].
    pub guidelines: Vec<TextFile>,
    /// Documents of this repository that the description links.
    pub documents: Vec<TextFile>,
    /// Issues that the description, title or branch name.
    pub issues: Vec<LinkedIssue>,
    /// Review threads.
    pub threads: Vec<ExistingThread>,
    /// What review bots found by themselves and nobody has settled. It is shown to no reviewer.
    pub bot_findings: Vec<Finding>,
    /// Comments in the conversation, oldest first; without Collie's own reports.
    pub conversation: Vec<Remark>,
    /// Findings that stand, with fixers' rejections; of this reviewer and of others.
    pub tracked_findings: Vec<TrackedFinding>,
    /// What was tried on findings of this reviewer, the oldest first.
    pub earlier_fixes: Vec<EarlierFix>,
    /// Who is asked.
    pub persona: Persona,
    /// How much is wanted.
    pub strictness: Strictness,
    /// Findings below it are dropped, in thousandths.
    pub comment_threshold: u16,
    /// The most findings of one answer.
    pub max_findings: u32,
    /// The language to write in, as an English word (`English`, `French`); none: that of the description.
    pub language: Option<String>,
    /// What helps to judge the change beside the change itself.
    pub context: ReviewContext,
    /// The part of the change that this reading is about; none: all of it.
    pub part: Option<ReviewPart>,
}

/// What helps to judge a change beside the change itself. All of it may be empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReviewContext {
    /// Where the functions of changed files are at the head, by path.
    pub functions: BTreeMap<String, Vec<FunctionSpan>>,
    /// Definitions and call sites in files that are not changed, those that say most first.
    pub related: Vec<RelatedCode>,
    /// Pairs of changed files of which the first uses what the second defines.
    pub links: BTreeSet<(String, String)>,
    /// Documents of the **base** that say what the product is: README and, for some, ROADMAP.
    pub background: Vec<TextFile>,
    /// Messages of the pull request's commits, oldest first.
    pub commits: Vec<String>,
    /// Labels of the pull request.
    pub labels: Vec<String>,
    /// How the checks of this head stand.
    pub checks: Vec<CheckState>,
    /// Titles of the reviewers that this one may ask in, by name.
    pub colleagues: BTreeMap<String, String>,
    /// What people made of the repository's earlier findings, as far as it still holds.
    pub memory: RepositoryMemory,
}

/// How a check of the head stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckState {
    /// Its name.
    pub name: String,
    /// GitHub's word: `success`, `failure`, `in_progress`, …
    pub state: String,
}

/// What a commit changed that was said to fix a finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EarlierFix {
    /// The finding's identity.
    pub fingerprint: Fingerprint,
    /// The change, as a patch.
    pub patch: String,
}

/// A text file with its path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextFile {
    /// Its path in the repository.
    pub path: String,
    /// Its text.
    pub text: String,
}

/// What happened to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileStatus {
    /// It is new.
    Added,
    /// It was there before.
    Modified,
    /// It has another path now, and perhaps another content.
    Renamed,
    /// It is gone.
    Removed,
}

/// One file of a difference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangedFile {
    /// Its path at the head; of a removed file, its last.
    pub path: String,
    /// Its path before, where another.
    pub old_path: Option<String>,
    /// What happened to it.
    pub status: FileStatus,
    /// The changed lines with some around them; none for binary files and pure renames.
    pub hunks: Vec<Hunk>,
    /// Lines of the head that GitHub takes comments on, from 1, both ends in it. [`ChangedFile::between`] takes them from the hunks; git's
    /// own count (`DiffFile::shown`) is better where it is at hand.
    pub shown: Vec<(u32, u32)>,
    /// The whole file at the head; none when it is gone, binary or too large.
    pub content_at_head: Option<String>,
    /// The whole file before; none when it was not there, is binary or too large.
    pub content_at_base: Option<String>,
}

/// What happened to a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LineChange {
    /// It is new.
    Added,
    /// It is gone.
    Removed,
    /// Nothing.
    Context,
}

/// Changed lines that lie together, with some around them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hunk {
    /// The first line before, from 1.
    pub old_start: u32,
    /// The first line at the head, from 1; where the hunk has none, the line that would be there.
    pub new_start: u32,
    /// The lines, without their ends.
    pub lines: Vec<(LineChange, String)>,
}

/// An issue that the pull request names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinkedIssue {
    /// Its repository.
    pub repo: RepoName,
    /// Its number.
    pub number: u64,
    /// Its title.
    pub title: String,
    /// Its text.
    pub body: String,
    /// GitHub's word: `open`, `closed`.
    pub state: String,
    /// How it is named.
    pub link: LinkKind,
    /// It was read. Else it lies where the pull request may not make anybody read (§9.1), or could not be read: title, text and state are
    /// empty, and the reviewer is told so.
    pub read: bool,
}

/// How an issue is named.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LinkKind {
    /// With a closing word: merging closes it.
    Closes,
    /// In passing.
    Mentions,
}

/// A review thread that is there already.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExistingThread {
    /// GitHub's id of it.
    pub id: ThreadId,
    /// The file.
    pub path: String,
    /// The line at the head; none when it is outdated or the thread is about the file.
    pub line: Option<u32>,
    /// Somebody marked it resolved.
    pub resolved: bool,
    /// The code under it has changed since.
    pub outdated: bool,
    /// Collie opened it: it is the same finding, not somebody else's word on it.
    pub by_collie: bool,
    /// A person with write access or a verified bot opened it: while it is open, it covers what it is about (§4.4).
    pub trusted: bool,
    /// A bot opened it, and nobody with write access has had a say: it is shown to no reviewer, so that what one finds is a word of its own
    /// (§4.6).
    pub of_bot_alone: bool,
    /// What was said, oldest first.
    pub comments: Vec<Remark>,
}

/// Something that somebody said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark {
    /// Who.
    pub login: Login,
    /// What.
    pub text: String,
}

impl Material {
    /// A changed file by its path at the head.
    pub fn file(&self, path: &str) -> Option<&ChangedFile> {
        self.files.iter().find(|file| file.path == path)
    }

    /// What became of a file since this reviewer's last look, by its path at the head; none in the first round, and where nothing did.
    pub fn file_since_last_look(&self, path: &str) -> Option<&ChangedFile> {
        self.delta.iter().flatten().find(|file| file.path == path)
    }

    /// Findings that this reviewer reported before, in order: it is asked what became of each.
    pub fn earlier_findings(&self) -> impl Iterator<Item = &TrackedFinding> {
        self.tracked_findings
            .iter()
            .filter(|tracked| self.is_own(tracked))
    }

    /// Findings of others that stand: not to be reported again.
    pub fn other_findings(&self) -> impl Iterator<Item = &TrackedFinding> {
        self.tracked_findings
            .iter()
            .filter(|tracked| !self.is_own(tracked))
    }

    fn is_own(&self, tracked: &TrackedFinding) -> bool {
        let source = &tracked.finding.source;
        source.kind == collie_core::finding::SourceType::Agent && source.name == self.persona.name
    }
}
