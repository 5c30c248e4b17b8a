//! The anti-tamper gate (§6.3 b): whether a fix weakens what checks the pull request, as far as text tells.
//!
//! Tests are compared by name and by what they assert, so that moving or renaming one is no tampering; suppressions by
//! what they name; settings by what they say, comments left out. Workflows may not change at all.

mod brackets;
mod census;
mod claims;
mod compare;
mod marks;
mod paths;
mod settings;
mod text;

use collie_engine::ports::{Tamper, TamperPlace};
use paths::{Guard, guard, is_test};
use std::collections::BTreeSet;
use text::{Language, Text};

/// Prose: what it says of suppressions suppresses nothing.
const PROSE: &[&str] = &[".md", ".mdx", ".txt", ".rst", ".adoc", ".html"];

/// What a fix did to one file that weakens what checks it. None stands for a file that is not there.
pub(crate) fn tampering(path: &str, before: Option<&str>, after: Option<&str>) -> Vec<TamperPlace> {
    if before == after {
        return Vec::new();
    }
    let place = |line, what| TamperPlace {
        path: path.to_string(),
        line,
        what,
    };
    if before.is_some() && after.is_none() && is_test(path) {
        return vec![place(None, Tamper::DeletedTest)];
    }
    let mut found: BTreeSet<TamperPlace> = guarded(path, before, after)
        .into_iter()
        .map(|what| place(None, what))
        .collect();
    let language = Language::of(path);
    let (before, after) = (before.unwrap_or_default(), after.unwrap_or_default());
    let (old, new) = (Text::new(language, before), Text::new(language, after));
    let (old_code, new_code) = (old.code(), new.code());
    let tests = compare::tests(path, language, (&old, &old_code), (&new, &new_code));
    found.extend(tests.into_iter().map(|(line, what)| place(line, what)));

    let in_test = is_test(path);
    let skips = |text: &Text<'_>, code: &str| marks::skips(language, in_test, text, code);
    let lines = marks::added(&skips(&old, &old_code), &skips(&new, &new_code));
    found.extend(
        lines
            .into_iter()
            .map(|line| place(Some(line), Tamper::SkippedTest)),
    );

    if !PROSE.iter().any(|ending| path.ends_with(ending)) {
        let looks_away = |text: &Text<'_>, code: &str| marks::suppressions(language, text, code);
        let lines = marks::added(&looks_away(&old, &old_code), &looks_away(&new, &new_code));
        found.extend(
            lines
                .into_iter()
                .map(|line| place(Some(line), Tamper::Suppressed)),
        );
    }
    let denied = marks::denials(language, &new_code);
    // A file that is gone as a whole needs no lints.
    if !after.is_empty() && !marks::denials(language, &old_code).is_subset(&denied) {
        found.insert(place(None, Tamper::LinterSetting));
    }
    found.into_iter().collect()
}

/// A file that moved: what it was counts where it went, and what it guarded where it was.
pub(crate) fn moved(old: &str, new: &str, before: &str, after: &str) -> Vec<TamperPlace> {
    let mut found = tampering(new, Some(before), Some(after));
    if guard(old).is_some() || (is_test(old) && !is_test(new)) {
        found.extend(tampering(old, Some(before), None));
    }
    if guard(new).is_some() {
        found.extend(tampering(new, None, Some(after)));
    }
    found.sort();
    found.dedup();
    found
}

/// Kinds of settings in the file that changed.
fn guarded(path: &str, before: Option<&str>, after: Option<&str>) -> BTreeSet<Tamper> {
    let whole = |what| {
        let same = told(path, before.unwrap_or_default()) == told(path, after.unwrap_or_default());
        BTreeSet::from_iter((!same).then_some(what))
    };
    match guard(path) {
        None => BTreeSet::new(),
        Some(Guard::Workflow) => BTreeSet::from([Tamper::Workflow]),
        Some(Guard::Linter) => whole(Tamper::LinterSetting),
        Some(Guard::Coverage) => whole(Tamper::CoverageSetting),
        Some(Guard::Shared(kind)) => {
            settings::changed(kind, before.unwrap_or_default(), after.unwrap_or_default())
        }
    }
}

/// The lines of a settings file that say something.
fn told(path: &str, text: &str) -> Vec<String> {
    let language = match Language::of(path) {
        Language::Other => Language::Hash,
        known => known,
    };
    Text::new(language, text)
        .without_notes()
        .lines()
        .map(|line| line.trim_end().to_string())
        .filter(|line| !line.is_empty())
        .collect()
}

#[cfg(test)]
mod tests;
