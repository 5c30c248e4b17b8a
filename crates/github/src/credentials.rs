//! Finds the token (§9.4): `gh` first, then the environment. The keychain, which is third, is the app's.

use crate::app_tokens::AppCredentials;
use collie_core::ids::Login;
use secrecy::zeroize::Zeroizing;
use secrecy::{ExposeSecret as _, SecretString};
use std::ffi::OsStr;
use std::fmt;
use std::process::Stdio;
use std::time::Duration;
use tokio::process::Command;

/// How long `gh` may take to answer.
const GH_TIMEOUT: Duration = Duration::from_secs(10);

/// A token. It is never shown: not in `Debug`, not in an error; its memory is wiped once it is dropped.
#[derive(Clone)]
pub struct Token(SecretString);

impl PartialEq for Token {
    fn eq(&self, other: &Self) -> bool {
        self.expose() == other.expose()
    }
}

impl Eq for Token {}

impl Token {
    /// Wraps a token; none when it is empty or holds what no HTTP header may hold.
    pub fn new(text: &str) -> Option<Self> {
        let text = text.trim();
        let fits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_graphic());
        fits.then(|| Self(text.into()))
    }

    /// Stands for a token that is still to be made; no host accepts it.
    pub(crate) fn unmade() -> Self {
        Self("unmade".into())
    }

    /// The token itself: for the header of a request, and for redaction (§8.3).
    pub fn expose(&self) -> &str {
        self.0.expose_secret()
    }

    /// The same for who keeps it.
    pub fn into_secret(self) -> SecretString {
        self.0
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
    /// The same for one account of several that `gh` may know on a host.
    LookUpAs(Login),
    /// Made anew, again and again, for a GitHub App's installation (§18.2).
    App(AppCredentials),
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
            // The client makes them: it takes calls.
            TokenSource::App(_) => None,
            TokenSource::LookUp => {
                find_token(host, OsStr::new("gh"), None, &collie_hardening::variable).await
            }
            TokenSource::LookUpAs(login) => {
                let variable = &collie_hardening::variable;
                find_token(host, OsStr::new("gh"), Some(login), variable).await
            }
        }
    }

    /// The account whose token it must be; none where any will do.
    pub fn account(&self) -> Option<&Login> {
        match self {
            TokenSource::LookUpAs(login) => Some(login),
            TokenSource::Given(_) | TokenSource::LookUp | TokenSource::App(_) => None,
        }
    }
}

/// An account of a host that `gh` is signed in to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GhAccount {
    /// Its name.
    pub login: Login,
    /// `gh` uses it unless it is told another one.
    pub active: bool,
}

/// The accounts of a host that `gh` knows; none where `gh` is missing or does not answer. It looks at each with GitHub, which takes
/// a moment.
pub async fn gh_accounts(host: &str) -> Vec<GhAccount> {
    gh_accounts_by(host, OsStr::new("gh")).await
}

async fn gh_accounts_by(host: &str, gh: &OsStr) -> Vec<GhAccount> {
    let asked = gh_command(gh)
        .args(["auth", "status", "--hostname", host])
        .stderr(Stdio::piped())
        .output();
    // Its status says whether all of them are signed in, and older versions write to standard error.
    match tokio::time::timeout(GH_TIMEOUT, asked).await {
        Ok(Ok(output)) => {
            let said = [output.stdout, output.stderr].concat();
            parse_accounts(host, &String::from_utf8_lossy(&said))
        }
        Ok(Err(_)) | Err(_) => Vec::new(),
    }
}

/// `… to HOST account LOGIN (…)`, and on a line below it `- Active account: true`.
fn parse_accounts(host: &str, said: &str) -> Vec<GhAccount> {
    let start = format!(" to {host} account ");
    let mut accounts: Vec<GhAccount> = Vec::new();
    for line in said.lines() {
        if let Some((_, rest)) = line.split_once(&start) {
            let login = rest.split_whitespace().next().unwrap_or_default();
            accounts.push(GhAccount {
                login: Login::new(login),
                active: false,
            });
        } else if line.trim() == "- Active account: true"
            && let Some(account) = accounts.last_mut()
        {
            account.active = true;
        }
    }
    accounts
}

