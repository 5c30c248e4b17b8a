//! What the shell keeps while it runs, and how updates travel from the backend to page, tray and notifications.

use crate::loop_index::{LoopIndex, Notification, WaitingLoop};
use crate::{notifications, tray, window};
use collie_app::backend::{Backend, update_batches};
use collie_config::{DesktopConfig, Theme};
use collie_i18n::Language;
use collie_wire::LoopView;
use collie_wire::rpc::{Command, Topic, Update};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tauri::tray::TrayIcon;
use tauri::webview::PageLoadEvent;
use tauri::{AppHandle, Emitter as _, Manager as _};

/// The one event; its payload is a list of updates.
const EVENT: &str = "collie";

/// What the shell keeps.
pub struct ShellHost {
    /// Carries the commands out.
    pub backend: Backend,
    /// Held while a merge is under way.
    pub merge_lock: tokio::sync::Mutex<()>,
    /// The icon in the tray, where there is one.
    tray: Option<TrayIcon>,
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

fn emit(app: &AppHandle, updates: &[Update]) {
    if let Err(error) = app.emit_to(window::MAIN, EVENT, updates) {
        tracing::warn!(%error, "the page could not be told");
    }
}

/// Passes updates on until there can be no more.
pub async fn forward_updates(app: AppHandle) {
    let mut updates = app.state::<ShellHost>().backend.subscribe();
    let mut loop_index = LoopIndex::default();
    let mut shown = ShellView::default();
    read_loops(&app, &mut loop_index).await;
    refresh(&app, &loop_index, &mut shown);
    while let Some(batch) = update_batches::next_batch(&mut updates).await {
        emit(&app, &batch);
        let notifications = apply_updates(&app, &mut loop_index, &batch).await;
        let backend = &app.state::<ShellHost>().backend;
        if !notifications.is_empty() && backend.desktop_config().notifications {
            let localizer = backend.localizer();
            notifications
                .iter()
                .for_each(|notification| notifications::show(&app, &localizer, notification));
        }
        refresh(&app, &loop_index, &mut shown);
        tokio::time::sleep(update_batches::BATCH_INTERVAL).await;
    }
}

/// Takes a batch into the index; says what is worth a notification.
async fn apply_updates(
    app: &AppHandle,
    loop_index: &mut LoopIndex,
    batch: &[Update],
) -> Vec<Notification> {
    let mut notifications = Vec::new();
    for update in batch {
        match update {
            Update::Loop { key, changed } => notifications.extend(loop_index.change(key, changed)),
            Update::Stale { topics } => {
                if topics
                    .iter()
                    .any(|topic| matches!(topic, Topic::Loops | Topic::Everything))
                {
                    notifications.extend(read_loops(app, loop_index).await);
                }
            }
            Update::Activity(_) | Update::Show { .. } | Update::Notice { .. } => {}
        }
    }
    notifications
}

async fn read_loops(app: &AppHandle, loop_index: &mut LoopIndex) -> Vec<Notification> {
    let answer = app.state::<ShellHost>().backend.run(Command::Loops).await;
    let loops = answer
        .ok()
        .and_then(|loops| serde_json::from_value::<Vec<LoopView>>(loops).ok());
    // While nothing can be read, what was known last is what there is.
    loops.map_or_else(Vec::new, |loops| loop_index.replace(&loops))
}

/// What is shown outside the page.
#[derive(Default)]
struct ShellView {
    theme: Option<Theme>,
    tray: Option<(Language, Vec<WaitingLoop>)>,
}

/// Brings the window's theme and the tray up to date, where they are not.
fn refresh(app: &AppHandle, loop_index: &LoopIndex, shown: &mut ShellView) {
    let host = app.state::<ShellHost>();
    let DesktopConfig { theme, .. } = host.backend.desktop_config();
    if shown.theme.replace(theme) != Some(theme)
        && let Some(page) = app.get_webview_window(window::MAIN)
        && let Err(error) = window::set_theme(&page, theme)
    {
        tracing::warn!(%error, "the window's theme could not be set");
    }
    let localizer = host.backend.localizer();
    let now = (localizer.language(), loop_index.waiting());
    if let Some(icon) = &host.tray
        && shown.tray.as_ref() != Some(&now)
    {
        tray::update(app, icon, &localizer, &now.1);
        shown.tray = Some(now);
    }
}
