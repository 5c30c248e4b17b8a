//! Edits the text of `config.toml`, leaving comments, order and whatever was not changed as a person wrote it.

use super::named_tables;
use super::schema::Setting;
use collie_config::{ConfigErrorKind, DisplayedValue};
use collie_core::policy::ReviewerKind;
use collie_wire::rpc::{BotSetting, RepositorySetting, SettingKind, StageSetting};
use serde::de::DeserializeOwned;
use serde_json::Value as Json;
use toml_edit::{Array, ArrayOfTables, DocumentMut, Item, Table, TableLike, Value};

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
        SettingKind::Toggle
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

/// Takes a key out of the document.
pub(super) fn remove_key(doc: &mut DocumentMut, path: &str) {
    let root = doc.as_table_mut();
    if root.remove(path).is_some() {
        return;
    }
    if let Some((table, key)) = path.split_once('.')
        && let Some(inner) = root.get_mut(table).and_then(Item::as_table_like_mut)
    {
        inner.remove(key);
    }
}

/// The table that a key lies in, made where there is none, and the key in it.
pub(super) fn table_of<'d>(
    doc: &'d mut DocumentMut,
    path: &'d str,
) -> (&'d mut dyn TableLike, &'d str) {
    let root = doc.as_table_mut();
    let Some((name, key)) = path.split_once('.') else {
        return (root, path);
    };
    if !root.get(name).is_some_and(Item::is_table_like) {
        // The key goes too: its blanks and comments would end up inside the brackets.
        root.remove(name);
        let mut table = Table::new();
        // With nothing but tables in it, its own brackets would say nothing.
        table.set_implicit(true);
        root.insert(name, Item::Table(table));
    }
    let table = root.get_mut(name).and_then(Item::as_table_like_mut);
    (table.expect("it is a table, or was just made one"), key)
}

fn toml_value(value: &Json) -> Result<Value, ConfigErrorKind> {
    let unfit = || ConfigErrorKind::UnsupportedValue(DisplayedValue::Literal(value.to_string()));
    match value {
        Json::Null | Json::Object(_) => Err(unfit()),
        Json::Bool(yes) => Ok((*yes).into()),
        Json::Number(number) => match (number.as_i64(), number.as_f64()) {
            (Some(whole), _) => Ok(whole.into()),
            (None, Some(share)) => Ok(share.into()),
            (None, None) => Err(unfit()),
        },
        Json::String(text) => Ok(text.as_str().into()),
        Json::Array(items) => {
            let items: Result<Vec<Value>, ConfigErrorKind> = items.iter().map(toml_value).collect();
            Ok(Value::Array(items?.into_iter().collect()))
        }
    }
}

/// Sets a value in place, so that the comments around it stay.
pub(super) fn put_value(
    table: &mut dyn TableLike,
    key: &str,
    value: Value,
    list: (IdentityFn, bool),
) {
    match table.get_mut(key) {
        Some(Item::Value(Value::Array(old))) if value.is_array() => {
            if let Value::Array(wanted) = value {
                put_array(old, wanted, list);
            }
        }
        Some(Item::Value(old)) => {
            if !same_value(old, &value) {
                let decor = old.decor().clone();
                *old = value;
                *old.decor_mut() = decor;
            }
        }
        Some(_) | None => {
            table.insert(key, Item::Value(value));
        }
    }
}

fn same_value(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::String(a), Value::String(b)) => a.value() == b.value(),
        (Value::Integer(a), Value::Integer(b)) => a.value() == b.value(),
        (Value::Float(a), Value::Float(b)) => a.value() == b.value(),
        (Value::Boolean(a), Value::Boolean(b)) => a.value() == b.value(),
        (_, _) => false,
    }
}

/// What an item of a list is told apart from others by; none for what is no text.
pub(super) type IdentityFn = fn(&Value) -> Option<String>;

/// Commands, checks, labels and branches are what is written.
pub(super) fn text_identity(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}

/// Logins know neither case nor `@`.
fn login_identity(value: &Value) -> Option<String> {
    let text = value.as_str()?.trim().trim_start_matches('@');
    Some(text.to_ascii_lowercase())
}

/// Takes out what is not wanted and adds what is missing; what stays keeps its place and comments. A list that would not
/// come to the wanted order is written anew. `list` says how items are told apart, and whether their order is of no matter.
fn put_array(old: &mut Array, wanted: Array, (same, unordered): (IdentityFn, bool)) {
    let names: Vec<Option<String>> = wanted.iter().map(same).collect();
    let mut edited = old.clone();
    edited.retain(|item| same(item).is_some_and(|name| names.contains(&Some(name))));
    let kept: Vec<Option<String>> = edited.iter().map(same).collect();
    for (item, name) in wanted.iter().zip(&names) {
        if name.is_none() || !kept.contains(name) {
            append_item(&mut edited, item.clone());
        }
    }
    let exactly = |a: &Array, b: &Array| {
        a.len() == b.len()
            && a.iter()
                .zip(b)
                .all(|(x, y)| same_value(x, y) || same(x) == same(y))
    };
    if unordered && edited.len() == wanted.len() || exactly(&edited, &wanted) {
        *old = edited;
    } else {
        let decor = old.decor().clone();
        *old = wanted;
        *old.decor_mut() = decor;
    }
}

/// Adds an item behind the others, on a line of its own where the last has one.
fn append_item(array: &mut Array, mut item: Value) {
    let text = |raw: Option<&toml_edit::RawString>| {
        raw.and_then(|raw| raw.as_str())
            .unwrap_or_default()
            .to_owned()
    };
    let before_last = array.iter().last().map(|last| text(last.decor().prefix()));
    let trailing = text(Some(array.trailing()));
    match before_last {
        Some(prefix) if prefix.contains('\n') => {
            let indent = prefix.rsplit('\n').next().unwrap_or_default();
            // A comment behind the last item stays on that item's line.
            item.decor_mut()
                .set_prefix(format!("{}\n{indent}", trailing.trim_end()));
            array.push_formatted(item);
            array.set_trailing("\n");
            array.set_trailing_comma(true);
        }
        Some(_) | None => array.push(item),
    }
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

pub(super) fn string_array(values: &[String]) -> Option<Value> {
    let array: Array = values.iter().map(String::as_str).collect();
    (!array.is_empty()).then_some(Value::Array(array))
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
