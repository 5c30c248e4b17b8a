//! Where an agent's program lies.

use super::environment::EnvVars;
use super::failure::AgentFailure;
use super::spec::AgentSpec;
use std::ffi::OsStr;
use std::path::PathBuf;

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
    let path = env.get("PATH").map_or(OsStr::new(""), |path| path);
    collie_platform::find_program(OsStr::new(name), path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_found_on_the_path_of_the_agents_or_named_as_missing() {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("agent");
        std::fs::copy("/bin/true", &program).unwrap();
        let spec = AgentSpec {
            command: vec!["agent".into()],
            ..AgentSpec::default()
        };
        let find = |path: &str| {
            let env = EnvVars::from([("PATH".to_owned(), path.into())]);
            find_program(&spec, &env)
        };
        let path = folder.path().to_str().unwrap();
        assert_eq!(find(path).unwrap(), program);
        let missing = find("").unwrap_err();
        assert!(
            matches!(missing, AgentFailure::ProgramNotFound { .. }),
            "{missing:?}"
        );
    }
}
