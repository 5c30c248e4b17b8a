//! The conversation with an agent, call by call.

use super::child::Pipes;
use super::heard::Heard;
use super::lines::lines;
use super::spec::AuthBy;
use super::tail::Tail;
use super::turn::{Progress, Resumption, StopReason, Turn, TurnUsage};
use agent_client_protocol::schema::ProtocolVersion;
use agent_client_protocol::v1::schema::{
    AuthMethodId, AuthenticateRequest, CancelNotification, ContentBlock, Implementation,
    InitializeRequest, InitializeResponse, LoadSessionRequest, NewSessionRequest, PromptRequest,
    PromptResponse, RequestPermissionRequest, RequestPermissionResponse, ResumeSessionRequest,
    SessionId, SessionModeState, SessionNotification, SetSessionModeRequest,
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
pub(super) enum Task {
    /// A session is opened, nothing is asked.
    Open,
    /// The prompt is sent and answered.
    Prompt,
}

/// What an agent told of itself.
#[derive(Clone, Debug)]
pub(super) struct Hello {
    pub(super) protocol: u16,
    pub(super) agent: Option<String>,
    pub(super) methods: Vec<String>,
    pub(super) method_ids: Vec<AuthMethodId>,
    pub(super) can_resume: bool,
    pub(super) can_load: bool,
}

/// What a conversation came to.
#[derive(Clone, Debug)]
pub(super) struct Said {
    pub(super) hello: Hello,
    pub(super) session: String,
    pub(super) resumption: Resumption,
    pub(super) stop_reason: StopReason,
    pub(super) usage: Option<TurnUsage>,
}

/// Why a conversation broke off.
#[derive(Clone, Debug)]
pub(super) enum Break {
    /// Another version of the protocol.
    Version(u16),
    /// A login is asked for.
    Login { methods: Vec<String>, said: String },
    /// An answer of another shape.
    Shape(String),
    /// The other end is gone.
    Closed,
    /// An error for an answer.
    Refused { code: i32, said: String },
    /// Cancelled from our side.
    Cancelled,
}

/// Talks to an agent until the task is done or the conversation breaks off.
pub(super) async fn talk(
    turn: &Turn,
    task: Task,
    pipes: Pipes,
    heard: &Arc<Heard>,
    tail: &Tail,
    stop: &CancellationToken,
) -> Result<Said, Break> {
    let out = FramedWrite::new(pipes.stdin, LinesCodec::new());
    let out =
        SinkExt::<String>::sink_map_err(out, |error: LinesCodecError| io::Error::other(error));
    let lines = lines(
        pipes.stdout,
        turn.limits.max_message,
        heard.clone(),
        tail.clone(),
    );
    let (ear, judge) = (heard.clone(), heard.clone());
    // Not the builder of version 1: it would answer another version in place of us, and not say which.
    let conversation = Builder::new(Client)
        .name("collie")
        .on_receive_notification(
            async move |note: SessionNotification, _| {
                ear.update(note);
                Ok(())
            },
            on_receive_notification!(),
        )
        .on_receive_request(
            async move |asked: RequestPermissionRequest, answer, _| {
                answer.respond(RequestPermissionResponse::new(judge.permission(&asked)))
            },
            on_receive_request!(),
        )
        .connect_with(Lines::new(out, lines), async |agent| {
            let talk = Talk {
                turn,
                agent: &agent,
                heard,
                stop,
            };
            Ok(calls(&talk, task).await)
        })
        .await;
    // Only the transport makes an error of its own here.
    conversation.unwrap_or(Err(Break::Closed))
}

/// One conversation: who talks with whom, about what.
struct Talk<'a> {
    turn: &'a Turn,
    agent: &'a ConnectionTo<Agent>,
    heard: &'a Heard,
    stop: &'a CancellationToken,
}

async fn calls(talk: &Talk<'_>, task: Task) -> Result<Said, Break> {
    let hello = initialize(talk).await?;
    talk.heard.tell(Progress::Started {
        agent: hello.agent.clone(),
    });
    let told = after_hello(talk, task, &hello).await;
    let (session, resumption, answer) = told.map_err(|broke| match broke {
        Break::Login { said, .. } => Break::Login {
            methods: hello.methods.clone(),
            said,
        },
        other => other,
    })?;
    Ok(Said {
        hello,
        session: session.to_string(),
        resumption,
        stop_reason: answer
            .as_ref()
            .map_or(StopReason::EndTurn, |answer| stop_of(answer.stop_reason)),
        usage: answer.as_ref().and_then(usage_of),
    })
}

