//! Tells whether a fix takes an earlier fix back (§5.3).

use crate::Worktrees;
use crate::plumbing_output::is_file_mode;
use collie_core::file_marks::is_binary;
use collie_core::ids::Sha;
use collie_engine::ports::{CleanWorktree, GitError};
use similar::{Algorithm, DiffOp, capture_diff_slices_deadline};
use std::collections::BTreeSet;
use std::ops::Range;
use std::path::Path;
use std::time::{Duration, Instant};

/// Larger files are not compared.
const MAX_FILE_BYTES: u64 = 1 << 20;
/// Time for one comparison; after it the differences are coarser.
const DIFF_DEADLINE: Duration = Duration::from_secs(2);

/// A file before and after a commit.
struct FileVersions {
    path: String,
    old: Vec<u8>,
    new: Vec<u8>,
}

impl Worktrees {
    /// See the port. A commit brings lines back when some place that an earlier one of `own` changed reads, before
    /// the commit, as the earlier one left it, and after the commit as it was before the earlier one. Places are
    /// followed through what happened between the two; places of blanks and brackets only do not count.
    pub(crate) async fn commit_oscillates(
        &self,
        worktree: &CleanWorktree,
        commit: &Sha,
        own: &BTreeSet<Sha>,
    ) -> Result<bool, GitError> {
        let clone_dir = self.prepared_worktree_paths(worktree)?.clone_dir;
        let current_files = self.changed_files(&clone_dir, commit, None).await?;
        let paths: BTreeSet<&str> = current_files
            .iter()
            .map(|pair| pair.path.as_str())
            .collect();
        if paths.is_empty() {
            return Ok(false);
        }
        for earlier in own.iter().filter(|earlier| *earlier != commit) {
            if !self.has_commit(&clone_dir, earlier).await? {
                continue;
            }
            let earlier_files = self
                .changed_files(&clone_dir, earlier, Some(&paths))
                .await?;
            let reverted = earlier_files.iter().any(|then| {
                current_files.iter().any(|now| {
                    now.path == then.path
                        && reverts_earlier_change([&then.old, &then.new, &now.old, &now.new])
                })
            });
            if reverted {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The text files that a commit changes against its first parent. A file that is not there is empty.
    async fn changed_files(
        &self,
        clone_dir: &Path,
        commit: &Sha,
        only: Option<&BTreeSet<&str>>,
    ) -> Result<Vec<FileVersions>, GitError> {
        let Some(parent) = self
            .resolve_revision(clone_dir, &format!("{commit}^"))
            .await?
        else {
            return Ok(Vec::new());
        };
        let mut pairs = Vec::new();
        for change in self.tree_changes(clone_dir, &parent, commit, false).await? {
            let Some(path) = change.text_path() else {
                continue;
            };
            if !change.is_regular() || only.is_some_and(|only| !only.contains(path)) {
                continue;
            }
            let old = self
                .read_side(clone_dir, &parent, path, change.old_mode)
                .await?;
            let new = self
                .read_side(clone_dir, commit, path, change.new_mode)
                .await?;
            if let (Some(old), Some(new)) = (old, new) {
                pairs.push(FileVersions {
                    path: path.to_string(),
                    old,
                    new,
                });
            }
        }
        Ok(pairs)
    }

    /// One side of a change; none when it is too large or binary.
    async fn read_side(
        &self,
        clone_dir: &Path,
        commit: &Sha,
        path: &str,
        mode: u32,
    ) -> Result<Option<Vec<u8>>, GitError> {
        if !is_file_mode(mode) {
            return Ok(Some(Vec::new()));
        }
        let found = self
            .read_file_at(clone_dir, commit, path, MAX_FILE_BYTES)
            .await?;
        Ok(found.filter(|bytes| !is_binary(bytes)))
    }
}

/// Whether the step from `r` to `s` undoes, somewhere, the step from `p` to `q`, which came before.
fn reverts_earlier_change([earlier_old, earlier_new, later_old, later_new]: [&[u8]; 4]) -> bool {
    let [
        earlier_old_lines,
        earlier_new_lines,
        later_old_lines,
        later_new_lines,
    ] = [
        split_lines(earlier_old),
        split_lines(earlier_new),
        split_lines(later_old),
        split_lines(later_new),
    ];
    let (between, after) = (
        diff_ops(&earlier_new_lines, &later_old_lines),
        diff_ops(&later_old_lines, &later_new_lines),
    );
    changed_ranges(&earlier_old_lines, &earlier_new_lines)
        .into_iter()
        .any(|(before, changed)| {
            let significant = earlier_old_lines[before.clone()]
                .iter()
                .chain(&earlier_new_lines[changed.clone()])
                .any(|line| is_significant(line));
            let Some(range) = map_range(&between, &changed) else {
                return false;
            };
            significant
                && later_old_lines[range.clone()] == earlier_new_lines[changed]
                && was_reverted(
                    &after,
                    &later_old_lines,
                    &later_new_lines,
                    &range,
                    &earlier_old_lines[before],
                )
        })
}

/// The places that differ: lines in the old text, lines in the new one. Where as many lines came as went, each line
/// is a place, so that a part that is taken back is seen too.
fn changed_ranges(old: &[&[u8]], new: &[&[u8]]) -> Vec<(Range<usize>, Range<usize>)> {
    let mut places = Vec::new();
    for op in diff_ops(old, new)
        .iter()
        .filter(|op| !matches!(op, DiffOp::Equal { .. }))
    {
        let (before, after) = (op.old_range(), op.new_range());
        if before.len() == after.len() && before.len() > 1 {
            places.extend(
                before
                    .clone()
                    .zip(after.clone())
                    .map(|(b, a)| (b..b + 1, a..a + 1)),
            );
        }
        places.push((before, after));
    }
    places
}

/// Where lines of the old text are in the new one; none when they were changed.
fn map_range(ops: &[DiffOp], lines: &Range<usize>) -> Option<Range<usize>> {
    ops.iter()
        .find_map(|op| match op {
            DiffOp::Equal {
                old_index,
                new_index,
                len,
            } => {
                let fits = *old_index <= lines.start && lines.end <= old_index + len;
                fits.then(|| lines.start - old_index + new_index..lines.end - old_index + new_index)
            }
            DiffOp::Delete { .. } | DiffOp::Insert { .. } | DiffOp::Replace { .. } => None,
        })
        // Two empty texts have no operations at all.
        .or_else(|| (ops.is_empty() && lines.is_empty()).then(|| lines.clone()))
}

/// Whether the step from `r` to `s` made the lines `at` into `wanted`, looking at all that changed with them.
fn was_reverted(
    ops: &[DiffOp],
    later_old: &[&[u8]],
    later_new: &[&[u8]],
    range: &Range<usize>,
    reverted: &[&[u8]],
) -> bool {
    let overlapping: Vec<&DiffOp> = ops
        .iter()
        .filter(|op| !matches!(op, DiffOp::Equal { .. }))
        .filter(|op| op.old_range().start <= range.end && range.start <= op.old_range().end)
        .collect();
    let (Some(first), Some(last)) = (overlapping.first(), overlapping.last()) else {
        return false;
    };
    let (old, new) = (
        first.old_range().start..last.old_range().end,
        first.new_range().start..last.new_range().end,
    );
    // The lines themselves may reach beyond what changed; there both sides are equal.
    let (lines_above, lines_below) = (
        old.start.saturating_sub(range.start),
        range.end.saturating_sub(old.end),
    );
    let before = &later_old[old.start - lines_above..old.end + lines_below];
    let after = &later_new[new.start - lines_above..new.end + lines_below];
    let offset = range.start + lines_above - old.start;
    let replaced_lines = &later_old[range.clone()];
    let mut undone = before[..offset].to_vec();
    undone.extend_from_slice(reverted);
    undone.extend_from_slice(&before[offset + replaced_lines.len()..]);
    let replaced = !reverted.is_empty()
        && !replaced_lines.is_empty()
        && contains_lines(after, reverted)
        && !contains_lines(after, replaced_lines);
    after == undone || replaced
}

fn contains_lines(text: &[&[u8]], part: &[&[u8]]) -> bool {
    text.windows(part.len()).any(|window| window == part)
}

fn is_significant(line: &[u8]) -> bool {
    line.iter()
        .any(|byte| byte.is_ascii_alphanumeric() || *byte >= 0x80)
}

fn split_lines(text: &[u8]) -> Vec<&[u8]> {
    text.split_inclusive(|byte| *byte == b'\n').collect()
}

fn diff_ops(old: &[&[u8]], new: &[&[u8]]) -> Vec<DiffOp> {
    capture_diff_slices_deadline(
        Algorithm::Myers,
        old,
        new,
        Some(Instant::now() + DIFF_DEADLINE),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(p: &str, q: &str, r: &str, s: &str, expect: bool) {
        let texts = [p, q, r, s].map(|text| text.replace(' ', "\n") + "\n");
        let [p, q, r, s] = [&texts[0], &texts[1], &texts[2], &texts[3]].map(|text| text.as_bytes());
        assert_eq!(reverts_earlier_change([p, q, r, s]), expect, "{texts:?}");
    }

    #[test]
    fn a_change_that_is_undone_is_seen() {
        check("a b c", "a X c", "a X c", "a b c", true);
        check("a b c", "a X c", "n n a X c", "n n a b c", true);
        check("a b c", "a X c", "a X c", "a b D", true);
        check("a b c", "a c", "a c", "a b c", true);
        check("a c", "a X c", "a X c", "a c", true);
        check("a b c d", "a X Y d", "a X Y d", "a X c d", true);
        check("a b c", "a X Y Z c", "a X Y Z c e", "a b c e", true);
    }

    #[test]
    fn another_change_is_not() {
        check("a b c", "a X c", "a X c", "a Y c", false);
        check("a b c", "a X c", "a X c d", "a X c e", false);
        check("a b c", "a X c", "a Z c", "a b c", false);
        check("a c", "a X c", "a X c", "a Y c", false);
        check(
            "a b c d e f g h",
            "a c d e f g h",
            "a c d e f g h",
            "a c d e f b g h",
            false,
        );
        check("a } c", "a ) c", "a ) c", "a } c", false);
    }
}
