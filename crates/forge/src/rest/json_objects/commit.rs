//! Commits and changed files.

use serde_json::{Value, json};

use super::{JsonContext, account_json, encode_path};
use crate::diff::FileDiff;
use crate::git_dir::{Commit, Signature};
use crate::model::Sha;
use crate::node::commit_node_id;

/// GitHub's `commit`, without its files.
pub(crate) fn commit_json(context: JsonContext<'_>, repo_id: u64, commit: &Commit) -> Value {
    let sha = &commit.sha;
    let url = context.api_url(&format!("/commits/{sha}"));
    let parents = commit.parents.iter().map(|parent| {
        json!({
            "sha": parent,
            "url": context.api_url(&format!("/commits/{parent}")),
            "html_url": context.web_url(&format!("/commit/{parent}")),
        })
    });
    json!({
        "sha": sha,
        "node_id": commit_node_id(repo_id, sha.as_str()),
        "url": url,
        "html_url": context.web_url(&format!("/commit/{sha}")),
        "comments_url": format!("{url}/comments"),
        "commit": {
            "author": signature_json(&commit.author),
            "committer": signature_json(&commit.committer),
            "message": commit.message,
            "tree": {"sha": commit.tree, "url": context.api_url(&format!("/git/trees/{}", commit.tree))},
            "url": context.api_url(&format!("/git/commits/{sha}")),
            "comment_count": 0,
            "verification": {
                "verified": false, "reason": "unsigned", "signature": null, "payload": null, "verified_at": null,
            },
        },
        "author": account_of_signature(context, &commit.author),
        "committer": account_of_signature(context, &commit.committer),
        "parents": parents.collect::<Vec<_>>(),
    })
}

fn signature_json(signature: &Signature) -> Value {
    let date = signature
        .date
        .parse()
        .map_or_else(|_| signature.date.clone(), crate::clock::format_time);
    json!({"name": signature.name, "email": signature.email, "date": date})
}

/// The account whose no-reply address signed, if it is one's.
fn account_of_signature(context: JsonContext<'_>, signature: &Signature) -> Value {
    let local = signature.email.strip_suffix("@users.noreply.github.com");
    let login = local.map(|l| l.split_once('+').map_or(l, |(_, login)| login));
    login
        .and_then(|login| context.forge.account_by_login(login))
        .map_or(Value::Null, |account| {
            account_json(context.base_url, &account)
        })
}

/// GitHub's `diff-entry`.
pub(crate) fn file_json(context: JsonContext<'_>, head: &Sha, file: &FileDiff) -> Value {
    let path = encode_path(&file.path);
    let mut out = json!({
        "sha": file.blob,
        "filename": file.path,
        "status": file.status.as_str(),
        "additions": file.additions,
        "deletions": file.deletions,
        "changes": file.additions + file.deletions,
        "blob_url": context.web_url(&format!("/blob/{head}/{path}")),
        "raw_url": context.web_url(&format!("/raw/{head}/{path}")),
        "contents_url": context.api_url(&format!("/contents/{path}?ref={head}")),
    });
    if let Some(patch) = file.patch() {
        out["patch"] = Value::from(patch);
    }
    if let Some(previous) = &file.previous_path {
        out["previous_filename"] = Value::from(previous.as_str());
    }
    out
}
