//! Where programs lie.

use crate::files::is_executable;
use std::env::split_paths;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// The shell that commands of repositories are written for. On Windows it is the one that comes with git, if its folder is on `PATH`.
pub const SHELL: &str = if cfg!(windows) { "sh" } else { "/bin/sh" };

/// The variable that names the user's own folder.
pub const HOME_VARIABLE: &str = if cfg!(windows) { "USERPROFILE" } else { "HOME" };

/// Variables without which hardly a program of the system works: where it is, and where temporary files are.
pub const SYSTEM_VARIABLES: &[&str] = if cfg!(windows) {
    &[
        "SYSTEMROOT",
        "SYSTEMDRIVE",
        "WINDIR",
        "COMSPEC",
        "PATHEXT",
        "TEMP",
        "TMP",
        "USERPROFILE",
        "APPDATA",
        "LOCALAPPDATA",
        "PROGRAMDATA",
        "PROGRAMFILES",
    ]
} else {
    &[]
};

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
#[cfg(unix)]
mod tests {
    use super::*;
    use std::ffi::OsString;

    fn find(name: &str, path: &OsStr) -> Option<PathBuf> {
        find_program(OsStr::new(name), path)
    }

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
