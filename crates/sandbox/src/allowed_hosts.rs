//! Which hosts of the network a program may reach, by name.

use std::fmt;
use std::str::FromStr;

/// The port of a host that is named without one.
const HTTPS_PORT: u16 = 443;

/// A host with its port: `api.openai.com` (port 443), `localhost:11434`, `*.googleapis.com` (whatever stands before the dot).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct HostPattern {
    /// In lower case, without a dot at its end; an address of IPv6 stands in brackets.
    host: String,
    port: u16,
}

/// A text that names no host.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` names no host: write `example.com`, `*.example.com` or `localhost:11434`")]
pub struct InvalidHost(pub String);

impl HostPattern {
    /// Whether a program that was given this pattern may open a connection there.
    pub(crate) fn admits(&self, host: &str, port: u16) -> bool {
        let host = normalized(host);
        let named = match self.host.strip_prefix('*') {
            // The dot belongs to the ending, so that `*.a.b` is not `xa.b`.
            Some(ending) => host.len() > ending.len() && host.ends_with(ending),
            None => host == self.host,
        };
        named && port == self.port
    }

    /// Whether all that another pattern admits is admitted by this one.
    pub fn covers(&self, other: &Self) -> bool {
        match (self.host.strip_prefix('*'), other.host.strip_prefix('*')) {
            (Some(own), Some(ending)) => self.port == other.port && ending.ends_with(own),
            (None, Some(_)) => false,
            (_, None) => self.admits(&other.host, other.port),
        }
    }

    /// The port, where the host is this very machine: a model that runs here.
    #[cfg(any(unix, test))]
    pub(crate) fn loopback_port(&self) -> Option<u16> {
        let is_loopback =
            ["localhost", "[::1]"].contains(&self.host.as_str()) || self.host.starts_with("127.");
        is_loopback.then_some(self.port)
    }
}

impl FromStr for HostPattern {
    type Err = InvalidHost;

    fn from_str(text: &str) -> Result<Self, InvalidHost> {
        let invalid = || InvalidHost(text.to_owned());
        let authority: http::uri::Authority = text.trim().parse().map_err(|_| invalid())?;
        let host = normalized(authority.host());
        let name = host.strip_prefix("*.").unwrap_or(&host);
        let is_name = |c: char| c.is_ascii_alphanumeric() || "-._".contains(c);
        let is_address = name.starts_with('[') && name.ends_with(']');
        if authority.as_str().contains('@')
            || name.is_empty()
            || !(is_address || name.chars().all(is_name))
        {
            return Err(invalid());
        }
        // A port that is none is no port to `http` either.
        let port = match text.trim().strip_prefix(authority.host()) {
            Some("") => HTTPS_PORT,
            _ => authority.port_u16().ok_or_else(invalid)?,
        };
        Ok(Self { host, port })
    }
}

impl fmt::Display for HostPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.host, self.port)
    }
}

fn normalized(host: &str) -> String {
    host.trim_end_matches('.').to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pattern(text: &str) -> HostPattern {
        text.parse().unwrap()
    }

    #[test]
    fn a_pattern_admits_its_host_at_its_port_and_no_other() {
        let api = pattern("API.example.com");
        assert!(api.admits("api.example.com", 443));
        assert!(api.admits("API.example.com.", 443));
        for (host, port) in [
            ("api.example.com", 80),
            ("example.com", 443),
            ("x.api.example.com", 443),
            ("api.example.com.evil.org", 443),
            ("evil-api.example.com", 443),
        ] {
            assert!(!api.admits(host, port), "{host}:{port}");
        }
        let any = pattern("*.example.com");
        assert!(any.admits("a.example.com", 443) && any.admits("a.b.example.com", 443));
        assert!(!any.admits("example.com", 443) && !any.admits("notexample.com", 443));
        assert_eq!(any.loopback_port(), None);
        for local in ["localhost:8080", "127.0.0.1:8080", "[::1]:8080"] {
            assert_eq!(pattern(local).loopback_port(), Some(8080), "{local}");
        }
    }

    #[test]
    fn a_pattern_covers_what_admits_no_more_than_it() {
        for (wide, narrow, covers) in [
            ("a.example.com", "A.example.com:443", true),
            ("a.example.com", "a.example.com:80", false),
            ("*.example.com", "a.example.com", true),
            ("*.example.com", "*.a.example.com", true),
            ("*.example.com", "*.example.com", true),
            ("*.a.example.com", "*.example.com", false),
            ("a.example.com", "*.example.com", false),
            ("*.example.com", "example.com", false),
            ("*.example.com", "*.notexample.com", false),
            ("*.example.com:80", "*.a.example.com", false),
        ] {
            assert_eq!(
                pattern(wide).covers(&pattern(narrow)),
                covers,
                "{wide} {narrow}"
            );
        }
    }

    #[test]
    fn what_names_no_host_is_refused() {
        for text in [
            "",
            "*",
            "*.",
            "https://a.b",
            "a.b/c",
            "a b",
            "user@a.b",
            "a.b:",
            "a.b:0x1",
            "a.b:99999",
            "*a.b",
            "a.*.b",
        ] {
            assert!(text.parse::<HostPattern>().is_err(), "{text}");
        }
    }
}
