//! Deliveries in any order, twice, or never: with a poll now and then as the safety net, loops end as they do by polling alone (§18.1).

use crate::fixture::*;
use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::routing::post;
use collie_testkit::repository::RepositoryFixture;
use collie_testkit::wait::Wait;
use proptest::prelude::*;
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};

const OWNER: &str = "demo";

const PATIENT: Wait = Wait {
    timeout: std::time::Duration::from_secs(45),
    interval: std::time::Duration::from_millis(50),
};

/// What people and checks do to the pull request.
#[derive(Clone, Debug)]
enum Act {
    Close,
    Reopen,
    Push,
    Status(bool),
    Comment,
    Draft(bool),
    Retitle,
}

/// What becomes of a delivery.
#[derive(Clone, Copy, Debug)]
struct Fate {
    lost: bool,
    twice: bool,
    /// Where it comes among the others.
    place: u16,
    /// It is sent at once, beside what happens next.
    at_once: bool,
}

fn act() -> impl Strategy<Value = Act> {
    prop_oneof![
        Just(Act::Close),
        Just(Act::Reopen),
        Just(Act::Push),
        any::<bool>().prop_map(Act::Status),
        Just(Act::Comment),
        any::<bool>().prop_map(Act::Draft),
        Just(Act::Retitle),
    ]
}

fn fate() -> impl Strategy<Value = Fate> {
    (
        prop::bool::weighted(0.3),
        prop::bool::weighted(0.3),
        any::<u16>(),
        any::<bool>(),
    )
        .prop_map(|(lost, twice, place, at_once)| Fate {
            lost,
            twice,
            place,
            at_once,
        })
}

type Recorded = Arc<Mutex<Vec<(HeaderMap, Bytes)>>>;

/// Takes deliveries and keeps them.
async fn recorder() -> (String, Recorded) {
    async fn keep(State(kept): State<Recorded>, headers: HeaderMap, body: Bytes) {
        kept.lock().unwrap().push((headers, body));
    }
    let kept = Recorded::default();
    let router = Router::new()
        .route("/", post(keep))
        .with_state(kept.clone());
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, router).await });
    (url, kept)
}

fn settings(poll: &str) -> Settings {
    Settings {
        config: format!(
            "poll_interval = \"{poll}\"\nready_poll_interval = \"{poll}\"\n[[repositories]]\nname = \"demo/app\"\nauto_pr_review_enabled = true\nautonomy = \"observe\"\n"
        ),
        ..Settings::default()
    }
}

async fn carry_out(server: &TestServer, act: &Act, turn: usize) {
    let patch = async |body: Value| {
        // What GitHub refuses, such as to close what is closed, changes nothing.
        let url = format!("{}/repos/demo/app/pulls/1", server.api_url());
        let request = server.http.patch(url).bearer_auth(format!("forge-{OWNER}"));
        drop(server.send(request.json(&body)).await);
    };
    match act {
        Act::Close => patch(json!({"state": "closed"})).await,
        Act::Reopen => patch(json!({"state": "open"})).await,
        Act::Retitle => patch(json!({"title": format!("Title {turn}")})).await,
        Act::Push => {
            let text = format!("export const turn = {turn};\n");
            server.push("topic", &[("app.js", text.as_str())]).await;
        }
        Act::Comment => {
            let body = json!({"body": format!("Remark {turn}")});
            server
                .repo_call("mallory", "POST", "/issues/1/comments", Some(body))
                .await;
        }
        Act::Status(good) => {
            let state = if *good { "success" } else { "failure" };
            let path = format!("/statuses/{}", server.sha("topic"));
            let body = json!({"state": state, "context": "ci"});
            server.repo_call(WRITER, "POST", &path, Some(body)).await;
        }
        Act::Draft(draft) => {
            let mutation = match draft {
                true => "convertPullRequestToDraft",
                false => "markPullRequestReadyForReview",
            };
            let query = format!(
                "mutation($id: ID!) {{ {mutation}(input: {{pullRequestId: $id}}) {{ clientMutationId }} }}"
            );
            server.graphql_about_pull(OWNER, 1, &query).await;
        }
    }
}

