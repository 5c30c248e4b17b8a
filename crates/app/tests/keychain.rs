//! Tokens in a keychain that works, refuses, is locked, hangs or is not there.

#![allow(
    clippy::unwrap_used,
    reason = "all of this is test code; clippy sees only the test functions as such"
)]

use collie_app::auth::keychain::{Keychain, KeychainError};
use collie_app::auth::token_source_from_lookup;
use collie_github::{Token, TokenOrigin, TokenSource, TokenWithOrigin};
use keyring_core::api::CredentialStoreApi;
use keyring_core::{CredentialStore, Error, mock};
use std::sync::Arc;
use std::sync::mpsc;
use std::time::{Duration, Instant};

const HOST: &str = "ghe.example.com";

fn token(text: &str) -> Token {
    Token::new(text).unwrap()
}

fn keychain_on(store: &Arc<mock::Store>) -> Keychain {
    let store: Arc<CredentialStore> = store.clone();
    Keychain::with_store(Arc::new(move || Ok(store.clone())), Duration::from_secs(20))
}

/// Makes the next call on a host's entry fail.
fn fail_next(store: &Arc<mock::Store>, error: Error) {
    let entry = store.build("collie", HOST, None).unwrap();
    let credential: &mock::Cred = entry.as_any().downcast_ref().unwrap();
    credential.set_error(error);
}

#[tokio::test]
async fn a_token_is_kept_for_its_host_until_it_is_forgotten() {
    let store = mock::Store::new().unwrap();
    let keychain = keychain_on(&store);
    assert!(keychain.available().await);
    assert_eq!(keychain.load(HOST).await, Ok(None));
    keychain.store(HOST, &token("one")).await.unwrap();
    keychain.store("github.com", &token("other")).await.unwrap();
    keychain.store(HOST, &token("two")).await.unwrap();
    assert_eq!(keychain.load(HOST).await, Ok(Some(token("two"))));
    keychain.forget(HOST).await.unwrap();
    keychain.forget(HOST).await.unwrap();
    assert_eq!(keychain.load(HOST).await, Ok(None));
    assert_eq!(keychain.load("github.com").await, Ok(Some(token("other"))));
}

#[tokio::test]
async fn what_goes_wrong_is_reported_without_the_token() {
    let store = mock::Store::new().unwrap();
    let keychain = keychain_on(&store);
    keychain.store(HOST, &token("secret")).await.unwrap();
    fail_next(&store, Error::NoStorageAccess("dismissed".into()));
    assert_eq!(keychain.load(HOST).await, Err(KeychainError::Locked));
    for error in [
        Error::PlatformFailure("out of order".into()),
        Error::BadEncoding(b"secret\xff".to_vec()),
        Error::BadDataFormat(b"secret".to_vec(), "no".into()),
    ] {
        fail_next(&store, error);
        let told = keychain.load(HOST).await.unwrap_err();
        assert!(matches!(told, KeychainError::Refused { .. }), "{told:?}");
        assert!(!format!("{told} {told:?}").contains("secret"), "{told:?}");
    }
    assert_eq!(keychain.load(HOST).await, Ok(Some(token("secret"))));
}

#[tokio::test]
async fn without_a_keychain_the_reason_is_reported() {
    let open = || Err(Error::PlatformFailure("no bus".into()));
    let keychain = Keychain::with_store(Arc::new(open), Duration::from_secs(20));
    assert!(!keychain.available().await);
    let told = keychain.store(HOST, &token("secret")).await.unwrap_err();
    assert!(matches!(told, KeychainError::Missing { .. }));
    assert!(told.to_string().contains("no bus"), "{told}");
}

#[tokio::test]
async fn a_keychain_that_waits_for_a_person_holds_nothing_up() {
    let (unlock, unlocked) = mpsc::channel::<()>();
    let unlocked = std::sync::Mutex::new(unlocked);
    let open = move || {
        // Waits like a prompt that nobody answers, until the test ends.
        unlocked.lock().unwrap().recv().unwrap_err();
        Err(Error::NoDefaultStore)
    };
    let keychain = Keychain::with_store(Arc::new(open), Duration::from_millis(50));
    let began = Instant::now();
    assert_eq!(keychain.load(HOST).await, Err(KeychainError::Locked));
    assert!(!keychain.available().await);
    assert!(began.elapsed() < Duration::from_secs(10));
    drop(unlock);
}

#[tokio::test]
async fn the_keychain_is_the_last_place_that_is_asked() {
    let store = mock::Store::new().unwrap();
    let keychain = keychain_on(&store);
    keychain.store(HOST, &token("kept")).await.unwrap();
    let chosen = token_source_from_lookup(TokenSource::LookUp, None, HOST, &keychain).await;
    let TokenSource::Given(kept) = chosen else {
        panic!("{chosen:?}");
    };
    assert_eq!(kept, token("kept"));
    let unasked = Keychain::with_store(
        Arc::new(|| unreachable!("a token was found before")),
        Duration::from_secs(20),
    );
    for (found, keychain) in [
        (true, &unasked),
        (false, &keychain_on(&mock::Store::new().unwrap())),
    ] {
        let found = found.then(|| TokenWithOrigin {
            token: token("found"),
            origin: TokenOrigin::Gh,
        });
        let chosen = token_source_from_lookup(TokenSource::LookUp, found, HOST, keychain).await;
        assert!(matches!(chosen, TokenSource::LookUp), "{chosen:?}");
    }
}
