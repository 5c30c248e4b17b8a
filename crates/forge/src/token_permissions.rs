//! What a fine-grained token, or an app's, may not write: GitHub says so before it looks at what was sent.

use axum::Json;
use axum::http::{Method, StatusCode};
use axum::response::{IntoResponse as _, Response};
use serde_json::json;

use crate::model::{Account, RepoName};
use crate::token_store::TokenState;

/// GitHub's words; a header beside them names the permission.
pub(crate) const NOT_ACCESSIBLE: &str = "Resource not accessible by personal access token";
/// The same of an App's.
pub(crate) const OF_APP: &str = "Resource not accessible by integration";

/// The permissions of which one is enough for a write below `/repos/OWNER/REPO`
/// ([list](https://docs.github.com/rest/authentication/permissions-required-for-fine-grained-personal-access-tokens)).
fn accepted(path: &str) -> &'static [&'static str] {
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    match parts.as_slice() {
        ["issues", ..] => &["issues", "pull_requests"],
        ["pulls", _, "merge" | "update-branch"] | ["git" | "contents" | "merges", ..] => {
            &["contents"]
        }
        ["pulls", ..] => &["pull_requests"],
        ["actions", ..] => &["actions"],
        ["check-runs" | "check-suites", ..] => &["checks"],
        ["statuses", ..] => &["statuses"],
        ["labels", ..] => &["issues", "pull_requests"],
        _ => &["administration"],
    }
}

/// The same for a reading by an App's token; empty where everybody may who sees the repository.
fn accepted_to_read(path: &str) -> &'static [&'static str] {
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    match parts.as_slice() {
        ["issues", ..] => &["issues", "pull_requests"],
        ["pulls", ..] => &["pull_requests"],
        ["actions", ..] => &["actions"],
        ["check-runs" | "check-suites", ..] | ["commits", _, "check-runs" | "check-suites", ..] => {
            &["checks"]
        }
        ["statuses", ..] | ["commits", _, "status" | "statuses"] => &["statuses"],
        ["git" | "contents" | "commits" | "branches" | "compare", ..] => &["contents"],
        _ => &[],
    }
}

/// GitHub's refusal of what the token has no permission for; none where it has. Readings are looked at for an App's tokens alone.
pub(crate) fn refusal(
    token: &TokenState,
    viewer: &Account,
    repo: &RepoName,
    method: &Method,
    path: &str,
) -> Option<Response> {
    if matches!(*method, Method::GET | Method::HEAD) {
        let accepted = accepted_to_read(path);
        let may = accepted.iter().any(|name| viewer.token_may(name, false));
        return (!may && !accepted.is_empty()).then(|| refusal_with(accepted, "read", OF_APP));
    }
    let accepted = accepted(path);
    if !viewer.token_covers(repo) {
        return Some(refusal_with(accepted, "write", OF_APP));
    }
    let mut named = accepted.iter();
    let may = named.any(|name| token.may_write(name) && viewer.token_may(name, true));
    let words = match viewer.limits {
        Some(_) => OF_APP,
        None => NOT_ACCESSIBLE,
    };
    (!may).then(|| refusal_with(accepted, "write", words))
}

/// The refusal itself. A semicolon stands between permissions of which one is enough.
pub(crate) fn refusal_naming(accepted: &[&str]) -> Response {
    refusal_with(accepted, "write", NOT_ACCESSIBLE)
}

fn refusal_with(accepted: &[&str], level: &str, words: &str) -> Response {
    let names: Vec<String> = accepted
        .iter()
        .map(|name| format!("{name}={level}"))
        .collect();
    let body = json!({
        "message": words,
        "documentation_url": "https://docs.github.com/rest",
        "status": "403",
    });
    let headers = [("x-accepted-github-permissions", names.join("; "))];
    (StatusCode::FORBIDDEN, headers, Json(body)).into_response()
}
