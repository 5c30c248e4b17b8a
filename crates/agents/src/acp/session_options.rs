//! What an agent lets choose in a session: its models and how much they think. It is an agent's list, so only its beginning is read.

use agent_client_protocol::v1::schema::{
    SessionConfigKind, SessionConfigOption, SessionConfigOptionCategory, SessionConfigSelect,
    SessionConfigSelectOptions,
};
use serde::Deserialize;
use serde_json::Value;

/// Options that are looked at.
const MAX_OPTIONS: usize = 100;
/// Values of one option that are looked at; an agent for every provider lists thousands of models.
const MAX_VALUES: usize = 5_000;

/// What is looked for among the options.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    Model,
    Effort,
}

impl Wanted {
    /// Whether an option is it: by its category, which an agent need not tell, else by the usual ids.
    fn is(self, option: &SessionConfigOption) -> bool {
        let (category, ids): (_, &[&str]) = match self {
            Self::Model => (SessionConfigOptionCategory::Model, &["model"]),
            Self::Effort => (
                SessionConfigOptionCategory::ThoughtLevel,
                &["effort", "reasoning_effort", "thought_level"],
            ),
        };
        match &option.category {
            Some(told) => *told == category,
            None => ids.contains(&&*option.id.0),
        }
    }
}

/// What became of looking for a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum OptionSearch {
    /// It holds already.
    Current,
    /// It can be set.
    Offered { option: String, value: String },
    /// There is no such.
    NotOffered,
    /// It is not among those that are looked at, and there are more.
    TooMany,
}

/// The options of a session, as far as they are looked at.
#[derive(Clone, Debug, Default)]
pub(super) struct SessionOptions {
    options: Vec<SessionConfigOption>,
    are_more: bool,
}

impl SessionOptions {
    /// Reads `configOptions`; what has another form than an option's is left out.
    pub(super) fn read(value: &Value) -> Self {
        let all = value.as_array().map_or(&[][..], Vec::as_slice);
        let read = |option: &Value| SessionConfigOption::deserialize(option).ok();
        Self {
            options: all.iter().take(MAX_OPTIONS).filter_map(read).collect(),
            are_more: all.len() > MAX_OPTIONS,
        }
    }

    /// Looks for a value by its id, else by its name as people read it.
    pub(super) fn find(&self, wanted: Wanted, value: &str) -> OptionSearch {
        let Some(option) = self.options.iter().find(|option| wanted.is(option)) else {
            return missing(self.are_more);
        };
        let SessionConfigKind::Select(select) = &option.kind else {
            return OptionSearch::NotOffered;
        };
        find_value(
            &option.id.0,
            &select.current_value.0,
            values_of(select),
            value,
        )
    }
}

/// Ids and names of what can be chosen.
fn values_of(select: &SessionConfigSelect) -> Vec<(&str, &str)> {
    match &select.options {
        SessionConfigSelectOptions::Ungrouped(values) => values
            .iter()
            .map(|value| (&*value.value.0, value.name.as_str()))
            .collect(),
        SessionConfigSelectOptions::Grouped(groups) => groups
            .iter()
            .flat_map(|group| &group.options)
            .map(|value| (&*value.value.0, value.name.as_str()))
            .collect(),
        _ => Vec::new(),
    }
}

fn find_value(
    option: &str,
    current: &str,
    values: Vec<(&str, &str)>,
    wanted: &str,
) -> OptionSearch {
    if current == wanted {
        return OptionSearch::Current;
    }
    let looked_at = &values[..values.len().min(MAX_VALUES)];
    let by_id = looked_at.iter().find(|(id, _)| *id == wanted);
    let found = by_id.or_else(|| looked_at.iter().find(|(_, name)| *name == wanted));
    match found {
        Some((id, _)) if *id == current => OptionSearch::Current,
        Some((id, _)) => OptionSearch::Offered {
            option: option.to_owned(),
            value: (*id).to_owned(),
        },
        None => missing(values.len() > MAX_VALUES),
    }
}

fn missing(are_more: bool) -> OptionSearch {
    if are_more {
        OptionSearch::TooMany
    } else {
        OptionSearch::NotOffered
    }
}

/// The models of a session as agents told them before there were options.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SessionModels {
    available_models: Vec<Value>,
    #[serde(default)]
    current_model_id: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct OfferedModel {
    model_id: String,
    #[serde(default)]
    name: String,
}

