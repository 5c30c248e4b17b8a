//! Pull requests that hide what they bring from whoever reviews them (§4.4). Each carries a fault that the rules find where they see it,
//! and stands beside its control, the same change without the trick.

use collie_config::LlmLayer;
use collie_core::blocker::Blocker;
use collie_core::coverage::UnseenReason;
use collie_core::lifecycle::State;
use collie_core::loop_state::LoopState;
use collie_core::policy::{ReviewerSpec, StageSpec, UnseenPolicy};
use collie_engine::{CommandError, StartError};
use collie_fake_llm::{FakeLlm, Reply, RunningFakeLlm};
use collie_testkit::engine::{LoopFixture, run_test};
use collie_testkit::repository::RepositoryFixture;
use serde_json::json;

/// What came of a pull request.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Outcome {
    /// The fault was found.
    Found,
    /// Nobody was shown these files: a person has to look.
    Unseen(Vec<(String, UnseenReason)>),
    /// It is ready, and nobody has noticed.
    Ready,
}

/// A fault that a rule finds by its structure, and cannot fix.
const FAULT: &str =
    "import subprocess\n\n\ndef run(query):\n    subprocess.run(f\"ls {query}\", shell=True)\n";

/// A line with a secret. Put together here, so that no scanner takes this file for a leak.
fn secret() -> String {
    format!("KEY = \"AKIA{}\"\n", "Q3EGR5ZNPLXKD2MW")
}

/// A pull request that changes these files.
fn pull(files: &[(&str, Vec<u8>)]) -> RepositoryFixture {
    files
        .iter()
        .fold(RepositoryFixture::unchanged(), |fixture, (path, bytes)| {
            fixture.with_head_file(path, bytes)
        })
}

fn outcome(state: &LoopState) -> Outcome {
    if !state.run.review.findings.is_empty() {
        return Outcome::Found;
    }
    match (&state.run.state, &state.run.blocker) {
        (State::PrReadyToMerge, _) => Outcome::Ready,
        (_, Some(Blocker::Unseen { .. })) => Outcome::Unseen(
            state
                .run
                .head
                .coverage
                .needing_look()
                .map(|file| (file.path.clone(), file.reason))
                .collect(),
        ),
        (state, blocker) => panic!("neither: {state:?}, {blocker:?}"),
    }
}

/// Runs the loop on a pull request.
async fn run(fixture: impl Into<LoopFixture>) -> Outcome {
    let mut came = None;
    run_test(fixture, async |ctx| {
        ctx.start_loop(1).await;
        let end = ctx
            .wait_until(1, "an end", |state| state.is_settled())
            .await;
        came = Some(outcome(&end));
    })
    .await;
    came.unwrap()
}

fn unseen(path: &str, reason: UnseenReason) -> Outcome {
    Outcome::Unseen(vec![(path.to_owned(), reason)])
}

/// The control: what is to be found is found where nothing hides it.
#[tokio::test(flavor = "multi_thread")]
async fn a_fault_that_nothing_hides_is_found() {
    let (structure, secret) = tokio::join!(
        run(pull(&[("src/run.py", FAULT.into())])),
        run(pull(&[("src/run.py", secret().into())])),
    );
    assert_eq!([structure, secret], [Outcome::Found, Outcome::Found]);
    let clean = run(pull(&[("src/run.py", b"x = 1\n".to_vec())])).await;
    assert_eq!(clean, Outcome::Ready);
}

/// A shell passes over the NUL byte, and git shows nothing of the file.
#[tokio::test(flavor = "multi_thread")]
async fn a_script_with_a_nul_byte_is_looked_at_by_a_person() {
    let script = format!("#!/bin/sh\n# \0\n{}", secret());
    let came = run(pull(&[("run.sh", script.into())])).await;
    assert_eq!(came, unseen("run.sh", UnseenReason::Unreadable));
}

