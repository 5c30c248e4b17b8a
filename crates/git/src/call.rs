//! Calls of the `git` binary: the same hardened environment for each, credentials only in that environment.

use crate::process::{End, Input, Job, Tail, run};
use crate::{Credentials, Options};
use base64::Engine as _;
use collie_engine::ports::GitError;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::sync::OnceCell;

/// The oldest git that knows all that is used here.
const OLDEST: (u32, u32) = (2, 38);
/// Output that is kept of one call; more is an error, so that memory stays bounded.
const MOST_OUTPUT: usize = 256 << 20;
/// Error output that is kept.
const MOST_WORDS: usize = 4000;

/// Settings of every call. They win over every configuration file, and no such file but the clone's own is read.
const SETTINGS: &[(&str, &str)] = &[
    ("core.hooksPath", "/dev/null"),
    ("core.fsmonitor", "false"),
    ("core.untrackedCache", "false"),
    ("core.splitIndex", "false"),
    ("core.sparseCheckout", "false"),
    ("core.attributesFile", "/dev/null"),
    ("core.excludesFile", "/dev/null"),
    ("core.autocrlf", "false"),
    ("core.safecrlf", "false"),
    ("core.symlinks", "true"),
    ("core.fileMode", "true"),
    ("core.quotePath", "false"),
    ("core.pager", "cat"),
    ("core.askPass", ""),
    ("core.sshCommand", "false"),
    ("core.bigFileThreshold", "32m"),
    ("core.fsync", "committed,reference"),
    ("credential.helper", ""),
    ("protocol.allow", "never"),
    ("protocol.https.allow", "always"),
    ("protocol.http.allow", "always"),
    ("submodule.recurse", "false"),
    ("fetch.recurseSubmodules", "false"),
    ("push.recurseSubmodules", "no"),
    ("push.followTags", "false"),
    // Keeps what is fetched in packs, which a killed git leaves whole or not at all.
    ("fetch.unpackLimit", "1"),
    ("gc.auto", "0"),
    ("maintenance.auto", "false"),
    ("advice.detachedHead", "false"),
    // The variable that keeps graft files away brings a lecture into every error.
    ("advice.graftFileDeprecated", "false"),
    ("merge.renames", "true"),
    ("i18n.commitEncoding", "UTF-8"),
];

/// Variables that reach git: where programs, certificates and proxies are. No `GIT_*`, no token.
const PASSED: &[&str] = &[
    "PATH",
    "TMPDIR",
    "SYSTEMROOT",
    "HTTPS_PROXY",
    "https_proxy",
    "HTTP_PROXY",
    "http_proxy",
    "ALL_PROXY",
    "all_proxy",
    "NO_PROXY",
    "no_proxy",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "GIT_SSL_CAINFO",
    "LD_LIBRARY_PATH",
    "GIT_EXEC_PATH",
];

/// Variables that say where the user's own configuration is.
const USERS_CONFIG: &[&str] = &[
    "HOME",
    "XDG_CONFIG_HOME",
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_SYSTEM",
    "GIT_CONFIG_NOSYSTEM",
];

/// Variables that a signing program needs.
const FOR_SIGNING: &[&str] = &[
    "XDG_RUNTIME_DIR",
    "GNUPGHOME",
    "SSH_AUTH_SOCK",
    "GPG_TTY",
    "DISPLAY",
    "WAYLAND_DISPLAY",
    "DBUS_SESSION_BUS_ADDRESS",
    "USER",
];

/// One call that is about to be made.
pub(crate) struct Call {
    args: Vec<OsString>,
    folder: Option<PathBuf>,
    env: Vec<(OsString, OsString)>,
    input: Input,
    url: Option<String>,
    place: &'static str,
    as_user: bool,
}

/// What a call gave.
pub(crate) struct Answer {
    pub(crate) code: i32,
    pub(crate) out: Vec<u8>,
    pub(crate) words: String,
}

impl Answer {
    /// The output as one line of text.
    pub(crate) fn line(&self) -> String {
        String::from_utf8_lossy(&self.out).trim().to_string()
    }
}

impl Call {
    /// Begins a call with its arguments.
    pub(crate) fn new<A: AsRef<OsStr>>(args: impl IntoIterator<Item = A>) -> Self {
        Self {
            args: args
                .into_iter()
                .map(|arg| arg.as_ref().to_owned())
                .collect(),
            folder: None,
            env: Vec::new(),
            input: Input::Tethered,
            url: None,
            place: "the clone",
            as_user: false,
        }
    }

    /// Adds an argument.
    pub(crate) fn arg(mut self, arg: impl AsRef<OsStr>) -> Self {
        self.args.push(arg.as_ref().to_owned());
        self
    }

