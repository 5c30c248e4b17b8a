//! What can go wrong, in the words of the engine's [`StoreError`].

use collie_core::error_code::{ErrorCode, ErrorHint};
use collie_core::user_error::UserError;
use collie_engine::ports::StoreError;
use std::io;
use std::path::{Path, PathBuf};

/// What the journal is called in errors: its file, in every language.
pub const JOURNAL_NAME: &str = "collie.db";

/// A data folder that could not be opened.
#[derive(Clone, Debug, thiserror::Error)]
pub enum OpenError {
    /// Another process runs the engine of this folder (§10.2).
    #[error("another Collie{} owns the data folder {}: stop it first, or use another COLLIE_HOME", pid_words(*pid), folder.display())]
    EngineRunning {
        /// The folder.
        folder: PathBuf,
        /// The other one's process id, when it could be read.
        pid: Option<u32>,
    },
    /// The folder cannot be used.
    #[error("cannot {tried} the data folder {}: {message}; check its permissions, or set COLLIE_HOME to another folder", folder.display())]
    Folder {
        /// The folder.
        folder: PathBuf,
        /// What was tried: a verb.
        tried: &'static str,
        /// The system's words.
        message: String,
    },
    /// The journal cannot be used.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<OpenError> for UserError {
    fn from(error: OpenError) -> Self {
        match error {
            OpenError::EngineRunning { folder, pid } => Self::new(ErrorCode::Owned)
                .with("folder", folder.display())
                .with(
                    "pid",
                    pid.map_or_else(|| "?".to_owned(), |pid| pid.to_string()),
                )
                .hint(ErrorHint::StopOther),
            OpenError::Folder {
                folder, message, ..
            } => Self::new(ErrorCode::Folder)
                .with("folder", folder.display())
                .with("message", message)
                .hint(ErrorHint::DataFolder),
            OpenError::Store(error) => error.into(),
        }
    }
}

impl OpenError {
    pub(crate) fn folder(folder: &Path, tried: &'static str, error: &io::Error) -> Self {
        match from_io(tried, error) {
            full @ StoreError::DiskFull => Self::Store(full),
            StoreError::NewerVersion { .. }
            | StoreError::Damaged { .. }
            | StoreError::Unreachable { .. }
            | StoreError::InDatabase { .. }
            | StoreError::AnotherEngine
            | StoreError::Failed { .. } => Self::Folder {
                folder: folder.to_path_buf(),
                tried,
                message: error.to_string(),
            },
        }
    }
}

fn pid_words(pid: Option<u32>) -> String {
    pid.map(|pid| format!(" (process {pid})"))
        .unwrap_or_default()
}

/// Tells a full disk from other failures of the file system.
pub(crate) fn from_io(tried: &str, error: &io::Error) -> StoreError {
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => StoreError::DiskFull,
        _ => failed(tried, error),
    }
}

/// A failure that has no kind of its own.
pub fn failed(tried: &str, error: impl std::fmt::Display) -> StoreError {
    StoreError::Failed {
        what: tried.to_string(),
        message: error.to_string(),
    }
}

// Primary result codes: https://www.sqlite.org/rescode.html
const SQLITE_CORRUPT: i32 = 11;
const SQLITE_FULL: i32 = 13;
const SQLITE_NOTADB: i32 = 26;
/// The file beside the journal could not grow: the disk is full (https://www.sqlite.org/rescode.html#ioerr_shmsize).
const SQLITE_IOERR_SHMSIZE: i32 = 4874;

/// Tells a full disk and a damaged file from other failures of the database.
pub(crate) fn from_sqlx(tried: &str, error: &sqlx::Error) -> StoreError {
    let code = match error {
        sqlx::Error::Database(database) => database.code(),
        _ => None,
    };
    let code = code.and_then(|code| code.parse::<i32>().ok());
    if code == Some(SQLITE_IOERR_SHMSIZE) {
        return StoreError::DiskFull;
    }
    let primary = code.map(|code| code & 0xff);
    match (primary, error) {
        (Some(SQLITE_FULL), _) => StoreError::DiskFull,
        (Some(SQLITE_CORRUPT | SQLITE_NOTADB), _) => damaged(JOURNAL_NAME, error),
        (_, sqlx::Error::Io(io)) => from_io(tried, io),
        (_, sqlx::Error::ColumnDecode { .. } | sqlx::Error::Decode(_)) => {
            damaged(JOURNAL_NAME, error)
        }
        _ => failed(tried, error),
    }
}

/// Something that cannot be read.
pub fn damaged(what: &str, error: impl std::fmt::Display) -> StoreError {
    StoreError::Damaged {
        what: what.to_string(),
        message: error.to_string(),
    }
}
