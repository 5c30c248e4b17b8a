//! Keeps the tokens of a GitHub App's installation good, one for each repository (§18.2).

use crate::api_client::{
    ApiClient, BodyLimit, HttpRequest, HttpResponse, MAX_RESPONSE_BYTES, json_headers, lock,
};
use crate::api_fault::{self, ApiFault};
use crate::app_tokens::{
    self, AppCredentials, INSTALLATION_TTL_MS, Installation, InstallationRow, MadeToken,
    RENEWAL_MARGIN_MS, UNLISTED_MS,
};
use crate::credentials::{Token, TokenSource};
use crate::repository_token::{AppToken, TokenScope};
use collie_core::ids::{Login, RepoName, Time};
use collie_core::own_accounts::AppProblem;
use http::Method;
use secrecy::ExposeSecret as _;
use serde_json::Value;
use std::sync::Arc;

impl ApiClient {
    /// Whether each repository has a token of its own.
    pub(crate) fn has_token_per_repository(&self) -> bool {
        matches!(self.token_source, TokenSource::App(_))
    }

    /// The token for a request about a repository, or about none in particular: another one than that which was refused. An App's is made
    /// where there is none that is good for long enough.
    pub(crate) async fn token_for(
        &self,
        repo: Option<&RepoName>,
        refused: Option<&Token>,
    ) -> Result<Token, ApiFault> {
        let TokenSource::App(app) = &self.token_source else {
            return Ok(self.token());
        };
        if let Some(scope) = scope_of(app, repo)
            && let Some(token) = self.app_token(app, &Some(scope), refused).await?
        {
            return Ok(token);
        }
        // What is not installed, or has another name by now, answers for itself.
        let token = self.app_token(app, &None, refused).await?;
        token.ok_or(ApiFault::App(AppProblem::NotInstalled))
    }

    /// The token that requests about a repository go with at the moment; no request is made.
    pub(crate) fn token_now(&self, repo: &RepoName) -> Token {
        let TokenSource::App(app) = &self.token_source else {
            return self.token();
        };
        let scope = scope_of(app, Some(repo));
        match lock(&self.app_tokens).get(&scope) {
            Some(AppToken::Made(token, _)) => token.clone(),
            Some(AppToken::Unlisted(_)) | None => self.token(),
        }
    }

    /// Every token that is in use.
    pub fn tokens(&self) -> Vec<Token> {
        let made = lock(&self.app_tokens).values().cloned().collect::<Vec<_>>();
        let made = made.into_iter().filter_map(|known| match known {
            AppToken::Made(token, _) => Some(token),
            AppToken::Unlisted(_) => None,
        });
        made.chain([self.token()]).collect()
    }

    /// A token of an App that is good for long enough; none where GitHub makes none for the repository. One call at a time makes one.
    async fn app_token(
        &self,
        app: &AppCredentials,
        scope: &TokenScope,
        refused: Option<&Token>,
    ) -> Result<Option<Token>, ApiFault> {
        if let Some(known) = self.known_app_token(scope, refused) {
            return Ok(known);
        }
        let mut installation = self.app_installation.lock().await;
        if let Some(known) = self.known_app_token(scope, refused) {
            return Ok(known);
        }
        let made = match self.make_app_token(app, scope, &mut installation).await {
            // The answer has told what time it is there: a clock that goes wrong is no wrong key.
            Err(ApiFault::Unauthorized) => self.make_app_token(app, scope, &mut installation).await,
            made => made,
        };
        if made.is_err() {
            // It may have been installed anew since.
            *installation = None;
        }
        let made = made.map_err(app_tokens::problem_of)?;
        let now = self.host_time();
        let mut tokens = lock(&self.app_tokens);
        tokens.retain(|_, known| match known {
            AppToken::Made(_, end) | AppToken::Unlisted(end) => now < *end,
        });
        tokens.insert(scope.clone(), made.clone());
        drop(tokens);
        Ok(match made {
            AppToken::Made(token, _) => {
                if scope.is_none() {
                    self.set_token(token.clone());
                }
                Some(token)
            }
            AppToken::Unlisted(_) => None,
        })
    }