/// The variables that `gh auth token` prefers to what it has stored, for GitHub's own hosts and for others
/// ([manual](https://cli.github.com/manual/gh_help_environment)).
const GH_VARIABLES: [&str; 2] = ["GH_TOKEN", "GITHUB_TOKEN"];
const GH_ENTERPRISE_VARIABLES: [&str; 2] = ["GH_ENTERPRISE_TOKEN", "GITHUB_ENTERPRISE_TOKEN"];

async fn find_token(
    host: &str,
    gh: &OsStr,
    account: Option<&Login>,
    variable: &(dyn Fn(&str) -> Option<String> + Sync),
) -> Option<TokenWithOrigin> {
    let of_github = host == "github.com" || host.ends_with(".ghe.com");
    let preferred = if of_github {
        GH_VARIABLES
    } else {
        GH_ENTERPRISE_VARIABLES
    };
    // `gh` would say these, but does not get to see them: they are in no environment any more (§9.5).
    let from_variable = |name: &str| {
        let origin = match name {
            "GITHUB_TOKEN" => TokenOrigin::Environment,
            _ => TokenOrigin::Gh,
        };
        let text = Zeroizing::new(variable(name)?);
        Token::new(&text).map(|token| TokenWithOrigin { token, origin })
    };
    // An account that was named comes before whosever token is in the environment.
    if let Some(login) = account {
        if let Some(token) = token_from_gh(host, gh, account).await {
            let origin = TokenOrigin::Gh;
            return Some(TokenWithOrigin { token, origin });
        }
        tracing::warn!(%login, host, "gh has no token of the account that is named in github_account");
    }
    if let Some(found) = preferred.into_iter().find_map(from_variable) {
        return Some(found);
    }
    if account.is_none()
        && let Some(token) = token_from_gh(host, gh, None).await
    {
        let origin = TokenOrigin::Gh;
        return Some(TokenWithOrigin { token, origin });
    }
    from_variable("GITHUB_TOKEN")
}

/// `gh`, which sees what it has stored and nothing of the environment's tokens.
fn gh_command(gh: &OsStr) -> Command {
    let mut command = Command::new(gh);
    for name in GH_VARIABLES.iter().chain(&GH_ENTERPRISE_VARIABLES) {
        command.env_remove(name);
    }
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(true);
    command
}

