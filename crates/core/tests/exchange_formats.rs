//! The shapes A1 to A6 against the examples of the review-loop specification, and their invariants.

use collie_core::consensus::{ConsensusRule, consensus};
use collie_core::finding::*;
use collie_core::fix::*;
use collie_core::ids::Login;
use collie_core::review::*;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value, json};

fn finding_example() -> Value {
    json!({
        "id": "SEC-001", "priority": "P0", "category": "security", "file": "src/auth.ts", "line": 42,
        "title": "Hard-coded token", "description": "...", "suggestion": "...",
        "source": {
            "type": "agent", "name": "reviewer-1", "reviewId": null, "timestamp": "2026-01-24T00:00:00Z"
        }
    })
}

fn zero_counts() -> Value {
    json!({ "p0_blocking": 0, "p1_critical": 0, "p2_important": 0, "p3_suggestion": 0 })
}

/// Reads it, writes it, and finds every field of the example again with its value.
fn round_trip<T: Serialize + DeserializeOwned>(example: &Value) -> T {
    let read: T = serde_json::from_value(example.clone()).expect("the example is read");
    let written = serde_json::to_value(&read).expect("it is written");
    for (field, value) in example.as_object().expect("an object") {
        assert_eq!(written.get(field), Some(value), "field {field}");
    }
    let again: T = serde_json::from_value(written.clone()).expect("what was written is read");
    assert_eq!(serde_json::to_value(&again).expect("written"), written);
    read
}

#[test]
fn the_examples_keep_their_fields() {
    round_trip::<Finding>(&finding_example());
    round_trip::<ReviewerResult>(&json!({
        "agent": "reviewer-1", "prNumber": 123, "conclusion": "approve", "issues": zero_counts(),
        "findings": [], "fullReport": "Markdown report (no full diffs)"
    }));
    round_trip::<CommentsResult>(&json!({
        "agent": "comments-analyzer", "prNumber": 123,
        "reviewState": {
            "hasChangesRequested": false,
            "changesRequestedBy": [{ "login": "reviewer", "association": "MEMBER" }]
        },
        "stats": { "totalThreads": 0, "resolvedThreads": 0, "unresolvedThreads": 0 },
        "threadsTruncated": false, "issues": zero_counts(), "pendingIssues": [],
        "fullReport": "Markdown report"
    }));
    round_trip::<FixPayload>(&json!({
        "prNumber": 123, "round": 1, "issuesToFix": [], "optionalIssues": []
    }));
    round_trip::<FixResult>(&fix_example());
    assert_eq!(COMMENT_MARKER, "<!-- pr-review-loop-marker -->");
}

fn fix_example() -> Value {
    json!({
        "agent": "pr-fix", "prNumber": 123, "summary": { "fixed": 0, "rejected": 0, "deferred": 0 },
        "fixedIssues": [
            { "findingId": "SEC-001", "commitSha": "abcdef0", "description": "..." }
        ],
        "rejectedIssues": [{ "findingId": "SEC-002", "reason": "..." }],
        "commits": [{ "sha": "abcdef0", "message": "fix: ..." }]
    })
}

#[test]
fn a_line_may_be_null_and_unknown_values_are_refused() {
    let mut finding = finding_example();
    finding["line"] = Value::Null;
    assert_eq!(
        serde_json::from_value::<Finding>(finding)
            .expect("read")
            .line,
        None
    );
    for (field, wrong) in [
        ("priority", json!("P4")),
        ("line", json!(-1)),
        ("confidence", json!(1.5)),
        ("kind", json!("rant")),
        (
            "source",
            json!({ "type": "oracle", "name": "x", "reviewId": null, "timestamp": "" }),
        ),
    ] {
        let mut finding = finding_example();
        finding[field] = wrong;
        assert!(
            serde_json::from_value::<Finding>(finding).is_err(),
            "{field}"
        );
    }
}

fn finding(id: &str, priority: &str) -> Finding {
    let mut value = finding_example();
    value["id"] = json!(id);
    value["priority"] = json!(priority);
    serde_json::from_value(value).expect("a finding")
}

