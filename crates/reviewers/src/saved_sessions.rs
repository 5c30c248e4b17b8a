//! Which session of which agent goes on with a pull request (§6.1). It is a help, not the truth: what is lost begins afresh.

use collie_core::ids::LoopId;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// A session that an agent may be able to go on with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct SavedSession {
    /// The agent's name in the configuration.
    pub agent: String,
    /// The agent's own id of the session.
    pub session: String,
    /// What the session has cost so far, in millionths of a dollar, as the agent told.
    #[serde(default)]
    pub cost_micros: u64,
}

impl SavedSession {
    /// The session after a turn that was broken off, where that went on with it and told what it has cost by now; else nothing has changed.
    pub(super) fn broken_at(self, resumed_cost_micros: Option<u64>) -> Option<Self> {
        let cost_micros = resumed_cost_micros?;
        Some(Self {
            cost_micros,
            ..self
        })
    }
}

/// The file of a pull request.
fn session_file(folder: &Path, id: &LoopId) -> PathBuf {
    let digest = Sha256::digest(id.to_string());
    folder.join(format!("{}.json", hex::encode(&digest[..16])))
}

/// What an agent keeps of its home for this pull request: its sessions.
pub(super) fn kept_home(folder: &Path, id: &LoopId, agent: &str) -> PathBuf {
    session_file(folder, id).with_extension(format!("{agent}.kept"))
}

/// What is remembered of a pull request and this agent.
pub(super) fn load(folder: &Path, id: &LoopId, agent: &str) -> Option<SavedSession> {
    let bytes = std::fs::read(session_file(folder, id)).ok()?;
    let saved: SavedSession = serde_json::from_slice(&bytes).ok()?;
    (saved.agent == agent).then_some(saved)
}

/// Remembers; that it could not be written is logged.
pub(super) fn save(folder: &Path, id: &LoopId, saved: &SavedSession) {
    if let Err(error) = write(folder, id, saved) {
        tracing::warn!(%error, "an agent's session could not be remembered");
    }
}

/// Removes what is remembered of a pull request, and what agents kept of their homes for it.
pub(super) fn remove(folder: &Path, id: &LoopId) -> std::io::Result<()> {
    let file = session_file(folder, id);
    let stem = file.file_stem().unwrap_or_default();
    let entries = match std::fs::read_dir(folder) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        entries => entries?,
    };
    for entry in entries {
        let entry = entry?;
        // `HASH.json`, `HASH.AGENT.kept`
        if Path::new(&entry.file_name()).file_prefix() != Some(stem) {
            continue;
        }
        if entry.file_type()?.is_dir() {
            std::fs::remove_dir_all(entry.path())?;
        } else {
            std::fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

fn write(folder: &Path, id: &LoopId, saved: &SavedSession) -> std::io::Result<()> {
    std::fs::create_dir_all(folder)?;
    let mut beside = tempfile::NamedTempFile::new_in(folder)?;
    beside.write_all(&serde_json::to_vec(saved)?)?;
    beside.persist(session_file(folder, id))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(number: u64) -> LoopId {
        LoopId {
            host: "github.com".into(),
            repo_id: "r".into(),
            number,
        }
    }

    #[test]
    fn a_session_is_found_again_by_its_pull_request_and_agent_alone() {
        let folder = tempfile::tempdir().unwrap();
        let saved = SavedSession {
            agent: "codex".into(),
            session: "s1".into(),
            cost_micros: 3,
        };
        save(folder.path(), &id(1), &saved);
        assert_eq!(load(folder.path(), &id(1), "codex"), Some(saved));
        assert_eq!(load(folder.path(), &id(1), "gemini"), None);
        assert_eq!(load(folder.path(), &id(2), "codex"), None);
        std::fs::write(session_file(folder.path(), &id(1)), "{").unwrap();
        assert_eq!(load(folder.path(), &id(1), "codex"), None);
    }

    /// What was counted of a turn that was cancelled is not counted once more by the next.
    #[test]
    fn a_session_that_broke_off_is_remembered_with_what_it_had_cost_by_then() {
        let saved = SavedSession {
            agent: "codex".into(),
            session: "s1".into(),
            cost_micros: 3,
        };
        let costing = |cost_micros| SavedSession {
            cost_micros,
            ..saved.clone()
        };
        assert_eq!(saved.clone().broken_at(Some(9)), Some(costing(9)));
        assert_eq!(saved.broken_at(None), None, "a new session took its place");
    }

    #[test]
    fn no_agent_is_given_the_home_of_another_or_of_another_pull_request() {
        let home = |number, agent| kept_home(Path::new("/sessions"), &id(number), agent);
        let homes = [home(1, "codex"), home(1, "gemini"), home(2, "codex")];
        for (index, one) in homes.iter().enumerate() {
            for other in &homes[index + 1..] {
                assert!(!one.starts_with(other) && !other.starts_with(one));
            }
        }
        assert_eq!(home(1, "codex"), homes[0], "and finds its own again");
    }

    #[test]
    fn what_is_removed_is_of_that_pull_request_alone() {
        let folder = tempfile::tempdir().unwrap();
        let saved = SavedSession {
            agent: "codex".into(),
            session: "s1".into(),
            cost_micros: 3,
        };
        let kept = |number| kept_home(folder.path(), &id(number), "codex");
        for number in [1, 2] {
            save(folder.path(), &id(number), &saved);
            std::fs::create_dir_all(kept(number).join(".codex")).unwrap();
        }
        std::os::unix::fs::symlink(kept(2), kept(1).join(".codex/link")).unwrap();
        remove(folder.path(), &id(1)).unwrap();
        assert!(load(folder.path(), &id(1), "codex").is_none() && !kept(1).exists());
        assert!(load(folder.path(), &id(2), "codex").is_some() && kept(2).join(".codex").exists());
        remove(&folder.path().join("none"), &id(1)).unwrap();
    }
}
