//! The window's contract, for several people: each command as a person, each answer cut to what they see.

use crate::access::Access;
use crate::body::JsonBody;
use crate::device;
use crate::guard::{address_of, require_own_page, who_asks};
use crate::people::{self, SignedIn};
use crate::problem::ApiError;
use crate::state::ServerState;
use crate::visibility::{Needs, needs, repository_of};
use axum::Json;
use axum::extract::State;
use axum::http::header;
use axum::http::request::Parts;
use axum::response::{IntoResponse, Response};
use collie_app::backend::ExternalTarget;
use collie_core::error_code::{ErrorCode, ErrorHint};
use collie_core::ids::RepoName;
use collie_core::user_error::UserError;
use collie_wire::rpc::{
    AccountSource, AccountView, Command, DetectedCredentials, RightsView, SessionPhase, SessionView,
};
use serde_json::Value;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Carries a command out for whoever sends it.
pub(crate) async fn rpc(
    State(state): State<Arc<ServerState>>,
    parts: Parts,
    JsonBody(command): JsonBody<Command>,
) -> Result<Response, ApiError> {
    if let Command::SignIn { token, .. } = &command {
        return sign_in(&state, &parts, token).await;
    }
    match &command {
        Command::DeviceSignIn => {
            require_own_page(&parts)?;
            state.limits.take_stranger(address_of(&state, &parts))?;
            return Ok(Json(device::begin(&state).await?).into_response());
        }
        Command::DeviceSignInState { id } => {
            require_own_page(&parts)?;
            let (looked, cookie) = device::look(&state, id).await?;
            let mut response = Json(looked).into_response();
            if let Some(cookie) = cookie.and_then(|cookie| cookie.parse().ok()) {
                response.headers_mut().insert(header::SET_COOKIE, cookie);
            }
            return Ok(response);
        }
        _ => {}
    }
    if matches!(command, Command::SignOut) {
        require_own_page(&parts)?;
        let cookie = state.people.end(&parts.headers).await?;
        return Ok(([(header::SET_COOKIE, cookie)], Json(Value::Null)).into_response());
    }
    let asker = who_asks(&state, &parts).await?;
    if let Some(signed_in) = &asker {
        state.limits.take(signed_in.person.id)?;
    }
    let Some(signed_in) = asker else {
        return match command {
            Command::Session => Ok(Json(signed_out_session(&state)).into_response()),
            Command::Open { .. } if needs(&command) == Needs::Nothing => {
                Ok(Json(open(&state, command).await?).into_response())
            }
            _ => Err(ApiError::signed_out()),
        };
    };
    if matches!(command, Command::SignOutEverywhere) {
        state.people.end_all(&signed_in.person).await?;
        let cookie = state.people.end(&parts.headers).await?;
        return Ok(([(header::SET_COOKIE, cookie)], Json(Value::Null)).into_response());
    }
    require(&state, &signed_in, &command).await?;
    let answer = answer(&state, &signed_in, command).await?;
    Ok(Json(answer).into_response())
}

async fn sign_in(state: &ServerState, parts: &Parts, token: &str) -> Result<Response, ApiError> {
    require_own_page(parts)?;
    state.limits.take_stranger(address_of(state, parts))?;
    let person = people::vouch(&state.backend.config_now()?, token).await?;
    tracing::info!(login = %person.login, "a person signed in");
    let cookie = state.people.begin(person, token.trim()).await;
    Ok(([(header::SET_COOKIE, cookie)], Json(Value::Null)).into_response())
}

/// Refuses a command that is not for this person.
async fn require(
    state: &ServerState,
    signed_in: &SignedIn,
    command: &Command,
) -> Result<(), ApiError> {
    let person = &signed_in.person;
    let repository = |name: &str| {
        let unknown = || UserError::new(ErrorCode::BadName).with("name", name);
        repository_of(name).ok_or_else(unknown)
    };
    let operator_only =
        || ApiError(UserError::new(ErrorCode::OperatorOnly).hint(ErrorHint::ServerDocs));
    match needs(command) {
        Needs::Nothing | Needs::SignedIn => Ok(()),
        Needs::Read(name) => {
            let repo = repository(&name)?;
            let read = state.access.require_read(person, &repo, &name).await;
            read.map(|_: Access| ())
        }
        Needs::Write(name) => {
            let repo = repository(&name)?;
            state.access.require_write(person, &repo, &name).await
        }
        Needs::OperatorOf(name) => {
            let repo = repository(&name)?;
            state.access.require_write(person, &repo, &name).await?;
            match state.is_operator(person) {
                true => Ok(()),
                false => Err(operator_only()),
            }
        }
        Needs::Operator if state.is_operator(person) => Ok(()),
        Needs::Operator | Needs::Elsewhere => Err(operator_only()),
    }
}

