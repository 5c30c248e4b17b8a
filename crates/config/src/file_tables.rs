//! Reads the tables of a file: `[verify]`, `[[stages]]`, `[[bots]]`, `[[repositories]]`, `[desktop]`.

use super::desktop::WatchedRepository;
use super::error_kind::ConfigErrorKind;
use super::models::{PERSONAS, is_name};
use super::problem::nearest;
use super::table_reader::{TableReader, TomlFile};
use super::values::{
    AUTONOMY, boolean, logins, one_of, parse_login, pull_numbers, repositories, repository, string,
    strings,
};
use collie_core::ids::{AccountId, Login};
use collie_core::policy::{KnownBot, ReviewerKind, ReviewerSpec, StageSpec};
use std::collections::BTreeSet;
use toml::de::DeTable;

/// Reads one table, if it is there; unknown keys in it are problems.
pub(crate) fn read_table<'v, 't>(
    file: &mut TomlFile<'_>,
    top: &mut TableReader<'v, 't>,
    key: &'static str,
    read: impl FnOnce(&mut TomlFile<'_>, &mut TableReader<'v, 't>),
) {
    let Some(entry) = top.take(key) else { return };
    match entry.value.as_table() {
        Some(table) => {
            let mut section = TableReader::new(&entry.key, table);
            read(file, &mut section);
            section.finish(file);
        }
        None => file.add_problem(
            entry.span.start,
            &entry.key,
            ConfigErrorKind::NotATable(key),
        ),
    }
}

/// Reads a list of tables, if it is there. Those with a problem are left out.
pub(crate) fn read_tables<T>(
    file: &mut TomlFile<'_>,
    top: &mut TableReader<'_, '_>,
    key: &'static str,
    mut read: impl FnMut(&mut TomlFile<'_>, usize, &DeTable<'_>) -> Option<T>,
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
        file.add_problem(
            entry.span.start,
            &entry.key,
            ConfigErrorKind::NotAnArrayOfTables(key),
        );
        return None;
    };
    let read = all
        .into_iter()
        .filter_map(|(at, table)| read(file, at, table));
    Some(read.collect())
}

/// Reads the repositories; none may be listed twice.
pub(crate) fn read_repositories(
    file: &mut TomlFile<'_>,
    top: &mut TableReader<'_, '_>,
) -> Option<Vec<WatchedRepository>> {
    let mut seen = BTreeSet::new();
    read_tables(file, top, "repositories", |file, at, table| {
        let watched = read_repository(file, at, table)?;
        // GitHub's names know no case.
        if seen.insert(watched.name.to_string().to_ascii_lowercase()) {
            return Some(watched);
        }
        let kind = ConfigErrorKind::DuplicateRepository(watched.name.to_string());
        file.add_problem(at, "repositories", kind);
        None
    })
}

fn read_repository(
    file: &mut TomlFile<'_>,
    at: usize,
    table: &DeTable<'_>,
) -> Option<WatchedRepository> {
    let mut section = TableReader::new("repositories", table);
    let name = section.read(file, "name", repository);
    let enabled = section.read(file, "auto_pr_review_enabled", boolean);
    let authors = section.read(file, "authors", logins);
    let labels = section.read(file, "labels", strings);
    let base_branches = section.read(file, "base_branches", strings);
    let unsandboxed = section.read(file, "unsandboxed", boolean);
    let read_from = section.read(file, "read_from", repositories);
    let except = section.read(file, "except", pull_numbers);
    let autonomy = section.read(file, "autonomy", one_of(AUTONOMY));
    section.finish(file);
    if !has_key(table, "name") {
        file.add_problem(at, "repositories", ConfigErrorKind::RepositoryUnnamed);
    }
    Some(WatchedRepository {
        name: name?,
        auto_pr_review_enabled: enabled.unwrap_or(false),
        authors: authors.unwrap_or_default(),
        labels: labels.unwrap_or_default(),
        base_branches: base_branches.unwrap_or_default(),
        unsandboxed: unsandboxed.unwrap_or(false),
        read_from: read_from.unwrap_or_default(),
        autonomy,
        except: except.unwrap_or_default(),
    })
}

fn has_key(table: &DeTable<'_>, wanted: &str) -> bool {
    table.iter().any(|(key, _)| key.get_ref() == wanted)
}

/// Reads a bot.
pub(crate) fn read_bot(
    file: &mut TomlFile<'_>,
    at: usize,
    table: &DeTable<'_>,
) -> Option<KnownBot> {
    let mut section = TableReader::new("bots", table);
    let id = section.read(file, "id", |value| {
        let id = value
            .as_integer()
            .and_then(|n| n.as_str().replace('_', "").parse().ok());
        id.filter(|id| *id > 0)
            .ok_or(ConfigErrorKind::InvalidAccountId)
    });
    let name = section.read(file, "login", |value| parse_login(&string(value)?));
    let display_name = section.read(file, "name", string);
    let reviews = section.read(file, "reviews", boolean).unwrap_or(true);
    section.finish(file);
    if !has_key(table, "id") || !has_key(table, "login") {
        file.add_problem(at, "bots", ConfigErrorKind::BotIncomplete);
    }
    let (id, login) = (id?, name?);
    let name = display_name.unwrap_or_else(|| login.as_str().to_owned());
    Some(KnownBot {
        id: AccountId(id),
        login,
        name,
        reviews,
    })
}

/// Reads a stage.
pub(crate) fn read_stage(
    file: &mut TomlFile<'_>,
    at: usize,
    table: &DeTable<'_>,
) -> Option<StageSpec> {
    let mut section = TableReader::new("stages", table);
    let reviewers = section.read(file, "reviewers", |value| {
        let names = strings(value)?;
        if names.is_empty() || names.len() > 5 {
            return Err(ConfigErrorKind::StageSize(names.len()));
        }
        names
            .iter()
            .map(|name| parse_reviewer(name))
            .collect::<Result<Vec<_>, _>>()
    });
    section.finish(file);
    if table.is_empty() {
        file.add_problem(at, "stages", ConfigErrorKind::StageEmpty);
    }
    let reviewers = reviewers?;
    let names: BTreeSet<&str> = reviewers
        .iter()
        .map(|reviewer| reviewer.name.as_str())
        .collect();
    if names.len() < reviewers.len() {
        file.add_problem(at, "stages.reviewers", ConfigErrorKind::DuplicateReviewer);
        return None;
    }
    Some(StageSpec { reviewers })
}

/// The shipped reviewer that was probably meant, where a name is nearly one.
fn probable_reviewer(name: &str) -> Option<&'static str> {
    let mut shipped = vec!["rules"];
    shipped.extend(PERSONAS);
    let meant = nearest(name, &shipped)?;
    (meant != name).then_some(meant)
}

fn parse_reviewer(name: &str) -> Result<ReviewerSpec, ConfigErrorKind> {
    let (name, kind) = match name.strip_prefix('@') {
        Some(person) => {
            let person: Login = parse_login(person)?;
            (person.as_str().to_owned(), ReviewerKind::Human)
        }
        None if name == "rules" => ("rules".to_owned(), ReviewerKind::Rules),
        None if is_name(name) && probable_reviewer(name).is_none() => {
            (name.to_owned(), ReviewerKind::Agent)
        }
        None => {
            return Err(ConfigErrorKind::UnknownReviewer {
                name: name.to_owned(),
                near: probable_reviewer(name),
            });
        }
    };
    Ok(ReviewerSpec {
        name,
        kind,
        may_escalate_to: BTreeSet::new(),
    })
}
