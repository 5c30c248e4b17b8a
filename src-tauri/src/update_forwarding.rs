//! How updates travel from the backend to page, tray and notifications.

use crate::host::{self, ShellHost};
use crate::loop_index::{LoopIndex, Notification, WaitingLoop};
use crate::{notifications, tray, window, window_label};
use collie_app::backend::update_batches;
use collie_config::{DesktopConfig, Theme};
use collie_i18n::Language;
use collie_wire::LoopView;
use collie_wire::rpc::{Command, Topic, Update};
use tauri::{AppHandle, Manager as _};

/// Passes updates on until there can be no more.
pub async fn forward_updates(app: AppHandle) {
    let mut updates = app.state::<ShellHost>().backend.subscribe();
    let mut loop_index = LoopIndex::default();
    let mut shown = ShellView::default();
    read_loops(&app, &mut loop_index).await;
    refresh(&app, &loop_index, &mut shown);
    while let Some(batch) = update_batches::next_batch(&mut updates).await {
        host::emit(&app, &batch);
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
        && let Some(page) = app.get_webview_window(window_label::MAIN)
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
