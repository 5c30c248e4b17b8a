//! `[mcp.NAME]`: the user's MCP servers that agents are handed on.

use super::error_kind::{ConfigErrorKind, DisplayedValue};
use super::llm_settings::{HeaderSource, headers, program, variable};
use super::models::{absolute_paths, hosts};
use super::table_reader::{TableReader, TomlFile};
use super::values::{ValueResult, one_of, parse_choice, string, strings, url};
use collie_agents::acp::{
    AgentRole, HostPattern, McpEndpoint, McpHeader, McpServerSpec, McpTransport, is_withheld,
};
use collie_core::text::redact;
use std::path::PathBuf;
use toml::de::DeValue;

/// Whose agents a server is for, as `used_by` names it.
pub const MCP_ROLES: &[(&str, AgentRole)] = &[
    ("fixer", AgentRole::Fixer),
    ("reviewers", AgentRole::Reviewer),
];

/// How a server at an address is spoken to, as `transport` names it.
pub const MCP_TRANSPORTS: &[(&str, WebTransport)] =
    &[("http", WebTransport::Http), ("sse", WebTransport::Sse)];

/// How a server at an address is spoken to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WebTransport {
    /// It streams over HTTP.
    Http,
    /// The older form: HTTP with server-sent events.
    Sse,
}

/// A server of the user's that speaks the Model Context Protocol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct McpServerSettings {
    /// How it is spoken to.
    pub transport: McpTransport,
    /// Whose agents get it.
    pub used_by: Vec<AgentRole>,
    /// Hosts that it reaches beside its own address.
    pub hosts: Vec<HostPattern>,
    /// Files and folders of this machine that it may read.
    pub readable: Vec<PathBuf>,
}

impl McpServerSettings {
    /// As agents take it.
    pub fn spec(&self, name: &str) -> McpServerSpec {
        McpServerSpec {
            name: name.to_owned(),
            transport: self.transport.clone(),
            roles: self.used_by.clone(),
            hosts: self.hosts.clone(),
            readable: self.readable.clone(),
        }
    }
}

/// Reads `[mcp.NAME]`; none where it does not say what the server is or who gets it.
pub(crate) fn read_mcp_server(
    file: &mut TomlFile<'_>,
    section: &mut TableReader<'_, '_>,
) -> Option<McpServerSettings> {
    let command = section.read(file, "command", one_line_program);
    let env = section.read(file, "env", variables);
    let url = section.read(file, "url", address);
    let transport = section.read(file, "transport", one_of(MCP_TRANSPORTS));
    let headers = section.read(file, "headers", mcp_headers);
    let used_by = section.read(file, "used_by", roles);
    let hosts = section.read(file, "hosts", hosts).unwrap_or_default();
    let readable = section.read(file, "readable", absolute_paths);
    let transport = match (command, url) {
        (Some(command), None) if transport.is_none() && headers.is_none() => McpTransport::Stdio {
            command,
            env: env.unwrap_or_default(),
        },
        (None, Some(url)) if env.is_none() => {
            let headers = headers.unwrap_or_default();
            let at = McpEndpoint { url, headers };
            match transport.unwrap_or(WebTransport::Http) {
                WebTransport::Http => McpTransport::Http(at),
                WebTransport::Sse => McpTransport::Sse(at),
            }
        }
        _ => return None,
    };
    Some(McpServerSettings {
        transport,
        used_by: used_by?,
        hosts,
        readable: readable.unwrap_or_default(),
    })
}

/// A program with its arguments. A control character in it is an accident, or worse.
fn one_line_program(value: &DeValue<'_>) -> ValueResult<Vec<String>> {
    let words = program(value)?;
    let has_control = |word: &String| word.chars().any(char::is_control);
    // A secret first: it is not said back.
    without_secret(&words.join(" "))?;
    match words.iter().find(|word| has_control(word)) {
        Some(word) => Err(ConfigErrorKind::NotAString(DisplayedValue::quoted(word))),
        None => Ok(words),
    }
}

/// An address. What it asks with may be a key.
fn address(value: &DeValue<'_>) -> ValueResult<String> {
    without_secret(&string(value)?)?;
    url(value)
}

fn without_secret(text: &str) -> ValueResult<()> {
    match redact(text, &[]) == text {
        true => Ok(()),
        false => Err(ConfigErrorKind::McpHoldsSecret),
    }
}

/// Names of variables that may go to a server.
fn variables(value: &DeValue<'_>) -> ValueResult<Vec<String>> {
    let names = value.as_array().map_or(&[][..], |names| names);
    // The list as a whole first: what is none says so.
    strings(value)?;
    let read = |name: &toml::Spanned<DeValue<'_>>| handed_on(variable(name.get_ref())?);
    names.iter().map(read).collect()
}

fn handed_on(name: String) -> ValueResult<String> {
    match is_withheld(&name) {
        true => Err(ConfigErrorKind::WithheldVariable(name)),
        false => Ok(name),
    }
}

