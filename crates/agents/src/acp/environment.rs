//! What of the environment an agent gets to see (§6.5).

use super::policy::AgentRole;
use super::spec::AgentSpec;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;

/// Environment variables by name, as Collie was started with them.
pub type EnvVars = BTreeMap<String, OsString>;

/// What every program needs: where things are, the language, and the way to the network.
const COMMON_VARIABLES: &[&str] = &[
    "PATH",
    "HOME",
    "LANG",
    "LC_ALL",
    "LC_CTYPE",
    "TERM",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "NODE_EXTRA_CA_CERTS",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "NO_PROXY",
    "http_proxy",
    "https_proxy",
    "all_proxy",
    "no_proxy",
];

/// The environment that this process was started with, secrets included. A variable whose name is not UTF-8 is left out.
pub fn host_env_vars() -> EnvVars {
    collie_hardening::variables()
}

/// Whether no agent gets a variable, whoever asks for it: GitHub's tokens, ways to push, and what is Collie's own.
pub fn is_withheld(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    let ways_to_push = [
        "SSH_AUTH_SOCK",
        "SSH_ASKPASS",
        "GIT_ASKPASS",
        "GIT_SSH_COMMAND",
    ];
    ["GITHUB_", "GH_", "COLLIE_"]
        .iter()
        .any(|start| name.starts_with(start))
        || ways_to_push.contains(&name.as_str())
}

/// The whole environment of an agent. `temp` is a folder of its own.
pub(super) fn agent_env(
    spec: &AgentSpec,
    role: AgentRole,
    host_env: &EnvVars,
    temp: &Path,
) -> EnvVars {
    let wanted = COMMON_VARIABLES
        .iter()
        .chain(collie_platform::SYSTEM_VARIABLES)
        .copied()
        .chain(spec.env_allowed.iter().map(String::as_str));
    let mut env: EnvVars = wanted
        .filter(|name| !is_withheld(name))
        .filter_map(|name| Some((name.to_owned(), host_env.get(name)?.clone())))
        .collect();
    let of_role: &[_] = match role {
        AgentRole::Fixer => &[],
        AgentRole::Reviewer => &spec.reviewer_env,
    };
    let extra = spec
        .extra_env
        .iter()
        .chain(of_role)
        .filter(|(name, _)| !is_withheld(name));
    env.extend(extra.map(|(name, value)| (name.clone(), value.into())));
    // `git` and `gh` find no login, ask nobody, and know no helper that would give one away.
    let git_settings = [
        ("GIT_CONFIG_GLOBAL", "/dev/null"),
        ("GIT_CONFIG_NOSYSTEM", "1"),
        ("GIT_TERMINAL_PROMPT", "0"),
    ];
    env.extend(git_settings.map(|(name, value)| (name.to_owned(), value.into())));
    env.insert("GH_CONFIG_DIR".into(), temp.join("gh").into());
    env.insert("TMPDIR".into(), temp.into());
    env
}

/// Takes what moves its files out of an agent's environment: in the sandbox they lie where they lie by themselves. The way to the network is
/// the sandbox's.
pub(super) fn move_into_sandbox(env: &mut EnvVars, spec: &AgentSpec) {
    let hints = &spec.login_hints;
    let hints = hints.files.iter().chain(&hints.possible_files);
    for hint in hints.chain(&spec.home_files) {
        env.remove(&hint.variable);
    }
    let is_moving =
        |name: &str| name.starts_with("XDG_") || name.to_ascii_lowercase().ends_with("_proxy");
    env.retain(|name, _| !is_moving(name));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_agent_sees_what_it_needs_and_no_token_of_github() {
        let set = [
            "PATH",
            "HOME",
            "LANG",
            "https_proxy",
            "OPENAI_API_KEY",
            "ANTHROPIC_API_KEY",
            "GITHUB_TOKEN",
            "GH_TOKEN",
            "gh_enterprise_token",
            "SSH_AUTH_SOCK",
            "SSH_ASKPASS",
            "GIT_ASKPASS",
            "GIT_SSH_COMMAND",
            "AWS_SECRET_ACCESS_KEY",
            "COLLIE_HOME",
            "TMPDIR",
        ];
        let host_env: EnvVars = set
            .iter()
            .map(|name| ((*name).to_owned(), "x".into()))
            .collect();
        let spec = AgentSpec {
            env_allowed:
                "OPENAI_API_KEY GITHUB_TOKEN gh_enterprise_token SSH_AUTH_SOCK SSH_ASKPASS \
                          GIT_ASKPASS GIT_SSH_COMMAND NOT_SET"
                    .split_whitespace()
                    .map(str::to_owned)
                    .collect(),
            extra_env: vec![("GH_TOKEN".into(), "y".into()), ("LANG".into(), "C".into())],
            reviewer_env: vec![
                ("LANG".into(), "de".into()),
                ("COLLIE_HOME".into(), "z".into()),
            ],
            ..AgentSpec::default()
        };
        let env = agent_env(&spec, AgentRole::Reviewer, &host_env, Path::new("/t"));
        let shown: Vec<_> = env
            .iter()
            .map(|(name, value)| format!("{name}={}", value.to_string_lossy()))
            .collect();
        insta::assert_snapshot!(shown.join("\n"), @r"
        GH_CONFIG_DIR=/t/gh
        GIT_CONFIG_GLOBAL=/dev/null
        GIT_CONFIG_NOSYSTEM=1
        GIT_TERMINAL_PROMPT=0
        HOME=x
        LANG=de
        OPENAI_API_KEY=x
        PATH=x
        TMPDIR=/t
        https_proxy=x
        ");
    }
}
