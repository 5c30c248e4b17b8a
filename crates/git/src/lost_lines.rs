//! Finds what a merge leaves out: lines that one side added and that the merged file lacks (§3.7).

use similar::{Algorithm, DiffOp, capture_diff_slices_deadline};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// Time for one comparison; after it the differences are coarser: whole stretches count as added.
const DIFF_DEADLINE: Duration = Duration::from_secs(2);

/// Lists the lines that `side` has over `base` and `merged` lacks, by their 1-based number on that side. `other` is the other side of the
/// merge. Blanks around a line do not count, and lines without a letter or digit are not listed: those are for the syntax gate.
///
/// A line is there when a comparison of `side` with `merged` keeps it, or where `merged` has its text in a line that is neither side's by
/// such a comparison: that one was moved. So one line of `merged` never stands for additions of both sides in different places.
pub(crate) fn lost_lines(
    base: &[u8],
    side: &[u8],
    other: &[u8],
    merged: &[u8],
) -> Vec<(u32, String)> {
    let [base, side, other, merged] = [base, side, other, merged].map(trimmed_lines);
    let kept = matches(&base, &side);
    let merged_with_side = matches(&side, &merged);
    let mut moved: BTreeMap<&[u8], usize> = BTreeMap::new();
    let merged_with_other = matches(&other, &merged);
    let unmatched = merged_with_side.new.iter().zip(&merged_with_other.new);
    for (line, _) in merged
        .iter()
        .zip(unmatched)
        .filter(|(_, (by_side, by_other))| !**by_side && !**by_other)
    {
        *moved.entry(line).or_default() += 1;
    }
    let mut lost = Vec::new();
    for (at, line) in side.iter().enumerate() {
        if kept.new[at] || merged_with_side.old[at] || !has_content(line) {
            continue;
        }
        match moved.get_mut(line) {
            Some(count) if *count > 0 => *count -= 1,
            Some(_) | None => {
                let number = u32::try_from(at + 1).unwrap_or(u32::MAX);
                lost.push((number, String::from_utf8_lossy(line).into_owned()));
            }
        }
    }
    lost
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

    fn count(lines: &[String], text: &str) -> usize {
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
                let added = count(&left, text).saturating_sub(count(&base, text));
                let missing = added.saturating_sub(count(&merged, text));
                prop_assert!(count(&found, text) >= missing, "{text}: {found:?}");
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
