//! Reviews as SARIF 2.1.0, in the part of it that
//! [GitHub's code scanning](https://docs.github.com/en/code-security/reference/code-scanning/sarif-files/sarif-support) reads: a run for
//! each pull request, a rule for each kind of finding, and what has no place among the results as notifications.

use crate::localize;
use crate::localize::CliLocalizer;
use collie_app::review::CompletedReview;
use collie_core::coverage::UnseenFile;
use collie_core::finding::{Finding, Priority, SourceType};
use collie_core::text::{visible_block, visible_line};
use collie_core::tracked_finding::TrackedFinding;
use collie_rules::RuleSet;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// GitHub refuses a file with more runs.
const MAX_RUNS: usize = 20;
/// GitHub refuses a run with more results.
const MAX_RESULTS: usize = 25_000;
/// Of more results in a run GitHub shows the gravest.
const SHOWN_RESULTS: usize = 5_000;

/// What stands in the path of an address as it is.
const PATH: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~')
    .remove(b'/');

/// A SARIF file, and what is to be said beside it.
pub struct SarifLog {
    /// The file.
    pub log: Value,
    /// What GitHub will not take or not show of it, in words.
    pub remarks: Vec<String>,
}

/// Makes one file of several reviews.
pub fn sarif_log(reviews: &[CompletedReview], localizer: &CliLocalizer) -> SarifLog {
    let mut remarks = Vec::new();
    let runs: Vec<Value> = reviews
        .iter()
        .map(|reviewed| run(reviewed, localizer, &mut remarks))
        .collect();
    if runs.len() > MAX_RUNS {
        let (count, limit) = (runs.len(), MAX_RUNS);
        remarks.push(localize!(
            localizer,
            "cli-sarif-runs",
            count = count,
            limit = limit
        ));
    }
    let log = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": runs,
    });
    SarifLog { log, remarks }
}

fn run(reviewed: &CompletedReview, localizer: &CliLocalizer, remarks: &mut Vec<String>) -> Value {
    let (placed, nowhere): (Vec<&TrackedFinding>, Vec<_>) = reviewed
        .findings
        .iter()
        .map(|(tracked, _)| tracked)
        .partition(|tracked| !tracked.finding.file.is_empty());
    // The gravest come first.
    let kept = &placed[..placed.len().min(MAX_RESULTS)];
    let rules = rules_of(kept.iter().map(|tracked| &tracked.finding));
    let results: Vec<Value> = kept.iter().map(|tracked| result(tracked, &rules)).collect();
    let limits = limit_remarks(reviewed, placed.len(), nowhere.len(), localizer);
    let mut notifications: Vec<Value> = limits
        .iter()
        .map(|text| notification("limits", "warning", text, None))
        .collect();
    remarks.extend(limits);
    notifications.extend(other_notifications(reviewed, &nowhere, localizer));
    json!({
        "tool": { "driver": {
            "name": "Collie",
            "semanticVersion": env!("CARGO_PKG_VERSION"),
            "rules": rules.iter().map(|(id, rule)| rule.descriptor(id)).collect::<Vec<_>>(),
        }},
        // Runs of one tool and category in a file are refused; before the last slash stands the category.
        "automationDetails": { "id": format!("collie/{}/{}/", reviewed.pull.repo, reviewed.pull.number) },
        "versionControlProvenance": [provenance(reviewed)],
        "originalUriBaseIds": { "%SRCROOT%": { "description": { "text": "The root of the repository." } } },
        "columnKind": "unicodeCodePoints",
        "invocations": [{ "executionSuccessful": true, "toolExecutionNotifications": notifications }],
        "results": results,
        "properties": { "pullRequest": reviewed.url, "conclusion": reviewed.outcome.conclusion, "reviewers": reviewed.reviewers },
    })
}

