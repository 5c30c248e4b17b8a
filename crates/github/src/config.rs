//! Where GitHub is, and what it is told about us.

use crate::credentials::TokenSource;
use collie_core::error_code::{ErrorCode, ErrorHint};
use collie_core::ids::RepoName;
use collie_core::user_error::UserError;
use collie_engine::ports::{AccountTokens, NoAccounts};
use http::Uri;
use std::sync::Arc;
use std::time::Duration;

/// GitHub's own API.
pub const PUBLIC_API: &str = "https://api.github.com";

/// What a client needs to know.
#[derive(Clone, Debug)]
pub struct GitHubConfig {
    /// `https://api.github.com`, or `GITHUB_API_URL`: `https://HOST/api/v3` of GitHub Enterprise, or the forge's.
    pub api_url: String,
    /// Where the token comes from.
    pub token_source: TokenSource,
    /// How long one request may take, its answer included (30 s).
    pub request_timeout: Duration,
    /// How many pull requests one query reads (50, §3.2).
    pub batch_size: usize,
    /// Accounts of their own that may post (§18.2).
    pub accounts: Arc<dyn AccountTokens>,
}

impl GitHubConfig {
    /// The usual settings for that API and token.
    pub fn new(api_url: impl Into<String>, token_source: TokenSource) -> Self {
        Self {
            api_url: api_url.into(),
            token_source,
            request_timeout: Duration::from_secs(30),
            batch_size: 50,
            accounts: Arc::new(NoAccounts),
        }
    }
}

/// Why a client could not be made.
#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    /// The API address is unusable.
    #[error(
        "`{url}` cannot be used as GitHub's API ({reason}): set GITHUB_API_URL to https://HOST/api/v3, or leave it unset for github.com"
    )]
    BadUrl {
        /// What was given, without user name and password.
        url: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// No token was found anywhere.
    #[error(
        "no token for {host}: sign in with `gh auth login --hostname {host}`, or set GITHUB_TOKEN"
    )]
    NoToken {
        /// The host.
        host: String,
    },
    /// The HTTP client could not be set up.
    #[error("the HTTP client for {host} could not be set up: {message}")]
    Client {
        /// The host.
        host: String,
        /// The library's words.
        message: String,
    },
}

impl From<ConnectError> for UserError {
    fn from(error: ConnectError) -> Self {
        match error {
            // What is wrong with it is for the log; the hint says what is right.
            ConnectError::BadUrl { url, .. } => UserError::new(ErrorCode::BadUrl)
                .with("url", url)
                .hint(ErrorHint::ApiUrl),
            ConnectError::NoToken { host } => UserError::new(ErrorCode::NoToken)
                .with("host", host)
                .hint(ErrorHint::SignIn),
            ConnectError::Client { host, message } => UserError::new(ErrorCode::Unreachable)
                .with("host", host)
                .with("message", message)
                .hint(ErrorHint::Network),
        }
    }
}

/// The parts of an API address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Endpoint {
    /// `https://api.github.com`, `http://127.0.0.1:4000`: nothing after the authority.
    pub origin: String,
    /// `` on github.com, `/api/v3` elsewhere.
    pub rest_path: String,
    /// `/graphql` or `/api/graphql`.
    pub graphql_path: String,
    /// `github.com`, or the host with its port: the host of a loop's identity (§2).
    pub host: String,
    /// Where people and git go: `https://github.com`.
    pub web_url: String,
}

impl Endpoint {
    /// Takes an API address apart; a token is sent in the clear to this very machine only.
    pub fn parse(url: &str) -> Result<Self, ConnectError> {
        let redacted = url.rsplit_once('@').map_or(url, |(_, after)| after);
        let bad_url = |reason| ConnectError::BadUrl {
            url: redacted.chars().take(200).collect(),
            reason,
        };
        let uri: Uri = url
            .trim()
            .parse()
            .map_err(|_| bad_url("it is no address"))?;
        let scheme = uri
            .scheme_str()
            .ok_or_else(|| bad_url("it has no https://"))?;
        let authority = uri.authority().ok_or_else(|| bad_url("it has no host"))?;
        if authority.as_str().contains('@') {
            return Err(bad_url("it holds credentials"));
        }
        if uri.query().is_some() {
            return Err(bad_url("it has a query"));
        }
        let host_name = authority.host().to_ascii_lowercase();
        let loopback = matches!(host_name.as_str(), "localhost" | "127.0.0.1" | "[::1]");
        match scheme {
            "https" => {}
            "http" if loopback => {}
            "http" => return Err(bad_url("http would show the token to others: use https")),
            _ => return Err(bad_url("only https is possible")),
        }
        let host = authority.as_str().to_ascii_lowercase();
        let origin = format!("{scheme}://{host}");
        let path = uri.path().trim_end_matches('/');
        let is_cloud = host_name == "api.github.com"
            || (host_name.starts_with("api.") && host_name.ends_with(".ghe.com"));
        match (is_cloud, path) {
            (true, "") => {
                let host = host["api.".len()..].to_string();
                let web = format!("{scheme}://{host}");
                Ok(Self {
                    origin,
                    rest_path: String::new(),
                    graphql_path: "/graphql".into(),
                    host,
                    web_url: web,
                })
            }
            (false, "" | "/api/v3") => Ok(Self {
                web_url: origin.clone(),
                origin,
                rest_path: "/api/v3".into(),
                graphql_path: "/api/graphql".into(),
                host,
            }),
            (_, _) => Err(bad_url("its path is not /api/v3")),
        }
    }

