//! Findings held against the code they speak of: evidence, place in the diff, lines of the last fix.

use crate::ports::{DiffFile, LineRange};
use collie_core::shapes::{Finding, ReviewerResult};
use std::collections::{BTreeMap, BTreeSet};

fn holds(ranges: &[LineRange], line: u32) -> bool {
    ranges
        .iter()
        .any(|(first, last)| (*first..=*last).contains(&line))
}

/// Whether quoted lines stand in a file, white space apart.
pub(crate) fn stands(evidence: &str, file: &[u8]) -> bool {
    let text = String::from_utf8_lossy(file);
    let lines: Vec<String> = text.lines().map(squeeze).collect();
    let wanted: Vec<String> = evidence
        .lines()
        .map(squeeze)
        .filter(|line| !line.is_empty())
        .collect();
    let (Some(first), false) = (wanted.first(), wanted.is_empty()) else {
        return true;
    };
    let from = |start: usize| {
        let mut rest = lines[start..].iter().filter(|line| !line.is_empty());
        wanted
            .iter()
            .all(|line| rest.next().is_some_and(|have| have.contains(line.as_str())))
    };
    (0..lines.len()).any(|i| lines[i].contains(first.as_str()) && from(i))
}

fn squeeze(line: &str) -> String {
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Drops findings whose quoted lines do not stand in the code at the reviewed head (§4.4); says how many.
pub(crate) fn keep_standing(
    result: &mut ReviewerResult,
    files: &BTreeMap<String, Option<Vec<u8>>>,
) -> usize {
    let before = result.findings.len();
    let keeps = |finding: &Finding| match (&finding.evidence, files.get(&finding.file)) {
        (Some(evidence), Some(Some(file))) => stands(evidence, file),
        // A file that is not there, or that was not read because it is too large: nothing to hold it against.
        (Some(_), Some(None)) => false,
        (Some(_), None) | (None, _) => true,
    };
    result.findings.retain(keeps);
    before - result.findings.len()
}

/// Ids of findings on a line that the diff shows.
pub(crate) fn in_diff(findings: &[Finding], diff: &[DiffFile]) -> BTreeSet<String> {
    let shown = |finding: &&Finding| {
        let file = diff.iter().find(|f| f.path == finding.file && !f.deleted);
        matches!((file, finding.line), (Some(file), Some(line)) if holds(&file.shown, line))
    };
    findings
        .iter()
        .filter(shown)
        .map(|f| f.id.clone())
        .collect()
}

/// Ids of findings on lines that are new since another head.
pub(crate) fn on_lines(
    findings: &[Finding],
    lines: &BTreeMap<String, Vec<LineRange>>,
) -> BTreeSet<String> {
    let there = |finding: &&Finding| {
        let ranges = lines.get(&finding.file);
        matches!((ranges, finding.line), (Some(ranges), Some(line)) if holds(ranges, line))
    };
    findings
        .iter()
        .filter(there)
        .map(|f| f.id.clone())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn evidence_stands_when_its_lines_follow_each_other_in_the_file() {
        let file = b"fn a() {\n    let x = 1;\n\n    let y = 2;\n}\n";
        let check = |evidence: &str| stands(evidence, file);
        assert!(check("let x = 1;"));
        assert!(check("  let x  = 1;\nlet y = 2;"));
        assert!(check(""));
        assert!(!check("let z = 1;"));
        assert!(!check("let y = 2;\nlet x = 1;"));
    }
}
