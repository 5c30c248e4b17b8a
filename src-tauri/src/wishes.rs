//! The settings that concern the shell, read from the same form that the page shows.

use collie_app::words::Language;
use serde_json::Value;
use tauri::Theme;

/// The settings that concern the shell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wishes {
    /// What is read outside the window.
    pub language: Language,
    /// Light or dark; none follows the system.
    pub theme: Option<Theme>,
    /// Whether ready, needs_human and failed are told.
    pub notifications: bool,
    /// Whether closing the window leaves the loops running.
    pub keeps_running: bool,
}

impl Wishes {
    /// What holds before anything was read.
    pub fn of_environment() -> Self {
        Self {
            language: Language::pick(None, &|name| std::env::var(name).ok()),
            theme: None,
            notifications: true,
            keeps_running: true,
        }
    }

    /// Takes what the settings say, as `collie_wire::rpc::SettingsView`; what they leave out stays.
    pub fn take(&mut self, settings: &Value) {
        let value = |key: &str| {
            let fields = settings.get("fields")?.as_array()?;
            let is = |field: &&Value| field.get("key").and_then(Value::as_str) == Some(key);
            fields.iter().find(is)?.get("value").cloned()
        };
        let switch = |key: &str| value(key).and_then(|value| value.as_bool());
        let word = |key: &str| value(key).and_then(|value| value.as_str().map(str::to_owned));
        if let Some(language) = word("language").and_then(|name| Language::named(&name)) {
            self.language = language;
        }
        if let Some(theme) = word("desktop.theme") {
            self.theme = match theme.as_str() {
                "light" => Some(Theme::Light),
                "dark" => Some(Theme::Dark),
                _ => None,
            };
        }
        self.notifications = switch("desktop.notifications").unwrap_or(self.notifications);
        self.keeps_running = switch("desktop.keep_running").unwrap_or(self.keeps_running);
    }
}

#[cfg(test)]
mod tests {
    use super::Wishes;
    use collie_app::words::Language;
    use serde_json::{Value, json};
    use tauri::Theme;

    fn check(fields: &[(&str, Value)], expect: impl Fn(&mut Wishes)) {
        let fields: Vec<Value> = fields
            .iter()
            .map(|(key, value)| json!({ "key": key, "value": value }))
            .collect();
        let start = Wishes {
            language: Language::En,
            theme: None,
            notifications: true,
            keeps_running: true,
        };
        let (mut wishes, mut expected) = (start.clone(), start);
        expect(&mut expected);
        wishes.take(&json!({ "file": "config.toml", "fields": fields, "problems": [] }));
        assert_eq!(wishes, expected);
    }

    #[test]
    fn what_the_settings_say_holds_and_the_rest_stays() {
        check(&[], |_| {});
        check(
            &[
                ("language", json!("fr")),
                ("desktop.notifications", json!(false)),
            ],
            |wishes| {
                wishes.language = Language::Fr;
                wishes.notifications = false;
            },
        );
        check(
            &[
                ("desktop.theme", json!("dark")),
                ("desktop.keep_running", json!(false)),
            ],
            |wishes| {
                wishes.theme = Some(Theme::Dark);
                wishes.keeps_running = false;
            },
        );
        check(
            &[("desktop.theme", json!("system")), ("language", json!(7))],
            |_| {},
        );
    }
}
