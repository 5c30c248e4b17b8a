//! The second look.

use crate::stage::{count, finding, material, whole};
use collie_agents::reading::{
    ReaderKind, SecondVerdict, needs_validation, validated, validation_prompt,
};
use collie_core::shapes::{
    Conclusion, Finding, FindingKind, IssueCounts, Priority, ReviewerResult, SourceType,
};
use serde_json::json;

const FILE: &str = "shop/orders.py";

fn result(by: &str, findings: Vec<Finding>) -> ReviewerResult {
    ReviewerResult {
        agent: by.into(),
        pr_number: 12,
        conclusion: Conclusion::Approve,
        issues: IssueCounts::default(),
        findings,
        full_report: String::new(),
        escalations: Vec::new(),
    }
}

#[test]
fn what_two_agree_on_needs_no_second_look() {
    let one = finding(
        "quinn",
        FILE,
        Some(18),
        "An average of no orders fails",
        "x",
    );
    let check = |other: Finding, expect: usize| {
        let results = [
            result("quinn", vec![one.clone()]),
            result(&other.source.name.clone(), vec![other.clone()]),
        ];
        assert_eq!(needs_validation(&results).len(), expect, "{other:?}");
    };
    check(
        finding(
            "sam",
            FILE,
            Some(17),
            "The average divides by no orders",
            "y",
        ),
        0,
    );
    check(
        finding("sam", FILE, Some(30), "An average of no orders fails", "y"),
        2,
    );
    check(
        finding(
            "sam",
            "a.py",
            Some(18),
            "An average of no orders fails",
            "y",
        ),
        2,
    );
    check(finding("sam", FILE, Some(18), "Secrets are logged", "y"), 2);
    // One reviewer twice is still one.
    check(
        finding(
            "quinn",
            FILE,
            Some(18),
            "An average of no orders fails",
            "y",
        ),
        2,
    );
}

#[test]
fn what_blocks_nothing_or_is_sure_needs_none() {
    let base = finding("quinn", FILE, Some(18), "A fault", "x");
    let of = |change: fn(&mut Finding)| {
        let mut finding = base.clone();
        change(&mut finding);
        needs_validation(&[result("quinn", vec![finding])]).len()
    };
    assert_eq!(of(|_| {}), 1);
    assert_eq!(of(|f| f.priority = Priority::P3), 0);
    assert_eq!(of(|f| f.kind = FindingKind::Question), 0);
    assert_eq!(of(|f| f.source.kind = SourceType::Rules), 0);
    assert_eq!(of(|f| f.source.kind = SourceType::Human), 0);
}

#[test]
fn the_second_look_is_given_each_finding_with_the_code_around_it() {
    let average = finding(
        "quinn",
        FILE,
        Some(18),
        "An average of no orders fails",
        "return sum(total(order) for order in orders) / len(orders)",
    );
    let general = Finding {
        evidence: None,
        ..finding("quinn", "", None, "No test covers averages", "")
    };
    let findings = [&average, &general];
    let prompt =
        validation_prompt(&material(), &findings, 16_000, &count, ReaderKind::Model).unwrap();
    assert_eq!(prompt.left_out, []);
    insta::assert_snapshot!(whole(&prompt));
}

#[test]
fn each_finding_gets_one_verdict() {
    let findings = [
        finding("quinn", FILE, Some(18), "A", "x"),
        finding("quinn", FILE, Some(8), "B", "y"),
    ];
    let findings: Vec<&Finding> = findings.iter().collect();
    let verdict = |name: &str, verdict: &str| json!({"finding": name, "verdict": verdict, "reason": "Line 3."});
    let read = validated(
        &json!({"verdicts": [verdict("F2", "refuted"), verdict("f1", "upheld")]}),
        &findings,
    )
    .unwrap();
    let got: Vec<_> = read
        .iter()
        .map(|v| (v.finding.as_str(), v.verdict))
        .collect();
    assert_eq!(
        got,
        [
            ("quinn-A", SecondVerdict::Upheld),
            ("quinn-B", SecondVerdict::Refuted)
        ]
    );
    let wrong = validated(
        &json!({"verdicts": [verdict("F1", "maybe"), verdict("F9", "upheld")]}),
        &findings,
    )
    .unwrap_err();
    assert_eq!(
        wrong,
        [
            "`verdicts[0].verdict` is \"maybe\": expected one of `upheld`, `refuted`",
            "`verdicts[1].finding` is `F9`: you were asked about F1 to F2",
            "`verdicts` has none on F1",
            "`verdicts` has none on F2",
        ]
    );
    assert_eq!(
        validated(&json!(1), &findings).unwrap_err(),
        ["the answer is no JSON object"]
    );
    assert_eq!(validated(&json!({"verdicts": []}), &[]), Ok(vec![]));
}
