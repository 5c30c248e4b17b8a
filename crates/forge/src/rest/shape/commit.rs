//! Commits and changed files.

use serde_json::{Value, json};

use super::{Frame, encode, user};
use crate::diff::FileDiff;
use crate::model::Sha;
use crate::node::commit_node_id;
use crate::repo::{Commit, Signature};

/// GitHub's `commit`, without its files.
pub(crate) fn commit(frame: Frame<'_>, repo_id: u64, commit: &Commit) -> Value {
    let sha = &commit.sha;
    let url = frame.api(&format!("/commits/{sha}"));
    let parents = commit.parents.iter().map(|parent| {
        json!({
            "sha": parent,
            "url": frame.api(&format!("/commits/{parent}")),
            "html_url": frame.web(&format!("/commit/{parent}")),
        })
    });
    json!({
        "sha": sha,
        "node_id": commit_node_id(repo_id, sha.as_str()),
        "url": url,
        "html_url": frame.web(&format!("/commit/{sha}")),
        "comments_url": format!("{url}/comments"),
        "commit": {
            "author": signature(&commit.author),
            "committer": signature(&commit.committer),
            "message": commit.message,
            "tree": {"sha": commit.tree, "url": frame.api(&format!("/git/trees/{}", commit.tree))},
            "url": frame.api(&format!("/git/commits/{sha}")),
            "comment_count": 0,
            "verification": {
                "verified": false, "reason": "unsigned", "signature": null, "payload": null, "verified_at": null,
            },
        },
        "author": account(frame, &commit.author),
        "committer": account(frame, &commit.committer),
        "parents": parents.collect::<Vec<_>>(),
    })
}

fn signature(by: &Signature) -> Value {
    let date = by
        .date
        .parse()
        .map_or_else(|_| by.date.clone(), crate::clock::text);
    json!({"name": by.name, "email": by.email, "date": date})
}

/// The account whose no-reply address signed, if it is one's.
fn account(frame: Frame<'_>, by: &Signature) -> Value {
    let local = by.email.strip_suffix("@users.noreply.github.com");
    let login = local.map(|l| l.split_once('+').map_or(l, |(_, login)| login));
    login
        .and_then(|login| frame.forge.account_by_login(login))
        .map_or(Value::Null, |account| user(frame.base, &account))
}

/// GitHub's `diff-entry`.
pub(crate) fn file(frame: Frame<'_>, head: &Sha, file: &FileDiff) -> Value {
    let path = encode(&file.path);
    let mut out = json!({
        "sha": file.blob,
        "filename": file.path,
        "status": file.status.as_str(),
        "additions": file.additions,
        "deletions": file.deletions,
        "changes": file.additions + file.deletions,
        "blob_url": frame.web(&format!("/blob/{head}/{path}")),
        "raw_url": frame.web(&format!("/raw/{head}/{path}")),
        "contents_url": frame.api(&format!("/contents/{path}?ref={head}")),
    });
    if let Some(patch) = file.patch() {
        out["patch"] = Value::from(patch);
    }
    if let Some(previous) = &file.previous_path {
        out["previous_filename"] = Value::from(previous.as_str());
    }
    out
}
