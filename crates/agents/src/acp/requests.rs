//! Asks an agent within a conversation, and says what went wrong with an answer.

use super::observer::TurnObserver;
use super::turn::TurnRequest;
use agent_client_protocol::v1::schema::{AuthMethodId, McpCapabilities};
use agent_client_protocol::{
    Agent, ConnectionTo, Error, ErrorCode, JsonRpcRequest, is_connection_terminated,
    is_incoming_transport_closed,
};
use tokio_util::sync::CancellationToken;

/// What an agent told of itself.
#[derive(Clone, Debug)]
pub(super) struct AgentInfo {
    pub(super) protocol: u16,
    pub(super) name: Option<String>,
    pub(super) auth_method_names: Vec<String>,
    pub(super) auth_method_ids: Vec<AuthMethodId>,
    pub(super) can_resume: bool,
    pub(super) can_load: bool,
    pub(super) mcp: McpCapabilities,
}

/// Why a conversation broke off.
#[derive(Clone, Debug)]
pub(super) enum ConversationError {
    /// Another version of the protocol.
    UnsupportedProtocol(u16),
    /// A login is asked for.
    LoginRequired {
        methods: Vec<String>,
        message: String,
    },
    /// An answer of another shape.
    InvalidResponse(String),
    /// The other end is gone.
    Closed,
    /// An error for an answer.
    Refused { code: i32, message: String },
    /// Cancelled from our side.
    Cancelled,
}

/// One conversation: who talks with whom, about what.
pub(super) struct ConversationContext<'a> {
    pub(super) turn: &'a TurnRequest,
    pub(super) connection: &'a ConnectionTo<Agent>,
    pub(super) observer: &'a TurnObserver,
    pub(super) stop_token: &'a CancellationToken,
}

/// Asks, and waits for the answer, or for somebody who no longer wants it.
pub(super) async fn send_request<R: JsonRpcRequest>(
    context: &ConversationContext<'_>,
    call: &'static str,
    request: R,
) -> Result<R::Response, ConversationError> {
    context.observer.enter_step(call);
    let response = context.connection.send_request(request).block_task();
    let answer = context.stop_token.run_until_cancelled(response).await;
    answer
        .ok_or(ConversationError::Cancelled)?
        .map_err(|error| conversation_error(&error))
}

pub(super) fn conversation_error(error: &Error) -> ConversationError {
    let message = error_summary(error);
    if is_incoming_transport_closed(error) || is_connection_terminated(error) {
        return ConversationError::Closed;
    }
    match error.code {
        ErrorCode::PARSE_ERROR => ConversationError::InvalidResponse(message),
        ErrorCode::AUTH_REQUIRED => ConversationError::LoginRequired {
            methods: Vec::new(),
            message,
        },
        code => ConversationError::Refused {
            code: code.into(),
            message,
        },
    }
}

/// An agent's error in one line of bounded length.
fn error_summary(error: &Error) -> String {
    let data = match &error.data {
        None | Some(serde_json::Value::Null) => String::new(),
        Some(serde_json::Value::String(text)) => format!(": {text}"),
        // What the library could not read is in there whole; only the reason helps.
        Some(data) => match data
            .get("error")
            .or(data.get("message"))
            .and_then(|reason| reason.as_str())
        {
            Some(reason) => format!(": {reason}"),
            None => format!(": {data}"),
        },
    };
    let line = format!("{}{data}", error.message);
    line.split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
        .chars()
        .take(500)
        .collect()
}