    /// What is known of a token without asking; the inner nothing where GitHub makes none.
    fn known_app_token(
        &self,
        scope: &TokenScope,
        refused: Option<&Token>,
    ) -> Option<Option<Token>> {
        let now = self.host_time();
        match lock(&self.app_tokens).get(scope)? {
            AppToken::Made(token, _) if refused == Some(token) => None,
            AppToken::Made(token, end) => {
                let is_good = refused.is_some() || now.plus(RENEWAL_MARGIN_MS) < *end;
                is_good.then(|| Some(token.clone()))
            }
            AppToken::Unlisted(until) => (now < *until).then_some(None),
        }
    }

    async fn make_app_token(
        &self,
        app: &AppCredentials,
        scope: &TokenScope,
        known: &mut Option<Installation>,
    ) -> Result<AppToken, ApiFault> {
        let jwt = app.jwt(self.host_time());
        let jwt = jwt.and_then(|jwt| Token::new(jwt.expose_secret()));
        let jwt = jwt.ok_or(ApiFault::App(AppProblem::KeyRefused))?;
        let now = self.host_time();
        known.take_if(|known| now.since(known.read_at) >= INSTALLATION_TTL_MS);
        let mut is_just_read = false;
        loop {
            let installation = match known {
                Some(known) => known.clone(),
                None => {
                    is_just_read = true;
                    let row = Arc::new(self.find_installation(app, &jwt).await?);
                    let read_at = self.host_time();
                    known.insert(Installation { row, read_at }).clone()
                }
            };
            let name = scope.as_deref().and_then(|scope| scope.split('/').nth(1));
            let granted = installation.row.permissions.as_ref();
            let request = app_tokens::token_request(name, granted);
            let path = format!("/app/installations/{}/access_tokens", installation.row.id);
            let sent = (self.send_as_app(Method::POST, &path, &jwt, Some(&request))).await;
            let response = match sent {
                Ok(response) => response,
                // It asked for what was taken away since, or for a repository that the App does not have.
                Err(ApiFault::Refused(_)) if !is_just_read => {
                    *known = None;
                    continue;
                }
                Err(ApiFault::Refused(message)) if scope.is_some() => {
                    tracing::debug!(message, scope, "no token is made for a repository");
                    return Ok(AppToken::Unlisted(self.host_time().plus(UNLISTED_MS)));
                }
                Err(fault) => return Err(fault),
            };
            let made: MadeToken = response.json()?;
            let unreadable = || ApiFault::InvalidResponse("the token of an App has no end".into());
            let expires_at: jiff::Timestamp = made.expires_at.parse().map_err(|_| unreadable())?;
            let token = Token::new(made.token.expose_secret()).ok_or_else(unreadable)?;
            return Ok(AppToken::Made(token, Time(expires_at.as_millisecond())));
        }
    }

    async fn find_installation(
        &self,
        app: &AppCredentials,
        jwt: &Token,
    ) -> Result<InstallationRow, ApiFault> {
        for page in 1.. {
            let path = format!(
                "/app/installations?per_page={}&page={page}",
                app_tokens::PAGE_SIZE
            );
            let response = self.send_as_app(Method::GET, &path, jwt, None).await?;
            let mut rows: Vec<InstallationRow> = response.json()?;
            if let Some(at) = rows.iter().position(|row| row.is_at(app.owner())) {
                let row = rows.swap_remove(at);
                return match row.is_suspended() {
                    true => Err(ApiFault::App(AppProblem::Suspended)),
                    false => Ok(row),
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
        body: Option<&Value>,
    ) -> Result<HttpResponse, ApiFault> {
        let request = HttpRequest {
            method,
            headers: json_headers(),
            body,
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

/// The repository that a token is asked for. An installation has none of another account.
fn scope_of(app: &AppCredentials, repo: Option<&RepoName>) -> TokenScope {
    let repo = repo.filter(|repo| Login::new(repo.owner()) == *app.owner());
    repo.map(|repo| repo.to_string().to_ascii_lowercase())
}
