//! Opens a session as the user wants it: the saved one or a new one, with its MCP servers, its mode, its model and its effort.

use super::mcp_servers::mcp_servers;
use super::requests::{AgentInfo, ConversationContext, ConversationError, send_request};
use super::session_options::{OptionSearch, SessionModels, SessionOptions, Wanted};
use super::turn::{Resumption, TurnRequest};
use agent_client_protocol::v1::schema::{
    LoadSessionRequest, McpServer, NewSessionRequest, ResumeSessionRequest, SessionId,
    SessionModeState, SetSessionConfigOptionRequest, SetSessionModeRequest,
};
use agent_client_protocol::{JsonRpcRequest, JsonRpcResponse};
use collie_core::session::{AgentSetting, UntakenReason, UntakenSetting};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Bytes of a session's id; it is stored.
const MAX_SESSION_ID_BYTES: usize = 500;

/// What an agent tells of a session. What has another form than the protocol's counts as not told.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonRpcResponse)]
#[serde(rename_all = "camelCase", default)]
struct SessionState {
    session_id: Option<String>,
    modes: Value,
    config_options: Value,
    /// What came before `configOptions`, and is in no schema any more.
    models: Value,
}

/// `session/new`, answered by all of [`SessionState`].
#[derive(Clone, Debug, Serialize, Deserialize, JsonRpcRequest)]
#[request(method = "session/new", response = SessionState)]
#[serde(transparent)]
struct NewSession(NewSessionRequest);

/// `session/resume`, likewise.
#[derive(Clone, Debug, Serialize, Deserialize, JsonRpcRequest)]
#[request(method = "session/resume", response = SessionState)]
#[serde(transparent)]
struct ResumeSession(ResumeSessionRequest);

/// `session/load`, likewise.
#[derive(Clone, Debug, Serialize, Deserialize, JsonRpcRequest)]
#[request(method = "session/load", response = SessionState)]
#[serde(transparent)]
struct LoadSession(LoadSessionRequest);

/// `session/set_config_option`, likewise.
#[derive(Clone, Debug, Serialize, Deserialize, JsonRpcRequest)]
#[request(method = "session/set_config_option", response = SessionState)]
#[serde(transparent)]
struct SetOption(SetSessionConfigOptionRequest);

/// `session/set_model`, by which agents are told that do not speak of `configOptions` yet.
#[derive(Clone, Debug, Serialize, Deserialize, JsonRpcRequest)]
#[request(method = "session/set_model", response = Value)]
#[serde(rename_all = "camelCase")]
struct SetModel {
    session_id: SessionId,
    model_id: String,
}

/// Goes on with the saved session where that can be, else opens a new one (§6.1).
pub(super) async fn open_session(
    context: &ConversationContext<'_>,
    agent_info: &AgentInfo,
) -> Result<(SessionId, Resumption), ConversationError> {
    let (servers, untaken) = mcp_servers(context.turn, &agent_info.mcp);
    for setting in untaken {
        context.observer.record_untaken(setting);
    }
    let resumption = match &context.turn.resume_session_id {
        None => Resumption::Fresh,
        Some(saved) => match resume_session(context, saved, agent_info, &servers).await {
            Ok(state) => {
                let session = SessionId::new(saved.as_str());
                set_up(context, &session, state).await?;
                return Ok((session, Resumption::Resumed));
            }
            Err(
                ConversationError::Refused { message: said, .. }
                | ConversationError::InvalidResponse(said),
            ) => Resumption::Lost { reason: said },
            Err(other) => return Err(other),
        },
    };
    let request = NewSessionRequest::new(&context.turn.cwd).mcp_servers(servers);
    let state = send_request(context, "session/new", NewSession(request)).await?;
    let session = session_id(state.session_id.as_deref())?;
    set_up(context, &session, state).await?;
    Ok((session, resumption))
}

/// The id of a new session; it goes into a file, so it is a short line.
fn session_id(told: Option<&str>) -> Result<SessionId, ConversationError> {
    let wrong = |what: String| Err(ConversationError::InvalidResponse(what));
    match told {
        None | Some("") => wrong("missing field `sessionId`".into()),
        Some(id) if id.len() > MAX_SESSION_ID_BYTES => wrong(format!(
            "`sessionId` has {} bytes; at most {MAX_SESSION_ID_BYTES} are taken",
            id.len()
        )),
        Some(id) if id.chars().any(char::is_control) => {
            wrong("`sessionId` holds a control character".into())
        }
        Some(id) => Ok(SessionId::new(id)),
    }
}

async fn resume_session(
    context: &ConversationContext<'_>,
    saved: &str,
    agent_info: &AgentInfo,
    servers: &[McpServer],
) -> Result<SessionState, ConversationError> {
    let (cwd, saved, servers) = (&context.turn.cwd, saved.to_owned(), servers.to_vec());
    if agent_info.can_resume {
        let request = ResumeSessionRequest::new(saved, cwd).mcp_servers(servers);
        return send_request(context, "session/resume", ResumeSession(request)).await;
    }
    if agent_info.can_load {
        let request = LoadSessionRequest::new(saved, cwd).mcp_servers(servers);
        return send_request(context, "session/load", LoadSession(request)).await;
    }
    Err(ConversationError::InvalidResponse(
        "it cannot go on with an earlier session".into(),
    ))
}

