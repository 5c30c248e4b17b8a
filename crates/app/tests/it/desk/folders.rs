//! Data folders that another engine owns, or that cannot be used.

use crate::desk::stage::{Change, ME, Stage, Table, assert_problem, key, write};
use collie_wire::rpc::Command;
use std::fs;
use std::path::Path;
use std::sync::Arc;

#[tokio::test(flavor = "multi_thread")]
async fn a_folder_with_an_engine_is_followed_and_taken_over_when_that_one_ends() {
    let stage = Stage::set(&[Change::Sound, Change::Sound]).await;
    let owner = stage.signed_in("").await;
    owner.start(1).await;
    owner.until_state(1, "pr_ready_to_merge").await;
    let guest = stage.desk().await;
    guest.sign_in(&stage, ME).await;
    let session = guest.session().await;
    assert_eq!(session["phase"], "following", "{session:#}");
    assert_eq!(session["engine"]["process"], std::process::id());
    guest.until_state(1, "pr_ready_to_merge").await;
    guest.start(2).await;
    guest.until_state(2, "pr_ready_to_merge").await;
    owner.until_state(2, "pr_ready_to_merge").await;
    guest.run(Command::Cancel { key: key(1) }).await;
    guest.until_state(1, "cancelled").await;
    // What the engine refuses is said here.
    let error = guest.refused(Command::Resume { key: key(1) }).await;
    assert_eq!(error.code, "engine_refused", "{error:?}");
    owner.desk.close().await;
    let session = guest
        .until_session("the engine", |session| session["phase"] == "running")
        .await;
    assert!(session["engine"]["process"].is_null());
    assert_eq!(session["account"]["login"], ME);
    assert_eq!(guest.shown(&key(2)).await["state"], "pr_ready_to_merge");
    guest.desk.close().await;
}

/// Tries to open what stands in the way, then again once it is put right.
async fn is_named(stage: &Stage, table: &Table, code: &str, mend: impl FnOnce(&Path)) {
    table
        .try_sign_in("forge-octo", &stage.forge.api_url())
        .await
        .unwrap();
    is_named_after(stage, table, code, mend).await;
}

async fn is_named_after(stage: &Stage, table: &Table, code: &str, mend: impl FnOnce(&Path)) {
    let session = table.session().await;
    assert_eq!(session["phase"], "stopped", "{session:#}");
    assert_problem(&session["problem"], code);
    let error = table.refused(Command::Start { key: key(1) }).await;
    assert_eq!(error.code, code);
    table.run(Command::TryAgain).await;
    assert_eq!(
        table.session().await["problem"]["code"],
        code,
        "nothing has changed"
    );
    mend(&stage.home());
    table.run(Command::TryAgain).await;
    let session = table
        .until_session("an account", |session| session["account"]["login"] == ME)
        .await;
    assert_eq!(session["phase"], "running", "{session:#}");
    table.desk.close().await;
}

/// Does something in a database.
async fn alter(file: &Path, sql: &'static str) {
    use sqlx::Connection as _;
    let options = sqlx::sqlite::SqliteConnectOptions::new().filename(file);
    let mut open = sqlx::SqliteConnection::connect_with(&options)
        .await
        .unwrap();
    sqlx::query(sql).execute(&mut open).await.unwrap();
    open.close().await.unwrap();
}

async fn a_database(spoil: impl AsyncFnOnce(&Path), code: &str) {
    let stage = Stage::set(&[Change::Sound]).await;
    let before = stage.signed_in("").await;
    before.start(1).await;
    before.until_state(1, "pr_ready_to_merge").await;
    before.desk.close().await;
    let file = collie_store::DataFolder::at(stage.home())
        .unwrap()
        .database();
    // Everything into the one file that is spoilt.
    alter(&file, "PRAGMA wal_checkpoint(TRUNCATE)").await;
    let good = fs::read(&file).unwrap();
    spoil(&file).await;
    let table = stage.desk().await;
    is_named(&stage, &table, code, |_| fs::write(&file, good).unwrap()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_of_a_newer_version_is_named() {
    let newer = async |file: &Path| {
        alter(
            file,
            "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time)
             VALUES (999, 'later', 1, x'00', 0)",
        )
        .await;
    };
    a_database(newer, "newer").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_damaged_database_is_named() {
    let damaged = async |file: &Path| {
        let mut bytes = fs::read(file).unwrap();
        let middle = bytes.len() / 3;
        bytes[100..middle].fill(0x5a);
        fs::write(file, bytes).unwrap();
    };
    a_database(damaged, "damaged").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_data_folder_that_is_a_file_is_named() {
    let stage = Stage::set(&[]).await;
    write(stage.dir.path(), "home", "a file");
    let url = stage.forge.api_url();
    let environment = Arc::new(move |name: &str| (name == "GITHUB_API_URL").then(|| url.clone()));
    let table = Table::open_in(&stage.home(), environment).await;
    let sign_in = Command::SignIn {
        token: "forge-octo".to_owned(),
        api_url: None,
    };
    table.run(sign_in).await;
    is_named_after(&stage, &table, "folder", |home| {
        fs::remove_file(home).unwrap()
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_configuration_with_an_unknown_key_is_named() {
    let stage = Stage::set(&[]).await;
    let table = stage.signed_in("").await;
    let good = fs::read_to_string(stage.home().join("config.toml")).unwrap();
    write(&stage.home(), "config.toml", &format!("slotz = 3\n{good}"));
    table.run(Command::TryAgain).await;
    let message = table.session().await["problem"]["message"].to_string();
    assert!(
        message.contains("slotz") && message.contains("slots"),
        "{message}"
    );
    let mend = |home: &Path| write(home, "config.toml", &good);
    is_named_after(&stage, &table, "configuration", mend).await;
}
