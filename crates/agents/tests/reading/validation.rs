//! The second look.

use crate::fixtures::{
    changed_file, count_tokens, finding, material, render_prompt, tracked_finding,
};
use collie_agents::prompting::{
    Material, PromptTarget, needs_validation, parse_validations, validation_prompt,
};
use collie_core::code_context::{CodeRole, RelatedCode};
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

/// Four files of 40 new lines each, of which the first uses what the second defines.
fn linked_change() -> Material {
    let mut linked = material();
    let rows = |name: &str| -> String { (0..40).map(|n| format!("{name}_{n} = {n}\n")).collect() };
    let files = ["a", "b", "c", "d"];
    linked.files = files
        .map(|name| changed_file(&format!("{name}.py"), None, Some(&rows(name))))
        .into();
    linked.context.links = [("a.py".to_owned(), "b.py".to_owned())].into();
    linked
}

/// Which of the files `a` to `d` a second look at a finding is shown the change of.
fn shown_changes(asked: &Material, file: &str, budget: u32) -> Vec<&'static str> {
    let found = finding("quinn", file, Some(1), "A fault", "");
    let how = PromptTarget::Model;
    let prompt = validation_prompt(asked, &[&found], budget, &count_tokens, how).expect("it fits");
    let text = prompt.user.concat();
    let files = ["a", "b", "c", "d"].into_iter();
    let shown = |name: &&str| text.contains(&format!("+ {name}_39 = 39\n"));
    files.filter(shown).collect()
}

/// The cause of a fault may lie in another file of the change, on either side of what uses what.
#[test]
fn a_second_look_is_shown_the_changes_that_its_file_is_tied_to() {
    let linked = linked_change();
    assert_eq!(shown_changes(&linked, "a.py", 16_000), ["a", "b"]);
    assert_eq!(shown_changes(&linked, "b.py", 16_000), ["a", "b"]);
    assert_eq!(shown_changes(&linked, "c.py", 16_000), ["c"]);
    let all = shown_changes(&linked, "", 16_000);
    assert_eq!(all, ["a", "b", "c", "d"], "it is about the whole change");
    let beside = shown_changes(&linked, "caller.py", 16_000);
    assert_eq!(beside, all, "any of it may have broken what stays as it is");
}

#[test]
fn a_second_look_at_a_file_that_a_push_took_out_of_the_change_is_shown_what_it_did() {
    let mut asked = linked_change();
    let guard = "def guard():\n    refuse()\n";
    asked.delta = Some(vec![changed_file("guard.py", Some(guard), Some("\n"))]);
    let found = finding("quinn", "guard.py", None, "The guard is gone", "");
    let how = PromptTarget::Model;
    let prompt = validation_prompt(&asked, &[&found], 16_000, &count_tokens, how).unwrap();
    let text = prompt.user.concat();
    assert!(text.contains("refuse()"), "{text}");
    assert!(!text.contains("+ a_39"), "nothing else is needed: {text}");
}

/// One in eight tokens is for files that it is tied to: there is a look for each finding.
#[test]
fn what_a_finding_is_tied_to_keeps_to_its_share() {
    let mut linked = linked_change();
    let long: String = (0..1_000).map(|n| format!("b_{n} = {n}\n")).collect();
    linked.files[1] = changed_file("b.py", None, Some(&long));
    linked.files[2] = changed_file("tests/test_a.py", None, Some(&long.replace('b', "t")));
    for other in ["tests/test_a.py", "d.py"] {
        let link = (other.to_owned(), "a.py".to_owned());
        linked.context.links.insert(link);
    }
    let found = finding("quinn", "a.py", Some(1), "A fault", "");
    let prompt = validation_prompt(
        &linked,
        &[&found],
        16_000,
        &count_tokens,
        PromptTarget::Model,
    )
    .unwrap();
    let text = prompt.user.concat();
    assert!(text.contains("+ a_39 = 39\n") && text.contains("+ d_39 = 39\n"));
    let rows = text.matches("+ b_").count();
    let of_tests = text.matches("+ t_").count();
    assert!((200..600).contains(&rows), "{rows}");
    assert!(of_tests <= 40, "code comes before tests: {of_tests}");
    let told = prompt.user.last().unwrap();
    assert!(told.contains("changed lines b.py:"), "{told}");
    assert!(prompt.tokens < 6_000, "{}", prompt.tokens);
}

/// Of the code beside the change that which its own file touches; an agent reads more of it by itself.
#[test]
fn a_second_look_is_shown_the_code_beside_its_file() {
    let mut linked = linked_change();
    let beside = |path: &str, touched_by: &str, lines: u32| RelatedCode {
        symbol: "rate_of".into(),
        role: CodeRole::Definition,
        path: path.into(),
        lines: (1..=lines)
            .map(|n| (n, format!("rate_of_{path}_{n}")))
            .collect(),
        touched_by: vec![touched_by.into()],
    };
    linked.context.related = vec![
        beside("far.py", "c.py", 2),
        beside("rates.py", "a.py", 2),
        beside("long.py", "a.py", 150),
    ];
    let shown = |file: &str, how: PromptTarget| {
        let found = finding("quinn", file, Some(1), "A fault", "");
        let prompt = validation_prompt(&linked, &[&found], 16_000, &count_tokens, how).unwrap();
        let text = prompt.user.concat();
        let section = text.matches("## Code beside the change").count();
        let last_lines = ["far.py_2", "rates.py_2", "long.py_150"];
        (section, last_lines.map(|line| text.contains(line)))
    };
    let model = PromptTarget::Model;
    assert_eq!(shown("a.py", model), (1, [false, true, true]));
    assert_eq!(shown("c.py", model), (1, [true, false, false]));
    assert_eq!(shown("d.py", model), (0, [false; 3]));
    assert_eq!(shown("", model), (1, [true; 3]));
    assert_eq!(shown("rates.py", model), (1, [true; 3]));
    let agent = shown("a.py", PromptTarget::Agent);
    assert_eq!(agent, (1, [false, true, false]));
}

/// What the looks at findings of one file share comes first, so that a service keeps it.
#[test]
fn second_looks_at_one_file_begin_alike() {
    let mut linked = linked_change();
    linked.context.related = vec![RelatedCode {
        symbol: "rate_of".into(),
        role: CodeRole::Definition,
        path: "rates.py".into(),
        lines: vec![(1, "rate_of = 3".to_owned())],
        touched_by: vec!["a.py".into()],
    }];
    let look = |line: u32, title: &str| {
        let found = finding("quinn", "a.py", Some(line), title, "");
        let how = PromptTarget::Model;
        validation_prompt(&linked, &[&found], 16_000, &count_tokens, how).unwrap()
    };
    let (one, other) = (look(1, "A fault"), look(20, "Another"));
    let shared = one.shared_user_parts;
    assert_eq!((shared, other.shared_user_parts), (3, 3));
    assert_eq!(one.system, other.system);
    assert_eq!(one.user[..shared], other.user[..shared]);
    assert!(one.user[..shared].concat().contains("rate_of = 3"));
    assert_ne!(one.user[shared], other.user[shared]);
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