/// What GitHub takes or shows less of than was found, in words.
fn limit_remarks(
    reviewed: &CompletedReview,
    placed: usize,
    nowhere: usize,
    localizer: &CliLocalizer,
) -> Vec<String> {
    let pull = reviewed.pull.to_string();
    let mut remarks = Vec::new();
    if placed > SHOWN_RESULTS {
        remarks.push(localize!(
            localizer,
            "cli-sarif-results",
            pull = pull.clone(),
            count = placed,
            kept = placed.min(MAX_RESULTS),
            shown = SHOWN_RESULTS
        ));
    }
    if nowhere > 0 {
        remarks.push(localize!(
            localizer,
            "cli-sarif-nowhere",
            pull = pull,
            count = nowhere
        ));
    }
    remarks
}

/// What has no place among the results.
fn other_notifications(
    reviewed: &CompletedReview,
    nowhere: &[&TrackedFinding],
    localizer: &CliLocalizer,
) -> Vec<Value> {
    let about_no_file = nowhere.iter().map(|tracked| {
        let finding = &tracked.finding;
        let (id, level) = (rule_id(finding), level(finding.priority));
        notification(&id, level, &text_of(finding), None)
    });
    let unsure = reviewed.unsure.iter();
    let unsure = unsure.map(|one| notification("unsure", "note", &text_of(&one.finding), None));
    let unread = reviewed.outcome.unread.then(|| {
        let text = localize!(localizer, "cli-unread");
        notification("unread", "note", &text, None)
    });
    let unseen = (reviewed.coverage.unseen.iter()).map(|file| unseen(file, localizer));
    about_no_file
        .chain(unsure)
        .chain(unread)
        .chain(unseen)
        .collect()
}

fn provenance(reviewed: &CompletedReview) -> Value {
    let end = format!("/pull/{}", reviewed.pull.number);
    let repository = reviewed.url.strip_suffix(&end).unwrap_or(&reviewed.url);
    json!({
        "repositoryUri": repository,
        "revisionId": reviewed.head,
        "mappedTo": { "uriBaseId": "%SRCROOT%" },
    })
}

/// A kind of finding, as far as the findings of a run tell.
struct Rule {
    summary: String,
    worst: Priority,
    is_security: bool,
    source: &'static str,
}

impl Rule {
    fn descriptor(&self, id: &str) -> Value {
        let text = json!({ "text": self.summary });
        let mut tags = vec![self.source];
        let mut properties = json!({ "problem.severity": match level(self.worst) {
            "note" => "recommendation",
            level => level,
        }});
        if self.is_security {
            tags.push("security");
            // Above 9 is critical, from 7 high, from 4 medium: GitHub takes the number from the rule alone.
            properties["security-severity"] = match self.worst {
                Priority::P0 => "9.5",
                Priority::P1 => "8.0",
                Priority::P2 => "5.5",
                Priority::P3 => "2.0",
            }
            .into();
        }
        properties["tags"] = json!(tags);
        json!({
            "id": id,
            "shortDescription": text,
            "fullDescription": text,
            "help": text,
            "defaultConfiguration": { "level": level(self.worst) },
            "properties": properties,
        })
    }
}

/// The rules of findings, by id.
fn rules_of<'a>(findings: impl Iterator<Item = &'a Finding>) -> BTreeMap<String, Rule> {
    let shipped = RuleSet::shipped().summaries();
    let mut rules: BTreeMap<String, Rule> = BTreeMap::new();
    for finding in findings {
        let id = rule_id(finding);
        let known = shipped.iter().find(|rule| rule.id == id);
        let category = known.map_or(finding.category.as_str(), |rule| rule.category.as_str());
        let rule = rules.entry(id).or_insert_with_key(|id| Rule {
            summary: known.map_or_else(|| id.clone(), |rule| rule.message.clone()),
            worst: finding.priority,
            is_security: category == "security",
            source: source_name(finding.source.kind),
        });
        rule.worst = rule.worst.min(finding.priority);
    }
    rules
}

/// What a finding is called over many reviews: the rule, the linter's code, else who found it and what it is about.
fn rule_id(finding: &Finding) -> String {
    let category = visible_line(finding.category.trim());
    if let Some(rule) = category.strip_prefix("rule:") {
        return rule.to_owned();
    }
    let category = match category.as_ref() {
        "" => "other",
        category => category,
    };
    match category.strip_prefix("lint:") {
        Some(code) => format!("lint/{code}"),
        None => format!("{}/{category}", source_name(finding.source.kind)),
    }
}

