//! Files and folders at a commit.

use axum::Router;
use axum::http::header;
use axum::response::IntoResponse as _;
use axum::routing::get;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::commits::resolve_commit;
use super::json_objects::{self, JsonContext};
use super::request::{HandlerResult, RepoRequest};
use super::response::json_response;
use crate::Forge;
use crate::error::ForgeError;
use crate::model::Sha;

/// GitHub leaves out the content of files beyond this, in bytes.
const MAX_CONTENT_BYTES: usize = 1024 * 1024;

pub(super) fn routes() -> Router<Forge> {
    Router::new()
        .route("/contents", get(get_contents))
        .route("/contents/", get(get_contents))
        .route("/contents/{*path}", get(get_contents))
}

/// One entry of a tree.
#[derive(Debug)]
struct TreeEntry {
    mode: String,
    kind: String,
    blob: String,
    size: u64,
    path: String,
}

async fn get_contents(call: RepoRequest) -> HandlerResult {
    let path = call
        .path_param("path")
        .unwrap_or_default()
        .trim_matches('/')
        .to_owned();
    let name = match call.query_param("ref") {
        Some(name) => name,
        None => call.read(|state| Ok(state.meta.default_branch.clone()))?,
    };
    let missing = |_| ForgeError::refused(404, format!("No commit found for the ref {name}"));
    let sha = resolve_commit(&call, &name).await.map_err(missing)?;
    if path.is_empty() {
        return folder_response(&call, &name, &sha, &path).await;
    }
    let entries = list_tree(&call, &sha, &path).await?;
    let entry = entries.into_iter().find(|e| e.path == path);
    let entry = entry.ok_or_else(ForgeError::not_found)?;
    match entry.kind.as_str() {
        "tree" => folder_response(&call, &name, &sha, &path).await,
        "blob" => file_response(&call, &name, &sha, &entry).await,
        _ => Ok(json_response(200, &entry_json(&call, &name, &entry))),
    }
}

async fn list_tree(
    call: &RepoRequest,
    sha: &Sha,
    path: &str,
) -> Result<Vec<TreeEntry>, ForgeError> {
    let git = call.forge.git(&call.repo)?;
    let mut args = vec!["ls-tree", "-z", "--long", "--full-tree", sha.as_str()];
    if !path.is_empty() {
        args.extend(["--", path]);
    }
    // The path is a plain name, not a pattern.
    args.insert(0, "--literal-pathspecs");
    let bytes = git.run(&args).await?;
    let lines = bytes.split(|b| *b == 0).map(String::from_utf8_lossy);
    Ok(lines.filter_map(|line| parse_tree_entry(&line)).collect())
}

fn parse_tree_entry(line: &str) -> Option<TreeEntry> {
    let (meta, path) = line.split_once('\t')?;
    let mut fields = meta.split_whitespace();
    Some(TreeEntry {
        mode: fields.next()?.to_owned(),
        kind: fields.next()?.to_owned(),
        blob: fields.next()?.to_owned(),
        size: fields.next()?.parse().unwrap_or(0),
        path: path.to_owned(),
    })
}

async fn folder_response(call: &RepoRequest, name: &str, sha: &Sha, path: &str) -> HandlerResult {
    let inside = if path.is_empty() {
        String::new()
    } else {
        format!("{path}/")
    };
    let entries = list_tree(call, sha, &inside).await?;
    let list: Vec<Value> = entries.iter().map(|e| entry_json(call, name, e)).collect();
    Ok(json_response(200, &Value::from(list)))
}

async fn file_response(
    call: &RepoRequest,
    name: &str,
    sha: &Sha,
    entry: &TreeEntry,
) -> HandlerResult {
    let git = call.forge.git(&call.repo)?;
    let bytes = git
        .file(sha, &entry.path)
        .await?
        .ok_or_else(ForgeError::not_found)?;
    if call.accepts("raw") {
        let kind = [(
            header::CONTENT_TYPE,
            "application/vnd.github.raw; charset=utf-8",
        )];
        return Ok((kind, bytes).into_response());
    }
    let mut out = entry_json(call, name, entry);
    if entry.mode == "120000" {
        out["target"] = Value::from(String::from_utf8_lossy(&bytes).into_owned());
        return Ok(json_response(200, &out));
    }
    if bytes.len() > MAX_CONTENT_BYTES {
        out["encoding"] = Value::from("none");
        out["content"] = Value::from("");
        return Ok(json_response(200, &out));
    }
    // GitHub breaks lines after 60 characters.
    let text = STANDARD.encode(&bytes);
    let lines = text.as_bytes().chunks(60).map(String::from_utf8_lossy);
    let content: String = lines.map(|l| format!("{l}\n")).collect();
    out["encoding"] = Value::from("base64");
    out["content"] = Value::from(content);
    Ok(json_response(200, &out))
}

fn entry_json(call: &RepoRequest, name: &str, entry: &TreeEntry) -> Value {
    let frame = JsonContext::from_request(call);
    let path = json_objects::encode_path(&entry.path);
    let url = frame.api_url(&format!(
        "/contents/{path}?ref={}",
        json_objects::encode_path(name)
    ));
    let (kind, folder) = match (entry.kind.as_str(), entry.mode.as_str()) {
        ("tree", _) => ("dir", "trees"),
        ("commit", _) => ("submodule", "trees"),
        (_, "120000") => ("symlink", "blobs"),
        (_, _) => ("file", "blobs"),
    };
    let git = frame.api_url(&format!("/git/{folder}/{}", entry.blob));
    let html = frame.web_url(&format!("/blob/{name}/{path}"));
    let download = (kind == "file").then(|| frame.web_url(&format!("/raw/{name}/{path}")));
    json!({
        "name": entry.path.rsplit('/').next().unwrap_or_default(),
        "path": entry.path,
        "sha": entry.blob,
        "size": entry.size,
        "url": url,
        "html_url": html,
        "git_url": git,
        "download_url": download,
        "type": kind,
        "_links": {"self": url, "git": git, "html": html},
    })
}
