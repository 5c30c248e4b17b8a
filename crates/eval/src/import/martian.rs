//! `withmartian/code-review-benchmark`: the files of `offline/golden_comments`, one a repository, each a list of pull requests with what a
//! person knows to be wrong with them, in words and a severity alone.

use super::{case_id, parse_json, parse_pull_url};
use crate::case::{Case, Change, Fault};
use crate::set_error::SetError;
use collie_core::finding::Priority;
use serde::Deserialize;

#[derive(Deserialize)]
struct GoldenPull {
    pr_title: String,
    url: String,
    /// In some entries `url` is of a fork, and this is the pull request.
    #[serde(default)]
    original_url: Option<String>,
    comments: Vec<GoldenComment>,
}

#[derive(Deserialize)]
struct GoldenComment {
    comment: String,
    severity: Severity,
}

#[derive(Clone, Copy, Deserialize)]
enum Severity {
    Low,
    Medium,
    High,
    Critical,
}

/// Reads a file of golden comments. Its faults have no place, and its cases no commits yet.
pub fn parse_martian(file: &str, text: &str) -> Result<Vec<Case>, SetError> {
    let pulls: Vec<GoldenPull> = parse_json(file, text)?;
    let cases = pulls.into_iter().enumerate().map(|(at, pull)| {
        let url = pull.original_url.as_ref().unwrap_or(&pull.url);
        let (repository, number) = parse_pull_url(file, &format!("[{at}].url"), url)?;
        let faults = pull.comments.into_iter().enumerate();
        Ok(Case {
            id: case_id(&repository, number),
            repository,
            change: Change::Pull(number),
            title: Some(pull.pr_title),
            description: None,
            language: None,
            faults: faults
                .map(|(at, comment)| Fault {
                    id: (at + 1).to_string(),
                    file: None,
                    lines: None,
                    within: None,
                    what: comment.comment,
                    kind: "golden".into(),
                    severity: match comment.severity {
                        Severity::Critical => Priority::P0,
                        Severity::High => Priority::P1,
                        Severity::Medium => Priority::P2,
                        Severity::Low => Priority::P3,
                    },
                    fixed_by: None,
                })
                .collect(),
        })
    });
    cases.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::set_error::SetProblem;

    /// The published form, with words of our own.
    const GOLDEN: &str = r#"[
      {"pr_title": "Import the apps lazily", "url": "https://github.com/acme/web/pull/8087",
       "comments": [{"comment": "Nobody waits for the promises.", "severity": "Critical"},
                    {"comment": "The name misleads.", "severity": "Low"}]},
      {"pr_title": "Paginate", "url": "https://github.com/bench/web/pull/3",
       "original_url": "https://github.com/acme/web/pull/67876", "comments": [], "az_comment": "skipped"}]"#;

    #[test]
    fn golden_comments_are_faults_without_a_place() {
        let cases = parse_martian("web.json", GOLDEN).unwrap();
        assert_eq!(cases[0].id, "acme-web-8087");
        assert_eq!(cases[0].change, Change::Pull(8087));
        let severities: Vec<_> = cases[0].faults.iter().map(|one| one.severity).collect();
        assert_eq!(severities, [Priority::P0, Priority::P3]);
        assert_eq!(cases[0].faults[0].file, None);
        assert_eq!(cases[1].id, "acme-web-67876");
        assert!(cases[1].is_clean());
    }

    #[test]
    fn what_is_no_golden_file_says_where() {
        let error = parse_martian("x.json", "[\n{\"pr_title\": 1}]").unwrap_err();
        assert_eq!((error.file.as_str(), error.line), ("x.json", 2));
        let url = GOLDEN.replace("github.com/acme", "example.com/acme");
        let error = parse_martian("x.json", &url).unwrap_err();
        assert_eq!(error.key, "[0].url");
        assert!(matches!(error.problem, SetProblem::BadRepository(_)));
    }
}
