//! What a merge has to pass beyond a fix, and in another way: both of its sides are known, so only what is neither's is new (§6.3).

use crate::Worktrees;
use crate::layout::WorktreePaths;
use crate::lost_lines::lost_lines;
use crate::plumbing_output::TreeChange;
use crate::tamper::tampering;
use collie_core::base_merge::{LostLine, MergeSide};
use collie_core::file_marks::is_binary;
use collie_core::ids::Sha;
use collie_engine::ports::{
    ConflictTexts, GateRefusal, GitError, MergedWorktree, SyntaxChecker, TamperLocation,
};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// How the lines begin that git marks a conflict with.
const MARKERS: [&str; 4] = ["<<<<<<<", "|||||||", "=======", ">>>>>>>"];

/// The trees of a merge.
pub(crate) struct MergeTrees<'a> {
    /// Where both sides parted.
    pub(crate) common: &'a Sha,
    pub(crate) head: &'a Sha,
    pub(crate) base: &'a Sha,
    pub(crate) merged: &'a Sha,
}

/// A side of a merge, by what it changed.
struct SideChanges {
    side: MergeSide,
    /// Since both sides parted, with renames.
    made: Vec<TreeChange>,
    /// What the result has that this side has not, by path.
    merged: BTreeMap<Vec<u8>, TreeChange>,
}

impl Worktrees {
    /// Looks for what a merge may not bring: `changes` is what differs from what git made of both sides.
    pub(crate) async fn check_merged_content(
        &self,
        worktree_paths: &WorktreePaths,
        merged: &MergedWorktree,
        tree: &Sha,
        changes: &[TreeChange],
        syntax_checker: &dyn SyntaxChecker,
    ) -> Result<Option<GateRefusal>, GitError> {
        let marked = self.check_markers(worktree_paths, merged, tree).await?;
        if marked.is_some() {
            return Ok(marked);
        }
        let tampered = self
            .check_merge_tampering(worktree_paths, merged, changes)
            .await?;
        if tampered.is_some() {
            return Ok(tampered);
        }
        let broken = self
            .check_merge_syntax(worktree_paths, merged, tree, syntax_checker)
            .await?;
        if broken.is_some() {
            return Ok(broken);
        }
        self.check_secrets(worktree_paths, changes).await
    }

    /// Looks for marks of conflicts that neither side has.
    async fn check_markers(
        &self,
        worktree_paths: &WorktreePaths,
        merged: &MergedWorktree,
        tree: &Sha,
    ) -> Result<Option<GateRefusal>, GitError> {
        let clone_dir = &worktree_paths.clone_dir;
        let mut locations = Vec::new();
        for conflict in &merged.conflicts {
            let Some(texts) = &conflict.texts else {
                continue;
            };
            let max = u64::MAX;
            let Some(after) = self
                .read_file_at(clone_dir, tree, &conflict.path, max)
                .await?
            else {
                continue;
            };
            let sides = self.read_conflict(clone_dir, texts).await?;
            let lines = left_markers(&sides, &after);
            locations.extend(lines.map(|line| format!("{}:{line}", conflict.path)));
        }
        Ok((!locations.is_empty()).then_some(GateRefusal::ConflictMarkers { locations }))
    }

    async fn read_conflict(
        &self,
        clone_dir: &Path,
        texts: &ConflictTexts,
    ) -> Result<ConflictSides, GitError> {
        let ids = [Some(&texts.head), Some(&texts.base), texts.common.as_ref()];
        let ids: Vec<&str> = ids.into_iter().flatten().map(String::as_str).collect();
        let mut blobs = self.read_blobs(clone_dir, &ids).await?.into_iter();
        let mut next = || blobs.next().unwrap_or_default();
        Ok(ConflictSides {
            head: next(),
            base: next(),
            common: next(),
        })
    }

    /// Looks at each file that is not as git made it. What conflicted is held against both sides: who keeps what one of them did weakens
    /// nothing, and what it takes from the other is listed as lost.
    async fn check_merge_tampering(
        &self,
        worktree_paths: &WorktreePaths,
        merged: &MergedWorktree,
        changes: &[TreeChange],
    ) -> Result<Option<GateRefusal>, GitError> {
        let clone_dir = &worktree_paths.clone_dir;
        let mut places: Vec<TamperLocation> = Vec::new();
        for change in changes {
            let Some(path) = change.text_path() else {
                continue;
            };
            let after = match change.new_mode {
                0 => None,
                _ => self.read_blobs(clone_dir, &[&change.new_id]).await?.pop(),
            };
            let after = after.map(|blob| String::from_utf8_lossy(&blob).into_owned());
            let found = |before: &[u8]| {
                let before = String::from_utf8_lossy(before);
                tampering(path, Some(&before), after.as_deref())
            };
            let conflict = merged.conflicts.iter().find(|found| found.path == path);
            if let Some(texts) = conflict.and_then(|conflict| conflict.texts.as_ref()) {
                let sides = self.read_conflict(clone_dir, texts).await?;
                let in_base: BTreeSet<&str> =
                    found(&sides.base).iter().map(|it| it.kind.into()).collect();
                let mut in_both = found(&sides.head);
                in_both.retain(|place| in_base.contains(<&str>::from(place.kind)));
                places.extend(in_both);
            } else {
                let before = match change.old_mode {
                    0 => None,
                    _ => self.read_blobs(clone_dir, &[&change.old_id]).await?.pop(),
                };
                places.extend(found(&before.unwrap_or_default()));
            }
        }
        Ok((!places.is_empty()).then_some(GateRefusal::Tamper { locations: places }))
    }

