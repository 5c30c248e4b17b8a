//! The second look.

use crate::fixtures::{
    changed_file, count_tokens, finding, material, render_prompt, tracked_finding,
};
use collie_agents::prompting::{
    Material, PromptTarget, needs_validation, parse_validations, validation_prompt,
};
use collie_core::finding::{Finding, FindingKind, Priority, SourceType};
use collie_core::review::{Conclusion, IssueCounts, ReviewerResult};
use collie_core::tracked_finding::TrackedFinding;
use serde_json::{Value, json};

const FILE: &str = "shop/orders.py";

fn reviewer_result(by: &str, findings: Vec<Finding>) -> ReviewerResult {
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
            reviewer_result("quinn", vec![one.clone()]),
            reviewer_result(&other.source.name.clone(), vec![other.clone()]),
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

/// Near each other, and of one sort or in like words.
#[test]
fn agreement_is_on_one_fault_in_one_place() {
    let one = finding(
        "quinn",
        FILE,
        Some(18),
        "alpha bravo charlie delta echo",
        "x",
    );
    let check = |line: Option<u32>, title: &str, category: &str, expect: bool| {
        let mut one = one.clone();
        one.line = line.and(one.line);
        let other = Finding {
            category: category.into(),
            ..finding("sam", FILE, line, title, "y")
        };
        let results = [
            reviewer_result("quinn", vec![one]),
            reviewer_result("sam", vec![other]),
        ];
        let agreed = needs_validation(&results).is_empty();
        assert_eq!(agreed, expect, "{line:?} {title} {category}");
    };
    let (same, other) = ("correctness", "security");
    let some = "alpha bravo x-ray yankee zulu";
    let half = "alpha bravo yankee zulu";
    check(Some(12), some, same, true);
    check(Some(24), some, same, true);
    check(Some(25), some, same, false);
    check(Some(18), some, other, false);
    check(Some(18), half, other, true);
    check(None, half, same, true);
    check(None, some, same, false);
    check(None, half, other, false);
    // Who praises a place does not report its fault.
    let praise = Finding {
        kind: FindingKind::Praise,
        ..finding("sam", FILE, Some(18), &one.title, "y")
    };
    let results = [
        reviewer_result("quinn", vec![one.clone()]),
        reviewer_result("sam", vec![praise]),
    ];
    assert_eq!(needs_validation(&results), [&one]);
}

#[test]
fn what_blocks_nothing_or_is_sure_needs_none() {
    let base = finding("quinn", FILE, Some(18), "A fault", "x");
    let of = |change: fn(&mut Finding)| {
        let mut finding = base.clone();
        change(&mut finding);
        needs_validation(&[reviewer_result("quinn", vec![finding])]).len()
    };
    assert_eq!(of(|_| {}), 1);
    assert_eq!(of(|f| f.kind = FindingKind::Suggestion), 1);
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
    let prompt = validation_prompt(
        &material(),
        &findings,
        16_000,
        &count_tokens,
        PromptTarget::Model,
    )
    .unwrap();
    assert_eq!(prompt.omitted, []);
    insta::assert_snapshot!(render_prompt(&prompt));
}

/// What a bot found and the fixer declined is weighed with the fixer's reason.
#[test]
fn a_declined_finding_stands_beside_the_reason() {
    let average = finding(
        "coderabbitai",
        FILE,
        Some(18),
        "An average of no orders fails",
        "return sum(total(order) for order in orders) / len(orders)",
    );
    let known = tracked_finding(average, Some("Nobody calls it without orders."));
    let asked = Finding {
        id: known.fingerprint.to_string(),
        ..known.finding.clone()
    };
    let told = |tracked: Vec<TrackedFinding>| {
        let material = Material {
            tracked_findings: tracked,
            ..material()
        };
        let (count, how) = (&count_tokens, PromptTarget::Model);
        let prompt = validation_prompt(&material, &[&asked], 16_000, count, how).unwrap();
        prompt
            .user
            .concat()
            .contains("Nobody calls it without orders.")
    };
    assert!(told(vec![known]));
    assert!(!told(Vec::new()), "control");
}

/// Each finding has its own code beside it, and of the change what was done to its file alone.
#[test]
fn the_code_around_a_finding_is_that_of_its_line() {
    let rows = |range: std::ops::RangeInclusive<u32>| -> String {
        range.map(|n| format!("value_{n:03} = {n}\n")).collect()
    };
    let mut long = material();
    let (before, after) = (rows(1..=399), rows(1..=400));
    let files = ["a.py", "b.py", "c.py"];
    long.files = files
        .map(|path| changed_file(path, Some(&before), Some(&after)))
        .into();
    let findings = [
        finding("quinn", "a.py", Some(100), "A", "x"),
        finding("quinn", "b.py", Some(300), "B", "y"),
    ];
    let findings: Vec<&Finding> = findings.iter().collect();
    let prompt = |how| validation_prompt(&long, &findings, 16_000, &count_tokens, how).unwrap();
    let text = render_prompt(&prompt(PromptTarget::Model));
    let of_first = text.split("**F1**").nth(1).unwrap();
    let (of_first, of_second) = of_first.split_once("**F2**").unwrap();
    let shown = |text: &str, line: u32| text.contains(&format!("value_{line:03} = {line}\n"));
    let check = |text: &str, (first, last): (u32, u32)| {
        let there = [first - 1, first, last, last + 1].map(|line| shown(text, line));
        assert_eq!(there, [false, true, true, false], "{text}");
    };
    check(of_first, (70, 130));
    check(of_second, (270, 330));
    let in_change = files.map(|path| text.contains(&format!("\n{path}\n")));
    assert_eq!(in_change, [true, true, false]);
    let agent = prompt(PromptTarget::Agent);
    assert!(agent.user.last().unwrap().contains("checkout of the head"));
}

#[test]
fn each_finding_gets_one_score_of_the_rubric() {
    let findings = [
        finding("quinn", FILE, Some(18), "A", "x"),
        finding("quinn", FILE, Some(8), "B", "y"),
    ];
    let findings: Vec<&Finding> = findings.iter().collect();
    let scored =
        |name: &str, score: Value| json!({"finding": name, "reason": "Line 3.", "score": score});
    let read = parse_validations(
        &json!({"verdicts": [scored("F2", json!("25")), scored("f1", json!(100))]}),
        &findings,
    )
    .unwrap();
    let got: Vec<_> = read
        .iter()
        .map(|v| (v.finding_id.as_str(), v.confidence.permille()))
        .collect();
    assert_eq!(got, [("quinn-A", 1000), ("quinn-B", 250)]);
    let wrong = parse_validations(
        &json!({"verdicts": [scored("F1", json!("80")), scored("F9", json!("50"))]}),
        &findings,
    )
    .unwrap_err();
    assert_eq!(
        wrong,
        [
            "`verdicts[0].score` is \"80\": expected one of `0`, `25`, `50`, `75`, `100`",
            "`verdicts[1].finding` is `F9`: you were asked about F1 to F2",
            "`verdicts` has none on F1",
            "`verdicts` has none on F2",
        ]
    );
    let twice = [("F1", "75"), ("F2", "75"), (" F1 ", "0")];
    let twice = twice.map(|(name, score)| scored(name, json!(score)));
    assert_eq!(
        parse_validations(&json!({"verdicts": twice}), &findings).unwrap_err(),
        ["`verdicts` answers F1 twice"]
    );
    assert_eq!(
        parse_validations(&json!(1), &findings).unwrap_err(),
        ["the answer is no JSON object"]
    );
    assert_eq!(parse_validations(&json!({"verdicts": []}), &[]), Ok(vec![]));
    // Each score has its sentence.
    let prompt = validation_prompt(
        &material(),
        &findings[..1],
        16_000,
        &count_tokens,
        PromptTarget::Model,
    )
    .unwrap();
    for score in ["0", "25", "50", "75", "100"] {
        let anchor = format!("\n- `{score}`: ");
        assert_eq!(prompt.system[0].matches(&anchor).count(), 1, "{score}");
    }
    assert!(
        prompt.user[0].contains("Totals now hold VAT"),
        "the purpose"
    );
}
