//! The signed-in account: signing in, what the token may do, what is left of the quota.

use crate::api_fault::ApiFault;
use crate::client::GitHubClient;
use crate::graphql;
use crate::host_schema::UnknownField;
use crate::node_conversion;
use crate::nodes::AccountNode;
use crate::queries;
use crate::quota::{Payer, Quotas};
use crate::token_rights::TokenScopes;
use collie_core::error_code::{ErrorCode, ErrorHint};
use collie_core::ids::{Login, Time};
use collie_core::own_accounts::AppProblem;
use collie_core::snapshot::Actor;
use collie_core::user_error::UserError;
use collie_engine::ports::GitHubError;
use http::HeaderMap;
use serde_json::json;
use std::collections::BTreeSet;

/// What a classic token must have for Collie: it reads private repositories, posts and pushes.
const REQUIRED_SCOPE: &str = "repo";
/// How tokens begin that have permissions instead of scopes: fine-grained ones, and those of apps.
const UNSCOPED_TOKEN_PREFIXES: [&str; 3] = ["github_pat_", "ghu_", "ghs_"];

/// Why the token's account could not be learnt.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SignInError {
    /// The GitHub App that Collie acts as gets no token.
    #[error("the GitHub App gets no token of {host} ({}): see to its installation and its key", problem.name())]
    App {
        /// The host.
        host: String,
        /// Why.
        problem: AppProblem,
    },
    /// 401.
    #[error("{host} does not accept the token: check that it was copied whole and has not expired")]
    BadToken {
        /// The host.
        host: String,
    },
    /// No answer: no network, no such host, nothing listens, a timeout, a 5xx.
    #[error("{host} could not be reached ({message}): check the network and the address")]
    Unreachable {
        /// The host.
        host: String,
        /// What was tried and what came back.
        message: String,
    },
    /// Something answered that is not GitHub's API.
    #[error(
        "{host} does not answer as GitHub does ({message}): for GitHub Enterprise the API is https://HOST/api/v3"
    )]
    NotGitHub {
        /// The host.
        host: String,
        /// What came back.
        message: String,
    },
    /// A rate limit.
    #[error("{host} asks to wait before the next call")]
    Wait {
        /// The host.
        host: String,
        /// Until then.
        until: Time,
    },
    /// The token is another account's than the one that was chosen.
    #[error(
        "the token for {host} is @{login}'s, and github_account names @{wanted}: sign in to gh as @{wanted}, or change github_account"
    )]
    OtherAccount {
        /// The host.
        host: String,
        /// Whose token it is.
        login: Login,
        /// Whose it should be.
        wanted: Login,
    },
    /// The token is known, and not allowed in: single sign-on, a suspended account, an address that is blocked.
    #[error("{host} refused the token: {message}")]
    Refused {
        /// The host.
        host: String,
        /// GitHub's words.
        message: String,
    },
}

impl From<SignInError> for UserError {
    fn from(error: SignInError) -> Self {
        match error {
            SignInError::App { host, problem } => GitHubError::App { host, problem }.into(),
            SignInError::BadToken { host } => UserError::new(ErrorCode::BadToken)
                .with("host", host)
                .hint(ErrorHint::NewToken),
            SignInError::Unreachable { host, message } => UserError::new(ErrorCode::Unreachable)
                .with("host", host)
                .with("message", message)
                .hint(ErrorHint::Network),
            SignInError::NotGitHub { host, message } => UserError::new(ErrorCode::NotGithub)
                .with("host", host)
                .with("message", message)
                .hint(ErrorHint::ApiUrl),
            SignInError::Wait { host, until } => UserError::new(ErrorCode::Wait)
                .with("host", host)
                .with_arg("until", until),
            SignInError::OtherAccount {
                host,
                login,
                wanted,
            } => UserError::new(ErrorCode::OtherAccount)
                .with("host", host)
                .with("login", login.to_string())
                .with("wanted", wanted.to_string())
                .hint(ErrorHint::SignIn),
            SignInError::Refused { host, message } => UserError::new(ErrorCode::Refused)
                .with("host", host)
                .with("message", message)
                .hint(ErrorHint::Rights),
        }
    }
}

impl From<SignInError> for GitHubError {
    fn from(error: SignInError) -> Self {
        let what = "the signed-in account".to_string();
        let words = error.to_string();
        match error {
            SignInError::OtherAccount { host, .. } => GitHubError::Refused {
                host,
                what,
                message: words,
            },
            SignInError::App { host, problem } => GitHubError::App { host, problem },
            SignInError::BadToken { host } => GitHubError::Unauthorized { host },
            SignInError::Unreachable { host, message } => GitHubError::OutcomeUnknown {
                host,
                what,
                message,
            },
            SignInError::NotGitHub { host, message } => GitHubError::Refused {
                host,
                what,
                message: format!("it does not answer as GitHub does ({message})"),
            },
            SignInError::Wait { host, until } => GitHubError::RetryLater { host, until },
            SignInError::Refused { host, message } => GitHubError::Refused {
                host,
                what,
                message,
            },
        }
    }
}