    /// Works in a bare clone.
    pub(crate) fn in_clone(self, clone: &Path) -> Self {
        self.env("GIT_DIR", clone)
    }

    /// Names an environment variable.
    pub(crate) fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.env.push((name.into(), value.as_ref().to_owned()));
        self
    }

    /// Runs in this folder, and says so in errors.
    pub(crate) fn in_folder(mut self, folder: &Path, place: &'static str) -> Self {
        self.folder = Some(folder.to_owned());
        self.place = place;
        self
    }

    /// Gives it something to read.
    pub(crate) fn input(mut self, bytes: Vec<u8>) -> Self {
        self.input = Input::Bytes(bytes);
        self
    }

    /// Talks to this remote: with credentials, and with the longer time limit.
    pub(crate) fn remote(mut self, url: &str) -> Self {
        self.url = Some(url.to_string());
        self.place = "the remote";
        self
    }

    /// Lets it see the user's home and configuration.
    pub(crate) fn for_user(mut self) -> Self {
        self.as_user = true;
        self
    }

    /// Its first word, for errors.
    fn name(&self) -> String {
        self.args
            .first()
            .map(|arg| arg.to_string_lossy().into_owned())
            .unwrap_or_default()
    }
}

/// The binary, and what every call of it needs.
pub(crate) struct Caller {
    root: PathBuf,
    credentials: Credentials,
    options: Options,
    checked: OnceCell<()>,
}

impl Caller {
    pub(crate) fn new(root: PathBuf, credentials: Credentials, options: Options) -> Self {
        Self {
            root,
            credentials,
            options,
            checked: OnceCell::new(),
        }
    }

    pub(crate) fn options(&self) -> &Options {
        &self.options
    }

    /// Makes a call; an exit code other than zero is an error.
    pub(crate) async fn run(&self, call: Call) -> Result<Answer, GitError> {
        self.run_for(call, &[0]).await
    }

    /// Makes a call that may end with one of these exit codes.
    pub(crate) async fn run_for(&self, call: Call, codes: &[i32]) -> Result<Answer, GitError> {
        let (command, place) = (call.name(), call.place);
        let answer = self.ask(call).await?;
        if codes.contains(&answer.code) {
            Ok(answer)
        } else {
            Err(failure(&command, place, &answer.words))
        }
    }

    /// Makes a call, whatever its exit code.
    pub(crate) async fn ask(&self, call: Call) -> Result<Answer, GitError> {
        let mut out = Vec::new();
        let mut surplus = false;
        let (command, place) = (call.name(), call.place);
        let mut answer = self
            .stream(call, &mut |bytes| {
                if out.len() + bytes.len() <= MOST_OUTPUT {
                    out.extend_from_slice(bytes);
                } else {
                    surplus = true;
                }
            })
            .await?;
        if surplus {
            let message = format!("more than {MOST_OUTPUT} bytes came back");
            return Err(GitError::Failed {
                command,
                place: place.into(),
                message,
            });
        }
        answer.out = out;
        Ok(answer)
    }

    /// Makes a call whose output goes to a sink as it comes, whatever its exit code.
    pub(crate) async fn stream(
        &self,
        call: Call,
        sink: &mut (dyn FnMut(&[u8]) + Send),
    ) -> Result<Answer, GitError> {
        self.checked
            .get_or_try_init(|| self.check_version())
            .await?;
        self.launch(call, sink).await
    }

    async fn check_version(&self) -> Result<(), GitError> {
        let found = self.version().await?;
        tracing::debug!(version = %found, "git found");
        Ok(())
    }

    /// The version of the binary, when it is new enough.
    pub(crate) async fn version(&self) -> Result<String, GitError> {
        let mut out = Vec::new();
        // Without a tether, so that a missing binary is told from one that fails.
        let call = Call::new(["--version"]).input(Vec::new());
        let answer = self
            .launch(call, &mut |bytes| out.extend_from_slice(bytes))
            .await?;
        let text = String::from_utf8_lossy(&out).trim().to_string();
        match version_in(&text) {
            Some(version) if version >= OLDEST => {
                Ok(text.trim_start_matches("git version ").to_string())
            }
            Some(_) => Err(GitError::NoGit {
                message: format!("found `{text}`: install a newer git"),
            }),
            None => {
                let message = format!(
                    "`git --version` answered `{text}{}`: reinstall git",
                    answer.words
                );
                Err(GitError::NoGit { message })
            }
        }
    }

