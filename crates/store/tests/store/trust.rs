//! What the user decided for a repository.

use crate::support::*;
use crate::versions::run_sql;
use collie_core::ids::{Login, RepositoryId};
use collie_core::pause::Pause;
use collie_core::trust::{RepositoryTrust, TrustDecision};
use collie_engine::ports::{Journal, JournalReader, JournalUpkeep};

fn repository(repo_id: &str) -> RepositoryId {
    RepositoryId {
        host: "github.com".into(),
        repo_id: repo_id.into(),
    }
}

fn allowing(number: u64) -> RepositoryTrust {
    let mut trust = RepositoryTrust::default();
    trust.decide(&TrustDecision::AllowPull { number });
    trust
}

#[tokio::test]
async fn a_decision_is_there_after_a_restart_and_for_other_processes_and_the_last_one_holds() {
    let home = temp_home();
    let store = home.engine().await;
    let (one, other) = (repository("R_1"), repository("R_2"));
    store.set_trust(&one, &allowing(1), NOW).await.unwrap();
    store.set_trust(&other, &allowing(2), NOW).await.unwrap();
    store.set_trust(&one, &allowing(3), NOW).await.unwrap();
    let expected = [(one.clone(), allowing(3)), (other, allowing(2))];
    let reader = home.reader().await;
    assert_eq!(reader.trust().await.unwrap(), expected);
    assert!(reader.set_trust(&one, &allowing(4), NOW).await.is_err());
    reader.close().await;
    store.close().await;
    let store = home.engine().await;
    assert_eq!(store.trust().await.unwrap(), expected);
}

#[tokio::test]
async fn what_cannot_be_read_is_an_error_and_allows_nothing() {
    let home = temp_home();
    let store = home.engine().await;
    let one = repository("R_1");
    store.set_trust(&one, &allowing(1), NOW).await.unwrap();
    store.close().await;
    run_sql(
        &home,
        "UPDATE trust SET trust_json = '{\"pulls\": \"all\"}'",
    )
    .await;
    let store = home.engine().await;
    assert!(store.trust().await.is_err());
}

#[tokio::test]
async fn a_pause_is_there_after_a_restart_for_other_processes_and_after_a_lost_journal() {
    let home = temp_home();
    let store = home.engine().await;
    let pause = Pause {
        by: Login::new("kim"),
        since: NOW,
    };
    store.set_pause(Some(&pause)).await.unwrap();
    let reader = home.reader().await;
    assert_eq!(reader.pause().await.unwrap(), Some(pause.clone()));
    assert!(reader.set_pause(None).await.is_err());
    reader.close().await;
    store.close().await;
    let store = home.engine().await;
    assert_eq!(store.pause().await.unwrap(), Some(pause));
    store.set_pause(None).await.unwrap();
    assert_eq!(store.pause().await.unwrap(), None);
}
