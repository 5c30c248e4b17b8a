//! Which languages a repository is written in, by bytes of its default branch.

use std::collections::BTreeMap;

use axum::Router;
use axum::routing::get;
use serde_json::json;

use super::commits::resolve_commit;
use super::request::{HandlerResult, RepoRequest};
use super::response::json_response;
use crate::Forge;

/// Languages that Linguist counts (programming and markup), by the usual ends of their files.
const LANGUAGES: &[(&str, &[&str])] = &[
    ("C", &["c", "h"]),
    ("C#", &["cs"]),
    ("C++", &["cc", "cpp", "cxx", "hpp"]),
    ("CSS", &["css"]),
    ("Go", &["go"]),
    ("HTML", &["html", "htm"]),
    ("Java", &["java"]),
    ("JavaScript", &["js", "jsx", "mjs", "cjs"]),
    ("Kotlin", &["kt", "kts"]),
    ("PHP", &["php"]),
    ("Python", &["py", "pyi"]),
    ("Ruby", &["rb"]),
    ("Rust", &["rs"]),
    ("Scala", &["scala"]),
    ("Shell", &["sh", "bash", "zsh"]),
    ("Swift", &["swift"]),
    ("TypeScript", &["ts", "tsx", "mts", "cts"]),
];

pub(super) fn routes() -> Router<Forge> {
    Router::new().route("/languages", get(get_languages))
}

async fn get_languages(call: RepoRequest) -> HandlerResult {
    let branch = call.read(|state| Ok(state.meta.default_branch.clone()))?;
    let Ok(sha) = resolve_commit(&call, &branch).await else {
        // Nothing was pushed yet.
        return Ok(json_response(200, &json!({})));
    };
    let git = call.forge.git(&call.repo)?;
    let args = ["ls-tree", "-r", "-z", "--long", "--full-tree", sha.as_str()];
    let listed = git.run(&args).await?;
    let mut bytes: BTreeMap<&str, u64> = BTreeMap::new();
    for line in listed.split(|b| *b == 0).map(String::from_utf8_lossy) {
        if let Some((language, size)) = counted_file(&line) {
            *bytes.entry(language).or_default() += size;
        }
    }
    Ok(json_response(200, &json!(bytes)))
}

/// Language and size of a line of `git ls-tree --long`; none for what is no file of a known language.
fn counted_file(line: &str) -> Option<(&'static str, u64)> {
    let (meta, path) = line.split_once('\t')?;
    let size = meta.split_whitespace().nth(3)?.parse().ok()?;
    let (_, extension) = path.rsplit('/').next()?.rsplit_once('.')?;
    let has_it = |(_, extensions): &&(&str, &[&str])| extensions.contains(&extension);
    let (language, _) = LANGUAGES.iter().find(has_it)?;
    Some((language, size))
}
