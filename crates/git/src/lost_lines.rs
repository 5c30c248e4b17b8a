//! Finds what a merge leaves out: lines that one side added and that the merged file lacks (§3.7).

use similar::{Algorithm, DiffOp, capture_diff_slices_deadline};
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

/// Time for one comparison; after it the differences are coarser: whole stretches count as added.
const DIFF_DEADLINE: Duration = Duration::from_secs(2);

/// Lists the lines that `side` has over `base` and `merged` lacks, by their 1-based number on that side. `other` is the other side of the
/// merge. Blanks around a line do not count, and lines without a letter or digit are not listed: those are for the syntax gate.
///
/// A line is there when a comparison of `side` with `merged` keeps it, or where `merged` has its text in a line that is neither side's by
/// such a comparison: that one was moved. So one line of `merged` never stands for additions of both sides in different places. Where a
/// text stands several times a comparison may keep the wrong one: so they are counted too, and `merged` has to have as many as were added
/// and as the other side left.
pub(crate) fn lost_lines(
    base: &[u8],
    side: &[u8],
    other: &[u8],
    merged: &[u8],
) -> Vec<(u32, String)> {
    let [base, side, other, merged] = [base, side, other, merged].map(trimmed_lines);
    let since = matches(&base, &side);
    let kept = matches(&side, &merged);
    let by_other = matches(&other, &merged);
    let neither = (0..merged.len()).filter(|at| !kept.new[*at] && !by_other.new[*at]);
    let mut moved = count(neither.map(|at| merged[at]));
    let added: Vec<usize> = (0..side.len())
        .filter(|at| !since.new[*at] && has_content(side[*at]))
        .collect();
    let mut lost: BTreeSet<usize> = BTreeSet::new();
    for at in added.iter().filter(|at| !kept.old[**at]) {
        match moved.get_mut(side[*at]) {
            Some(left) if *left > 0 => *left -= 1,
            Some(_) | None => drop(lost.insert(*at)),
        }
    }
    let stands = (0..side.len()).filter(|at| since.new[*at]);
    let stands = count(stands.map(|at| side[at]));
    let left_by_other = matches(&base, &other);
    let taken = (0..base.len()).filter(|at| !left_by_other.old[*at]);
    let taken = count(taken.map(|at| base[at]));
    let there = count(merged.iter().copied());
    let of = |counts: &BTreeMap<&[u8], usize>, text: &[u8]| counts.get(text).copied().unwrap_or(0);
    let lost_of =
        |lost: &BTreeSet<usize>, text: &[u8]| lost.iter().filter(|at| side[**at] == text).count();
    for (text, added_count) in count(added.iter().map(|at| side[*at])) {
        let wanted = added_count + of(&stands, text).saturating_sub(of(&taken, text));
        let missing = wanted.saturating_sub(of(&there, text)).min(added_count);
        let more = missing.saturating_sub(lost_of(&lost, text));
        let others = added
            .iter()
            .rev()
            .filter(|at| side[**at] == text && !lost.contains(at));
        let others: Vec<usize> = others.copied().take(more).collect();
        lost.extend(others);
    }
    let named = |at: usize| {
        let number = u32::try_from(at + 1).unwrap_or(u32::MAX);
        (number, String::from_utf8_lossy(side[at]).into_owned())
    };
    lost.into_iter().map(named).collect()
}

/// How often each text stands there.
fn count<'a>(texts: impl Iterator<Item = &'a [u8]>) -> BTreeMap<&'a [u8], usize> {
    let mut counts = BTreeMap::new();
    for text in texts {
        *counts.entry(text).or_insert(0) += 1;
    }
    counts
}

/// Which lines two texts have in common, in order.
struct Matches {
    old: Vec<bool>,
    new: Vec<bool>,
}

fn matches(old: &[&[u8]], new: &[&[u8]]) -> Matches {
    let mut found = Matches {
        old: vec![false; old.len()],
        new: vec![false; new.len()],
    };
    let deadline = Some(Instant::now() + DIFF_DEADLINE);
    for op in capture_diff_slices_deadline(Algorithm::Myers, old, new, deadline) {
        if let DiffOp::Equal {
            old_index,
            new_index,
            len,
        } = op
        {
            found.old[old_index..old_index + len].fill(true);
            found.new[new_index..new_index + len].fill(true);
        }
    }
    found
}

fn trimmed_lines(text: &[u8]) -> Vec<&[u8]> {
    text.split(|byte| *byte == b'\n')
        .map(<[u8]>::trim_ascii)
        .collect()
}

