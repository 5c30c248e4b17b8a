//! What servers on one database may rely on: each step once, one engine's loops, and nothing lost when the database is gone.

use crate::support::*;
use collie_engine::ports::{ProjectedStep, StoreError, TimelineEntry};
use collie_testkit::postgres::PostgresServer;
use std::sync::Arc;

#[tokio::test(flavor = "multi_thread")]
async fn what_two_servers_hear_at_once_is_written_once() {
    let Some(home) = Home::postgres() else { return };
    let other = home.another();
    let (one, two) = (home.open().await, other.open().await);
    let loops = 1..=8;
    let steps: Vec<ProjectedStep> = loops.clone().flat_map(begun_and_cancelled).collect();
    let backwards: Vec<_> = loops.clone().rev().flat_map(begun_and_cancelled).collect();
    let mut new = 0;
    for (first, second) in steps.chunks(2).zip(backwards.chunks(2)) {
        let (by_one, by_two) = tokio::join!(one.project(first), two.project(second));
        new += by_one.unwrap() + by_two.unwrap();
    }
    assert_eq!(new, steps.len());
    for number in loops {
        assert_eq!(events(&*two, number).await, ["created", "cancel"]);
    }
    assert_eq!(one.spending().await.unwrap(), two.spending().await.unwrap());
    assert_eq!(two.spending().await.unwrap()[0].usage.cost_micros, 8 * 700);
    // Who is behind takes nothing back.
    one.set_projection_position(9).await.unwrap();
    two.set_projection_position(4).await.unwrap();
    let progress = two.projection_progress().await.unwrap();
    assert_eq!(progress.position, Some(9));
}

#[tokio::test]
async fn loops_of_another_engine_are_not_mixed_in() {
    let Some(home) = Home::postgres() else { return };
    let other = home.another();
    let first = home.open().await;
    first.project(&begun_and_cancelled(1)).await.unwrap();
    let stranger = other.try_open().await.unwrap();
    // Before it has asked it writes nothing, and then neither.
    assert!(stranger.project(&begun_and_cancelled(2)).await.is_err());
    assert!(!stranger.claim_for(Some("engine-two")).await.unwrap());
    assert!(!stranger.claim_for(None).await.unwrap());
    assert!(stranger.project(&begun_and_cancelled(2)).await.is_err());
    assert_eq!(first.loops().await.unwrap().len(), 1);
    assert!(first.claim_for(Some(ENGINE)).await.unwrap());
    assert!(stranger.claim_for(Some(ENGINE)).await.unwrap());
    assert_eq!(stranger.project(&begun_and_cancelled(2)).await.unwrap(), 2);
}

/// As of a standby that took over and lacks what was written last.
#[tokio::test]
async fn what_the_database_has_lost_is_not_told_as_if_it_were_whole() {
    let Some(home) = Home::postgres() else { return };
    let journal = home.open().await;
    let [begun, mut cancelled] = begun_and_cancelled(1);
    cancelled.version = 4;
    let both = [begun, cancelled.clone()];
    assert_eq!(journal.project(&both).await.unwrap(), 2);
    assert_eq!(events(&*journal, 1).await, ["created", "engine"]);
    assert_eq!(journal.loops().await.unwrap(), [cancelled.applied.state]);
}

#[tokio::test]
async fn a_database_that_is_gone_is_no_end_and_nothing_is_lost() {
    let Some(server) = PostgresServer::start().map(Arc::new) else {
        return;
    };
    let home = Home::on(server.clone(), server.database());
    let journal = home.open().await;
    let [begun, cancelled] = begun_and_cancelled(1);
    journal.project(&[begun]).await.unwrap();
    server.stop();
    let both = [
        journal.claim_for(Some(ENGINE)).await.err(),
        journal
            .project(std::slice::from_ref(&cancelled))
            .await
            .err(),
    ];
    for error in both {
        let gone = matches!(&error, Some(StoreError::Unreachable { .. }));
        assert!(gone, "{error:?}");
    }
    server.resume();
    assert!(journal.claim_for(Some(ENGINE)).await.unwrap());
    assert_eq!(journal.project(&[cancelled]).await.unwrap(), 1);
    assert_eq!(events(&*journal, 1).await, ["created", "cancel"]);
}

