//! A data folder and the command, each as its users have them.

pub use crate::forge_access::*;
pub use collie_testkit::wait::{WAIT_TIMEOUT, wait_until_blocking};
use serde_json::Value;
use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _};
use std::os::unix::process::ExitStatusExt as _;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::sync::{Arc, LazyLock, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use tokio::runtime::Runtime;

/// The account that Collie plays.
pub const COLLIE_LOGIN: &str = "demo";

/// What is awaited runs here.
pub static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| Runtime::new().unwrap());

/// The command with nothing of this machine's settings around it.
pub fn collie_command() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_collie"));
    command.env_clear().stdin(Stdio::null());
    let kept = ["PATH", "TMPDIR", "PYENV_ROOT", "SYSTEMROOT"];
    command.envs(
        kept.iter()
            .filter_map(|name| Some((name, std::env::var_os(name)?))),
    );
    command.env("LANG", "en_US.UTF-8");
    command
}

/// What a command printed and how it ended.
#[derive(Debug)]
#[must_use = "whether a command did what it was run for"]
pub struct CommandResult {
    pub status: i32,
    pub stdout: String,
    pub stderr: String,
}

impl CommandResult {
    fn new(output: &Output) -> Self {
        Self {
            status: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8(output.stdout.clone()).unwrap(),
            stderr: String::from_utf8(output.stderr.clone()).unwrap(),
        }
    }

    /// Its lines, each of which has to be a JSON object.
    pub fn json(&self) -> Vec<Value> {
        json_lines(&self.stdout)
    }
}

/// Lines of text, each of which has to be a JSON object.
pub fn json_lines(text: &str) -> Vec<Value> {
    let read = |line: &str| -> Value {
        let value: Value = serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}"));
        assert!(value.is_object(), "{line}");
        value
    };
    text.lines().map(read).collect()
}

/// Runs a command to its end.
pub fn run_to_end(command: &mut Command) -> CommandResult {
    CommandResult::new(&command.output().unwrap())
}

/// A command that runs; killed when dropped.
pub struct RunningCommand {
    child: Child,
    lines: Receiver<String>,
    /// The lines read so far.
    pub seen: Vec<String>,
}

impl RunningCommand {
    /// Starts a command whose standard output is read line by line.
    pub fn start(command: &mut Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let out = BufReader::new(child.stdout.take().unwrap());
        let (send, lines) = mpsc::channel();
        std::thread::spawn(move || {
            for line in out.lines().map_while(Result::ok) {
                if send.send(line).is_err() {
                    return;
                }
            }
        });
        Self {
            child,
            lines,
            seen: Vec::new(),
        }
    }

    /// Its process id.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// The next line, if it comes before `end`; none once it has ended as well.
    pub fn next_line(&mut self, end: Instant) -> Option<String> {
        let left = end.saturating_duration_since(Instant::now());
        match self.lines.recv_timeout(left) {
            Ok(line) => {
                self.seen.push(line.clone());
                Some(line)
            }
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => None,
        }
    }

    /// Reads on until a line fits.
    pub fn read_until(&mut self, what: &str, fits: impl Fn(&Value) -> bool) -> Value {
        let end = Instant::now() + WAIT_TIMEOUT;
        while let Some(line) = self.next_line(end) {
            let value: Value = serde_json::from_str(&line).unwrap();
            if fits(&value) {
                return value;
            }
        }
        panic!("{what} did not come; seen:\n{}", self.seen.join("\n"));
    }

    /// Waits for its first line, whatever that is.
    pub fn wait_for_first_line(&mut self) {
        let line = self.next_line(Instant::now() + WAIT_TIMEOUT);
        assert!(line.is_some(), "it said nothing");
    }

    /// Sends it a signal.
    pub fn signal(&self, signal: nix::sys::signal::Signal) {
        let id = i32::try_from(self.id()).unwrap();
        nix::sys::signal::kill(nix::unistd::Pid::from_raw(id), signal).unwrap();
    }

