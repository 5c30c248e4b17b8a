//! What one commit changes, line by line, for people to look at (§13.8). Files are read whole and compared here: whether one is text its
//! content says, no attribute of the repository is asked, and no program of it is run.

use crate::cat_file::{CatFilePool, FoundObject, ObjectPart};
use crate::excerpt::{CloneReader, LineChange};
use crate::git_command::{GitCommand, command_error};
use crate::object_reader::{parse_sha, unexpected_output};
use crate::plumbing_output::{self, TreeChange, nul_fields};
use collie_core::changes::{ChangedSpan, CommitFacts, FileStatus};
use collie_core::coverage::UnseenReason;
use collie_core::file_marks::is_binary;
use collie_core::ids::{LoopId, Sha, Time};
use collie_engine::ports::GitError;
use similar::{ChangeTag, TextDiff};
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

/// More files of a commit are only named.
const MAX_FILES: usize = 300;
/// A larger file is not compared.
const MAX_FILE_BYTES: u64 = 1 << 20;
/// No more bytes than these are compared in all.
const MAX_BYTES: u64 = 24 << 20;
/// Lines of a file that are shown.
const MAX_FILE_LINES: usize = 10_000;
/// Lines of a commit that are shown.
const MAX_LINES: usize = 40_000;
/// Text of a commit that is shown, in bytes.
const MAX_TEXT_BYTES: usize = 8 << 20;
/// A longer line is cut.
const MAX_LINE_CHARS: usize = 1_000;
/// Files whose contents are held at once.
const FILES_AT_ONCE: usize = 16;
/// Lines around a change.
const CONTEXT_LINES: usize = 3;
/// Two files that differ so much that this does not suffice are compared coarsely.
const DIFF_TIMEOUT: Duration = Duration::from_secs(2);

/// What a commit changes against its first parent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CommitPatch {
    /// File by file, in git's order.
    pub files: Vec<PatchedFile>,
    /// Files beyond those.
    pub files_left_out: usize,
}

impl CommitPatch {
    /// How many lines it holds.
    pub fn line_count(&self) -> usize {
        let hunks = self.files.iter().flat_map(|file| &file.hunks);
        hunks.map(|hunk| hunk.lines.len()).sum()
    }
}

/// What a commit changes in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatchedFile {
    /// Its path; of a removed file, its last.
    pub path: String,
    /// The path it had before, where that is another.
    pub old_path: Option<String>,
    /// What becomes of it.
    pub status: FileStatus,
    /// Lines that it gains, those that are not shown included.
    pub added: u32,
    /// Lines that it loses.
    pub removed: u32,
    /// Why none of its lines are shown; none where they are.
    pub unshown: Option<UnseenReason>,
    /// Its lines.
    pub hunks: Vec<PatchHunk>,
    /// Lines of hunks that are not shown, since there are too many.
    pub lines_left_out: usize,
}

/// Changed lines with some around them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatchHunk {
    /// The number of its first line before, from 1.
    pub old_start: u32,
    /// The number of its first line after, from 1.
    pub new_start: u32,
    /// In order.
    pub lines: Vec<PatchLine>,
}

/// One line of a hunk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatchLine {
    /// What happens to it; never a gap.
    pub change: LineChange,
    /// Without its end; cut after 1,000 characters, which `cut` says.
    pub text: String,
    /// There is more of it.
    pub cut: bool,
    /// It is the last of its file, and has no end.
    pub unended: bool,
}

impl PatchHunk {
    /// The lines that it changes, on the side before it.
    pub fn changed_span(&self) -> ChangedSpan {
        let mut line = self.old_start;
        let mut span: Option<ChangedSpan> = None;
        for part in &self.lines {
            let at = match part.change {
                LineChange::Context | LineChange::Gap => None,
                LineChange::Removed => Some(line),
                LineChange::Added => Some(line.saturating_sub(1)),
            };
            if let Some(at) = at {
                let first = span.map_or(at, |span| span.first);
                span = Some(ChangedSpan {
                    first: first.min(at),
                    last: at.max(first),
                });
            }
            if part.change != LineChange::Added {
                line = line.saturating_add(1);
            }
        }
        span.unwrap_or(ChangedSpan {
            first: self.old_start,
            last: self.old_start,
        })
    }
}

