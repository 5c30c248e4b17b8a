//! The real app in a real window, driven through WebKit's own WebDriver.

use crate::desktop_panel::DesktopPanel;
use crate::display::display;
use collie_testkit::wait::Wait;
use fantoccini::elements::Element;
use fantoccini::key::Key;
use fantoccini::{Client, ClientBuilder, Locator};
use serde_json::{Value, json};
use std::io::ErrorKind;
use std::net::TcpListener;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

/// How something is waited for that is about to show.
pub const WAIT: Wait = Wait {
    timeout: Duration::from_secs(100),
    interval: Duration::from_millis(100),
};

/// Opens a keychain with a password, then goes on.
const KEYCHAIN: &str =
    "printf secret | gnome-keyring-daemon --unlock --components=secrets >/dev/null && ";

/// Leaves the address of the bus in a file, then runs what is told.
const RUN: &str = r#"printf %s "$DBUS_SESSION_BUS_ADDRESS" >"$BUS.new" && mv "$BUS.new" "$BUS" && exec "$0" "$@""#;

/// Runs what is told as if there were no bus.
const NO_BUS: &str = r#"unset DBUS_SESSION_BUS_ADDRESS && exec "$0" "$@""#;

/// How long a window may be open. A request that is never answered would hold its test for ever.
const MAX_OPEN: Duration = Duration::from_secs(240);

/// A window that is open.
pub struct AppWindow {
    pub client: Client,
    driver: Child,
    // Its end tells the thread that waits for it that the window is closed.
    _open: Sender<()>,
    home: PathBuf,
    panel: Option<DesktopPanel>,
}

/// What the app is started with.
#[derive(Clone, Debug, Default)]
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
}

impl AppWindow {
    /// Opens the app on a data folder.
    pub async fn open(home: &Path, start: &LaunchOptions) -> Self {
        let port = free_port();
        let runtime = home.with_extension("runtime");
        std::fs::create_dir_all(&runtime).unwrap();
        std::fs::set_permissions(
            &runtime,
            std::os::unix::fs::PermissionsExt::from_mode(0o700),
        )
        .unwrap();
        let bus = runtime.join("bus-address");
        if let Err(error) = std::fs::remove_file(&bus) {
            assert_eq!(error.kind(), ErrorKind::NotFound, "{error}");
        }
        let keychain = if start.keychain { KEYCHAIN } else { "" };
        let run = if start.no_bus { NO_BUS } else { RUN };
        let driver = Command::new("dbus-run-session")
            .args(["--", "sh", "-c", &format!("{keychain}{run}")])
            .args([
                "WebKitWebDriver",
                &format!("--port={port}"),
                "--host=127.0.0.1",
            ])
            .env("DISPLAY", &display().name)
            .env_remove("WAYLAND_DISPLAY")
            .env("XDG_RUNTIME_DIR", &runtime)
            .env("XDG_CONFIG_HOME", runtime.join("config"))
            .env("XDG_DATA_HOME", runtime.join("data"))
            .env("XDG_CACHE_HOME", runtime.join("cache"))
            .env("HOME", &runtime)
            .env("BUS", &bus)
            .env("COLLIE_HOME", home)
            .env("LANG", "C.UTF-8")
            .env("TAURI_AUTOMATION", "true")
            .env("TAURI_WEBVIEW_AUTOMATION", "true")
            .env_remove("GITHUB_TOKEN")
            .env_remove("GITHUB_API_URL")
            .envs(start.env.iter().cloned())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn()
            .expect("WebKitWebDriver can be started: npm test installs it");
        let open = end_when_overdue(driver.id());
        // A panel is there before the programs of a session are.
        let panel = match start.panel {
            true => Some(DesktopPanel::connect(&bus).await),
            false => None,
        };
        let client = connect(port, &start.args).await;
        Self {
            client,
            driver,
            _open: open,
            home: home.to_owned(),
            panel,
        }
    }

    /// The panel around the window.
    pub fn panel(&self) -> &DesktopPanel {
        self.panel.as_ref().expect("it was started with one")
    }

    /// Closes the window by the button in its frame.
    pub fn close(&self) {
        display().close_window_of(self.pid().expect("the app runs an engine"));
    }

    /// Whether the window is on the screen.
    pub async fn is_shown(&self) -> bool {
        self.script("return document.visibilityState").await == "visible"
    }

    /// Waits for an element.
    pub async fn find(&self, xpath: &str) -> Element {
        // WebDriver's own notion of what is displayed stumbles over clamped lines.
        let found = WAIT.until(xpath, async || {
            let found = self.client.find(Locator::XPath(xpath)).await.ok();
            self.or_page_text(found).await
        });
        found.await
    }

