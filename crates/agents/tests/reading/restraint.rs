//! What a good reviewer does not say.

use crate::stage::{NOW, answer, changed, finding, material, second_look, thread};
use collie_agents::reading::{Material, Restrained, Settlement, Why, restrain, result};
use collie_core::shapes::{
    Conclusion, Confidence, Finding, FindingKind, IssueCounts, Priority, Replacement,
};
use serde_json::json;

const FILE: &str = "shop/orders.py";
const AVERAGE: &str = "return sum(total(order) for order in orders) / len(orders)";

fn only(finding: Finding, material: &Material) -> Restrained {
    restrain(answer(vec![finding]), material)
}

fn average(line: Option<u32>, evidence: &str) -> Finding {
    finding(
        "quinn",
        FILE,
        line,
        "An average of no orders fails",
        evidence,
    )
}

/// Why a finding is dropped, or where it goes: its line, and whether that is a position.
fn check(finding: Finding, material: &Material, expect: Result<(Option<u32>, bool), Why>) {
    let shown = format!("{finding:?}");
    let found = only(finding, material);
    let got = match (found.dropped.as_slice(), found.result.findings.as_slice()) {
        ([dropped], []) => Err(dropped.why.clone()),
        ([], [kept]) => Ok((kept.line, found.positions.contains_key(&kept.id))),
        other => panic!("{other:?}"),
    };
    assert_eq!(got, expect, "{shown}");
}

#[test]
fn evidence_must_stand_and_gives_the_line() {
    let material = material();
    check(average(Some(18), AVERAGE), &material, Ok((Some(18), true)));
    check(average(Some(3), AVERAGE), &material, Ok((Some(18), true)));
    check(average(None, AVERAGE), &material, Ok((Some(18), true)));
    check(
        average(Some(18), &format!("18 +     {AVERAGE}")),
        &material,
        Ok((Some(18), true)),
    );
    check(
        average(Some(17), &format!("def average(orders):\n{AVERAGE}")),
        &material,
        Ok((Some(17), true)),
    );
    check(
        average(Some(18), "return sum(orders) / 0"),
        &material,
        Err(Why::NoEvidence),
    );
    check(average(Some(18), ""), &material, Err(Why::NoEvidence));
    // About the file, about the change, about a line that the diff does not show.
    check(
        Finding {
            evidence: None,
            ..average(None, "")
        },
        &material,
        Ok((None, false)),
    );
    check(
        Finding {
            file: String::new(),
            evidence: None,
            ..average(None, "")
        },
        &material,
        Ok((None, false)),
    );
    check(
        average(Some(1), "import json"),
        &material,
        Ok((Some(1), false)),
    );
}

#[test]
fn a_finding_quotes_whole_lines_of_the_file_however_it_was_quoted() {
    let check = |quote: &str, expect: &str| {
        let found = only(average(Some(18), quote), &material());
        assert_eq!(
            found.result.findings[0].evidence.as_deref(),
            Some(expect),
            "{quote}"
        );
    };
    let whole = format!("    {AVERAGE}");
    check(AVERAGE, &whole);
    check("18 + return sum(total(order)", &whole);
    check(
        "def average(orders):\n...\nlen(orders)",
        &format!("def average(orders):\n{whole}"),
    );
}

#[test]
fn what_was_taken_out_is_told_beside_the_gap() {
    let found = only(
        average(Some(8), "    if not order.lines:\n        return 0"),
        &material(),
    );
    let kept = &found.result.findings[0];
    assert_eq!(kept.line, Some(7));
    assert_eq!(
        kept.evidence.as_deref(),
        Some("amount = sum(line.price * line.count for line in order.lines)")
    );
    assert_eq!(found.positions[&kept.id], 7);
    // A file that is gone has no line to tell it on.
    let mut gone = material();
    gone.files[2] = changed(FILE, Some(crate::stage::BEFORE), None);
    check(
        average(Some(8), "    if not order.lines:"),
        &gone,
        Ok((None, false)),
    );
}

#[test]
fn what_is_unsure_or_about_other_code_is_dropped() {
    let unsure = Finding {
        confidence: Confidence::from_permille(699),
        ..average(Some(18), AVERAGE)
    };
    check(unsure, &material(), Err(Why::LowConfidence));
    let elsewhere = finding("quinn", "shop/web/app.py", Some(1), "A fault", "run()");
    check(elsewhere, &material(), Err(Why::NotChanged));
}

#[test]
fn a_second_look_is_at_what_changed_since() {
    let again = second_look();
    check(
        average(Some(18), "if not orders:"),
        &again,
        Ok((Some(18), true)),
    );
    let old = "rate = RATES[order.country]";
    let about_rate = |priority| Finding {
        priority,
        ..finding("quinn", FILE, Some(8), "Unknown countries raise", old)
    };
    check(about_rate(Priority::P1), &again, Err(Why::NotChanged));
    check(about_rate(Priority::P0), &again, Ok((Some(8), true)));
}

