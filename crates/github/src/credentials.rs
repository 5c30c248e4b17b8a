//! Finds the token (§9.4): `gh` first, then the environment. The keychain will be third.

use std::ffi::OsStr;
use std::fmt;
use std::process::Stdio;
use std::time::Duration;
use tokio::process::Command;

/// How long `gh` may take to answer.
const GH_TIMEOUT: Duration = Duration::from_secs(10);

/// A token. It is never shown: not in `Debug`, not in an error.
#[derive(Clone, PartialEq, Eq)]
pub struct Token(String);

impl Token {
    /// Wraps a token; none when it is empty or holds what no HTTP header may hold.
    pub fn new(text: &str) -> Option<Self> {
        let text = text.trim();
        let fits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_graphic());
        fits.then(|| Self(text.to_string()))
    }

    /// The token itself: for the header of a request, and for redaction (§8.3).
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token([redacted])")
    }
}

/// Where a client takes its token from.
#[derive(Clone, Debug)]
pub enum TokenSource {
    /// This one: the demo, tests.
    Given(Token),
    /// Looked up, and looked up again when GitHub does not accept it any more.
    LookUp,
}

/// A place where a token was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenOrigin {
    /// Given by the caller.
    Given,
    /// `gh auth token`.
    Gh,
    /// `GITHUB_TOKEN`.
    Environment,
}

/// A token and where it was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenWithOrigin {
    /// The token.
    pub token: Token,
    /// Its origin.
    pub origin: TokenOrigin,
}

impl TokenSource {
    /// Finds the token for a host; none when there is none anywhere.
    pub async fn find(&self, host: &str) -> Option<TokenWithOrigin> {
        match self {
            TokenSource::Given(token) => Some(TokenWithOrigin {
                token: token.clone(),
                origin: TokenOrigin::Given,
            }),
            TokenSource::LookUp => {
                find_token(host, OsStr::new("gh"), std::env::var("GITHUB_TOKEN").ok()).await
            }
        }
    }
}

async fn find_token(
    host: &str,
    gh: &OsStr,
    environment: Option<String>,
) -> Option<TokenWithOrigin> {
    if let Some(token) = token_from_gh(host, gh).await {
        return Some(TokenWithOrigin {
            token,
            origin: TokenOrigin::Gh,
        });
    }
    let token = Token::new(&environment?)?;
    Some(TokenWithOrigin {
        token,
        origin: TokenOrigin::Environment,
    })
}

/// Asks `gh auth token`; none when `gh` is missing, not signed in to this host, or too slow.
async fn token_from_gh(host: &str, gh: &OsStr) -> Option<Token> {
    let command = Command::new(gh)
        .args(["auth", "token", "--hostname", host])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .output();
    let output = tokio::time::timeout(GH_TIMEOUT, command).await.ok()?.ok()?;
    if !output.status.success() {
        return None;
    }
    Token::new(std::str::from_utf8(&output.stdout).ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    async fn check(gh: Option<&str>, environment: Option<&str>) -> Option<(String, TokenOrigin)> {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("gh");
        if let Some(script) = gh {
            std::fs::write(&path, format!("#!/bin/sh\n{script}\n")).expect("written");
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("set");
        }
        find_token(
            "ghe.example.com",
            path.as_os_str(),
            environment.map(Into::into),
        )
        .await
        .map(|found| (found.token.expose().to_string(), found.origin))
    }

    #[tokio::test]
    async fn gh_is_asked_before_the_environment() {
        let env = || Some(("from-env".to_string(), TokenOrigin::Environment));
        let script = r#"[ "$*" = "auth token --hostname ghe.example.com" ] && echo from-gh"#;
        let gh = Some(("from-gh".to_string(), TokenOrigin::Gh));
        assert_eq!(check(Some(script), Some("from-env")).await, gh);
        assert_eq!(
            check(Some("echo oops; exit 1"), Some("from-env")).await,
            env()
        );
        assert_eq!(check(Some("exit 0"), Some("from-env\n")).await, env());
        assert_eq!(check(None, Some("from-env")).await, env());
        assert_eq!(check(None, Some("two words")).await, None);
        assert_eq!(check(None, None).await, None);
    }

    #[test]
    fn a_token_is_never_shown() {
        let source = TokenSource::Given(Token::new("ghp_secret").expect("fits"));
        assert_eq!(format!("{source:?}"), "Given(Token([redacted]))");
    }
}
