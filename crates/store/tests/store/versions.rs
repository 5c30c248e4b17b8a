//! Data of other versions: earlier ones are taken over, newer ones refused and left alone.

use crate::support::*;
use collie_core::lifecycle::State;
use collie_engine::ports::{
    AppliedStep, Journal, JournalReader, JournalUpkeep, LoopRequest, RenderedPost, StoreError,
};
use collie_store::{OpenError, OpenMode, Store};
use sqlx::{ConnectOptions, Connection};

/// Runs SQL on the closed database.
pub async fn run_sql(home: &TempHome, sql: &'static str) {
    let options = sqlx::sqlite::SqliteConnectOptions::new().filename(home.folder.database());
    let mut connection = options.connect().await.unwrap();
    sqlx::raw_sql(sql).execute(&mut connection).await.unwrap();
    connection.close().await.unwrap();
}

/// A journal with something of everything in it.
async fn write_sample_journal(home: &TempHome) {
    let store = home.engine().await;
    let first = new_loop(1);
    store.create(&first, &login(), NOW).await.unwrap();
    let inbox = store
        .receive(
            &[
                (id(1), observed(1)),
                (id(1), cancel()),
                (id(1), observed(1)),
            ],
            NOW,
        )
        .await
        .unwrap();
    let second = with_state(&first, State::PrAwaitingChecks);
    let one = AppliedStep {
        effects: vec![post(1, 1), post(1, 2)],
        ..applied(&inbox[..2], &first, second)
    };
    store.apply(&[one]).await.unwrap();
    let rendered = RenderedPost::Comment {
        body: "look again".into(),
    };
    store.mark_sending(&post(1, 1).0, &rendered).await.unwrap();
    store
        .add_request(&LoopRequest::Retry { pull: pull_name(1) }, &login(), NOW)
        .await
        .unwrap();
    store.close().await;
}

/// All that can be read of a journal.
async fn dump_journal(store: &Store) -> String {
    format!(
        "{:#?}\n{:#?}\n{:#?}\n{:#?}\n{:#?}",
        store.loops().await.unwrap(),
        store.timeline(&id(1)).await.unwrap(),
        store.unapplied().await.unwrap(),
        store.outbox().await.unwrap(),
        store.requests().await.unwrap(),
    )
}

/// When a change of the domain's types makes this fail, write a migration. The fixture is what a Collie of version 1 wrote, like those
/// of `version_1.rs`: nothing here can write it anew.
#[tokio::test]
async fn data_of_version_1_is_read_in_full() {
    let fixture = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/store/fixtures/v1.db");
    let (today, home) = (temp_home(), temp_home());
    write_sample_journal(&today).await;
    home.folder.create().unwrap();
    std::fs::copy(fixture, home.folder.database()).unwrap();
    let (old, new) = (home.engine().await, today.engine().await);
    assert_eq!(dump_journal(&old).await, dump_journal(&new).await);
}

/// The journal of version 1 as each schema after it had it: brought up to that one's migrations and no further, as a Collie of that time did.
#[tokio::test]
async fn a_journal_of_each_schema_version_tells_the_same() {
    let fixture = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/store/fixtures/v1.db");
    let newest = temp_home();
    newest.folder.create().unwrap();
    std::fs::copy(fixture, newest.folder.database()).unwrap();
    let expected = dump_journal(&newest.engine().await).await;
    let all = sqlx::migrate!("./migrations");
    let versions: Vec<i64> = all.iter().map(|migration| migration.version).collect();
    assert!(versions.len() > 8, "{versions:?}");
    for last in versions {
        let home = temp_home();
        home.folder.create().unwrap();
        std::fs::copy(fixture, home.folder.database()).unwrap();
        let options = sqlx::sqlite::SqliteConnectOptions::new().filename(home.folder.database());
        let mut connection = options.connect().await.unwrap();
        let upto = all.iter().filter(|migration| migration.version <= last);
        for migration in upto.filter(|migration| migration.version > 1) {
            sqlx::raw_sql(migration.sql.clone())
                .execute(&mut connection)
                .await
                .unwrap();
            sqlx::query(
                "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time)
                 VALUES (?, ?, 1, ?, 0)",
            )
            .bind(migration.version)
            .bind(migration.description.to_string())
            .bind(migration.checksum.to_vec())
            .execute(&mut connection)
            .await
            .unwrap();
        }
        connection.close().await.unwrap();
        let store = home.engine().await;
        assert_eq!(dump_journal(&store).await, expected, "version {last}");
        // What it recorded, none of which a replay can use, is told as such; what happens from now on is recorded.
        let entries = store.recorded(&id(1)).await.unwrap();
        assert!(entries.iter().all(|entry| entry.recorded.is_none()));
        store.close().await;
    }
}

#[tokio::test]
async fn a_newer_database_is_refused_and_left_alone() {
    let home = temp_home();
    write_sample_journal(&home).await;
    run_sql(
        &home,
        "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time)
         VALUES (999, 'from the future', 1, x'00', 0)",
    )
    .await;
    let before = (
        std::fs::read(home.folder.database()).unwrap(),
        home.file_names(),
    );
    for mode in [OpenMode::Engine, OpenMode::Reader] {
        let refused = Store::open(&home.folder, mode).await.err().unwrap();
        assert!(
            matches!(
                refused,
                OpenError::Store(StoreError::NewerVersion { found: 999, .. })
            ),
            "{refused}"
        );
    }
    let refused = collie_store::rebuild(&home.folder).await.unwrap_err();
    assert!(refused.to_string().contains("newer Collie"), "{refused}");
    assert!(
        (
            std::fs::read(home.folder.database()).unwrap(),
            home.file_names()
        ) == before
    );
}

#[tokio::test]
async fn a_newer_state_is_refused() {
    let home = temp_home();
    write_sample_journal(&home).await;
    run_sql(&home, "UPDATE loops SET version = 4").await;
    let store = home.engine().await;
    let refused = store.loops().await.unwrap_err();
    assert!(
        matches!(
            refused,
            StoreError::NewerVersion {
                found: 4,
                known: 3,
                ..
            }
        ),
        "{refused}"
    );
    let refused = store.find(&id(1)).await.unwrap_err();
    assert!(
        matches!(refused, StoreError::NewerVersion { .. }),
        "{refused}"
    );
}
