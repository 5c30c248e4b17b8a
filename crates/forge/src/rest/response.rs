//! Answers as GitHub words them: errors, ETags, pages.

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderValue, Method, StatusCode, Uri, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::Forge;
use crate::auth::add_scopes_header;
use crate::error::ForgeError;

/// The largest answer that gets an ETag, in bytes.
const MAX_ETAG_BYTES: usize = 256 * 1024 * 1024;

/// A JSON answer.
pub(crate) fn json_response(status: u16, body: &Value) -> Response {
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let kind = [(header::CONTENT_TYPE, "application/json; charset=utf-8")];
    (status, kind, body.to_string()).into_response()
}

/// An error answer.
pub(crate) fn error_response(status: u16, message: &str, errors: &[Value]) -> Response {
    let mut body = json!({
        "message": message,
        "documentation_url": "https://docs.github.com/rest",
        "status": status.to_string(),
    });
    if !errors.is_empty() {
        body["errors"] = Value::from(errors);
    }
    json_response(status, &body)
}

impl IntoResponse for ForgeError {
    fn into_response(self) -> Response {
        match &self {
            Self::Refused {
                status,
                message,
                errors,
            } => error_response(*status, message, errors),
            Self::NoSuchRepo(_) | Self::BadRepoName(_) => error_response(404, "Not Found", &[]),
            Self::RepoExists(_) | Self::BadAccount { .. } => {
                error_response(422, &self.to_string(), &[])
            }
            Self::Git { .. }
            | Self::Io { .. }
            | Self::Corrupt { .. }
            | Self::RootInUse(_)
            | Self::NotLoopback(_)
            | Self::Listen { .. } => {
                tracing::error!(error = %self, "a request failed");
                error_response(500, "Server Error", &[])
            }
        }
    }
}

/// Adds what every answer has, and turns an unchanged one into a 304.
pub(crate) async fn add_common_headers(
    State(forge): State<Forge>,
    request: Request,
    next: Next,
) -> Response {
    let request_headers = request.headers().clone();
    let if_none_match = request.headers().get(header::IF_NONE_MATCH).cloned();
    let is_read = matches!(*request.method(), Method::GET | Method::HEAD);
    let mut response = next.run(request).await;
    if is_read && response.status() == StatusCode::OK {
        response = with_etag(response, if_none_match.as_ref()).await;
    }
    let headers = response.headers_mut();
    add_scopes_header(&forge, &request_headers, headers);
    let id = format!("{:032X}", rand::random::<u128>());
    if let Ok(id) = HeaderValue::from_str(&id) {
        headers.insert("x-github-request-id", id);
    }
    headers.insert(
        "x-github-media-type",
        HeaderValue::from_static("github.v3; format=json"),
    );
    headers.insert(
        "x-github-enterprise-version",
        HeaderValue::from_static("3.19.0"),
    );
    response
}

async fn with_etag(response: Response, if_none_match: Option<&HeaderValue>) -> Response {
    let (mut parts, body) = response.into_parts();
    let Ok(bytes) = axum::body::to_bytes(body, MAX_ETAG_BYTES).await else {
        return error_response(500, "Server Error", &[]);
    };
    let mut hash = Sha256::new();
    hash.update(&bytes);
    if let Some(link) = parts.headers.get(header::LINK) {
        hash.update(link.as_bytes());
    }
    let tag = hex::encode(hash.finalize());
    let matches = if_none_match
        .and_then(|v| v.to_str().ok())
        .is_some_and(|v| v == "*" || v.split(',').any(|t| strip_weak_prefix(t) == tag));
    if let Ok(value) = HeaderValue::from_str(&format!("W/\"{tag}\"")) {
        parts.headers.insert(header::ETAG, value);
    }
    parts.headers.insert(
        header::CACHE_CONTROL,
        HeaderValue::from_static("private, max-age=60, s-maxage=60"),
    );
    parts.headers.insert(
        header::VARY,
        HeaderValue::from_static("Accept, Authorization, Cookie, X-GitHub-OTP"),
    );
    if matches {
        parts.status = StatusCode::NOT_MODIFIED;
        parts.headers.remove(header::CONTENT_TYPE);
        return Response::from_parts(parts, Body::empty());
    }
    Response::from_parts(parts, Body::from(bytes))
}

fn strip_weak_prefix(tag: &str) -> &str {
    tag.trim().trim_start_matches("W/").trim_matches('"')
}

/// One page of a list, with `Link` where there are more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PageParams {
    page: usize,
    per_page: usize,
}

impl PageParams {
    /// Reads `page` and `per_page` (30, at most 100).
    pub(crate) fn from_uri(uri: &Uri) -> Self {
        let number = |name: &str| query_param(uri, name).and_then(|v| v.parse::<usize>().ok());
        Self {
            page: number("page").unwrap_or(1).max(1),
            per_page: number("per_page").unwrap_or(30).clamp(1, 100),
        }
    }

    /// The items of the page.
    pub(crate) fn items_of_page<T>(&self, items: Vec<T>) -> Vec<T> {
        let skip = (self.page - 1).saturating_mul(self.per_page);
        items.into_iter().skip(skip).take(self.per_page).collect()
    }

    /// The `Link` header; `None` where everything fits one page.
    pub(crate) fn link_header(&self, base: &str, uri: &Uri, total: usize) -> Option<String> {
        let last = total.div_ceil(self.per_page).max(1);
        if last == 1 {
            return None;
        }
        let url = |page: usize| {
            let kept = uri.query().unwrap_or_default().split('&');
            let kept = kept.filter(|p| !p.is_empty() && !p.starts_with("page="));
            let mut pairs: Vec<String> = kept.map(str::to_owned).collect();
            pairs.push(format!("page={page}"));
            format!("{base}{}?{}", uri.path(), pairs.join("&"))
        };
        let mut links = Vec::new();
        let mut add =
            |page: usize, name: &str| links.push(format!("<{}>; rel=\"{name}\"", url(page)));
        if self.page > 1 {
            add((self.page - 1).min(last), "prev");
        }
        if self.page < last {
            add(self.page + 1, "next");
            add(last, "last");
        }
        if self.page > 1 {
            add(1, "first");
        }
        Some(links.join(", "))
    }
}

/// A parameter of the query, decoded.
pub(crate) fn query_param(uri: &Uri, name: &str) -> Option<String> {
    let pairs: Vec<(String, String)> = axum::extract::Query::try_from_uri(uri).ok()?.0;
    pairs
        .into_iter()
        .find(|(key, _)| key == name)
        .map(|(_, value)| value)
}