impl SessionModels {
    /// Reads `models`; none where it has another form.
    pub(super) fn read(value: &Value) -> Option<Self> {
        Self::deserialize(value).ok()
    }

    /// Looks for a model by its id, else by its name as people read it.
    pub(super) fn find(&self, wanted: &str) -> OptionSearch {
        let read = |model: &Value| OfferedModel::deserialize(model).ok();
        let models: Vec<OfferedModel> = self
            .available_models
            .iter()
            .take(MAX_VALUES + 1)
            .filter_map(read)
            .collect();
        let values = models
            .iter()
            .map(|model| (model.model_id.as_str(), model.name.as_str()))
            .collect();
        find_value("", &self.current_model_id, values, wanted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn option(id: &str, category: Option<&str>, current: &str, values: &[&str]) -> Value {
        let values: Vec<Value> = values
            .iter()
            .map(|value| json!({"value": value, "name": value.to_uppercase()}))
            .collect();
        let mut option = json!({
            "id": id, "name": id, "type": "select", "currentValue": current, "options": values,
        });
        if let Some(category) = category {
            option["category"] = category.into();
        }
        option
    }

    fn offered(option: &str, value: &str) -> OptionSearch {
        OptionSearch::Offered {
            option: option.into(),
            value: value.into(),
        }
    }

    #[test]
    fn a_model_and_an_effort_are_found_by_category_or_id_and_by_id_or_name() {
        let told = json!([
            {"id": "broken"},
            option("brain", Some("model"), "a", &["a", "b"]),
            option("reasoning_effort", None, "low", &["low", "high"]),
            option("model", Some("mode"), "x", &["x", "z"]),
        ]);
        let options = SessionOptions::read(&told);
        let check =
            |wanted, value, expect| assert_eq!(options.find(wanted, value), expect, "{value}");
        check(Wanted::Model, "b", offered("brain", "b"));
        check(Wanted::Model, "B", offered("brain", "b"));
        check(Wanted::Model, "A", OptionSearch::Current);
        check(Wanted::Model, "z", OptionSearch::NotOffered);
        check(Wanted::Effort, "high", offered("reasoning_effort", "high"));
        check(Wanted::Effort, "max", OptionSearch::NotOffered);
        let none = SessionOptions::read(&json!({"no": "list"}));
        assert_eq!(none.find(Wanted::Model, "b"), OptionSearch::NotOffered);
    }

    #[test]
    fn grouped_values_are_found_too() {
        let group = json!({"group": "g", "name": "G", "options": [{"value": "p/m", "name": "M"}]});
        let told = json!([{
            "id": "model", "name": "Model", "category": "model", "type": "select", "currentValue": "", "options": [group],
        }]);
        let found = SessionOptions::read(&told).find(Wanted::Model, "p/m");
        assert_eq!(found, offered("model", "p/m"));
    }

    #[test]
    fn a_list_without_end_is_looked_at_as_far_as_a_person_would() {
        let mut all = vec![option("x", Some("mode"), "", &[]); 10_000];
        all.push(option("model", Some("model"), "a", &["b"]));
        let options = SessionOptions::read(&all.into());
        assert_eq!(options.find(Wanted::Model, "b"), OptionSearch::TooMany);
        let names: Vec<String> = (0..10_000).map(|n| format!("m{n}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let told = json!([option("model", Some("model"), "", &names)]);
        let options = SessionOptions::read(&told);
        assert_eq!(options.find(Wanted::Model, "m9"), offered("model", "m9"));
        assert_eq!(options.find(Wanted::Model, "m9999"), OptionSearch::TooMany);
    }

    #[test]
    fn models_of_the_older_form_are_found() {
        let told = json!({
            "availableModels": [{"modelId": "flash", "name": "Flash"}, 7, {"modelId": "pro"}],
            "currentModelId": "pro",
        });
        let models = SessionModels::read(&told).unwrap();
        assert_eq!(models.find("pro"), OptionSearch::Current);
        assert_eq!(models.find("Flash"), offered("", "flash"));
        assert_eq!(models.find("ultra"), OptionSearch::NotOffered);
        assert!(SessionModels::read(&Value::Null).is_none());
    }
}
