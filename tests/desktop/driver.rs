//! WebKit's own WebDriver around the app: started, asked for a session, ended with everything that it began.
//!
//! The driver picks a port for the app as it starts it, and never hears of it where another program took that port meanwhile; one that
//! begins no session for such a reason of its own is started anew. What the app itself does wrong is never tried again.

use crate::display::display;
use fantoccini::{Client, ClientBuilder};
use serde_json::{Value, json};
use std::fs::File;
use std::io::ErrorKind;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

/// Opens a keychain with a password, then goes on.
const KEYCHAIN: &str =
    "printf secret | gnome-keyring-daemon --unlock --components=secrets >/dev/null && ";

/// Leaves the address of the bus in a file, then runs what is told.
const RUN: &str = r#"printf %s "$DBUS_SESSION_BUS_ADDRESS" >"$BUS.new" && mv "$BUS.new" "$BUS" && exec "$0" "$@""#;

/// Runs what is told as if there were no bus.
const NO_BUS: &str = r#"unset DBUS_SESSION_BUS_ADDRESS && exec "$0" "$@""#;

/// Notes that the app begins, then is the app.
const BEGIN_APP: &str = "#!/bin/sh\necho begun >>\"$BEGUN\" && exec \"$APP\" \"$@\"\n";

/// How long a driver may take to begin a session with an app that can be used.
const SESSION_TIMEOUT: Duration = Duration::from_secs(40);

/// How long the app may take until it can be used, and a driver until it starts it.
const APP_TIMEOUT: Duration = Duration::from_secs(100);

const LOOK_INTERVAL: Duration = Duration::from_millis(100);

/// How long a window may be open. A request that is never answered would hold its test for ever.
const MAX_OPEN: Duration = Duration::from_secs(240);

/// What the app and its driver are started with.
#[derive(Clone, Debug)]
pub struct LaunchOptions {
    /// Environment beside the data folder.
    pub env: Vec<(&'static str, String)>,
    /// Arguments.
    pub args: Vec<String>,
    /// With a keychain that is unlocked.
    pub keychain: bool,
    /// With a panel that shows notifications and a tray.
    pub panel: bool,
    /// Without a message bus.
    pub no_bus: bool,
    /// The driver.
    pub driver: PathBuf,
    /// The app.
    pub app: PathBuf,
}

impl Default for LaunchOptions {
    fn default() -> Self {
        Self {
            env: Vec::new(),
            args: Vec::new(),
            keychain: false,
            panel: false,
            no_bus: false,
            driver: "WebKitWebDriver".into(),
            app: env!("CARGO_BIN_EXE_collie-desktop").into(),
        }
    }
}

/// Why there is no session.
#[derive(Debug)]
pub enum NoSession {
    /// The driver's own fault: it may be tried anew.
    Driver(String),
    /// The app ended, or cannot be used.
    App(String),
}

/// A driver that runs; ended when dropped, with the bus and an app that is left.
pub struct Driver {
    child: Child,
    // Its end tells the thread that waits for it that the window is closed.
    _open: Sender<()>,
    port: u16,
    runtime: PathBuf,
    home: PathBuf,
    app: PathBuf,
    args: Vec<String>,
    /// Windows that could be used before this one, by the diagnostics.
    used_before: usize,
}

impl Driver {
    /// Starts one for an app on a data folder. The file with the address of its bus is [`Self::bus`].
    pub fn start(home: &Path, start: &LaunchOptions) -> Self {
        let port = free_port();
        let runtime = home.with_extension("runtime");
        std::fs::create_dir_all(&runtime).unwrap();
        set_mode(&runtime, 0o700);
        let begin = runtime.join("begin-app");
        std::fs::write(&begin, BEGIN_APP).unwrap();
        set_mode(&begin, 0o700);
        for left in ["bus-address", "begun"] {
            if let Err(error) = std::fs::remove_file(runtime.join(left)) {
                assert_eq!(error.kind(), ErrorKind::NotFound, "{error}");
            }
        }
        let keychain = if start.keychain { KEYCHAIN } else { "" };
        let run = if start.no_bus { NO_BUS } else { RUN };
        // What the app says on standard error is in it too.
        let said = File::create(runtime.join("said")).unwrap();
        let child = Command::new("dbus-run-session")
            .args(["--", "sh", "-c", &format!("{keychain}{run}")])
            .arg(&start.driver)
            .args([&format!("--port={port}"), "--host=127.0.0.1"])
            .env("DISPLAY", &display().name)
            .env_remove("WAYLAND_DISPLAY")
            .env("XDG_RUNTIME_DIR", &runtime)
            .env("XDG_CONFIG_HOME", runtime.join("config"))
            .env("XDG_DATA_HOME", runtime.join("data"))
            .env("XDG_CACHE_HOME", runtime.join("cache"))
            .env("HOME", &runtime)
            .env("BUS", runtime.join("bus-address"))
            .env("BEGUN", runtime.join("begun"))
            .env("APP", &start.app)
            .env("COLLIE_HOME", home)
            .env("LANG", "C.UTF-8")
            .env("TAURI_AUTOMATION", "true")
            .env("TAURI_WEBVIEW_AUTOMATION", "true")
            .env_remove("GITHUB_TOKEN")
            .env_remove("GITHUB_API_URL")
            .envs(start.env.iter().cloned())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(said)
            .process_group(0)
            .spawn()
            .expect("dbus-run-session can be started: npm test installs it");
        Self {
            _open: end_when_overdue(child.id()),
            child,
            port,
            runtime,
            home: home.to_owned(),
            app: start.app.clone(),
            args: start.args.clone(),
            used_before: usable_windows(home),
        }
    }

