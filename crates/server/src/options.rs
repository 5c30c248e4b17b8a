//! Where the server listens, and what it goes by.

use crate::runner_access::RunnerAccess;
use collie_core::error_code::{ErrorCode, ErrorHint};
use collie_core::ids::Time;
use collie_core::user_error::UserError;
use secrecy::SecretString;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use url::{Origin, Url};

/// How long a person stays signed in.
const SESSION_LIFETIME: Duration = Duration::from_secs(12 * 60 * 60);

/// How long what GitHub said of a person's access holds.
const ACCESS_TTL: Duration = Duration::from_secs(60);

/// The time of day: for sessions that outlast a restart. What lasts within one process is measured without it.
#[derive(Clone)]
pub struct WallClock(Arc<dyn Fn() -> Time + Send + Sync>);

impl WallClock {
    /// A clock that tells what a function says.
    pub fn new(now: impl Fn() -> Time + Send + Sync + 'static) -> Self {
        Self(Arc::new(now))
    }

    /// This machine's.
    pub fn system() -> Self {
        Self::new(collie_app::clock::now)
    }

    pub(crate) fn now(&self) -> Time {
        (self.0)()
    }
}

impl std::fmt::Debug for WallClock {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("WallClock").field(&self.now()).finish()
    }
}

/// What a server is started with.
#[derive(Clone, Debug)]
pub struct ServerOptions {
    /// Where it listens.
    pub listen: SocketAddr,
    /// How people and GitHub reach it; where it listens, without one.
    pub public_url: Option<Url>,
    /// A proxy stands in front of it, which speaks TLS and says who asks.
    pub behind_proxy: bool,
    /// What GitHub signs deliveries of webhooks with; none takes none.
    pub webhook_secret: Option<SecretString>,
    /// What asks for the metrics without a person; none lets only this machine ask.
    pub metrics_token: Option<SecretString>,
    /// How long a person stays signed in.
    pub session_lifetime: Duration,
    /// How long what GitHub said of a person's access holds.
    pub access_ttl: Duration,
    /// The OAuth or GitHub App whose device flow people may sign in by; none offers none.
    pub device_client_id: Option<String>,
    /// Where runners on other machines find work; without it there is none for them.
    pub runners: Option<RunnerAccess>,
    /// The time of day.
    pub clock: WallClock,
}

impl ServerOptions {
    /// Holds an address, and how it is reached, against what is safe.
    ///
    /// # Errors
    /// The public address is none, or others reach the address without TLS in between.
    pub fn new(
        listen: SocketAddr,
        public_url: Option<&str>,
        behind_proxy: bool,
    ) -> Result<Self, UserError> {
        let public_url = public_url.map(parse_public_url).transpose()?;
        let is_secure = public_url
            .as_ref()
            .is_some_and(|url| url.scheme() == "https");
        // A proxy without a public address would leave the check of hosts and origins with nothing to go by.
        let is_protected = behind_proxy && is_secure;
        if !is_protected && (!listen.ip().is_loopback() || behind_proxy) {
            return Err(UserError::new(ErrorCode::ListenUnprotected)
                .with("address", listen)
                .hint(ErrorHint::TlsProxy));
        }
        Ok(Self {
            listen,
            public_url,
            behind_proxy,
            webhook_secret: None,
            metrics_token: None,
            session_lifetime: SESSION_LIFETIME,
            access_ttl: ACCESS_TTL,
            device_client_id: None,
            runners: None,
            clock: WallClock::system(),
        })
    }

    /// Whether browsers reach it over TLS.
    pub(crate) fn is_secure(&self) -> bool {
        (self.public_url.as_ref()).is_some_and(|url| url.scheme() == "https")
    }

    /// The names that a request may give for this server's host.
    pub(crate) fn hosts(&self) -> Vec<String> {
        let public = self.public_url.as_ref().and_then(|url| {
            let host = url.host_str()?;
            Some(match url.port() {
                Some(port) => format!("{host}:{port}"),
                None => host.to_owned(),
            })
        });
        match public {
            Some(public) => vec![public],
            None => vec![
                self.listen.to_string(),
                format!("localhost:{}", self.listen.port()),
            ],
        }
    }

    /// The origins that its own pages have.
    pub(crate) fn origins(&self) -> Vec<String> {
        match &self.public_url {
            Some(url) => vec![Origin::ascii_serialization(&url.origin())],
            None => (self.hosts().into_iter())
                .map(|host| format!("http://{host}"))
                .collect(),
        }
    }

    /// Where people find it.
    pub fn address(&self) -> String {
        match &self.public_url {
            Some(url) => url.as_str().trim_end_matches('/').to_owned(),
            None => format!("http://{}", self.listen),
        }
    }
}

fn parse_public_url(text: &str) -> Result<Url, UserError> {
    let invalid = || UserError::new(ErrorCode::PublicUrlInvalid).with("url", text);
    let url = Url::parse(text).map_err(|_| invalid())?;
    let is_root = url.path() == "/" && url.query().is_none() && url.fragment().is_none();
    let is_plain = url.username().is_empty() && url.password().is_none();
    let is_web = matches!(url.scheme(), "http" | "https") && url.host_str().is_some();
    if is_root && is_plain && is_web {
        Ok(url)
    } else {
        Err(invalid())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(listen: &str, url: Option<&str>, behind_proxy: bool, expect: Result<&str, ErrorCode>) {
        let options = ServerOptions::new(listen.parse().unwrap(), url, behind_proxy);
        let got = options.map(|options| options.address());
        let got = got.as_deref().map_err(|error| error.code);
        assert_eq!(got, expect, "{listen} {url:?} {behind_proxy}");
    }

    #[test]
    fn another_address_than_loopback_needs_a_proxy_and_tls() {
        use ErrorCode::{ListenUnprotected, PublicUrlInvalid};
        let team = Some("https://collie.example.org");
        check("127.0.0.1:80", None, false, Ok("http://127.0.0.1:80"));
        check("[::1]:80", None, false, Ok("http://[::1]:80"));
        check("0.0.0.0:80", team, true, Ok("https://collie.example.org"));
        check("127.0.0.1:80", team, true, Ok("https://collie.example.org"));
        check("0.0.0.0:80", None, false, Err(ListenUnprotected));
        check("0.0.0.0:80", team, false, Err(ListenUnprotected));
        check("0.0.0.0:80", None, true, Err(ListenUnprotected));
        check("127.0.0.1:80", None, true, Err(ListenUnprotected));
        let plain = Some("http://collie.example.org");
        check("0.0.0.0:80", plain, true, Err(ListenUnprotected));
        for wrong in [
            "x",
            "ftp://a",
            "https://a/b",
            "https://u:p@a",
            "https://a?b",
        ] {
            check("127.0.0.1:80", Some(wrong), false, Err(PublicUrlInvalid));
        }
    }

    #[test]
    fn its_names_are_those_of_its_public_address_alone() {
        let listen = "127.0.0.1:8080".parse().unwrap();
        let local = ServerOptions::new(listen, None, false).unwrap();
        assert_eq!(local.hosts(), ["127.0.0.1:8080", "localhost:8080"]);
        assert!(!local.is_secure());
        let team = Some("https://collie.example.org:8443");
        let team = ServerOptions::new(listen, team, true).unwrap();
        assert_eq!(team.hosts(), ["collie.example.org:8443"]);
        assert_eq!(team.origins(), ["https://collie.example.org:8443"]);
        assert!(team.is_secure());
    }
}
