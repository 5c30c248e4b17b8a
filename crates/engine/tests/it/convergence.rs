//! Runs that lead nowhere end by themselves, and say why (§5.3, §5.4): a scripted model that always finds something, a scripted agent that
//! mends as it is told, everything else real.

use crate::panel::{fixture_with_typo, review_with_finding, serve_model, with_agent, write_script};
use collie_core::blocker::Stop;
use collie_core::lifecycle::State;
use collie_core::loop_state::LoopState;
use collie_testkit::engine::run_test;
use serde_json::{Value, json};

/// The file with these as its second and third line.
fn file_with(second: &str, third: &str) -> String {
    format!("export function total(list) {{\n{second}\n{third}\n}}\n")
}

const SECOND: &str = "  const sum = list.lenght;";
const THIRD: &str = "  return sum;";

/// What each round's finding is about. Of one kind at one place they would be one finding, and stuck.
const KINDS: [&str; 4] = ["correctness", "performance", "security", "maintainability"];

/// A review that finds something of a kind on a line.
fn review_of(line: u32, text: &str, kind: &str) -> Value {
    let mut review = review_with_finding(text);
    let finding = &mut review["findings"][0];
    finding["line"] = json!(line);
    finding["category"] = json!(kind);
    finding["title"] = json!(format!("It lacks {kind}"));
    finding["replacement"] = Value::Null;
    review
}

/// Plays the loop to its end: what is reviewed and what the fixer leaves, by turns. Gives the state at the end.
async fn play(reviews: Vec<Value>, fixes: &[String], max: u32) -> (LoopState, Vec<String>, usize) {
    let model = serve_model(reviews, "100").await;
    let turns = fixes.iter().map(|text| json!({"edits": {"app.js": text}}));
    let (_folder, path) = write_script(turns.collect());
    let fixture = fixture_with_typo().with_model(model.url());
    let fixture = with_agent(fixture, &path, "resume", "fixer")
        .with_layer(|layer| layer.max_iterations = Some(max));
    let mut played = None;
    run_test(fixture, async |ctx| {
        ctx.start_loop(1).await;
        let state = ctx.wait_for_state(1, State::NeedsHuman).await;
        let said = ctx.posted_bodies(1).await;
        let pushes = ctx.fix_commits("topic").len();
        played = Some(((*state).clone(), said, pushes));
    })
    .await;
    played.expect("it was played")
}

/// Which rounds are told as churn.
fn churned(state: &LoopState) -> Vec<bool> {
    let rounds = state.run.fixing.rounds.iter();
    rounds.map(|round| round.churned).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn fixes_that_go_back_and_forth_end_the_run() {
    let other = "  const sum = list.size;";
    // What is found is never on the line that the fixer turns back and forth.
    let reviews = KINDS.map(|kind| review_of(3, THIRD, kind));
    let fixes = [other, SECOND, other].map(|second| file_with(second, THIRD));
    let (state, said, pushes) = play(reviews.into(), &fixes, 5).await;
    assert_eq!(state.run.stop, Some(Stop::Oscillating));
    assert_eq!((pushes, churned(&state)), (3, vec![false, true, true]));
    let last = said.iter().find(|body| body.contains("back and forth"));
    let last = last.unwrap_or_else(|| panic!("{said:#?}"));
    assert!(last.contains("It lacks maintainability"), "{last}");
}

#[tokio::test(flavor = "multi_thread")]
async fn findings_that_fixes_make_end_the_run() {
    let made = ["list.length", "list.length | 0", "list.length >>> 0"];
    let lines = made.map(|value| format!("  const sum = {value};"));
    let found = [SECOND, &lines[0], &lines[1], &lines[2]];
    let reviews = found.iter().zip(KINDS);
    let reviews = reviews.map(|(line, kind)| review_of(2, line, kind));
    let fixes = lines.clone().map(|second| file_with(&second, THIRD));
    let (state, said, pushes) = play(reviews.collect(), &fixes, 5).await;
    assert_eq!(state.run.stop, Some(Stop::Oscillating), "{said:#?}");
    assert_eq!((pushes, churned(&state)), (3, vec![false, true, true]));
}

#[tokio::test(flavor = "multi_thread")]
async fn spent_rounds_end_the_run_after_a_last_review() {
    let reviews = vec![
        review_of(2, SECOND, KINDS[0]),
        review_of(3, THIRD, KINDS[1]),
        review_of(1, "export function total(list) {", KINDS[2]),
    ];
    let mended = "  const sum = list.length;";
    let fixes = [
        file_with(mended, THIRD),
        file_with(mended, "  return sum ?? 0;"),
    ];
    let (state, said, pushes) = play(reviews, &fixes, 2).await;
    assert_eq!(state.run.stop, Some(Stop::IterationsSpent { max: 2 }));
    assert_eq!((pushes, churned(&state)), (2, vec![false, false]));
    let last = said.iter().find(|body| body.contains("It lacks security"));
    assert!(last.is_some(), "what is left is told: {said:#?}");
}
