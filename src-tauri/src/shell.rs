//! The app from its start to its end.

use crate::asked::{self, Asked};
use crate::host::{self, Host};
use crate::{bus, news, tray, window};
use collie_app::desk::{Desk, DeskOptions};
use collie_core::ids::PullName;
use collie_store::DataFolder;
use collie_wire::rpc::Update;
use std::sync::Arc;
use std::time::Duration;
use tauri::{AppHandle, Manager as _, RunEvent, WindowEvent, async_runtime};
use tauri_plugin_window_state::StateFlags;

/// How long the engine may take to put its work down. What it could not put down goes on from the journal.
const FAREWELL: Duration = Duration::from_secs(10);

/// Runs the app until it is quit. A second start ends in here: it hands its arguments to the first.
/// What is wrong with the folder is told by the desk, in the window.
pub fn run(folder: DataFolder, asked: Asked, demo: bool) -> tauri::Result<()> {
    if let Err(reason) = collie_app::trace::start(&folder) {
        tracing::debug!(reason, "no diagnostics are kept");
    }
    let said = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        tracing::error!(%panic, "a panic");
        said(panic);
    }));
    let context = tauri::generate_context!();
    let on_bus = bus::name(&context.config().identifier, &folder);
    let app = tauri::Builder::default()
        .plugin(
            tauri_plugin_single_instance::Builder::new()
                .dbus_id(on_bus)
                .callback(|app, arguments, _| {
                    let own = arguments.get(1..).unwrap_or_default();
                    follow_up(app, asked::read(own));
                })
                .build(),
        )
        .plugin(window_state(&folder))
        .plugin(tauri_plugin_notification::init())
        .invoke_handler(tauri::generate_handler![crate::rpc::rpc])
        .on_window_event(|window, event| {
            if let WindowEvent::CloseRequested { api, .. } = event {
                api.prevent_close();
                closed(window.app_handle());
            }
        })
        .setup(move |app| {
            set_up(app.handle(), folder.clone(), asked, demo);
            Ok(window::open(app.handle(), &folder).map(drop)?)
        })
        .build(context)?;
    app.run(|app, event| {
        if let RunEvent::ExitRequested { api, code, .. } = event
            && code.is_none()
        {
            api.prevent_exit();
            quit(app);
        }
    });
    Ok(())
}

fn window_state(folder: &DataFolder) -> tauri::plugin::TauriPlugin<tauri::Wry> {
    let kept = StateFlags::SIZE | StateFlags::POSITION | StateFlags::MAXIMIZED;
    let plugin = tauri_plugin_window_state::Builder::new().with_state_flags(kept);
    match folder.path().join("window.json").to_str() {
        Some(file) => plugin.with_filename(file).build(),
        None => plugin.build(),
    }
}

/// Starts everything behind the window.
fn set_up(app: &AppHandle, folder: DataFolder, asked: Asked, demo: bool) {
    let tray = tray::place(app, &crate::speech_of_environment(), &folder);
    let options = DeskOptions {
        folder,
        environment: Arc::new(|name| std::env::var(name).ok()),
        language: crate::language_of_environment().code(),
        can_merge: true,
        demo_if_new: demo,
    };
    // It begins to work in the background, and needs the runtime to do so.
    let desk = async_runtime::block_on(async { Desk::open(options) });
    app.manage(Host::new(desk, tray));
    news::follow_clicks(app);
    match asked {
        Asked::Window | Asked::Help | Asked::Version | Asked::NoOption(_) => {}
        Asked::Pull(_) | Asked::NotUnderstood(_) => follow_up(app, asked),
    }
    async_runtime::spawn(host::follow(app.clone()));
    async_runtime::spawn(quit_on_signal(app.clone()));
}

/// Does what a start asks for, this one or a second.
fn follow_up(app: &AppHandle, asked: Asked) {
    if app.try_state::<Host>().is_none() {
        // The plugin hears a second start before the first is done; its window opens all the same.
        return tracing::warn!(?asked, "a second start came before the first was done");
    }
    bring_up(app);
    let argument = match asked {
        Asked::Window | Asked::Help | Asked::Version => return,
        Asked::Pull(pull) => return show_pull(app, &pull),
        Asked::NoOption(argument) | Asked::NotUnderstood(argument) => argument,
    };
    let texts = app.state::<Host>().desk.speech();
    let text = texts.text("desktop-not-understood", &[("argument", argument.into())]);
    let code = "argument".to_owned();
    host::tell_page(app, Update::Say { code, text });
}

/// Shows the window, wherever it is.
pub fn bring_up(app: &AppHandle) {
    let Some(window) = app.get_webview_window(window::MAIN) else {
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
    bring_up(app);
    let key = pull.to_string();
    host::tell_page(app, Update::Show { key });
}

/// The person closed the window: the loops go on behind it, where that is wished and the window can be found again.
fn closed(app: &AppHandle) {
    // The bus brings both ways back: the tray, and a second start.
    if app.state::<Host>().desk.manners().keep_running && bus::is_there() {
        hide(app);
    } else {
        quit(app);
    }
}

fn hide(app: &AppHandle) {
    let window = app.get_webview_window(window::MAIN);
    if let Some(Err(error)) = window.map(|window| window.hide()) {
        tracing::warn!(%error, "the window could not be hidden");
    }
}

/// Ends the app: the window goes at once, the loops are put down cleanly and go on at the next start.
pub fn quit(app: &AppHandle) {
    let host = app.state::<Host>();
    if !host.begins_to_quit() {
        return;
    }
    hide(app);
    // Who starts Collie from now on gets a window of their own, which follows this engine and takes over.
    tauri_plugin_single_instance::destroy(app);
    let app = app.clone();
    async_runtime::spawn(async move {
        let host = app.state::<Host>();
        // A merge is never cut off: the gate bounds each of its calls, and its outcome has to be written down.
        let _merged = host.merging.lock().await;
        if tokio::time::timeout(FAREWELL, host.desk.close())
            .await
            .is_err()
        {
            tracing::warn!("the engine did not stop in time; it goes on from its journal");
        }
        app.exit(0);
    });
}

/// Quits when the system asks: the end of a session, or Ctrl-C on the terminal that started it.
async fn quit_on_signal(app: AppHandle) {
    use tokio::signal::unix::{SignalKind, signal};
    let signals = (
        signal(SignalKind::terminate()),
        signal(SignalKind::interrupt()),
    );
    let (Ok(mut terminate), Ok(mut interrupt)) = signals else {
        tracing::warn!("signals cannot be heard");
        return;
    };
    tokio::select! {
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
    }
    quit(&app);
}
