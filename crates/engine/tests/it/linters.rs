//! The repository's own linters as reviewers (§4.7): in the sandbox, by the base's settings, on changed lines.

use collie_core::finding::{Priority, SourceType};
use collie_core::lifecycle::State;
use collie_core::linter_run::{LinterOutcome, LinterRun};
use collie_core::loop_state::LoopState;
use collie_core::tracked_finding::FindingStatus;
use collie_testkit::engine::run_test;
use collie_testkit::repository::RepositoryFixture;

/// Stands in for ruff, whose package the repository keeps: finds the first line `x = y` of a file, and knows its fix. `ruff.toml` may say
/// that it should not.
const RUFF: &str = r#"#!/bin/sh
if grep -q off ruff.toml; then echo '[]'; exit 0; fi
found=
for file in "$@"; do
  n=$(grep -n '^x = y$' "$file" 2>/dev/null | head -n 1 | cut -d: -f1)
  [ -n "$n" ] || continue
  found="$found${found:+,}{\"code\":\"F821\",\"message\":\"Undefined name y\",\"filename\":\"$PWD/${file#./}\",\"url\":null,
    \"location\":{\"row\":$n,\"column\":5},\"end_location\":{\"row\":$n,\"column\":6},
    \"fix\":{\"applicability\":\"safe\",\"message\":null,\"edits\":[{\"content\":\"1\",
      \"location\":{\"row\":$n,\"column\":5},\"end_location\":{\"row\":$n,\"column\":6}}]}}"
done
echo "[$found]"
[ -z "$found" ]
"#;
/// Says that all is well.
const SILENT_RUFF: &str = "#!/bin/sh\necho '[]'\n";
const FAULTY: &str = "import sys\n\nx = y\n";
const FIXED: &str = "import sys\n\nx = 1\n";

/// A repository that configures ruff, keeps it, and has a pull request with what it finds.
fn with_ruff() -> RepositoryFixture {
    RepositoryFixture::unchanged()
        .with_base_file("ruff.toml", "line-length = 100\n")
        .with_base_file(".venv/bin/ruff", RUFF)
        .with_head_file("src/a.py", FAULTY)
}

fn runs(state: &LoopState) -> Vec<LinterRun> {
    let seats = state
        .run
        .review
        .stages
        .iter()
        .flat_map(|stage| &stage.reviewers);
    seats.flat_map(|seat| seat.linters.clone()).collect()
}