async fn after_hello(
    talk: &Talk<'_>,
    task: Task,
    hello: &Hello,
) -> Result<(SessionId, Resumption, Option<PromptResponse>), Break> {
    let opened = match open(talk, hello).await {
        Err(Break::Login { said, .. }) => {
            log_in(talk, hello, said).await?;
            open(talk, hello).await
        }
        opened => opened,
    };
    let (session, resumption) = opened?;
    talk.heard.tell(Progress::Session {
        id: session.to_string(),
        resumption: resumption.clone(),
    });
    let answer = match task {
        Task::Open => None,
        Task::Prompt => Some(prompt(talk, &session).await?),
    };
    Ok((session, resumption, answer))
}

async fn initialize(talk: &Talk<'_>) -> Result<Hello, Break> {
    // No capability is named: neither files nor terminals are offered.
    let request = InitializeRequest::new(ProtocolVersion::V1)
        .client_info(Implementation::new("collie", env!("CARGO_PKG_VERSION")).title("Collie"));
    let answer = ask(talk, "initialize", request).await?;
    if answer.protocol_version != ProtocolVersion::V1 {
        return Err(Break::Version(answer.protocol_version.as_u16()));
    }
    Ok(hello(answer))
}

fn hello(answer: InitializeResponse) -> Hello {
    let agent = answer
        .agent_info
        .map(|info| format!("{} {}", info.title.unwrap_or(info.name), info.version));
    let methods = answer.auth_methods.iter();
    let sessions = answer.agent_capabilities.session_capabilities;
    Hello {
        protocol: answer.protocol_version.as_u16(),
        agent,
        methods: methods
            .clone()
            .map(|method| method.name().to_owned())
            .collect(),
        method_ids: methods.map(|method| method.id().clone()).collect(),
        can_resume: sessions.resume.is_some(),
        can_load: answer.agent_capabilities.load_session,
    }
}

/// Logs in with the first key that is there and that the agent takes; `said` is its wish.
async fn log_in(talk: &Talk<'_>, hello: &Hello, said: String) -> Result<(), Break> {
    let spec = &talk.turn.spec;
    let is_set = |by: &&AuthBy| {
        let allowed = spec.env_allowed.contains(&by.variable);
        allowed
            && talk
                .turn
                .outside
                .get(&by.variable)
                .is_some_and(|key| !key.is_empty())
    };
    let mut methods = spec
        .auth
        .iter()
        .filter(is_set)
        .map(|by| AuthMethodId::new(by.method.as_str()));
    let Some(method) = methods.find(|method| hello.method_ids.contains(method)) else {
        return Err(Break::Login {
            methods: Vec::new(),
            said,
        });
    };
    match ask(talk, "authenticate", AuthenticateRequest::new(method)).await {
        Ok(_) => Ok(()),
        // The key is wrong, or the method is not what it seems.
        Err(Break::Refused { said, .. } | Break::Shape(said)) => Err(Break::Login {
            methods: Vec::new(),
            said,
        }),
        Err(other) => Err(other),
    }
}

/// Goes on with the saved session where that can be, else opens a new one (§6.1).
async fn open(talk: &Talk<'_>, hello: &Hello) -> Result<(SessionId, Resumption), Break> {
    let resumption = match &talk.turn.session {
        None => Resumption::Fresh,
        Some(saved) => match go_on(talk, saved, hello).await {
            Ok(modes) => {
                let session = SessionId::new(saved.as_str());
                set_mode(talk, &session, modes).await?;
                return Ok((session, Resumption::Resumed));
            }
            Err(Break::Refused { said, .. } | Break::Shape(said)) => {
                Resumption::Lost { reason: said }
            }
            Err(other) => return Err(other),
        },
    };
    let answer = ask(talk, "session/new", NewSessionRequest::new(&talk.turn.cwd)).await?;
    set_mode(talk, &answer.session_id, answer.modes).await?;
    Ok((answer.session_id, resumption))
}

