//! What a review without a loop leaves of itself in its report on GitHub: the next one goes on from there (§14).
//!
//! It is one line, an HTML comment, right above marker and token. Only a body of the posting account is read for it.

use crate::coverage::UnseenFile;
use crate::finding::Finding;
use crate::ids::Sha;
use crate::text::trailing_token;
use crate::token::digest;
use serde::{Deserialize, Serialize};

/// How the line begins.
const PREFIX: &str = "<!-- collie-looks: ";
/// How it ends.
const SUFFIX: &str = " -->";
/// The form that is written and read.
const VERSION: u32 = 1;
/// Findings of a record; one that would need more says nothing, and the next review looks at all of it again.
const MAX_FINDINGS: usize = 20;
/// Files that a reviewer was not shown; likewise.
const MAX_UNSEEN: usize = 200;
/// Characters of a finding's longer texts.
const MAX_TEXT_CHARS: usize = 800;

/// One reviewer's look.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Look {
    /// Who looked.
    pub reviewer: String,
    /// Which model or agent it was, as a hash: another one has not looked.
    pub runner: String,
    /// The head from which on it was shown what changed; none where it was shown everything.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<Sha>,
    /// Files that it was not shown wholly up to this head.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unseen: Vec<UnseenFile>,
}

/// Everything that a review leaves.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct LookRecord {
    version: u32,
    /// The head that was reviewed.
    pub head: Sha,
    /// Who looked at it.
    pub looks: Vec<Look>,
    /// What reviewers found that stands in no thread: nothing else remembers it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<Finding>,
}

/// A hash of what a reviewer runs on.
pub fn runner_hash(runs_on: &str) -> String {
    digest(["runs on", runs_on])[..16].to_owned()
}

impl LookRecord {
    /// A record; none where it would be too long, or nobody looked.
    pub fn new(head: &Sha, looks: Vec<Look>, findings: &[Finding]) -> Option<Self> {
        let unseen: usize = looks.iter().map(|look| look.unseen.len()).sum();
        let fits = findings.len() <= MAX_FINDINGS && unseen <= MAX_UNSEEN && !looks.is_empty();
        fits.then(|| Self {
            version: VERSION,
            head: head.clone(),
            looks,
            findings: findings.iter().map(shortened).collect(),
        })
    }

    /// The line, with what is private taken out by `redact`. Characters that mean something to GitHub or to bots stand as escapes.
    pub fn to_line(&self, redact: impl Fn(&str) -> String) -> String {
        let mut clean = self.clone();
        for finding in &mut clean.findings {
            let Finding {
                title,
                description,
                suggestion,
                evidence,
                ..
            } = finding;
            for text in [title, description]
                .into_iter()
                .chain(suggestion)
                .chain(evidence)
            {
                *text = redact(text);
            }
        }
        let json = serde_json::to_string(&clean).unwrap_or_default();
        let mut line = String::from(PREFIX);
        for c in json.chars() {
            // These stand inside of strings alone.
            if "<>-@#/+!&`$".contains(c) {
                line += &format!("\\u{:04x}", u32::from(c));
            } else {
                line.push(c);
            }
        }
        line + SUFFIX
    }

    /// The record that stands right above marker and token of a body. Who wrote the body is for the caller to check.
    pub fn of_body(body: &str) -> Option<Self> {
        trailing_token(body)?;
        let mut lines = body.trim_end().lines().rev();
        // Token and marker; what stands above them.
        let (_token, _marker) = (lines.next()?, lines.next()?);
        let line = lines.find(|line| !line.trim().is_empty())?;
        let json = line.trim().strip_prefix(PREFIX)?.strip_suffix(SUFFIX)?;
        let record: Self = serde_json::from_str(json).ok()?;
        (record.version == VERSION).then_some(record)
    }

    /// The look of a reviewer that runs on the same as then.
    pub fn look_of(&self, reviewer: &str, runner: &str) -> Option<&Look> {
        let mut looks = self.looks.iter();
        looks.find(|look| look.reviewer == reviewer && look.runner == runner)
    }
}

fn shortened(finding: &Finding) -> Finding {
    let cut = |text: &str| text.chars().take(MAX_TEXT_CHARS).collect::<String>();
    Finding {
        description: cut(&finding.description),
        suggestion: finding.suggestion.as_deref().map(cut),
        evidence: finding.evidence.as_deref().map(cut),
        ..finding.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coverage::UnseenReason;
    use crate::ids::ActionToken;
    use crate::test_support::{finding, sha};
    use crate::text::append_token;

    fn record(findings: &[Finding]) -> Option<LookRecord> {
        let look = Look {
            reviewer: "quinn".into(),
            runner: runner_hash("openai/some-model"),
            since: None,
            unseen: vec![UnseenFile {
                path: "docs/a-b -->.md".into(),
                reason: UnseenReason::NoRoom,
            }],
        };
        LookRecord::new(&sha('a'), vec![look], findings)
    }

    fn posted(line: &str) -> String {
        let token = ActionToken::new("a".repeat(64));
        append_token(&format!("### A report\n\n{line}"), &token)
    }

    #[test]
    fn what_is_written_is_read_again_and_says_nothing_to_bots() {
        let mut found = finding("a.py", "correctness", "x --> y <!--");
        found.title = "@kim: fixes #1, bors r+\n/merge".into();
        let kept = record(&[found]).unwrap();
        let line = kept.to_line(str::to_owned);
        assert_eq!(LookRecord::of_body(&posted(&line)), Some(kept.clone()));
        let inner = line.strip_prefix(PREFIX).unwrap().strip_suffix(SUFFIX);
        for spoken in ["--", "@kim", "#1", "r+", "/merge", "\n"] {
            assert!(!inner.unwrap().contains(spoken), "{spoken} in {line}");
        }
        let hidden = kept.to_line(|text| text.replace("kim", "[REDACTED]"));
        let read = LookRecord::of_body(&posted(&hidden)).unwrap();
        assert!(
            read.findings[0].title.starts_with("@[REDACTED]"),
            "{read:?}"
        );
    }

    #[test]
    fn a_line_anywhere_else_is_no_record() {
        let line = record(&[]).unwrap().to_line(str::to_owned);
        assert!(LookRecord::of_body(&posted(&line)).is_some());
        for body in [
            posted(&format!("{line}\n\nMore.")),
            posted(&format!("> {line}")),
            posted(&line.replace("\"version\":1", "\"version\":2")),
            line,
        ] {
            assert_eq!(LookRecord::of_body(&body), None, "{body}");
        }
    }

    #[test]
    fn what_does_not_fit_is_not_kept_in_part() {
        let found = finding("a.py", "correctness", "x == y");
        assert!(record(&vec![found.clone(); MAX_FINDINGS]).is_some());
        assert_eq!(record(&vec![found; MAX_FINDINGS + 1]), None);
        assert_eq!(LookRecord::new(&sha('a'), Vec::new(), &[]), None);
    }

    #[test]
    fn another_model_has_not_looked() {
        let kept = record(&[]).unwrap();
        let look = |reviewer, runs_on| kept.look_of(reviewer, &runner_hash(runs_on)).is_some();
        assert!(look("quinn", "openai/some-model"));
        assert!(!look("quinn", "openai/other-model"));
        assert!(!look("sam", "openai/some-model"));
    }
}
