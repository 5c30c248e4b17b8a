//! Findings held against the code they speak of: evidence, place in the diff, lines of the last fix.

use crate::ports::{DiffFile, LineRange};
use collie_core::evidence::QuoteIndex;
use collie_core::finding::{Finding, Replacement};
use collie_core::review::ReviewerResult;
use std::collections::{BTreeMap, BTreeSet};

fn contains_line(ranges: &[LineRange], line: u32) -> bool {
    ranges
        .iter()
        .any(|(first, last)| (*first..=*last).contains(&line))
}

/// Whether quoted lines stand in a file. A quote of nothing claims nothing.
fn quote_matches(evidence: &str, line: Option<u32>, file: &[u8]) -> bool {
    let file = String::from_utf8_lossy(file);
    evidence.trim().is_empty() || QuoteIndex::of(&file).find(evidence, line).is_some()
}

/// Drops findings whose quoted lines do not stand in the code at the reviewed head (§4.4); says how many.
pub(crate) fn drop_unsupported(
    result: &mut ReviewerResult,
    files: &BTreeMap<String, Option<Vec<u8>>>,
) -> usize {
    let before = result.findings.len();
    let keeps = |finding: &Finding| match (&finding.evidence, files.get(&finding.file)) {
        (Some(evidence), Some(Some(file))) => quote_matches(evidence, finding.line, file),
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
        matches!((file, finding.line), (Some(file), Some(line)) if contains_line(&file.shown, line))
    };
    findings
        .iter()
        .filter(shown)
        .map(|f| f.id.clone())
        .collect()
}

/// Of the replacements those that GitHub can apply: of a finding that is left, its lines shown in one piece of the diff.
pub(crate) fn applicable_replacements(
    findings: &[Finding],
    mut replacements: BTreeMap<String, Replacement>,
    diff: &[DiffFile],
) -> BTreeMap<String, Replacement> {
    let fits = |id: &String, with: &Replacement| {
        let finding = findings.iter().find(|finding| finding.id == *id)?;
        let file = diff.iter().find(|f| f.path == finding.file && !f.deleted)?;
        let lines = with.first..=with.last;
        let holds = |(first, last): &LineRange| *first <= with.first && with.last <= *last;
        Some(finding.line.is_some_and(|l| lines.contains(&l)) && file.shown.iter().any(holds))
    };
    replacements.retain(|id, with| with.first <= with.last && fits(id, with).unwrap_or(false));
    replacements
}

/// Ids of findings on lines that are new since another head.
pub(crate) fn on_changed_lines(
    findings: &[Finding],
    lines: &BTreeMap<String, Vec<LineRange>>,
) -> BTreeSet<String> {
    let there = |finding: &&Finding| {
        let ranges = lines.get(&finding.file);
        matches!((ranges, finding.line), (Some(ranges), Some(line)) if contains_line(ranges, line))
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
    use collie_core::finding::{Confidence, FindingKind, FindingSource, Priority, SourceType};
    use collie_core::review::{Conclusion, IssueCounts};

    #[test]
    fn evidence_stands_in_the_file_or_claims_nothing() {
        let file = b"fn a() {\n    let x = 1;\n\n    let y = 2;\n}\n";
        let check = |evidence: &str, line| quote_matches(evidence, line, file);
        assert!(check("let x = 1;", None));
        assert!(check("  let x  = 1;\nlet y = 2;", None));
        assert!(check(" \n", None));
        assert!(check("}", Some(5)));
        assert!(!check("}", Some(1)));
        assert!(!check("let z = 1;", None));
        assert!(!check("let y = 2;\nlet x = 1;", None));
    }

    fn finding(line: u32, file: &str) -> Finding {
        Finding {
            id: "F1".into(),
            priority: Priority::P2,
            category: "correctness".into(),
            file: file.into(),
            line: Some(line),
            title: "t".into(),
            description: String::new(),
            suggestion: None,
            source: FindingSource {
                kind: SourceType::Agent,
                name: "quinn".into(),
                review_id: None,
                timestamp: String::new(),
            },
            kind: FindingKind::Error,
            confidence: Confidence::SURE,
            evidence: None,
        }
    }

    #[test]
    fn a_finding_is_dropped_whose_quote_does_not_stand_in_its_file() {
        let quoting = |evidence: &str, file: &str| Finding {
            evidence: Some(evidence.into()),
            ..finding(1, file)
        };
        let findings = vec![
            quoting("let x = 1;", "a.rs"),
            quoting("let z = 1;", "a.rs"),
            quoting("let x = 1;", "gone.rs"),
            quoting("let z = 1;", "not-read.rs"),
            finding(1, "a.rs"),
        ];
        let mut result = ReviewerResult {
            agent: "quinn".into(),
            pr_number: 1,
            conclusion: Conclusion::RequestChanges,
            issues: IssueCounts::of(&findings),
            findings,
            full_report: String::new(),
            escalations: Vec::new(),
        };
        let files = BTreeMap::from([
            ("a.rs".to_owned(), Some(b"let x = 1;\n".to_vec())),
            ("gone.rs".to_owned(), None),
        ]);
        assert_eq!(drop_unsupported(&mut result, &files), 2);
        let left: Vec<_> = result.findings.iter().map(|f| f.file.as_str()).collect();
        assert_eq!(left, ["a.rs", "not-read.rs", "a.rs"]);
        assert_eq!(result.findings[0].evidence.as_deref(), Some("let x = 1;"));
    }

    #[test]
    fn an_offer_is_kept_when_one_piece_of_the_diff_shows_all_of_its_lines() {
        let diff = [DiffFile {
            path: "a.rs".into(),
            old_path: None,
            deleted: false,
            added: false,
            opaque: false,
            unshown: None,
            changed: vec![(5, 5), (20, 20)],
            shown: vec![(2, 8), (17, 23)],
        }];
        let kept = |id: &str, (first, last), finding: Finding| {
            let text = String::new();
            let offer = Replacement { first, last, text };
            let offers = BTreeMap::from([(id.to_owned(), offer)]);
            !applicable_replacements(&[finding], offers, &diff).is_empty()
        };
        assert!(kept("F1", (2, 8), finding(5, "a.rs")));
        assert!(!kept("F1", (1, 8), finding(5, "a.rs")), "not shown");
        assert!(!kept("F1", (8, 17), finding(8, "a.rs")), "two pieces");
        assert!(!kept("F1", (6, 5), finding(5, "a.rs")), "backwards");
        assert!(
            !kept("F1", (2, 4), finding(5, "a.rs")),
            "beside its finding"
        );
        assert!(!kept("F1", (5, 5), finding(5, "b.rs")), "another file");
        assert!(!kept("F2", (5, 5), finding(5, "a.rs")), "no such finding");
    }
}
