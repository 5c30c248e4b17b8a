//! Applies what linters call safe fixes (§4.7): whole lines in place of others, as they were when the linter looked.

use collie_core::finding::{Finding, Replacement, SourceType};
use collie_core::fix::{FixPayload, note_codes};
use std::collections::{BTreeMap, BTreeSet};

/// What became of the issues that linters found.
#[derive(Default)]
pub(crate) struct LinterFixes {
    /// Ids of those whose fix was applied.
    pub(crate) applied: BTreeSet<String>,
    /// Why the others were not, by id.
    pub(crate) failed: BTreeMap<String, &'static str>,
}

/// Applies the fixes of a payload. `content` gives a file of the worktree as far as it may be changed, and `put` takes it back.
pub(crate) fn apply_linter_fixes(
    payload: &FixPayload,
    content: impl Fn(&str) -> Option<Vec<u8>>,
    mut put: impl FnMut(&str, Vec<u8>),
) -> LinterFixes {
    let mut fixes = LinterFixes::default();
    let mut by_file: BTreeMap<&str, Vec<(&Finding, &Replacement)>> = BTreeMap::new();
    let issues = payload.issues_to_fix.iter().chain(&payload.optional_issues);
    for issue in issues.filter(|issue| issue.source.kind == SourceType::Linter) {
        match payload.replacements.get(&issue.id) {
            Some(with) => by_file.entry(&issue.file).or_default().push((issue, with)),
            None => drop(fixes.failed.insert(issue.id.clone(), note_codes::NO_FIX)),
        }
    }
    for (path, mut wanted) in by_file {
        let Some(mut now) = content(path) else {
            let gone = wanted.iter().map(|(issue, _)| issue.id.clone());
            fixes
                .failed
                .extend(gone.map(|id| (id, note_codes::NO_MATCH)));
            continue;
        };
        // From the end, so that the lines of the others stay where they are.
        wanted.sort_by_key(|(_, with)| std::cmp::Reverse((with.first, with.last)));
        for (issue, with) in wanted {
            let quoted = issue.evidence.as_deref().unwrap_or_default();
            match replace_lines(&now, with, quoted) {
                Some(replaced) => {
                    now = replaced;
                    fixes.applied.insert(issue.id.clone());
                }
                None => drop(fixes.failed.insert(issue.id.clone(), note_codes::NO_MATCH)),
            }
        }
        put(path, now);
    }
    fixes
}

/// The file with these lines replaced, where they still are what was quoted, or stand quoted so in one other place.
fn replace_lines(content: &[u8], with: &Replacement, quoted: &str) -> Option<Vec<u8>> {
    let text = std::str::from_utf8(content).ok()?;
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let old: Vec<&str> = quoted.lines().collect();
    let count = (with.last.checked_sub(with.first)? + 1) as usize;
    if old.len() != count {
        return None;
    }
    let is_old = |window: &[&str]| {
        window
            .iter()
            .map(|line| line.trim_end_matches(['\r', '\n']))
            .eq(old.iter().copied())
    };
    let expected = (with.first.checked_sub(1)?) as usize;
    let stands_there = lines.get(expected..expected + count).is_some_and(is_old);
    let from = if stands_there {
        expected
    } else {
        let mut places = lines
            .windows(count)
            .enumerate()
            .filter(|(_, window)| is_old(window));
        let (place, _) = places.next()?;
        places.next().is_none().then_some(place)?
    };
    let last = lines.get(from + count - 1)?;
    let line_end = &last[last.trim_end_matches(['\r', '\n']).len()..];
    let mut new = with.text.clone();
    if !new.is_empty() {
        new += line_end;
    }
    let (before, after) = (&lines[..from], &lines[from + count..]);
    let parts = before.iter().copied().chain([new.as_str()]);
    let whole: String = parts.chain(after.iter().copied()).collect();
    Some(whole.into_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn replaced(content: &str, first: u32, last: u32, quoted: &str, text: &str) -> Option<String> {
        let text = text.to_owned();
        let with = Replacement { first, last, text };
        let new = replace_lines(content.as_bytes(), &with, quoted)?;
        Some(String::from_utf8(new).unwrap())
    }

    #[test]
    fn lines_are_replaced_where_they_still_are() {
        let check = |content: &str, first, last, quoted: &str, text: &str, expect: Option<&str>| {
            assert_eq!(
                replaced(content, first, last, quoted, text).as_deref(),
                expect
            );
        };
        check("a\nb\nc\n", 2, 2, "b", "x\ny", Some("a\nx\ny\nc\n"));
        check("a\nb\nc\n", 2, 2, "b", "", Some("a\nc\n"));
        check("a\r\nb\r\n", 1, 1, "a", "x", Some("x\r\nb\r\n"));
        check("a\nb", 2, 2, "b", "x", Some("a\nx"));
        // It has moved, and stands there once.
        check("0\na\nb\nc\n", 2, 2, "b", "x", Some("0\na\nx\nc\n"));
        // Twice, nowhere, past the end, or not as many lines as were quoted.
        check("b\na\nb\n", 2, 2, "b", "x", None);
        check("a\nc\n", 2, 2, "b", "x", None);
        check("a\n", 9, 9, "b", "x", None);
        check("a\nb\n", 1, 2, "a", "x", None);
        check("", 0, 0, "", "x", None);
    }
}
