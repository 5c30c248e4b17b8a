//! What the shell keeps while it runs, and how updates travel from the desk to page, tray and notifications.

use crate::flock::{Flock, News, Waiting};
use crate::{news, tray, window};
use collie_app::config::{Desktop, Theme};
use collie_app::desk::{Desk, stream};
use collie_app::words::Language;
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
pub struct Host {
    /// Carries the commands out.
    pub desk: Desk,
    /// Held while a merge is under way.
    pub merging: tokio::sync::Mutex<()>,
    /// The icon in the tray, where there is one.
    tray: Option<TrayIcon>,
    page: Mutex<Page>,
    quitting: AtomicBool,
}

/// Whether the page can be told something, and what waits until it can.
#[derive(Default)]
struct Page {
    hears: bool,
    held: Vec<Update>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Nothing in here is left half changed by a panic.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Host {
    /// Keeps a desk and the icon in the tray.
    pub fn new(desk: Desk, tray: Option<TrayIcon>) -> Self {
        Self {
            desk,
            merging: tokio::sync::Mutex::new(()),
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
    pub fn begins_to_quit(&self) -> bool {
        !self.quitting.swap(true, Ordering::SeqCst)
    }
}

/// Tells the page something of the shell's own; kept until the page hears.
pub fn tell_page(app: &AppHandle, update: Update) {
    let mut page = lock(&app.state::<Host>().inner().page);
    if page.hears {
        emit(app, &[update]);
    } else {
        page.held.push(update);
    }
}

/// Notes that a page begins: it hears nothing yet.
pub fn page_loads(app: &AppHandle, event: PageLoadEvent) {
    if let Some(host) = app.try_state::<Host>()
        && event == PageLoadEvent::Started
    {
        lock(&host.page).hears = false;
    }
}

/// Notes that the page hears, and tells it what was kept.
pub fn page_hears(app: &AppHandle) {
    let mut page = lock(&app.state::<Host>().inner().page);
    page.hears = true;
    let held = std::mem::take(&mut page.held);
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
pub async fn follow(app: AppHandle) {
    let mut updates = app.state::<Host>().desk.subscribe();
    let mut flock = Flock::default();
    let mut shown = Shown::default();
    read_loops(&app, &mut flock).await;
    refresh(&app, &flock, &mut shown);
    while let Some(batch) = stream::next(&mut updates).await {
        emit(&app, &batch);
        let news = take(&app, &mut flock, &batch).await;
        let desk = &app.state::<Host>().desk;
        if !news.is_empty() && desk.manners().notifications {
            let speech = desk.speech();
            news.iter().for_each(|one| news::tell(&app, &speech, one));
        }
        refresh(&app, &flock, &mut shown);
        tokio::time::sleep(stream::PAUSE).await;
    }
}

/// Takes a batch into the flock; says what is worth a notification.
async fn take(app: &AppHandle, flock: &mut Flock, batch: &[Update]) -> Vec<News> {
    let mut news = Vec::new();
    for update in batch {
        match update {
            Update::Loop { key, changed } => news.extend(flock.change(key, changed)),
            Update::Stale { topics } => {
                if topics
                    .iter()
                    .any(|t| matches!(t, Topic::Loops | Topic::Everything))
                {
                    news.extend(read_loops(app, flock).await);
                }
            }
            Update::Activity(_) | Update::Show { .. } | Update::Say { .. } => {}
        }
    }
    news
}

async fn read_loops(app: &AppHandle, flock: &mut Flock) -> Vec<News> {
    let answer = app.state::<Host>().desk.run(Command::Loops).await;
    let loops = answer
        .ok()
        .and_then(|loops| serde_json::from_value::<Vec<LoopView>>(loops).ok());
    // While nothing can be read, what was known last is what there is.
    loops.map_or_else(Vec::new, |loops| flock.replace(&loops))
}

/// What is shown outside the page.
#[derive(Default)]
struct Shown {
    theme: Option<Theme>,
    tray: Option<(Language, Vec<Waiting>)>,
}

/// Brings the window's theme and the tray up to date, where they are not.
fn refresh(app: &AppHandle, flock: &Flock, shown: &mut Shown) {
    let host = app.state::<Host>();
    let Desktop { theme, .. } = host.desk.manners();
    if shown.theme.replace(theme) != Some(theme)
        && let Some(page) = app.get_webview_window(window::MAIN)
        && let Err(error) = window::set_theme(&page, theme)
    {
        tracing::warn!(%error, "the window's theme could not be set");
    }
    let speech = host.desk.speech();
    let now = (speech.language(), flock.waiting());
    if let Some(icon) = &host.tray
        && shown.tray.as_ref() != Some(&now)
    {
        tray::show(app, icon, &speech, &now.1);
        shown.tray = Some(now);
    }
}
