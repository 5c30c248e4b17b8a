//! Signing in by a code that a person types on GitHub's page: nobody has to make a token (§18.1).
//!
//! What asks GitHub stays here; the browser gets the code, and an id that is good for asking whether it was typed.

use crate::people;
use crate::problem::ApiError;
use crate::state::ServerState;
use collie_core::error_code::{ErrorCode, ErrorHint};
use collie_core::user_error::UserError;
use collie_github::{DeviceAnswer, DeviceCode, DeviceFlow, DeviceFlowError};
use collie_wire::rpc::{DeviceCodeView, DeviceSignInState};
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// More people than these do not sign in at once.
const MAX_WAITING: usize = 1_000;
/// What an OAuth app asks for: there is no scope that only reads private repositories. A GitHub App takes none.
const SCOPE: &str = "repo";

/// Codes that were shown and not typed yet.
#[derive(Default)]
pub(crate) struct DeviceSignIns(Mutex<HashMap<String, Waiting>>);

#[derive(Clone)]
struct Waiting {
    code: DeviceCode,
    expires: Instant,
    /// GitHub is asked no earlier.
    ask_at: Instant,
    interval: Duration,
}

impl DeviceSignIns {
    fn lock(&self) -> MutexGuard<'_, HashMap<String, Waiting>> {
        // Each change leaves what is kept whole.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn flow(state: &ServerState) -> Result<DeviceFlow, ApiError> {
    let off = || UserError::new(ErrorCode::DeviceOff).hint(ErrorHint::ServerDocs);
    let client_id = state.options.device_client_id.as_ref().ok_or_else(off)?;
    let config = state.backend.config_now()?;
    DeviceFlow::new(&config.api_url, client_id).map_err(|error| UserError::from(error).into())
}

/// Gets a code for somebody.
pub(crate) async fn begin(state: &ServerState) -> Result<DeviceCodeView, ApiError> {
    let code = flow(state)?.begin(SCOPE).await.map_err(problem)?;
    let now = Instant::now();
    let interval = Duration::from_secs(code.interval.clamp(1, 60));
    let lifetime = Duration::from_secs(code.expires_in.min(3_600));
    let id = hex::encode(rand::random::<[u8; 32]>());
    let view = DeviceCodeView {
        id: id.clone(),
        user_code: code.user_code.clone(),
        verification_uri: code.verification_uri.clone(),
        expires_in_ms: u64::try_from(lifetime.as_millis()).unwrap_or(u64::MAX),
        interval_ms: u64::try_from(interval.as_millis()).unwrap_or(u64::MAX),
    };
    let waiting = Waiting {
        code,
        expires: now + lifetime,
        ask_at: now + interval,
        interval,
    };
    let mut all = state.devices.lock();
    all.retain(|_, waiting| waiting.expires > now);
    if all.len() >= MAX_WAITING {
        return Err(UserError::new(ErrorCode::TooManyRequests)
            .hint(ErrorHint::TryAgain)
            .into());
    }
    all.insert(id, waiting);
    Ok(view)
}

/// Looks whether a code was typed; gives the cookie of the session that begins where it was.
pub(crate) async fn look(
    state: &ServerState,
    id: &str,
) -> Result<(DeviceSignInState, Option<String>), ApiError> {
    let now = Instant::now();
    let expired = || UserError::new(ErrorCode::DeviceExpired).hint(ErrorHint::TryAgain);
    let code = {
        let mut all = state.devices.lock();
        let waiting = all.get_mut(id).filter(|waiting| waiting.expires > now);
        let waiting = waiting.ok_or_else(expired)?;
        // GitHub wants time between two questions, however often the browser asks.
        if waiting.ask_at > now {
            return Ok((DeviceSignInState::Waiting, None));
        }
        waiting.ask_at = now + waiting.interval;
        waiting.code.clone()
    };
    match flow(state)?.ask(&code).await.map_err(problem)? {
        DeviceAnswer::Pending { slower_by } => {
            if let Some(waiting) = state.devices.lock().get_mut(id) {
                waiting.interval += Duration::from_secs(slower_by);
                waiting.ask_at = Instant::now() + waiting.interval;
            }
            Ok((DeviceSignInState::Waiting, None))
        }
        DeviceAnswer::Token(token) => {
            state.devices.lock().remove(id);
            let person = people::vouch(&state.backend.config_now()?, token.expose()).await?;
            tracing::info!(login = %person.login, "a person signed in by a code");
            let cookie = state.people.begin(person, token.expose()).await;
            Ok((DeviceSignInState::Done, Some(cookie)))
        }
        DeviceAnswer::Denied => {
            state.devices.lock().remove(id);
            Err(UserError::new(ErrorCode::DeviceDenied)
                .hint(ErrorHint::TryAgain)
                .into())
        }
        DeviceAnswer::Expired => {
            state.devices.lock().remove(id);
            Err(expired().into())
        }
    }
}

fn problem(error: DeviceFlowError) -> ApiError {
    match error {
        DeviceFlowError::Connect(error) => UserError::from(error).into(),
        DeviceFlowError::Unreachable { host, message } => UserError::new(ErrorCode::Unreachable)
            .with("host", host)
            .with("message", message)
            .hint(ErrorHint::Network)
            .into(),
        DeviceFlowError::Refused { host, message } => UserError::new(ErrorCode::DeviceRefused)
            .with("host", host)
            .with("message", message)
            .hint(ErrorHint::ServerDocs)
            .into(),
    }
}
