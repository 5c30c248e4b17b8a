//! How updates travel from the backend to page, tray and notifications.

use crate::host::{self, ShellHost};
use crate::loop_index::{LoopIndex, Notification};
use crate::snoozes::Snoozes;
use crate::tray::{PauseState, TrayView};
use crate::{notifications, tray, window, window_label};
use collie_app::backend::update_batches;
use collie_app::clock;
use collie_config::{DesktopConfig, Theme};
use collie_core::ids::Time;
use collie_i18n::Language;
use collie_wire::LoopView;
use collie_wire::rpc::{Command, Topic, Update};
use std::time::Duration;
use tauri::{AppHandle, Manager as _};

/// No wait for the end of a snooze is longer, so that one is not slept through where the machine was.
const MAX_SLEEP: Duration = Duration::from_secs(60);

/// Passes updates on until there can be no more.
pub async fn forward_updates(app: AppHandle) {
    let mut updates = app.state::<ShellHost>().backend.subscribe();
    let mut snoozes = app.state::<ShellHost>().snoozes.subscribe();
    let mut muted = app.state::<ShellHost>().muted.subscribe();
    let mut around = AroundWindow::default();
    around.read_loops(&app).await;
    around.read_pause(&app).await;
    around.refresh(&app);
    loop {
        let wake = sleep_until(around.loop_index.next_wake(clock::now()));
        tokio::select! {
            batch = update_batches::next_batch(&mut updates) => {
                let Some(batch) = batch else { return };
                host::emit(&app, &batch);
                let notifications = around.apply_updates(&app, &batch).await;
                notify(&app, &notifications);
            }
            told = snoozes.changed() => {
                if told.is_err() {
                    return;
                }
                let told = snoozes.borrow_and_update().clone();
                around.loop_index.snooze(Snoozes::new(told));
            }
            told = muted.changed() => {
                if told.is_err() {
                    return;
                }
                let kinds = muted.borrow_and_update().clone();
                around.loop_index.mute(kinds);
            }
            () = wake => {}
        }
        around.refresh(&app);
        tokio::time::sleep(update_batches::BATCH_INTERVAL).await;
    }
}

/// Sleeps until then, or at most a minute; for ever where nothing ends.
async fn sleep_until(end: Option<Time>) {
    let Some(end) = end else {
        return std::future::pending().await;
    };
    let left = u64::try_from(end.0.saturating_sub(clock::now().0)).unwrap_or(0);
    tokio::time::sleep(Duration::from_millis(left).min(MAX_SLEEP)).await;
}

fn notify(app: &AppHandle, notifications: &[Notification]) {
    let backend = &app.state::<ShellHost>().backend;
    if notifications.is_empty() || !backend.desktop_config().notifications {
        return;
    }
    let localizer = backend.localizer();
    for notification in notifications {
        notifications::show(app, &localizer, notification);
    }
}

/// What is told around the page, and what of it is shown.
#[derive(Default)]
struct AroundWindow {
    loop_index: LoopIndex,
    pause: PauseState,
    shown_theme: Option<Theme>,
    shown_tray: Option<(Language, TrayView)>,
}

impl AroundWindow {
    /// Takes a batch in; says what is worth a notification.
    async fn apply_updates(&mut self, app: &AppHandle, batch: &[Update]) -> Vec<Notification> {
        let mut notifications = Vec::new();
        for update in batch {
            match update {
                Update::Loop { key, changed } => {
                    notifications.extend(self.loop_index.change(key, changed, clock::now()));
                }
                Update::Stale { topics } => {
                    let names = |wanted: Topic| topics.contains(&wanted);
                    if names(Topic::Loops) || names(Topic::Everything) {
                        notifications.extend(self.read_loops(app).await);
                    }
                    if names(Topic::Session) || names(Topic::Everything) {
                        self.read_pause(app).await;
                    }
                }
                Update::Activity(_) | Update::Show { .. } | Update::Notice { .. } => {}
            }
        }
        notifications
    }

    async fn read_loops(&mut self, app: &AppHandle) -> Vec<Notification> {
        let answer = app.state::<ShellHost>().backend.run(Command::Loops).await;
        let loops = answer
            .ok()
            .and_then(|loops| serde_json::from_value::<Vec<LoopView>>(loops).ok());
        // While nothing can be read, what was known last is what there is.
        loops.map_or_else(Vec::new, |loops| {
            self.loop_index.replace(&loops, clock::now())
        })
    }

    async fn read_pause(&mut self, app: &AppHandle) {
        let answer = app.state::<ShellHost>().backend.run(Command::Session).await;
        if let Ok(session) = answer {
            self.pause = PauseState::of_session(&session);
        }
    }

    /// Brings the window's theme and the tray up to date, where they are not.
    fn refresh(&mut self, app: &AppHandle) {
        let host = app.state::<ShellHost>();
        let DesktopConfig { theme, .. } = host.backend.desktop_config();
        if self.shown_theme.replace(theme) != Some(theme)
            && let Some(page) = app.get_webview_window(window_label::MAIN)
            && let Err(error) = window::set_theme(&page, theme)
        {
            tracing::warn!(%error, "the window's theme could not be set");
        }
        let localizer = host.backend.localizer();
        let view = TrayView {
            waiting: self.loop_index.waiting(clock::now()),
            pause: self.pause,
        };
        let now = (localizer.language(), view);
        if let Some(icon) = &host.tray
            && self.shown_tray.as_ref() != Some(&now)
        {
            tray::update(app, icon, &localizer, &now.1);
            self.shown_tray = Some(now);
        }
    }
}
