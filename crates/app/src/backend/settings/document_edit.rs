//! Edits the text of `config.toml`, leaving comments, order and whatever was not changed as a person wrote it.

use super::header_edit::put_headers;
use super::named_tables;
use super::setting::Setting;
use super::value_edit::{
    login_identity, number_array, put_value, remove_key, string_array, table_of, text_identity,
    toml_value,
};
use collie_config::ConfigErrorKind;
use collie_core::policy::ReviewerKind;
use collie_wire::rpc::{BotSetting, HeaderSetting, RepositorySetting, SettingKind, StageSetting};
use serde::de::DeserializeOwned;
use serde_json::Value as Json;
use toml_edit::{ArrayOfTables, DocumentMut, Item, Table, TableLike, Value};

/// Puts a setting's value into the document. What does not fit is left to the parser to tell, but for what cannot be written.
pub(super) fn put_setting(
    doc: &mut DocumentMut,
    setting: &Setting,
    value: &Json,
) -> Result<(), ConfigErrorKind> {
    if let Some(older) = setting.legacy_key {
        remove_key(doc, older);
    }
    match &setting.kind {
        SettingKind::Stages { .. } => put_tables(doc, "stages", stage_rows(value)?, true),
        SettingKind::Bots => put_tables(doc, "bots", bot_rows(value)?, false),
        SettingKind::Repositories => {
            put_tables(doc, "repositories", repository_rows(value)?, false);
        }
        SettingKind::Authors { .. } => named_tables::put_authors(doc, value)?,
        SettingKind::Personas { .. } => named_tables::put_personas(doc, value)?,
        SettingKind::Agents { .. } => named_tables::put_agents(doc, value)?,
        SettingKind::McpServers { .. } => named_tables::put_mcp_servers(doc, value)?,
        SettingKind::Models { .. } => named_tables::put_models(doc, value)?,
        SettingKind::Headers => {
            let headers: Vec<HeaderSetting> = serde_json::from_value(value.clone())
                .map_err(|_| ConfigErrorKind::NotATable("headers"))?;
            let (table, key) = table_of(doc, setting.key);
            put_headers(table, key, &headers)?;
        }
        SettingKind::Program
        | SettingKind::ModelNames
        | SettingKind::Toggle
        | SettingKind::Number { .. }
        | SettingKind::Fraction
        | SettingKind::Decimal { .. }
        | SettingKind::Duration
        | SettingKind::Text
        | SettingKind::Choice { .. }
        | SettingKind::Runner { .. }
        | SettingKind::Logins
        | SettingKind::Texts => {
            let value = toml_value(value)?;
            let (table, key) = table_of(doc, setting.key);
            let same = match setting.kind {
                SettingKind::Logins => login_identity,
                _ => text_identity,
            };
            put_value(table, key, value, (same, setting.is_unordered));
        }
    }
    Ok(())
}

