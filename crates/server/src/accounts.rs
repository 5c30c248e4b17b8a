//! GitHub accounts of personas and of authors' agents (§18.2), for operators: tokens go in, and never out.

use crate::body::JsonBody;
use crate::people::SignedIn;
use crate::problem::{ApiError, Problem};
use crate::state::ServerState;
use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use collie_app::accounts::KeptAccount;
use collie_core::error_code::{ErrorCode, ErrorHint};
use collie_core::ids::{Login, RepoName};
use collie_core::user_error::UserError;
use collie_github::Token;
use secrecy::ExposeSecret as _;
use secrecy::SecretString;
use serde::{Deserialize, Deserializer, Serialize};
use std::sync::Arc;
use utoipa::ToSchema;

/// The token of an account.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AccountToken {
    /// It is kept encrypted, and no call gives it back.
    #[serde(deserialize_with = "secret")]
    #[schema(value_type = String, format = Password, pattern = "^[!-~]+$")]
    token: SecretString,
}

fn secret<'de, D: Deserializer<'de>>(deserializer: D) -> Result<SecretString, D::Error> {
    String::deserialize(deserializer).map(SecretString::from)
}

/// An account whose token is kept.
#[derive(Serialize, ToSchema)]
pub(crate) struct AccountRow {
    /// The host that it is of.
    host: String,
    /// Its name.
    login: String,
    /// GitHub's number of it.
    id: u64,
    /// When its token was added.
    added_at: String,
    /// Its token can be decrypted with the key at hand.
    usable: bool,
}

impl From<KeptAccount> for AccountRow {
    fn from(kept: KeptAccount) -> Self {
        Self {
            host: kept.host,
            login: kept.login.to_string(),
            id: kept.id.0,
            added_at: kept.added_at.rfc3339(),
            usable: kept.usable,
        }
    }
}

/// An account whose token was added.
#[derive(Serialize, ToSchema)]
pub(crate) struct AddedRow {
    /// Its name, as GitHub spells it.
    login: String,
    /// Repositories that the token does not see.
    #[schema(value_type = Vec<String>)]
    unseen: Vec<RepoName>,
}

/// Lists the accounts whose tokens are kept.
#[utoipa::path(
    get,
    path = "/accounts",
    tag = "Accounts",
    responses(
        (status = 200, description = "The accounts, without their tokens.", body = Vec<AccountRow>),
        (status = 401, description = "Nobody is signed in.", content_type = "application/problem+json", body = Problem),
        (status = 403, description = "The person is no operator.", content_type = "application/problem+json", body = Problem),
        (status = 503, description = "The journal cannot be read.", content_type = "application/problem+json", body = Problem),
    ),
    security(("token" = []), ("session" = [])),
)]
pub(crate) async fn list(
    State(state): State<Arc<ServerState>>,
    signed_in: SignedIn,
) -> Result<Json<Vec<AccountRow>>, ApiError> {
    require_operator(&state, &signed_in)?;
    let kept = state.backend.own_accounts().await?;
    Ok(Json(kept.into_iter().map(AccountRow::from).collect()))
}

/// Keeps the token of an account, in place of one that is there.
#[utoipa::path(
    put,
    path = "/accounts/{login}",
    tag = "Accounts",
    params(("login" = String, Path, description = "The account's login.", pattern = "^[A-Za-z0-9_-]{1,39}$")),
    request_body = AccountToken,
    responses(
        (status = 200, description = "It is kept.", body = AddedRow),
        (status = 400, description = "It cannot be understood.", content_type = "application/problem+json", body = Problem),
        (status = 401, description = "Nobody is signed in.", content_type = "application/problem+json", body = Problem),
        (status = 403, description = "The person is no operator.", content_type = "application/problem+json", body = Problem),
        (status = 413, description = "It is too large.", content_type = "application/problem+json", body = Problem),
        (status = 422, description = "GitHub does not accept the token, it is another account's, or it cannot be kept.", content_type = "application/problem+json", body = Problem),
        (status = 429, description = "Too many requests.", content_type = "application/problem+json", body = Problem),
        (status = 503, description = "GitHub or the journal cannot be reached.", content_type = "application/problem+json", body = Problem),
    ),
    security(("token" = []), ("session" = [])),
)]
pub(crate) async fn put(
    State(state): State<Arc<ServerState>>,
    Path(login): Path<String>,
    signed_in: SignedIn,
    JsonBody(given): JsonBody<AccountToken>,
) -> Result<Json<AddedRow>, ApiError> {
    require_operator(&state, &signed_in)?;
    let token = Token::new(given.token.expose_secret());
    let token =
        token.ok_or_else(|| UserError::new(ErrorCode::TokenShape).hint(ErrorHint::NewToken))?;
    let added = state
        .backend
        .add_own_account(&Login::new(login), &token)
        .await?;
    Ok(Json(AddedRow {
        login: added.account.login.to_string(),
        unseen: added.unseen,
    }))
}

/// Takes the token of an account out.
#[utoipa::path(
    delete,
    path = "/accounts/{login}",
    tag = "Accounts",
    params(("login" = String, Path, description = "The account's login.", pattern = "^[A-Za-z0-9_-]{1,39}$")),
    responses(
        (status = 204, description = "It is gone."),
        (status = 401, description = "Nobody is signed in.", content_type = "application/problem+json", body = Problem),
        (status = 403, description = "The person is no operator.", content_type = "application/problem+json", body = Problem),
        (status = 404, description = "No token of that account is kept.", content_type = "application/problem+json", body = Problem),
        (status = 503, description = "The journal cannot be written.", content_type = "application/problem+json", body = Problem),
    ),
    security(("token" = []), ("session" = [])),
)]
pub(crate) async fn delete(
    State(state): State<Arc<ServerState>>,
    Path(login): Path<String>,
    signed_in: SignedIn,
) -> Result<StatusCode, ApiError> {
    require_operator(&state, &signed_in)?;
    state.backend.remove_own_account(&Login::new(login)).await?;
    Ok(StatusCode::NO_CONTENT)
}

fn require_operator(state: &ServerState, signed_in: &SignedIn) -> Result<(), ApiError> {
    match state.is_operator(&signed_in.person) {
        true => Ok(()),
        false => Err(UserError::new(ErrorCode::OperatorOnly)
            .hint(ErrorHint::ServerDocs)
            .into()),
    }
}