impl CloneReader {
    /// What the clone knows of these commits; what it lacks is not among them. `head` is that of the head branch.
    ///
    /// # Errors
    /// When git fails.
    pub async fn commit_facts(
        &self,
        id: &LoopId,
        commits: &[Sha],
        head: Option<&Sha>,
    ) -> Result<BTreeMap<Sha, CommitFacts>, GitError> {
        let clone_dir = self.clone_path(id);
        if !clone_dir.is_dir() || commits.is_empty() {
            return Ok(BTreeMap::new());
        }
        let asked = commits.iter().chain(head);
        let mut log = GitCommand::new([
            "log",
            "--no-walk=unsorted",
            "--ignore-missing",
            "--no-show-signature",
            "--no-color",
            "-z",
            "--format=%H%n%ct%n%s",
        ]);
        for commit in asked {
            log = log.arg(commit.as_str());
        }
        let output = self.git.run(log.in_clone(&clone_dir)).await?;
        let mut known = parse_facts(&output.stdout)?;
        let head = head.filter(|head| known.contains_key(*head));
        let there: Vec<&Sha> = commits
            .iter()
            .filter(|sha| known.contains_key(*sha))
            .collect();
        if let (Some(head), false) = (head, there.is_empty()) {
            let mut list = GitCommand::new(["rev-list"]);
            for commit in &there {
                list = list.arg(commit.as_str());
            }
            let list = list.arg(format!("^{head}")).in_clone(&clone_dir);
            let beside = String::from_utf8(self.git.run(list).await?.stdout);
            let beside = beside.map_err(|_| unexpected_output("rev-list"))?;
            let beside: std::collections::BTreeSet<&str> = beside.lines().collect();
            for (sha, facts) in &mut known {
                facts.on_branch = Some(!beside.contains(sha.as_str()));
            }
        }
        known.retain(|sha, _| commits.contains(sha));
        Ok(known)
    }

    /// What a commit changes against its first parent; none where the clone lacks some of it. With `only`, no other paths are looked at.
    ///
    /// # Errors
    /// When git fails.
    pub async fn commit_patch(
        &self,
        id: &LoopId,
        commit: &Sha,
        only: Option<&[String]>,
    ) -> Result<Option<CommitPatch>, GitError> {
        let clone_dir = self.clone_path(id);
        let Some(parent) = self.parent(id, commit).await? else {
            return Ok(None);
        };
        let Some(mut changes) = self.changed_paths(&clone_dir, &parent, commit).await? else {
            return Ok(None);
        };
        if let Some(only) = only {
            changes.retain(|change| {
                let path = change.text_path();
                path.is_some_and(|path| only.iter().any(|wanted| wanted == path))
            });
        }
        let files_left_out = changes.len().saturating_sub(MAX_FILES);
        changes.truncate(MAX_FILES);
        let cat_files = CatFilePool::default();
        let files = self.patch_files(&cat_files, &clone_dir, &changes).await;
        cat_files.close(&clone_dir).await;
        Ok(files?.map(|files| CommitPatch {
            files,
            files_left_out,
        }))
    }

