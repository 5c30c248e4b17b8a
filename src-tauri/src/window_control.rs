//! Shows and hides the window, and quits.

use crate::host::{self, ShellHost};
use crate::window_label;
use collie_core::ids::PullName;
use collie_wire::rpc::Update;
use std::time::Duration;
use tauri::{AppHandle, Manager as _, async_runtime};

/// How long the engine may take to put its work down. What it could not put down goes on from the journal.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(10);

/// Shows the window, wherever it is.
pub fn show_window(app: &AppHandle) {
    let Some(window) = app.get_webview_window(window_label::MAIN) else {
        return;
    };
    let shown = window
        .show()
        .and_then(|()| window.unminimize())
        .and_then(|()| window.set_focus());
    if let Err(error) = shown {
        tracing::warn!(%error, "the window could not be shown");
    }
}

/// Shows a pull request in the window.
pub fn show_pull(app: &AppHandle, pull: &PullName) {
    show_window(app);
    let key = pull.to_string();
    host::send_to_page(app, Update::Show { key });
}

/// Hides the window.
pub fn hide(app: &AppHandle) {
    let window = app.get_webview_window(window_label::MAIN);
    if let Some(Err(error)) = window.map(|window| window.hide()) {
        tracing::warn!(%error, "the window could not be hidden");
    }
}

/// Ends the app: the window goes at once, the loops are put down cleanly and go on at the next start.
pub fn quit(app: &AppHandle) {
    let host = app.state::<ShellHost>();
    if !host.start_quitting() {
        return;
    }
    hide(app);
    // Who starts Collie from now on gets a window of their own, which follows this engine and takes over.
    tauri_plugin_single_instance::destroy(app);
    let app = app.clone();
    async_runtime::spawn(async move {
        let host = app.state::<ShellHost>();
        // A merge is never cut off: the gate bounds each of its calls, and its outcome has to be written down.
        let _merged = host.merge_lock.lock().await;
        if tokio::time::timeout(SHUTDOWN_TIMEOUT, host.backend.close())
            .await
            .is_err()
        {
            tracing::warn!("the engine did not stop in time; it goes on from its journal");
        }
        app.exit(0);
    });
}