    async fn launch(
        &self,
        call: Call,
        sink: &mut (dyn FnMut(&[u8]) + Send),
    ) -> Result<Answer, GitError> {
        let header = call.url.as_deref().and_then(|url| self.header(url));
        let secrets = self.secrets(&call, header.as_deref());
        let (command, place) = (call.name(), call.place);
        let limit = self.limit(&call);
        let remote = call.url.is_some();
        let mut words = Tail::new(MOST_WORDS);
        let job = self.job(call, header, limit);
        let end = run(job, None, sink, &mut |bytes| words.push(bytes))
            .await
            .map_err(|error| self.no_start(&error))?;
        let words = scrub(&words.text(), &self.root, &secrets);
        match end {
            End::Exited(code) => {
                tracing::trace!(command, ?code, "git ended");
                Ok(Answer {
                    code: code.unwrap_or(-1),
                    out: Vec::new(),
                    words,
                })
            }
            End::TimedOut | End::Cancelled => {
                let message = format!("no end after {} s; {words}", limit.as_secs());
                Err(if remote {
                    GitError::Unreachable { message }
                } else {
                    GitError::Failed {
                        command,
                        place: place.into(),
                        message,
                    }
                })
            }
        }
    }

    fn no_start(&self, error: &io::Error) -> GitError {
        if error.kind() == io::ErrorKind::NotFound && self.root.is_dir() {
            let message = "no `git` was found on PATH: install git, then start again".into();
            GitError::NoGit { message }
        } else {
            GitError::Io {
                what: "git could not be started".into(),
                message: error.to_string(),
            }
        }
    }

    fn limit(&self, call: &Call) -> Duration {
        if call.url.is_some() {
            self.options.network_limit
        } else {
            self.options.local_limit
        }
    }

    fn job(&self, call: Call, header: Option<String>, limit: Duration) -> Job {
        let mut env = passed(PASSED);
        let mut pairs = own_environment(&self.root);
        if call.as_user {
            match &self.options.home {
                Some(home) => pairs.push(("HOME", home.clone().into())),
                None => env.extend(passed(USERS_CONFIG)),
            }
            env.extend(passed(FOR_SIGNING));
        } else {
            pairs.push(("GIT_CONFIG_NOSYSTEM", "1".into()));
            pairs.push(("GIT_CONFIG_GLOBAL", "/dev/null".into()));
            // Some git versions complain without a home.
            pairs.push(("HOME", self.root.clone().into()));
        }
        env.extend(pairs.into_iter().map(|(name, value)| (name.into(), value)));
        env.extend(call.env);

        let mut settings: Vec<(String, String)> = SETTINGS
            .iter()
            .map(|(name, value)| ((*name).into(), (*value).into()))
            .collect();
        if self.options.local_remotes {
            settings.push(("protocol.file.allow".into(), "always".into()));
        }
        if let (Some(url), Some(header)) = (&call.url, header) {
            settings.push((format!("http.{url}.extraHeader"), header));
        }
        env.push(("GIT_CONFIG_COUNT".into(), settings.len().to_string().into()));
        for (index, (name, value)) in settings.into_iter().enumerate() {
            env.push((format!("GIT_CONFIG_KEY_{index}").into(), name.into()));
            env.push((format!("GIT_CONFIG_VALUE_{index}").into(), value.into()));
        }
        Job {
            program: self.options.git.clone().into(),
            args: call.args,
            env,
            folder: call.folder.unwrap_or_else(|| self.root.clone()),
            input: call.input,
            limit,
        }
    }

    /// The header that signs a call in: never over plain HTTP to another machine.
    fn header(&self, url: &str) -> Option<String> {
        let safe = url.starts_with("https://") || is_loopback_http(url);
        let token = if safe { (self.credentials)() } else { None }?;
        let basic =
            base64::engine::general_purpose::STANDARD.encode(format!("x-access-token:{token}"));
        Some(format!("Authorization: Basic {basic}"))
    }

    fn secrets(&self, call: &Call, header: Option<&str>) -> Vec<String> {
        let token = call.url.as_ref().and_then(|_| (self.credentials)());
        let basic = header
            .and_then(|header| header.rsplit(' ').next())
            .map(str::to_string);
        token
            .into_iter()
            .chain(basic)
            .filter(|secret| !secret.is_empty())
            .collect()
    }

    /// Takes this machine's paths out of a text.
    pub(crate) fn without_paths(&self, text: &str) -> String {
        scrub(text, &self.root, &[])
    }
}

