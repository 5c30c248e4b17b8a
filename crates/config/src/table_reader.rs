//! Reads a TOML table key by key, remembering which keys were asked for: whatever is left is unknown.

use super::error_kind::ConfigErrorKind;
use super::problem::{ConfigError, ConfigProblem, ConfigSource, nearest};
use std::collections::BTreeMap;
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A file's text and name, and what was found wrong with it so far.
pub(crate) struct TomlFile<'t> {
    pub(crate) name: &'t str,
    pub(crate) text: &'t str,
    problems: Vec<(usize, ConfigProblem)>,
}

impl<'t> TomlFile<'t> {
    /// Parses the whole text. A text that is no TOML is one problem.
    pub(crate) fn parse(
        name: &'t str,
        text: &'t str,
    ) -> Result<(Self, Spanned<DeTable<'t>>), ConfigError> {
        let mut file = Self {
            name,
            text,
            problems: Vec::new(),
        };
        match DeTable::parse(text) {
            Ok(table) => Ok((file, table)),
            Err(error) => {
                let at = error.span().map_or(0, |span| span.start);
                file.add_problem(
                    at,
                    "",
                    ConfigErrorKind::InvalidToml(error.message().replace('\n', ", ")),
                );
                Err(ConfigError {
                    problems: file
                        .problems
                        .into_iter()
                        .map(|(_, problem)| problem)
                        .collect(),
                })
            }
        }
    }

    /// Notes a problem at a byte of the text.
    pub(crate) fn add_problem(&mut self, at: usize, key: &str, kind: ConfigErrorKind) {
        let before = self
            .text
            .get(..at.min(self.text.len()))
            .unwrap_or(self.text);
        self.problems.push((
            at,
            ConfigProblem {
                source: ConfigSource::File(self.name.to_owned()),
                line: Some(before.matches('\n').count() + 1),
                key: key.to_owned(),
                kind,
            },
        ));
    }

    /// How many problems there are so far.
    pub(crate) fn problem_count(&self) -> usize {
        self.problems.len()
    }

    /// Ends the reading: all problems in the order of the text.
    pub(crate) fn finish(mut self) -> Vec<ConfigProblem> {
        self.problems.sort_by_key(|(at, _)| *at);
        self.problems
            .into_iter()
            .map(|(_, problem)| problem)
            .collect()
    }
}

/// A value with its place.
pub(crate) struct TomlEntry<'v, 't> {
    /// The key with the tables it lies in.
    pub(crate) key: String,
    /// The value.
    pub(crate) value: &'v DeValue<'t>,
    /// Where the value stands.
    pub(crate) span: Range<usize>,
}

/// One table, read key by key.
pub(crate) struct TableReader<'v, 't> {
    prefix: String,
    entries: BTreeMap<&'v str, (Range<usize>, &'v Spanned<DeValue<'t>>)>,
    requested_keys: Vec<&'static str>,
}

impl<'v, 't> TableReader<'v, 't> {
    /// Begins with a table; `prefix` is the table's own key, empty at the top.
    pub(crate) fn new(prefix: &str, table: &'v DeTable<'t>) -> Self {
        let entries = table
            .iter()
            .map(|(key, value)| (key.get_ref().as_ref(), (key.span(), value)))
            .collect();
        Self {
            prefix: prefix.to_owned(),
            entries,
            requested_keys: Vec::new(),
        }
    }

    fn full_key(&self, key: &str) -> String {
        if self.prefix.is_empty() {
            key.to_owned()
        } else {
            format!("{}.{key}", self.prefix)
        }
    }

    /// Takes a key, if it is there.
    pub(crate) fn take(&mut self, key: &'static str) -> Option<TomlEntry<'v, 't>> {
        self.requested_keys.push(key);
        let (_, value) = self.entries.remove(key)?;
        Some(TomlEntry {
            key: self.full_key(key),
            value: value.get_ref(),
            span: value.span(),
        })
    }

    /// Takes a key and reads its value; a value that does not fit is a problem.
    pub(crate) fn read<T>(
        &mut self,
        file: &mut TomlFile<'_>,
        key: &'static str,
        reader: impl FnOnce(&DeValue<'_>) -> Result<T, ConfigErrorKind>,
    ) -> Option<T> {
        let entry = self.take(key)?;
        match reader(entry.value) {
            Ok(value) => Some(value),
            Err(kind) => {
                file.add_problem(entry.span.start, &entry.key, kind);
                None
            }
        }
    }

    /// Takes a key that has no place in this file, and says why.
    pub(crate) fn refuse(
        &mut self,
        file: &mut TomlFile<'_>,
        key: &'static str,
        kind: ConfigErrorKind,
    ) {
        if let Some((span, _)) = self.entries.remove(key) {
            let full = self.full_key(key);
            file.add_problem(span.start, &full, kind);
        }
    }

    /// Ends the table: every key that nobody asked for is unknown.
    pub(crate) fn finish(self, file: &mut TomlFile<'_>) {
        for (key, (span, _)) in &self.entries {
            let kind = match nearest(key, &self.requested_keys) {
                Some(name) => ConfigErrorKind::UnknownKeyNear(self.full_key(name)),
                None => ConfigErrorKind::UnknownKey(self.requested_keys.clone()),
            };
            file.add_problem(span.start, &self.full_key(key), kind);
        }
    }
}
