//! The credential of one call of git (§9.4): what git's helper asks for, and what it is answered, for the very host that the call is about and no
//! other.

use secrecy::zeroize::Zeroizing;
use secrecy::{ExposeSecret as _, SecretString};
use tokio::io::{
    AsyncBufReadExt as _, AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, BufReader,
};

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

    /// The settings that let git ask for the credential by this helper, and for this origin only.
    pub(crate) fn settings(&self, helper: String) -> [(String, String); 2] {
        let Self { protocol, host } = self;
        let name = format!("credential.{protocol}://{host}.helper");
        [
            (name, helper),
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

/// What a call is told, and whom it may sign in to with that.
pub(crate) struct Credential {
    origin: RemoteOrigin,
    token: SecretString,
}

impl Credential {
    pub(crate) fn new(origin: RemoteOrigin, token: SecretString) -> Self {
        Self { origin, token }
    }

    pub(crate) fn origin(&self) -> &RemoteOrigin {
        &self.origin
    }

    /// The forms of it that git could repeat.
    pub(crate) fn forms(&self) -> [SecretString; 2] {
        [self.token.clone(), basic_form(&self.token)]
    }

    /// Answers whoever has the other end, until nobody asks any more.
    pub(crate) async fn answer_all(
        &self,
        questions: impl AsyncRead + Unpin,
        mut answers: impl AsyncWrite + Unpin,
    ) {
        let mut questions = BufReader::new(questions);
        while let Some(question) = read_question(&mut questions).await {
            let answer = answer(&question, &self.origin, &self.token);
            if answers.write_all(answer.as_bytes()).await.is_err() {
                break;
            }
        }
    }
}

/// Lines up to an empty one; none once nobody can ask any more.
async fn read_question(questions: &mut BufReader<impl AsyncRead + Unpin>) -> Option<Vec<String>> {
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
fn basic_form(token: &SecretString) -> SecretString {
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
