//! Reads the tables of a file: `[verify]`, `[[stages]]`, `[[bots]]`, `[[repositories]]`, `[desktop]`.

use super::desktop::WatchedRepository;
use super::models::{PERSONAS, is_name};
use super::problem::nearest;
use super::section::{Page, Section};
use super::values::{login, logins, repository, text, texts, truth};
use super::wrong::Wrong;
use collie_core::ids::{AccountId, Login};
use collie_core::policy::{KnownBot, ReviewerKind, ReviewerSpec, StageSpec};
use std::collections::BTreeSet;
use toml::de::DeTable;

/// Reads one table, if it is there; unknown keys in it are problems.
pub(crate) fn one<'v, 't>(
    page: &mut Page<'_>,
    top: &mut Section<'v, 't>,
    key: &'static str,
    read: impl FnOnce(&mut Page<'_>, &mut Section<'v, 't>),
) {
    let Some(entry) = top.take(key) else { return };
    match entry.value.as_table() {
        Some(table) => {
            let mut section = Section::new(&entry.key, table);
            read(page, &mut section);
            section.finish(page);
        }
        None => page.problem(entry.span.start, &entry.key, Wrong::NoTable(key)),
    }
}

/// Reads a list of tables, if it is there. Those with a problem are left out.
pub(crate) fn many<T>(
    page: &mut Page<'_>,
    top: &mut Section<'_, '_>,
    key: &'static str,
    mut read: impl FnMut(&mut Page<'_>, usize, &DeTable<'_>) -> Option<T>,
) -> Option<Vec<T>> {
    let entry = top.take(key)?;
    let all: Option<Vec<_>> = entry.value.as_array().and_then(|array| {
        array
            .iter()
            .map(|item| {
                item.get_ref()
                    .as_table()
                    .map(|table| (item.span().start, table))
            })
            .collect()
    });
    let Some(all) = all else {
        page.problem(entry.span.start, &entry.key, Wrong::NoTables(key));
        return None;
    };
    let read = all
        .into_iter()
        .filter_map(|(at, table)| read(page, at, table));
    Some(read.collect())
}

/// Reads the repositories; none may be listed twice.
pub(crate) fn repositories(
    page: &mut Page<'_>,
    top: &mut Section<'_, '_>,
) -> Option<Vec<WatchedRepository>> {
    let mut seen = BTreeSet::new();
    many(page, top, "repositories", |page, at, table| {
        let watched = watched(page, at, table)?;
        // GitHub's names know no case.
        if seen.insert(watched.name.to_string().to_ascii_lowercase()) {
            return Some(watched);
        }
        let wrong = Wrong::RepositoryTwice(watched.name.to_string());
        page.problem(at, "repositories", wrong);
        None
    })
}

fn watched(page: &mut Page<'_>, at: usize, table: &DeTable<'_>) -> Option<WatchedRepository> {
    let mut section = Section::new("repositories", table);
    let name = section.read(page, "name", repository);
    let enabled = section.read(page, "auto_pr_review_enabled", truth);
    let authors = section.read(page, "authors", logins);
    let labels = section.read(page, "labels", texts);
    let base_branches = section.read(page, "base_branches", texts);
    section.finish(page);
    if !has(table, "name") {
        page.problem(at, "repositories", Wrong::RepositoryUnnamed);
    }
    Some(WatchedRepository {
        name: name?,
        auto_pr_review_enabled: enabled.unwrap_or(false),
        authors: authors.unwrap_or_default(),
        labels: labels.unwrap_or_default(),
        base_branches: base_branches.unwrap_or_default(),
    })
}

fn has(table: &DeTable<'_>, wanted: &str) -> bool {
    table.iter().any(|(key, _)| key.get_ref() == wanted)
}

/// Reads a bot.
pub(crate) fn bot(page: &mut Page<'_>, at: usize, table: &DeTable<'_>) -> Option<KnownBot> {
    let mut section = Section::new("bots", table);
    let id = section.read(page, "id", |value| {
        let id = value
            .as_integer()
            .and_then(|n| n.as_str().replace('_', "").parse().ok());
        id.filter(|id| *id > 0).ok_or(Wrong::NoAccount)
    });
    let name = section.read(page, "login", |value| login(&text(value)?));
    let shown = section.read(page, "name", text);
    let reviews = section.read(page, "reviews", truth).unwrap_or(true);
    section.finish(page);
    if !has(table, "id") || !has(table, "login") {
        page.problem(at, "bots", Wrong::BotIncomplete);
    }
    let (id, login) = (id?, name?);
    let name = shown.unwrap_or_else(|| login.as_str().to_owned());
    Some(KnownBot {
        id: AccountId(id),
        login,
        name,
        reviews,
    })
}

/// Reads a stage.
pub(crate) fn stage(page: &mut Page<'_>, at: usize, table: &DeTable<'_>) -> Option<StageSpec> {
    let mut section = Section::new("stages", table);
    let reviewers = section.read(page, "reviewers", |value| {
        let names = texts(value)?;
        if names.is_empty() || names.len() > 5 {
            return Err(Wrong::StageSize(names.len()));
        }
        names
            .iter()
            .map(|name| reviewer(name))
            .collect::<Result<Vec<_>, _>>()
    });
    section.finish(page);
    if table.is_empty() {
        page.problem(at, "stages", Wrong::StageEmpty);
    }
    let reviewers = reviewers?;
    let names: BTreeSet<&str> = reviewers.iter().map(|r| r.name.as_str()).collect();
    if names.len() < reviewers.len() {
        page.problem(at, "stages.reviewers", Wrong::ReviewerTwice);
        return None;
    }
    Some(StageSpec { reviewers })
}

/// The shipped reviewer that was probably meant, where a name is nearly one.
fn near_miss(name: &str) -> Option<&'static str> {
    let mut shipped = vec!["rules"];
    shipped.extend(PERSONAS);
    let meant = nearest(name, &shipped)?;
    (meant != name).then_some(meant)
}

fn reviewer(name: &str) -> Result<ReviewerSpec, Wrong> {
    let (name, kind) = match name.strip_prefix('@') {
        Some(person) => {
            let person: Login = login(person)?;
            (person.as_str().to_owned(), ReviewerKind::Human)
        }
        None if name == "rules" => ("rules".to_owned(), ReviewerKind::Rules),
        None if is_name(name) && near_miss(name).is_none() => {
            (name.to_owned(), ReviewerKind::Agent)
        }
        None => {
            return Err(Wrong::NoReviewer {
                name: name.to_owned(),
                near: near_miss(name),
            });
        }
    };
    Ok(ReviewerSpec {
        name,
        kind,
        may_escalate_to: BTreeSet::new(),
    })
}
