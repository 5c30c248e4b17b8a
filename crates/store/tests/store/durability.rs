//! What was written is there after the store is opened again.

use crate::support::*;
use collie_core::error_code::ErrorCode;
use collie_core::event::Event;
use collie_core::lifecycle::State;
use collie_core::note::Note;
use collie_core::usage::Usage;
use collie_core::user_error::UserError;
use collie_engine::ports::{
    AppliedStep, DaySpending, Journal, JournalReader, LoopRequest, OutboxEntry, RenderedPost,
};
use collie_engine::ports::{JournalUpkeep, RequestStatus};

#[tokio::test]
async fn what_was_written_is_there_after_opening_again() {
    let home = temp_home();
    let first = new_loop(1);
    let second = with_state(&first, State::PrAwaitingChecks);
    let rendered = RenderedPost::Comment {
        body: "look again, @ana".into(),
    };
    {
        let store = home.engine().await;
        assert!(store.create(&first, &login(), NOW).await.unwrap());
        assert!(
            !store.create(&first, &login(), NOW).await.unwrap(),
            "made twice"
        );
        let events = [(id(1), observed(1)), (id(1), cancel())];
        let inbox = store.receive(&events, NOW).await.unwrap();
        let note = Note::Ignored {
            reason: "stale_snapshot".into(),
        };
        let one = AppliedStep {
            effects: vec![post(1, 9), post(1, 10)],
            notes: vec![note],
            ..applied(&inbox[..1], &first, second.clone())
        };
        store.apply(&[one]).await.unwrap();
        store.mark_sending(&post(1, 10).0, &rendered).await.unwrap();
    }
    let store = home.engine().await;
    assert_eq!(store.loops().await.unwrap(), vec![second.clone()]);
    assert_eq!(store.find(&id(1)).await.unwrap(), Some(second.clone()));
    let unapplied = store.unapplied().await.unwrap();
    assert!(matches!(&unapplied[..], [(_, loop_id, Event::Cancel(_))] if *loop_id == id(1)));
    let entry = |nth, sending: Option<RenderedPost>| OutboxEntry {
        loop_id: id(1),
        id: post(1, nth).0,
        effect: post(1, nth).1,
        in_doubt: sending.is_some(),
        sending,
    };
    assert_eq!(
        store.outbox().await.unwrap(),
        vec![entry(9, None), entry(10, Some(rendered))]
    );

    let last = with_state(&second, State::Cancelled);
    let end = AppliedStep {
        dropped: vec![post(1, 9).0, post(1, 10).0],
        ..applied(&[unapplied[0].0], &second, last)
    };
    store.apply(std::slice::from_ref(&end)).await.unwrap();
    assert!(store.outbox().await.unwrap().is_empty());
    assert!(store.unapplied().await.unwrap().is_empty());
    insta::assert_json_snapshot!(store.timeline(&id(1)).await.unwrap());
}

#[tokio::test]
async fn a_batch_is_applied_whole_or_not_at_all() {
    let home = temp_home();
    let store = home.engine().await;
    let (one, two) = (new_loop(1), new_loop(2));
    store.create(&one, &login(), NOW).await.unwrap();
    store.create(&two, &login(), NOW).await.unwrap();
    let inbox = store
        .receive(&[(id(1), cancel()), (id(2), cancel())], NOW)
        .await
        .unwrap();
    let good = AppliedStep {
        effects: vec![post(1, 1)],
        ..applied(&inbox[..1], &one, with_state(&one, State::Cancelled))
    };
    for bad_inbox in [inbox[0], 4_711] {
        let bad = applied(&[bad_inbox], &two, with_state(&two, State::Cancelled));
        let error = store
            .apply(&[good.clone(), bad])
            .await
            .unwrap_err()
            .to_string();
        assert!(
            error.contains(&format!("inbox entry {bad_inbox}")),
            "{error}"
        );
        assert_eq!(store.loops().await.unwrap(), vec![one.clone(), two.clone()]);
        assert_eq!(store.unapplied().await.unwrap().len(), 2);
        assert!(store.outbox().await.unwrap().is_empty());
    }
    let other = applied(&inbox[1..], &two, with_state(&two, State::Cancelled));
    store.apply(&[good, other]).await.unwrap();
    let states: Vec<_> = store
        .loops()
        .await
        .unwrap()
        .iter()
        .map(|one| one.run.state)
        .collect();
    assert_eq!(states, [State::Cancelled, State::Cancelled]);
}