fn source_name(kind: SourceType) -> &'static str {
    match kind {
        SourceType::Agent => "reviewer",
        SourceType::Rules => "rules",
        SourceType::Linter => "lint",
        SourceType::Ci => "ci",
        SourceType::Bot => "bot",
        SourceType::Human => "person",
    }
}

/// How grave a priority is. What blocks a merge or is critical fails a check of code scanning.
pub fn level(priority: Priority) -> &'static str {
    match priority {
        Priority::P0 | Priority::P1 => "error",
        Priority::P2 => "warning",
        Priority::P3 => "note",
    }
}

fn result(tracked: &TrackedFinding, rules: &BTreeMap<String, Rule>) -> Value {
    let finding = &tracked.finding;
    let id = rule_id(finding);
    let index = rules.keys().position(|known| *known == id);
    let place = artifact(&finding.file);
    let text = text_of(finding);
    let mut result = json!({
        "ruleId": id,
        "level": level(finding.priority),
        "message": { "text": text, "markdown": text },
        "locations": [{ "physicalLocation": {
            "artifactLocation": place,
            // GitHub shows nothing that has no line.
            "region": { "startLine": finding.line.unwrap_or(1).max(1) },
        }}],
        // GitHub goes by the first; both are the identity that the finding keeps over rounds (§5.1).
        "partialFingerprints": {
            "primaryLocationLineHash": tracked.fingerprint.as_str(),
            "collie/v1": tracked.fingerprint.as_str(),
        },
        "rank": f64::from(finding.confidence.permille()) / 10.0,
        "properties": {
            "priority": finding.priority, "kind": finding.kind, "source": finding.source.name,
            "alsoFoundBy": tracked.also_found_by,
        },
    });
    if let Some(index) = index {
        result["ruleIndex"] = index.into();
    }
    if let Some(new) = &tracked.replacement {
        result["fixes"] = json!([{ "artifactChanges": [{
            "artifactLocation": place,
            "replacements": [{
                "deletedRegion": { "startLine": new.first, "endLine": new.last },
                "insertedContent": { "text": new.text },
            }],
        }]}]);
    }
    result
}

/// Title, reasons and advice, a paragraph each.
fn text_of(finding: &Finding) -> String {
    let parts = [
        Some(&finding.title),
        Some(&finding.description),
        finding.suggestion.as_ref(),
    ];
    let parts: Vec<String> = parts
        .into_iter()
        .flatten()
        .map(|part| visible_block(part.trim()).into_owned())
        .filter(|part| !part.is_empty())
        .collect();
    match parts.is_empty() {
        true => rule_id(finding),
        false => parts.join("\n\n"),
    }
}

fn artifact(path: &str) -> Value {
    let uri = utf8_percent_encode(path, PATH).to_string();
    json!({ "uri": uri, "uriBaseId": "%SRCROOT%" })
}

fn notification(id: &str, level: &str, text: &str, file: Option<&str>) -> Value {
    let mut told = json!({
        "descriptor": { "id": id }, "level": level, "message": { "text": text },
    });
    if let Some(path) = file {
        told["locations"] = json!([{ "physicalLocation": { "artifactLocation": artifact(path) } }]);
    }
    told
}

fn unseen(file: &UnseenFile, localizer: &CliLocalizer) -> Value {
    let level = match file.reason.needs_look() {
        true => "warning",
        false => "note",
    };
    let text = localize!(
        localizer,
        "cli-unseen-file",
        path = file.path.clone(),
        reason = localizer.shared.unseen_reason(file.reason)
    );
    notification("unseen", level, &text, Some(&file.path))
}

