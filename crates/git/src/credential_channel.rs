//! Gives one call of git its credential (§9.4), over a socket that only this call has and that ends with it: not in its arguments, not in
//! its environment, not in a file. What the helper asks for is answered for the very host that the call is about, and no other.

use command_fds::{CommandFdExt as _, FdMapping};
use nix::sys::socket::{AddressFamily, SockFlag, SockType, socketpair};
use secrecy::zeroize::Zeroizing;
use secrecy::{ExposeSecret as _, SecretString};
use std::convert::Infallible;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream as StdUnixStream;
use std::process::Output;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::UnixStream;
use tokio::process::Command;

/// Git's end of the socket.
pub(crate) type GitsEnd = OwnedFd;

/// Where git's end of the socket stands in its processes. The script around git uses 3 for itself.
pub(crate) const CREDENTIAL_FD: i32 = 4;

/// A credential helper as a snippet for the shell, of builtins alone: hands git's question on, and the answer back.
pub(crate) const CREDENTIAL_HELPER: &str = "!f() { test \"$1\" = get || exit 0; \
     { while IFS= read -r line; do printf '%s\\n' \"$line\"; done; echo; } >&4; \
     while IFS= read -r line <&4 && test -n \"$line\"; do printf '%s\\n' \"$line\"; done; }; f";

/// The login that goes with a token.
const TOKEN_LOGIN: &str = "x-access-token";
/// A question that is longer is none of git's.
const MAX_QUESTION_BYTES: u64 = 64 << 10;

/// Scheme and authority of a URL, as git names them to its helpers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RemoteOrigin {
    /// `https` or `http`.
    pub(crate) protocol: String,
    /// Host, and port where the URL names one.
    pub(crate) host: String,
}

impl RemoteOrigin {
    /// None for what is no web address, or has a login in it.
    pub(crate) fn of(url: &str) -> Option<Self> {
        let (protocol, rest) = url.split_once("://")?;
        let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
        let plain = matches!(protocol, "https" | "http") && !host.is_empty() && !host.contains('@');
        plain.then(|| Self {
            protocol: protocol.to_owned(),
            host: host.to_ascii_lowercase(),
        })
    }

    /// The settings that let git ask for the credential, and for this origin only.
    pub(crate) fn settings(&self) -> [(String, String); 2] {
        let Self { protocol, host } = self;
        let helper = format!("credential.{protocol}://{host}.helper");
        [
            (helper, CREDENTIAL_HELPER.into()),
            // Saves a first request without it, from git 2.46 on.
            ("http.proactiveAuth".into(), "basic".into()),
        ]
    }

    /// Whether it is HTTP to this very machine.
    pub(crate) fn is_loopback_http(&self) -> bool {
        let name = match self.host.strip_prefix('[') {
            Some(ipv6) => ipv6.split(']').next().unwrap_or_default(),
            None => self.host.split(':').next().unwrap_or_default(),
        };
        let loopback = name
            .parse::<std::net::IpAddr>()
            .is_ok_and(|address| address.is_loopback());
        self.protocol == "http" && (loopback || name == "localhost")
    }
}

/// Collie's end of the socket, and what it tells there.
pub(crate) struct CredentialSocket {
    stream: UnixStream,
    origin: RemoteOrigin,
    token: SecretString,
}

impl CredentialSocket {
    /// Opens a socket for one call; git's end of it comes along.
    pub(crate) fn open(origin: RemoteOrigin, token: SecretString) -> io::Result<(Self, GitsEnd)> {
        let (ours, gits) = socketpair(
            AddressFamily::Unix,
            SockType::Stream,
            None,
            SockFlag::SOCK_CLOEXEC,
        )?;
        let stream = StdUnixStream::from(ours);
        stream.set_nonblocking(true)?;
        let socket = Self {
            stream: UnixStream::from_std(stream)?,
            origin,
            token,
        };
        Ok((socket, gits))
    }

    /// Answers each question, for as long as the call goes on.
    pub(crate) async fn serve(self) -> Infallible {
        let (read, mut write) = self.stream.into_split();
        let mut questions = BufReader::new(read);
        while let Some(question) = read_question(&mut questions).await {
            let answer = answer(&question, &self.origin, &self.token);
            if write.write_all(answer.as_bytes()).await.is_err() {
                break;
            }
        }
        // Nobody asks any more; the call may go on for long.
        std::future::pending().await
    }
}

/// Hands git its end of the socket.
pub(crate) fn hand_over(command: &mut Command, gits_end: GitsEnd) -> io::Result<()> {
    let mapping = FdMapping {
        parent_fd: gits_end,
        child_fd: CREDENTIAL_FD,
    };
    let mapped = command.fd_mappings(vec![mapping]);
    mapped
        .map(drop)
        .map_err(|error| io::Error::other(error.to_string()))
}