    /// Kills it as `kill -9` does; whether it was still there to be killed, and ended by that.
    pub fn kill(&mut self) -> bool {
        let there = self.child.try_wait().unwrap().is_none();
        self.child.kill().unwrap();
        let status = self.child.wait().unwrap();
        there && status.signal() == Some(nix::sys::signal::Signal::SIGKILL as i32)
    }

    /// Waits for its end.
    pub fn wait_for_exit(&mut self) -> ExitStatus {
        let status = wait_until_blocking("the end of a command", || self.child.try_wait().unwrap());
        while self
            .next_line(Instant::now() + Duration::from_secs(5))
            .is_some()
        {}
        status
    }
}

impl Drop for RunningCommand {
    fn drop(&mut self) {
        // One that has ended already is no error.
        let ended = self.child.kill().and_then(|()| self.child.wait());
        if !std::thread::panicking() {
            ended.unwrap();
        }
    }
}

/// A command that runs on a terminal; killed when dropped.
pub struct TerminalCommand {
    child: Child,
    sent: Arc<Mutex<Vec<u8>>>,
    reader: Option<JoinHandle<()>>,
}

impl TerminalCommand {
    /// Starts a command on a terminal of its own, 40 lines by 200 columns.
    pub fn start(mut command: Command) -> Self {
        let size = nix::pty::Winsize {
            ws_row: 40,
            ws_col: 200,
            ws_xpixel: 0,
            ws_ypixel: 0,
        };
        let terminal = nix::pty::openpty(&size, None).unwrap();
        let end = || Stdio::from(terminal.slave.try_clone().unwrap());
        command.env("TERM", "xterm-256color");
        command.stdin(end()).stdout(end()).stderr(end());
        let child = command.spawn().unwrap();
        // What is read ends when nobody holds the other end any more.
        drop((command, terminal.slave));
        let sent = Arc::new(Mutex::new(Vec::new()));
        let mut screen = File::from(terminal.master);
        let reader = std::thread::spawn({
            let sent = sent.clone();
            move || {
                let mut chunk = [0; 4096];
                // Linux says that the other end is closed with an error.
                while let Ok(length @ 1..) = screen.read(&mut chunk) {
                    sent.lock().unwrap().extend_from_slice(&chunk[..length]);
                }
            }
        });
        Self {
            child,
            sent,
            reader: Some(reader),
        }
    }

    /// What the terminal was sent so far.
    pub fn sent(&self) -> String {
        String::from_utf8_lossy(&self.sent.lock().unwrap()).into_owned()
    }

    /// Waits until the terminal was sent a text.
    pub fn wait_until_shown(&self, text: &str) {
        wait_until_blocking(text, || {
            let sent = self.sent();
            if sent.contains(text) {
                Ok(())
            } else {
                Err(format!("{sent:?}"))
            }
        });
    }

    /// Asks it to end; all that the terminal was sent.
    pub fn interrupt(self) -> String {
        let id = i32::try_from(self.child.id()).unwrap();
        let id = nix::unistd::Pid::from_raw(id);
        nix::sys::signal::kill(id, nix::sys::signal::Signal::SIGINT).unwrap();
        self.finish()
    }

    /// Waits for its end; all that the terminal was sent.
    pub fn finish(mut self) -> String {
        wait_until_blocking("the end of a command", || self.child.try_wait().unwrap());
        self.reader.take().unwrap().join().unwrap();
        self.sent()
    }
}

impl Drop for TerminalCommand {
    fn drop(&mut self) {
        let ended = self.child.kill().and_then(|()| self.child.wait());
        if !std::thread::panicking() {
            ended.unwrap();
        }
    }
}

/// A data folder that knows the forge.
pub struct TestHome {
    folder: tempfile::TempDir,
    token: String,
    variables: Vec<(String, String)>,
}

