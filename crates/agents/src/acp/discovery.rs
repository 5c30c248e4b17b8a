//! Which agents are installed, and whether they work.

use super::agent_sandbox::AgentSandbox;
use super::environment::{EnvVars, agent_env};
use super::failure::AgentFailure;
use super::policy::AgentRole;
use super::program_lookup::find_program;
use super::self_test::SelfTest;
use super::spec::{AgentSpec, FileHint};
use super::turn::{TurnLimits, TurnRequest};
use super::turn_runner;
use collie_sandbox::{Limits, SandboxRunner};
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;
use tokio::io::AsyncReadExt;
use tokio::process::Command;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

/// How long a program may take to print its version.
const VERSION_LIMIT: Duration = Duration::from_secs(10);
/// How much of what it prints is read, in bytes.
const VERSION_BYTES: u64 = 4096;

/// An agent that is installed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstalledAgent {
    /// Its program.
    pub program: PathBuf,
    /// The version it prints, if it does.
    pub version: Option<String>,
    /// Whether it is logged in.
    pub login: LoginState,
}

/// Whether an agent is logged in, as far as that shows from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LoginState {
    /// A login is there; nobody has tried whether it still holds.
    Yes,
    /// None is there.
    No,
    /// It does not show.
    Unknown,
}

/// Looks for an agent: its program, its version, its login. Takes at most about 15 s.
pub async fn find_agent(spec: &AgentSpec, env: &EnvVars) -> Result<InstalledAgent, AgentFailure> {
    let program = find_program(spec, env)?;
    Ok(InstalledAgent {
        program,
        version: program_version(spec, env).await,
        login: login_state(spec, env),
    })
}

/// Starts an agent in an empty folder in the sandbox, opens a session and ends it. No model is asked.
pub async fn self_test(
    spec: &AgentSpec,
    env: &EnvVars,
    runner: &SandboxRunner,
    limit: Duration,
) -> Result<SelfTest, AgentFailure> {
    let not_made = |error: std::io::Error| AgentFailure::NotStarted {
        agent: spec.name.clone(),
        program: spec.command.first().cloned().unwrap_or_default(),
        reason: format!("no folder for the test could be made: {error}"),
    };
    let folder = tempfile::tempdir().map_err(not_made)?;
    let cwd = folder.path().join("tree");
    std::fs::create_dir(&cwd).map_err(not_made)?;
    let turn = TurnRequest {
        spec: spec.clone(),
        env: env.clone(),
        cwd,
        sandbox: AgentSandbox {
            runner: runner.clone(),
            without_walls: None,
            readable: Vec::new(),
            hidden: Vec::new(),
            limits: Limits::default(),
            kept_home: folder.path().join("home"),
        },
        prompt: Vec::new(),
        resume_session_id: None,
        role: AgentRole::Reviewer,
        limits: TurnLimits {
            idle_timeout: limit,
            total_timeout: limit,
            ..TurnLimits::default()
        },
    };
    turn_runner::open_session_only(&turn, &CancellationToken::new()).await
}

/// The program is the user's own and is asked about nothing of a pull request: it needs no sandbox.
async fn program_version(spec: &AgentSpec, env: &EnvVars) -> Option<String> {
    if spec.version_args.is_empty() {
        return None;
    }
    let program = find_program(spec, env).ok()?;
    let folder = tempfile::tempdir().ok()?;
    let env = agent_env(spec, AgentRole::Reviewer, env, folder.path());
    let mut command = Command::new(program);
    command
        .args(&spec.version_args)
        .env_clear()
        .envs(env)
        .current_dir(folder.path())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(true);
    let mut process = command.spawn().ok()?;
    let mut printed = Vec::new();
    let mut stdout = process.stdout.take()?.take(VERSION_BYTES);
    let told = timeout(VERSION_LIMIT, async {
        stdout.read_to_end(&mut printed).await?;
        process.wait().await
    });
    if !told.await.ok()?.ok()?.success() {
        return None;
    }
    parse_version(&String::from_utf8_lossy(&printed))
}

/// The first word that looks like a version: it starts with a digit, perhaps after a `v`, and holds a dot.
fn parse_version(text: &str) -> Option<String> {
    let words = text.split(|c: char| c.is_whitespace() || c == '(' || c == ',' || c == '/');
    let mut versions = words
        .map(|word| word.strip_prefix('v').unwrap_or(word))
        .filter(|word| {
            word.len() <= 40
                && word.starts_with(|c: char| c.is_ascii_digit())
                && word.contains('.')
                && word
                    .chars()
                    .all(|c| c.is_ascii_alphanumeric() || ".-+_".contains(c))
        });
    versions.next().map(str::to_owned)
}

fn login_state(spec: &AgentSpec, env: &EnvVars) -> LoginState {
    let hints = &spec.login_hints;
    let is_set = |name: &String| env.get(name).is_some_and(|value| !value.is_empty());
    let is_there = |hint: &FileHint| hint.path(env).is_some_and(|file| file.is_file());
    if hints.env.iter().any(is_set) || hints.files.iter().any(is_there) {
        return LoginState::Yes;
    }
    // Where nothing is known of an agent, nothing is known of its login.
    let says_nothing = hints.env.is_empty() && hints.files.is_empty();
    if says_nothing || hints.works_without_hints || hints.possible_files.iter().any(is_there) {
        return LoginState::Unknown;
    }
    LoginState::No
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::acp::known_agents;

    #[test]
    fn a_version_is_found_in_what_a_program_prints() {
        let check = |text, expect: Option<&str>| {
            assert_eq!(parse_version(text).as_deref(), expect, "{text}")
        };
        check("codex-cli 0.169.0\n", Some("0.169.0"));
        check("2.1.3 (Claude Code)", Some("2.1.3"));
        check("tool/v1.18.33-beta.1 linux-x64", Some("1.18.33-beta.1"));
        check("usage: tool [options]", None);
        check("1.\u{1b}[31m2", None);
    }

    #[test]
    fn a_login_shows_in_a_variable_or_a_file_or_not_at_all() {
        let home = tempfile::tempdir().unwrap();
        let moved = tempfile::tempdir().unwrap();
        let spec = |id: &str| {
            known_agents()
                .into_iter()
                .find(|spec| spec.id == id)
                .unwrap()
        };
        let check = |id: &str, set: &[(&str, &str)], expect: LoginState| {
            let mut env: EnvVars = set
                .iter()
                .map(|(n, v)| ((*n).to_owned(), v.into()))
                .collect();
            env.insert("HOME".into(), home.path().into());
            assert_eq!(login_state(&spec(id), &env), expect, "{id} with {set:?}");
        };
        check("codex", &[], LoginState::No);
        check("codex", &[("OPENAI_API_KEY", "")], LoginState::No);
        check("codex", &[("OPENAI_API_KEY", "k")], LoginState::Yes);
        check("goose", &[], LoginState::Unknown);
        std::fs::write(moved.path().join("auth.json"), "{}").unwrap();
        check(
            "codex",
            &[("CODEX_HOME", moved.path().to_str().unwrap())],
            LoginState::Yes,
        );
        std::fs::create_dir(home.path().join(".codex")).unwrap();
        std::fs::write(home.path().join(".codex/config.toml"), "").unwrap();
        check("codex", &[], LoginState::Unknown);
        assert_eq!(
            login_state(&AgentSpec::default(), &EnvVars::new()),
            LoginState::Unknown
        );
    }
}