#[tokio::test]
async fn what_was_spent_is_counted_with_what_says_so_or_not_at_all() {
    let home = temp_home();
    let first = new_loop(1);
    let spent = |day: &str, cost_micros, tokens| DaySpending {
        day: day.parse().unwrap(),
        usage: Usage {
            input_tokens: tokens,
            cost_micros,
            unpriced: tokens > 0,
            unpriced_tokens: tokens,
            ..Usage::default()
        },
    };
    {
        let store = home.engine().await;
        store.create(&first, &login(), NOW).await.unwrap();
        let events = [
            (id(1), observed(1)),
            (id(1), observed(2)),
            (id(1), observed(3)),
        ];
        let inbox = store.receive(&events, NOW).await.unwrap();
        let step = |at: usize, spent| AppliedStep {
            spent: Some(spent),
            ..applied(&inbox[at..=at], &first, first.clone())
        };
        let steps = [
            step(0, spent("2026-11-24", 7, 0)),
            step(1, spent("2026-11-25", 1, 0)),
        ];
        store.apply(&steps).await.unwrap();
        store
            .apply(&[step(2, spent("2026-11-24", 5, 30))])
            .await
            .unwrap();
        // An entry that is not in the inbox any more: nothing of that batch is written, nor counted.
        let again = step(2, spent("2026-11-24", 100, 0));
        store
            .apply(&[again])
            .await
            .expect_err("it is in the journal already");
    }
    let store = home.engine().await;
    let days = store.spending().await.unwrap();
    let counted: Vec<_> = days
        .iter()
        .map(|day| (day.day.to_string(), day.usage))
        .collect();
    let both = spent("2026-11-24", 12, 30).usage;
    let other = spent("2026-11-25", 1, 0).usage;
    assert_eq!(
        counted,
        [
            ("2026-11-24".to_owned(), both),
            ("2026-11-25".to_owned(), other)
        ]
    );
}

#[tokio::test]
async fn a_reader_reads_and_asks_and_learns_the_answer() {
    let home = temp_home();
    // Without an engine: the request is queued.
    let asker = home.reader().await;
    let start = LoopRequest::Start {
        pull: pull_name(1),
        autonomy: None,
    };
    let queued = asker.add_request(&start, &login(), NOW).await.unwrap();
    assert_eq!(
        asker.request_status(queued).await.unwrap(),
        Some(RequestStatus::Pending)
    );

    let engine = home.engine().await;
    let later = asker
        .add_request(&LoopRequest::Cancel { pull: pull_name(2) }, &login(), NOW)
        .await
        .unwrap();
    let requests = engine.requests().await.unwrap();
    assert_eq!(requests[0], (queued, start, login()));
    assert_eq!(requests[1].0, later);
    engine.create(&new_loop(1), &login(), NOW).await.unwrap();
    engine.finish_request(queued, None).await.unwrap();
    let no_loop = UserError::new(ErrorCode::NoLoop).with("pull", "a/b#1");
    engine.finish_request(later, Some(&no_loop)).await.unwrap();
    assert!(engine.requests().await.unwrap().is_empty());

    assert_eq!(
        asker.request_status(queued).await.unwrap(),
        Some(RequestStatus::Done)
    );
    let refused = RequestStatus::Refused(no_loop);
    assert_eq!(asker.request_status(later).await.unwrap(), Some(refused));
    assert_eq!(asker.request_status(99).await.unwrap(), None);
    assert_eq!(asker.loops().await.unwrap(), vec![new_loop(1)]);
    assert_eq!(asker.timeline(&id(1)).await.unwrap()[0].event, "created");
    for refused in [
        asker.create(&new_loop(2), &login(), NOW).await.map(|_| ()),
        asker.receive(&[(id(1), cancel())], NOW).await.map(|_| ()),
        asker.apply(&[]).await,
        asker.finish_request(queued, None).await,
    ] {
        assert!(refused.unwrap_err().to_string().contains("only reads"));
    }
}

#[tokio::test]
async fn an_event_for_an_unknown_loop_is_refused() {
    let home = temp_home();
    let store = home.engine().await;
    let error = store
        .receive(&[(id(5), cancel())], NOW)
        .await
        .unwrap_err()
        .to_string();
    assert!(error.contains("no loop github.com/R_1#5"), "{error}");
}

#[tokio::test]
async fn readings_do_not_make_the_journal_grow() {
    let home = temp_home();
    let store = home.engine().await;
    let mut state = new_loop(1);
    store.create(&state, &login(), NOW).await.unwrap();
    for poll in 1..=50 {
        let mut next = state.clone();
        next.run.polling.last_snapshot.at = Some(NOW.plus(poll * 60_000));
        next.run.polling.next_at = Some(NOW.plus((poll + 1) * 60_000));
        next.run.updated_at = NOW.plus(poll * 60_000);
        receive_and_apply(&store, observed(1), &state, next.clone()).await;
        state = next;
    }
    assert_eq!(store.loops().await.unwrap(), vec![state.clone()]);
    let events: Vec<_> = store
        .timeline(&id(1))
        .await
        .unwrap()
        .into_iter()
        .map(|line| line.event)
        .collect();
    assert_eq!(
        events,
        ["created", "observed"],
        "one line for all that changed nothing"
    );

    let next = with_state(&state, State::PrAwaitingChecks);
    receive_and_apply(&store, observed(1), &state, next.clone()).await;
    receive_and_apply(&store, observed(1), &next, next.clone()).await;
    let moves: Vec<_> = store
        .timeline(&id(1))
        .await
        .unwrap()
        .into_iter()
        .map(|line| line.to)
        .collect();
    use State::{PrAwaitingChecks, PrCreated};
    assert_eq!(
        moves,
        [PrCreated, PrCreated, PrAwaitingChecks, PrAwaitingChecks]
    );
    store.close().await;
    let size = home.folder.database().metadata().unwrap().len();
    assert!(
        size < 200_000,
        "{size} bytes, though a reading's text has no use once it is applied"
    );
}
