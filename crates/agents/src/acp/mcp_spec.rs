//! What is known of a user's MCP server.

use super::policy::AgentRole;
use collie_sandbox::HostPattern;
use std::path::PathBuf;

/// A server of the user's that speaks the Model Context Protocol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct McpServerSpec {
    /// How configuration and agent call it.
    pub name: String,
    /// Where it is.
    pub transport: McpTransport,
    /// Whose agents get it.
    pub roles: Vec<AgentRole>,
    /// What it reaches of the network beside its own address.
    pub hosts: Vec<HostPattern>,
    /// Files and folders of this machine that it may read.
    pub readable: Vec<PathBuf>,
}

/// How a server is spoken to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum McpTransport {
    /// A program that the agent starts.
    Stdio {
        /// Program and arguments.
        command: Vec<String>,
        /// Names of the variables of Collie's environment that it gets.
        env: Vec<String>,
    },
    /// A server that streams over HTTP.
    Http(McpEndpoint),
    /// A server of the older form: HTTP with server-sent events.
    Sse(McpEndpoint),
}

/// An address, and what goes along with each request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct McpEndpoint {
    /// The address.
    pub url: String,
    /// Headers by name.
    pub headers: Vec<(String, McpHeader)>,
}

/// Where the value of a header comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum McpHeader {
    /// The configuration.
    Value(String),
    /// A variable of Collie's environment.
    Variable(String),
}

impl McpServerSpec {
    /// Names of the variables whose values go to it.
    pub fn variables(&self) -> Vec<&str> {
        match &self.transport {
            McpTransport::Stdio { env, .. } => env.iter().map(String::as_str).collect(),
            McpTransport::Http(at) | McpTransport::Sse(at) => {
                let named = at.headers.iter().filter_map(|(_, header)| match header {
                    McpHeader::Variable(name) => Some(name.as_str()),
                    McpHeader::Value(_) => None,
                });
                named.collect()
            }
        }
    }
}
