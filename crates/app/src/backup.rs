//! A copy of the data folder, made while an engine works on it, and the way back.
//!
//! A backup is a data folder: all that cannot be made anew, and nothing else. Clones, worktrees, checkpoints and diagnostics are left out.

use collie_config::DataFolder;
use collie_core::error_code::{ErrorCode, ErrorHint};
use collie_core::user_error::UserError;
use collie_store::{OpenError, StorePaths};
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// What is not copied: what the store copies itself, what is made anew, and what belongs to a process.
const LEFT_OUT: [&str; 11] = [
    "audit",
    "engine.lock",
    "git",
    "reviews",
    "offers",
    "runner",
    "logs",
    "state",
    "demo",
    "worktrees",
    "tmp",
];
/// The journal, its write-ahead log, and damaged ones that were kept aside.
const JOURNAL: &str = "collie.db";

/// What was copied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BackupReport {
    /// Where it lies.
    pub folder: PathBuf,
    /// How large it is, in bytes.
    pub bytes: u64,
    /// Lines of the audit log.
    pub audit_lines: u64,
    /// What is wrong with it (`collie doctor` names it): it is copied all the same.
    pub audit_faults: usize,
}

/// Copies a data folder into a new one. Whoever works on it goes on.
///
/// # Errors
/// The target is there already, or something cannot be read or written. Nothing is left half copied under the target's name.
pub async fn backup(folder: &DataFolder, to: &Path) -> Result<BackupReport, UserError> {
    require_free(to)?;
    let partial = partial_name(to)?;
    let made = make_backup(folder.path(), &partial).await;
    finish(made, &partial, to).await
}

/// Makes a data folder of a backup.
///
/// # Errors
/// There is something in the data folder, an engine runs there, or the backup is none.
pub async fn restore(from: &Path, folder: &DataFolder) -> Result<BackupReport, UserError> {
    let source = StorePaths::below(from);
    let wrong = |message: String| {
        let wrong = UserError::new(ErrorCode::BackupUnusable);
        wrong
            .with("folder", from.display())
            .with("message", message)
    };
    // A backup that nobody has opened has no write-ahead log: what has one is a data folder that may be in use.
    if collie_store::running_engine(&source)
        .map_err(UserError::from)?
        .is_some()
    {
        return Err(wrong("an engine works on it".to_owned()));
    }
    collie_store::check_journal(&source)
        .await
        .map_err(|error| wrong(error.to_string()))?;
    if let Some(running) =
        collie_store::running_engine(&StorePaths::below(folder.path())).map_err(UserError::from)?
    {
        let folder = folder.path().to_owned();
        return Err(OpenError::EngineRunning {
            folder,
            pid: running.pid,
        }
        .into());
    }
    require_free(folder.path())?;
    let partial = partial_name(folder.path())?;
    let made = make_backup(from, &partial).await;
    finish(made, &partial, folder.path()).await
}

async fn make_backup(from: &Path, to: &Path) -> Result<u64, UserError> {
    let (source, target) = (StorePaths::below(from), StorePaths::below(to));
    collie_store::copy_journal(&source, &target)
        .await
        .map_err(UserError::from)?;
    let (from, to) = (from.to_owned(), to.to_owned());
    let copied = tokio::task::spawn_blocking(move || {
        // After the journal: what is audited is audited before the journal has it, and may be there twice, but is never missing.
        collie_store::copy_audit(&source, &target)?;
        copy_rest(&from, &to)?;
        size_of(&to)
    });
    let copied = copied
        .await
        .map_err(io::Error::other)
        .and_then(|copied| copied);
    copied.map_err(|error| not_written(error.to_string(), &error))
}

fn not_written(what: String, error: &io::Error) -> UserError {
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            UserError::new(ErrorCode::DiskFull).hint(ErrorHint::FreeSpace)
        }
        _ => UserError::new(ErrorCode::BackupFailed).with("message", what),
    }
}

/// Gives the copy its name once it is whole; takes it away where it is not.
async fn finish(
    made: Result<u64, UserError>,
    partial: &Path,
    to: &Path,
) -> Result<BackupReport, UserError> {
    let finished = async {
        let bytes = made?;
        let paths = StorePaths::below(partial);
        let audit = tokio::task::spawn_blocking(move || collie_store::verify_audit(&paths));
        let audit = audit
            .await
            .map_err(io::Error::other)
            .and_then(|looked| looked);
        let audit = audit.map_err(|error| not_written(error.to_string(), &error))?;
        if fs::read_dir(to).is_ok() {
            // It was empty a moment ago.
            fs::remove_dir(to).map_err(|error| not_written(error.to_string(), &error))?;
        }
        fs::rename(partial, to).map_err(|error| not_written(error.to_string(), &error))?;
        Ok(BackupReport {
            folder: to.to_owned(),
            bytes,
            audit_lines: audit.chained + audit.unchained,
            audit_faults: audit.faults.len(),
        })
    };
    let finished = finished.await;
    if finished.is_err() {
        let _ = fs::remove_dir_all(partial);
    }
    finished
}

/// Refuses a folder that has something in it.
fn require_free(folder: &Path) -> Result<(), UserError> {
    match fs::read_dir(folder).map(|mut entries| entries.next().is_none()) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Ok(true) => Ok(()),
        Ok(false) => {
            Err(UserError::new(ErrorCode::BackupTargetUsed).with("folder", folder.display()))
        }
        Err(error) => Err(not_written(
            format!("{}: {error}", folder.display()),
            &error,
        )),
    }
}

/// Beside the target, so that a rename is all that is left to do.
fn partial_name(to: &Path) -> Result<PathBuf, UserError> {
    let absolute = std::path::absolute(to);
    let absolute = absolute.map_err(|error| not_written(error.to_string(), &error))?;
    let name = absolute
        .file_name()
        .and_then(OsStr::to_str)
        .unwrap_or("backup");
    let unique = uuid::Uuid::new_v4();
    Ok(absolute.with_file_name(format!(".{name}.{unique}.partial")))
}

/// Copies what no part of the store knows: configuration, accounts, review memory, personas.
fn copy_rest(from: &Path, to: &Path) -> io::Result<()> {
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let name = entry.file_name();
        let text = name.to_string_lossy();
        if LEFT_OUT.contains(&text.as_ref()) || text.starts_with(JOURNAL) {
            continue;
        }
        copy_tree(&entry.path(), &to.join(&name))?;
    }
    Ok(())
}

/// Copies files and folders; what is neither, such as a link, is left out.
fn copy_tree(from: &Path, to: &Path) -> io::Result<()> {
    let named =
        |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", from.display()));
    let kind = fs::symlink_metadata(from).map_err(named)?.file_type();
    if kind.is_dir() {
        fs::create_dir_all(to).map_err(named)?;
        for entry in fs::read_dir(from).map_err(named)? {
            let entry = entry.map_err(named)?;
            copy_tree(&entry.path(), &to.join(entry.file_name()))?;
        }
    } else if kind.is_file() {
        fs::copy(from, to).map_err(named)?;
        fs::File::open(to)
            .and_then(|file| file.sync_all())
            .map_err(named)?;
    }
    Ok(())
}

fn size_of(folder: &Path) -> io::Result<u64> {
    let mut bytes = 0;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        bytes += match entry.file_type()?.is_dir() {
            true => size_of(&entry.path())?,
            false => entry.metadata()?.len(),
        };
    }
    Ok(bytes)
}
