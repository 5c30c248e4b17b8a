//! Edits the headers of a model in place: `headers = { "X-Team" = "reviews", "X-Gateway" = { variable = "SECRET" } }`, or a table of its own.

use super::value_edit::{put_value, text_identity};
use collie_config::{ConfigErrorKind, HeaderSource};
use collie_wire::rpc::HeaderSetting;
use std::collections::{BTreeMap, BTreeSet};
use toml_edit::{InlineTable, Item, TableLike, Value};

/// Headers as the form has them.
pub(super) fn header_rows(headers: &BTreeMap<String, HeaderSource>) -> Vec<HeaderSetting> {
    let rows = headers.iter().map(|(name, source)| {
        let (value, from_variable) = match source {
            HeaderSource::Value(value) => (value, false),
            HeaderSource::Variable(name) => (name, true),
        };
        HeaderSetting {
            name: name.clone(),
            value: value.clone(),
            from_variable,
        }
    });
    rows.collect()
}

/// Makes the headers below a key what the rows say; without a row the key goes.
pub(super) fn put_headers(
    table: &mut dyn TableLike,
    key: &str,
    rows: &[HeaderSetting],
) -> Result<(), ConfigErrorKind> {
    if rows.is_empty() {
        table.remove(key);
        return Ok(());
    }
    // Servers tell no header from another by its case.
    let mut names = BTreeSet::new();
    for row in rows {
        if !names.insert(row.name.to_ascii_lowercase()) {
            return Err(ConfigErrorKind::DuplicateHeader(row.name.clone()));
        }
    }
    if !table.get(key).is_some_and(Item::is_table_like) {
        table.insert(key, Item::Value(Value::InlineTable(InlineTable::new())));
    }
    let headers = table.get_mut(key).and_then(Item::as_table_like_mut);
    let headers = headers.expect("it is a table, or was just made one");
    let there: Vec<String> = headers.iter().map(|(name, _)| name.to_owned()).collect();
    for name in there {
        if !rows.iter().any(|row| row.name == name) {
            headers.remove(&name);
        }
    }
    for row in rows {
        if row.from_variable {
            put_variable(headers, row);
        } else {
            put_value(
                headers,
                &row.name,
                row.value.as_str().into(),
                (text_identity, false),
            );
        }
    }
    Ok(())
}

/// A header whose value a variable holds.
fn put_variable(headers: &mut dyn TableLike, row: &HeaderSetting) {
    if let Some(there) = headers.get_mut(&row.name).and_then(Item::as_table_like_mut) {
        put_value(
            there,
            "variable",
            row.value.as_str().into(),
            (text_identity, false),
        );
        return;
    }
    let source = InlineTable::from_iter([("variable", row.value.as_str())]);
    headers.insert(&row.name, Item::Value(Value::InlineTable(source)));
}
