//! The data folder: where it is and how its parts are called.

use std::path::{Path, PathBuf};

/// A data folder that could not be found or made.
#[derive(Debug, thiserror::Error)]
pub enum HomeError {
    /// Neither `COLLIE_HOME` nor a home directory is known.
    #[error("the data folder is unknown: set COLLIE_HOME to a folder that Collie may write to")]
    Unknown,
    /// It could not be made.
    #[error(
        "the data folder {path} could not be made: {source}; set COLLIE_HOME to a folder that Collie may write to"
    )]
    Make {
        /// The folder.
        path: PathBuf,
        /// The system's reason.
        source: std::io::Error,
    },
}

/// Finds the data folder: `COLLIE_HOME`, else the place this system has for such data. Makes nothing.
pub fn find(variable: impl Fn(&str) -> Option<String>) -> Result<PathBuf, HomeError> {
    let set = |name: &str| {
        variable(name)
            .filter(|value| !value.is_empty())
            .map(PathBuf::from)
    };
    if let Some(home) = set("COLLIE_HOME") {
        return Ok(std::path::absolute(&home).unwrap_or(home));
    }
    let home = || set("HOME").ok_or(HomeError::Unknown);
    if cfg!(windows) {
        return Ok(set("LOCALAPPDATA")
            .ok_or(HomeError::Unknown)?
            .join("Collie"));
    }
    if cfg!(target_os = "macos") {
        return Ok(home()?
            .join("Library")
            .join("Application Support")
            .join("Collie"));
    }
    match set("XDG_DATA_HOME").filter(|path| path.is_absolute()) {
        Some(data) => Ok(data.join("collie")),
        None => Ok(home()?.join(".local").join("share").join("collie")),
    }
}

/// Makes the data folder where it is missing.
pub fn make(path: &Path) -> Result<(), HomeError> {
    std::fs::create_dir_all(path).map_err(|source| HomeError::Make {
        path: path.to_owned(),
        source,
    })
}

/// The user's configuration file.
pub fn config_file(home: &Path) -> PathBuf {
    home.join("config.toml")
}

/// Diagnostics, one file a day.
pub fn logs(home: &Path) -> PathBuf {
    home.join("logs")
}

/// Clones and worktrees.
pub fn git(home: &Path) -> PathBuf {
    home.join("git")
}

#[cfg(test)]
mod tests {
    use super::find;
    use std::path::Path;

    #[test]
    fn the_data_folder_is_the_one_that_is_set_or_the_systems_place() {
        let check = |set: &[(&str, &str)], expected: Option<&str>| {
            let found = find(|name| {
                set.iter()
                    .find(|(n, _)| *n == name)
                    .map(|(_, v)| (*v).to_owned())
            });
            assert_eq!(found.ok().as_deref(), expected.map(Path::new), "{set:?}");
        };
        check(
            &[("COLLIE_HOME", "/data/c"), ("HOME", "/h")],
            Some("/data/c"),
        );
        check(&[], None);
        if cfg!(target_os = "linux") {
            check(&[("HOME", "/h")], Some("/h/.local/share/collie"));
            check(
                &[("HOME", "/h"), ("XDG_DATA_HOME", "/x")],
                Some("/x/collie"),
            );
            check(
                &[("HOME", "/h"), ("XDG_DATA_HOME", "x")],
                Some("/h/.local/share/collie"),
            );
        }
    }
}
