//! Signing in and out, and who may start loops.

use crate::backend::fixture::{
    BackendFixture, TestClient, as_value, assert_problem, log_folder, log_text, pull_key,
};
use collie_core::error_code::ErrorCode;
use collie_testkit::forge::COLLIE;
use collie_testkit::repository::{AUTHOR, PullContent};
use collie_wire::rpc::Command;
use std::path::{Path, PathBuf};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

/// Every file below a folder.
fn all_files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(all_files(&path));
        } else {
            found.push(path);
        }
    }
    found
}

fn assert_nowhere(folder: &Path, token: &str) {
    let all = all_files(folder);
    assert!(all.len() > 3, "the data folder is in use: {all:?}");
    for file in all {
        let bytes = match std::fs::read(&file) {
            Ok(bytes) => bytes,
            // The journal's companions go as its last reader closes it.
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
            Err(error) => panic!("{}: {error}", file.display()),
        };
        let there = bytes
            .windows(token.len())
            .any(|part| part == token.as_bytes());
        assert!(!there, "the token is in {}", file.display());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_typed_token_signs_in_and_is_written_nowhere() {
    let fixture = BackendFixture::new(&[PullContent::Faulty]).await;
    fixture.configure(&format!(
        "allowed_users = [\"{COLLIE}\"]\nautonomy = \"push\"\n"
    ));
    log_folder();
    let client = fixture.open_backend().await;
    assert_eq!(client.session().await["phase"], "onboarding");
    client.sign_in(&fixture, COLLIE).await;
    let session = client.session().await;
    assert_eq!(session["phase"], "running");
    assert_eq!(session["account"]["source"], "memory");
    assert_eq!(session["account"]["allowed"], true);
    assert!(session["problem"].is_null(), "{session:#}");
    client.start_loop(1).await;
    client.wait_for_state(1, "pr_ready_to_merge").await;
    let token = format!("forge-{COLLIE}");
    for ask in [
        Command::Session,
        Command::Settings,
        Command::Doctor,
        Command::Loops,
        Command::Timeline { key: pull_key(1) },
    ] {
        let answer = client.run_command(ask.clone()).await.to_string();
        assert!(!answer.contains(&token), "{ask:?}: {answer}");
    }
    let told = format!("{:?}", client.updates.lock().unwrap());
    assert!(!told.contains(&token));
    client.backend.close().await;
    assert_nowhere(&fixture.data_folder(), &token);
    let log = log_text();
    assert!(!log.is_empty() && !log.contains(&token));
}

/// Something that answers every request like a web page.
async fn serve_web_page() -> String {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            // All of the request comes before the answer: small as it is, in one piece. Who hangs up gets no page.
            let _ = stream.read(&mut [0; 16_384]).await;
            let page = "<html>Hello</html>";
            let answer = format!(
                "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{page}",
                page.len()
            );
            let _ = stream.write_all(answer.as_bytes()).await;
        }
    });
    format!("http://{address}/api/v3")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_or_an_address_that_does_not_work_is_refused_and_not_kept() {
    let fixture = BackendFixture::new(&[]).await;
    // Nothing is there yet: the first that works is what is kept.
    let config = || std::fs::read_to_string(fixture.data_folder().join("config.toml")).ok();
    let client = fixture.open_backend().await;
    let forge = fixture.api_url();
    let page = serve_web_page().await;
    for (token, url, code) in [
        ("forge-nobody-at-all", forge.as_str(), "bad_token"),
        ("forge-octo", "http://127.0.0.1:1/api/v3", "unreachable"),
        ("forge-octo", page.as_str(), "not_github"),
        ("forge octo", forge.as_str(), "token_shape"),
        ("forge-octo\nforge-ana", forge.as_str(), "token_shape"),
        ("", forge.as_str(), "token_shape"),
        ("forge-octo", "not an address", "bad_url"),
    ] {
        let error = client.try_sign_in(token, url).await.expect_err(url);
        assert_problem(&as_value(&error), code);
        if !token.is_empty() {
            assert!(!as_value(&error).to_string().contains(token));
        }
        assert_eq!(client.session().await["phase"], "onboarding", "{url}");
        assert_eq!(config(), None, "{url} is not kept");
    }
    client.sign_in(&fixture, COLLIE).await;
    assert_eq!(client.session().await["phase"], "running");
    assert!(config().unwrap().contains(&forge));
    client.backend.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_is_signed_in_may_sign_in_anew_without_losing_the_engine() {
    let fixture = BackendFixture::new(&[PullContent::Clean]).await;
    let client = fixture.open_signed_in("").await;
    client.start_loop(1).await;
    client.wait_for_state(1, "pr_ready_to_merge").await;
    let error = client
        .try_sign_in("forge-nobody-at-all", &fixture.api_url())
        .await;
    assert_problem(&as_value(&error.unwrap_err()), "bad_token");
    assert_eq!(client.session().await["phase"], "running");
    client.sign_in(&fixture, AUTHOR).await;
    assert_eq!(client.session().await["phase"], "running");
    assert_eq!(
        client.loop_view(&pull_key(1)).await["state"],
        "pr_ready_to_merge"
    );
    // To another address, too: the engine of the first is let go of.
    let elsewhere = fixture.api_url().replace("127.0.0.1", "localhost");
    client.try_sign_in("forge-octo", &elsewhere).await.unwrap();
    client
        .wait_for_session("running elsewhere", |session| session["phase"] == "running")
        .await;
    client.backend.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_is_not_allowed_starts_nothing_until_they_allow_themselves() {
    let fixture = BackendFixture::new(&[PullContent::Clean]).await;
    fixture.configure("");
    let client = fixture.open_backend().await;
    client.sign_in(&fixture, COLLIE).await;
    assert_eq!(client.session().await["account"]["allowed"], false);
    let error = client
        .run_refused(Command::Start { key: pull_key(1) })
        .await;
    assert_problem(&as_value(&error), "denied");
    assert!(error.message.contains(COLLIE), "{}", error.message);
    client.run_command(Command::AllowMe).await;
    assert_eq!(client.session().await["account"]["allowed"], true);
    client.start_loop(1).await;
    client.wait_for_state(1, "pr_ready_to_merge").await;
    client.backend.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn signing_out_forgets_and_a_token_without_a_keychain_is_asked_for_again() {
    let fixture = BackendFixture::new(&[]).await;
    let client = fixture.open_signed_in("").await;
    client.backend.close().await;
    let again = fixture.open_backend().await;
    assert_eq!(again.session().await["phase"], "onboarding");
    again.sign_in(&fixture, COLLIE).await;
    again.run_command(Command::SignOut).await;
    let session = again.session().await;
    assert_eq!(session["phase"], "onboarding");
    assert!(session["account"].is_null());
    let error = again.run_refused(Command::Start { key: pull_key(1) }).await;
    assert_eq!(error.code, ErrorCode::SignedOut);
    // What is signed out of is not opened by trying again.
    again.run_command(Command::TryAgain).await;
    assert_eq!(again.session().await["phase"], "onboarding");
    let memory = std::fs::read_to_string(fixture.data_folder().join("desktop.json")).unwrap();
    assert!(!memory.contains(COLLIE), "{memory}");
    again.backend.close().await;
    let third = TestClient::open(&fixture.data_folder()).await;
    assert_eq!(third.session().await["phase"], "onboarding");
    third.backend.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_backend_that_was_closed_goes_on_with_its_loops_at_the_next_start() {
    let gate = "while [ ! -e \"$GATE\" ]; do sleep 0.1; done";
    let dir = tempfile::tempdir().unwrap();
    let open = dir.path().join("open");
    let gate = gate.replace("$GATE", &open.display().to_string());
    let fixture = BackendFixture::with_check(&gate, &[PullContent::Clean]).await;
    let client = fixture.open_signed_in("").await;
    client.start_loop(1).await;
    let before = client.wait_for_state(1, "pr_awaiting_checks").await;
    client.backend.close().await;
    let folder = collie_config::DataFolder::at(fixture.data_folder()).unwrap();
    assert!(
        collie_store::running_engine(&collie_store::StorePaths::below(folder.path()))
            .unwrap()
            .is_none()
    );
    let again = fixture.open_backend().await;
    again.sign_in(&fixture, COLLIE).await;
    let after = again.loop_view(&pull_key(1)).await;
    assert_eq!(after["run_id"], before["run_id"]);
    std::fs::write(&open, "").unwrap();
    again.wait_for_state(1, "pr_ready_to_merge").await;
    again.backend.close().await;
}
