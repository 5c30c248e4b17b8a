//! A request that arrives twice: git sends a push again when a connection that it has used before is closed without an answer, and
//! proxies do so with what they take for repeatable.

use axum::body::Body;
use axum::extract::Request;
use axum::http::StatusCode;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::observed_call::ObservedCall;
use super::{BODY_LIMIT, RequestGate};

impl RequestGate {
    /// Carries a request out to its end, and then once more; gives the second answer.
    pub(super) async fn run_twice(
        &self,
        call: &ObservedCall,
        holder: &str,
        request: Request,
        next: Next,
    ) -> Response {
        let (parts, body) = request.into_parts();
        let Ok(body) = axum::body::to_bytes(body, BODY_LIMIT).await else {
            return StatusCode::PAYLOAD_TOO_LARGE.into_response();
        };
        let again = Request::from_parts(parts.clone(), Body::from(body.clone()));
        let request = Request::from_parts(parts, Body::from(body));
        let first = self.run_charged(call, holder, request, next.clone()).await;
        // An answer that is read to its end belongs to a request that was carried out whole.
        let read = axum::body::to_bytes(first.into_body(), BODY_LIMIT).await;
        if let Err(error) = read {
            tracing::warn!(%error, "the first of two deliveries was cut off");
        }
        self.run_charged(call, holder, again, next).await
    }
}