    /// Waits until some text is on the page.
    pub async fn wait_for_text(&self, text: &str) {
        self.wait_until(&format!("“{text}” on the page"), || async {
            self.page_text().await.contains(text)
        })
        .await;
    }

    /// Waits until something holds.
    pub async fn wait_until<F: Future<Output = bool>>(&self, what: &str, holds: impl Fn() -> F) {
        let held = WAIT.until(what, async || {
            let held = holds().await.then_some(());
            self.or_page_text(held).await
        });
        held.await;
    }

    /// What was found, or what the page says instead.
    async fn or_page_text<T>(&self, found: Option<T>) -> Result<T, String> {
        match found {
            Some(found) => Ok(found),
            None => Err(format!("the page says:\n{}", self.page_text().await)),
        }
    }

    /// What can be pressed and has this name, once it shows.
    pub async fn find_control(&self, name: &str) -> Element {
        let what = format!("“{name}”");
        let found = WAIT.until(&what, async || {
            self.or_page_text(self.try_find_control(name).await).await
        });
        found.await
    }

    /// The same, if it shows now.
    pub async fn try_find_control(&self, name: &str) -> Option<Element> {
        let found = self.client.execute(CONTROL, vec![name.into()]).await.ok()?;
        // The key of an element's reference: https://www.w3.org/TR/webdriver2/#elements
        let id = found.get("element-6066-11e4-a52e-4f735466cecf")?.as_str()?;
        Some(Element::from_element_id(
            self.client.clone(),
            id.to_owned().into(),
        ))
    }

    /// Presses a button, a switch, a tab or a link by its name, once it can be pressed.
    pub async fn press(&self, name: &str) {
        let what = format!("a press of “{name}”");
        let pressed = WAIT.until(&what, async || {
            self.wait_for_enabled(name).await.click().await
        });
        pressed.await;
    }

    /// Waits until whatever has this name can be pressed.
    pub async fn wait_for_enabled(&self, name: &str) -> Element {
        let what = format!("“{name}” to be enabled");
        let enabled = WAIT.until(&what, async || {
            let element = self.find_control(name).await;
            let off = element.attr("aria-disabled").await.ok().flatten();
            let is_enabled = element.is_enabled().await.unwrap_or(false);
            (is_enabled && off.as_deref() != Some("true")).then_some(element)
        });
        enabled.await
    }

    /// The row of a pull request.
    pub async fn find_row(&self, title: &str) -> Element {
        let quoted = format!("\"{title}\"");
        self.find(&format!(
            "//*[@role='row' or @role='option'][.//*[normalize-space(.)={quoted}]]"
        ))
        .await
    }

    /// Chooses an option of a select by its label and the option's value.
    pub async fn choose(&self, label: &str, value: &str) {
        let quoted = format!("\"{label}\"");
        let select = self
            .find(&format!(
                "//select[@aria-label={quoted} or @id=//label[normalize-space(.)={quoted}]/@for]"
            ))
            .await;
        select.select_by_value(value).await.unwrap();
    }

    /// Types into the field with this label.
    pub async fn fill(&self, label: &str, text: &str) {
        let field = self
            .find(&format!(
                "//*[self::input or self::textarea][@id=//label[normalize-space(.)=\"{label}\"]/@for]"
            ))
            .await;
        field.send_keys(text).await.unwrap();
    }

    /// Goes by the tab key to whatever has this name.
    pub async fn tab_to(&self, name: &str) {
        for _ in 0..60 {
            let script = "const e = document.activeElement; return e ? (e.getAttribute('aria-label') || e.textContent).trim() : ''";
            if self.script(script).await == name {
                return;
            }
            self.key(Key::Tab).await;
        }
        panic!("“{name}” cannot be reached by the tab key");
    }

    /// Types keys at whatever has the focus.
    pub async fn keys(&self, keys: &str) {
        let focused = self.client.active_element().await.unwrap();
        focused.send_keys(keys).await.unwrap();
    }

    /// Presses one key.
    pub async fn key(&self, key: Key) {
        self.keys(&String::from(char::from(key))).await;
    }

    /// All text of the page.
    pub async fn page_text(&self) -> String {
        let script = "return document.body ? document.body.innerText : ''";
        let text = self.client.execute(script, Vec::new()).await;
        text.ok()
            .and_then(|text| text.as_str().map(str::to_owned))
            .unwrap_or_default()
    }

    /// Runs a script in the page.
    pub async fn script(&self, script: &str) -> Value {
        self.client.execute(script, Vec::new()).await.unwrap()
    }

