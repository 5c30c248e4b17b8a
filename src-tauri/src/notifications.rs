//! Notifications of the system: a loop became ready, needs a person, or failed.

use crate::loop_index::Notification;
use crate::window_control;
use collie_core::ids::PullName;
use collie_core::lifecycle::State;
use collie_i18n::Localizer;
use tauri::AppHandle;
use tauri_plugin_notification::NotificationExt as _;

/// The field of a notification that carries the key of its pull request.
const KEY: &str = "key";
/// The app's icon, by its name in the icon theme.
const ICON: &str = "collie-desktop";

/// Shows the pull request of a notification that is clicked, where the desktop tells of clicks.
pub fn register_click_handler(app: &AppHandle) {
    let shown = app.clone();
    let followed = app.notification().on_action(move |action| {
        let key = action
            .notification()
            .and_then(|notification| notification.extra().get(KEY)?.as_str());
        match key.map(PullName::parse) {
            Some(Ok(pull)) => window_control::show_pull(&shown, &pull),
            Some(Err(_)) | None => window_control::show_window(&shown),
        }
    });
    if let Err(error) = followed {
        tracing::warn!(%error, "clicks on notifications are not followed");
    }
}

/// Tells a person. Where nothing shows notifications, nobody learns of it: the tray and the window tell the same.
pub fn show(app: &AppHandle, localizer: &Localizer, notification: &Notification) {
    let key = match notification.state {
        State::PrReadyToMerge if notification.unread => "desktop-notice-unread",
        State::PrReadyToMerge => "desktop-notice-ready",
        State::NeedsHuman => "desktop-notice-needs",
        State::Failed => "desktop-notice-failed",
        State::PrCreated
        | State::PrAwaitingChecks
        | State::PrReviewing
        | State::PrFixing
        | State::Merged
        | State::Closed
        | State::Cancelled => return,
    };
    let title = localizer.text(key, &[("key", notification.key.as_str().into())]);
    let shown = app
        .notification()
        .builder()
        .title(title)
        .body(escape_html(&notification.title))
        .icon(ICON)
        .extra(KEY, &notification.key)
        .show();
    if let Err(error) = shown {
        tracing::warn!(%error, key = notification.key, "could not notify");
    }
}

/// Desktops read a body as simple HTML; a title on GitHub is anybody's text.
fn escape_html(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_title_is_shown_as_it_was_written() {
        assert_eq!(
            super::escape_html("<a href='x'>Q&A</a>"),
            "&lt;a href='x'&gt;Q&amp;A&lt;/a&gt;"
        );
    }
}
