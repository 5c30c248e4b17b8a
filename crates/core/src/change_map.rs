//! A map of a change for people: its files, those first that are worth a look (§8.1).

use crate::coverage::{Coverage, UnseenReason};
use crate::finding::{Finding, Priority};
use crate::snapshot::{ChangedFile, FileChange};
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// As many uses are kept: what nobody can read on a drawing helps nobody.
pub const MAX_FILE_USES: usize = 16;
/// As many files are on the map; the others are counted.
pub const MAX_MAPPED_FILES: usize = 20;

/// The files of a change, the most important first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default)]
pub struct ChangeMap {
    /// The first of them.
    pub files: Vec<MappedFile>,
    /// All of them.
    pub count: u32,
    /// Lines that all of them gained.
    pub additions: u64,
    /// Lines that all of them lost.
    pub deletions: u64,
    /// Which files use what the change touches, changed ones and others.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub uses: BTreeSet<FileUse>,
}

/// A file that uses something of a changed one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct FileUse {
    /// The changed file.
    pub used: String,
    /// The file that uses it.
    pub user: String,
    /// The function, type or the like; empty where only the files are known.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub symbol: String,
}

/// A file on the map.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct MappedFile {
    /// Its path at the head; of a removed file, its last.
    pub path: String,
    /// How it changed.
    pub change: FileChange,
    /// Lines that it gained.
    pub additions: u32,
    /// Lines that it lost.
    pub deletions: u32,
    /// The gravest finding in it, and how many there are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub findings: Option<(Priority, u32)>,
    /// Why nobody was shown all of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unseen: Option<UnseenReason>,
}

/// What sort of file it is, in the order in which people look at them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum FileRole {
    Source,
    Test,
    Document,
    /// Lockfiles, binaries, what is generated: named only (§4.4).
    Named,
}

impl ChangeMap {
    /// Whether nothing is known of the change.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Lines that were gained or lost.
    pub fn lines(&self) -> u64 {
        self.additions + self.deletions
    }

    /// Puts the files in order: those with findings first, then those that nobody was shown, then by what sort of file it is, then by size.
    pub fn of(files: &[ChangedFile], findings: &[Finding], coverage: &Coverage) -> Self {
        let mut found: BTreeMap<&str, (Priority, u32)> = BTreeMap::new();
        for finding in findings {
            let of_file = found.entry(&finding.file).or_insert((finding.priority, 0));
            *of_file = (of_file.0.min(finding.priority), of_file.1 + 1);
        }
        let unseen: BTreeMap<&str, UnseenReason> = coverage
            .unseen
            .iter()
            .map(|file| (file.path.as_str(), file.reason))
            .collect();
        let mut mapped: Vec<MappedFile> = files
            .iter()
            .map(|file| MappedFile {
                path: file.path.clone(),
                change: file.change,
                additions: file.additions,
                deletions: file.deletions,
                findings: found.get(file.path.as_str()).copied(),
                unseen: unseen.get(file.path.as_str()).copied(),
            })
            .collect();
        mapped.sort_by_cached_key(|file| {
            let needs_look = file.unseen.is_some_and(UnseenReason::needs_look);
            (
                file.findings.map_or(4, |(priority, _)| priority as u8),
                !needs_look,
                role(file),
                Reverse(u64::from(file.additions) + u64::from(file.deletions)),
                file.path.clone(),
            )
        });
        mapped.truncate(MAX_MAPPED_FILES);
        let sum = |of: fn(&ChangedFile) -> u32| files.iter().map(|file| u64::from(of(file))).sum();
        Self {
            files: mapped,
            count: u32::try_from(files.len()).unwrap_or(u32::MAX),
            additions: sum(|file| file.additions),
            deletions: sum(|file| file.deletions),
            uses: BTreeSet::new(),
        }
    }

    /// With what reviewers found of who uses what: of changed files alone, and no more than can be drawn.
    pub fn with_uses<'a>(mut self, found: impl Iterator<Item = &'a FileUse>) -> Self {
        let changed: BTreeSet<&str> = self.files.iter().map(|file| file.path.as_str()).collect();
        let of_change =
            |one: &&FileUse| changed.contains(one.used.as_str()) && one.user != one.used;
        let uses: BTreeSet<&FileUse> = found.filter(of_change).collect();
        self.uses = uses.into_iter().take(MAX_FILE_USES).cloned().collect();
        self
    }
}

