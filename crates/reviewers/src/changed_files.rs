//! What a reviewer is shown of the change itself: whole, or what is new since its last look; and what it is not shown (§4.4).

use super::Panel;
use collie_agents::prompting::{ChangedFile, FileStatus, MAX_FILE_BYTES};
use collie_core::coverage::{UnseenFile, UnseenReason};
use collie_core::file_marks::{is_binary, is_lockfile};
use collie_core::ids::Sha;
use collie_engine::ports::{CleanWorktree, DiffFile, GitError, ReviewRequest};
use std::collections::BTreeSet;

/// The most changed files whose text is read; the others are named.
const MAX_CHANGED_FILES: usize = 400;

/// The change as a reviewer is shown it.
pub(super) struct ReadChange {
    /// Every file of the pull request.
    pub(super) files: Vec<ChangedFile>,
    /// What changed since this reviewer last looked, and whole what it was not shown then; none at its first look, or when that head is gone
    /// from the clone.
    pub(super) delta: Option<Vec<ChangedFile>>,
    /// Files that it is not shown, or not wholly, whatever room there is; each path once.
    pub(super) unseen: Vec<UnseenFile>,
}

/// A side of a file.
enum Side {
    /// Its text, with what is no UTF-8 as `U+FFFD`.
    Text(String),
    /// There is no such file.
    Absent,
    /// It is not shown.
    Unshown(UnseenReason),
}

impl Panel {
    /// Reads what the pull request changes.
    pub(super) async fn read_change(
        &self,
        request: &ReviewRequest,
    ) -> Result<ReadChange, GitError> {
        let mut files = Vec::with_capacity(request.diff.len());
        let mut unseen = Vec::new();
        for (index, file) in request.diff.iter().enumerate() {
            let (shown, reason) = self.read_file(request, file, index).await?;
            files.push(shown);
            unseen.extend(reason.map(|reason| UnseenFile {
                path: file.path.clone(),
                reason,
            }));
        }
        let delta = self.read_delta(request, &files, &mut unseen).await?;
        if let Some(delta) = &delta {
            // What was shown whole before and has not changed since was seen.
            let again: BTreeSet<&str> = delta.iter().map(|file| file.path.as_str()).collect();
            unseen.retain(|file| again.contains(file.path.as_str()));
            let earlier = still_taken_out(&request.unseen, &request.diff);
            unseen.extend(
                earlier
                    .filter(|file| !again.contains(file.path.as_str()))
                    .cloned(),
            );
        }
        Ok(ReadChange {
            files,
            delta,
            unseen,
        })
    }

    /// One file of the change, and why it is not shown wholly.
    async fn read_file(
        &self,
        request: &ReviewRequest,
        file: &DiffFile,
        index: usize,
    ) -> Result<(ChangedFile, Option<UnseenReason>), GitError> {
        let tree = &request.worktree;
        let without_lines = |reason| Ok((file_without_lines(file), Some(reason)));
        if let Some(reason) = file.unshown {
            return without_lines(reason);
        }
        if index >= MAX_CHANGED_FILES {
            return without_lines(UnseenReason::TooMany);
        }
        let old = file.old_path.as_deref().unwrap_or(&file.path);
        let before = self
            .read_side(tree, tree.merge_base(), old, !file.added)
            .await?;
        let after = self
            .read_side(tree, tree.head(), &file.path, !file.deleted)
            .await?;
        match (before, after) {
            (Side::Unshown(reason), _) | (_, Side::Unshown(reason)) => without_lines(reason),
            (before, after) => {
                let shown = ChangedFile {
                    shown: file.shown.clone(),
                    ..ChangedFile::between(&file.path, Some(old), before.text(), after.text())
                };
                let cut = shown.has_cut_lines().then_some(UnseenReason::TooLarge);
                Ok((shown, cut))
            }
        }
    }

