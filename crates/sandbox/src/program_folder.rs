//! Where a program and what it loads lie.

use std::path::{Path, PathBuf};

/// Where a program of Node finds what it loads.
const PACKAGES_FOLDER: &str = "node_modules";
/// What marks a virtual environment of Python.
const ENVIRONMENT_FILE: &str = "pyvenv.cfg";

/// What has to be seen of a program to run it: the folder where it really lies, or that of the packages or of the virtual environment that it
/// is one of.
pub fn program_folder(program: &Path, home: Option<&Path>) -> Option<PathBuf> {
    let real = program.canonicalize().ok()?;
    let packages = real
        .ancestors()
        .filter(|folder| folder.ends_with(PACKAGES_FOLDER));
    let folder = packages
        .last()
        .or_else(|| environment_folder(&real))
        .or(real.parent())?;
    // The home folder is not shown for a program that lies in it.
    let is_too_much =
        folder.parent().is_none() || home.is_some_and(|home| home.starts_with(folder));
    Some(if is_too_much { real } else { folder.to_owned() })
}

/// The virtual environment that a program is part of.
fn environment_folder(program: &Path) -> Option<&Path> {
    let folder = program.parent()?.parent()?;
    folder.join(ENVIRONMENT_FILE).is_file().then_some(folder)
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::program_folder;
    use std::fs;
    use std::os::unix::fs::symlink;

    #[test]
    fn a_program_is_shown_with_the_packages_that_it_loads_and_never_with_the_home() {
        let root = tempfile::tempdir().unwrap();
        let home = root.path().canonicalize().unwrap().join("home");
        let at = |path: &str| home.join(path);
        for file in [
            "lib/node_modules/agent/dist/index.js",
            "lib/node_modules/agent/node_modules/x/y",
            "tools/agent",
            "agent",
            "venv/bin/linter",
            "venv/pyvenv.cfg",
        ] {
            fs::create_dir_all(at(file).parent().unwrap()).unwrap();
            fs::write(at(file), "").unwrap();
        }
        fs::create_dir(at("bin")).unwrap();
        symlink("../lib/node_modules/agent/dist/index.js", at("bin/agent")).unwrap();
        for (program, shown) in [
            ("bin/agent", "lib/node_modules"),
            (
                "lib/node_modules/agent/node_modules/x/y",
                "lib/node_modules",
            ),
            ("tools/agent", "tools"),
            ("agent", "agent"),
            ("venv/bin/linter", "venv"),
        ] {
            assert_eq!(
                program_folder(&at(program), Some(&home)),
                Some(at(shown)),
                "{program}"
            );
        }
        assert_eq!(program_folder(&at("gone"), Some(&home)), None);
    }
}