    /// The file with the address of its bus, once there is one.
    pub fn bus(&self) -> PathBuf {
        self.runtime.join("bus-address")
    }

    /// Has it open the app.
    ///
    /// # Errors
    /// Whose fault it is that there is no session.
    pub async fn connect(&mut self) -> Result<Client, NoSession> {
        let since = Instant::now();
        loop {
            let asked = ask_for_session(self.runtime.clone(), self.args.clone(), self.port);
            tokio::pin!(asked);
            // One that is given up has the driver end the app, so it is waited for while nobody is at fault.
            let last = loop {
                tokio::select! {
                    answer = &mut asked => match answer {
                        Ok(client) => return Ok(client),
                        Err(error) => break error,
                    },
                    () = tokio::time::sleep(LOOK_INTERVAL * 10) => {}
                }
                if let Some(fault) = self.fault(since.elapsed(), "none yet") {
                    return Err(fault);
                }
            };
            if let Some(fault) = self.fault(since.elapsed(), &last) {
                return Err(fault);
            }
            tokio::time::sleep(LOOK_INTERVAL).await;
        }
    }

    /// Whose fault it is that there is no session yet; none while it may still come.
    fn fault(&mut self, waited: Duration, last: &str) -> Option<NoSession> {
        let ended = self.child.try_wait();
        let said = self.said();
        let told = |what: &str| format!("{what}; last answer: {last}; it said: {said}");
        let begun = self.runtime.join("begun").exists();
        // A process that becomes another program has no command line for a moment.
        if begun && !self.app_runs() && !self.app_runs_after(LOOK_INTERVAL) {
            return Some(NoSession::App(told("the app has ended")));
        }
        if let Ok(Some(status)) = ended {
            return Some(NoSession::Driver(told(&format!("it has ended, {status}"))));
        }
        let usable = usable_windows(&self.home) > self.used_before;
        let seconds = waited.as_secs();
        if begun && usable && waited > SESSION_TIMEOUT {
            let what = format!("the app can be used, and it hears nothing of it in {seconds} s");
            return Some(NoSession::Driver(told(&what)));
        }
        if waited <= APP_TIMEOUT {
            return None;
        }
        Some(match begun {
            true => NoSession::App(told(&format!(
                "the window cannot be used after {seconds} s"
            ))),
            false => NoSession::Driver(told(&format!("no app was started in {seconds} s"))),
        })
    }

