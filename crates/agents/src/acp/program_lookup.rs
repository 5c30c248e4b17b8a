//! Where an agent's program lies.

use super::environment::EnvVars;
use super::failure::AgentFailure;
use super::spec::AgentSpec;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// The program of an agent.
pub(super) fn find_program(spec: &AgentSpec, env: &EnvVars) -> Result<PathBuf, AgentFailure> {
    let name = spec.command.first().map(String::as_str).unwrap_or_default();
    let missing = || AgentFailure::ProgramNotFound {
        agent: spec.name.clone(),
        program: name.to_owned(),
    };
    find_in_path(name, env).ok_or_else(missing)
}

/// A program as it is written where it holds a slash, else the first on `PATH`.
pub(super) fn find_in_path(name: &str, env: &EnvVars) -> Option<PathBuf> {
    if name.is_empty() {
        return None;
    }
    if name.contains('/') {
        return Some(PathBuf::from(name)).filter(|path| is_program(path));
    }
    let path = env.get("PATH").map_or(OsStr::new(""), |path| path);
    // A relative folder would be the pull request's.
    let folders = std::env::split_paths(path).filter(|folder| folder.is_absolute());
    folders
        .map(|folder| folder.join(name))
        .find(|path| is_program(path))
}

fn is_program(path: &Path) -> bool {
    collie_platform::is_executable(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_in_a_relative_folder_is_not_found() {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("agent");
        std::fs::copy("/bin/true", &program).unwrap();
        let spec = AgentSpec {
            command: vec!["agent".into()],
            ..AgentSpec::default()
        };
        let find = |path: &Path| {
            let env = EnvVars::from([("PATH".to_owned(), path.into())]);
            find_program(&spec, &env).ok()
        };
        assert_eq!(find(folder.path()), Some(program));
        // The same folder, by the way from here.
        let here = std::env::current_dir().unwrap();
        let up = here.components().skip(1).map(|_| "..");
        let relative: PathBuf = up.collect();
        let relative = relative.join(folder.path().strip_prefix("/").unwrap());
        assert!(relative.join("agent").exists());
        assert_eq!(find(&relative), None);
    }
}
