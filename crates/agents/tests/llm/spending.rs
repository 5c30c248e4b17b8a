//! What a request may cost is asked before it is made.

use super::{ignore_progress, impatient_llm, model, plain_request};
use async_trait::async_trait;
use collie_agents::llm::{LlmFailure, Model, Provider, RequestBound, SpendingGate, TokenUsage};
use collie_core::budget::{BudgetExceeded, BudgetScope, BudgetUnit};
use collie_fake_llm::{FakeLlm, Reply};
use std::sync::{Arc, Mutex, PoisonError};
use tokio_util::sync::CancellationToken;

/// Lets so many requests pass, and writes down what it was asked and told.
#[derive(Debug, Default)]
struct Gate {
    passes: usize,
    asked: Mutex<Vec<RequestBound>>,
    told: Mutex<Vec<TokenUsage>>,
}

/// How many there are by now.
fn push<T>(list: &Mutex<Vec<T>>, item: T) -> usize {
    let mut list = list.lock().unwrap_or_else(PoisonError::into_inner);
    list.push(item);
    list.len()
}

fn taken<T: Clone>(list: &Mutex<Vec<T>>) -> Vec<T> {
    list.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

#[async_trait]
impl SpendingGate for Gate {
    async fn reserve(&self, _: &Model, bound: RequestBound) -> Result<(), BudgetExceeded> {
        if push(&self.asked, bound) <= self.passes {
            return Ok(());
        }
        Err(BudgetExceeded {
            scope: BudgetScope::Day,
            unit: BudgetUnit::CostMicros,
            limit: 1,
            spent: 1,
            needed: 1,
            until: None,
        })
    }

    fn settle(&self, _: &Model, spent: &TokenUsage) {
        push(&self.told, *spent);
    }
}

async fn ask(
    fake: &collie_fake_llm::RunningFakeLlm,
    passes: usize,
) -> (Arc<Gate>, Result<String, LlmFailure>) {
    let gate = Arc::new(Gate {
        passes,
        ..Gate::default()
    });
    let mut request = plain_request("What is it?");
    request.spending_gate = Some(gate.clone());
    let mut model = model(Provider::Anthropic, "claude-opus-5-5", fake);
    model.max_tokens = Some(1_000);
    let cancel = CancellationToken::new();
    let llm = impatient_llm();
    let answer = llm
        .complete(&model, &request, &ignore_progress, &cancel)
        .await;
    (
        gate,
        answer
            .map(|answer| answer.text)
            .map_err(|failed| failed.failure),
    )
}

#[tokio::test]
async fn a_request_that_may_pass_the_budget_is_not_made_and_no_other_model_is_to_blame() {
    let fake = FakeLlm::serve(|_| Reply::text("It.")).await;
    let (gate, answer) = ask(&fake, 0).await;
    let failure = answer.expect_err("it may not be asked");
    assert!(
        matches!(failure, LlmFailure::OverBudget { .. }),
        "{failure}"
    );
    assert!(!failure.is_transient() && failure.take_over_reason().is_none());
    assert_eq!((fake.requests().len(), taken(&gate.told).len()), (0, 0));
}

#[tokio::test]
async fn each_request_is_asked_for_by_its_own_longest_answer_and_told_by_what_it_came_to() {
    // The first is cut, so that a second one follows with twice the room.
    let fake = FakeLlm::serve(|asked| {
        let cut = asked.body["max_tokens"] == 1_000;
        let reply = if cut {
            Reply::max_tokens_reached("I")
        } else {
            Reply::text("It.")
        };
        reply.with_usage(40, 0, 7)
    })
    .await;
    let (gate, answer) = ask(&fake, 2).await;
    assert_eq!(answer.expect("the second one is whole"), "It.");
    let asked = taken(&gate.asked);
    let longest: Vec<u64> = asked.iter().map(|bound| bound.output_tokens).collect();
    assert_eq!(longest, [1_000, 2_000]);
    let question = asked[0].input_tokens;
    assert!(
        (3..=40).contains(&question),
        "half of its bytes: {question}"
    );
    let told = taken(&gate.told);
    assert_eq!(
        told.iter()
            .map(|spent| spent.output_tokens)
            .collect::<Vec<_>>(),
        [7, 7]
    );
    // The second is not made where the first was all that was left.
    let before = fake.requests().len();
    let (_, answer) = ask(&fake, 1).await;
    assert!(
        matches!(answer, Err(LlmFailure::OverBudget { .. })),
        "{answer:?}"
    );
    assert_eq!(fake.requests().len(), before + 1);
}
