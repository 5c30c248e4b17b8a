//! What a reviewer is given to judge findings that stand: those that were not fixed, and those that are said to be.

use crate::fixtures::{
    changed_file, count_tokens, finding, material, render_prompt, tracked_finding,
};
use collie_agents::prompting::{EarlierFix, Material, PromptTarget, review_prompt};
use collie_core::tracked_finding::{FindingStatus, TrackedFinding};

/// A function of 90 lines among 200 others, with the fault in its middle.
fn long_file() -> String {
    let rows = |name: &str| -> String { (0..200).map(|n| format!("{name}_{n} = {n}\n")).collect() };
    let body: String = (0..88).map(|n| format!("    step_{n}()\n")).collect();
    let body = body.replace("step_44()", "return orders[0] / 0");
    format!(
        "{}\n\ndef average(orders):\n{body}    return done\n\n\n{}",
        rows("before"),
        rows("after")
    )
}

fn known_fault() -> TrackedFinding {
    let found = finding(
        "quinn",
        "shop/long.py",
        Some(248),
        "It divides by nothing",
        "return orders[0] / 0",
    );
    tracked_finding(found, Some("Orders are never empty here."))
}

/// A second look at the very head that was seen: nothing changed since.
fn rejected(known: TrackedFinding) -> Material {
    let mut material = material();
    material.files = vec![changed_file(
        "shop/long.py",
        Some("x = 1\n"),
        Some(&long_file()),
    )];
    material.delta = Some(Vec::new());
    material.earlier_fixes = [("older", "a"), ("newer", "b")]
        .map(|(name, _)| EarlierFix {
            fingerprint: known.fingerprint.clone(),
            patch: format!("--- a/shop/long.py\n+++ b/shop/long.py\n+    {name}_try()"),
        })
        .into();
    material.tracked_findings = vec![known];
    material
}

fn shown(material: &Material, target: PromptTarget) -> String {
    let prompt = review_prompt(material, 32_000, &count_tokens, target).expect("it fits");
    assert_eq!(prompt.omitted, []);
    render_prompt(&prompt)
}

#[test]
fn a_rejection_is_judged_on_the_code_the_reason_and_what_was_tried() {
    for target in [PromptTarget::Model, PromptTarget::Agent] {
        let prompt = shown(&rejected(known_fault()), target);
        let asked = prompt.split_once("**K1**").expect("it is asked about").1;
        let asked = asked.split_once("## What changed").expect("the delta").0;
        for words in [
            "def average(orders):",
            "step_0()",
            "return orders[0] / 0",
            "    return done",
            "Orders are never empty here.",
            "+    older_try()",
            "+    newer_try()",
        ] {
            assert!(asked.contains(words), "{words} in\n{asked}");
        }
        assert!(!asked.contains("before_0 = 0"), "{asked}");
    }
}

#[test]
fn what_a_claim_changed_is_shown_by_the_changed_lines() {
    let mut claimed = known_fault();
    claimed.rejection = None;
    claimed.status = FindingStatus::Claimed;
    let mut material = rejected(claimed);
    let fixed = long_file().replace("orders[0] / 0", "orders[0]");
    material.files = vec![changed_file("shop/long.py", Some("x = 1\n"), Some(&fixed))];
    material.delta = Some(vec![changed_file(
        "shop/long.py",
        Some(&long_file()),
        Some(&fixed),
    )]);
    let prompt = shown(&material, PromptTarget::Model);
    assert!(prompt.contains("It is said to be fixed."), "{prompt}");
    assert!(prompt.contains("older_try"), "{prompt}");
    assert!(!prompt.contains("newer_try"), "that is the delta: {prompt}");
    // Where its place is in what changed, the code is there once.
    assert_eq!(prompt.matches("step_43()").count(), 1, "{prompt}");
    // What changed elsewhere says nothing of it.
    material.files[0] = changed_file("shop/long.py", Some("x = 1\n"), Some(&long_file()));
    material.delta = Some(vec![changed_file(
        "shop/other.py",
        Some("x = 1\n"),
        Some("x = 2\n"),
    )]);
    let prompt = shown(&material, PromptTarget::Model);
    assert!(prompt.contains("def average(orders):"), "{prompt}");
}
