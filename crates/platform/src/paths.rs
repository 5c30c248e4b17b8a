//! Paths as git writes them: bytes.

use std::ffi::OsStr;
use std::path::Path;

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

/// The bytes of a name.
pub fn bytes_of(name: &OsStr) -> &[u8] {
    name.as_encoded_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

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
