//! What a pull request changes, by lines, and files as of a commit.

use crate::GitPlace;
use crate::call::failure;
use crate::objects::odd;
use crate::patch::{PatchReader, Section};
use crate::place::Spot;
use crate::raw::{self, Change};
use collie_core::ids::Sha;
use collie_engine::ports::{CleanWorktree, DiffFile, GitError, LineRange, PullRef, Remote, inside};
use std::collections::BTreeMap;
use std::path::Path;

/// A file of the rules folder that is larger is left out.
const LARGEST_LISTED: u64 = 1 << 20;
/// No more bytes than these are listed in all.
const MOST_LISTED: u64 = 16 << 20;

impl GitPlace {
    /// See the port.
    pub(crate) async fn files_between(
        &self,
        worktree: &CleanWorktree,
    ) -> Result<Vec<DiffFile>, GitError> {
        let spot = self.spot_of(worktree)?;
        let pairs = self
            .sections(&spot, &worktree.merge_base, &worktree.head)
            .await?;
        Ok(pairs
            .into_iter()
            .map(|(change, section)| diff_file(change, section))
            .collect())
    }

    /// See the port.
    pub(crate) async fn changed_lines(
        &self,
        worktree: &CleanWorktree,
        since: &Sha,
    ) -> Result<BTreeMap<String, Vec<LineRange>>, GitError> {
        let spot = self.spot_of(worktree)?;
        if !self.has_commit(&spot.clone, since).await? {
            return Ok(BTreeMap::new());
        }
        let pairs = self.sections(&spot, since, &worktree.head).await?;
        Ok(pairs
            .into_iter()
            .map(|(change, section)| diff_file(change, section))
            .filter(|file| !file.opaque && !file.changed.is_empty())
            .map(|file| (file.path, file.changed))
            .collect())
    }

    /// Each changed path with its lines. Two outputs are laid side by side, since one names paths exactly and the
    /// other has the lines; their order is the same.
    async fn sections(
        &self,
        spot: &Spot,
        old: &Sha,
        new: &Sha,
    ) -> Result<Vec<(Change, Section)>, GitError> {
        let changes = self.changes(&spot.clone, old, new, true).await?;
        let call = spot.call([
            "diff-tree",
            "-r",
            "--find-renames",
            "-p",
            "-U3",
            "--inter-hunk-context=0",
            "--diff-algorithm=myers",
            "--no-color",
            "--no-ext-diff",
            "--no-textconv",
            "--submodule=short",
            "--ignore-submodules=none",
            old.as_str(),
            new.as_str(),
        ]);
        let mut reader = PatchReader::default();
        let answer = self
            .caller
            .stream(call, &mut |bytes| reader.feed(bytes))
            .await?;
        if answer.code != 0 {
            return Err(failure("diff-tree", "the clone", &answer.words));
        }
        let mut sections = reader.finish().ok_or_else(|| odd("diff-tree"))?.into_iter();
        let mut pairs = Vec::with_capacity(changes.len());
        for change in changes {
            // A file that became a link, or the other way round, is shown as removed and added.
            let first = sections.next();
            let section = if change.status == b'T' {
                sections.next()
            } else {
                first
            };
            pairs.push((change, section.ok_or_else(|| odd("diff-tree"))?));
        }
        if sections.next().is_some() {
            Err(odd("diff-tree"))
        } else {
            Ok(pairs)
        }
    }

    /// See the port.
    pub(crate) async fn file_of(
        &self,
        clone: &Path,
        commit: &Sha,
        path: &str,
        max: u64,
    ) -> Result<Option<Vec<u8>>, GitError> {
        if inside(Path::new("/"), path).is_none() || path.ends_with('/') {
            return Ok(None);
        }
        let entries = self.entries(clone, commit, path, false).await?;
        let fits = entries.iter().find(|entry| {
            entry.path == path.as_bytes() && raw::is_file(entry.mode) && entry.size <= max
        });
        match fits {
            Some(entry) => Ok(self.blobs(clone, &[entry.id.as_str()]).await?.pop()),
            None => Ok(None),
        }
    }

    /// See the port.
    pub(crate) async fn files_below(
        &self,
        pull: &PullRef,
        remote: &Remote,
        commit: &Sha,
        folder: &str,
    ) -> Result<Vec<(String, Vec<u8>)>, GitError> {
        let folder = folder.trim_matches('/');
        if !folder.is_empty() && inside(Path::new("/"), folder).is_none() {
            return Ok(Vec::new());
        }
        let clone = self.clone_of(&pull.id);
        {
            let lock = self.lock_of(&clone);
            let mut sound = lock.lock().await;
            self.open_clone(&clone, &mut sound).await?;
            self.fetch_commit(&clone, pull, remote, commit).await?;
            *sound = true;
        }
        let mut room = MOST_LISTED;
        let mut names = Vec::new();
        let mut ids = Vec::new();
        let entries = self.entries(&clone, commit, folder, true).await?;
        for entry in &entries {
            let Ok(path) = std::str::from_utf8(&entry.path) else {
                continue;
            };
            let fits =
                raw::is_file(entry.mode) && entry.size <= LARGEST_LISTED && entry.size <= room;
            if fits {
                room -= entry.size;
                names.push(path.to_string());
                ids.push(entry.id.as_str());
            }
        }
        Ok(names
            .into_iter()
            .zip(self.blobs(&clone, &ids).await?)
            .collect())
    }
}

fn diff_file(change: Change, section: Section) -> DiffFile {
    let plain_name = std::str::from_utf8(&change.path).is_ok();
    let opaque = section.binary || !change.is_plain() || !plain_name;
    let lines = |ranges: Vec<LineRange>| if opaque { Vec::new() } else { ranges };
    DiffFile {
        path: String::from_utf8_lossy(&change.path).into_owned(),
        old_path: change
            .old_path
            .as_deref()
            .map(|path| String::from_utf8_lossy(path).into_owned()),
        deleted: change.status == b'D',
        added: change.status == b'A',
        opaque,
        changed: lines(section.changed),
        shown: lines(section.shown),
    }
}
