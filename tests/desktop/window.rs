//! The real app in a real window, driven through WebKit's own WebDriver.

use crate::desktop_panel::DesktopPanel;
use crate::display::display;
pub use crate::driver::LaunchOptions;
use crate::driver::{Driver, NoSession};
use collie_testkit::wait::Wait;
use fantoccini::elements::Element;
use fantoccini::key::Key;
use fantoccini::{Client, Locator};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// How something is waited for that is about to show.
pub const WAIT: Wait = Wait {
    timeout: Duration::from_secs(100),
    interval: Duration::from_millis(100),
};

/// How often a menu's button is looked at before it is pressed again.
const MENU_LOOKS: u32 = 20;

/// How often a driver is started that begins no session for a reason of its own.
const MAX_STARTS: u32 = 3;

/// A window that is open.
pub struct AppWindow {
    pub client: Client,
    home: PathBuf,
    panel: Option<DesktopPanel>,
    // Dropped last: it ends all the others talk to.
    _driver: Driver,
}

impl AppWindow {
    /// Opens the app on a data folder. A driver that begins no session for a reason of its own is started anew, and that is said.
    ///
    /// # Panics
    /// The app ends or cannot be used; or no driver begins a session.
    pub async fn open(home: &Path, start: &LaunchOptions) -> Self {
        let mut nth = 1;
        loop {
            match Self::try_open(home, start).await {
                Ok(window) => return window,
                Err(NoSession::Driver(told)) if nth < MAX_STARTS => {
                    eprintln!(
                        "WebKitWebDriver began no session, and is started anew ({nth} of {MAX_STARTS}): {told}"
                    );
                    nth += 1;
                }
                Err(NoSession::Driver(told)) => {
                    panic!("{MAX_STARTS} drivers began no session; the last: {told}")
                }
                Err(NoSession::App(told)) => panic!("the app did not open: {told}"),
            }
        }
    }

    async fn try_open(home: &Path, start: &LaunchOptions) -> Result<Self, NoSession> {
        let mut driver = Driver::start(home, start);
        // A panel is there before the programs of a session are.
        let panel = match start.panel {
            true => Some(DesktopPanel::connect(&driver.bus()).await),
            false => None,
        };
        Ok(Self {
            client: driver.connect().await?,
            home: home.to_owned(),
            panel,
            _driver: driver,
        })
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
            None => {
                let errors = self.page_errors();
                let text = self.page_text().await;
                Err(format!("the page says:\n{text}\nits errors: {errors:?}"))
            }
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
            press_once(&self.wait_for_enabled(name).await).await
        });
        pressed.await;
    }

    /// Presses whatever an XPath finds.
    pub async fn press_at(&self, xpath: &str) {
        let what = format!("a press of {xpath}");
        let pressed = WAIT.until(&what, async || press_once(&self.find(xpath).await).await);
        pressed.await;
    }

    /// Waits until whatever has this name can be pressed.
    pub async fn wait_for_enabled(&self, name: &str) -> Element {
        let what = format!("“{name}” to be enabled");
        let enabled = WAIT.until(&what, async || {
            let element = self.try_find_control(name).await;
            let element = self.or_page_text(element).await?;
            let off = element.attr("aria-disabled").await.ok().flatten();
            let is_enabled = element.is_enabled().await.unwrap_or(false);
            let found = (is_enabled && off.as_deref() != Some("true")).then_some(element);
            self.or_page_text(found).await
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
}

/// Presses a control. A menu's button has to have its menu open then: a banner that comes while the driver computes where the button is makes
/// it press beside it.
async fn press_once(control: &Element) -> Result<(), String> {
    let role = attribute(control, "role").await;
    let opens = attribute(control, "aria-haspopup").await;
    if role.is_some_and(|role| role.starts_with("menuitem")) {
        // By key: a press beside an entry whose menu is still on its way to its place closes the menu, and chooses nothing.
        let enter = String::from(char::from(Key::Enter));
        let sent = control.send_keys(&enter).await;
        sent.map_err(|error| error.to_string())?;
        let gone = async || control.tag_name().await.is_err();
        return seen_soon(gone, "its menu stays open").await;
    }
    control.click().await.map_err(|error| error.to_string())?;
    if opens.as_deref() == Some("menu") {
        let open = async || attribute(control, "aria-expanded").await.as_deref() == Some("true");
        return seen_soon(open, "its menu did not open").await;
    }
    Ok(())
}

/// Looks a few times whether something is so by now.
async fn seen_soon(is_so: impl AsyncFn() -> bool, otherwise: &str) -> Result<(), String> {
    for _ in 0..MENU_LOOKS {
        if is_so().await {
            return Ok(());
        }
        tokio::time::sleep(WAIT.interval).await;
    }
    Err(otherwise.to_owned())
}

/// An attribute of an element that is still on the page.
async fn attribute(element: &Element, name: &str) -> Option<String> {
    element.attr(name).await.ok().flatten()
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
