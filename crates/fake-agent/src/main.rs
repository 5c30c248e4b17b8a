//! A coding agent without a model. It speaks real ACP on stdin and stdout, follows a script, and misbehaves on command.

mod script;
mod work;

use agent_client_protocol::schema::ProtocolVersion;
use agent_client_protocol::v1::schema::{
    AgentCapabilities, AuthMethod, AuthMethodAgent, AuthenticateRequest, AuthenticateResponse,
    CancelNotification, Implementation, InitializeRequest, InitializeResponse, LoadSessionRequest,
    LoadSessionResponse, NewSessionRequest, NewSessionResponse, PromptRequest,
    ResumeSessionRequest, ResumeSessionResponse, SessionCapabilities, SessionId, SessionMode,
    SessionModeState, SessionResumeCapabilities, SetSessionModeRequest, SetSessionModeResponse,
};
use agent_client_protocol::{
    Agent, Builder, Error, JsonRpcResponse, Responder, Result, Stdio, on_receive_notification,
    on_receive_request,
};
use script::Ways;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;

/// The variable with the key that it logs in with by the method `key`: `good`.
const KEY: &str = "FAKE_AGENT_KEY";

/// What the fake agent is between two calls.
pub(crate) struct Fake {
    pub(crate) ways: Ways,
    cwd: Mutex<PathBuf>,
    mode: Mutex<String>,
    is_logged_in: AtomicBool,
    /// Whether the present prompt is cancelled.
    pub(crate) cancelled: watch::Sender<bool>,
}

impl Fake {
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

    fn enter(&self, cwd: PathBuf) {
        *self.cwd.lock().unwrap_or_else(PoisonError::into_inner) = cwd;
    }
}

#[tokio::main]
async fn main() {
    let mut args = std::env::args().skip(1);
    match args.next().as_deref() {
        Some("--version") => println!("collie-fake-agent {}", env!("CARGO_PKG_VERSION")),
        Some("--stray") => work::stray(args.next().as_deref()),
        Some(_) => leave("the fake agent takes no arguments but --version", 2),
        None => serve().await,
    }
}

/// Ends the process; threads that wait for input do not hold it up.
pub(crate) fn leave(words: &str, code: i32) {
    eprintln!("{words}");
    std::process::exit(code);
}

async fn serve() {
    let ways = Ways::of_environment().unwrap_or_else(|wrong| {
        leave(&wrong, 2);
        Ways::default()
    });
    if ways.has("crash-at-start") {
        leave("fake agent: it cannot find its settings", 4);
    }
    if ways.has("mute") {
        std::future::pending::<()>().await;
    }
    if ways.has("noise") {
        println!("a new version of the fake agent is there: 99.0.0");
    }
    // Once somebody listens for it, it does nothing more by itself.
    let deaf = ways
        .has("ignore-cancel")
        .then(|| signal(SignalKind::terminate()));
    let lingers = ways.has("linger") || ways.has("ignore-cancel");
    let fake = Arc::new(Fake {
        ways,
        cwd: Mutex::default(),
        mode: Mutex::default(),
        is_logged_in: AtomicBool::new(false),
        cancelled: watch::Sender::new(false),
    });
    if let Err(error) = converse(fake).await {
        leave(&format!("fake agent: {error}"), 5);
    }
    if lingers {
        std::future::pending::<()>().await;
    }
    drop(deaf);
    std::process::exit(0);
}

