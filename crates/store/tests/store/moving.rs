//! Loops that are handed over, and come back.

use crate::support::*;
use collie_core::ids::EffectId;
use collie_engine::ports::{HandedLoop, Journal, MovableJournal, ProjectionJournal};
use std::collections::BTreeMap;

#[tokio::test]
async fn what_was_received_goes_along_and_is_not_applied_a_second_time_once_a_loop_is_back() {
    let home = temp_home();
    let store = home.engine().await;
    let state = new_loop(1);
    store.create(&state, &login(), NOW).await.unwrap();
    store.receive(&[(id(1), cancel())], NOW).await.unwrap();
    assert_eq!(store.unapplied().await.unwrap().len(), 1);
    let handed = HandedLoop {
        state,
        in_doubt: BTreeMap::new(),
        pending: Vec::new(),
    };
    // The move broke off before the folder was one of loops elsewhere.
    store.become_own(&[handed]).await.unwrap();
    assert_eq!(store.unapplied().await.unwrap().len(), 0);
}

#[tokio::test]
async fn a_loop_that_comes_back_wants_what_it_says_and_is_in_doubt_of_what_it_may_have_done() {
    let home = temp_home();
    let store = home.engine().await;
    let mut state = new_loop(1);
    store.create(&state, &login(), NOW).await.unwrap();
    store.become_projection(&[(id(1), 7)].into()).await.unwrap();
    let progress = store.projection_progress().await.unwrap();
    assert_eq!(progress.versions, [(id(1), 7)].into());
    // The ninth comes before the tenth, of whichever run.
    let (ninth, tenth) = (EffectId::new("run-b-9"), EffectId::new("run-a-10"));
    for asked in [&tenth, &ninth] {
        state.outbox.effects.insert(asked.clone(), post(1, 1).1);
    }
    let handed = HandedLoop {
        state,
        in_doubt: [(ninth, None)].into(),
        pending: Vec::new(),
    };
    store.become_own(&[handed]).await.unwrap();
    let outbox = store.outbox().await.unwrap();
    let told: Vec<(&str, bool)> = outbox
        .iter()
        .map(|entry| (entry.id.as_str(), entry.in_doubt))
        .collect();
    assert_eq!(told, [("run-b-9", true), ("run-a-10", false)]);
    let progress = store.projection_progress().await.unwrap();
    assert_eq!(progress.versions, BTreeMap::new());
}
