//! Where programs lie.

use crate::files::is_executable;
use std::env::split_paths;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// The program of that name: as it is written where it names a folder, else the first in the folders of `path`. A relative folder of those
/// is passed over: seen from a checkout it would be the pull request's.
pub fn find_program(name: &OsStr, path: &OsStr) -> Option<PathBuf> {
    let written = Path::new(name);
    if name.is_empty() {
        return None;
    }
    if written.components().count() > 1 || written.is_absolute() {
        return Some(written.to_owned()).filter(|path| is_executable(path));
    }
    split_paths(path)
        .filter(|folder| folder.is_absolute())
        .flat_map(|folder| spellings(&folder.join(written)))
        .find(|program| is_executable(program))
}

/// What the file of a program may be called.
fn spellings(program: &Path) -> Vec<PathBuf> {
    let endings: &[&str] = if cfg!(windows) {
        &["exe", "com", "bat", "cmd"]
    } else {
        &[]
    };
    let longer = endings
        .iter()
        .map(|ending| program.with_added_extension(ending));
    std::iter::once(program.to_owned()).chain(longer).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::OsString;

    fn find(name: &str, path: &OsStr) -> Option<PathBuf> {
        find_program(OsStr::new(name), path)
    }

    #[cfg(unix)]
    #[test]
    fn a_program_is_the_first_that_can_be_started_in_an_absolute_folder() {
        let folder = tempfile::tempdir().unwrap();
        let [first, second] = ["first", "second"].map(|name| folder.path().join(name));
        for (of, is_program) in [(&first, false), (&second, true)] {
            std::fs::create_dir(of).unwrap();
            std::fs::write(of.join("tool"), "").unwrap();
            if is_program {
                crate::make_executable(&of.join("tool")).unwrap();
            }
        }
        let path = std::env::join_paths([&first, &second]).unwrap();
        assert_eq!(find("tool", &path), Some(second.join("tool")));
        assert_eq!(find("other", &path), None);
        assert_eq!(find("", &path), None);
        let whole = second.join("tool");
        assert_eq!(
            find(whole.to_str().unwrap(), OsStr::new("")),
            Some(whole.clone())
        );

        // The same folder, by the way from here.
        let here = std::env::current_dir().unwrap();
        let mut relative: PathBuf = here.components().skip(1).map(|_| "..").collect();
        relative.push(second.strip_prefix("/").unwrap());
        assert!(relative.join("tool").is_file());
        let path: OsString = relative.into_os_string();
        assert_eq!(find("tool", &path), None);
    }
}