    fn app_runs_after(&self, pause: Duration) -> bool {
        std::thread::sleep(pause);
        self.app_runs()
    }

    /// Whether the app, or the script that becomes it, is one of its processes. Where a program lies is not told of one that keeps its memory to
    /// itself; how it was called is.
    fn app_runs(&self) -> bool {
        let begin = self.runtime.join("begin-app");
        let programs = [&self.app, &begin].map(|path| path.as_os_str().as_encoded_bytes());
        let is_app = |pid: &str| {
            let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
            let mut words = line.split(|byte| *byte == 0);
            words.any(|word| programs.contains(&word)) && group_of(pid) == Some(self.child.id())
        };
        let processes = std::fs::read_dir("/proc").unwrap().flatten();
        processes
            .filter_map(|entry| entry.file_name().into_string().ok())
            .filter(|name| name.bytes().all(|byte| byte.is_ascii_digit()))
            .any(|pid| is_app(&pid))
    }

    /// What driver and app said on standard error.
    fn said(&self) -> String {
        std::fs::read_to_string(self.runtime.join("said")).unwrap_or_default()
    }

    /// Ends it with everything it began.
    fn end(&mut self) {
        let group = format!("-{}", self.child.id());
        // Each of these may find that all have ended already.
        let _ = Command::new("kill").args(["-TERM", "--", &group]).status();
        let deadline = Instant::now() + Duration::from_secs(3);
        while matches!(self.child.try_wait(), Ok(None)) && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(20));
        }
        let _ = Command::new("kill")
            .args(["-KILL", "--", &group])
            .stderr(Stdio::null())
            .status();
        let _ = self.child.wait();
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        self.end();
    }
}

/// Has a driver open the app.
async fn ask_for_session(runtime: PathBuf, args: Vec<String>, port: u16) -> Result<Client, String> {
    let capabilities = json!({
        "webkitgtk:browserOptions": { "binary": runtime.join("begin-app"), "args": args },
    });
    let Value::Object(capabilities) = capabilities else {
        unreachable!("it was written as an object");
    };
    let connector = hyper_util::client::legacy::connect::HttpConnector::new();
    let session = ClientBuilder::new(connector)
        .capabilities(capabilities)
        .connect(&format!("http://127.0.0.1:{port}"))
        .await;
    session.map_err(|error| format!("{error:#}"))
}

/// The group of a process that runs; none of one that has ended.
fn group_of(pid: &str) -> Option<u32> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // State, parent, group; the name before them may hold anything: https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html
    let (_, rest) = stat.rsplit_once(')')?;
    let mut fields = rest.split_whitespace();
    let state = fields.next()?;
    (state != "Z").then(|| fields.nth(1)?.parse().ok())?
}

/// How many windows of a data folder could be used, by its diagnostics.
fn usable_windows(home: &Path) -> usize {
    let files = std::fs::read_dir(home.join("logs")).into_iter().flatten();
    let texts = files.flatten().map(|file| std::fs::read(file.path()));
    let count = |text: Vec<u8>| {
        let text = String::from_utf8_lossy(&text);
        text.matches("the window can be used").count()
    };
    texts.flatten().map(count).sum()
}

fn set_mode(path: &Path, mode: u32) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().port()
}

/// Ends a driver's programs when its window is open for too long, and says what they were at. Whoever waits for an answer then gets an error.
fn end_when_overdue(group: u32) -> Sender<()> {
    let (open, closed) = channel();
    std::thread::spawn(move || {
        if closed.recv_timeout(MAX_OPEN) == Err(RecvTimeoutError::Timeout) {
            let seconds = MAX_OPEN.as_secs();
            eprintln!("a window is open for {seconds} s: its programs are ended");
            let _ = Command::new("ps")
                .args([
                    "-L",
                    "-o",
                    "pid,tid,ppid,stat,wchan:32,etimes,args",
                    "-g",
                    &group.to_string(),
                ])
                .status();
            let _ = Command::new("kill")
                .args(["-KILL", "--", &format!("-{group}")])
                .status();
        }
    });
    open
}
