//! Headers that every answer has, ETags among them.

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::Response;
use sha2::{Digest as _, Sha256};

use super::response::error_response;
use crate::Forge;
use crate::auth::{add_scopes_header, add_version_header};

/// The largest answer that gets an ETag, in bytes.
const MAX_ETAG_BYTES: usize = 256 * 1024 * 1024;

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
    add_version_header(&forge, headers);
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
