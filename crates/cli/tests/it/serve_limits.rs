//! How often a person may ask `collie serve`: who asks too much is refused until the time that is told, and nobody else is.

use crate::serve::{Answer, READER, TestServer, WRITER, check_problem};
use crate::support::*;
use serde_json::json;
use std::time::{Duration, Instant};

const STATUS: &str = "/pr/acme/one/1/status";
/// What the page on servers says: at once, and a second.
const BURST: usize = 120;
const A_SECOND: usize = 20;
/// What it says of streams.
const STREAMS: usize = 40;

/// Asks as a person until it is refused; how many were answered, and the refusal.
fn ask_until_refused(server: &TestServer, login: &str) -> (usize, Answer) {
    for answered in 0..BURST * 20 {
        let answer = server.get(login, STATUS);
        match answer.status {
            200 => {}
            _ => return (answered, answer),
        }
    }
    panic!("nothing was refused");
}

fn wait_told(refused: &Answer) -> Duration {
    check_problem(refused, 429, "too_many_requests");
    let told = refused.headers["retry-after"].to_str().unwrap();
    let seconds = told.parse().unwrap();
    assert!((1..=60).contains(&seconds), "{told}");
    Duration::from_secs(seconds)
}

#[test]
fn who_asks_too_much_is_refused_for_the_time_that_is_told_and_nobody_else_is() {
    let server = TestServer::start();
    server.start_loop("acme/one");
    // Known to the server, so that what follows costs nobody a question to GitHub.
    assert_eq!(server.get(READER, STATUS).status, 200);
    let cookie = server.sign_in(WRITER);
    let begun = Instant::now();
    let (answered, refused) = ask_until_refused(&server, WRITER);
    let elapsed = begun.elapsed();
    let wait = wait_told(&refused);
    // Some were used before; some came back meanwhile.
    let most = BURST + A_SECOND * (usize::try_from(elapsed.as_secs()).unwrap() + 1);
    assert!(
        (BURST / 2..=most).contains(&answered),
        "{answered} in {elapsed:?}"
    );
    // It is the person who is refused, whichever way they come.
    let refused_too = (0..10).any(|_| {
        let by_page = server.page(&cookie, json!({"command": "loops"}));
        let by_event = server.event(WRITER, "acme/one/1", json!({"id": "x", "type": "CLOSE"}));
        [by_page.status, by_event.status] == [429, 429]
    });
    assert!(refused_too, "the same person was served another way");
    // Nobody else is, however long it goes on.
    for _ in 0..20 {
        let _ = server.get(WRITER, STATUS);
        let other = server.get(READER, STATUS);
        assert_eq!(other.status, 200, "{other:?}");
    }
    std::thread::sleep(wait);
    let again = server.get(WRITER, STATUS);
    assert_eq!(again.status, 200, "{again:?}");
    server.gate.open();
}

#[test]
fn who_tries_tokens_is_refused_for_as_long_as_is_told_and_those_who_are_known_are_not() {
    let server = TestServer::start();
    server.start_loop("acme/one");
    assert_eq!(server.get(READER, STATUS).status, 200);
    let asked_before = server.forge.last_request();
    let tried = |number: usize| server.get(&format!("nobody-{number}"), STATUS);
    let refused = (0..200)
        .map(tried)
        .find(|answer| answer.status != 401)
        .unwrap();
    let wait = wait_told(&refused);
    assert_eq!(server.get(READER, STATUS).status, 200);
    // What is refused costs GitHub nothing.
    let asked = server.forge.requests_after(asked_before).len();
    assert!(asked <= 60, "{asked} requests for some twenty tokens");
    // Before that time it is refused again; that a second is not enough is what the header says.
    std::thread::sleep(wait.saturating_sub(Duration::from_millis(1_500)));
    assert_eq!(tried(900).status, 429);
    std::thread::sleep(Duration::from_millis(1_500));
    assert_eq!(tried(901).status, 401);
    server.gate.open();
}

#[test]
fn a_person_with_too_many_streams_is_refused_another_and_takes_nobody_s_room() {
    let server = TestServer::start();
    let open = |login: &str| {
        let request = server.http.get(format!("{}/events", server.url));
        let request = request.bearer_auth(format!("forge-{login}"));
        RUNTIME.block_on(async { request.send().await.unwrap() })
    };
    let mut streams: Vec<reqwest::Response> = (0..STREAMS).map(|_| open(WRITER)).collect();
    assert!(streams.iter().all(|stream| stream.status() == 200));
    let refused = open(WRITER);
    assert_eq!(refused.status(), 429);
    let wait = refused.headers()["retry-after"]
        .to_str()
        .unwrap()
        .to_owned();
    assert_eq!(wait, "5");
    assert_eq!(open(READER).status(), 200);
    // A page that is closed makes room.
    streams.pop();
    wait_until_blocking("room for another stream", || open(WRITER).status() == 200);
}
