//! Sessions of a scripted agent from one turn to the next: gone on with, and cancelled.

use crate::panel::{
    MENDED, approving_review, fixture_with_typo, review_with_finding, serve_model, with_agent,
    write_script,
};
use collie_core::lifecycle::State;
use collie_core::note::Note;
use collie_core::session::{AgentSetting, UntakenReason};
use collie_core::usage::Usage;
use collie_reviewers::activity::FIXER_NAME;
use collie_testkit::engine::{TestContext, run_test};
use collie_testkit::wait::wait_until;
use serde_json::{Value, json};

/// Another fault in the file that was mended, for the second round.
fn second_finding() -> Value {
    let mut review = review_with_finding("  return sum;");
    let finding = &mut review["findings"][0];
    finding["line"] = json!(3);
    finding["title"] = json!("The sum is handed out raw");
    finding["description"] = json!("A caller may not tell none from zero.");
    finding["replacement"] = json!("  return sum ?? 0;");
    review
}

/// Whether the fixer's sessions were gone on with, in order.
async fn resumed(ctx: &TestContext) -> Vec<bool> {
    let notes = ctx.notes(1).await;
    let sessions = notes.iter().filter_map(|note| match note {
        Note::SessionFinished {
            reviewer: None,
            session,
            ..
        } => Some(session.resumed),
        _ => None,
    });
    sessions.collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_fix_goes_on_with_the_session_of_the_first() {
    for (ways, expect) in [("resume", true), ("load", true), ("", false)] {
        let reviews = vec![
            review_with_finding("  const sum = list.lenght;"),
            second_finding(),
            approving_review(),
        ];
        let model = serve_model(reviews, "100").await;
        let twice = MENDED.replace("return sum;", "return sum ?? 0;");
        let (_folder, path) = write_script(json!([
            {"edits": {"app.js": MENDED}},
            {"edits": {"app.js": twice}},
        ]));
        let fixture = fixture_with_typo().with_model(model.url());
        run_test(with_agent(fixture, &path, ways, "fixer"), async |ctx| {
            let state = ctx.start_loop_until_ready().await;
            assert_eq!(state.run.fixing.iteration, 2, "{ways}");
            assert_eq!(ctx.file("topic", "app.js"), twice.trim_end(), "{ways}");
            assert_eq!(resumed(ctx).await, [false, expect], "{ways}");
            // It tells what its session has cost: the same session is not paid twice.
            let sessions = if expect { 1 } else { 2 };
            assert_eq!(state.run.usage.cost_micros, sessions * 250_000, "{ways}");
        })
        .await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_cancelled_agent_had_spent_is_shown_and_counted() {
    // An agent that answers the cancel tells its turn's tokens; of one that does not, what its session held counts.
    for (ways, output_tokens) in [("silence,tell-spent", 50), ("silence,ignore-cancel", 0)] {
        let reviews = vec![review_with_finding("  const sum = list.lenght;")];
        let model = serve_model(reviews, "100").await;
        let (_folder, path) = write_script(json!({}));
        let fixture = fixture_with_typo().with_model(model.url());
        run_test(with_agent(fixture, &path, ways, "fixer"), async |ctx| {
            ctx.start_loop(1).await;
            let state = ctx
                .wait_until(1, "the fixer's turn", |state| {
                    state.run.state == State::PrFixing
                })
                .await;
            let before = state.run.usage;
            wait_until("the agent's tokens", async || {
                let workers = ctx.activities.workers_on(&state.id);
                let tells = workers
                    .iter()
                    .any(|worker| worker.name == FIXER_NAME && worker.spent.input_tokens == 600);
                if tells {
                    Ok(())
                } else {
                    Err(format!("{workers:?}"))
                }
            })
            .await;
            ctx.cancel(1);
            let state = ctx
                .wait_until(1, "the end", |state| {
                    state.run.state == State::Cancelled && state.outbox.effects.is_empty()
                })
                .await;
            let spent = Usage {
                input_tokens: 600,
                output_tokens,
                cost_micros: 0,
                unpriced: true,
                unpriced_tokens: 600 + output_tokens,
            };
            let mut expect = before;
            expect += spent;
            assert_eq!(state.run.usage, expect, "{ways}");
            let told = Note::SessionCancelled { usage: spent };
            assert!(ctx.notes(1).await.contains(&told), "{ways}");
        })
        .await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_persona_has_the_agent_with_its_own_model_and_what_is_not_taken_is_noted() {
    let (_folder, path) = write_script(json!({"answer": approving_review().to_string()}));
    let fixture = with_agent(fixture_with_typo(), &path, "options", "quinn");
    let fixture = fixture.with_layer(|layer| {
        let agent = layer.agents.get_mut("scripted").expect("it is set up");
        agent.model = Some("large".into());
        let quinn = layer.reviewers.get_mut("quinn").expect("it is set up");
        quinn.model = Some("gpt-9".into());
    });
    run_test(fixture, async |ctx| {
        ctx.start_loop_until_ready().await;
        let notes = ctx.notes(1).await;
        let untaken = notes.iter().find_map(|note| match note {
            Note::SessionFinished { session, .. } => session.untaken.first(),
            _ => None,
        });
        let untaken = untaken.expect("it is noted");
        let told = (untaken.setting, untaken.name.as_str(), untaken.reason);
        let expect = (AgentSetting::Model, "gpt-9", UntakenReason::NotOffered);
        assert_eq!(told, expect);
    })
    .await;
}