    /// The paths that differ between two commits; none where the clone lacks what is needed to tell.
    pub(crate) async fn changed_paths(
        &self,
        clone_dir: &Path,
        parent: &Sha,
        commit: &Sha,
    ) -> Result<Option<Vec<TreeChange>>, GitError> {
        let args = ["diff-tree", "-r", "--raw", "-z", "--no-abbrev"];
        let ask = |renames| {
            let command = GitCommand::new(args).arg(renames);
            let command = command.arg(parent.as_str()).arg(commit.as_str());
            command.in_clone(clone_dir)
        };
        let mut output = self.git.run_unchecked(ask("--find-renames")).await?;
        if output.exit_code != 0 {
            // Moved files are told by their contents, which may not be there.
            output = self.git.run_unchecked(ask("--no-renames")).await?;
        }
        if output.exit_code == 128 {
            return Ok(None);
        }
        if output.exit_code != 0 {
            return Err(command_error("diff-tree", "the clone", &output.stderr));
        }
        let changes = plumbing_output::parse_changes(&output.stdout);
        Ok(Some(changes.ok_or_else(|| unexpected_output("diff-tree"))?))
    }

    async fn patch_files(
        &self,
        cat_files: &CatFilePool,
        clone_dir: &Path,
        changes: &[TreeChange],
    ) -> Result<Option<Vec<PatchedFile>>, GitError> {
        let mut room = Room {
            bytes: MAX_BYTES,
            lines: MAX_LINES,
            text: MAX_TEXT_BYTES,
        };
        let mut files = Vec::with_capacity(changes.len());
        for changes in changes.chunks(FILES_AT_ONCE) {
            let mut names = Vec::new();
            let readable = |change: &&TreeChange| unshown_by_kind(change).is_none();
            for change in changes.iter().filter(readable) {
                names.extend(sides(change).into_iter().flatten().map(str::to_owned));
            }
            let part = ObjectPart::WholeUpTo(MAX_FILE_BYTES);
            let found = cat_files
                .read_objects(&self.git, clone_dir, &names, part)
                .await?;
            let by_name: BTreeMap<&str, &FoundObject> = names
                .iter()
                .zip(&found)
                .filter_map(|(name, object)| Some((name.as_str(), object.as_ref()?)))
                .collect();
            if by_name.len()
                < names
                    .iter()
                    .collect::<std::collections::BTreeSet<_>>()
                    .len()
            {
                return Ok(None);
            }
            for change in changes {
                files.push(patch_file(change, &by_name, &mut room));
            }
        }
        Ok(Some(files))
    }
}

/// What may still be shown of a commit.
struct Room {
    bytes: u64,
    lines: usize,
    text: usize,
}

/// Reads the records of `log -z --format=%H%n%ct%n%s`.
fn parse_facts(bytes: &[u8]) -> Result<BTreeMap<Sha, CommitFacts>, GitError> {
    let mut known = BTreeMap::new();
    for record in nul_fields(bytes) {
        let record = String::from_utf8_lossy(record);
        let mut lines = record.splitn(3, '\n');
        let (Some(sha), Some(seconds), Some(subject)) = (lines.next(), lines.next(), lines.next())
        else {
            return Err(unexpected_output("log"));
        };
        let seconds: i64 = seconds.parse().map_err(|_| unexpected_output("log"))?;
        let facts = CommitFacts {
            subject: subject.trim_end().to_owned(),
            at: Time(seconds.saturating_mul(1_000)),
            on_branch: None,
        };
        known.insert(parse_sha("log", sha)?, facts);
    }
    Ok(known)
}

/// The blobs of either side; none where the file is not there.
fn sides(change: &TreeChange) -> [Option<&str>; 2] {
    let there = |mode: u32, id| (mode != 0).then_some(id);
    [
        there(change.old_mode, change.old_id.as_str()),
        there(change.new_mode, change.new_id.as_str()),
    ]
}

/// What is told by modes and names alone.
fn unshown_by_kind(change: &TreeChange) -> Option<UnseenReason> {
    const SUBMODULE: u32 = 0o160_000;
    let modes = [change.old_mode, change.new_mode];
    let any = |is: fn(u32) -> bool| modes.iter().any(|mode| is(*mode));
    if change.text_path().is_none() {
        Some(UnseenReason::Unreadable)
    } else if any(plumbing_output::is_link_mode) {
        Some(UnseenReason::Link)
    } else if any(|mode| mode == SUBMODULE) {
        Some(UnseenReason::Submodule)
    } else {
        (!change.is_regular()).then_some(UnseenReason::Unreadable)
    }
}