#[cfg(test)]
mod tests {
    use super::*;
    use collie_app::review::PostOutcome;
    use collie_core::coverage::Coverage;
    use collie_core::ids::{Fingerprint, PullName, Sha};
    use collie_core::post::ReviewOutcome;
    use collie_core::review::{Conclusion, IssueCounts};
    use collie_core::tracked_finding::FindingStatus;
    use collie_core::usage::Usage;
    use std::collections::BTreeSet;

    const SCHEMA: &str = include_str!("../tests/data/sarif-2.1.0.schema.json");

    fn found(category: &str, priority: &str, file: &str) -> TrackedFinding {
        let finding = json!({
            "id": "1", "priority": priority, "category": category, "file": file, "line": 7,
            "title": "A title", "description": "Reasons.", "suggestion": null,
            "source": {"type": "agent", "name": "quinn", "reviewId": null, "timestamp": "2026-01-01T00:00:00Z"},
        });
        let tracked = json!({
            "finding": finding, "fingerprint": format!("{category}{file}"), "status": "open",
            "introduced_by_fix": false, "first_round": 1, "last_round": 1, "fixed_in": [],
            "rejection": null, "in_diff": true,
        });
        let tracked: TrackedFinding = serde_json::from_value(tracked).unwrap();
        assert_eq!(tracked.status, FindingStatus::Open);
        assert_eq!(
            tracked.fingerprint,
            Fingerprint::new(format!("{category}{file}"))
        );
        tracked
    }

    fn review_of(number: u64, findings: Vec<TrackedFinding>) -> CompletedReview {
        CompletedReview {
            pull: PullName::parse(&format!("acme/app#{number}")).unwrap(),
            url: format!("https://github.com/acme/app/pull/{number}"),
            head: Sha::parse(&"a".repeat(40)).unwrap(),
            reviewers: vec!["rules".into()],
            outcome: ReviewOutcome {
                conclusion: Conclusion::RequestChanges,
                counts: IssueCounts::default(),
                unread: false,
                unseen: 0,
                changes_requested: false,
            },
            coverage: Coverage {
                unseen: Vec::new(),
                rules_only: BTreeSet::new(),
            },
            left_out: Vec::new(),
            unread_files: Vec::new(),
            permission_unread: BTreeSet::new(),
            findings: findings.into_iter().map(|one| (one, None)).collect(),
            unsure: Vec::new(),
            body: String::new(),
            comments: Vec::new(),
            usage: Usage::default(),
            posted: PostOutcome::NotPosted,
        }
    }

    fn validator() -> jsonschema::Validator {
        let mut schema: Value = serde_json::from_str(SCHEMA).unwrap();
        // Its pattern for languages has a bracket too many for any engine but that of a browser.
        for holder in ["run", "toolComponent"] {
            let language = schema["definitions"][holder]["properties"]["language"].as_object_mut();
            language.unwrap().remove("pattern").unwrap();
        }
        jsonschema::draft7::new(&schema).unwrap()
    }

    /// The file, held against the schema.
    fn judged(reviews: &[CompletedReview]) -> SarifLog {
        let made = sarif_log(reviews, &CliLocalizer::new("en"));
        let validator = validator();
        let wrong: Vec<_> = validator
            .iter_errors(&made.log)
            .map(|error| format!("{error} at {}", error.instance_path()))
            .collect();
        assert!(wrong.is_empty(), "{wrong:#?}");
        made
    }

    #[test]
    fn the_schema_refuses_what_is_no_sarif() {
        let validator = validator();
        let mut log = judged(&[review_of(1, vec![found("security", "P1", "a.rs")])]).log;
        assert!(validator.is_valid(&log));
        log["runs"][0]["results"][0]["level"] = "grave".into();
        assert!(!validator.is_valid(&log));
    }

