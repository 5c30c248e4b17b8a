//! What models and agents may spend: asked before each call, told as a blocker, and counted once (§15).

use crate::panel::{approving_review, fixture_with_typo, serve_model, with_agent, write_script};
use collie_core::blocker::Blocker;
use collie_core::budget::{BudgetExceeded, BudgetLimit, BudgetScope, BudgetUnit};
use collie_core::lifecycle::State;
use collie_core::loop_state::LoopState;
use collie_core::usage::Usage;
use collie_engine::ports::{
    Clock, CommandLedger as _, CommandPayment, CommandSpending, DaySpending, JournalReader as _,
};
use collie_fake_llm::RunningFakeLlm;
use collie_store::{OpenMode, Store, StorePaths};
use collie_testkit::engine::{LoopFixture, TestContext, run_test};
use serde_json::json;

/// A dollar a thousand tokens in, and two out: one review of the scripted model costs 1,000 × 0.001 + 200 × 0.002 dollars.
const PRICES: &str = r#"
[[price]]
provider = "compatible"
model = "scripted"
input = 1_000_000_000
output = 2_000_000_000
looked_up = "2026-11-24"
source = "this test"
"#;
const REVIEW_MICROS: u64 = 1_400_000;

async fn model() -> RunningFakeLlm {
    serve_model(vec![approving_review()], "100").await
}

fn priced(model: &RunningFakeLlm) -> LoopFixture {
    fixture_with_typo()
        .with_model(model.url())
        .with_layer(|layer| {
            // What the worst case of a call is made of.
            layer.llm.max_tokens = Some(1_000);
        })
}

fn write_prices(ctx: &TestContext) {
    std::fs::create_dir_all(ctx.data_folder()).expect("it can be made");
    std::fs::write(ctx.data_folder().join("prices.toml"), PRICES).expect("it can be written");
}

fn exceeded(state: &LoopState) -> BudgetExceeded {
    match &state.run.blocker {
        Some(Blocker::Budget { exceeded }) => exceeded.clone(),
        other => panic!("{other:?}"),
    }
}

