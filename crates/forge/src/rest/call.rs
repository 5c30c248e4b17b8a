//! What every handler starts from: who asks, for which repository, with what.

use std::collections::BTreeMap;

use axum::extract::{FromRequest, FromRequestParts, OriginalUri, RawPathParams, Request};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Uri, header};
use axum::response::{IntoResponse, Response};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::reply::{self, Page, json_reply};
use crate::Forge;
use crate::auth::Viewer;
use crate::error::ForgeError;
use crate::model::{Account, RepoName, RepoState};

/// What a handler gives.
pub(crate) type Answer = Result<Response, ForgeError>;

/// The largest request body, in bytes.
const BODY_LIMIT: usize = 16 * 1024 * 1024;

/// A request about one repository that the viewer can see.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    pub(crate) forge: Forge,
    pub(crate) viewer: Account,
    pub(crate) repo: RepoName,
    pub(crate) uri: Uri,
    pub(crate) headers: HeaderMap,
    base: String,
    args: BTreeMap<String, String>,
}

impl FromRequestParts<Forge> for Call {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, forge: &Forge) -> Result<Self, Response> {
        let Viewer(viewer) = Viewer::from_request_parts(parts, forge).await?;
        let params = RawPathParams::from_request_parts(parts, forge)
            .await
            .map_err(|_| ForgeError::not_found().into_response())?;
        let args: BTreeMap<String, String> = params
            .iter()
            .map(|(k, v)| (k.to_owned(), v.to_owned()))
            .collect();
        let part = |name: &str| args.get(name).map_or("", String::as_str);
        let asked = RepoName::new(part("owner"), part("repo"));
        let repo = asked
            .and_then(|name| forge.cell(&name))
            .and_then(|cell| {
                let visible = forge.read(&cell.name, |s| s.meta.visible_to(&viewer))?;
                visible
                    .then(|| cell.name.clone())
                    .ok_or_else(ForgeError::not_found)
            })
            .map_err(IntoResponse::into_response)?;
        Ok(Self {
            forge: forge.clone(),
            viewer,
            repo,
            // Nested routers cut their prefix off `parts.uri`.
            uri: parts
                .extensions
                .get::<OriginalUri>()
                .map_or_else(|| parts.uri.clone(), |uri| uri.0.clone()),
            headers: parts.headers.clone(),
            base: forge.base_url(),
            args,
        })
    }
}

impl Call {
    /// `http://127.0.0.1:PORT`.
    pub(crate) fn base(&self) -> &str {
        &self.base
    }

    /// A number in the path; what is none does not exist.
    pub(crate) fn number(&self, name: &str) -> Result<u64, ForgeError> {
        self.arg(name)?.parse().map_err(|_| ForgeError::not_found())
    }

    /// A part of the path.
    pub(crate) fn arg(&self, name: &str) -> Result<&str, ForgeError> {
        self.args
            .get(name)
            .map(String::as_str)
            .ok_or_else(ForgeError::not_found)
    }

    /// A parameter of the query.
    pub(crate) fn query(&self, name: &str) -> Option<String> {
        reply::query(&self.uri, name)
    }

    /// Looks at the repository.
    pub(crate) fn read<R>(
        &self,
        look: impl FnOnce(&RepoState) -> Result<R, ForgeError>,
    ) -> Result<R, ForgeError> {
        self.forge.read(&self.repo, look)?
    }

    /// Whether the client wants another form than JSON, such as `diff` or `raw`.
    pub(crate) fn wants(&self, form: &str) -> bool {
        let accept = self
            .headers
            .get(header::ACCEPT)
            .and_then(|v| v.to_str().ok());
        let named = |kind: &str| {
            kind.contains("vnd.github")
                && kind.split(['.', '+', ';']).any(|part| part.trim() == form)
        };
        accept.is_some_and(|v| v.split(',').any(named))
    }

    /// Answers with one page of a list.
    pub(crate) fn page<T>(&self, items: Vec<T>, shape: impl Fn(&T) -> Value) -> Response {
        self.page_in(items, shape, |_, list| Value::from(list))
    }

    /// Answers with one page of a list within an object.
    pub(crate) fn page_in<T>(
        &self,
        items: Vec<T>,
        shape: impl Fn(&T) -> Value,
        wrap: impl FnOnce(usize, Vec<Value>) -> Value,
    ) -> Response {
        let page = Page::of(&self.uri);
        let total = items.len();
        let link = page.link(&self.base, &self.uri, total);
        let list: Vec<Value> = page.cut(items).iter().map(shape).collect();
        let mut answer = json_reply(200, &wrap(total, list));
        if let Some(link) = link.and_then(|l| HeaderValue::from_str(&l).ok()) {
            answer.headers_mut().insert(header::LINK, link);
        }
        answer
    }
}

/// A JSON body; nothing at all counts as an empty object.
#[derive(Debug, Clone)]
pub(crate) struct Input<T>(pub(crate) T);

impl<T: DeserializeOwned> FromRequest<Forge> for Input<T> {
    type Rejection = Response;

    async fn from_request(request: Request, _: &Forge) -> Result<Self, Response> {
        let bytes = axum::body::to_bytes(request.into_body(), BODY_LIMIT)
            .await
            .map_err(|_| reply::error(413, "Payload too large", &[]))?;
        let value: Value = if bytes.iter().all(u8::is_ascii_whitespace) {
            Value::Object(serde_json::Map::new())
        } else {
            serde_json::from_slice(&bytes)
                .map_err(|_| reply::error(400, "Problems parsing JSON", &[]))?
        };
        if !value.is_object() {
            return Err(reply::error(400, "Body should be a JSON object", &[]));
        }
        serde_json::from_value(value)
            .map(Self)
            .map_err(|e| reply::error(422, &format!("Invalid request.\n\n{e}"), &[]))
    }
}
