//! Which runners there are: their names, and hashes of their secrets, in a file that its owner alone reads.

use crate::lease_token::TokenHash;
use collie_core::error_code::{ErrorCode, ErrorHint};
use collie_core::user_error::UserError;
use serde::{Deserialize, Serialize};
use std::io::{ErrorKind, Write as _};
use std::path::PathBuf;

/// No name is longer.
const MAX_NAME: usize = 60;

/// The file, which is read anew each time: one that was revoked is out at once.
#[derive(Clone, Debug)]
pub struct RunnerSecrets {
    file: PathBuf,
}

/// Why a secret was not made or taken away.
#[derive(Debug, thiserror::Error)]
pub enum SecretsError {
    /// The file cannot be read, understood or written.
    #[error("{}: {message}", .file.display())]
    Unusable {
        /// Which.
        file: PathBuf,
        /// The system's words.
        message: String,
    },
    /// It is no name, or there is one of that name.
    #[error("{name} cannot be the name of a runner")]
    Name {
        /// The name.
        name: String,
    },
}

impl From<SecretsError> for UserError {
    fn from(error: SecretsError) -> Self {
        match error {
            SecretsError::Unusable { file, message } => {
                let name = file.file_name().unwrap_or_default().to_string_lossy();
                UserError::new(ErrorCode::RunnersUnusable)
                    .with("place", name)
                    .with("message", message)
                    .hint(ErrorHint::ServerDocs)
            }
            SecretsError::Name { name } => UserError::new(ErrorCode::RunnerName).with("name", name),
        }
    }
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct RunnersFile {
    version: u32,
    runners: Vec<KnownRunner>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct KnownRunner {
    name: String,
    /// SHA-256 of its secret.
    secret_sha256: String,
}

/// The version of the file that this Collie writes.
const FILE_VERSION: u32 = 1;

impl RunnerSecrets {
    /// Those of a file, which need not be there.
    pub fn in_file(file: PathBuf) -> Self {
        Self { file }
    }

    /// The names, in the order in which they were added.
    ///
    /// # Errors
    /// The file cannot be read or understood.
    pub fn names(&self) -> Result<Vec<String>, SecretsError> {
        let read = self.read()?.runners.into_iter();
        Ok(read.map(|runner| runner.name).collect())
    }

    /// Makes a secret for a new runner; it is told here, and kept nowhere.
    ///
    /// # Errors
    /// The name is none, or taken; the file cannot be written.
    pub fn add(&self, name: &str) -> Result<String, SecretsError> {
        let mut known = self.read()?;
        let is_taken = known
            .runners
            .iter()
            .any(|one| one.name.eq_ignore_ascii_case(name));
        if is_taken || !is_name(name) {
            let name = name.chars().take(2 * MAX_NAME).collect();
            return Err(SecretsError::Name { name });
        }
        let secret = format!("collie_runner_{}", hex::encode(rand::random::<[u8; 32]>()));
        known.runners.push(KnownRunner {
            name: name.to_owned(),
            secret_sha256: TokenHash::of(&secret).to_hex(),
        });
        self.write(&known)?;
        Ok(secret)
    }

    /// Takes a runner's secret away; whether it had one.
    ///
    /// # Errors
    /// The file cannot be read or written.
    pub fn revoke(&self, name: &str) -> Result<bool, SecretsError> {
        let mut known = self.read()?;
        let before = known.runners.len();
        known
            .runners
            .retain(|one| !one.name.eq_ignore_ascii_case(name));
        let had = known.runners.len() < before;
        if had {
            self.write(&known)?;
        }
        Ok(had)
    }

    /// The runner that shows this secret; none where it is nobody's.
    ///
    /// # Errors
    /// The file cannot be read or understood.
    pub fn runner_of(&self, secret: &str) -> Result<Option<String>, SecretsError> {
        let shown = TokenHash::of(secret);
        let mut found = None;
        // All are compared, so that the time it takes tells nothing.
        for runner in self.read()?.runners {
            if shown.is_hex(&runner.secret_sha256) {
                found = Some(runner.name);
            }
        }
        Ok(found)
    }

    fn unusable(&self, message: impl ToString) -> SecretsError {
        SecretsError::Unusable {
            file: self.file.clone(),
            message: message.to_string(),
        }
    }

    fn read(&self) -> Result<RunnersFile, SecretsError> {
        let text = match std::fs::read(&self.file) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(RunnersFile::default()),
            read => read.map_err(|error| self.unusable(error))?,
        };
        let file: RunnersFile =
            serde_json::from_slice(&text).map_err(|error| self.unusable(error))?;
        if file.version > FILE_VERSION {
            return Err(self.unusable(format!("it is of a newer version ({})", file.version)));
        }
        Ok(file)
    }

    fn write(&self, known: &RunnersFile) -> Result<(), SecretsError> {
        let known = RunnersFile {
            version: FILE_VERSION,
            runners: known.runners.clone(),
        };
        let text = serde_json::to_vec_pretty(&known).map_err(|error| self.unusable(error))?;
        let folder = self.file.parent().unwrap_or(&self.file);
        let written = || {
            std::fs::create_dir_all(folder)?;
            // Only its owner reads what such a file is made as.
            let mut new = tempfile::NamedTempFile::new_in(folder)?;
            new.write_all(&text)?;
            new.as_file().sync_all()?;
            new.persist(&self.file)?;
            Ok::<_, std::io::Error>(())
        };
        written().map_err(|error| self.unusable(error))
    }
}

/// Letters, digits, dots and dashes: it is shown to people, and stands in lines of logs.
fn is_name(name: &str) -> bool {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "._-".contains(letter);
    !name.is_empty() && name.len() <= MAX_NAME && name.chars().all(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_told_once_and_only_its_hash_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("runners.json");
        let secrets = RunnerSecrets::in_file(file.clone());
        assert_eq!(secrets.runner_of("x").unwrap(), None);
        let [one, two] = ["mini", "rack-2"].map(|name| secrets.add(name).unwrap());
        assert_ne!(one, two);
        let kept = std::fs::read_to_string(&file).unwrap();
        assert!(!kept.contains(&one) && !kept.contains(&one[14..]));
        assert_eq!(secrets.runner_of(&one).unwrap().as_deref(), Some("mini"));
        assert_eq!(secrets.runner_of(&two).unwrap().as_deref(), Some("rack-2"));
        let mut wrong = one.clone();
        wrong.pop();
        for wrong in [wrong.as_str(), "", "mini", &one.to_uppercase()] {
            assert_eq!(secrets.runner_of(wrong).unwrap(), None, "{wrong}");
        }
        assert!(secrets.revoke("MINI").unwrap());
        assert!(!secrets.revoke("mini").unwrap());
        assert_eq!(secrets.runner_of(&one).unwrap(), None);
        assert_eq!(secrets.names().unwrap(), ["rack-2"]);
    }

    #[test]
    fn names_are_plain_and_no_two_runners_share_one() {
        let folder = tempfile::tempdir().unwrap();
        let secrets = RunnerSecrets::in_file(folder.path().join("runners.json"));
        secrets.add("mini").unwrap();
        for wrong in ["", "Mini", "a b", "a\n", "ü", "../x", &"x".repeat(61)] {
            let refused = secrets.add(wrong);
            assert!(matches!(refused, Err(SecretsError::Name { .. })), "{wrong}");
        }
    }

    #[test]
    fn a_file_that_cannot_be_understood_lets_nobody_in_and_is_left_as_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("runners.json");
        let secrets = RunnerSecrets::in_file(file.clone());
        for text in ["{", "[]", r#"{"version": 9, "runners": []}"#] {
            std::fs::write(&file, text).unwrap();
            assert!(secrets.runner_of("x").is_err(), "{text}");
            assert!(secrets.add("mini").is_err(), "{text}");
            assert_eq!(std::fs::read_to_string(&file).unwrap(), text);
        }
    }
}
