//! Scans whole folders with the shipped rules, to judge on real code how precise they are:
//! `cargo run -p collie-rules --example scan_dir -- FOLDER…`. One match a line, then the counts.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use collie_rules::{LineSet, RuleSet, ScanInput, parses, scan};

fn main() -> std::io::Result<()> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let mut unparsed: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    let mut bytes = 0;
    let start = std::time::Instant::now();
    for root in std::env::args_os().skip(1).map(PathBuf::from) {
        let mut files = Vec::new();
        list_files(&root, &mut files)?;
        for file in files {
            let content = std::fs::read(&file)?;
            bytes += content.len();
            let path = file
                .strip_prefix(&root)
                .unwrap_or(&file)
                .to_string_lossy()
                .into_owned();
            let input = ScanInput {
                path: &path,
                content: &content,
                changed_lines: &LineSet::All,
                generated: false,
            };
            for hit in scan(RuleSet::shipped(), &input) {
                println!(
                    "{} {} {}:{}: {}",
                    hit.priority,
                    hit.rule_id,
                    file.display(),
                    hit.line,
                    hit.evidence.lines().next().unwrap_or_default().trim()
                );
                *counts.entry(hit.rule_id).or_default() += 1;
            }
            if let Some(parsed) = parses(&path, &content) {
                let kind = file
                    .extension()
                    .unwrap_or_default()
                    .to_string_lossy()
                    .into_owned();
                let entry = unparsed.entry(kind).or_default();
                entry.0 += 1;
                if !parsed {
                    entry.1 += 1;
                    println!("-- unparsed {}", file.display());
                }
            }
        }
    }
    println!("== {bytes} bytes in {:?}", start.elapsed());
    for (rule, count) in counts {
        println!("== {count:5} {rule}");
    }
    for (kind, (all, bad)) in unparsed {
        println!("== {bad:5} of {all} .{kind} files do not parse");
    }
    Ok(())
}

fn list_files(folder: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    let mut entries: Vec<_> = std::fs::read_dir(folder)?.collect::<Result<_, _>>()?;
    entries.sort_by_key(std::fs::DirEntry::path);
    for entry in entries {
        let kind = entry.file_type()?;
        if kind.is_dir() && entry.file_name() != ".git" {
            list_files(&entry.path(), files)?;
        } else if kind.is_file() {
            files.push(entry.path());
        }
    }
    Ok(())
}
