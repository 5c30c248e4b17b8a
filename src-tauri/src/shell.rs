//! The app from its start to its end.

use crate::environment_language::{language_of_environment, localizer_of_environment};
use crate::host::{self, ShellHost};
use crate::launch_args::{self, LaunchRequest};
use crate::window_control::{hide, quit, show_pull, show_window};
use crate::{notifications, session_bus, tray, update_forwarding, window};
use collie_app::auth::keychain::Keychain;
use collie_app::backend::{Backend, BackendOptions, CredentialScope};
use collie_config::DataFolder;
use collie_core::error_code::ErrorCode;
use collie_core::user_error::UserError;
use collie_wire::rpc::Update;
use std::sync::Arc;
use tauri::{AppHandle, Manager as _, RunEvent, WindowEvent, async_runtime};
use tauri_plugin_window_state::StateFlags;

/// Runs the app until it is quit. A second start ends in here: it hands its arguments to the first.
/// What is wrong with the folder is told by the backend, in the window.
pub fn run(folder: DataFolder, request: LaunchRequest, demo: bool) -> tauri::Result<()> {
    if let Err(reason) = collie_app::logging::init(&folder) {
        tracing::debug!(reason, "no diagnostics are kept");
    }
    let default_hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        tracing::error!(%panic, "a panic");
        default_hook(panic);
    }));
    let context = tauri::generate_context!();
    let bus_name = session_bus::bus_name(&context.config().identifier, &folder);
    let app = tauri::Builder::default()
        .plugin(
            tauri_plugin_single_instance::Builder::new()
                .dbus_id(bus_name)
                .callback(|app, arguments, _| {
                    let own = arguments.get(1..).unwrap_or_default();
                    handle_launch(app, launch_args::parse(own));
                })
                .build(),
        )
        .plugin(window_state(&folder))
        .plugin(tauri_plugin_notification::init())
        .invoke_handler(tauri::generate_handler![crate::rpc::rpc])
        .on_window_event(|window, event| {
            if let WindowEvent::CloseRequested { api, .. } = event {
                api.prevent_close();
                on_close_requested(window.app_handle());
            }
        })
        .setup(move |app| {
            setup(app.handle(), folder.clone(), request, demo);
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
    let flags = StateFlags::SIZE | StateFlags::POSITION | StateFlags::MAXIMIZED;
    let plugin = tauri_plugin_window_state::Builder::new().with_state_flags(flags);
    match folder.path().join("window.json").to_str() {
        Some(file) => plugin.with_filename(file).build(),
        None => plugin.build(),
    }
}

/// Starts everything behind the window.
fn setup(app: &AppHandle, folder: DataFolder, request: LaunchRequest, demo: bool) {
    let tray = tray::create(app, &localizer_of_environment(), &folder);
    let options = BackendOptions {
        folder,
        environment: Arc::new(collie_hardening::variable),
        credentials: CredentialScope::Machine,
        keychain: Keychain::system(),
        language: language_of_environment().code(),
        runners: None,
        elsewhere: None,
        can_merge: true,
        demo_if_new: demo,
    };
    // It begins to work in the background, and needs the runtime to do so.
    let backend = async_runtime::block_on(async { Backend::open(options) });
    app.manage(ShellHost::new(backend, tray));
    notifications::register_click_handler(app);
    match request {
        LaunchRequest::Window
        | LaunchRequest::Help
        | LaunchRequest::Version
        | LaunchRequest::UnknownOption(_) => {}
        LaunchRequest::PullRequest(_) | LaunchRequest::InvalidArgument(_) => {
            handle_launch(app, request)
        }
    }
    async_runtime::spawn(update_forwarding::forward_updates(app.clone()));
    async_runtime::spawn(quit_on_signal(app.clone()));
}

/// Does what a start asks for, this one or a second.
fn handle_launch(app: &AppHandle, request: LaunchRequest) {
    if app.try_state::<ShellHost>().is_none() {
        // The plugin hears a second start before the first is done; its window opens all the same.
        return tracing::warn!(?request, "a second start came before the first was done");
    }
    show_window(app);
    let argument = match request {
        LaunchRequest::Window | LaunchRequest::Help | LaunchRequest::Version => return,
        LaunchRequest::PullRequest(pull) => return show_pull(app, &pull),
        LaunchRequest::UnknownOption(argument) | LaunchRequest::InvalidArgument(argument) => {
            argument
        }
    };
    let error = UserError::new(ErrorCode::Argument).with("argument", argument);
    let text = app
        .state::<ShellHost>()
        .backend
        .localizer()
        .error_text(&error);
    let code = error.code;
    host::send_to_page(app, Update::Notice { code, text });
}

/// The person closed the window: the loops go on behind it, where the settings say so and the window can be found again.
fn on_close_requested(app: &AppHandle) {
    // The bus brings both ways back: the tray, and a second start.
    if app
        .state::<ShellHost>()
        .backend
        .desktop_config()
        .keep_running
        && session_bus::is_available()
    {
        hide(app);
    } else {
        quit(app);
    }
}

/// Quits when the system asks: the end of a session, or Ctrl-C on the terminal that started it.
async fn quit_on_signal(app: AppHandle) {
    collie_cli::Interrupt::listen().wait().await;
    quit(&app);
}
