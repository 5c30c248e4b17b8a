//! What every handler starts from: who asks, for which repository, with what.

use std::collections::BTreeMap;

use axum::body::{Body, Bytes};
use axum::extract::{FromRequest, FromRequestParts, OriginalUri, RawPathParams, Request};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Uri, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::response::{self, PageParams, json_response};
use crate::Forge;
use crate::auth::Viewer;
use crate::error::ForgeError;
use crate::model::{Account, RepoName, RepoState};
use crate::token_permissions;

/// What a handler gives.
pub(crate) type HandlerResult = Result<Response, ForgeError>;

/// The largest request body, in bytes.
const MAX_BODY_BYTES: usize = 16 * 1024 * 1024;

/// A request about one repository that the viewer can see.
#[derive(Debug, Clone)]
pub(crate) struct RepoRequest {
    pub(crate) forge: Forge,
    pub(crate) viewer: Account,
    pub(crate) repo: RepoName,
    pub(crate) uri: Uri,
    pub(crate) headers: HeaderMap,
    base_url: String,
    path_params: BTreeMap<String, String>,
}

impl FromRequestParts<Forge> for RepoRequest {
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
        let path_part = |name: &str| args.get(name).map_or("", String::as_str);
        let parsed_name = RepoName::new(path_part("owner"), path_part("repo"));
        let repo = parsed_name
            .and_then(|name| forge.repo_cell(&name))
            .and_then(|cell| {
                let visible = forge.read(&cell.name, |state| state.meta.visible_to(&viewer))?;
                visible
                    .then(|| cell.name.clone())
                    .ok_or_else(ForgeError::not_found)
            })
            .map_err(IntoResponse::into_response)?;
        let token = forge.tokens().get(&viewer.login);
        let path = repository_path(parts);
        let refusal = token_permissions::refusal(&token, &viewer, &repo, &parts.method, &path);
        if let Some(refusal) = refusal {
            return Err(refusal);
        }
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
            base_url: forge.base_url(),
            path_params: args,
        })
    }
}

/// What follows the repository in the path.
fn repository_path(parts: &Parts) -> String {
    let whole = parts.extensions.get::<OriginalUri>();
    let whole = whole.map_or_else(|| parts.uri.path(), |uri| uri.0.path());
    // `/api/v3/repos/OWNER/REPO/…`
    whole.splitn(7, '/').nth(6).unwrap_or_default().to_owned()
}

impl RepoRequest {
    /// `http://127.0.0.1:PORT`.
    pub(crate) fn base_url(&self) -> &str {
        &self.base_url
    }

    /// A number in the path; what is none does not exist.
    pub(crate) fn number_param(&self, name: &str) -> Result<u64, ForgeError> {
        self.path_param(name)?
            .parse()
            .map_err(|_| ForgeError::not_found())
    }

    /// A part of the path.
    pub(crate) fn path_param(&self, name: &str) -> Result<&str, ForgeError> {
        self.path_params
            .get(name)
            .map(String::as_str)
            .ok_or_else(ForgeError::not_found)
    }

    /// A parameter of the query.
    pub(crate) fn query_param(&self, name: &str) -> Option<String> {
        response::query_param(&self.uri, name)
    }

    /// Looks at the repository.
    pub(crate) fn read<R>(
        &self,
        query: impl FnOnce(&RepoState) -> Result<R, ForgeError>,
    ) -> Result<R, ForgeError> {
        self.forge.read(&self.repo, query)?
    }

    /// Whether the client wants another form than JSON, such as `diff` or `raw`.
    pub(crate) fn accepts(&self, media_type: &str) -> bool {
        let accept = self
            .headers
            .get(header::ACCEPT)
            .and_then(|v| v.to_str().ok());
        let matches_form = |kind: &str| {
            kind.contains("vnd.github")
                && kind
                    .split(['.', '+', ';'])
                    .any(|part| part.trim() == media_type)
        };
        accept.is_some_and(|v| v.split(',').any(matches_form))
    }

    /// Answers with one page of a list.
    pub(crate) fn page_response<T>(
        &self,
        items: Vec<T>,
        to_json: impl Fn(&T) -> Value,
    ) -> Response {
        self.page_response_in(items, to_json, |_, list| Value::from(list))
    }

    /// Answers with one page of a list within an object.
    pub(crate) fn page_response_in<T>(
        &self,
        items: Vec<T>,
        to_json: impl Fn(&T) -> Value,
        wrap: impl FnOnce(usize, Vec<Value>) -> Value,
    ) -> Response {
        page_response(&self.base_url, &self.uri, items, to_json, wrap)
    }
}

/// One page of a list within an object, for a request to `uri`.
pub(crate) fn page_response<T>(
    base_url: &str,
    uri: &Uri,
    items: Vec<T>,
    to_json: impl Fn(&T) -> Value,
    wrap: impl FnOnce(usize, Vec<Value>) -> Value,
) -> Response {
    let page = PageParams::from_uri(uri);
    let total = items.len();
    let link = page.link_header(base_url, uri, total);
    let list: Vec<Value> = page.items_of_page(items).iter().map(to_json).collect();
    let mut response = json_response(200, &wrap(total, list));
    if let Some(link) = link.and_then(|l| HeaderValue::from_str(&l).ok()) {
        response.headers_mut().insert(header::LINK, link);
    }
    response
}

/// A JSON body; nothing at all counts as an empty object.
#[derive(Debug, Clone)]
pub(crate) struct JsonBody<T>(pub(crate) T);

impl<T: DeserializeOwned> FromRequest<Forge> for JsonBody<T> {
    type Rejection = Response;

    async fn from_request(request: Request, _: &Forge) -> Result<Self, Response> {
        let value = read_json(request).await?;
        if !value.is_object() {
            return Err(response::error_response(
                400,
                "Body should be a JSON object",
                &[],
            ));
        }
        parse_json(value)
            .map(Self)
            .map_err(ForgeError::into_response)
    }
}

/// A JSON body that need not be an object: some routes take a list as well.
#[derive(Debug, Clone)]
pub(crate) struct AnyJsonBody<T>(pub(crate) T);

impl<T: DeserializeOwned> FromRequest<Forge> for AnyJsonBody<T> {
    type Rejection = Response;

    async fn from_request(request: Request, _: &Forge) -> Result<Self, Response> {
        parse_json(read_json(request).await?)
            .map(Self)
            .map_err(ForgeError::into_response)
    }
}

/// Reads the body to its end before anything answers. Where an answer goes out first, the connection has to be closed after
/// it, and the request that its client sends next on it is lost.
pub(crate) async fn read_body_first(request: Request, next: Next) -> Response {
    let (parts, body) = request.into_parts();
    match read_body(body).await {
        Ok(bytes) => next.run(Request::from_parts(parts, bytes.into())).await,
        Err(refusal) => refusal,
    }
}

async fn read_body(body: Body) -> Result<Bytes, Response> {
    axum::body::to_bytes(body, MAX_BODY_BYTES)
        .await
        .map_err(|_| response::error_response(413, "Payload too large", &[]))
}

async fn read_json(request: Request) -> Result<Value, Response> {
    let bytes = read_body(request.into_body()).await?;
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Ok(Value::Object(serde_json::Map::new()));
    }
    serde_json::from_slice(&bytes)
        .map_err(|_| response::error_response(400, "Problems parsing JSON", &[]))
}

fn parse_json<T: DeserializeOwned>(value: Value) -> Result<T, ForgeError> {
    serde_json::from_value(value)
        .map_err(|e| ForgeError::refused(422, format!("Invalid request.\n\n{e}")))
}
