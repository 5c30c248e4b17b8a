//! The one window.

use crate::window_label::MAIN;
use collie_config::DataFolder;
use tauri::utils::config::Color;
use tauri::webview::NewWindowResponse;
use tauri::{AppHandle, Manager as _, Theme, Url, WebviewUrl, WebviewWindow, WebviewWindowBuilder};

/// What is behind the page until it has painted, by theme: its own background, so that nothing flashes.
const LIGHT: Color = Color(0xfb, 0xfb, 0xfa, 0xff);
const DARK: Color = Color(0x17, 0x18, 0x1b, 0xff);

/// Opens the window. The page's own data lies in the data folder, so that another folder is another Collie.
pub fn open(app: &AppHandle, folder: &DataFolder) -> tauri::Result<WebviewWindow> {
    let own = app.clone();
    let builder = WebviewWindowBuilder::new(app, MAIN, WebviewUrl::default())
        .title("Collie")
        .inner_size(1280.0, 800.0)
        .min_inner_size(480.0, 480.0)
        .visible(false)
        .data_directory(folder.path().join("webview"))
        .on_navigation(move |url| is_app_page(&own, url))
        .on_new_window(|_, _| NewWindowResponse::Deny)
        .on_download(|_, _| false)
        .on_page_load(|window, payload| {
            crate::host::on_page_load(window.app_handle(), payload.event());
        });
    let window = builder.build()?;
    set_background(&window)?;
    window.show()?;
    Ok(window)
}

/// Chooses a theme.
pub fn set_theme(window: &WebviewWindow, theme: collie_config::Theme) -> tauri::Result<()> {
    use collie_config::Theme as Chosen;
    window.set_theme(match theme {
        Chosen::System => None,
        Chosen::Light => Some(Theme::Light),
        Chosen::Dark => Some(Theme::Dark),
    })?;
    set_background(window)
}

fn set_background(window: &WebviewWindow) -> tauri::Result<()> {
    let behind = match window.theme()? {
        Theme::Dark => DARK,
        _ => LIGHT,
    };
    window.set_background_color(Some(behind))
}

/// Whether an address is the app's own page. Everything else stays outside.
fn is_app_page(app: &AppHandle, url: &Url) -> bool {
    let served_by_vite = tauri::is_dev()
        && app
            .config()
            .build
            .dev_url
            .as_ref()
            .is_some_and(|own| own.origin() == url.origin());
    let ours = url.scheme() == "tauri" && url.host_str() == Some("localhost");
    if !ours && !served_by_vite {
        tracing::warn!(%url, "the page was kept from leaving the app");
    }
    ours || served_by_vite
}
