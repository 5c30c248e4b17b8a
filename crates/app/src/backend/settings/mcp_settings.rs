//! The setting of the user's MCP servers: `[mcp.NAME]`.

use super::setting::{Setting, path_texts, setting};
use collie_agents::acp::{McpEndpoint, McpHeader, McpTransport};
use collie_config::{MCP_ROLES, MCP_TRANSPORTS, McpServerSettings, WebTransport};
use collie_wire::rpc::{HeaderSetting, McpServerSetting, SettingGroup, SettingKind};
use serde_json::{Value, json};
use std::collections::BTreeMap;

pub(super) fn mcp_setting() -> Setting {
    setting(
        "mcp",
        SettingGroup::Models,
        SettingKind::McpServers {
            transports: words(MCP_TRANSPORTS),
            roles: words(MCP_ROLES),
        },
        |layer| (!layer.mcp_servers.is_empty()).then(|| server_values(&layer.mcp_servers)),
        |config| server_values(&config.mcp_servers),
    )
}

fn words<T>(choices: &[(&str, T)]) -> Vec<String> {
    let words = choices.iter().map(|(word, _)| (*word).to_owned());
    words.collect()
}

fn word_of<T: PartialEq>(choices: &[(&str, T)], meant: &T) -> Option<String> {
    let found = choices.iter().find(|(_, each)| each == meant);
    found.map(|(word, _)| (*word).to_owned())
}

fn server_values(servers: &BTreeMap<String, McpServerSettings>) -> Value {
    let rows = servers
        .iter()
        .map(|(name, server)| server_row(name, server));
    json!(rows.collect::<Vec<_>>())
}

fn server_row(name: &str, server: &McpServerSettings) -> McpServerSetting {
    let (command, env, web) = match &server.transport {
        McpTransport::Stdio { command, env } => (command.clone(), env.clone(), None),
        McpTransport::Http(at) => (Vec::new(), Vec::new(), Some((at, WebTransport::Http))),
        McpTransport::Sse(at) => (Vec::new(), Vec::new(), Some((at, WebTransport::Sse))),
    };
    let roles = server.used_by.iter();
    McpServerSetting {
        name: name.to_owned(),
        command,
        env,
        url: web.map(|(at, _)| at.url.clone()),
        transport: web.and_then(|(_, transport)| word_of(MCP_TRANSPORTS, &transport)),
        headers: web.map_or_else(Vec::new, |(at, _)| header_rows(at)),
        used_by: roles.filter_map(|role| word_of(MCP_ROLES, role)).collect(),
        hosts: server.hosts.iter().map(ToString::to_string).collect(),
        readable: path_texts(&server.readable),
    }
}

fn header_rows(at: &McpEndpoint) -> Vec<HeaderSetting> {
    let rows = at.headers.iter().map(|(name, header)| {
        let (value, from_variable) = match header {
            McpHeader::Value(value) => (value, false),
            McpHeader::Variable(variable) => (variable, true),
        };
        HeaderSetting {
            name: name.clone(),
            value: value.clone(),
            from_variable,
        }
    });
    rows.collect()
}