    /// Where git fetches a repository from: no credentials in it.
    pub fn git_url(&self, repo: &RepoName) -> String {
        format!("{}/{repo}.git", self.web_url)
    }

    /// The repository that git fetches there; none where the address is none of this host's.
    pub(crate) fn repo_of_git_url(&self, url: &str) -> Option<RepoName> {
        let (origin, path) = url.split_at_checked(self.web_url.len())?;
        let path = path.strip_prefix('/').filter(|_| origin == self.web_url)?;
        let name = path.trim_end_matches('/');
        RepoName::parse(name.strip_suffix(".git").unwrap_or(name)).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_api_address_distinguishes_host_git_and_graphql() {
        let repo = RepoName::parse("acme/web").expect("a name");
        let shown: Vec<String> = [
            "https://api.github.com",
            "https://api.github.com/",
            "https://ghe.example.com/api/v3",
            "https://GHE.example.com:8443/api/v3/",
            "http://127.0.0.1:4000/api/v3",
            "http://localhost:4000",
            "https://api.acme.ghe.com",
        ]
        .iter()
        .map(|url| {
            let endpoint = Endpoint::parse(url).expect(url);
            format!(
                "{} {}{} {} {}",
                endpoint.host,
                endpoint.origin,
                endpoint.rest_path,
                endpoint.graphql_path,
                endpoint.git_url(&repo)
            )
        })
        .collect();
        insta::assert_snapshot!(shown.join("\n"), @r"
        github.com https://api.github.com /graphql https://github.com/acme/web.git
        github.com https://api.github.com /graphql https://github.com/acme/web.git
        ghe.example.com https://ghe.example.com/api/v3 /api/graphql https://ghe.example.com/acme/web.git
        ghe.example.com:8443 https://ghe.example.com:8443/api/v3 /api/graphql https://ghe.example.com:8443/acme/web.git
        127.0.0.1:4000 http://127.0.0.1:4000/api/v3 /api/graphql http://127.0.0.1:4000/acme/web.git
        localhost:4000 http://localhost:4000/api/v3 /api/graphql http://localhost:4000/acme/web.git
        acme.ghe.com https://api.acme.ghe.com /graphql https://acme.ghe.com/acme/web.git
        ");
    }

    #[test]
    fn a_repository_is_told_by_the_address_that_git_fetches() {
        let endpoint = Endpoint::parse("https://api.github.com").expect("an address");
        let told = |url: &str| endpoint.repo_of_git_url(url).map(|repo| repo.to_string());
        let own = Some("acme/web.js".to_owned());
        assert_eq!(told("https://github.com/acme/web.js.git"), own);
        assert_eq!(told("https://github.com/acme/web.js/"), own);
        for other in [
            "https://github.com",
            "https://github.community/acme/web.js.git",
            "https://github.com.evil.example/acme/web.js.git",
            "http://github.com/acme/web.js.git",
            "https://github.com/acme",
            "https://github.com/acme/web/tree/main",
            "https://ghe.example.com/acme/web.js.git",
            "",
        ] {
            assert_eq!(told(other), None, "{other}");
        }
    }

    #[test]
    fn an_address_that_would_leak_the_token_is_refused_without_showing_it() {
        for bad in [
            "",
            "github.com",
            "ftp://h/api/v3",
            "http://ghe.example.com/api/v3",
            "https://bob:secret@ghe.example.com/api/v3",
            "https://ghe.example.com/api/v4",
            "https://api.github.com/api/v3",
            "https://ghe.example.com/api/v3?x=1",
        ] {
            let error = Endpoint::parse(bad).expect_err(bad).to_string();
            assert!(!error.contains("secret"), "{error}");
        }
    }
}
