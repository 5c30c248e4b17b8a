//! Where restraint begins and ends: the last line that counts, the first that does not.

use crate::fixtures::{
    changed_file, existing_thread, finding, material, material_after_fix, reviewer_answer,
};
use collie_agents::prompting::{DropReason, FilteredReview, Material, filter_findings};
use collie_core::finding::{Confidence, Finding, FindingKind, Priority};

const FILE: &str = "long.py";

fn numbered_line(number: u32) -> String {
    format!("value_{number:03} = {number}\n")
}

fn numbered_lines(first: u32, last: u32) -> String {
    (first..=last).map(numbered_line).collect()
}

/// A file of a hundred lines, of which one is changed: the diff shows the three on each side of it too.
fn material_with_edit(line: u32) -> Material {
    let after = numbered_lines(1, 100);
    let before = after.replace(&numbered_line(line), "old = 0\n");
    Material {
        files: vec![changed_file(FILE, Some(&before), Some(&after))],
        threads: Vec::new(),
        ..material()
    }
}

fn finding_at(line: Option<u32>, title: &str, evidence: &str) -> Finding {
    finding("quinn", FILE, line, title, evidence)
}

/// About the file as a whole.
fn finding_on_file(title: &str) -> Finding {
    Finding {
        evidence: None,
        ..finding_at(None, title, "")
    }
}

fn with_id(id: &str, finding: Finding) -> Finding {
    let id = id.into();
    Finding { id, ..finding }
}

/// Answers with findings of which these are earlier ones that still stand.
fn filter_all(findings: Vec<Finding>, upheld: &[&str], material: &Material) -> FilteredReview {
    let mut answer = reviewer_answer(findings);
    let said = |id: &&str| ((*id).to_string(), "It stands.".to_string());
    answer.upheld = upheld.iter().map(said).collect();
    filter_findings(answer, material)
}

/// The finding that is kept, or why it is not.
fn filter_one(finding: Finding, material: &Material) -> Result<Finding, DropReason> {
    let mut found = filter_all(vec![finding], &[], material);
    match found.dropped.pop() {
        Some(dropped) => Err(dropped.reason),
        None => Ok(found.result.findings.remove(0)),
    }
}

fn kept_ids(found: &FilteredReview) -> Vec<&str> {
    let findings = found.result.findings.iter();
    findings.map(|finding| finding.id.as_str()).collect()
}

#[test]
fn a_finding_is_put_on_its_named_line_else_on_one_that_the_diff_shows() {
    let material = material_with_edit(50);
    let check = |named: Option<u32>, (first, last): (u32, u32), expect: u32| {
        let found = filter_one(
            finding_at(named, "A fault", &numbered_lines(first, last)),
            &material,
        );
        assert_eq!(
            found.unwrap().line,
            Some(expect),
            "{named:?} {first}-{last}"
        );
    };
    check(Some(49), (44, 50), 49);
    check(None, (44, 50), 47);
    check(Some(45), (44, 50), 47);
    check(None, (1, 2), 1);
    check(Some(2), (1, 2), 1);
}

#[test]
fn what_was_taken_out_at_the_end_is_reported_on_the_last_line_before_it() {
    let mut material = material_with_edit(50);
    material.files = vec![changed_file(
        FILE,
        Some(&numbered_lines(1, 10)),
        Some(&numbered_lines(1, 8)),
    )];
    let found = filter_one(
        finding_at(Some(9), "A value is lost", &numbered_line(9)),
        &material,
    )
    .unwrap();
    assert_eq!(found.line, Some(8));
}

#[test]
fn a_finding_keeps_twenty_lines_of_evidence() {
    let evidence = filter_one(
        finding_at(None, "A fault", &numbered_lines(11, 40)),
        &material_with_edit(20),
    );
    assert_eq!(
        evidence.unwrap().evidence.as_deref(),
        Some(numbered_lines(11, 30).trim_end())
    );
}

#[test]
fn who_is_as_sure_as_was_asked_for_counts() {
    let check = |permille: u16, expect: bool| {
        let finding = Finding {
            confidence: Confidence::from_permille(permille),
            ..finding_at(Some(50), "A fault", &numbered_line(50))
        };
        let result = filter_all(vec![finding], &[], &material_with_edit(50)).result;
        assert_eq!(result.issues.p1_critical == 1, expect, "{permille}");
        assert_eq!(result.findings.len(), 1, "it is kept");
    };
    check(700, true);
    check(699, false);
}

#[test]
fn a_second_look_takes_remarks_on_every_file_of_the_change() {
    let check = |file: &str, priority: Priority, expect: Option<DropReason>| {
        let finding = Finding {
            file: file.into(),
            priority,
            ..finding_on_file("It lacks a guard")
        };
        assert_eq!(
            filter_one(finding, &material_after_fix()).err(),
            expect,
            "{file}"
        );
    };
    check("shop/orders.py", Priority::P1, None);
    check("tests/test_orders.py", Priority::P1, None);
    check("", Priority::P1, None);
    let elsewhere = Some(DropReason::NotUnderReview);
    check("shop/unchanged.py", Priority::P0, elsewhere);
}

