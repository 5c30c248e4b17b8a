//! What the app finds beside a change, found in a clone in the same way.

use super::git::{lines, text_at};
use collie_agents::prompting::{ChangedFile, Material, ReviewContext, TextFile, background_paths};
use collie_core::code_context::TextHit;
use collie_rules::symbols::{
    ChangedSource, files_to_read, function_spans, related_code, touched_symbols,
};
use std::collections::BTreeSet;
use std::path::Path;

/// The functions of changed files, definitions and call sites beside them, commits and README; as the app would find them at this head.
/// `files` is what is under review, `head` a commit that has them or is near enough.
pub fn context(
    folder: &Path,
    material: &Material,
    files: &[ChangedFile],
) -> Result<ReviewContext, String> {
    let (head, base) = (material.head.as_str(), material.base.as_str());
    let sets: Vec<(BTreeSet<u32>, BTreeSet<u32>)> = files
        .iter()
        .map(|file| (file.added_lines(), file.removed_lines()))
        .collect();
    let sources: Vec<ChangedSource<'_>> = files
        .iter()
        .zip(&sets)
        .map(|(file, (added, removed))| ChangedSource {
            path: &file.path,
            before: file.content_at_base.as_deref(),
            after: file.content_at_head.as_deref(),
            added,
            removed,
        })
        .collect();
    let touched = touched_symbols(&sources);
    let hits = search(folder, head, &touched.words(), &touched.file_extensions())?;
    let changed: BTreeSet<&str> = material.files.iter().map(|f| f.path.as_str()).collect();
    let read: Vec<(String, String)> = files_to_read(&touched, &hits, &changed)
        .into_iter()
        .filter_map(|path| Some((path.clone(), text_at(folder, head, &path)?)))
        .collect();
    let spans = files.iter().filter_map(|file| {
        let spans = function_spans(&file.path, file.content_at_head.as_deref()?);
        Some((file.path.clone(), spans))
    });
    let range = format!("{base}..{head}");
    let mut commits = lines(
        folder,
        &["log", "--no-merges", "-30", "--format=%s", &range],
    )?;
    commits.reverse();
    let tree = lines(
        folder,
        &["ls-tree", "-r", "--name-only", "--full-tree", base],
    )?;
    let background = background_paths(&tree, &material.persona.name).into_iter();
    let background = background.filter_map(|path| {
        let text = text_at(folder, base, &path)?;
        Some(TextFile { path, text })
    });
    Ok(ReviewContext {
        functions: spans.collect(),
        related: related_code(&touched, &read),
        links: touched.links,
        background: background.collect(),
        commits,
        ..ReviewContext::default()
    })
}

fn search(
    folder: &Path,
    head: &str,
    words: &[String],
    extensions: &[String],
) -> Result<Vec<TextHit>, String> {
    if words.is_empty() || extensions.is_empty() {
        return Ok(Vec::new());
    }
    let mut args = vec![
        "grep",
        "-F",
        "-w",
        "-n",
        "-I",
        "--no-color",
        "--max-count=200",
    ];
    for word in words {
        args.extend(["-e", word.as_str()]);
    }
    let globs: Vec<String> = extensions
        .iter()
        .map(|end| format!(":(top,glob)**/*.{end}"))
        .collect();
    args.extend([head, "--"]);
    args.extend(globs.iter().map(String::as_str));
    // Where nothing is found, git grep fails.
    let rows = lines(folder, &args).unwrap_or_default();
    let hit = |row: &String| {
        let row = row.strip_prefix(head)?.strip_prefix(':')?;
        let (path, rest) = row.split_once(':')?;
        let (line, text) = rest.split_once(':')?;
        Some(TextHit {
            path: path.to_owned(),
            line: line.parse().ok()?,
            text: text.chars().take(400).collect(),
        })
    };
    Ok(rows.iter().filter_map(hit).collect())
}
