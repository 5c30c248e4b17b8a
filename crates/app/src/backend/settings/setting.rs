//! One setting: where it stands, what it may be, and where its value comes from.

use collie_config::{Bounds, Config, ConfigLayer};
use collie_wire::rpc::{SettingGroup, SettingKind};
use serde::Serialize;
use serde_json::{Value, json};

/// One setting.
pub(super) struct Setting {
    /// Its key in `config.toml`; tables are dotted.
    pub key: &'static str,
    /// Where it is shown.
    pub group: SettingGroup,
    /// What may be put in.
    pub kind: SettingKind,
    /// What a layer says; none when it is silent.
    pub layer_value: fn(&ConfigLayer) -> Option<Value>,
    /// What holds.
    pub config_value: fn(&Config) -> Value,
    /// The environment variable that decides over the file.
    pub variable: Option<&'static str>,
    /// An older name, which goes when the setting is changed.
    pub legacy_key: Option<&'static str>,
    /// The order of the list tells nothing, so that the file's may stay.
    pub is_unordered: bool,
    /// What is shown where nothing holds because another setting is missing.
    pub fallback: Value,
    /// The default follows from other settings.
    pub has_derived_default: bool,
}

impl Setting {
    pub(super) fn variable(mut self, name: &'static str) -> Self {
        self.variable = Some(name);
        self
    }

    pub(super) fn legacy_key(mut self, key: &'static str) -> Self {
        self.legacy_key = Some(key);
        self
    }

    pub(super) fn unordered(mut self) -> Self {
        self.is_unordered = true;
        self
    }

    pub(super) fn fallback(mut self, value: u32) -> Self {
        self.fallback = json!(value);
        self
    }

    pub(super) fn with_derived_default(mut self) -> Self {
        self.has_derived_default = true;
        self
    }

    /// Whether a problem's key is this setting's, or lies in its tables.
    pub(super) fn owns_key(&self, key: &str) -> bool {
        let inside = |rest: &str| rest.is_empty() || rest.starts_with('.');
        key.strip_prefix(self.key).is_some_and(inside) || self.legacy_key == Some(key)
    }
}

type LayerValue = fn(&ConfigLayer) -> Option<Value>;
type ConfigValue = fn(&Config) -> Value;

pub(super) fn setting(
    key: &'static str,
    group: SettingGroup,
    kind: SettingKind,
    layer_value: LayerValue,
    config_value: ConfigValue,
) -> Setting {
    Setting {
        key,
        group,
        kind,
        layer_value,
        config_value,
        variable: None,
        legacy_key: None,
        is_unordered: false,
        fallback: Value::Null,
        has_derived_default: false,
    }
}

pub(super) fn optional_value<T: Serialize>(value: Option<T>) -> Option<Value> {
    value.map(|value| json!(value))
}

pub(super) fn number_kind(bounds: Bounds) -> SettingKind {
    SettingKind::Number {
        min: bounds.least,
        max: bounds.most,
    }
}

pub(super) fn choice_kind<T>(options: &[(&str, T)]) -> SettingKind {
    SettingKind::Choice {
        options: options.iter().map(|(name, _)| (*name).to_owned()).collect(),
    }
}

/// Dollars of millionths.
pub(super) fn dollar_value(micros: u64) -> Value {
    // Exact up to a thousand million dollars, and a limit is a million at most.
    json!(micros as f64 / 1e6)
}

pub(super) fn permille_value(permille: u16) -> Value {
    json!(f64::from(permille) / 1000.0)
}
