//! Errors in words: the sentence of a code, its values as the language writes them, what to do.

use super::localizer::Localizer;
use collie_core::user_error::{CAUSES, TextArg, UserError};
use fluent::FluentValue;

impl Localizer {
    /// What went wrong, in a sentence; further causes stand below it, a line each.
    pub fn error_text(&self, error: &UserError) -> String {
        let sentence = self.text(
            &format!("problem-{}", error.code.as_str()),
            &self.fluent_args(error),
        );
        match error.args.get(CAUSES) {
            Some(causes) => format!("{sentence}\n{}", self.arg_text(causes)),
            None => sentence,
        }
    }

    /// What can be done about it, a sentence each.
    pub fn error_hints(&self, error: &UserError) -> Vec<String> {
        let args = self.fluent_args(error);
        let hint_text = |hint: &str| self.text(&format!("problem-hint-{hint}"), &args);
        error
            .hints
            .iter()
            .map(|hint| hint_text(hint.as_str()))
            .collect()
    }

    fn fluent_args<'e>(&self, error: &'e UserError) -> Vec<(&'e str, FluentValue<'static>)> {
        (error.args.iter())
            .map(|(name, arg)| (name.as_str(), self.fluent_value(arg)))
            .collect()
    }

    /// A value as a text takes it up: a number stays one, so that the text can choose its plural.
    pub(super) fn fluent_value(&self, arg: &TextArg) -> FluentValue<'static> {
        match arg {
            TextArg::Number(number) => FluentValue::from(*number),
            other => FluentValue::from(self.arg_text(other)),
        }
    }

    fn arg_text(&self, arg: &TextArg) -> String {
        let unless_empty = |key: &str, words: &str| match words.is_empty() {
            true => String::new(),
            false => self.text(key, &[("words", words.to_owned().into())]),
        };
        match arg {
            TextArg::Text(text) => text.clone(),
            TextArg::Aside(words) => unless_empty("problem-aside", words),
            TextArg::Nearest(word) => unless_empty("problem-nearest", word),
            TextArg::Number(number) | TextArg::Count(number) => self.format_number(*number),
            TextArg::Cost(micros) => self.format_limit(*micros),
            TextArg::Time(time) => self.format_time_of_day(*time),
            TextArg::Millis(millis) => self.format_duration(*millis),
            TextArg::State(state) => self.state_name(*state),
            TextArg::Names(names) => self.format_names(names),
            TextArg::Key(key) => self.plain(key),
            TextArg::Place { name, line, key } => self.place_text(name.as_deref(), *line, key),
            TextArg::Cause(cause) => self.error_text(cause),
            TextArg::Causes(causes) => {
                let lines: Vec<String> =
                    causes.iter().map(|cause| self.error_text(cause)).collect();
                lines.join("\n")
            }
        }
    }

    /// A place in a configuration: file or variable, line, key.
    fn place_text(&self, name: Option<&str>, line: Option<u64>, key: &str) -> String {
        let mut place =
            name.map_or_else(|| self.plain("settings-place-together"), ToOwned::to_owned);
        if let Some(line) = line {
            let line = line.to_string();
            place = self.text(
                "settings-place-line",
                &[("place", place.into()), ("line", line.into())],
            );
        }
        if !key.is_empty() {
            place.push_str(&format!(", `{key}`"));
        }
        place
    }
}
