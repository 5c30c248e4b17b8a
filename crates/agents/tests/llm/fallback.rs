//! A second provider takes over from one that cannot be had, and from no other.

use super::{ignore_progress, impatient_llm, model, plain_request};
use collie_agents::llm::{ChainOutcome, Llm, LlmFailure, Model, Provider};
use collie_core::session::TakeOverReason;
use collie_fake_llm::{FakeLlm, Reply, RunningFakeLlm};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

async fn saying(reply: Reply) -> RunningFakeLlm {
    FakeLlm::serve(move |_| reply.clone()).await
}

fn fine() -> Reply {
    Reply::json(&json!({"ok": true})).with_usage(100, 0, 7)
}

async fn ask(llm: &Llm, models: &[Model]) -> ChainOutcome<bool> {
    let take = |value: &Value| Ok::<_, String>(value["ok"] == true);
    let cancel = CancellationToken::new();
    llm.complete_json_with(
        models,
        &plain_request("Well?"),
        take,
        &ignore_progress,
        &cancel,
    )
    .await
}

#[tokio::test]
async fn the_next_takes_over_from_one_that_is_down_out_of_quota_or_refuses_the_key() {
    let cases = [
        (Reply::status(503, "down"), TakeOverReason::Down, 3),
        (
            Reply::status(429, "slow down").with_header("retry-after", "3600"),
            TakeOverReason::OutOfQuota,
            1,
        ),
        (
            Reply::status(429, r#"{"error":{"code":"insufficient_quota"}}"#),
            TakeOverReason::OutOfQuota,
            1,
        ),
        (Reply::status(401, "no"), TakeOverReason::KeyRefused, 1),
    ];
    for (reply, reason, tries) in cases {
        let (first, second) = (saying(reply).await, saying(fine()).await);
        let models = [
            model(Provider::Anthropic, "claude-x", &first),
            model(Provider::OpenAi, "gpt-4o", &second),
        ];
        let llm = impatient_llm();
        let outcome = ask(&llm, &models).await;
        assert!(matches!(outcome.result, Ok(true)), "{reason:?}");
        assert_eq!((first.request_count(), second.request_count()), (tries, 1));
        let [taken] = outcome.take_overs.as_slice() else {
            panic!("{:?}", outcome.take_overs);
        };
        assert_eq!(
            (taken.model.as_str(), taken.reason),
            ("openai/gpt-4o", reason)
        );
        let spent: Vec<_> = outcome
            .spent
            .iter()
            .map(|(at, usage)| (*at, usage.total().output_tokens))
            .collect();
        assert_eq!(spent, [(0, 0), (1, 7)], "each is paid by its own price");

        let again = ask(&llm, &models).await;
        assert!(again.result.is_ok());
        assert_eq!(first.request_count(), tries, "it is left alone for a while");
        assert_eq!(again.take_overs[0].reason, reason, "and that is said");
    }
}

#[tokio::test]
async fn nobody_takes_over_what_is_wrong_with_the_question() {
    for (status, body) in [
        (
            400,
            r#"{"error":{"message":"temperature is not supported"}}"#,
        ),
        (404, "no such model"),
        (413, "too long"),
    ] {
        let first = saying(Reply::status(status, body)).await;
        let second = saying(fine()).await;
        let models = [
            model(Provider::Anthropic, "claude-x", &first),
            model(Provider::OpenAi, "gpt-4o", &second),
        ];
        let outcome = ask(&impatient_llm(), &models).await;
        assert!(outcome.result.is_err(), "{status}");
        assert_eq!(second.request_count(), 0, "{status}");
        assert_eq!(outcome.take_overs, []);
    }
}

#[tokio::test]
async fn where_all_are_down_the_last_says_so_and_all_are_tried_again() {
    let first = saying(Reply::status(503, "down")).await;
    let second = saying(Reply::status(503, "down too")).await;
    let models = [
        model(Provider::Anthropic, "claude-x", &first),
        model(Provider::OpenAi, "gpt-4o", &second),
    ];
    let llm = impatient_llm();
    for asked in [1, 2] {
        let outcome = ask(&llm, &models).await;
        let Err(LlmFailure::Unavailable { message, .. }) = &outcome.result else {
            panic!("{:?}", outcome.result);
        };
        assert_eq!(message, "down too");
        assert_eq!(first.request_count(), 3 * asked);
    }
}

#[tokio::test]
async fn one_that_never_ends_leaves_time_for_the_next() {
    let first = saying(Reply::hang_after("{")).await;
    let second = saying(fine()).await;
    let models = [
        model(Provider::Anthropic, "claude-x", &first),
        model(Provider::OpenAi, "gpt-4o", &second),
    ];
    let mut request = plain_request("Well?");
    request.deadline = std::time::Duration::from_secs(2);
    let take = |value: &Value| Ok::<_, String>(value["ok"] == true);
    let outcome = impatient_llm()
        .complete_json_with(
            &models,
            &request,
            take,
            &ignore_progress,
            &CancellationToken::new(),
        )
        .await;
    assert!(matches!(outcome.result, Ok(true)), "{:?}", outcome.result);
    assert_eq!(outcome.take_overs[0].reason, TakeOverReason::Down);
}

#[tokio::test]
async fn what_was_cancelled_is_taken_over_by_nobody() {
    let first = saying(Reply::hang_after("{")).await;
    let second = saying(fine()).await;
    let models = [
        model(Provider::Anthropic, "claude-x", &first),
        model(Provider::OpenAi, "gpt-4o", &second),
    ];
    let cancel = CancellationToken::new();
    let take = |value: &Value| Ok::<_, String>(value["ok"] == true);
    // In the middle of the first one's answer.
    let stop = |_| cancel.cancel();
    let outcome = impatient_llm()
        .complete_json_with(&models, &plain_request("Well?"), take, &stop, &cancel)
        .await;
    assert!(matches!(outcome.result, Err(LlmFailure::Cancelled { .. })));
    assert_eq!((first.request_count(), second.request_count()), (1, 0));
    assert_eq!(outcome.take_overs, [], "it is told of nobody");
    assert_eq!(outcome.spent.len(), 1);
}
