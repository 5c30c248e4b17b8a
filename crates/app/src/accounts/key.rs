//! The key that tokens of accounts are encrypted with (§18.2), and where it is kept: never beside what it opens.

use crate::auth::keychain::{Keychain, KeychainError};
use aes_gcm::aead::{Aead as _, KeyInit as _, Nonce, Payload};
use aes_gcm::{Aes256Gcm, Key};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use collie_core::error_code::{ErrorCode, ErrorHint};
use collie_core::ids::{AccountId, Login};
use collie_core::user_error::UserError;
use collie_platform as files;
use secrecy::SecretString;
use secrecy::zeroize::Zeroizing;
use sha2::{Digest as _, Sha256};
use std::fmt;
use std::path::{Path, PathBuf};

/// The key itself, as Base64 of 32 bytes.
pub const KEY_VARIABLE: &str = "COLLIE_ACCOUNT_KEY";
/// The key of before, while tokens are put under the one in [`KEY_VARIABLE`].
pub const OLD_KEY_VARIABLE: &str = "COLLIE_ACCOUNT_KEY_OLD";
/// A file with the key.
pub const KEY_FILE_VARIABLE: &str = "COLLIE_ACCOUNT_KEY_FILE";

/// Entries of the keychain.
const KEYCHAIN_ENTRY: &str = "account-key";
const NEXT_KEYCHAIN_ENTRY: &str = "account-key-next";

const KEY_BYTES: usize = 32;
const NONCE_BYTES: usize = 12;
/// Said before the key where its name is made, so that the name says nothing of what the key encrypts.
const NAME_PURPOSE: &[u8] = b"collie: the name of a key for tokens of accounts, 1";

/// A key. It is never shown, and wiped once dropped.
#[derive(Clone, PartialEq, Eq)]
pub struct AccountKey(Zeroizing<[u8; KEY_BYTES]>);

impl fmt::Debug for AccountKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "AccountKey({})", self.name())
    }
}

impl AccountKey {
    /// A new one.
    pub fn generate() -> Self {
        Self(Zeroizing::new(rand::random()))
    }

    /// Reads one; none where the text is not Base64 of 32 bytes.
    pub fn parse(text: &str) -> Option<Self> {
        let bytes = Zeroizing::new(STANDARD.decode(text.trim()).ok()?);
        let key: [u8; KEY_BYTES] = bytes.as_slice().try_into().ok()?;
        Some(Self(Zeroizing::new(key)))
    }

    /// As Base64.
    pub fn to_text(&self) -> Zeroizing<String> {
        Zeroizing::new(STANDARD.encode(self.0.as_slice()))
    }

    /// By what it is told from others: a hash, of which nobody finds the key.
    pub fn name(&self) -> String {
        let mut hash = Sha256::new();
        hash.update(NAME_PURPOSE);
        hash.update(self.0.as_slice());
        hex::encode(&hash.finalize()[..8])
    }

    fn cipher(&self) -> Aes256Gcm {
        Aes256Gcm::new(&Key::<Aes256Gcm>::from(*self.0))
    }

    /// Encrypts the token of an account. Whose it is and where is part of what is encrypted, so that no row stands in for another.
    pub fn seal(&self, account: (&str, AccountId, &Login), token: &str) -> Option<Vec<u8>> {
        let nonce = rand::random::<[u8; NONCE_BYTES]>();
        let aad = associated_data(account);
        let payload = Payload {
            msg: token.as_bytes(),
            aad: &aad,
        };
        let sealed = self
            .cipher()
            .encrypt(&Nonce::<Aes256Gcm>::from(nonce), payload);
        Some([&nonce[..], &sealed.ok()?].concat())
    }

    /// Decrypts what was encrypted with this key for this account; none where it is another's, or was changed.
    pub fn open(&self, account: (&str, AccountId, &Login), sealed: &[u8]) -> Option<SecretString> {
        let (nonce, sealed) = sealed.split_first_chunk::<NONCE_BYTES>()?;
        let aad = associated_data(account);
        let payload = Payload {
            msg: sealed,
            aad: &aad,
        };
        let opened = self
            .cipher()
            .decrypt(&Nonce::<Aes256Gcm>::from(*nonce), payload);
        let opened = Zeroizing::new(opened.ok()?);
        let text = std::str::from_utf8(&opened).ok()?;
        Some(SecretString::from(text.to_owned()))
    }
}

