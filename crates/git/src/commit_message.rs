//! Commit messages that steer nothing (§6.4).

use collie_core::text::{neutralize_plain, redact, without_invisible};
use collie_engine::ports::CommitMessage;
use regex::Regex;
use std::sync::LazyLock;

/// The subject when nothing is left of it.
const DEFAULT_SUBJECT: &str = "fix: address review findings";
/// Letters of a subject at most. It is cut last: half a secret would be known by no form.
const MAX_SUBJECT_CHARS: usize = 72;

/// What makes CI services leave a commit out, in brackets or stars, and the trailers that do it.
static CI_DIRECTIVES: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    let services = "ci|cd|actions?|travis|circle(?:ci)?|azurepipelines|azpipelines|azp|appveyor|buildkite|netlify|\
        vercel|render|cf|pipelines?|checks?|builds?|deploy|jenkins|drone|semaphore|wercker|bitrise";
    [
        format!(r"(?i)\[\s*(?:skip|no|only)[\s_:-]*(?:{services})\s*\]"),
        format!(r"(?i)\[\s*(?:{services})[\s_:-]*(?:skip|no|only)\s*\]"),
        r"(?i)\*\*\*\s*NO_CI\s*\*\*\*".into(),
        r"(?i)\b(?:skip|request)-checks\s*:\s*(?:true|yes|1)\b".into(),
        r"(?i)\bci\.skip\b".into(),
    ]
    .iter()
    .map(|pattern| Regex::new(pattern).expect("the pattern is fixed and tested"))
    .collect()
});

/// Puts the message together: one subject, the body, the trailers as the last paragraph. Titles of findings and names of checks are in it,
/// which others wrote: secrets go, those that are known literally among them, and nobody is called.
pub(crate) fn compose_commit_message(message: &CommitMessage, known_secrets: &[String]) -> String {
    let treated = |text: &str| {
        let text = redact(&without_invisible(text), known_secrets);
        redact_and_strip(neutralize_plain(&text), known_secrets)
    };
    let one_treated_line = |text: &str| treated(&one_line(text));
    let subject: String = one_treated_line(&message.subject)
        .chars()
        .take(MAX_SUBJECT_CHARS)
        .collect();
    // The cut may end a word, and make a directive of it.
    let subject = strip_ci_directives(&subject);
    let subject = subject.trim();
    let rest = subject.strip_prefix("fix:").unwrap_or(subject).trim();
    let mut text = if rest.is_empty() {
        DEFAULT_SUBJECT.to_string()
    } else {
        subject.to_string()
    };
    let body = treated(&message.body);
    let body = body.trim();
    if !body.is_empty() {
        text.push_str("\n\n");
        text.push_str(body);
    }
    let trailers: Vec<String> = message
        .trailers
        .iter()
        .filter_map(|(key, value)| trailer(key, &one_treated_line(value)))
        .collect();
    if !trailers.is_empty() {
        text.push_str("\n\n");
        text.push_str(&trailers.join("\n"));
    }
    text.push('\n');
    text
}

fn trailer(key: &str, value: &str) -> Option<String> {
    let key: String = key
        .chars()
        .filter(|c| c.is_ascii_alphanumeric() || *c == '-')
        .collect();
    let line = strip_ci_directives(&format!("{key}: {}", one_line(value).trim()));
    let whole = !key.is_empty() && line.starts_with(&format!("{key}: "));
    whole.then_some(line)
}

/// Until neither finds anything: what stood around a directive may be a secret once it is gone, and the other way round.
fn redact_and_strip(mut text: String, known_secrets: &[String]) -> String {
    loop {
        let stripped = strip_ci_directives(&text);
        if stripped == text {
            return text;
        }
        text = redact(&stripped, known_secrets);
    }
}

/// Takes out what steers CI, until none is left: a removal may bring forth another.
fn strip_ci_directives(text: &str) -> String {
    let mut text = text.to_string();
    while let Some(found) = CI_DIRECTIVES.iter().find_map(|pattern| pattern.find(&text)) {
        text.replace_range(found.range(), "");
    }
    text
}

fn one_line(text: &str) -> String {
    without_invisible(text)
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(subject: &str, body: &str, trailers: &[(&str, &str)], expect: &str) {
        let trailers = trailers
            .iter()
            .map(|(key, value)| ((*key).into(), (*value).into()))
            .collect();
        let message = CommitMessage {
            by: None,
            subject: subject.into(),
            body: body.into(),
            trailers,
        };
        let known = ["known-to-us".to_owned()];
        assert_eq!(compose_commit_message(&message, &known), expect);
    }

    #[test]
    fn subject_body_and_trailers_are_paragraphs() {
        check(
            "fix: use the\nright length",
            "One.\r\nTwo.\n",
            &[("Collie-Run", "r-1"), ("Collie Finding", "a\nb"), ("", "x")],
            "fix: use the right length\n\nOne.\nTwo.\n\nCollie-Run: r-1\nCollieFinding: a b\n",
        );
        check("fix: x", "", &[], "fix: x\n");
    }

    #[test]
    fn nothing_steers_ci() {
        for words in [
            "[skip ci]",
            "[ci skip]",
            "[no ci]",
            "[CI-Skip]",
            "[skip actions]",
            "[actions skip]",
            "***NO_CI***",
            "skip-checks: true",
            "skip-checks:true",
            "[skip [skip ci]ci]",
            "[skip\u{200b} ci]",
            "[skip travis]",
            "[skip\nci]",
            "***NO_[ci skip]CI***",
        ] {
            check(
                &format!("fix: a {words}"),
                words,
                &[("X", words)],
                "fix: a\n\nX: \n",
            );
        }
        check("fix: [skip ci]", "", &[], "fix: address review findings\n");
        check(
            "fix: [no-unused-vars] in a",
            "",
            &[],
            "fix: [no-unused-vars] in a\n",
        );
    }

    #[test]
    fn no_secret_and_no_call_is_in_a_message() {
        let token = format!("glpat-{}", "q7RkT2mWx9LbV4nZc8Yh");
        check(
            &format!("fix: check `deploy {token}` of @ana"),
            "known-to-us /merge",
            &[("Collie-Finding", &token)],
            "fix: check `deploy [REDACTED]` of @ ana\n\n[REDACTED] / merge\n\nCollie-Finding: [REDACTED]\n",
        );
        // What is cut off is cut off after the secret went.
        let far = format!("fix: {} {token}", "word".repeat(14));
        let cut = format!("fix: {} [REDACTED]", "word".repeat(14));
        check(&far, "", &[], &format!("{}\n", &cut[..72]));
    }

    #[test]
    fn no_issue_is_closed_by_a_message() {
        check(
            "fix: #12",
            "Fixes a/b#7, closes GH-3.",
            &[],
            "fix: # 12\n\nFixes a/b# 7, closes GH- 3.\n",
        );
    }
}
