//! From what rules match to findings of a review.

use crate::{Priority, RuleError, RuleMatch};
use collie_core::finding::{Confidence, Finding, FindingKind, FindingSource, SourceType};
use collie_core::text::redact_keeping_lines;

fn core_priority(priority: Priority) -> collie_core::finding::Priority {
    match priority {
        Priority::P0 => collie_core::finding::Priority::P0,
        Priority::P1 => collie_core::finding::Priority::P1,
        Priority::P2 => collie_core::finding::Priority::P2,
        Priority::P3 => collie_core::finding::Priority::P3,
    }
}

fn rules_source(timestamp: &str) -> FindingSource {
    FindingSource {
        kind: SourceType::Rules,
        name: "rules".into(),
        review_id: None,
        timestamp: timestamp.into(),
    }
}

/// A match as a finding, the `index`th of a review.
pub(crate) fn finding_of_match(found: &RuleMatch, index: usize, timestamp: &str) -> Finding {
    let kind = match found.priority {
        Priority::P0 | Priority::P1 | Priority::P2 => FindingKind::Error,
        Priority::P3 => FindingKind::Suggestion,
    };
    Finding {
        id: format!("RULE-{:03}", index + 1),
        priority: core_priority(found.priority),
        category: format!("rule:{}", found.rule_id),
        file: found.path.clone(),
        line: u32::try_from(found.line).ok().filter(|line| *line > 0),
        title: without_secrets(&found.title),
        description: without_secrets(&found.description),
        // With a secret taken out it would not be what the rule suggests.
        suggestion: found
            .suggestion
            .clone()
            .filter(|text| without_secrets(text) == *text),
        source: rules_source(timestamp),
        kind,
        confidence: Confidence::SURE,
        evidence: Some(without_secrets(&found.evidence)),
    }
}

/// What is kept and handed on of a file names no secret; its lines stay lines.
fn without_secrets(text: &str) -> String {
    redact_keeping_lines(text, &[])
}

/// A rules file of the repository that cannot be read: told as a suggestion, since it is the base's fault, not the change's.
pub(crate) fn finding_of_rule_error(error: &RuleError, index: usize, timestamp: &str) -> Finding {
    Finding {
        id: format!("RULE-FILE-{:03}", index + 1),
        priority: collie_core::finding::Priority::P3,
        category: "rule:rules-file".into(),
        file: error.path.clone(),
        line: error
            .line
            .and_then(|line| u32::try_from(line).ok())
            .filter(|line| *line > 0),
        title: error.to_string(),
        description: String::new(),
        suggestion: None,
        source: rules_source(timestamp),
        kind: FindingKind::Suggestion,
        confidence: Confidence::SURE,
        evidence: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{LineSet, RuleSet, ScanInput, scan};

    #[test]
    fn a_finding_about_a_secret_does_not_quote_it() {
        let token = ["glpat-", "q7RkT2mWx9LbV4nZc8Yh"].concat();
        let code = format!("a\nkey = {token}\nb\n");
        let input = ScanInput {
            path: "a.cfg",
            content: code.as_bytes(),
            changed_lines: &LineSet::All,
            generated: false,
        };
        let found = scan(RuleSet::shipped(), &input);
        let findings: Vec<Finding> = found
            .iter()
            .map(|found| finding_of_match(found, 0, ""))
            .collect();
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].evidence.as_deref(), Some("key = [REDACTED]"));
    }
}