fn dollars(limit: &mut BudgetLimit, dollars: u64) {
    limit.cost_micros = Some(dollars * 1_000_000);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_whose_worst_case_does_not_fit_is_not_made_and_raising_the_limit_goes_on_at_once() {
    let model = model().await;
    run_test(priced(&model), async |ctx| {
        write_prices(ctx);
        ctx.save_settings(|config| dollars(&mut config.budget.pull_request, 2));
        ctx.start_loop(1).await;
        let state = ctx.wait_for_blocker(1, "budget").await;
        let over = exceeded(&state);
        assert_eq!(
            (over.scope, over.unit),
            (BudgetScope::PullRequest, BudgetUnit::CostMicros)
        );
        assert_eq!((over.limit, over.spent, over.until), (2_000_000, 0, None));
        assert!(over.needed > 2_000_000, "{over:?}");
        assert_eq!(model.requests().len(), 0, "it was not asked");
        assert_eq!(state.run.state, State::PrReviewing);
        // Whatever its clock says: it does not wait for the next look.
        ctx.save_settings(|config| dollars(&mut config.budget.pull_request, 1_000));
        let state = ctx.wait_for_state(1, State::PrReadyToMerge).await;
        assert_eq!(state.spent().cost_micros, REVIEW_MICROS);
        assert_eq!(model.requests().len(), 1);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_limit_that_was_raised_while_no_engine_ran_is_asked_again_at_its_start() {
    let model = model().await;
    run_test(priced(&model), async |ctx| {
        write_prices(ctx);
        ctx.save_settings(|config| dollars(&mut config.budget.pull_request, 2));
        ctx.start_loop(1).await;
        ctx.wait_for_blocker(1, "budget").await;
        ctx.stop_engine().await;
        ctx.save_settings(|config| dollars(&mut config.budget.pull_request, 1_000));
        ctx.start_engine().await;
        let state = ctx.wait_for_state(1, State::PrReadyToMerge).await;
        assert_eq!(state.spent().cost_micros, REVIEW_MICROS);
    })
    .await;
}

/// What was spent by day.
async fn days(ctx: &TestContext) -> Vec<DaySpending> {
    ctx.handle().spending().await.expect("it can be read")
}

/// What was spent on which model in the repository of the loop, as the journal has it.
async fn spent_on(ctx: &TestContext) -> Vec<(String, u64)> {
    let folder = StorePaths::below(ctx.data_folder());
    let store = Store::open(&folder, OpenMode::Reader).await;
    let store = store.expect("it is there");
    let rows = store.insights().await.expect("it can be read");
    store.close().await;
    let spent = rows.spending.into_iter();
    let spent = spent.map(|row| {
        assert!(row.repo.is_some(), "{row:?}");
        (row.model.unwrap_or_default(), row.usage.cost_micros)
    });
    spent.collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_day_is_counted_over_all_pull_requests_and_ends_at_midnight() {
    let model = model().await;
    run_test(priced(&model), async |ctx| {
        write_prices(ctx);
        let state = ctx.start_loop_until_ready().await;
        assert_eq!(state.spent().cost_micros, REVIEW_MICROS);
        let known = days(ctx).await;
        assert_eq!(
            known.iter().map(|day| day.usage.cost_micros).sum::<u64>(),
            REVIEW_MICROS
        );
        // What was spent is known to the next start too, and counts.
        ctx.stop_engine().await;
        assert_eq!(
            spent_on(ctx).await,
            [("compatible/scripted".to_owned(), REVIEW_MICROS)]
        );
        ctx.start_engine().await;
        assert_eq!(days(ctx).await, known);
        ctx.save_settings(|config| dollars(&mut config.budget.day, 1));
        ctx.cancel(1);
        ctx.wait_for_state(1, State::Cancelled).await;
        ctx.retry(1).await.expect("it has ended");
        let waiting = ctx.wait_for_blocker(1, "budget").await;
        let over = exceeded(&waiting);
        assert_eq!((over.scope, over.spent), (BudgetScope::Day, REVIEW_MICROS));
        let midnight = over.until.expect("a day ends");
        assert!(
            !ctx.state(1)
                .run
                .blocker
                .as_ref()
                .is_some_and(Blocker::needs_person)
        );
        let asked = model.requests().len();
        let now = ctx.clock.now();
        ctx.clock
            .skip(std::time::Duration::from_millis(midnight.since(now) + 1));
        ctx.save_settings(|config| dollars(&mut config.budget.day, 1_000));
        ctx.wait_for_state(1, State::PrReadyToMerge).await;
        assert!(
            model.requests().len() > asked,
            "the next day has its own budget"
        );
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_without_a_price_may_pass_its_tokens_by_one_answer() {
    let (_folder, path) = write_script(json!({"edits": {}}));
    let fixture = with_agent(fixture_with_typo(), &path, "resume", "quinn");
    run_test(fixture, async |ctx| {
        ctx.save_settings(|config| config.budget.total.tokens = Some(0));
        ctx.start_loop(1).await;
        let waiting = ctx.wait_for_blocker(1, "budget").await;
        let over = exceeded(&waiting);
        assert_eq!(
            (over.scope, over.unit),
            (BudgetScope::Total, BudgetUnit::Tokens)
        );
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_command_spent_beside_the_engine_counts_for_its_loops() {
    let model = model().await;
    run_test(priced(&model), async |ctx| {
        write_prices(ctx);
        ctx.save_settings(|config| dollars(&mut config.budget.total, 100));
        let folder = StorePaths::below(ctx.data_folder());
        let store = Store::open(&folder, OpenMode::Reader).await;
        let store = store.expect("it is there");
        let payment = CommandPayment {
            spending: CommandSpending {
                day: "2026-11-24".parse().expect("a day"),
                pull: None,
                usage: Usage {
                    cost_micros: 100_000_000,
                    ..Usage::default()
                },
            },
            repo: None,
            model: "compatible/scripted".to_owned(),
        };
        store.pay(&payment).await.expect("it can be written");
        store.close().await;
        ctx.start_loop(1).await;
        let state = ctx.wait_for_blocker(1, "budget").await;
        let over = exceeded(&state);
        assert_eq!((over.scope, over.spent), (BudgetScope::Total, 100_000_000));
        assert_eq!(model.requests().len(), 0, "it was not asked");
    })
    .await;
}
