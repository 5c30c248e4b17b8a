//! Whom the logins of the configuration stand for (§9.1): `accounts.json` in the data folder, which a person can read and mend.

use collie_config::{DataFolder, data_paths};
use collie_core::error_code::{ErrorCode, ErrorHint};
use collie_core::ids::{AccountId, Login};
use collie_core::user_error::UserError;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// The version of the file that this Collie writes.
const VERSION: u32 = 1;

/// The file as it is written: accounts by host and login, in lower case.
#[derive(Clone, Debug, Deserialize, Serialize)]
struct PinFile {
    version: u32,
    #[serde(default)]
    hosts: BTreeMap<String, BTreeMap<String, AccountId>>,
}

/// Accounts that were pinned; read once, written whenever one is added.
#[derive(Debug)]
pub(crate) struct AccountPins {
    path: PathBuf,
    known: Mutex<Option<PinFile>>,
}

impl AccountPins {
    /// Those of a data folder; nothing is read yet.
    pub(crate) fn new(home: &Path) -> Self {
        let path = DataFolder::at(home).map_or_else(
            |_| home.join("accounts.json"),
            |folder| data_paths::accounts_file(&folder),
        );
        Self {
            path,
            known: Mutex::default(),
        }
    }

    /// The account that a login stands for on a host: `seen`, where none was seen before.
    ///
    /// # Errors
    /// The file cannot be read or written, or is none of ours. It is left as it is.
    pub(crate) fn pin(
        &self,
        host: &str,
        login: &Login,
        seen: AccountId,
    ) -> Result<AccountId, UserError> {
        // What a panic left behind is whole: it is replaced at once.
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let read = match known.as_ref() {
            Some(read) => read.clone(),
            None => self.read().map_err(|message| self.unusable(&message))?,
        };
        let login = login.as_str().to_ascii_lowercase();
        let pinned = read.hosts.get(host).and_then(|logins| logins.get(&login));
        let pinned = pinned.copied();
        let mut next = read;
        if pinned.is_none() {
            let logins = next.hosts.entry(host.to_owned()).or_default();
            logins.insert(login, seen);
            self.write(&next)
                .map_err(|error| self.unusable(&error.to_string()))?;
        }
        *known = Some(next);
        Ok(pinned.unwrap_or(seen))
    }

    fn read(&self) -> Result<PinFile, String> {
        let bytes = match std::fs::read(&self.path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == ErrorKind::NotFound => {
                return Ok(PinFile {
                    version: VERSION,
                    hosts: BTreeMap::new(),
                });
            }
            Err(error) => return Err(error.to_string()),
        };
        let file: PinFile = serde_json::from_slice(&bytes).map_err(|error| error.to_string())?;
        if file.version == VERSION {
            Ok(file)
        } else {
            Err(format!("version {}", file.version))
        }
    }

    /// Whole or not at all.
    fn write(&self, file: &PinFile) -> io::Result<()> {
        let folder = self.path.parent().unwrap_or(Path::new("."));
        std::fs::create_dir_all(folder)?;
        let mut fresh = tempfile::NamedTempFile::new_in(folder)?;
        serde_json::to_writer_pretty(&mut fresh, file)?;
        fresh.write_all(b"\n")?;
        fresh.as_file().sync_all()?;
        fresh.persist(&self.path)?;
        Ok(())
    }

    fn unusable(&self, message: &str) -> UserError {
        UserError::new(ErrorCode::AccountsUnusable)
            .with("file", self.path.display())
            .with("message", message)
            .hint(ErrorHint::Repin)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pin(pins: &AccountPins, host: &str, login: &str, seen: u64) -> Result<u64, ErrorCode> {
        let pinned = pins.pin(host, &Login::new(login), AccountId(seen));
        pinned.map(|id| id.0).map_err(|error| error.code)
    }

    #[test]
    fn a_login_stands_for_the_account_that_bore_it_first_also_after_a_restart() {
        let dir = tempfile::tempdir().unwrap();
        let pins = AccountPins::new(dir.path());
        assert_eq!(pin(&pins, "github.com", "ana", 5), Ok(5));
        assert_eq!(pin(&pins, "github.com", "Ana", 99), Ok(5));
        assert_eq!(pin(&pins, "ghe.example.com", "ana", 99), Ok(99));
        let later = AccountPins::new(dir.path());
        assert_eq!(pin(&later, "github.com", "ana", 99), Ok(5));
        assert_eq!(pin(&later, "github.com", "ben", 6), Ok(6));
    }

    #[test]
    fn a_file_that_is_damaged_or_newer_pins_nobody_and_is_left_as_it_is() {
        for text in ["{", r#"{"version": 2, "hosts": {}}"#] {
            let dir = tempfile::tempdir().unwrap();
            let path = dir.path().join("accounts.json");
            std::fs::write(&path, text).unwrap();
            let pins = AccountPins::new(dir.path());
            let refused = Err(ErrorCode::AccountsUnusable);
            assert_eq!(pin(&pins, "github.com", "ana", 5), refused);
            assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
        }
    }
}
