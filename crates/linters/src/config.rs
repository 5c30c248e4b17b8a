//! The files that configure linters.

use std::sync::LazyLock;

use globset::GlobSet;

use crate::table::{ConfigKey, KNOWN, Linter, glob_set};

/// Of the files that a key is looked for in, the one that the head keeps: with new dependencies it
/// would not build otherwise.
const KEPT_AT_HEAD: &str = "Cargo.toml";

static CONFIGS: LazyLock<GlobSet> = LazyLock::new(|| {
    let linters = &KNOWN.linter;
    let configs = linters.iter().flat_map(|linter| &linter.configs);
    let keys = linters.iter().flat_map(|linter| &linter.keys);
    let files = keys
        .map(|key| &key.file)
        .filter(|file| *file != KEPT_AT_HEAD);
    let folders = linters.iter().filter_map(|one| one.config_folder.as_ref());
    let patterns: Vec<String> = configs
        .chain(files)
        .chain(&KNOWN.related)
        .map(|name| format!("**/{name}"))
        .chain(folders.map(|folder| format!("**/{folder}/**")))
        .collect();
    glob_set(patterns.iter().map(String::as_str))
});

/// Says whether a file of a repository may be part of a linter's configuration, which must come
/// from the base. `path` is relative, with `/`. `Cargo.toml` is not among them.
#[must_use]
pub fn is_linter_config(path: &str) -> bool {
    CONFIGS.is_match(path)
}

/// A configuration that the base has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FoundConfig {
    /// The file.
    pub(crate) path: String,
    /// The folder that it counts for; empty for the root.
    pub(crate) folder: String,
}

/// The configurations of a linter at the base.
pub(crate) fn find_configs(
    linter: &Linter,
    base_paths: &[String],
    read: &dyn Fn(&str) -> Option<String>,
) -> Vec<FoundConfig> {
    let configs = glob_set(linter.configs.iter().map(String::as_str));
    let is_config = |path: &str, name: &str| {
        configs.is_match(name)
            || linter
                .keys
                .iter()
                .filter(|key| key.file == name)
                .any(|key| read(path).is_some_and(|text| has_key(name, &text, &key.key)))
    };
    base_paths
        .iter()
        .filter_map(|path| {
            let (folder, name) = place(linter, path);
            is_config(path, name).then(|| FoundConfig {
                path: path.clone(),
                folder: folder.to_owned(),
            })
        })
        .collect()
}

/// The files in which a linter's keys are looked for.
pub(crate) fn key_files<'a>(
    linter: &'a Linter,
    base_paths: &'a [String],
) -> impl Iterator<Item = &'a String> {
    let is_key_file = |path: &str| {
        let name = place(linter, path).1;
        linter.keys.iter().any(|key: &ConfigKey| key.file == name)
    };
    base_paths.iter().filter(move |path| is_key_file(path))
}

/// The folder that a configuration counts for, and its name below that folder. Where folders have
/// no configurations of their own, this is the root and the whole path.
fn place<'a>(linter: &Linter, path: &'a str) -> (&'a str, &'a str) {
    if linter.nested {
        path.rsplit_once('/').unwrap_or(("", path))
    } else {
        ("", path)
    }
}

/// Says whether a file has a key. A file that does not parse has none.
fn has_key(file: &str, text: &str, key: &str) -> bool {
    let mut parts = key.split('.');
    if file.ends_with(".json") {
        let Ok(value) = serde_json::from_str::<serde_json::Value>(text) else {
            return false;
        };
        parts
            .try_fold(&value, |value, part| value.get(part))
            .is_some()
    } else {
        let Ok(table) = toml::from_str::<toml::Table>(text) else {
            return false;
        };
        let value = toml::Value::Table(table);
        parts
            .try_fold(&value, |value, part| value.get(part))
            .is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn configurations_are_known_in_every_folder() {
        for path in [
            "ruff.toml",
            "a/.ruff.toml",
            "pyproject.toml",
            "a/b/package.json",
            "setup.cfg",
            "tox.ini",
            "eslint.config.mjs",
            "a/.eslintrc",
            ".eslintrc.cjs",
            "biome.jsonc",
            ".oxlintrc.json",
            "oxlint.config.ts",
            "crates/a/clippy.toml",
            ".golangci.yaml",
            ".semgrep.yml",
            ".semgrep/rules/a.yml",
            ".semgrep/a.py",
            ".semgrepignore",
            "a/.cargo/config.toml",
            ".github/actionlint.yaml",
            ".shellcheckrc",
            "Ruff.TOML",
        ] {
            assert!(is_linter_config(path), "{path}");
        }
        for path in [
            "Cargo.toml",
            "src/ruff.py",
            "eslint.config.md",
            "a.eslintrc.json",
            ".github/workflows/ci.yml",
            "",
            "/",
        ] {
            assert!(!is_linter_config(path), "{path}");
        }
    }

    #[test]
    fn a_key_is_found_in_json_and_toml() {
        let toml = "[tool.ruff.lint]\nselect = []\n";
        assert!(has_key("pyproject.toml", toml, "tool.ruff"));
        assert!(!has_key("pyproject.toml", "[tool.ruffian]\n", "tool.ruff"));
        assert!(!has_key("pyproject.toml", "# [tool.ruff]\n", "tool.ruff"));
        assert!(!has_key("pyproject.toml", "[tool.ruff", "tool.ruff"));
        let json = "{\"eslintConfig\": {}}";
        assert!(has_key("package.json", json, "eslintConfig"));
        assert!(!has_key("package.json", "{}", "eslintConfig"));
        assert!(!has_key("package.json", "[", "eslintConfig"));
    }
}
