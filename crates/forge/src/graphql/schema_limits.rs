//! A schema that lacks fields, as that of an older GitHub Enterprise Server does: `PUT /_forge/schema`.

use std::collections::{BTreeMap, BTreeSet};

use async_graphql::parser::types::{
    BaseType, ExecutableDocument, Selection, SelectionSet, Type, TypeKind, TypeSystemDefinition,
};
use async_graphql::parser::{parse_query, parse_schema};
use async_graphql::{Name, Positioned};
use serde::Deserialize;
use serde_json::{Value, json};

/// What the server is told to be.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SchemaLimits {
    /// Fields that it does not know, as `Type.field`.
    #[serde(default)]
    without: BTreeSet<String>,
    /// Its version.
    #[serde(default = "newest")]
    pub version: String,
}

fn newest() -> String {
    "3.19.0".to_owned()
}

impl Default for SchemaLimits {
    fn default() -> Self {
        Self {
            without: BTreeSet::new(),
            version: newest(),
        }
    }
}

/// The type that each field leads to.
type FieldTypes = BTreeMap<(String, String), String>;

impl SchemaLimits {
    /// GitHub's errors for the fields of a document that the server does not know; nothing of it is run then.
    pub(crate) fn undefined_fields(&self, sdl: &str, query: &str) -> Vec<Value> {
        if self.without.is_empty() {
            return Vec::new();
        }
        let Ok(document) = parse_query(query) else {
            return Vec::new();
        };
        let mut walk = Walk {
            types: field_types(sdl),
            without: &self.without,
            errors: Vec::new(),
        };
        walk.add_document(&document);
        walk.errors
    }
}

fn field_types(sdl: &str) -> FieldTypes {
    let mut types = FieldTypes::new();
    let document = parse_schema(sdl).expect("the forge's own schema is well formed");
    for definition in document.definitions {
        let TypeSystemDefinition::Type(definition) = definition else {
            continue;
        };
        let name = definition.node.name.node;
        let fields = match definition.node.kind {
            TypeKind::Object(object) => object.fields,
            TypeKind::Interface(interface) => interface.fields,
            TypeKind::Scalar
            | TypeKind::Union(_)
            | TypeKind::Enum(_)
            | TypeKind::InputObject(_) => Vec::new(),
        };
        for field in fields {
            let key = (name.to_string(), field.node.name.node.to_string());
            types.insert(key, base_name(&field.node.ty.node));
        }
    }
    types
}

fn base_name(ty: &Type) -> String {
    match &ty.base {
        BaseType::Named(name) => name.to_string(),
        BaseType::List(inner) => base_name(inner),
    }
}

struct Walk<'a> {
    types: FieldTypes,
    without: &'a BTreeSet<String>,
    errors: Vec<Value>,
}

impl Walk<'_> {
    fn add_document(&mut self, document: &ExecutableDocument) {
        for (name, operation) in document.operations.iter() {
            let kind = operation.node.ty.to_string();
            let root = if kind == "mutation" {
                "Mutation"
            } else {
                "Query"
            };
            let name = name.map(Name::as_str).unwrap_or_default();
            let path = vec![format!("{kind} {name}").trim().to_owned()];
            self.add(&operation.node.selection_set.node, root, &path);
        }
        for (name, fragment) in &document.fragments {
            let on = fragment.node.type_condition.node.on.node.as_str();
            let path = vec![format!("fragment {name}")];
            self.add(&fragment.node.selection_set.node, on, &path);
        }
    }

    fn add(&mut self, set: &SelectionSet, on: &str, path: &[String]) {
        for item in &set.items {
            match &item.node {
                Selection::Field(field) => {
                    let name = field.node.name.node.as_str();
                    let path = [path, &[field.node.response_key().node.to_string()]].concat();
                    if self.without.contains(&format!("{on}.{name}")) {
                        self.refuse(item, on, name, &path);
                    } else if let Some(next) = self.types.get(&(on.to_owned(), name.to_owned())) {
                        self.add(&field.node.selection_set.node, &next.clone(), &path);
                    }
                }
                Selection::InlineFragment(fragment) => {
                    let condition = fragment.node.type_condition.as_ref();
                    let on = condition.map_or(on, |on| on.node.on.node.as_str());
                    let path = [path, &[format!("... on {on}")]].concat();
                    self.add(&fragment.node.selection_set.node, on, &path);
                }
                // Looked at where it is defined.
                Selection::FragmentSpread(_) => {}
            }
        }
    }

    fn refuse(&mut self, at: &Positioned<Selection>, on: &str, name: &str, path: &[String]) {
        self.errors.push(json!({
            "path": path,
            "extensions": {"code": "undefinedField", "typeName": on, "fieldName": name},
            "locations": [{"line": at.pos.line, "column": at.pos.column}],
            "message": format!("Field '{name}' doesn't exist on type '{on}'"),
        }));
    }
}