impl TestHome {
    /// One whose loops go fast.
    pub fn new(forge: &ForgeAccess) -> Self {
        Self::with_config(&format!(
            "github_api_url = \"{}\"\nallowed_users = [\"{COLLIE_LOGIN}\"]\nautonomy = \"push\"\npoll_interval = \"300ms\"\n\
             ready_poll_interval = \"1s\"\ncollect_failures_for = \"20s\"\nno_checks_grace = \"1s\"\n",
            forge.api_url()
        ))
    }

    /// One with this `config.toml`.
    pub fn with_config(config: &str) -> Self {
        let home = Self {
            folder: tempfile::tempdir().unwrap(),
            token: format!("forge-{COLLIE_LOGIN}"),
            variables: Vec::new(),
        };
        std::fs::create_dir(home.path()).unwrap();
        home.configure(config);
        home
    }

    /// Writes `config.toml` anew.
    pub fn configure(&self, config: &str) {
        std::fs::write(self.path().join("config.toml"), config).unwrap();
    }

    /// Adds lines to `config.toml`.
    pub fn with_config_lines(self, lines: &str) -> Self {
        let before = std::fs::read_to_string(self.path().join("config.toml")).unwrap();
        self.configure(&format!("{before}{lines}\n"));
        self
    }

    /// Gives every command these variables as well.
    pub fn with_variables(mut self, variables: &[(String, String)]) -> Self {
        self.variables = variables.to_vec();
        self
    }

    /// Signs somebody else in.
    pub fn signed_in_as(mut self, token: &str) -> Self {
        self.token = token.to_owned();
        self
    }

    /// The data folder.
    pub fn path(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    /// The command on this data folder.
    pub fn collie(&self, args: &[&str]) -> Command {
        let mut command = collie_command();
        command
            .args(args)
            .env("COLLIE_HOME", self.path())
            .env("HOME", self.folder.path())
            .env("GITHUB_TOKEN", &self.token)
            .envs(self.variables.iter().cloned());
        command
    }

    /// Runs it to its end.
    pub fn run(&self, args: &[&str]) -> CommandResult {
        run_to_end(&mut self.collie(args))
    }

    /// Starts it; what it says on standard error is not shown.
    pub fn start(&self, args: &[&str]) -> RunningCommand {
        RunningCommand::start(self.collie(args).stderr(Stdio::null()))
    }

    /// The loop of a pull request, as `status --json` shows it.
    pub fn status(&self, pull: &str) -> Value {
        let ended = self.run(&["status", pull, "--json"]);
        assert_eq!(ended.status, 0, "{ended:?}");
        ended.json().remove(0)
    }

    /// The facts in the audit log, in the order they were first told. A kill may have one told again.
    pub fn audit(&self) -> Vec<Value> {
        let folder = std::fs::read_dir(self.path().join("audit")).unwrap();
        let mut files: Vec<_> = folder.map(|file| file.unwrap().path()).collect();
        files.retain(|file| file.extension().is_some_and(|end| end == "jsonl"));
        files.sort();
        let mut facts = Vec::new();
        for file in files {
            for mut line in json_lines(&std::fs::read_to_string(file).unwrap()) {
                for own in ["timestamp", "prev", "hash"] {
                    line.as_object_mut().unwrap().remove(own).unwrap();
                }
                if !facts.contains(&line) {
                    facts.push(line);
                }
            }
        }
        facts
    }
}

/// A check that lasts until the gate is opened.
pub struct CheckGate(tempfile::TempDir);

impl CheckGate {
    /// A closed one.
    pub fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    /// A `.forge.toml` with that check. It outlives no test, not even one that kills its forge.
    pub fn forge_toml(&self) -> String {
        let folder = self.0.path().display();
        let closed = format!("[ -d {folder} ] && ! [ -e {folder}/open ]");
        format!("[[check]]\nname = \"gate\"\nrun = \"while {closed}; do sleep 0.1; done\"\n")
    }

    /// Lets the check pass.
    pub fn open(&self) {
        std::fs::write(self.0.path().join("open"), "").unwrap();
    }
}