/// Tells a full disk from anything else that fails.
pub(crate) fn failure(command: &str, place: &str, words: &str) -> GitError {
    let signs = ["No space left on device", "Disk quota exceeded"];
    // What the remote says of its own disk begins with its name.
    let mut own = words.lines().filter(|line| !line.starts_with("remote:"));
    if own.any(|line| signs.iter().any(|sign| line.contains(sign))) {
        let what = "the disk that holds the data folder is full: free some space, then try again";
        return GitError::Io {
            what: what.into(),
            message: words.into(),
        };
    }
    GitError::Failed {
        command: command.into(),
        place: place.into(),
        message: words.into(),
    }
}

fn own_environment(root: &Path) -> Vec<(&'static str, OsString)> {
    vec![
        ("LC_ALL", "C".into()),
        ("LANGUAGE", "".into()),
        ("GIT_TERMINAL_PROMPT", "0".into()),
        ("GIT_ASKPASS", "".into()),
        ("SSH_ASKPASS", "".into()),
        ("GIT_PAGER", "cat".into()),
        ("GIT_EDITOR", "false".into()),
        ("GIT_ATTR_NOSYSTEM", "1".into()),
        ("GIT_LITERAL_PATHSPECS", "1".into()),
        ("GIT_NO_REPLACE_OBJECTS", "1".into()),
        ("GIT_OPTIONAL_LOCKS", "0".into()),
        ("GIT_GRAFT_FILE", "/dev/null".into()),
        ("GIT_CEILING_DIRECTORIES", root.into()),
    ]
}

/// Those of these variables that this process has.
pub(crate) fn passed(names: &[&str]) -> Vec<(OsString, OsString)> {
    names
        .iter()
        .filter_map(|name| Some(((*name).into(), std::env::var_os(name)?)))
        .collect()
}

fn is_loopback_http(url: &str) -> bool {
    let Some(rest) = url.strip_prefix("http://") else {
        return false;
    };
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    if authority.contains('@') {
        return false;
    }
    let host = match authority.strip_prefix('[') {
        Some(six) => six.split(']').next().unwrap_or_default(),
        None => authority.split(':').next().unwrap_or_default(),
    };
    let loopback = host
        .parse::<std::net::IpAddr>()
        .is_ok_and(|address| address.is_loopback());
    loopback || host == "localhost"
}

fn version_in(text: &str) -> Option<(u32, u32)> {
    let mut parts = text.strip_prefix("git version ")?.split(['.', ' ']);
    Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
}

/// Takes secrets and this machine's paths out of a text that people or models will read.
fn scrub(text: &str, root: &Path, secrets: &[String]) -> String {
    let mut text = text.trim().to_string();
    for secret in secrets {
        text = text.replace(secret.as_str(), "[REDACTED]");
    }
    for folder in [
        Some(root.to_path_buf()),
        std::env::var_os("HOME").map(PathBuf::from),
    ]
    .into_iter()
    .flatten()
    {
        let folder = folder.to_string_lossy();
        if folder.len() > 1 {
            text = text.replace(folder.as_ref(), "~");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_from_what_git_says() {
        for (text, expect) in [
            ("git version 2.47.3", Some((2, 47))),
            ("git version 2.39.5 (Apple Git-154)", Some((2, 39))),
            ("git version 2.38.0.windows.1", Some((2, 38))),
            ("git version two", None),
            ("", None),
        ] {
            assert_eq!(version_in(text), expect, "{text}");
        }
    }

    #[test]
    fn a_token_goes_to_https_and_to_this_machine_only() {
        let caller = Caller::new(
            "/d".into(),
            std::sync::Arc::new(|| Some("t0ken".into())),
            Options::default(),
        );
        for (url, expect) in [
            ("https://github.com/a/b.git", true),
            ("http://127.0.0.1:4000/a/b.git", true),
            ("http://[::1]:4000/a/b.git", true),
            ("http://localhost/a", true),
            ("http://127.0.0.1.evil.example/a", false),
            ("http://127.0.0.1:x@evil.example/a", false),
            ("http://github.com/a/b.git", false),
            ("file:///srv/a.git", false),
        ] {
            assert_eq!(caller.header(url).is_some(), expect, "{url}");
        }
    }

    #[test]
    fn a_full_disk_is_said_so() {
        let words = "fatal: sha1 file '<stdout>' write error: No space left on device";
        assert!(
            failure("fetch", "the remote", words)
                .to_string()
                .contains("free some space")
        );
        let theirs = format!("remote: {words}");
        assert!(matches!(
            failure("push", "the remote", &theirs),
            GitError::Failed { .. }
        ));
    }

    #[test]
    fn secrets_and_paths_do_not_reach_messages() {
        let text = scrub(
            "cannot use s3cret in /data/git/clones/x\n",
            Path::new("/data/git"),
            &["s3cret".into()],
        );
        assert_eq!(text, "cannot use [REDACTED] in ~/clones/x");
    }
}
