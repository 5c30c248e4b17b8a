//! Where CSV is saved: the folder of downloads, under a name that is free.

use collie_core::error_code::ErrorCode;
use collie_core::user_error::UserError;
use std::fs::File;
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

/// So many files of one name there may be.
const MAX_SAME_NAME: u32 = 1_000;

/// The folder of downloads; the user's own where the system knows none.
pub(crate) fn download_folder() -> Option<PathBuf> {
    dirs::download_dir()
        .filter(|folder| folder.is_dir())
        .or_else(dirs::home_dir)
}

/// Saves a file under a name that is free: `NAME.csv`, `NAME (2).csv`, …
///
/// # Errors
/// It cannot be written.
pub fn save(folder: &Path, name: &str, content: &[u8]) -> Result<PathBuf, UserError> {
    let failed = |path: &Path, error: &std::io::Error| {
        UserError::new(ErrorCode::FileNotSaved)
            .with("path", path.display().to_string())
            .with("message", error.to_string())
    };
    for nth in 1..=MAX_SAME_NAME {
        let path = match nth {
            1 => folder.join(format!("{name}.csv")),
            _ => folder.join(format!("{name} ({nth}).csv")),
        };
        match File::create_new(&path) {
            Ok(mut file) => {
                let written = file.write_all(content).and_then(|()| file.sync_all());
                return match written {
                    Ok(()) => Ok(path),
                    Err(error) => Err(failed(&path, &error)),
                };
            }
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(failed(&path, &error)),
        }
    }
    let error = std::io::Error::from(ErrorKind::AlreadyExists);
    Err(failed(&folder.join(format!("{name}.csv")), &error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_written_over() {
        let temp = tempfile::tempdir().unwrap();
        let first = save(temp.path(), "runs", b"1").unwrap();
        let second = save(temp.path(), "runs", b"2").unwrap();
        assert_eq!(first, temp.path().join("runs.csv"));
        assert_eq!(second, temp.path().join("runs (2).csv"));
        assert_eq!(std::fs::read(first).unwrap(), b"1");
    }

    #[test]
    fn what_cannot_be_written_is_named() {
        let temp = tempfile::tempdir().unwrap();
        let error = save(&temp.path().join("gone"), "runs", b"1").unwrap_err();
        assert_eq!(error.code, ErrorCode::FileNotSaved);
    }
}