    /// What changed since this reviewer last looked, deletions included, and whole what it was not shown then.
    async fn read_delta(
        &self,
        request: &ReviewRequest,
        files: &[ChangedFile],
        unseen: &mut Vec<UnseenFile>,
    ) -> Result<Option<Vec<ChangedFile>>, GitError> {
        let (tree, Some(since)) = (&request.worktree, &request.since) else {
            return Ok(None);
        };
        let changed: BTreeSet<String> = if since == tree.head() {
            BTreeSet::new()
        } else {
            match self.git.changed_lines_since(tree, since).await? {
                Some(lines) => lines.into_keys().collect(),
                None => return Ok(None),
            }
        };
        let before: BTreeSet<&str> = request
            .unseen
            .iter()
            .map(|file| file.path.as_str())
            .collect();
        let mut delta = self
            .read_taken_out(request, since, &changed, unseen)
            .await?;
        // What came with the base is not the pull request's.
        for (file, whole) in request.diff.iter().zip(files) {
            if before.contains(file.path.as_str()) {
                delta.push(whole.clone());
            } else if changed.contains(&file.path) {
                delta.push(self.read_since(request, since, file, whole).await?);
            }
        }
        Ok(Some(delta))
    }

    /// Files that the pull request changed when this reviewer last looked and leaves as the base has them now: its own difference does not
    /// show that a guard of its own is gone again.
    async fn read_taken_out(
        &self,
        request: &ReviewRequest,
        since: &Sha,
        changed: &BTreeSet<String>,
        unseen: &mut Vec<UnseenFile>,
    ) -> Result<Vec<ChangedFile>, GitError> {
        let tree = &request.worktree;
        let still_changed = paths_of(&request.diff);
        let is_gone = |path: &&String| !still_changed.contains(*path);
        let gone: Vec<&String> = changed.iter().filter(is_gone).collect();
        if gone.is_empty() {
            return Ok(Vec::new());
        }
        let changed_then = self.git.changed_paths_at(tree, since, &request.base);
        let changed_then = changed_then.await?.unwrap_or_default();
        let gone = gone.into_iter().filter(|path| changed_then.contains(*path));
        let gone: Vec<&String> = gone.collect();
        if gone.is_empty() {
            return Ok(Vec::new());
        }
        let paths_then = BTreeSet::from_iter(self.git.paths_at(tree, since).await?);
        let paths_now = BTreeSet::from_iter(self.git.paths_at(tree, tree.head()).await?);
        let mut taken_out = Vec::with_capacity(gone.len());
        for path in gone.into_iter().take(MAX_CHANGED_FILES) {
            let (was_there, is_there) = (paths_then.contains(path), paths_now.contains(path));
            let then = self.read_side(tree, since, path, was_there).await?;
            let now = self.read_side(tree, tree.head(), path, is_there).await?;
            taken_out.push(match (then, now) {
                (Side::Unshown(reason), _) | (_, Side::Unshown(reason)) => {
                    // The others are no text.
                    if reason == UnseenReason::TooLarge && !is_lockfile(path) {
                        let path = path.clone();
                        unseen.push(UnseenFile { path, reason });
                    }
                    ChangedFile {
                        status: FileStatus::Modified,
                        ..ChangedFile::between(path, None, None, None)
                    }
                }
                (then, now) => ChangedFile::between(path, None, then.text(), now.text()),
            });
        }
        Ok(taken_out)
    }

    /// What is new in a file since another head.
    async fn read_since(
        &self,
        request: &ReviewRequest,
        since: &Sha,
        file: &DiffFile,
        whole: &ChangedFile,
    ) -> Result<ChangedFile, GitError> {
        if whole.hunks.is_empty() {
            return Ok(whole.clone());
        }
        let tree = &request.worktree;
        let before = self.read_side(tree, since, &file.path, true).await?;
        let after = whole.content_at_head.clone();
        Ok(ChangedFile {
            shown: file.shown.clone(),
            ..ChangedFile::between(&file.path, None, before.text(), after)
        })
    }

