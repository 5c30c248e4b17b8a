//! Checkpoints: one readable file a loop, the way back when the database is lost (§10.3).

use crate::atomic_file::{UNFINISHED_SUFFIX, replace_file};
use crate::error::{damaged, from_io};
use crate::lock::{LoopLock, loop_lock_file};
use crate::paths::create_private;
use crate::persisted::{check_version, state_of};
use crate::time::file_stamp;
use collie_core::ids::{LoopId, RepoName};
use collie_core::loop_state::LoopState;
use collie_core::loop_state::STATE_VERSION;
use collie_engine::ports::StoreError;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// A checkpoint's content.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Checkpoint {
    /// Version of the form.
    pub(crate) version: u32,
    /// The journal entry it stands for.
    pub(crate) journal_seq: u64,
    /// `owner/repo#n`, for people.
    pub(crate) pull: String,
    /// The state after that entry.
    pub(crate) state: LoopState,
}

impl Checkpoint {
    pub(crate) fn of(state: LoopState, journal_seq: u64) -> Self {
        let pull = format!("{}#{}", state.pull.repo, state.id.number);
        Self {
            version: STATE_VERSION,
            journal_seq,
            pull,
            state,
        }
    }
}

/// The usual place of a loop's checkpoint, below the folder of checkpoints.
pub(crate) fn default_path(repo: &RepoName, number: u64) -> String {
    format!(
        "{}/{}/pr_{number}.json",
        portable_name(repo.owner()),
        portable_name(repo.name())
    )
}

/// The place of a loop whose usual one another loop has: the same pull request on another host, or
/// of a repository that was made anew under an old name.
pub(crate) fn disambiguated_path(repo: &RepoName, id: &LoopId) -> String {
    let hash = hex::encode(&Sha256::digest(id.to_string())[..6]);
    format!(
        "{}/{}/pr_{}-{hash}.json",
        portable_name(repo.owner()),
        portable_name(repo.name()),
        id.number
    )
}

/// A name that Windows takes for a file too. [`RepoName`] lets only harmless characters pass.
pub(crate) fn portable_name(name: &str) -> String {
    const DEVICES: [&str; 4] = ["con", "prn", "aux", "nul"];
    let stem = name.split('.').next().unwrap_or(name).to_ascii_lowercase();
    let numbered = |prefix| {
        stem.strip_prefix(prefix)
            .is_some_and(|rest| rest.len() == 1 && rest != "0")
    };
    let reserved = DEVICES.contains(&stem.as_str()) || numbered("com") || numbered("lpt");
    let dotted = name.ends_with('.');
    if reserved || dotted {
        format!("{name}_")
    } else {
        name.to_string()
    }
}

/// Reads a checkpoint; `what` names it in errors. None when there is none.
pub(crate) fn read(path: &Path, what: &str) -> Result<Option<Checkpoint>, StoreError> {
    /// A checkpoint whose state may be of an earlier version.
    #[derive(Deserialize)]
    struct Written {
        version: u32,
        journal_seq: u64,
        pull: String,
        state: serde_json::Value,
    }
    #[derive(Deserialize)]
    struct Header {
        version: u32,
    }
    let bytes = match fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(from_io(&format!("reading {what}"), &error)),
    };
    let header: Header = serde_json::from_slice(&bytes).map_err(|error| damaged(what, error))?;
    check_version(what, header.version)?;
    let written: Written = serde_json::from_slice(&bytes).map_err(|error| damaged(what, error))?;
    Ok(Some(Checkpoint {
        version: STATE_VERSION,
        journal_seq: written.journal_seq,
        pull: written.pull,
        state: state_of(what, written.version, written.state)?,
    }))
}

/// Writes a checkpoint: whole or not at all.
pub(crate) fn write(path: &Path, checkpoint: &Checkpoint) -> io::Result<()> {
    let folder = path.parent().ok_or(io::ErrorKind::InvalidInput)?;
    create_private(folder)?;
    let mut lock_file = loop_lock_file(&path.with_extension("lock"))?;
    let lock = LoopLock::take(&mut lock_file)?;
    replace(&lock, path, checkpoint)
}

