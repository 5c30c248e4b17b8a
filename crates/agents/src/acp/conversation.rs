//! The conversation with an agent, call by call.

use super::agent_process::AgentPipes;
use super::framing::message_lines;
use super::observer::TurnObserver;
use super::output_tail::OutputTail;
use super::requests::{
    AgentInfo, ConversationContext, ConversationError, conversation_error, send_request,
};
use super::session_opening::open_session;
use super::spec::EnvAuthMethod;
use super::turn::{AgentProgress, Resumption, StopReason, TurnRequest, TurnUsage};
use agent_client_protocol::schema::ProtocolVersion;
use agent_client_protocol::v1::schema::{
    AuthMethodId, AuthenticateRequest, CancelNotification, ContentBlock, Implementation,
    InitializeRequest, InitializeResponse, PromptRequest, PromptResponse, RequestPermissionRequest,
    RequestPermissionResponse, SessionId, SessionNotification, StopReason as WireStop, TextContent,
};
use agent_client_protocol::{Builder, Client, Lines, on_receive_notification, on_receive_request};
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

/// What a conversation came to.
#[derive(Clone, Debug)]
pub(super) struct TurnOutcome {
    pub(super) agent_info: AgentInfo,
    pub(super) session_id: String,
    pub(super) resumption: Resumption,
    pub(super) stop_reason: StopReason,
    pub(super) usage: Option<TurnUsage>,
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
    let Some(usage) = response.usage.as_ref() else {
        return quota_usage_of(response);
    };
    Some(TurnUsage {
        input_tokens: usage.input_tokens,
        output_tokens: usage.output_tokens,
        cached_read_tokens: usage.cached_read_tokens.unwrap_or_default(),
        cached_write_tokens: usage.cached_write_tokens.unwrap_or_default(),
    })
}

/// As Gemini CLI tells it, beside the protocol: `_meta.quota.token_count`. Zeros are no count.
fn quota_usage_of(response: &PromptResponse) -> Option<TurnUsage> {
    let count = response.meta.as_ref()?.get("quota")?.get("token_count")?;
    let tokens = |name: &str| count.get(name).and_then(serde_json::Value::as_u64);
    let usage = TurnUsage {
        input_tokens: tokens("input_tokens").unwrap_or_default(),
        output_tokens: tokens("output_tokens").unwrap_or_default(),
        ..TurnUsage::default()
    };
    (usage != TurnUsage::default()).then_some(usage)
}

#[cfg(test)]
mod tests {
    use super::{TurnUsage, turn_usage_of};
    use serde_json::json;

    #[test]
    fn tokens_are_read_from_the_answer_or_from_what_gemini_puts_beside_it() {
        let check = |more: serde_json::Value, expect: Option<(u64, u64)>| {
            let mut answer = json!({"stopReason": "end_turn"});
            for (name, value) in more.as_object().unwrap() {
                answer[name] = value.clone();
            }
            let read = turn_usage_of(&serde_json::from_value(answer).unwrap());
            let expect = expect.map(|(input_tokens, output_tokens)| TurnUsage {
                input_tokens,
                output_tokens,
                ..TurnUsage::default()
            });
            assert_eq!(read, expect, "{more}");
        };
        let usage = json!({"totalTokens": 9, "inputTokens": 7, "outputTokens": 2});
        let quota = |input: serde_json::Value| json!({"quota": {"token_count": {"input_tokens": input, "output_tokens": 3}}});
        check(
            json!({"usage": usage, "_meta": quota(json!(5))}),
            Some((7, 2)),
        );
        check(json!({"_meta": quota(json!(5))}), Some((5, 3)));
        check(json!({"_meta": quota(json!("many"))}), Some((0, 3)));
        check(json!({"_meta": {"quota": 7}}), None);
        check(json!({}), None);
    }
}
