//! The page, which is a part of the program, and what monitors and programs ask first.

use crate::problem::{ApiError, Problem};
use crate::state::ServerState;
use axum::Json;
use axum::extract::State;
use axum::http::{Method, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use collie_core::error_code::{ErrorCode, ErrorHint};
use collie_core::user_error::UserError;
use rust_embed::RustEmbed;
use serde::Serialize;
use std::sync::Arc;
use utoipa::ToSchema;

/// The page as it was built; without it the API alone is served.
#[derive(RustEmbed)]
#[folder = "../../ui/dist"]
#[allow_missing = true]
struct Page;

/// How the server is.
#[derive(Serialize, ToSchema)]
pub(crate) struct Health {
    /// `ok`.
    status: &'static str,
    /// Collie's version.
    version: &'static str,
}

const HEALTHY: Health = Health {
    status: "ok",
    version: env!("CARGO_PKG_VERSION"),
};

/// Whether the process answers.
#[utoipa::path(get, path = "/healthz", tag = "Monitoring", responses((status = 200, description = "It does.", body = Health)))]
pub(crate) async fn healthz() -> Json<Health> {
    Json(HEALTHY)
}

/// Whether the engine works.
#[utoipa::path(
    get,
    path = "/readyz",
    tag = "Monitoring",
    responses(
        (status = 200, description = "It does.", body = Health),
        (status = 503, description = "It does not.", content_type = "application/problem+json", body = Problem),
    ),
)]
pub(crate) async fn readyz(
    State(state): State<Arc<ServerState>>,
) -> Result<Json<Health>, ApiError> {
    match state.backend.engine_problem() {
        None => Ok(Json(HEALTHY)),
        Some(problem) => Err(ApiError(problem)),
    }
}

/// A file of the page.
pub(crate) async fn page(method: Method, uri: Uri) -> Response {
    let path = uri.path().trim_start_matches('/');
    let path = if path.is_empty() { "index.html" } else { path };
    let file = Page::get(path).filter(|_| [Method::GET, Method::HEAD].contains(&method));
    let Some(file) = file else {
        let nothing = UserError::new(ErrorCode::NoRoute).with("path", uri.path());
        return ApiError(nothing.hint(ErrorHint::ServerDocs)).into_response();
    };
    let kind = mime_guess::from_path(path).first_or_octet_stream();
    // The names of assets change with what is in them.
    let cache = match path.starts_with("assets/") {
        true => "public, max-age=31536000, immutable",
        false => "no-cache",
    };
    let headers = [
        (header::CONTENT_TYPE, kind.as_ref().to_owned()),
        (header::CACHE_CONTROL, cache.to_owned()),
    ];
    (StatusCode::OK, headers, file.data.into_owned()).into_response()
}