/// Runs a call of git to its end, signed in to the host of `url` and to no other. It gets no further settings by `GIT_CONFIG_COUNT`.
///
/// # Errors
/// The system's, and an address that is none of the web.
pub async fn output_signed_in(
    mut command: Command,
    url: &str,
    token: SecretString,
) -> io::Result<Output> {
    let no_origin = || io::Error::new(io::ErrorKind::InvalidInput, "no address of the web");
    let origin = RemoteOrigin::of(url).ok_or_else(no_origin)?;
    let settings = origin.settings();
    command.env("GIT_CONFIG_COUNT", settings.len().to_string());
    for (index, (name, value)) in settings.into_iter().enumerate() {
        command.env(format!("GIT_CONFIG_KEY_{index}"), name);
        command.env(format!("GIT_CONFIG_VALUE_{index}"), value);
    }
    let (socket, gits_end) = CredentialSocket::open(origin, token)?;
    hand_over(&mut command, gits_end)?;
    tokio::select! {
        output = command.output() => output,
        never = socket.serve() => match never {},
    }
}

/// Lines up to an empty one; none once nobody can ask any more.
async fn read_question(
    questions: &mut BufReader<tokio::net::unix::OwnedReadHalf>,
) -> Option<Vec<String>> {
    let mut lines = Vec::new();
    let mut limited = questions.take(MAX_QUESTION_BYTES);
    loop {
        let mut line = String::new();
        match limited.read_line(&mut line).await {
            Ok(1..) if line == "\n" => return Some(lines),
            Ok(1..) if line.ends_with('\n') => lines.push(line.trim_end().to_owned()),
            _ => return None,
        }
    }
}

/// What the helper is told: the token for the very origin of the call, else that nobody else should be asked either.
fn answer(question: &[String], origin: &RemoteOrigin, token: &SecretString) -> Zeroizing<String> {
    let said = |name: &str| {
        let mut values = question.iter().filter_map(|line| {
            let (found, value) = line.split_once('=')?;
            (found == name).then_some(value)
        });
        // Said twice, it would be another's guess which one counts.
        values.next().filter(|_| values.next().is_none())
    };
    let same = said("protocol") == Some(&origin.protocol)
        && said("host").is_some_and(|host| host.eq_ignore_ascii_case(&origin.host));
    if !same {
        tracing::warn!("git asked for a credential of another host, and got none");
        return Zeroizing::new("quit=1\n\n".to_owned());
    }
    Zeroizing::new(format!(
        "username={TOKEN_LOGIN}\npassword={}\n\n",
        token.expose_secret()
    ))
}

/// The same login as a header would have it, for redaction.
pub(crate) fn basic_form(token: &SecretString) -> SecretString {
    use base64::Engine as _;
    let pair = Zeroizing::new(format!("{TOKEN_LOGIN}:{}", token.expose_secret()));
    base64::engine::general_purpose::STANDARD
        .encode(pair.as_bytes())
        .into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(lines: &[&str]) -> String {
        let origin = RemoteOrigin::of("https://github.com/a/b.git").unwrap();
        let lines: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
        answer(&lines, &origin, &"t0ken".into()).to_string()
    }

    #[test]
    fn only_the_very_host_of_the_call_is_answered() {
        let given = "username=x-access-token\npassword=t0ken\n\n";
        let asked = ["capability[]=authtype", "protocol=https", "host=github.com"];
        assert_eq!(ask(&asked), given);
        for other in [
            &["protocol=https", "host=github.com.evil.example"][..],
            &["protocol=https", "host=evil.example"],
            &["protocol=http", "host=github.com"],
            &["protocol=https", "host=github.com:444"],
            &["protocol=https", "host=github.com", "host=evil.example"],
            &["protocol=https"],
            &[],
        ] {
            assert_eq!(ask(other), "quit=1\n\n", "{other:?}");
        }
    }

    #[test]
    fn an_origin_has_a_host_and_no_login() {
        for (url, expect) in [
            ("https://GitHub.com/a/b.git", Some("github.com")),
            ("http://127.0.0.1:4000/a", Some("127.0.0.1:4000")),
            ("http://[::1]:4000/a", Some("[::1]:4000")),
            ("https://user@github.com/a", None),
            ("http://127.0.0.1:x@evil.example/a", None),
            ("file:///srv/a.git", None),
            ("https:///a", None),
        ] {
            let origin = RemoteOrigin::of(url);
            assert_eq!(origin.map(|o| o.host).as_deref(), expect, "{url}");
        }
    }
}