async fn go_on(
    talk: &Talk<'_>,
    saved: &str,
    hello: &Hello,
) -> Result<Option<SessionModeState>, Break> {
    let cwd = &talk.turn.cwd;
    if hello.can_resume {
        let request = ResumeSessionRequest::new(saved.to_owned(), cwd);
        return Ok(ask(talk, "session/resume", request).await?.modes);
    }
    if hello.can_load {
        let request = LoadSessionRequest::new(saved.to_owned(), cwd);
        return Ok(ask(talk, "session/load", request).await?.modes);
    }
    Err(Break::Shape(
        "it cannot go on with an earlier session".into(),
    ))
}

/// Sets the first mode of the role's that is offered.
async fn set_mode(
    talk: &Talk<'_>,
    session: &SessionId,
    modes: Option<SessionModeState>,
) -> Result<(), Break> {
    let Some(modes) = modes else { return Ok(()) };
    let spec = &talk.turn.spec;
    let wanted = spec.modes.of(talk.turn.role).iter();
    let mut offered =
        wanted.filter_map(|id| modes.available_modes.iter().find(|mode| *mode.id.0 == **id));
    let Some(mode) = offered
        .next()
        .filter(|mode| mode.id != modes.current_mode_id)
    else {
        return Ok(());
    };
    let request = SetSessionModeRequest::new(session.clone(), mode.id.clone());
    match ask(talk, "session/set_mode", request).await {
        Ok(_) => Ok(()),
        // It stays in its own mode; what it asks is decided all the same.
        Err(Break::Refused { said, .. } | Break::Shape(said)) => {
            tracing::warn!(agent = spec.id, mode = %mode.id, said, "the agent did not take the mode");
            Ok(())
        }
        Err(other) => Err(other),
    }
}

async fn prompt(talk: &Talk<'_>, session: &SessionId) -> Result<PromptResponse, Break> {
    talk.heard.listen_to(session);
    talk.heard.enter("session/prompt");
    let parts = talk
        .turn
        .prompt
        .iter()
        .map(|part| ContentBlock::Text(TextContent::new(part.as_str())));
    let request = PromptRequest::new(session.clone(), parts.collect());
    let mut answered = pin!(talk.agent.send_request(request).block_task());
    tokio::select! {
        biased;
        () = talk.stop.cancelled() => {
            // Where it cannot be sent, the agent is gone, which is what is wanted.
            let _ = talk.agent.send_notification(CancelNotification::new(session.clone()));
            // By the book the prompt is answered now; the caller's patience has an end.
            let _ = answered.await;
            Err(Break::Cancelled)
        }
        answer = &mut answered => answer.map_err(|error| broken(&error)),
    }
}

/// Asks, and waits for the answer, or for somebody who no longer wants it.
async fn ask<R: JsonRpcRequest>(
    talk: &Talk<'_>,
    step: &'static str,
    request: R,
) -> Result<R::Response, Break> {
    talk.heard.enter(step);
    let answer = talk.agent.send_request(request).block_task();
    let answer = talk.stop.run_until_cancelled(answer).await;
    answer
        .ok_or(Break::Cancelled)?
        .map_err(|error| broken(&error))
}

fn broken(error: &Error) -> Break {
    let said = short(error);
    if is_incoming_transport_closed(error) || is_connection_terminated(error) {
        return Break::Closed;
    }
    match error.code {
        ErrorCode::PARSE_ERROR => Break::Shape(said),
        ErrorCode::AUTH_REQUIRED => Break::Login {
            methods: Vec::new(),
            said,
        },
        code => Break::Refused {
            code: code.into(),
            said,
        },
    }
}

/// An agent's error in one line of bounded length.
fn short(error: &Error) -> String {
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

fn stop_of(reason: WireStop) -> StopReason {
    match reason {
        WireStop::EndTurn => StopReason::EndTurn,
        WireStop::MaxTokens => StopReason::MaxTokens,
        WireStop::MaxTurnRequests => StopReason::MaxRequests,
        WireStop::Refusal => StopReason::Refusal,
        WireStop::Cancelled => StopReason::Cancelled,
        _ => StopReason::Other,
    }
}

fn usage_of(answer: &PromptResponse) -> Option<TurnUsage> {
    let usage = answer.usage.as_ref()?;
    Some(TurnUsage {
        input_tokens: usage.input_tokens,
        output_tokens: usage.output_tokens,
        cached_read_tokens: usage.cached_read_tokens.unwrap_or_default(),
        cached_write_tokens: usage.cached_write_tokens.unwrap_or_default(),
    })
}
