//! The anti-tamper gate (§6.3 b): whether a fix weakens what checks the pull request, as far as text tells.
//!
//! Tests are compared by name and by what they assert, so that moving or renaming one is no tampering; suppressions by
//! what they name; settings by what they say, comments left out. Workflows may not change at all.

mod assertions;
mod brackets;
mod bypass_marks;
mod compare;
mod line_counter;
mod path_rules;
mod patterns;
mod script_body;
mod settings;
mod source_text;
mod test_inventory;
mod test_item;

use collie_engine::ports::{Tamper, TamperLocation};
use path_rules::{GuardedConfig, guarded_config, is_test_file};
use source_text::{SourceLanguage, SourceText};
use std::collections::BTreeSet;

/// Prose: what it says of suppressions suppresses nothing.
const PROSE_EXTENSIONS: &[&str] = &[".md", ".mdx", ".txt", ".rst", ".adoc", ".html"];

/// What a fix did to one file that weakens what checks it. None stands for a file that is not there.
pub(crate) fn tampering(
    path: &str,
    before: Option<&str>,
    after: Option<&str>,
) -> Vec<TamperLocation> {
    if before == after {
        return Vec::new();
    }
    let location = |line, what| TamperLocation {
        path: path.to_string(),
        line,
        kind: what,
    };
    if before.is_some() && after.is_none() && is_test_file(path) {
        return vec![location(None, Tamper::DeletedTest)];
    }
    let mut found: BTreeSet<TamperLocation> = changed_guards(path, before, after)
        .into_iter()
        .map(|what| location(None, what))
        .collect();
    let language = SourceLanguage::of(path);
    let (before, after) = (before.unwrap_or_default(), after.unwrap_or_default());
    let (old, new) = (
        SourceText::new(language, before),
        SourceText::new(language, after),
    );
    let (old_code, new_code) = (old.code(), new.code());
    if is_test_file(path) && !is_blank(&old_code) && is_blank(&new_code) {
        return vec![location(None, Tamper::DeletedTest)];
    }
    let tests = compare::compare_tests(path, language, (&old, &old_code), (&new, &new_code));
    found.extend(tests.into_iter().map(|(line, what)| location(line, what)));

    let lines = added_skip_lines(path, language, (&old, &old_code), (&new, &new_code));
    found.extend(
        lines
            .into_iter()
            .map(|line| location(Some(line), Tamper::SkippedTest)),
    );

    if !PROSE_EXTENSIONS.iter().any(|ending| path.ends_with(ending)) {
        let suppressions = |text: &SourceText<'_>, code: &str| {
            bypass_marks::suppression_marks(language, text, code)
        };
        let lines = bypass_marks::added_mark_lines(
            &suppressions(&old, &old_code),
            &suppressions(&new, &new_code),
        );
        found.extend(
            lines
                .into_iter()
                .map(|line| location(Some(line), Tamper::Suppressed)),
        );
    }
    // A file that is gone as a whole needs no lints.
    if !after.is_empty() && lifts_denied_lint(language, &old_code, &new_code) {
        found.insert(location(None, Tamper::LinterSetting));
    }
    found.into_iter().collect()
}

/// Nothing but comments is left.
fn is_blank(code: &str) -> bool {
    code.trim().is_empty()
}

/// The lines that skip a test. One that never ran is not run less by a condition of its own.
fn added_skip_lines(
    path: &str,
    language: SourceLanguage,
    (old, old_code): (&SourceText<'_>, &str),
    (new, new_code): (&SourceText<'_>, &str),
) -> BTreeSet<u32> {
    let in_test = is_test_file(path);
    let skips =
        |text: &SourceText<'_>, code: &str| bypass_marks::skip_marks(language, in_test, text, code);
    let new_skips = skips(new, new_code);
    let mut lines = bypass_marks::added_mark_lines(&skips(old, old_code), &new_skips);
    if !lines.is_empty() {
        let conditional = bypass_marks::conditional_lines(&new_skips);
        let added = compare::new_test_lines(path, language, (old, old_code), (new, new_code));
        let of_new_test = |line: &u32| added.iter().any(|lines| lines.contains(line));
        lines.retain(|line| !(conditional.contains(line) && of_new_test(line)));
    }
    lines
}

fn lifts_denied_lint(language: SourceLanguage, old_code: &str, new_code: &str) -> bool {
    let denied = bypass_marks::denied_lints(language, new_code);
    !bypass_marks::denied_lints(language, old_code).is_subset(&denied)
}

/// A file that moved: what it was counts where it went, and what it guarded where it was.
pub(crate) fn tampering_by_move(
    old: &str,
    new: &str,
    before: &str,
    after: &str,
) -> Vec<TamperLocation> {
    let mut found = tampering(new, Some(before), Some(after));
    if guarded_config(old).is_some() || (is_test_file(old) && !is_test_file(new)) {
        found.extend(tampering(old, Some(before), None));
    }
    if guarded_config(new).is_some() {
        found.extend(tampering(new, None, Some(after)));
    }
    found.sort();
    found.dedup();
    found
}

/// Kinds of settings in the file that changed.
fn changed_guards(path: &str, before: Option<&str>, after: Option<&str>) -> BTreeSet<Tamper> {
    let whole = |what| {
        let same = significant_lines(path, before.unwrap_or_default())
            == significant_lines(path, after.unwrap_or_default());
        BTreeSet::from_iter((!same).then_some(what))
    };
    match guarded_config(path) {
        None => BTreeSet::new(),
        Some(GuardedConfig::Workflow) => BTreeSet::from([Tamper::Workflow]),
        Some(GuardedConfig::Linter) => whole(Tamper::LinterSetting),
        Some(GuardedConfig::Coverage) => whole(Tamper::CoverageSetting),
        Some(GuardedConfig::Shared(kind)) => {
            settings::changed_settings(kind, before.unwrap_or_default(), after.unwrap_or_default())
        }
    }
}

/// The lines of a settings file that say something.
fn significant_lines(path: &str, text: &str) -> Vec<String> {
    let language = match SourceLanguage::of(path) {
        SourceLanguage::Other => SourceLanguage::HashComments,
        known => known,
    };
    SourceText::new(language, text)
        .without_comments()
        .lines()
        .map(|line| line.trim_end().to_string())
        .filter(|line| !line.is_empty())
        .collect()
}

#[cfg(test)]
mod tests;
