//! Who asks: a token acts as its login (`token_scheme`).

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::Response;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::Forge;
use crate::model::Account;
use crate::rest::response;

/// What the request's credentials say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Credentials {
    /// There are none.
    Missing,
    /// There are some, of nobody known.
    Invalid,
    /// They are this account's.
    Valid(Account),
}

/// Reads `Authorization`: `token T`, `Bearer T`, or Basic with the token as password.
pub(crate) fn credentials(forge: &Forge, headers: &HeaderMap) -> Credentials {
    let Some(value) = headers.get(header::AUTHORIZATION) else {
        return Credentials::Missing;
    };
    let account = value
        .to_str()
        .ok()
        .and_then(parse_token)
        .and_then(|token| account_of_token(forge, &token))
        .filter(|account| !forge.tokens().get(&account.login).revoked);
    match account {
        Some(account) => Credentials::Valid(account),
        None => Credentials::Invalid,
    }
}

fn account_of_token(forge: &Forge, token: &str) -> Option<Account> {
    if token.starts_with("ghs_") {
        let (bot, limits) = forge.apps().bot_of(token)?;
        let limits = Some(limits);
        return Some(Account {
            limits,
            ..forge.account(bot)
        });
    }
    forge.account_by_login(forge.token_scheme().login_of(token)?)
}

/// Adds `X-OAuth-Scopes` where the request's token is a classic one.
pub(crate) fn add_scopes_header(
    forge: &Forge,
    request_headers: &HeaderMap,
    response_headers: &mut HeaderMap,
) {
    if let Credentials::Valid(account) = credentials(forge, request_headers)
        && let Some(scopes) = forge.tokens().get(&account.login).scopes_header()
    {
        response_headers.insert("x-oauth-scopes", scopes);
    }
}

/// Adds the version of the server, as GitHub Enterprise Server tells it.
pub(crate) fn add_version_header(forge: &Forge, response_headers: &mut HeaderMap) {
    let version = format!("enterprise-server@{}", forge.schema_limits().version);
    if let Ok(version) = HeaderValue::from_str(&version) {
        response_headers.insert("x-github-enterprise-version", version);
    }
}

fn parse_token(value: &str) -> Option<String> {
    let (scheme, rest) = value.split_once(' ')?;
    let rest = rest.trim();
    match scheme.to_ascii_lowercase().as_str() {
        "token" | "bearer" => Some(rest.to_owned()),
        "basic" => {
            let pair = String::from_utf8(STANDARD.decode(rest).ok()?).ok()?;
            let (user, password) = pair.split_once(':')?;
            // Some clients send the token as the user, with no password.
            Some(if password.is_empty() { user } else { password }.to_owned())
        }
        _ => None,
    }
}

/// The account that a request acts as; without one the answer is 401.
#[derive(Debug, Clone)]
pub(crate) struct Viewer(pub(crate) Account);

impl FromRequestParts<Forge> for Viewer {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, forge: &Forge) -> Result<Self, Response> {
        match credentials(forge, &parts.headers) {
            Credentials::Valid(account) => Ok(Self(account)),
            Credentials::Missing => Err(response::error_response(
                401,
                "Requires authentication",
                &[],
            )),
            Credentials::Invalid => Err(response::error_response(401, "Bad credentials", &[])),
        }
    }
}
