//! Reads and writes `config.toml` whole: what a reader finds is the old text or the new one, never half of it.

use super::settings_error::SettingsError;
use collie_config::{DataFolder, data_paths};
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How long another program may hold the right to change the file; saving takes milliseconds.
const LOCK_TIMEOUT: Duration = Duration::from_secs(2);

/// The bytes of the file; none when there is no file.
pub(super) fn read(folder: &DataFolder) -> Result<Vec<u8>, SettingsError> {
    data_paths::read_config(folder).map_err(|source| SettingsError::Read {
        path: data_paths::config_file(folder),
        source,
    })
}

/// Holds the right to change the file while `change` runs: other threads and processes that save wait.
pub(super) fn with_file_lock<T>(
    folder: &DataFolder,
    change: impl FnOnce() -> Result<T, SettingsError>,
) -> Result<T, SettingsError> {
    let path = folder.path().join("config.lock");
    let write_error = |source| SettingsError::Write {
        path: path.clone(),
        source,
    };
    fs::create_dir_all(folder.path()).map_err(write_error)?;
    let file = OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .open(&path)
        .map_err(write_error)?;
    let mut lock = fd_lock::RwLock::new(file);
    let since = Instant::now();
    loop {
        match lock.try_write() {
            Ok(_held) => return change(),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Err(error) => return Err(write_error(error)),
        }
        if since.elapsed() > LOCK_TIMEOUT {
            return Err(SettingsError::Busy {
                path: data_paths::config_file(folder),
            });
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Replaces the file's text, unless it is not `old` any more; says whether it did. Durable on return.
pub(super) fn replace(folder: &DataFolder, old: &[u8], new: &str) -> Result<bool, SettingsError> {
    let path = data_paths::config_file(folder);
    let target = resolve_link(&path);
    let write_error = |source| SettingsError::Write {
        path: path.clone(),
        source,
    };
    let fresh = write_temporary(&target, new).map_err(write_error)?;
    if read(folder)? != old {
        return Ok(false);
    }
    fresh
        .persist(&target)
        .map_err(|error| write_error(error.error))?;
    sync_folder(&target).map_err(write_error)?;
    Ok(true)
}

fn write_temporary(target: &Path, text: &str) -> io::Result<tempfile::NamedTempFile> {
    let mut fresh = tempfile::NamedTempFile::new_in(parent_folder(target))?;
    fresh.write_all(text.as_bytes())?;
    if let Ok(there) = fs::metadata(target) {
        fresh.as_file().set_permissions(there.permissions())?;
    }
    fresh.as_file().sync_all()?;
    Ok(fresh)
}

/// The file itself, where `config.toml` is a link to it: the link stays.
fn resolve_link(path: &Path) -> PathBuf {
    if let Ok(real) = fs::canonicalize(path) {
        return real;
    }
    // A link to what is not there yet.
    match fs::read_link(path) {
        Ok(link) => parent_folder(path).join(link),
        Err(_) => path.to_owned(),
    }
}

fn parent_folder(path: &Path) -> &Path {
    path.parent().unwrap_or(path)
}

#[cfg(unix)]
fn sync_folder(path: &Path) -> io::Result<()> {
    fs::File::open(parent_folder(path))?.sync_all()
}

#[cfg(not(unix))]
fn sync_folder(_path: &Path) -> io::Result<()> {
    Ok(())
}
