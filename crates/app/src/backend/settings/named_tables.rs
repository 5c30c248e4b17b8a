//! Edits tables whose keys are names: `[agents.NAME]`, `[mcp.NAME]`, `[models.NAME]`, `[reviewers.NAME]`, `[fixer.by_author]`.

use super::header_edit::put_headers;
use super::value_edit::{put_value, remove_key, string_array, table_of, text_identity, toml_value};
use collie_config::{ConfigErrorKind, DisplayedValue, MCP_TRANSPORTS};
use collie_wire::rpc::{
    AgentSetting, AuthorSetting, HeaderSetting, McpServerSetting, ModelOptions, ModelSetting,
    PersonaSetting,
};
use serde::de::DeserializeOwned;
use serde_json::Value as Json;
use toml_edit::{Array, DocumentMut, Item, Table, TableLike, Value};

/// The keys of one table; none for one that says nothing and goes.
type TableKeys = Vec<(&'static str, Option<Value>)>;

/// One table, as it is to be.
struct NamedTable {
    name: String,
    keys: TableKeys,
    /// Those of its model; none for what has none.
    headers: Option<Vec<HeaderSetting>>,
}

/// Puts the agents into the document.
pub(super) fn put_agents(doc: &mut DocumentMut, value: &Json) -> Result<(), ConfigErrorKind> {
    let agents: Vec<AgentSetting> = parse_rows(value, "agents")?;
    let rows = agents.into_iter().map(|agent| {
        let keys = vec![
            ("command", string_array(&agent.command)),
            ("env", string_array(&agent.env)),
            ("hosts", string_array(&agent.hosts)),
            ("readable", string_array(&agent.readable)),
            ("state", string_array(&agent.state)),
            ("model", agent.model.map(Value::from)),
            ("effort", agent.effort.map(Value::from)),
        ];
        NamedTable {
            name: agent.name,
            keys,
            headers: None,
        }
    });
    put_tables(doc, "agents", rows.collect())
}

/// Puts the MCP servers into the document.
pub(super) fn put_mcp_servers(doc: &mut DocumentMut, value: &Json) -> Result<(), ConfigErrorKind> {
    let servers: Vec<McpServerSetting> = parse_rows(value, "mcp")?;
    let has_transport = |doc: &DocumentMut, name: &str| {
        let server = doc.get("mcp").and_then(|all| all.get(name));
        server.is_some_and(|server| server.get("transport").is_some())
    };
    let mut rows = Vec::new();
    for server in servers {
        // The usual one goes without saying, unless somebody said it.
        let is_usual = server.transport.as_deref() == MCP_TRANSPORTS.first().map(|(word, _)| *word);
        let transport = server
            .transport
            .filter(|_| !is_usual || has_transport(doc, &server.name));
        let keys = vec![
            ("command", string_array(&server.command)),
            ("env", string_array(&server.env)),
            ("url", server.url.map(Value::from)),
            ("transport", transport.map(Value::from)),
            ("used_by", string_array(&server.used_by)),
            ("hosts", string_array(&server.hosts)),
            ("readable", string_array(&server.readable)),
        ];
        rows.push(NamedTable {
            name: server.name,
            keys,
            headers: Some(server.headers),
        });
    }
    put_tables(doc, "mcp", rows)
}

/// Puts the models that take over into the document.
pub(super) fn put_models(doc: &mut DocumentMut, value: &Json) -> Result<(), ConfigErrorKind> {
    let models: Vec<ModelSetting> = parse_rows(value, "models")?;
    let mut rows = Vec::new();
    for model in models {
        let mut keys = option_keys(&model.options)?;
        keys.insert(1, ("model", model.model.map(Value::from)));
        rows.push(NamedTable {
            name: model.name,
            keys,
            headers: Some(model.options.headers),
        });
    }
    put_tables(doc, "models", rows)
}

/// What may be said of a model besides its name; the provider comes first.
fn option_keys(options: &ModelOptions) -> Result<TableKeys, ConfigErrorKind> {
    let text = |value: &Option<String>| value.as_deref().map(Value::from);
    let number = |value: &Option<Json>| value.as_ref().map(toml_value).transpose();
    Ok(vec![
        ("provider", text(&options.provider)),
        ("url", text(&options.url)),
        ("effort", text(&options.effort)),
        ("temperature", number(&options.temperature)?),
        ("max_tokens", number(&options.max_tokens)?),
        ("context_tokens", number(&options.context_tokens)?),
        ("key_variable", text(&options.key_variable)),
        ("key_command", string_array(&options.key_command)),
    ])
}

/// Puts what personas run on into the document.
pub(super) fn put_personas(doc: &mut DocumentMut, value: &Json) -> Result<(), ConfigErrorKind> {
    let mut personas: Vec<PersonaSetting> = parse_rows(value, "reviewers")?;
    let is_told = |name: &String| personas.iter().any(|persona| persona.name == *name);
    let with_account = personas_with_account(doc).into_iter();
    let untold: Vec<String> = with_account.filter(|name| !is_told(name)).collect();
    personas.extend(untold.into_iter().map(|name| PersonaSetting {
        name,
        ..PersonaSetting::default()
    }));
    let mut rows = Vec::new();
    for persona in personas {
        // An empty list says that nobody may be asked in, or takes over, which is not silence.
        let list = |names: Vec<String>| {
            let names: Array = names.iter().map(String::as_str).collect();
            Value::Array(names)
        };
        let mut keys = vec![
            ("runs_on", persona.runs_on.map(Value::from)),
            ("model", persona.model.map(Value::from)),
            ("escalates_to", persona.escalates_to.map(list)),
        ];
        keys.extend(option_keys(&persona.options)?);
        keys.push(("fallback", persona.fallback.map(list)));
        rows.push(NamedTable {
            name: persona.name,
            keys,
            headers: Some(persona.options.headers),
        });
    }
    put_tables(doc, "reviewers", rows)
}

/// Personas that the file gives an account of its own (§18.2): the form does not know it, and a persona of which it says nothing keeps it.
fn personas_with_account(doc: &DocumentMut) -> Vec<String> {
    let tables = doc.get("reviewers").and_then(Item::as_table_like);
    let tables = tables.into_iter().flat_map(|tables| tables.iter());
    let keys = ["account", "may_approve", "may_request_changes"];
    tables
        .filter(|(_, table)| keys.iter().any(|key| table.get(key).is_some()))
        .map(|(name, _)| name.to_owned())
        .collect()
}

/// Puts who fixes whose pull requests into the document.
pub(super) fn put_authors(doc: &mut DocumentMut, value: &Json) -> Result<(), ConfigErrorKind> {
    let authors: Vec<AuthorSetting> = parse_rows(value, "fixer.by_author")?;
    if authors.is_empty() {
        remove_key(doc, "fixer.by_author");
        return Ok(());
    }
    let (fixer, key) = table_of(doc, "fixer.by_author");
    let table = get_or_insert_table(fixer, key, false);
    let wanted = |key: &str| {
        authors
            .iter()
            .any(|row| normalized_login(&row.login) == normalized_login(key))
    };
    retain(table, wanted);
    for row in &authors {
        let there = names(table);
        let known = there
            .into_iter()
            .find(|key| normalized_login(key) == normalized_login(&row.login));
        let login = known.unwrap_or_else(|| row.login.trim().trim_start_matches('@').to_owned());
        put_value(
            table,
            &login,
            row.runs_on.as_str().into(),
            (text_identity, false),
        );
    }
    Ok(())
}

fn parse_rows<T: DeserializeOwned>(
    value: &Json,
    key: &'static str,
) -> Result<Vec<T>, ConfigErrorKind> {
    serde_json::from_value(value.clone()).map_err(|_| match value {
        Json::Array(_) => ConfigErrorKind::NotATable(key),
        _ => ConfigErrorKind::UnsupportedValue(DisplayedValue::Literal(value.to_string())),
    })
}

/// Logins know neither case nor `@`.
fn normalized_login(text: &str) -> String {
    text.trim().trim_start_matches('@').to_ascii_lowercase()
}

/// Makes the tables below a key what the rows say. Those that are there are edited in place and keep what the form does not know.
fn put_tables(
    doc: &mut DocumentMut,
    key: &str,
    rows: Vec<NamedTable>,
) -> Result<(), ConfigErrorKind> {
    if rows.is_empty() {
        doc.as_table_mut().remove(key);
        return Ok(());
    }
    let tables = get_or_insert_table(doc.as_table_mut(), key, true);
    retain(tables, |name| rows.iter().any(|row| row.name == name));
    for NamedTable {
        name,
        keys,
        headers,
    } in rows
    {
        let table = get_or_insert_table(tables, &name, false);
        for (key, value) in keys {
            match value {
                Some(value) => put_value(table, key, value, (text_identity, false)),
                None => drop(table.remove(key)),
            }
        }
        if let Some(headers) = headers {
            put_headers(table, "headers", &headers)?;
        }
    }
    Ok(())
}

/// The table at a key, made where there is none; in a parent of one line it becomes one too. A hidden one shows no brackets of its own.
fn get_or_insert_table<'t>(
    parent: &'t mut dyn TableLike,
    key: &str,
    hidden: bool,
) -> &'t mut dyn TableLike {
    if !parent.get(key).is_some_and(Item::is_table_like) {
        parent.remove(key);
        let mut table = Table::new();
        table.set_implicit(hidden);
        parent.insert(key, Item::Table(table));
        if parent.get(key).is_some_and(Item::is_value) {
            // The blank before the closing bracket belonged to the last value: it is the last no more.
            parent.fmt();
        }
    }
    let table = parent.get_mut(key).and_then(Item::as_table_like_mut);
    table.expect("it is a table, or was just made one")
}

fn names(table: &dyn TableLike) -> Vec<String> {
    table.iter().map(|(key, _)| key.to_owned()).collect()
}

fn retain(table: &mut dyn TableLike, wanted: impl Fn(&str) -> bool) {
    for name in names(table) {
        if !wanted(&name) {
            table.remove(&name);
        }
    }
}
