//! What the desktop remembers between its starts: how a person signed in. No token is in it (§9.4).

use crate::engine_client::journal::create_folder;
use collie_config::DataFolder;
use serde::{Deserialize, Serialize};
use std::io::{self, Write as _};
use std::path::PathBuf;

/// How a person signed in last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum SignInMethod {
    /// As the account of `gh` or `GITHUB_TOKEN`.
    #[serde(rename = "found")]
    Detected,
    /// With a token that the keychain keeps.
    Keychain,
    /// As the GitHub App that the configuration names: a server's way, which is never remembered. A window would merge as it.
    App,
    /// The demo.
    Demo,
}

/// What is remembered.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct RememberedLogin {
    /// None after signing out, and at first.
    #[serde(default)]
    #[serde(rename = "way")]
    pub method: Option<SignInMethod>,
    /// Whose account it was, to be shown while GitHub cannot be asked.
    #[serde(default)]
    pub login: Option<String>,
}

fn path(folder: &DataFolder) -> PathBuf {
    folder.path().join("desktop.json")
}

/// Reads it. What cannot be read counts as nothing: a person signs in again.
pub(super) fn load(folder: &DataFolder) -> RememberedLogin {
    match std::fs::read(path(folder)) {
        Ok(bytes) => serde_json::from_slice(&bytes).unwrap_or_else(|error| {
            tracing::warn!(%error, "desktop.json cannot be read: signing in begins anew");
            RememberedLogin::default()
        }),
        Err(_) => RememberedLogin::default(),
    }
}

/// Writes it, whole or not at all.
pub(super) fn save(folder: &DataFolder, memory: &RememberedLogin) -> io::Result<()> {
    create_folder(folder).map_err(io::Error::other)?;
    let mut fresh = tempfile::NamedTempFile::new_in(folder.path())?;
    fresh.write_all(&serde_json::to_vec(memory)?)?;
    fresh.as_file().sync_all()?;
    fresh.persist(path(folder))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_remembered_is_recalled_and_a_spoilt_file_counts_as_nothing() {
        let temp = tempfile::tempdir().unwrap();
        let folder = DataFolder::at(temp.path().join("data")).unwrap();
        assert_eq!(load(&folder), RememberedLogin::default());
        let memory = RememberedLogin {
            method: Some(SignInMethod::Keychain),
            login: Some("kim".into()),
        };
        save(&folder, &memory).unwrap();
        assert_eq!(load(&folder), memory);
        std::fs::write(path(&folder), "{").unwrap();
        assert_eq!(load(&folder), RememberedLogin::default());
    }
}