fn ran(name: &str, findings: u32) -> LinterRun {
    LinterRun {
        name: name.into(),
        outcome: LinterOutcome::Ran { findings },
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_linter_finds_is_its_finding_and_its_safe_fix_is_pushed() {
    run_test(with_ruff(), async |ctx| {
        let state = ctx.start_loop_until_ready().await;
        let known: Vec<_> = state.run.review.findings.values().collect();
        assert_eq!(known.len(), 1, "{known:#?}");
        let (tracked, finding) = (known[0], &known[0].finding);
        assert_eq!(finding.source.kind, SourceType::Linter);
        assert_eq!(
            (
                finding.source.name.as_str(),
                finding.category.as_str(),
                finding.priority
            ),
            ("ruff", "lint:F821", Priority::P2)
        );
        assert_eq!(
            (finding.line, finding.evidence.as_deref()),
            (Some(3), Some("x = y"))
        );
        assert_eq!(tracked.status, FindingStatus::Fixed);
        assert_eq!(ctx.file("topic", "src/a.py"), FIXED.trim_end());
        assert_eq!(runs(&state), [ran("ruff", 0)]);
        let posted = ctx.posted_bodies(1).await.join("\n");
        for words in [
            "Found by ruff, `lint:F821`",
            "ruff: 1 finding",
            "ruff: nothing on changed lines",
            "Applied the fix of ruff",
        ] {
            assert!(posted.contains(words), "{words}: {posted}");
        }
    })
    .await;
}

/// What a pull request that changes these files comes to: how many findings of ruff.
async fn findings_with(base: &[(&str, &str)], head: &[(&str, &str)]) -> u32 {
    let fixture = (head.iter()).fold(
        with_ruff().with_base_files(base),
        |fixture, (path, text)| fixture.with_head_file(path, text),
    );
    let mut found = None;
    run_test(
        fixture.with_layer(|layer| layer.fix = Some(false)),
        async |ctx| {
            ctx.start_loop(1).await;
            let state = ctx
                .wait_until(1, "a review", |state| !runs(state).is_empty())
                .await;
            found = Some(runs(&state));
        },
    )
    .await;
    match found.unwrap().as_slice() {
        [
            LinterRun {
                outcome: LinterOutcome::Ran { findings },
                ..
            },
        ] => *findings,
        other => panic!("{other:?}"),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn settings_and_programs_of_the_head_silence_no_linter() {
    let settings = ("ruff.toml", "# off\n");
    let program = (".venv/bin/ruff", SILENT_RUFF);
    // At the base each of them does.
    assert_eq!(findings_with(&[settings], &[]).await, 0);
    assert_eq!(findings_with(&[program], &[]).await, 0);
    assert_eq!(findings_with(&[], &[settings]).await, 1);
    assert_eq!(findings_with(&[], &[program]).await, 1);
    assert_eq!(
        findings_with(&[], &[("src/ruff.toml", "# off\n"), settings]).await,
        1
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_linter_that_breaks_off_is_told_and_hinders_nothing() {
    let fixture = with_ruff().with_base_file(
        ".venv/bin/ruff",
        "#!/bin/sh\necho 'no such rule: Q' >&2\nexit 2\n",
    );
    run_test(fixture, async |ctx| {
        let state = ctx.start_loop_until_ready().await;
        let message = "no such rule: Q".to_owned();
        let outcome = LinterOutcome::Failed { message };
        assert_eq!(
            runs(&state),
            [LinterRun {
                name: "ruff".into(),
                outcome
            }]
        );
        let posted = ctx.posted_bodies(1).await.join("\n");
        assert!(
            posted.contains("ruff did not run: no such rule: Q"),
            "{posted}"
        );
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn no_linter_runs_where_the_user_wants_none() {
    let fixture = with_ruff().with_layer(|layer| layer.linters = Some(false));
    run_test(fixture, async |ctx| {
        let state = ctx.start_loop_until_ready().await;
        assert_eq!(runs(&state), []);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn clippy_itself_finds_what_the_base_asks_it_for() {
    let manifest = "[package]\nname = \"app\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\n[lints.clippy]\ncorrectness = \"deny\"\n";
    let fixture = RepositoryFixture::unchanged()
        .with_base_file("Cargo.toml", manifest)
        .with_base_file("clippy.toml", "too-many-arguments-threshold = 3\n")
        .with_base_file("src/lib.rs", "//! App.\n")
        .with_head_file(
            "src/lib.rs",
            "//! App.\n\n/// Whether.\npub fn same(a: u32) -> bool {\n    a == a\n}\n",
        )
        .with_layer(|layer| layer.fix = Some(false));
    run_test(fixture, async |ctx| {
        ctx.start_loop(1).await;
        let state = ctx
            .wait_until(1, "a review", |state| !runs(state).is_empty())
            .await;
        assert_eq!(runs(&state), [ran("clippy", 1)]);
        let finding = &state.run.review.findings.values().next().unwrap().finding;
        // A rule finds it too: one finding, under both names.
        assert_eq!(
            (finding.category.as_str(), finding.line, finding.priority),
            ("rule:rust-self-compare", Some(5), Priority::P1)
        );
        assert!(finding.source.name.contains("clippy"), "{finding:?}");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_installed_linter_that_is_not_there_is_named() {
    let fixture = RepositoryFixture::unchanged()
        .with_base_file(".golangci.yml", "version: \"2\"\n")
        .with_base_file("go.mod", "module a\n")
        .with_head_file("a.go", "package a\n");
    run_test(fixture, async |ctx| {
        ctx.start_loop(1).await;
        let state = ctx.wait_for_state(1, State::PrReadyToMerge).await;
        let outcome = LinterOutcome::NotInstalled;
        assert_eq!(
            runs(&state),
            [LinterRun {
                name: "golangci-lint".into(),
                outcome
            }]
        );
    })
    .await;
}