fn replace(_: &LoopLock<'_>, path: &Path, checkpoint: &Checkpoint) -> io::Result<()> {
    let mut bytes = serde_json::to_vec_pretty(checkpoint)?;
    bytes.push(b'\n');
    replace_file(path, ".pr_", &bytes)
}

/// Whether what lies at a loop's place may be replaced by a checkpoint of this loop up to `seq`.
pub(crate) enum Freshness {
    /// It is that checkpoint.
    UpToDate,
    /// It is an earlier one, or there is none.
    Stale,
    /// It is something that must not be lost: with the reason.
    MustKeep(String),
}

/// Looks at what lies at a loop's place.
pub(crate) fn freshness(path: &Path, id: &LoopId, seq: u64) -> Freshness {
    match read(path, "the checkpoint") {
        Ok(None) => Freshness::Stale,
        Ok(Some(found)) if found.state.id != *id => {
            Freshness::MustKeep(format!("it belongs to {}", found.state.id))
        }
        Ok(Some(found)) if found.journal_seq > seq => Freshness::MustKeep(format!(
            "it goes up to journal entry {}, the journal only to {seq}",
            found.journal_seq
        )),
        Ok(Some(found)) if found.journal_seq == seq => Freshness::UpToDate,
        Ok(Some(_)) => Freshness::Stale,
        Err(error) => Freshness::MustKeep(error.to_string()),
    }
}

/// Renames a file that must not be lost, so that its place is free.
pub(crate) fn move_aside(path: &Path, now: jiff::Timestamp) -> io::Result<PathBuf> {
    let stamp = file_stamp(now);
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let kept_path = (1_u32..)
        .map(|count| match count {
            1 => path.with_file_name(format!("{name}.kept-{stamp}")),
            more => path.with_file_name(format!("{name}.kept-{stamp}-{more}")),
        })
        .find(|aside| !aside.exists())
        .ok_or(io::ErrorKind::AlreadyExists)?;
    fs::rename(path, &kept_path)?;
    Ok(kept_path)
}

/// All checkpoints below a folder, with their places.
pub(crate) fn list(root: &Path) -> io::Result<Vec<(String, PathBuf)>> {
    let mut found = repository_files(root)?;
    found.retain(|(name, _)| name.starts_with("pr_") && name.ends_with(".json"));
    let mut found: Vec<_> = found
        .into_iter()
        .map(|(_, path)| (relative_path(root, &path), path))
        .collect();
    found.sort();
    Ok(found)
}

/// Removes half-written files of a process that died. Only the engine's process may.
pub(crate) fn remove_unfinished(root: &Path) -> io::Result<()> {
    for (name, path) in repository_files(root)? {
        if name.ends_with(UNFINISHED_SUFFIX) {
            fs::remove_file(path)?;
        }
    }
    Ok(())
}

/// The names and paths of all files of all repositories.
fn repository_files(root: &Path) -> io::Result<Vec<(String, PathBuf)>> {
    let mut found = Vec::new();
    for owner in subfolders(root)? {
        for repo in subfolders(&owner)? {
            for entry in fs::read_dir(&repo)? {
                let path = entry?.path();
                let name = path
                    .file_name()
                    .unwrap_or_default()
                    .to_string_lossy()
                    .into_owned();
                found.push((name, path));
            }
        }
    }
    Ok(found)
}

fn relative_path(root: &Path, path: &Path) -> String {
    let parts: Vec<_> = path
        .strip_prefix(root)
        .unwrap_or(path)
        .components()
        .map(|part| part.as_os_str().to_string_lossy())
        .collect();
    parts.join("/")
}

fn subfolders(root: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = match fs::read_dir(root) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut found = Vec::new();
    for entry in entries {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            found.push(entry.path());
        }
    }
    Ok(found)
}
