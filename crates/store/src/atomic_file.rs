//! Files that are replaced whole or not at all.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

/// What ends the names of half-written files.
pub(crate) const UNFINISHED_SUFFIX: &str = ".unfinished";

/// Puts `bytes` in place of a file, durably; `prefix` begins the name of what is written meanwhile.
pub(crate) fn replace_file(path: &Path, prefix: &str, bytes: &[u8]) -> io::Result<()> {
    let folder = path.parent().ok_or(io::ErrorKind::InvalidInput)?;
    let mut temp_file = tempfile::Builder::new()
        .prefix(prefix)
        .suffix(UNFINISHED_SUFFIX)
        .tempfile_in(folder)?;
    temp_file.write_all(bytes)?;
    temp_file.as_file().sync_all()?;
    temp_file.persist(path).map_err(|error| error.error)?;
    sync_folder(folder)
}

/// Makes the new name durable, where the system lets a folder be synced.
pub(crate) fn sync_folder(folder: &Path) -> io::Result<()> {
    if cfg!(unix) {
        fs::File::open(folder)?.sync_all()
    } else {
        Ok(())
    }
}
