//! Bodies in JSON, as large as they may be.

use crate::problem::ApiError;
use axum::body::Body;
use axum::extract::{FromRequest, Request};
use axum::http::header;
use bytes::Bytes;
use collie_core::error_code::ErrorCode;
use collie_core::user_error::UserError;
use futures::StreamExt as _;
use serde::de::DeserializeOwned;
use std::time::Duration;

/// What a request may carry, but for deliveries of webhooks.
pub(crate) const BODY_LIMIT: usize = 64 * 1024;

/// For how long what is too large is still taken, so that its sender hears that it is.
const DISCARD_TIME: Duration = Duration::from_secs(2);

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
            .map_err(|error| ApiError::malformed(without_values(&error.to_string())))
    }
}

/// What the parser says, without the text that it found in place of another kind of value: that may be a token, put in the wrong place.
fn without_values(words: &str) -> String {
    let kinds = [
        "invalid type: string ",
        "invalid value: string ",
        "unknown field ",
        "unknown variant ",
    ];
    for kind in kinds {
        let Some((before, rest)) = words.split_once(kind) else {
            continue;
        };
        let kind = kind.trim_end();
        // What is said after it is ours: what was expected, or that nothing was, and the place.
        let ours = [", expected ", ", there are no "]
            .iter()
            .filter_map(|mark| rest.rfind(mark))
            .max();
        let place = || rest.rfind(" at line ");
        let after = ours.or_else(place).map_or("", |at| &rest[at..]);
        return format!("{before}{kind}{after}");
    }
    words.to_owned()
}

/// Takes what is sent and keeps nothing of it: a sender whose connection closes while it writes never reads why it was refused. Twice of what may
/// be sent, and for a moment, since nobody is owed more.
async fn discard(body: Body, limit: usize) {
    let mut left = limit.saturating_mul(2);
    let mut pieces = body.into_data_stream();
    let all = async {
        while let Some(Ok(piece)) = pieces.next().await {
            left = left.saturating_sub(piece.len());
            if left == 0 {
                return;
            }
        }
    };
    if tokio::time::timeout(DISCARD_TIME, all).await.is_err() {
        tracing::debug!("what was too large was not sent in time either");
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
        discard(request.into_body(), limit).await;
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

#[cfg(test)]
mod tests {
    use super::without_values;
    use serde::Deserialize;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    #[allow(dead_code, reason = "what is read of it is how it fails")]
    struct Given {
        token: u8,
        kind: Option<Kind>,
    }

    #[derive(Debug, Deserialize)]
    #[serde(rename_all = "snake_case")]
    enum Kind {
        One,
    }

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Empty {}

    #[test]
    fn what_was_sent_in_the_wrong_place_is_not_said_again() {
        let said = |body: &str| {
            let error = serde_json::from_str::<Given>(body).expect_err(body);
            without_values(&error.to_string())
        };
        for body in [
            r#""ghp_1, expected x""#,
            r#"{"token": "ghp_1"}"#,
            r#"{"token": "x, expected ghp_1"}"#,
            r#"{"ghp_1": 1}"#,
            r#"{"ghp_1, expected ghp_1 at line 1": 1}"#,
            r#"{"kind": "ghp_1"}"#,
        ] {
            let said = said(body);
            assert!(!said.contains("ghp_1"), "{said}");
            assert!(
                said.contains("expected") && said.contains("column"),
                "{said}"
            );
        }
        let error = serde_json::from_str::<Empty>(r#"{"ghp_1": 1}"#).expect_err("a field");
        assert_eq!(
            without_values(&error.to_string()),
            "unknown field, there are no fields at line 1 column 8"
        );
        assert_eq!(said("{}"), "missing field `token` at line 1 column 2");
    }
}
