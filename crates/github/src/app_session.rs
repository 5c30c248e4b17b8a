//! Keeps the token of a GitHub App's installation good (§18.2).

use crate::api_client::{
    ApiClient, BodyLimit, HttpRequest, HttpResponse, MAX_RESPONSE_BYTES, json_headers,
};
use crate::api_fault::{self, ApiFault};
use crate::app_tokens::{
    self, AppCredentials, AppTokenState, InstallationRow, MadeToken, RENEWAL_MARGIN_MS,
};
use crate::credentials::{Token, TokenSource};
use collie_core::ids::Time;
use collie_core::own_accounts::AppProblem;
use http::Method;
use secrecy::ExposeSecret as _;

impl ApiClient {
    /// Has an App's installation make another token, where the one in use ends soon or was refused. One call at a time does.
    pub(crate) async fn renew_app_token(&self, refused: Option<&Token>) -> Result<(), ApiFault> {
        let TokenSource::App(app) = &self.token_source else {
            return Ok(());
        };
        let mut state = self.app_token.lock().await;
        let is_fresh = match refused {
            Some(refused) => self.token() != *refused,
            None => self.host_time().plus(RENEWAL_MARGIN_MS) < state.expires_at,
        };
        if is_fresh {
            return Ok(());
        }
        let made = match self.make_app_token(app, &mut state).await {
            // The answer has told what time it is there: a clock that goes wrong is no wrong key.
            Err(ApiFault::Unauthorized) => self.make_app_token(app, &mut state).await,
            made => made,
        };
        if made.is_err() {
            // It may have been installed anew since.
            state.installation = None;
        }
        made.map_err(app_tokens::problem_of)
    }

    async fn make_app_token(
        &self,
        app: &AppCredentials,
        state: &mut AppTokenState,
    ) -> Result<(), ApiFault> {
        let jwt = app.jwt(self.host_time());
        let jwt = jwt.and_then(|jwt| Token::new(jwt.expose_secret()));
        let jwt = jwt.ok_or(ApiFault::App(AppProblem::KeyRefused))?;
        let installation = match state.installation {
            Some(known) => known,
            None => self.find_installation(app, &jwt).await?,
        };
        state.installation = Some(installation);
        let path = format!("/app/installations/{installation}/access_tokens");
        let response = self.send_as_app(Method::POST, &path, &jwt).await?;
        let made: MadeToken = response.json()?;
        let unreadable = || ApiFault::InvalidResponse("the token of an App has no end".into());
        let expires_at: jiff::Timestamp = made.expires_at.parse().map_err(|_| unreadable())?;
        let token = Token::new(made.token.expose_secret()).ok_or_else(unreadable)?;
        self.set_token(token);
        state.expires_at = Time(expires_at.as_millisecond());
        Ok(())
    }

    async fn find_installation(&self, app: &AppCredentials, jwt: &Token) -> Result<u64, ApiFault> {
        for page in 1.. {
            let path = format!(
                "/app/installations?per_page={}&page={page}",
                app_tokens::PAGE_SIZE
            );
            let response = self.send_as_app(Method::GET, &path, jwt).await?;
            let rows: Vec<InstallationRow> = response.json()?;
            if let Some(row) = rows.iter().find(|row| row.is_at(app.owner())) {
                return match row.is_suspended() {
                    true => Err(ApiFault::App(AppProblem::Suspended)),
                    false => Ok(row.id),
                };
            }
            if rows.len() < app_tokens::PAGE_SIZE && !response.has_next() {
                break;
            }
        }
        Err(ApiFault::App(AppProblem::NotInstalled))
    }

    /// A call that the App itself makes: it has nothing to do with the installation's quota.
    async fn send_as_app(
        &self,
        method: Method,
        path: &str,
        jwt: &Token,
    ) -> Result<HttpResponse, ApiFault> {
        let request = HttpRequest {
            method,
            headers: json_headers(),
            body: None,
            body_limit: BodyLimit::Full(MAX_RESPONSE_BYTES),
        };
        let url = format!("{}{path}", self.endpoint.rest_path);
        let response = self.send_once(&request, &url, Some(jwt)).await?;
        let (status, headers) = (response.status, &response.headers);
        match api_fault::classify_response(status, headers, &response.body, self.clock.now()) {
            None => Ok(response),
            Some(fault) => Err(fault),
        }
    }
}