    async fn read_side(
        &self,
        tree: &CleanWorktree,
        commit: &Sha,
        path: &str,
        is_there: bool,
    ) -> Result<Side, GitError> {
        if !is_there {
            return Ok(Side::Absent);
        }
        let max = MAX_FILE_BYTES as u64;
        Ok(match self.git.file_at(tree, commit, path, max).await? {
            None => Side::Unshown(UnseenReason::TooLarge),
            Some(bytes) if is_binary(&bytes) => Side::Unshown(UnseenReason::Unreadable),
            Some(bytes) => {
                let text = String::from_utf8_lossy(&bytes).into_owned();
                // Each byte that is no UTF-8 grows to three.
                if text.len() > MAX_FILE_BYTES {
                    Side::Unshown(UnseenReason::TooLarge)
                } else {
                    Side::Text(text)
                }
            }
        })
    }
}

impl Side {
    fn text(self) -> Option<String> {
        match self {
            Side::Text(text) => Some(text),
            Side::Absent | Side::Unshown(_) => None,
        }
    }
}

/// What a push took out of the pull request before, unseen, and is still out of it.
fn still_taken_out<'a>(
    earlier: &'a [UnseenFile],
    diff: &[DiffFile],
) -> impl Iterator<Item = &'a UnseenFile> {
    let paths = paths_of(diff);
    let still = earlier
        .iter()
        .filter(|file| file.reason == UnseenReason::TakenOut);
    still.filter(move |file| !paths.contains(&file.path))
}

/// Gives text that is no part of the pull request (any more) the reason that says so: rules do not look at it, and no later look is shown it.
pub(super) fn mark_taken_out(unseen: &mut [UnseenFile], diff: &[DiffFile]) {
    let paths = paths_of(diff);
    let gone = |file: &&mut UnseenFile| file.reason.needs_look() && !paths.contains(&file.path);
    for file in unseen.iter_mut().filter(gone) {
        file.reason = UnseenReason::TakenOut;
    }
}

/// The paths of a difference, and those that it moves files from.
fn paths_of(diff: &[DiffFile]) -> BTreeSet<String> {
    let paths = diff
        .iter()
        .flat_map(|file| [Some(&file.path), file.old_path.as_ref()]);
    paths.flatten().cloned().collect()
}

/// A file that is named without its lines.
fn file_without_lines(file: &DiffFile) -> ChangedFile {
    let status = match (file.added, file.deleted, &file.old_path) {
        (true, _, _) => FileStatus::Added,
        (_, true, _) => FileStatus::Removed,
        (_, _, Some(_)) => FileStatus::Renamed,
        (false, false, None) => FileStatus::Modified,
    };
    ChangedFile {
        path: file.path.clone(),
        old_path: file.old_path.clone(),
        status,
        hunks: Vec::new(),
        shown: file.shown.clone(),
        content_at_head: None,
        content_at_base: None,
    }
}

#[cfg(test)]
mod tests {
    use super::{mark_taken_out, still_taken_out};
    use collie_core::coverage::{UnseenFile, UnseenReason};
    use collie_engine::ports::DiffFile;

    #[test]
    fn text_outside_the_pull_request_is_told_as_taken_out_until_it_is_changed_again() {
        let unseen = |path: &str, reason| UnseenFile {
            path: path.into(),
            reason,
        };
        let diff = [DiffFile {
            path: "new.py".into(),
            old_path: Some("old.py".into()),
            deleted: false,
            added: false,
            opaque: false,
            unshown: None,
            changed: Vec::new(),
            shown: Vec::new(),
        }];
        let mut files = ["new.py", "old.py", "gone.py"]
            .map(|path| unseen(path, UnseenReason::ReadingFailed))
            .to_vec();
        files.push(unseen("gone.png", UnseenReason::Binary));
        mark_taken_out(&mut files, &diff);
        let reasons: Vec<UnseenReason> = files.iter().map(|file| file.reason).collect();
        let (failed, gone) = (UnseenReason::ReadingFailed, UnseenReason::TakenOut);
        assert_eq!(reasons, [failed, failed, gone, UnseenReason::Binary]);

        files.push(unseen("new.py", gone));
        let still: Vec<_> = still_taken_out(&files, &diff).collect();
        assert_eq!(still, [&unseen("gone.py", gone)]);
    }
}