/// Sets mode, model and effort, in this order: which efforts there are, depends on the model.
async fn set_up(
    context: &ConversationContext<'_>,
    session: &SessionId,
    state: SessionState,
) -> Result<(), ConversationError> {
    set_mode(context, session, serde_json::from_value(state.modes).ok()).await?;
    let spec = &context.turn.spec;
    let mut options = SessionOptions::read(&state.config_options);
    if let Some(model) = &spec.model {
        let found = options.find(Wanted::Model, model);
        let models = SessionModels::read(&state.models);
        let refused = match (found, models) {
            (OptionSearch::NotOffered, Some(models)) => {
                set_model(context, session, &models, model).await?
            }
            (found, _) => set_option(context, session, found, &mut options).await?,
        };
        record_untaken(context, AgentSetting::Model, model, refused);
    }
    if let Some(effort) = spec.effort {
        let found = options.find(Wanted::Effort, effort.name());
        let refused = set_option(context, session, found, &mut options).await?;
        record_untaken(context, AgentSetting::Effort, effort.name(), refused);
    }
    Ok(())
}

fn record_untaken(
    context: &ConversationContext<'_>,
    setting: AgentSetting,
    name: &str,
    refused: Option<UntakenReason>,
) {
    if let Some(reason) = refused {
        let name = name.to_owned();
        let untaken = UntakenSetting {
            setting,
            name,
            reason,
        };
        context.observer.record_untaken(untaken);
    }
}

/// Sets an option that was looked for, and takes over what the agent offers from then on; why it is not set.
async fn set_option(
    context: &ConversationContext<'_>,
    session: &SessionId,
    found: OptionSearch,
    options: &mut SessionOptions,
) -> Result<Option<UntakenReason>, ConversationError> {
    let (option, value) = match found {
        OptionSearch::Current => return Ok(None),
        OptionSearch::NotOffered => return Ok(Some(UntakenReason::NotOffered)),
        OptionSearch::TooMany => return Ok(Some(UntakenReason::TooMany)),
        OptionSearch::Offered { option, value } => (option, value),
    };
    let request = SetSessionConfigOptionRequest::new(session.clone(), option, value.as_str());
    let answer = send_request(context, "session/set_config_option", SetOption(request)).await;
    taken(context, answer, |state| {
        *options = SessionOptions::read(&state.config_options);
    })
}

/// Sets a model of the list that came before the options; why it is not set.
async fn set_model(
    context: &ConversationContext<'_>,
    session: &SessionId,
    models: &SessionModels,
    wanted: &str,
) -> Result<Option<UntakenReason>, ConversationError> {
    let model_id = match models.find(wanted) {
        OptionSearch::Current => return Ok(None),
        OptionSearch::NotOffered => return Ok(Some(UntakenReason::NotOffered)),
        OptionSearch::TooMany => return Ok(Some(UntakenReason::TooMany)),
        OptionSearch::Offered { value, .. } => value,
    };
    let session_id = session.clone();
    let request = SetModel {
        session_id,
        model_id,
    };
    let answer = send_request(context, "session/set_model", request).await;
    taken(context, answer, |_| ())
}

/// What an agent that refuses a setting goes on with is its own; the session goes on.
fn taken<T>(
    context: &ConversationContext<'_>,
    answer: Result<T, ConversationError>,
    then: impl FnOnce(T),
) -> Result<Option<UntakenReason>, ConversationError> {
    match answer {
        Ok(answer) => {
            then(answer);
            Ok(None)
        }
        Err(
            ConversationError::Refused { message: said, .. }
            | ConversationError::InvalidResponse(said),
        ) => {
            tracing::warn!(
                agent = context.turn.spec.id,
                said,
                "the agent refused a setting"
            );
            Ok(Some(UntakenReason::Refused))
        }
        Err(other) => Err(other),
    }
}

/// Sets the first mode of the role's that is offered.
async fn set_mode(
    context: &ConversationContext<'_>,
    session: &SessionId,
    modes: Option<SessionModeState>,
) -> Result<(), ConversationError> {
    let Some(modes) = modes else { return Ok(()) };
    let TurnRequest {
        spec,
        role,
        sandbox,
        ..
    } = context.turn;
    let sandboxed = match sandbox.without_walls {
        None => spec.sandboxed_modes.for_role(*role),
        Some(_) => &[],
    };
    let wanted = sandboxed.iter().chain(spec.modes.for_role(*role));
    let mut offered =
        wanted.filter_map(|id| modes.available_modes.iter().find(|mode| *mode.id.0 == **id));
    let Some(mode) = offered
        .next()
        .filter(|mode| mode.id != modes.current_mode_id)
    else {
        return Ok(());
    };
    let request = SetSessionModeRequest::new(session.clone(), mode.id.clone());
    match send_request(context, "session/set_mode", request).await {
        Ok(_) => Ok(()),
        // It stays in its own mode; what it asks is decided all the same.
        Err(
            ConversationError::Refused { message: said, .. }
            | ConversationError::InvalidResponse(said),
        ) => {
            tracing::warn!(agent = spec.id, mode = %mode.id, said, "the agent did not take the mode");
            Ok(())
        }
        Err(other) => Err(other),
    }
}
