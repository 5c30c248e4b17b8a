//! Which linters look at a change.

use std::collections::BTreeSet;

use crate::config::{FoundConfig, find_configs, key_files};
use crate::table::{Linter, Scope, Targets, glob_set, known_linters};

/// A linter that the base configures, and the changed files that it looks at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SelectedLinter {
    /// The linter.
    pub linter: &'static Linter,
    /// The changed files, in the order in which they were given.
    pub files: Vec<String>,
    /// What its configuration flag names, relative to the root.
    configs: Vec<String>,
}

/// Selects the linters that the base configures and that look at a changed file. `base_paths` are
/// all paths at the base, `read` gives the text of one of them, `changed` are the changed files
/// that the head has. A configuration in a folder counts for the files below it.
#[must_use]
pub fn select(
    base_paths: &[String],
    read: &dyn Fn(&str) -> Option<String>,
    changed: &[String],
) -> Vec<SelectedLinter> {
    known_linters()
        .iter()
        .filter_map(|linter| select_one(linter, base_paths, read, changed))
        .collect()
}

/// The files of the base whose text `select` may ask for.
#[must_use]
pub fn files_to_read(base_paths: &[String]) -> Vec<String> {
    let files: BTreeSet<&String> = known_linters()
        .iter()
        .flat_map(|linter| key_files(linter, base_paths))
        .collect();
    files.into_iter().cloned().collect()
}

fn select_one(
    linter: &'static Linter,
    base_paths: &[String],
    read: &dyn Fn(&str) -> Option<String>,
    changed: &[String],
) -> Option<SelectedLinter> {
    let globs = glob_set(linter.files.iter().map(String::as_str));
    let candidates: Vec<&String> = changed
        .iter()
        .filter(|path| is_plain(path) && globs.is_match(path))
        .collect();
    let has_needs = linter.needs.is_empty()
        || linter
            .needs
            .iter()
            .any(|needed| base_paths.contains(needed));
    if candidates.is_empty() || !has_needs {
        return None;
    }
    let found = find_configs(linter, base_paths, read);
    let files: Vec<String> = candidates
        .into_iter()
        .filter(|path| found.iter().any(|config| is_below(path, &config.folder)))
        .cloned()
        .collect();
    (!files.is_empty()).then(|| SelectedLinter {
        linter,
        files,
        configs: named_configs(linter, &found),
    })
}

/// Says whether a path stays below the root and can be an argument.
fn is_plain(path: &str) -> bool {
    !path.contains('\0')
        && path
            .split('/')
            .all(|part| !part.is_empty() && part != "." && part != "..")
}

fn is_below(path: &str, folder: &str) -> bool {
    folder.is_empty()
        || path
            .strip_prefix(folder)
            .is_some_and(|rest| rest.starts_with('/'))
}

/// What the configuration flag names: each configuration, or its folder.
fn named_configs(linter: &Linter, found: &[FoundConfig]) -> Vec<String> {
    let mut named: Vec<String> = Vec::new();
    for config in found {
        let folder = linter.config_folder.as_deref();
        let name = folder
            .filter(|folder| is_below(&config.path, folder))
            .unwrap_or(&config.path);
        if !named.iter().any(|other| other == name) {
            named.push(name.to_owned());
        }
    }
    named
}

impl SelectedLinter {
    /// The arguments after the program's name. Files come last, behind `--`, and start with `./`:
    /// none of them can be taken for an option, a pattern or a list of arguments.
    #[must_use]
    pub fn args(&self) -> Vec<String> {
        let mut args = self.linter.args.clone();
        if let Some(flag) = &self.linter.config_flag {
            let flags = self.configs.iter().map(|path| format!("{flag}=./{path}"));
            args.extend(flags);
        }
        let targets = self.targets();
        if !targets.is_empty() {
            args.push("--".to_owned());
        }
        args.extend(targets);
        args
    }

    /// What the linter is told to look at.
    fn targets(&self) -> Vec<String> {
        let files = self.files.iter();
        match (self.linter.scope, self.linter.targets) {
            (Scope::Files, _) => files.map(|path| format!("./{path}")).collect(),
            (Scope::Project, Targets::None) => Vec::new(),
            (Scope::Project, Targets::Folders) => {
                let folders: BTreeSet<String> = files
                    .map(|path| match path.rsplit_once('/') {
                        Some((folder, _)) => format!("./{folder}"),
                        None => ".".to_owned(),
                    })
                    .collect();
                folders.into_iter().collect()
            }
        }
    }

    /// The variables to set in the linter's environment.
    #[must_use]
    pub fn env(&self) -> Vec<(String, String)> {
        let pairs = self.linter.env.iter();
        pairs
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect()
    }

    /// Says whether an exit code means that the linter ran, with findings or without.
    #[must_use]
    pub fn ran(&self, exit_code: i32) -> bool {
        self.linter.exit_codes.contains(&exit_code)
    }
}
