//! The repository's files around a change, as a short list.

use super::code_sanitizer::sanitized_code_text;
use super::material::Material;
use std::collections::{BTreeMap, BTreeSet};

/// The most entries of one folder.
const MAX_FOLDER_ENTRIES: usize = 40;

/// The top of the tree, and the folders of changed files with what lies beside them.
pub(super) fn file_tree(material: &Material) -> Vec<String> {
    let mut open: BTreeSet<&str> = BTreeSet::from([""]);
    for file in &material.files {
        let mut path = file.path.as_str();
        while let Some((folder, _)) = path.rsplit_once('/') {
            open.insert(folder);
            path = folder;
        }
    }
    let mut entries: BTreeMap<&str, BTreeMap<String, u32>> = BTreeMap::new();
    for path in &material.tree {
        let mut folder = "";
        loop {
            let rest = path[folder.len()..].trim_start_matches('/');
            let (entry, deeper) = match rest.split_once('/') {
                Some((sub, _)) => (format!("{sub}/"), true),
                None => (rest.to_string(), false),
            };
            let length = path.len() - rest.len() + entry.len();
            if open.contains(folder) {
                *entries.entry(folder).or_default().entry(entry).or_insert(0) += 1;
            }
            if !deeper || rest.is_empty() {
                break;
            }
            folder = &path[..length - 1];
            if !open.contains(folder) {
                break;
            }
        }
    }
    let mut rows = Vec::new();
    for (folder, inside) in &entries {
        rows.push(format!("{folder}/"));
        for (entry, files) in inside.iter().take(MAX_FOLDER_ENTRIES) {
            let opened = format!("{folder}/{}", entry.trim_end_matches('/'));
            if entry.ends_with('/') && !open.contains(opened.trim_start_matches('/')) {
                rows.push(format!("  {entry} ({files} files)"));
            } else {
                rows.push(format!("  {entry}"));
            }
        }
        if inside.len() > MAX_FOLDER_ENTRIES {
            rows.push(format!("  and {} more", inside.len() - MAX_FOLDER_ENTRIES));
        }
    }
    rows.iter()
        .map(|row| sanitized_code_text(row).replace('\n', " "))
        .collect()
}
