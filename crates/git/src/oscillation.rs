//! Tells whether a fix takes an earlier fix back (§5.3).

use crate::GitPlace;
use crate::raw::is_file;
use collie_core::ids::Sha;
use collie_engine::ports::{CleanWorktree, GitError};
use similar::{Algorithm, DiffOp, capture_diff_slices_deadline};
use std::collections::BTreeSet;
use std::ops::Range;
use std::path::Path;
use std::time::{Duration, Instant};

/// Larger files are not compared.
const LARGEST: u64 = 1 << 20;
/// Time for one comparison; after it the differences are coarser.
const PATIENCE: Duration = Duration::from_secs(2);

/// A file before and after a commit.
struct Pair {
    path: String,
    old: Vec<u8>,
    new: Vec<u8>,
}

impl GitPlace {
    /// See the port. A commit brings lines back when some place that an earlier one of `own` changed reads, before
    /// the commit, as the earlier one left it, and after the commit as it was before the earlier one. Places are
    /// followed through what happened between the two; places of blanks and brackets only do not count.
    pub(crate) async fn brings_back(
        &self,
        worktree: &CleanWorktree,
        commit: &Sha,
        own: &BTreeSet<Sha>,
    ) -> Result<bool, GitError> {
        let clone = self.spot_of(worktree)?.clone;
        let now = self.pairs(&clone, commit, None).await?;
        let paths: BTreeSet<&str> = now.iter().map(|pair| pair.path.as_str()).collect();
        if paths.is_empty() {
            return Ok(false);
        }
        for earlier in own.iter().filter(|earlier| *earlier != commit) {
            if !self.has_commit(&clone, earlier).await? {
                continue;
            }
            let then = self.pairs(&clone, earlier, Some(&paths)).await?;
            let back = then.iter().any(|then| {
                now.iter().any(|now| {
                    now.path == then.path && takes_back([&then.old, &then.new, &now.old, &now.new])
                })
            });
            if back {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The text files that a commit changes against its first parent. A file that is not there is empty.
    async fn pairs(
        &self,
        clone: &Path,
        commit: &Sha,
        only: Option<&BTreeSet<&str>>,
    ) -> Result<Vec<Pair>, GitError> {
        let Some(parent) = self.resolve_name(clone, &format!("{commit}^")).await? else {
            return Ok(Vec::new());
        };
        let mut pairs = Vec::new();
        for change in self.changes(clone, &parent, commit, false).await? {
            let Some(path) = change.text_path() else {
                continue;
            };
            if !change.is_plain() || only.is_some_and(|only| !only.contains(path)) {
                continue;
            }
            let old = self.side(clone, &parent, path, change.old_mode).await?;
            let new = self.side(clone, commit, path, change.new_mode).await?;
            if let (Some(old), Some(new)) = (old, new) {
                pairs.push(Pair {
                    path: path.to_string(),
                    old,
                    new,
                });
            }
        }
        Ok(pairs)
    }

    /// One side of a change; none when it is too large or binary.
    async fn side(
        &self,
        clone: &Path,
        commit: &Sha,
        path: &str,
        mode: u32,
    ) -> Result<Option<Vec<u8>>, GitError> {
        if !is_file(mode) {
            return Ok(Some(Vec::new()));
        }
        let found = self.file_of(clone, commit, path, LARGEST).await?;
        Ok(found.filter(|bytes| !bytes.contains(&0)))
    }
}

/// Whether the step from `r` to `s` undoes, somewhere, the step from `p` to `q`, which came before.
fn takes_back([p, q, r, s]: [&[u8]; 4]) -> bool {
    let [p, q, r, s] = [lines(p), lines(q), lines(r), lines(s)];
    let (between, after) = (ops(&q, &r), ops(&r, &s));
    places(&p, &q).into_iter().any(|(before, changed)| {
        let telling = p[before.clone()]
            .iter()
            .chain(&q[changed.clone()])
            .any(|line| is_telling(line));
        let Some(at) = carried(&between, &changed) else {
            return false;
        };
        telling && r[at.clone()] == q[changed] && became(&after, &r, &s, &at, &p[before])
    })
}

/// The places that differ: lines in the old text, lines in the new one. Where as many lines came as went, each line
/// is a place, so that a part that is taken back is seen too.
fn places(old: &[&[u8]], new: &[&[u8]]) -> Vec<(Range<usize>, Range<usize>)> {
    let mut places = Vec::new();
    for op in ops(old, new)
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
fn carried(ops: &[DiffOp], lines: &Range<usize>) -> Option<Range<usize>> {
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
fn became(ops: &[DiffOp], r: &[&[u8]], s: &[&[u8]], at: &Range<usize>, wanted: &[&[u8]]) -> bool {
    let near: Vec<&DiffOp> = ops
        .iter()
        .filter(|op| !matches!(op, DiffOp::Equal { .. }))
        .filter(|op| op.old_range().start <= at.end && at.start <= op.old_range().end)
        .collect();
    let (Some(first), Some(last)) = (near.first(), near.last()) else {
        return false;
    };
    let (old, new) = (
        first.old_range().start..last.old_range().end,
        first.new_range().start..last.new_range().end,
    );
    // The lines themselves may reach beyond what changed; there both sides are equal.
    let (lead, trail) = (
        old.start.saturating_sub(at.start),
        at.end.saturating_sub(old.end),
    );
    let was = &r[old.start - lead..old.end + trail];
    let is = &s[new.start - lead..new.end + trail];
    let offset = at.start + lead - old.start;
    let left = &r[at.clone()];
    let mut undone = was[..offset].to_vec();
    undone.extend_from_slice(wanted);
    undone.extend_from_slice(&was[offset + left.len()..]);
    let replaced = !wanted.is_empty() && !left.is_empty() && has(is, wanted) && !has(is, left);
    is == undone || replaced
}

fn has(text: &[&[u8]], part: &[&[u8]]) -> bool {
    text.windows(part.len()).any(|window| window == part)
}

fn is_telling(line: &[u8]) -> bool {
    line.iter()
        .any(|byte| byte.is_ascii_alphanumeric() || *byte >= 0x80)
}

fn lines(text: &[u8]) -> Vec<&[u8]> {
    text.split_inclusive(|byte| *byte == b'\n').collect()
}

fn ops(old: &[&[u8]], new: &[&[u8]]) -> Vec<DiffOp> {
    capture_diff_slices_deadline(Algorithm::Myers, old, new, Some(Instant::now() + PATIENCE))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(p: &str, q: &str, r: &str, s: &str, expect: bool) {
        let texts = [p, q, r, s].map(|text| text.replace(' ', "\n") + "\n");
        let [p, q, r, s] = [&texts[0], &texts[1], &texts[2], &texts[3]].map(|text| text.as_bytes());
        assert_eq!(takes_back([p, q, r, s]), expect, "{texts:?}");
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