impl GitHubClient {
    /// Asks whose the token is. It is asked each time, whatever the breaker says: a person waits for the answer.
    ///
    /// # Errors
    /// What went wrong, told apart: the token, the network, the address, a limit.
    pub async fn sign_in(&self) -> Result<Actor, SignInError> {
        let host = || self.host().to_string();
        let api = self.api.paid_by(Payer::Person);
        let outcome = graphql::try_send(&api, queries::VIEWER).await;
        let response = outcome.map_err(|fault| match fault {
            // GitHub never redirects a query, nor does it lack the page for queries.
            ApiFault::NotFound(message) | ApiFault::Gone(message) | ApiFault::Refused(message) => {
                SignInError::NotGitHub {
                    host: host(),
                    message,
                }
            }
            other => self.sign_in_error(other),
        })?;
        let Some(mut response) = response else {
            return Err(SignInError::NotGitHub {
                host: host(),
                message: "what came back is no GraphQL answer".into(),
            });
        };
        let account: AccountNode = response
            .take_field("viewer")
            .map_err(|fault| self.sign_in_error(fault))?;
        let actor = node_conversion::actor(&account).ok_or_else(|| {
            self.sign_in_error(node_conversion::invalid_value(
                "account of the token",
                &account.login,
            ))
        })?;
        match self.api.wanted_account() {
            Some(wanted) if *wanted != actor.login => Err(SignInError::OtherAccount {
                host: host(),
                wanted: wanted.clone(),
                login: actor.login,
            }),
            Some(_) | None => Ok(actor),
        }
    }

    fn sign_in_error(&self, fault: ApiFault) -> SignInError {
        let host = self.host().to_string();
        match fault {
            ApiFault::Unauthorized => SignInError::BadToken { host },
            ApiFault::App(problem) => SignInError::App { host, problem },
            ApiFault::UnknownField(UnknownField { field, version }) => SignInError::NotGitHub {
                host,
                message: format!("version {version} does not know {field}"),
            },
            ApiFault::RateLimited(until) | ApiFault::BreakerOpen(until) => {
                SignInError::Wait { host, until }
            }
            ApiFault::Unreachable(message) | ApiFault::GaveUp(message) => {
                SignInError::Unreachable { host, message }
            }
            ApiFault::Forbidden(message)
            | ApiFault::NotFound(message)
            | ApiFault::Gone(message)
            | ApiFault::Refused(message)
            | ApiFault::InvalidResponse(message) => SignInError::Refused { host, message },
        }
    }

    /// What the token may do, from the header that GitHub adds to each REST answer. Costs one request.
    ///
    /// # Errors
    /// As any reading.
    pub async fn token_scopes(&self) -> Result<TokenScopes, GitHubError> {
        let read = async { Ok(self.api.get_uncached("/").await?.headers) };
        let headers = self
            .read_unless_open("the scopes of the token", read)
            .await?;
        let token = self.token();
        let is_unscoped = UNSCOPED_TOKEN_PREFIXES
            .iter()
            .any(|start| token.expose().starts_with(start));
        Ok(if is_unscoped {
            TokenScopes {
                granted: None,
                missing: Vec::new(),
            }
        } else {
            parse_scopes(&headers)
        })
    }

    /// What the server does not know of what readings ask for: its version, empty on github.com, and the fields. Costs one request,
    /// about nothing that exists.
    ///
    /// # Errors
    /// As any reading; `ServerTooOld` where a field is missing that cannot be done without.
    pub async fn check_schema(&self) -> Result<(String, Vec<String>), GitHubError> {
        let variables = json!({
            "owner0": "-", "name0": "-", "number0": 0, "head0": "", "threads0": 1,
        });
        let read = async {
            graphql::send(&self.api, &queries::observe(&[false]), variables).await?;
            Ok((self.api.schema.version(), self.api.schema.unknown_fields()))
        };
        self.read_unless_open("the fields of the server", read)
            .await
    }

    /// The quotas as the last answers told them; no request is made.
    pub fn quotas(&self) -> Quotas {
        self.api.quotas()
    }
}

/// The header is empty for a classic token without scopes, and missing for other kinds.
fn parse_scopes(headers: &HeaderMap) -> TokenScopes {
    let granted: Option<BTreeSet<String>> = headers
        .get("x-oauth-scopes")
        .and_then(|value| value.to_str().ok())
        .map(|value| {
            let scopes_in_header = value.split(',').map(str::trim);
            scopes_in_header
                .filter(|scope| !scope.is_empty())
                .map(str::to_string)
                .collect()
        });
    let lacks_scope = granted
        .as_ref()
        .is_some_and(|granted| !granted.contains(REQUIRED_SCOPE));
    TokenScopes {
        granted,
        missing: if lacks_scope {
            vec![REQUIRED_SCOPE.to_string()]
        } else {
            Vec::new()
        },
    }
}