/// One table of a list, as it is to be.
struct TableRow {
    /// What it is recognised by.
    identity: fn(&dyn TableLike) -> Option<String>,
    /// That of this one.
    identity_value: String,
    /// Its keys; none for a key that says nothing and goes.
    values: Vec<(&'static str, Option<Value>)>,
}

fn parse_rows<T: DeserializeOwned>(
    value: &Json,
    key: &'static str,
) -> Result<Vec<T>, ConfigErrorKind> {
    serde_json::from_value(value.clone()).map_err(|_| ConfigErrorKind::NotAnArrayOfTables(key))
}

fn stage_rows(value: &Json) -> Result<Vec<TableRow>, ConfigErrorKind> {
    let stages: Vec<StageSetting> = parse_rows(value, "stages")?;
    let rows = stages.into_iter().map(|stage| {
        let reviewers: Vec<String> = stage
            .reviewers
            .into_iter()
            .map(|reviewer| match reviewer.kind {
                ReviewerKind::Human => format!("@{}", reviewer.name.trim_start_matches('@')),
                ReviewerKind::Rules | ReviewerKind::Agent => reviewer.name,
            })
            .collect();
        TableRow {
            identity: |table| {
                let names = table.get("reviewers")?.as_array()?;
                let names: Option<Vec<&str>> = names.iter().map(Value::as_str).collect();
                Some(names?.join(" ").to_ascii_lowercase())
            },
            identity_value: reviewers.join(" ").to_ascii_lowercase(),
            values: vec![(
                "reviewers",
                Some(Value::Array(reviewers.iter().map(String::as_str).collect())),
            )],
        }
    });
    Ok(rows.collect())
}

fn bot_rows(value: &Json) -> Result<Vec<TableRow>, ConfigErrorKind> {
    let bots: Vec<BotSetting> = parse_rows(value, "bots")?;
    let own = bots.into_iter().filter(|bot| !bot.shipped);
    own.map(|bot| {
        let id = i64::try_from(bot.id).map_err(|_| ConfigErrorKind::InvalidAccountId)?;
        Ok(TableRow {
            identity: |table| table.get("id")?.as_integer().map(|id| id.to_string()),
            identity_value: id.to_string(),
            values: vec![
                ("id", Some(id.into())),
                ("login", Some(bot.login.as_str().into())),
            ],
        })
    })
    .collect()
}

fn repository_rows(value: &Json) -> Result<Vec<TableRow>, ConfigErrorKind> {
    let repositories: Vec<RepositorySetting> = parse_rows(value, "repositories")?;
    let rows = repositories.into_iter().map(|watched| TableRow {
        identity: |table| Some(table.get("name")?.as_str()?.trim().to_ascii_lowercase()),
        identity_value: watched.name.trim().to_ascii_lowercase(),
        values: vec![
            ("name", Some(watched.name.as_str().into())),
            (
                "auto_pr_review_enabled",
                watched.auto_pr_review_enabled.then(|| true.into()),
            ),
            ("authors", string_array(&watched.authors)),
            ("labels", string_array(&watched.labels)),
            ("base_branches", string_array(&watched.base_branches)),
            ("read_from", string_array(&watched.read_from)),
            ("unsandboxed", watched.unsandboxed.then(|| true.into())),
            ("except", number_array(&watched.except)),
            (
                "autonomy",
                watched.autonomy.map(|level| level.name().into()),
            ),
        ],
    });
    Ok(rows.collect())
}

/// Makes a list of tables what the rows say. A table that is recognised is edited in place and keeps what the form does not
/// know; with `by_place`, one that is not is taken for that at the same place.
fn put_tables(doc: &mut DocumentMut, key: &str, rows: Vec<TableRow>, by_place: bool) {
    let root = doc.as_table_mut();
    if rows.is_empty() {
        root.remove(key);
        return;
    }
    // Tables written in one line become tables of their own, and what stood before their key stands before the first.
    let inline = root.get(key).is_some_and(Item::is_value);
    let above = root
        .key(key)
        .filter(|_| inline)
        .map_or_else(String::new, |key| {
            let prefix = key.leaf_decor().prefix();
            prefix
                .and_then(|raw| raw.as_str())
                .unwrap_or_default()
                .to_owned()
        });
    let old = match inline {
        true => root.remove(key),
        false => root.get_mut(key).map(std::mem::take),
    };
    let old = old.and_then(|item| item.into_array_of_tables().ok());
    let old = old.unwrap_or_default();
    let chosen = match_tables(&old, &rows, by_place);
    let mut positions: Vec<isize> = chosen
        .iter()
        .flatten()
        .filter_map(Table::position)
        .collect();
    positions.sort_unstable();
    let mut positions = positions.into_iter();
    let mut list = ArrayOfTables::new();
    for (row, table) in rows.into_iter().zip(chosen) {
        let mut table = table.unwrap_or_default();
        if table.position().is_some() {
            table.set_position(positions.next());
        }
        put_row(&mut table, row.values);
        list.push(table);
    }
    if let Some(first) = list.get_mut(0).filter(|_| !above.is_empty()) {
        first.decor_mut().set_prefix(above);
    }
    root.insert(key, Item::ArrayOfTables(list));
}

/// The table that each row had before: the one of its identity or, where places count, the one that is left at its place.
fn match_tables(old: &ArrayOfTables, rows: &[TableRow], by_place: bool) -> Vec<Option<Table>> {
    let mut left: Vec<Option<Table>> = old.iter().cloned().map(Some).collect();
    let mut matched: Vec<Option<Table>> = rows
        .iter()
        .map(|row| {
            let named =
                |table: &Table| (row.identity)(table).as_deref() == Some(&row.identity_value);
            let found = left
                .iter_mut()
                .find(|table| table.as_ref().is_some_and(named));
            found.and_then(Option::take)
        })
        .collect();
    if by_place {
        for (table, free) in matched.iter_mut().zip(left) {
            if table.is_none() {
                *table = free;
            }
        }
    }
    matched
}

fn put_row(table: &mut Table, values: Vec<(&'static str, Option<Value>)>) {
    for (key, value) in values {
        let same = match key {
            "authors" | "reviewers" => login_identity,
            _ => text_identity,
        };
        match value {
            Some(value) => put_value(table, key, value, (same, false)),
            // Somebody wrote the key down: it is answered where it stands.
            None if table.get(key).is_some_and(Item::is_bool) => {
                put_value(table, key, false.into(), (same, false));
            }
            None => drop(table.remove(key)),
        }
    }
}
