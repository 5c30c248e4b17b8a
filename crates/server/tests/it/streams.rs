//! Streams of events end with a reason.

use crate::fixture::*;
use collie_testkit::forge::COLLIE;
use collie_testkit::repository::RepositoryFixture;
use collie_testkit::wait::WAIT_TIMEOUT;
use reqwest::Response;
use serde_json::json;
use std::time::Duration;

/// A stream of somebody's, from its first event on.
async fn listen(server: &TestServer, cookie: Option<&str>, login: &str) -> Response {
    let request = match cookie {
        Some(cookie) => server
            .http
            .get(format!("{}/events", server.url))
            .header("cookie", cookie),
        None => server.get(login, "/events"),
    };
    let mut stream = request.send().await.unwrap();
    assert_eq!(stream.status(), 200);
    read_until(&mut stream, "event: hello").await;
    stream
}

async fn read_until(stream: &mut Response, wanted: &str) -> String {
    let mut text = String::new();
    while !text.contains(wanted) {
        let chunk = tokio::time::timeout(WAIT_TIMEOUT, stream.chunk()).await;
        let chunk = chunk
            .unwrap_or_else(|_| panic!("{wanted}: {text}"))
            .unwrap();
        let chunk = chunk.unwrap_or_else(|| panic!("it ended without {wanted}: {text}"));
        text.push_str(std::str::from_utf8(&chunk).unwrap());
    }
    text
}

/// Reads a stream to its end, which it has to come to.
async fn rest(mut stream: Response) -> String {
    let mut text = String::new();
    loop {
        let chunk = tokio::time::timeout(WAIT_TIMEOUT, stream.chunk()).await;
        match chunk
            .unwrap_or_else(|_| panic!("it does not end: {text}"))
            .unwrap()
        {
            Some(chunk) => text.push_str(std::str::from_utf8(&chunk).unwrap()),
            None => return text,
        }
    }
}

#[track_caller]
fn check_end(text: &str, reason: &str) {
    let end = format!("event: end\ndata: {{\"reason\":\"{reason}\"}}");
    let found = text
        .replace("event:end", "event: end")
        .replace("data:{", "data: {");
    let last = found.trim_end().rsplit("\n\n").next().unwrap();
    let lines: Vec<&str> = last
        .lines()
        .filter(|line| !line.starts_with("id:"))
        .collect();
    let mut sorted = lines.clone();
    sorted.sort_unstable();
    let mut wanted: Vec<&str> = end.lines().collect();
    wanted.sort_unstable();
    assert_eq!(sorted, wanted, "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn who_loses_access_in_the_middle_is_told_so_and_nothing_more() {
    let settings = Settings {
        access_ttl: Duration::from_millis(500),
        ..Settings::default()
    };
    let mut server = TestServer::start(&RepositoryFixture::clean(), settings).await;
    server.change_repository(json!({"private": true})).await;
    server.start_loop(1).await;
    let (mut ana, mut collie) = (
        listen(&server, None, WRITER).await,
        listen(&server, None, COLLIE).await,
    );
    read_until(&mut ana, "demo/app#1").await;
    read_until(&mut collie, "demo/app#1").await;
    server
        .change_repository(json!({"roles": {WRITER: "none"}}))
        .await;
    let seen = rest(ana).await;
    check_end(&seen, "access_lost");
    assert!(
        seen.contains("resync"),
        "the page is to forget what it had: {seen}"
    );
    // Others go on, and who comes back is told nothing of it.
    let again = listen(&server, None, WRITER).await;
    let path = format!("{}/pr/demo/app/1/event", server.url);
    let cancel = server
        .http
        .post(path)
        .bearer_auth(format!("forge-{COLLIE}"));
    let answer = server
        .send(cancel.json(&json!({"id": "c", "type": "cancel"})))
        .await;
    assert_eq!(answer.status, 202, "{answer:?}");
    read_until(&mut collie, "cancelled").await;
    server.stop().await;
    let told = rest(again).await;
    assert!(!told.contains("demo/app"), "{told}");
    check_end(&told, "stopping");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_ends_with_its_session() {
    let settings = Settings {
        session_lifetime: Duration::from_secs(2),
        ..Settings::default()
    };
    let mut server = TestServer::start(&RepositoryFixture::clean(), settings).await;
    let cookie = server.sign_in(WRITER).await;
    let stream = listen(&server, Some(&cookie), WRITER).await;
    check_end(&rest(stream).await, "expired");
    server.settings.session_lifetime = Duration::from_secs(600);
    server.stop().await;
    server.start_again().await;
    let cookie = server.sign_in(WRITER).await;
    let stream = listen(&server, Some(&cookie), WRITER).await;
    let everywhere = json!({"command": "sign_out_everywhere"});
    assert_eq!(server.page(&cookie, everywhere).await.status, 200);
    check_end(&rest(stream).await, "signed_out");
    // A token that GitHub takes back ends what it began.
    server.settings.access_ttl = Duration::from_millis(500);
    server.stop().await;
    server.start_again().await;
    server.start_loop(1).await;
    let mut stream = listen(&server, None, WRITER).await;
    let cancel = json!({"id": "c", "type": "cancel"});
    assert_eq!(server.event(1, cancel).await.status, 202);
    read_until(&mut stream, "demo/app#1").await;
    let revoked = json!({"login": WRITER, "revoked": true});
    server
        .call("octo", "POST", "/_forge/tokens", Some(revoked))
        .await;
    check_end(&rest(stream).await, "signed_out");
    server.stop().await;
}