/// What sort of file it is, by its path.
fn role(file: &MappedFile) -> FileRole {
    if file.unseen.is_some_and(|reason| !reason.needs_look()) {
        return FileRole::Named;
    }
    let path = file.path.to_ascii_lowercase();
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", &path));
    let (stem, ending) = name.rsplit_once('.').unwrap_or((name, ""));
    let of_tests = |word: &str| matches!(word, "test" | "tests" | "spec" | "specs");
    let in_tests = folders
        .split('/')
        .any(|folder| of_tests(folder.trim_matches('_')));
    if in_tests || stem.split(['.', '_', '-']).any(of_tests) {
        return FileRole::Test;
    }
    let in_docs = folders
        .split('/')
        .any(|folder| matches!(folder, "doc" | "docs"));
    match ending {
        "md" | "mdx" | "rst" | "txt" | "adoc" => FileRole::Document,
        _ if in_docs => FileRole::Document,
        _ => FileRole::Source,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coverage::UnseenFile;
    use crate::test_support::finding;

    fn file(path: &str, additions: u32, deletions: u32) -> ChangedFile {
        ChangedFile {
            path: path.into(),
            change: FileChange::Modified,
            additions,
            deletions,
        }
    }

    fn in_file(path: &str, priority: Priority) -> Finding {
        Finding {
            priority,
            ..finding(path, "correctness", "x")
        }
    }

    #[test]
    fn what_matters_comes_first() {
        let files = [
            file("Cargo.lock", 900, 800),
            file("README.md", 50, 0),
            file("docs/diagram.svg", 70, 0),
            file("src/a.rs", 5, 1),
            file("src/b.rs", 1, 40),
            file("src/c.rs", 1, 0),
            file("src/huge.rs", 20_000, 0),
            file("src/huge_test.rs", 300, 0),
            file("tests/it.rs", 30, 0),
            file("web/a.spec.ts", 20, 0),
            file("latest/contest.rs", 2, 0),
        ];
        let findings = [
            in_file("src/c.rs", Priority::P2),
            in_file("src/c.rs", Priority::P1),
            in_file("tests/it.rs", Priority::P3),
            in_file("", Priority::P0),
        ];
        let unseen = |path: &str, reason| UnseenFile {
            path: path.into(),
            reason,
        };
        let coverage = Coverage {
            unseen: vec![
                unseen("Cargo.lock", UnseenReason::Lockfile),
                unseen("src/huge.rs", UnseenReason::TooLarge),
            ],
            ..Coverage::default()
        };
        let map = ChangeMap::of(&files, &findings, &coverage);
        let paths: Vec<&str> = map.files.iter().map(|file| file.path.as_str()).collect();
        assert_eq!(
            paths,
            [
                "src/c.rs",
                "tests/it.rs",
                "src/huge.rs",
                "src/b.rs",
                "src/a.rs",
                "latest/contest.rs",
                "src/huge_test.rs",
                "web/a.spec.ts",
                "docs/diagram.svg",
                "README.md",
                "Cargo.lock",
            ]
        );
        assert_eq!(map.files[0].findings, Some((Priority::P1, 2)));
        assert_eq!((map.count, map.additions, map.deletions), (11, 21_379, 841));
        let mut backwards = files.to_vec();
        backwards.reverse();
        assert_eq!(ChangeMap::of(&backwards, &findings, &coverage), map);
    }

    #[test]
    fn uses_are_of_changed_files_each_once_and_no_more_than_can_be_drawn() {
        let of = |used: &str, user: &str| FileUse {
            used: used.into(),
            user: user.into(),
            symbol: "load".into(),
        };
        let map = || ChangeMap::of(&[file("a.py", 1, 0)], &[], &Coverage::default());
        let found = [
            of("a.py", "b.py"),
            of("a.py", "b.py"),
            of("a.py", "a.py"),
            of("b.py", "c.py"),
        ];
        let uses: Vec<FileUse> = map().with_uses(found.iter()).uses.into_iter().collect();
        assert_eq!(uses, [of("a.py", "b.py")]);
        let many: Vec<FileUse> = (0..100).map(|n| of("a.py", &format!("f{n}.py"))).collect();
        assert_eq!(map().with_uses(many.iter()).uses.len(), MAX_FILE_USES);
    }

    #[test]
    fn a_map_is_bounded_and_counts_the_rest() {
        let files: Vec<ChangedFile> = (0..500).map(|n| file(&format!("f{n}"), n, 0)).collect();
        let map = ChangeMap::of(&files, &[], &Coverage::default());
        assert_eq!((map.files.len(), map.count), (MAX_MAPPED_FILES, 500));
        assert_eq!(map.files[0].path, "f499");
    }
}
