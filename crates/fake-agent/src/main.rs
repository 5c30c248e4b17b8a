//! A coding agent without a model. It speaks real ACP on stdin and stdout, follows a script, and misbehaves on command.

mod prompt;
mod script;
mod session;

use agent_client_protocol::schema::ProtocolVersion;
use agent_client_protocol::v1::schema::{
    AgentCapabilities, AuthMethod, AuthMethodAgent, AuthenticateRequest, AuthenticateResponse,
    CancelNotification, Implementation, InitializeRequest, InitializeResponse, LoadSessionRequest,
    LoadSessionResponse, McpCapabilities, McpServer, NewSessionRequest, NewSessionResponse,
    PromptRequest, PromptResponse, ResumeSessionRequest, ResumeSessionResponse,
    SessionCapabilities, SessionId, SessionMode, SessionModeState, SessionResumeCapabilities,
    SetSessionConfigOptionRequest, SetSessionModeRequest, SetSessionModeResponse,
};
use agent_client_protocol::{
    Agent, Builder, Client, ConnectionTo, Error, Responder, Result, Stdio, on_receive_notification,
    on_receive_request,
};
use script::Behaviors;
use serde::Serialize;
use serde_json::Value;
use session::{Choices, LoadSession, NewSession, ResumeSession, SetModel};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;

/// The variable with the key that it logs in with by the method `key`: `good`.
const KEY_VARIABLE: &str = "FAKE_AGENT_KEY";

/// What the fake agent is between two calls.
pub(crate) struct FakeAgent {
    pub(crate) behaviors: Behaviors,
    cwd: Mutex<PathBuf>,
    mode: Mutex<String>,
    pub(crate) choices: Mutex<Choices>,
    pub(crate) servers: Mutex<Vec<McpServer>>,
    is_logged_in: AtomicBool,
    /// Whether the present prompt is cancelled.
    pub(crate) cancelled: watch::Sender<bool>,
}

impl FakeAgent {
    pub(crate) fn cwd(&self) -> PathBuf {
        self.cwd
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    pub(crate) fn mode(&self) -> String {
        self.mode
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    fn begin(&self, cwd: PathBuf, servers: Vec<McpServer>) {
        *self.cwd.lock().unwrap_or_else(PoisonError::into_inner) = cwd;
        *self.servers.lock().unwrap_or_else(PoisonError::into_inner) = servers;
    }
}

#[tokio::main]
async fn main() {
    let mut args = std::env::args().skip(1);
    match args.next().as_deref() {
        Some("--version") => println!("collie-fake-agent {}", env!("CARGO_PKG_VERSION")),
        Some("--stray") => prompt::run_stray(args.next().as_deref()),
        Some(_) => exit_with("the fake agent takes no arguments but --version", 2),
        None => serve().await,
    }
}

/// Ends the process; threads that wait for input do not hold it up.
pub(crate) fn exit_with(message: &str, code: i32) {
    eprintln!("{message}");
    std::process::exit(code);
}

async fn serve() {
    let behaviors = Behaviors::from_environment().unwrap_or_else(|message| {
        exit_with(&message, 2);
        Behaviors::default()
    });
    if behaviors.has("crash-at-start") {
        exit_with("fake agent: it cannot find its settings", 4);
    }
    if behaviors.has("mute") {
        std::future::pending::<()>().await;
    }
    if behaviors.has("noise") {
        println!("a new version of the fake agent is there: 99.0.0");
    }
    // Once somebody listens for it, it does nothing more by itself.
    let sigterm_listener = behaviors
        .has("ignore-cancel")
        .then(|| signal(SignalKind::terminate()));
    let lingers = behaviors.has("linger") || behaviors.has("ignore-cancel");
    // There is one in a process, until its end.
    let fake: &'static FakeAgent = Box::leak(Box::new(FakeAgent {
        behaviors,
        cwd: Mutex::default(),
        mode: Mutex::default(),
        choices: Mutex::default(),
        servers: Mutex::default(),
        is_logged_in: AtomicBool::new(false),
        cancelled: watch::Sender::new(false),
    }));
    if let Err(error) = serve_connection(fake).await {
        exit_with(&format!("fake agent: {error}"), 5);
    }
    if lingers {
        std::future::pending::<()>().await;
    }
    drop(sigterm_listener);
    std::process::exit(0);
}

async fn serve_connection(fake: &'static FakeAgent) -> Result<()> {
    // Not the builder of version 1, which would correct the version that is answered.
    Builder::new(Agent)
        .name("collie-fake-agent")
        .on_receive_request(
            async move |_: InitializeRequest, answer, _| initialize(fake, answer),
            on_receive_request!(),
        )
        .on_receive_request(
            async move |NewSession(asked): NewSession, answer, _| new_session(fake, asked, answer),
            on_receive_request!(),
        )
        .on_receive_request(
            async move |ResumeSession(asked): ResumeSession, answer, _| {
                resume_session(fake, asked, answer)
            },
            on_receive_request!(),
        )
        .on_receive_request(
            async move |LoadSession(asked): LoadSession, answer, agent| {
                load_session(fake, asked, answer, &agent)
            },
            on_receive_request!(),
        )
        .on_receive_request(
            async move |_: AuthenticateRequest, answer, _| log_in(fake, answer),
            on_receive_request!(),
        )
        .on_receive_request(
            async move |asked: SetSessionModeRequest, answer, _| set_mode(fake, asked, answer),
            on_receive_request!(),
        )
        .on_receive_request(
            async move |asked: SetSessionConfigOptionRequest, answer, _| {
                session::set_option(fake, asked, answer.erase_to_json())
            },
            on_receive_request!(),
        )
        .on_receive_request(
            async move |asked: SetModel, answer, _| session::set_model(fake, asked, answer),
            on_receive_request!(),
        )
        .on_receive_request(
            async move |asked: PromptRequest, answer, agent| {
                start_prompt(fake, asked, answer, &agent)
            },
            on_receive_request!(),
        )
        .on_receive_notification(
            async move |_: CancelNotification, _| cancel_prompt(fake),
            on_receive_notification!(),
        )
        .connect_to(Stdio::new())
        .await
}