/// The nearer a thread is, the less of the finding it has to say.
#[test]
fn a_thread_covers_the_lines_around_it() {
    let check = |line: Option<u32>, said: &str, expect: bool| {
        let mut material = material_with_edit(50);
        material.threads = vec![existing_thread(FILE, line, said)];
        let finding = finding_at(Some(50), "alpha bravo charlie delta", &numbered_line(50));
        let found = filter_all(vec![with_id("a", finding)], &[], &material);
        assert_eq!(kept_ids(&found), ["a"]);
        assert_eq!(found.covered.contains_key("a"), expect, "{line:?} {said}");
    };
    let (half, more, most) = (
        "alpha bravo echo foxtrot",
        "alpha bravo echo",
        "alpha bravo charlie echo",
    );
    check(Some(50), half, true);
    check(Some(51), half, false);
    check(Some(55), more, true);
    check(Some(45), more, true);
    check(Some(56), most, false);
    check(None, more, false);
    check(None, most, true);
    // It says what the description says.
    check(Some(50), "some wrong input", true);
}

#[test]
fn one_reader_says_one_thing_once() {
    let title = "alpha bravo charlie delta";
    let check = |a: Finding, b: Finding, expect: bool| {
        let shown = format!("{a:?} {b:?}");
        let found = filter_all(
            vec![with_id("a", a), with_id("b", b)],
            &[],
            &material_with_edit(50),
        );
        let twice = found.dropped.iter().any(|dropped| {
            let of = "a".to_string();
            dropped.finding.id == "b" && dropped.reason == DropReason::Duplicate { of }
        });
        assert_eq!(twice, expect, "{shown}");
        assert_eq!(kept_ids(&found).len(), if expect { 1 } else { 2 });
    };
    let here = |line: u32, title: &str| finding_at(Some(line), title, &numbered_line(line));
    check(here(48, title), here(53, title), true);
    check(here(47, title), here(53, title), false);
    check(here(50, title), here(50, "alpha bravo charlie echo"), true);
    check(here(50, title), here(50, "alpha bravo echo foxtrot"), false);
    check(finding_on_file(title), finding_on_file(title), true);
    check(finding_on_file(title), here(50, title), false);
    let question = Finding {
        kind: FindingKind::Question,
        ..here(50, title)
    };
    check(here(50, title), question, false);
}

/// They are the reader's own, and have an identity.
#[test]
fn earlier_findings_come_first() {
    let at = |id: &str, line: u32, title: &str, priority: Priority| Finding {
        priority,
        ..with_id(id, finding_at(Some(line), title, &numbered_line(line)))
    };
    let said = vec![
        at("new", 50, "alpha bravo", Priority::P1),
        at("newer", 51, "charlie delta", Priority::P2),
        at("old", 52, "echo foxtrot", Priority::P3),
        at("older", 52, "echo foxtrot", Priority::P3),
    ];
    let found = filter_all(said, &["old", "older"], &material_with_edit(50));
    assert_eq!(kept_ids(&found), ["old", "older", "new", "newer"]);
}

/// Its words changed, its cause did not: it stays, on its line while there is such a line.
#[test]
fn an_earlier_finding_stays_on_a_line_that_there_is() {
    let check = |line: u32, expect: Option<u32>| {
        let finding = with_id("old", finding_at(Some(line), "A fault", "not there"));
        let found = filter_all(vec![finding], &["old"], &material_with_edit(50));
        assert_eq!(found.result.findings[0].line, expect, "{line}");
    };
    check(100, Some(100));
    check(101, None);
}

#[test]
fn a_suggestion_replaces_sixty_lines_at_most() {
    let check = |evidence: (u32, u32), material: &Material, expect: bool| {
        let finding = with_id(
            "a",
            finding_at(None, "A fault", &numbered_lines(evidence.0, evidence.1)),
        );
        let mut answer = reviewer_answer(vec![finding]);
        answer.replacements.insert("a".into(), "value = 0".into());
        let offered = filter_findings(answer, material)
            .replacements
            .contains_key("a");
        assert_eq!(offered, expect, "{evidence:?}");
    };
    let mut new = material_with_edit(50);
    new.files = vec![changed_file(FILE, None, Some(&numbered_lines(1, 100)))];
    check((11, 70), &new, true);
    check((11, 71), &new, false);
    // All of them must be in one part of the diff.
    check((47, 53), &material_with_edit(50), true);
    check((46, 53), &material_with_edit(50), false);
    check((47, 54), &material_with_edit(50), false);
}
