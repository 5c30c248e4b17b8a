//! Copies of the store while it is in use.
//!
//! The journal is copied by SQLite's `VACUUM INTO`: one transaction that reads, beside whoever writes, and leaves a file without a
//! write-ahead log (<https://www.sqlite.org/lang_vacuum.html#vacuuminto>). The online backup API does the same page by page, and could only be
//! reached by unsafe calls.

use crate::audit::CHAIN_FILE;
use crate::db::{Database, SchemaState};
use crate::error::{damaged, failed, from_io};
use crate::paths::{StorePaths, create_private};
use collie_engine::ports::StoreError;
use fd_lock::RwLock;
use std::fs::{self, File};
use std::io;
use std::path::Path;

/// Copies the journal of a folder into another one, as it is at one moment. An engine may be at work on it.
///
/// # Errors
/// There is no journal, it is damaged, or the copy could not be written.
pub async fn copy_journal(from: &StorePaths, to: &StorePaths) -> Result<(), StoreError> {
    if !from.database().is_file() {
        return Err(failed("copying the journal", "there is none"));
    }
    let tried = "copying the journal";
    create_private(to.root()).map_err(|error| from_io(tried, &error))?;
    let target = to.database();
    let name = target
        .to_str()
        .ok_or_else(|| failed(tried, "its path is no text"))?;
    let database = Database::open(&from.database()).await?;
    let copy = sqlx::query("VACUUM INTO ?").bind(name);
    let copied = database.write(tried, copy).await;
    database.close().await;
    copied?;
    collie_platform::make_private(&target).map_err(|error| from_io(tried, &error))?;
    check_journal(to).await
}

/// Holds a journal that nobody uses against what this Collie reads: every page, and its version.
///
/// # Errors
/// It is missing, damaged, or of a newer Collie.
pub async fn check_journal(folder: &StorePaths) -> Result<(), StoreError> {
    if !folder.database().is_file() {
        return Err(failed("looking at the journal", "there is none"));
    }
    let database = Database::open(&folder.database()).await?;
    let checked = async {
        let version = database.schema_state().await?;
        database.check_pages().await?;
        match version {
            SchemaState::Older | SchemaState::Current => Ok(()),
            SchemaState::Empty => Err(damaged(crate::error::JOURNAL_NAME, "it is empty")),
        }
    };
    let checked = checked.await;
    database.close().await;
    checked
}

/// Copies the audit log, between two of its lines. Whoever writes one waits.
///
/// # Errors
/// The system's.
pub fn copy_audit(from: &StorePaths, to: &StorePaths) -> io::Result<usize> {
    let folder = from.audit();
    if !folder.is_dir() {
        return Ok(0);
    }
    create_private(&to.audit())?;
    let chain = folder.join(CHAIN_FILE);
    let lock = chain.is_file().then(|| File::open(&chain)).transpose()?;
    let lock = lock.map(RwLock::new);
    let _held = lock.as_ref().map(RwLock::read).transpose()?;
    let mut copied = 0;
    for entry in fs::read_dir(&folder)? {
        let entry = entry?;
        if entry.file_type()?.is_file() {
            copy_file(&entry.path(), &to.audit().join(entry.file_name()))?;
            copied += 1;
        }
    }
    Ok(copied)
}

/// Copies a file, for its owner alone; durable on return.
fn copy_file(from: &Path, to: &Path) -> io::Result<()> {
    fs::copy(from, to)?;
    collie_platform::make_private(to)?;
    File::open(to)?.sync_all()
}
