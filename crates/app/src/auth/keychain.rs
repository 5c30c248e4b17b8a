//! The system's keychain (§9.4), where what was typed in is kept: tokens, one a host, and keys of language models.
//!
//! The stores are spoken to through `keyring-core` with the system's own store, as that crate's authors advise for programs
//! that decide when to connect: a keychain that was not there at the start may be there at the next attempt.
//!
//! **Architecture invariant.** Nothing here may hold the app up: a locked keychain asks the person and waits for as long as
//! they like, so that every call runs on a thread of its own and is given up after a while.

use collie_github::Token;
use keyring_core::{CredentialStore, Entry, Error};
use secrecy::zeroize::Zeroizing;
use std::sync::{Arc, LazyLock, mpsc};
use std::time::Duration;
use tokio::sync::oneshot;

/// Under which name other programs show what Collie keeps.
const SERVICE_NAME: &str = "collie";

/// How long a person may take to unlock.
const UNLOCK_TIMEOUT: Duration = Duration::from_secs(30);

/// How long the system may take to say whether there is a keychain.
const AVAILABILITY_TIMEOUT: Duration = Duration::from_secs(5);

/// Why the keychain was of no use.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum KeychainError {
    /// There is none, or it does not answer at all.
    #[error(
        "this system has no keychain that can be used ({reason}): sign in with gh, or set GITHUB_TOKEN"
    )]
    Missing {
        /// What the system said.
        reason: String,
    },
    /// It is locked and nobody unlocked it in time, or somebody declined.
    #[error("the keychain is locked: unlock it, then try again")]
    Locked,
    /// It refused, or failed.
    #[error("the keychain failed: {reason}")]
    Refused {
        /// What the system said.
        reason: String,
    },
}

/// Opens a store of credentials.
pub type StoreOpener = Arc<dyn Fn() -> keyring_core::Result<Arc<CredentialStore>> + Send + Sync>;

/// A keychain: the system's, or another one that keeps credentials.
#[derive(Clone)]
pub struct Keychain {
    open_store: StoreOpener,
    timeout: Duration,
    queue: CallQueue,
}

impl Keychain {
    /// The system's: Secret Service on Linux, Keychain Services on macOS, Credential Manager on Windows.
    pub fn system() -> Self {
        Self {
            open_store: Arc::new(open_system),
            timeout: UNLOCK_TIMEOUT,
            queue: SYSTEM_QUEUE.clone(),
        }
    }

    /// A keychain in any store, each call given up after `patience`. The store is opened anew for each call.
    pub fn with_store(open_store: StoreOpener, timeout: Duration) -> Self {
        Self {
            open_store,
            timeout,
            queue: CallQueue::start(),
        }
    }

    /// Whether it can be used. It is not unlocked.
    pub async fn available(&self) -> bool {
        let open = self.open_store.clone();
        let timeout = self.timeout.min(AVAILABILITY_TIMEOUT);
        self.queue
            .run(timeout, move || open_credential_store(&open).map(drop))
            .await
            .is_ok()
    }

    /// Keeps a host's token, in place of one that is there. When it is given up, it may still be kept once unlocked.
    pub async fn store(&self, host: &str, token: &Token) -> Result<(), KeychainError> {
        self.store_secret(host, token.expose()).await
    }

    /// A host's token; none when none is kept.
    pub async fn load(&self, host: &str) -> Result<Option<Token>, KeychainError> {
        let text = self.load_secret(host).await?;
        Ok(text.and_then(|text| Token::new(&text)))
    }

    /// Keeps a secret under a name, in place of one that is there. When it is given up, it may still be kept once unlocked.
    pub async fn store_secret(&self, name: &str, secret: &str) -> Result<(), KeychainError> {
        let secret = Zeroizing::new(secret.to_owned());
        self.with_entry(name, move |entry| entry.set_password(&secret))
            .await
    }

    /// The secret of a name; none when none is kept.
    pub async fn load_secret(
        &self,
        name: &str,
    ) -> Result<Option<Zeroizing<String>>, KeychainError> {
        self.with_entry(name, |entry| match entry.get_password() {
            Ok(text) => Ok(Some(Zeroizing::new(text))),
            Err(Error::NoEntry) => Ok(None),
            Err(error) => Err(error),
        })
        .await
    }