    #[test]
    fn a_rule_is_as_grave_as_its_gravest_finding_and_security_has_a_number() {
        let made = judged(&[review_of(
            1,
            vec![
                found("security", "P0", "a.rs"),
                found("security", "P2", "b.rs"),
                found("tests", "P2", "c.rs"),
                found("lint:F821", "P3", "d.py"),
            ],
        )]);
        assert!(made.remarks.is_empty(), "{:?}", made.remarks);
        let run = &made.log["runs"][0];
        let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
        let ids: Vec<_> = rules.iter().map(|rule| &rule["id"]).collect();
        assert_eq!(ids, ["lint/F821", "reviewer/security", "reviewer/tests"]);
        assert_eq!(rules[1]["properties"]["security-severity"], "9.5");
        assert_eq!(rules[1]["defaultConfiguration"]["level"], "error");
        assert_eq!(rules[2]["properties"]["security-severity"], Value::Null);
        let results = run["results"].as_array().unwrap();
        let levels: Vec<_> = results
            .iter()
            .map(|result| (result["ruleIndex"].clone(), result["level"].clone()))
            .collect();
        let expect = [(1, "error"), (1, "warning"), (2, "warning"), (0, "note")];
        assert_eq!(
            levels,
            expect.map(|(index, level)| (json!(index), json!(level)))
        );
    }

    #[test]
    fn a_path_is_an_address_below_the_root() {
        let made = judged(&[review_of(1, vec![found("tests", "P2", "src/à b#c%20?.rs")])]);
        let result = &made.log["runs"][0]["results"][0];
        let place = &result["locations"][0]["physicalLocation"]["artifactLocation"];
        assert_eq!(place["uri"], "src/%C3%A0%20b%23c%2520%3F.rs");
        assert_eq!(place["uriBaseId"], "%SRCROOT%");
        let provenance = &made.log["runs"][0]["versionControlProvenance"][0];
        assert_eq!(provenance["repositoryUri"], "https://github.com/acme/app");
    }

    #[test]
    fn what_has_no_place_is_told_and_counted() {
        let mut reviewed = review_of(
            1,
            vec![found("tests", "P1", ""), found("tests", "P2", "a.rs")],
        );
        reviewed.unsure = vec![found("style", "P2", "b.rs")];
        reviewed.outcome.unread = true;
        reviewed.coverage.unseen =
            serde_json::from_value(json!([{"path": "x y.bin", "reason": "too_large"}])).unwrap();
        let made = judged(&[reviewed]);
        let run = &made.log["runs"][0];
        assert_eq!(run["results"].as_array().unwrap().len(), 1);
        let told = run["invocations"][0]["toolExecutionNotifications"]
            .as_array()
            .unwrap();
        let ids: Vec<_> = told
            .iter()
            .map(|one| one["descriptor"]["id"].as_str().unwrap())
            .collect();
        assert_eq!(
            ids,
            ["limits", "reviewer/tests", "unsure", "unread", "unseen"]
        );
        assert_eq!(made.remarks.len(), 1, "{:?}", made.remarks);
        assert!(made.remarks[0].contains("acme/app#1"), "{:?}", made.remarks);
    }

    #[test]
    fn no_run_has_more_results_than_github_takes_and_the_rest_is_counted() {
        let one = found("tests", "P2", "a.rs");
        let mut findings = vec![found("security", "P0", "first.rs")];
        findings.extend(std::iter::repeat_n(one, MAX_RESULTS));
        let made = sarif_log(&[review_of(1, findings)], &CliLocalizer::new("en"));
        let results = made.log["runs"][0]["results"].as_array().unwrap();
        assert_eq!(results.len(), MAX_RESULTS);
        assert_eq!(results[0]["level"], "error");
        assert!(
            made.remarks[0].contains("25,001") || made.remarks[0].contains("25001"),
            "{:?}",
            made.remarks
        );
    }

    #[test]
    fn each_pull_request_has_a_run_of_its_own_category() {
        let reviews: Vec<_> = (1..=21)
            .map(|number| review_of(number, Vec::new()))
            .collect();
        let made = judged(&reviews);
        let runs = made.log["runs"].as_array().unwrap();
        let ids: BTreeSet<_> = runs
            .iter()
            .map(|run| run["automationDetails"]["id"].as_str().unwrap())
            .collect();
        assert_eq!(ids.len(), 21);
        assert!(ids.contains("collie/acme/app/21/"));
        assert_eq!(made.remarks.len(), 1, "{:?}", made.remarks);
    }
}