/// Carries a command out that this person may send.
async fn answer(
    state: &ServerState,
    signed_in: &SignedIn,
    command: Command,
) -> Result<Value, ApiError> {
    match command {
        Command::Session => Ok(to_value(session_of(state, signed_in))),
        Command::Open { .. } => open(state, command).await,
        Command::Loops | Command::Activities => {
            let all = run(state, signed_in, command).await?;
            cut(state, signed_in, all, "key").await
        }
        Command::Repositories => {
            let all = run(state, signed_in, command).await?;
            let visible = cut(state, signed_in, all, "name").await?;
            with_write_access(state, signed_in, visible).await
        }
        Command::OpenPulls => {
            let mut all = run(state, signed_in, command).await?;
            for list in ["pulls", "unread", "truncated"] {
                all[list] = cut(state, signed_in, all[list].take(), "key").await?;
            }
            Ok(all)
        }
        other => run(state, signed_in, other).await,
    }
}

async fn run(
    state: &ServerState,
    signed_in: &SignedIn,
    command: Command,
) -> Result<Value, ApiError> {
    let answer = state.acting_as(signed_in).run_unworded(command).await;
    answer.map_err(ApiError)
}

/// Cuts a list to the repositories that a person sees: of names, or of rows that have one.
async fn cut(
    state: &ServerState,
    signed_in: &SignedIn,
    list: Value,
    name: &str,
) -> Result<Value, ApiError> {
    let Value::Array(all) = list else {
        return Ok(list);
    };
    let repository = |row: &Value| {
        let named = row.as_str().or_else(|| row[name].as_str());
        named.and_then(repository_of)
    };
    let repos: BTreeSet<RepoName> = all.iter().filter_map(repository).collect();
    let readable = state.access.readable(&signed_in.person, repos).await?;
    let is_visible = |row: &Value| repository(row).is_some_and(|repo| readable.contains(&repo));
    Ok(Value::Array(all.into_iter().filter(is_visible).collect()))
}

/// Says of each repository whether the person may push to it.
async fn with_write_access(
    state: &ServerState,
    signed_in: &SignedIn,
    mut list: Value,
) -> Result<Value, ApiError> {
    for row in list.as_array_mut().into_iter().flatten() {
        let Some(repo) = row["name"].as_str().and_then(repository_of) else {
            continue;
        };
        // Read a moment ago, when the list was cut.
        let access = state.access.of(&signed_in.person, &repo).await?;
        row["may_write"] = Value::Bool(access >= Access::Write);
    }
    Ok(list)
}

/// The address of a page, which the browser opens: no program of the server's machine does.
async fn open(state: &ServerState, command: Command) -> Result<Value, ApiError> {
    let Command::Open { target } = command else {
        return Ok(Value::Null);
    };
    match state.backend.resolve_open_target(&target).await? {
        ExternalTarget::Url(url) => Ok(Value::String(url)),
        ExternalTarget::Path(_) | ExternalTarget::Code { .. } => {
            Err(ErrorCode::OpensNothing.into())
        }
    }
}

/// The session as a person sees it: theirs, on a server that others set up.
fn session_of(state: &ServerState, signed_in: &SignedIn) -> SessionView {
    let server = state.backend.session_now();
    let host = server.account.as_ref().map(|account| account.host.clone());
    SessionView {
        account: Some(AccountView {
            login: signed_in.person.login.to_string(),
            host: host.unwrap_or_default(),
            source: AccountSource::Memory,
            allowed: true,
            missing_scopes: Vec::new(),
        }),
        credentials: no_credentials(),
        demo: None,
        can_merge: false,
        server: true,
        rights: RightsView {
            operate: state.is_operator(&signed_in.person),
            ..RightsView::NONE
        },
        data_folder: String::new(),
        ..server
    }
}

/// The session of who is not signed in: nothing but how the page is to look.
fn signed_out_session(state: &ServerState) -> SessionView {
    let server = state.backend.session_now();
    SessionView {
        phase: SessionPhase::SignIn,
        account: None,
        credentials: no_credentials(),
        demo: None,
        engine: None,
        quota: None,
        problem: None,
        can_merge: false,
        server: true,
        device_sign_in: state.options.device_client_id.is_some(),
        rights: RightsView::NONE,
        data_folder: String::new(),
        ..server
    }
}

fn no_credentials() -> DetectedCredentials {
    DetectedCredentials {
        gh_installed: false,
        token: None,
        login: None,
        keychain: false,
    }
}

fn to_value(view: SessionView) -> Value {
    serde_json::to_value(view).unwrap_or_default()
}
