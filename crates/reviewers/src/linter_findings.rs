//! From what linters say to findings of the review (§4.7).

use super::linter_joins::join_to_rules;
use collie_core::finding::{
    Confidence, Finding, FindingKind, FindingSource, Priority, Replacement, SourceType,
};
use collie_core::ids::Time;
use collie_core::linter_run::LinterRun;
use collie_core::review::{IssueCounts, conclusion_from_counts};
use collie_core::text::redact_keeping_lines;
use collie_engine::ports::{DiffFile, ReviewResponse};
use collie_linters::{Diagnostic, Linter, Severity, line_replacement};
use collie_rules::RuleAliases;
use std::collections::BTreeMap;

/// The most findings of one linter: with more, its rules are not kept by this repository.
const MAX_FINDINGS: usize = 100;
/// A fix that changes more lines is not offered.
const MAX_FIX_LINES: u32 = 40;
/// The most lines that are quoted.
const MAX_QUOTED_LINES: u32 = 10;

/// What the linters of one review came to.
pub(super) struct LinterReview {
    pub(super) runs: Vec<LinterRun>,
    findings: Vec<Finding>,
    replacements: BTreeMap<String, Replacement>,
    timestamp: String,
}

impl LinterReview {
    pub(super) fn new(now: Time) -> Self {
        Self {
            runs: Vec::new(),
            findings: Vec::new(),
            replacements: BTreeMap::new(),
            timestamp: now.rfc3339(),
        }
    }

    /// Adds what a linter says of changed lines; gives how many findings that are. `read` gives files of the head.
    pub(super) fn add(
        &mut self,
        linter: &Linter,
        mut diagnostics: Vec<Diagnostic>,
        diff: &[DiffFile],
        read: &dyn Fn(&str) -> Option<Vec<u8>>,
    ) -> u32 {
        diagnostics.retain(|found| is_on_changed_line(found, diff));
        diagnostics
            .sort_by_cached_key(|found| (priority(linter, found), found.path.clone(), found.line));
        diagnostics.truncate(MAX_FINDINGS);
        for found in &diagnostics {
            let content = read(&found.path).unwrap_or_default();
            self.add_finding(linter, found, &content);
        }
        u32::try_from(diagnostics.len()).unwrap_or(u32::MAX)
    }

    fn add_finding(&mut self, linter: &Linter, found: &Diagnostic, content: &[u8]) {
        let id = format!("LINT-{:03}", self.findings.len() + 1);
        let replacement = replacement_of(found, content);
        let quoted = match &replacement {
            Some(with) => (with.first, with.last),
            None => (
                found.line,
                found.end_line.min(found.line + MAX_QUOTED_LINES - 1),
            ),
        };
        let evidence = redacted(&lines(content, quoted));
        let priority = priority(linter, found);
        let (title, more) = found
            .message
            .split_once('\n')
            .unwrap_or((&found.message, ""));
        let link = found.url.as_deref().unwrap_or_default();
        self.findings.push(Finding {
            id: id.clone(),
            priority,
            category: match &found.code {
                Some(code) => format!("lint:{code}"),
                None => "lint".to_owned(),
            },
            file: found.path.clone(),
            line: Some(found.line),
            title: redacted(title),
            description: redacted(&format!("{more}\n\n{link}")).trim().to_owned(),
            suggestion: replacement.as_ref().map(|with| with.text.clone()),
            source: FindingSource {
                kind: SourceType::Linter,
                name: linter.name.clone(),
                review_id: None,
                timestamp: self.timestamp.clone(),
            },
            kind: match priority {
                Priority::P0 | Priority::P1 | Priority::P2 => FindingKind::Error,
                Priority::P3 => FindingKind::Suggestion,
            },
            confidence: Confidence::SURE,
            evidence: Some(evidence).filter(|quoted| !quoted.trim().is_empty()),
        });
        if let Some(replacement) = replacement {
            self.replacements.insert(id, replacement);
        }
    }

    /// Puts all of it into the answer of the reviewer that ran them: what a rule of it says too, under both names.
    pub(super) fn add_to(self, response: &mut ReviewResponse, aliases: &RuleAliases) {
        let result = &mut response.result;
        let own = join_to_rules(
            &mut result.findings,
            self.findings,
            &self.replacements,
            aliases,
        );
        result.findings.extend(own);
        result.issues = IssueCounts::of(&result.findings);
        result.conclusion = conclusion_from_counts(result.issues);
        let mut replacements = self.replacements;
        replacements.retain(|id, _| result.findings.iter().any(|finding| finding.id == *id));
        response.replacements.extend(replacements);
    }
}

/// What a linter calls an error has to be fixed, the rest are suggestions: its rules are the repository's, and so is their weight.
fn priority(linter: &Linter, found: &Diagnostic) -> Priority {
    match linter.severity_of(found) {
        Severity::Error => Priority::P2,
        Severity::Warning | Severity::Note => Priority::P3,
    }
}

/// Where it begins counts: what begins on an old line was there before.
fn is_on_changed_line(found: &Diagnostic, diff: &[DiffFile]) -> bool {
    let file = diff.iter().find(|file| file.path == found.path);
    file.is_some_and(|file| {
        let mut changed = file.changed.iter();
        changed.any(|(first, last)| (*first..=*last).contains(&found.line))
    })
}

/// The fix as whole lines, if it is small, near what it is about, and brings or hides no secret.
fn replacement_of(found: &Diagnostic, content: &[u8]) -> Option<Replacement> {
    let edits = found.fix.as_deref()?;
    let (first, last, text) = line_replacement(content, edits)?;
    let is_near = (first..=last).contains(&found.line) && last - first < MAX_FIX_LINES;
    let is_clean = |text: &str| redacted(text) == text;
    let fits = is_near && is_clean(&text) && is_clean(&lines(content, (first, last)));
    fits.then_some(Replacement { first, last, text })
}

