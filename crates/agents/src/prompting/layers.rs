//! What lies around the changed lines of a file, in layers: the function that they are in, lines near them, lines farther away, the rest.
//!
//! A file that fits is shown whole. Of one that does not, each layer is offered for itself, so that room that is there is used.

use super::hunks::lines;
use super::material::{ChangedFile, Hunk, LineChange};
use collie_core::code_context::{FunctionSpan, innermost_spans};
use std::collections::BTreeSet;

/// Lines of the head, from 1, both ends in it.
pub(super) type LineRange = (u32, u32);

/// A longer function is shown by its signature and what surrounds the change.
const MAX_FUNCTION_LINES: u32 = 120;
/// Lines of a signature that are shown of a longer function.
const MAX_SIGNATURE_LINES: u32 = 12;
/// Lines around a change in a longer function.
const LINES_IN_FUNCTION: u32 = 15;
/// Lines around a change that count as near.
const NEAR_LINES: u32 = 25;
/// The same as not far.
const FAR_LINES: u32 = 100;

/// How far lines are from the change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Distance {
    /// In the same function.
    Function,
    /// Some lines away.
    Near,
    /// Within a page or two.
    Far,
    /// Anywhere in the file.
    Rest,
}

/// Lines of the head that no hunk shows, nearest first. Each line is in one layer at most. Functions come one a layer.
pub(super) fn layers(
    file: &ChangedFile,
    functions: &[FunctionSpan],
) -> Vec<(Distance, Vec<LineRange>)> {
    let Some(text) = file.content_at_head.as_deref() else {
        return Vec::new();
    };
    let count = u32::try_from(lines(text).len()).unwrap_or(u32::MAX);
    let mut free = FreeLines::of(file, count);
    let mut out = Vec::new();
    for ranges in function_ranges(file, functions) {
        out.push((Distance::Function, free.take(&ranges)));
    }
    for (distance, around) in [(Distance::Near, NEAR_LINES), (Distance::Far, FAR_LINES)] {
        let ranges: Vec<LineRange> = file
            .hunks
            .iter()
            .map(|hunk| around_hunk(hunk, around))
            .collect();
        out.push((distance, free.take(&ranges)));
    }
    out.push((Distance::Rest, free.take(&[(1, count)])));
    out.retain(|(_, ranges)| !ranges.is_empty());
    out
}

/// The functions that the changed lines are in, each as what is to be shown of it.
fn function_ranges(file: &ChangedFile, functions: &[FunctionSpan]) -> Vec<Vec<LineRange>> {
    let spans: Vec<LineRange> = functions.iter().map(|one| (one.first, one.last)).collect();
    let mut seen = BTreeSet::new();
    let mut out = Vec::new();
    for hunk in &file.hunks {
        for (_, innermost) in innermost_spans(hunk.changed_at(), &spans) {
            let Some(function) = innermost.map(|at| &functions[at]) else {
                continue;
            };
            // Each place in a long function is shown for itself.
            let place = is_long(function).then_some(hunk.new_start);
            if seen.insert((*function, place)) {
                out.push(match is_long(function) {
                    true => long_function_ranges(function, hunk),
                    false => vec![(function.first, function.last)],
                });
            }
        }
    }
    out
}

fn is_long(function: &FunctionSpan) -> bool {
    function.last.saturating_sub(function.first) >= MAX_FUNCTION_LINES
}

fn long_function_ranges(function: &FunctionSpan, hunk: &Hunk) -> Vec<LineRange> {
    let signature_end = function.first.saturating_add(MAX_SIGNATURE_LINES - 1);
    let signature = (function.first, function.signature_last.min(signature_end));
    let (first, last) = around_hunk(hunk, LINES_IN_FUNCTION);
    vec![
        signature,
        (first.max(function.first), last.min(function.last)),
    ]
}

fn around_hunk(hunk: &Hunk, lines: u32) -> LineRange {
    let (first, last) = hunk
        .head_lines()
        .unwrap_or((hunk.new_start, hunk.new_start));
    (
        first.saturating_sub(lines).max(1),
        last.saturating_add(lines),
    )
}

impl Hunk {
    /// Lines of the head that are new, or at which something was taken out.
    pub(super) fn changed_at(&self) -> BTreeSet<u32> {
        let changed = self
            .numbered()
            .filter(|(_, change, _)| *change != LineChange::Context);
        changed.map(|(number, _, _)| number).collect()
    }

    /// Lines from before that are gone, by their numbers there.
    fn removed_lines(&self) -> impl Iterator<Item = u32> + '_ {
        let mut next = self.old_start;
        self.lines.iter().filter_map(move |(change, _)| {
            let number = next;
            if *change != LineChange::Added {
                next = next.saturating_add(1);
            }
            (*change == LineChange::Removed).then_some(number)
        })
    }
}