fn status_of(change: &TreeChange) -> FileStatus {
    match change.status {
        b'A' | b'C' => FileStatus::Added,
        b'D' => FileStatus::Removed,
        b'R' => FileStatus::Renamed,
        b'T' => FileStatus::Retyped,
        _ => FileStatus::Modified,
    }
}

fn patch_file(
    change: &TreeChange,
    found: &BTreeMap<&str, &FoundObject>,
    room: &mut Room,
) -> PatchedFile {
    let text = |path: &[u8]| String::from_utf8_lossy(path).into_owned();
    let mut file = PatchedFile {
        path: text(&change.path),
        old_path: change.old_path.as_deref().map(text),
        status: status_of(change),
        added: 0,
        removed: 0,
        unshown: unshown_by_kind(change),
        hunks: Vec::new(),
        lines_left_out: 0,
    };
    if file.unshown.is_some() {
        return file;
    }
    let objects = sides(change).map(|side| side.and_then(|id| found.get(id).copied()));
    let bytes: u64 = objects.iter().flatten().map(|object| object.size).sum();
    let too_large = objects
        .iter()
        .flatten()
        .any(|object| object.bytes.is_none());
    if too_large || bytes > room.bytes {
        file.unshown = Some(UnseenReason::TooLarge);
        return file;
    }
    room.bytes -= bytes;
    let [old, new] =
        objects.map(|object| object.map_or(&[][..], |o| o.bytes.as_deref().unwrap_or(&[])));
    if is_binary(old) || is_binary(new) {
        file.unshown = Some(UnseenReason::Binary);
        return file;
    }
    compare(&mut file, old, new, room);
    file
}

/// Fills the lines of a file in.
fn compare(file: &mut PatchedFile, old: &[u8], new: &[u8], room: &mut Room) {
    let (old, new) = (String::from_utf8_lossy(old), String::from_utf8_lossy(new));
    let diff = TextDiff::configure()
        .timeout(DIFF_TIMEOUT)
        .diff_lines(&*old, &*new);
    let mut file_room = MAX_FILE_LINES.min(room.lines);
    for group in diff.grouped_ops(CONTEXT_LINES) {
        let mut hunk: Option<PatchHunk> = None;
        for change in group.iter().flat_map(|op| diff.iter_changes(op)) {
            let kind = match change.tag() {
                ChangeTag::Equal => LineChange::Context,
                ChangeTag::Insert => LineChange::Added,
                ChangeTag::Delete => LineChange::Removed,
            };
            file.added += u32::from(kind == LineChange::Added);
            file.removed += u32::from(kind == LineChange::Removed);
            let line = patch_line(kind, change.value(), change.missing_newline());
            // After one that does not fit none is shown: lines that are missing in between would deceive.
            if file_room == 0 || line.text.len() > room.text {
                file_room = 0;
                file.lines_left_out += 1;
                continue;
            }
            file_room -= 1;
            room.lines -= 1;
            room.text -= line.text.len();
            let first = group.first();
            let start = |index: Option<usize>| {
                u32::try_from(index.unwrap_or_default().saturating_add(1)).unwrap_or(u32::MAX)
            };
            let hunk = hunk.get_or_insert_with(|| PatchHunk {
                old_start: start(first.map(|op| op.old_range().start)),
                new_start: start(first.map(|op| op.new_range().start)),
                lines: Vec::new(),
            });
            hunk.lines.push(line);
        }
        file.hunks.extend(hunk);
    }
}

fn patch_line(change: LineChange, value: &str, unended: bool) -> PatchLine {
    let whole = value.strip_suffix('\n').unwrap_or(value);
    let text: String = whole.chars().take(MAX_LINE_CHARS).collect();
    PatchLine {
        change,
        cut: text.len() < whole.len(),
        text,
        unended,
    }
}

#[cfg(test)]
mod tests;
