//! The user's MCP servers that an agent is handed on.
//!
//! An agent starts them itself, as its children: in the sandbox, with its network and without a wall between the two.

use super::environment::{EnvVars, is_withheld};
use super::mcp_spec::{McpEndpoint, McpHeader, McpServerSpec, McpTransport};
use super::policy::AgentRole;
use super::program_lookup::find_in_path;
use super::spec::AgentSpec;
use super::turn::TurnRequest;
use agent_client_protocol::v1::schema::{
    EnvVariable, HttpHeader, McpCapabilities, McpServer, McpServerHttp, McpServerSse,
    McpServerStdio,
};
use collie_core::session::{AgentSetting, UntakenReason, UntakenSetting};
use collie_sandbox::HostPattern;
use std::path::PathBuf;
use url::Url;

impl McpServerSpec {
    /// Its own address, where it has one.
    fn host(&self) -> Option<HostPattern> {
        let (McpTransport::Http(at) | McpTransport::Sse(at)) = &self.transport else {
            return None;
        };
        let url = Url::parse(&at.url).ok()?;
        let host = format!("{}:{}", url.host()?, url.port_or_known_default()?);
        host.parse().ok()
    }

    /// The files that it is started from: its program, and what its arguments name.
    fn files(&self, env: &EnvVars) -> Vec<PathBuf> {
        let McpTransport::Stdio { command, .. } = &self.transport else {
            return Vec::new();
        };
        let (program, args) = command
            .split_first()
            .map_or(("", &[][..]), |(program, args)| (program.as_str(), args));
        let named = args.iter().map(PathBuf::from);
        let named = named.filter(|path| path.is_absolute() && path.is_file());
        find_in_path(program, env)
            .into_iter()
            .chain(named)
            .collect()
    }

    /// As the protocol has it; why not, where that cannot be.
    fn to_wire(&self, env: &EnvVars, takes: &McpCapabilities) -> Result<McpServer, UntakenReason> {
        match &self.transport {
            McpTransport::Stdio {
                command,
                env: names,
            } => {
                let (program, args) = command
                    .split_first()
                    .ok_or(UntakenReason::ProgramNotFound)?;
                let program = find_in_path(program, env).ok_or(UntakenReason::ProgramNotFound)?;
                let variable = |name: &String| {
                    let value = value_of(name, env)?;
                    Some(EnvVariable::new(name.as_str(), value))
                };
                let server = McpServerStdio::new(self.name.as_str(), program)
                    .args(args.to_vec())
                    .env(names.iter().filter_map(variable).collect());
                Ok(McpServer::Stdio(server))
            }
            McpTransport::Http(at) if takes.http => {
                let server = McpServerHttp::new(self.name.as_str(), at.url.as_str());
                Ok(McpServer::Http(server.headers(at.wire_headers(env))))
            }
            McpTransport::Sse(at) if takes.sse => {
                let server = McpServerSse::new(self.name.as_str(), at.url.as_str());
                Ok(McpServer::Sse(server.headers(at.wire_headers(env))))
            }
            McpTransport::Http(_) | McpTransport::Sse(_) => Err(UntakenReason::Transport),
        }
    }
}

impl McpEndpoint {
    /// A header whose variable is not set is left out.
    fn wire_headers(&self, env: &EnvVars) -> Vec<HttpHeader> {
        let header = |(name, header): &(String, McpHeader)| {
            let value = match header {
                McpHeader::Value(value) => value.clone(),
                McpHeader::Variable(variable) => value_of(variable, env)?,
            };
            Some(HttpHeader::new(name.as_str(), value))
        };
        self.headers.iter().filter_map(header).collect()
    }
}

/// The value of a variable that may be handed on.
fn value_of(variable: &str, env: &EnvVars) -> Option<String> {
    if is_withheld(variable) {
        return None;
    }
    Some(env.get(variable)?.to_str()?.to_owned())
}

fn of_role(spec: &AgentSpec, role: AgentRole) -> impl Iterator<Item = &McpServerSpec> {
    let servers = spec.mcp_servers.iter();
    servers.filter(move |server| server.roles.contains(&role))
}

