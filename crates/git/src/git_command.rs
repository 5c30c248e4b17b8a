//! Calls of the `git` binary: the same hardened environment for each, and credentials for the host of the call alone.

use crate::credential::{Credential, RemoteOrigin};
use crate::credential_channel::{CredentialChannel, GitsEnd};
use crate::process::{InteractiveProcess, OutputTail, ProcessInput, ProcessSpec, run_to_end};
use crate::{Credentials, GitOptions};
use collie_core::text::{REDACTED, redact_keeping_lines};
use collie_engine::ports::GitError;
use collie_sandbox::ProcessOutcome;
use secrecy::zeroize::Zeroizing;
use secrecy::{ExposeSecret as _, SecretString};
use std::convert::Infallible;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::sync::OnceCell;
use tokio_util::sync::CancellationToken;

/// The oldest git that knows all that is used here.
const MIN_GIT_VERSION: (u32, u32) = (2, 38);
/// Output that is kept of one call; more is an error, so that memory stays bounded.
pub(crate) const MAX_STDOUT_BYTES: usize = 256 << 20;
/// Error output that is kept.
const MAX_STDERR_BYTES: usize = 4000;

/// Settings of every call. They win over every configuration file, and no such file but the clone's own is read.
const HARDENED_CONFIG: &[(&str, &str)] = &[
    ("core.hooksPath", "/dev/null"),
    ("core.fsmonitor", "false"),
    ("core.untrackedCache", "false"),
    ("core.splitIndex", "false"),
    ("core.sparseCheckout", "false"),
    ("core.attributesFile", "/dev/null"),
    ("core.excludesFile", "/dev/null"),
    ("core.autocrlf", "false"),
    ("core.safecrlf", "false"),
    ("core.quotePath", "false"),
    ("core.pager", "cat"),
    ("core.askPass", ""),
    ("core.sshCommand", "false"),
    ("core.bigFileThreshold", "32m"),
    ("core.fsync", "committed,reference"),
    ("credential.helper", ""),
    // Whoever is redirected would take the credential along to another host.
    ("http.followRedirects", "false"),
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

/// What a file system has. Windows knows no rights to start a file, makes links for few users, and ends paths early unless it is asked.
const FILE_SYSTEM_CONFIG: &[(&str, &str)] = if cfg!(windows) {
    &[
        ("core.symlinks", "false"),
        ("core.fileMode", "false"),
        ("core.longpaths", "true"),
    ]
} else {
    &[("core.symlinks", "true"), ("core.fileMode", "true")]
};

/// Variables that reach git: where programs, certificates and proxies are. No `GIT_*`, no token.
const GIT_ENV_ALLOWLIST: &[&str] = &[
    "PATH",
    "TMPDIR",
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
const USER_CONFIG_ENV: &[&str] = &[
    "HOME",
    "XDG_CONFIG_HOME",
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_SYSTEM",
    "GIT_CONFIG_NOSYSTEM",
];

/// Variables that a signing program needs.
const SIGNING_ENV: &[&str] = &[
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
pub(crate) struct GitCommand {
    args: Vec<OsString>,
    folder: Option<PathBuf>,
    env: Vec<(OsString, OsString)>,
    settings: Vec<(String, String)>,
    input: ProcessInput,
    remote_url: Option<String>,
    token: Option<SecretString>,
    location: &'static str,
    with_user_config: bool,
}

/// What a call gave.
pub(crate) struct GitOutput {
    pub(crate) exit_code: i32,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: String,
}

impl GitOutput {
    /// The output as one line of text.
    pub(crate) fn stdout_line(&self) -> String {
        String::from_utf8_lossy(&self.stdout).trim().to_string()
    }
}

impl GitCommand {
    /// Begins a call with its arguments.
    pub(crate) fn new<A: AsRef<OsStr>>(args: impl IntoIterator<Item = A>) -> Self {
        Self {
            args: args
                .into_iter()
                .map(|arg| arg.as_ref().to_owned())
                .collect(),
            folder: None,
            env: Vec::new(),
            settings: Vec::new(),
            input: ProcessInput::KillOnClose,
            remote_url: None,
            token: None,
            location: "the clone",
            with_user_config: false,
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
    pub(crate) fn in_folder(mut self, folder: &Path, location: &'static str) -> Self {
        self.folder = Some(folder.to_owned());
        self.location = location;
        self
    }

    /// Gives it something to read.
    pub(crate) fn input(mut self, bytes: Vec<u8>) -> Self {
        self.input = ProcessInput::Bytes(bytes);
        self
    }

    /// Gives it a file to read.
    pub(crate) fn input_file(mut self, path: &Path) -> Self {
        self.input = ProcessInput::FileKillOnClose(path.to_owned());
        self
    }

    /// Names a setting of this call.
    pub(crate) fn setting(mut self, name: &str, value: &str) -> Self {
        self.settings.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Talks to this remote: with credentials, and with the longer time limit.
    pub(crate) fn with_remote(mut self, url: &str) -> Self {
        self.remote_url = Some(url.to_string());
        self.location = "the remote";
        self
    }

    /// Signs in with this token instead of the account's that Collie acts as.
    pub(crate) fn signed_in_by(mut self, token: SecretString) -> Self {
        self.token = Some(token);
        self
    }

    /// Lets it see the user's home and configuration.
    pub(crate) fn with_user_config(mut self) -> Self {
        self.with_user_config = true;
        self
    }

    /// Its first word, for errors.
    fn subcommand(&self) -> String {
        self.args
            .first()
            .map(|arg| arg.to_string_lossy().into_owned())
            .unwrap_or_default()
    }
}

/// The binary, and what every call of it needs.
pub(crate) struct GitRunner {
    root: PathBuf,
    credentials: Credentials,
    options: GitOptions,
    version_checked: OnceCell<()>,
}

impl GitRunner {
    pub(crate) fn new(root: PathBuf, credentials: Credentials, options: GitOptions) -> Self {
        Self {
            root,
            credentials,
            options,
            version_checked: OnceCell::new(),
        }
    }

    pub(crate) fn options(&self) -> &GitOptions {
        &self.options
    }

    /// Starts a local call that is asked again and again.
    pub(crate) async fn start_interactive(
        &self,
        git_command: GitCommand,
    ) -> Result<InteractiveProcess, GitError> {
        self.version_checked
            .get_or_try_init(|| self.check_version())
            .await?;
        let spec = self.process_spec(git_command, None, self.options.local_timeout);
        InteractiveProcess::start(spec, MAX_STDERR_BYTES).map_err(|error| self.spawn_error(&error))
    }

    /// The secrets that this process knows at the moment, the token among them.
    pub(crate) fn known_secrets(&self) -> Zeroizing<Vec<String>> {
        let credentials = self.credentials.clone();
        let known = self.options.known_secrets.clone();
        let tokens = move || {
            let in_use = credentials.in_use().into_iter();
            in_use
                .map(|token| token.expose_secret().to_owned())
                .collect()
        };
        known.and(tokens).now()
    }

    /// Makes a call; an exit code other than zero is an error.
    pub(crate) async fn run(&self, git_command: GitCommand) -> Result<GitOutput, GitError> {
        self.run_expecting(git_command, &[0]).await
    }

    /// Makes a call that may end with one of these exit codes.
    pub(crate) async fn run_expecting(
        &self,
        git_command: GitCommand,
        expected_codes: &[i32],
    ) -> Result<GitOutput, GitError> {
        let (command, location) = (git_command.subcommand(), git_command.location);
        let output = self.run_unchecked(git_command).await?;
        if expected_codes.contains(&output.exit_code) {
            Ok(output)
        } else {
            Err(command_error(&command, location, &output.stderr))
        }
    }

    /// Makes a call, whatever its exit code.
    pub(crate) async fn run_unchecked(
        &self,
        git_command: GitCommand,
    ) -> Result<GitOutput, GitError> {
        let mut stdout = Vec::new();
        let mut truncated = false;
        let (command, location) = (git_command.subcommand(), git_command.location);
        let mut output = self
            .stream(git_command, &mut |bytes| {
                if stdout.len() + bytes.len() <= MAX_STDOUT_BYTES {
                    stdout.extend_from_slice(bytes);
                } else {
                    truncated = true;
                }
            })
            .await?;
        if truncated {
            let message = format!("more than {MAX_STDOUT_BYTES} bytes came back");
            return Err(GitError::Failed {
                command,
                location: location.into(),
                message,
            });
        }
        output.stdout = stdout;
        Ok(output)
    }

    /// Makes a call whose output goes to a sink as it comes, whatever its exit code.
    pub(crate) async fn stream(
        &self,
        git_command: GitCommand,
        sink: &mut (dyn FnMut(&[u8]) + Send),
    ) -> Result<GitOutput, GitError> {
        self.stream_until(git_command, sink, None).await
    }

    /// As [`GitRunner::stream`], until the token is cancelled: then it ends as if by a signal.
    pub(crate) async fn stream_until(
        &self,
        git_command: GitCommand,
        sink: &mut (dyn FnMut(&[u8]) + Send),
        enough: Option<&CancellationToken>,
    ) -> Result<GitOutput, GitError> {
        self.version_checked
            .get_or_try_init(|| self.check_version())
            .await?;
        self.execute(git_command, sink, enough).await
    }

    async fn check_version(&self) -> Result<(), GitError> {
        let found = self.version().await?;
        tracing::debug!(version = %found, "git found");
        Ok(())
    }

    /// The version of the binary, when it is new enough.
    pub(crate) async fn version(&self) -> Result<String, GitError> {
        let mut stdout = Vec::new();
        // Without a tether, so that a missing binary is told from one that fails.
        let git_command = GitCommand::new(["--version"]).input(Vec::new());
        let output = self
            .execute(
                git_command,
                &mut |bytes| stdout.extend_from_slice(bytes),
                None,
            )
            .await?;
        let text = String::from_utf8_lossy(&stdout).trim().to_string();
        match parse_version(&text) {
            Some(version) if version >= MIN_GIT_VERSION => {
                Ok(text.trim_start_matches("git version ").to_string())
            }
            Some(_) => Err(GitError::GitUnavailable {
                message: format!("found `{text}`: install a newer git"),
            }),
            None => {
                let message = format!(
                    "`git --version` answered `{text}{}`: reinstall git",
                    output.stderr
                );
                Err(GitError::GitUnavailable { message })
            }
        }
    }

    async fn execute(
        &self,
        git_command: GitCommand,
        sink: &mut (dyn FnMut(&[u8]) + Send),
        enough: Option<&CancellationToken>,
    ) -> Result<GitOutput, GitError> {
        let sign_in = match git_command.remote_url.as_deref() {
            Some(url) => self.sign_in(url, git_command.token.clone()).await,
            None => None,
        };
        let secrets = sign_in.as_ref().map(Credential::forms);
        let (command, location) = (git_command.subcommand(), git_command.location);
        let limit = self.timeout(&git_command);
        let remote = git_command.remote_url.is_some();
        let mut stderr = OutputTail::new(MAX_STDERR_BYTES);
        let channel = sign_in.map(|credential| self.open_channel(credential));
        let (channel, sign_in) = match channel.transpose()? {
            Some((channel, sign_in)) => (Some(channel), Some(sign_in)),
            None => (None, None),
        };
        let spec = self.process_spec(git_command, sign_in, limit);
        let mut keep_stderr = |bytes: &[u8]| stderr.push(bytes);
        let outcome = tokio::select! {
            outcome = run_to_end(spec, enough, sink, &mut keep_stderr) => outcome,
            never = serve(channel) => match never {},
        };
        let outcome = outcome.map_err(|error| self.spawn_error(&error))?;
        let secrets: Vec<&str> = secrets
            .iter()
            .flatten()
            .map(|s| s.expose_secret())
            .collect();
        let words = redact(&stderr.into_text(), &self.root, &secrets);
        let ended = |code: Option<i32>| GitOutput {
            exit_code: code.unwrap_or(-1),
            stdout: Vec::new(),
            stderr: words.clone(),
        };
        match outcome {
            ProcessOutcome::Exited(code) => {
                tracing::trace!(command, ?code, "git ended");
                Ok(ended(code))
            }
            ProcessOutcome::Cancelled => Ok(ended(None)),
            ProcessOutcome::TimedOut => {
                let message = format!("no end after {} s; {words}", limit.as_secs());
                Err(if remote {
                    GitError::Unreachable { message }
                } else {
                    GitError::Failed {
                        command,
                        location: location.into(),
                        message,
                    }
                })
            }
        }
    }

    fn spawn_error(&self, error: &io::Error) -> GitError {
        if error.kind() == io::ErrorKind::NotFound && self.root.is_dir() {
            let message = "no `git` was found on PATH: install git, then start again".into();
            GitError::GitUnavailable { message }
        } else {
            GitError::Io {
                what: "git could not be started".into(),
                message: error.to_string(),
            }
        }
    }

    fn timeout(&self, git_command: &GitCommand) -> Duration {
        if git_command.remote_url.is_some() {
            self.options.network_timeout
        } else {
            self.options.local_timeout
        }
    }

    fn process_spec(
        &self,
        git_command: GitCommand,
        sign_in: Option<SignIn>,
        limit: Duration,
    ) -> ProcessSpec {
        let mut env = inherited_env(GIT_ENV_ALLOWLIST);
        env.extend(inherited_env(collie_platform::SYSTEM_VARIABLES));
        let mut pairs = base_env(&self.root);
        if git_command.with_user_config {
            match &self.options.user_home {
                Some(home) => pairs.push(("HOME", home.clone().into())),
                None => env.extend(inherited_env(USER_CONFIG_ENV)),
            }
            env.extend(inherited_env(SIGNING_ENV));
        } else {
            pairs.push(("GIT_CONFIG_NOSYSTEM", "1".into()));
            pairs.push(("GIT_CONFIG_GLOBAL", "/dev/null".into()));
            // Some git versions complain without a home.
            pairs.push(("HOME", self.root.clone().into()));
        }
        env.extend(pairs.into_iter().map(|(name, value)| (name.into(), value)));
        env.extend(git_command.env);

        let every_call = HARDENED_CONFIG.iter().chain(FILE_SYSTEM_CONFIG);
        let mut settings: Vec<(String, String)> = every_call
            .map(|(name, value)| ((*name).into(), (*value).into()))
            .collect();
        if self.options.allow_file_remotes {
            settings.push(("protocol.file.allow".into(), "always".into()));
        }
        settings.extend(git_command.settings);
        let credential = sign_in.map(|sign_in| {
            settings.extend(sign_in.settings);
            sign_in.gits_end
        });
        env.push(("GIT_CONFIG_COUNT".into(), settings.len().to_string().into()));
        for (index, (name, value)) in settings.into_iter().enumerate() {
            env.push((format!("GIT_CONFIG_KEY_{index}").into(), name.into()));
            env.push((format!("GIT_CONFIG_VALUE_{index}").into(), value.into()));
        }
        ProcessSpec {
            program: self.options.binary.clone().into(),
            args: git_command.args,
            env,
            folder: git_command.folder.unwrap_or_else(|| self.root.clone()),
            stdin: git_command.input,
            timeout: limit,
            credential,
        }
    }

    /// Opens what a call is told its credential over.
    fn open_channel(
        &self,
        credential: Credential,
    ) -> Result<((CredentialChannel, Credential), SignIn), GitError> {
        let opened = CredentialChannel::open(&self.options.credential_helper);
        let (channel, gits_end) = opened.map_err(|error| self.spawn_error(&error))?;
        let settings = credential.origin().settings(gits_end.helper());
        Ok(((channel, credential), SignIn { settings, gits_end }))
    }

    /// What signs a call in: never over plain HTTP to another machine.
    async fn sign_in(&self, url: &str, own: Option<SecretString>) -> Option<Credential> {
        let origin = RemoteOrigin::of(url)?;
        if origin.protocol != "https" && !origin.is_loopback_http() {
            return None;
        }
        let token = match own {
            Some(own) => own,
            None => self.credentials.for_remote(url).await?,
        };
        Some(Credential::new(origin, token))
    }

    /// Takes secrets and this machine's paths out of a text.
    pub(crate) fn redact_paths(&self, text: &str) -> String {
        let secrets = self.known_secrets();
        let secrets: Vec<&str> = secrets.iter().map(String::as_str).collect();
        redact(text, &self.root, &secrets)
    }
}

/// What git is given to sign in with.
struct SignIn {
    settings: [(String, String); 2],
    gits_end: GitsEnd,
}

/// Answers git for as long as the call goes on.
async fn serve(channel: Option<(CredentialChannel, Credential)>) -> Infallible {
    match channel {
        Some((channel, credential)) => channel.serve(credential).await,
        None => std::future::pending().await,
    }
}

/// Tells a full disk from anything else that fails.
pub(crate) fn command_error(command: &str, location: &str, stderr: &str) -> GitError {
    let disk_full_signs = ["No space left on device", "Disk quota exceeded"];
    // What the remote says of its own disk begins with its name.
    let mut own_lines = stderr.lines().filter(|line| !line.starts_with("remote:"));
    if own_lines.any(|line| disk_full_signs.iter().any(|sign| line.contains(sign))) {
        tracing::warn!(command, stderr, "the disk is full");
        return GitError::DiskFull;
    }
    GitError::Failed {
        command: command.into(),
        location: location.into(),
        message: stderr.into(),
    }
}

fn base_env(root: &Path) -> Vec<(&'static str, OsString)> {
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
        // What a partial clone lacks is asked for in one batch, by a call that signs in; never one by one by whatever misses it.
        ("GIT_NO_LAZY_FETCH", "1".into()),
        ("GIT_OPTIONAL_LOCKS", "0".into()),
        ("GIT_GRAFT_FILE", "/dev/null".into()),
        ("GIT_CEILING_DIRECTORIES", root.into()),
    ]
}

/// Those of these variables that this process has.
pub(crate) fn inherited_env(names: &[&str]) -> Vec<(OsString, OsString)> {
    names
        .iter()
        .filter_map(|name| Some(((*name).into(), std::env::var_os(name)?)))
        .collect()
}

fn parse_version(text: &str) -> Option<(u32, u32)> {
    let mut parts = text.strip_prefix("git version ")?.split(['.', ' ']);
    Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
}

/// Takes secrets and this machine's paths out of a text that people or models will read.
fn redact(text: &str, root: &Path, secrets: &[&str]) -> String {
    let mut text = text.trim().to_string();
    for secret in secrets.iter().filter(|secret| !secret.is_empty()) {
        text = text.replace(secret, REDACTED);
    }
    text = redact_keeping_lines(&text, &[]);
    for folder in [
        Some(root.to_path_buf()),
        std::env::var_os(collie_platform::HOME_VARIABLE).map(PathBuf::from),
    ]
    .into_iter()
    .flatten()
    {
        let folder = folder.to_string_lossy();
        if folder.len() > 1 {
            text = text.replace(folder.as_ref(), "~");
            if cfg!(windows) {
                text = text.replace(&folder.replace('\\', "/"), "~");
            }
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
            assert_eq!(parse_version(text), expect, "{text}");
        }
    }

    #[tokio::test]
    async fn a_token_goes_to_https_and_to_this_machine_only() {
        let caller = GitRunner::new(
            "/d".into(),
            std::sync::Arc::new(|| Some("t0ken".into())),
            GitOptions::default(),
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
            let sign_in = caller.sign_in(url, None).await;
            assert_eq!(sign_in.is_some(), expect, "{url}");
        }
    }

    #[test]
    fn a_full_disk_is_said_so() {
        let words = "fatal: sha1 file '<stdout>' write error: No space left on device";
        assert!(
            command_error("fetch", "the remote", words)
                .to_string()
                .contains("free some space")
        );
        let theirs = format!("remote: {words}");
        assert!(matches!(
            command_error("push", "the remote", &theirs),
            GitError::Failed { .. }
        ));
    }

    #[test]
    fn secrets_and_paths_do_not_reach_messages() {
        let text = redact(
            "cannot use s3cret in /data/git/clones/x\n",
            Path::new("/data/git"),
            &["s3cret"],
        );
        assert_eq!(text, "cannot use [REDACTED] in ~/clones/x");
    }
}
