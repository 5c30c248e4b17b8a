//! `alibaba/aacr-bench`: `dataset/positive_samples.json`, a list of pull requests with their commits and the comments that its experts hold
//! to be right.

use super::{case_id, parse_json, parse_pull_url};
use crate::case::{Case, Change, Fault, LineRange};
use crate::set_error::{SetError, SetProblem};
use collie_core::finding::Priority;
use collie_core::ids::Sha;
use serde::Deserialize;

#[derive(Deserialize)]
struct Sample {
    /// The head of the pull request.
    source_commit: String,
    /// What it goes into.
    target_commit: String,
    #[serde(rename = "githubPrUrl")]
    github_pr_url: String,
    #[serde(default)]
    project_main_language: Option<String>,
    comments: Vec<SampleComment>,
}

#[derive(Deserialize)]
struct SampleComment {
    note: String,
    #[serde(default)]
    path: Option<String>,
    #[serde(default)]
    side: Option<String>,
    #[serde(default)]
    from_line: Option<i64>,
    #[serde(default)]
    to_line: Option<i64>,
    #[serde(default)]
    category: Option<String>,
}

/// Reads the positive samples. Lines of the left side are those before the change, so that of them the file alone is kept.
pub fn parse_aacr(file: &str, text: &str) -> Result<Vec<Case>, SetError> {
    let samples: Vec<Sample> = parse_json(file, text)?;
    let cases = samples.into_iter().enumerate().map(|(at, sample)| {
        let (repository, number) =
            parse_pull_url(file, &format!("[{at}].githubPrUrl"), &sample.github_pr_url)?;
        let sha = |key: &str, text: &str| {
            Sha::parse(text).map_err(|_| SetError {
                file: file.to_owned(),
                line: 1,
                key: format!("[{at}].{key}"),
                problem: SetProblem::BadSha(text.to_owned()),
            })
        };
        let comments = sample.comments.iter().enumerate();
        Ok(Case {
            id: case_id(&repository, number),
            repository,
            change: Change::Commits {
                base: sha("target_commit", &sample.target_commit)?,
                head: sha("source_commit", &sample.source_commit)?,
            },
            title: None,
            description: None,
            language: sample.project_main_language.clone(),
            faults: comments.map(|(at, one)| fault(at, one)).collect(),
        })
    });
    cases.collect()
}

fn fault(at: usize, comment: &SampleComment) -> Fault {
    let file = comment.path.clone().filter(|path| !path.is_empty());
    let before = comment.side.as_deref() == Some("left");
    let line = |number: Option<i64>| number.and_then(|number| u32::try_from(number).ok());
    // Some are written last line first.
    let lines = match (line(comment.from_line), line(comment.to_line)) {
        (Some(from), Some(to)) => LineRange::new(from, to),
        (Some(only), None) | (None, Some(only)) => LineRange::new(only, only),
        (None, None) => None,
    };
    Fault {
        id: (at + 1).to_string(),
        lines: lines.filter(|_| file.is_some() && !before),
        file,
        within: None,
        what: comment.note.trim().to_owned(),
        kind: comment
            .category
            .as_deref()
            .unwrap_or("comment")
            .to_lowercase(),
        // The set has none.
        severity: Priority::P2,
        fixed_by: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_is_its_commits_and_its_comments() {
        let text = format!(
            r#"[{{"change_line_count": 3, "project_main_language": "C++", "source_commit": "{}", "target_commit": "{}",
              "githubPrUrl": "https://github.com/acme/cad/pull/19411", "comments": [
              {{"is_ai_comment": true, "note": "It is called for every view.\n", "path": "src/a.cpp", "side": "right",
                "source_model": "M", "from_line": 9, "to_line": 4, "category": "Performance", "context": "File Level"}},
              {{"note": "Gone.", "path": "src/a.cpp", "side": "left", "from_line": 9, "to_line": 9, "category": "Code Defect"}},
              {{"note": "In general.", "path": "", "from_line": null, "to_line": null}}]}}]"#,
            "a".repeat(40),
            "b".repeat(40)
        );
        let case = parse_aacr("positive.json", &text).unwrap().remove(0);
        assert_eq!(case.id, "acme-cad-19411");
        let sha = |digit: &str| Sha::parse(&digit.repeat(40)).unwrap();
        assert_eq!(
            case.change,
            Change::Commits {
                base: sha("b"),
                head: sha("a")
            }
        );
        let places: Vec<_> = case
            .faults
            .iter()
            .map(|one| (one.file.is_some(), one.lines))
            .collect();
        let lines = LineRange::new(4, 9);
        assert_eq!(places, [(true, lines), (true, None), (false, None)]);
        assert_eq!(case.faults[0].kind, "performance");
        let wrong = text.replace(&"a".repeat(40), "main");
        let error = parse_aacr("positive.json", &wrong).unwrap_err();
        assert_eq!(error.key, "[0].source_commit");
    }
}