#[test]
fn a_thread_that_says_it_already_is_enough() {
    let mut about = finding(
        "quinn",
        FILE,
        Some(8),
        "A country without a rate raises KeyError",
        "rate = RATES[order.country]",
    );
    let with = |thread| Material {
        threads: vec![thread],
        ..material()
    };
    let said = "What happens to a country without a rate here?";
    check(about.clone(), &material(), Err(Why::Covered { thread: 0 }));
    let mut resolved = thread(FILE, Some(8), said);
    resolved.resolved = true;
    check(
        about.clone(),
        &with(resolved.clone()),
        Err(Why::Covered { thread: 0 }),
    );
    // Settled on code that is gone; Collie's own; another file, another place, another point.
    resolved.outdated = true;
    check(about.clone(), &with(resolved), Ok((Some(8), true)));
    let mut own = thread(FILE, Some(8), said);
    own.own = true;
    check(about.clone(), &with(own), Ok((Some(8), true)));
    check(
        about.clone(),
        &with(thread("a.py", Some(8), said)),
        Ok((Some(8), true)),
    );
    check(
        about.clone(),
        &with(thread(FILE, Some(18), said)),
        Ok((Some(8), true)),
    );
    check(
        about.clone(),
        &with(thread(FILE, Some(8), "Please rename this variable to vat.")),
        Ok((Some(8), true)),
    );
    about.kind = FindingKind::Question;
    check(about, &material(), Err(Why::Covered { thread: 0 }));
}

#[test]
fn one_fault_is_said_once_and_the_gravest_first() {
    let weak = Finding {
        id: "weak".into(),
        priority: Priority::P2,
        ..average(Some(17), "def average(orders):")
    };
    let strong = Finding {
        id: "strong".into(),
        ..average(Some(18), AVERAGE)
    };
    let found = restrain(answer(vec![weak, strong]), &material());
    assert_eq!(found.result.findings[0].id, "strong");
    assert_eq!(
        found.dropped[0].why,
        Why::Duplicate {
            of: "strong".into()
        }
    );
    // Beyond what was asked for, the least goes.
    let few = Material {
        max_findings: 1,
        ..material()
    };
    let small = Finding {
        id: "small".into(),
        priority: Priority::P3,
        title: "Rates are hard-coded".into(),
        ..average(Some(8), "rate = RATES[order.country]")
    };
    let big = Finding {
        id: "big".into(),
        ..average(Some(18), AVERAGE)
    };
    let found = restrain(answer(vec![small, big]), &few);
    assert_eq!(
        (found.result.findings[0].id.as_str(), &found.dropped[0].why),
        ("big", &Why::TooMany)
    );
    assert_eq!(found.result.conclusion, Conclusion::RequestChanges);
}

#[test]
fn nothing_left_is_an_approval() {
    let found = only(average(Some(18), "not there"), &material());
    assert_eq!(
        (found.result.conclusion, found.result.issues),
        (Conclusion::Approve, IssueCounts::default())
    );
}

#[test]
fn a_suggestion_is_offered_where_it_applies_cleanly() {
    let offered = |evidence: &str, text: &str| {
        let mut answer = answer(vec![average(Some(18), evidence)]);
        let id = answer.result.findings[0].id.clone();
        answer.replacements.insert(id.clone(), text.into());
        restrain(answer, &material()).replacements.remove(&id)
    };
    let one = |text: &str| {
        Some(Replacement {
            first: 18,
            last: 18,
            text: text.into(),
        })
    };
    assert_eq!(offered(AVERAGE, "    return 0"), one("    return 0"));
    // Given from the first column, or in a fence.
    assert_eq!(
        offered(AVERAGE, "if not orders:\n    return 0\n"),
        one("    if not orders:\n        return 0")
    );
    assert_eq!(
        offered(AVERAGE, "```python\nreturn 0\n```"),
        one("    return 0")
    );
    assert_eq!(
        offered(
            &format!("def average(orders):\n    {AVERAGE}"),
            "def average(orders):\n    return 0"
        ),
        Some(Replacement {
            first: 17,
            last: 18,
            text: "def average(orders):\n    return 0".into()
        })
    );
    // Part of a line, no change, nothing, lines that the diff does not show.
    assert_eq!(offered("len(orders)", "1"), None);
    assert_eq!(offered(AVERAGE, &format!("    {AVERAGE}")), None);
    assert_eq!(offered(AVERAGE, " "), None);
    assert_eq!(offered("import json", "import orjson"), None);
}

#[test]
fn an_earlier_finding_that_stands_is_kept_under_its_identity() {
    let again = second_look();
    let verdicts = json!([
        {"finding": "K1", "verdict": "withdrawn", "reason": "I was wrong."},
        {"finding": "K2", "verdict": "open", "reason": "A shop without lines still fails."},
    ]);
    let answer = json!({"conclusion": "request_changes", "findings": [], "earlier": verdicts, "escalations": [], "fullReport": ""});
    let answer = result(&answer, &again, NOW).unwrap();
    assert_eq!(answer.settled[0].how, Settlement::Withdrawn);
    let found = restrain(answer, &again);
    assert_eq!(found.dropped, []);
    assert_eq!(found.result.findings[0].line, Some(7));
    // Its quote is gone: the reader has seen that, and says that the fault is not.
    let mut moved = again;
    moved.known[1].finding.evidence = Some("amount = add(order.lines)".into());
    let verdicts = json!([
        {"finding": "K1", "verdict": "fixed", "reason": "Yes."},
        {"finding": "K2", "verdict": "open", "reason": "No."},
    ]);
    let answer = json!({"conclusion": "request_changes", "findings": [], "earlier": verdicts});
    let found = restrain(result(&answer, &moved, NOW).unwrap(), &moved);
    assert_eq!(found.dropped, []);
    assert_eq!(found.result.findings[0].evidence, None);
}