/// What this server has told it of, and the new one lacks, would never be told again.
#[tokio::test]
async fn a_database_that_was_replaced_is_not_written_by_who_knows_the_old_one() {
    let Some(home) = Home::postgres() else { return };
    let journal = home.open().await;
    journal.project(&begun_and_cancelled(1)).await.unwrap();
    home.server().drop_database(home.url());
    let gone = journal.claim_for(Some(ENGINE)).await.unwrap_err();
    assert!(matches!(gone, StoreError::Unreachable { .. }), "{gone}");
    home.server().create(home.url());
    let other = home.another();
    let fresh = other.open().await;
    for refused in [
        journal.claim_for(Some(ENGINE)).await.err(),
        journal.project(&begun_and_cancelled(2)).await.err(),
        journal.set_projection_position(9).await.err(),
    ] {
        let ends = matches!(&refused, Some(StoreError::Failed { .. }));
        assert!(ends, "{refused:?}");
    }
    assert!(fresh.loops().await.unwrap().is_empty());
    let progress = fresh.projection_progress().await.unwrap();
    assert_eq!(progress.position, None);
}

#[tokio::test]
async fn what_a_newer_collie_made_is_left_alone() {
    let Some(home) = Home::postgres() else { return };
    home.open().await.close().await;
    let newer = "INSERT INTO _sqlx_migrations SELECT 9000, description, installed_on, success, checksum, execution_time FROM _sqlx_migrations LIMIT 1";
    home.server().ask(home.url(), newer);
    let other = home.another();
    let error = other.try_open().await.err().unwrap();
    assert!(
        matches!(error, StoreError::NewerVersion { found: 9000, .. }),
        "{error}"
    );
}

#[tokio::test]
async fn a_database_is_read_beside_its_servers_and_nothing_is_made_there() {
    let Some(home) = Home::postgres() else { return };
    let beside = home.another();
    // Whoever reads makes no tables.
    let error = beside.try_open_beside(None).await.err().unwrap();
    assert!(matches!(&error, StoreError::Failed { .. }), "{error}");
    let tables = "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'";
    assert_eq!(home.server().ask(home.url(), tables), "0");
    let server = home.open().await;
    server.project(&begun_and_cancelled(1)).await.unwrap();
    for engine in [None, Some(ENGINE)] {
        let reader = beside.try_open_beside(engine).await.unwrap();
        assert_eq!(reader.loops().await.unwrap(), server.loops().await.unwrap());
        let names = |entries: Vec<TimelineEntry>| -> Vec<String> {
            entries.into_iter().map(|entry| entry.event).collect()
        };
        let timeline = reader.timeline(&id(1)).await.unwrap();
        assert_eq!(names(timeline), ["created", "cancel"]);
        assert_eq!(reader.recorded(&id(1)).await.unwrap().len(), 2);
        assert_eq!(reader.spending().await.unwrap()[0].usage.cost_micros, 700);
        reader.close().await;
    }
    let error = beside.try_open_beside(Some("engine-two")).await.err();
    assert!(
        matches!(error, Some(StoreError::AnotherEngine)),
        "{error:?}"
    );
    for (statement, is_newer) in [
        ("UPDATE _sqlx_migrations SET version = 9000", true),
        ("DELETE FROM _sqlx_migrations", false),
    ] {
        home.server().ask(home.url(), statement);
        let error = beside.try_open_beside(None).await.err().unwrap();
        let said = matches!(&error, StoreError::NewerVersion { found: 9000, .. });
        assert_eq!(said, is_newer, "{error}");
    }
}
