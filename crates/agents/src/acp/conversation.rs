//! The conversation with an agent, call by call.

use super::agent_process::AgentPipes;
use super::framing::message_lines;
use super::observer::TurnObserver;
use super::output_tail::OutputTail;
use super::session_opening::open_session;
use super::spec::EnvAuthMethod;
use super::turn::{AgentProgress, Resumption, StopReason, TurnRequest, TurnUsage};
use agent_client_protocol::schema::ProtocolVersion;
use agent_client_protocol::v1::schema::{
    AuthMethodId, AuthenticateRequest, CancelNotification, ContentBlock, Implementation,
    InitializeRequest, InitializeResponse, McpCapabilities, PromptRequest, PromptResponse,
    RequestPermissionRequest, RequestPermissionResponse, SessionId, SessionNotification,
    StopReason as WireStop, TextContent,
};
use agent_client_protocol::{
    Agent, Builder, Client, ConnectionTo, Error, ErrorCode, JsonRpcRequest, Lines,
    is_connection_terminated, is_incoming_transport_closed, on_receive_notification,
    on_receive_request,
};
use futures::SinkExt;
use std::io;
use std::pin::pin;
use std::sync::Arc;
use tokio_util::codec::{FramedWrite, LinesCodec, LinesCodecError};
use tokio_util::sync::CancellationToken;

/// How far a conversation goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ConversationScope {
    /// A session is opened, nothing is asked.
    OpenSession,
    /// The prompt is sent and answered.
    SendPrompt,
}

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

/// What a conversation came to.
#[derive(Clone, Debug)]
pub(super) struct TurnOutcome {
    pub(super) agent_info: AgentInfo,
    pub(super) session_id: String,
    pub(super) resumption: Resumption,
    pub(super) stop_reason: StopReason,
    pub(super) usage: Option<TurnUsage>,
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

/// Talks to an agent until the task is done or the conversation breaks off.
pub(super) async fn run_conversation(
    turn: &TurnRequest,
    scope: ConversationScope,
    pipes: AgentPipes,
    observer: &Arc<TurnObserver>,
    stderr_tail: &OutputTail,
    stop_token: &CancellationToken,
) -> Result<TurnOutcome, ConversationError> {
    let out = FramedWrite::new(pipes.stdin, LinesCodec::new());
    let out =
        SinkExt::<String>::sink_map_err(out, |error: LinesCodecError| io::Error::other(error));
    let lines = message_lines(
        pipes.stdout,
        turn.limits.max_message_bytes,
        observer.clone(),
        stderr_tail.clone(),
    );
    let (update_observer, permission_observer) = (observer.clone(), observer.clone());
    // Not the builder of version 1: it would answer another version in place of us, and not say which.
    let conversation = Builder::new(Client)
        .name("collie")
        .on_receive_notification(
            async move |notification: SessionNotification, _| {
                update_observer.on_session_update(notification);
                Ok(())
            },
            on_receive_notification!(),
        )
        .on_receive_request(
            async move |request: RequestPermissionRequest, responder, _| {
                responder.respond(RequestPermissionResponse::new(
                    permission_observer.answer_permission(&request),
                ))
            },
            on_receive_request!(),
        )
        .connect_with(Lines::new(out, lines), async |connection| {
            let context = ConversationContext {
                turn,
                connection: &connection,
                observer,
                stop_token,
            };
            Ok(open_and_prompt(&context, scope).await)
        })
        .await;
    // Only the transport makes an error of its own here.
    conversation.unwrap_or(Err(ConversationError::Closed))
}

/// One conversation: who talks with whom, about what.
pub(super) struct ConversationContext<'a> {
    pub(super) turn: &'a TurnRequest,
    connection: &'a ConnectionTo<Agent>,
    pub(super) observer: &'a TurnObserver,
    stop_token: &'a CancellationToken,
}

async fn open_and_prompt(
    context: &ConversationContext<'_>,
    scope: ConversationScope,
) -> Result<TurnOutcome, ConversationError> {
    let agent_info = initialize(context).await?;
    context.observer.emit(AgentProgress::Started {
        agent: agent_info.name.clone(),
    });
    let opened = open_session_and_prompt(context, scope, &agent_info).await;
    let (session, resumption, response) = opened.map_err(|error| match error {
        ConversationError::LoginRequired { message: said, .. } => {
            ConversationError::LoginRequired {
                methods: agent_info.auth_method_names.clone(),
                message: said,
            }
        }
        other => other,
    })?;
    Ok(TurnOutcome {
        agent_info,
        session_id: session.to_string(),
        resumption,
        stop_reason: response.as_ref().map_or(StopReason::EndTurn, |answer| {
            stop_reason_of(answer.stop_reason)
        }),
        usage: response.as_ref().and_then(turn_usage_of),
    })
}

