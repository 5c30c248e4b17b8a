//! Answers as GitHub words them: errors, pages.

use axum::http::{StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

use crate::error::ForgeError;

/// A JSON answer; that of a creation says where the new thing is.
pub(crate) fn json_response(status: u16, body: &Value) -> Response {
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let kind = [(header::CONTENT_TYPE, "application/json; charset=utf-8")];
    let mut response = (status, kind, body.to_string()).into_response();
    if status == StatusCode::CREATED
        && let Some(url) = body["url"].as_str().and_then(|url| url.parse().ok())
    {
        response.headers_mut().insert(header::LOCATION, url);
    }
    response
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
