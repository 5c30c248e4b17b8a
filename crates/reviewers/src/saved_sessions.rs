//! Which session of which agent goes on with a pull request (§6.1). The journal has it, in the transaction that has what came of it; what
//! agents keep of their homes for it lies in a folder.

use collie_core::ids::LoopId;
use collie_core::session::AgentSession;
use sha2::{Digest as _, Sha256};
use std::path::{Path, PathBuf};

/// The session that this agent can go on with: not that of another one.
pub(super) fn session_of(agent: &str, known: Option<AgentSession>) -> Option<AgentSession> {
    known.filter(|known| known.agent == agent)
}

/// The session after a turn that was broken off, where that went on with it and told what it has cost by now; else nothing has changed.
pub(super) fn session_broken_at(
    known: AgentSession,
    resumed_cost_micros: Option<u64>,
) -> Option<AgentSession> {
    let cost_micros = resumed_cost_micros?;
    Some(AgentSession {
        cost_micros,
        ..known
    })
}

/// The file of a pull request, in which versions before kept its session; what agents keep lies beside it.
fn session_file(folder: &Path, id: &LoopId) -> PathBuf {
    let digest = Sha256::digest(id.to_string());
    folder.join(format!("{}.json", hex::encode(&digest[..16])))
}

/// What an agent keeps of its home for this pull request: its sessions.
pub(super) fn kept_home(folder: &Path, id: &LoopId, agent: &str) -> PathBuf {
    session_file(folder, id).with_extension(format!("{agent}.kept"))
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

    fn session() -> AgentSession {
        AgentSession {
            agent: "codex".into(),
            session: "s1".into(),
            cost_micros: 3,
        }
    }

    #[test]
    fn a_session_is_gone_on_with_by_its_agent_alone() {
        assert_eq!(session_of("codex", Some(session())), Some(session()));
        assert_eq!(session_of("gemini", Some(session())), None);
        assert_eq!(session_of("codex", None), None);
    }

    /// What was counted of a turn that was cancelled is not counted once more by the next.
    #[test]
    fn a_session_that_broke_off_is_remembered_with_what_it_had_cost_by_then() {
        let costing = |cost_micros| AgentSession {
            cost_micros,
            ..session()
        };
        assert_eq!(session_broken_at(session(), Some(9)), Some(costing(9)));
        assert_eq!(
            session_broken_at(session(), None),
            None,
            "a new session took its place"
        );
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
        let kept = |number| kept_home(folder.path(), &id(number), "codex");
        for number in [1, 2] {
            std::fs::write(session_file(folder.path(), &id(number)), "{}").unwrap();
            std::fs::create_dir_all(kept(number).join(".codex")).unwrap();
        }
        std::os::unix::fs::symlink(kept(2), kept(1).join(".codex/link")).unwrap();
        remove(folder.path(), &id(1)).unwrap();
        let of_version_before = |number| session_file(folder.path(), &id(number));
        assert!(!of_version_before(1).exists() && !kept(1).exists());
        assert!(of_version_before(2).exists() && kept(2).join(".codex").exists());
        remove(&folder.path().join("none"), &id(1)).unwrap();
    }
}