    /// Parses each file that is neither as the head nor as the base has it: where one of them could be parsed, it can be.
    async fn check_merge_syntax(
        &self,
        worktree_paths: &WorktreePaths,
        merged: &MergedWorktree,
        tree: &Sha,
        syntax_checker: &dyn SyntaxChecker,
    ) -> Result<Option<GateRefusal>, GitError> {
        let clone_dir = &worktree_paths.clone_dir;
        let head = merged.worktree.head();
        let over_head = self.tree_changes(clone_dir, head, tree, false).await?;
        let over_base = self
            .tree_changes(clone_dir, &merged.base, tree, false)
            .await?;
        let over_base: BTreeMap<&[u8], &TreeChange> = over_base
            .iter()
            .map(|change| (change.path.as_slice(), change))
            .collect();
        let mut places = Vec::new();
        for change in over_head
            .iter()
            .filter(|change| change.status != b'D' && change.is_regular())
        {
            let (Some(path), Some(other)) = (change.text_path(), over_base.get(&change.path[..]))
            else {
                continue;
            };
            let ids: Vec<&str> = [change, other]
                .iter()
                .filter(|side| side.old_mode != 0)
                .map(|side| side.old_id.as_str())
                .chain([change.new_id.as_str()])
                .collect();
            let mut blobs = self.read_blobs(clone_dir, &ids).await?;
            let after = blobs.pop().unwrap_or_default();
            let before = blobs.iter().map(|blob| Some(blob.as_slice()));
            let before: Vec<_> = if blobs.is_empty() {
                vec![None]
            } else {
                before.collect()
            };
            let mut broken = before
                .into_iter()
                .filter_map(|before| syntax_checker.first_broken_line(path, before, &after));
            places.extend(broken.next().map(|line| format!("{path}:{line}")));
        }
        Ok((!places.is_empty()).then_some(GateRefusal::Syntax { locations: places }))
    }

    /// Every line that a side added since both parted, and that the result lacks.
    pub(crate) async fn lost_in_merge(
        &self,
        clone_dir: &Path,
        trees: &MergeTrees<'_>,
    ) -> Result<Vec<LostLine>, GitError> {
        let head = self
            .side_changes(clone_dir, trees, MergeSide::Head, trees.head)
            .await?;
        let base = self
            .side_changes(clone_dir, trees, MergeSide::Base, trees.base)
            .await?;
        let mut lost = Vec::new();
        for (side, other) in [(&head, &base), (&base, &head)] {
            for change in side.made.iter().filter(|change| change.new_mode != 0) {
                let sides = (side, other);
                lost.extend(self.lost_of_file(clone_dir, sides, change).await?);
            }
        }
        Ok(lost)
    }

    async fn side_changes(
        &self,
        clone_dir: &Path,
        trees: &MergeTrees<'_>,
        side: MergeSide,
        commit: &Sha,
    ) -> Result<SideChanges, GitError> {
        let merged = self
            .tree_changes(clone_dir, commit, trees.merged, false)
            .await?;
        Ok(SideChanges {
            side,
            made: self
                .tree_changes(clone_dir, trees.common, commit, true)
                .await?,
            merged: merged
                .into_iter()
                .map(|change| (change.path.clone(), change))
                .collect(),
        })
    }

    /// What the result lacks of one file that a side changed.
    async fn lost_of_file(
        &self,
        clone_dir: &Path,
        (side, other): (&SideChanges, &SideChanges),
        change: &TreeChange,
    ) -> Result<Vec<LostLine>, GitError> {
        let Some(ids) = side.versions(other, change) else {
            return Ok(Vec::new());
        };
        let path = String::from_utf8_lossy(&change.path).into_owned();
        let line = |(line, text)| LostLine {
            path: path.clone(),
            line,
            side: side.side,
            text,
        };
        if !change.is_regular() {
            // A link, or a submodule at another commit.
            return Ok(vec![line((0, String::new()))]);
        }
        let mut texts = Vec::with_capacity(ids.len());
        for id in ids {
            let wanted: Vec<&str> = id.into_iter().collect();
            let found = self.read_blobs(clone_dir, &wanted).await?.pop();
            texts.push(found.unwrap_or_default());
        }
        if texts.iter().any(|text| is_binary(text)) {
            return Ok(vec![line((0, String::new()))]);
        }
        let [common, own, theirs, merged] = texts.as_slice() else {
            return Ok(Vec::new());
        };
        let lost = lost_lines(common, own, theirs, merged);
        Ok(lost.into_iter().map(line).collect())
    }
}

