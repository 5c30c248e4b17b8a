//! The repository's own linters as reviewers (§4.7).

use crate::effect::{Effect, FixEffect};
use crate::event::ReviewFinished;
use crate::finding::{Finding, Priority, Replacement, SourceType};
use crate::fix::FixPayload;
use crate::identity::fingerprints;
use crate::lifecycle::State;
use crate::linter_run::{LinterOutcome, LinterRun};
use crate::post::PostContent;
use crate::session::SessionSummary;
use crate::test_support::{LoopFixture, finding};

fn linted(file: &str, priority: Priority) -> Finding {
    let mut linted = finding(file, "lint:F821", "x = y");
    linted.id = format!("LINT-{file}");
    (linted.source.kind, linted.source.name) = (SourceType::Linter, "ruff".into());
    linted.priority = priority;
    linted
}

fn one_line(text: &str) -> Replacement {
    Replacement {
        first: 3,
        last: 3,
        text: text.into(),
    }
}

fn runs() -> Vec<LinterRun> {
    let run = |name: &str, outcome| LinterRun {
        name: name.into(),
        outcome,
    };
    vec![
        run("ruff", LinterOutcome::Ran { findings: 2 }),
        run("clippy", LinterOutcome::NotInstalled),
    ]
}

/// Every finding has a replacement that its reviewer offers.
fn with_offers(finished: &mut ReviewFinished) {
    let ids = finished.result.findings.iter().map(|f| f.id.clone());
    finished.replacements = ids.map(|id| (id, one_line("x = 1"))).collect();
    finished.session = Some(Box::new(SessionSummary {
        linters: runs(),
        ..SessionSummary::default()
    }));
}

fn payload(w: &LoopFixture) -> FixPayload {
    let (_, asked) = w
        .find_effect(|effect| matches!(effect, Effect::Fix(_)))
        .expect("a fix is asked for");
    match asked {
        Effect::Fix(FixEffect { payload, .. }) => payload,
        _ => unreachable!(),
    }
}

#[test]
fn the_fixer_is_given_the_fixes_of_linters_and_no_other_offers() {
    let by_model = finding("b.py", "correctness", "z()");
    let found = [
        linted("a.py", Priority::P2),
        by_model,
        linted("c.py", Priority::P3),
    ];
    let id_of = |finding: &Finding| fingerprints(std::slice::from_ref(finding))[0].to_string();
    for (suggestions, expect) in [(false, vec![0]), (true, vec![0, 2])] {
        let mut w = LoopFixture::new();
        w.state.run.configuration.policy.fix_suggestions = suggestions;
        w.poll().finish_review_as(&found, with_offers);
        let given: Vec<String> = payload(&w).replacements.into_keys().collect();
        let mut expect: Vec<String> = expect
            .into_iter()
            .map(|n: usize| id_of(&found[n]))
            .collect();
        expect.sort();
        assert_eq!(given, expect, "suggestions: {suggestions}");
    }
}

#[test]
fn what_became_of_linters_is_told_and_decides_nothing() {
    let mut w = LoopFixture::new();
    w.poll().finish_review_as(&[], with_offers);
    assert_eq!(w.state.run.state, State::PrReadyToMerge);
    let told = w.posts.iter().find_map(|content| match content {
        PostContent::Proof(proof) => Some(proof.verdicts[0].linters.clone()),
        _ => None,
    });
    assert_eq!(told, Some(runs()));
    // A later look tells of itself alone.
    w.snapshot.head = crate::test_support::sha('b');
    w.poll().finish_review(&[]);
    let seats = &w.state.run.review.stages[0].reviewers;
    assert_eq!(seats[0].linters, []);
}