fn reviewer_result(conclusion: Conclusion, findings: Vec<Finding>) -> ReviewerResult {
    ReviewerResult {
        agent: "quinn".into(),
        pr_number: 1,
        conclusion,
        issues: IssueCounts::default(),
        findings,
        full_report: String::new(),
        escalations: Vec::new(),
    }
}

#[test]
fn counts_and_conclusion_are_recomputed_from_the_findings() {
    let lenient = reviewer_result(
        Conclusion::Approve,
        vec![finding("A", "P0"), finding("B", "P3")],
    );
    let valid = lenient.validated(1).expect("valid");
    assert_eq!(
        (valid.issues.p0_blocking, valid.issues.p3_suggestion),
        (1, 1)
    );
    assert_eq!(valid.conclusion, Conclusion::NeedsMajorWork);
}

#[test]
fn a_result_that_contradicts_itself_is_a_violation() {
    let no_reason = reviewer_result(Conclusion::RequestChanges, Vec::new()).validated(1);
    assert_eq!(
        no_reason,
        Err(InvalidResult::MissingFindings("quinn".into()))
    );
    let other = reviewer_result(Conclusion::Approve, Vec::new()).validated(2);
    assert_eq!(
        other,
        Err(InvalidResult::WrongPull {
            expected: 2,
            got: 1
        })
    );
    let twice = reviewer_result(
        Conclusion::Approve,
        vec![finding("A", "P1"), finding("A", "P2")],
    )
    .validated(1);
    assert!(matches!(twice, Err(InvalidResult::InvalidFinding { .. })));
}

#[test]
fn every_issue_is_answered_once() {
    let payload = FixPayload {
        pr_number: 123,
        round: 1,
        issues_to_fix: vec![finding("SEC-001", "P0"), finding("SEC-002", "P1")],
        optional_issues: vec![finding("OPT-1", "P3")],
        attempts: Vec::new(),
        replacements: Default::default(),
        joined: Default::default(),
        notes: Vec::new(),
        turn: None,
    };
    let example: FixResult = serde_json::from_value(fix_example()).expect("the example");
    let valid = example.clone().validated(&payload).expect("balanced");
    assert_eq!(
        valid.summary,
        FixSummary {
            fixed: 1,
            rejected: 1,
            deferred: 1
        }
    );
    let mut missing = example.clone();
    missing.rejected_issues.clear();
    let mut twice = example.clone();
    twice.rejected_issues[0].finding_id = "SEC-001".into();
    let mut unknown = example;
    unknown.rejected_issues[0].finding_id = "SEC-999".into();
    for (result, expect) in [(missing, "missing"), (twice, "twice"), (unknown, "unknown")] {
        let error = result.validated(&payload).expect_err(expect);
        assert!(
            matches!(error, InvalidResult::UnmatchedIssue { what, .. } if what == expect),
            "{expect}"
        );
    }
}

#[test]
fn consensus_follows_rules_zero_to_four_in_order() {
    let ana = [Login::new("ana")];
    let check = |people: &[Login], priorities: &[&str]| {
        let findings: Vec<Finding> = priorities.iter().map(|p| finding(p, p)).collect();
        let agreed = consensus(people, &findings);
        (agreed.conclusion, agreed.rule)
    };
    use Conclusion::*;
    assert_eq!(
        check(&ana, &["P0"]),
        (RequestChanges, ConsensusRule::ChangesRequested)
    );
    assert_eq!(
        check(&[], &["P3", "P1", "P0"]),
        (NeedsMajorWork, ConsensusRule::Blocking)
    );
    assert_eq!(
        check(&[], &["P2", "P1"]),
        (RequestChanges, ConsensusRule::Critical)
    );
    assert_eq!(
        check(&[], &["P3", "P2"]),
        (RequestChanges, ConsensusRule::Important)
    );
    assert_eq!(check(&[], &["P3", "P3"]), (Approve, ConsensusRule::Clear));
    assert_eq!(check(&[], &[]), (Approve, ConsensusRule::Clear));
}
