//! The panel of a desktop, as the app finds it on the message bus: it shows notifications and icons in a tray.

use crate::window::WAIT;
use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex};
use zbus::message::Header;
use zbus::object_server::SignalEmitter;
use zbus::zvariant::{OwnedObjectPath, OwnedValue, Value};
use zbus::{Connection, Proxy, connection, interface, proxy};

const NOTIFICATIONS: &str = "/org/freedesktop/Notifications";

/// What a notification says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShownNotification {
    pub title: String,
    pub body: String,
}

impl ShownNotification {
    /// A title over the title of a pull request.
    pub fn new(title: &str, body: &str) -> Self {
        Self {
            title: title.to_owned(),
            body: body.to_owned(),
        }
    }
}

/// What the panel was told.
#[derive(Default)]
struct PanelState {
    notifications: Vec<ShownNotification>,
    /// Who put an icon into the tray: its name on the bus, and where the icon's object is.
    icon: Option<(String, String)>,
}

type SharedState = Arc<Mutex<PanelState>>;

/// A panel that is there.
pub struct DesktopPanel {
    bus: Connection,
    state: SharedState,
}

impl DesktopPanel {
    /// Joins the bus whose address is in a file, once it is there.
    pub async fn connect(address: &Path) -> Self {
        let address = WAIT
            .until("a bus", async || std::fs::read_to_string(address))
            .await;
        let told = SharedState::default();
        let bus = connection::Builder::address(address.as_str())
            .and_then(|bus| bus.name("org.freedesktop.Notifications"))
            .and_then(|bus| bus.serve_at(NOTIFICATIONS, Notifications(told.clone())))
            .and_then(|bus| bus.name("org.kde.StatusNotifierWatcher"))
            .and_then(|bus| bus.serve_at("/StatusNotifierWatcher", Watcher(told.clone())))
            .unwrap()
            .build()
            .await
            .unwrap();
        Self { bus, state: told }
    }

    /// The notifications that were shown, in their order.
    pub fn notifications(&self) -> Vec<ShownNotification> {
        self.state.lock().unwrap().notifications.clone()
    }

    /// A person clicks a notification, by its place in [`Self::notices`].
    pub async fn click_notification(&self, place: usize) {
        let id = u32::try_from(place).unwrap() + 1;
        let emitter = SignalEmitter::new(&self.bus, NOTIFICATIONS).unwrap();
        Notifications::action_invoked(&emitter, id, "default")
            .await
            .unwrap();
    }

    /// The icon in the tray as it is now; none while there is none.
    pub async fn tray(&self) -> Option<Tray> {
        let (owner, path) = self.state.lock().unwrap().icon.clone()?;
        self.read_tray(owner, path).await.ok()
    }

    async fn read_tray(&self, owner: String, path: String) -> zbus::Result<Tray> {
        let item = Proxy::new(&self.bus, owner.clone(), path, "org.kde.StatusNotifierItem").await?;
        let menu: OwnedObjectPath = item.get_property("Menu").await?;
        let menu = MenuProxy::builder(&self.bus)
            .destination(owner)?
            .path(menu)?
            .build()
            .await?;
        let (_, (_, _, entries)) = menu.get_layout(0, -1, &[]).await?;
        Ok(Tray {
            status: item.get_property("Status").await?,
            label: item.get_property("XAyatanaLabel").await?,
            icon: item.get_property("IconName").await?,
            entries: entries.into_iter().filter_map(entry).collect(),
            menu,
        })
    }
}

/// An icon in the tray.
pub struct Tray {
    pub status: String,
    /// What stands beside the icon.
    pub label: String,
    /// The file of the picture.
    pub icon: String,
    entries: Vec<Entry>,
    menu: MenuProxy<'static>,
}

impl Tray {
    /// The lines of the menu; those that cannot be chosen in brackets, and a dash for a rule.
    pub fn lines(&self) -> Vec<String> {
        self.entries.iter().map(Entry::line).collect()
    }

    /// A person chooses a line of the menu.
    pub async fn click(&self, line: &str) {
        let entry = self.entries.iter().find(|entry| entry.line() == line);
        let entry = entry.unwrap_or_else(|| panic!("no {line} in {:?}", self.lines()));
        let nothing = Value::from(0_i32);
        self.menu
            .event(entry.id, "clicked", &nothing, 0)
            .await
            .unwrap();
    }
}

/// A line of a menu.
struct Entry {
    id: i32,
    label: Option<String>,
    enabled: bool,
}

impl Entry {
    fn line(&self) -> String {
        match &self.label {
            None => "-".to_owned(),
            Some(label) if self.enabled => label.clone(),
            Some(label) => format!("[{label}]"),
        }
    }
}

/// An entry of <https://github.com/AyatanaIndicators/libdbusmenu/blob/master/libdbusmenu-glib/dbus-menu.xml>, if it is visible.
fn entry(value: OwnedValue) -> Option<Entry> {
    let (id, properties, _) = Layout::try_from(value).unwrap();
    let is = |name: &str| {
        properties
            .get(name)
            .is_none_or(|value| bool::try_from(value) != Ok(false))
    };
    let label = properties
        .get("label")
        .map(|value| <&str>::try_from(value).unwrap().to_owned());
    is("visible").then_some(Entry {
        id,
        label,
        enabled: is("enabled"),
    })
}

/// The number of an entry, its properties, and the entries in it.
type Layout = (i32, HashMap<String, OwnedValue>, Vec<OwnedValue>);

#[proxy(interface = "com.canonical.dbusmenu", gen_blocking = false)]
trait Menu {
    fn get_layout(&self, parent: i32, depth: i32, names: &[&str]) -> zbus::Result<(u32, Layout)>;
    fn event(&self, id: i32, kind: &str, data: &Value<'_>, time: u32) -> zbus::Result<()>;
}

/// <https://specifications.freedesktop.org/notification-spec/latest/protocol.html>
struct Notifications(SharedState);

#[interface(name = "org.freedesktop.Notifications")]
impl Notifications {
    #[expect(clippy::too_many_arguments, reason = "the specification has as many")]
    fn notify(
        &self,
        _app: String,
        _replaces: u32,
        _icon: String,
        title: String,
        body: String,
        _actions: Vec<String>,
        _hints: HashMap<String, OwnedValue>,
        _timeout: i32,
    ) -> u32 {
        let notices = &mut self.0.lock().unwrap().notifications;
        notices.push(ShownNotification { title, body });
        u32::try_from(notices.len()).unwrap()
    }

    #[zbus(signal)]
    async fn action_invoked(emitter: &SignalEmitter<'_>, id: u32, action: &str)
    -> zbus::Result<()>;
}

/// <https://www.freedesktop.org/wiki/Specifications/StatusNotifierItem/StatusNotifierWatcher/>
struct Watcher(SharedState);

#[interface(name = "org.kde.StatusNotifierWatcher")]
impl Watcher {
    fn register_status_notifier_item(&self, path: String, #[zbus(header)] header: Header<'_>) {
        let owner = header.sender().expect("a bus names the sender").to_string();
        self.0.lock().unwrap().icon = Some((owner, path));
    }

    #[zbus(property)]
    fn is_status_notifier_host_registered(&self) -> bool {
        true
    }
}
