//! Edits single values of `config.toml` in place, and the lists among them.

use collie_config::{ConfigErrorKind, DisplayedValue};
use serde_json::Value as Json;
use toml_edit::{Array, DocumentMut, Item, Table, TableLike, Value};

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
pub(super) fn login_identity(value: &Value) -> Option<String> {
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

pub(super) fn string_array(values: &[String]) -> Option<Value> {
    let array: Array = values.iter().map(String::as_str).collect();
    (!array.is_empty()).then_some(Value::Array(array))
}

/// Numbers as the file writes them; none where there are none.
pub(super) fn number_array(values: &[u64]) -> Option<Value> {
    let numbers = values
        .iter()
        .filter_map(|number| i64::try_from(*number).ok());
    let array: Array = numbers.collect();
    (!array.is_empty()).then_some(Value::Array(array))
}

/// A value of the form as the file writes it; tables and nothing are none.
pub(super) fn toml_value(value: &Json) -> Result<Value, ConfigErrorKind> {
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