/// The lines of a file from one number to another, each from 1.
fn lines(content: &[u8], (first, last): (u32, u32)) -> String {
    let text = String::from_utf8_lossy(content);
    let from = (first.max(1) - 1) as usize;
    let count = (last.saturating_sub(first) + 1) as usize;
    let lines: Vec<&str> = text.lines().skip(from).take(count).collect();
    lines.join("\n")
}

fn redacted(text: &str) -> String {
    redact_keeping_lines(text, &[])
}

#[cfg(test)]
mod tests {
    use super::*;
    use collie_linters::{Edit, known_linters};

    const CODE: &str = "import sys\nx = y\nz = 1\n";

    fn diagnostic(line: u32, severity: Severity) -> Diagnostic {
        Diagnostic {
            path: "a.py".into(),
            line,
            end_line: line,
            code: Some("F821".into()),
            message: "Undefined name\nIt is nowhere.".into(),
            severity,
            url: Some("https://docs.example/F821".into()),
            fix: None,
        }
    }

    /// What these come to where the second and the third line changed.
    fn review(code: &str, diagnostics: Vec<Diagnostic>) -> LinterReview {
        let diff = [DiffFile {
            path: "a.py".into(),
            old_path: None,
            deleted: false,
            added: false,
            opaque: false,
            unshown: None,
            changed: vec![(2, 3)],
            shown: vec![(1, 3)],
        }];
        let mut review = LinterReview::new(Time(0));
        let read = |_: &str| Some(code.as_bytes().to_vec());
        review.add(&known_linters()[0], diagnostics, &diff, &read);
        review
    }

    fn edit(code: &str, old: &str, new: &str) -> Option<Vec<Edit>> {
        let start = code.find(old).unwrap();
        let end = start + old.len();
        let text = new.to_owned();
        Some(vec![Edit { start, end, text }])
    }

    #[test]
    fn only_what_begins_on_a_changed_line_is_a_finding() {
        let mut over = diagnostic(1, Severity::Error);
        over.end_line = 3;
        let mut elsewhere = diagnostic(2, Severity::Error);
        elsewhere.path = "b.py".into();
        let found = review(
            CODE,
            vec![
                over,
                elsewhere,
                diagnostic(3, Severity::Note),
                diagnostic(2, Severity::Error),
            ],
        );
        let told: Vec<_> = (found.findings.iter())
            .map(|f| (f.line, f.priority, f.kind, f.evidence.as_deref()))
            .collect();
        let expect = [
            (Some(2), Priority::P2, FindingKind::Error, Some("x = y")),
            (
                Some(3),
                Priority::P3,
                FindingKind::Suggestion,
                Some("z = 1"),
            ),
        ];
        assert_eq!(told, expect);
        let first = &found.findings[0];
        assert_eq!(
            (first.title.as_str(), first.category.as_str()),
            ("Undefined name", "lint:F821")
        );
        assert_eq!(
            first.description,
            "It is nowhere.\n\nhttps://docs.example/F821"
        );
    }

    #[test]
    fn what_a_linter_says_of_style_is_a_suggestion() {
        let mut all = known_linters().iter();
        let golangci = all.find(|one| one.name == "golangci-lint").unwrap();
        let mut found = diagnostic(2, Severity::Error);
        for (code, expected) in [
            ("gofmt", (Priority::P3, FindingKind::Suggestion)),
            ("errcheck", (Priority::P2, FindingKind::Error)),
        ] {
            found.code = Some(code.into());
            let mut review = LinterReview::new(Time(0));
            review.add_finding(golangci, &found, CODE.as_bytes());
            let told = &review.findings[0];
            assert_eq!((told.priority, told.kind), expected, "{code}");
        }
    }

    #[test]
    fn no_linter_floods_the_review() {
        let many = (0..500)
            .map(|_| diagnostic(2, Severity::Warning))
            .chain([diagnostic(3, Severity::Error)]);
        let found = review(CODE, many.collect());
        assert_eq!(found.findings.len(), MAX_FINDINGS);
        assert_eq!(found.findings[0].line, Some(3), "errors come first");
    }

    #[test]
    fn a_fix_is_offered_where_it_is_near_small_and_without_a_secret() {
        let offered = |code: &str, line, old: &str, new: &str| {
            let mut found = diagnostic(line, Severity::Error);
            found.fix = edit(code, old, new);
            let found = review(code, vec![found]);
            let with = found.replacements.into_values().next();
            assert_eq!(
                with.as_ref().map(|with| with.text.clone()),
                found.findings[0].suggestion
            );
            with.map(|with| (with.first, with.last, with.text))
        };
        assert_eq!(offered(CODE, 2, "y", "1"), None, "the first y is elsewhere");
        assert_eq!(
            offered(CODE, 2, "x = y", "x = 1"),
            Some((2, 2, "x = 1".into()))
        );
        let token = ["glpat-", "q7RkT2mWx9LbV4nZc8Yh"].concat();
        assert_eq!(offered(CODE, 2, "x = y", &format!("x = '{token}'")), None);
        let hidden = format!("a\nx = '{token}'\n");
        assert_eq!(offered(&hidden, 2, "x = ", "y = "), None);
        let long: String = (0..60).map(|n| format!("l{n}\n")).collect();
        let all = long.trim_end().to_owned();
        assert_eq!(offered(&long, 2, &all, "gone"), None);
    }
}