/// Has a letter or digit; what is not ASCII counts as one.
fn has_content(line: &[u8]) -> bool {
    line.iter()
        .any(|byte| byte.is_ascii_alphanumeric() || !byte.is_ascii())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn lost(base: &str, side: &str, other: &str, merged: &str) -> Vec<String> {
        let [base, side, other, merged] = [base, side, other, merged].map(str::as_bytes);
        let found = lost_lines(base, side, other, merged);
        found.into_iter().map(|(_, text)| text).collect()
    }

    #[test]
    fn what_a_side_added_and_the_result_lacks_is_listed() {
        let base = "one\ntwo\n";
        for (side, other, merged, expect) in [
            ("one\nnew\ntwo\n", base, "one\nnew\ntwo\n", &[] as &[&str]),
            ("one\nnew\ntwo\n", base, base, &["new"]),
            // What a side took away, or never touched, is no addition of it.
            ("one\n", base, base, &[]),
            (base, "one\n", "one\n", &[]),
            // Both changed the same line: one of the two is left out.
            ("one\ntwo 2\n", "one\ntwo 3\n", "one\ntwo 3\n", &["two 2"]),
            // Both made the same change.
            ("one\ntwo 2\n", "one\ntwo 2\n", "one\ntwo 2\n", &[]),
            // Indented anew, and moved.
            ("one\nnew\ntwo\n", base, "one\n\tnew\ntwo\n", &[]),
            ("one\nnew\ntwo\n", base, "one\ntwo\nnew\n", &[]),
            // Twice is not once.
            ("new\none\ntwo\nnew\n", base, "new\none\ntwo\n", &["new"]),
            // Brackets say nothing by themselves.
            ("one\n}\n\ntwo\n", base, base, &[]),
            ("one\né\ntwo\n", base, base, &["é"]),
        ] {
            assert_eq!(
                lost(base, side, other, merged),
                expect,
                "{side:?} {merged:?}"
            );
        }
    }

    #[test]
    fn the_same_line_added_in_two_places_needs_both() {
        let base = "start\na\nb\nc\nd\nend\n";
        let side = "start\nlog();\na\nb\nc\nd\nend\n";
        let other = "start\na\nb\nc\nd\nlog();\nend\n";
        let both = "start\nlog();\na\nb\nc\nd\nlog();\nend\n";
        assert_eq!(lost(base, side, other, both), [""; 0]);
        assert_eq!(lost(base, other, side, both), [""; 0]);
        assert_eq!(lost(base, other, side, side), ["log();"]);
        assert_eq!(lost(base, side, other, other), ["log();"]);
    }

    /// As in lock files, where a name stands in many entries: the comparison keeps the wrong one of two.
    #[test]
    fn a_copy_of_a_line_that_stays_does_not_stand_for_one_that_is_lost() {
        let base = "a\nname\nz\n";
        for side in ["name\na\nname\nz\n", "a\nname\nnew\nname\nz\n"] {
            let found = lost(base, side, base, "b\nname\nc\n");
            assert!(found.contains(&"name".to_owned()), "{side:?}");
            let without = side.replace("new\n", "");
            assert_eq!(lost(base, &without, "a\nz\n", "name\na\nz\n"), [""; 0]);
        }
    }

    #[test]
    fn a_line_is_named_by_its_number_on_the_side_that_added_it() {
        assert_eq!(
            lost_lines(b"a\n", b"a\nb\nc\n", b"a\n", b"a\nc\n"),
            [(2, "b".into())]
        );
        assert_eq!(
            lost_lines(b"", b"\xff\n", b"", b"").len(),
            1,
            "bytes of any kind"
        );
    }

    /// A text of lines that differ all over, as edits of it.
    fn edited() -> impl Strategy<Value = (Vec<String>, Vec<String>, Vec<String>)> {
        let edits = || prop::collection::vec((0usize..12, 0u8..3, "[a-c]{1,2}"), 0..5);
        (prop::collection::vec("[a-c]{1,2}", 0..10), edits(), edits()).prop_map(
            |(base, left, right)| {
                let edit = |edits: Vec<(usize, u8, String)>| {
                    let mut lines = base.clone();
                    for (at, kind, text) in edits {
                        let at = at.min(lines.len());
                        match kind {
                            0 => lines.insert(at, text),
                            1 if at < lines.len() => lines[at] = text,
                            _ if at < lines.len() => drop(lines.remove(at)),
                            _ => {}
                        }
                    }
                    lines
                };
                let (left, right) = (edit(left), edit(right));
                (base, left, right)
            },
        )
    }

    fn times(lines: &[String], text: &str) -> usize {
        lines.iter().filter(|line| *line == text).count()
    }

    proptest! {
        #[test]
        fn taking_a_whole_side_loses_nothing_of_it((base, left, right) in edited()) {
            let [base, left, right] = [base, left, right].map(|lines| lines.join("\n"));
            prop_assert_eq!(lost(&base, &left, &right, &left), [""; 0]);
            prop_assert_eq!(lost(&base, &right, &left, &right), [""; 0]);
        }

        /// Whatever was dropped: where the result has fewer lines of a text than the side added, some are listed.
        #[test]
        fn no_addition_goes_missing_in_silence(
            (base, left, right) in edited(),
            merged in prop::collection::vec("[a-c]{1,2}", 0..12),
        ) {
            let found = lost(&base.join("\n"), &left.join("\n"), &right.join("\n"), &merged.join("\n"));
            for text in left.iter() {
                let added = times(&left, text).saturating_sub(times(&base, text));
                // What stood there before may be gone by the other side alone.
                let missing = match base == right {
                    true => times(&left, text).saturating_sub(times(&merged, text)),
                    false => added.saturating_sub(times(&merged, text)),
                };
                prop_assert!(times(&found, text) >= missing.min(added), "{text}: {found:?}");
            }
            for text in &found {
                prop_assert!(left.contains(text));
            }
        }

        /// One line more dropped from a complete result is told, wherever it stood.
        #[test]
        fn a_dropped_line_with_a_text_of_its_own_is_listed(
            base in prop::collection::vec("[a-c]{1,2}", 1..8),
            at in 0usize..8,
        ) {
            let at = at.min(base.len());
            let mut side = base.clone();
            side.insert(at, "of its own".into());
            let [base, side] = [base, side].map(|lines| lines.join("\n"));
            prop_assert_eq!(lost(&base, &side, &base, &base), ["of its own"]);
        }
    }
}
