//! Looks through folders for secrets, to see what is wrongly taken for one: `secret_scan [--show] FOLDER…`.
//!
//! Files that are no text and those over 4 MB are left out.

use collie_core::text::{find_secrets, is_placeholder};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

const MAX_FILE_BYTES: usize = 4 * 1024 * 1024;

#[derive(Default)]
struct Totals {
    files: u64,
    bytes: u64,
    found: BTreeMap<&'static str, u64>,
    placeholders: u64,
}

fn scan_file(path: &Path, show: bool, totals: &mut Totals) {
    let Ok(content) = std::fs::read(path) else {
        return;
    };
    if content.len() > MAX_FILE_BYTES || content.contains(&0) {
        return;
    }
    totals.files += 1;
    totals.bytes += content.len() as u64;
    for secret in find_secrets(&content) {
        let value = &content[secret.range.clone()];
        if is_placeholder(value) {
            totals.placeholders += 1;
        }
        *totals.found.entry(secret.form.id).or_default() += 1;
        if show {
            let before = secret.range.start.saturating_sub(60);
            let after = (secret.range.end + 20).min(content.len());
            let shown = String::from_utf8_lossy(&content[before..after]).replace('\n', "⏎");
            println!("{}\t{}\t{shown}", secret.form.id, path.display());
        }
    }
}

fn scan_folder(folder: &Path, show: bool, totals: &mut Totals) {
    let mut folders: Vec<PathBuf> = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else {
            continue;
        };
        for entry in entries.flatten() {
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => folders.push(entry.path()),
                Ok(kind) if kind.is_file() => scan_file(&entry.path(), show, totals),
                Ok(_) | Err(_) => {}
            }
        }
    }
}

fn main() {
    let (options, folders): (Vec<_>, Vec<_>) = std::env::args()
        .skip(1)
        .partition(|arg| arg.starts_with("--"));
    let show = options.iter().any(|option| option == "--show");
    let mut totals = Totals::default();
    let start = Instant::now();
    for folder in &folders {
        scan_folder(Path::new(folder), show, &mut totals);
    }
    let megabytes = totals.bytes as f64 / 1e6;
    let all: u64 = totals.found.values().sum();
    for (form, count) in &totals.found {
        println!("{count:6} {form}");
    }
    println!(
        "{} files, {megabytes:.1} MB in {:.1} s: {all} found ({:.2} in 10 MB), {} of them placeholders",
        totals.files,
        start.elapsed().as_secs_f64(),
        all as f64 * 10.0 / megabytes,
        totals.placeholders
    );
}
