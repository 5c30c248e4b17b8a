//! Errors as problem details (RFC 9457): what was tried, what can be done, and what programs branch on.

use crate::limits::RETRY_AFTER;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use collie_core::error_code::{ErrorCode, ErrorHint};
use collie_core::user_error::{TextArg, UserError};
use collie_i18n::Localizer;
use serde::Serialize;
use utoipa::ToSchema;

/// What went wrong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Problem {
    /// Names the kind of problem, and leads nowhere.
    #[serde(rename = "type")]
    #[schema(example = "urn:collie:problem:no_write_access")]
    kind: String,
    /// The kind in words.
    title: String,
    /// The status of the answer.
    status: u16,
    /// What went wrong this time.
    detail: String,
    /// What programs branch on.
    code: String,
    /// What can be done about it.
    hints: Vec<String>,
}

/// An error on its way out, which gets its words last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ApiError(pub(crate) UserError);

impl ApiError {
    pub(crate) fn signed_out() -> Self {
        Self(UserError::new(ErrorCode::SignedOut).hint(ErrorHint::SignIn))
    }

    pub(crate) fn malformed(message: impl ToString) -> Self {
        let error = UserError::new(ErrorCode::RequestMalformed);
        Self(error.with("message", message.to_string()))
    }
}

impl From<UserError> for ApiError {
    fn from(error: UserError) -> Self {
        Self(error)
    }
}

impl From<ErrorCode> for ApiError {
    fn from(code: ErrorCode) -> Self {
        Self(UserError::new(code))
    }
}

impl IntoResponse for ApiError {
    /// Leaves the words to [`put_into_words`].
    fn into_response(self) -> Response {
        let mut response = status_of(self.0.code).into_response();
        response.extensions_mut().insert(self);
        response
    }
}

impl ApiError {
    /// Waits for the words; so that handlers need not know the language.
    pub(crate) fn of(response: &Response) -> Option<UserError> {
        response
            .extensions()
            .get::<ApiError>()
            .map(|error| error.0.clone())
    }
}

/// An error as it is sent.
pub(crate) fn problem_response(error: &UserError, localizer: &Localizer) -> Response {
    let status = status_of(error.code);
    let problem = Problem {
        kind: format!("urn:collie:problem:{}", error.code.as_str()),
        title: status.canonical_reason().unwrap_or_default().to_owned(),
        status: status.as_u16(),
        detail: localizer.error_text(error),
        code: error.code.as_str().to_owned(),
        hints: localizer.error_hints(error),
    };
    let mut response = (status, axum::Json(problem)).into_response();
    let headers = response.headers_mut();
    let problem_json = HeaderValue::from_static("application/problem+json");
    headers.insert(header::CONTENT_TYPE, problem_json);
    if status == StatusCode::TOO_MANY_REQUESTS {
        let seconds = match error.args.get(RETRY_AFTER) {
            Some(TextArg::Number(seconds)) => *seconds,
            _ => 1,
        };
        headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    }
    response
}

/// The status that stands for a code; 422 for what the backend refuses.
fn status_of(code: ErrorCode) -> StatusCode {
    match code {
        ErrorCode::SignedOut
        | ErrorCode::BadToken
        | ErrorCode::BadSignature
        | ErrorCode::RunnerUnknown
        | ErrorCode::SessionTokenUnknown => StatusCode::UNAUTHORIZED,
        ErrorCode::NoWriteAccess
        | ErrorCode::OperatorOnly
        | ErrorCode::SessionTokenOther
        | ErrorCode::ForeignOrigin
        | ErrorCode::DeviceDenied
        | ErrorCode::MergeElsewhere => StatusCode::FORBIDDEN,
        ErrorCode::ForeignHost => StatusCode::MISDIRECTED_REQUEST,
        ErrorCode::RequestMalformed | ErrorCode::BadName | ErrorCode::TokenShape => {
            StatusCode::BAD_REQUEST
        }
        ErrorCode::RequestTooLarge => StatusCode::PAYLOAD_TOO_LARGE,
        ErrorCode::RequestTimedOut => StatusCode::REQUEST_TIMEOUT,
        ErrorCode::TooManyRequests => StatusCode::TOO_MANY_REQUESTS,
        ErrorCode::NoRoute
        | ErrorCode::NotVisible
        | ErrorCode::NotFound
        | ErrorCode::NoLoop
        | ErrorCode::AccountUnknown
        | ErrorCode::DeviceOff
        | ErrorCode::DeviceExpired
        | ErrorCode::WebhooksOff => StatusCode::NOT_FOUND,
        ErrorCode::Over
        | ErrorCode::Busy
        | ErrorCode::Ended
        | ErrorCode::NotResumable
        | ErrorCode::SessionOver
        | ErrorCode::SessionStale => StatusCode::CONFLICT,
        ErrorCode::ServerStopping
        | ErrorCode::Starting
        | ErrorCode::Unreachable
        | ErrorCode::LoopsUnreachable
        | ErrorCode::LoopsUnreadable
        | ErrorCode::LoopsOfAnotherEngine
        | ErrorCode::DatabaseUnreachable
        | ErrorCode::Wait
        | ErrorCode::Store
        | ErrorCode::DiskFull => StatusCode::SERVICE_UNAVAILABLE,
        _ => StatusCode::UNPROCESSABLE_ENTITY,
    }
}