async fn converse(fake: Arc<Fake>) -> Result<()> {
    let [a, b, c, d, e, f, l, m] = std::array::from_fn(|_| fake.clone());
    // Not the builder of version 1, which would correct the version that is answered.
    Builder::new(Agent)
        .name("collie-fake-agent")
        .on_receive_request(
            async move |_: InitializeRequest, answer, _| answer.respond(hello(&a.ways)),
            on_receive_request!(),
        )
        .on_receive_request(
            async move |asked: NewSessionRequest, answer, _| new_session(&b, asked, answer),
            on_receive_request!(),
        )
        .on_receive_request(
            async move |asked: ResumeSessionRequest, answer, _| {
                c.enter(asked.cwd);
                known(
                    &c.ways,
                    answer,
                    ResumeSessionResponse::new().modes(modes(&c.ways)),
                )
            },
            on_receive_request!(),
        )
        .on_receive_request(
            async move |asked: LoadSessionRequest, answer, agent| {
                d.enter(asked.cwd);
                work::replay(&agent, &asked.session_id)?;
                known(
                    &d.ways,
                    answer,
                    LoadSessionResponse::new().modes(modes(&d.ways)),
                )
            },
            on_receive_request!(),
        )
        .on_receive_request(
            async move |_: AuthenticateRequest, answer, _| {
                if std::env::var_os(KEY).is_none_or(|key| key != "good") {
                    return answer
                        .respond_with_error(Error::invalid_params().data("the key is wrong"));
                }
                l.is_logged_in.store(true, Ordering::Relaxed);
                answer.respond(AuthenticateResponse::new())
            },
            on_receive_request!(),
        )
        .on_receive_request(
            async move |asked: SetSessionModeRequest, answer, _| {
                *m.mode.lock().unwrap_or_else(PoisonError::into_inner) = asked.mode_id.to_string();
                answer.respond(SetSessionModeResponse::new())
            },
            on_receive_request!(),
        )
        .on_receive_request(
            async move |asked: PromptRequest, answer, agent| {
                e.cancelled.send_replace(false);
                let (fake, client) = (e.clone(), agent.clone());
                agent.spawn(async move {
                    answer.respond_with_result(work::prompt(&fake, asked, &client).await)
                })
            },
            on_receive_request!(),
        )
        .on_receive_notification(
            async move |_: CancelNotification, _| {
                if !f.ways.has("ignore-cancel") {
                    f.cancelled.send_replace(true);
                }
                Ok(())
            },
            on_receive_notification!(),
        )
        .connect_to(Stdio::new())
        .await
}

fn hello(ways: &Ways) -> InitializeResponse {
    let mut sessions = SessionCapabilities::new();
    if ways.has("resume") {
        sessions = sessions.resume(SessionResumeCapabilities::new());
    }
    let can = AgentCapabilities::new()
        .load_session(ways.has("load"))
        .session_capabilities(sessions);
    let version = if ways.has("old-protocol") {
        ProtocolVersion::V0
    } else {
        ProtocolVersion::V1
    };
    InitializeResponse::new(version)
        .agent_capabilities(can)
        .agent_info(Implementation::new("fake", env!("CARGO_PKG_VERSION")).title("Fake Agent"))
        .auth_methods(vec![AuthMethod::Agent(AuthMethodAgent::new(
            "key", "API key",
        ))])
}

fn new_session(
    fake: &Fake,
    asked: NewSessionRequest,
    answer: Responder<NewSessionResponse>,
) -> Result<()> {
    if fake.ways.has("login") && !fake.is_logged_in.load(Ordering::Relaxed) {
        return answer.respond_with_error(Error::auth_required().data("no key is set"));
    }
    if fake.ways.has("wrong-shape") {
        return answer
            .erase_to_json()
            .respond(serde_json::json!({ "session": 7 }));
    }
    fake.enter(asked.cwd);
    let id = SessionId::new(format!("fake-{}", std::process::id()));
    answer.respond(NewSessionResponse::new(id).modes(modes(&fake.ways)))
}

/// Answers for a session that was saved.
fn known<T: JsonRpcResponse>(ways: &Ways, answer: Responder<T>, response: T) -> Result<()> {
    if ways.has("lost-session") {
        return answer
            .respond_with_error(Error::new(-32002, "Resource not found").data("no such session"));
    }
    answer.respond(response)
}

fn modes(ways: &Ways) -> Option<SessionModeState> {
    let all = ["yolo", "ask", "read-only"].map(|id| SessionMode::new(id, id));
    ways.has("modes")
        .then(|| SessionModeState::new("yolo", all.to_vec()))
}
