//! Paths as git writes them: bytes.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

/// A name from the bytes that git has for it. Where names are no bytes, one that is no UTF-8 becomes a name that no file can have.
pub fn name_of(bytes: &[u8]) -> &OsStr {
    #[cfg(unix)]
    return std::os::unix::ffi::OsStrExt::from_bytes(bytes);
    #[cfg(not(unix))]
    return OsStr::new(std::str::from_utf8(bytes).unwrap_or("\0"));
}

/// A path from the bytes that git has for it; see [`name_of`].
pub fn path_of(bytes: &[u8]) -> &Path {
    Path::new(name_of(bytes))
}

/// Where a path really leads. On Windows it is written as other programs take it: git knows no `\\?\C:\`.
///
/// # Errors
/// The system's: nothing is there.
pub fn real_path(path: &Path) -> io::Result<PathBuf> {
    #[cfg(windows)]
    return dunce::canonicalize(path);
    #[cfg(not(windows))]
    path.canonicalize()
}

/// The bytes of a name.
pub fn bytes_of(name: &OsStr) -> &[u8] {
    name.as_encoded_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_real_path_is_one_that_other_programs_take() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a");
        std::fs::write(&file, "").unwrap();
        let real = real_path(&folder.path().join(".").join("a")).unwrap();
        assert_eq!(real.canonicalize().unwrap(), file.canonicalize().unwrap());
        assert!(!real.to_string_lossy().contains('?'), "{}", real.display());
        assert!(real_path(&folder.path().join("gone")).is_err());
    }

    #[test]
    fn a_path_comes_back_as_it_was() {
        for path in ["a/b", "à b", ""] {
            assert_eq!(path_of(path.as_bytes()), Path::new(path));
            assert_eq!(bytes_of(name_of(path.as_bytes())), path.as_bytes());
        }
        #[cfg(unix)]
        assert_eq!(bytes_of(name_of(b"a\xff/b")), b"a\xff/b");
    }
}