fn associated_data((host, id, login): (&str, AccountId, &Login)) -> Vec<u8> {
    let login = login.as_str().to_ascii_lowercase();
    format!("{host}\n{}\n{login}", id.0).into_bytes()
}

/// Where the key is kept.
#[derive(Clone)]
pub enum KeyPlace {
    /// In the environment: the key, and while it is being replaced the one before.
    Environment {
        /// What [`KEY_VARIABLE`] holds.
        key: SecretString,
        /// What [`OLD_KEY_VARIABLE`] holds.
        old: Option<SecretString>,
    },
    /// In a file, which is made for its owner alone.
    File(PathBuf),
    /// In the system's keychain.
    Keychain(Keychain),
}

impl fmt::Debug for KeyPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl KeyPlace {
    /// As the environment says; where it says nothing, the system's keychain.
    pub fn of_environment(variable: impl Fn(&str) -> Option<String>) -> Self {
        Self::of_environment_or(variable, Keychain::system)
    }

    /// The same with another keychain.
    pub fn of_environment_or(
        variable: impl Fn(&str) -> Option<String>,
        keychain: impl FnOnce() -> Keychain,
    ) -> Self {
        let said = |name: &str| variable(name).filter(|value| !value.trim().is_empty());
        match (said(KEY_VARIABLE), said(KEY_FILE_VARIABLE)) {
            (Some(key), _) => KeyPlace::Environment {
                key: key.into(),
                old: said(OLD_KEY_VARIABLE).map(SecretString::from),
            },
            (None, Some(file)) => KeyPlace::File(file.into()),
            (None, None) => KeyPlace::Keychain(keychain()),
        }
    }

    /// As the environment of this process says (§9.5).
    pub fn of_machine() -> Self {
        Self::of_environment(collie_hardening::variable)
    }

    /// What errors call it.
    pub fn name(&self) -> &'static str {
        match self {
            KeyPlace::Environment { .. } => KEY_VARIABLE,
            KeyPlace::File(_) => KEY_FILE_VARIABLE,
            KeyPlace::Keychain(_) => "keychain",
        }
    }

    fn unusable(&self, message: impl Into<String>) -> UserError {
        UserError::new(ErrorCode::AccountKeyUnusable)
            .with("where", self.name())
            .with("message", message.into())
            .hint(ErrorHint::AccountKey)
    }

    fn parse(&self, text: &str) -> Result<AccountKey, UserError> {
        AccountKey::parse(text).ok_or_else(|| self.unusable("no Base64 of 32 bytes"))
    }

    /// The keys that there are: the one in use first, then another one while keys are being replaced.
    ///
    /// # Errors
    /// What is there is no key, or cannot be read.
    pub async fn keys(&self) -> Result<Vec<AccountKey>, UserError> {
        use secrecy::ExposeSecret as _;
        let mut keys = Vec::new();
        match self {
            KeyPlace::Environment { key, old } => {
                keys.push(self.parse(key.expose_secret())?);
                if let Some(old) = old {
                    keys.push(self.parse(old.expose_secret())?);
                }
            }
            KeyPlace::File(path) => {
                for path in [path, &next_file(path)] {
                    let read = read_if_there(path).map_err(|e| self.unusable(e.to_string()))?;
                    if let Some(text) = read {
                        keys.push(self.parse(&text)?);
                    }
                }
            }
            KeyPlace::Keychain(keychain) => {
                for entry in [KEYCHAIN_ENTRY, NEXT_KEYCHAIN_ENTRY] {
                    let loaded = keychain.load_secret(entry).await;
                    if let Some(text) = loaded.map_err(|error| self.keychain_error(&error))? {
                        keys.push(self.parse(&text)?);
                    }
                }
            }
        }
        Ok(keys)
    }

    fn keychain_error(&self, error: &KeychainError) -> UserError {
        match error {
            KeychainError::Missing { .. } => {
                UserError::new(ErrorCode::AccountNoKey).hint(ErrorHint::AccountKey)
            }
            KeychainError::Locked | KeychainError::Refused { .. } => {
                self.unusable(error.to_string())
            }
        }
    }

    /// Keeps a key beside the one in use, until [`Self::promote`] puts it in its place; the very first one at once.
    pub(super) async fn keep_next(
        &self,
        key: &AccountKey,
        is_first: bool,
    ) -> Result<(), UserError> {
        let text = key.to_text();
        match self {
            KeyPlace::Environment { .. } => Ok(()),
            KeyPlace::File(path) => {
                let path = if is_first {
                    path.clone()
                } else {
                    next_file(path)
                };
                // One that a rotation left which came to nothing.
                if !is_first && path.exists() {
                    let removed = std::fs::remove_file(&path);
                    removed.map_err(|error| self.unusable(error.to_string()))?;
                }
                let written = write_private(&path, text.as_bytes());
                written.map_err(|error| self.unusable(error.to_string()))
            }
            KeyPlace::Keychain(keychain) => {
                let entry = if is_first {
                    KEYCHAIN_ENTRY
                } else {
                    NEXT_KEYCHAIN_ENTRY
                };
                let stored = keychain.store_secret(entry, &text).await;
                stored.map_err(|error| self.keychain_error(&error))
            }
        }
    }

    /// Puts the key that [`Self::keep_next`] kept in the place of the one in use.
    pub(super) async fn promote(&self, next: &AccountKey) -> Result<(), UserError> {
        match self {
            KeyPlace::Environment { .. } => Ok(()),
            KeyPlace::File(path) => {
                let renamed = std::fs::rename(next_file(path), path);
                renamed.map_err(|error| self.unusable(error.to_string()))
            }
            KeyPlace::Keychain(keychain) => {
                let stored = keychain.store_secret(KEYCHAIN_ENTRY, &next.to_text()).await;
                stored.map_err(|error| self.keychain_error(&error))?;
                let forgotten = keychain.forget(NEXT_KEYCHAIN_ENTRY).await;
                forgotten.map_err(|error| self.keychain_error(&error))
            }
        }
    }
}