    /// Faults that axe finds on the page; empty when it is accessible.
    pub async fn axe_violations(&self) -> Vec<String> {
        let axe = std::fs::read_to_string(root().join("node_modules/axe-core/axe.min.js")).unwrap();
        self.client.execute(&axe, Vec::new()).await.unwrap();
        let run = "const done = arguments[arguments.length - 1];
            axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'best-practice'] })
              .then((found) => done(found.violations.flatMap((v) => v.nodes.map((n) => v.id + ': ' + n.target.join(' ')))),
                    (error) => done(['axe failed: ' + error]));";
        let found = self.client.execute_async(run, Vec::new()).await.unwrap();
        serde_json::from_value(found).unwrap()
    }

    /// The process of the app.
    pub fn pid(&self) -> Option<u32> {
        let lock = std::fs::read_to_string(self.home.join("engine.lock")).ok();
        let demo = || std::fs::read_to_string(self.home.join("demo/data/engine.lock")).ok();
        lock.or_else(demo)?.trim().parse().ok()
    }

    /// Errors of the page that reached the diagnostics.
    pub fn page_errors(&self) -> Vec<String> {
        self.log_lines("page error")
    }

    /// Lines of the diagnostics with these words.
    pub fn log_lines(&self, words: &str) -> Vec<String> {
        let mut found = Vec::new();
        for entry in std::fs::read_dir(self.home.join("logs")).unwrap() {
            let text = std::fs::read_to_string(entry.unwrap().path()).unwrap();
            found.extend(
                text.lines()
                    .filter(|line| line.contains(words))
                    .map(str::to_owned),
            );
        }
        found
    }

    /// Quits the app as the desktop does, and says that the page had no error.
    pub async fn quit(self) {
        assert_eq!(self.page_errors(), Vec::<String>::new());
        self.client.clone().close().await.unwrap();
    }

    /// Kills the app in the middle of whatever it does.
    pub async fn kill(self) {
        let pid = self.pid().expect("the app runs an engine");
        let killed = Command::new("kill")
            .args(["-9", &pid.to_string()])
            .status()
            .unwrap();
        assert!(killed.success());
        // There may be nobody left who answers.
        let _ = self.client.clone().close().await;
    }

    /// Waits until the app has ended by itself.
    pub async fn wait_for_exit(&self, pid: u32) {
        // Whoever has ended and was not waited for yet is still listed, as a zombie.
        let ended = WAIT.until("the end of the app", async || {
            let status = std::fs::read_to_string(format!("/proc/{pid}/status"));
            !status.is_ok_and(|status| !status.contains("State:\tZ"))
        });
        ended.await;
    }

    /// Ends the driver with everything it began: the bus, and an app that is left.
    fn end_driver(&mut self) {
        let group = format!("-{}", self.driver.id());
        // Each of these may find that all have ended already.
        let _ = Command::new("kill").args(["-TERM", "--", &group]).status();
        let deadline = Instant::now() + Duration::from_secs(3);
        while matches!(self.driver.try_wait(), Ok(None)) && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(20));
        }
        let _ = Command::new("kill")
            .args(["-KILL", "--", &group])
            .stderr(Stdio::null())
            .status();
        let _ = self.driver.wait();
    }
}

impl Drop for AppWindow {
    fn drop(&mut self) {
        self.end_driver();
    }
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

/// Finds whatever can be pressed and has this name, as assistive technology would tell it.
const CONTROL: &str = r#"
    const name = (e) => e.getAttribute('aria-label')
        ?? (e.getAttribute('aria-labelledby') ?? '').split(' ').map((id) => document.getElementById(id)?.textContent ?? '').join(' ').trim();
    const names = (e) => [name(e), ...[...(e.labels ?? [])].map((l) => l.textContent), e.textContent].map((t) => (t ?? '').replace(/\s+/g, ' ').trim());
    return [...document.querySelectorAll('button, a[href], input, [role=button], [role=switch], [role=tab], [role=menuitem], [role=radio], [role=checkbox], [role=option]')]
        .find((e) => e.offsetParent !== null && names(e).includes(arguments[0])) ?? null;
"#;

/// The repository's folder.
pub fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().port()
}

async fn connect(port: u16, args: &[String]) -> Client {
    let capabilities = json!({
        "webkitgtk:browserOptions": { "binary": env!("CARGO_BIN_EXE_collie-desktop"), "args": args },
    });
    let Value::Object(capabilities) = capabilities else {
        unreachable!("it was written as an object");
    };
    let session = WAIT.until("a session with the window", async || {
        let mut builder =
            ClientBuilder::new(hyper_util::client::legacy::connect::HttpConnector::new());
        builder
            .capabilities(capabilities.clone())
            .connect(&format!("http://127.0.0.1:{port}"))
            .await
    });
    session.await
}