async fn open_session_and_prompt(
    context: &ConversationContext<'_>,
    scope: ConversationScope,
    agent_info: &AgentInfo,
) -> Result<(SessionId, Resumption, Option<PromptResponse>), ConversationError> {
    let opened = match open_session(context, agent_info).await {
        Err(ConversationError::LoginRequired { message: said, .. }) => {
            log_in(context, agent_info, said).await?;
            open_session(context, agent_info).await
        }
        opened => opened,
    };
    let (session, resumption) = opened?;
    context.observer.emit(AgentProgress::Session {
        id: session.to_string(),
        resumption: resumption.clone(),
    });
    let response = match scope {
        ConversationScope::OpenSession => None,
        ConversationScope::SendPrompt => Some(send_prompt(context, &session).await?),
    };
    Ok((session, resumption, response))
}

async fn initialize(context: &ConversationContext<'_>) -> Result<AgentInfo, ConversationError> {
    // No capability is named: neither files nor terminals are offered.
    let request = InitializeRequest::new(ProtocolVersion::V1)
        .client_info(Implementation::new("collie", env!("CARGO_PKG_VERSION")).title("Collie"));
    let response = send_request(context, "initialize", request).await?;
    if response.protocol_version != ProtocolVersion::V1 {
        return Err(ConversationError::UnsupportedProtocol(
            response.protocol_version.as_u16(),
        ));
    }
    Ok(agent_info(response))
}

fn agent_info(response: InitializeResponse) -> AgentInfo {
    let agent = response
        .agent_info
        .map(|info| format!("{} {}", info.title.unwrap_or(info.name), info.version));
    let methods = response.auth_methods.iter();
    let capabilities = response.agent_capabilities;
    let sessions = capabilities.session_capabilities;
    AgentInfo {
        protocol: response.protocol_version.as_u16(),
        name: agent,
        auth_method_names: methods
            .clone()
            .map(|method| method.name().to_owned())
            .collect(),
        auth_method_ids: methods.map(|method| method.id().clone()).collect(),
        can_resume: sessions.resume.is_some(),
        can_load: capabilities.load_session,
        mcp: capabilities.mcp_capabilities,
    }
}

/// Logs in with the first key that is there and that the agent takes; `said` is what it asked for.
async fn log_in(
    context: &ConversationContext<'_>,
    agent_info: &AgentInfo,
    message: String,
) -> Result<(), ConversationError> {
    let spec = &context.turn.spec;
    let is_set = |auth_method: &&EnvAuthMethod| {
        let allowed = spec.env_allowed.contains(&auth_method.variable);
        allowed
            && context
                .turn
                .env
                .get(&auth_method.variable)
                .is_some_and(|key| !key.is_empty())
    };
    let mut methods = spec
        .env_auth
        .iter()
        .filter(is_set)
        .map(|by| AuthMethodId::new(by.method.as_str()));
    let Some(method) = methods.find(|method| agent_info.auth_method_ids.contains(method)) else {
        return Err(ConversationError::LoginRequired {
            methods: Vec::new(),
            message,
        });
    };
    match send_request(context, "authenticate", AuthenticateRequest::new(method)).await {
        Ok(_) => Ok(()),
        // The key is wrong, or the method is not what it seems.
        Err(
            ConversationError::Refused { message: said, .. }
            | ConversationError::InvalidResponse(said),
        ) => Err(ConversationError::LoginRequired {
            methods: Vec::new(),
            message: said,
        }),
        Err(other) => Err(other),
    }
}

async fn send_prompt(
    context: &ConversationContext<'_>,
    session: &SessionId,
) -> Result<PromptResponse, ConversationError> {
    context.observer.observe_session(session);
    context.observer.enter_step("session/prompt");
    let parts = context
        .turn
        .prompt
        .iter()
        .map(|part| ContentBlock::Text(TextContent::new(part.as_str())));
    let request = PromptRequest::new(session.clone(), parts.collect());
    let mut response = pin!(context.connection.send_request(request).block_task());
    tokio::select! {
        biased;
        () = context.stop_token.cancelled() => {
            // Where it cannot be sent, the agent is gone, which is what is wanted.
            let _ = context.connection.send_notification(CancelNotification::new(session.clone()));
            // By the book the prompt is answered now; the caller's patience has an end.
            if let Some(usage) = response.await.ok().as_ref().and_then(turn_usage_of) {
                context.observer.emit(AgentProgress::Spent { usage });
            }
            Err(ConversationError::Cancelled)
        }
        result = &mut response => result.map_err(|error| conversation_error(&error)),
    }
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

fn conversation_error(error: &Error) -> ConversationError {
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

fn stop_reason_of(reason: WireStop) -> StopReason {
    match reason {
        WireStop::EndTurn => StopReason::EndTurn,
        WireStop::MaxTokens => StopReason::MaxTokens,
        WireStop::MaxTurnRequests => StopReason::MaxRequests,
        WireStop::Refusal => StopReason::Refusal,
        WireStop::Cancelled => StopReason::Cancelled,
        _ => StopReason::Other,
    }
}

fn turn_usage_of(response: &PromptResponse) -> Option<TurnUsage> {
    let usage = response.usage.as_ref()?;
    Some(TurnUsage {
        input_tokens: usage.input_tokens,
        output_tokens: usage.output_tokens,
        cached_read_tokens: usage.cached_read_tokens.unwrap_or_default(),
        cached_write_tokens: usage.cached_write_tokens.unwrap_or_default(),
    })
}