impl SideChanges {
    /// The blobs of a file that this side changed: common, own, the other side's, merged; none where there is no such file. Nothing where
    /// the result has it as this side has.
    fn versions<'a>(
        &'a self,
        other: &'a SideChanges,
        change: &'a TreeChange,
    ) -> Option<[Option<&'a str>; 4]> {
        let merged = self.merged.get(&change.path)?;
        let old_name = |change: &'a TreeChange| change.old_path.as_ref().unwrap_or(&change.path);
        let theirs = other
            .made
            .iter()
            .find(|theirs| old_name(theirs) == old_name(change) || theirs.path == change.path);
        let common = blob(change.old_mode, &change.old_id);
        let their_blob = match theirs {
            None => common,
            Some(theirs) => blob(theirs.new_mode, &theirs.new_id),
        };
        // The other side may have given it another name.
        let merged_blob = blob(merged.new_mode, &merged.new_id)
            .or_else(|| theirs.and_then(|theirs| other.merged_blob(theirs)));
        Some([
            common,
            blob(change.new_mode, &change.new_id),
            their_blob,
            merged_blob,
        ])
    }

    /// What the result has of a file that this side changed; none where it has it no more.
    fn merged_blob<'a>(&'a self, change: &'a TreeChange) -> Option<&'a str> {
        match self.merged.get(&change.path) {
            None => blob(change.new_mode, &change.new_id),
            Some(merged) => blob(merged.new_mode, &merged.new_id),
        }
    }
}

/// A blob, where there is a file.
fn blob(mode: u32, id: &str) -> Option<&str> {
    (mode != 0).then_some(id)
}

/// The texts of a conflict; that of `common` is empty where each side added the file.
struct ConflictSides {
    common: Vec<u8>,
    head: Vec<u8>,
    base: Vec<u8>,
}

/// The lines, from 1, that look like marks of a conflict and are more of their kind than both sides can have brought.
fn left_markers(sides: &ConflictSides, after: &[u8]) -> impl Iterator<Item = usize> {
    let mut found = BTreeSet::new();
    for marker in MARKERS {
        let count = |text: &[u8]| marked_lines(text, marker).count();
        let (head, base) = (count(&sides.head), count(&sides.base));
        let brought = (head + base).saturating_sub(count(&sides.common));
        if count(after) > brought.max(head).max(base) {
            found.extend(marked_lines(after, marker));
        }
    }
    found.into_iter()
}

/// The numbers of lines that are a marker, alone or before a blank.
fn marked_lines<'a>(text: &'a [u8], marker: &'a str) -> impl Iterator<Item = usize> + 'a {
    let lines = text.split(|byte| *byte == b'\n').enumerate();
    lines.filter_map(move |(at, line)| {
        let rest = line.strip_prefix(marker.as_bytes())?;
        let ends = rest.first().is_none_or(u8::is_ascii_whitespace);
        ends.then_some(at + 1)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn left(common: &str, head: &str, base: &str, after: &str) -> Vec<usize> {
        let [common, head, base] = [common, head, base].map(|text| text.as_bytes().to_vec());
        left_markers(&ConflictSides { common, head, base }, after.as_bytes()).collect()
    }

    #[test]
    fn marks_that_neither_side_has_are_seen() {
        let marked = "a\n<<<<<<< x\nb\n=======\nc\n>>>>>>> y\n";
        assert_eq!(left("a\n", "a\nb\n", "a\nc\n", marked), [2, 4, 6]);
        assert_eq!(left("a\n", "a\nb\n", "a\nc\n", "a\nb\n=======\r\nc\n"), [3]);
        assert_eq!(left("a\n", "a\nb\n", "a\nc\n", "a\nb\nc\n"), [0; 0]);
        assert_eq!(
            left("a\n", "a\nb\n", "a\nc\n", "========\n<<<<<<<<\n"),
            [0; 0]
        );
    }

    #[test]
    fn headings_that_look_like_marks_stay() {
        let heading = "Title\n=======\n";
        let two = "Title\n=======\nOther\n=======\n";
        assert_eq!(left(heading, heading, heading, heading), [0; 0]);
        assert_eq!(left("", heading, heading, two), [0; 0], "each brought one");
        assert_eq!(left(heading, heading, heading, two), [2, 4]);
    }
}
