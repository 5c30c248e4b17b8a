//! Several accounts in one process, each on a data folder of its own.

use crate::backend::fixture::{BackendFixture, TestClient, no_keychain, pull_key};
use collie_app::backend::{AccountName, Accounts, BackendOptions, CredentialScope};
use collie_config::DataFolder;
use collie_testkit::forge::COLLIE;
use collie_testkit::repository::{AUTHOR, PullContent};
use collie_wire::rpc::{Command, Update};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

fn account(name: &str) -> AccountName {
    AccountName::parse(name).unwrap()
}

fn options(name: &AccountName, folder: &Path) -> BackendOptions {
    BackendOptions {
        folder: DataFolder::at(folder).unwrap(),
        environment: Arc::new(|_: &str| None),
        credentials: CredentialScope::Account(name.clone()),
        keychain: no_keychain(),
        language: "en",
        runners: None,
        elsewhere: None,
        can_merge: false,
        demo_if_new: false,
    }
}

/// Asks for an account's backend and signs in there.
async fn open_signed_in(
    fixture: &BackendFixture,
    accounts: &Accounts,
    name: &AccountName,
    login: &str,
) -> TestClient {
    let client = TestClient::on(accounts.backend(name).await.unwrap()).await;
    client.sign_in(fixture, login).await;
    client
}

/// The loops that a backend has told of.
fn loops_reported(client: &TestClient) -> BTreeSet<String> {
    let updates = client.updates.lock().unwrap();
    updates
        .iter()
        .filter_map(|update| match update {
            Update::Loop { key, .. } => Some(key.clone()),
            _ => None,
        })
        .collect()
}

fn engine_runs(folder: &Path) -> bool {
    let paths = collie_store::StorePaths::below(folder);
    collie_store::running_engine(&paths).unwrap().is_some()
}

#[tokio::test(flavor = "multi_thread")]
async fn two_accounts_live_side_by_side_and_closing_one_leaves_the_other() {
    let fixture = BackendFixture::new(&[PullContent::Clean, PullContent::Clean]).await;
    let (octo, ana) = (account("octo"), account("ana"));
    let folders = [&octo, &ana].map(|name| fixture.dir.path().join(name.to_string()));
    let allowed = format!("allowed_users = [\"{COLLIE}\", \"{AUTHOR}\"]\nautonomy = \"push\"\n");
    fixture.configure_folder(&folders[0], &allowed);
    fixture.configure_folder(&folders[1], &format!("language = \"fr\"\n{allowed}"));
    let accounts = Accounts::default();
    for (name, folder) in [&octo, &ana].into_iter().zip(&folders) {
        accounts.add(name.clone(), options(name, folder)).unwrap();
    }
    let twice = accounts.add(ana.clone(), options(&ana, &folders[1]));
    assert!(twice.is_err());
    assert!(accounts.backend(&account("kim")).await.is_none());
    assert_eq!(accounts.names(), [ana.clone(), octo.clone()]);

    let first = open_signed_in(&fixture, &accounts, &octo, COLLIE).await;
    let second = open_signed_in(&fixture, &accounts, &ana, AUTHOR).await;
    for (client, language) in [(&first, "en"), (&second, "fr")] {
        let session = client.session().await;
        assert_eq!(session["phase"], "running", "{session:#}");
        assert_eq!(session["language"], language);
        // What this machine is signed in with is no account's own.
        assert!(session["credentials"]["token"].is_null(), "{session:#}");
    }
    let unknown = || Command::Timeline { key: pull_key(99) };
    let messages = [
        first.run_refused(unknown()).await.message,
        second.run_refused(unknown()).await.message,
    ];
    assert_ne!(messages[0], messages[1], "each in its own language");

    first.start_loop(1).await;
    second.start_loop(2).await;
    first.wait_for_state(1, "pr_ready_to_merge").await;
    second.wait_for_state(2, "pr_ready_to_merge").await;
    assert_eq!(loops_reported(&first), BTreeSet::from([pull_key(1)]));
    assert_eq!(loops_reported(&second), BTreeSet::from([pull_key(2)]));

    accounts.close(&octo).await;
    assert!(!engine_runs(&folders[0]) && engine_runs(&folders[1]));
    // Who still holds what was closed cannot start its engine again.
    first.run_command(Command::TryAgain).await;
    assert_eq!(first.session().await["phase"], "starting");
    assert!(!engine_runs(&folders[0]));
    second.start_loop(1).await;
    second.wait_for_state(1, "pr_ready_to_merge").await;

    let again = open_signed_in(&fixture, &accounts, &octo, COLLIE).await;
    again.wait_for_state(1, "pr_ready_to_merge").await;
    accounts.close_all().await;
    assert!(folders.iter().all(|folder| !engine_runs(folder)));
    assert!(accounts.backend(&ana).await.is_none());
}
