//! What can be chosen in a session of the fake agent, and the MCP servers that it is handed on.

use crate::FakeAgent;
use crate::script::Behaviors;
use agent_client_protocol::v1::schema::{
    LoadSessionRequest, McpServer, McpServerStdio, NewSessionRequest, ResumeSessionRequest,
    SessionConfigOption, SessionConfigOptionCategory, SessionConfigSelectOption,
    SetSessionConfigOptionRequest,
};
use agent_client_protocol::{Error, JsonRpcRequest, JsonRpcResponse, Responder, Result};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use std::sync::PoisonError;

/// What is chosen.
#[derive(Clone, Debug)]
pub(crate) struct Choices {
    pub(crate) model: String,
    pub(crate) effort: String,
}

impl Default for Choices {
    fn default() -> Self {
        Self {
            model: "small".into(),
            effort: "low".into(),
        }
    }
}

/// `session/new`, answered by more than the protocol's form has.
#[derive(Clone, Debug, Serialize, Deserialize, JsonRpcRequest)]
#[request(method = "session/new", response = Value)]
#[serde(transparent)]
pub(crate) struct NewSession(pub(crate) NewSessionRequest);

/// `session/resume`, likewise.
#[derive(Clone, Debug, Serialize, Deserialize, JsonRpcRequest)]
#[request(method = "session/resume", response = Value)]
#[serde(transparent)]
pub(crate) struct ResumeSession(pub(crate) ResumeSessionRequest);

/// `session/load`, likewise.
#[derive(Clone, Debug, Serialize, Deserialize, JsonRpcRequest)]
#[request(method = "session/load", response = Value)]
#[serde(transparent)]
pub(crate) struct LoadSession(pub(crate) LoadSessionRequest);

/// `session/set_model`, of before there were options.
#[derive(Clone, Debug, Serialize, Deserialize, JsonRpcRequest)]
#[request(method = "session/set_model", response = Empty)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SetModel {
    model_id: String,
}

/// An answer that says nothing.
#[derive(Clone, Debug, Serialize, Deserialize, JsonRpcResponse)]
pub(crate) struct Empty {}

fn options(choices: &Choices, behaviors: &Behaviors) -> Vec<SessionConfigOption> {
    let select = |id: &str, category, current: &str, values: &[&str]| {
        let values: Vec<_> = values
            .iter()
            .map(|value| SessionConfigSelectOption::new((*value).to_owned(), value.to_uppercase()))
            .collect();
        SessionConfigOption::select(id.to_owned(), id, current.to_owned(), values)
            .category(Some(category))
    };
    // The large one alone thinks much.
    let efforts: &[&str] = match choices.model.as_str() {
        "large" => &["low", "high"],
        _ => &["low"],
    };
    let mut all = Vec::new();
    if behaviors.has("many-options") {
        let other = || SessionConfigOptionCategory::Other("colour".into());
        all.extend((0..10_000).map(|n| select(&format!("colour-{n}"), other(), "red", &["red"])));
    }
    let models = ["small", "large", "locked"];
    all.extend([
        select(
            "model",
            SessionConfigOptionCategory::Model,
            &choices.model,
            &models,
        ),
        select(
            "effort",
            SessionConfigOptionCategory::ThoughtLevel,
            &choices.effort,
            efforts,
        ),
    ]);
    all
}

/// What a session's answer has beside the protocol's: options, or models as before there were options.
pub(crate) fn with_choices(fake: &FakeAgent, answer: impl Serialize) -> Result<Value> {
    let mut answer = serde_json::to_value(answer).map_err(Error::into_internal_error)?;
    let choices = fake.choices.lock().unwrap_or_else(PoisonError::into_inner);
    if fake.behaviors.has("options") || fake.behaviors.has("many-options") {
        answer["configOptions"] = json!(options(&choices, &fake.behaviors));
    }
    if fake.behaviors.has("models") {
        let models = ["small", "large"].map(|id| json!({"modelId": id, "name": id}));
        answer["models"] = json!({"availableModels": models, "currentModelId": choices.model});
    }
    if fake.behaviors.has("long-session-id") {
        answer["sessionId"] = "s".repeat(100_000).into();
    }
    Ok(answer)
}

pub(crate) fn set_option(
    fake: &FakeAgent,
    request: SetSessionConfigOptionRequest,
    responder: Responder<Value>,
) -> Result<()> {
    let mut choices = fake.choices.lock().unwrap_or_else(PoisonError::into_inner);
    let value = request.value.as_value_id().map(ToString::to_string);
    match (&*request.config_id.0, value) {
        (_, Some(value)) if value == "locked" => {
            let error = Error::invalid_params().data("your plan has no such model");
            return responder.respond_with_error(error);
        }
        ("model", Some(value)) => choices.model = value,
        ("effort", Some(value)) => choices.effort = value,
        _ => return responder.respond_with_error(Error::invalid_params()),
    }
    let options = options(&choices, &fake.behaviors);
    responder.respond(json!({ "configOptions": options }))
}

pub(crate) fn set_model(
    fake: &FakeAgent,
    request: SetModel,
    responder: Responder<Empty>,
) -> Result<()> {
    fake.choices
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .model = request.model_id;
    responder.respond(Empty {})
}

/// Each server that it was handed on, as the protocol has it; of one that is a program also its first words when it is started.
pub(crate) fn describe_servers(servers: &[McpServer]) -> Result<Value> {
    let mut all = Vec::new();
    for server in servers {
        let mut told = serde_json::to_value(server).map_err(Error::into_internal_error)?;
        if let McpServer::Stdio(server) = server {
            told["first words"] = first_words(server)
                .unwrap_or_else(|error| error.to_string())
                .into();
        }
        all.push(told);
    }
    Ok(all.into())
}

/// Starts a server as an agent does, greets it, and reads a line.
fn first_words(server: &McpServerStdio) -> std::io::Result<String> {
    let env = server.env.iter().map(|pair| (&pair.name, &pair.value));
    let mut child = Command::new(&server.command)
        .args(&server.args)
        .envs(env)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    if let Some(mut stdin) = child.stdin.take() {
        let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {}});
        writeln!(stdin, "{hello}")?;
    }
    let mut line = String::new();
    if let Some(stdout) = child.stdout.take() {
        BufReader::new(stdout).read_line(&mut line)?;
    }
    child.wait()?;
    Ok(line.trim_end().to_owned())
}
