//! The sets that are built in.

use crate::case_set::{CaseSet, parse_set};
use crate::set_error::SetError;
use rust_embed::RustEmbed;

#[derive(RustEmbed)]
#[folder = "cases"]
struct EmbeddedCases;

/// Their names: small cases of our own, with their files; cases of public histories, which need clones.
pub const SHIPPED_SETS: [&str; 2] = ["shipped", "history"];

/// A set that is built in, if one has this name.
pub fn shipped_set(name: &str) -> Option<Result<CaseSet, SetError>> {
    if !SHIPPED_SETS.contains(&name) {
        return None;
    }
    let path = format!("{name}.toml");
    let file = EmbeddedCases::get(&path)?;
    Some(parse_set(&path, &String::from_utf8_lossy(&file.data)))
}

/// The files below a folder of the built-in cases, by their paths in it.
pub fn shipped_files(folder: &str) -> Vec<(String, Vec<u8>)> {
    let prefix = format!("{folder}/");
    let inside = |path: &str| path.strip_prefix(&prefix).map(str::to_owned);
    let mut files: Vec<(String, Vec<u8>)> = EmbeddedCases::iter()
        .filter_map(|path| {
            let file = EmbeddedCases::get(&path)?;
            Some((inside(&path)?, file.data.into_owned()))
        })
        .collect();
    files.sort();
    files
}