/// What a loop has come to, without what differs between two servers.
fn end_of(server: &TestServer) -> Value {
    let status = server.status(1);
    // What was read of it before it was closed depends on when that was.
    if status["state"] == "closed" {
        return json!({"state": status["state"]});
    }
    // A fault of a head that has gone is known to whoever saw it in time. That of a check stays open until the check has passed.
    let red = status["ci"]["failed"].as_u64() > Some(0);
    let findings = status["findings"].as_array().into_iter().flatten();
    let open: Vec<_> = findings
        .filter(|finding| finding["status"] == "open" && (red || finding["category"] != "ci"))
        .map(|finding| &finding["title"])
        .collect();
    json!({
        "state": status["state"],
        "head": status["head_sha"],
        "title": status["title"],
        "blocker": status["blocker"]["code"],
        "ci": [status["ci"]["status"], status["ci"]["passed"], status["ci"]["failed"]],
        "findings": open,
    })
}

async fn check(mut acts: Vec<Act>, fates: Vec<Fate>) {
    // Who saw it closed does not begin it again while it is a draft; who did not goes on with it.
    if acts.iter().any(|act| matches!(act, Act::Close)) {
        acts.push(Act::Draft(false));
    }
    let repository = RepositoryFixture::clean();
    let mut polling = TestServer::start(&repository, settings("400ms")).await;
    let mut hooked = polling.beside(settings("4s")).await;
    // What is closed before a server has ever seen it never has a loop there.
    for server in [&polling, &hooked] {
        let state = async || match &end_of(server)["state"] {
            Value::String(_) => Ok(()),
            other => Err(other.to_string()),
        };
        PATIENT.until("a loop", state).await;
    }
    let (url, kept) = recorder().await;
    let config = json!({"url": url, "content_type": "json", "secret": SECRET});
    let hook = json!({"name": "web", "events": ["*"], "config": config});
    polling.repo_call(OWNER, "POST", "/hooks", Some(hook)).await;
    let mut taken = 0;
    let mut later: Vec<(u16, HeaderMap, Bytes)> = Vec::new();
    for (turn, act) in acts.iter().enumerate() {
        carry_out(&polling, act, turn).await;
        let new: Vec<_> = kept.lock().unwrap()[taken..].to_vec();
        for (headers, body) in new {
            let fate = fates[taken % fates.len()];
            taken += 1;
            let times = match fate {
                Fate { lost: true, .. } => 0,
                Fate { twice: true, .. } => 2,
                Fate { .. } => 1,
            };
            for _ in 0..times {
                if fate.at_once {
                    deliver(&hooked, headers.clone(), body.clone()).await;
                } else {
                    later.push((fate.place, headers.clone(), body.clone()));
                }
            }
        }
    }
    later.sort_by_key(|(place, ..)| *place);
    for (_, headers, body) in later {
        deliver(&hooked, headers, body).await;
    }
    // Both have come to rest, and to the same.
    let what = format!("both to come to the same end after {acts:?}");
    let mut calm = 0;
    let met = PATIENT.until(&what, async || {
        let (by_polls, by_hooks) = (end_of(&polling), end_of(&hooked));
        calm = if by_polls == by_hooks { calm + 1 } else { 0 };
        match calm >= 20 {
            true => Ok(()),
            false => Err(format!("{by_polls} and {by_hooks}")),
        }
    });
    met.await;
    hooked.stop().await;
    polling.stop().await;
}

async fn deliver(server: &TestServer, headers: HeaderMap, body: Bytes) {
    let mut request = server.http.post(format!("{}/webhooks/github", server.url));
    for (name, value) in &headers {
        if name.as_str().starts_with("x-") || name == "content-type" {
            request = request.header(name, value);
        }
    }
    let answer = server.send(request.body(body)).await;
    assert_eq!(answer.status, 202, "{answer:?}");
}

#[test]
fn deliveries_in_any_order_twice_or_lost_lead_to_where_polls_lead() {
    let cases = match std::env::var_os("COLLIE_TEST_LONG") {
        Some(_) => 60,
        None => 4,
    };
    let config = ProptestConfig {
        failure_persistence: None,
        max_shrink_iters: 0,
        ..ProptestConfig::with_cases(cases)
    };
    let runtime = tokio::runtime::Runtime::new().unwrap();
    proptest!(config, |(acts in prop::collection::vec(act(), 3..9), fates in prop::collection::vec(fate(), 16))| {
        runtime.block_on(check(acts, fates));
    });
}
