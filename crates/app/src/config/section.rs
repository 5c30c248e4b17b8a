//! Reads a TOML table key by key, remembering which keys were asked for: whatever is left is unknown.

use super::problem::{ConfigError, Problem, Source, nearest};
use super::wrong::Wrong;
use std::collections::BTreeMap;
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A file's text and name, and what was found wrong with it so far.
pub(crate) struct Page<'t> {
    pub(crate) name: &'t str,
    pub(crate) text: &'t str,
    problems: Vec<(usize, Problem)>,
}

impl<'t> Page<'t> {
    /// Parses the whole text. A text that is no TOML is one problem.
    pub(crate) fn parse(
        name: &'t str,
        text: &'t str,
    ) -> Result<(Self, Spanned<DeTable<'t>>), ConfigError> {
        let mut page = Self {
            name,
            text,
            problems: Vec::new(),
        };
        match DeTable::parse(text) {
            Ok(table) => Ok((page, table)),
            Err(error) => {
                let at = error.span().map_or(0, |span| span.start);
                page.problem(at, "", Wrong::NoToml(error.message().replace('\n', ", ")));
                Err(ConfigError {
                    problems: page.problems.into_iter().map(|(_, p)| p).collect(),
                })
            }
        }
    }

    /// Notes a problem at a byte of the text.
    pub(crate) fn problem(&mut self, at: usize, key: &str, wrong: Wrong) {
        let before = self
            .text
            .get(..at.min(self.text.len()))
            .unwrap_or(self.text);
        self.problems.push((
            at,
            Problem {
                source: Source::File(self.name.to_owned()),
                line: Some(before.matches('\n').count() + 1),
                key: key.to_owned(),
                wrong,
            },
        ));
    }

    /// Ends the reading: all problems in the order of the text.
    pub(crate) fn finish(mut self) -> Vec<Problem> {
        self.problems.sort_by_key(|(at, _)| *at);
        self.problems.into_iter().map(|(_, p)| p).collect()
    }
}

/// A value with its place.
pub(crate) struct Entry<'v, 't> {
    /// The key with the tables it lies in.
    pub(crate) key: String,
    /// The value.
    pub(crate) value: &'v DeValue<'t>,
    /// Where the value stands.
    pub(crate) span: Range<usize>,
}

/// One table, read key by key.
pub(crate) struct Section<'v, 't> {
    prefix: String,
    entries: BTreeMap<&'v str, (Range<usize>, &'v Spanned<DeValue<'t>>)>,
    known: Vec<&'static str>,
}

impl<'v, 't> Section<'v, 't> {
    /// Begins with a table; `prefix` is the table's own key, empty at the top.
    pub(crate) fn new(prefix: &str, table: &'v DeTable<'t>) -> Self {
        let entries = table
            .iter()
            .map(|(key, value)| (key.get_ref().as_ref(), (key.span(), value)))
            .collect();
        Self {
            prefix: prefix.to_owned(),
            entries,
            known: Vec::new(),
        }
    }

    fn full(&self, key: &str) -> String {
        if self.prefix.is_empty() {
            key.to_owned()
        } else {
            format!("{}.{key}", self.prefix)
        }
    }

    /// Takes a key, if it is there.
    pub(crate) fn take(&mut self, key: &'static str) -> Option<Entry<'v, 't>> {
        self.known.push(key);
        let (_, value) = self.entries.remove(key)?;
        Some(Entry {
            key: self.full(key),
            value: value.get_ref(),
            span: value.span(),
        })
    }

    /// Takes a key and reads its value; a value that does not fit is a problem.
    pub(crate) fn read<T>(
        &mut self,
        page: &mut Page<'_>,
        key: &'static str,
        reader: impl FnOnce(&DeValue<'_>) -> Result<T, Wrong>,
    ) -> Option<T> {
        let entry = self.take(key)?;
        match reader(entry.value) {
            Ok(value) => Some(value),
            Err(wrong) => {
                page.problem(entry.span.start, &entry.key, wrong);
                None
            }
        }
    }

    /// Takes a key that has no place in this file, and says why.
    pub(crate) fn refuse(&mut self, page: &mut Page<'_>, key: &'static str, why: Wrong) {
        if let Some((span, _)) = self.entries.remove(key) {
            let full = self.full(key);
            page.problem(span.start, &full, why);
        }
    }

    /// Ends the table: every key that nobody asked for is unknown.
    pub(crate) fn finish(self, page: &mut Page<'_>) {
        for (key, (span, _)) in &self.entries {
            let wrong = match nearest(key, &self.known) {
                Some(name) => Wrong::UnknownKeyNear(self.full(name)),
                None => Wrong::UnknownKey(self.known.clone()),
            };
            page.problem(span.start, &self.full(key), wrong);
        }
    }
}