/// Asks `gh auth token`, of an account if one is named; none when `gh` is missing, not signed in to this host or as that account, or
/// too slow.
async fn token_from_gh(host: &str, gh: &OsStr, account: Option<&Login>) -> Option<Token> {
    let mut command = gh_command(gh);
    command.args(["auth", "token", "--hostname", host]);
    if let Some(login) = account {
        command.args(["--user", login.as_str()]);
    }
    let command = command.output();
    let output = tokio::time::timeout(GH_TIMEOUT, command).await.ok()?.ok()?;
    if !output.status.success() {
        return None;
    }
    let answer = Zeroizing::new(output.stdout);
    Token::new(std::str::from_utf8(&answer).ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use collie_testkit::program::write_program;

    async fn check(gh: Option<&str>, environment: Option<&str>) -> Option<(String, TokenOrigin)> {
        let github_token = environment.map(|value| ("GITHUB_TOKEN", value));
        check_on("ghe.example.com", gh, github_token.as_slice()).await
    }

    async fn check_as(
        account: &str,
        gh: Option<&str>,
        environment: &[(&str, &str)],
    ) -> Option<(String, TokenOrigin)> {
        check_with(
            "ghe.example.com",
            Some(&Login::new(account)),
            gh,
            environment,
        )
        .await
    }

    async fn check_on(
        host: &str,
        gh: Option<&str>,
        environment: &[(&str, &str)],
    ) -> Option<(String, TokenOrigin)> {
        check_with(host, None, gh, environment).await
    }

    async fn check_with(
        host: &str,
        account: Option<&Login>,
        gh: Option<&str>,
        environment: &[(&str, &str)],
    ) -> Option<(String, TokenOrigin)> {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("gh");
        if let Some(script) = gh {
            write_program(&path, format!("#!/bin/sh\n{script}\n"));
        }
        find_token(host, path.as_os_str(), account, &|name| {
            let mut named = environment.iter().filter(|(found, _)| *found == name);
            named.next().map(|(_, value)| (*value).to_owned())
        })
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

    /// `gh auth token` says what the environment has for a host, which Collie no longer lets it see.
    #[tokio::test]
    async fn what_gh_prefers_in_the_environment_comes_before_what_it_stored() {
        let stored = Some("echo stored");
        let found = |token: &str, origin| Some((token.to_owned(), origin));
        let github = [("GITHUB_TOKEN", "of-github")];
        let both = [("GITHUB_TOKEN", "of-github"), ("GH_TOKEN", "of-gh")];
        let enterprise = [
            ("GITHUB_TOKEN", "of-github"),
            ("GH_ENTERPRISE_TOKEN", "own"),
        ];
        for (host, environment, expect) in [
            (
                "github.com",
                &github[..],
                found("of-github", TokenOrigin::Environment),
            ),
            ("github.com", &both, found("of-gh", TokenOrigin::Gh)),
            ("acme.ghe.com", &both, found("of-gh", TokenOrigin::Gh)),
            ("github.com", &[], found("stored", TokenOrigin::Gh)),
            ("ghe.example.com", &both, found("stored", TokenOrigin::Gh)),
            (
                "ghe.example.com",
                &enterprise,
                found("own", TokenOrigin::Gh),
            ),
            (
                "github.com.evil.example",
                &both,
                found("stored", TokenOrigin::Gh),
            ),
        ] {
            assert_eq!(
                check_on(host, stored, environment).await,
                expect,
                "{host} {environment:?}"
            );
        }
    }

    /// A stand-in for `gh` with two accounts on one host, of which bob is active.
    const TWO_ACCOUNTS: &str = r#"case "$*" in
"auth token --hostname ghe.example.com") echo of-bob ;;
"auth token --hostname ghe.example.com --user ana") echo of-ana ;;
"auth status --hostname ghe.example.com") cat <<END
ghe.example.com
  ✓ Logged in to ghe.example.com account bob (keyring)
  - Active account: true
  - Git operations protocol: https
  - Token: gho_************

  X Failed to log in to ghe.example.com account ana (/home/x/hosts.yml)
  - Active account: false
  - The token in /home/x/hosts.yml is invalid.
END
exit 1 ;;
*) exit 1 ;;
esac"#;

    #[tokio::test]
    async fn the_account_that_is_named_is_the_one_whose_token_is_taken() {
        let found = |token: &str, origin| Some((token.to_owned(), origin));
        let gh = Some(TWO_ACCOUNTS);
        assert_eq!(check(gh, None).await, found("of-bob", TokenOrigin::Gh));
        assert_eq!(
            check_as("ana", gh, &[]).await,
            found("of-ana", TokenOrigin::Gh)
        );
        let environment = [("GH_ENTERPRISE_TOKEN", "own"), ("GITHUB_TOKEN", "from-env")];
        assert_eq!(
            check_as("ana", gh, &environment).await,
            found("of-ana", TokenOrigin::Gh)
        );
        // The active account's is never taken for another's.
        assert_eq!(check_as("kim", gh, &[]).await, None);
        assert_eq!(
            check_as("kim", gh, &environment[1..]).await,
            found("from-env", TokenOrigin::Environment)
        );
    }

    #[tokio::test]
    async fn gh_names_the_accounts_that_it_knows() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("gh");
        write_program(&path, format!("#!/bin/sh\n{TWO_ACCOUNTS}\n"));
        let known = gh_accounts_by("ghe.example.com", path.as_os_str()).await;
        let known: Vec<(&str, bool)> = known
            .iter()
            .map(|account| (account.login.as_str(), account.active))
            .collect();
        assert_eq!(known, [("bob", true), ("ana", false)]);
        assert!(
            gh_accounts_by("github.com", path.as_os_str())
                .await
                .is_empty()
        );
    }

    #[test]
    fn a_token_is_never_shown() {
        let source = TokenSource::Given(Token::new("ghp_secret").expect("fits"));
        assert_eq!(format!("{source:?}"), "Given(Token([redacted]))");
    }
}
