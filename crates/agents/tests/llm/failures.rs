//! Everything that can go wrong, and that the key is in none of it.

use super::{
    ALL_PROVIDERS, KEY, TEST_TIMEOUT, expect_failed_completion, expect_failure, ignore_progress,
    impatient_llm, model, plain_request,
};
use collie_agents::llm::{Llm, LlmFailure, LlmProgress, Model, Provider, RetryPolicy, Secret};
use collie_fake_llm::{FakeLlm, Reply};
use serde_json::json;
use std::io::Write;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// What a service says when it is asked to wait no time.
fn rate_limited_reply() -> Reply {
    Reply::status(429, r#"{"error":{"message":"Slow down"}}"#).with_header("retry-after", "0")
}

/// A key goes where it was meant to go, and not to where that place points.
#[tokio::test]
async fn a_redirect_takes_no_key_elsewhere() {
    for (provider, name) in ALL_PROVIDERS {
        let elsewhere = FakeLlm::serve(|_| Reply::text("{}")).await;
        let location = elsewhere.root();
        let moved = move |_: &_| Reply::status(307, "").with_header("location", &location);
        let fake = FakeLlm::serve(moved).await;
        let failure = expect_failure(&impatient_llm(), &model(provider, name, &fake)).await;
        assert!(
            matches!(failure, LlmFailure::RequestRejected { .. }),
            "{provider}: {failure:?}"
        );
        assert_eq!(
            (fake.request_count(), elsewhere.request_count()),
            (1, 0),
            "{provider}"
        );
    }
}

#[tokio::test]
async fn what_passes_is_tried_again() {
    let passing = [
        ("busy", rate_limited_reply()),
        ("broken", Reply::status(500, "oops")),
        ("overloaded", Reply::status(529, "oops")),
        ("cut", Reply::disconnect_after("The beginning of an ans")),
        ("cut at once", Reply::disconnect_after("")),
        ("empty", Reply::text(" \n")),
        (
            "overloaded within",
            Reply::fail_after(
                "The",
                json!({"type": "overloaded_error", "message": "Overloaded"}),
            ),
        ),
    ];
    for (what, first) in passing {
        for (provider, name) in ALL_PROVIDERS {
            let first = first.clone();
            let script = move |asked: &collie_fake_llm::ReceivedRequest| match asked.number {
                1 => first.clone(),
                _ => Reply::text("Fine.").with_usage(100, 0, 7),
            };
            let fake = FakeLlm::serve(script).await;
            let model = model(provider, name, &fake);
            let cancel = CancellationToken::new();
            let answer = impatient_llm()
                .complete(&model, &plain_request("Well?"), &ignore_progress, &cancel)
                .await;
            let answer = answer.unwrap_or_else(|e| panic!("{what}, {model}: {e}"));
            assert_eq!(answer.text, "Fine.", "{what}, {model}");
            let [first, second] = answer.usage.requests[..] else {
                panic!("{what}, {model}: {:?}", answer.usage);
            };
            assert_eq!(
                (second.input_tokens, second.output_tokens),
                (100, 7),
                "{what}, {model}"
            );
            assert_eq!(
                first.estimated,
                matches!(what, "cut" | "overloaded within"),
                "{what}, {model}"
            );
            assert_eq!(fake.request_count(), 2, "{what}, {model}");
        }
    }
}

#[tokio::test]
async fn nothing_is_tried_for_ever() {
    let fake = FakeLlm::serve(|_| Reply::status(503, "down for repair")).await;
    let failed =
        expect_failed_completion(&impatient_llm(), &model(Provider::OpenAi, "gpt-4o", &fake)).await;
    assert_eq!((failed.usage.requests.len(), fake.request_count()), (3, 3));
    assert!(failed.failure.is_transient());
    let said = failed.to_string();
    assert!(said.contains("is out of order (down for repair)"), "{said}");
}

#[tokio::test]
async fn a_wait_that_is_too_long_is_left_to_the_caller() {
    let waits = [
        ("retry-after", "120", 120),
        ("retry-after-ms", "61000", 61),
        ("retry-after", "Fri, 31 Dec 2100 23:59:59 GMT", 0),
    ];
    for (name, value, seconds) in waits {
        let reply = Reply::status(429, "slow down").with_header(name, value);
        let fake = FakeLlm::serve(move |_| reply.clone()).await;
        let found = expect_failure(
            &impatient_llm(),
            &model(Provider::Anthropic, "claude-x", &fake),
        )
        .await;
        let LlmFailure::RateLimited { wait, .. } = found else {
            panic!("{name}: {found}");
        };
        let wait = wait.expect("it was said").as_secs();
        assert!(
            wait == seconds || seconds == 0 && wait > 1_000_000,
            "{name}: {wait}"
        );
        assert_eq!(fake.request_count(), 1, "{name}");
    }
}

#[tokio::test]
async fn geminis_own_way_to_say_wait_is_understood() {
    let body = json!({"error": {"code": 429, "message": "Quota", "status": "RESOURCE_EXHAUSTED", "details": [
        {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "34.5s"}]}});
    let fake = FakeLlm::serve(move |_| Reply::status(429, body.to_string())).await;
    let found = expect_failure(
        &impatient_llm(),
        &model(Provider::Gemini, "gemini-3.5-flash", &fake),
    )
    .await;
    let LlmFailure::RateLimited { wait, message, .. } = found else {
        panic!("{found}");
    };
    assert_eq!(wait, Some(Duration::from_millis(34_500)));
    assert_eq!(message, "Quota");
}

#[tokio::test]
async fn what_will_not_pass_is_reported_at_once() {
    let lasting = [
        ("unauthorized", Reply::status(401, "no")),
        ("no such model", Reply::status(404, "no")),
        ("no credit", Reply::status(402, "no")),
        ("too long", Reply::status(413, "no")),
        (
            "too long for it",
            Reply::status(
                400,
                r#"{"error":{"code":"context_length_exceeded","message":"maximum context length"}}"#,
            ),
        ),
        (
            "too long within",
            Reply::fail_after(
                "",
                json!({"code": "context_length_exceeded", "message": "context_length_exceeded"}),
            ),
        ),
        ("refused", Reply::refused("SAFETY")),
        (
            "rejected",
            Reply::status(
                400,
                r#"{"error":{"message":"temperature is not supported"}}"#,
            ),
        ),
        (
            "moved",
            Reply::status(307, "").with_header("location", "https://example.org/"),
        ),
    ];
    let mut lines = Vec::new();
    for (what, reply) in lasting {
        for (provider, name) in ALL_PROVIDERS {
            if (what, provider) == ("refused", Provider::Ollama) {
                // It has no mark for that: its models refuse in words.
                continue;
            }
            let reply = reply.clone();
            let fake = FakeLlm::serve(move |_| reply.clone()).await;
            let mut model = model(provider, name, &fake);
            model.max_tokens = Some(50);
            let failed = expect_failed_completion(&impatient_llm(), &model).await;
            assert_eq!(
                (failed.usage.requests.len(), fake.request_count()),
                (1, 1),
                "{what}, {model}"
            );
            assert!(!failed.failure.is_transient(), "{what}, {model}");
            let at = fake.url().replace("http://", "").replace("/v1", "");
            let said = failed
                .to_string()
                .replace(&format!("`{name}` ({provider} at {at})"), "MODEL");
            lines.push(format!("{what}: {said}"));
        }
    }
    // All forms say the same, but for the reason of a refusal.
    lines.sort();
    lines.dedup();
    insta::assert_snapshot!("lasting-failures", lines.join("\n"));
}

#[tokio::test]
async fn a_filter_in_the_middle_is_a_refusal() {
    let filtered = [
        (
            Provider::OpenAi,
            "gpt-4o",
            r#"{"choices":[{"index":0,"delta":{},"finish_reason":"content_filter"}]}"#,
        ),
        (
            Provider::OpenAi,
            "gpt-6-sol",
            r#"{"type":"response.incomplete","response":{"id":"r","status":"incomplete","model":"m","incomplete_details":{"reason":"content_filter"}}}"#,
        ),
        (
            Provider::Gemini,
            "gemini-3.5-flash",
            r#"{"candidates":[{"content":{"parts":[{"text":"The"}]},"finishReason":"PROHIBITED_CONTENT"}]}"#,
        ),
    ];
    for (provider, name, event) in filtered {
        let body = format!("data: {event}\n\ndata: [DONE]\n\n");
        let fake = FakeLlm::serve(move |_| Reply::status(200, body.clone())).await;
        let found = expect_failure(&impatient_llm(), &model(provider, name, &fake)).await;
        assert!(
            matches!(found, LlmFailure::Refused { .. }),
            "{name}: {found}"
        );
    }
}

/// Takes log lines.
#[derive(Clone, Default)]
struct LogBuffer(Arc<Mutex<Vec<u8>>>);

impl Write for LogBuffer {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().expect("nothing panics with it").extend(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn a_service_that_quotes_the_key_makes_nobody_else_say_it() {
    let log = LogBuffer::default();
    let writer = log.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing::Level::TRACE)
        .with_writer(move || writer.clone())
        .finish();
    let _logged = tracing::subscriber::set_default(subscriber);
    let quotes = [
        Reply::status(
            400,
            format!(r#"{{"error":{{"message":"{KEY} is wrong"}}}}"#),
        ),
        Reply::status(403, format!("go away, {KEY}")),
        Reply::status(401, KEY),
        Reply::status(200, format!("data: {KEY}\n\n{{\"a\": \"{KEY}\"}}\n")),
        Reply::fail_after("A", json!({"message": format!("{KEY} is wrong")})),
    ];
    for quote in quotes {
        for (provider, name) in ALL_PROVIDERS {
            let quote = quote.clone();
            let fake = FakeLlm::serve(move |_| quote.clone()).await;
            let model = model(provider, name, &fake);
            let failed = expect_failed_completion(&impatient_llm(), &model).await;
            let shown = format!("{failed} {failed:?} {model:?} {model}");
            assert!(!shown.contains("Zebrafink"), "{shown}");
        }
    }
    tracing::error!("this line is seen");
    let log = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
    assert!(log.contains("this line is seen"));
    assert!(!log.contains("Zebrafink"), "{log}");
}

#[tokio::test]
async fn nothing_is_sent_without_a_key_or_to_no_address() {
    let fake = FakeLlm::serve(|_| Reply::text("Fine.")).await;
    let mut keyless = model(Provider::Gemini, "gemini-3.5-flash", &fake);
    keyless.key = None;
    let said = expect_failed_completion(&impatient_llm(), &keyless).await;
    assert_eq!(said.usage.requests, []);
    assert!(
        said.to_string()
            .contains("set GEMINI_API_KEY or LLM_API_KEY"),
        "{said}"
    );

    let addresses = [
        None,
        Some("localhost:11434"),
        Some("ftp://x/"),
        Some("http://"),
        Some("https://me:pass@x/v1"),
    ];
    let mut lines = Vec::new();
    for address in addresses {
        let mut model = Model::new(Provider::Compatible, "small");
        model.url = address.map(str::to_owned);
        model.key = Secret::new(KEY);
        lines.push(expect_failure(&impatient_llm(), &model).await.to_string());
    }
    insta::assert_snapshot!("bad-addresses", lines.join("\n"));
    assert_eq!(fake.request_count(), 0);
}

#[tokio::test]
async fn a_service_that_is_not_there_is_distinguished_from_one_that_is_none() {
    let mut model = Model::new(Provider::Ollama, "small");
    // No service of ours is ever given a port that only root may take.
    model.url = Some("http://127.0.0.1:1".into());
    let found = expect_failure(&impatient_llm(), &model).await;
    assert!(matches!(found, LlmFailure::Unreachable { .. }), "{found}");

    let page = FakeLlm::serve(|_| Reply::status(200, "<html><p>Please sign in</p></html>")).await;
    model.url = Some(page.url());
    let found = expect_failure(&impatient_llm(), &model).await;
    assert!(
        found.to_string().contains("is the address right?"),
        "{found}"
    );
}

#[tokio::test]
async fn a_cancel_ends_it_at_once_and_hangs_up() {
    for (provider, name) in ALL_PROVIDERS {
        let fake = FakeLlm::serve(|_| Reply::hang_after("The beginning of an answer")).await;
        let model = model(provider, name, &fake);
        let cancel = CancellationToken::new();
        let on_progress = |_: LlmProgress| cancel.cancel();
        let llm = impatient_llm();
        let ask = plain_request("Well?");
        let asked = llm.complete(&model, &ask, &on_progress, &cancel);
        let failed = tokio::time::timeout(TEST_TIMEOUT, asked)
            .await
            .unwrap()
            .unwrap_err();
        assert!(
            matches!(failed.failure, LlmFailure::Cancelled { .. }),
            "{failed}"
        );
        let spent = failed.usage.total();
        assert!(spent.estimated && spent.input_tokens > 0, "{spent:?}");
        tokio::time::timeout(TEST_TIMEOUT, fake.wait_for_hang_ups(1))
            .await
            .unwrap();
    }
}

#[tokio::test]
async fn a_cancel_ends_a_pause_too() {
    let fake = FakeLlm::serve(|_| Reply::status(503, "later")).await;
    let llm = Llm::new(RetryPolicy {
        first_delay: TEST_TIMEOUT * 10,
        max_delay: TEST_TIMEOUT * 20,
        ..RetryPolicy::default()
    });
    let model = model(Provider::OpenAi, "gpt-4o", &fake);
    let cancel = CancellationToken::new();
    let ask = plain_request("Well?");
    let asked = llm.complete(&model, &ask, &ignore_progress, &cancel);
    let cancelled = async {
        while fake.request_count() == 0 {
            tokio::task::yield_now().await;
        }
        cancel.cancel();
    };
    let both = async { tokio::join!(asked, cancelled).0 };
    let failed = tokio::time::timeout(TEST_TIMEOUT, both)
        .await
        .unwrap()
        .unwrap_err();
    assert!(
        matches!(failed.failure, LlmFailure::Cancelled { .. }),
        "{failed}"
    );
    assert_eq!(failed.usage.requests.len(), 1);
}

#[tokio::test]
async fn the_deadline_holds_for_all_attempts_together() {
    let script = |asked: &collie_fake_llm::ReceivedRequest| match asked.number {
        1 | 2 => rate_limited_reply(),
        _ => Reply::hang_after("The beginning"),
    };
    let fake = FakeLlm::serve(script).await;
    let model = model(Provider::Anthropic, "claude-x", &fake);
    let mut ask = plain_request("Well?");
    ask.deadline = Duration::from_secs(1);
    let failed = impatient_llm()
        .complete(&model, &ask, &ignore_progress, &CancellationToken::new())
        .await
        .unwrap_err();
    assert!(
        matches!(failed.failure, LlmFailure::DeadlineExceeded { .. }),
        "{failed}"
    );
    assert!(failed.failure.is_transient());
    tokio::time::timeout(TEST_TIMEOUT, fake.wait_for_hang_ups(1))
        .await
        .unwrap();
}

#[tokio::test]
async fn silence_in_an_answer_is_a_cut() {
    let fake = FakeLlm::serve(|_| Reply::hang_after("The beginning")).await;
    let llm = Llm::new(RetryPolicy {
        max_attempts: 1,
        idle_timeout: Duration::from_millis(100),
        ..RetryPolicy::default()
    });
    for (provider, name) in ALL_PROVIDERS {
        let found = expect_failure(&llm, &model(provider, name, &fake)).await;
        assert!(
            matches!(found, LlmFailure::StreamInterrupted { .. }),
            "{found}"
        );
        assert!(found.to_string().contains("nothing came for"), "{found}");
    }
}