fn initialize(fake: &FakeAgent, responder: Responder<InitializeResponse>) -> Result<()> {
    let behaviors = &fake.behaviors;
    let mut sessions = SessionCapabilities::new();
    if behaviors.has("resume") {
        sessions = sessions.resume(SessionResumeCapabilities::new());
    }
    let capabilities = AgentCapabilities::new()
        .load_session(behaviors.has("load"))
        .mcp_capabilities(McpCapabilities::new().http(behaviors.has("mcp-http")))
        .session_capabilities(sessions);
    let version = if behaviors.has("old-protocol") {
        ProtocolVersion::V0
    } else {
        ProtocolVersion::V1
    };
    let response = InitializeResponse::new(version)
        .agent_capabilities(capabilities)
        .agent_info(Implementation::new("fake", env!("CARGO_PKG_VERSION")).title("Fake Agent"))
        .auth_methods(vec![AuthMethod::Agent(AuthMethodAgent::new(
            "key", "API key",
        ))]);
    responder.respond(response)
}

fn new_session(
    fake: &FakeAgent,
    request: NewSessionRequest,
    responder: Responder<Value>,
) -> Result<()> {
    if fake.behaviors.has("login") && !fake.is_logged_in.load(Ordering::Relaxed) {
        return responder.respond_with_error(Error::auth_required().data("no key is set"));
    }
    if fake.behaviors.has("wrong-shape") {
        return responder.respond(serde_json::json!({ "session": 7 }));
    }
    fake.begin(request.cwd, request.mcp_servers);
    let id = SessionId::new(format!("fake-{}", std::process::id()));
    let answer = NewSessionResponse::new(id).modes(mode_state(&fake.behaviors));
    responder.respond(session::with_choices(fake, answer)?)
}

fn resume_session(
    fake: &FakeAgent,
    request: ResumeSessionRequest,
    responder: Responder<Value>,
) -> Result<()> {
    fake.begin(request.cwd, request.mcp_servers);
    respond_for_saved_session(
        fake,
        responder,
        ResumeSessionResponse::new().modes(mode_state(&fake.behaviors)),
    )
}

fn load_session(
    fake: &FakeAgent,
    request: LoadSessionRequest,
    responder: Responder<Value>,
    client: &ConnectionTo<Client>,
) -> Result<()> {
    fake.begin(request.cwd, request.mcp_servers);
    prompt::replay_history(client, &request.session_id)?;
    respond_for_saved_session(
        fake,
        responder,
        LoadSessionResponse::new().modes(mode_state(&fake.behaviors)),
    )
}

fn log_in(fake: &FakeAgent, responder: Responder<AuthenticateResponse>) -> Result<()> {
    if std::env::var_os(KEY_VARIABLE).is_none_or(|key| key != "good") {
        return responder.respond_with_error(Error::invalid_params().data("the key is wrong"));
    }
    fake.is_logged_in.store(true, Ordering::Relaxed);
    responder.respond(AuthenticateResponse::new())
}

fn set_mode(
    fake: &FakeAgent,
    request: SetSessionModeRequest,
    responder: Responder<SetSessionModeResponse>,
) -> Result<()> {
    *fake.mode.lock().unwrap_or_else(PoisonError::into_inner) = request.mode_id.to_string();
    responder.respond(SetSessionModeResponse::new())
}

fn cancel_prompt(fake: &FakeAgent) -> Result<()> {
    if !fake.behaviors.has("ignore-cancel") {
        fake.cancelled.send_replace(true);
    }
    Ok(())
}

/// Answers a prompt in a task of its own, so that a cancel is heard meanwhile.
fn start_prompt(
    fake: &'static FakeAgent,
    request: PromptRequest,
    responder: Responder<PromptResponse>,
    client: &ConnectionTo<Client>,
) -> Result<()> {
    fake.cancelled.send_replace(false);
    let connection = client.clone();
    client.spawn(async move {
        responder.respond_with_result(prompt::answer_prompt(fake, request, &connection).await)
    })
}

/// Answers for a session that was saved.
fn respond_for_saved_session(
    fake: &FakeAgent,
    responder: Responder<Value>,
    response: impl Serialize,
) -> Result<()> {
    if fake.behaviors.has("lost-session") {
        return responder
            .respond_with_error(Error::new(-32002, "Resource not found").data("no such session"));
    }
    responder.respond(session::with_choices(fake, response)?)
}

fn mode_state(behaviors: &Behaviors) -> Option<SessionModeState> {
    let all = ["yolo", "ask", "read-only"].map(|id| SessionMode::new(id, id));
    behaviors
        .has("modes")
        .then(|| SessionModeState::new("yolo", all.to_vec()))
}
