//! What commands spend beside the engine: looked at and set aside in one step, seen by all, forgotten when a process dies.

use crate::support::*;
use collie_core::budget::{Budget, BudgetLimit, BudgetScope};
use collie_core::ids::{LoopId, Time};
use collie_core::usage::Usage;
use collie_engine::ports::{
    CommandAsk, CommandLedger, CommandPayment, CommandSpending, Journal, JournalReader,
};
use collie_store::Store;

const DAY: &str = "2026-11-24";
const HOUR_MS: u64 = 3_600_000;

fn cents(cents: u64) -> Usage {
    Usage {
        cost_micros: cents * 10_000,
        ..Usage::default()
    }
}

fn limit(cents: u64) -> BudgetLimit {
    BudgetLimit {
        cost_micros: Some(cents * 10_000),
        tokens: None,
    }
}

fn ask(session: &str, pull: Option<LoopId>, budget: Budget, worst: Usage) -> CommandAsk {
    CommandAsk {
        session: session.to_owned(),
        pull,
        budget,
        own: Usage::default(),
        reserved: Usage::default(),
        worst,
        at: NOW,
        day: (DAY.parse().unwrap(), NOW.plus(HOUR_MS)),
    }
}

fn payment(pull: Option<LoopId>, usage: Usage) -> CommandPayment {
    CommandPayment {
        spending: CommandSpending {
            day: DAY.parse().unwrap(),
            pull,
            usage,
        },
        repo: None,
        model: "openai/large".to_owned(),
    }
}

/// The limit that a question would pass; none where it may be put.
async fn refused(store: &Store, ask: &CommandAsk) -> Option<BudgetScope> {
    let room = store.reserve(ask).await.unwrap();
    room.err().map(|exceeded| exceeded.scope)
}

#[tokio::test]
async fn what_one_command_sets_aside_another_cannot_and_the_engine_knows() {
    let home = temp_home();
    let engine = home.engine().await;
    let (one, other) = (home.reader().await, home.reader().await);
    let day = Budget {
        day: limit(100),
        ..Budget::default()
    };
    let first = ask("first", Some(id(1)), day, cents(60));
    assert_eq!(refused(&one, &first).await, None);
    let second = ask("second", Some(id(2)), day, cents(50));
    assert_eq!(refused(&other, &second).await, Some(BudgetScope::Day));
    let seen = engine.command_spending(NOW).await.unwrap();
    assert_eq!((seen.len(), seen[0].usage), (1, cents(60)));
    // It came to less: the rest is free again.
    one.pay(&payment(Some(id(1)), cents(10))).await.unwrap();
    one.set_reserved("first", Usage::default(), NOW)
        .await
        .unwrap();
    assert_eq!(refused(&other, &second).await, None);
    // What is paid counts among all that was spent; what is set aside does not yet.
    let spent = engine.spending().await.unwrap();
    assert_eq!((spent.len(), spent[0].usage), (1, cents(10)));
    assert_eq!(engine.loop_spending().await.unwrap(), []);
}

#[tokio::test]
async fn a_pull_request_has_one_limit_for_its_loop_and_for_commands() {
    let home = temp_home();
    let engine = home.engine().await;
    let mut state = new_loop(1);
    state.run.usage = cents(30);
    engine.create(&state, &login(), NOW).await.unwrap();
    let store = home.reader().await;
    let budget = Budget {
        pull_request: limit(50),
        ..Budget::default()
    };
    let of = |pull| ask("it", Some(pull), budget, cents(15));
    store.pay(&payment(Some(id(1)), cents(10))).await.unwrap();
    let over = Some(BudgetScope::PullRequest);
    assert_eq!(refused(&store, &of(id(1))).await, over);
    assert_eq!(refused(&store, &of(id(2))).await, None);
    // What lies on no host has that limit by itself.
    let mut case = ask("case", None, budget, cents(15));
    assert_eq!(refused(&store, &case).await, None);
    case.own = cents(40);
    assert_eq!(refused(&store, &case).await, over);
}

#[tokio::test]
async fn what_a_process_that_died_had_set_aside_is_free_after_an_hour() {
    let home = temp_home();
    let store = home.reader().await;
    let total = Budget {
        total: limit(100),
        ..Budget::default()
    };
    assert_eq!(
        refused(&store, &ask("dead", None, total, cents(90))).await,
        None
    );
    let later = |at: Time| CommandAsk {
        at,
        ..ask("next", None, total, cents(90))
    };
    let over = Some(BudgetScope::Total);
    assert_eq!(refused(&store, &later(NOW.plus(HOUR_MS - 1))).await, over);
    assert_eq!(refused(&store, &later(NOW.plus(HOUR_MS))).await, None);
}
