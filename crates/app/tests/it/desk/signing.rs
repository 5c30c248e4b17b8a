//! Signing in and out, and who may start loops.

use crate::desk::stage::{AUTHOR, Change, ME, Stage, Table, as_value, assert_problem, key};
use collie_wire::rpc::Command;
use std::path::{Path, PathBuf};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

/// Every file below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.path().is_dir() {
            found.extend(files(&entry.path()));
        } else {
            found.push(entry.path());
        }
    }
    found
}

fn assert_nowhere(folder: &Path, token: &str) {
    let all = files(folder);
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
    let stage = Stage::set(&[Change::Faulty]).await;
    stage.configure(&format!("allowed_users = [\"{ME}\"]\n"));
    collie_app::trace::start(&collie_store::DataFolder::at(stage.home()).unwrap()).unwrap();
    let table = stage.desk().await;
    assert_eq!(table.session().await["phase"], "onboarding");
    table.sign_in(&stage, ME).await;
    let session = table.session().await;
    assert_eq!(session["phase"], "running");
    assert_eq!(session["account"]["source"], "memory");
    assert_eq!(session["account"]["allowed"], true);
    assert!(session["problem"].is_null(), "{session:#}");
    table.start(1).await;
    table.until_state(1, "pr_ready_to_merge").await;
    let token = format!("forge-{ME}");
    for ask in [
        Command::Session,
        Command::Settings,
        Command::Doctor,
        Command::Loops,
        Command::Timeline { key: key(1) },
    ] {
        let answer = table.run(ask.clone()).await.to_string();
        assert!(!answer.contains(&token), "{ask:?}: {answer}");
    }
    let told = format!("{:?}", table.told.lock().unwrap());
    assert!(!told.contains(&token));
    table.desk.close().await;
    assert_nowhere(&stage.home(), &token);
    // The log is among the files that were looked at.
    let logs = files(&stage.home().join("logs"));
    assert!(
        logs.iter()
            .any(|log| std::fs::metadata(log).unwrap().len() > 0)
    );
}

/// Something that answers every request like a web page.
async fn web_page() -> String {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            // All of the request comes before the answer: small as it is, in one piece.
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
    let stage = Stage::set(&[]).await;
    // Nothing is there yet: the first that works is what is kept.
    let config = || std::fs::read_to_string(stage.home().join("config.toml")).ok();
    let table = stage.desk().await;
    let forge = stage.forge.api_url();
    let page = web_page().await;
    for (token, url, code) in [
        ("forge-nobody-at-all", forge.as_str(), "bad_token"),
        ("forge-octo", "http://127.0.0.1:1/api/v3", "unreachable"),
        ("forge-octo", page.as_str(), "not_github"),
        ("forge octo", forge.as_str(), "token_shape"),
        ("forge-octo\nforge-ana", forge.as_str(), "token_shape"),
        ("", forge.as_str(), "token_shape"),
        ("forge-octo", "not an address", "bad_url"),
    ] {
        let error = table.try_sign_in(token, url).await.expect_err(url);
        assert_problem(&as_value(&error), code);
        if !token.is_empty() {
            assert!(!as_value(&error).to_string().contains(token));
        }
        assert_eq!(table.session().await["phase"], "onboarding", "{url}");
        assert_eq!(config(), None, "{url} is not kept");
    }
    table.sign_in(&stage, ME).await;
    assert_eq!(table.session().await["phase"], "running");
    assert!(config().unwrap().contains(&forge));
    table.desk.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_is_signed_in_may_sign_in_anew_without_losing_the_engine() {
    let stage = Stage::set(&[Change::Sound]).await;
    let table = stage.signed_in("").await;
    table.start(1).await;
    table.until_state(1, "pr_ready_to_merge").await;
    let error = table
        .try_sign_in("forge-nobody-at-all", &stage.forge.api_url())
        .await;
    assert_problem(&as_value(&error.unwrap_err()), "bad_token");
    assert_eq!(table.session().await["phase"], "running");
    table.sign_in(&stage, AUTHOR).await;
    assert_eq!(table.session().await["phase"], "running");
    assert_eq!(table.shown(&key(1)).await["state"], "pr_ready_to_merge");
    // To another address, too: the engine of the first is let go of.
    let elsewhere = stage.forge.api_url().replace("127.0.0.1", "localhost");
    table.try_sign_in("forge-octo", &elsewhere).await.unwrap();
    table
        .until_session("running elsewhere", |session| session["phase"] == "running")
        .await;
    table.desk.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_is_not_allowed_starts_nothing_until_they_allow_themselves() {
    let stage = Stage::set(&[Change::Sound]).await;
    stage.configure("");
    let table = stage.desk().await;
    table.sign_in(&stage, ME).await;
    assert_eq!(table.session().await["account"]["allowed"], false);
    let error = table.refused(Command::Start { key: key(1) }).await;
    assert_problem(&as_value(&error), "denied");
    assert!(error.message.contains(ME), "{}", error.message);
    table.run(Command::AllowMe).await;
    assert_eq!(table.session().await["account"]["allowed"], true);
    table.start(1).await;
    table.until_state(1, "pr_ready_to_merge").await;
    table.desk.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn signing_out_forgets_and_a_token_without_a_keychain_is_asked_for_again() {
    let stage = Stage::set(&[]).await;
    let table = stage.signed_in("").await;
    table.desk.close().await;
    let again = stage.desk().await;
    assert_eq!(again.session().await["phase"], "onboarding");
    again.sign_in(&stage, ME).await;
    again.run(Command::SignOut).await;
    let session = again.session().await;
    assert_eq!(session["phase"], "onboarding");
    assert!(session["account"].is_null());
    let error = again.refused(Command::Start { key: key(1) }).await;
    assert_eq!(error.code, "signed_out");
    // What is signed out of is not opened by trying again.
    again.run(Command::TryAgain).await;
    assert_eq!(again.session().await["phase"], "onboarding");
    let memory = std::fs::read_to_string(stage.home().join("desktop.json")).unwrap();
    assert!(!memory.contains(ME), "{memory}");
    again.desk.close().await;
    let third = Table::open(&stage.home()).await;
    assert_eq!(third.session().await["phase"], "onboarding");
    third.desk.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_desk_that_was_closed_goes_on_with_its_loops_at_the_next_start() {
    let gate = "while [ ! -e \"$GATE\" ]; do sleep 0.1; done";
    let dir = tempfile::tempdir().unwrap();
    let open = dir.path().join("open");
    let gate = gate.replace("$GATE", &open.display().to_string());
    let stage = Stage::with_check(&gate, &[Change::Sound]).await;
    let table = stage.signed_in("").await;
    table.start(1).await;
    let before = table.until_state(1, "pr_awaiting_checks").await;
    table.desk.close().await;
    let folder = collie_store::DataFolder::at(stage.home()).unwrap();
    assert!(collie_store::running_engine(&folder).unwrap().is_none());
    let again = stage.desk().await;
    again.sign_in(&stage, ME).await;
    let after = again.shown(&key(1)).await;
    assert_eq!(after["run_id"], before["run_id"]);
    std::fs::write(&open, "").unwrap();
    again.until_state(1, "pr_ready_to_merge").await;
    again.desk.close().await;
}
