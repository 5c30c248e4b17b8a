//! Fixes of rules are judged one by one: one that a gate refuses takes none of the others with it (§6.3).

use collie_core::lifecycle::State;
use collie_core::loop_state::LoopState;
use collie_core::tracked_finding::FindingStatus;
use collie_testkit::engine::run_test;
use collie_testkit::repository::{CLEAN_FILE, FAULTY_FILE, RepositoryFixture};

/// A rule of the repository whose fix takes an assertion away.
const REMOVING_RULE: &str = "id: no-to-be\nlanguage: JavaScript\nmessage: toBe is not wanted\nseverity: error\n\
    rule: { pattern: expect($A).toBe($B) }\nfix: total([])\nmetadata: { priority: P1 }\n";
const TEST_FILE: &str = "test(\"total\", () => {\n  expect(total([])).toBe(0);\n});\n";

/// Status and reason of the one finding of a file.
fn finding_of(state: &LoopState, file: &str) -> (FindingStatus, String) {
    let mut of_file =
        (state.run.review.findings.values()).filter(|known| known.finding.file == file);
    let found = of_file.next().unwrap_or_else(|| panic!("{file}"));
    (found.status, found.rejection.clone().unwrap_or_default())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_fix_that_a_gate_refuses_takes_no_other_with_it() {
    let fixture = RepositoryFixture::faulty()
        .with_base_file(".collie/rules/no-to-be.yml", REMOVING_RULE)
        .with_head_file("other.js", FAULTY_FILE)
        .with_head_file("app.test.js", TEST_FILE);
    run_test(fixture, async |ctx| {
        ctx.start_loop(1).await;
        let state = ctx.wait_for_state(1, State::NeedsHuman).await;
        for file in ["app.js", "other.js"] {
            assert_eq!(ctx.file("topic", file).trim(), CLEAN_FILE.trim());
            assert_eq!(finding_of(&state, file).0, FindingStatus::Fixed);
        }
        assert_eq!(ctx.file("topic", "app.test.js").trim(), TEST_FILE.trim());
        assert_eq!(ctx.fix_commits("topic").len(), 1);
        let (status, reason) = finding_of(&state, "app.test.js");
        assert_eq!(status, FindingStatus::Rejected);
        assert!(reason.contains("app.test.js"), "{reason}");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_fix_that_a_verify_command_refuses_takes_no_other_with_it() {
    let fixture = RepositoryFixture::faulty()
        .with_head_file("kept.js", FAULTY_FILE)
        .with_head_file("other.js", FAULTY_FILE)
        .with_layer(|layer| layer.verify = Some(vec!["grep -q debugger kept.js".to_owned()]));
    run_test(fixture, async |ctx| {
        ctx.start_loop(1).await;
        let state = ctx.wait_for_state(1, State::NeedsHuman).await;
        for file in ["app.js", "other.js"] {
            assert_eq!(ctx.file("topic", file).trim(), CLEAN_FILE.trim());
        }
        assert_eq!(ctx.file("topic", "kept.js").trim(), FAULTY_FILE.trim());
        let (status, reason) = finding_of(&state, "kept.js");
        assert_eq!(status, FindingStatus::Rejected);
        assert!(reason.contains("grep -q debugger kept.js"), "{reason}");
    })
    .await;
}
