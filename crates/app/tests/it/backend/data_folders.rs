//! Data folders that another engine owns, or that cannot be used.

use crate::backend::fixture::{BackendFixture, TestClient, assert_problem, pull_key};
use collie_core::error_code::ErrorCode;
use collie_testkit::forge::COLLIE;
use collie_testkit::repository::PullContent;
use collie_wire::rpc::Command;
use std::fs;
use std::path::Path;
use std::sync::Arc;

#[tokio::test(flavor = "multi_thread")]
async fn a_folder_with_an_engine_is_followed_and_taken_over_when_that_one_ends() {
    let fixture = BackendFixture::new(&[PullContent::Clean, PullContent::Clean]).await;
    let owner = fixture.open_signed_in("").await;
    owner.start_loop(1).await;
    owner.wait_for_state(1, "pr_ready_to_merge").await;
    let guest = fixture.open_backend().await;
    guest.sign_in(&fixture, COLLIE).await;
    let session = guest.session().await;
    assert_eq!(session["phase"], "following", "{session:#}");
    assert_eq!(session["engine"]["process"], std::process::id());
    guest.wait_for_state(1, "pr_ready_to_merge").await;
    guest.start_loop(2).await;
    guest.wait_for_state(2, "pr_ready_to_merge").await;
    owner.wait_for_state(2, "pr_ready_to_merge").await;
    guest
        .run_command(Command::Cancel { key: pull_key(1) })
        .await;
    guest.wait_for_state(1, "cancelled").await;
    // What the engine refuses is said here.
    let error = guest
        .run_refused(Command::Resume {
            key: pull_key(1),
            rounds: 0,
        })
        .await;
    assert_eq!(error.code, ErrorCode::EngineRefused, "{error:?}");
    owner.backend.close().await;
    let session = guest
        .wait_for_session("the engine", |session| session["phase"] == "running")
        .await;
    assert!(session["engine"]["process"].is_null());
    assert_eq!(session["account"]["login"], COLLIE);
    assert_eq!(
        guest.loop_view(&pull_key(2)).await["state"],
        "pr_ready_to_merge"
    );
    guest.backend.close().await;
}

/// Tries to open what stands in the way, then again once it is put right.
async fn assert_problem_named(
    fixture: &BackendFixture,
    client: &TestClient,
    code: &str,
    mend: impl FnOnce(&Path),
) {
    client
        .try_sign_in("forge-octo", &fixture.api_url())
        .await
        .unwrap();
    assert_problem_named_after(fixture, client, code, mend).await;
}

async fn assert_problem_named_after(
    fixture: &BackendFixture,
    client: &TestClient,
    code: &str,
    mend: impl FnOnce(&Path),
) {
    let session = client.session().await;
    assert_eq!(session["phase"], "stopped", "{session:#}");
    assert_problem(&session["problem"], code);
    let error = client
        .run_refused(Command::Start { key: pull_key(1) })
        .await;
    assert_eq!(error.code.as_str(), code);
    client.run_command(Command::TryAgain).await;
    assert_eq!(
        client.session().await["problem"]["code"],
        code,
        "nothing has changed"
    );
    mend(&fixture.data_folder());
    client.run_command(Command::TryAgain).await;
    let session = client
        .wait_for_session("an account", |session| {
            session["account"]["login"] == COLLIE
        })
        .await;
    assert_eq!(session["phase"], "running", "{session:#}");
    client.backend.close().await;
}

/// Does something in a database.
async fn run_sql(file: &Path, sql: &'static str) {
    use sqlx::Connection as _;
    let options = sqlx::sqlite::SqliteConnectOptions::new().filename(file);
    let mut open = sqlx::SqliteConnection::connect_with(&options)
        .await
        .unwrap();
    sqlx::query(sql).execute(&mut open).await.unwrap();
    open.close().await.unwrap();
}

async fn check_spoilt_database(spoil: impl AsyncFnOnce(&Path), code: &str) {
    let fixture = BackendFixture::new(&[PullContent::Clean]).await;
    let before = fixture.open_signed_in("").await;
    before.start_loop(1).await;
    before.wait_for_state(1, "pr_ready_to_merge").await;
    before.backend.close().await;
    let file = collie_store::StorePaths::below(fixture.data_folder()).database();
    // Everything into the one file that is spoilt.
    run_sql(&file, "PRAGMA wal_checkpoint(TRUNCATE)").await;
    let good = fs::read(&file).unwrap();
    spoil(&file).await;
    let client = fixture.open_backend().await;
    assert_problem_named(&fixture, &client, code, |_| fs::write(&file, good).unwrap()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_of_a_newer_version_is_named() {
    let newer = async |file: &Path| {
        run_sql(
            file,
            "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time)
             VALUES (999, 'later', 1, x'00', 0)",
        )
        .await;
    };
    check_spoilt_database(newer, "newer").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_damaged_database_is_named() {
    let damaged = async |file: &Path| {
        let mut bytes = fs::read(file).unwrap();
        let middle = bytes.len() / 3;
        bytes[100..middle].fill(0x5a);
        fs::write(file, bytes).unwrap();
    };
    check_spoilt_database(damaged, "damaged").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_data_folder_that_is_a_file_is_named() {
    let fixture = BackendFixture::new(&[]).await;
    fs::write(fixture.data_folder(), "a file").unwrap();
    let url = fixture.api_url();
    let environment = Arc::new(move |name: &str| (name == "GITHUB_API_URL").then(|| url.clone()));
    let client = TestClient::open_in(&fixture.data_folder(), environment).await;
    let sign_in = Command::SignIn {
        token: "forge-octo".to_owned(),
        api_url: None,
    };
    client.run_command(sign_in).await;
    assert_problem_named_after(&fixture, &client, "folder", |home| {
        fs::remove_file(home).unwrap()
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_configuration_with_an_unknown_key_is_named() {
    let fixture = BackendFixture::new(&[]).await;
    let client = fixture.open_signed_in("").await;
    let good = fs::read_to_string(fixture.data_folder().join("config.toml")).unwrap();
    let file = fixture.data_folder().join("config.toml");
    fs::write(file, format!("slotz = 3\n{good}")).unwrap();
    client.run_command(Command::TryAgain).await;
    let message = client.session().await["problem"]["message"].to_string();
    assert!(
        message.contains("slotz") && message.contains("slots"),
        "{message}"
    );
    let mend = |home: &Path| fs::write(home.join("config.toml"), &good).unwrap();
    assert_problem_named_after(&fixture, &client, "configuration", mend).await;
}
