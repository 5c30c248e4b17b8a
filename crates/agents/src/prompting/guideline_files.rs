//! Guidelines beyond those at the root: instructions for paths, style guides, and what says what the product is (§4.4).

use super::material::TextFile;
use serde_json::Value;
use std::collections::BTreeMap;

/// Where GitHub keeps instructions for some paths each.
const INSTRUCTIONS_FOLDER: &str = ".github/instructions/";
const INSTRUCTIONS_END: &str = ".instructions.md";
/// More files of instructions are not read.
const MAX_INSTRUCTIONS: usize = 40;
/// Names of style guides without what separates their words, in the root, `docs` or `.github`.
const STYLE_GUIDES: [&str; 10] = [
    "style",
    "codestyle",
    "codingstyle",
    "codingstandards",
    "codingguidelines",
    "codingconventions",
    "codeconventions",
    "conventions",
    "guidelines",
    "reviewguidelines",
];
/// Endings of texts for people.
const TEXT_ENDINGS: [&str; 5] = [".md", ".mdx", ".rst", ".txt", ".adoc"];
/// The persona that looks at what the change means for people.
const PRODUCT_PERSONA: &str = "priya";

/// Whether a path is one of a style guide: `STYLE.md`, `docs/style-guide.md`, `docs/coding_conventions.rst`.
pub(super) fn is_style_guide(path: &str) -> bool {
    let lower = path.to_lowercase();
    let (folder, name) = lower.rsplit_once('/').unwrap_or(("", &lower));
    let Some(stem) = TEXT_ENDINGS.iter().find_map(|end| name.strip_suffix(end)) else {
        return false;
    };
    let stem: String = stem.chars().filter(|c| c.is_alphanumeric()).collect();
    let known = STYLE_GUIDES.contains(&stem.as_str()) || stem.starts_with("styleguide");
    known && matches!(folder, "" | "docs" | "doc" | ".github")
}

/// Files of instructions for some paths each, of a base branch; which of them apply is in their texts ([`applicable_instructions`]).
pub fn instruction_paths(base_tree: &[String]) -> Vec<String> {
    let is_instruction =
        |path: &&String| path.starts_with(INSTRUCTIONS_FOLDER) && path.ends_with(INSTRUCTIONS_END);
    let found = base_tree.iter().filter(is_instruction);
    found.take(MAX_INSTRUCTIONS).cloned().collect()
}

/// The instructions that apply to one of the changed paths, without their front matter. `matches` says whether one of some globs is for a
/// path. Instructions that say for no path, and those that are not for reviews, apply to none, as on GitHub.
pub fn applicable_instructions(
    files: Vec<TextFile>,
    changed: &[&str],
    matches: &dyn Fn(&[String], &str) -> bool,
) -> Vec<TextFile> {
    let apply = |file: TextFile| {
        let (front, text) = front_matter(&file.text)?;
        let globs = applies_to(front)?;
        let is_meant = changed.iter().any(|path| matches(&globs, path));
        is_meant.then(|| TextFile {
            text: text.trim().to_owned(),
            path: file.path,
        })
    };
    files.into_iter().filter_map(apply).collect()
}

/// The front matter of a Markdown text, and what follows it.
fn front_matter(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_start_matches('\u{feff}');
    let rest = text.strip_prefix("---")?;
    let rest = rest
        .strip_prefix("\r\n")
        .or_else(|| rest.strip_prefix('\n'))?;
    let end = rest.find("\n---")?;
    let after = &rest[end + 4..];
    let line_end = after.find('\n').map_or(after.len(), |at| at + 1);
    Some((&rest[..end], &after[line_end..]))
}

/// The globs that front matter names; none where it names none, or keeps code reviews out.
fn applies_to(front: &str) -> Option<Vec<String>> {
    let values: BTreeMap<String, Value> = serde_saphyr::from_str(front).ok()?;
    if values.get("excludeAgent").and_then(Value::as_str) == Some("code-review") {
        return None;
    }
    let globs: Vec<String> = match values.get("applyTo")? {
        Value::String(list) => list.split(',').map(|glob| glob.trim().to_owned()).collect(),
        Value::Array(list) => {
            let texts = list.iter().filter_map(Value::as_str);
            texts.map(|glob| glob.trim().to_owned()).collect()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => return None,
    };
    let globs: Vec<String> = globs.into_iter().filter(|glob| !glob.is_empty()).collect();
    (!globs.is_empty()).then_some(globs)
}

/// Documents of a base branch that say what the product is: its README, and for who looks at the product its ROADMAP.
pub fn background_paths(base_tree: &[String], persona: &str) -> Vec<String> {
    let mut stems = vec!["readme"];
    if persona == PRODUCT_PERSONA {
        stems.push("roadmap");
    }
    let mut found = Vec::new();
    for stem in stems {
        for folder in ["", ".github/", "docs/"] {
            let is_named = |path: &&String| {
                let lower = path.to_lowercase();
                let name = lower.strip_prefix(folder);
                let ends = name.and_then(|name| name.strip_prefix(stem));
                ends.is_some_and(|end| end.is_empty() || TEXT_ENDINGS.contains(&end))
            };
            if let Some(path) = base_tree.iter().find(is_named) {
                found.push(path.clone());
                break;
            }
        }
    }
    found
}
