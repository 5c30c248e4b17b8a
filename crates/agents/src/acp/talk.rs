//! The conversation with an agent, call by call.

use super::child::Pipes;
use super::heard::{Fault, Heard};
use super::tail::Tail;
use super::turn::{Progress, Resumption, StopReason, Turn, TurnUsage};
use agent_client_protocol::schema::ProtocolVersion;
use agent_client_protocol::v1::schema::{
    AuthMethod, CancelNotification, ContentBlock, Implementation, InitializeRequest,
    InitializeResponse, LoadSessionRequest, NewSessionRequest, PromptRequest, PromptResponse,
    RequestPermissionRequest, RequestPermissionResponse, ResumeSessionRequest, SessionId,
    SessionModeState, SessionNotification, SetSessionModeRequest, StopReason as WireStop,
    TextContent,
};
use agent_client_protocol::{
    Agent, Builder, Client, ConnectionTo, Error, ErrorCode, JsonRpcResponse, Lines, SentRequest,
    is_connection_terminated, is_incoming_transport_closed, on_receive_notification,
    on_receive_request,
};
use futures::{SinkExt, Stream, StreamExt, future};
use std::io;
use std::pin::pin;
use std::sync::Arc;
use tokio::process::ChildStdout;
use tokio_util::codec::{FramedRead, FramedWrite, LinesCodec, LinesCodecError};
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
            Ok(calls(turn, task, &agent, heard, stop).await)
        })
        .await;
    // Only the transport makes an error of its own here.
    conversation.unwrap_or(Err(Break::Closed))
}

/// The messages of an agent. What is none goes to the tail; what is too long, or broken, ends it.
fn lines(
    stdout: ChildStdout,
    max: usize,
    heard: Arc<Heard>,
    tail: Tail,
) -> impl Stream<Item = io::Result<String>> + Send + 'static {
    let lines = FramedRead::new(stdout, LinesCodec::new_with_max_length(max));
    lines.filter_map(move |line| future::ready(message(line, max, &heard, &tail)))
}

fn message(
    line: Result<String, LinesCodecError>,
    max: usize,
    heard: &Heard,
    tail: &Tail,
) -> Option<io::Result<String>> {
    let fault = match line {
        Ok(line) => {
            // A message is an object; a banner or a warning is not.
            let is_message = line.trim_start().starts_with('{');
            if !heard.count(line.len(), is_message) {
                return Some(Err(io::Error::other("too much")));
            }
            if !is_message {
                tail.push(line.as_bytes());
                tail.push(b"\n");
                return None;
            }
            match serde_json::from_str::<serde::de::IgnoredAny>(&line) {
                Ok(_) => return Some(Ok(line)),
                Err(error) => Fault::Broken {
                    reason: format!("it is no JSON: {error}"),
                },
            }
        }
        Err(LinesCodecError::MaxLineLengthExceeded) => Fault::TooMuch {
            what: "message",
            bound: max as u64,
        },
        Err(LinesCodecError::Io(error)) => Fault::Broken {
            reason: error.to_string(),
        },
    };
    heard.give_up(fault);
    Some(Err(io::Error::other("broken off")))
}

async fn calls(
    turn: &Turn,
    task: Task,
    agent: &ConnectionTo<Agent>,
    heard: &Heard,
    stop: &CancellationToken,
) -> Result<Said, Break> {
    let hello = initialize(agent, heard, stop).await?;
    heard.tell(Progress::Started {
        agent: hello.agent.clone(),
    });
    let (session, resumption) = open(turn, agent, &hello, heard, stop).await?;
    heard.tell(Progress::Session {
        id: session.to_string(),
        resumption: resumption.clone(),
    });
    let said = |stop_reason, usage| Said {
        session: session.to_string(),
        hello,
        resumption,
        stop_reason,
        usage,
    };
    match task {
        Task::Open => Ok(said(StopReason::EndTurn, None)),
        Task::Prompt => {
            let answer = prompt(turn, agent, &session, heard, stop).await?;
            Ok(said(stop_of(answer.stop_reason), usage_of(&answer)))
        }
    }
}

async fn initialize(
    agent: &ConnectionTo<Agent>,
    heard: &Heard,
    stop: &CancellationToken,
) -> Result<Hello, Break> {
    heard.enter("initialize");
    // No capability is named: neither files nor terminals are offered.
    let request = InitializeRequest::new(ProtocolVersion::V1)
        .client_info(Implementation::new("collie", env!("CARGO_PKG_VERSION")).title("Collie"));
    let answer = answer(agent.send_request(request), stop, &[]).await?;
    if answer.protocol_version != ProtocolVersion::V1 {
        return Err(Break::Version(answer.protocol_version.as_u16()));
    }
    Ok(hello(answer))
}

fn hello(answer: InitializeResponse) -> Hello {
    let agent = answer
        .agent_info
        .map(|info| format!("{} {}", info.title.unwrap_or(info.name), info.version));
    let methods = answer.auth_methods.iter().map(|method| match method {
        AuthMethod::Agent(method) => method.name.clone(),
        AuthMethod::Terminal(method) => method.name.clone(),
        other => other.name().to_owned(),
    });
    let sessions = answer.agent_capabilities.session_capabilities;
    Hello {
        protocol: answer.protocol_version.as_u16(),
        agent,
        methods: methods.collect(),
        can_resume: sessions.resume.is_some(),
        can_load: answer.agent_capabilities.load_session,
    }
}

