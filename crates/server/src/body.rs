//! Bodies in JSON, as large as they may be.

use crate::problem::ApiError;
use axum::extract::{FromRequest, Request};
use axum::http::header;
use bytes::Bytes;
use collie_core::error_code::ErrorCode;
use collie_core::user_error::UserError;
use serde::de::DeserializeOwned;

/// What a request may carry, but for deliveries of webhooks.
pub(crate) const BODY_LIMIT: usize = 64 * 1024;

/// A body in JSON.
pub(crate) struct JsonBody<T>(pub(crate) T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for JsonBody<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Self, ApiError> {
        Self::read(request, state, BODY_LIMIT, "64 KB").await
    }
}

impl<T: DeserializeOwned> JsonBody<T> {
    /// Reads a body of at most so many bytes.
    pub(crate) async fn read<S: Send + Sync>(
        request: Request,
        state: &S,
        limit: usize,
        in_words: &str,
    ) -> Result<Self, ApiError> {
        let kind = request.headers().get(header::CONTENT_TYPE);
        let kind = kind.and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        let kind = kind.split(';').next().unwrap_or_default().trim();
        if !kind.eq_ignore_ascii_case("application/json") {
            return Err(ApiError::malformed("it is not sent as application/json"));
        }
        let bytes = read(request, state, limit, in_words).await?;
        serde_json::from_slice(&bytes)
            .map(Self)
            .map_err(ApiError::malformed)
    }
}

/// Reads a body of at most so many bytes.
pub(crate) async fn read<S: Send + Sync>(
    request: Request,
    _: &S,
    limit: usize,
    in_words: &str,
) -> Result<Bytes, ApiError> {
    let too_large = || {
        let error = UserError::new(ErrorCode::RequestTooLarge);
        ApiError(error.with("limit", in_words))
    };
    let announced = request.headers().get(header::CONTENT_LENGTH);
    let announced = announced.and_then(|length| length.to_str().ok()?.parse::<usize>().ok());
    if announced.is_some_and(|length| length > limit) {
        return Err(too_large());
    }
    let body = axum::body::to_bytes(request.into_body(), limit).await;
    body.map_err(|error| {
        let source = std::error::Error::source(&error);
        match source.is_some_and(|source| source.to_string().contains("length limit")) {
            true => too_large(),
            false => ApiError::malformed("its body broke off"),
        }
    })
}
