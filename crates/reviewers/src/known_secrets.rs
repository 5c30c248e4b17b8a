//! What this process knows and nobody else should, and its removal from what models read and what the journal keeps (§8.3).

use crate::setup::secret_values;
use collie_config::LiveConfig;
use collie_core::finding::Finding;
use collie_core::linter_run::LinterOutcome;
use collie_core::text::{KnownSecrets, redact_keeping_lines};
use collie_engine::ports::{FixResponse, ReviewResponse};
use collie_github::GitHubClient;
use std::sync::Arc;

/// A shorter value would blot out words that are no secret.
const MIN_VALUE_BYTES: usize = 8;

/// Every secret that this process knows, asked for each time: the tokens in use, what models and agents log in with, and the variables whose
/// names say that they hold one.
pub fn known_secrets(config: &LiveConfig, github: &Arc<GitHubClient>) -> KnownSecrets {
    let github = github.clone();
    own_secrets(config).and(move || {
        let tokens = github.tokens().into_iter();
        tokens.map(|token| token.expose().to_owned()).collect()
    })
}

/// The same of a process that has no token of GitHub.
pub fn own_secrets(config: &LiveConfig) -> KnownSecrets {
    let config = config.clone();
    KnownSecrets::default()
        .and(move || secret_values(&config.get()))
        .and(|| {
            let all = collie_hardening::variables().into_iter();
            secret_variables(
                all.filter_map(|(name, value)| Some((name, value.into_string().ok()?))),
            )
        })
}

fn secret_variables(variables: impl Iterator<Item = (String, String)>) -> Vec<String> {
    // `PWD`, `SSH_AUTH_SOCK` and files of keys hold paths, which are hidden as paths; a plain word is a setting.
    let is_value = |value: &str| {
        let word = value.bytes().all(|byte| byte.is_ascii_lowercase());
        value.len() >= MIN_VALUE_BYTES && !word && !value.starts_with(['/', '~', '.'])
    };
    variables
        .filter(|(name, value)| collie_hardening::names_secret(name) && is_value(value))
        .map(|(_, value)| value)
        .collect()
}

/// What a model or an agent is given to read, block by block.
pub(crate) fn redact_prompt(blocks: &[String], known: &KnownSecrets) -> Vec<String> {
    let known = known.now();
    blocks
        .iter()
        .map(|block| redact_keeping_lines(block, &known))
        .collect()
}

/// What a reviewer said, before anybody keeps it. What would be put into the code is left as it is, or left out.
pub fn redact_review(response: &mut ReviewResponse, known: &KnownSecrets) {
    let known = known.now();
    let redact = |text: &mut String| *text = redact_keeping_lines(text, &known);
    let is_clean = |text: &str| redact_keeping_lines(text, &known) == text;
    for finding in &mut response.result.findings {
        let Finding {
            title,
            description,
            suggestion,
            evidence,
            ..
        } = finding;
        redact(title);
        redact(description);
        evidence.iter_mut().for_each(redact);
        suggestion.take_if(|text| !is_clean(text));
    }
    redact(&mut response.result.full_report);
    response.upheld.values_mut().for_each(redact);
    let scores = response.second_looks.values_mut();
    scores.map(|score| &mut score.reason).for_each(redact);
    let linters = response.session.iter_mut().flat_map(|s| &mut s.linters);
    for run in linters {
        if let LinterOutcome::Failed { message } = &mut run.outcome {
            redact(message);
        }
    }
    response
        .replacements
        .retain(|_, replacement| is_clean(&replacement.text));
}

/// The same of what a fixer said.
pub fn redact_fix(response: &mut FixResponse, known: &KnownSecrets) {
    let known = known.now();
    let redact = |text: &mut String| *text = redact_keeping_lines(text, &known);
    for fixed in &mut response.result.fixed_issues {
        redact(&mut fixed.description);
    }
    for rejected in &mut response.result.rejected_issues {
        redact(&mut rejected.reason);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_of_a_session_has_no_secret() {
        let known = KnownSecrets::of(["known-to-us".to_owned()]);
        let token = ["glpat-", "q7RkT2mWx9LbV4nZc8Yh"].concat();
        let prompt = redact_prompt(&[format!("1 + key = {token}\n2 + known-to-us\n")], &known);
        assert_eq!(prompt, ["1 + key = [REDACTED]\n2 + [REDACTED]\n"]);
        let finding = serde_json::json!({
            "id": "Q-1", "priority": "P0", "category": "security", "file": "a.py", "line": 1,
            "title": format!("`{token}` is in the code"), "description": "so is known-to-us",
            "suggestion": format!("key = {token}"), "kind": "error", "confidence": 0.9,
            "evidence": format!("key = {token}"),
            "source": { "type": "agent", "name": "quinn", "timestamp": "2026-01-01T00:00:00Z" },
        });
        let result = serde_json::json!({
            "agent": "quinn", "prNumber": 7, "conclusion": "request_changes",
            "issues": { "p0_blocking": 1, "p1_critical": 0, "p2_important": 0, "p3_suggestion": 0 }, "findings": [finding],
            "fullReport": format!("see {token}"),
        });
        let result: collie_core::review::ReviewerResult =
            serde_json::from_value(result).expect("a result");
        let mut response = ReviewResponse::from(result);
        redact_review(&mut response, &known);
        let kept = format!("{response:?}");
        assert!(
            !kept.contains(&token) && !kept.contains("known-to-us"),
            "{kept}"
        );
        assert_eq!(response.result.findings[0].suggestion, None);
    }

    #[test]
    fn variables_are_secrets_by_their_names() {
        let variables = [
            ("DEPLOY_TOKEN", "q7RkT2mWx9"),
            ("my_api_key", "Zc8YhJ3pFs"),
            ("PWD", "/home/ana/x"),
            ("SSH_AUTH_SOCK", "/run/ssh.sock"),
            ("SIGNING_KEY", "developer"),
            ("KEYBOARD", "q7RkT2mWx9L"),
            ("SOME_TOKEN", "short"),
        ];
        let variables = variables.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let found = secret_variables(variables.into_iter());
        assert_eq!(found, ["q7RkT2mWx9", "Zc8YhJ3pFs"]);
    }
}