/// The servers that a turn's agent gets, and those that it cannot be given.
pub(super) fn mcp_servers(
    turn: &TurnRequest,
    takes: &McpCapabilities,
) -> (Vec<McpServer>, Vec<UntakenSetting>) {
    let (mut servers, mut untaken) = (Vec::new(), Vec::new());
    for server in of_role(&turn.spec, turn.role) {
        match server.to_wire(&turn.env, takes) {
            Ok(wire) => servers.push(wire),
            Err(reason) => untaken.push(UntakenSetting {
                setting: AgentSetting::McpServer,
                name: server.name.clone(),
                reason,
            }),
        }
    }
    (servers, untaken)
}

/// What a turn's agent reaches of the network for the sake of its servers.
pub(super) fn mcp_hosts(turn: &TurnRequest) -> Vec<HostPattern> {
    of_role(&turn.spec, turn.role)
        .flat_map(|server| server.hosts.iter().cloned().chain(server.host()))
        .collect()
}

/// Programs of its servers, and what the user lets these read.
pub(super) fn mcp_files(turn: &TurnRequest) -> (Vec<PathBuf>, Vec<PathBuf>) {
    let servers: Vec<_> = of_role(&turn.spec, turn.role).collect();
    let programs = servers.iter().flat_map(|server| server.files(&turn.env));
    let readable = servers.iter().flat_map(|server| server.readable.clone());
    (programs.collect(), readable.collect())
}

/// Whether a tool call is of one of these servers, by the name that the agents known give it: `mcp__docs__search`, `mcp.docs.search`,
/// `search (docs MCP Server)`. A shell command is no such word.
pub(super) fn is_mcp_call<'s>(title: &str, mut servers: impl Iterator<Item = &'s str>) -> bool {
    let title = title.trim();
    let is_one_word = !title.contains(|c: char| c.is_whitespace() || c.is_control());
    servers.any(|server| {
        let begins = [format!("mcp__{server}__"), format!("mcp.{server}.")];
        let is_tool = is_one_word && begins.iter().any(|start| title.starts_with(start));
        let tool = title.strip_suffix(&format!(" ({server} MCP Server)"));
        let is_named = tool.is_some_and(|tool| !tool.is_empty() && tool.chars().all(is_tool_char));
        is_tool || is_named
    })
}

fn is_tool_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || "_-.".contains(c)
}

impl TurnRequest {
    /// Names of the servers that its agent is handed on.
    pub(super) fn mcp_names(&self) -> Vec<String> {
        let servers = of_role(&self.spec, self.role);
        servers.map(|server| server.name.clone()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_is_of_a_server_only_by_the_names_that_agents_give_it() {
        let check = |title: &str, expect: bool| {
            assert_eq!(is_mcp_call(title, ["docs"].into_iter()), expect, "{title}");
        };
        check("mcp__docs__search", true);
        check("mcp.docs.search", true);
        check("search (docs MCP Server)", true);
        check("mcp__docs_2__search", false);
        check("mcp__other__search", false);
        check("docs", false);
        check("rm -rf / (docs MCP Server)", false);
        check("mcp.docs.search; rm -rf x", false);
        check("mcp.docs.search\nrm", false);
        check(" (docs MCP Server)", false);
    }

    #[test]
    fn no_token_of_github_goes_to_a_server() {
        let env = EnvVars::from(
            [("GITHUB_TOKEN", "x"), ("DOCS", "y")]
                .map(|(name, value)| (name.to_owned(), value.into())),
        );
        let names = ["GITHUB_TOKEN", "DOCS", "UNSET"];
        let headers = names.map(|name| (name.to_owned(), McpHeader::Variable(name.into())));
        let at = McpEndpoint {
            url: "https://example.com".into(),
            headers: headers.into(),
        };
        let told = at.wire_headers(&env);
        assert_eq!(told, [HttpHeader::new("DOCS", "y")]);
    }
}
