//! What a fine-grained token, or an app's, may not write: GitHub says so before it looks at what was sent.

use axum::Json;
use axum::http::{Method, StatusCode};
use axum::response::{IntoResponse as _, Response};
use serde_json::json;

use crate::token_store::TokenState;

/// GitHub's words; a header beside them names the permission.
pub(crate) const NOT_ACCESSIBLE: &str = "Resource not accessible by personal access token";

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

/// GitHub's refusal of a write that the token has no permission for; none where it has, and of readings.
pub(crate) fn refusal(token: &TokenState, method: &Method, path: &str) -> Option<Response> {
    if matches!(*method, Method::GET | Method::HEAD) {
        return None;
    }
    let accepted = accepted(path);
    let may = accepted.iter().any(|name| token.may_write(name));
    (!may).then(|| refusal_naming(accepted))
}

/// The refusal itself. A semicolon stands between permissions of which one is enough.
pub(crate) fn refusal_naming(accepted: &[&str]) -> Response {
    let names: Vec<String> = accepted
        .iter()
        .map(|name| format!("{name}=write"))
        .collect();
    let body = json!({
        "message": NOT_ACCESSIBLE,
        "documentation_url": "https://docs.github.com/rest",
        "status": "403",
    });
    let headers = [("x-accepted-github-permissions", names.join("; "))];
    (StatusCode::FORBIDDEN, headers, Json(body)).into_response()
}
