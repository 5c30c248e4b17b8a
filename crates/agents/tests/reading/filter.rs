//! What a good reviewer does not say.

use crate::fixtures::{
    NOW, changed_file, existing_thread, finding, material, material_after_fix, reviewer_answer,
};
use collie_agents::prompting::{
    DropReason, FilteredReview, Material, Settlement, filter_findings, misquotes, parse_review,
};
use collie_core::finding::{Confidence, Finding, FindingKind, Priority, Replacement};
use collie_core::review::{Conclusion, IssueCounts};
use serde_json::json;

const FILE: &str = "shop/orders.py";
const AVERAGE_LINE: &str = "return sum(total(order) for order in orders) / len(orders)";

fn filter_one(finding: Finding, material: &Material) -> FilteredReview {
    filter_findings(reviewer_answer(vec![finding]), material)
}

fn average_finding(line: Option<u32>, evidence: &str) -> Finding {
    finding(
        "quinn",
        FILE,
        line,
        "An average of no orders fails",
        evidence,
    )
}

/// Why a finding is dropped, or where it goes: its line, and whether that is a position.
fn check_filtered(
    finding: Finding,
    material: &Material,
    expect: Result<(Option<u32>, bool), DropReason>,
) {
    let shown = format!("{finding:?}");
    let found = filter_one(finding, material);
    let got = match (found.dropped.as_slice(), found.result.findings.as_slice()) {
        ([dropped], []) => Err(dropped.reason.clone()),
        ([], [kept]) => Ok((kept.line, found.positions.contains_key(&kept.id))),
        other => panic!("{other:?}"),
    };
    assert_eq!(got, expect, "{shown}");
}

#[test]
fn evidence_stands_with_a_hidden_character_as_it_was_shown_or_as_it_is() {
    let mut material = material();
    let line = "if level != \"user\u{202e} admin\" {";
    material.files = vec![changed_file(
        FILE,
        None,
        Some(&format!("fn a() {{\n    {line}\n")),
    )];
    for quote in [line.to_owned(), line.replace('\u{202e}', "\\u{202e}")] {
        check_filtered(
            average_finding(None, &quote),
            &material,
            Ok((Some(2), true)),
        );
    }
}

#[test]
fn evidence_must_stand_and_gives_the_line() {
    let material = material();
    check_filtered(
        average_finding(Some(18), AVERAGE_LINE),
        &material,
        Ok((Some(18), true)),
    );
    check_filtered(
        average_finding(Some(3), AVERAGE_LINE),
        &material,
        Ok((Some(18), true)),
    );
    check_filtered(
        average_finding(None, AVERAGE_LINE),
        &material,
        Ok((Some(18), true)),
    );
    check_filtered(
        average_finding(Some(18), &format!("18 +     {AVERAGE_LINE}")),
        &material,
        Ok((Some(18), true)),
    );
    check_filtered(
        average_finding(Some(17), &format!("def average(orders):\n{AVERAGE_LINE}")),
        &material,
        Ok((Some(17), true)),
    );
    let minor = |quote: &str| Finding {
        priority: Priority::P2,
        ..average_finding(Some(18), quote)
    };
    check_filtered(
        minor("return sum(orders) / 0"),
        &material,
        Err(DropReason::NoEvidence),
    );
    check_filtered(minor(""), &material, Err(DropReason::NoEvidence));
    // About the file, about the change, about a line that the diff does not show.
    check_filtered(
        Finding {
            evidence: None,
            ..average_finding(None, "")
        },
        &material,
        Ok((None, false)),
    );
    check_filtered(
        Finding {
            file: String::new(),
            evidence: None,
            ..average_finding(None, "")
        },
        &material,
        Ok((None, false)),
    );
    check_filtered(
        average_finding(Some(1), "import json"),
        &material,
        Ok((Some(1), false)),
    );
}

#[test]
fn a_finding_quotes_whole_lines_of_the_file_however_it_was_quoted() {
    let check = |quote: &str, expect: &str| {
        let found = filter_one(average_finding(Some(18), quote), &material());
        assert_eq!(
            found.result.findings[0].evidence.as_deref(),
            Some(expect),
            "{quote}"
        );
    };
    let whole = format!("    {AVERAGE_LINE}");
    check(AVERAGE_LINE, &whole);
    check("18 + return sum(total(order)", &whole);
    check(
        "def average(orders):\n...\nlen(orders)",
        &format!("def average(orders):\n{whole}"),
    );
}

