//! What an agent sees of this machine (§9.5): its folder, toolchains, its own program, what it needs to log in, and the hosts of its model.

use super::agent_home::{self, LentLogins};
use super::environment;
use super::failure::AgentFailure;
use super::mcp_servers::{mcp_files, mcp_hosts};
use super::policy::AgentRole;
use super::turn::TurnRequest;
use collie_sandbox::{HostPattern, Program, SandboxPolicy, Sandboxed, program_folder};
use std::path::{Path, PathBuf};
use url::Url;

/// The home folder inside where the environment names none.
const DEFAULT_HOME: &str = "/home/collie";
/// Certificates that the user added: every agent reads them.
const CERTIFICATE_VARIABLES: &[&str] = &["NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE", "SSL_CERT_DIR"];

/// An agent that is ready to be started, and the logins that were lent to it; none without walls, where it works in the user's own home.
pub(super) async fn place_agent(
    turn: &TurnRequest,
    program: &Path,
    temp: &Path,
) -> Result<(Sandboxed, LentLogins), AgentFailure> {
    let TurnRequest { spec, sandbox, .. } = turn;
    let mut env = environment::agent_env(spec, turn.role, &turn.env, temp);
    let mut policy = policy(turn, program, temp);
    let mut logins = LentLogins::default();
    if sandbox.without_walls.is_none() {
        let home = &sandbox.kept_home;
        let (kept, lent) = agent_home::prepare(home, spec, &turn.env).map_err(|error| {
            AgentFailure::NotStarted {
                agent: spec.name.clone(),
                program: program.display().to_string(),
                reason: format!("{}: {error}", home.display()),
            }
        })?;
        (policy.kept, logins) = (Some(kept), lent);
        environment::move_into_sandbox(&mut env, spec);
        let home = env.entry("HOME".to_owned());
        home.or_insert_with(|| DEFAULT_HOME.into());
    }
    let inner = Program {
        program: program.into(),
        args: spec.args().iter().map(Into::into).collect(),
        env: env
            .into_iter()
            .map(|(name, value)| (name.into(), value))
            .collect(),
        folder: turn.cwd.clone(),
    };
    let placed = sandbox
        .runner
        .program(&policy, inner, sandbox.without_walls);
    let placed = placed.await.map_err(|error| AgentFailure::NoSandbox {
        agent: spec.name.clone(),
        error,
    })?;
    Ok((placed, logins))
}

fn policy(turn: &TurnRequest, program: &Path, temp: &Path) -> SandboxPolicy {
    let TurnRequest {
        spec, env, sandbox, ..
    } = turn;
    let mut readable = sandbox.readable.clone();
    let mut writable = vec![temp.to_owned()];
    match turn.role {
        AgentRole::Fixer => writable.push(turn.cwd.clone()),
        AgentRole::Reviewer => readable.push(turn.cwd.clone()),
    }
    let home = env.get("HOME").map(PathBuf::from);
    let named = |name: &str| env.get(name).map(PathBuf::from);
    let programs = spec.program_variables.iter().filter_map(|name| named(name));
    // What starts an agent may be told where it is: `env X=1 /opt/agent`.
    let told = spec.args().iter().map(PathBuf::from);
    let told = told.filter(|path| path.is_absolute() && path.is_file());
    let (servers, read_by_servers) = mcp_files(turn);
    let programs = programs.chain(told).chain(servers);
    for program in programs.chain([program.to_owned()]) {
        readable.extend(program_folder(&program, home.as_deref()));
    }
    readable.extend(read_by_servers);
    readable.extend(spec.readable.iter().cloned());
    let names = spec.path_variables.iter().map(String::as_str);
    readable.extend(
        names
            .chain(CERTIFICATE_VARIABLES.iter().copied())
            .filter_map(named),
    );
    readable.retain(|path| path.is_absolute() && path.exists());
    SandboxPolicy {
        writable,
        readable,
        hidden: sandbox.hidden.clone(),
        hosts: hosts(turn),
        limits: sandbox.limits,
        ..SandboxPolicy::default()
    }
}

/// The hosts of its model: those that its makers run, those that the user names, and those that a variable moves it to. And those of its MCP
/// servers: they run as its children, so one list is for all.
fn hosts(turn: &TurnRequest) -> Vec<HostPattern> {
    let TurnRequest { spec, env, .. } = turn;
    let moved = spec.url_variables.iter().filter_map(|name| {
        let value = env.get(name)?.to_str()?;
        // `OLLAMA_HOST` is written without a scheme as well.
        let url = Url::parse(value).ok().filter(Url::has_host);
        let url = url.or_else(|| Url::parse(&format!("http://{value}")).ok())?;
        let host = format!("{}:{}", url.host()?, url.port_or_known_default()?);
        host.parse().ok()
    });
    let all = spec.hosts.iter().cloned().chain(moved);
    all.chain(mcp_hosts(turn)).collect()
}