    /// Takes a name's secret out; one that is not there is no error.
    pub async fn forget(&self, name: &str) -> Result<(), KeychainError> {
        self.with_entry(name, |entry| match entry.delete_credential() {
            Ok(()) | Err(Error::NoEntry) => Ok(()),
            Err(error) => Err(error),
        })
        .await
    }

    async fn with_entry<T: Send + 'static>(
        &self,
        host: &str,
        operation: impl FnOnce(&Entry) -> keyring_core::Result<T> + Send + 'static,
    ) -> Result<T, KeychainError> {
        let (open, host) = (self.open_store.clone(), host.to_owned());
        self.queue
            .run(self.timeout, move || {
                let store = open_credential_store(&open)?;
                let entry = store
                    .build(SERVICE_NAME, &host, None)
                    .map_err(keychain_error)?;
                operation(&entry).map_err(keychain_error)
            })
            .await
    }
}

fn open_credential_store(open_store: &StoreOpener) -> Result<Arc<CredentialStore>, KeychainError> {
    open_store().map_err(|error| KeychainError::Missing {
        reason: error.to_string(),
    })
}

/// What a store says, without what it keeps.
fn keychain_error(error: Error) -> KeychainError {
    match error {
        Error::NoStorageAccess(_) => KeychainError::Locked,
        Error::BadEncoding(_) => KeychainError::Refused {
            reason: "what it keeps is no text".to_owned(),
        },
        Error::BadDataFormat(..) => KeychainError::Refused {
            reason: "what it keeps cannot be read".to_owned(),
        },
        other => KeychainError::Refused {
            reason: other.to_string(),
        },
    }
}

/// Calls of one keychain, one after the other on a thread of their own: what a person lets wait, later calls wait for, so that a token
/// that was given up cannot come after one that was not.
#[derive(Clone)]
struct CallQueue(mpsc::Sender<QueuedCall>);

type QueuedCall = Box<dyn FnOnce() + Send>;

impl CallQueue {
    fn start() -> Self {
        let (send, jobs) = mpsc::channel::<QueuedCall>();
        let begun = std::thread::Builder::new()
            .name("keychain".to_owned())
            .spawn(move || jobs.into_iter().for_each(|job| job()));
        if let Err(error) = begun {
            tracing::warn!(%error, "no thread for the keychain could be started");
        }
        Self(send)
    }

    async fn run<T: Send + 'static>(
        &self,
        timeout: Duration,
        operation: impl FnOnce() -> Result<T, KeychainError> + Send + 'static,
    ) -> Result<T, KeychainError> {
        let (answer, answered) = oneshot::channel();
        let stopped = || KeychainError::Refused {
            reason: "its thread has ended".to_owned(),
        };
        let job = move || {
            // What was given up while it waited its turn is not begun.
            if !answer.is_closed() {
                let _ = answer.send(operation());
            }
        };
        self.0.send(Box::new(job)).map_err(|_| stopped())?;
        match tokio::time::timeout(timeout, answered).await {
            Ok(done) => done.unwrap_or_else(|_| Err(stopped())),
            Err(_) => Err(KeychainError::Locked),
        }
    }
}

/// All calls of the system's keychain, whoever makes them.
static SYSTEM_QUEUE: LazyLock<CallQueue> = LazyLock::new(CallQueue::start);

#[cfg(all(unix, not(target_os = "macos")))]
fn open_system() -> keyring_core::Result<Arc<CredentialStore>> {
    let store = zbus_secret_service_keyring_store::Store::new()?;
    Ok(store)
}

#[cfg(target_os = "macos")]
fn open_system() -> keyring_core::Result<Arc<CredentialStore>> {
    let store = apple_native_keyring_store::keychain::Store::new()?;
    Ok(store)
}

#[cfg(windows)]
fn open_system() -> keyring_core::Result<Arc<CredentialStore>> {
    let store = windows_native_keyring_store::Store::new()?;
    Ok(store)
}
