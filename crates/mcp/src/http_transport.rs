//! The server over [streamable HTTP](https://modelcontextprotocol.io/specification/2026-07-28/basic/transports#streamable-http): each request by
//! itself, without a session, for whoever sent it.

use crate::server::McpServer;
use bytes::Bytes;
use http::{Request, Response};
use http_body::Body;
use http_body_util::combinators::BoxBody;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use std::convert::Infallible;
use std::fmt::Display;
use std::sync::Arc;

/// Answers a request whose sender, `Host` and `Origin` were looked at. Bodies of more than `max_body` bytes are refused.
pub async fn answer_http<B>(
    server: McpServer,
    request: Request<B>,
    max_body: usize,
) -> Response<BoxBody<Bytes, Infallible>>
where
    B: Body + Send + 'static,
    B::Error: Display,
{
    // Who is served is of the request: nothing of one may stay for the next, so there are no sessions.
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .with_max_request_body_bytes(max_body)
        .disable_allowed_hosts();
    let sessions = Arc::new(NeverSessionManager::default());
    let service = StreamableHttpService::new(move || Ok(server.clone()), sessions, config);
    service.handle(request).await
}