fn next_file(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".next");
    PathBuf::from(name)
}

/// Writes a file that was not there, for its owner alone.
fn write_private(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    use std::io::Write as _;
    let mut options = std::fs::OpenOptions::new();
    files::private_file(options.write(true).create_new(true));
    let mut file = options.open(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

fn read_if_there(path: &Path) -> std::io::Result<Option<Zeroizing<String>>> {
    match std::fs::read_to_string(path) {
        Ok(text) => Ok(Some(Zeroizing::new(text))),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use secrecy::ExposeSecret as _;

    #[test]
    fn a_token_is_opened_by_its_key_for_its_account_alone() {
        let key = AccountKey::generate();
        let login = Login::new("Quinn-bot");
        let account = ("github.com", AccountId(7), &login);
        let sealed = key.seal(account, "ghp_token").unwrap();
        assert_eq!(
            key.open(account, &sealed).unwrap().expose_secret(),
            "ghp_token"
        );
        assert!(AccountKey::generate().open(account, &sealed).is_none());
        let other = Login::new("sam-bot");
        for wrong in [
            ("ghe.example.com", AccountId(7), &login),
            ("github.com", AccountId(8), &login),
            ("github.com", AccountId(7), &other),
        ] {
            assert!(key.open(wrong, &sealed).is_none(), "{wrong:?}");
        }
        for at in 0..sealed.len() {
            let mut changed = sealed.clone();
            changed[at] ^= 1;
            assert!(key.open(account, &changed).is_none(), "byte {at}");
        }
        assert!(!sealed.windows(4).any(|part| part == b"ghp_"));
        assert_ne!(sealed, key.seal(account, "ghp_token").unwrap());
    }

    #[test]
    fn a_key_is_read_as_it_was_written_and_never_shown() {
        let key = AccountKey::generate();
        assert_eq!(
            AccountKey::parse(&format!("{}\n", *key.to_text())),
            Some(key.clone())
        );
        assert!(!format!("{key:?}").contains(key.to_text().as_str()));
        for wrong in ["", "short", "not base64!", &STANDARD.encode([1; 31])] {
            assert_eq!(AccountKey::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn the_environment_names_the_place() {
        let place = |set: &[(&str, &str)]| {
            let place = KeyPlace::of_environment(|name| {
                let mut set = set.iter().filter(|(found, _)| *found == name);
                set.next().map(|(_, value)| (*value).to_owned())
            });
            place.name()
        };
        assert_eq!(place(&[]), "keychain");
        assert_eq!(place(&[(KEY_FILE_VARIABLE, "/k")]), KEY_FILE_VARIABLE);
        assert_eq!(
            place(&[(KEY_FILE_VARIABLE, "/k"), (KEY_VARIABLE, "x")]),
            KEY_VARIABLE
        );
        assert_eq!(place(&[(KEY_VARIABLE, " ")]), "keychain");
    }
}
