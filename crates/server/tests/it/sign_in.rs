//! Who is signed in, for how long, and by what.

use crate::fixture::*;
use collie_testkit::repository::RepositoryFixture;
use collie_testkit::wait::{WAIT, Wait, wait_until};
use serde_json::{Value, json};
use std::time::Duration;

fn loops() -> Value {
    json!({"command": "loops"})
}

async fn is_in(server: &TestServer, cookie: &str) -> bool {
    let answer = server.page(cookie, loops()).await;
    if answer.status != 200 {
        answer.check(401, "signed_out");
    }
    answer.status == 200
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_is_over_when_its_time_is_and_not_before() {
    let settings = Settings {
        session_lifetime: Duration::from_secs(3),
        ..Settings::default()
    };
    let mut server = TestServer::start(&RepositoryFixture::clean(), settings).await;
    let cookie = server.sign_in(WRITER).await;
    assert!(is_in(&server, &cookie).await);
    // A restart makes it no longer.
    server.stop().await;
    server.start_again().await;
    assert!(is_in(&server, &cookie).await);
    let unhurried = Wait {
        interval: Duration::from_millis(300),
        ..WAIT
    };
    unhurried
        .until("the end of the session", async || {
            !is_in(&server, &cookie).await
        })
        .await;
    server.stop().await;
    server.start_again().await;
    assert!(!is_in(&server, &cookie).await);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_restart_signs_nobody_out_and_keeps_no_token_that_could_be_read() {
    let mut server = TestServer::start(&RepositoryFixture::clean(), Settings::default()).await;
    let (ana, other) = (
        server.sign_in(WRITER).await,
        server.sign_in("mallory").await,
    );
    assert_eq!(
        server
            .page(&other, json!({"command": "sign_out"}))
            .await
            .status,
        200
    );
    server.stop().await;
    let id = ana.split_once('=').unwrap().1;
    let files = std::fs::read_dir(server.data_folder()).unwrap();
    for file in files
        .map(|file| file.unwrap().path())
        .filter(|path| path.is_file())
    {
        let bytes = std::fs::read(&file).unwrap();
        for secret in [id, "forge-ana", "forge-mallory"] {
            let has = bytes
                .windows(secret.len())
                .any(|part| part == secret.as_bytes());
            assert!(!has, "{secret} in {}", file.display());
        }
    }
    server.start_again().await;
    // Many questions at once, as a page asks them, ask GitHub once whose the token is.
    server.reset_request_counts().await;
    let asked = (0..8).map(|_| server.page(&ana, json!({"command": "session"})));
    for answer in futures::future::join_all(asked).await {
        assert_eq!(answer.body["account"]["login"], WRITER, "{answer:?}");
    }
    let counts = server.request_counts().await;
    assert_eq!(counts["graphql"]["query viewer"], 1, "{counts}");
    assert!(!is_in(&server, &other).await, "who signed out is out");
    // A token that GitHub has taken back opens nothing after a restart either.
    server.stop().await;
    let revoked = json!({"login": WRITER, "revoked": true});
    server
        .call("octo", "POST", "/_forge/tokens", Some(revoked))
        .await;
    server.start_again().await;
    assert!(!is_in(&server, &ana).await);
    let back = json!({"login": WRITER, "revoked": false});
    server
        .call("octo", "POST", "/_forge/tokens", Some(back))
        .await;
    assert!(!is_in(&server, &ana).await, "a session that ended stays so");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn signing_out_everywhere_ends_every_browser_of_the_person_alone() {
    let mut server = TestServer::start(&RepositoryFixture::clean(), Settings::default()).await;
    let (desk, phone) = (server.sign_in(WRITER).await, server.sign_in(WRITER).await);
    let other = server.sign_in("mallory").await;
    let answer = server
        .page(&desk, json!({"command": "sign_out_everywhere"}))
        .await;
    assert_eq!(answer.status, 200, "{answer:?}");
    for _ in 0..2 {
        assert!(!is_in(&server, &desk).await);
        assert!(!is_in(&server, &phone).await);
        assert!(is_in(&server, &other).await);
        server.stop().await;
        server.start_again().await;
    }
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_clock_that_is_off_ends_sessions_early_and_never_late() {
    let settings = Settings {
        session_lifetime: Duration::from_secs(600),
        ..Settings::default()
    };
    let hours = |hours: i64| hours * 3_600_000;
    let mut server = TestServer::start(&RepositoryFixture::clean(), settings).await;
    let cookie = server.sign_in(WRITER).await;
    // While the process lives its time is not the clock's.
    for by in [hours(24), hours(-48), hours(24)] {
        server.clock.turn(by);
        assert!(is_in(&server, &cookie).await);
    }
    // By one that was turned back nobody can tell how long ago the session began: nobody gets in until it is right.
    server.clock.turn(hours(-24));
    server.stop().await;
    server.start_again().await;
    assert!(!is_in(&server, &cookie).await);
    server.clock.turn(hours(24));
    assert!(
        is_in(&server, &cookie).await,
        "nothing was lost while it was off"
    );
    server.stop().await;
    server.clock.turn(hours(24));
    server.start_again().await;
    assert!(!is_in(&server, &cookie).await);
    // Deliveries are taken whatever it says.
    let answer = server.send(server.delivery("ping", "p", "{}")).await;
    assert_eq!(answer.status, 202, "{answer:?}");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_code_that_is_typed_on_githubs_page_signs_in() {
    let mut server = TestServer::start(&RepositoryFixture::clean(), Settings::default()).await;
    let begin = async || {
        let answer = server.page("", json!({"command": "device_sign_in"})).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        // What asks GitHub is nobody else's.
        assert_eq!(answer.body.as_object().unwrap().len(), 5, "{answer:?}");
        answer.body
    };
    let look = async |code: &Value| {
        let args = json!({"id": code["id"]});
        server
            .page("", json!({"command": "device_sign_in_state", "args": args}))
            .await
    };
    let decide = async |code: &Value, decision: Value| {
        let mut decision = decision;
        decision["user_code"] = code["user_code"].clone();
        server
            .call("octo", "POST", "/_forge/device", Some(decision))
            .await;
    };
    assert_eq!(
        server.page("", json!({"command": "session"})).await.body["device_sign_in"],
        true
    );
    let code = begin().await;
    assert_eq!(look(&code).await.body, "waiting");
    decide(&code, json!({"login": WRITER})).await;
    let done = wait_until("the sign-in", async || {
        let answer = look(&code).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        (answer.body == "done").then_some(answer)
    });
    let done = done.await;
    let session = server
        .page(&done.cookie(), json!({"command": "session"}))
        .await
        .body;
    assert_eq!(session["account"]["login"], WRITER);
    look(&code).await.check(404, "device_expired");
    let declined = begin().await;
    decide(&declined, json!({"denied": true})).await;
    wait_until("the refusal", async || look(&declined).await.status == 403).await;
    look(&json!({"id": "guessed"}))
        .await
        .check(404, "device_expired");
    server.stop().await;
}