/// Goes on with the saved session where that can be, else opens a new one (§6.1).
async fn open(
    turn: &Turn,
    agent: &ConnectionTo<Agent>,
    hello: &Hello,
    heard: &Heard,
    stop: &CancellationToken,
) -> Result<(SessionId, Resumption), Break> {
    let resumption = match &turn.session {
        None => Resumption::Fresh,
        Some(saved) => match go_on(turn, saved, agent, hello, heard, stop).await {
            Ok(modes) => {
                let session = SessionId::new(saved.as_str());
                set_mode(turn, &session, modes, agent, heard, stop).await?;
                return Ok((session, Resumption::Resumed));
            }
            Err(Break::Refused { said, .. } | Break::Shape(said)) => {
                Resumption::Lost { reason: said }
            }
            Err(other) => return Err(other),
        },
    };
    heard.enter("session/new");
    let request = agent.send_request(NewSessionRequest::new(&turn.cwd));
    let answer = answer(request, stop, &hello.methods).await?;
    set_mode(turn, &answer.session_id, answer.modes, agent, heard, stop).await?;
    Ok((answer.session_id, resumption))
}

async fn go_on(
    turn: &Turn,
    saved: &str,
    agent: &ConnectionTo<Agent>,
    hello: &Hello,
    heard: &Heard,
    stop: &CancellationToken,
) -> Result<Option<SessionModeState>, Break> {
    if hello.can_resume {
        heard.enter("session/resume");
        let request = ResumeSessionRequest::new(saved.to_owned(), &turn.cwd);
        return Ok(answer(agent.send_request(request), stop, &hello.methods)
            .await?
            .modes);
    }
    if hello.can_load {
        heard.enter("session/load");
        let request = LoadSessionRequest::new(saved.to_owned(), &turn.cwd);
        return Ok(answer(agent.send_request(request), stop, &hello.methods)
            .await?
            .modes);
    }
    Err(Break::Shape(
        "it cannot go on with an earlier session".into(),
    ))
}

/// Sets the first mode of the role's that is offered.
async fn set_mode(
    turn: &Turn,
    session: &SessionId,
    modes: Option<SessionModeState>,
    agent: &ConnectionTo<Agent>,
    heard: &Heard,
    stop: &CancellationToken,
) -> Result<(), Break> {
    let Some(modes) = modes else { return Ok(()) };
    let wanted = turn.spec.modes.of(turn.role).iter();
    let mut offered =
        wanted.filter_map(|id| modes.available_modes.iter().find(|mode| *mode.id.0 == **id));
    let Some(mode) = offered
        .next()
        .filter(|mode| mode.id != modes.current_mode_id)
    else {
        return Ok(());
    };
    heard.enter("session/set_mode");
    let request = agent.send_request(SetSessionModeRequest::new(session.clone(), mode.id.clone()));
    match answer(request, stop, &[]).await {
        Ok(_) => Ok(()),
        // It stays in its own mode; what it asks is decided all the same.
        Err(Break::Refused { said, .. } | Break::Shape(said)) => {
            tracing::warn!(agent = turn.spec.id, mode = %mode.id, said, "the agent did not take the mode");
            Ok(())
        }
        Err(other) => Err(other),
    }
}

async fn prompt(
    turn: &Turn,
    agent: &ConnectionTo<Agent>,
    session: &SessionId,
    heard: &Heard,
    stop: &CancellationToken,
) -> Result<PromptResponse, Break> {
    heard.listen_to(session);
    heard.enter("session/prompt");
    let parts = turn
        .prompt
        .iter()
        .map(|part| ContentBlock::Text(TextContent::new(part.as_str())));
    let request = PromptRequest::new(session.clone(), parts.collect());
    let mut answered = pin!(agent.send_request(request).block_task());
    tokio::select! {
        biased;
        () = stop.cancelled() => {
            // Where it cannot be sent, the agent is gone, which is what is wanted.
            let _ = agent.send_notification(CancelNotification::new(session.clone()));
            // By the book the prompt is answered now; the caller's patience has an end.
            let _ = answered.await;
            Err(Break::Cancelled)
        }
        answer = &mut answered => answer.map_err(|error| broken(error, &[])),
    }
}

/// Waits for an answer, or for somebody who no longer wants it.
async fn answer<T: JsonRpcResponse>(
    request: SentRequest<T>,
    stop: &CancellationToken,
    methods: &[String],
) -> Result<T, Break> {
    let answer = stop.run_until_cancelled(request.block_task()).await;
    answer
        .ok_or(Break::Cancelled)?
        .map_err(|error| broken(error, methods))
}

fn broken(error: Error, methods: &[String]) -> Break {
    if is_incoming_transport_closed(&error) || is_connection_terminated(&error) {
        return Break::Closed;
    }
    if error.code == ErrorCode::PARSE_ERROR {
        return Break::Shape(short(&error));
    }
    if error.code == ErrorCode::AUTH_REQUIRED {
        return Break::Login {
            methods: methods.to_vec(),
            said: short(&error),
        };
    }
    Break::Refused {
        code: error.code.into(),
        said: short(&error),
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