fn mcp_headers(value: &DeValue<'_>) -> ValueResult<Vec<(String, McpHeader)>> {
    let to_header = |(name, source)| {
        let header = match source {
            HeaderSource::Value(text) => McpHeader::Value(text),
            HeaderSource::Variable(variable) => McpHeader::Variable(handed_on(variable)?),
        };
        Ok((name, header))
    };
    headers(value)?.into_iter().map(to_header).collect()
}

fn roles(value: &DeValue<'_>) -> ValueResult<Vec<AgentRole>> {
    let words = strings(value)?;
    words
        .iter()
        .map(|word| parse_choice(word, MCP_ROLES))
        .collect()
}

#[cfg(test)]
mod tests {
    use crate::{Config, ConfigFileKind, ConfigLayer};
    use collie_agents::acp::{AgentRole, McpHeader, McpTransport};

    fn read(text: &str) -> Result<Config, String> {
        let layer = ConfigLayer::from_toml("config.toml", text, ConfigFileKind::User)
            .map_err(|error| format!("{:?}", error.problems))?;
        Config::resolve("/home".into(), &[layer]).map_err(|error| format!("{error:?}"))
    }

    #[test]
    fn a_server_is_a_program_or_an_address_with_those_who_get_it() {
        let config = read(
            r#"
            [mcp.docs]
            command = ["docs-server", "--stdio"]
            env = ["DOCS_TOKEN"]
            hosts = ["docs.example.com"]
            readable = ["/srv/docs"]
            used_by = ["fixer"]
            [mcp.web]
            url = "https://mcp.example.com/x/"
            headers = { Authorization = { variable = "WEB_TOKEN" } }
            used_by = ["fixer", "reviewers"]
            [mcp.old]
            url = "https://old.example.com"
            transport = "sse"
            used_by = ["reviewers"]
            "#,
        )
        .unwrap();
        let [docs, old, web] =
            ["docs", "old", "web"].map(|name| config.mcp_servers[name].spec(name));
        assert_eq!(
            (docs.roles.as_slice(), docs.hosts.len()),
            (&[AgentRole::Fixer][..], 1)
        );
        assert_eq!(docs.variables(), ["DOCS_TOKEN"]);
        assert!(matches!(old.transport, McpTransport::Sse(_)));
        let McpTransport::Http(at) = web.transport else {
            panic!("{web:?}");
        };
        assert_eq!(at.url, "https://mcp.example.com/x");
        let variable = McpHeader::Variable("WEB_TOKEN".into());
        assert_eq!(at.headers, [("Authorization".to_owned(), variable)]);
    }

    #[test]
    fn a_server_that_is_not_clear_is_refused_with_its_place() {
        let check = |text: &str, expect: &str| {
            let told = read(text).unwrap_err();
            assert!(told.contains(expect), "{text}: {told}");
        };
        let named = r#"used_by = ["fixer"]"#;
        check("[mcp.docs]\ncommand = [\"x\"]", "McpIncomplete");
        check(&format!("[mcp.docs]\n{named}"), "McpIncomplete");
        let both = format!("[mcp.docs]\ncommand = [\"x\"]\nurl = \"https://a\"\n{named}");
        check(&both, "McpIncomplete");
        check(
            "[mcp.docs]\nurl = \"https://a\"\nused_by = [\"all\"]",
            "UnknownChoice",
        );
        let token = format!("[mcp.docs]\ncommand = [\"x\"]\nenv = [\"GITHUB_TOKEN\"]\n{named}");
        check(&token, "WithheldVariable(\"GITHUB_TOKEN\")");
        let header = "headers = { A = { variable = \"GH_TOKEN\" } }";
        let token = format!("[mcp.docs]\nurl = \"https://a\"\n{header}\n{named}");
        check(&token, "WithheldVariable(\"GH_TOKEN\")");
        let secret = "headers = { Authorization = \"Bearer abc\" }";
        check(
            &format!("[mcp.docs]\nurl = \"https://a\"\n{secret}\n{named}"),
            "HeaderHoldsSecret",
        );
        let key = "sk-ant-api03-AbCdEfGhIjKlMnOpQrStUvWxYz0123456789-_AbCdEfGhIjKl";
        let command = format!("[mcp.docs]\ncommand = [\"x\", \"--key\", \"{key}\"]\n{named}");
        check(&command, "McpHoldsSecret");
        let query = format!("[mcp.docs]\nurl = \"https://a/?key={key}\"\n{named}");
        check(&query, "McpHoldsSecret");
        check(
            &format!("[mcp.\"a\\u001bb\"]\ncommand = [\"x\"]\n{named}"),
            "InvalidName",
        );
        check(
            &format!("[mcp.docs]\ncommand = [\"x\\u0000\"]\n{named}"),
            "NotAString",
        );
    }

    #[test]
    fn a_repository_names_no_server() {
        let text = "[mcp.docs]\ncommand = [\"x\"]\nused_by = [\"fixer\"]";
        let read = ConfigLayer::from_toml(".collie.toml", text, ConfigFileKind::Repository);
        let problems = format!("{:?}", read.unwrap_err().problems);
        assert!(problems.contains("UserFileOnlyModels"), "{problems}");
    }
}
