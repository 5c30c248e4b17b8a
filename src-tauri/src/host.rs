//! What the shell keeps while it runs, and what it tells the page.

use crate::window_label;
use collie_app::backend::Backend;
use collie_wire::rpc::{NotificationKind, Snooze, Update};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tauri::tray::TrayIcon;
use tauri::webview::PageLoadEvent;
use tauri::{AppHandle, Emitter as _, Manager as _};
use tokio::sync::watch;

/// The one event; its payload is a list of updates.
const EVENT: &str = "collie";

/// What the shell keeps.
pub struct ShellHost {
    /// Carries the commands out.
    pub backend: Backend,
    /// Held while a merge is under way.
    pub merge_lock: tokio::sync::Mutex<()>,
    /// The icon in the tray, where there is one.
    pub tray: Option<TrayIcon>,
    /// The pull requests that are snoozed, as the page last told.
    pub snoozes: watch::Sender<Vec<Snooze>>,
    /// The kinds of notifications that are off, as the page last told.
    pub muted: watch::Sender<Vec<NotificationKind>>,
    page: Mutex<PageChannel>,
    quitting: AtomicBool,
}

/// Whether the page can be told something, and what waits until it can.
#[derive(Default)]
struct PageChannel {
    is_ready: bool,
    pending: Vec<Update>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Nothing in here is left half changed by a panic.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl ShellHost {
    /// Keeps a backend and the icon in the tray.
    pub fn new(backend: Backend, tray: Option<TrayIcon>) -> Self {
        Self {
            backend,
            merge_lock: tokio::sync::Mutex::new(()),
            tray,
            snoozes: watch::Sender::default(),
            muted: watch::Sender::default(),
            page: Mutex::default(),
            quitting: AtomicBool::new(false),
        }
    }

    /// Whether the app is about to end.
    pub fn is_quitting(&self) -> bool {
        self.quitting.load(Ordering::SeqCst)
    }

    /// Whether this is the first to ask that the app ends.
    pub fn start_quitting(&self) -> bool {
        !self.quitting.swap(true, Ordering::SeqCst)
    }
}

/// Tells the page something of the shell's own; kept until the page hears.
pub fn send_to_page(app: &AppHandle, update: Update) {
    let mut page = lock(&app.state::<ShellHost>().inner().page);
    if page.is_ready {
        emit(app, &[update]);
    } else {
        page.pending.push(update);
    }
}

/// Notes that a page begins: it hears nothing yet.
pub fn on_page_load(app: &AppHandle, event: PageLoadEvent) {
    if let Some(host) = app.try_state::<ShellHost>()
        && event == PageLoadEvent::Started
    {
        lock(&host.page).is_ready = false;
    }
}

/// Notes that the page hears, and tells it what was kept.
pub fn on_page_ready(app: &AppHandle) {
    let mut page = lock(&app.state::<ShellHost>().inner().page);
    page.is_ready = true;
    let held = std::mem::take(&mut page.pending);
    if !held.is_empty() {
        emit(app, &held);
    }
}

/// Tells the page, whether it hears or not.
pub fn emit(app: &AppHandle, updates: &[Update]) {
    if let Err(error) = app.emit_to(window_label::MAIN, EVENT, updates) {
        tracing::warn!(%error, "the page could not be told");
    }
}