#[test]
fn what_was_taken_out_is_reported_beside_the_gap() {
    let found = filter_one(
        average_finding(Some(8), "    if not order.lines:\n        return 0"),
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
    gone.files[2] = changed_file(FILE, Some(crate::fixtures::BEFORE), None);
    check_filtered(
        average_finding(Some(8), "    if not order.lines:"),
        &gone,
        Ok((None, false)),
    );
}

#[test]
fn what_a_push_took_out_that_the_change_itself_had_added_is_reported_too() {
    let (guarded, bare) = (
        "def drop(user, id):\n    if not user.allowed: return\n    rows.remove(id)\n",
        "def drop(user, id):\n    rows.remove(id)\n",
    );
    let guard = || Finding {
        priority: Priority::P2,
        ..average_finding(Some(2), "    if not user.allowed: return")
    };
    let mut again = material();
    again.files[2] = changed_file(FILE, None, Some(bare));
    check_filtered(guard(), &again, Err(DropReason::NoEvidence));
    again.delta = Some(vec![changed_file(FILE, Some(guarded), Some(bare))]);
    check_filtered(guard(), &again, Ok((Some(2), true)));
    // Without the file itself, which is no part of the pull request any more.
    again.files.remove(2);
    again.delta = Some(vec![changed_file(FILE, Some(guarded), None)]);
    check_filtered(guard(), &again, Ok((None, false)));
}

#[test]
fn what_is_unsure_is_kept_without_counting_and_what_is_about_other_code_is_dropped() {
    let unsure = Finding {
        confidence: Confidence::from_permille(699),
        ..average_finding(Some(18), AVERAGE_LINE)
    };
    check_filtered(unsure.clone(), &material(), Ok((Some(18), true)));
    let result = filter_one(unsure.clone(), &material()).result;
    assert_eq!(result.issues.p1_critical, 0);
    assert_eq!(result.conclusion, Conclusion::Approve);
    // A question is unsure by its nature, and holds nothing up.
    let question = Finding {
        kind: FindingKind::Question,
        ..unsure
    };
    check_filtered(question, &material(), Ok((Some(18), true)));
    let quoting = |quote: &str| finding("quinn", "shop/web/app.py", Some(1), "A fault", quote);
    // What it quotes is held against the file where it stands; on no line of the difference.
    check_filtered(quoting("run()"), &material(), Ok((Some(1), false)));
    let unquoted = Finding {
        evidence: None,
        ..quoting("")
    };
    for guess in [unquoted, quoting(" \n")] {
        check_filtered(guess, &material(), Err(DropReason::NotUnderReview));
    }
}

#[test]
fn a_grave_error_that_quotes_nothing_of_the_code_is_asked_about_and_else_listed_as_unsure() {
    let misquoted = |priority, quote: &str| Finding {
        priority,
        ..average_finding(Some(18), quote)
    };
    for (finding, is_asked) in [
        (misquoted(Priority::P0, "return sum(orders) / 0"), true),
        (misquoted(Priority::P1, ""), true),
        (misquoted(Priority::P0, AVERAGE_LINE), false),
        (misquoted(Priority::P2, "return sum(orders) / 0"), false),
    ] {
        let asked = misquotes(&reviewer_answer(vec![finding.clone()]), &material());
        assert_eq!(asked.len(), usize::from(is_asked), "{asked:?}");
        if !is_asked {
            continue;
        }
        assert!(
            asked[0].contains(&finding.title) && asked[0].contains(FILE),
            "{asked:?}"
        );
        let kept = filter_one(finding, &material()).result;
        assert_eq!(kept.conclusion, Conclusion::Approve, "it does not count");
        let listed = &kept.findings[0];
        assert_eq!((listed.line, &listed.evidence), (None, &None));
        assert_eq!(listed.confidence.permille(), 699);
    }
}

#[test]
fn a_second_look_is_at_what_changed_since() {
    let again = material_after_fix();
    check_filtered(
        average_finding(Some(18), "if not orders:"),
        &again,
        Ok((Some(18), true)),
    );
    let old = "rate = RATES[order.country]";
    let about_rate = |priority| Finding {
        priority,
        ..finding("quinn", FILE, Some(8), "Unknown countries raise", old)
    };
    // What stands in the code counts wherever in the change it is (§4.4).
    check_filtered(about_rate(Priority::P1), &again, Ok((Some(8), true)));
}

#[test]
fn what_a_thread_says_already_counts_and_is_not_posted_again() {
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
    let check = |about: &Finding, material: &Material, covered: bool| {
        check_filtered(about.clone(), material, Ok((Some(8), true)));
        let found = filter_one(about.clone(), material);
        assert_eq!(found.covered.contains_key(&about.id), covered);
    };
    check(&about, &material(), true);
    // Settled; by somebody without write access; settled on code that is gone; Collie's own; another file, another place, another point.
    let mut resolved = existing_thread(FILE, Some(8), said);
    resolved.resolved = true;
    check(&about, &with(resolved.clone()), false);
    let mut outsiders = existing_thread(FILE, Some(8), said);
    outsiders.trusted = false;
    check(&about, &with(outsiders), false);
    resolved.outdated = true;
    check(&about, &with(resolved), false);
    let mut own = existing_thread(FILE, Some(8), said);
    own.by_collie = true;
    check(&about, &with(own), false);
    check(&about, &with(existing_thread("a.py", Some(8), said)), false);
    check(&about, &with(existing_thread(FILE, Some(18), said)), false);
    let other = existing_thread(FILE, Some(8), "Please rename this variable to vat.");
    check(&about, &with(other), false);
    about.kind = FindingKind::Question;
    check(&about, &material(), true);
}

#[test]
fn one_fault_is_said_once_and_the_gravest_first() {
    let weak = Finding {
        id: "weak".into(),
        priority: Priority::P2,
        ..average_finding(Some(17), "def average(orders):")
    };
    let strong = Finding {
        id: "strong".into(),
        ..average_finding(Some(18), AVERAGE_LINE)
    };
    let found = filter_findings(reviewer_answer(vec![weak, strong]), &material());
    assert_eq!(found.result.findings[0].id, "strong");
    assert_eq!(
        found.dropped[0].reason,
        DropReason::Duplicate {
            of: "strong".into()
        }
    );
    // More than were asked for count all the same (§4.4).
    let few = Material {
        max_findings: 1,
        ..material()
    };
    let small = Finding {
        id: "small".into(),
        priority: Priority::P3,
        title: "Rates are hard-coded".into(),
        ..average_finding(Some(8), "rate = RATES[order.country]")
    };
    let big = Finding {
        id: "big".into(),
        ..average_finding(Some(18), AVERAGE_LINE)
    };
    let found = filter_findings(reviewer_answer(vec![small, big]), &few);
    let ids: Vec<&str> = (found.result.findings.iter())
        .map(|f| f.id.as_str())
        .collect();
    assert_eq!(ids, ["big", "small"]);
    assert_eq!(found.dropped, []);
    assert_eq!(found.result.conclusion, Conclusion::RequestChanges);
}

#[test]
fn nothing_left_is_an_approval() {
    let found = filter_one(average_finding(Some(18), "not there"), &material());
    assert_eq!(
        (found.result.conclusion, found.result.issues),
        (Conclusion::Approve, IssueCounts::default())
    );
}

#[test]
fn a_suggestion_is_offered_where_it_applies_cleanly() {
    let offered = |evidence: &str, text: &str| {
        let mut answer = reviewer_answer(vec![average_finding(Some(18), evidence)]);
        let id = answer.result.findings[0].id.clone();
        answer.replacements.insert(id.clone(), text.into());
        filter_findings(answer, &material())
            .replacements
            .remove(&id)
    };
    let one = |text: &str| {
        Some(Replacement {
            first: 18,
            last: 18,
            text: text.into(),
        })
    };
    assert_eq!(offered(AVERAGE_LINE, "    return 0"), one("    return 0"));
    // Given from the first column, or in a fence.
    assert_eq!(
        offered(AVERAGE_LINE, "if not orders:\n    return 0\n"),
        one("    if not orders:\n        return 0")
    );
    assert_eq!(
        offered(AVERAGE_LINE, "```python\nreturn 0\n```"),
        one("    return 0")
    );
    assert_eq!(
        offered(
            &format!("def average(orders):\n    {AVERAGE_LINE}"),
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
    assert_eq!(offered(AVERAGE_LINE, &format!("    {AVERAGE_LINE}")), None);
    assert_eq!(offered(AVERAGE_LINE, " "), None);
    assert_eq!(offered("import json", "import orjson"), None);
}

#[test]
fn an_earlier_finding_that_stands_is_kept_under_its_identity() {
    let again = material_after_fix();
    let verdicts = json!([
        {"finding": "K1", "verdict": "withdrawn", "reason": "I was wrong."},
        {"finding": "K2", "verdict": "open", "reason": "A shop without lines still fails."},
    ]);
    let answer = json!({"conclusion": "request_changes", "findings": [], "earlier": verdicts, "escalations": [], "fullReport": ""});
    let answer = parse_review(&answer, &again, NOW).unwrap();
    assert_eq!(answer.settled[0].settlement, Settlement::Withdrawn);
    let found = filter_findings(answer, &again);
    assert_eq!(found.dropped, []);
    assert_eq!(found.result.findings[0].line, Some(7));
    // Its quote is gone: the reader has seen that, and says that the fault is not.
    let mut moved = again;
    moved.tracked_findings[1].finding.evidence = Some("amount = add(order.lines)".into());
    let verdicts = json!([
        {"finding": "K1", "verdict": "fixed", "reason": "Yes."},
        {"finding": "K2", "verdict": "open", "reason": "No."},
    ]);
    let answer = json!({"conclusion": "request_changes", "findings": [], "earlier": verdicts});
    let found = filter_findings(parse_review(&answer, &moved, NOW).unwrap(), &moved);
    assert_eq!(found.dropped, []);
    assert_eq!(found.result.findings[0].evidence, None);
}