async fn hide_by_attributes(path: &str, attributes: &str) {
    let hidden = pull(&[
        ("src/run.py", secret().into()),
        (path, attributes.as_bytes().to_vec()),
    ]);
    assert_eq!(run(hidden).await, Outcome::Found, "{path}: {attributes}");
}

#[tokio::test(flavor = "multi_thread")]
async fn attributes_that_switch_the_diff_off_hide_nothing() {
    hide_by_attributes(".gitattributes", "*.py -diff\n").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn attributes_that_call_code_binary_hide_nothing() {
    hide_by_attributes(".gitattributes", "*.py binary\n").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_macro_of_attributes_hides_nothing() {
    hide_by_attributes(".gitattributes", "[attr]quiet -diff -text\n*.py quiet\n").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn attributes_of_a_folder_hide_nothing() {
    hide_by_attributes("src/.gitattributes", "*.py -diff\n").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_byte_that_is_no_utf8_hides_nothing() {
    let content = [b"# caf\xe9\n", FAULT.as_bytes()].concat();
    assert_eq!(run(pull(&[("src/run.py", content)])).await, Outcome::Found);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_mark_of_the_head_exempts_nothing() {
    let marked = format!("# @{}\n{FAULT}", "generated");
    let attributes = b"* linguist-generated linguist-vendored\n".to_vec();
    let files = [
        ("vendor/run.py", marked.into_bytes()),
        (".gitattributes", attributes),
    ];
    assert_eq!(run(pull(&files)).await, Outcome::Found);
}

/// The control of that: what the base marks is named, and holds nothing up.
#[tokio::test(flavor = "multi_thread")]
async fn a_mark_of_the_base_exempts_from_structure_and_not_from_secrets() {
    let at_base = |content: String| {
        let mark = format!("# @{}\n", "generated");
        pull(&[("src/run.py", content.into_bytes())]).with_base_file("src/run.py", mark)
    };
    let (structure, secret) = tokio::join!(run(at_base(FAULT.into())), run(at_base(secret())));
    assert_eq!([structure, secret], [Outcome::Ready, Outcome::Found]);
}

fn nested(inside: &str, beside: &str) -> Vec<u8> {
    let (open, close) = ("[".repeat(3_000), "]".repeat(3_000));
    format!("table = {open}{inside}{close}\n{beside}").into_bytes()
}

#[tokio::test(flavor = "multi_thread")]
async fn deep_nesting_hides_nothing_beside_it() {
    let content = nested("1", FAULT);
    assert_eq!(run(pull(&[("src/run.py", content)])).await, Outcome::Found);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_lies_in_deep_nesting_waits_for_a_person() {
    let content = nested("subprocess.run(f\"ls {query}\", shell=True)", "");
    let came = run(pull(&[("src/run.py", content)])).await;
    assert_eq!(came, unseen("src/run.py", UnseenReason::Nesting));
}

fn padded(kilobytes: usize) -> Vec<u8> {
    let line = "# nothing to see here, really nothing to see at all, go on.....\n";
    let count = kilobytes * 1024 / line.len();
    [line.repeat(count).as_bytes(), FAULT.as_bytes()].concat()
}

#[tokio::test(flavor = "multi_thread")]
async fn size_hides_nothing_from_the_rules_or_waits_for_a_person() {
    let (large, larger) = tokio::join!(
        run(pull(&[("src/run.py", padded(600))])),
        run(pull(&[("src/run.py", padded(1_200))])),
    );
    assert_eq!(large, Outcome::Found);
    assert_eq!(larger, unseen("src/run.py", UnseenReason::TooLarge));
}

/// More files than a model is shown, the last of them with the fault.
fn many_files() -> RepositoryFixture {
    let plain = |fixture: RepositoryFixture, index| {
        fixture.with_head_file(&format!("src/a{index:03}.py"), "x = 1\n")
    };
    (0..400)
        .fold(RepositoryFixture::unchanged(), plain)
        .with_head_file("src/run.py", FAULT)
}

#[tokio::test(flavor = "multi_thread")]
async fn many_files_hide_nothing_from_the_rules() {
    assert_eq!(run(many_files()).await, Outcome::Found);
}

/// A model that approves whatever it is shown.
async fn blind_model() -> RunningFakeLlm {
    let approves = json!({
        "conclusion": "approve", "findings": [], "earlier": [], "escalations": [],
        "fullReport": "It does what it says.",
    });
    FakeLlm::serve(move |_| Reply::text(approves.to_string())).await
}

/// A panel of this model alone.
fn with_model_alone(fixture: RepositoryFixture, model: &RunningFakeLlm) -> LoopFixture {
    let llm = LlmLayer {
        provider: Some("compatible"),
        model: Some("scripted".into()),
        url: Some(model.url()),
        ..LlmLayer::default()
    };
    fixture.with_layer(|layer| {
        layer.llm = llm;
        layer.stages = Some(vec![StageSpec {
            reviewers: vec![ReviewerSpec::agent("quinn")],
        }]);
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn more_files_than_a_model_is_shown_wait_for_a_person() {
    let model = blind_model().await;
    let came = run(with_model_alone(many_files(), &model)).await;
    assert_eq!(came, unseen("src/run.py", UnseenReason::TooMany));
}

/// A model that is shown a file too large for it says nothing of it: a person has to look, and can.
#[tokio::test(flavor = "multi_thread")]
async fn what_a_model_was_not_shown_waits_until_a_person_has_looked() {
    let model = blind_model().await;
    let hidden = || pull(&[("src/run.py", padded(1_200))]);
    run_test(with_model_alone(hidden(), &model), async |ctx| {
        ctx.start_loop(1).await;
        let waits = ctx.wait_for_blocker(1, "unseen").await;
        let came = outcome(&waits);
        assert_eq!(came, unseen("src/run.py", UnseenReason::TooLarge));
        let (pull, head) = (waits.pull_name(), waits.run.head.sha.clone().unwrap());
        let another = collie_core::ids::Sha::parse(&"ab".repeat(20)).unwrap();
        ctx.handle().seen(&pull, &another).await.unwrap_err();
        ctx.handle().seen(&pull, &head).await.unwrap();
        let ready = ctx.wait_for_state(1, State::PrReadyToMerge).await;
        let proof = ready.run.head.proof.as_ref().unwrap();
        assert_eq!(proof.coverage.unseen[0].path, "src/run.py");
        assert!(proof.seen_by.is_some());
        let bodies = ctx.posted_bodies(1).await;
        let named = |body: &String| body.contains("src/run.py") && body.contains("too large");
        assert!(bodies.iter().any(named), "{bodies:#?}");
        let audited = ctx.audit_entries();
        let audited = audited
            .iter()
            .filter(|line| line["action"] == "unseen_files_seen");
        assert_eq!(audited.count(), 1);
        ctx.handle().seen(&pull, &head).await.unwrap_err();
    })
    .await;
    let told = with_model_alone(hidden(), &model)
        .with_layer(|layer| layer.unseen = Some(UnseenPolicy::Tell));
    assert_eq!(run(told).await, Outcome::Ready);
}

#[tokio::test(flavor = "multi_thread")]
async fn who_may_not_start_loops_cannot_say_that_they_have_looked() {
    let model = blind_model().await;
    let hidden = pull(&[("src/run.py", padded(1_200))]);
    run_test(with_model_alone(hidden, &model), async |ctx| {
        ctx.start_loop(1).await;
        let waits = ctx.wait_for_blocker(1, "unseen").await;
        let (pull, head) = (waits.pull_name(), waits.run.head.sha.clone().unwrap());
        ctx.restart_engine_as("forge-mallory").await;
        let refused = ctx.handle().seen(&pull, &head).await.unwrap_err();
        let denied = matches!(refused, CommandError::Start(StartError::Denied { .. }));
        assert!(denied, "{refused}");
        ctx.restart_engine_as("forge-octo").await;
        ctx.handle().seen(&pull, &head).await.unwrap();
        ctx.wait_for_state(1, State::PrReadyToMerge).await;
    })
    .await;
}