impl ChangedFile {
    /// Lines of the head that are new, from 1.
    pub fn added_lines(&self) -> BTreeSet<u32> {
        let rows = self.hunks.iter().flat_map(Hunk::numbered);
        let added = rows.filter(|(_, change, _)| *change == LineChange::Added);
        added.map(|(number, _, _)| number).collect()
    }

    /// Lines from before that are gone, by their numbers there.
    pub fn removed_lines(&self) -> BTreeSet<u32> {
        self.hunks.iter().flat_map(Hunk::removed_lines).collect()
    }
}

/// Lines that no hunk and no layer has yet.
struct FreeLines {
    /// One a line of the head.
    free: Vec<bool>,
}

impl FreeLines {
    fn of(file: &ChangedFile, count: u32) -> Self {
        let mut lines = Self {
            free: vec![true; count as usize],
        };
        let shown = file.hunks.iter().filter_map(Hunk::head_lines);
        let shown: Vec<LineRange> = shown.collect();
        lines.take(&shown);
        lines
    }

    /// Takes those of these lines that are free, as ranges.
    fn take(&mut self, wanted: &[LineRange]) -> Vec<LineRange> {
        let mut taken = BTreeSet::new();
        for (first, last) in wanted {
            let last = (*last as usize).min(self.free.len());
            for at in (*first as usize).max(1)..=last {
                if std::mem::take(&mut self.free[at - 1]) {
                    taken.insert(u32::try_from(at).unwrap_or(u32::MAX));
                }
            }
        }
        ranges_of(taken)
    }
}

/// Numbers as ranges, in order.
pub(super) fn ranges_of(numbers: impl IntoIterator<Item = u32>) -> Vec<LineRange> {
    let mut out: Vec<LineRange> = Vec::new();
    for number in numbers {
        match out.last_mut() {
            Some((_, last)) if last.saturating_add(1) == number => *last = number,
            _ => out.push((number, number)),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbered(count: usize) -> String {
        (1..=count).map(|n| format!("line {n}\n")).collect()
    }

    fn edited(count: usize, line: usize) -> ChangedFile {
        let before = numbered(count);
        let after = before.replace(&format!("line {line}\n"), "new\n");
        ChangedFile::between("a.rs", None, Some(before), Some(after))
    }

    fn span(first: u32, last: u32) -> FunctionSpan {
        FunctionSpan {
            first,
            last,
            signature_last: first + 1,
        }
    }

    #[test]
    fn each_line_is_in_one_layer_nearest_first() {
        let file = edited(400, 200);
        let found = layers(&file, &[span(1, 399), span(180, 220), span(300, 310)]);
        assert_eq!(
            found,
            [
                (Distance::Function, vec![(180, 196), (204, 220)]),
                (Distance::Near, vec![(172, 179), (221, 228)]),
                (Distance::Far, vec![(97, 171), (229, 303)]),
                (Distance::Rest, vec![(1, 96), (304, 400)]),
            ]
        );
    }

    #[test]
    fn a_long_function_is_shown_by_its_signature_and_what_is_near() {
        let file = edited(400, 200);
        let found = layers(&file, &[span(10, 390)]);
        assert_eq!(
            found[0],
            (Distance::Function, vec![(10, 11), (182, 196), (204, 218)])
        );
    }

    #[test]
    fn a_hunk_that_only_takes_lines_out_has_a_function_too() {
        let before = numbered(100);
        let after = before.replace("line 50\n", "");
        let file = ChangedFile::between("a.rs", None, Some(before), Some(after));
        let found = layers(&file, &[span(40, 60)]);
        assert_eq!(found[0], (Distance::Function, vec![(40, 46), (53, 60)]));
        assert_eq!(file.removed_lines(), [50].into());
        assert_eq!(file.added_lines(), BTreeSet::new());
    }

    #[test]
    fn small_and_empty_files_have_the_layers_they_have() {
        assert_eq!(layers(&edited(5, 3), &[]), []);
        let gone = ChangedFile::between("a.rs", None, Some(numbered(3)), None);
        assert_eq!(layers(&gone, &[span(1, 3)]), []);
        let odd = FunctionSpan {
            first: 0,
            last: u32::MAX,
            signature_last: u32::MAX,
        };
        let found = layers(&edited(60, 30), &[odd]);
        let lines: u32 = found
            .iter()
            .flat_map(|(_, ranges)| ranges)
            .map(|(a, b)| b - a + 1)
            .sum();
        assert_eq!(lines, 53);
    }
}
